"""Recordings on disk: what is written is read back, whole or not at all, and nothing else is ever overwritten."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.problems import ProblemsError
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat
from monitoring import dataset as dataset_module
from monitoring.dataset import Dataset, EventLog, read_dataset, write_dataset

if TYPE_CHECKING:
    from cloudwatch.series import SampleSource

START_S = 1_793_577_600
LATENCY = Metric(
    namespace="AWS/Bedrock",
    name="InvocationLatency",
    dimensions=(("ModelId", "eu.model-ä"[:8]),),
    region="us-east-1",
    account_id="111122223333",
)
TIER = replace(LATENCY, name="TimeToFirstToken", dimensions=(("ModelId", "m"), ("ServiceTier", "reserved")))
GIVEN = replace(LATENCY, name="InputTokenCount")


def sample() -> Dataset:
    """Return a small recording with every kind of row."""
    times = START_S + 60 * np.arange(5)
    series: list[tuple[Metric, SampleSource]] = [
        (LATENCY, Samples.of_values(np.repeat(times, 2), np.arange(10.0) + 1, available_at=np.repeat(times, 2) + 95)),
        (TIER, Samples.of_sets(times[:2], counts=[3, 4], sums=[30.5, 8], minima=[1, 2], maxima=[20.25, 2])),
        (GIVEN, GivenStatistic.of_points(times, [1.0, 2, 3, 4, 5], stat=parse_stat("p90"), period_s=60)),
        (GIVEN, GivenStatistic.of_points(times[::2], [9.0, 8, 7], stat=parse_stat("Maximum"), period_s=60)),
    ]
    log = EventLog(
        log_group="/aws/events/calls",
        records=({"detail": {"eventName": "Converse", "text": "ü"}}, "a line"),
        event_times_s=np.array([START_S, START_S + 3]),
        ingestion_times_s=np.array([START_S + 300, START_S + 301]),
    )
    return Dataset(
        start_s=START_S,
        end_s=START_S + 300,
        series=tuple(series),
        logs=(log,),
        about={"source": "simulation", "seed": 4},
        truth={"page": "throttled"},
    )


def columns(source: SampleSource) -> list[list[float]]:
    """Return the columns of a source."""
    if isinstance(source, Samples):
        names = ("timestamps", "available_at", "counts", "sums", "minima", "maxima")
    else:
        names = ("timestamps", "available_at", "values")
    return [getattr(source, name).tolist() for name in names]


def assert_equal(left: Dataset, right: Dataset) -> None:
    """Compare two recordings."""
    assert [metric for metric, _ in left.series] == [metric for metric, _ in right.series]
    for (_, one), (_, other) in zip(left.series, right.series, strict=True):
        assert type(one) is type(other)
        assert columns(one) == columns(other)
        if isinstance(one, GivenStatistic):
            assert isinstance(other, GivenStatistic)
            assert (one.stat, one.period_s) == (other.stat, other.period_s)
    assert [(log.log_group, log.records) for log in left.logs] == [(log.log_group, log.records) for log in right.logs]
    for one, other in zip(left.logs, right.logs, strict=True):
        assert one.event_times_s.tolist() == other.event_times_s.tolist()
        assert one.ingestion_times_s.tolist() == other.ingestion_times_s.tolist()
    assert (left.start_s, left.end_s, left.about, left.truth) == (right.start_s, right.end_s, right.about, right.truth)


def test_a_recording_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    """Values, statistic sets, given statistics, events, manifest and truth survive."""
    write_dataset(tmp_path / "deep" / "recording", sample())
    assert_equal(read_dataset(tmp_path / "deep" / "recording"), sample())
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["recording"]


def test_a_recording_without_events_series_or_truth_is_one_too(tmp_path: Path) -> None:
    """Nothing happened is something that can be recorded."""
    empty = Dataset(start_s=START_S, end_s=START_S + 60, series=())
    write_dataset(tmp_path / "r", empty)
    assert_equal(read_dataset(tmp_path / "r"), empty)
    assert not (tmp_path / "r" / "truth.json").exists()


def test_rows_may_come_in_any_order_and_text_undictionaried(tmp_path: Path) -> None:
    """A file that another program wrote or sorted holds the same series."""
    write_dataset(tmp_path / "r", sample())
    path = tmp_path / "r" / "series.parquet"
    table = pq.read_table(path)
    plain = pa.table(
        {
            name: table.column(name).cast(pa.string())
            if pa.types.is_dictionary(table.schema.field(name).type)
            else table.column(name)
            for name in table.column_names
        }
    )
    shuffled = plain.take(pa.array(np.random.default_rng(1).permutation(plain.num_rows)))
    pq.write_table(shuffled.append_column("comment", pa.nulls(shuffled.num_rows)), path)
    found = {(metric, type(source), len(source.timestamps)) for metric, source in read_dataset(tmp_path / "r").series}
    assert found == {(metric, type(source), len(source.timestamps)) for metric, source in sample().series}
    by_metric = dict(read_dataset(tmp_path / "r").series)
    assert by_metric[TIER].timestamps.tolist() == [START_S, START_S + 60]


def test_the_schema_is_the_documented_one(tmp_path: Path) -> None:
    """docs/recording.md names every column with its type."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "recording.md").read_text(encoding="utf-8")
    write_dataset(tmp_path / "r", sample())
    for column in pq.read_schema(tmp_path / "r" / "series.parquet"):
        assert f"| `{column.name}` |" in text
    for name in ("recording.json", "series.parquet", "events.jsonl", "truth.json"):
        assert f"`{name}`" in text
    manifest = json.loads((tmp_path / "r" / "recording.json").read_text(encoding="utf-8"))
    assert (manifest["format"], manifest["version"]) == ("bedrock-monitor/recording", 1)


def test_series_at_home_lose_their_place_and_others_keep_it() -> None:
    """Alarms read metrics of their own account and Region without naming it."""
    other = replace(LATENCY, region="eu-west-1")
    two = replace(sample(), series=(*sample().series, (other, sample().series[0][1])))
    at_home = [metric for metric, _ in two.sources(("111122223333", "us-east-1"))]
    assert at_home[0] == replace(LATENCY, region=None, account_id=None)
    assert at_home[-1] == other
    assert [metric for metric, _ in two.sources()][-1] == other
    assert all(metric.region is None for metric, _ in sample().sources())


def test_a_recording_answers_queries(tmp_path: Path) -> None:
    """`store` gives what the engine reads."""
    write_dataset(tmp_path / "r", replace(sample(), series=sample().series[:1]))
    metric = replace(LATENCY, region=None, account_id=None)
    query = MetricQuery(id="m", metric=metric, stat="Sum", period_s=60)
    starts = START_S + 60 * np.arange(5)
    assert read_dataset(tmp_path / "r").store().column(query, starts=starts).tolist() == [3.0, 7.0, 11.0, 15.0, 19.0]


def test_a_recording_replaces_a_recording(tmp_path: Path) -> None:
    """Writing again to the same folder leaves the new one and nothing beside it."""
    write_dataset(tmp_path / "r", sample())
    later = replace(sample(), about={"seed": 5}, truth=None)
    write_dataset(tmp_path / "r", later)
    assert_equal(read_dataset(tmp_path / "r"), later)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_an_empty_folder_may_be_written_to(tmp_path: Path) -> None:
    """Somebody made it for this."""
    (tmp_path / "r").mkdir()
    write_dataset(tmp_path / "r", sample())
    assert_equal(read_dataset(tmp_path / "r"), sample())


def spoil_with_foreign_folder(folder: Path) -> None:
    """Put a folder with somebody's file there."""
    folder.mkdir()
    (folder / "thesis.txt").write_text("x", encoding="utf-8")


def spoil_with_file(folder: Path) -> None:
    """Put a file there."""
    folder.write_text("x", encoding="utf-8")


def spoil_with_company(folder: Path) -> None:
    """Put a recording with somebody's file there."""
    write_dataset(folder, sample())
    (folder / "thesis.txt").write_text("x", encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (spoil_with_foreign_folder, "folder-not-empty"),
        (spoil_with_file, "folder-is-file"),
        (spoil_with_company, "folder-not-empty"),
    ],
)
def test_a_folder_with_anything_else_is_left_alone(tmp_path: Path, spoil: object, code: str) -> None:
    """The message says what is there, and it stays there."""
    folder = tmp_path / "r"
    spoil(folder)  # type: ignore[operator]
    before = sorted((path.name, path.stat().st_size) for path in tmp_path.rglob("*"))
    with pytest.raises(ProblemsError) as caught:
        write_dataset(folder, sample())
    assert caught.value.problems[0].code == code
    assert sorted((path.name, path.stat().st_size) for path in tmp_path.rglob("*")) == before


def test_a_write_that_fails_leaves_the_old_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a recording is never there."""
    write_dataset(tmp_path / "r", sample())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dataset_module, "_write_events", full)
    with pytest.raises(ProblemsError, match="No space left on device"):
        write_dataset(tmp_path / "r", replace(sample(), about={}))
    assert_equal(read_dataset(tmp_path / "r"), sample())
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_folder_that_is_no_recording_is_said_to_be_none(tmp_path: Path) -> None:
    """Absent, empty, foreign, of a later version: one sentence each."""
    with pytest.raises(ProblemsError, match=r"is no recording: recording\.json is not there"):
        read_dataset(tmp_path / "nowhere")
    (tmp_path / "recording.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ProblemsError, match="says nothing of it"):
        read_dataset(tmp_path)
    write_dataset(tmp_path / "r", sample())
    manifest = tmp_path / "r" / "recording.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 9'), encoding="utf-8")
    with pytest.raises(ProblemsError, match="version 9; this program reads version 1"):
        read_dataset(tmp_path / "r")


@pytest.mark.parametrize(
    ("name", "content"),
    [("series.parquet", b"PAR1"), ("events.jsonl", b'{"event_s": 1}\n'), ("truth.json", b"{")],
)
def test_a_damaged_file_is_a_problem_and_no_traceback(tmp_path: Path, name: str, content: bytes) -> None:
    """Whatever is wrong with it, the folder is named."""
    write_dataset(tmp_path / "r", sample())
    (tmp_path / "r" / name).write_bytes(content)
    with pytest.raises(ProblemsError) as caught:
        read_dataset(tmp_path / "r")
    assert caught.value.problems[0].code == "dataset-damaged"
    assert caught.value.problems[0].place.file == str(tmp_path / "r")


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    """Another program left one out."""
    write_dataset(tmp_path / "r", sample())
    path = tmp_path / "r" / "series.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["available_at"]), path)
    with pytest.raises(ProblemsError, match="no column 'available_at'"):
        read_dataset(tmp_path / "r")
