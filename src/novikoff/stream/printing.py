"""Numbers, names and tables as people read them: the same on every machine and in every locale."""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

_LONGEST_NAME = 60
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Escape sequences, line ends, signs that turn the direction of writing, halves of characters.
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_DECIMAL = Context(prec=40)  # the caller's own context may be coarser


def count(n: int) -> str:
    """A whole number with commas; from 10¹² on, four digits and a power of ten.

    >>> count(12345), count(-7), count(73 * 10**15)
    ('12,345', '−7', '7.3×10¹⁶')
    """
    return f"{n:,}".replace("-", "−") if abs(n) < 10**12 else short(Fraction(n))


def plural(n: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun; nouns that do not take an s give their plural.

    >>> plural(1, "row"), plural(2000, "row"), plural(3, "pass", "passes")
    ('1 row', '2,000 rows', '3 passes')
    """
    return f"{count(n)} {noun if n == 1 else nouns or noun + 's'}"


def short(x: float | Fraction | Decimal, digits: int = 4) -> str:
    """A number in a few significant digits; below 10¹² at least to the nearest whole number.

    >>> short(-0.00001234), short(12345.6), short(12345.678, 6), short(Fraction(1, 3), 6)
    ('−1.234×10⁻⁵', '12,346', '12,345.7', '0.333333')
    """
    if isinstance(x, float) and not math.isfinite(x):
        return "not a number" if math.isnan(x) else "∞" if x > 0 else "−∞"
    if not isinstance(x, float):
        x = _DECIMAL.divide(*map(Decimal, x.as_integer_ratio()))
    size = math.fabs(x)
    if 1000 <= size < 10**12:
        decimals = max(0, digits - len(str(int(size))))
        mantissa, power = f"{x:,.{decimals}f}", ""
    else:
        mantissa, _, power = f"{x:.{digits}g}".partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    exponent = f"×10{str(int(power)).translate(_SUPERSCRIPTS)}" if power else ""
    return mantissa.replace("-", "−") + exponent


def percent(part: int, whole: int, digits: int = 1) -> str:
    """A part of a whole in per cent; a dash if the whole is 0.

    >>> percent(1, 3), percent(1, 3, 2), percent(0, 0)
    ('33.3%', '33.33%', '–')
    """
    return f"{100 * part / whole:.{digits}f}%" if whole else "–"


def share(x: float, digits: int = 2) -> str:
    """A share between 0 and 1 in per cent; a dash if it is not defined (NaN)."""
    return "–" if math.isnan(x) else f"{100 * x:.{digits}f}%"


def share_upwards(x: float) -> str:
    """A share in per cent, rounded upwards, as an upper bound must be.

    >>> share_upwards(0.1201)
    '12.1%'
    """
    return f"{math.ceil(x * 1000) / 10:.1f}%"


def cut(text: str, most: int = _LONGEST_NAME) -> str:
    """The text, or its first characters and an ellipsis if it is longer than `most`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def cut_middle(text: str, most: int = _LONGEST_NAME) -> str:
    """The text, or whole words of its two ends if it is longer than `most`."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half].rsplit(' ', 1)[0]} … {text[-half:].split(' ', 1)[-1]}"


def plain(name: str) -> str:
    r"""The name; in quotes and escaped if it would break its line or control the terminal.

    >>> print(plain("spam"), plain("spam\n"))
    spam 'spam\n'
    """
    return repr(name) if _CONTROLS.search(name) else name


def one_line(text: str) -> str:
    r"""The text in one line, with characters that control the terminal escaped.

    >>> print(one_line("no file\n\x1b[31m"))
    no file \x1b[31m
    """
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], " ".join(text.splitlines()))


def listed(names: Sequence[str], most: int = 10) -> str:
    """The names with commas between them; of more than `most`, the first ones and how many follow.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    return ", ".join(map(plain, names[:most])) + _and_more(len(names) - most)


def quoted(text: str) -> str:
    """The text in quotes, cut when it is long."""
    return repr(cut(text, 40))


def quoted_list(texts: Sequence[str], most: int = 10) -> str:
    """The texts in quotes with commas between them; of many, the first and how many more."""
    return listed([quoted(text) for text in texts], most)


def spans(numbers: Sequence[int | range], most: int = 8) -> str:
    """Increasing numbers as spans; of more than `most`, the first ones and how many numbers follow.

    >>> spans([0, 1, 2, 3, 7]), spans([0, 2, range(4, 6)], most=2)
    ('0–3, 7', '0, 2 and 2 more')
    """
    found: list[tuple[int, int]] = []
    for n in numbers:
        first, last = (n.start, n.stop - 1) if isinstance(n, range) else (n, n)
        if found and found[-1][1] == first - 1:
            found[-1] = found[-1][0], last
        else:
            found.append((first, last))
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in found[:most])
    return shown + _and_more(sum(b - a + 1 for a, b in found[most:]))


def _and_more(left: int) -> str:
    return f" and {count(left)} more" if left > 0 else ""


def size(n: int) -> str:
    """A number of bytes.

    >>> size(1), size(123456)
    ('1 byte', '123 kB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n >= unit:
            return f"{short(n / unit, 3)} {name}"
    return plural(n, "byte")


def html_table(
    rows: Iterable[Sequence[object]], *, title: str = "", has_heads: bool = False
) -> str:
    """A small table for notebooks; everything in it is escaped.

    >>> html_table([("a", "<b>")])
    '<table><tr><td>a</td><td style="text-align:left">&lt;b&gt;</td></tr></table>'
    """
    from html import escape  # with its table of entities, 2 ms of every start

    parts = [f"<caption>{escape(title)}</caption>"] if title else []
    for i, row in enumerate(rows):
        kind = "th" if has_heads and i == 0 else "td"
        left = "" if has_heads else ' style="text-align:left"'
        cells = (
            f"<{kind}{left * (j > 0)}>{escape(plain(str(c)))}</{kind}>" for j, c in enumerate(row)
        )
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(parts)}</table>"


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """The lines of a table: columns of text, which are in `left`, flush left, others flush right.

    >>> aligned([("name", "n"), ("a", "1,000"), ("longer", "2")])
    ['name        n', 'a       1,000', 'longer      2']
    """
    rows = [tuple(map(plain, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if j in left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_words(**given: Any) -> list[str]:
    """The options that have a value, as a command line has them."""
    out: list[str] = []
    for name, value in given.items():
        option = f"--{'no-' * (value is False)}{name.replace('_', '-')}"
        if isinstance(value, bool):
            out.append(option)
        elif value is not None:
            for each in value if isinstance(value, list | tuple) else [value]:
                out += [option, str(each)]
    return out
