"""Why is a file not YAML, in the words of somebody who edits it, and where is the cause?

A parser says where it stopped, which is often lines after the cause: a quote that is not closed ends at the next quote of the
file. So the first quoted text that goes over several lines is looked at, where the parser stopped behind one.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.tokens import ScalarToken

from cloudwatch.problems import Place, Problem
from monitoring.config.source import shown

__all__ = ["syntax_problem"]


def syntax_problem(error: Exception, *, text: str, file: str, depth: int) -> Problem:
    """Return what a parser refused as a problem at its cause.

    Args:
        error: What the parser raised.
        text: The whole file.
        file: Its name.
        depth: Levels of nesting that are allowed.
    """
    if isinstance(error, (MaxDepthExceededError, RecursionError)):
        mark = getattr(error, "problem_mark", None)
        message, hint = f"more than {depth} levels of nesting.", "Close brackets, or use fewer levels."
        return Problem(code="too-deep", message=message, hint=hint, place=_place(mark, file))
    if not isinstance(error, MarkedYAMLError):
        message = "the file is not YAML text (control characters?)."
        return Problem(code="yaml-syntax", message=message, hint="Save it as plain UTF-8 text.", place=Place(file=file))
    mark = error.problem_mark or error.context_mark
    said = " ".join(str(error.problem or error.context or "not YAML").split())
    opening = _opening_quote(text, error)
    if opening is not None:
        return opening_problem(opening, file=file)
    lines = text.splitlines()
    line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    message, hint = _tab(line, mark.column) if "\\t" in said else _explained(said)
    return Problem(code="yaml-syntax", message=message, hint=hint, place=_place(mark, file))


def opening_problem(opening: tuple[Any, int | None], *, file: str) -> Problem:
    """Return the problem of a quote that is opened at a mark and closed lines later, or never."""
    mark, end = opening
    message = "a quote is opened here and never closed."
    if end is not None:
        message = f"a quote is opened here and only closed in line {end + 1}, by the next quote of the file."
    return Problem(code="yaml-syntax", message=message, hint="Close the quote in its line.", place=_place(mark, file))


def _opening_quote(text: str, error: MarkedYAMLError) -> tuple[Any, int | None] | None:
    """Return where the quote opens that is to blame, and in which line (from 0) it closes; None where no quote is."""
    unclosed = "quoted scalar" in str(error.context)
    if not unclosed and error.problem_mark is None:
        return None
    first: tuple[Any, int | None] | None = None
    last_end = -1
    try:
        for token in YAML(typ="safe", pure=True).scan(text):
            if (
                isinstance(token, ScalarToken)
                and token.style in {'"', "'"}
                and token.start_mark.line < token.end_mark.line
            ):
                first = first or (token.start_mark, token.end_mark.line)
                last_end = token.end_mark.line
    except (YAMLError, RecursionError, ValueError):
        pass  # it is what is being explained
    if unclosed:
        return first or (error.context_mark, None)
    return first if error.problem_mark.line == last_end else None


def _tab(line: str, column: int) -> tuple[str, str]:
    if line[:column].strip():
        return "a tab character stands where YAML wants a space.", "Put a space after the colon or comma, and no tab."
    return "a tab character stands where YAML wants spaces.", "Indent with spaces."


def _explained(said: str) -> tuple[str, str]:
    """Say a parser's message in the words of somebody who edits the file."""
    if "undefined alias" in said:
        return f"{said.removeprefix('found ')}.", "Define the anchor (&name) above the alias (*name)."
    if "mapping values are not allowed" in said:
        return "a second ': ' on one line, or a wrong indentation.", "Put text that holds ': ' into quotes; align keys."
    if "could not find expected ':'" in said:
        return "a key without ': '.", "Write 'key: value'."
    if "<stream end>" in said:
        return "the file ends inside a list or mapping.", "Close the bracket or brace."
    if "expected ',' or" in said:
        return "a comma or a closing bracket is missing.", "Write [a, b] or {key: value, key: value}."
    if "sequence entries are not allowed" in said:
        return "a list item ('- ') cannot stand here.", "Start the list on a line of its own, below its key."
    if "mapping keys are not allowed" in said:
        return "a key that starts with '? ' cannot stand here.", "Write 'key: value'."
    if "expected <block end>" in said or "did not find expected" in said or "'<document start>'" in said:
        return "this does not fit the indentation above.", "Align it with its neighbours; close quotes and brackets."
    if "expected a single document" in said or "another document" in said:
        return "the file holds more than one YAML document.", "Remove the '---' line."
    if "cannot start any token" in said:
        return "a value cannot start with this character.", "Put the value into quotes."
    return f"not YAML: {shown(said)[1:-1]}.", "Compare with examples/acme/monitoring.yaml."


def _place(mark: Any, file: str) -> Place:
    return Place(file=file, line=mark.line + 1, column=mark.column + 1) if mark is not None else Place(file=file)
