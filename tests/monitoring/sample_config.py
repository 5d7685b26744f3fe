"""A small configuration on disk: what a first user would write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TEXT", "write_config"]

TEXT = """\
organisation:
  name: Acme
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1, eu-west-1]
    notifications:
      page:
        create:
          emails: [oncall@example.com]
    models:
      assistant:
        ids: [us.amazon.nova-pro-v1:0]
        latency: optimized
      summaries:
        ids: [amazon.nova-lite-v1:0]
        regions: [us-east-1]
"""


def write_config(path: Path, *, text: str = TEXT) -> Path:
    """Write a configuration and return its path."""
    path.write_text(text)
    return path
