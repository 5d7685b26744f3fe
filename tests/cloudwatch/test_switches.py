"""Every open choice is a switch whose other settings can be tried."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from cloudwatch.problems import InvalidValueError
from cloudwatch.switches import DEFAULT_SWITCHES, Switches, alternatives


def test_alternatives_change_each_field_and_one_at_a_time() -> None:
    """Every switch is tried, and a changed verdict can be laid at the door of one."""
    tried = list(alternatives(DEFAULT_SWITCHES))
    assert {name for name, _ in tried} == {field.name for field in fields(Switches)}
    for name, switches in tried:
        assert [
            each.name
            for each in fields(Switches)
            if getattr(switches, each.name) != getattr(DEFAULT_SWITCHES, each.name)
        ] == [name]


@pytest.mark.parametrize("wrong", [{"if_missing": "2024"}, {"evaluation_range_extra": -1}, {"stddev": ""}], ids=str)
def test_a_setting_that_does_not_exist_is_refused(wrong: dict[str, Any]) -> None:
    """A misspelt setting is not the default."""
    with pytest.raises(InvalidValueError, match=next(iter(wrong))):
        Switches(**wrong)


def test_every_switch_is_explained() -> None:
    """The docstring says what each one changes."""
    assert Switches.__doc__ is not None
    assert [field.name for field in fields(Switches) if f"{field.name}: " not in Switches.__doc__] == []
