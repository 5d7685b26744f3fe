"""How does an interrupted run lose nothing? Every answer is a file of its own until all of them become the recording.

Beside a recording `DIR` stands `DIR.parts` while one is made. An answer of points is a Parquet file that also says which times
of which series it covers, an answer of events a file of JSON lines; each is written under another name and renamed. The next
run reads the parts first and asks only for what is in no part and not in the recording.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from cloudwatch.problems import Place, Problem, ProblemsError
from monitoring.dataset import LoggedEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from monitoring.recording.needs import Interval

__all__ = ["Answered", "Parts", "joined"]

_COVERED = b"covered"
Points = tuple["NDArray[np.int64]", "NDArray[np.float64]"]


@dataclass(slots=True)
class Answered:
    """What was answered so far.

    Attributes:
        points: Series key -> arrays of timestamps and values, in the order in which they came.
        covered: Series key, or name of an event source -> times that were asked and answered.
        events: Events with a text that is the same for the same event.
    """

    points: dict[str, list[Points]] = field(default_factory=dict)
    covered: dict[str, list[Interval]] = field(default_factory=dict)
    events: dict[str, LoggedEvent] = field(default_factory=dict)

    def cover(self, covered: Mapping[str, Iterable[Sequence[int]]]) -> None:
        """Add times that are covered."""
        for key, intervals in covered.items():
            self.covered.setdefault(key, []).extend((int(start), int(end)) for start, end in intervals)


class Parts:
    """The parts beside a recording."""

    def __init__(self, recording: str | Path) -> None:
        target = Path(recording)
        self.folder = target.with_name(f"{target.name}.parts")

    def add_points(self, points: Mapping[str, Sequence[tuple[int, float]]], *, covered: Mapping[str, Interval]) -> None:
        """Keep an answer: points by series key, and the time that each key covers."""
        keys = [key for key, rows in points.items() for _ in rows]
        table = pa.table(
            {
                "key": pa.array(keys, pa.string()).dictionary_encode(),
                "timestamp": pa.array([at for rows in points.values() for at, _ in rows], pa.int64()),
                "value": pa.array([value for rows in points.values() for _, value in rows], pa.float64()),
            }
        )
        told = {key: [interval] for key, interval in covered.items()}
        table = table.replace_schema_metadata({_COVERED: json.dumps(told).encode()})
        self._put(".parquet", lambda path: pq.write_table(table, path, compression="zstd"))

    def add_events(self, events: Iterable[tuple[str, LoggedEvent]], *, covered: Mapping[str, Interval]) -> None:
        """Keep an answer of events, each with its identity."""
        lines = [json.dumps({"covered": {key: [interval] for key, interval in covered.items()}})]
        lines += [json.dumps({"id": identity, **event._asdict()}) for identity, event in events]
        self._put(".jsonl", lambda path: path.write_text("\n".join(lines) + "\n", encoding="utf-8"))

    def read_into(self, answered: Answered) -> int:
        """Read every part; return how many there are.

        Raises:
            ProblemsError: A part cannot be read.
        """
        paths = sorted(self.folder.glob("*")) if self.folder.is_dir() else []
        wanted = [path for path in paths if path.suffix in {".parquet", ".jsonl"} and not path.name.startswith(".")]
        for path in wanted:
            try:
                _read_points(path, answered) if path.suffix == ".parquet" else _read_events(path, answered)
            except (OSError, pa.ArrowException, ValueError, KeyError) as error:
                said = " ".join(str(error).split())[:200]
                raise _problem("part-damaged", f"{path} cannot be read: {said}.", path, "Delete it.") from error
        return len(wanted)

    def remove(self) -> None:
        """Remove the parts: they are in the recording now."""
        if self.folder.is_dir():
            for path in self.folder.iterdir():
                path.unlink()
            self.folder.rmdir()

    def _put(self, suffix: str, write: Any) -> None:
        partial = self.folder / f".{uuid.uuid4().hex}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write(partial)
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.rename(self.folder / f"{partial.name[1:]}{suffix}")
        except OSError as error:
            message = f"{self.folder} cannot be written: {error.strerror}."
            raise _problem("folder-not-writable", message, self.folder) from error


def joined(points: Iterable[Points]) -> Points:
    """Return points of one series in order, each timestamp once: of two values the one that came later."""
    parts = list(points)
    times = np.concatenate([times for times, _ in parts]) if parts else np.zeros(0, dtype=np.int64)
    values = np.concatenate([values for _, values in parts]) if parts else np.zeros(0)
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    last = np.append(times[1:] != times[:-1], True) if len(times) else np.zeros(0, dtype=np.bool_)
    return times[last], values[last]


def _read_points(path: Path, answered: Answered) -> None:
    table = pq.read_table(path)
    answered.cover(json.loads((table.schema.metadata or {}).get(_COVERED, b"{}")))
    column = table.column("key").combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks else pa.array([], pa.string()).dictionary_encode()
    codes = column.indices.to_numpy(zero_copy_only=False)
    times, values = table.column("timestamp").to_numpy(), table.column("value").to_numpy()
    for code, key in enumerate(column.dictionary.to_pylist()):
        rows = codes == code
        answered.points.setdefault(key, []).append((times[rows], values[rows]))


def _read_events(path: Path, answered: Answered) -> None:
    lines = _lines(path)
    answered.cover(next(lines)["covered"])
    for line in lines:
        event = LoggedEvent(line["log_group"], int(line["event_s"]), int(line["ingestion_s"]), line["event"])
        answered.events[line["id"]] = event


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def _problem(code: str, message: str, path: Path, hint: str = "") -> ProblemsError:
    return ProblemsError([Problem(code=code, message=message, place=Place(file=str(path)), hint=hint)])
