"""A recorded fallback, and the moto server of the live tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bedrock.models import Objectives, Quotas
from monitoring.dataset import read_dataset, write_dataset
from monitoring.plan import Plan, plan
from monitoring.simulation import dataset_of, events_of, find_incident, simulate_incident
from tests.monitoring.live.conftest import aws, moto_endpoint
from tests.monitoring.sample_plans import deployment, model

if TYPE_CHECKING:
    from monitoring.dataset import Dataset

__all__ = ["aws", "moto_endpoint"]


@pytest.fixture(scope="session")
def planned() -> Plan:
    """One optimized model with objectives and quotas."""
    watched = model(
        requests_per_minute=60.0,
        objectives=Objectives(ttft_p90_ms=900),
        quotas=Quotas(tpm=800_000, optimized_tpm=400_000, max_tokens=2000),
    )
    return plan(deployment(models=(watched,)))


@pytest.fixture(scope="session")
def fallback(planned: Plan, tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, int]:
    """A recording of a fallback, and the second at which it begins."""
    recording = simulate_incident(
        find_incident("optimized-quota-exhausted"), planned.deployment, model="nova-pro", seed=1
    )
    folder = tmp_path_factory.mktemp("fallback") / "recording"
    write_dataset(folder, dataset_of(recording, planned.deployment), events=events_of(recording, planned.deployment))
    scenario = recording.scenario
    assert scenario.onset_minute is not None
    return read_dataset(folder), scenario.start_s + 60 * scenario.onset_minute
