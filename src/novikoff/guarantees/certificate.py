"""A verdict on separability with its proof: exact numbers, a fingerprint of the data, one file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees import check
from novikoff.guarantees.check import Fingerprint, Model, Row
from novikoff.guarantees.exact.arithmetic import fraction_text, root
from novikoff.guarantees.exact.rows import in_parts
from novikoff.guarantees.verdict import Separation
from novikoff.guarantees.words import TITLES, estimates, model_separation, separation
from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count, html_table, listed, plain, plural, short, spans
from novikoff.stream.rows import Positions

Sparse: TypeAlias = Mapping[int, int]  # a vector of integers by place; 0 elsewhere
_PROVED_IN = {
    "poisson": "Correia, Guimarães & Zylkin 2019",
    "ordinal": "as in Albert & Anderson 1984",
}


@dataclass(frozen=True, slots=True)
class MarginInterval:
    """The best margin γ lies between the roots of these numbers; None: no upper bound is known.

    The upper bound is the length of an average of the rows y·x in which row i has weight hull[i].
    """

    at_least_squared: Fraction = Fraction(0)
    at_most_squared: Fraction | None = None
    hull: Sparse = field(default_factory=dict, repr=False)

    @property
    def low(self) -> float:
        """A margin that some weights reach."""
        return root(self.at_least_squared)

    @property
    def high(self) -> float:
        """A margin that no weights exceed."""
        return math.inf if self.at_most_squared is None else root(self.at_most_squared)

    @property
    def relative_width(self) -> float:
        """(high − low)/high: 0 if the margin is known exactly, 1 if there is no lower bound."""
        if self.at_most_squared is None:
            return 1.0
        if self.at_most_squared == self.at_least_squared:
            return 0.0
        ratio = self.at_least_squared / self.at_most_squared
        return float((1 - ratio) / (1 + Fraction(math.sqrt(ratio))))  # avoids 1 − √ratio

    def __str__(self) -> str:
        if self.at_most_squared == self.at_least_squared:
            simple = self.at_least_squared.denominator < 10**6
            square = f"γ² = {self.at_least_squared}" if simple else "known exactly"
            return f"{short(self.low, 6)} ({square})"
        if self.at_most_squared is None:
            return f"at least {short(self.low, 6)}"
        if self.relative_width < 1e-6:
            return f"{short(self.low, 6)}, relative error {short(self.relative_width, 1)}"
        return f"between {short(self.low, 6)} and {short(self.high, 6)}"


@dataclass(frozen=True, slots=True)
class Described:
    """The data of a certificate; `verify` checks that all of it holds for the data it is given.

    `files` are the SHA-256 of their bytes; none if the data are arrays. `classes` are the negative
    and the positive label. With a `model`, `rows` and `columns` are those of its inequalities,
    `names` those of the columns of the examples, and `classes` its levels.
    """

    rows: int
    columns: int
    bias: bool
    fingerprint: str
    files: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    label: str | None = None
    classes: tuple[str, ...] = ("-1", "1")
    model: Model | None = None

    @property
    def kind(self) -> str:
        """The model: binary unless another is stated."""
        return "binary" if self.model is None else self.model.kind

    @property
    def is_regression(self) -> bool:
        """Whether the rows are inequalities of a regression model."""
        return self.kind not in ("binary", "kernel")

    def name(self, column: int) -> str:
        """The name of a coefficient: of a column and its level, or "constant", or "low|high"."""
        if self.kind == "kernel" and column < self.columns:
            return f"row {column}"
        width = self.columns if self.model is None or self.model.kernel else self.model.columns
        of_level = ""
        if self.model is not None and self.kind == "multinomial":
            level, column = divmod(column, width + self.model.constant)
            of_level = f"{self.classes[level + 1]}: "
        if self.kind == "ordinal" and column >= width:
            return "|".join(self.classes[column - width : column - width + 2])
        if column == width:
            return f"{of_level}constant"
        return of_level + (f"column {column}" if self.names is None else self.names[column])

    def is_constant(self, column: int) -> bool:
        """Whether the coefficient is a constant or a threshold."""
        width = self.columns if self.model is None else self.model.columns
        if self.model is not None and self.kind == "multinomial":
            column %= width + self.model.constant
        return column >= width

    def examples_of(self, rows: Positions) -> Positions:
        """The examples that make these inequalities, counted from 0."""
        return rows if self.model is None else np.unique(self.example_of_each()[rows])

    def example_of_each(self) -> Positions:
        """The example that makes each inequality; without a model, each row is one."""
        model = self.model
        if model is None:
            return np.arange(self.rows)
        if model.kind == "multinomial":
            return np.repeat(np.arange(model.examples), len(self.classes) - 1)
        made = np.ones(model.examples, dtype=np.int64)
        made[numbers_in(from_spans(model.twice, model.examples))] = 2
        return np.repeat(np.arange(model.examples), made)


@dataclass(frozen=True, slots=True, eq=False)
class Estimable:
    """The part of a regression whose maximum-likelihood estimates are finite and unique.

    A fit of these `rows` with these `coefficients` converges, and the estimates of all rows tend to
    it (Albert & Anderson 1984; Correia, Guimarães & Zylkin 2019). `absorbing` coefficients stand
    for their sums with `dropped` ones, as the constant does for a reference level. `partly` counts
    the rows that are separated from some levels of a multinomial or ordinal response only: a fit
    must rule those levels out as well. `sentence` says all this in words, for a paper.
    """

    rows: NDArray[np.bool_]
    coefficients: tuple[str, ...]
    dropped: tuple[str, ...]
    absorbing: tuple[str, ...]
    partly: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Certificate:
    """Whether the data are separable, and the proof (`novikoff.verify` checks it).

    Verify a certificate from elsewhere before you use it: `weights` and `separated_rows` are as
    large as it says the data are.

    The weights and the rows' `multipliers` are integers; the constant follows the columns. What a
    file holds is specified in docs/certificate.md: there `determined` columns are `estimable`.

    The following are not in a file, which holds only what `verify` checks. `aliases` are columns
    that are combinations of others, which the weights do not use unless complete: for each, a
    vector v with ⟨v,x⟩ = 0 on every row; None: not searched, because it would take too long.
    `alone` are the columns each of which separates all rows by itself, with the constant if there
    is one. `only_label` is the label that all rows have. `open` are the rows, as ranges, of which
    nothing is known, if undecided. `one_response` has, for columns of 0 and 1 whose estimates are
    infinite because all rows with a 1 there have the same response, how many rows, and which
    response. `places` are the files and lines of the first multiplied rows, if a cluster read them.
    """

    verdict: Separation
    weights_by_column: Sparse
    multipliers: Sparse
    separated: tuple[range, ...]
    margin: MarginInterval
    radius_squared: Fraction
    complement: tuple[Sparse, ...]
    determined: tuple[int, ...]
    data: Described
    aliases: Mapping[int, Sparse] | None = None
    alone: tuple[int, ...] = ()
    only_label: str | None = None
    why_undecided: str = ""
    open: tuple[range, ...] = ()
    one_response: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    places: Mapping[int, str] = field(default_factory=dict)

    def estimable(self) -> Estimable:
        """Which rows and coefficients to keep so that maximum likelihood converges."""
        if self.data.kind == "kernel":
            raise ValueError("in the space of a kernel there are no coefficients to estimate")
        if self.verdict == Separation.UNDECIDED:
            raise ValueError("the verdict is undecided, so it is not known which estimates exist")
        data, width = self.data, self.data.columns + self.data.bias
        separated = np.zeros(data.rows, dtype=np.bool_)
        separated[numbers_in(self.separated)] = True
        owner = data.example_of_each()
        n = int(owner[-1]) + 1
        ties, some = (np.bincount(owner[at], minlength=n) > 0 for at in (~separated, separated))
        stay = {*self.determined}
        shared = stay & set[int]().union(*self.complement)
        others = (j for j in range(width) if j not in stay)
        kept, absorbing, dropped = (
            tuple(plain(data.name(j)) for j in which)
            for which in (self.determined, sorted(shared), others)
        )
        partly = int((ties & some).sum())
        sentence = _sentence(self, n, int(ties.sum()), kept, dropped)
        if absorbing and self.separated:
            include = "estimate now includes" if len(absorbing) == 1 else "estimates now include"
            sentence = (
                f"{sentence.removesuffix('.')}, except for {listed(absorbing, 4)}, whose {include} "
                "multiples of dropped coefficients."
            )
        if partly:
            sentence += (
                f" For {count(partly)} of the rows that are left, some levels are ruled out in the "
                "limit; a fit must leave these out, too."
            )
        return Estimable(ties, kept, dropped, absorbing, partly, sentence)

    @property
    def weights(self) -> tuple[int, ...]:
        """The weight of each column, and that of the constant last; all 0 if nothing separates."""
        length = self.data.columns + self.data.bias
        return tuple(self.weights_by_column.get(j, 0) for j in range(length))

    @property
    def separated_rows(self) -> Positions:
        """The rows, with a model the examples, strictly on their correct sides, counted from 0."""
        return self.data.examples_of(numbers_in(self.separated))

    @property
    def aliased(self) -> tuple[int, ...] | None:
        """Columns, from 0, that are combinations of the others, which the weights do not use."""
        return None if self.aliases is None else tuple(sorted(self.aliases))

    @property
    def directions(self) -> tuple[float, ...]:
        """For each coefficient 0, +∞ or −∞, or NaN if it is aliased; the constant's is last.

        Along the weights the likelihood of a logistic model grows without end, so its estimate is
        infinite where they are not 0 (Albert & Anderson 1984). If several directions separate the
        same rows, others may have other signs and other zeros.
        """
        known = self.infinite | dict.fromkeys(self.aliased or (), math.nan)
        return tuple(known.get(j, 0.0) for j in range(self.data.columns + self.data.bias))

    @property
    def infinite(self) -> dict[int, float]:
        """The coefficients whose estimate is +∞ or −∞ (see `directions`), by column."""
        weights = dict(self.weights_by_column)
        for j, v in (self.aliases or {}).items():
            # the same scores without the aliased column, times a positive number
            if part := weights.get(j, 0) * (1 if v[j] > 0 else -1):
                if v[j] not in (1, -1):
                    weights = {k: abs(v[j]) * w for k, w in weights.items()}
                weights |= {k: weights.get(k, 0) - part * x for k, x in v.items()}
        return {j: math.inf if w > 0 else -math.inf for j, w in sorted(weights.items()) if w}

    @property
    def mistake_bound(self) -> tuple[int, int] | None:
        """Novikoff's (R/γ)² of all rows, at the largest and smallest γ; None unless complete."""
        least, most = self.margin.at_least_squared, self.margin.at_most_squared
        if self.verdict != Separation.COMPLETE or most is None:
            return None
        return self.radius_squared // most, self.radius_squared // least

    def __str__(self) -> str:
        facts = [f"  {about:14}  {text}" for about, text in facts_of(self)]
        return "\n".join([f"{self.verdict}: {self._meaning}", *facts])

    @property
    def _meaning(self) -> str:
        if self.data.is_regression:
            return model_separation(self.verdict)
        of_kernel = " of the kernel's space" * (self.data.kind == "kernel")
        return separation(self.verdict, by=f"hyperplane{of_kernel}").meaning

    def _repr_html_(self) -> str:
        verdict = f"{self.verdict}: {self._meaning}"
        return html_table([("verdict", verdict), *facts_of(self)])

    def __repr__(self) -> str:
        return f"<Certificate: {self.verdict}, {self.data.rows} rows × {self.data.columns} columns>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.verdict, self.data.fingerprint))

    def to_dict(self, *, sealed: bool = True) -> dict[str, Any]:
        """The whole certificate, ready for JSON: exact numbers as texts, rows as spans, a seal."""
        d, about, high = self.data.columns, asdict(self.data), self.margin.at_most_squared
        lists = {key: list(part) for key, part in about.items() if isinstance(part, tuple)}
        out: dict[str, Any] = {
            "format": "novikoff certificate",
            "version": check.VERSION,
            "verdict": str(self.verdict),
            "data": about | lists,
            "weights": _written(self.weights_by_column, d),
            "multipliers": _written(self.multipliers),
            "separated": spans_text(self.separated),
            "complement": [_written(v, d) for v in self.complement],
            "estimable": list(self.determined),
            "margin": {
                "at_least_squared": fraction_text(self.margin.at_least_squared),
                "at_most_squared": None if high is None else fraction_text(high),
                "hull": _written(self.margin.hull),
            },
            "radius_squared": fraction_text(self.radius_squared),
        }
        return out | {"seal": check.seal(out)} if sealed else out

    @classmethod
    def from_dict(cls, given: Any) -> Certificate:
        """The certificate that `to_dict` wrote; raises `check.Rejected` if it is not one."""
        it = check.claim(given)
        about = Described(
            it.n, it.d, it.bias, it.fingerprint, it.files, it.names, it.label, it.classes, it.model
        )
        return cls(
            verdict=Separation(it.verdict),
            weights_by_column=it.w,
            multipliers=it.times,
            separated=from_spans(it.separated, it.n),
            margin=MarginInterval(it.low, it.high, it.hull),
            radius_squared=it.radius,
            complement=tuple(it.complement),
            determined=tuple(sorted(it.estimable)),
            data=about,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a JSON file, completely or not at all."""
        with atomic_write(path) as file:
            file.write(f"{json.dumps(self.to_dict(), indent=1)}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """The certificate in a file that `save` wrote."""
        given = check.load(os.fspath(path))
        try:
            return cls.from_dict(given)
        except check.Rejected as error:
            raise check.Rejected(f"{os.fspath(path)}: {error}") from None


def _sentence(
    it: Certificate, n: int, left: int, kept: tuple[str, ...], dropped: tuple[str, ...]
) -> str:
    model = f"{TITLES[it.data.kind]} model"
    cited = _PROVED_IN.get(it.data.kind, "Albert & Anderson 1984")
    if it.verdict == Separation.COMPLETE:
        return (
            f"All {count(n)} rows are completely separated ({cited}), so no coefficient of the "
            f"{model} has a finite maximum-likelihood estimate."
        )
    without = ""
    if dropped:
        which = "coefficient" if len(dropped) == 1 else f"{count(len(dropped))} coefficients"
        without = f"the {which} of {listed(dropped, 4)}"
    finite = (
        f"{plural(len(kept), 'coefficient')} have finite and unique estimates, the limit of those"
    )
    if len(kept) == 1:
        finite = "coefficient has a finite and unique estimate, the limit of that"
    if it.verdict == Separation.OVERLAP:
        given = f", without {without}, which the rows do not determine" if dropped else ""
        return (
            f"The maximum-likelihood estimates of the {model} exist for all {count(n)} rows and "
            f"are unique{given} (no separation; {cited})."
        )
    verb, removed = ("is", "this row") if n - left == 1 else ("are", "these rows")
    if dropped:
        removed += f" and {without}"
    return (
        f"{count(n - left)} of {count(n)} rows {verb} separated ({cited}), so the "
        f"maximum-likelihood estimates of the {model} do not all exist; without {removed}, the "
        f"other {finite} of all rows."
    )


def reasons(it: Certificate) -> list[str]:
    """For columns of 0 and 1 with infinite estimates: that all of their rows have one response."""
    label = "" if it.data.label is None else f"{plain(it.data.label)} "
    return [
        f"{'the only row' if n == 1 else f'all {count(n)} rows'} with {plain(it.data.name(j))} "
        f"{'has' if n == 1 else 'have'} {label or 'the response '}{plain(response)}"
        for j, (n, response) in it.one_response.items()
    ]


def facts_of(it: Certificate) -> Iterator[tuple[str, str]]:
    """What a certificate says, line by line: what it is about, and the words."""
    data = it.data
    if it.why_undecided:
        yield "why", it.why_undecided
    if it.open:
        at = data.examples_of(numbers_in(it.open))
        rest = "no weights separate the others" if it.multipliers else "nothing is known of any row"
        yield "open", f"{plural(len(at), 'row')}: {spans(at.tolist())}; {rest}"
    n, d, bias = data.rows, data.columns, data.bias
    if data.model is not None:
        n, d, bias = data.model.examples, data.model.columns, data.model.constant
    constant = " and a constant" if bias else ""
    shape = f"{plural(n, 'row')}, {plural(d, 'column')}{constant}"
    yield "data", f"{shape}; rows and columns are numbered from 0"
    if data.model is not None and data.model.kernel:
        yield "kernel", data.model.kernel
    if data.is_regression:
        where = "" if data.label is None else f"{plain(data.label)}: "
        yield "response", f"{where}{listed([plain(level) for level in data.classes], 6)}"
    elif it.only_label is not None:
        so = ", so a constant alone separates them" if data.bias else ""
        yield "one label", f"all rows have the label {plain(it.only_label)}{so}"
    elif data.label is not None or data.classes != ("-1", "1"):
        column = "" if data.label is None else f"{plain(data.label)}: "
        column = f"column {column}" if column and data.names is None else column
        negative, positive = map(plain, data.classes)
        yield "label", f"{column}{negative} (-) or {positive} (+)"
    if it.verdict == Separation.COMPLETE and not data.is_regression:
        by_column = sorted(it.weights_by_column.items())
        weights = [f"{plain(data.name(j))}: {count(w)}" for j, w in by_column]
        yield "weights", listed(weights, 6)
        if it.alone:
            alone = [plain(data.name(j)) for j in it.alone]
            separate = "separates" if len(alone) == 1 else "each separate"
            yield "alone", f"{listed(alone, 6)} {separate} the labels alone"
        yield "best margin", str(it.margin)
    if it.verdict == Separation.UNDECIDED and it.margin.at_most_squared and not data.is_regression:
        yield "best margin", f"at most {short(it.margin.high, 6)}, if the rows are separable"
    if not data.is_regression and (bound := it.mistake_bound) is not None:
        least, most = map(count, bound)
        better = "" if least == most else f"; with the best margin the bound is at least {least}"
        mistakes = "mistake" if most == "1" else "mistakes"
        yield "mistake bound", f"a perceptron makes at most (R/γ)² = {most} {mistakes}{better}"
    is_partly = it.verdict == Separation.QUASI_COMPLETE
    is_partly |= bool(it.weights_by_column) and data.is_regression
    if is_partly:
        at = it.separated_rows
        which = spans(at.tolist()) if data.is_regression else spans(it.separated)
        yield "separated", f"{plural(len(at), 'row')}: {which}"
    title = f"{TITLES.get(data.kind, '')} model"
    if data.kind != "kernel" and is_partly:
        infinite = it.infinite.items()
        names = [f"{plain(data.name(j))} → {'+' if x > 0 else '−'}∞" for j, x in infinite]
        is_all = len(names) == data.columns + data.bias or it.verdict == Separation.COMPLETE
        rest = "" if is_all else "; the others stay finite"
        yield title, f"{estimates('quasi-complete')}: {listed(names, 6)}{rest}"
        if it.one_response:
            yield "reason", listed(reasons(it), 3)
    elif it.verdict != Separation.UNDECIDED and data.kind != "kernel":
        yield title, estimates(it.verdict)
    if it.multipliers:
        cancel = "each multiplied by its label's sign and a positive number, sum to 0"
        cancel += " in the kernel's space" * (data.kind == "kernel")
        is_undecided = it.verdict == Separation.UNDECIDED
        at = np.array(sorted(it.multipliers), dtype=np.int64)
        which = spans(data.examples_of(at).tolist())
        if it.places:
            which = f"{which} ({listed([plain(place) for place in it.places.values()], 8)})"
        proof = f"rows {which}, {cancel}"
        if data.is_regression:
            proof = f"inequalities of rows {which}, each multiplied by a positive number, sum to 0"
        yield "not complete" if is_undecided else "proof", proof
    if it.aliases:
        zero = [data.name(j) for j, v in sorted(it.aliases.items()) if len(v) == 1]
        names = [data.name(j) for j, v in sorted(it.aliases.items()) if len(v) > 1]
        are = "is a combination" if len(names) == 1 else "are combinations"
        parts = [f"{listed(names, 6)} {are} of other columns"] if names else []
        if zero:
            parts.append(f"{listed(zero, 6)} {'is' if len(zero) == 1 else 'are'} 0 in every row")
        yield "aliased", "; ".join(parts)


def _written(v: Sparse, constant: int = -1) -> dict[str, str]:
    return {
        "constant" if j == constant else str(j): fraction_text(x) for j, x in sorted(v.items()) if x
    }


def from_spans(text: str, rows: int) -> tuple[range, ...]:
    """The ranges of rows that are written "0-3,7"; Rejected, if they are not."""
    pieces = [piece.split("-") for piece in text.split(",") if text]
    ends = [[int(check.matched(check.PLACE, end)[0]) for end in piece] for piece in pieces]
    found = tuple(range(piece[0], piece[-1] + 1) for piece in ends)
    increase = all(found) and all(a.stop < b.start for a, b in pairwise(found))
    is_same = spans_text(found) == text and (not found or found[-1].stop <= rows)
    check.require(increase and is_same, "damaged: its separated rows are wrong")
    return found


def spans_text(found: Sequence[range]) -> str:
    """The ranges of rows as a certificate writes them: "0-3,7"."""
    return ",".join(str(r.start) if len(r) == 1 else f"{r.start}-{r.stop - 1}" for r in found)


def numbers_in(found: Iterable[range]) -> Positions:
    """The numbers in these ranges."""
    each = (np.arange(r.start, r.stop) for r in found)
    return np.concatenate([np.zeros(0, dtype=np.int64), *each])


def ranges(which: NDArray[np.bool_]) -> tuple[range, ...]:
    """Where this is true, as ranges."""
    ends = np.flatnonzero(np.diff(which, prepend=False, append=False)).tolist()
    return tuple(map(range, ends[::2], ends[1::2]))


def merged(found: Iterable[range]) -> tuple[range, ...]:
    """These ranges in order; those that follow one another without a gap become one."""
    out = list[range]()
    for each in found:
        joins = bool(out) and out[-1].stop == each.start
        out.append(range(out.pop().start, each.stop) if joins else each)
    return tuple(out)


def fingerprint(block: Block) -> str:
    """A digest of the labels and numbers other than 0, however they are stored."""
    out = Fingerprint()
    add_to_fingerprint(out, block, np.arange(len(block)))
    return str(out)


def add_to_fingerprint(digest: Fingerprint, block: Block, at: Positions) -> None:
    """Add the rows of a block at these positions."""
    for part, every in in_parts(block.rows, at, bias=False):
        e = every.nonzero
        labels = block.labels[at[part]]
        columns: tuple[NDArray[Any], ...] = (labels, e.lengths, e.columns, e.values)
        kinds = ("<i1", "<i8", "<i8", "<f8")
        digest.update(*(c.astype(k).tobytes() for c, k in zip(columns, kinds, strict=True)))


def examples(block: Block) -> Iterator[tuple[int, Row]]:
    """Each label with the columns and values of its row; the rows must have passed `usable`."""
    for part, e in in_parts(block.rows, np.arange(len(block)), bias=False):
        columns, values, starts = e.columns.tolist(), e.values.tolist(), e.starts.tolist()
        for k, label in enumerate(block.labels[part].tolist()):
            span = slice(starts[k], starts[k + 1])
            yield label, zip(columns[span], values[span], strict=True)
