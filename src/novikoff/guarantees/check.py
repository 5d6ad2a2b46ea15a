"""Check a separability certificate against its data, in exact arithmetic.

    python check.py CERTIFICATE.json DATA [--zero-based]        (svmlight or CSV, plain or gzipped)

This file is all that you need to trust: it uses only the standard library and does not depend on
how the certificate was found. Write z = y·x for a row x with label y; with a bias, a constant 1
follows its features. The proof of each verdict:

complete         weights w with ⟨w,z⟩ > 0 on every row.
overlap          multipliers λ > 0 on rows S with Σλz = 0, where S spans all rows: if ⟨w,z⟩ ≥ 0 on
                 every row, the sum forces ⟨w,z⟩ = 0 on S, and so on its span.
quasi-complete   w with ⟨w,z⟩ ≥ 0 on every row, and λ on rows S that span the rows where it is 0.

S spans all rows that use only certain columns and are orthogonal to k independent vectors (the
complement) if its rank is the number of those columns less k. Ranks are computed modulo a prime,
which never gives more than the true rank. The best margin γ of separable data is at least the
margin of w, and at most the length of any average of the z (the hull).
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

Row: TypeAlias = Iterable[tuple[int, float]]  # increasing columns, and their values
Whole: TypeAlias = dict[int, int]  # a sparse vector of integers
PRIME = 2**63 - 25  # no power of two in a float is 0 modulo it


class Rejected(ValueError):  # noqa: N818  (it says what happened to the certificate)
    """The certificate does not prove its verdict on these data; the message says why."""


def require(truth: bool, reason: str) -> None:
    """Reject the certificate for this reason unless `truth` holds."""
    if not truth:
        raise Rejected(reason)


def number(text: str) -> Fraction:
    """A rational number, written p or p/q; long ones are in hexadecimal."""
    over, _, under = text.partition("/")
    return Fraction(int(over, 0), int(under or "1", 0))


def vector(written: Mapping[str, str], places: int, constant: int = -1) -> Whole:
    """{"3": "5", "constant": "-2"} as numbers, with every place in range."""
    v = {constant if c == "constant" else int(c): int(n, 0) for c, n in written.items()}
    require(all(0 <= place < places for place in v), "it names a row or column that does not exist")
    return v


def row_vector(entries: Row) -> tuple[Whole, int]:
    """The floats of a row as integers over a common denominator, a power of two."""
    ratios = [(c, *v.as_integer_ratio()) for c, v in entries]
    below = max((b for _, _, b in ratios), default=1)
    return {c: a * (below // b) for c, a, b in ratios}, below


def dot(u: Whole, x: Whole) -> int:
    """⟨u,x⟩."""
    return sum(u[c] * n for c, n in x.items() if c in u)


def rank(rows: Iterable[Whole]) -> int:
    """The rank of the rows modulo the prime, which is never more than their rank."""
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
    """Add `times` times the row to the total."""
    for c, n in x.items():
        total[c] = total.get(c, Fraction(0)) + Fraction(times * n, below)


class Fingerprint:
    """A digest of the data, by which a certificate recognises them: labels, columns and values."""

    def __init__(self) -> None:
        self.parts = [hashlib.sha256() for _ in range(4)]

    def update(self, *parts: bytes) -> None:
        """Add labels (int8), row lengths, columns (int64) and values (float64), little-endian."""
        for part, more in zip(self.parts, parts, strict=True):
            part.update(more)

    def __str__(self) -> str:
        return "sha256:" + hashlib.sha256(b"".join(p.digest() for p in self.parts)).hexdigest()


def seal(certificate: Mapping[str, Any]) -> str:
    """A digest of everything else in the certificate, which shows later changes."""
    rest = {key: value for key, value in certificate.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def spans(text: str, places: int) -> Iterator[int]:
    """The numbers written as "0-3,7", all of them in range."""
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        require(int(last or first) < places, "it names a row or column that does not exist")
        yield from range(int(first), int(last or first) + 1)


class Claim:
    """The contents of a certificate, as numbers."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        require(written.get("format") == "novikoff certificate", "it is not a certificate")
        require(written.get("version") == 1, f"unknown version {written.get('version')!r}")
        require(seal(written) == written.get("seal"), "it was changed after it was written")
        self.verdict, about, margin = written["verdict"], written["data"], written["margin"]
        known = ("complete", "quasi-complete", "overlap", "undecided")
        require(self.verdict in known, f"unknown verdict {self.verdict!r}")
        self.n, d, self.bias = about["rows"], about["columns"], about["bias"]
        kinds = (type(self.n), type(d), type(self.bias))
        require(kinds == (int, int, bool), "it does not state its numbers of rows and columns")
        self.d, self.fingerprint, length = d, about["fingerprint"], d + self.bias
        self.w = vector(written["weights"], length, d)
        self.times = vector(written["multipliers"], self.n)
        self.hull = vector(margin["hull"], self.n)
        positive = all(n > 0 for n in [*self.times.values(), *self.hull.values()])
        require(positive, "a multiplier is not positive")
        self.aliases = [vector(v, length, d) for v in written["aliases"]]
        require(all(v and all(v.values()) for v in self.aliases), "an alias contains a 0")
        self.complement = [vector(v, length, d) for v in written["span"]["complement"]]
        self.columns = {*spans(written["span"]["columns"], d), *([d] if self.bias else [])}
        within = all(self.columns.issuperset(v) for v in self.complement)
        require(within, "the complement uses a column that the multiplied rows do not")
        self.separated = list(spans(written["separated"], self.n))
        self.radius = number(written["radius_squared"])
        self.low, high = number(margin["at_least_squared"]), margin["at_most_squared"]
        self.high = None if high is None else number(high)


def claim(certificate: Mapping[str, Any]) -> Claim:
    """The certificate as numbers; rejected if it is damaged."""
    try:
        return Claim(certificate)
    except Rejected:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Rejected("damaged" + f": {error} is missing" * isinstance(error, KeyError)) from None


def check_row(it: Claim, i: int, x: Whole, side: int) -> None:
    """Reject the certificate if row i is not where it says, `side` being ⟨w,z⟩ for this row."""
    require(side >= 0, f"row {i} is on the wrong side of the weights")
    if side == 0 and it.verdict != "undecided":
        require(it.verdict != "complete", f"row {i} is not separated by the weights")
        require(it.columns.issuperset(x), f"row {i} uses a column that the multiplied rows do not")
        orthogonal = all(dot(v, x) == 0 for v in it.complement)
        require(orthogonal, f"row {i} is not orthogonal to the complement")
    require(side == 0 or i not in it.times, f"row {i} is separated but has a multiplier")
    require(all(dot(a, x) == 0 for a in it.aliases), f"row {i} violates an alias")


def check(certificate: Mapping[str, Any], examples: Iterable[tuple[int, Row]]) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the examples.

    An example is a label, −1 or +1, and a row's columns and values. References: Gordan (1873);
    Albert & Anderson (1984); Novikoff (1962) for the margin.
    """
    it, data = claim(certificate), Fingerprint()
    zero, average = dict[int, Fraction](), dict[int, Fraction]()
    S, separated = list[Whole](), list[int]()
    n, least, radius = 0, Fraction(0), Fraction(0)
    flaw: Rejected | None = None  # raised after the fingerprint: other data say nothing about it
    for i, (label, row) in enumerate(examples):
        require(label in (-1, 1), f"row {i} has label {label!r}, which is not -1 or 1")
        entries = [(c, float(v)) for c, v in row if v]
        places, values = [c for c, _ in entries], [v for _, v in entries]
        increasing = all(a < b for a, b in pairwise([-1, *places, it.d]))
        require(increasing, f"the columns of row {i} do not increase within 0 to {it.d - 1}")
        parts = (("b", [label]), ("q", [len(entries)]), ("q", places), ("d", values))
        data.update(*(struct.pack(f"<{len(part)}{kind}", *part) for kind, part in parts))
        n = i + 1
        x, below = row_vector(entries)
        if it.bias:
            x[it.d] = below
        side = label * dot(it.w, x)
        try:
            check_row(it, i, x, side)
        except Rejected as error:
            flaw = flaw or error
        if side > 0:
            separated.append(i)
            least = min(least or Fraction(side, below), Fraction(side, below))
        if i in it.times:
            add(zero, label * it.times[i], x, below)
            S.append(x)
        if i in it.hull:
            add(average, label * it.hull[i], x, below)
        radius = max(radius, Fraction(sum(m * m for m in x.values()), below**2))
    require(n > 0 and n == it.n, f"the data have {n} rows, not {it.n}")
    require(str(data) == it.fingerprint, "the data are not those of the certificate")
    if flaw is not None:
        raise flaw
    require(not any(zero.values()), "the multiplied rows do not sum to zero")
    require(it.separated == separated, "the separated rows differ")
    require(it.radius == radius, "the radius differs")
    if it.verdict in ("quasi-complete", "overlap"):
        require(bool(S), "there are no multipliers")
        quasi = it.verdict == "quasi-complete"
        require(bool(separated) == quasi, "the verdict does not match the separated rows")
        spanned = rank(S) == len(it.columns) - rank(it.complement)
        require(spanned, "the multiplied rows do not span the rows that are not separated")
    reached = Fraction(0)
    if it.verdict == "complete":
        reached = least**2 / sum(m * m for m in it.w.values())
    require(it.low == reached, "the margin of the weights differs")
    if it.high is not None:
        require(bool(it.hull or S), "it gives no proof of its upper bound on the margin")
        length = sum((m * m for m in average.values()), Fraction(0))
        most = length / sum(it.hull.values()) ** 2 if it.hull else Fraction(0)
        require(it.high == most, "the hull proves a different upper bound on the margin")


def read(path: str, about: Mapping[str, Any], first: int = 1) -> Iterator[tuple[int, Row]]:
    """The examples of a CSV file, if its name or a named label column says so; else of svmlight."""
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
            require(c in names, f"column {c!r} is not in the certificate")
        places.sort(key=lambda k: names.index(top[k]))
    texts = [k for k, cell in enumerate(top) if value(cell) == cell] if label is None else []
    header = names is not None or (texts and (texts != [at] or top[at] not in about["classes"]))
    for cells in rows if header else chain([top], rows):
        require(len(cells) == len(top), f"line {table.line_num} has {len(cells)} fields")
        yield sign(cells[at], about), [(c, finite(cells[k])) for c, k in enumerate(places)]


def value(text: str) -> float | str:
    """The number that the text stands for, or the text itself."""
    try:
        return float(text)
    except ValueError:
        return text


def finite(text: str) -> float:
    """The finite number that the text stands for."""
    require(value(text) != text and isfinite(float(text)), f"{text!r} is not a finite number")
    return float(text)


def sign(label: str, about: Mapping[str, Any]) -> int:
    """−1 for the certificate's first class, +1 for its second; numbers compare as numbers."""
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
    except Exception as e:  # whatever happened, nothing is proved
        print("rejected:", f"{file}: not JSON" if type(e) is json.JSONDecodeError else e)
        return 1
    held = "proved" if it["verdict"] != "undecided" else "no verdict is proved, but its facts hold"
    print(f"{it['verdict']}: {held} for the {it['data']['rows']:,} rows")
    return 0 if held == "proved" else 1


if __name__ == "__main__":
    sys.exit(main())
