"""What does a team want of lint? The section `lint:` of monitoring.yaml.

lint:
checks:
no-runbook: {severity: risk}
ratio-without-minimum: {off: true, until: "2026-12-31"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from cloudwatch.problems import Problem, ProblemsError
from monitoring.lint.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.config.source import Source

__all__ = ["LintSettings", "load_settings", "settings_from"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LintSettings:
    """What is not as the checks come.

    Attributes:
        severities: Other severities, by check.
        off: Checks that do not run, each with the last day of that, or None for good.
    """

    severities: Mapping[str, Severity] = field(default_factory=dict)
    off: Mapping[str, date | None] = field(default_factory=dict)


def load_settings(file: str, *, checks: Sequence[str]) -> LintSettings:
    """Read the section of a configuration; the rest of the file is not judged.

    Raises:
        ProblemsError: The file cannot be read, or the section is wrong.
    """
    from monitoring.config.source import read_source  # noqa: PLC0415 - without a configuration it is not needed

    return settings_from(read_source(file), checks=checks)


def settings_from(source: Source, *, checks: Sequence[str]) -> LintSettings:
    """Return the settings of a configuration that was read.

    Raises:
        ProblemsError: The section is wrong; every problem at its place.
    """
    from monitoring.config.source import did_you_mean  # noqa: PLC0415 - as above

    problems: list[Problem] = []
    severities: dict[str, Severity] = {}
    off: dict[str, date | None] = {}

    def refuse(path: tuple[str, ...], message: str, *, hint: str = "", of_key: bool = False) -> None:
        place = source.place(path, of_key=of_key)
        problems.append(Problem(code="lint-settings", message=message, hint=hint, place=place))

    section: Any = source.data.get("lint") if isinstance(source.data, Mapping) else None
    wanted = section.get("checks") if isinstance(section, Mapping) else section
    if wanted is not None and not isinstance(wanted, Mapping):
        refuse(("lint",), "lint.checks is a mapping from check to settings.")
        wanted = None
    for name, one in (wanted or {}).items():
        path = ("lint", "checks", str(name))
        if name not in checks:
            refuse(path, f"There is no check {name}.", hint=did_you_mean(str(name), checks), of_key=True)
        elif not isinstance(one, Mapping):
            refuse(path, f"{name} takes severity, off and until.")
        else:
            _read(str(name), one, refuse=refuse, severities=severities, off=off)
    if problems:
        raise ProblemsError(problems)
    return LintSettings(severities=severities, off=off)


def _read(
    name: str, one: Mapping[str, Any], *, refuse: Any, severities: dict[str, Severity], off: dict[str, date | None]
) -> None:
    from monitoring.config.source import did_you_mean  # noqa: PLC0415 - as above

    path = ("lint", "checks", name)
    known = ("severity", "off", "until")
    for key in one:
        if key not in known:
            refuse((*path, str(key)), f"{name} has no setting {key}.", hint=did_you_mean(str(key), known), of_key=True)
    severity = one.get("severity")
    if severity in list(Severity):
        severities[name] = Severity(severity)
    elif severity is not None:
        refuse((*path, "severity"), f"severity is {severity}; it is bug, risk or style.")
    until = one.get("until")
    last = None
    if until is not None:
        try:
            last = date.fromisoformat(str(until))
        except ValueError:
            refuse((*path, "until"), f"until is {until}; it is a date such as 2026-12-31.")
            return
    if one.get("off") is True:
        off[name] = last
    elif one.get("off") not in (None, False):
        refuse((*path, "off"), "off is true or false.")
