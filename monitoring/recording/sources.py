"""Under which names do things that are no log events stand among the events of a recording?"""

from __future__ import annotations

__all__ = ["ALARM_DEFINITIONS", "ALARM_HISTORY"]

ALARM_HISTORY = "bedrock-monitor/alarm-history"
"""Items of DescribeAlarmHistory: `{"alarm", "type", "summary", "data"}`."""
ALARM_DEFINITIONS = "bedrock-monitor/alarm-definitions"
"""Alarms of DescribeAlarms when recorded: `{"kind": "MetricAlarms" or "CompositeAlarms", "alarm": {...}}`."""
