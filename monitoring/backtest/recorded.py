"""What does a recording know besides series: what really fired, which alarms there were, and which times are labelled?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.alarm_set import AlarmEntry, Role
from cloudwatch.readers.describe_alarms import read_describe_alarms
from monitoring.backtest.run import history_of
from monitoring.backtest.what_if import Incident
from monitoring.recording.sources import ALARM_DEFINITIONS, ALARM_HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cloudwatch.alarm import Alarm
    from monitoring.backtest.run import Firing
    from monitoring.dataset import Dataset

__all__ = ["labelled", "recorded_alarms", "recorded_history"]


def recorded_history(dataset: Dataset) -> dict[str, list[Firing]] | None:
    """Return what really fired by alarm name, or None where the recording has no alarm history."""
    if not any(key.startswith("history ") for key in dataset.about.get("covered", {})):
        return None
    return history_of(((at, item) for at, item in _events(dataset, ALARM_HISTORY)), end_s=dataset.end_s)


def recorded_alarms(dataset: Dataset, *, known: Iterable[AlarmEntry]) -> list[AlarmEntry]:
    """Return the alarms of the account as recorded, each in its latest form, with what the configuration knows of its name."""
    latest: dict[str, dict[str, Any]] = {}
    for _, item in _events(dataset, ALARM_DEFINITIONS):
        latest[str(item["alarm"].get("AlarmName"))] = item
    document: dict[str, list[Any]] = {"MetricAlarms": [], "CompositeAlarms": []}
    for item in latest.values():
        document.setdefault(item["kind"], []).append(item["alarm"])
    found = read_describe_alarms(document)
    entries = {entry.alarm.name: entry for entry in known}
    result = []
    alarms: list[Alarm] = [*found.alarms, *found.composites]
    for alarm in alarms:
        entry = entries.get(alarm.name)
        result.append(
            AlarmEntry(
                slug=entry.slug if entry else alarm.name,
                role=entry.role if entry else Role.CAUSE,
                alarm=alarm,
                title=entry.title if entry else alarm.name,
                severity=entry.severity if entry else None,
                model=entry.model if entry else None,
            )
        )
    return result


def labelled(dataset: Dataset) -> list[Incident]:
    """Return the incident of a simulation, where it is one that has to page."""
    truth = dataset.truth or {}
    if truth.get("onset_s") is None or not truth.get("pages"):
        return []
    return [
        Incident(
            name=str(truth.get("name", "incident")),
            start_s=int(truth["onset_s"]),
            end_s=int(truth.get("end_s") or dataset.end_s),
            slugs=tuple(truth["pages"]),
        )
    ]


def _events(dataset: Dataset, log_group: str) -> Iterator[tuple[int, Any]]:
    for log in dataset.logs:
        if log.log_group == log_group:
            yield from ((event.event_s, event.event) for event in log)
