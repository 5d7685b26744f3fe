"""What does a CloudFormation template, or a JSON answer of the AWS CLI, hold? Files as plain values.

JSON is read as JSON. YAML is read with CloudFormation's short forms: `!Ref x` becomes `{"Ref": "x"}`, `!GetAtt a.b` becomes
`{"Fn::GetAtt": ["a", "b"]}`, `!Sub t` becomes `{"Fn::Sub": "t"}` (CloudFormation User Guide, intrinsic functions).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from cloudwatch.problems import Place, Problem, ProblemsError

__all__ = ["parse_document", "read_document"]

MAX_BYTES = 64 * 1_048_576
MAX_DEPTH = 100
_OPEN = object()


def read_document(file: str | Path) -> Any:
    """Read a JSON or YAML file.

    Raises:
        ProblemsError: It cannot be read or parsed; the problem has line and column.
    """
    name = str(file)
    try:
        if Path(file).is_file() and Path(file).stat().st_size > MAX_BYTES:
            _refuse(
                name, message=f"the file is larger than {MAX_BYTES // 1_048_576} MiB.", hint="Is it the right file?"
            )
        text = Path(file).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        _refuse(name, message="there is no such file.", hint="Check the path; it is relative to where it is written.")
    except IsADirectoryError:
        _refuse(name, message="this is a directory.", hint="Give the path of a file.")
    except UnicodeDecodeError as error:
        _refuse(name, message=f"the file is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        _refuse(name, message=f"the file cannot be read: {reason}.", hint="")
    return parse_document(text, file=name)


def parse_document(text: str, *, file: str) -> Any:
    """Parse JSON or YAML text that came from `file`.

    Raises:
        ProblemsError: It is neither, or nested more than 100 deep.
    """
    if not text.strip():
        _refuse(file, message="the file is empty.", hint="")
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            if not file.endswith((".yaml", ".yml")):
                _refuse(file, message=f"not JSON: {error.msg}.", hint="", line=error.lineno, column=error.colno)
        except RecursionError:
            _refuse(file, message="nested too deep.", hint="")
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = MAX_DEPTH
    try:
        node = yaml.compose(text)
        if node is None:
            _refuse(file, message="the file holds comments only.", hint="")
        return _plain(node, depth=0, done={})
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(str(error.problem or error.context or "a syntax error").split())
        line, column = (None, None) if mark is None else (mark.line + 1, mark.column + 1)
        _refuse(file, message=f"not YAML: {said}.", hint="", line=line, column=column)
    except (YAMLError, RecursionError, ValueError):
        _refuse(file, message="this is neither JSON nor YAML.", hint="Is it the right file?")


def _plain(node: Node, *, depth: int, done: dict[int, Any]) -> Any:
    """Return the value of a node; an anchor that is used often is one shared value, so aliases cannot multiply."""
    if id(node) in done:
        if done[id(node)] is _OPEN:
            raise YAMLError("an alias stands inside its own anchor")
        return done[id(node)]
    if depth > MAX_DEPTH:
        raise YAMLError("nested too deep")
    tag = str(node.tag or "")
    if isinstance(node, ScalarNode):
        value: Any = _scalar(node, tag)
    else:
        done[id(node)] = _OPEN
        if isinstance(node, MappingNode):
            value = {str(key.value): _plain(inner, depth=depth + 1, done=done) for key, inner in node.value}
        else:
            value = [_plain(inner, depth=depth + 1, done=done) for inner in node.value]
    done[id(node)] = _long_form(tag, value) if tag.startswith("!") and len(tag) > 1 else value
    return done[id(node)]


def _long_form(tag: str, value: Any) -> Any:
    name = tag[1:]
    if name in {"Ref", "Condition"}:
        return {name: value}
    if name == "GetAtt" and isinstance(value, str):
        return {"Fn::GetAtt": value.split(".", 1)}
    return {f"Fn::{name}": value}


_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def _scalar(node: ScalarNode, tag: str) -> Any:
    text = str(node.value)
    if node.style is not None or tag.startswith("!") or not text.isascii():
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text[-1] not in "0123456789.":
        return text
    for number in (int, float):
        try:
            value = number(text)
        except ValueError:
            continue
        return text if "_" in text or (text[0] == "0" and text.isdigit() and len(text) > 1) else value
    return text


def _refuse(file: str, *, message: str, hint: str, line: int | None = None, column: int | None = None) -> NoReturn:
    place = Place(file=file, line=line, column=column)
    raise ProblemsError([Problem(code="unreadable-file", message=message, hint=hint, place=place)])
