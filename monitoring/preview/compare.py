"""Which dashboards of two inputs belong together? Those of one name, or the only ones; each pair becomes a page of changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.dashboard.values import DashboardBody
from cloudwatch.problems import Problem, ProblemsError
from dashboards.preview.compare import render_comparison
from monitoring.preview.inputs import PreviewPage
from monitoring.preview.write import Written, counted, file_name, page_sources, write_html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monitoring.preview.series import Recorded


__all__ = ["paired", "write_comparison"]


def paired(newer: Sequence[PreviewPage], older: Sequence[PreviewPage]) -> list[tuple[PreviewPage, PreviewPage]]:
    """Return pairs of older and newer page; what only one side has is held against an empty page."""
    if len(newer) == len(older) == 1:
        return [(older[0], newer[0])]
    by_name = {page.name: page for page in older}
    pairs = [(by_name[page.name] if page.name in by_name else _emptied(page), page) for page in newer]
    known = {page.name for page in newer}
    return pairs + [(page, _emptied(page)) for page in older if page.name not in known]


def _emptied(page: PreviewPage) -> PreviewPage:
    return PreviewPage(name=page.name, body=DashboardBody(), problems=(), environment=page.environment)


def write_comparison(
    newer: Sequence[PreviewPage],
    older: Sequence[PreviewPage],
    out: str | Path,
    *,
    recorded: Recorded | None = None,
    sample: bool = False,
    report: Callable[[str], None] | None = None,
) -> list[Written]:
    """Write what changed between two sets of dashboards; see `write_pages` for the arguments.

    Raises:
        ProblemsError: As `write_pages`.
    """
    pairs = paired(newer, older)
    target = Path(out)
    single = target.suffix == ".html"
    if single and len(pairs) > 1:
        message = f"{target} is one file, and {len(pairs)} dashboards are compared."
        raise ProblemsError([Problem(code="several-dashboards", message=message, hint="Name a folder, or use --page.")])
    before = page_sources([old for old, _ in pairs], recorded=recorded, sample=sample, links=False)
    after = page_sources([new for _, new in pairs], recorded=recorded, sample=sample, links=not single)
    written = []
    for old, new in zip(before, after, strict=True):
        rendered = render_comparison(old, new)
        file = target if single else target / file_name(new.title)
        write_html(file, rendered.html)
        written.append(Written(path=file, height_px=rendered.height_px, name=new.title))
        if report is not None:
            report(f"{file}: {counted(rendered.widgets, 'widget')} that differ{'s' if rendered.widgets == 1 else ''}")
    return written
