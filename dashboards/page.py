"""What is deployed? A dashboard body with its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import DashboardBody

__all__ = ["Dashboard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """One page.

    Attributes:
        name: At most 255 of `A-Za-z0-9_-`, unique in the account over all Regions.
        body: What it shows.
    """

    name: str
    body: DashboardBody
