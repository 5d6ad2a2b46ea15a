"""`certify` decides whether data are separable and proves it; `verify` checks the proof.

What a certificate says and what follows from facts about the rows is decided in
`guarantees/check.py`, also for `verify`. The facts themselves are found here for all rows at once,
exactly: floating point with a bound on its error decides most signs, and integers the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees import check
from novikoff.guarantees.certificate import (
    Certificate,
    Described,
    MarginInterval,
    Sparse,
    add_to_fingerprint,
    examples,
    fingerprint,
    merged,
    ranges,
    spans_text,
)
from novikoff.guarantees.check import require
from novikoff.guarantees.exact.arithmetic import ExactVector, packed
from novikoff.guarantees.exact.rows import ExactRows, ExactSum, GramRows, usable
from novikoff.guarantees.verdict import ModelName, Separation
from novikoff.ledger.kernels import AnyKernel, Kernel
from novikoff.separability.exact_linear import last_columns, rank_of
from novikoff.separability.models import COUNTED, Regression, data_of, kernel_named, modelled
from novikoff.separability.points import Points, Progress, orthogonal_to
from novikoff.separability.search import Search
from novikoff.separability.widest_margin import narrowed
from novikoff.sources.open import Data, Scanned
from novikoff.stream.blocks import Block, Labels
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.rows import Positions, SparseRows

# An interval this wide says little; it is narrowed without being asked, if the rows hold few
# numbers.
_WIDE, _NARROW, _SMALL = 0.9, 0.01, 10_000
_MOST_TO_CHOOSE = 10_000_000  # numbers looked at to choose which of dependent columns to drop


class Stopped(KeyboardInterrupt):
    """Ctrl-C during `certify`; `certificate` holds what is known by then, and is true."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(f"interrupted: the verdict is {certificate.verdict}")
        self.certificate = certificate

    def __reduce__(self) -> tuple[type[Stopped], tuple[Certificate]]:
        return Stopped, (self.certificate,)


def certify(
    X: Any,
    y: Any = None,
    *,
    model: ModelName = "binary",
    levels: Sequence[Any] | None = None,
    trials: Any = None,
    fixed_effects: Any = None,
    weights: Any = None,
    kernel: Kernel | AnyKernel | None = None,
    fit_intercept: bool | None = None,
    margin_rtol: float | None = None,
    max_seconds: float = math.inf,
    progress: Progress | None = None,
) -> Certificate:
    """Decide whether the data are separable: complete, quasi-complete or overlap, with a proof.

    Floating point only suggests: the certificate's numbers are exact rationals, and `verify` checks
    them without trusting the search.

    Parameters
    ----------
    X, y
        Rows and their labels. X is an array, a frame (the certificate then uses the names of its
        columns) or a scipy sparse matrix. A text or category v in column c of a frame is column
        "c=v", with a column for each value, as in files; a truth value is 1 or 0. There are at
        most two labels, and the greater is positive (of an ordered category of pandas, the later);
        y may have one column. Instead of both, a `Block`, the `Data` of `sources.read` or the
        `regression_data` of a formula or fit alone.
    model
        "binary" for logit, probit and other models of two labels; "poisson" for counts and amounts
        of at least 0 with a logarithmic link; "multinomial" for levels without an order; "ordinal"
        for cumulative links. Then separated means: along a direction of the coefficients the
        likelihood of no example falls and that of the separated ones rises, so no finite estimate
        is best.
    levels
        The levels of a multinomial or ordinal response in order, of which the first is the base; by
        default numbers by size, then texts by the alphabet; of an ordered category, its own order.
    trials
        Of binomial counts: how many trials each count in y is of; for a binary model.
    fixed_effects
        Names of columns of X, a frame; or one column, or several in a frame, a dict or a list. Each
        level is a column called "firm=1017", and there is no constant. They take little time and
        memory: a million rows and tens of thousands of levels are decided within a minute.
    weights
        Of the rows, at least 0; those of weight 0 are left out, and rows are counted without them.
        Positive weights and offsets change nothing about which estimates exist.
    kernel
        Decide it in the space of this `Kernel` or name, other than "rbf"; weights and multipliers
        are those of rows. All kernels of pairs must be exact in float64 (see docs/kernels.md).
    fit_intercept
        Whether the hyperplane need not pass through the origin: adds a constant 1 as a feature. By
        default it does, but not in the space of a kernel.
    margin_rtol
        Narrow the interval for the best margin γ to this relative width, if the data are
        completely separated; 0 gives γ exactly. By default the interval is what the search found;
        if its relative width is more than 0.9 and the rows hold at most 10,000 numbers, it is
        narrowed to 0.01.
    max_seconds
        The time limit, roughly; when it is reached the verdict is undecided.
    progress
        Called now and then with a line of text.

    References: Gordan (1873); Albert & Anderson (1984) for binary and multinomial models; Correia,
    Guimarães & Zylkin (2019) for Poisson; Novikoff (1962) for the perceptron, Block & Levin (1970)
    for its cycles; Konis (2007) for linear programs that detect separation.

    Examples
    --------
    >>> from novikoff import certify, verify
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> xor = certify(X, y)
    >>> str(xor.verdict), xor.multipliers
    ('overlap', {0: 1, 1: 1, 2: 1, 3: 1})
    >>> verify(xor, X, y)
    True
    >>> print(certify(X, [0, 1, 1, 1]).verdict)
    complete
    """
    if margin_rtol is not None and not 0 <= margin_rtol < 1:
        raise ValueError(f"margin_rtol must be at least 0 and less than 1, not {margin_rtol!r}")
    if not max_seconds >= 0:
        raise ValueError(f"max_seconds must be at least 0, not {max_seconds!r}")
    if isinstance(X, Regression):
        trials, weights, fixed_effects = X.trials, X.weights, X.fixed_effects
        fit_intercept = X.constant or model == "ordinal"  # its thresholds are the constants
    if model not in get_args(ModelName):
        known = ", ".join(get_args(ModelName))
        raise ValueError(f"model must be one of {known}, not {model!r}")
    if trials is not None and model != "binary":
        raise ValueError(f"trials are those of a binary model, not of a {model} one")
    kind, in_kernel = model if trials is None else "binomial", kernel is not None
    if in_kernel and (kind != "binary" or margin_rtol is not None):
        raise BadExample("a kernel is for two labels, and for margins as they are found")
    given = data_of(X, y, kind, levels, trials, fixed_effects, weights)
    fit_intercept = not in_kernel if fit_intercept is None else fit_intercept
    constant = bool(fit_intercept) and fixed_effects is None
    data, of = modelled(given, kind, constant=constant, kernel=kernel)
    bias = constant if of is None else of.shape(len(data.classes))[1]
    points = Points(data.block, bias=bias, kernel=of.kernel if of else "")
    say: Progress = (lambda _: None) if progress is None else progress
    search = Search(points, seconds=max_seconds, progress=say)
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(fingerprint, points.block)  # hashing needs no lock of Python's

        def certificate(margin: MarginInterval) -> Certificate:
            stated = digest.result(), data.files, data.names, data.label, data.classes
            about = Described(len(points), points.rows.dim, points.bias, *stated, of)
            return _certificate(search, margin, about)

        try:
            search.run()
            if not in_kernel:
                search.name_columns()
            margin = _margin(search)
            if margin_rtol is None and not in_kernel and margin.relative_width > _WIDE:
                margin_rtol = _NARROW if points.rows.values.size <= _SMALL else None
            if search.verdict == Separation.COMPLETE and margin_rtol is not None and search.weights:
                both, until = (search.weights, margin), search.until
                search.weights, margin = narrowed(
                    points, both, rtol=margin_rtol, until=until, progress=say
                )
            return certificate(margin)
        except KeyboardInterrupt:
            raise Stopped(certificate(_margin(search))) from None


def _certificate(known: Search, margin: MarginInterval, about: Described) -> Certificate:
    points, face = known.points, known.face
    signs, inside = points.block.labels, set[int]()
    weights, complement = dict[int, int](), list[Sparse]()
    if known.weights is not None:
        some = np.flatnonzero(known.weights.integers)
        weights = dict(zip(some.tolist(), known.weights.integers[some].tolist(), strict=True))
    if known.verdict in (Separation.QUASI_COMPLETE, Separation.OVERLAP):
        at = np.array(sorted(face.multipliers), dtype=np.int64)
        inside = {*np.unique(points.entries(at).columns).tolist()}
        restricted = (  # the face leaves aliased columns out, the proof must not
            {j: x for j, x in v.items() if j in inside}
            for v in (*face.complement, *(known.aliases or {}).values())
        )
        complement = [v for v in restricted if v]
    found = Certificate(
        verdict=known.verdict,
        weights_by_column=weights,
        multipliers=dict(sorted(face.multipliers.items())),
        separated=ranges(known.separated),
        margin=margin,
        radius_squared=points.exact.largest_square(),
        complement=tuple(complement),
        determined=_determined(about, known, inside, complement),
        data=about,
        aliases=known.shown_aliases,
        alone=known.alone,
        only_label=(
            about.classes[int(signs[0] > 0)]
            if about.model is None and (signs == signs[0]).all()
            else None
        ),
        why_undecided=known.why,
        open=ranges(face.outside()) if known.verdict == Separation.UNDECIDED else (),
    )
    if not weights or about.kind in ("multinomial", "ordinal", "kernel"):
        return found
    infinite, texts = found.infinite, {1: about.classes[-1], -1: about.classes[0]}
    response = points.one_response().items()
    one = {j: (n, texts[sign]) for j, (n, sign) in response if j in infinite}
    return replace(found, one_response=one)


def _determined(
    about: Described, known: Search, inside: set[int], complement: Sequence[Sparse]
) -> tuple[int, ...]:
    """Of the columns of rows that are not separated, those to keep: the others are combinations.

    Constants stay if they can, then columns with finite estimates, then others that are not
    aliased, each in order.
    """
    work = len(complement) * sum(map(len, complement))
    if about.kind == "kernel" or work > _MOST_TO_CHOOSE:  # a column of kernels has no meaning
        return tuple(sorted(inside.intersection(known.face.pivots.tolist())))
    aliased, infinite = {*(known.shown_aliases or ())}, set[int]()
    if known.weights is not None:
        infinite = {*np.flatnonzero(known.weights.integers).tolist()}
    order = sorted(inside, key=lambda j: (not about.is_constant(j), j in infinite, j in aliased, j))
    return tuple(sorted(inside.difference(last_columns(complement, order))))


def _margin(known: Search) -> MarginInterval:
    """An interval for the best margin, from the weights and the mistakes of the perceptron."""
    points = known.points
    if known.face.multipliers:
        return MarginInterval(Fraction(0), Fraction(0), {})
    most = points.hull_squared(known.hull) if known.hull else None
    if known.verdict != Separation.COMPLETE or known.weights is None:
        return MarginInterval(Fraction(0), most, known.hull)
    size = points.exact.square_of(known.weights)
    if size <= 0:
        raise BadExample("the kernels are those of no space: a vector has a square of at most 0")
    reached = points.nearest(known.weights)[1] ** 2 / size
    return MarginInterval(reached, most, known.hull)


def verify(
    certificate: Certificate,
    X: Any,
    y: Any = None,
    *,
    trials: Any = None,
    fixed_effects: Any = None,
    weights: Any = None,
) -> bool:
    """True when the certificate proves its verdict on these data; otherwise Rejected, and why.

    Whatever the certificate states must hold for these data: the number, order and names of the
    columns, the labels, and the files, if it names any. `guarantees/check.py`, which needs only the
    standard library and also runs as a script, is a second opinion: it reads the rows one by one.
    Of a kernel that is a function, X is the matrix that it returns.
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(
            f"expected a Certificate, not a {type(certificate).__name__}; "
            "load a file with Certificate.load(path)"
        )
    it = check.claim(certificate.to_dict(sealed=False), sealed=False)
    checked(it, X, y, trials, fixed_effects, weights)
    return True


def checked(
    it: check.Claim,
    X: Any,
    y: Any = None,
    trials: Any = None,
    fixed_effects: Any = None,
    weights: Any = None,
) -> check.Evidence:
    """What was read of these data, if the claim is proved for them, else Rejected.

    Files that were `Scanned` are read in blocks, and need not fit in memory; they have two labels.
    It decides as `check` does, and holds one block at a time.
    """
    if isinstance(X, Scanned):
        require(it.model is None, "it is of a model, which needs all rows at once; pass X and y")
        read, n, blocks = evidence(data_of(X.data, None)), X.examples, iter(X)
    else:
        read, block = _read(it, X, y, trials, fixed_effects, weights)
        n, blocks = len(block), iter([block])
    check.check_reading(it, read)
    # nothing is made that is as large as the claim says before its size is that of the data
    require(0 < n == it.n, f"the data have {n} rows, not {it.n}")
    gathered = Gathered(it)
    for block in blocks:
        if isinstance(X, Scanned):  # other data are looked at as a whole
            usable(block.rows)
        gathered.add(block)
    check.conclude(it, gathered.facts(), rank_of)
    return read


def _read(
    it: check.Claim, X: Any, y: Any, trials: Any, fixed_effects: Any, weights: Any
) -> tuple[check.Evidence, Block]:
    """The data as the checker takes them, and the rows that the certificate is of."""
    model = it.model
    if isinstance(X, Regression):
        trials, weights, fixed_effects = X.trials, X.weights, X.fixed_effects
        constant = it.bias if model is None else model.constant
        differs = constant != (X.constant and fixed_effects is None)
        is_ordinal = model is not None and model.kind == "ordinal"
        require(is_ordinal or not differs, "only one of the models has a constant")
    kind = "binary" if model is None or model.kernel else model.kind
    require(kind != "binomial" or trials is not None, "it is of binomial counts; pass trials=")
    require(kind == "binomial" or trials is None, f"it is of a {kind} model, without trials")
    levels = None if kind in (*COUNTED, "binary") else it.classes
    try:
        given = data_of(X, y, kind, levels, trials, fixed_effects, weights)
    except BadExample as error:
        require(error.problem is not Problem.OTHER_LEVELS, f"the labels: {error.without_cure}")
        raise
    read = evidence(given)
    if model is not None:
        kernel = kernel_named(model.kernel) if model.kernel else None
        given, of = modelled(given, kind, constant=model.constant, kernel=kernel)
        if of is not None:
            check.check_examples(model, of.examples, of.twice)
    return read, given.block


def evidence(data: Data) -> check.Evidence:
    """The data as the checker takes them."""
    stated = data.files, data.names, data.label, data.classes, data.header
    return check.Evidence(examples(data.block), data.block.rows.dim, *stated)


class Gathered:
    """What rows that come in blocks say about a claim; `first` is the position of the first one."""

    def __init__(self, it: check.Claim, first: int = 0) -> None:
        self._it, self._first, self._at = it, first, first
        self._w = ExactVector.sparse(it.w, it.d + it.bias)
        self._zero, self._hull = (ExactSum(it.d + it.bias) for _ in range(2))
        self._multiplied, self._unseparated = list[check.Whole](), set[int]()
        self._flaw: check.Rejected | None = None
        self.digest, self.separated, self.radius = check.Fingerprint(), list[range](), Fraction(0)
        self.least: Fraction | None = None
        self._gram: GramRows | None = None

    def add(self, block: Block) -> tuple[Labels, NDArray[np.bool_]]:
        """On which side of the weights each row is: 1 is its own; and which rows are flaws."""
        it, labels, exact = self._it, block.signs, ExactRows(block.rows, bias=self._it.bias)
        if it.model is not None and it.model.kernel:
            is_positive = it.model.kernel != "precomputed"
            # a matrix comes in one block
            self._gram = exact = GramRows(block.rows, bias=it.bias, is_positive=is_positive)
            self._signs = labels
        side = labels * exact.signs(self._w) if it.w else np.zeros_like(labels)
        above, others = np.flatnonzero(side > 0), np.flatnonzero(side <= 0)
        bad = side < 0
        if it.verdict == "complete":
            bad |= side == 0
        elif it.verdict != "undecided" and it.complement:
            at = np.flatnonzero(side == 0)
            on = ExactRows(block.rows.take(at), bias=it.bias)
            left = [v for v in it.complement if not exact.all_orthogonal(v)]
            bad[at] |= ~orthogonal_to(on, left)
        multiplied = self._add_to(self._zero, it.times, block)
        self._multiplied += _wholes(it, block, multiplied)
        bad[multiplied] |= side[multiplied] > 0
        self._add_to(self._hull, it.hull, block)
        if self._flaw is None and bad.any():
            self._flaw = _flaw(it, block, int(np.argmax(bad)), self._at)
        self.separated += [range(self._at + r.start, self._at + r.stop) for r in ranges(side > 0)]
        if len(above):
            least = exact.least(above, labels[above], self._w)[1]
            self.least = least if self.least is None else min(least, self.least)
        self.radius = max(self.radius, exact.largest_square())
        self._unseparated |= _columns(it, block, others)
        cuts = sorted(cut - self._at for cut in it.cuts if 0 <= cut - self._at < len(block))
        for k, rows in enumerate(np.split(np.arange(len(block)), cuts)):
            if k:
                self.digest.cut(self._at + cuts[k - 1])
            add_to_fingerprint(self.digest, block, rows)
        self._at += len(block)
        return side, bad

    def _add_to(self, total: ExactSum, times: Mapping[int, int], block: Block) -> Positions:
        """Add those rows that are multiplied, with the signs of their labels, and say which."""
        within = sorted(i - self._at for i in times if 0 <= i - self._at < len(block))
        at = np.array(within, dtype=np.int64)
        if within:
            signs = block.labels[at].tolist()
            signed = [times[i + self._at] * y for i, y in zip(within, signs, strict=True)]
            total.add(block.rows, at, packed(signed))
        return at

    def facts(self) -> check.Facts:
        """What all rows so far say."""
        size, hull = self._w.squared, self._hull.squared
        if self._gram is not None:
            size = self._gram.square_of(self._w)
            hull = self._gram.square_of_sum(self._it.hull, self._signs)
        return check.Facts(
            rows=self._at - self._first,
            fingerprint=str(self.digest),
            flaw=self._flaw,
            separated=spans_text(merged(self.separated)),
            least=self.least or Fraction(0),
            radius=self.radius,
            size=size,
            unseparated=self._unseparated,
            multiplied=self._multiplied,
            cancels=self._zero.is_zero,
            hull=hull,
        )


def _flaw(it: check.Claim, block: Block, i: int, first: int) -> check.Rejected:
    (x,) = _wholes(it, block, np.array([i]))
    try:
        check.check_row(it, first + i, x, int(block.labels[i]) * check.dot(it.w, x))
    except check.Rejected as error:
        return error
    raise AssertionError(f"row {i} is not where the certificate says, but the check allows it")


def _wholes(it: check.Claim, block: Block, at: Positions) -> list[check.Whole]:
    """The rows at these positions, each as integers over its own denominator."""
    out = []
    for _, row in examples(Block(block.rows.take(at), block.labels[at])):
        x, below = check.row_vector((c, v) for c, v in row if v)
        if it.bias:
            x[it.d] = below
        out.append(x)
    return out


def _columns(it: check.Claim, block: Block, at: Positions) -> set[int]:
    """The columns that the rows at these positions use."""
    rows = block.rows if len(at) == len(block) else block.rows.take(at)
    used = np.zeros(rows.dim, dtype=np.bool_)
    if isinstance(rows, SparseRows):
        used[rows.indices[rows.values != 0]] = True
    else:
        used |= rows.values.any(axis=0)
    return {*np.flatnonzero(used).tolist(), *([it.d] if it.bias and len(at) else [])}
