"""What does a YAML file say, and where does it say it?

YAML 1.2: `no` and `on` are text, numbers with leading zeros are text (an account id stays what it is), duplicate keys, several
documents, merge keys and tags of other languages are errors. `read_source` keeps the position of every key and value by its
path, so that a problem can be shown where it stands.

Limits: 1 MiB, 20 levels, 20,000 values after aliases have been followed. A file that goes past them is refused in one sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from cloudwatch.problems import Place, Problem, ProblemsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Path_", "Source", "did_you_mean", "dotted", "parse_source", "read_source", "shown"]

Path_ = tuple[str | int, ...]

MAX_BYTES = 1_048_576
MAX_DEPTH = 20
MAX_VALUES = 20_000
SHOWN = 60

_INT = re.compile(r"^[-+]?(0|[1-9][0-9]*)$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_LEADING_ZERO = re.compile(r"^[-+]?0[0-9]+$")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_TAG = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset(
    _TAG + name for name in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "value", "merge")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A parsed file.

    Attributes:
        file: The file as the user named it.
        lines: Its lines, for printing a problem with the line it is in.
        data: Mappings, lists, texts, numbers, booleans and None.
        keys: Line and column (from 1) of the key that leads to a path.
        values: Line and column of the value at a path.
        problems: Keys and tags that were refused; `data` leaves them out.
    """

    file: str
    lines: tuple[str, ...]
    data: Any
    keys: Mapping[Path_, tuple[int, int]] = field(default_factory=dict)
    values: Mapping[Path_, tuple[int, int]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def place(self, path: Sequence[str | int], *, of_key: bool = False) -> Place:
        """Return where a path stands; of a path that is not there, where its nearest parent stands."""
        at: Path_ = tuple(path)
        while at and at not in self.values:
            at = at[:-1]
            of_key = True
        position = self.keys.get(at) if of_key else self.values.get(at)
        line, column = position or self.values.get(at) or (1, 1)
        return Place(file=self.file, line=line, column=column, path=dotted(path))


def dotted(path: Sequence[str | int]) -> str:
    """Return a path as people write it: `accounts.prod.regions[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def shown(value: Any) -> str:
    """Return a value for a message: at most 60 characters, mappings and lists only by their size."""
    if isinstance(value, dict):
        return f"a mapping of {len(value)} keys" if len(value) != 1 else "a mapping of 1 key"
    if isinstance(value, list):
        return f"a list of {len(value)} values" if len(value) != 1 else "a list of 1 value"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = "".join(char if char.isprintable() else "?" for char in str(value))
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
    return f"'{text}'" if isinstance(value, str) else text


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return `Did you mean 'x'?` for the closest of the known words, all of them where several are as close, or an empty text."""
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 - only a wrong file needs it

    close = get_close_matches(word, known, n=3, cutoff=0.6)
    matcher = SequenceMatcher(b=word)

    def likeness(other: str) -> float:
        matcher.set_seq1(other)
        return matcher.ratio()

    nearest = sorted(f"'{other}'" for other in set(close) if likeness(other) == likeness(close[0]))
    return f"Did you mean {' or '.join(nearest)}?" if nearest else ""


def read_source(file: str | Path) -> Source:
    """Read and parse a file.

    Raises:
        ProblemsError: The file cannot be read or is not YAML; one problem. Refused keys are in `Source.problems`.
    """
    name = str(file)
    path = Path(file)
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        _refuse(
            name,
            "file-not-found",
            "there is no such file.",
            "Give the path of your monitoring.yaml, or write a first one with 'bedrock-monitor init'.",
        )
    except IsADirectoryError:
        _refuse(name, "file-is-directory", "this is a directory.", "Give the path of a YAML file.")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not valid"
        _refuse(name, "file-unreadable", f"the file cannot be read: {reason}.", "")
    if len(raw) > MAX_BYTES:
        _refuse(name, "file-too-large", f"the file is larger than {MAX_BYTES // 1024} KiB.", "Is it the right file?")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        place = Place(file=name, line=line, column=column)
        _refuse(name, "not-utf-8", "the file is not UTF-8 text.", "Save it as UTF-8 (YAML 1.2).", place)
    return parse_source(text, file=name)


def parse_source(text: str, *, file: str) -> Source:
    """Parse YAML text that came from `file`.

    Raises:
        ProblemsError: The text is not YAML, or is empty.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = MAX_DEPTH
    try:
        node = yaml.compose(text)
    except (YAMLError, RecursionError, ValueError) as error:
        from monitoring.config.syntax import syntax_problem  # noqa: PLC0415 - only a wrong file needs it

        raise ProblemsError([syntax_problem(error, text=text, file=file, depth=MAX_DEPTH)]) from None
    if node is None:
        _refuse(file, "file-empty", "the file is empty.", "Remove it and start with 'bedrock-monitor init'.")
    walk = _Walk(file=file)
    data = walk.plain(node, ())
    return Source(
        file=file,
        lines=tuple(text.splitlines()),
        data=data,
        keys=walk.keys,
        values=walk.values,
        problems=tuple(walk.problems),
    )


def _refuse(file: str, code: str, message: str, hint: str, place: Place | None = None) -> NoReturn:
    raise ProblemsError([Problem(code=code, message=message, hint=hint, place=place or Place(file=file))]) from None


def _place(mark: Any, file: str) -> Place:
    return Place(file=file, line=mark.line + 1, column=mark.column + 1) if mark is not None else Place(file=file)


class _Walk:
    """Turns nodes into plain values and remembers where each stands."""

    def __init__(self, *, file: str) -> None:
        self.file = file
        self.keys: dict[Path_, tuple[int, int]] = {}
        self.values: dict[Path_, tuple[int, int]] = {}
        self.problems: list[Problem] = []
        self.open: set[int] = set()

    def plain(self, node: Any, path: Path_) -> Any:
        self.values[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if len(self.values) > MAX_VALUES or id(node) in self.open:
            message = f"more than {MAX_VALUES} values once aliases are followed."
            _refuse(self.file, "too-large", message, "Write repeated parts once, as defaults.", self.at(node))
        tag = str(node.tag) if node.tag is not None else ""
        if tag and tag not in _KNOWN_TAGS:
            self.problem(
                "yaml-tag", f"the tag {shown(tag.replace(_TAG, '!!'))} has no meaning here.", "Remove it.", node
            )
            return None
        if isinstance(node, ScalarNode):
            return _scalar(node)
        self.open.add(id(node))
        value = self.mapping(node, path) if isinstance(node, MappingNode) else self.sequence(node, path)
        self.open.discard(id(node))
        return value

    def sequence(self, node: SequenceNode, path: Path_) -> list[Any]:
        return [self.plain(item, (*path, index)) for index, item in enumerate(node.value)]

    def mapping(self, node: MappingNode, path: Path_) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self.problem("key-not-text", "a key has to be text.", "Write 'key: value'.", key_node)
                continue
            key = key_node.value
            if key == "<<" and key_node.style is None:
                hint = "Use organisation.defaults or model_defaults for what several places share."
                self.problem("merge-key", "merge keys (<<) are not YAML 1.2.", hint, key_node)
                continue
            if key in found:
                line = self.keys[(*path, key)][0]
                message = f"the key {shown(key)} stands here a second time; the first is in line {line}."
                self.problem("duplicate-key", message, "Keep one of them.", key_node)
                continue
            self.keys[(*path, key)] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            found[key] = self.plain(value_node, (*path, key))
            if found[key] is None and value_node.start_mark.index == value_node.end_mark.index:
                self.values[(*path, key)] = self.keys[(*path, key)]  # nothing is written: the key is where to look
        return found

    def at(self, node: Any) -> Place:
        return _place(node.start_mark, self.file)

    def problem(self, code: str, message: str, hint: str, node: Any, /) -> None:
        self.problems.append(Problem(code=code, message=message, hint=hint, place=self.at(node)))


def _scalar(node: ScalarNode) -> Any:
    text = cast("str", node.value)
    if node.style is not None or str(node.tag) == f"{_TAG}str":
        return text
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _LEADING_ZERO.match(text) or len(text) > SHOWN:
        return text
    if _INT.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text
