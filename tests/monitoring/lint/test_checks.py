"""Every check against inputs of its own: a good thing, and the same thing with one part broken.

In tests/monitoring/lint/checks each check has a folder; every `bad*.yaml` gives a finding of the check and every `good*.yaml`
gives none of any check. A line that ends in `# here` is where the finding has to stand.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from monitoring.lint import checks
from monitoring.lint.finding import Severity
from monitoring.lint.registry import CHECKS
from monitoring.lint.run import lint

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "checks"
PAGES = ROOT / "docs/checks"
TODAY = date(2026, 11, 1)
BAD = sorted(FOLDER.glob("*/bad*.yaml"))
GOOD = sorted(FOLDER.glob("*/good*.yaml"))
NAMES = [check.name for check in CHECKS]


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def test_modules_registry_pages_and_inputs_are_the_same_set() -> None:
    """A check without a page, or an input folder without a check, is a mistake."""
    modules = {
        file.stem.replace("_", "-") for file in Path(checks.__file__).parent.glob("*.py") if file.stem != "__init__"
    }
    assert len(NAMES) == len(set(NAMES))
    assert modules == set(NAMES)
    assert {file.stem for file in PAGES.glob("*.md") if file.stem != "README"} == set(NAMES)
    assert {folder.name for folder in FOLDER.iterdir() if folder.is_dir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_check_has_bad_and_good_inputs(name: str) -> None:
    """Both sides of a check are shown."""
    stems = {file.stem.split("-")[0] for file in (FOLDER / name).glob("*.yaml")}
    assert stems == {"bad", "good"}


@pytest.mark.parametrize("file", BAD, ids=_name)
def test_what_is_broken_is_found_where_it_is(file: Path) -> None:
    """The check of the folder fires, at the line that is marked."""
    lines = file.read_text(encoding="utf-8").splitlines()
    found = [one for one in lint([str(file)], today=TODAY).findings if one.check == file.parent.name]
    assert found
    marked = [number for number, line in enumerate(lines, start=1) if line.endswith("# here")]
    assert {one.line for one in found} >= set(marked)
    for one in found:
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column < one.end_column <= len(lines[one.line - 1]) + 2


@pytest.mark.parametrize("file", GOOD, ids=_name)
def test_what_is_right_is_left_alone(file: Path) -> None:
    """The counterpart of a broken thing gives nothing, of whichever check."""
    assert [f"{one.check}: {one.message}" for one in lint([str(file)], today=TODAY).findings] == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_page_says_what_the_check_is(check: object) -> None:
    """Title, severity, a number worked out, and how to turn it off stand on the page."""
    name, severity, title = check.name, check.severity, check.title  # type: ignore[attr-defined]
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {name}\n\n{title}.")
    assert f"Severity: {severity}." in page
    assert f"disable={name}" in page
    assert f"{name}: {{off: true" in page
    why = page.split("## Why")[1].split("## ")[0]
    assert re.search(r"\d", why), "a page works the harm out in numbers"
    assert severity in set(Severity)
