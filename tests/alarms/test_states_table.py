"""Missing data: the published table is what the engine computes, and holds what we promise."""

from __future__ import annotations

import pytest

from cloudwatch.alarm import AlarmState
from tests.alarms.states_table import PAGE, entries, state, table

ENTRIES = {entry.slug: (entry, model) for entry, model in entries()}


def test_the_page_is_fresh() -> None:
    """`python -m tests.alarms.states_table` writes it."""
    assert PAGE.read_text(encoding="utf-8") == table()


@pytest.mark.parametrize("slug", ENTRIES)
def test_an_idle_or_new_model_alarms_nobody(slug: str) -> None:
    """Without data only no-traffic, which is opt-in, goes into ALARM."""
    entry, model = ENTRIES[slug]
    for situation in ("never published", "no traffic, was OK", "evidence 15 min late", "one gap in OK"):
        alarmed = state(entry, model, situation) is AlarmState.ALARM
        assert alarmed is (slug == "no-traffic" and situation in {"never published", "no traffic, was OK"}), situation


@pytest.mark.parametrize("slug", ENTRIES)
def test_a_gap_in_an_incident_clears_nothing(slug: str) -> None:
    """A page that clears at every gap comes again after every gap."""
    entry, model = ENTRIES[slug]
    assert state(entry, model, "one gap in ALARM") is AlarmState.ALARM
