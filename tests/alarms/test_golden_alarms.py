"""Alarm families as documents that a person can open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from alarms.policy import SLUGS
from cloudwatch.alarm import MetricAlarm
from tests.alarms.golden_alarms import FAMILIES, described, documents, family_of, samples
from tests.golden import FLAG, check_golden

FOLDER = Path(__file__).parent / "golden"
DOCUMENTS = documents()


@pytest.mark.parametrize("name", [*sorted({*FAMILIES.values()}), "ladder", "lean"])
def test_a_family_is_the_document_in_the_folder(name: str, pytestconfig: pytest.Config) -> None:
    """What changes in an alarm is seen in review; `make golden` writes it."""
    check_golden(FOLDER / f"{name}.txt", DOCUMENTS[name], config=pytestconfig)


def test_a_changed_threshold_is_seen(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    """The documents hold what matters: another threshold is another document, and the comparison says so."""
    entry = samples()["the account"].entries[0]
    assert described(entry) in DOCUMENTS["errors"]
    assert isinstance(entry.alarm, MetricAlarm)
    changed = described(replace(entry, alarm=replace(entry.alarm, threshold=11.5)))
    assert changed not in DOCUMENTS["errors"]
    (tmp_path / "errors.txt").write_text(described(entry))
    if not pytestconfig.getoption(FLAG, default=False):
        with pytest.raises(AssertionError, match=r"\+  goes off.*11\.5"):
            check_golden(tmp_path / "errors.txt", changed, config=pytestconfig)


def test_every_alarm_has_a_family() -> None:
    """A new slug has to be put into a document, and no document is left over."""
    assert [slug for slug in SLUGS if family_of(slug) is None] == []
    assert "unknown" not in DOCUMENTS
    assert {path.stem for path in FOLDER.iterdir()} == set(DOCUMENTS)


def test_the_documents_hold_every_cause_and_symptom() -> None:
    """The samples are rich enough: every slug of the policy stands in a document."""
    shown = {line.split(" (")[0] for text in DOCUMENTS.values() for line in text.splitlines() if " (" in line}
    assert [slug for slug in SLUGS if slug not in shown] == []
