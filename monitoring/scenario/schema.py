"""What may stand in a scenario file? One pydantic model for each mapping; docs/scenarios.md explains them with examples."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cloudwatch.alarm import AlarmState

__all__ = [
    "AlarmSource",
    "Distribution",
    "EventSpec",
    "Expectation",
    "RandomSamples",
    "ScenarioFile",
    "SeriesSpec",
]

Duration = Annotated[str, Field(pattern=r"^[+]?[0-9wdhms]+$", max_length=40)]
Instant = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})$")
]
Text = Annotated[str, Field(min_length=1, max_length=1024)]


class _Mapping(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AlarmSource(_Mapping):
    """Where the alarms come from: exactly one of config, template and describe_alarms."""

    config: Text | None = Field(None, description="A monitoring.yaml; name account and region too if it has several.")
    account: Text | None = Field(None, description="Alias of the account in the configuration.")
    region: Text | None = Field(None, description="Region in the configuration, or of the template.")
    template: Text | list[Text] | None = Field(
        None, description="One or several CloudFormation templates, JSON or YAML."
    )
    parameters: dict[str, Any] | None = Field(None, description="Parameter values of the templates.")
    account_id: Text | None = Field(None, description="AWS::AccountId of the templates; twelve digits in quotes.")
    describe_alarms: Text | None = Field(None, description="JSON of `aws cloudwatch describe-alarms`.")


class Lognormal(_Mapping):
    """A skewed distribution, as latencies and token counts have it."""

    median: Annotated[float, Field(gt=0)] = Field(description="Half of the values lie below.")
    p90: Annotated[float, Field(gt=0)] = Field(description="Nine of ten values lie below; above the median.")


class Normal(_Mapping):
    """A symmetric distribution."""

    mean: float = Field(description="Mean.")
    sd: Annotated[float, Field(ge=0)] = Field(description="Standard deviation.")


class Uniform(_Mapping):
    """Every value between two numbers alike."""

    low: float = Field(description="Smallest value.")
    high: float = Field(description="Largest value.")


class Distribution(_Mapping):
    """Exactly one distribution."""

    lognormal: Lognormal | None = Field(None, description="Skewed, positive.")
    normal: Normal | None = Field(None, description="Symmetric.")
    uniform: Uniform | None = Field(None, description="Flat.")
    constant: float | None = Field(None, description="One value.")


class RandomSamples(_Mapping):
    """Raw values drawn at random, the same ones for the same seed on every machine."""

    every: Duration = Field("1m", description="Length of one step.")
    count: Annotated[int, Field(ge=0, le=100_000)] = Field(description="Values in each step.")
    distribution: Distribution = Field(description="How they are distributed.")
    seed: Annotated[int, Field(ge=0)] = Field(0, description="Seed.")
    steps: Annotated[int, Field(ge=1)] | None = Field(None, description="Number of steps; default: to the end.")


class SeriesSpec(_Mapping):
    """One metric: points of one statistic (values, stat), or raw values (samples)."""

    metric: Annotated[str, Field(pattern=r"^[^ ]+ .+$", max_length=511)] = Field(
        description="Namespace, a space, the metric's name."
    )
    dimensions: dict[str, str] | None = Field(None, description="Dimension values by name.")
    stat: Text | None = Field(
        None, description="Statistic that the values are: Sum, Average, p90...; needed with values."
    )
    period: Duration = Field("1m", description="Seconds that one value covers.")
    values: str | int | float | None = Field(None, description="Points: 120x30 60+2x10 _x5 0 7.")
    samples: RandomSamples | list[list[float]] | None = Field(
        None, description="Raw values: drawn at random, or a list of lists, one list a period."
    )
    available_after: Duration = Field("0s", description="How long after its timestamp a value can be seen.")
    after: Duration = Field("0s", description="When the series begins, counted from the start.")


class EventSpec(_Mapping):
    """Log events that go through the metric filters of the alarms' source."""

    log_group: Text = Field(description="Log group that receives them.")
    file: Text | None = Field(None, description="JSON lines, each an event as the log group holds it.")
    records: list[Any] | None = Field(None, description="Events, in place of a file.")
    at: Duration | None = Field(None, description="When they happen; default: the time in each event.")
    every: Duration | None = Field(None, description="Distance between them when `at` is given; default 0s.")
    repeat: Annotated[int, Field(ge=1, le=100_000)] = Field(
        1, description="How often the list is sent, one after the other."
    )
    available_after: Duration = Field("0s", description="How long after it happened an event reaches the log group.")


class Expectation(_Mapping):
    """One statement: alarm with at and state, alarm with never, or notified."""

    alarm: Text | None = Field(None, description="AlarmName, else the logical id.")
    at: Duration | None = Field(None, description="+5m: the state after the evaluation of that minute.")
    state: AlarmState | None = Field(None, strict=False, description="OK, ALARM or INSUFFICIENT_DATA.")
    reason: Text | None = Field(None, description="Part of the state reason, upper and lower case alike.")
    never: AlarmState | None = Field(None, strict=False, description="A state that is not entered at any time.")
    notified: list[Text] | None = Field(
        None, description="Exactly these ran ALARM actions, in this order, one entry a run."
    )


class ScenarioFile(_Mapping):
    """A unit test of alarms."""

    name: Text = Field(description="What is tested.")
    alarms: AlarmSource = Field(description="Where the alarms come from.")
    start: Instant = Field(description="When the alarms are created, with a time zone.")
    duration: Duration = Field(description="How long it lasts.")
    series: list[SeriesSpec] = Field(default_factory=list, description="Metrics.")
    events: list[EventSpec] = Field(default_factory=list, description="Log events.")
    dataset: Text | None = Field(None, description="Folder of a recording or a simulation.")
    expect: Annotated[list[Expectation], Field(min_length=1)] = Field(description="What must come out.")
    switches: dict[str, Any] | None = Field(None, description="Settings of choices that AWS leaves open.")
