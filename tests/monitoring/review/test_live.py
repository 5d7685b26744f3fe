"""The review of an account: what is asked, what is lost, and what is written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError

from alarms.alarm_set import Severity
from bedrock.models import Objectives, Quotas
from cloudwatch.alarm import AlarmState
from cloudwatch.dashboard.validate import validate_body
from cloudwatch.problems import ProblemSeverity
from monitoring.live.review import alarm_history, gather_fortnight, gather_quotas, publish
from monitoring.live.session import AwsError, Connection, doing
from monitoring.plan import Plan, plan
from monitoring.review.publish import frozen_pages
from monitoring.review.report import Review, build_review
from monitoring.review.week import parse_week, week_before
from tests.monitoring.sample_plans import deployment, model

if TYPE_CHECKING:
    from collections.abc import Iterator

WEEK = parse_week("2026-W48")
NOW_S = WEEK.end_s + 86_400
PAGED = "llm-prod-nova-pro-fallback"


@pytest.fixture
def planned() -> Plan:
    """One optimized model with quotas."""
    watched = model(
        model_ids=("us.amazon.nova-pro-v1:0",),
        objectives=Objectives(ttft_p90_ms=900),
        quotas=Quotas(tpm=8e5, optimized_tpm=4e5),
    )
    return plan(deployment(models=(watched,)))


class Scripted(Connection):
    """A connection whose operations are answered by functions; what is asked is kept, what is not known is denied."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(region="us-east-1")
        self.__dict__["account_id"] = "111122223333"
        self.__dict__["answers"] = answers
        self.__dict__["asked"] = []

    def pages(
        self,
        service: str,
        operation: str,
        *,
        region: str | None = None,  # noqa: ARG002
        **parameters: object,
    ) -> Iterator[Any]:
        """Yield scripted pages."""
        self.__dict__["asked"].append((operation, parameters))
        with doing(f"{service}:{operation}"):
            answer = self.__dict__["answers"].get(operation, "AccessDenied")
            if isinstance(answer, str):
                raise ClientError({"Error": {"Code": answer, "Message": "no"}}, operation)
            yield from answer(**parameters)


def data(MetricDataQueries: list[Any], StartTime: datetime, EndTime: datetime, **_: object) -> Iterator[Any]:  # noqa: N803
    """Answer each query with a point in its first and last period."""
    results = []
    for query in MetricDataQueries:
        stat = query["MetricStat"]["Stat"]
        name = query["MetricStat"]["Metric"]["MetricName"]
        value = {"Sum": 6000.0, "SampleCount": 3.0}.get(stat, 500.0)
        value = 2000.0 if (name, stat) == ("TimeToFirstToken", "Sum") else value
        times = [StartTime, EndTime.replace(minute=0) - (EndTime - StartTime) / 7]
        results.append({"Id": query["Id"], "Timestamps": times, "Values": [value] * 2, "StatusCode": "Complete"})
    yield {"MetricDataResults": results}


def history(HistoryItemType: str, **_: object) -> Iterator[Any]:  # noqa: N803
    """A page on Monday at 01:00 that two topics heard, over at 03:00; and an alarm of somebody else."""

    def item(minutes: int, **more: object) -> dict[str, object]:
        at = datetime.fromtimestamp(WEEK.start_s + 60 * minutes, tz=UTC)
        return {"AlarmName": PAGED, "Timestamp": at, **more}

    def update(state: str) -> str:
        return json.dumps({"newState": {"stateValue": state}})

    if HistoryItemType == "StateUpdate":
        yield {"AlarmHistoryItems": [item(180, HistoryData=update("OK")), item(5, HistoryData="broken")]}
        yield {
            "AlarmHistoryItems": [
                item(60, HistoryData=update("ALARM")),
                {**item(60, HistoryData=update("ALARM")), "AlarmName": "theirs"},
            ]
        }
        return
    done = [item(60, HistorySummary="Successfully executed action arn:a"), item(60, HistorySummary="Failed to execute")]
    yield {"AlarmHistoryItems": [*done, item(60, HistorySummary="Successfully executed action arn:b")]}


def review(connection: Connection, planned: Plan, *, now_s: int = NOW_S) -> Review:
    """The review as the command makes it."""
    weeks = (WEEK, week_before(WEEK))
    found = gather_fortnight(connection, plan=planned, weeks=weeks, now_s=now_s)
    return build_review(
        planned,
        weeks=weeks,
        this=found.this,
        last=found.last,
        history=found.history,
        missing=found.missing,
        source=found.source,
    )


def test_a_week_is_read_and_percentiles_are_named(planned: Plan) -> None:
    """Everything is asked once, nothing is missing, and a percentile says that it is a median of hours."""
    connection = Scripted(get_metric_data=data, describe_alarm_history=history)
    found = review(connection, planned)
    assert found.missing == ()
    one = found.models[0]
    assert one.week.calls == 12_000
    assert one.week.latency_ms[90].of == "median of hourly p90s"
    assert one.week.typical_of == "mean call"
    assert one.week.otps == pytest.approx(1000 * 6000 / 4000)
    assert found.alarms is not None
    line = next(each for each in found.alarms.lines if each.entry.alarm.name == PAGED)
    assert line.entry.severity is Severity.PAGE
    assert (line.fired, len(line.called), line.recover_s) == (1, 1, 7200)


def test_minutes_are_asked_for_only_while_they_are_kept(planned: Plan) -> None:
    """A week that is over three weeks ago is read by the hour, and the review says what that costs."""
    late = Scripted(get_metric_data=data, describe_alarm_history=history)
    found = review(late, planned, now_s=WEEK.end_s + 21 * 86_400)
    periods = {
        query["MetricStat"]["Period"]
        for operation, parameters in late.__dict__["asked"]
        if operation == "get_metric_data"
        for query in parameters["MetricDataQueries"]
    }
    assert periods == {3600}
    assert found.models[0].bursts == ()
    assert any("Single minutes" in each for each in found.missing)


def test_a_denied_part_is_lost_alone(planned: Plan) -> None:
    """Without the history there is still a week; the page says what is missing and why."""
    found = review(Scripted(get_metric_data=data), planned)
    assert found.alarms is None
    assert len(found.missing) == 1
    assert "AccessDenied" in found.missing[0]
    assert found.missing[0].startswith("history of the alarms")


@pytest.mark.parametrize("code", ["AccessDenied", "ExpiredTokenException", "ThrottlingException"])
def test_without_metrics_there_is_no_review(planned: Plan, code: str) -> None:
    """One clear problem, and nothing half true."""
    with pytest.raises(AwsError, match="get_metric_data failed") as caught:
        review(Scripted(get_metric_data=code, describe_alarm_history=history), planned)
    assert caught.value.problem.hint


def test_a_failure_in_the_middle_keeps_what_was_read(planned: Plan) -> None:
    """Calls after the first are throttled: what came is shown, and that something is missing is said."""
    count = iter(range(100))

    def flaky(**parameters: Any) -> Iterator[Any]:
        if next(count) >= 1:
            raise ClientError({"Error": {"Code": "Throttling", "Message": "slow down"}}, "GetMetricData")
        return data(**parameters)

    watched = [
        replace(planned.deployment.models[0], key=f"m{number}", model_ids=(f"us.amazon.m{number}-v1:0",))
        for number in range(12)
    ]
    many = plan(replace(planned.deployment, models=tuple(watched)))
    found = review(Scripted(get_metric_data=flaky, describe_alarm_history=history), many)
    assert any("Part of the metrics" in each and "Throttling" in each for each in found.missing)
    assert any(each.week.calls for each in found.models)


def test_stopped_in_the_middle_what_was_read_is_kept(planned: Plan) -> None:
    """Ctrl-C after the metrics of the week: the review is of that, says so, and asks nothing more."""

    def stopped(**_: object) -> Iterator[Any]:
        raise KeyboardInterrupt

    count = iter(range(100))

    def once(**parameters: Any) -> Iterator[Any]:
        return data(**parameters) if next(count) == 0 else stopped()

    connection = Scripted(get_metric_data=once, describe_alarm_history=history)
    found = review(connection, planned)
    assert found.models[0].week.calls
    assert found.models[0].before is None
    assert found.alarms is None
    assert [each for each in found.missing if "stopped" in each] == [found.missing[0]]
    assert {operation for operation, _ in connection.__dict__["asked"]} == {"get_metric_data"}
    with pytest.raises(KeyboardInterrupt):
        review(Scripted(get_metric_data=stopped), planned)


def test_a_week_that_is_not_over_says_so(planned: Plan) -> None:
    """On Wednesday the week is read as far as it goes."""
    connection = Scripted(get_metric_data=data, describe_alarm_history=history)
    found = review(connection, planned, now_s=WEEK.start_s + 2 * 86_400 + 1800)
    assert any("is not over" in each for each in found.missing)
    ends = {parameters["EndTime"] for operation, parameters in connection.__dict__["asked"] if "EndTime" in parameters}
    assert max(ends) <= datetime.fromtimestamp(WEEK.start_s + 2 * 86_400 + 1800, tz=UTC)


def test_history_of_others_and_broken_items_are_left_out() -> None:
    """Changes come in order of time, whatever the order of the pages."""
    found = alarm_history(Scripted(describe_alarm_history=history), names=[PAGED], start_s=0, end_s=NOW_S)
    assert [(change.at_s - WEEK.start_s, change.state) for change in found.changes] == [
        (3600, AlarmState.ALARM),
        (10_800, AlarmState.OK),
    ]
    assert [call.at_s - WEEK.start_s for call in found.calls] == [3600]


def test_quotas_in_force_are_found_by_model(planned: Plan) -> None:
    """By the words that Service Quotas uses, in the scope in which the model is called."""
    name = "Cross-region model inference tokens per minute for Amazon Nova Pro"
    other = "On-demand model inference tokens per minute for Amazon Nova Pro"
    page = {
        "Quotas": [
            {"QuotaCode": "L-1", "QuotaName": name, "Value": 600_000.0},
            {"QuotaCode": "L-2", "QuotaName": other, "Value": 1.0},
        ]
    }
    connection = Scripted(list_service_quotas=lambda **_: iter([page]))
    assert gather_quotas(connection, models=planned.deployment.models) == {"nova-pro": {"tpm": 600_000.0}}


def test_the_frozen_page_is_written_with_its_times(planned: Plan, aws: str) -> None:
    """Absolute times, findings on top, nothing that PutDashboard refuses; the live pages are not touched."""
    found = review(Scripted(get_metric_data=data, describe_alarm_history=history), planned)
    pages = frozen_pages(found)
    assert [page.name for page in pages] == ["llm-prod-us-east-1-weekly-2026-W48"]
    body = pages[0].body
    assert (body.start, body.end) == ("2026-11-23T00:00:00.000Z", "2026-11-30T00:00:00.000Z")
    errors = [each for each in validate_body(body, pages[0].name) if each.severity is ProblemSeverity.ERROR]
    assert errors == []
    assert list(publish(Connection(region="us-east-1"), pages=pages)) == [pages[0].name]
    client = boto3.client("cloudwatch", region_name="us-east-1", endpoint_url=aws)
    written = json.loads(client.get_dashboard(DashboardName=pages[0].name)["DashboardBody"])
    assert "2026-W48" in written["widgets"][0]["properties"]["markdown"]
    assert [entry["DashboardName"] for entry in client.list_dashboards()["DashboardEntries"]] == [pages[0].name]
