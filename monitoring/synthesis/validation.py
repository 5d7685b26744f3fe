"""What did the CDK's own template validation find? Its report, as problems.

The CDK reports findings as warnings and ends well, so that a deployment would go on with a template that AWS refuses. Here a
finding stops: the validation runs only where it was asked for, and our templates have none.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cloudwatch.problems import Place, Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["REPORT", "validation_problems"]

REPORT = "validation-report.json"


def validation_problems(folder: Path) -> tuple[Problem, ...]:
    """Return a problem for each finding in the report of a cloud assembly; none where nothing was validated.

    Args:
        folder: The cloud assembly.
    """
    path = folder / REPORT
    if not path.is_file():
        return ()
    report = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Problem(
            code="template-validation",
            message=f"{violation.get('ruleName', 'a rule')}: {violation.get('description', 'no description')}",
            hint="The template is made from values that were checked: please report this.",
            place=Place(path=where),
        )
        for plugin in report.get("pluginReports", ())
        for violation in plugin.get("violations", ())
        for where in _places(violation)
    )


def _places(violation: dict[str, object]) -> list[str]:
    """Return the construct paths of a violation; one empty path where it names none."""
    constructs = violation.get("violatingConstructs")
    found = [str(each.get("constructPath", "")) for each in constructs] if isinstance(constructs, list) else []
    return found or [""]
