"""What did one evaluation of a metric alarm see, step by step, and what did it conclude?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.alarm_states import Evaluation, evaluate_slots
from cloudwatch.metric_timeline import slots_at, window_points
from cloudwatch.state_reasons import metric_reason
from cloudwatch.state_series import BREACH, MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloudwatch.alarm import AlarmState
    from cloudwatch.alarm_points import AlarmReader
    from cloudwatch.store import MetricStore

__all__ = ["Window", "window_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What one evaluation of a metric alarm saw and concluded.

    Attributes:
        at_s: When the evaluation took place, seconds.
        starts: Starts of the slots of its evaluation range, oldest first, seconds.
        steps: What each query gave in those slots, by id, metrics first; None is missing. Queries that give a scalar or
            several series are left out.
        values: The points compared; None is missing.
        breaching: Which of them breach; None is missing.
        bands: Lower and upper edge of each slot, for a band alarm.
        evaluation: The outcome.
        reason: The StateReason that it would carry.
    """

    at_s: int
    starts: tuple[int, ...]
    steps: Mapping[str, tuple[float | None, ...]]
    values: tuple[float | None, ...]
    breaching: tuple[bool | None, ...]
    bands: tuple[tuple[float, float], ...] | None
    evaluation: Evaluation
    reason: str


def window_at(reader: AlarmReader, *, store: MetricStore, at_s: int, previous: AlarmState) -> Window:
    """Return what the evaluation at a second saw, from what was available by then.

    Args:
        reader: The alarm.
        store: The samples.
        at_s: A second at which the alarm is evaluated.
        previous: Its state before.

    Raises:
        InvalidValueError: As `AlarmReader.points`.
    """
    time = np.array([at_s], dtype=np.int64)
    starts, lengths = slots_at(reader, time)
    points = window_points(reader, store=store, times=time)
    codes = points.codes[0].tolist()
    values = tuple(
        None if code == MISSING else value for value, code in zip(points.values[0].tolist(), codes, strict=True)
    )
    breaching = tuple(None if code == MISSING else code == BREACH for code in codes)
    bands = None
    if points.lower is not None and points.upper is not None:
        bands = tuple(zip(points.lower[0].tolist(), points.upper[0].tolist(), strict=True))
    evaluation = evaluate_slots(
        breaching,
        n=reader.alarm.evaluation_periods,
        m=reader.alarm.datapoints_to_alarm,
        treat=reader.treat,
        previous=previous,
        premature=reader.switches.premature_scope,
        samples=None if points.samples is None else points.samples[0].tolist(),
        sample_rule=reader.sample_rule if points.samples is not None else None,
    )
    seconds = tuple(starts[0].tolist())
    steps = reader.steps(store, starts=starts, lengths=lengths, as_of=time[:, None])
    return Window(
        at_s=at_s,
        starts=seconds,
        steps={id_: _gaps(column[0].tolist()) for id_, column in steps.items()},
        values=values,
        breaching=breaching,
        bands=bands,
        evaluation=evaluation,
        reason=metric_reason(reader.alarm, evaluation, values=values, breaching=breaching, starts=seconds, bands=bands),
    )


def _gaps(values: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(None if value != value else value for value in values)  # noqa: PLR0124 - NaN differs from itself
