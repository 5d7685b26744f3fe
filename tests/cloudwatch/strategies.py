"""Values that hypothesis makes up: any alarm, composite or filter that CloudWatch would take."""

from hypothesis import strategies as st

from cloudwatch.alarm import Comparison, CompositeAlarm, LowSampleCount, MetricAlarm, MissingData, Suppressor
from cloudwatch.cloudformation import PLAIN_QUERY_ID
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from cloudwatch.metric_filter import MetricFilter

printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=20)
names = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30)
numbers = st.floats(allow_nan=False, allow_infinity=False)
stats = st.sampled_from(["Sum", "Average", "Maximum", "p50", "p99.9", "TC(2000:)", "tm99", "IQM", "PR(:300)"])
actions = st.lists(st.sampled_from([f"arn:aws:sns:us-east-1:111122223333:t{n}" for n in range(9)]), max_size=5).map(
    tuple
)
tags = st.dictionaries(printable, printable, max_size=3).map(lambda found: tuple(found.items()))


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    """A metric, of another account now and then."""
    return Metric(
        namespace=draw(printable),
        name=draw(printable),
        dimensions=tuple(draw(st.dictionaries(printable, printable, max_size=3)).items()),
        account_id=draw(st.none() | st.just("444455556666")),
    )


@st.composite
def _shared(draw: st.DrawFn) -> dict[str, object]:
    return {
        "name": draw(names),
        "description": draw(st.text(max_size=30)),
        "actions_enabled": draw(st.booleans()),
        "alarm_actions": draw(actions),
        "ok_actions": draw(actions),
        "insufficient_data_actions": draw(actions),
        "tags": draw(tags),
    }


@st.composite
def metric_alarms(draw: st.DrawFn) -> MetricAlarm:
    """A metric alarm: plain, math or against a band."""
    period = draw(st.sampled_from([10, 60, 300, 3600]))
    n = draw(st.integers(1, 20))
    kind = draw(st.sampled_from(["plain", "math", "band"]))
    label, unit = st.none() | printable, st.none() | st.sampled_from(["Count", "Milliseconds"])

    def query(identifier: str, *, returns: bool) -> MetricQuery:
        return MetricQuery(
            id=identifier,
            metric=draw(metrics()),
            stat=draw(stats),
            period_s=period,
            return_data=returns,
            label=draw(label),
            unit=draw(unit),
        )

    threshold: float | None = draw(numbers)
    band_id, comparison = None, draw(st.sampled_from([c for c in Comparison if not c.against_band]))
    if kind == "plain":
        queries: tuple[MetricQuery | ExpressionQuery, ...] = (
            query(draw(st.sampled_from([PLAIN_QUERY_ID, "calls"])), returns=True),
        )
    elif kind == "math":
        expression = ExpressionQuery(
            id="e",
            expression=draw(printable),
            return_data=True,
            label=draw(label),
            period_s=draw(st.none() | st.just(period)),
        )
        queries = (expression, *(query(f"m{k}", returns=False) for k in range(draw(st.integers(1, 3)))))
    else:
        band = ExpressionQuery(id="ad", expression="ANOMALY_DETECTION_BAND(m1, 2)", return_data=True)
        queries, threshold, band_id = (query("m1", returns=True), band), None, "ad"
        comparison = draw(st.sampled_from([c for c in Comparison if c.against_band]))
    return MetricAlarm(
        queries=queries,
        comparison=comparison,
        threshold=threshold,
        threshold_metric_id=band_id,
        evaluation_periods=n,
        datapoints_to_alarm=draw(st.integers(1, n)),
        treat_missing_data=draw(st.sampled_from(MissingData)),
        low_sample_count=draw(st.none() | st.sampled_from(LowSampleCount)),
        wall_clock_timezone=draw(st.none() | st.just("Europe/Berlin")),
        warm_up_min=draw(st.none() | st.integers(1, 2880)),
        **draw(_shared()),  # type: ignore[arg-type]
    )


@st.composite
def composite_alarms(draw: st.DrawFn) -> CompositeAlarm:
    """A composite alarm with a small rule."""
    suppressors = st.builds(Suppressor, alarm=printable, wait_s=st.integers(0, 999), extension_s=st.integers(0, 999))
    return CompositeAlarm(
        rule=draw(st.sampled_from(['ALARM("a")', 'ALARM("a") AND NOT OK(b)', "TRUE"])),
        suppressor=draw(st.none() | suppressors),
        **draw(_shared()),  # type: ignore[arg-type]
    )


@st.composite
def metric_filters(draw: st.DrawFn) -> MetricFilter:
    """A metric filter, with a default value or dimensions but not both."""
    word = st.text(st.sampled_from("abcXYZ-/_ ."), min_size=1, max_size=12)
    pattern = draw(st.sampled_from(["", "ERROR", "{ $.a = * }", '{ $.a = "x" }']))
    is_json = pattern.startswith("{")
    selectors = st.sampled_from(["$.a", "$.b.c"])
    dimensions = draw(st.dictionaries(word, selectors, max_size=3)) if is_json else {}
    return MetricFilter(
        name=draw(word),
        log_group=draw(word),
        pattern=pattern,
        namespace=draw(word),
        metric=draw(word),
        value=draw(st.sampled_from(["1", "2.5", "$.a"] if is_json else ["1", "2.5"])),
        default_value=None if dimensions else draw(st.none() | numbers),
        dimensions=tuple(dimensions.items()),
        unit=draw(st.none() | st.just("Count")),
    )
