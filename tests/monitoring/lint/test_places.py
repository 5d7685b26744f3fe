"""Where a finding stands: under the guilty characters, in every way JSON and YAML write a text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitoring.lint.json_places import json_offset, json_spots
from monitoring.lint.yaml_places import YamlText
from tests.monitoring.lint.documents import found

STYLES = {
    "plain": "m1 +* m2",
    "double": '"m1 +* m2"',
    "double-escaped": '"m1\\u0020+\\x2a m2"',
    "single": "'m1 +* m2'",
    "literal": "|-\n            m1\n            +* m2",
    "folded": ">-\n            m1\n            +* m2",
    "sub": "!Sub 'm1 +* m2'",
    "sub-long": "{'Fn::Sub': 'm1 +* m2'}",
    "join": "!Join ['', ['m1 ', '+* m2']]",
    "parameter": "!Sub '${M} +* m2'",
}


@pytest.mark.parametrize("style", STYLES)
def test_the_caret_is_under_the_guilty_character(style: str) -> None:
    """The asterisk is found however the expression is written."""
    text = f"""Parameters:
  M: {{Type: String, Default: m1}}
Resources:
  A:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmName: a
      AlarmDescription: https://runbooks.example.com
      AlarmActions: [arn:aws:sns:us-east-1:111122223333:t]
      ComparisonOperator: GreaterThanThreshold
      EvaluationPeriods: 1
      Threshold: 1
      Metrics:
        - Id: e
          Expression: {STYLES[style]}
        - Id: m1
          ReturnData: false
          MetricStat: {{Stat: Sum, Period: 60, Metric: {{Namespace: N, MetricName: a}}}}
        - Id: m2
          ReturnData: false
          MetricStat: {{Stat: Sum, Period: 60, Metric: {{Namespace: N, MetricName: b}}}}
"""
    (one,) = found(text, file="x.yaml")
    assert one.check == "expression-syntax"
    guilty = text.splitlines()[one.line - 1][one.column - 1 : one.end_column - 1]
    assert guilty == ("\\x2a" if style == "double-escaped" else "*")


def test_an_expression_in_a_body_in_a_join_in_json() -> None:
    """Three layers: the CDK writes bodies as Fn::Join of escaped JSON."""
    first = '{"widgets":[{"type":"metric","properties":{"region":"'
    last = '","title":"a \\"b\\"","metrics":[[{"expression":"m1 +* 2","id":"e1"}],["N","a",{"id":"m1"}]]}}]}'
    body = {"Fn::Join": ["", [first, {"Ref": "AWS::Region"}, last]]}
    document = {"Resources": {"D": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": body}}}}
    text = json.dumps(document)
    (one,) = found(text)
    assert one.check == "expression-syntax"
    assert text[: one.column].endswith("m1 +*")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


def _paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], object]]:
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [(path, value), *(found for key, one in inner for found in _paths(one, (*path, key)))]


@settings(max_examples=60, deadline=None)
@given(value=JSON_VALUES, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_every_value_of_any_json_is_found(value: object, indent: int | None, ascii_only: bool) -> None:
    """The text at a spot is the value again, and each character of a string is where it is said to be."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    paths = _paths(value)
    spots = json_spots(text, [path for path, _ in paths])
    for path, one in paths:
        spot = spots[path]
        assert json.JSONDecoder().raw_decode(text, spot.start)[0] == one
        if isinstance(one, str) and one:
            offset = json_offset(text, spot.start, len(one) - 1)
            assert json.loads(f'"{text[offset : spot.end]}') == one[-1]


@settings(max_examples=40, deadline=None)
@given(words=st.lists(st.text(alphabet="abc'\"\\ :#", min_size=1, max_size=8), min_size=1, max_size=4))
def test_every_value_of_quoted_yaml_is_found(words: list[str]) -> None:
    """Double and single quotes, with their own ways to write a quote."""
    double = [json.dumps(word) for word in words]
    single = ["'" + word.replace("'", "''") + "'" for word in words]
    for written in (double, single):
        text = "a:\n" + "".join(f"  - {one}\n" for one in written)
        yaml = YamlText(text)
        for position, word in enumerate(words):
            offset = yaml.offset(("a", position), len(word) - 1)
            assert offset is not None
            assert text[offset] in {word[-1], "\\"}
