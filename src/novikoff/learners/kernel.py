"""The perceptron in its dual form: it keeps its mistakes, and scores by their kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.learners.compiled_pass import (
    THRESHOLDS,
    Ties,
    check_sizes,
    one_pass,
    thresholds_of,
)
from novikoff.ledger.honest_scores import HonestScores, counts_of
from novikoff.ledger.kept_rows import KeptRows
from novikoff.ledger.kernels import Kernel, add_mistakes
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.ledger.weights import times
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Flaw, Positions, Rows, SparseRows, Vector

_REFRESHED = 1024  # rows whose scores are brought up to date together
_LEARNED = 64  # rows that are learned from together: all their kernels are computed
_MISTAKES = 4096  # multiplied at a time with the rows


class Dual:
    """Add the example to the weights in the kernel's space whenever its score has the wrong sign.

    The weights are never formed: the score of x is Σ step·K(x_k, x) over the mistakes x_k. On a
    stream with K(x, x) ≤ R² that some unit vector of that space separates with margin γ, it makes
    at most (R/γ)² mistakes; with `margin` η at most (R² + 2η)/γ² updates.

    Scores are summed mistake by mistake, in the order of the run. So they have the same bits
    however the stream is cut into blocks. Those of a block that is passed over again are kept, and
    only the mistakes since then are added: a pass costs as many kernels as there are new mistakes
    for each row.

    Parameters
    ----------
    dim
        The number of features.
    kernel
        The kernel; its gamma must be a number.
    bias
        Add 1 to the kernel: a constant feature 1 in its space.
    margin, rate, ties, averaging, class_weights
        As for :class:`Additive`.
    budget, seed
        Keep at most B mistakes: a new one takes the place of one that is drawn by `seed`. There is
        no average and no vote then. If K(x, x) ≤ R², there is no margin, and vectors u_t of length
        at most U < √B/R move by S in all, E[M] ≤ (E[L] + R·B·(U + S))/(1 − U·R/√B), where L is the
        sum of max(0, 1 − y·u_t(x)) over the mistakes. docs/kernels.md has the proof.

    References: Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999), section 5;
    Cavallanti, Cesa-Bianchi & Gentile (2007) for the budget.

    >>> from novikoff import play
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1]  # XOR
    >>> learner = Dual(2, kernel=Kernel("poly", degree=2))
    >>> str(play(X, y, learner, epochs=9).verdict)
    'separated'
    """

    honest: HonestScores | None = None  # counts the scores before learning, for probabilities
    only_mistakes: bool = False  # learn from wrong predictions alone, whatever the margin
    weights: Any = None  # in the kernel's space they have no coordinates
    average: Any = None

    def __init__(
        self,
        dim: int,
        *,
        kernel: Kernel,
        bias: bool = False,
        margin: float = 0.0,
        rate: float = 1.0,
        ties: Ties = "mistake",
        averaging: bool = False,
        class_weights: tuple[float, float] = (1.0, 1.0),
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        check_sizes(rate, margin, class_weights)
        if budget is not None and (type(budget) is bool or budget != int(budget) or budget < 1):
            raise ValueError(f"budget must be a whole number from 1, not {budget!r}")
        self._thresholds = thresholds_of(ties)
        self.dim, self.bias, self.margin, self.rate = dim, bool(bias), margin, rate
        self.kernel, self.ties, self.averaging = kernel, ties, averaging
        self.rounds = self._made = 0
        self.budget, self.seed = budget, seed
        self._steps = class_weights
        if margin > 0:
            self._thresholds = (margin / rate, margin / rate)
        self._kept = _Kept(kernel.is_precomputed)
        self._known: _Known | None = None

    @property
    def is_symmetric(self) -> bool:
        """Whether the rule treats the two labels alike."""
        return self._thresholds[0] == self._thresholds[1] and self._steps[0] == self._steps[1]

    def widen(self, dim: int) -> None:
        """Make room for `dim` features, at least as many as now; in all mistakes they are 0."""
        if dim < self.dim:
            raise ValueError(f"cannot reduce {self.dim} features to {dim}")
        self.dim, self._known = dim, None

    def turn_round(self) -> None:
        """Swap the two labels, exactly, of a rule that `is_symmetric`."""
        self._kept.steps.values[:] *= -1
        self._known = None
        self.honest = None if self.honest is None else self.honest.turned()

    def share_weights(self, _runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Refuse to: the online core knows sums of features only."""
        raise ValueError("a kernel learns from rows of numbers, not from named features")

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger; it keeps what the mistakes' kernels need, whatever `keep` says."""
        keep = "positions" if self.kernel.is_precomputed else "examples"
        keep = keep if self.budget is None else "counts"
        return Ledger(
            self.dim,
            bias=self.bias,
            began=self.rounds,
            unit=self.rate,
            keep=keep,
            rule="kernel",
            kernel=self.kernel if self.budget is None else None,
        )

    @property
    def kept(self) -> tuple[Positions, Vector]:
        """The position of each mistake that is kept, oldest first, and its weight."""
        return self._kept.positions.values, times(self.rate, self._kept.steps.values)

    def scores(self, rows: Rows) -> Vector:
        """Σ step·K(x_k, x) for each row x, summed exactly as when learning."""
        kept = self._kept
        of, at = kept.since(0, self.dim)
        each = np.arange(len(kept))
        (s,) = self.kernel.sums(rows, of, at, each, (kept.steps.values,), bias=self.bias)
        return times(self.rate, s)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        if self.budget is not None:  # an error then comes before a change
            end = min(end, begin + _LEARNED)
        had, known = len(self._kept), self._known
        if known is None or known.rows() is not block.rows:
            known = self._known = _Known(block.rows, averaging=self.averaging)
        at = begin

        def core(*_: Any, end: int, order: Positions | None, **out: Any) -> tuple[int, int, int]:
            nonlocal at
            at, made, flaw = begin, 0, Flaw.NONE
            while at < end and flaw is Flaw.NONE:
                which = np.arange(at, min(end, at + _LEARNED)) if order is None else order[at:end]
                if (at - begin) % _REFRESHED == 0:
                    ahead = np.arange(at, min(end, at + _REFRESHED)) if order is None else which
                    self._refresh(known, block, ahead[:_REFRESHED])
                rooms = {name: room[made:] for name, room in out.items() if name in _RECORDS}
                done, flaw, more = self._learn_some(
                    known, block, which[:_LEARNED], self.rounds + at - begin, rooms
                )
                at, made = at + done, made + more
            return at, flaw, made

        try:
            at, _, mistakes = one_pass(core, block, begin, end, labels=block.signs, dim=self.dim)
        except BaseException:
            self._kept.forget_from(had)
            self._known = None
            raise
        self.rounds += at - begin
        return at, mistakes

    def _refresh(self, known: _Known, block: Block, which: Positions) -> tuple[int, Flaw]:
        """Bring the scores of these rows up to date, up to the first one without a kernel.

        Returns how many of them these are, and the flaw of the next.
        """
        fine, flaw, kept = len(which), Flaw.NONE, self._kept
        outside = np.flatnonzero((which < 0) | (which >= len(block)))
        if len(outside):
            fine, flaw = int(outside[0]), Flaw.BOUNDS
        stale = np.flatnonzero(known.since[which[:fine]] < len(kept))
        if len(stale) == 0:
            return fine, flaw
        rows = block.rows.take(which[stale])
        if (known.since[which[stale]] < 0).any():  # nobody has read them yet
            good, wrong = self.kernel.flaw(rows, bias=self.bias)
            if good < len(stale):
                fine, flaw, stale = int(stale[good]), wrong, stale[:good]
                rows = rows.take(np.arange(good))
        which = which[stale]
        since, s = np.maximum(known.since[which], 0), known.s[which]
        u = None if known.u is None else known.u[which]
        oldest = int(since.min(initial=len(kept))) if self.budget is None else len(kept)
        for first in range(oldest, len(kept), _MISTAKES):
            of, at = kept.since(first, self.dim, first + _MISTAKES)
            gram = self.kernel.gram(rows, of, at, bias=self.bias)
            each, some = np.arange(len(at)), slice(first, first + len(at))
            begin, steps = np.maximum(since - first, 0), kept.steps.values[some]
            add_mistakes(gram, each, steps, begin, s)
            if u is not None:
                late = times(kept.rounds.values[some] - 1, steps)
                add_mistakes(gram, each, late, begin, u)
        known.put(which, s, u, len(kept))
        return fine, flaw

    def _learn_some(
        self, known: _Known, block: Block, which: Positions, rounds: int, out: dict[str, Any]
    ) -> tuple[int, Flaw, int]:
        """Learn from these rows of the block: how many were learned, the flaw, and the mistakes."""
        n, flaw = self._refresh(known, block, which)
        which, labels = which[:n], block.signs[which[:n]]
        at, s = block.positions(which), known.s[which]
        u = None if known.u is None else known.u[which]
        met, each = np.empty(n), block.importances
        importances = None if each is None else each[which]
        thresholds = (0.0, 0.0) if self.only_mistakes and self.margin else self._thresholds
        gram, B, kept = np.zeros((n, n)), self.budget, self._kept
        # without a doubt nothing is learned from these
        if B is not None or not (labels * s > max(thresholds)).all():
            rows = block.rows.take(which)
            gram = self.kernel.gram(rows, rows, at, bias=self.bias)
        rule: dict[str, Any] = {"labels": labels, "importances": importances, "met": met, **out}
        rule |= {"threshold": thresholds, "step": self._steps, "unit": self.rate, "rounds": rounds}
        if B is None:
            done, stopped, made = _core.kernel_learn(gram=gram.reshape(-1), s=s, u=u, **rule)
        else:
            before = self.kernel.gram(rows, *kept.since(0, self.dim), bias=self.bias)
            columns, steps = np.zeros(B, np.int64), np.zeros(B)
            columns[: len(kept)], steps[: len(kept)] = np.arange(len(kept)), kept.steps.values
            rule |= {"count": len(kept), "kept": columns, "steps": steps}
            rule |= {"seed": self.seed, "made": self._made}
            both = np.hstack([before, gram]).reshape(-1)
            done, stopped, made, count = _core.kernel_learn_within(gram=both, **rule)
            self._made += made
        mistaken = out["row"][:made].copy()
        if made and B is None:
            taken = rows.take(mistaken)
            kept.add(taken, at[mistaken], out["taken"][:made], out["round"][:made])
        elif made:
            stay = columns[:count][columns[:count] < len(kept)]
            new = columns[len(stay) : count] - len(kept)
            kept.retain(stay, self.dim)
            kept.add(rows.take(new), at[new], steps[len(stay) : count], np.zeros_like(new))
        out["row"][:made] = which[mistaken]
        if done == n:
            known.put(which, s, u, len(self._kept))
        if self.honest is not None and counts_of(self.honest) is not None:
            codes = (labels[:done] > 0).astype(np.int32)
            weights = None if importances is None else importances[:done]
            self.honest.include(met[:done], codes, weights)
        return done, Flaw(stopped) if stopped else flaw, made

    def state(self, dim: int | None = None) -> tuple[Settings, Arrays]:
        """What `restored` needs besides the ledger, which has the mistakes."""
        settings = {
            "rule": "kernel",
            "dim": int(self.dim if dim is None else dim),
            "bias": self.bias,
            "margin": float(self.margin),
            "rate": float(self.rate),
            "ties": self.ties,
            "averaging": self.averaging,
            "rounds": self.rounds,
            "kernel": self.kernel.state(),
        }
        arrays: Arrays = {"steps": np.array(self._steps)}
        if self.budget is not None:
            settings |= {"budget": int(self.budget), "seed": self.seed, "made": self._made}
            rows, at = self._kept.since(0, self.dim)
            arrays |= {"kept_at": at, "kept_steps": self._kept.steps.values}
            if rows is not None:
                held = KeptRows(np.arange(len(at)), rows).state(self.dim if dim is None else dim)
                arrays |= prefixed({"kept": held})
        return settings, arrays

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Dual:
        """The learner that `state` described; `recall` must follow."""
        stored = Stored("learner", settings, arrays)
        steps = stored.vector("steps", 2, least=0).tolist()
        try:
            learner = cls(
                stored.count("dim"),
                kernel=Kernel.restored(stored.settings("kernel")),
                bias=stored.flag("bias"),
                margin=stored.number("margin"),
                rate=stored.number("rate"),
                ties=stored.choice("ties", tuple(THRESHOLDS)),
                averaging=stored.flag("averaging"),
                class_weights=(steps[0], steps[1]),
                budget=stored.count("budget") if "budget" in settings else None,
                seed=stored.count("seed") if "budget" in settings else 0,
            )
        except ValueError as error:
            stored.refuse(str(error))
        learner.rounds = stored.count("rounds")
        if learner.budget is not None:
            learner._made, weights = stored.count("made"), stored.vector("kept_steps")
            at, each, rows = (
                stored.positions("kept_at", len(weights)),
                np.arange(len(weights)),
                None,
            )
            if len(each) > learner.budget:
                stored.refuse("it keeps more mistakes than its budget")
            if not learner.kernel.is_precomputed:
                kept = Stored("learner", {}, with_prefix("kept", arrays))
                rows = KeptRows.restored(kept, learner.dim, each).rows
            learner._kept.add(rows, at, weights, np.zeros_like(each))
        return learner

    def recall(self, ledger: Ledger) -> None:
        """Take the mistakes from the ledger of the whole run."""
        has_rows = ledger.keep == "examples" and len(ledger) > 0
        rows = ledger.examples.take(ledger.example) if has_rows else None
        self._kept.add(rows, ledger.rows, ledger.steps, ledger.rounds)


_RECORDS = ("round", "row", "score", "taken", "square")


class _Known:
    """The scores of a block's rows by the first `since` mistakes, and the u of their mean.

    `since` is −1 for a row that was not read yet.
    """

    def __init__(self, rows: Rows, *, averaging: bool) -> None:
        self.rows, self.s = ref(rows), np.zeros(len(rows))  # it does not keep the data alive
        self.u = np.zeros(len(rows)) if averaging else None
        self.since = np.full(len(rows), -1)

    def put(self, which: Positions, s: Vector, u: Vector | None, since: int) -> None:
        """Store the scores of these rows by so many mistakes."""
        self.s[which], self.since[which] = s, since
        if self.u is not None:
            self.u[which] = u

    def __deepcopy__(self, _memo: object) -> None:
        """A copy of the learner computes the scores again."""

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


class _Growing:
    """A column of numbers that grows at its end, in time proportional to what is added."""

    def __init__(self, dtype: Any) -> None:
        self._room, self.n = np.empty(0, dtype), 0

    @property
    def values(self) -> NDArray[Any]:
        """The numbers."""
        return self._room[: self.n]

    def add(self, more: NDArray[Any]) -> None:
        """Append these numbers."""
        n = self.n + len(more)
        if n > len(self._room):
            grown = np.empty(max(n, 2 * self.n), self._room.dtype)
            grown[: self.n] = self.values
            self._room = grown
        self._room[self.n : n] = more
        self.n = n


class _Kept:
    """The mistakes of a run in their order: rows without zeros, positions, steps and rounds."""

    def __init__(self, positions_only: bool) -> None:
        self._positions_only = positions_only
        self._data, self._columns, self._ends = map(_Growing, (np.float64, np.int64, np.int64))
        self._ends.add(np.zeros(1))
        self.positions, self.rounds = _Growing(np.int64), _Growing(np.int64)
        self.steps = _Growing(np.float64)

    def __len__(self) -> int:
        return self.steps.n

    def add(self, rows: Rows | None, at: Positions, steps: Vector, rounds: Positions) -> None:
        """Append these mistakes."""
        if rows is not None and not self._positions_only:
            found = rows.sparse()
            span = slice(int(found.starts[0]), int(found.starts[-1]))
            self._ends.add(found.starts[1:] - found.starts[0] + self._data.n)
            self._data.add(found.values[span])
            self._columns.add(found.indices[span])
        for column, more in ((self.positions, at), (self.steps, steps), (self.rounds, rounds)):
            column.add(more)

    def since(self, first: int, dim: int, end: int | None = None) -> tuple[Rows | None, Positions]:
        """The rows of the mistakes from number `first` on, and their positions."""
        end = min(len(self), len(self) if end is None else end)
        at = self.positions.values[first:end]
        if self._positions_only:
            return None, at
        ends = self._ends.values[first : end + 1]
        return SparseRows(self._data.values, self._columns.values, ends, dim), at

    def retain(self, which: Positions, dim: int) -> None:
        """Forget all mistakes but these."""
        rows, at = self.since(0, dim)
        taken = None if rows is None else rows.take(which)
        held = at[which], self.steps.values[which], self.rounds.values[which]
        self.forget_from(0)
        self.add(taken, *held)

    def forget_from(self, n: int) -> None:
        """Forget all mistakes but the first n."""
        for column in (self.positions, self.steps, self.rounds):
            column.n = n
        if not self._positions_only:
            self._ends.n = n + 1
            self._data.n = self._columns.n = int(self._ends.values[-1])
