"""The policy table in docs/alarms.md, from the policy itself.

`python -m tests.alarms.policy_page` rewrites the table.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from alarms.policy import policies

PAGE = Path(__file__).parents[2] / "docs" / "alarms.md"
_BLOCK = re.compile(r"(<!-- policy -->\n).*?(<!-- /policy -->)", re.DOTALL)


def table() -> str:
    """Return the rows of every alarm that has a period of its own."""
    lines = ["| alarm | calls a period | threshold | period: M of N | missing data |", "|---|---|---|---|---|"]
    for policy in policies().values():
        if policy.cadences:
            cadences = ", ".join(
                f"{cadence.period_s} s: {cadence.datapoints_to_alarm} of {cadence.evaluation_periods}"
                for cadence in policy.cadences
            )
            threshold = "" if policy.threshold is None else f"{policy.threshold:g} "
            lines.append(
                f"| `{policy.slug}` | {policy.calls:g} | {threshold}{policy.unit} | {cadences} | {policy.missing} |"
            )
    return "\n".join(lines) + "\n"


def fresh(text: str) -> str:
    """Return the page with the table in it."""
    return _BLOCK.sub(lambda found: found[1] + table() + found[2], text)


if __name__ == "__main__":
    PAGE.write_text(fresh(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stderr.write(f"{PAGE} written\n")
