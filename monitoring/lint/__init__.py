"""Faults in alarms, metric filters and dashboards from any source, found without an AWS account."""
