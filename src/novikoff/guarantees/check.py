"""Check a separability certificate against the data it speaks of, in exact arithmetic.

    python check.py CERTIFICATE.json DATA [--zero-based]        (svmlight or CSV, plain or gzipped)

This file is all that has to be trusted: it uses the standard library only and does not know how the
certificate was found. Write z = y·x for a row x with label y, a constant 1 after its features when
there is a bias. What proves each verdict:

complete         weights w with ⟨w,z⟩ > 0 on every row.
overlap          multipliers λ > 0 on rows S with Σλz = 0, where S spans all rows: if ⟨w,z⟩ ≥ 0 on
                 every row the sum forces ⟨w,z⟩ = 0 on S, and so on its span.
quasi-complete   w with ⟨w,z⟩ ≥ 0 on every row, and λ on rows S that span those where it is 0.

S spans the rows that touch only certain columns and are orthogonal to k independent vectors (the
complement) when its rank is the number of those columns less k. Ranks are counted modulo a prime,
which never gives more than there is. The best margin γ of separable data is no less than what w
reaches, and no more than the length of any average of the z (the hull).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from io import StringIO
from itertools import chain, pairwise
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = Iterable[tuple[int, float]]  # columns that increase, and their values
Whole: TypeAlias = dict[int, int]  # a sparse vector of integers
PRIME = 2**63 - 25  # modulo which the powers of two, of which floats are made, stay apart


class Rejected(ValueError):  # noqa: N818  (it says what became of the certificate)
    """The certificate does not prove what it says of these data, and why."""


def require(truth: bool, reason: str) -> None:
    """Reject the certificate unless it is true."""
    if not truth:
        raise Rejected(reason)


def number(text: str) -> Fraction:
    """A rational number, written p or p/q; long ones are in hexadecimal."""
    over, _, under = text.partition("/")
    return Fraction(int(over, 0), int(under or "1", 0))


def vector(written: Mapping[str, str], places: int, constant: int = -1) -> Whole:
    """{"3": "5", "constant": "-2"} as numbers, none of them out of place."""
    v = {constant if key == "constant" else int(key): int(written[key], 0) for key in written}
    require(all(0 <= place < places for place in v), "it names a row or column that is not there")
    return v


def row_vector(entries: Row) -> tuple[Whole, int]:
    """The floats of a row as integers over one denominator, a power of two."""
    ratios = [(c, *v.as_integer_ratio()) for c, v in entries]
    below = max((b for _, _, b in ratios), default=1)
    return {c: a * (below // b) for c, a, b in ratios}, below


def dot(u: Whole, x: Whole) -> int:
    """⟨u,x⟩."""
    return sum(u[c] * n for c, n in x.items() if c in u)


def rank(rows: Iterable[Whole]) -> int:
    """The rank of the rows modulo the prime: never more than their rank."""
    pivots: dict[int, Whole] = {}
    for row in rows:
        x = {c: n % PRIME for c, n in row.items()}
        while x := {c: n for c, n in x.items() if n}:
            c = min(x)
            if c not in pivots:
                inverse = pow(x[c], -1, PRIME)
                pivots[c] = {k: n * inverse % PRIME for k, n in x.items()}
                break
            times = x[c]
            for k, n in pivots[c].items():
                x[k] = (x.get(k, 0) - times * n) % PRIME
    return len(pivots)


def add(total: dict[int, Fraction], times: int, x: Whole, below: int) -> None:
    """Add a row so many times to the total."""
    for c, n in x.items():
        total[c] = total.get(c, Fraction(0)) + Fraction(times * n, below)


def squared(total: Mapping[int, Fraction]) -> Fraction:
    """The square of its length."""
    return sum((n * n for n in total.values()), Fraction(0))


class Fingerprint:
    """What a certificate knows its data by: labels, columns and values, row after row."""

    def __init__(self) -> None:
        self.parts = [hashlib.sha256() for _ in range(4)]

    def update(self, *parts: bytes | memoryview) -> None:
        """More labels (int8), row lengths, columns (int64) and values (float64), little-endian."""
        for part, more in zip(self.parts, parts, strict=True):
            part.update(more)

    def __str__(self) -> str:
        return "sha256:" + hashlib.sha256(b"".join(p.digest() for p in self.parts)).hexdigest()


def seal(certificate: Mapping[str, Any]) -> str:
    """A digest of everything else in the certificate: it shows that nothing was changed since."""
    rest = {key: value for key, value in certificate.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def spans(text: str, places: int) -> Iterator[int]:
    """The numbers written "0-3,7", none of them out of place."""
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        require(int(last or first) < places, "it names a row or column that is not there")
        yield from range(int(first), int(last or first) + 1)


class Claim:
    """What a certificate says, as numbers."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        require(written.get("format") == "novikoff certificate", "it is not a certificate")
        require(written.get("version") == 1, f"version {written.get('version')!r} is not known")
        require(seal(written) == written.get("seal"), "it was changed after it was written")
        self.verdict, about, margin = written["verdict"], written["data"], written["margin"]
        known = ("complete", "quasi-complete", "overlap", "undecided")
        require(self.verdict in known, f"{self.verdict!r} is no verdict")
        self.n, d, self.bias = about["rows"], about["columns"], about["bias"]
        kinds = (type(self.n), type(d), type(self.bias))
        require(kinds == (int, int, bool), "it does not say how many rows and columns there are")
        self.d, self.fingerprint, length = d, about["fingerprint"], d + self.bias
        self.w = vector(written["weights"], length, d)
        self.times = vector(written["multipliers"], self.n)
        self.hull = vector(margin["hull"], self.n)
        positive = all(n > 0 for n in [*self.times.values(), *self.hull.values()])
        require(positive, "a multiplier is not positive")
        self.aliases = [vector(v, length, d) for v in written["aliases"]]
        require(all(v and all(v.values()) for v in self.aliases), "an alias has a 0 in it")
        self.complement = [vector(v, length, d) for v in written["span"]["complement"]]
        self.columns = {*spans(written["span"]["columns"], d), *([d] if self.bias else [])}
        within = all(self.columns.issuperset(v) for v in self.complement)
        require(within, "the complement has a column outside those of the multiplied rows")
        self.separated = list(spans(written["separated"], self.n))
        self.radius = number(written["radius_squared"])
        self.low, high = number(margin["at_least_squared"]), margin["at_most_squared"]
        self.high = None if high is None else number(high)


def claim(certificate: Mapping[str, Any]) -> Claim:
    """The certificate as numbers, rejected when it is damaged."""
    try:
        return Claim(certificate)
    except Rejected:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Rejected(f"it is damaged: {type(error).__name__}: {error}") from None


def check(certificate: Mapping[str, Any], examples: Iterable[tuple[int, Row]]) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the examples.

    An example is its label, −1 or +1, and its columns and values. References: Gordan (1873); Albert
    & Anderson (1984); Novikoff (1962) for the margin.
    """
    it, data = claim(certificate), Fingerprint()
    zero: dict[int, Fraction] = {}
    average: dict[int, Fraction] = {}
    S: list[Whole] = []
    separated: list[int] = []
    n, least, radius = 0, Fraction(0), Fraction(0)
    for i, (label, row) in enumerate(examples):
        require(label in (-1, 1), f"row {i} has the label {label!r}, not -1 or 1")
        entries = [(c, float(v)) for c, v in row if v]
        k, places, values = len(entries), [c for c, _ in entries], [v for _, v in entries]
        increasing = all(a < b for a, b in pairwise([-1, *places, it.d]))
        require(increasing, f"row {i} has columns that do not increase from 0 to {it.d - 1}")
        data.update(
            struct.pack("<b", label),
            struct.pack("<q", k),
            struct.pack(f"<{k}q", *places),
            struct.pack(f"<{k}d", *values),
        )
        x, below = row_vector(entries)
        if it.bias:
            x[it.d] = below
        side = label * dot(it.w, x)
        require(side >= 0, f"row {i} is on the wrong side of the weights")
        if side > 0:
            separated.append(i)
            least = min(least or Fraction(side, below), Fraction(side, below))
        elif it.verdict != "undecided":
            require(it.verdict != "complete", f"row {i} is not separated by the weights")
            inside = it.columns.issuperset(x)
            require(inside, f"row {i} has a column outside those of the multiplied rows")
            orthogonal = all(dot(v, x) == 0 for v in it.complement)
            require(orthogonal, f"row {i} is not orthogonal to the complement")
        if i in it.times:
            require(side == 0, f"row {i} has a multiplier and is separated")
            add(zero, label * it.times[i], x, below)
            S.append(x)
        if i in it.hull:
            add(average, label * it.hull[i], x, below)
        require(all(dot(a, x) == 0 for a in it.aliases), f"row {i} does not obey an alias")
        radius = max(radius, Fraction(sum(m * m for m in x.values()), below**2))
        n = i + 1
    require(n > 0 and n == it.n, f"the data have {n} rows, not {it.n}")
    same = str(data) == it.fingerprint
    require(same, "the data are not those it was made for: their fingerprint is another")
    require(not any(zero.values()), "the multiplied rows do not sum to zero")
    require(it.separated == separated, "other rows are separated")
    require(it.radius == radius, "the radius is another")
    if it.verdict in ("quasi-complete", "overlap"):
        require(bool(S), "there are no multipliers")
        require(bool(separated) == (it.verdict == "quasi-complete"), "the verdict is another")
        spanned = rank(S) == len(it.columns) - rank(it.complement)
        require(spanned, "the multiplied rows do not span the rows that are not separated")
    reached = Fraction(0)
    if it.verdict == "complete":
        reached = least**2 / sum(m * m for m in it.w.values())
    require(it.low == reached, "the margin reached is another")
    if it.high is not None:
        require(bool(it.hull or S), "nothing shows that the margin is at most what it says")
        most = squared(average) / sum(it.hull.values()) ** 2 if it.hull else Fraction(0)
        require(it.high == most, "the hull shows another margin")


def read(path: str, about: Mapping[str, Any], first: int = 1) -> Iterator[tuple[int, Row]]:
    """The examples of a CSV file, if it is called so or the labels have a name; else svmlight's."""
    raw, label, names = Path(path).read_bytes(), about["label"], about["names"]
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if label is None and path.lower().removesuffix(".gz")[-4:] not in (".csv", ".tsv"):
        for words in filter(None, (line.partition("#")[0].split() for line in text.split("\n"))):
            pairs = [word.partition(":") for word in words[1:]]
            require(all(c.isdecimal() for c, _, _ in pairs), "an index is not a whole number")
            yield sign(words[0], about), [(int(c) - first, finite(v)) for c, _, v in pairs]
        return
    line = "\t" if ".tsv" in path.lower()[-7:] else text.strip().partition("\n")[0]
    mark = next((mark for mark in ",\t;" if mark in line), "\t")
    table = csv.reader(StringIO(text), delimiter=mark, skipinitialspace=True, strict=True)
    rows = (r for r in ([cell.strip() for cell in c] for c in table) if len(r) > 1 or any(r))
    top = next(rows, [""])
    at = len(top) - 1 if label is None else int(label) if label.isdecimal() else len(top)
    at = top.index(label) if names is not None and label in top else at
    require(at < len(top), f"column {label!r} is missing")
    places = [k for k, _ in enumerate(top) if k != at]
    if names is not None and names != [top[k] for k in places]:
        for c in [*names, *(top[k] for k in places)]:
            require(c in top, f"column {c!r} is missing")
            require(c in names, f"column {c!r} is not one of the certificate's")
        places.sort(key=lambda k: names.index(top[k]))
    texts = [k for k, cell in enumerate(top) if value(cell) == cell] if label is None else []
    header = names is not None or (texts and (texts != [at] or top[at] not in about["classes"]))
    for cells in rows if header else chain([top], rows):
        require(len(cells) == len(top), f"line {table.line_num} is not as long as the first")
        yield sign(cells[at], about), [(c, finite(cells[k])) for c, k in enumerate(places)]


def value(text: str) -> float | str:
    """The number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def finite(text: str) -> float:
    """A number, but not nan or inf."""
    require(value(text) != text and isfinite(float(text)), f"{text!r} is not a finite number")
    return float(text)


def sign(label: str, about: Mapping[str, Any]) -> int:
    """−1 for the first of the certificate's two classes, +1 for the other; numbers as numbers."""
    classes, names = [value(name) for name in about["classes"]], map(repr, about["classes"])
    require(value(label) in classes, f"label {label!r} is neither {' nor '.join(names)}")
    return (-1, 1)[classes.index(value(label))]


def main() -> int:
    """Check the certificate named first on the command line against the data named second."""
    if len(sys.argv) != 3 and sys.argv[3:] != ["--zero-based"]:
        print(__doc__, file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    file, data, *zero_based = sys.argv[1:]
    try:
        it = json.loads(Path(file).read_text(encoding="utf-8", errors="replace"))
        require(isinstance(it, dict), f"{file}: it is not a certificate")
        check(it, read(data, it.get("data"), first=0 if zero_based else 1))
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        why = str(getattr(error, "strerror", None) or error).lower().removesuffix(" or directory")
        print(f"{getattr(error, 'filename', None) or data}: {why}", file=sys.stderr)
        return 2
    except Exception as e:  # whatever it was, nothing is proved
        print("rejected:", f"{file}: this is not JSON" if type(e) is json.JSONDecodeError else e)
        return 1
    held = "proved" if it["verdict"] != "undecided" else "no verdict, but true so far,"
    print(f"{it['verdict']}: {held} for the {it['data']['rows']:,} rows")
    return 0 if held == "proved" else 1


if __name__ == "__main__":
    sys.exit(main())
