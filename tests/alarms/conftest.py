"""One flag rewrites the golden alarms: `pytest tests/alarms --rewrite-golden`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.golden import add_flag

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag."""
    add_flag(parser)
