"""Which log events does a scenario have, and when did each happen and arrive?"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from monitoring.config.source import Path_
    from monitoring.scenario.reader import Reader

__all__ = ["EventFeed", "read_feeds"]

MAX_EVENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFeed:
    """Log events of one group.

    Attributes:
        log_group: Its name.
        events: Each as the log group holds it: a mapping, or a line of text.
        event_s: When each happened, epoch seconds.
        ingestion_s: When each reached the log group, epoch seconds.
    """

    log_group: str
    events: tuple[Any, ...]
    event_s: tuple[int, ...]
    ingestion_s: tuple[int, ...]


def read_feeds(reader: Reader) -> Iterator[EventFeed]:
    """Yield the feeds of a scenario; what is wrong is kept by the reader."""
    for index, spec in enumerate(reader.data.get("events") or ()):
        path: Path_ = ("events", index)
        if ("file" in spec) == ("records" in spec):
            reader.problem(path, "events come from a file or are written as records.", "Give one of the two.")
            continue
        records = list(spec["records"]) if "records" in spec else _lines(reader, (*path, "file"))
        late_s = reader.seconds((*path, "available_after"), default=0)
        every_s = reader.seconds((*path, "every"), default=0)
        sent = _sent(reader, spec, path, listed=len(records), every_s=every_s)
        records = [records[number % len(records)] for number in range(sent)]
        times: list[int] = []
        for number, record in enumerate(records):
            happened = _event_time(reader, record, path=path, number=number, every_s=every_s)
            if happened is None:
                break
            times.append(happened)
        else:
            yield EventFeed(
                log_group=spec["log_group"],
                events=tuple(records),
                event_s=tuple(times),
                ingestion_s=tuple(time + late_s for time in times),
            )


def _sent(reader: Reader, spec: Mapping[str, Any], path: Path_, *, listed: int, every_s: int) -> int:
    """Return how many events are sent: the list once, `repeat` times, or over and over from `at` until `until`."""
    if "until" not in spec:
        return listed * int(spec.get("repeat", 1))
    missing = [key for key in ("at", "every") if key not in spec]
    if missing or "repeat" in spec:
        said = f"needs {' and '.join(missing)}" if missing else "does not go with repeat"
        reader.problem((*path, "until"), f"until {said}.", "Write for example {at: 0m, every: 1s, until: 45m}.")
        return 0
    length_s = reader.seconds((*path, "until"), default=0) - reader.seconds((*path, "at"), default=0)
    if every_s <= 0 or length_s <= 0 or length_s > MAX_EVENTS * every_s:
        reader.problem(
            (*path, "until"),
            f"from {spec['at']} every {spec['every']} until {spec['until']} is no list of events.",
            f"until lies after at, every is longer than 0s, and there are at most {MAX_EVENTS:,} events.",
        )
        return 0
    return math.ceil(length_s / every_s) if listed else 0


def _event_time(reader: Reader, record: Any, *, path: Path_, number: int, every_s: int) -> int | None:
    if reader.at((*path, "at")) is not None:
        return reader.start_s + reader.seconds((*path, "at"), default=0) + number * every_s
    inner = record.get("detail", record) if isinstance(record, dict) else None
    text = (inner.get("eventTime") or inner.get("timestamp") or record.get("time")) if isinstance(inner, dict) else None
    try:
        moment = datetime.fromisoformat(str(text))
        return int((moment if moment.tzinfo else moment.astimezone()).timestamp())
    except ValueError:
        reader.problem(
            path,
            f"event {number + 1} has no eventTime, so it is not known when it happened.",
            "Give the events a time with 'at: 5m', or an eventTime such as 2026-11-02T09:05:00Z.",
        )
        return None


def _lines(reader: Reader, path: Path_) -> list[Any]:
    file = reader.folder / reader.at(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        reader.problem(path, f"{file} cannot be read: {reason}.")
        return []
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            reader.problem(path, f"line {number} of {file} is not JSON: {line[:60]!r}.", "One event a line.")
            return []
    return found
