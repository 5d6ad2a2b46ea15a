"""HTML put together from parts, in which whatever is not HTML already is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_VOID = frozenset({"br", "meta", "wbr"})
# what may not stand in a page at all, as text or otherwise
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")


class Html(str):
    """Text that is HTML already, and is not to be escaped."""

    __slots__ = ()


def text(words: object) -> Html:
    """Words as they are to be read: every mark that means something in HTML is escaped."""
    return words if isinstance(words, Html) else Html(escape(str(words).translate(_CONTROLS)))


def tag(name: str, /, *inside: object, **attributes: object) -> Html:
    """An element; attributes that are None are left out, `class_` is class.

    >>> tag("p", "1 < 2, ", tag("b", "always"), class_="fact")
    '<p class="fact">1 &lt; 2, <b>always</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{''.join(map(text, inside))}</{name}>")


def join(parts: Iterable[object], between: str = "") -> Html:
    """The parts one after another."""
    return Html(text(between).join(map(text, parts)))


def table(
    headings: Sequence[object], rows: Iterable[Sequence[object]], *, left: Iterable[int] = (0,)
) -> Html:
    """A table that scrolls by itself when it is wide; columns hold numbers unless `left`."""
    words = set(left)

    def cells(kind: str, row: Sequence[object]) -> Html:
        return tag(
            "tr",
            *(
                tag(kind, cell, class_=None if k in words else "n",
                    scope="col" if kind == "th" else None)
                for k, cell in enumerate(row)
            ),
        )  # fmt: skip

    body = tag("tbody", *(cells("td", row) for row in rows))
    return tag("div", tag("table", tag("thead", cells("th", headings)), body), class_="wide")


def facts(pairs: Iterable[tuple[object, object]]) -> Html:
    """What is said about each thing, under its name."""
    return tag("dl", *(part for a, b in pairs for part in (tag("dt", a), tag("dd", b))))
