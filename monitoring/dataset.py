"""How is a recording kept on disk? A folder with series as Parquet, events as JSON lines, and what is known about both.

One schema for simulations and for recordings from AWS; docs/recording.md describes it. A folder is written beside its place
and renamed, so that it is there whole or not at all; a folder that holds anything else is never touched.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError, Place, Problem, ProblemsError
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat, print_stat
from cloudwatch.store import MetricStore

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from cloudwatch.series import SampleSource

__all__ = ["Dataset", "EventLog", "LoggedEvent", "Place_", "read_dataset", "write_dataset"]

FORMAT = "bedrock-monitor/recording"
VERSION = 1
MANIFEST, SERIES, EVENTS, TRUTH = "recording.json", "series.parquet", "events.jsonl", "truth.json"

_TEXT = pa.dictionary(pa.int32(), pa.string())
_SECOND = pa.timestamp("s", tz="UTC")
_STORED = pa.timestamp("ms", tz="UTC")  # Parquet knows no coarser unit
SCHEMA = pa.schema(
    [
        pa.field("namespace", _TEXT, nullable=False),
        pa.field("name", _TEXT, nullable=False),
        pa.field("dimensions", _TEXT, nullable=False),
        pa.field("region", _TEXT),
        pa.field("account_id", _TEXT),
        pa.field("timestamp", _STORED, nullable=False),
        pa.field("available_at", _STORED, nullable=False),
        pa.field("sample_count", pa.float64()),
        pa.field("sum", pa.float64()),
        pa.field("minimum", pa.float64()),
        pa.field("maximum", pa.float64()),
        pa.field("statistic", _TEXT),
        pa.field("period_s", pa.int32()),
        pa.field("value", pa.float64()),
    ]
)
_IDENTITY = ("namespace", "name", "dimensions", "region", "account_id", "statistic", "period_s")

Place_ = tuple[str | None, str | None]
"""Account and Region of a series, or None where the recording does not say."""


class LoggedEvent(NamedTuple):
    """One event: its log group, when it happened and when it arrived (seconds since 1970), and what it is."""

    log_group: str
    event_s: int
    ingestion_s: int
    event: Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EventLog:
    """Events of one log group, in the order of their arrival.

    Attributes:
        log_group: Name of the log group.
        records: The events, parsed JSON objects or messages.
        event_times_s: When each happened, seconds since 1970, int64.
        ingestion_times_s: When each arrived in the log group, int64.
    """

    log_group: str
    records: tuple[Any, ...]
    event_times_s: np.ndarray
    ingestion_times_s: np.ndarray

    def __iter__(self) -> Iterator[LoggedEvent]:
        times = zip(self.event_times_s.tolist(), self.ingestion_times_s.tolist(), self.records, strict=True)
        return (LoggedEvent(self.log_group, *row) for row in times)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A recording.

    Attributes:
        start_s: First second of the recording, since 1970.
        end_s: Second after its end.
        series: Metrics with what is known of each, Region and account as recorded.
        logs: Events by log group.
        about: What else the manifest says: source, title, settings. JSON values.
        truth: What really happened, of a simulation; None of a recording from AWS.
    """

    start_s: int
    end_s: int
    series: tuple[tuple[Metric, SampleSource], ...]
    logs: tuple[EventLog, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    truth: Mapping[str, Any] | None = None

    @property
    def places(self) -> frozenset[Place_]:
        """Accounts and Regions that the series come from."""
        return frozenset((metric.account_id, metric.region) for metric, _ in self.series)

    def sources(self, home: Place_ | None = None) -> Iterator[tuple[Metric, SampleSource]]:
        """Yield the series as somebody at home reads them: without their account and Region there.

        Args:
            home: Account and Region of the alarms; None takes the place of the recording where there is only one.
        """
        here = home if home is not None else next(iter(self.places)) if len(self.places) == 1 else (None, None)
        for metric, source in self.series:
            at_home = (metric.account_id, metric.region) == here
            yield (replace(metric, account_id=None, region=None) if at_home else metric), source

    def store(self, home: Place_ | None = None) -> MetricStore:
        """Return a store over `sources`.

        Raises:
            InvalidValueError: A metric holds samples and statistics.
        """
        return MetricStore.of(self.sources(home))


def write_dataset(folder: str | Path, dataset: Dataset, *, events: Iterable[LoggedEvent] = ()) -> int:
    """Write a recording; one that stands there already is replaced.

    Args:
        folder: Where.
        dataset: What.
        events: Further events, written one by one: millions need not be in memory at once.

    Returns:
        Number of events that were written.

    Raises:
        ProblemsError: The folder holds something else, is a file, or cannot be written.
    """
    target = Path(folder)
    _check_free(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as error:
        raise _problem("folder-not-writable", f"{target} cannot be written: {error.strerror}.", target) from error
    try:
        partial.chmod(0o755)
        _write_series(partial / SERIES, dataset.series)
        logged = (event for log in dataset.logs for event in log)
        written = _write_events(partial / EVENTS, chain(logged, events))
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "start_s": dataset.start_s,
            "end_s": dataset.end_s,
            **dict(dataset.about),
        }
        _write_json(partial / MANIFEST, manifest)
        if dataset.truth is not None:
            _write_json(partial / TRUTH, dataset.truth)
        _put(partial, target)
    except OSError as error:
        raise _problem("folder-not-writable", f"{target} cannot be written: {error.strerror}.", target) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return written


def read_dataset(folder: str | Path, *, log_groups: Collection[str] | None = None) -> Dataset:
    """Read a recording.

    Args:
        folder: Where.
        log_groups: Names of the log groups whose events are read, or None for all: millions of events take their time.

    Raises:
        ProblemsError: The folder is no recording, of a later version, or one of its files is damaged.
    """
    place = Path(folder)
    manifest = _read_manifest(place)
    about = {key: value for key, value in manifest.items() if key not in {"format", "version", "start_s", "end_s"}}
    truth = place / TRUTH
    try:
        return Dataset(
            start_s=int(manifest["start_s"]),
            end_s=int(manifest["end_s"]),
            series=tuple(_read_series(place / SERIES)),
            logs=tuple(_read_events(place / EVENTS, log_groups=log_groups)),
            about=about,
            truth=json.loads(truth.read_text(encoding="utf-8")) if truth.is_file() else None,
        )
    except (OSError, pa.ArrowException, InvalidValueError, ValueError, KeyError, TypeError) as error:
        said = " ".join(str(error).split())[:200]
        raise _problem("dataset-damaged", f"{place} is a recording that cannot be read: {said}.", place) from error


def _problem(code: str, message: str, place: Path, hint: str = "") -> ProblemsError:
    return ProblemsError([Problem(code=code, message=message, place=Place(file=str(place)), hint=hint)])


def _check_free(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise _problem("folder-is-file", f"{target} is a file.", target, "Name a folder that is not there yet.")
    if target.is_dir() and any(target.iterdir()):
        try:
            _read_manifest(target)
        except ProblemsError:
            message = f"{target} is not empty and holds no recording."
            raise _problem("folder-not-empty", message, target, "Name an empty folder or a new one.") from None
        foreign = sorted({path.name for path in target.iterdir()} - {MANIFEST, SERIES, EVENTS, TRUTH})
        if foreign:
            message = f"{target} holds a recording and {foreign[0]!r} beside it, which would be lost."
            raise _problem("folder-not-empty", message, target, "Move it away or name a new folder.")


def _put(partial: Path, target: Path) -> None:
    """Rename the new folder into place; the old one, where there is one, goes only then."""
    if not target.exists():
        partial.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    target.replace(old)
    try:
        partial.rename(target)
    except OSError:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _read_manifest(place: Path) -> dict[str, Any]:
    hint = "`bedrock-monitor simulate` writes recordings; docs/recording.md describes them."
    try:
        manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _problem("no-dataset", f"{place} is no recording: {MANIFEST} is not there.", place, hint) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _problem("no-dataset", f"{place} is no recording: {MANIFEST} says nothing of it.", place, hint)
    if manifest.get("version") != VERSION:
        message = f"{place} is a recording of version {manifest.get('version')}; this program reads version {VERSION}."
        raise _problem("dataset-version", message, place)
    return manifest


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_series(path: Path, series: Sequence[tuple[Metric, SampleSource]]) -> None:
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for metric, source in series:
            writer.write_table(_table(metric, source))


def _table(metric: Metric, source: SampleSource) -> pa.Table:
    rows = len(source.timestamps)

    def always(value: object, kind: pa.DataType) -> pa.Array:
        if kind == _TEXT:
            codes = pa.array(np.zeros(rows, dtype=np.int32), mask=np.full(rows, value is None))
            return pa.DictionaryArray.from_arrays(codes, pa.array([value or ""], pa.string()))
        return pa.nulls(rows, kind) if value is None else pa.array([value] * rows, kind)

    dimensions = json.dumps(dict(metric.dimensions), ensure_ascii=False, separators=(",", ":"))
    columns = {
        "namespace": always(metric.namespace, _TEXT),
        "name": always(metric.name, _TEXT),
        "dimensions": always(dimensions, _TEXT),
        "region": always(metric.region, _TEXT),
        "account_id": always(metric.account_id, _TEXT),
        "timestamp": pa.array(source.timestamps).cast(_SECOND).cast(_STORED),
        "available_at": pa.array(source.available_at).cast(_SECOND).cast(_STORED),
    }
    if isinstance(source, Samples):
        columns |= {
            "sample_count": pa.array(source.counts),
            "sum": pa.array(source.sums),
            "minimum": pa.array(source.minima),
            "maximum": pa.array(source.maxima),
        }
    else:
        columns |= {
            "statistic": always(print_stat(source.stat), _TEXT),
            "period_s": always(source.period_s, pa.int32()),
            "value": pa.array(source.values),
        }
    return pa.table([columns.get(one.name, pa.nulls(rows, one.type)) for one in SCHEMA], schema=SCHEMA)


def _read_series(path: Path) -> Iterator[tuple[Metric, SampleSource]]:
    """Yield the series of a file, whatever the order of its rows and whoever wrote it."""
    table = pq.read_table(path).unify_dictionaries()
    missing = [name for name in SCHEMA.names if name not in table.column_names]
    if missing:
        raise InvalidValueError(f"{SERIES} has no column {missing[0]!r}")
    code = np.zeros(table.num_rows, dtype=np.int64)
    values: list[list[Any]] = []
    for name in _IDENTITY:
        column = table.column(name)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        known = [*column.dictionary.to_pylist(), None]
        index = column.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)
        code = code * len(known) + index
        values.append(known)
    found, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    edges = np.searchsorted(inverse[order], np.arange(len(found) + 1))
    data = {
        name: table.column(name).cast(_SECOND).cast(pa.int64()).to_numpy() for name in ("timestamp", "available_at")
    }
    data |= {
        name: table.column(name).cast(pa.float64()).to_numpy()
        for name in ("sample_count", "sum", "minimum", "maximum", "value")
    }
    for group in np.argsort(first, kind="stable"):
        rows = order[edges[group] : edges[group + 1]]
        rows = rows[np.argsort(data["timestamp"][rows], kind="stable")]
        identity: dict[str, Any] = {}
        rest = int(found[group])
        for name, known in zip(reversed(_IDENTITY), reversed(values), strict=True):
            rest, at = divmod(rest, len(known))
            identity[name] = known[at]
        yield _metric(identity), _source(identity, {name: column[rows] for name, column in data.items()})


def _metric(identity: Mapping[str, Any]) -> Metric:
    dimensions = json.loads(identity["dimensions"])
    return Metric(
        namespace=identity["namespace"],
        name=identity["name"],
        dimensions=tuple(dimensions.items()),
        region=identity["region"],
        account_id=identity["account_id"],
    )


def _source(identity: Mapping[str, Any], data: Mapping[str, np.ndarray]) -> SampleSource:
    if identity["statistic"] is None:
        return Samples.of_sets(
            data["timestamp"],
            available_at=data["available_at"],
            counts=data["sample_count"],
            sums=data["sum"],
            minima=data["minimum"],
            maxima=data["maximum"],
        )
    return GivenStatistic.of_points(
        data["timestamp"],
        data["value"],
        stat=parse_stat(identity["statistic"]),
        period_s=int(identity["period_s"]),
        available_at=data["available_at"],
    )


def _write_events(path: Path, events: Iterable[LoggedEvent]) -> int:
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for event in events:
            file.write(json.dumps(event._asdict(), ensure_ascii=False, separators=(",", ":")) + "\n")
            written += 1
    return written


def _read_events(path: Path, *, log_groups: Collection[str] | None) -> Iterator[EventLog]:
    if not path.is_file():
        return
    names = None if log_groups is None else [json.dumps(name, ensure_ascii=False) for name in log_groups]
    groups: dict[str, list[tuple[int, int, Any]]] = {}
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip() or (names is not None and not any(name in text for name in names)):
                continue
            try:
                line = json.loads(text)
                row = (int(line["event_s"]), int(line["ingestion_s"]), line["event"])
                if log_groups is None or line["log_group"] in log_groups:
                    groups.setdefault(str(line["log_group"]), []).append(row)
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidValueError(f"{EVENTS} line {number}: {type(error).__name__} {error}") from error
    for name, rows in groups.items():
        yield EventLog(
            log_group=name,
            records=tuple(record for _, _, record in rows),
            event_times_s=np.array([happened for happened, _, _ in rows], dtype=np.int64),
            ingestion_times_s=np.array([arrived for _, arrived, _ in rows], dtype=np.int64),
        )
