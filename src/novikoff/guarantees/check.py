"""Check a separability certificate against its data, in exact arithmetic.

This file is all that you need to trust: it uses only the standard library and does not depend on
how the certificate was found. Write z = y·x for a row x with label y; with a bias, a constant 1
follows its features. The proof of each verdict:

complete         weights w with ⟨w,z⟩ > 0 on every row.
overlap          multipliers λ > 0 on rows S with Σλz = 0, where S spans all rows: if ⟨w,z⟩ ≥ 0 on
                 every row, the sum forces ⟨w,z⟩ = 0 on S, and so on its span.
quasi-complete   w with ⟨w,z⟩ ≥ 0 on every row, and λ on rows S that span the rows where it is 0.

S spans these rows if they use only columns that S uses and are orthogonal to k independent vectors
(the complement), and the rank of S is the number of those columns less k. Ranks are computed modulo
a prime, which never gives more than the true rank. The best margin γ of separable data is at least
the margin of w, and at most the length of any average of the z (the hull). Without the separated
rows, as many columns as the rank of S have unique estimates (the estimable ones): those without
which the complement has full rank.

Of a regression model with other responses, each row z is an inequality ⟨w,z⟩ ≥ 0 that a direction
w of the coefficients must satisfy lest the likelihood of an example fall along it; > 0 if it rises
(see `inequalities`). The certificate says which model; the data say which examples.

In the space of a kernel K, row i is y·(K(x_1,x_i), …, K(x_n,x_i)), so w is a combination of the
rows, ‖w‖² = Σ w_i w_j K(x_i,x_j), and Σλz = 0 says that Σ λ_i λ_j y_i y_j K(x_i,x_j) = 0.

The data and the options alone decide what is read: whether the first line of a CSV file is a
header, which column is the label, which label is positive. The certificate is compared with that.
It says which statement it proves, and the answer repeats it: the verdict, and whether the
hyperplanes have a constant. Numbers are read as the nearest float64. Each field of the certificate
is checked, and its numbers are compared with the data before anything as large as they say is made.

Exit status: 0 proved, 1 rejected or undecided, 2 the data cannot be read here.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, islice, repeat
from math import isfinite, prod
from operator import lt
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = Iterable[tuple[int, float]]  # increasing columns, and their values
Whole: TypeAlias = dict[int, int]  # a sparse vector of integers
# the labels as written, and the sign or the number of each text that occurs
Coded: TypeAlias = Callable[[Iterable[str]], tuple[tuple[str, ...], dict[str, int]]]
PRIME = 2**63 - 25  # no power of two in a float is 0 modulo it
VERSION = 4

PLACE = re.compile("0|[1-9][0-9]{0,17}")
_POSITIVE = "[1-9][0-9]{0,39}|0x[1-9a-f][0-9a-f]*"
_INTEGERS = re.compile(f"(?:-?(?:{_POSITIVE}) )*+")
_PLACES = re.compile(f"(?:(?:{PLACE.pattern}) )*+")
_RATIONAL = re.compile(f"(0|{_POSITIVE})(?:/({_POSITIVE}))?")
_POLYNOMIAL = re.compile(r"\((\S+) x·z \+ (\S+)\)\^([1-9][0-9]{0,2})")
_SHA256 = re.compile("sha256:[0-9a-f]{64}")
_FINGERPRINT = re.compile(f"{_SHA256.pattern}(?:/(?:{PLACE.pattern})(?:,(?:{PLACE.pattern}))*)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = ("", "?", "na", "n/a", "nan", "+nan", "-nan", "null")
# how other formats' names end: novikoff would not read such a file as svmlight or CSV
_OTHERS = re.compile("vw|json|jsonl|ndjson|parquet|pq|arrow|arrows|feather|ipc|npz")
# a level of a column in the name that a formula gives it: ward[T.b], C(ward)[b], firm=7
_LEVEL = re.compile(
    r"(?:C\(([^,()]+)(?:,.*)?\)|([^=]+?))(?:\[(?:T\.(.*)|((?![A-Z]?\.).*))\]|=(.*))"
)
_SAMPLE = 1000  # lines that decide, with the first, whether that is a header


class Rejected(ValueError):  # noqa: N818  (it says what happened to the certificate)
    """The certificate does not prove its verdict on these data; the message says why."""


class Unreadable(Rejected):
    """The data cannot be read here, which says nothing about the certificate."""


def require(truth: bool, reason: str, kind: type[Rejected] = Rejected) -> None:
    """Reject the certificate for this reason unless `truth` holds."""
    if not truth:
        raise kind(reason)


readable = partial(require, kind=Unreadable)  # refuse the data unless something holds


def sha256(raw: bytes) -> str:
    """The digest by which a certificate names a file: of its bytes as stored."""
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


@dataclass(frozen=True)
class Model:
    """A regression model other than that of two labels, and the data that it is of.

    `kind` is binomial, poisson, multinomial or ordinal. `columns` are those of the examples, and
    `constant` is whether the model has one. `twice` are the examples that make two inequalities, as
    a certificate writes rows; those of a multinomial model make one for each other level.

    In the space of a kernel the kind is kernel, and `kernel` is "x·z", a power "(1/2 x·z + 1)^3",
    or "precomputed": each row holds its kernels with all rows.
    """

    kind: str
    examples: int
    columns: int
    constant: bool
    twice: str = ""
    kernel: str = ""

    def shape(self, levels: int) -> tuple[int, bool]:
        """How many columns the inequalities have, and whether a constant follows them."""
        if self.kind == "multinomial":
            return (self.columns + self.constant) * (levels - 1), False
        if self.kernel:
            return self.examples, self.constant
        return self.columns + (levels - 1) * (self.kind == "ordinal"), self.constant


@dataclass(frozen=True)
class Evidence:
    """What a certificate is checked against: the examples, and how their reader read them.

    An example is a label and a row's columns and values; `header` is whether the first line of a
    table was one. The label is −1 or +1; with a model, the number of a level, from 0. What the
    reader does not know is None or empty; a certificate that states it is then rejected.
    """

    examples: Iterable[tuple[int, Row]]
    columns: int
    files: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    label: str | None = None
    classes: tuple[str, ...] = ("-1", "1")
    header: bool | None = None


def inequalities(
    model: Model, level: int, levels: int, x: list[tuple[int, float]]
) -> list[tuple[int, list[tuple[int, float]]]]:
    """The rows z of an example, each as a sign and a row, for which ⟨w,z⟩ may not be negative.

    binomial, poisson
        ⟨w,x⟩ ≤ 0 if nothing was counted, level 0; ⟨w,x⟩ ≥ 0 if all trials were, level 2; of level 1
        both: binomial counts in between, and every positive response of a Poisson model.
    ordinal
        w and thresholds t: ⟨w,x⟩ ≤ t of the level if it is not the last, and ⟨w,x⟩ ≥ t of the one
        below.
    multinomial
        ⟨w_level − w_k, x⟩ ≥ 0 for each other level k; w of the first level is 0.

    References: Albert & Anderson (1984); Correia, Guimarães & Zylkin (2019) for poisson.
    """
    d = model.columns
    if model.kind == "ordinal":
        ends = [(-1, level)] * (level < levels - 1) + [(1, level - 1)] * (level > 0)
        return [(sign, [*x, (d + t, -1.0)]) for sign, t in ends]
    if model.kind != "multinomial":
        return [(sign, x) for sign in ((-1,), (-1, 1), (1,))[level]]
    width = d + model.constant
    x = [*x, (d, 1.0)] if model.constant else x

    def over(other: int) -> list[tuple[int, float]]:
        """X in the columns of its level, less x in those of another; the first level has none."""
        sides = sorted([(level, 1), (other, -1)])
        return [((k - 1) * width + c, sign * v) for k, sign in sides if k for c, v in x]

    return [(1, over(other)) for other in range(levels) if other != level]


def system(model: Model, data: Evidence) -> tuple[Evidence, list[int]]:
    """The inequalities of the examples as examples of labels −1 and +1.

    As they are read, a list gets the number of inequalities of each example.
    """
    levels, counts = len(data.classes), list[int]()

    def rows() -> Iterator[tuple[int, Row]]:
        examples = gram(model.kernel, data.examples) if model.kernel else data.examples
        for label, row in examples:
            x = [(c, float(v)) for c, v in row]
            made = [(label, x)] if model.kernel else inequalities(model, label, levels, x)
            counts.append(len(made))
            yield from made

    return replace(data, examples=rows(), columns=model.shape(levels)[0]), counts


def gram(kernel: str, examples: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Each label with the kernels of its row and all rows, which float64 must hold exactly."""
    if kernel == "precomputed":
        yield from examples
        return
    degree, gamma, constant = polynomial(kernel)
    every = [(label, *row_vector(row)) for label, row in examples]
    for label, x, below in every:
        pairs = (gamma * Fraction(dot(x, z), below * under) + constant for _, z, under in every)
        exact = [value**degree for value in pairs]
        fits = all(abs(v) < 2**1023 and float(v) == v for v in exact)
        require(fits, "a kernel of two rows needs more than the 53 bits of float64")
        yield label, [(j, float(v)) for j, v in enumerate(exact)]


def polynomial(kernel: str) -> tuple[int, Fraction, Fraction]:
    """Degree, factor and constant of a linear or polynomial kernel."""
    if kernel == "x·z":
        return 1, Fraction(1), Fraction(0)
    gamma, constant, degree = matched(_POLYNOMIAL, kernel).groups()
    require(rational(gamma) > 0, "its kernel is unknown")
    return int(degree), rational(gamma), rational(constant)


def spans_of(numbers: Iterable[int]) -> str:
    """Increasing numbers as a certificate writes rows: "0-3,7"."""
    spans = list[list[int]]()
    for i in numbers:
        spans.append([spans.pop()[0] if spans and spans[-1][1] == i - 1 else i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def fields(written: Any, names: str) -> list[Any]:
    """The values of these fields; there must be no others, and none may be missing."""
    require(isinstance(written, dict), "damaged: a part of it is not an object")
    for name in names.split():
        require(name in written, f"damaged: {name!r} is missing")
    require(len(written) == len(names.split()), "damaged: it has an unknown field")
    return [written[name] for name in names.split()]


def texts(given: Any, count: int) -> tuple[str, ...]:
    """A list of this many different texts."""
    fits = isinstance(given, list) and all(isinstance(text, str) for text in given)
    require(fits and len(given) == count, f"it should have {count} names or labels in a list")
    require(len(set(given)) == count, "two names or labels in it are the same")
    return tuple(given)


def matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    """The text, which must be written like this."""
    if (found := pattern.fullmatch(text)) is None:
        raise Rejected("damaged: a number in it is wrong")
    return found


def rational(text: str) -> Fraction:
    """A number ≥ 0, written p or p/q; long ones are in hexadecimal."""
    over, under = matched(_RATIONAL, text).groups("1")
    return Fraction(int(over, 0), int(under, 0))


def all_match(pattern: re.Pattern[str], given: Collection[str]) -> bool:
    """Whether each text is one that the pattern repeats, with a blank after each."""
    joined = " ".join([*given, ""])  # with no other blanks: a text is not two
    return joined.count(" ") == len(given) and pattern.fullmatch(joined) is not None


def vector(written: Mapping[str, str], places: int, constant: int = -1) -> Whole:
    """{"3": "5", "constant": "-2"} as numbers other than 0, with every place in range."""
    at = [place for place in written if place != "constant" or constant < 0]
    are_there = all_match(_PLACES, at) and max(map(int, at), default=-1) < places
    require(are_there, "it names a row or column that does not exist")
    require(all_match(_INTEGERS, written.values()), "damaged: a number in it is wrong")
    named = (constant if place == "constant" else int(place) for place in written)
    return dict(zip(named, map(int, written.values(), repeat(0)), strict=True))


class Claim:
    """The contents of a certificate, as numbers; one that was in no file needs no seal."""

    def __init__(self, written: Any, *, sealed: bool = True) -> None:
        is_one = isinstance(written, dict) and written.get("format") == "novikoff certificate"
        require(is_one, "it is not a certificate")
        version = written.get("version")
        require(type(version) is int and version == VERSION, f"its version is not {VERSION}")
        names = "format version verdict data weights multipliers separated complement estimable"
        parts = fields(written, f"{names} margin radius_squared{' seal' * sealed}")[2:]
        self.verdict, about, w, times, self.separated, complement, kept, margin, radius = parts[:9]
        if sealed:
            require(seal(written) == parts[9], "it was changed after it was written")
        known = ("complete", "quasi-complete", "overlap", "undecided")
        require(self.verdict in known, f"unknown verdict {self.verdict!r:.40}")
        self.n, d, bias, self.fingerprint, files, names, label, classes, model = fields(
            about, "rows columns bias fingerprint files names label classes model"
        )
        are_counts = all(type(x) is int and 0 <= x < 10**18 for x in (self.n, d))
        require(are_counts and type(bias) is bool, "its numbers of rows and columns are wrong")
        self.d, self.bias = d, bias
        self.files = tuple(files) if isinstance(files, list) else ("",)
        digests = [*map(_SHA256.fullmatch, self.files), _FINGERPRINT.fullmatch(self.fingerprint)]
        require(all(digests), "damaged: a SHA-256 in it is wrong")
        self.cuts = {int(place) for place in self.fingerprint[72:].split(",") if place}
        self.model = None if model is None else modelled(model)
        self.names = None if names is None else texts(names, model["columns"] if model else d)
        many = self.model is not None and not self.model.kernel
        self.classes = texts(classes, max(2, len(classes)) if many else 2)
        if self.model is not None:
            fits = self.model.shape(len(classes)) == (d, bias)
            require(fits, "its columns are not those of its model")
        require(label is None or isinstance(label, str), "damaged: its label is wrong")
        self.label = label
        constant = d if bias else -1
        self.w, self.times = vector(w, d, constant), vector(times, self.n)
        low, high, hull = fields(margin, "at_least_squared at_most_squared hull")
        self.hull = vector(hull, self.n)
        are_positive = all(n > 0 for n in (*self.times.values(), *self.hull.values()))
        require(are_positive, "a multiplier is not positive")
        is_text = isinstance(self.separated, str)
        require(is_text and isinstance(complement, list), "damaged: a list in it is wrong")
        self.complement = [vector(v, d, constant) for v in complement]
        self.estimable = {*kept}
        are_columns = type(kept) is list and kept == sorted(self.estimable)
        are_columns = are_columns and all(type(c) is int and 0 <= c < d + bias for c in kept)
        require(are_columns, "damaged: its estimable columns are wrong")
        self.radius, self.low = rational(radius), rational(low)
        self.high = None if high is None else rational(high)
        may_span = self.verdict in ("quasi-complete", "overlap")
        most = d + bias if may_span else 0
        require(len(complement) <= most, "it has a complement that proves nothing")
        has_weights = self.verdict in ("complete", "quasi-complete")
        require(bool(self.w) == has_weights, "its weights do not match its verdict")
        require(may_span or not kept, "its estimable columns do not match its verdict")


def modelled(written: Any) -> Model:
    """The model of a certificate."""
    found = Model(*fields(written, "kind examples columns constant twice kernel"))
    known = found.kind in ("binomial", "poisson", "multinomial", "ordinal", "kernel")
    counts = all(type(x) is int and 0 <= x < 10**18 for x in (found.examples, found.columns))
    are_texts = type(found.twice) is str and type(found.kernel) is str
    fits = known and counts and type(found.constant) is bool and are_texts
    fits = fits and not (found.kind == "ordinal" and found.constant)  # it has thresholds instead
    require(fits and bool(found.kernel) == (found.kind == "kernel"), "its model is damaged")
    if found.kernel == "precomputed":
        require(found.examples == found.columns, "its matrix of kernels is not square")
    elif found.kernel:
        polynomial(found.kernel)
    return found


def claim(certificate: Any, *, sealed: bool = True) -> Claim:
    """The certificate as numbers; rejected if it is damaged."""
    try:
        return Claim(certificate, sealed=sealed)
    except Rejected:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise Rejected("damaged") from None


def load(path: str) -> Any:
    """The JSON in a file; rejected if a field comes twice or a number is not a short integer."""
    raw = Path(path).read_bytes()
    try:
        return json.loads(
            raw.decode(),
            parse_int=_short,
            parse_float=_short,
            parse_constant=_short,
            object_pairs_hook=_unique,
        )
    except Rejected as error:
        raise Rejected(f"{shown(path)}: {error}") from None
    except (ValueError, RecursionError):
        is_data = not raw.lstrip().startswith(b"{")
        first = " (the certificate comes first)" * is_data
        raise Rejected(f"{shown(path)}: not JSON{first}") from None


def shown(path: str) -> str:
    """The path as it is printed: one that could fake a line of output is quoted and escaped."""
    return path if path.isprintable() else repr(path)


def _short(text: str) -> int:
    require(PLACE.fullmatch(text) is not None, "a number in it is too long, or not a count")
    return int(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len(dict(pairs)) == len(pairs), "a field in it comes twice")
    return dict(pairs)


def seal(certificate: Mapping[str, Any]) -> str:
    """A digest of everything else in the certificate, which shows later changes."""
    rest = {key: value for key, value in certificate.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def row_vector(entries: Row) -> tuple[Whole, int]:
    """The floats of a row as integers over a common denominator, a power of two."""
    ratios = [(c, *v.as_integer_ratio()) for c, v in entries]
    below = max((b for _, _, b in ratios), default=1)
    return {c: a * (below // b) for c, a, b in ratios}, below


def dot(u: Whole, x: Whole) -> int:
    """⟨u,x⟩."""
    return sum(u[c] * n for c, n in x.items() if c in u)


def rank(rows: Iterable[Whole]) -> int:
    """The rank of the rows modulo the prime, which is never more than their rank.

    A row loses its columns, the rarest first, to earlier rows that begin with them, which keeps
    sparse rows sparse; what is left of it joins these.
    """
    left = sorted(({c: x for c, n in row.items() if (x := n % PRIME)} for row in rows), key=len)
    times = Counter(chain(*left))
    place = {c: k for k, c in enumerate(sorted(times, key=lambda c: (times[c], c)))}
    pivots: dict[int, Whole] = {}
    for row in left:
        while row:
            first = min(row, key=place.__getitem__)
            if first not in pivots:
                inverse = pow(row[first], -1, PRIME)
                pivots[first] = {c: x * inverse % PRIME for c, x in row.items()}
                break
            less = {c: (row.get(c, 0) - row[first] * n) % PRIME for c, n in pivots[first].items()}
            row = {c: x for c, x in {**row, **less}.items() if x}
    return len(pivots)


def add(total: dict[int, Fraction], times: int, x: Whole, below: int) -> None:
    """Add `times` times the row to the total."""
    for c, n in x.items():
        total[c] = total.get(c, Fraction(0)) + Fraction(times * n, below)


class Fingerprint:
    """A digest of the data, by which a certificate recognises them: labels, columns and values.

    Of machines that read a part each, it is the digest of theirs, and says where the cuts are.
    """

    def __init__(self) -> None:
        self.parts = [hashlib.sha256() for _ in range(4)]
        self.before, self.cuts = b"", list[int]()

    def update(self, *parts: bytes) -> None:
        """Add labels (int8), row lengths, columns (int64) and values (float64), little-endian."""
        for part, more in zip(self.parts, parts, strict=True):
            part.update(more)

    def digest(self) -> bytes:
        """Of all parts so far."""
        return self.before + b"".join(part.digest() for part in self.parts)

    def cut(self, row: int) -> None:
        """Begin another part with this row."""
        self.before, self.parts = self.digest(), [hashlib.sha256() for _ in range(4)]
        self.cuts.append(row)

    def __str__(self) -> str:
        return sha256(self.digest()) + "/" * bool(self.cuts) + ",".join(map(str, self.cuts))


def check_reading(it: Claim, data: Evidence) -> None:
    """Reject the certificate if it states other files, columns or labels than were read."""
    require(not it.files or it.files == data.files, "the files are not those of the certificate")
    hint = f"; read {it.label!r:.99} as the label"

    def require_same(what: str, here: object, there: object) -> None:
        words = f"the {what}: {here!r:.99} here, {there!r:.99} in the certificate{hint}"
        require(there is None or there == here, words)

    if data.label is not None:  # another one changes the columns, too
        require_same("label's column", data.label, it.label)
    hint = "; was it made with other options for reading?" if it.files else ""
    lost = [name for name in it.names or () if name not in (data.names or ())]
    levels = dict.fromkeys(name.partition("=")[0] for name in lost if "=" in name)
    if data.names and lost:
        hint = f"; {lost[0]!r:.99} is missing"
        hint = f"; read {', '.join(map(repr, levels))} as categories" if levels else hint
    d = it.d if it.model is None else it.model.columns
    require(d == data.columns, f"the data have {data.columns} columns, not {d}{hint}")
    require_same("columns", data.names, it.names)
    require_same("label's column", data.label, it.label)
    is_truth = it.classes == ("false", "true") and data.classes[0] == f"not {data.classes[1]}"
    require_same("labels", data.classes, data.classes if is_truth else it.classes)


def check_row(it: Claim, i: int, x: Whole, side: int) -> None:
    """Reject the certificate if row i is not where it says, `side` being ⟨w,z⟩ for this row."""
    require(side >= 0, f"row {i} is on the wrong side of the weights")
    if side == 0 and it.verdict != "undecided":
        require(it.verdict != "complete", f"row {i} is not separated by the weights")
        orthogonal = all(dot(v, x) == 0 for v in it.complement)
        require(orthogonal, f"row {i} is not orthogonal to the complement")
    require(side == 0 or i not in it.times, f"row {i} is separated but has a multiplier")


@dataclass
class Facts:
    """What the rows say about a claim.

    `separated` are the rows with ⟨w,z⟩ > 0, as a certificate writes them, and `least` is the least
    such ⟨w,z⟩; `unseparated` are the columns that the other rows use; `radius` is the largest ‖x‖²,
    and `size` is ‖w‖².
    `multiplied` are the rows that have multipliers; `cancels` says whether they sum to 0, with
    multipliers and their labels' signs; `hull` is the square of the length of the hull's sum.
    `flaw` is about the first row that is not where the claim says.
    """

    rows: int
    fingerprint: str
    flaw: Rejected | None
    separated: str
    least: Fraction
    radius: Fraction
    size: Fraction
    unseparated: set[int]
    multiplied: list[Whole]
    cancels: bool
    hull: Fraction


def check(certificate: Mapping[str, Any], data: Evidence) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the data.

    References: Gordan (1873); Albert & Anderson (1984); Novikoff (1962) for the margin.
    """
    it = claim(certificate)
    check_reading(it, data)
    rows, counts = (data, []) if it.model is None else system(it.model, data)
    facts = facts_of(it, rows)
    if it.model is not None:
        check_examples(it.model, len(counts), spans_of(i for i, n in enumerate(counts) if n == 2))
    conclude(it, facts)


def check_examples(model: Model, examples: int, twice: str) -> None:
    """Reject the certificate if its model is of other examples."""
    is_same = examples == model.examples and (model.kind == "multinomial" or twice == model.twice)
    require(is_same, "the examples are not those of the certificate")


def facts_of(it: Claim, data: Evidence) -> Facts:
    """What the examples say, read one by one."""
    digest, zero, average = Fingerprint(), dict[int, Fraction](), dict[int, Fraction]()
    S, above, unseparated = list[Whole](), list[int](), set[int]()
    n, least, radius = 0, Fraction(0), Fraction(0)
    in_kernel, signed = it.model is not None and bool(it.model.kernel), dict[int, int]()
    size = Fraction(it.w.get(it.d, 0) ** 2 if in_kernel else sum(m * m for m in it.w.values()))
    flaw: Rejected | None = None
    for i, (label, row) in enumerate(data.examples):
        require(label in (-1, 1), f"row {i} has label {label!r}, which is not -1 or 1")
        pairs = list(row)
        ends = [-1, *(c for c, _ in pairs), it.d]
        increasing = all(map(lt, ends, ends[1:]))
        require(increasing, f"the columns of row {i} do not increase within 0 to {it.d - 1}")
        entries = {c: float(v) for c, v in pairs if v}
        if i in it.cuts:
            digest.cut(i)
        parts = (("b", [label]), ("q", [len(entries)]), ("q", entries), ("d", entries.values()))
        digest.update(*(struct.pack(f"<{len(part)}{kind}", *part) for kind, part in parts))
        n = i + 1
        x, below = row_vector(entries.items())
        if it.bias:
            x[it.d] = below
        side = label * dot(it.w, x)
        try:
            check_row(it, i, x, side)
        except Rejected as error:
            flaw = flaw or error
        if side > 0:
            above.append(i)
            least = min(least or Fraction(side, below), Fraction(side, below))
        else:
            unseparated.update(x)
        if i in it.times:
            add(zero, label * it.times[i], x, below)
            S.append(x)
        if i in it.hull:
            signed[i] = label * it.hull[i]
            add(average, signed[i], x, below)
        square = Fraction(sum(m * m for m in x.values()), below**2)
        if in_kernel:
            own = {j: m for j, m in x.items() if j < it.d}
            size += Fraction(it.w.get(i, 0) * dot(it.w, own), below)
            square = Fraction(own.get(i, 0), below) + it.bias
        radius = max(radius, square)
    separated, cancels = spans_of(above), not any(zero.values())
    hull = sum((m * m for j, m in average.items() if not in_kernel or j == it.d), Fraction(0))
    hull += sum(m * average.get(i, 0) for i, m in signed.items() if in_kernel)
    facts = (flaw, separated, least, radius, size, unseparated, S, cancels, hull)
    return Facts(n, str(digest), *facts)


def conclude(it: Claim, facts: Facts, rank: Callable[[list[Whole]], int] = rank) -> None:
    """Raise Rejected unless these facts about the rows prove the claim.

    Other data say nothing about it, so their fingerprint comes before everything else. `rank` may
    be another function with the same results.
    """
    require(0 < facts.rows == it.n, f"the data have {facts.rows} rows, not {it.n}")
    require(facts.fingerprint == it.fingerprint, "the data are not those of the certificate")
    if facts.flaw is not None:
        raise facts.flaw
    S = facts.multiplied
    require(facts.cancels, "the multiplied rows do not sum to zero")
    require(it.separated == facts.separated, "the separated rows differ")
    require(it.radius == facts.radius, "the radius differs")
    if it.verdict in ("quasi-complete", "overlap"):
        require(bool(S), "there are no multipliers")
        quasi = it.verdict == "quasi-complete"
        require(bool(facts.separated) == quasi, "the verdict does not match the separated rows")
        columns = set[int]().union(*S)
        used = columns.issuperset(chain(facts.unseparated, *it.complement))
        require(used, "a column is used that the multiplied rows do not use")
        spanned = rank(S) == len(columns) - rank(it.complement)
        require(spanned, "the multiplied rows do not span the rows that are not separated")
        rest = columns - it.estimable
        found = rank([{c: x for c, x in v.items() if c in rest} for v in it.complement])
        is_basis = columns >= it.estimable and found == rank(it.complement) == len(rest)
        require(is_basis, "the estimable columns are not those that the rows determine")
    reached = Fraction(0)
    if it.verdict == "complete":
        require(facts.size > 0, "the kernels are those of no space")
        reached = facts.least**2 / facts.size
    require(it.low == reached, "the margin of the weights differs")
    most = Fraction(0) if S else None
    if it.hull:
        require(not S, "it gives two proofs of its upper bound on the margin")
        most = facts.hull / sum(it.hull.values()) ** 2
    require(it.high == most, "the upper bound on the margin is not what its proof gives")


def summary(it: Claim, data: Evidence, paths: Sequence[str]) -> str:
    """What an accepted certificate proves: the verdict, of which files, and how they were read."""
    model, rows = it.model, it.n if it.model is None else it.model.examples
    held = "proved" if it.verdict != "undecided" else "no verdict is proved, but its facts hold"
    planes = "" if it.bias else ", of hyperplanes through the origin only"
    if model and model.kernel:
        planes = f" in the space of the kernel {model.kernel}{' and a constant' * it.bias}"
    elif model:
        is_ordinal = model.kind == "ordinal"
        without = "" if model.constant or is_ordinal else " without a constant"
        planes = f" of a{'n' * is_ordinal} {model.kind} model{without}"
    lines = [f"{it.verdict}: {held} for the {rows:,} row{'s' * (rows != 1)}{planes}"]
    named = zip(map(shown, paths), data.files, strict=True)
    lines += [f"  file    {path}, {digest}" for path, digest in named]
    if data.header is not None:
        lines.append(f"  header  {'yes' if data.header else 'none, the first line is an example'}")
    where = "" if data.label is None else f"column {data.label!r}: "
    if model and not model.kernel:
        lines.append(f"  levels  {where}{', '.join(map(repr, data.classes))}")
    else:
        lines.append(f"  label   {where}{data.classes[0]!r} is -, {data.classes[1]!r} is +")
    return "\n".join(lines)


def read(
    paths: Sequence[str],
    label: str | None = None,
    one: str | None = None,
    *,
    zero_based: bool = False,
    categorical: Sequence[str] = (),
    trials: str | None = None,
    claimed: Claim | None = None,
    by_name: bool = False,
) -> Evidence:
    """The examples of svmlight files, or of CSV files of numbers, which may be gzipped.

    Of more than two labels, `one` is taken against the rest; the labels of a model that is claimed
    are its levels, and `trials` is the column of how many trials a count is of, or "a+b" for the
    sum of two. With `by_name` the columns are those that the certificate names (see `_made`).
    Unreadable, if something else is read.
    """
    coded: Coded = partial(labelled, one=one)
    if claimed is not None and claimed.model is not None and not claimed.model.kernel:
        readable(one is None, "the labels of this model are not two")
        coded = partial(levelled, kind=claimed.model.kind, levels=claimed.classes)
    raw = [Path(path).read_bytes() for path in paths]
    files = tuple(map(sha256, raw))
    contents = [_text(one) for one in raw]
    kinds = set(map(_kind, paths, contents))
    readable(len(kinds) == 1, "the files have different formats")
    (kind,) = kinds
    if kind == "svmlight":
        named = label is not None or trials is not None or categorical or by_name
        readable(not named, "svmlight has no columns with names")
        return _svmlight(contents, files, coded, zero_based=zero_based)
    readable(not zero_based, "only the indices of svmlight may count from 0")
    wanted = claimed.names if claimed and by_name else None
    readable(not by_name or bool(wanted), "the certificate names no columns")
    label = claimed.label if claimed and by_name and label is None else label
    return _table(contents, files, kind, (label, trials), coded, categorical, wanted)


def _kind(path: str, text: str) -> str:
    """The format of a file: svmlight, or the mark between the fields of a CSV file."""
    suffix = path.lower().removesuffix(".gz").rpartition(".")[2]
    lines = (line for line in text.split("\n") if re.match(r"\s*[^\s#]", line))
    first = next(lines, "")
    pairs, marks = re.match(r"\s*[^\s:|]+\s+[0-9]+:", first), re.search("[,\t;]", first)
    known = suffix in ("csv", "tsv") or _OTHERS.fullmatch(suffix)
    is_other = _OTHERS.fullmatch(suffix) or re.match(r"\s*\{|[^|,;]*\|", first)  # JSON, VW
    if suffix in ("svm", "svmlight", "libsvm") or (pairs and not known):
        readable(":" in first or not re.search("[,;]", first), "the data are not svmlight")
        return "svmlight"
    is_table = suffix in ("csv", "tsv") or (marks and not is_other)
    readable(bool(is_table), "the data are neither svmlight nor CSV")
    if ";" in first:  # commas between digits are decimal ones
        first = re.sub("(?<=[0-9]),(?=[0-9])", "", first)
    return "\t" if suffix == "tsv" else next((mark for mark in ",\t;" if mark in first), ",")


def _text(raw: bytes) -> str:
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    odd = "the data contain a space that is not a blank, a tab or the end of a line"
    readable(re.search(r"[^\S \t\n]|\0", text) is None, odd)
    return text


def _svmlight(
    contents: Sequence[str], files: tuple[str, ...], coded: Coded, *, zero_based: bool
) -> Evidence:
    """Lines of a label and pairs index:value; indices count from 0 if there is a 0 among them."""
    from_zero = re.compile(r"^[^#\n]*[ \t]0+:", re.MULTILINE)
    first = 0 if zero_based or any(map(from_zero.search, contents)) else 1

    def lines() -> Iterator[str]:
        all_lines = chain.from_iterable(text.split("\n") for text in contents)
        return filter(None, (line.partition("#")[0].strip() for line in all_lines))

    def examples() -> Iterator[tuple[int, Row]]:
        for label, *rest in map(str.split, lines()):
            pairs = [word.partition(":") for word in rest]
            whole = all(c.isascii() and c.isdigit() and len(c) < 19 for c, _, _ in pairs)
            readable(whole, "an index is not a whole number, or too large")
            readable(":" not in label, "a line does not begin with a label")
            yield signs[label], [(int(c) - first, finite(v)) for c, _, v in pairs]

    classes, signs = coded(line.split(None, 1)[0] for line in lines())
    ends = filter(None, map(re.compile(r"[ \t]([0-9]{1,18}):[^ \t:]*$").search, lines()))
    columns = max((int(end[1]) + 1 - first for end in ends), default=0)
    readable(columns + first <= 2**53, "an index is too large")
    return Evidence(examples(), columns, files, classes=classes)


def _table(
    contents: Sequence[str],
    files: tuple[str, ...],
    mark: str,
    answer: tuple[str | None, str | None],
    coded: Coded,
    categorical: Sequence[str],
    wanted: tuple[str, ...] | None,
) -> Evidence:
    """Lines of numbers and a label; the first one may be a header.

    A value v of a categorical column c is a column "c=v"; columns are numbered as they appear.
    The answer is in the column of the label, or a count there and its trials in others. If columns
    are `wanted`, these are made from the others by their names.
    """
    label, trials = answer

    def lines(text: str) -> Iterator[list[str]]:
        blanks = " \t".replace(mark, "")
        for line in (line for line in text.split("\n") if line.strip(blanks)):
            # a quoted text must end on its line
            (cells,) = csv.reader([line], delimiter=mark, skipinitialspace=True, strict=True)
            yield [cell.strip(" \t") for cell in cells]

    top, *sample = [*islice(lines(contents[0]), _SAMPLE + 1)] or [[]]
    readable(len(top) > 1, "there is no column but the label")
    named = [k for k, cell in enumerate(top) if is_text(cell)]
    at = _place(top if named else [], len(top), label)
    # a first line with texts is an example if it has numbers, too, there are texts below its texts,
    # and its label and those below are at most two
    below = {k: {line[k] for line in sample if len(line) == len(top)} for k in named}
    has_few = all(len(below[k] | {top[k]}) <= 2 if k == at else below[k] for k in named)
    is_example = has_few and all(map(is_text, chain(*below.values())))
    is_example &= len(named) < len(top) and all(top[k] != label for k in named)
    header = bool(named) and not is_example
    place = partial(_place, top if header else [], len(top))
    of = [] if trials is None else [trials] if trials in top else trials.split("+")
    at, *_ = both = [place(label), *map(place, of)]
    places = [k for k in range(len(top)) if k not in both]
    names = tuple(top[k] for k in places) if header else None
    called = top[at] if header and top.count(top[at]) == 1 else str(at)
    differ = names is None or (all(names) and len({*names, called}) == len(names) + 1)
    readable(differ, "two columns have the same name, or one has none")

    def rows() -> Iterator[list[str]]:
        for text in contents:
            rest = lines(text)
            if header:
                readable(next(rest, top) == top, "the files have different headers")
            for row in rest:
                readable(len(row) == len(top), f"a line has {len(row)} fields, not {len(top)}")
                yield row

    chosen = set(map(place, categorical))

    def cells(row: list[str]) -> Iterator[tuple[str, float]]:
        for k in places:
            name = top[k] if header else str(k)
            readable(k not in chosen or row[k].lower() not in _MISSING, "a category is missing")
            yield (f"{name}={row[k]}", 1.0) if k in chosen else (name, finite(row[k]))

    readable(wanted is None or header, "the file does not name its columns")
    cells_of = cells if wanted is None else _made(wanted, top)
    looked_at = islice(rows(), None if chosen else _SAMPLE)
    order = dict.fromkeys(wanted or (name for row in looked_at for name, _ in cells_of(row)))
    columns = {name: c for c, name in enumerate(order)}

    def label_of(row: list[str]) -> str:
        return " ".join(row[k] for k in both)

    classes, signs = coded(map(label_of, rows()))
    known = tuple(columns) if chosen or wanted is not None else names
    examples = (
        (signs[label_of(row)], sorted((columns[c], v) for c, v in cells_of(row))) for row in rows()
    )
    return Evidence(examples, len(columns), files, known, called, classes, header)


def _made(
    names: Iterable[str], top: Sequence[str]
) -> Callable[[list[str]], Iterator[tuple[str, float]]]:
    """How the columns of a line that a formula named are made from the file's, unless they are 0.

    "ward[T.b]", "C(ward)[T.b]" and "ward=b" are 1 where the ward is b, "firm^year=7^2" where both
    are so, others 0; "age:ward[T.b]" is a product.
    """
    made: dict[tuple[tuple[int, ...], ...], dict[tuple[Any, ...], str]] = {}
    for name in names:
        numbers, texts, levels = list[str](), list[str](), list[str]()
        for factor in [name] if name in top else name.split(":"):
            found = None if factor in top else _LEVEL.fullmatch(factor)
            if found is None:
                numbers.append(factor)
                continue
            column, level = (part for part in found.groups() if part is not None)
            texts += [column] if column in top else column.split("^")
            levels += [level] if column in top else level.split("^")
        known = len(texts) == len(levels) and {*numbers, *texts}.issubset(top)
        words = "is not a column of the file, a level of one or a product of these"
        readable(known, f"{name!r:.40} {words}; make the table of columns and pass --expanded")
        places = tuple(map(top.index, numbers)), tuple(map(top.index, texts))
        named = made.setdefault(places, {}).setdefault(tuple(map(key, levels)), name)
        require(named == name, f"{name!r:.40} and {named!r:.40} are the same column")

    def cells(row: list[str]) -> Iterator[tuple[str, float]]:
        for (numbers, texts), by_level in made.items():
            there = [row[k] for k in texts]
            readable(not any(t.lower() in _MISSING for t in there), "a category is missing")
            if (name := by_level.get(tuple(map(key, there)))) is not None:
                yield name, prod(finite(row[k]) for k in numbers)

    return cells


def _place(names: Sequence[str], width: int, label: str | None) -> int:
    """The label's column: by name, by position, or the last."""
    if label is None:
        return width - 1
    readable(names.count(label) < 2, f"two columns are called {label!r}")
    if label in names:
        return names.index(label)
    is_there = bool(PLACE.fullmatch(label)) and int(label) < width
    readable(is_there, f"column {label!r} is missing")
    return int(label)


def is_text(cell: str) -> bool:
    """Whether a cell is neither a number, in any way to write one, nor missing."""
    try:
        float(cell)
    except ValueError:
        return cell.strip().lower() not in _MISSING
    return False


def finite(text: str) -> float:
    """The finite number that the text writes."""
    with suppress(ValueError):
        if text.isascii() and "_" not in text and isfinite(number := float(text)):
            return number
    raise Unreadable(f"{text!r:.40} is not a finite number, and only those are read")


def key(label: str) -> tuple[bool, float, str]:
    """What labels are compared by: numbers come first, by size, then texts."""
    number = float(label) if _NUMBER.fullmatch(label) else float("nan")
    if not isfinite(number):
        return True, 0.0, label
    whole = abs(number) >= 2**53 and re.fullmatch("[+-]?[0-9]+", label)
    return False, int(label) if whole else number, ""


def labelled(
    labels: Iterable[str], one: str | None = None
) -> tuple[tuple[str, str], dict[str, int]]:
    """The negative and the positive label as written, and the sign of each text that occurs.

    If `one` is given, it is positive, and the rest negative. Otherwise the greater of two is
    positive, and so is one alone, unless it is 0 or −1.
    """
    found = different(labels)
    keys = sorted(set(map(key, found)))
    if one is not None:
        readable(key(one) in keys, f"no example has the label {one!r:.40}")
        keys = [key(one)]
    readable(len(keys) <= 2, f"there are {len(keys)} different labels, not two")
    written = [
        text if is_name else str(int(n)) if abs(n) <= 10**22 and n == int(n) else repr(n)
        for is_name, n, text in keys
    ]
    alone, positive = written[-1], keys[-1]
    classes = written[0], alone
    if one is None and len(keys) == 1 and positive[:2] in ((False, 0), (False, -1)):
        classes, positive = (alone, "1"), (False, 1, "")
    elif len(keys) == 1:
        classes = "-1" if alone == "1" and one is None else f"not {alone}", alone
    return classes, {text: 1 if key(text) == positive else -1 for text in found}


def levelled(
    labels: Iterable[str], kind: str, levels: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str, int]]:
    """The levels of a model, and the number of each text that occurs.

    The response of a Poisson model is a number that is 0 or positive; other models' levels are in
    the order of the certificate, which must name all that occur and no others.
    """
    found = different(labels)
    if kind == "binomial":
        pairs = {text: [*map(finite, text.split(" "))] for text in found}
        readable(all(len(pair) > 1 for pair in pairs.values()), "name the column of trials")
        counts = {text: (s, sum(of)) for text, (s, *of) in pairs.items()}
        readable(all(0 <= s <= m > 0 for s, m in counts.values()), "a count is not of its trials")
        return levels, {text: 2 if s == m else int(s > 0) for text, (s, m) in counts.items()}
    if kind == "poisson":
        numbers = {text: finite(text) for text in found}
        readable(min(numbers.values()) >= 0, "a response is negative")
        return ("0", "positive"), {text: int(number > 0) for text, number in numbers.items()}
    places = {key(text): k for k, text in enumerate(levels)}
    require(places.keys() == set(map(key, found)), "the labels are not those of the certificate")
    return levels, {text: places[key(text)] for text in found}


def different(labels: Iterable[str]) -> list[str]:
    """The labels that occur; Unreadable, if one is missing or infinite."""
    found = list(dict.fromkeys(labels))
    readable(bool(found), "there are no examples")
    for text in found:
        bad = text.lower() in _MISSING or re.fullmatch("[+-]?inf(inity)?", text.lower())
        readable(not bad, f"label {text!r:.40} is not a class")
    return found


def main() -> int:
    """Check the certificate named first on the command line against the data named after it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("certificate", help="written by `novikoff certify -o CERTIFICATE`")
    parser.add_argument("data", nargs="+", help="svmlight, or CSV of numbers; plain or gzipped")
    parser.add_argument("--label", metavar="COLUMN", help="CSV: name, or position from 0 [last]")
    one = "take all other labels as one"
    parser.add_argument("--one-vs-rest", dest="one", metavar="LABEL", help=one)
    parser.add_argument("--categorical", metavar="COLUMN", action="append", default=[])
    of = "of counts: how many trials they are of; A+B is a sum"
    parser.add_argument("--trials", metavar="COLUMN", help=of)
    made = "make the columns of a formula, such as C(ward)[T.b] or x:firm=7, from their names"
    parser.add_argument("--by-name", action="store_true", help=made)
    also = "the table holds the columns that a formula makes; its SHA-256 is not compared"
    parser.add_argument("--expanded", action="store_true", help=also)
    parser.add_argument("--zero-based", action="store_true", help="svmlight: indices from 0")
    given = vars(parser.parse_args())
    certificate, paths, expanded = (given.pop(it) for it in ("certificate", "data", "expanded"))
    words, status, to, hint = "", 2, sys.stdout, ""
    try:
        written = load(certificate)
        it = claim(written)
        if it.names and not (given["by_name"] or expanded):
            hint = "; add --by-name to make the columns from their names"
        data = read(paths, claimed=it, **given)
        check(written, replace(data, files=it.files if expanded else data.files))
        words = summary(it, data, paths)
        words += "\n  table   not the certificate's own file: columns made from it" * expanded
        status = int(it.verdict == "undecided")
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        why = str(getattr(error, "strerror", None) or error).lower().removesuffix(" or directory")
        name, to = getattr(error, "filename", None) or paths[0], sys.stderr
        words = f"{shown(name)}: {why}"
    except (Unreadable, csv.Error) as error:
        words, to = f"cannot be checked here: {error}{hint}; or use novikoff verify", sys.stderr
    except Exception as error:  # whatever happened, nothing is proved
        words, status = f"rejected: {error}{hint * ('columns' in str(error))}", 1
    try:
        if isinstance(to, io.TextIOWrapper):
            to.reconfigure(errors="backslashreplace")  # what the terminal cannot show is escaped
        print(words, file=to, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), to.fileno())  # nothing more is written there
        print(f"the answer could not be written: {error.strerror}", file=sys.stderr)
        status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
