"""The queries of docs/recording.md run, and say what they promise."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

from cloudwatch.metric import Metric
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat
from monitoring.dataset import Dataset, LoggedEvent, write_dataset

PAGE = Path(__file__).resolve().parents[3] / "docs" / "recording.md"
START = 1_793_577_600
BLOCKS = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
QUERIES = [query for block in BLOCKS if "recording/" in block for query in block.split(";") if query.strip()]


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hours of one model, and one firing; the queries name the folder relatively."""
    times = START + 60 * np.arange(120)
    dimensions = (("ModelId", "m"),)
    throttles = Metric(namespace="AWS/Bedrock", name="InvocationThrottles", dimensions=dimensions)
    latency = Metric(namespace="AWS/Bedrock", name="InvocationLatency", dimensions=dimensions)
    p90 = GivenStatistic.of_points(times[::5], np.arange(24.0), stat=parse_stat("p90"), period_s=300)
    dataset = Dataset(
        start_s=START,
        end_s=START + 7200,
        series=((throttles, Samples.of_values(times, np.full(120, 3.0))), (latency, p90)),
    )
    item = {"alarm": "a", "type": "StateUpdate", "summary": "Alarm updated from OK to ALARM", "data": {}}
    write_dataset(
        tmp_path / "recording", dataset, events=[LoggedEvent("bedrock-monitor/alarm-history", START, START, item)]
    )
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("recording")
def test_the_queries_run_as_they_stand() -> None:
    """Throttles by minute, the worst p90 by hour, and what fired."""
    throttles, latency, fired = (duckdb.sql(query).fetchall() for query in QUERIES)
    assert [row[1] for row in throttles] == [3.0] * 120
    assert [(row[1], row[2]) for row in latency] == [("m", 23.0), ("m", 11.0)]
    assert [row[:2] for row in fired] == [("a", 1)]
