"""Which files does a preview write? One HTML file, or a folder with one for each dashboard, and an index where there are several.

A file has the name of its dashboard. Pages of an account and Region that a recording holds nothing of are left out, as long as it holds
something of another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.alarm import AlarmState
from cloudwatch.problems import Place, Problem, ProblemsError
from cloudwatch.state_series import STATES
from dashboards.preview.cards import Card, alarm_strip, lanes_of, page_picture
from dashboards.preview.page import PageSource, render_index, render_page
from monitoring.preview.series import Drawable, data_of, empty

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monitoring.preview.inputs import Environment, PreviewPage
    from monitoring.preview.series import Recorded

_ALARM = STATES.index(AlarmState.ALARM)

__all__ = ["Written", "counted", "file_name", "page_sources", "write_html", "write_pages"]

INDEX = "index.html"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file that was written, about how high its page is, and the dashboard in it; the index has no dashboard."""

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
    taken: dict[str, int] = {INDEX: 1}
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
    tell = report or (lambda _: None)
    if recorded is not None:
        recorded = cache(recorded)
        pages = _held_pages(pages, recorded, tell=tell)
    sources = page_sources(pages, recorded=recorded, sample=sample, links=not single)
    files = [target] if single else [target / name for name in _file_names(pages)]
    written = []
    cards = []
    for each, file in zip(sources, files, strict=True):
        source = replace(each, links=[("All", INDEX, ""), *each.links]) if each.links else each
        rendered = render_page(source)
        write_html(file, rendered.html)
        written.append(Written(path=file, height_px=rendered.height_px, name=source.title))
        summary = f"{counted(rendered.widgets, 'widget')}, {_told(source)}"
        tell(f"{file}: {summary}, {len(rendered.html) / 1e6:.1f} MB")
        cards.append((source, file, f"{summary}. {source.data.about}"))
    if len(cards) > 1:
        made = [
            Card(
                title=source.title,
                address=file.name,
                told=words,
                picture=page_picture(source.body, data=source.data),
                strip=alarm_strip(lanes_of(source.data), span=source.data.span, clock="%a %H:%M"),
            )
            for source, file, words in cards
        ]
        write_html(target / INDEX, render_index(title=f"{counted(len(cards), 'dashboard')}: {target.name}", cards=made))
        written.insert(0, Written(path=target / INDEX, height_px=90 + 260 * len(cards), name=""))
    return written


def _held_pages(
    pages: Sequence[PreviewPage], recorded: Recorded, *, tell: Callable[[str], None]
) -> Sequence[PreviewPage]:
    """Return the pages of places that a recording holds something of; all of them where it does not say whence it is."""
    held: dict[tuple[str | None, str | None], bool] = {}
    for page in pages:
        home = page.environment.home
        if home not in held:
            places = {(metric.account_id, metric.region) for metric, _ in recorded(page.environment).series}
            held[home] = any(
                all(theirs in {None, ours} for theirs, ours in zip(place, home, strict=True)) for place in places
            )
    if all(held.values()) or not any(held.values()):
        return pages
    for home in (home for home, found in held.items() if not found):
        count = sum(page.environment.home == home for page in pages)
        where = " ".join(part for part in home if part)
        tell(f"{counted(count, 'dashboard')} of {where} left out: the recording holds nothing of it")
    return [page for page in pages if held[page.environment.home]]


def _told(source: PageSource) -> str:
    """Return how many alarms went off and notified within the data, in words."""
    timeline = source.data.timeline
    if timeline is None:
        return "no alarm evaluated"
    off = sum(bool((codes == _ALARM).any()) for codes in timeline.codes.values())
    sent = sum(one.state is AlarmState.ALARM for one in timeline.notifications)
    return f"{off} of {counted(len(timeline.alarms), 'alarm')} went off, {counted(sent, 'notification')}"


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
