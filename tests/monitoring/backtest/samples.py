"""A small world: one model with an error-rate symptom, a composite that pages, and three hours of minutes."""

from __future__ import annotations

import numpy as np

from alarms.alarm_set import AlarmEntry, Role, Severity
from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData, Suppressor
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore

__all__ = ["END", "ERRORS", "START", "at", "entries", "store"]

START = 1_793_610_000 // 60 * 60
END = START + 3 * 3600
PAGE = "arn:aws:sns:us-east-1:111122223333:page"
ERRORS = Metric(namespace="AWS/Bedrock", name="InvocationServerErrors", dimensions=(("ModelId", "m"),))


def at(minute: int) -> int:
    """Epoch second of a minute."""
    return START + 60 * minute


def store(values: dict[int, float]) -> MetricStore:
    """Errors by minute, none elsewhere."""
    minutes = np.arange((END - START) // 60)
    column = np.array([values.get(int(minute), 0.0) for minute in minutes])
    return MetricStore.of([(ERRORS, Samples.of_values(START + 60 * minutes, column))])


def symptom(threshold: float = 10, m: int = 2, n: int = 3, stat: str = "Sum") -> MetricAlarm:
    """Errors of a minute above a threshold."""
    return MetricAlarm(
        name="llm-prod-m-service-errors-1",
        queries=(MetricQuery(id="e", metric=ERRORS, stat=stat, period_s=60, return_data=True),),
        comparison=Comparison.GREATER_OR_EQUAL,
        threshold=threshold,
        evaluation_periods=n,
        datapoints_to_alarm=m,
        treat_missing_data=MissingData.NOT_BREACHING,
    )


def entries(alarm: MetricAlarm | None = None, *, severity: Severity = Severity.PAGE) -> list[AlarmEntry]:
    """The symptom, a quiet suppressor, and the composite over them."""
    quiet = MetricAlarm(
        name="llm-prod-m-explained",
        queries=(MetricQuery(id="e", metric=ERRORS, stat="Sum", period_s=60, return_data=True),),
        comparison=Comparison.GREATER,
        threshold=1e9,
        evaluation_periods=1,
        datapoints_to_alarm=1,
    )
    composite = CompositeAlarm(
        name="llm-prod-m-service-errors",
        rule='ALARM("llm-prod-m-service-errors-1")',
        suppressor=Suppressor(alarm=quiet.name, wait_s=60, extension_s=60),
        alarm_actions=(PAGE,),
    )
    return [
        AlarmEntry(slug="service-errors-1", role=Role.SYMPTOM, alarm=alarm or symptom(), title="", model="m"),
        AlarmEntry(slug="explained", role=Role.SYMPTOM, alarm=quiet, title="", model="m"),
        AlarmEntry(slug="service-errors", role=Role.CAUSE, alarm=composite, title="", model="m", severity=severity),
    ]
