"""The perceptron in its dual form: it keeps its mistakes, and scores by their kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.learners.compiled_pass import THRESHOLDS, Compiled, Ties, check_sizes, thresholds_of
from novikoff.learners.joint import OfClasses
from novikoff.ledger.honest_scores import counts_of
from novikoff.ledger.kept_rows import KeptRows
from novikoff.ledger.kernels import Kernel
from novikoff.ledger.ledger import Keep, Ledger, Mistakes, Rule, both_classes
from novikoff.ledger.weights import times
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Flaw, Positions, Rows, SparseRows, Vector

_AHEAD = 1024  # rows whose scores are brought up to date together
_PART = 256  # rows that are learned from together: all their kernels are computed
_FORGETS = 64  # the same with a budget


class Dual(Compiled):
    """Add the example to the weights in the kernel's space whenever its score has the wrong sign.

    The weights are never formed: the score of x is Σ step·K(x_k, x) over the mistakes x_k. On a
    stream with K(x, x) ≤ R² that some unit vector of that space separates with margin γ, it makes
    at most (R/γ)² mistakes; with `margin` η at most (R² + 2η)/γ² updates.

    Scores are summed mistake by mistake, in the order of the run. So they have the same bits
    however the stream is cut into blocks. Those of a block that is passed over again are kept, and
    only the mistakes since then are added: a pass costs as many kernels as there are new mistakes
    for each row. Runs that `unite` joined share the kernels of a row that several of them mistook.

    With a `budget` B it keeps at most B mistakes: a new one takes the place of one that is drawn by
    `seed`. There is no average and no vote then. If K(x, x) ≤ R², there is no margin, and vectors
    u_t of length at most U < √B/R move by S in all, E[M] ≤ (E[L] + R·B·(U + S))/(1 − U·R/√B), where
    L is the sum of max(0, 1 − y·u_t(x)) over the mistakes. docs/kernels.md has the proof.

    The gamma of the kernel must be a number; `bias` adds 1 to it, a constant feature 1 in its
    space. The other parameters are those of :class:`Additive`.

    References: Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999), section 5;
    Cavallanti, Cesa-Bianchi & Gentile (2007) for the budget.

    >>> from novikoff import play
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1]  # XOR
    >>> learner = Dual(2, kernel=Kernel("poly", degree=2))
    >>> str(play(X, y, learner, epochs=9).verdict)
    'separated'
    """

    rule: ClassVar[Rule] = "kernel"
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
        check_sizes(class_weights, rate=rate, margin=margin)
        if budget is not None and (type(budget) is bool or budget != int(budget) or budget < 1):
            raise ValueError(f"budget must be a whole number from 1, not {budget!r}")
        self._thresholds, self._unit = thresholds_of(ties, margin, rate), rate
        self.dim, self.bias, self.margin, self.rate = dim, bool(bias), margin, rate
        self.kernel, self.ties, self.averaging = kernel, ties, averaging
        self.rounds = self._made = 0
        self.budget, self.seed = budget, seed
        self._steps = class_weights
        self._sums, self._column = _Sums(kernel, bias=self.bias, averaging=averaging), 0

    def widen(self, dim: int) -> None:
        """Make room for `dim` features, at least as many as now; in all mistakes they are 0."""
        if dim < self.dim:
            raise ValueError(f"cannot reduce {self.dim} features to {dim}")
        self.dim = dim
        self._sums.known = None

    def turn_round(self) -> None:
        """Swap the two labels, exactly, of a rule that `is_symmetric`."""
        self._sums.steps.values[:] *= -1
        self._sums.known = None
        self.honest = None if self.honest is None else self.honest.turned()

    def share_weights(self, _runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Refuse to: the online core knows sums of features only."""
        raise ValueError("a kernel learns from rows of numbers, not from named features")

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger; it keeps what the mistakes' kernels need, whatever `keep` says."""
        keep = "positions" if self.kernel.is_precomputed else "examples"
        return super().open_ledger(keep if self.budget is None else "counts")

    def _for_ledger(self) -> dict[str, Any]:
        return {"kernel": self.kernel if self.budget is None else None}

    def kept(self, column: int | None = None) -> tuple[Positions, Vector]:
        """The position of each mistake that is kept, oldest first, and its weight.

        Of classes learned jointly, those of a class, by its column of the sums.
        """
        column = self._column if column is None else column
        sums, own = self._sums, np.flatnonzero(self._sums.columns.values == column)
        at = sums.positions.values[sums.examples.values[own]]
        return at, times(self.rate, sums.steps.values[own])

    def scores(self, rows: Rows) -> Vector:
        """Σ step·K(x_k, x) for each row x, summed exactly as when learning."""
        return times(self.rate, self._sums.scores(rows, self.dim, [self._column])[0])

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, a few at once, as `Learner.learn` says."""
        end = min(end, begin + (_PART if self.budget is None else _FORGETS))
        had = len(self._sums), self._sums.positions.n

        def core(*_: Any, order: Positions | None, **out: Any) -> tuple[int, ...]:
            last = max(end, min(block.n_rounds, begin + _AHEAD))
            shown = np.arange(begin, last) if order is None else order[begin:last]
            if begin % _AHEAD == 0 and self.budget is None:
                self._sums.look_ahead(block, shown)
            part = self._sums.part(block, shown[: end - begin], hears=self.budget is None)
            out = {name: room for name, room in out.items() if name in _RECORDS}
            done, flaw, made, *classes = self._learn_part(part, block, out)
            out["row"][:made] = part.which[out["row"][:made]]
            flaw = part.flaw if done == len(part.which) else flaw
            return begin + done, flaw, made, *classes

        try:
            at, _, mistakes = self.learned(core, block, begin, end)
        except BaseException:
            self._sums.forget_from(*had)
            raise
        return at, mistakes

    def _learn_part(self, part: _Part, block: Block, out: dict[str, Any]) -> tuple[int, ...]:
        """Learn from the rows of the part: how many were learned, the flaw, and the mistakes."""
        n, labels, importances = len(part.which), block.signs[part.which], part.importances
        thresholds, met = self._threshold_now, np.empty(n)
        rule: dict[str, Any] = {"labels": labels, "importances": importances, "met": met, **out}
        rule |= {"threshold": thresholds, "step": self._steps, "unit": self.rate}
        rule["rounds"] = self.rounds
        if self.budget is None:
            own = slice(self._column, self._column + 1)
            s, *u = (table[0] for table in part.scores(own))
            # without a doubt nothing is learned from these
            is_quiet = bool((labels * s > max(thresholds)).all())
            gram = (np.zeros((n, n)) if is_quiet else part.gram).reshape(-1)
            late = u[0] if u else None
            done, flaw, made = _core.kernel_learn(gram=gram, s=s, u=late, **rule)
            rows, steps = out["row"][:made], out["taken"][:made]
            self._sums.add(part, rows, np.full(made, self._column), steps, out["round"][:made])
            if done == n:
                part.put(own, [s, *u])
        else:
            done, flaw, made = self._learn_within(part, rule)
        if self.honest is not None and counts_of(self.honest) is not None:
            codes = (labels[:done] > 0).astype(np.int32)
            weights = None if importances is None else importances[:done]
            self.honest.include(met[:done], codes, weights)
        return done, flaw, made

    def _learn_within(self, part: _Part, rule: dict[str, Any]) -> tuple[int, int, int]:
        """The same within the budget."""
        sums, B = self._sums, self.budget
        assert B is not None
        count, columns, steps = len(sums), np.zeros(B, np.int64), np.zeros(B)
        columns[:count], steps[:count] = np.arange(count), sums.steps.values
        of, at = sums.rows(self.dim)
        gram = np.vstack([sums.kernel.gram(part.rows, of, at, bias=self.bias), part.gram])
        rule |= {"count": count, "kept": columns, "steps": steps}
        rule |= {"seed": self.seed, "made": self._made}
        done, flaw, made, left = _core.kernel_learn_within(gram=gram.reshape(-1), **rule)
        self._made += made
        if made:
            stay = columns[:left][columns[:left] < count]
            new = columns[len(stay) : left] - count
            sums.retain(stay, self.dim)
            none = np.zeros_like(new)
            sums.add(part, new, none, steps[len(stay) : left], none)
        return done, flaw, made

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        """What `restored` needs besides the ledger, which has the mistakes."""
        settings = {
            "margin": float(self.margin),
            "rate": float(self.rate),
            "ties": self.ties,
            "averaging": self.averaging,
            "kernel": self.kernel.state(),
        }
        arrays: Arrays = {"steps": np.array(self._steps)}
        if self.budget is not None:
            settings |= {"budget": int(self.budget), "seed": self.seed, "made": self._made}
            rows, at = self._sums.rows(self.dim)
            arrays |= {"kept_at": at, "kept_steps": self._sums.steps.values}
            if rows is not None:
                held = KeptRows(np.arange(len(at)), rows).state(dim)
                arrays |= prefixed({"kept": held})
        return settings, arrays

    @classmethod
    def _own_settings(cls, stored: Stored) -> dict[str, Any]:
        steps = stored.vector("steps", 2, least=0).tolist()
        out: dict[str, Any] = {"ties": stored.choice("ties", tuple(THRESHOLDS))}
        out["class_weights"] = tuple(steps)
        if "kept_steps" in stored:
            out |= {"budget": stored.count("budget"), "seed": stored.count("seed")}
        return out

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner that `state` described; `recall` must follow."""
        learner, stored = super().restored(settings, arrays), Stored("learner", settings, arrays)
        if learner.budget is not None:
            learner._made, weights = stored.count("made"), stored.vector("kept_steps")
            at, each = stored.positions("kept_at", len(weights)), np.arange(len(weights))
            rows: Rows | None = None
            if len(each) > learner.budget:
                stored.refuse("it keeps more mistakes than its budget")
            if not learner.kernel.is_precomputed:
                kept = Stored("learner", {}, with_prefix("kept", arrays))
                rows = KeptRows.restored(kept, learner.dim, each).rows
            learner._sums.add_rows(rows, at)
            learner._sums.add_mistakes(each, np.zeros_like(each), weights, np.zeros_like(each))
        return learner

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        return stored.made(
            cls,
            dim,
            kernel=Kernel.restored(stored.settings("kernel")),
            bias=bias,
            margin=stored.number("margin"),
            rate=stored.number("rate"),
            averaging=stored.flag("averaging"),
            **cls._own_settings(stored),
        )

    def recall(self, ledger: Ledger) -> None:
        """Take the mistakes from the ledger of the whole run."""
        at, example = np.unique(ledger.rows, return_inverse=True)
        has_rows = ledger.keep == "examples" and len(ledger) > 0
        self._sums.add_rows(ledger.examples if has_rows else None, at)
        columns, steps, rounds = np.full(len(ledger), self._column), ledger.steps, ledger.rounds
        if ledger.is_joint:
            columns, steps = both_classes(ledger.mistakes), _both(steps)
            example, rounds = np.repeat(example, 2), np.repeat(rounds, 2)
        self._sums.add_mistakes(example, columns, steps, rounds)


class JointDual(OfClasses, Dual):
    """Learn many classes jointly, as :class:`Joint` does, in the space of a kernel.

    Each class has a sum of its own, to which its mistaken examples are added, and from which those
    are subtracted that were taken for it. The bounds are those of `Joint`, with K(x, x) in place of
    ‖x‖².
    """

    rule: ClassVar[Rule] = "joint-kernel"

    def __init__(
        self,
        dim: int,
        *,
        kernel: Kernel,
        classes: int = 0,
        bias: bool = False,
        margin: float = 0.0,
        rate: float = 1.0,
        averaging: bool = False,
        class_weights: Sequence[float] = (),
    ) -> None:
        how: dict[str, Any] = {"margin": margin, "rate": rate, "averaging": averaging}
        super().__init__(dim, kernel=kernel, bias=bias, **how)
        check_sizes(class_weights)
        self.n_classes, self._rate = classes, 1.0
        self._class_weights = np.array(class_weights, dtype=np.float64)

    def _for_ledger(self) -> dict[str, Any]:
        return super()._for_ledger() | {"n_classes": self.n_classes}

    def scores(self, rows: Rows) -> Vector:
        """The score of each row for each class, a column a class, summed as when learning."""
        s = self._sums.scores(rows, self.dim, range(self.n_classes))
        return times(self.rate, np.ascontiguousarray(s.T))

    def _learn_part(self, part: _Part, block: Block, out: dict[str, Any]) -> tuple[int, ...]:
        codes = block.codes[part.which]
        width = max(self.n_classes, int(codes.max(initial=-1)) + 1)
        own = slice(width)
        s, *u = part.scores(own)
        done, flaw, made, known = _core.kernel_joint_learn(
            gram=part.gram.reshape(-1),
            labels=codes,
            importances=part.importances,
            threshold=0.0 if self.only_mistakes else self.margin / self.rate,
            step=self._steps_of(width),
            unit=self.rate,
            rounds=self.rounds,
            classes=self.n_classes,
            s=s.reshape(-1),
            u=u[0].reshape(-1) if u else None,
            counts=counts_of(self.honest),
            **out,
        )
        which, steps = np.repeat(out["row"][:made], 2), _both(out["taken"][:made])
        pairs = np.column_stack([out["right"][:made], out["rival"][:made]])
        pairs = pairs.reshape(-1).astype(np.int64)
        self._sums.add(part, which, pairs, steps, np.repeat(out["round"][:made], 2))
        if done == len(part.which):
            part.put(own, [s, *u])
        return done, flaw, made, known

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings, _ = super()._own_state(dim)
        return settings | {"classes": self.n_classes}, {"class_weights": self._class_weights}

    @classmethod
    def _own_settings(cls, stored: Stored) -> dict[str, Any]:
        weights = stored.vector("class_weights").tolist()
        return {"classes": stored.count("classes"), "class_weights": weights}


def unite(learners: Sequence[Any]) -> bool:
    """Let runs over the same examples share the kernels of their mistakes; whether they do.

    A row that several of them mistake is multiplied with other rows once, if they go over the data
    in step.
    """
    runs = [one for one in learners if isinstance(one, Dual) and one.budget is None]
    if len(runs) < max(2, len(learners)) or isinstance(runs[0], JointDual):
        return False
    if runs[0]._sums is not runs[1]._sums:
        sums = _Sums(runs[0].kernel, bias=runs[0].bias, averaging=runs[0].averaging)
        for k, one in enumerate(runs):
            sums.absorb(one._sums, k, one.dim)
        for k, one in enumerate(runs):
            one._sums, one._column = sums, k
    return True


def _both(steps: Vector) -> Vector:
    """What is added to the right class of each mistake, and to its rival."""
    return np.column_stack([steps, -steps]).reshape(-1)


_RECORDS = ("round", "row", "score", "taken", "square", "right", "rival")


class _Known:
    """The scores of a block's rows by the first `since` mistakes; with an average, its u, too.

    A table has a row for each column of the sums. `since` is −1 for a row that was not read yet.
    """

    def __init__(self, rows: Rows, *, averaging: bool) -> None:
        self.rows = ref(rows)  # it does not keep the data alive
        self.tables = [np.zeros((1, len(rows))) for _ in range(1 + averaging)]
        self.since = np.full(len(rows), -1)
        self.part: _Part | None = None
        self._taken = np.zeros(0, dtype=np.int64), rows.take(np.zeros(0, dtype=np.int64))

    def take(self, rows: Rows, which: Positions) -> Rows:
        """These rows of the block; those taken last are not copied again."""
        if not np.array_equal(self._taken[0], which):
            self._taken = which, rows.take(which)
        return self._taken[1]

    def make_room(self, columns: int) -> None:
        """Have so many columns, at least."""
        more = max(0, columns - len(self.tables[0]))
        self.tables = [np.pad(one, ((0, more), (0, 0))) if more else one for one in self.tables]


class _Part:
    """Some rows of a block that are learned from next, up to the first one with a flaw."""

    def __init__(
        self, sums: _Sums, known: _Known, block: Block, which: Positions, flaw: Flaw
    ) -> None:
        self._sums, self._known, self.which, self.flaw = sums, known, which, flaw
        self.rows, self.positions = known.take(block.rows, which), block.positions(which)
        self.importances: Vector | None = None
        self.stored = np.full(len(which), -1)  # the number of each row among the mistaken ones

    @cached_property
    def gram(self) -> Vector:
        """The kernels of all pairs of these rows."""
        sums = self._sums
        return sums.kernel.gram(self.rows, self.rows, self.positions, bias=sums.bias)

    def scores(self, columns: slice) -> list[Vector]:
        """The scores of these rows in these columns; with an average, its u, too."""
        self._known.make_room(columns.stop)
        return [table[columns].take(self.which, axis=1) for table in self._known.tables]

    def put(self, columns: slice, tables: Sequence[Vector]) -> None:
        """Store the scores of these rows by all mistakes."""
        for table, new in zip(self._known.tables, tables, strict=True):
            table[columns, self.which] = new
        self._known.since[self.which] = len(self._sums)


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


class _Sums:
    """Sums Σ step·K(x_k, x) over mistakes, a column for each run or class, and scores by them.

    The mistaken rows are stored without zeros, and their positions; a mistake has the number of its
    row, its column, step and round. In each column, mistakes are in the order of the run.
    """

    def __init__(self, kernel: Kernel, *, bias: bool, averaging: bool) -> None:
        self.kernel, self.bias, self.averaging = kernel, bias, averaging
        self._data, self._indices, self._ends = map(_Growing, (np.float64, np.int64, np.int64))
        self._ends.add(np.zeros(1))
        self.positions, self.examples = _Growing(np.int64), _Growing(np.int64)
        self.columns, self.rounds = _Growing(np.int64), _Growing(np.int64)
        self.steps = _Growing(np.float64)
        self.known: _Known | None = None  # of the block that is learned from

    def __len__(self) -> int:
        return self.steps.n

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"known": None}  # a copy computes the scores again

    def rows(self, dim: int) -> tuple[Rows | None, Positions]:
        """The mistaken rows and their positions."""
        if self.kernel.is_precomputed:
            return None, self.positions.values
        sparse = (self._data.values, self._indices.values, self._ends.values)
        return SparseRows(*sparse, dim), self.positions.values

    def scores(self, rows: Rows, dim: int, columns: Sequence[int]) -> Vector:
        """The sum of each of these columns for each row."""
        made = np.flatnonzero(np.isin(self.columns.values, columns))
        which, example = np.unique(self.examples.values[made], return_inverse=True)
        of, at = self.rows(dim)
        of = of if of is None else of.take(which)
        first, steps = min(columns, default=0), (self.steps.values[made],)
        to = self.columns.values[made] - first
        how = (example, steps, to, len(columns))
        (s,) = self.kernel.sums(rows, of, at[which], *how, bias=self.bias)
        return s

    def add(
        self, part: _Part, which: Positions, columns: Positions, steps: Vector, rounds: Positions
    ) -> None:
        """Append mistakes on these rows of the part."""
        new = np.unique(which[part.stored[which] < 0])
        if len(new):
            part.stored[new] = np.arange(self.positions.n, self.positions.n + len(new))
            self.add_rows(part.rows.take(new), part.positions[new])
        self.add_mistakes(part.stored[which], columns, steps, rounds)

    def add_rows(self, rows: Rows | None, at: Positions) -> None:
        """Append mistaken rows, at these positions of the data."""
        self.positions.add(at)
        if rows is not None and not self.kernel.is_precomputed:
            found = rows.sparse()
            span = slice(int(found.starts[0]), int(found.starts[-1]))
            self._ends.add(found.starts[1:] - found.starts[0] + self._data.n)
            self._data.add(found.values[span])
            self._indices.add(found.indices[span])

    def add_mistakes(
        self, examples: Positions, columns: Positions, steps: Vector, rounds: Positions
    ) -> None:
        """Append mistakes on the rows with these numbers."""
        own = (self.examples, self.columns, self.steps, self.rounds)
        for column, more in zip(own, (examples, columns, steps, rounds), strict=True):
            column.add(more)

    def absorb(self, other: _Sums, column: int, dim: int) -> None:
        """Append the mistakes of another run over the same data, which are those of this column."""
        rows, at = other.rows(dim)
        known = {position: k for k, position in enumerate(self.positions.values.tolist())}
        numbers = np.array([known.get(p, -1) for p in at.tolist()], dtype=np.int64)
        new = np.flatnonzero(numbers < 0)
        numbers[new] = np.arange(len(known), len(known) + len(new))
        self.add_rows(None if rows is None else rows.take(new), at[new])
        to = np.full(len(other), column)
        given = numbers[other.examples.values]
        self.add_mistakes(given, to, other.steps.values, other.rounds.values)

    def retain(self, which: Positions, dim: int) -> None:
        """Forget all mistakes but these, each of which has a row of its own."""
        rows, at = self.rows(dim)
        taken = None if rows is None else rows.take(which)
        held, steps, none = at[which], self.steps.values[which], np.zeros_like(which)
        self.forget_from(0, 0)
        self.add_rows(taken, held)
        self.add_mistakes(np.arange(len(which)), none, steps, none)

    def forget_from(self, mistakes: int, rows: int) -> None:
        """Forget all but the first mistakes and rows."""
        for column in (self.examples, self.columns, self.steps, self.rounds):
            column.n = mistakes
        self.positions.n = rows
        if not self.kernel.is_precomputed:
            self._ends.n = rows + 1
            self._data.n = self._indices.n = int(self._ends.values[-1])
        self.known = None

    def part(self, block: Block, which: Positions, *, hears: bool) -> _Part:
        """These rows of the block, with scores that are up to date if it `hears` of mistakes.

        Runs that go over the data in step get the same part, and with it the same kernels.
        """
        known = self._known_of(block)
        part = known.part
        fine, flaw = self.refresh(block, which, adds=hears)
        which = which[:fine]
        is_same = part is not None and hears and np.array_equal(part.which, which)
        if part is None or not is_same or (part.positions != block.positions(which)).any():
            part = known.part = _Part(self, known, block, which, flaw)
        part.importances = None if block.importances is None else block.importances[which]
        return part

    def _known_of(self, block: Block) -> _Known:
        if self.known is None or self.known.rows() is not block.rows:
            self.known = _Known(block.rows, averaging=self.averaging)
        return self.known

    def look_ahead(self, block: Block, which: Positions) -> None:
        """Bring the scores of these rows up to date, unless a run in step has just done so."""
        known = self._known_of(block)
        if not (known.since[which[:1].clip(0, len(block) - 1)] == len(self)).all():
            self.refresh(block, which)

    def refresh(self, block: Block, which: Positions, *, adds: bool = True) -> tuple[int, Flaw]:
        """Bring the scores of these rows up to date, up to the first one without a kernel.

        Returns how many of them these are, and the flaw of the next.
        """
        known, fine, flaw = self._known_of(block), len(which), Flaw.NONE
        outside = np.flatnonzero((which < 0) | (which >= len(block)))
        if len(outside):
            fine, flaw = int(outside[0]), Flaw.BOUNDS
        since = known.since[which[:fine]]
        stale = np.flatnonzero(since < len(self) if adds else since < 0)
        if len(stale) == 0:
            return fine, flaw
        unread = stale[since[stale] < 0]
        if len(unread):
            good, wrong = self.kernel.flaw(known.take(block.rows, which[unread]), bias=self.bias)
            if good < len(unread):
                fine, flaw = int(unread[good]), wrong
                stale = stale[stale < fine]
        known.since[which[unread[unread < fine]]] = 0
        since = known.since[which[stale]]
        for first in np.unique(since[since < len(self)]).tolist() if adds else ():
            self._add_since(known, block, which[stale[since == first]], first)
        return fine, flaw

    def _add_since(self, known: _Known, block: Block, which: Positions, first: int) -> None:
        """Add the mistakes from number `first` on to the scores of these rows."""
        held = (self.examples, self.rounds, self.columns, self.steps)
        example, rounds, columns, steps = (column.values[first:] for column in held)
        # a row that several runs mistook in the same round is multiplied once
        order = np.lexsort((example, rounds))
        example, rounds, columns, steps = (a[order] for a in (example, rounds, columns, steps))
        is_new = np.diff(example, prepend=-1) != 0
        slot, mistaken = np.cumsum(is_new) - 1, example[is_new]
        known.make_room(int(columns.max()) + 1)
        tables = [table.take(which, axis=1) for table in known.tables]
        rows = known.take(block.rows, which)
        of, at = self.rows(rows.dim)
        each = (steps, times(rounds - 1, steps))[: len(tables)]
        self.kernel.add(tables, each, rows, of, at, mistaken, slot, columns, bias=self.bias)
        for table, new in zip(known.tables, tables, strict=True):
            table[:, which] = new
        known.since[which] = len(self)
