"""HTML assembled from parts; text is escaped unless it is marked as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from html import escape

from novikoff.show.plots.axes import CONTROLS

_VOID = frozenset({"br", "meta", "wbr"})
_CONTROLS = {code: sign for code, sign in CONTROLS.items() if code != ord("\n")}


class Html(str):
    """Text that is already HTML, and not escaped again."""

    __slots__ = ()


def text(words: object) -> Html:
    """The words with every character that has a meaning in HTML escaped."""
    return words if isinstance(words, Html) else Html(escape(str(words).translate(_CONTROLS)))


def tag(name: str, /, *inside: object, **attributes: object) -> Html:
    """An element. Attributes that are None are left out; write `class_` for class.

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


paragraph, heading = partial(tag, "p"), partial(tag, "h3")


def table(
    headings: Sequence[object], rows: Iterable[Sequence[object]], *, left: Iterable[int] = (0,)
) -> Html:
    """A table that scrolls sideways if it is wide; the columns in `left` hold text, not numbers."""
    words = set(left)

    def line(kind: str, cells: Sequence[object], scope: str | None = None) -> Html:
        classes = (None if k in words else "n" for k in range(len(cells)))
        pairs = zip(cells, classes, strict=True)
        return tag("tr", *(tag(kind, cell, class_=kept, scope=scope) for cell, kept in pairs))

    head = tag("thead", line("th", headings, "col"))
    body = tag("tbody", *(line("td", row) for row in rows))
    return tag("div", tag("table", head, body), class_="wide")


def folded(words: str, *inside: object) -> Html:
    """Parts that a reader unfolds; on paper only these words are left."""
    return tag("details", tag("summary", words), *inside)


def facts(about: Mapping[str, str]) -> Html:
    """A list of names, each with what is known about it."""
    return tag("dl", *(part for a, b in about.items() for part in (tag("dt", a), tag("dd", b))))
