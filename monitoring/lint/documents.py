"""What does a file hold? Its text, and the value it stands for.

Everything that can be wrong with a file (not there, not text, broken, too deep, numbers of a million digits) is one problem.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloudwatch.problems import Place, Problem, ProblemsError
from monitoring.template_files import MAX_BYTES, parse_document

__all__ = ["Document", "Unreadable", "read_text_document", "text_document"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A file that was read.

    Attributes:
        file: As the user named it.
        text: Its text.
        data: Its value; tags of CloudFormation in their long form.
        is_json: Whether the text is JSON; else it is YAML.
    """

    file: str
    text: str
    data: Any
    is_json: bool


class Unreadable(Exception):  # noqa: N818 - it carries a problem, it is not one
    """A file cannot be read; `problem` says why, `missing` whether there is none."""

    def __init__(self, problem: Problem, *, missing: bool = False) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.missing = missing


def read_text_document(file: str) -> Document:
    """Read a file.

    Raises:
        Unreadable: It is not there, or holds no JSON and no YAML.
    """
    path = Path(file)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _unreadable(file, f"the file is larger than {MAX_BYTES // 1_048_576} MiB")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(file, f"the file is not UTF-8 text (byte {error.start})", hint="Save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise _unreadable(file, f"the file cannot be read: {reason}", missing=True) from error
    return text_document(text, file=file)


def text_document(text: str, *, file: str) -> Document:
    """Parse the text of a file.

    Raises:
        Unreadable: It holds no JSON and no YAML.
    """
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return Document(file=file, text=text, data=json.loads(text), is_json=True)
        except RecursionError:
            raise _unreadable(file, "the file is nested too deep", hint="Is it the right file?") from None
        except json.JSONDecodeError:
            pass  # flow YAML begins like this too; what is wrong is said by the parser below
        except ValueError:
            raise _unreadable(file, "a number in the file has too many digits") from None
    try:
        return Document(file=file, text=text, data=parse_document(text, file=file), is_json=False)
    except ProblemsError as error:
        raise Unreadable(error.problems[0]) from error
    except Exception as error:  # a YAML parser given any bytes has many ways to fail
        raise _unreadable(file, f"this is neither JSON nor YAML ({type(error).__name__})") from error


def _unreadable(file: str, message: str, *, hint: str = "", missing: bool = False) -> Unreadable:
    problem = Problem(code="unreadable-file", message=f"{message}.", hint=hint, place=Place(file=file))
    return Unreadable(problem, missing=missing)
