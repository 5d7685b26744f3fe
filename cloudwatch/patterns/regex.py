r"""What does a regular expression between % signs mean, and does a text hold it?

The subset of the Logs User Guide, Filter pattern syntax, Supported regular expressions:

    regex  := branch ('|' branch)*            branch := ('^' | '$' | atom quantifier?)*
    atom   := letter | digit | ' ' | one of  : _ # = @ / ; , -  | '.' | '\' escape | '[' '^'? (char | char '-' char)+ ']'
    escape := d D s S w W | 'x' hex hex (ASCII) | an operator or a symbol above
    quantifier := ('?' | '*' | '+' | '{' m '}' | '{' m ',' '}' | '{' m ',' n '}') '?'?

There are no groups, so quantifiers cannot nest, and an expression is an alternative of plain sequences. Python's own engine
still needs time that grows with a power of the length of the text for `a*a*a*b`. It is used where the worst case is small;
beyond that a deterministic automaton, built state by state as texts ask for it, takes one step for each character.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache

from cloudwatch.problems import TextSyntaxError

__all__ = ["Matcher", "compile_regex"]

_SYMBOLS = ":_#=@/;,- "
_OPERATORS = "^$?[]{}|\\*+."
_PLAIN = frozenset(string.ascii_letters + string.digits + _SYMBOLS)
_ASCII = frozenset(map(chr, range(128)))
_DIGITS = frozenset(string.digits)
_SPACES = frozenset(" \t\n\r\f\v")
_WORD = frozenset(string.ascii_letters + string.digits + "_")
_HEX = frozenset(string.hexdigits)
_QUANTIFIER = re.compile(r"\{([0-9]{1,4})(?:(,)\s*([0-9]{1,4})?)?\}")
_MOST_REPEATS = 1000
_MOST_POSITIONS = 2000
_BACKTRACKING_STEPS = 2_000_000
_STATES = 2000


@dataclass(frozen=True, slots=True)
class _Set:
    """A set of characters: these ASCII characters, or all characters but these."""

    members: frozenset[str]
    negated: bool = False

    def __contains__(self, char: str) -> bool:
        return (char in self.members) != self.negated

    def python(self) -> str:
        body = "".join(f"\\x{ord(char):02x}" for char in sorted(self.members))
        if not body:
            return r"[\s\S]" if self.negated else r"[^\s\S]"
        return f"[{'^' if self.negated else ''}{body}]"


_NOTHING = _Set(frozenset())
_DOT = _Set(frozenset("\n"), negated=True)
_CLASSES = {
    "d": _Set(_DIGITS),
    "D": _Set(_DIGITS, negated=True),
    "s": _Set(_SPACES),
    "S": _Set(_SPACES, negated=True),
    "w": _Set(_WORD),
    "W": _Set(_WORD, negated=True),
}


@dataclass(frozen=True, slots=True)
class _Item:
    """A set of characters, repeated `low` to `high` times (None: without end)."""

    chars: _Set
    low: int = 1
    high: int | None = 1

    def python(self) -> str:
        if (self.low, self.high) == (1, 1):
            return self.chars.python()
        return f"{self.chars.python()}{{{self.low},{'' if self.high is None else self.high}}}"


@dataclass(frozen=True, slots=True)
class _Branch:
    items: tuple[_Item, ...]
    at_start: bool
    at_end: bool

    def python(self) -> str:
        body = "".join(item.python() for item in self.items)
        return ("^" if self.at_start else "") + body + (r"\Z" if self.at_end else "")

    def longest_for_backtracking(self) -> int:
        """Return the text length up to which the worst case of backtracking stays within `_BACKTRACKING_STEPS`."""
        fixed, open_ended = max(1, len(self.items)), 0 if self.at_start else 1
        for item in self.items:
            width = _MOST_REPEATS if item.high is None else item.high - item.low + 1
            if width > 30:
                open_ended += 1
            else:
                fixed = min(fixed * width, _BACKTRACKING_STEPS + 1)
            fixed += item.low
        return int((_BACKTRACKING_STEPS / fixed) ** (1 / max(1, open_ended)))


class Matcher:
    """Tells whether a text holds a regular expression; time is linear in the length of the text.

    Args:
        branches: The alternatives.
    """

    def __init__(self, branches: tuple[_Branch, ...]) -> None:
        source = "|".join(branch.python() for branch in branches) if branches else "(?!)"
        self._search = re.compile(source).search
        longest = [branch.longest_for_backtracking() for branch in branches]
        self._longest = min(longest) // len(longest) if longest else 0
        self._branches = branches
        self._automaton: _Automaton | None = None

    def __call__(self, text: str) -> bool:
        """Tell whether the text holds the expression anywhere."""
        if len(text) <= self._longest:
            return self._search(text) is not None
        return self.walk(text)

    def walk(self, text: str) -> bool:
        """Answer with the automaton, whatever the length."""
        if self._automaton is None:
            self._automaton = _Automaton(self._branches)
        return self._automaton.accepts(text)


@lru_cache(maxsize=512)
def compile_regex(source: str) -> Matcher:
    """Return a matcher for the text between two % signs.

    Raises:
        TextSyntaxError: It is outside the subset; offsets count within `source`.
    """
    return Matcher(_Reader(source).branches())


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.positions = 0

    def branches(self) -> tuple[_Branch, ...]:
        if not self.source:
            raise self._error("The regular expression is empty", start=0, hint="Write something between the % signs.")
        found = [self._branch()]
        while self.at < len(self.source):
            self.at += 1  # the | that ended the branch
            found.append(self._branch())
        return tuple(branch for branch in found if branch is not None)

    def _branch(self) -> _Branch | None:
        """Return the branch up to `|` or the end; None for one that matches nothing, such as `a^b`."""
        items: list[_Item] = []
        at_start = at_end = dead = False
        while self.at < len(self.source) and self.source[self.at] != "|":
            char = self.source[self.at]
            if char == "^":
                self.at += 1
                # Whatever stands before must match nothing at the start of the text.
                dead |= any(item.low > 0 for item in items)
                items.clear()
                at_start = True
            elif char == "$":
                self.at += 1
                at_end = True
            else:
                chars = self._atom(char)
                low, high = self._quantifier()
                self.positions += max(low, 1) if high is None else high
                if self.positions > _MOST_POSITIONS:
                    raise self._error(f"The regular expression repeats more than {_MOST_POSITIONS} characters", start=0)
                if at_end:  # whatever stands behind must match nothing at the end of the text
                    dead |= low > 0
                elif high != 0:
                    items.append(_Item(chars, low, high))
        return None if dead else _Branch(tuple(items), at_start, at_end)

    def _atom(self, char: str) -> _Set:
        start = self.at
        self.at += 1
        if char == ".":
            return _DOT
        if char == "\\":
            return self._escape(start)
        if char == "[":
            return self._class(start)
        if char in "*+?{":
            raise self._error(
                f"{char} repeats nothing", start=start, hint=f"Put something before it, or write \\{char}."
            )
        if char in "]}":
            raise self._error(f"{char} closes nothing", start=start, hint=f"Write \\{char} for the character.")
        return _Set(frozenset(self._plain(char, start)))

    def _plain(self, char: str, start: int) -> str:
        if char in _PLAIN:
            return char
        if char in "()":
            raise self._error(
                f"{char} is not supported in regular expressions",
                start=start,
                hint=f"There are no groups; write \\x{ord(char):02x} for the character itself.",
            )
        hint = f"Write \\x{ord(char):02x}." if char in _ASCII else "Only ASCII is supported."
        raise self._error(f"{char!r} is not supported in regular expressions", start=start, hint=hint)

    def _escape(self, start: int) -> _Set:
        if self.at >= len(self.source):
            raise self._error("A backslash escapes nothing", start=start, hint=r"Write \\ for a backslash.")
        char = self.source[self.at]
        self.at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        if char == "x":
            digits = self.source[self.at : self.at + 2]
            if len(digits) < 2 or not set(digits) <= _HEX or int(digits, 16) > 127:
                raise self._error(
                    r"\x is followed by two hexadecimal digits of an ASCII character", start=start, hint=r"Write \x28."
                )
            self.at += 2
            return _Set(frozenset(chr(int(digits, 16))))
        if char in _OPERATORS or char in _SYMBOLS or char == "%":
            return _Set(frozenset(char))
        raise self._error(
            f"\\{char} is not supported in regular expressions",
            start=start,
            hint=r"Escapes are \d \D \s \S \w \W \xhh and a backslash before an operator.",
        )

    def _class(self, start: int) -> _Set:
        negated = self.source[self.at : self.at + 1] == "^"
        self.at += negated
        members: set[str] = set()
        while True:
            if self.at >= len(self.source):
                raise self._error("The character class is not closed", start=start, hint="Add ].")
            char = self.source[self.at]
            if char == "]":
                break
            left = self._class_member()
            if self._range_follows():
                at = self.at
                self.at += 1
                right = self._class_member()
                if len(left.members) != 1 or len(right.members) != 1 or left.negated or right.negated:
                    raise self._error("A range needs one character on each side", start=at)
                low, high = ord(next(iter(left.members))), ord(next(iter(right.members)))
                if low > high:
                    raise self._error(f"The range {chr(low)}-{chr(high)} runs backwards", start=at - 1, end=self.at)
                members.update(map(chr, range(low, high + 1)))
            else:
                members |= _ASCII - left.members if left.negated else left.members
        self.at += 1
        if not members:
            raise self._error("The character class is empty", start=start, hint=r"Write \[ and \] for brackets.")
        return _Set(frozenset(members), negated=negated)

    def _class_member(self) -> _Set:
        start = self.at
        if start >= len(self.source):
            raise self._error("The character class is not closed", start=start, hint="Add ].")
        char = self.source[start]
        self.at += 1
        if char == "\\":
            return self._escape(start)
        if char in _OPERATORS:
            return _Set(frozenset(char))
        return _Set(frozenset(self._plain(char, start)))

    def _range_follows(self) -> bool:
        rest = self.source[self.at : self.at + 2]
        return len(rest) == 2 and rest[0] == "-" and rest[1] != "]"

    def _quantifier(self) -> tuple[int, int | None]:
        start = self.at
        char = self.source[start : start + 1]
        if not char or char not in "*+?{":
            return 1, 1
        low: int
        high: int | None
        if char == "{":
            found = _QUANTIFIER.match(self.source, start)
            if found is None:
                raise self._error(
                    "{ does not start {m}, {m,} or {m,n}", start=start, hint=r"Write \{ for the character."
                )
            low = int(found[1])
            high = int(found[3]) if found[3] else (None if found[2] else low)
            if (high is not None and high < low) or max(low, high or 0) > _MOST_REPEATS:
                raise self._error(
                    f"{found[0]} is not a number of repeats from small to large, up to {_MOST_REPEATS}",
                    start=start,
                    end=found.end(),
                )
            self.at = found.end()
        else:
            self.at += 1
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        following = self.source[self.at : self.at + 1]
        if following == "?":  # the shortest match instead of the longest: the same answer to whether there is one
            self.at += 1
            following = self.source[self.at : self.at + 1]
        if following and following in "*+?{":
            raise self._error(f"{following} repeats a repeat", start=self.at, hint="Leave one of them out.")
        return low, high

    def _error(self, message: str, *, start: int, end: int | None = None, hint: str = "") -> TextSyntaxError:
        last = min(start + 1, len(self.source)) if end is None else end
        return TextSyntaxError(message, text=self.source, start=start, end=last, hint=hint)


class _Automaton:
    """The expression as positions, states as sets of positions in the bits of one integer.

    A repeat of 2 to 4 becomes four positions of which the last two may be skipped; one without end loops on its last
    position. A state is what may match next; `rows[state][char]` is the following state.
    """

    def __init__(self, branches: tuple[_Branch, ...]) -> None:
        self._sets: list[_Set] = []
        self._loops: list[bool] = []
        self._skip: list[bool] = []
        starts = floating = accepting = at_end = 0
        for branch in branches:
            entry = 1 << len(self._sets)
            for item in branch.items:
                count = max(item.low, 1) if item.high is None else item.high
                self._sets.extend([item.chars] * count)
                self._loops.extend(item.high is None and number == count - 1 for number in range(count))
                self._skip.extend(number >= item.low for number in range(count))
            end = 1 << len(self._sets)  # reached when the whole branch has matched; no character leads on
            self._sets.append(_NOTHING)
            self._loops.append(False)
            self._skip.append(False)
            starts |= entry
            floating |= 0 if branch.at_start else entry
            accepting |= 0 if branch.at_end else end
            at_end |= end
        self._accepting, self._at_end = accepting, at_end
        self._floating = self._closed(floating)
        self._first = self._closed(starts)
        self._rows: dict[int, dict[str, int]] = {}

    def _closed(self, state: int) -> int:
        """Add every position that is reached by skipping."""
        pending, found = state, state
        while pending:
            low = pending & -pending
            pending ^= low
            position = low.bit_length() - 1
            if self._skip[position] and not found & (low << 1):
                found |= low << 1
                pending |= low << 1
        return found

    def accepts(self, text: str) -> bool:
        state, rows = self._first, self._rows
        if state & self._accepting:
            return True
        for char in text:
            row = rows.get(state)
            if row is None:
                if len(rows) >= _STATES:
                    rows.clear()
                row = rows[state] = {}
            following = row.get(char)
            if following is None:
                following = self._step(state, char)
                if len(row) < 256:
                    row[char] = following
            if following & self._accepting:
                return True
            state = following
        return bool(state & self._at_end)

    def _step(self, state: int, char: str) -> int:
        found, pending = 0, state
        while pending:
            low = pending & -pending
            pending ^= low
            position = low.bit_length() - 1
            if char in self._sets[position]:
                found |= low << 1
                if self._loops[position]:
                    found |= low
        return self._closed(found | self._floating)
