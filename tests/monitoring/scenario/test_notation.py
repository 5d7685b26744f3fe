"""Series in one line: exact counts, gaps, steps, and refusals that point at the guilty item."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.problems import TextSyntaxError
from monitoring.scenario.notation import expand

GAP = None


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("7", [7]),
        ("0 7", [0, 7]),
        ("_", [GAP]),
        ("_x3", [GAP] * 3),
        ("120x3", [120, 120, 120]),
        ("60+2x4", [60, 62, 64, 66]),
        ("60-2x3", [60, 58, 56]),
        ("-5x2", [-5, -5]),
        ("-5+0.5x3", [-5, -4.5, -4]),
        ("1e3x2 .5", [1000, 1000, 0.5]),
        ("  1\n 2\t_ ", [1, 2, GAP]),
    ],
)
def test_every_count_is_exact(text: str, points: list[float | None]) -> None:
    """An item with a count yields exactly that many points."""
    assert [None if math.isnan(point) else point for point in expand(text)] == points


@pytest.mark.parametrize(
    ("text", "guilty", "says"),
    [
        ("1 2 x5", "x5", "not a point"),
        ("1 two", "two", "not a point"),
        ("1+2", "1+2", "no count"),
        ("3x0", "3x0", "no point at all"),
        ("1 9x9999999999", "9x9999999999", "more than 1,000,000"),
        ("1e999", "1e999", "finite"),
        ("__", "__", "not a point"),
    ],
)
def test_a_refusal_points_at_the_item(text: str, guilty: str, says: str) -> None:
    """The error carries the place of the guilty item and says what it is."""
    with pytest.raises(TextSyntaxError, match=says) as caught:
        expand(text)
    assert text[caught.value.start : caught.value.end] == guilty


def test_an_empty_series_is_refused() -> None:
    """Nothing but blanks is no series."""
    with pytest.raises(TextSyntaxError, match="no point"):
        expand("  ")


@given(st.text(alphabet="0123456789x_+-. e", max_size=40))
def test_any_text_expands_or_is_refused_with_a_place(text: str) -> None:
    """No text raises anything but our error, and its place lies inside the text."""
    try:
        points = expand(text)
    except TextSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)
    else:
        assert points
