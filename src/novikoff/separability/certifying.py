"""`certify` decides whether data are separable and proves it; `verify` checks the proof."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.certificate import (
    Certificate,
    Described,
    MarginInterval,
    examples,
    fingerprint,
)
from novikoff.guarantees.check import Rejected, check
from novikoff.guarantees.exact.rows import largest_square
from novikoff.guarantees.verdict import Separation
from novikoff.separability.points import Points, Progress
from novikoff.separability.search import Findings, Search
from novikoff.separability.widest_margin import narrowed
from novikoff.sources.arrays import rows_of
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample


class Stopped(KeyboardInterrupt):
    """Ctrl-C during `certify`; `certificate` holds what was known by then, and is true."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(f"interrupted: the verdict is {certificate.verdict}")
        self.certificate = certificate

    def __reduce__(self) -> tuple[type[Stopped], tuple[Certificate]]:
        return Stopped, (self.certificate,)


def certify(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    margin_rtol: float | None = None,
    max_seconds: float = math.inf,
    progress: Progress | None = None,
) -> Certificate:
    """Decide whether the data are separable: complete, quasi-complete or overlap, with a proof.

    Equal rows with different labels are looked for first, then the perceptron runs as long as it
    gets on; linear programs over a growing set of rows come last. What floating point suggests is
    made exact: the certificate's numbers are rationals, and `verify` checks them without trusting
    any of this.

    Parameters
    ----------
    X, y
        Rows (anything array-like, a frame, whose columns' names the certificate then uses, or scipy
        sparse in any format) and their labels, of at most two kinds; of two the larger is positive.
        Or a `Block` alone.
    fit_intercept
        Whether the hyperplane may miss the origin: a constant 1 is then one more feature.
    margin_rtol
        Narrow the interval for the best margin γ to this relative width, if the data are
        completely separated; 0 asks for γ exactly. By default it is what came for free.
    max_seconds
        The time allowed, roughly; when it is used up the verdict is undecided.
    progress
        Called with a line of words now and then.

    References
    ----------
    Gordan (1873); Albert & Anderson (1984); Novikoff (1962) for the perceptron, Block & Levin
    (1970) for its cycles; Konis (2007) for linear programs that detect separation.

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
        raise ValueError(f"margin_rtol must be a number from 0 and below 1, not {margin_rtol!r}")
    if not max_seconds >= 0:
        raise ValueError(f"max_seconds must be a number from 0, not {max_seconds!r}")
    block, classes = labelled(X, y)
    if len(block) == 0:
        raise BadExample("there are no examples to decide about")
    points = Points(block, bias=bool(fit_intercept))
    say: Progress = (lambda _: None) if progress is None else progress
    until = time.monotonic() + max_seconds
    search = Search(points, until=until, progress=say)
    try:
        search.run()
        known = search.known
        margin = _margin(points, known)
        if known.verdict == Separation.COMPLETE and margin_rtol is not None and known.weights:
            known.weights, margin = narrowed(
                points, (known.weights, margin), rtol=margin_rtol, until=until, progress=say
            )
    except KeyboardInterrupt:
        known = search.known
        found = _certificate(points, known, _margin(points, known))
        raise Stopped(_named(found, X, y, classes)) from None
    return _named(_certificate(points, known, margin), X, y, classes)


def verify(certificate: Certificate, X: Any, y: Any = None) -> bool:
    """True when the certificate proves its verdict on these data; otherwise Rejected, and why.

    The work is done by `guarantees/check.py`, which uses the standard library alone and runs as a
    script by itself.

    References
    ----------
    Gordan (1873); Albert & Anderson (1984).
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(
            f"a Certificate is needed, not a {type(certificate).__name__}: Certificate.load(path)"
        )
    block, _ = labelled(X, y)
    if block.rows.dim > certificate.data.columns:
        raise Rejected(f"the data have {block.rows.dim} columns, not {certificate.data.columns}")
    if len(block) != certificate.data.rows:
        raise Rejected(f"the data have {len(block)} rows, not {certificate.data.rows}")
    if fingerprint(block) != certificate.data.fingerprint:
        raise Rejected("the data are not those it was made for: their fingerprint is another")
    check(certificate.to_dict(), examples(block))
    return True


def labelled(X: Any, y: Any) -> tuple[Block, tuple[str, str]]:
    """Rows and labels as a block, and the negative and the positive label as texts.

    Of two kinds of labels the larger is positive; a single one is, unless it is 0 or −1.
    """
    if isinstance(X, Block):  # every row counts here, however little it did when learning
        return replace(X, importances=None), ("-1", "1")
    if y is None:
        raise BadExample("the labels are missing: certify(X, y)")
    given: NDArray[Any] = np.asarray(y)
    if given.ndim != 1:
        raise BadExample(f"labels must be one-dimensional, not of shape {given.shape}")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        i = int(np.flatnonzero(~np.isfinite(given))[0])
        raise BadExample(f"row {i}: label {given.tolist()[i]!r} is not a label")
    try:
        kinds = np.unique(given)
    except TypeError:
        raise BadExample("labels of kinds that cannot be compared; use one kind for all") from None
    if len(kinds) > 2:
        i = int(np.flatnonzero((given != kinds[0]) & (given != kinds[1]))[0])
        raise BadExample(
            f"row {i}: label {given.tolist()[i]!r} is a third kind, after {kinds.tolist()[0]!r} "
            f"and {kinds.tolist()[1]!r}; for more than two classes ask about one against the rest"
        )
    names = [str(kind) for kind in kinds.tolist()]
    positive = given == kinds[-1] if len(kinds) else given == given
    if len(names) == 1:
        negative = given.dtype.kind in "biuf" and kinds[0] in (0, -1)
        names = [names[0], "1"] if negative else [f"not {names[0]}", names[0]]
        positive = positive & (not negative)
    labels = np.where(positive, 1, -1).astype(np.int8)
    return Block(rows_of(X), labels), (names[0], names[1]) if names else ("-1", "1")


def _named(it: Certificate, X: Any, y: Any, classes: tuple[str, str]) -> Certificate:
    """The certificate with the names that a frame gives its columns, and a series its labels."""
    names, label = getattr(X, "columns", None), getattr(y, "name", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return it.named(classes=classes)
    return it.named(names, label if isinstance(label, str) and label else None, classes)


def _certificate(points: Points, known: Findings, margin: MarginInterval) -> Certificate:
    """The findings put together: nothing is searched for any more."""
    face, n = known.face, len(points)
    none = np.zeros(points.length, dtype=np.int64)
    weights = none if known.weights is None else known.weights.integers
    decided = known.verdict in (Separation.QUASI_COMPLETE, Separation.OVERLAP)
    span = face.touched
    if known.aliases:  # the face leaves aliased columns out, the proof does not
        span = points.touched_by(np.array(sorted(face.multipliers), dtype=np.int64))
    inside = set(span.tolist())
    complement = [
        {j: x for j, x in v.items() if j in inside}
        for v in (*face.complement, *(known.aliases or ()))
    ]
    return Certificate(
        verdict=known.verdict,
        weights=tuple(weights.tolist()),
        multipliers=dict(sorted(face.multipliers.items())),
        separated_rows=np.zeros(0, dtype=np.int64)
        if known.separated is None
        else np.flatnonzero(known.separated),
        margin=margin,
        radius_squared=largest_square(points.rows, bias=points.bias),
        aliases=known.aliases,
        data=Described(n, points.rows.dim, points.bias, fingerprint(points.block)),
        span_columns=span if decided else np.zeros(0, dtype=np.int64),
        complement=tuple(v for v in complement if v) if decided else (),
        why_undecided=known.why,
    )


def _margin(points: Points, known: Findings) -> MarginInterval:
    if known.face.multipliers:
        return MarginInterval(Fraction(0), Fraction(0), {})
    hull = known.hull or {}
    most = points.hull_squared(hull) if hull else None
    if known.verdict != Separation.COMPLETE or known.weights is None:
        return MarginInterval(Fraction(0), most, hull)
    reached = points.nearest(known.weights)[1] ** 2 / known.weights.squared
    return MarginInterval(reached, most, hull)
