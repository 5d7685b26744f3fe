"""How is foreign Markdown shown without running any of it? CommonMark with tables, HTML switched off, links to http(s) alone.

A picture would be a request to somebody's server: it becomes a link. `[button:primary:Text](address)` is a button, as CloudWatch
shows it ("Using Markdown in CloudWatch", User Guide). Styles are classes, because the page forbids styles in attributes.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

__all__ = ["is_safe_link", "markdown_html"]

_BUTTON = re.compile(r"button:(?:(primary):)?")
_ALIGN = re.compile(r"text-align:(left|center|right)")


def is_safe_link(address: str) -> bool:
    """Tell whether an address is http or https and names a host."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return False
    return parts.scheme.lower() in {"http", "https"} and bool(parts.netloc)


def markdown_html(text: str) -> str:
    """Return the HTML of a Markdown text; nothing in it executes, loads or leaves the page but by a click on a link."""
    engine = _engine()
    tokens = engine.parse(text)
    for token in tokens:
        _restyle(token)
        if token.children is not None:
            token.children = _safe(token.children)
    html: str = engine.renderer.render(tokens, engine.options, {})
    return html


class _Engine(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002 - judged in `_safe`, so that a refused link keeps its text
        return True


@cache
def _engine() -> MarkdownIt:
    return _Engine("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])


def _restyle(token: Token) -> None:
    style = token.attrs.pop("style", None)
    if isinstance(style, str) and (found := _ALIGN.search(style)):
        token.attrSet("class", f"align-{found[1]}")
    if token.type == "fence":
        token.info = ""


def _safe(children: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    opened: list[bool] = []
    for index, token in enumerate(children):
        if token.type == "link_open":
            good = is_safe_link(str(token.attrs.get("href", "")))
            opened.append(good)
            if good:
                token.attrs = {"href": token.attrs["href"], "target": "_blank", "rel": "noopener noreferrer"}
                _as_button(token, children[index + 1] if index + 1 < len(children) else None)
                out.append(token)
        elif token.type == "link_close":
            if opened.pop():
                out.append(token)
        elif token.type == "image":
            out.append(_as_text(token))
        else:
            out.append(token)
    return out


def _as_button(link: Token, words: Token | None) -> None:
    found = _BUTTON.match(words.content) if words is not None and words.type == "text" else None
    if found and words is not None:
        link.attrs["class"] = "button primary" if found[1] else "button"
        words.content = words.content[found.end() :]


def _as_text(image: Token) -> Token:
    address = str(image.attrs.get("src", ""))
    words = f"[picture not loaded: {image.content or address}]"
    image.type, image.tag, image.nesting, image.children = "html_inline", "", 0, None
    image.content = (
        f'<a href="{escape(address, quote=True)}" target="_blank" rel="noopener noreferrer">{escape(words)}</a>'
        if is_safe_link(address)
        else escape(words)
    )
    return image
