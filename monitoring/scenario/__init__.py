"""Unit tests for alarms: what would CloudWatch do with these series and events?"""
