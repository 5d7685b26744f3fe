"""Which numbers does AWS fix?

Limits of CloudWatch, CloudWatch Logs, EventBridge, SNS and CloudFormation that a definition can run into, each with the AWS
page or API model it comes from. Limits of one kind of value that nothing else needs stand with that value.
Pages: UG = AmazonCloudWatch/latest/monitoring, LG = AmazonCloudWatch/latest/logs, API = CloudWatch API reference.
"""

from __future__ import annotations

__all__ = [
    "ACTIONS_PER_STATE",
    "ALARM_DESCRIPTION_LENGTH",
    "ALARM_NAME_LENGTH",
    "COMPOSITE_CHILDREN",
    "COMPOSITE_ELEMENTS",
    "COMPOSITE_RULE_LENGTH",
    "DASHBOARD_NAME_LENGTH",
    "DIMENSIONS_PER_METRIC",
    "DIMENSION_NAME_LENGTH",
    "DIMENSION_VALUE_LENGTH",
    "EVENT_PATTERN_LENGTH",
    "EXPRESSIONS_PER_ALARM",
    "EXPRESSION_LENGTH",
    "FILTERS_PER_LOG_GROUP",
    "FILTER_DIMENSIONS",
    "FILTER_NAME_LENGTH",
    "FILTER_PATTERN_LENGTH",
    "HIGH_RESOLUTION_PERIODS_S",
    "LONG_PERIOD_S",
    "MAX_WINDOW_LONG_PERIOD_S",
    "MAX_WINDOW_S",
    "METRICS_PER_ALARM",
    "METRIC_NAME_LENGTH",
    "NAMESPACE_LENGTH",
    "SEARCH_LENGTH",
    "STACK_RESOURCES",
    "TAGS",
    "TEMPLATE_BYTES",
]

# API, PutMetricAlarm and PutCompositeAlarm
ALARM_NAME_LENGTH = 255
ALARM_DESCRIPTION_LENGTH = 1024
ACTIONS_PER_STATE = 5
TAGS = 50
METRICS_PER_ALARM = 10
EXPRESSIONS_PER_ALARM = 10
EXPRESSION_LENGTH = 2048
HIGH_RESOLUTION_PERIODS_S = (10, 20, 30)
LONG_PERIOD_S = 3600  # from this period on the longer window applies
MAX_WINDOW_S = 86_400
MAX_WINDOW_LONG_PERIOD_S = 604_800

# API, Metric and Dimension
NAMESPACE_LENGTH = 255
METRIC_NAME_LENGTH = 255
DIMENSIONS_PER_METRIC = 30
DIMENSION_NAME_LENGTH = 255
DIMENSION_VALUE_LENGTH = 1024

# UG, search expressions
SEARCH_LENGTH = 1024

# API, PutCompositeAlarm; UG, combining alarms
COMPOSITE_RULE_LENGTH = 10_240
COMPOSITE_CHILDREN = 100
COMPOSITE_ELEMENTS = 500

# UG, dashboard body structure
DASHBOARD_NAME_LENGTH = 255

# LG, filter and pattern syntax; Logs API, PutMetricFilter
FILTER_PATTERN_LENGTH = 1024
FILTER_NAME_LENGTH = 512
FILTERS_PER_LOG_GROUP = 100
FILTER_DIMENSIONS = 3

# EventBridge quotas
EVENT_PATTERN_LENGTH = 4096

# CloudFormation quotas
STACK_RESOURCES = 500
TEMPLATE_BYTES = 1_048_576
