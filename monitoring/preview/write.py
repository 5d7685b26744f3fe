"""Which files does a preview write? One HTML file, or a folder with one for each dashboard and an index."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.problems import Place, Problem, ProblemsError
from dashboards.preview.page import PageSource, render_page
from monitoring.preview.series import Drawable, data_of, empty

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monitoring.preview.inputs import Environment, PreviewPage
    from monitoring.preview.series import Recorded

__all__ = ["Written", "counted", "file_name", "page_sources", "write_html", "write_pages"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file that was written, about how high its page is, and the dashboard in it."""

    path: Path
    height_px: int
    name: str


def counted(number: int, thing: str) -> str:
    """Return `1 alarm` or `2 alarms`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def file_name(name: str) -> str:
    """Return a file name for a dashboard."""
    return (_UNSAFE.sub("-", name).strip("-") or "dashboard")[:120] + ".html"


def page_sources(
    pages: Sequence[PreviewPage], *, recorded: Recorded | None, sample: bool, links: bool
) -> list[PageSource]:
    """Return the pages with what they are drawn from; pages of one account and Region share it.

    Args:
        pages: The dashboards.
        recorded: Reads a recording, or None.
        sample: Whether a healthy week is made up where there is no recording.
        links: Whether each page links the others.
    """
    by_environment: dict[int, list[PreviewPage]] = {}
    for page in pages:
        by_environment.setdefault(id(page.environment), []).append(page)
    files = _file_names(pages)
    words = _short_names([page.name for page in pages])
    all_links = [(word, file, page.name) for word, file, page in zip(words, files, pages, strict=True)]
    if not links or len(pages) == 1:
        all_links = []
    made: dict[int, PageSource] = {}
    for group in by_environment.values():
        environment = group[0].environment
        data, left_out = data_of(
            _drawable(group, environment, recorded=recorded, sample=sample), environment=environment
        )
        for page in group:
            made[id(page)] = PageSource(
                title=page.name,
                body=page.body,
                data=data,
                problems=(*page.problems, *environment.problems, *left_out),
                links=all_links,
            )
    return [made[id(page)] for page in pages]


def _drawable(
    group: Sequence[PreviewPage], environment: Environment, *, recorded: Recorded | None, sample: bool
) -> Drawable:
    if recorded is not None:
        return recorded(environment)
    if sample:
        from monitoring.preview.sample import sample_data  # noqa: PLC0415 - the simulator is not always needed

        return sample_data(group)
    return empty()


def _short_names(names: Sequence[str]) -> list[str]:
    """Return names without what all of them begin with, cut at a hyphen."""
    first, last = min(names), max(names)
    shared = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), 0)
    cut = first.rfind("-", 0, shared) + 1
    return [name[cut:] or name for name in names]


def _file_names(pages: Sequence[PreviewPage]) -> list[str]:
    taken: dict[str, int] = {}
    names = []
    for page in pages:
        name = file_name(page.name)
        taken[name] = taken.get(name, 0) + 1
        names.append(name if taken[name] == 1 else f"{name.removesuffix('.html')}-{taken[name]}.html")
    return names


def write_pages(
    pages: Sequence[PreviewPage],
    out: str | Path,
    *,
    recorded: Recorded | None = None,
    sample: bool = False,
    report: Callable[[str], None] | None = None,
) -> list[Written]:
    """Write the pages of dashboards.

    Args:
        pages: The dashboards.
        out: A file that ends in .html for one dashboard, else a folder.
        recorded: Reads a recording to draw, or None.
        sample: Draw a made-up healthy week.
        report: Called with the name of each page that is done.

    Raises:
        ProblemsError: Several dashboards for one file, the chart library is not installed, or nothing can be written.
    """
    target = Path(out)
    single = target.suffix == ".html"
    if single and len(pages) > 1:
        names = ", ".join(page.name for page in pages[:6]) + (" ..." if len(pages) > 6 else "")
        message = f"{target} is one file, and there are {len(pages)} dashboards: {names}."
        hint = "Name a folder, or choose one with --page."
        raise ProblemsError([Problem(code="several-dashboards", message=message, hint=hint)])
    sources = page_sources(pages, recorded=recorded, sample=sample, links=not single)
    files = [target] if single else [target / name for name in _file_names(pages)]
    written = []
    for source, file in zip(sources, files, strict=True):
        rendered = render_page(source)
        write_html(file, rendered.html)
        written.append(Written(path=file, height_px=rendered.height_px, name=source.title))
        if report is not None:
            report(f"{file}: {rendered.widgets} widgets, {len(rendered.html) / 1e6:.1f} MB")
    return written


def write_html(path: Path, html: str) -> None:
    """Write a file, with its folder.

    Raises:
        ProblemsError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise ProblemsError([Problem(code="not-writable", message=message, place=Place(file=str(path)))]) from error
