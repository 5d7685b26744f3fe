"""What could be seen at a moment of a recording? The alarms are run up to it, and nothing later counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.trail_records import unwrap
from cloudwatch.alarm import AlarmState
from cloudwatch.problems import InvalidValueError
from cloudwatch.timeline import run_timeline
from monitoring.backtest.run import runnable
from monitoring.review.alarm_week import Change
from monitoring.review.sources import recorded_store
from monitoring.triage.snapshot import AlarmNow, SeenCall, Snapshot, known_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alarms.alarm_set import AlarmEntry
    from monitoring.dataset import Dataset
    from monitoring.plan import ModelPlan, Plan

__all__ = ["recorded_snapshot"]

RECORDS_S = 1800
_TOLD = 3


def recorded_snapshot(
    dataset: Dataset, *, plan: Plan, model: ModelPlan, at_s: int, focus: AlarmEntry | None = None
) -> Snapshot:
    """Return the moment.

    Raises:
        InvalidValueError: It does not lie in the recording.
    """
    at_s -= at_s % 60
    if not dataset.start_s + 60 <= at_s <= dataset.end_s:
        raise InvalidValueError("That moment does not lie in the recording")
    store = recorded_store(dataset, plan)
    entries = (*model.alarms, *plan.alarms)
    missing: list[str] = []
    states: dict[str, AlarmNow] | None = None
    changes: tuple[Change, ...] | None = None
    start_s = dataset.start_s - dataset.start_s % 60
    kept, skipped = runnable(entries, store=store, start_s=start_s)
    for name, why in list(skipped.items())[:_TOLD]:
        missing.append(f"{name}: it cannot be replayed over this recording: {why}")
    if kept:
        timeline = run_timeline([entry.alarm for entry in kept], store=store, start=start_s, end=at_s)
        changes = tuple(
            Change(change.at_s, change.alarm, change.state)
            for change in timeline.changes
            if (change.previous, change.state) != (AlarmState.INSUFFICIENT_DATA, AlarmState.OK)  # its creation
        )
        since = {change.alarm: change.at_s for change in changes}
        states = {
            name: AlarmNow(
                state=timeline.state_at(name, at_s), since_s=since.get(name), reason=timeline.reason_at(name, at_s)
            )
            for name in timeline.alarms
        }
    calls = tuple(_calls(dataset, plan, at_s=at_s))
    if plan.evidence.log_group is None:
        missing.append(f"callers: evidence route {plan.evidence.settings.route} keeps no records")
    elif not dataset.logs:
        missing.append("callers: the recording holds no log events")
    return Snapshot(
        at_s=at_s,
        plan=plan,
        model=model,
        focus=focus,
        states=states,
        changes=changes,
        store=known_by(store, at_s),
        calls=calls if dataset.logs else None,
        missing=tuple(missing),
    )


def _calls(dataset: Dataset, plan: Plan, *, at_s: int) -> Iterator[SeenCall]:
    for log in dataset.logs:
        if log.log_group != plan.evidence.log_group:
            continue
        for event in log:
            if at_s - RECORDS_S < event.ingestion_s <= at_s and isinstance(event.event, dict):
                yield SeenCall(arrived_s=event.ingestion_s, record=unwrap(event.event))
