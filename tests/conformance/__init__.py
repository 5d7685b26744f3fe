"""Conformance vectors and what replays them: `python -m tests.conformance FILE...`."""
