"""Check a separability certificate against the data it speaks of, in exact arithmetic.

    python check.py CERTIFICATE.json DATA        (svmlight, or CSV by its name; either may be .gz)

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
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = Iterable[tuple[int, float]]  # columns that increase, and their values
Whole: TypeAlias = dict[int, int]  # a sparse vector of integers
PRIME = 2**61 - 1


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


def vector(written: Mapping[str, str], constant: int = -1) -> Whole:
    """{"3": "5", "constant": "-2"} as numbers."""
    return {constant if key == "constant" else int(key): int(written[key], 0) for key in written}


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


def spans(text: str) -> Iterator[int]:
    """The numbers written "0-3,7"."""
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        yield from range(int(first), int(last or first) + 1)


def check(certificate: Mapping[str, Any], examples: Iterable[tuple[int, Row]]) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the examples.

    An example is its label, −1 or +1, and its columns and values. References: Gordan (1873); Albert
    & Anderson (1984); Novikoff (1962) for the margin.
    """
    require(certificate.get("format") == "novikoff certificate", "it is not a certificate")
    require(certificate.get("version") == 1, f"version {certificate.get('version')!r} is not known")
    require(seal(certificate) == certificate.get("seal"), "it was changed after it was written")
    verdict, about, margin = certificate["verdict"], certificate["data"], certificate["margin"]
    known = ("complete", "quasi-complete", "overlap", "undecided")
    require(verdict in known, f"{verdict!r} is no verdict")
    complete, decided = verdict == "complete", verdict != "undecided"
    d = about["columns"]
    w = vector(certificate["weights"], d)
    times, hull = vector(certificate["multipliers"]), vector(margin["hull"])
    require(all(n > 0 for n in [*times.values(), *hull.values()]), "a multiplier is not positive")
    aliases = [vector(v, d) for v in certificate["aliases"]]
    complement = [vector(v, d) for v in certificate["span"]["complement"]]
    columns = set(spans(certificate["span"]["columns"])) | ({d} if about["bias"] else set())
    data = Fingerprint()
    zero: dict[int, Fraction] = {}
    average: dict[int, Fraction] = {}
    S: list[Whole] = []
    separated: list[int] = []
    n, least, radius = 0, Fraction(0), Fraction(0)
    for i, (label, row) in enumerate(examples):
        entries = [(c, float(v)) for c, v in row if v]
        k, places, values = len(entries), [c for c, _ in entries], [v for _, v in entries]
        increasing = all(a < b for a, b in pairwise([-1, *places, d]))
        require(increasing, f"row {i} has columns that do not increase from 0 to {d - 1}")
        data.update(
            struct.pack("<b", label),
            struct.pack("<q", k),
            struct.pack(f"<{k}q", *places),
            struct.pack(f"<{k}d", *values),
        )
        x, below = row_vector(entries)
        if about["bias"]:
            x[d] = below
        side = label * dot(w, x)
        require(side >= 0, f"row {i} is on the wrong side of the weights")
        require(side > 0 or not complete, f"row {i} is not separated by the weights")
        if side > 0:
            separated.append(i)
            least = min(least or Fraction(side, below), Fraction(side, below))
        elif decided:
            require(columns.issuperset(x), f"row {i} has a column outside those of the multipliers")
            orthogonal = all(dot(v, x) == 0 for v in complement)
            require(orthogonal, f"row {i} is not orthogonal to the complement")
        if i in times:
            require(side == 0, f"row {i} has a multiplier and is separated")
            add(zero, label * times[i], x, below)
            S.append(x)
        if i in hull:
            add(average, label * hull[i], x, below)
        require(all(dot(a, x) == 0 for a in aliases), f"row {i} does not obey an alias")
        radius = max(radius, Fraction(sum(m * m for m in x.values()), below**2))
        n = i + 1
    require(n > 0 and n == about["rows"], f"the data have {n} rows, not {about['rows']}")
    same = str(data) == about["fingerprint"]
    require(same, "the data are not those it was made for: their fingerprint is another")
    require(max([*times, *hull, -1]) < n, "it names a row that is not there")
    require(not any(zero.values()), "the multiplied rows do not sum to zero")
    require(list(spans(certificate["separated"])) == separated, "other rows are separated")
    require(number(certificate["radius_squared"]) == radius, "the radius is another")
    if verdict in ("quasi-complete", "overlap"):
        require(bool(S), "there are no multipliers")
        require(bool(separated) == (verdict == "quasi-complete"), "the verdict is another")
        spanned = rank(S) == len(columns) - rank(complement)
        require(spanned, "the multiplied rows do not span the rows that are not separated")
    reached = least**2 / sum(m * m for m in w.values()) if complete else Fraction(0)
    require(number(margin["at_least_squared"]) == reached, "the margin reached is another")
    if margin["at_most_squared"] is not None:
        most = squared(average) / sum(hull.values()) ** 2 if hull else Fraction(0)
        require(bool(hull or S), "nothing shows that the margin is at most what it says")
        require(number(margin["at_most_squared"]) == most, "the hull shows another margin")


def read(path: str, about: Mapping[str, Any]) -> Iterator[tuple[int, Row]]:
    """The examples of an svmlight or CSV file, as the certificate names its parts."""
    positive, text = about["classes"][1], gzip.open if path.endswith(".gz") else open
    with text(path, "rt", encoding="utf-8-sig", newline="") as file:
        if ".csv" in path:
            table = csv.reader(file)
            header = next(table)
            places = [header.index(name) for name in [about["label"], *about["names"]]]
            for cells in filter(None, table):
                label, *values = (cells[k] for k in places)
                yield sign(label, positive), [(c, float(v)) for c, v in enumerate(values)]
        else:
            for line in file:
                if words := line.partition("#")[0].split():
                    pairs = (word.split(":") for word in words[1:])
                    yield sign(words[0], positive), [(int(c) - 1, float(v)) for c, v in pairs]


def sign(label: str, positive: str) -> int:
    """+1 for the label of the positive class, −1 for the other; numbers compare as numbers."""
    try:
        return 1 if float(label) == float(positive) else -1
    except ValueError:
        return 1 if label == positive else -1


def main() -> int:
    """Check the certificate named first on the command line against the data named second."""
    if len(sys.argv) != 3:
        print((__doc__ or "").split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    certificate = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    try:
        check(certificate, read(sys.argv[2], certificate["data"]))
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    print(f"{certificate['verdict']}: proved for the {certificate['data']['rows']} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
