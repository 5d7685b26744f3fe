"""docs/alarms.md: the table is fresh and no alarm is undocumented."""

from __future__ import annotations

import pytest

from alarms.policy import SLUGS
from tests.alarms.policy_page import PAGE, fresh


def test_the_policy_table_is_fresh() -> None:
    """`python -m tests.alarms.policy_page` writes it."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == fresh(text)
    assert "60 s: 5 of 20" in text


@pytest.mark.parametrize("slug", SLUGS)
def test_every_alarm_is_documented(slug: str) -> None:
    """A person who gets a message can look it up."""
    assert f"`{slug}`" in PAGE.read_text(encoding="utf-8")
