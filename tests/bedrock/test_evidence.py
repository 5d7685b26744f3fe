"""Evidence of how calls were served: one record, one filter."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from bedrock.event_rules import ALL_MANAGEMENT_EVENTS, rule_name
from bedrock.evidence import AbsentMeans, EvidenceRoute, EvidenceSettings, ServedAs, ThrottleKind
from bedrock.evidence_plan import EvidencePlan, evidence_problems, plan_evidence
from bedrock.models import Baselines, LatencyMode, MonitoredModel
from cloudwatch.patterns import compile_pattern, parse_pattern
from cloudwatch.problems import InvalidValueError
from tests.bedrock.matchers import matches_event, matches_filter
from tests.bedrock.records import MODEL_ID, RECORDS, call_record

MODEL = MonitoredModel(
    key="nova",
    title="Amazon Nova Pro",
    model_ids=(MODEL_ID,),
    baselines=Baselines(otps=90, output_tokens=300, input_tokens=1200),
    latency=LatencyMode.OPTIMIZED,
)
LLAMA_ID = "us.meta.llama3-1-405b-instruct-v1:0"


def plan(
    *models: MonitoredModel, route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE, region: str = "us-east-1", **changes: Any
) -> EvidencePlan:
    """Return the plan of a site; `changes` go into the settings."""
    return plan_evidence(
        models or (MODEL,),
        settings=EvidenceSettings(route=route, **changes),
        region=region,
        namespace="BedrockMonitor/llm-prod",
        log_group="/aws/events/llm-prod-bedrock-calls",
        rule_prefix="llm-prod-bedrock",
    )


def hits(found: EvidencePlan, event: dict[str, Any]) -> list[str]:
    """Return the metrics without the model's name that an event counts in, once per filter; two readings must agree."""
    names = []
    for item in found.filters:
        matched = compile_pattern(parse_pattern(item.pattern))(event)
        assert matched == matches_filter(item.pattern, event), item.pattern
        if matched:
            names.append(item.metric.removeprefix("nova-").removeprefix("llama-"))
    return names


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("route", [EvidenceRoute.EVENTBRIDGE, EvidenceRoute.TRAIL])
def test_one_record_of_each_kind_matches_exactly_its_filter(kind: str, route: EvidenceRoute) -> None:
    """The classes exclude each other and leave nothing out that they should count."""
    record, metric = RECORDS[kind]
    changes = {"log_group": "trail", "trail_home_region": "us-east-1"} if route is EvidenceRoute.TRAIL else {}
    event = record if route is EvidenceRoute.TRAIL else {"detail": record}
    assert hits(plan(route=route, **changes), event) == ([metric] if metric else [])


def test_absence_can_mean_standard() -> None:
    """With absent_means standard a record without the field is a standard one, and nothing is counted twice."""
    found = plan(absent_means=AbsentMeans.STANDARD)
    assert hits(found, {"detail": call_record(latency=None)}) == ["served-standard"]
    assert hits(found, {"detail": call_record(latency="standard")}) == ["served-standard"]
    assert hits(found, {"detail": call_record(latency="turbo")}) == ["served-unknown"]


def test_a_long_request_of_llama_405b_is_counted_apart() -> None:
    """AWS always serves it standard above 11,000 tokens, which is no fallback."""
    llama = replace(MODEL, key="llama", model_ids=(LLAMA_ID,))
    found = plan(llama)
    for tokens, metric in ((11_000, "served-standard"), (11_001, "served-standard-by-design")):
        record = call_record(model_id=LLAMA_ID, latency="standard", input_tokens=tokens)
        assert hits(found, {"detail": record}) == [metric]
    assert found.served(llama, ServedAs.STANDARD_BY_DESIGN)
    assert not plan().served(MODEL, ServedAs.STANDARD_BY_DESIGN)


def test_the_served_latency_path_is_configurable() -> None:
    """AWS does not document the path, so another one must work without a change of code."""
    record = call_record(latency=None)
    record["responseElements"] = {"performanceConfig": {"latency": "standard"}}
    found = plan(served_latency_path="responseElements.performanceConfig.latency")
    assert hits(found, {"detail": record}) == ["served-standard"]


def test_a_trail_counts_its_own_region_only() -> None:
    """The log group of a trail holds every Region's records; another Region's call is not ours."""
    found = plan(route=EvidenceRoute.TRAIL, log_group="trail", trail_home_region="us-east-1")
    assert hits(found, call_record() | {"awsRegion": "eu-west-1"}) == []
    assert hits(found, call_record() | {"eventName": "CreateModelCustomizationJob"}) == []


def test_the_invocation_log_tells_served_modes_and_throttles() -> None:
    """Its records have other paths, and no message that names a quota."""
    found = plan(route=EvidenceRoute.INVOCATION_LOG, log_group="/bedrock/log")
    record = {
        "operation": "Converse",
        "modelId": MODEL_ID,
        "output": {"outputBodyJson": {"performanceConfig": {"latency": "standard"}}},
    }
    assert hits(found, record) == ["served-standard"]
    throttled = {"operation": "Converse", "modelId": MODEL_ID, "errorCode": "ThrottlingException"}
    assert hits(found, throttled) == ["throttled-other"]
    assert found.throttled(MODEL, ThrottleKind.TOKENS) == ()


@pytest.mark.parametrize("kind", RECORDS)
def test_one_record_of_each_kind_matches_exactly_its_rule(kind: str) -> None:
    """The route without log ingestion counts the same classes."""
    record, metric = RECORDS[kind]
    event = {"source": "aws.bedrock", "detail-type": "AWS API Call via CloudTrail", "detail": record}
    found = plan(route=EvidenceRoute.RULE_COUNTERS)
    matched = [rule.name for rule in found.rules if matches_event(rule.event_pattern, event)]
    expected = "throttled" if metric and metric.startswith("throttled") else metric and metric.removeprefix("served-")
    assert len(matched) == (1 if metric else 0)
    assert all(name.endswith(str(expected)) for name in matched)


def test_rules_read_absence_and_long_requests_as_filters_do() -> None:
    """Both routes give the same answer."""
    llama = replace(MODEL, key="llama", model_ids=(LLAMA_ID,))
    found = plan(llama, route=EvidenceRoute.RULE_COUNTERS, absent_means=AbsentMeans.STANDARD)

    def matched(**record: Any) -> list[str]:
        detail = call_record(model_id=LLAMA_ID, **record)
        event = {"source": "aws.bedrock", "detail-type": "AWS API Call via CloudTrail", "detail": detail}
        return [rule.name for rule in found.rules if matches_event(rule.event_pattern, event)]

    assert matched(latency=None) == ["llm-prod-bedrock-llama-standard"]
    assert matched(latency=None, input_tokens=12_000) == ["llm-prod-bedrock-llama-standard-by-design"]
    assert matched(latency="turbo") == ["llm-prod-bedrock-llama-unknown"]
    assert matched(latency="optimized", input_tokens=12_000) == ["llm-prod-bedrock-llama-optimized"]


def test_only_what_somebody_reads_is_logged_with_rule_counters() -> None:
    """Optimized calls, the bulk, cost no ingestion; standard and throttled ones are shrunk."""
    found = plan(route=EvidenceRoute.RULE_COUNTERS)
    logged = {rule.name.rsplit("-", 1)[1]: rule.targets for rule in found.rules}
    assert not logged["optimized"]
    assert not logged["unknown"]
    for name in ("standard", "throttled"):
        assert logged[name][0].transformer is not None


def test_a_shrunk_record_matches_like_the_whole_one() -> None:
    """Filters read the log group whatever stands in it: a missing message becomes an empty one."""
    found = plan(route=EvidenceRoute.RULE_COUNTERS)
    transformer = found.rules[0].targets[0].transformer
    assert transformer is not None
    for record, metric in RECORDS.values():
        if metric is None or not metric.startswith("throttled"):
            continue
        text = transformer.template
        for variable, path in transformer.paths:
            value: Any = {"time": "2026-11-02T09:15:00Z", "detail": record}
            for part in path.removeprefix("$.").split("."):
                value = value.get(part, "") if isinstance(value, dict) else ""
            text = text.replace(f"<{variable}>", json.dumps(value) if variable == "time" else str(value))
        assert hits(found, json.loads(json.loads(text)["message"])) == [metric]


def test_the_rule_sees_read_only_calls() -> None:
    """In the state ENABLED half of the calls would be missing."""
    (rule,) = plan().rules
    assert rule.state == ALL_MANAGEMENT_EVENTS
    assert rule.targets[0].log_group == "/aws/events/llm-prod-bedrock-calls"


def test_no_route_gives_no_evidence() -> None:
    """Nothing is created, and every question is answered with no series."""
    found = plan(route=EvidenceRoute.NONE)
    assert not found.filters
    assert not found.rules
    assert found.served(MODEL, "standard") == ()
    assert not found.sees_fallback(MODEL)


def test_a_model_that_nobody_asks_optimized_has_no_served_filters() -> None:
    """Fallback cannot happen there, and each filter costs."""
    found = plan(replace(MODEL, latency=LatencyMode.STANDARD))
    assert [item.name for item in found.filters] == [f"throttled-{kind}" for kind in ThrottleKind]
    assert not found.sees_fallback("nova")


def test_ids_that_outgrow_a_pattern_are_split_over_filters_of_one_metric() -> None:
    """A call is still counted once, and alarms still see one series."""
    ids = tuple(f"arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.amazon.nova-{n:03}" for n in range(40))
    found = plan(replace(MODEL, cloudtrail_ids=ids))
    assert all(len(item.pattern) <= 1024 for item in found.filters)
    names = Counter(item.metric for item in found.filters)
    assert names["nova-served-optimized"] > 1
    assert len(found.served("nova", "optimized")) == 1
    for model_id in ids:
        assert hits(found, {"detail": call_record(model_id=model_id)}) == ["served-optimized"]


def test_more_filters_than_a_log_group_takes_are_refused_with_the_number() -> None:
    """33 optimized models need 99 filters and the four of throttles."""
    models = [replace(MODEL, key=f"nova-{n}") for n in range(32)]
    assert len(plan(*models).filters) == 100
    with pytest.raises(InvalidValueError, match="103 metric filters"):
        plan(*models, replace(MODEL, key="nova-last"))


def test_a_trail_outside_its_home_region_is_refused_with_the_text() -> None:
    """The log group would stay empty and look healthy."""
    settings = EvidenceSettings(route=EvidenceRoute.TRAIL, log_group="trail", trail_home_region="us-east-1")
    assert not evidence_problems(settings, region="us-east-1")
    (problem,) = evidence_problems(settings, region="eu-west-1")
    assert "home Region" in problem.message
    with pytest.raises(InvalidValueError, match="home Region"):
        plan(route=EvidenceRoute.TRAIL, log_group="trail", trail_home_region="us-east-1", region="eu-west-1")


@pytest.mark.parametrize("path", ["", "$.a.b", "a b", "a.*"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """A pattern made from it would be refused at deployment, or match nothing."""
    with pytest.raises(InvalidValueError, match="served_latency_path"):
        plan(served_latency_path=path)


def test_rule_names_fit_and_stay_apart() -> None:
    """EventBridge takes 64 characters; names that differ only at the end stay different."""
    long = "m" * 40
    names = {rule_name("llm", "a" * 40, long, end) for end in ("optimized", "standard")}
    assert len(names) == 2
    assert all(len(name) <= 64 for name in names)
