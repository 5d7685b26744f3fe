"""A fixed subset of the alarm-quality benchmark: each incident that must page does so once, with its cause."""

from __future__ import annotations

from functools import cache

import pytest

from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.problems import InvalidValueError
from cloudwatch.readers.cloudformation import read_template
from cloudwatch.readers.definitions import Definitions
from monitoring.plan import Plan, plan
from monitoring.quality.baselines import BASELINES, baseline_watches
from monitoring.quality.cases import Case, Family, incident_cases, week_cases
from monitoring.quality.fleet import TRAFFIC_MIXES, deployment_for, fleet
from monitoring.quality.score import Outcome, verdict_for
from monitoring.quality.watch import Watch, own_watch, watch_of
from monitoring.quality.world import Observation, World, observe

MODELS = {model.key: model for model in fleet()}


@cache
def planned() -> Plan:
    """Return the plan of the whole fleet."""
    return plan(deployment_for(tuple(MODELS.values())))


@cache
def watch(model: str) -> Watch:
    """Return the alarms of a model and of its account."""
    made = planned()
    mine = next(each for each in made.models if each.model.key == model)
    alarms = [entry.alarm for entry in (*mine.alarms, *made.alarms)]
    found = Definitions(
        alarms=tuple(alarm for alarm in alarms if isinstance(alarm, MetricAlarm)),
        composites=tuple(alarm for alarm in alarms if isinstance(alarm, CompositeAlarm)),
    )
    return own_watch([found], site_prefix="llm-bench", model=model)


def seen(incident: str, model: str, seed: int = 11) -> Observation:
    """Return what the alarms told of a case."""
    return observe(
        Case(incident=incident, model=model, seed=seed),
        model=MODELS[model],
        world=World(name="default"),
        evidence=planned().evidence,
        watches={"ours": watch(model)},
    )[0]


@pytest.mark.parametrize(
    ("incident", "model"),
    [
        ("optimized-quota-exhausted", "assistant-2"),
        ("optimized-quota-exhausted", "copilot-100"),
        ("optimized-quota-partly", "writer-20"),
        ("optimized-quota-repeats", "assistant-20"),
        ("throttled-rpm", "chat-20"),
        ("throttled-tpm", "agent-100"),
        ("throttled-max-tokens", "mixed-20"),
        ("throttled-quota-cut", "batch-20"),
        ("throttled-tpd", "writer-2"),
        ("retry-storm", "copilot-20"),
        ("fallback-and-throttling", "assistant-100"),
        ("fallback-and-throttling", "copilot-20"),
        ("model-slower", "chat-2"),
        ("model-slower", "assistant-20"),
        ("wrong-path-during-fallback", "assistant-20"),
        ("trail-outage-during-fallback", "writer-20"),
        ("server-errors", "agent-20"),
    ],
)
def test_a_deep_incident_pages_once_with_its_cause(incident: str, model: str) -> None:
    """The page comes once, within half an hour, and says what happened."""
    found = seen(incident, model)
    verdict = verdict_for(found, "ours")
    assert found.truth.deep
    assert verdict.outcome is Outcome.RIGHT, verdict.causes
    assert verdict.detection_s is not None
    assert verdict.detection_s <= 1800


@pytest.mark.parametrize(
    ("incident", "model", "ticket"),
    [
        ("before-the-model-slower", "chat-20", True),
        ("prompts-longer", "mixed-100", True),
        ("client-release", "agent-100", True),
        ("reserved-overflow", "assistant-100", True),
        ("traffic-ten-times", "chat-20", False),
        ("metric-delay", "copilot-100", False),
    ],
)
def test_a_look_alike_wakes_nobody(incident: str, model: str, ticket: bool) -> None:
    """What needs nobody at night is at most a ticket."""
    verdict = verdict_for(seen(incident, model), "ours")
    assert verdict.causes == ()
    assert verdict.noted is ticket


@pytest.mark.parametrize(
    ("week", "model"), [("bursty", "chat-20"), ("sparse", "assistant-2"), ("mixed-streaming", "agent-2")]
)
def test_a_healthy_week_wakes_nobody(week: str, model: str) -> None:
    """Bursts, silence and a changing share of streamed calls are no incidents."""
    assert seen(week, model).told["ours"].pages == ()


def test_the_mixture_is_fixed_and_covers_everything() -> None:
    """The same numbers give the same cases, every family and traffic is there, and no model gets what it cannot have."""
    cases = incident_cases(tuple(MODELS.values()), count=400, seed=3)
    assert cases == incident_cases(tuple(MODELS.values()), count=400, seed=3)
    assert {case.model.rsplit("-", 1)[1] for case in cases} == {str(rate) for rate in TRAFFIC_MIXES}
    assert all(not case.model.startswith("chat") for case in cases if case.incident.startswith("optimized"))
    assert len(week_cases(tuple(MODELS.values()), count=16, seed=3)) == 16
    assert len(set(cases)) == len(cases)
    assert len(Family) == 7


def test_baselines_are_templates_that_tell_something() -> None:
    """Both sets of alarms are read without a problem, and the recipe is silent about a model that never streams."""
    for model in (MODELS["agent-20"], MODELS["assistant-20"]):
        watches = baseline_watches(model)
        assert tuple(watches) == BASELINES
        assert all(each.pages for each in watches.values())
    assert baseline_watches(MODELS["batch-20"])["otps-recipe"].pages == {}


def test_any_template_is_measured_by_the_names_of_its_alarms() -> None:
    """An alarm without actions is made to call; a name that is not there is refused with those that are."""
    properties = {
        "AlarmName": "mine",
        "Namespace": "AWS/Bedrock",
        "MetricName": "InvocationThrottles",
        "Dimensions": [{"Name": "ModelId", "Value": MODELS["chat-20"].model_ids[0]}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 1,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "TreatMissingData": "notBreaching",
    }
    read = read_template({"Resources": {"A": {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}}})
    foreign = watch_of([read], pages={"mine": "throttled"}, tickets={})
    found = observe(
        Case(incident="throttled-tpm", model="chat-20", seed=1),
        model=MODELS["chat-20"],
        world=World(name="default"),
        evidence=planned().evidence,
        watches={"foreign": foreign},
    )[0]
    assert verdict_for(found, "foreign").first == "throttled"
    with pytest.raises(InvalidValueError, match="no alarm 'other'; there are mine"):
        watch_of([read], pages={"other": "throttled"}, tickets={})
