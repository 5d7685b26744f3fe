"""No file, however broken, deep or large, gives a traceback or takes more than linear time."""

from __future__ import annotations

import copy
import json
import math
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitoring.lint.documents import Unreadable, text_document
from monitoring.lint.finding import Finding
from monitoring.lint.report import LintFormat, rendered
from monitoring.lint.run import lint, lint_documents
from tests.monitoring.lint.documents import TODAY, alarm, found, plan, template
from tests.monitoring.lint.test_sources import TERRAFORM_ALARM

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
WORDS = st.sampled_from(
    [
        *(
            "Resources",
            "Type",
            "Properties",
            "AWS::CloudWatch::Alarm",
            "AWS::CloudWatch::CompositeAlarm",
            "Metrics",
            "Id",
        ),
        *(
            "AWS::CloudWatch::Dashboard",
            "AWS::Logs::MetricFilter",
            "DashboardBody",
            "Expression",
            "MetricStat",
            "Metric",
        ),
        *("Fn::Sub", "Fn::Join", "Fn::If", "Ref", "Fn::GetAtt", "Conditions", "Metadata", "bedrock-monitor", "disable"),
        *(
            "Dimensions",
            "Name",
            "Value",
            "AlarmRule",
            "AlarmActions",
            "OKActions",
            "FilterPattern",
            "MetricTransformations",
        ),
        *(
            "widgets",
            "properties",
            "metrics",
            "annotations",
            "horizontal",
            "yAxis",
            "Period",
            "EvaluationPeriods",
            "Stat",
        ),
        *("AWS/Bedrock", "ModelId", "TimeToFirstToken", "Sum", "{ $.a = 1 }", "m1 / (m1 - m1)", "ALARM(x) AND OK(y)"),
        *(
            "MetricAlarms",
            "CompositeAlarms",
            "metricFilters",
            "planned_values",
            "root_module",
            "resources",
            "format_version",
        ),
        *("aws_cloudwatch_metric_alarm", "values", "type", "metric", "${A}", "\ud800", "", "A"),
    ]
)
LEAVES = (
    WORDS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([10**400, -1, 1e308])
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=5),
    max_leaves=30,
)


def _shown(text: str) -> None:
    """Lint a text and render what was found in every format."""
    document = text_document(text, file="x")
    report = lint_documents([document], today=TODAY)
    for output_format in LintFormat:
        rendered(report, output_format).encode("utf-8")
    for one in report.findings:
        assert isinstance(one, Finding)
        assert one.line >= 1
        assert one.column >= 1


@settings(max_examples=120, deadline=None, suppress_health_check=SLOW)
@given(raw=st.binary(max_size=200))
def test_any_bytes(raw: bytes, tmp_path: Path) -> None:
    """A file of any bytes gives findings and nothing else."""
    file = tmp_path / "any.yaml"
    file.write_bytes(raw)
    assert all(one.check for one in lint([str(file)], today=TODAY).findings)


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(
    kind=st.sampled_from(["alarm", "composite", "filter", "dashboard", "body"]),
    tree=st.dictionaries(WORDS, TREES, max_size=6),
)
def test_any_properties(kind: str, tree: dict[str, Any]) -> None:
    """A resource of each kind with any properties."""
    types = {
        "alarm": "AWS::CloudWatch::Alarm",
        "composite": "AWS::CloudWatch::CompositeAlarm",
        "filter": "AWS::Logs::MetricFilter",
        "dashboard": "AWS::CloudWatch::Dashboard",
    }
    if kind == "body":
        document: Any = {"widgets": [{"type": "metric", "properties": tree}, tree]}
    else:
        document = {"Resources": {"A": {"Type": types[kind], "Properties": tree}}, "Conditions": tree}
    _shown(json.dumps(document))


@settings(max_examples=80, deadline=None, suppress_health_check=SLOW)
@given(changes=st.dictionaries(st.sampled_from(sorted(alarm())), TREES, max_size=3))
def test_any_change_of_a_right_alarm(changes: dict[str, Any]) -> None:
    """An alarm whose properties are nearly right, as template and as plan."""
    _shown(json.dumps(template(A=alarm(**changes))))
    values = {"alarm_name": "x", "metric_query": changes.get("Dimensions"), "dimensions": changes.get("Period")}
    _shown(json.dumps(plan("aws_cloudwatch_metric_alarm", {**values, "alarm_actions": changes.get("AlarmName")})))


@pytest.mark.parametrize("depth", [50, 150, 900, 5_000, 200_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_any_depth(brackets: str, depth: int) -> None:
    """Nesting in the file, in a property, and in a dashboard body."""
    opening, closing = ("[", "]") if brackets == "[]" else ('{"a":', "}")
    deep = opening * depth + "1" + closing * depth
    for text in (
        deep,
        f'{{"Resources": {{"A": {{"Type": "AWS::CloudWatch::Alarm", "Properties": {{"Metrics": {deep}}}}}}}}}',
        json.dumps({"DashboardBody": f'{{"widgets": {deep}}}'}),
        f'{{"widgets": [{{"type": "metric", "properties": {{"metrics": {deep}}}}}]}}',
    ):
        found_there = []
        try:
            found_there = found(text)
        except Exception as error:  # noqa: BLE001 - only the one kind may be raised
            assert type(error).__name__ == "Unreadable", error
        assert isinstance(found_there, list)


def test_numbers_beyond_all_bounds() -> None:
    """Digits without end, infinities, and numbers that no float holds."""
    for number in ("1" + "0" * 5000, "1e999", "-1e999", "NaN", "Infinity", "1" + "0" * 400):
        try:
            text = json.dumps(template(A=alarm(Period=7))).replace("7", number)
            assert isinstance(found(text), list)
        except Exception as error:  # noqa: BLE001
            assert type(error).__name__ == "Unreadable", error


def _cpu_s(text: str) -> float:
    started = time.process_time()
    _shown(text)
    return time.process_time() - started


def _chain(count: int) -> str:
    """Conditions that refer to the next one twice: a naive reader takes time that doubles with each."""
    names = [f"C{number}" for number in range(count)]
    rules = {name: {"Fn::And": [{"Condition": after}, {"Condition": after}]} for name, after in pairwise(names)}
    document = template(A=alarm(Period={"Fn::If": ["C0", 90, 60]}))
    return json.dumps({**document, "Conditions": rules})


def _rows(count: int) -> str:
    rows = [[{"expression": f"m{number} + nobody", "id": f"m{number + 1}"}] for number in range(count)]
    return json.dumps({"widgets": [{"type": "metric", "properties": {"region": "us-east-1", "metrics": rows}}]})


def _alarms(count: int) -> str:
    return json.dumps(template(**{f"A{number}": alarm(Period=90, AlarmName=f"a{number}") for number in range(count)}))


def _cycle(count: int) -> str:
    resources = {
        f"A{number}": {
            "Type": "AWS::CloudWatch::CompositeAlarm",
            "Properties": {"AlarmName": f"a{number}", "AlarmRule": f'ALARM("a{(number + 1) % count}")'},
        }
        for number in range(count)
    }
    return json.dumps({"Resources": resources})


@pytest.mark.parametrize("make", [_chain, _rows, _alarms, _cycle])
def test_four_times_as_much_takes_about_four_times_as_long(make: Any) -> None:
    """Linear within a factor of two and a half, for faults on every line too."""
    _cpu_s(make(10))
    small, large = min(_cpu_s(make(150)) for _ in range(2)), _cpu_s(make(600))
    assert large < 10 * small + 0.05


ODD: list[Any] = [
    *(None, True, 0, -1, 1e308, 10**30, math.nan, "", "x", "${A}", [], {}, [[]], [None], ["..."], [{"a": 1}]),
    *({"Ref": "X"}, {"Fn::Sub": 5}, {"Fn::Join": [1]}, {"Fn::If": ["a"]}, {"Fn::GetAtt": 3}),
]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container with every key or position in it."""
    found_there, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        keys = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        found_there += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    return found_there


def _mutated(document: Any, rng: random.Random) -> Any:
    """Return a document with one to three values or characters exchanged, inside dashboard bodies too."""
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        places = _places(document)
        if not places:
            break
        holder, key = rng.choice(places)
        value = holder[key]
        if isinstance(value, str) and value.lstrip().startswith('{"widgets": [{') and rng.random() < 0.8:
            body = json.loads(value)
            inner, place = rng.choice(_places(body))
            inner[place] = copy.deepcopy(rng.choice(ODD))
            holder[key] = json.dumps(body)
        elif isinstance(value, str) and value and rng.random() < 0.4:
            at = rng.randrange(len(value))
            holder[key] = value[:at] + rng.choice("()[]{}\"'$,*=!<&|\\ \n\ud800%m1A") + value[at + rng.randint(0, 2) :]
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD))
    return document


def test_any_small_change_of_any_input() -> None:
    """Every input of the checks, and documents of the other kinds, with values exchanged at random."""
    folder = Path(__file__).parent / "checks"
    files = [*folder.glob("*/bad*.yaml"), *folder.glob("*/good.yaml")]
    documents = [
        text_document(one.read_text(encoding="utf-8"), file="x").data
        for one in files
        if one.parent.name != "unreadable-file"
    ]
    documents.append(plan("aws_cloudwatch_metric_alarm", TERRAFORM_ALARM, unknown={"ok_actions": [True]}))
    queries = [
        {"id": "a", "expression": "b / c", "metric": []},
        {
            "id": "b",
            "metric": [{"namespace": "n", "metric_name": "m", "period": 60, "stat": "Sum", "dimensions": {"A": "b"}}],
        },
    ]
    documents.append(plan("aws_cloudwatch_metric_alarm", {**TERRAFORM_ALARM, "metric_query": queries}))
    transformation = {"metricName": "n", "metricNamespace": "x", "metricValue": "1", "dimensions": {"a": "$.a"}}
    log_filter = {"filterName": "f", "filterPattern": "{ $.a = 1 }", "logGroupName": "g"}
    documents.append(
        {
            "MetricAlarms": [alarm()],
            "CompositeAlarms": [{"AlarmName": "x", "AlarmRule": "ALARM(a) OR OK(b) AND OK(a)"}],
            "metricFilters": [{**log_filter, "metricTransformations": [transformation]}],
        }
    )
    rng = random.Random(20261101)
    for _ in range(3000):
        text = json.dumps(_mutated(rng.choice(documents), rng))
        try:
            _shown(text)
        except Unreadable:
            continue
        except Exception as error:
            raise AssertionError(text) from error
