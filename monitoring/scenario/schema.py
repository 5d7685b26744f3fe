"""What may stand in a scenario file?

One typed dictionary for each mapping, validated by pydantic, worded by `monitoring.config.errors`; docs/scenarios.md explains
them with examples. `samples` has two forms and is decided by `monitoring.scenario.document`.
"""

from functools import cache
from typing import Annotated, Any, Literal, Required

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

__all__ = ["ScenarioFile", "StepSamples", "samples_validator", "validator"]

Duration = Annotated[str, Field(pattern=r"^[+]?[0-9wdhms]+$", max_length=40)]
Instant = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})$"),
]
Text = Annotated[str, Field(min_length=1, max_length=1024)]
State = Literal["OK", "ALARM", "INSUFFICIENT_DATA"]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _texted(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


_strict = with_config(ConfigDict(extra="forbid", strict=True))


@_strict
class AlarmSource(TypedDict, total=False):
    """Where the alarms come from: exactly one of config, template and describe_alarms."""

    config: Annotated[Text, Field(description="A monitoring.yaml; say account and region too if it has several.")]
    account: Annotated[Text, Field(description="Alias of the account in the configuration.")]
    region: Annotated[Text, Field(description="Region in the configuration, or AWS::Region of the templates.")]
    template: Annotated[
        list[Text],
        BeforeValidator(_listed),
        Field(min_length=1, description="One or several CloudFormation templates, JSON or YAML."),
    ]
    parameters: Annotated[dict[str, Any], Field(description="Parameter values of the templates.")]
    account_id: Annotated[Text, Field(description="AWS::AccountId of the templates; twelve digits in quotes.")]
    describe_alarms: Annotated[Text, Field(description="JSON of `aws cloudwatch describe-alarms`.")]


@_strict
class Lognormal(TypedDict):
    """A skewed distribution, as latencies and token counts have it."""

    median: Annotated[float, Field(gt=0, description="half of the values lie below.")]
    p90: Annotated[float, Field(gt=0, description="nine of ten values lie below; above the median.")]


@_strict
class Normal(TypedDict):
    """A symmetric distribution."""

    mean: Annotated[float, Field(description="mean.")]
    sd: Annotated[float, Field(ge=0, description="standard deviation.")]


@_strict
class Uniform(TypedDict):
    """Every value between two numbers alike."""

    low: Annotated[float, Field(description="smallest value.")]
    high: Annotated[float, Field(description="largest value.")]


@_strict
class Distribution(TypedDict, total=False):
    """Exactly one distribution."""

    lognormal: Annotated[Lognormal, Field(description="skewed, positive.")]
    normal: Annotated[Normal, Field(description="symmetric.")]
    uniform: Annotated[Uniform, Field(description="flat.")]
    constant: Annotated[float, Field(description="one value.")]


@_strict
class StepSamples(TypedDict, total=False):
    """Raw values by steps: all of a step alike (values), or drawn at random (distribution) from a seed."""

    every: Annotated[Duration, Field(description="length of one step, default 1m.")]
    count: Required[
        Annotated[
            str,
            BeforeValidator(_texted),
            Field(max_length=10_000, description="values in each step: a number, or 60x30 0x10 where they change."),
        ]
    ]
    steps: Annotated[int, Field(ge=1, le=1_000_000, description="number of steps; default: to the end.")]
    values: Annotated[
        str, BeforeValidator(_texted), Field(description="what each value of a step is: 420x30 900x60 420x30.")
    ]
    distribution: Annotated[Distribution, Field(description="how they are distributed.")]
    seed: Annotated[int, Field(ge=0, description="seed, default 0.")]


@_strict
class SeriesSpec(TypedDict, total=False):
    """One metric: points of one statistic (values, stat), or raw values (samples)."""

    metric: Required[
        Annotated[
            str, Field(pattern=r"^[^ ]+ .+$", max_length=511, description="namespace, a space, the metric's name.")
        ]
    ]
    dimensions: Annotated[dict[str, str], Field(description="dimension values by name.")]
    stat: Annotated[Text, Field(description="statistic that the values are: Sum, Average, p90; needed with values.")]
    period: Annotated[Duration, Field(description="what one value covers, default 1m.")]
    values: Annotated[str, BeforeValidator(_texted), Field(description="points: 120x30 60+2x10 _x5 0 7.")]
    samples: Annotated[Any, Field(description="raw values: by steps, or a list of lists, one list a period.")]
    available_after: Annotated[
        Duration, Field(description="how long after its timestamp a value can be seen, default 0s.")
    ]
    after: Annotated[Duration, Field(description="when the series begins, counted from the start, default 0s.")]


@_strict
class EventSpec(TypedDict, total=False):
    """Log events that go through the metric filters of the alarms' source."""

    log_group: Required[Annotated[Text, Field(description="log group that receives them.")]]
    file: Annotated[Text, Field(description="JSON lines, each an event as the log group holds it.")]
    records: Annotated[list[Any], Field(description="events, in place of a file.")]
    at: Annotated[Duration, Field(description="when they happen; default: the time in each event.")]
    every: Annotated[Duration, Field(description="distance between them when at is given, default 0s.")]
    until: Annotated[Duration, Field(description="the list is sent over and over from at until then, one event every.")]
    repeat: Annotated[int, Field(ge=1, le=100_000, description="how often the list is sent, default 1.")]
    available_after: Annotated[Duration, Field(description="how long after it happened an event arrives, default 0s.")]


@_strict
class Expectation(TypedDict, total=False):
    """One statement: alarm with at and state, alarm with never, or notified."""

    alarm: Annotated[Text, Field(description="AlarmName, else the logical id.")]
    at: Annotated[Duration, Field(description="+5m: the state after the evaluation of that minute.")]
    state: Annotated[State, Field(description="OK, ALARM or INSUFFICIENT_DATA.")]
    reason: Annotated[Text, Field(description="part of the state reason; upper and lower case are alike.")]
    never: Annotated[State, Field(description="a state that is not entered at any time.")]
    notified: Annotated[
        list[Text], Field(description="exactly these ran ALARM actions, in this order, one entry a run.")
    ]


@_strict
class ScenarioFile(TypedDict, total=False):
    """A unit test of alarms."""

    name: Required[Annotated[Text, Field(description="what is tested.")]]
    alarms: Required[Annotated[AlarmSource, Field(description="where the alarms come from.")]]
    start: Required[
        Annotated[Instant, Field(description="when the alarms are created, for example 2026-11-02T09:00:00Z.")]
    ]
    duration: Required[Annotated[Duration, Field(description="how long it lasts, for example 2h.")]]
    series: Annotated[list[SeriesSpec], Field(description="metrics.")]
    events: Annotated[list[EventSpec], Field(description="log events.")]
    dataset: Annotated[Text, Field(description="folder of a recording or a simulation.")]
    expect: Required[Annotated[list[Expectation], Field(min_length=1, description="what must come out.")]]
    switches: Annotated[dict[str, Any], Field(description="settings of choices that AWS leaves open.")]


@cache
def validator() -> TypeAdapter[ScenarioFile]:
    """Return the validator of a scenario file, built on first use."""
    return TypeAdapter(ScenarioFile)


@cache
def samples_validator() -> TypeAdapter[StepSamples]:
    """Return the validator of `samples` in its random form."""
    return TypeAdapter(StepSamples)
