"""Readers: what others wrote (a template, an API answer) as values."""
