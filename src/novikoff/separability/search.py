"""The search for a certificate: the cheapest methods first, and an exact answer in the end."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector
from novikoff.guarantees.exact.rows import Entries
from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.learners import Adaptive, Additive, Dual
from novikoff.ledger.kernels import Kernel
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.loop import play
from novikoff.runs.pool import Pool
from novikoff.separability.exact_linear import Inexact, Undecided, aliases, kernel_aliases
from novikoff.separability.face import WEIGHT_BITS, Face
from novikoff.separability.linear_programs import (
    Support,
    alternative,
    columns_alone,
    few_columns,
    maximal_support,
)
from novikoff.separability.loose_groups import differences, some_groups, spanning_rows
from novikoff.separability.points import Points, Progress
from novikoff.stream.order import arranged
from novikoff.stream.rows import Positions, Vector, dots
from novikoff.stream.sums import length

MOST_COLUMNS = 2000  # beyond, aliased columns are not searched for
_PATIENCE = 1e7  # numbers that the perceptron reads before it may be stopped as stuck
_WORK = 1e9  # numbers that it reads at most
_PASS_ITSELF = 20_000  # the fixed cost of a pass, in numbers read
_MANY = 30_000  # numbers, from which on the adaptive perceptron is tried first,
_ADAPTIVE_PASSES = 10  # with at most so many passes
_HUGE = 1e100  # a length whose powers might overflow
_PAIRS_A_DIMENSION = 3  # contradictory pairs looked at at a time, for each dimension left
_FEW_ROWS = 400  # in the first linear program,
_ROWS_A_DIMENSION = 4  # or this many times the dimensions left,
_FEW_NUMBERS = 20_000  # or rows with so many numbers
_PROGRAMS = 400  # solved at most
_MANY_DIMENSIONS = 100  # from which on loosely connected groups of rows come first,
_MOST_IN_A_ROW = 64  # if rows have no more numbers, on average;
_MOST_GROUPS = 64  # times as many of them as in the first program
_NOT_COMPLETE = "not completely separable; checking for quasi-complete separation"


class Search:
    """Tries methods in the order of their cost.

    The public attributes are what is known so far: always true, and complete once the verdict is
    decided. `shown_aliases` are those of columns that the weights do not use.
    """

    def __init__(self, points: Points, *, seconds: float, progress: Progress) -> None:
        self.points, self._seconds = points, seconds
        self.until = time.monotonic() + seconds
        self.verdict, self.why = Separation.UNDECIDED, "the search was interrupted"
        self.face = Face(points, np.arange(points.length))
        self.separated = np.zeros(len(points), dtype=np.bool_)
        self.weights: ExactVector | None = None
        self.hull: Sparse = {}
        self.aliases: dict[int, Sparse] | None = None
        self.shown_aliases: dict[int, Sparse] | None = None
        self.alone: tuple[int, ...] = ()
        self._progress, self._last = progress, ""
        self._mistakes = np.zeros(len(points), dtype=np.int64)
        self._solved, self._groups = 0, 1
        self._balanced = False

    def _say(self, words: str) -> None:
        self._last = words
        self._progress(words)

    def run(self) -> None:
        """Try one method after another until the verdict is known."""
        try:
            self._say("looking for contradictory rows")
            first, second = _contradictions(self.points)
            if len(first):
                self._not_complete({int(first[0]): 1, int(second[0]): 1})
            complete = len(first) == 0 and (
                self._adaptive_perceptron()
                or (not self._some_groups_overlap() and self._perceptron())
            )
            if not (complete and self.points.in_kernel):
                self._name_aliases()
            if not complete:
                self._begin(first, second)
                try:
                    self._programs()
                except Inexact:
                    self._exact_programs()
        except Undecided as reason:
            self.why = str(reason)
            if time.monotonic() >= self.until:  # whatever gave up, it had too little time
                limit = f"the limit of {self._seconds:g} s was reached ({self._last})"
                self.why = f"{limit}; raise max_seconds"

    def name_columns(self) -> None:
        """Find columns that separate alone, or weights with few columns; and aliases of others.

        The aliases of the proof stay as they are: weights may be any that separate.
        """
        points = self.points
        self.shown_aliases = self.aliases
        if self.verdict == Separation.COMPLETE:
            self.alone = columns_alone(points)
        if self.verdict != Separation.QUASI_COMPLETE or self.weights is None:
            return
        self._say("looking for the columns at fault")
        few = few_columns(points, self.face, self.separated, self.until)
        if few is None:
            return
        now, then = (np.count_nonzero(w.integers[: points.rows.dim]) for w in (few, self.weights))
        if now > then:
            return
        used = np.flatnonzero(few.integers).tolist()
        if self.aliases and not self.aliases.keys().isdisjoint(used):
            try:
                others = aliases(points, used)
            except Undecided:
                return
            if not others.keys().isdisjoint(used):
                return
            self.shown_aliases = others
        self.weights = few

    def _name_aliases(self) -> None:
        """Find the aliased columns, unless it would take too long."""
        is_quick = self.points.is_positive and not self.points.bias
        find = kernel_aliases if is_quick else aliases
        if self.points.length <= MOST_COLUMNS or (is_quick and self.until == math.inf):
            self._say("looking for aliased columns")
            with suppress(Undecided):
                self.aliases = find(self.points)

    def _not_complete(self, zero_sum: Sparse) -> None:
        """Record rows whose positive multiples sum to zero."""
        self.face.add(zero_sum)
        self._say(_NOT_COMPLETE)

    def _begin(self, first: Positions, second: Positions) -> None:
        """Start a face without the aliased columns, from all rows known to be inseparable."""
        aliased = np.array([*(self.aliases or ())], dtype=np.int64)
        face = Face(self.points, np.setdiff1d(np.arange(self.points.length), aliased))
        zero = np.flatnonzero(~self.points.touching(np.ones(self.points.length, dtype=np.bool_)))
        if len(zero):
            face.add({int(zero[0]): 1})
        if self.face.multipliers and len(first) == 0:  # contradictions follow, all together
            face.add(self.face.multipliers)
        while len(first):
            step = max(1, len(first) // max(_FEW_ROWS, _PAIRS_A_DIMENSION * len(face.columns)))
            some = np.arange(0, len(first), step)
            if self._may_be_loose(face) and len(tree := spanning_rows(self.points.matrix(first))):
                some = np.union1d(tree, some[:: max(1, len(some) // _FEW_ROWS)])
            face.add_pairs(first[some], second[some])
            left = face.outside()[first]
            first, second = first[left], second[left]
        self.face = face  # with more rows than the one before

    def _adaptive_perceptron(self) -> bool:
        """Whether a few passes of the adaptive perceptron find weights that separate, exactly.

        No theorem says that they do, but on texts they are 3 to 8 where the perceptron needs 60. On
        few data the perceptron is as fast, and its weights are small whole numbers.
        """
        points, left = self.points, len(self.points) + 1
        few = points.rows.values.size < _MANY or points.in_kernel
        if few or points.exact.norms.max() > _HUGE:
            return False
        learner = Adaptive(points.rows.dim, bias=points.bias, regularisation=0.1)
        ledger = learner.open_ledger("positions")
        block = arranged(points.block, 0)
        for made in range(_ADAPTIVE_PASSES):
            self._say(f"adaptive perceptron: {made} passes, {ledger.n_mistakes} mistakes")
            play(block, learner, ledger=ledger)
            wrong = ledger.epoch_mistakes[-1]
            if 50 * wrong < len(points) and (points.scores(learner.weights) > 0).all():
                last = slice(len(ledger) - ledger.epoch_updates[-1], None)  # each row once
                steps, times = np.abs(ledger.steps[last]), np.zeros(len(points), dtype=np.int64)
                times[ledger.rows[last]] = np.rint(steps / steps.max(initial=0.0) * 1024)
                self._bound_margin(times)
                return self._separates(learner.weights)
            if wrong > 0.8 * left or time.monotonic() > self.until:
                return False
            left = wrong
        return False

    def _perceptron(self) -> bool:
        """Run the perceptron while it makes progress; whether its weights separate, exactly."""
        points, pool, cycles = self.points, Pool(), CycleSearch()
        learner: Additive | Dual
        learner = Additive(points.rows.dim, bias=points.bias, margin=self._margin())
        if points.in_kernel:
            learner = Dual(points.rows.dim, kernel=Kernel("precomputed"), bias=points.bias)
        ledger = learner.open_ledger("positions")
        block, read = arranged(points.block, 0), 0.0
        a_row = points.rows.values.size / len(points)
        try:
            while read < _WORK and time.monotonic() < self.until:
                self._say(f"perceptron: {len(ledger.scans)} passes, {len(ledger)} mistakes")
                passes, rounds = len(ledger.epoch_ends), ledger.n_rounds
                run = play(block, learner, ledger=ledger, cycles=cycles, revisit=pool)
                if run.verdict == Verdict.SEPARATED:
                    times = np.bincount(ledger.rows, ledger.steps, len(points))
                    combined = np.append(times, times.sum())[: points.length]
                    return self._separates(combined if points.in_kernel else learner.weights)
                if run.cycle is not None:
                    counts = map(int, run.cycle.multipliers)  # every step was 1
                    self._not_complete(dict(zip(run.cycle.rows.tolist(), counts, strict=True)))
                    return False
                passes = len(ledger.epoch_ends) - passes
                read += (ledger.n_rounds - rounds) * a_row + passes * _PASS_ITSELF
                made = ledger.epoch_updates[-passes:]
                quarter = max(1, len(made) // 4)
                if read > _PATIENCE and sum(made[-quarter:]) > 0.5 * sum(made[:quarter]):
                    return False
            return False
        finally:
            self._mistakes = np.bincount(ledger.rows, minlength=len(points))
            self._bound_margin(self._mistakes)

    def _bound_margin(self, times: Positions) -> None:
        """So many times the rows, or none of them, bound the best margin from above."""
        rows = np.flatnonzero(times)
        self.hull = dict(zip(rows.tolist(), times[rows].tolist(), strict=True))

    def _margin(self) -> float:
        """The margin for the rows that are visited again: about R², which saves most passes.

        With more columns than rows, most rows are visited again, and without a margin that takes a
        third of the time.
        """
        if len(self.points) <= self.points.length:
            return 0.0
        half = len(self.points) // 2
        middle = float(np.partition(self.points.exact.norms, half)[half])
        return middle * middle if middle < _HUGE else 0.0

    def _separates(self, weights: Vector) -> bool:
        """Whether the weights separate every row, exactly; prefers shorter numbers near them."""

        def margin(w: Vector) -> float:
            return float(self.points.scores(w).min() / length(w))

        enough = 0.9 * margin(weights)
        if (weights != np.rint(weights)).any():
            shorter = (np.rint(weights / np.abs(weights).max() * 2.0**bits) for bits in WEIGHT_BITS)
            weights = next((w for w in shorter if w.any() and margin(w) > enough), weights)
        exact = ExactVector.of(weights, "weights")
        signs = self.points.signs(exact)
        if not (signs > 0).all():
            return False
        self._decide(exact, signs > 0)
        return True

    def _decide(self, weights: ExactVector | None, separated: NDArray[np.bool_]) -> None:
        self.weights, self.separated, self.why = weights, separated, ""
        if weights is None:
            self.verdict = Separation.OVERLAP
        else:
            inside = self.face.multipliers
            self.verdict = Separation.QUASI_COMPLETE if inside else Separation.COMPLETE

    def _some_groups_overlap(self) -> bool:
        """Whether a program on some loosely connected groups of rows shows that rows cancel."""
        face = self.face
        if self._may_be_loose(face):
            with suppress(Inexact):
                self._local_program(np.arange(len(self.points)), face.orthogonal())
        return bool(face.multipliers)

    def _may_be_loose(self, face: Face) -> bool:
        """Whether many dimensions are left, and rows have few numbers."""
        numbers = np.count_nonzero(self.points.rows.values)
        many = len(face.columns) - len(face.pivots) > _MANY_DIMENSIONS
        return many and bool(numbers <= _MOST_IN_A_ROW * len(self.points))

    def _loose_groups(self) -> bool:
        """Whether the verdict is known once no coordinate that loose groups share is left."""
        face = self.face
        while self._may_be_loose(face) and len(outside := np.flatnonzero(face.outside())):
            basis = face.orthogonal()
            found = differences(self.points.matrix(outside) @ basis)
            if found is None:
                if not self._local_program(outside, basis):
                    return False
                continue
            weights = face.weights(found[0], bits=None)
            if found[1]:
                face.add_within({int(outside[i]): n for i, n in found[1].items()})
            signs, left = self.points.signs(weights), np.flatnonzero(face.outside())
            if not ((signs[left] > 0).all() and len(left) == np.count_nonzero(signs)):
                return False
            self._decide(weights if len(left) else None, signs > 0)
            return True
        return False

    def _local_program(self, outside: Positions, basis: sparse.csc_array[Any]) -> bool:
        """Solve a program on groups of rows that share few coordinates; whether the face grows."""
        z, known = self.points.matrix(outside) @ basis, len(self.face.multipliers)
        while len(rows := some_groups(z, times=self._groups)) and self._groups <= _MOST_GROUPS:
            self._groups *= 2
            best = self._solve(outside[rows], basis, len(outside))
            if not best.separated.all():
                self._grow(outside[rows], best)
                return len(self.face.multipliers) > known
            if len(rows) == len(outside):
                break
        return False

    def _programs(self) -> None:
        """Solve linear programs on some rows outside the face, until all rows agree with one."""
        face = self.face
        if self._loose_groups():
            return None
        working = np.zeros(0, dtype=np.int64)
        while True:
            outside = np.flatnonzero(face.outside())
            if len(outside) == 0:
                return self._decide(None, self.separated)
            dimension = len(face.columns) - len(face.pivots)
            working = self._more_rows(np.intersect1d(working, outside), outside, dimension)
            basis = face.orthogonal()
            while (best := self._solve(working, basis, len(outside))).separated.all():
                against = self._rows_against(best.weights, basis @ best.weights, outside)
                if len(against) == 0:
                    return None
                fresh = np.setdiff1d(against, working, assume_unique=True)
                if len(fresh) == 0:
                    self._balance("floating point and exact arithmetic disagree on some rows")
                working = np.union1d(working, fresh[: max(200, dimension)])
            self._grow(working, best)

    def _exact_programs(self) -> None:
        """Decide in exact arithmetic, which takes longer, from the face known by now."""
        face = self.face
        while len(outside := np.flatnonzero(face.outside())):
            found = alternative(face, outside, until=self.until, progress=self._say)
            if isinstance(found, ExactVector):
                return self._decide(found, self.points.signs(found) > 0)
            face.add_within(found)
        return self._decide(None, self.separated)

    def _balance(self, reason: str) -> None:
        """Balance the next programs, as sizes may be the problem; give up if they are balanced."""
        if self._balanced:
            raise Inexact(reason)
        self._balanced = True

    def _solve(self, working: Positions, basis: sparse.csc_array[Any], outside: int) -> Support:
        """Solve the program on the working rows, for weights orthogonal to the face."""
        if self._solved == _PROGRAMS:
            raise Inexact(f"{_PROGRAMS} linear programs were not enough")
        self._solved += 1
        self._say(
            f"linear program {self._solved}: {len(working):,} of {outside:,} rows, "
            f"{basis.shape[1]:,} dimensions"
        )
        points = self.points.matrix(working) @ basis
        return maximal_support(points, until=self.until, balanced=self._balanced)

    def _more_rows(self, working: Positions, outside: Positions, dimension: int) -> Positions:
        """Rows for the first program: those most often mistaken, and some from everywhere."""
        a_row = max(1, self.points.rows.values.size // len(self.points))
        room = max(_FEW_ROWS, _ROWS_A_DIMENSION * dimension, _FEW_NUMBERS // a_row) - len(working)
        if room <= 0:
            return working
        hard = outside[np.argsort(-self._mistakes[outside], kind="stable")][: room // 2]
        hard = hard[self._mistakes[hard] > 0]
        step = max(1, len(outside) // (room - len(hard)))
        return np.union1d(working, np.concatenate([hard, outside[::step]]))

    def _grow(self, working: Positions, best: Support) -> None:
        """Add the rows that could not be separated to the face, exactly."""
        first = not self.face.multipliers
        # large ones come first because they stay positive in the exact solution
        order = np.argsort(-best.shares, kind="stable")
        order = order[~best.separated[order] & (best.multipliers[order] > 0)]
        if not len(order) or not self.face.add_rounded(working[order], best.multipliers[order]):
            self._balance("the solver's multipliers could not be made exact")
        elif first:
            self._say(_NOT_COMPLETE)

    def _rows_against(self, coordinates: Vector, w: Vector, outside: Positions) -> Positions:
        """Rows outside the face that the weights do not separate, the worst first.

        There are none only if exact weights separate all of them, and then the verdict is known.
        """
        norms = self.points.exact.norms[outside]
        scores = self.points.scores(w)[outside] / np.maximum(norms, 1e-300)
        wrong = np.flatnonzero(scores <= 0)
        if len(wrong):
            return outside[wrong[np.argsort(scores[wrong], kind="stable")]]
        for exact in self.face.roundings(coordinates):
            signs = self.points.signs(exact)
            if (signs[outside] > 0).all():
                self._decide(exact, signs > 0)
                return np.zeros(0, dtype=np.int64)
        return outside[np.flatnonzero(signs[outside] <= 0)]


def _contradictions(points: Points) -> tuple[Positions, Positions]:
    """Pairs of equal rows with different labels, one pair for each row that occurs with both.

    Equal rows have equal products with a random vector, to the last bit; rows with equal products
    are compared number by number.
    """
    dice = np.random.default_rng(1873)
    keys = dots(points.rows, dice.uniform(1.0, 2.0, points.rows.dim))
    positive = np.flatnonzero(points.labels > 0)
    negative = np.flatnonzero(points.labels < 0)
    _, at, other = np.intersect1d(keys[positive], keys[negative], return_indices=True)
    first, second = positive[at], negative[other]
    a, b = (Entries.of(points.rows, rows, bias=False).nonzero for rows in (first, second))
    same = np.asarray(a.lengths == b.lengths)
    in_a, in_b = np.repeat(same, a.lengths), np.repeat(same, b.lengths)
    differ = (a.values[in_a] != b.values[in_b]) | (a.columns[in_a] != b.columns[in_b])
    of_pair = np.repeat(np.flatnonzero(same), a.lengths[same])
    same[of_pair[differ]] = False
    return first[same], second[same]
