"""Where do the styles and scripts of a page come from? Files of this package, and the chart library from its npm package.

uPlot is pinned with its integrity hash in package-lock.json and installed by `npm ci`; docs/adr/0052 says why uPlot.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cloudwatch.problems import Problem, ProblemsError

__all__ = ["SCRIPTS", "library", "script", "style"]

HERE = Path(__file__).parent
LIBRARY = HERE / "node_modules" / "uplot" / "dist"
SCRIPTS = ("data", "format", "annotations", "chart", "numbers", "tables", "panels", "alarms", "page")


@cache
def library() -> tuple[str, str]:
    """Return script and style of the chart library.

    Raises:
        ProblemsError: It is not installed; the hint says how.
    """
    try:
        return (
            (LIBRARY / "uPlot.iife.min.js").read_text(encoding="utf-8"),
            (LIBRARY / "uPlot.min.css").read_text(encoding="utf-8"),
        )
    except OSError:
        hint = f"Run `make preview-assets`, or: npm ci --ignore-scripts --prefix {HERE}"
        problem = Problem(
            code="no-chart-library", message="the chart library uPlot of the preview is not installed.", hint=hint
        )
        raise ProblemsError([problem]) from None


@cache
def script() -> str:
    """Return the page's own script as one function that runs at once."""
    parts = [(HERE / "static" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n"


@cache
def style() -> str:
    """Return the page's own style."""
    return (HERE / "static" / "page.css").read_text(encoding="utf-8")
