"""CloudWatch Logs filter patterns: parsed, printed, matched."""

from cloudwatch.patterns.match import Event, Matches, compile_pattern
from cloudwatch.patterns.nodes import JsonPattern, Pattern, SpacePattern, TextPattern
from cloudwatch.patterns.parser import parse_pattern
from cloudwatch.patterns.printer import print_pattern
from cloudwatch.patterns.values import compile_value, extracted

__all__ = [
    "Event",
    "JsonPattern",
    "Matches",
    "Pattern",
    "SpacePattern",
    "TextPattern",
    "compile_pattern",
    "compile_value",
    "extracted",
    "parse_pattern",
    "print_pattern",
]
