"""The ledger: which examples were mistaken, in which round, and with what score.

A mistake-driven learner is determined by its mistakes: weights, average and vote are readings of
this list, and bounds and certificates are computed from it. An entry is an update; a rule with a
margin also learns from examples that were right, but by too little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff.ledger import trace, weights
from novikoff.ledger.kept_rows import KeptRows, Pieces, not_kept
from novikoff.ledger.kernels import Kernel
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.blocks import Block, Codes, Labels, Stream, blocks_of
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import html_table
from novikoff.stream.rows import Positions, Rows, Vector


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Consecutive mistakes as columns, with one entry for each update.

    With many classes learned jointly, `classes` holds the right class of each mistake and `rivals`
    the class it was confused with; `scores` is then the lead of the one over the other, and
    `n_classes` counts the classes known so far. With an adaptive rule, `importances` holds the
    importance of each example, its class weight included.
    """

    rounds: Positions
    rows: Positions
    scores: Vector
    steps: Vector
    squares: Vector
    classes: Codes | None = None
    rivals: Codes | None = None
    importances: Vector | None = None
    n_classes: int = 0

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def nbytes(self) -> int:
        """The size of the columns in bytes."""
        return sum(column.nbytes for column in self.columns.values())

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which of the predictions were wrong; a score of 0 that led to an update was."""
        # np.where takes ten times as long: it branches, and labels are hard to predict
        wrong: NDArray[np.bool_] = ((self.scores > 0) == (self.steps < 0)) | (self.scores == 0)
        return wrong

    @classmethod
    def joined(cls, pieces: Sequence[Mistakes]) -> Mistakes:
        """The mistakes of all the pieces, in order."""
        if len(pieces) == 1:
            return pieces[0]
        columns = [piece.columns for piece in pieces]
        joined = {name: np.concatenate([c[name] for c in columns]) for name in columns[0]}
        return cls(**joined, n_classes=pieces[-1].n_classes)

    def part(self, begin: int, end: int) -> Mistakes:
        """Those from `begin` to before `end`."""
        if begin == 0 and end == len(self):
            return self
        columns = {name: column[begin:end] for name, column in self.columns.items()}
        return Mistakes(**columns, n_classes=self.n_classes)

    def turned(self) -> Mistakes:
        """The same with the labels −1 and +1 swapped."""
        return replace(self, scores=weights.turned(self.scores), steps=-self.steps)

    @property
    def columns(self) -> Arrays:
        """The columns by name."""
        named = {name: getattr(self, name) for name in self.__slots__[:-1]}
        return {name: column for name, column in named.items() if column is not None}


def both_classes(mistakes: Mistakes) -> Positions:
    """The right class and the rival of each mistake, in turn."""
    assert mistakes.classes is not None
    assert mistakes.rivals is not None
    return np.column_stack([mistakes.classes, mistakes.rivals]).reshape(-1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Mistake:
    """An entry of a ledger: an update, and the example that caused it.

    `number` and `round` count from 1, `row` from 0. `label` is −1 or +1, or a class; `score` is
    that before the update. `wrong` is False for an update on an example that was right by too
    little.
    """

    number: int
    round: int
    row: int
    label: int
    score: float
    step: float
    wrong: bool


Keep: TypeAlias = Literal["examples", "positions", "counts"]
KeepOrAuto: TypeAlias = Keep | Literal["auto"]  # as estimators take it
MOST_BYTES = 16 * 10**6  # of the mistakes and rows that an estimator keeps by itself
Rule: TypeAlias = Literal[
    "additive",
    "adaptive",
    "multiplicative",
    "concepts",
    "joint",
    "joint-adaptive",
    "kernel",
    "joint-kernel",
]
Matrix: TypeAlias = Literal["diagonal", "full"]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How the steps of an adaptive rule shrink: r, and S before the ledger's first round.

    `variances` has one number for each feature, the constant's last; if `matrix` is "full", a row
    and a column for each; for many classes learned jointly, a row for each feature and a column for
    each class. It is None if all variances are 1, without correlations.
    """

    regularisation: float
    variances: Vector | None = None
    matrix: Matrix = "diagonal"

    @property
    def is_full(self) -> bool:
        """Whether S is a full matrix."""
        return self.matrix == "full"

    def widened(self, dim: int, *, bias: bool) -> Adaptation:
        """The same for `dim` features."""
        if self.variances is None:
            return self
        wide = weights.variances_widened(self.variances, dim, bias=bias, full=self.is_full)
        return replace(self, variances=wide)


_SHOWN = 10  # mistakes in a notebook
_OF_PASSES = ("epoch_ends", "epoch_updates", "epoch_mistakes")  # a number for each whole pass
_JOINT: tuple[Rule, ...] = ("joint", "joint-adaptive", "joint-kernel")


def read_only(*arrays: NDArray[Any] | None) -> None:
    """Let nobody write to these arrays: the core trusts them."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


class NotKept(ValueError):  # noqa: N818  (it says what is missing)
    """The ledger did not keep what is needed; see its parameter `keep`."""


class Ledger:
    """The mistakes of a run, from which its weights and bounds can be computed.

    The weights after any mistake are `unit * (start + Σ steps[k] * x[k])`: `steps` holds y times
    the weight of its class, and `unit` is the rate. If the weights did not start at 0, `unit` is 1
    and `steps` includes the rate. `start` is None for zero, and `began` counts the rounds that the
    learner had played before. One thread may record while others read: a reader that needs several
    facts of the same moment takes a `snapshot`.

    Parameters
    ----------
    keep
        "examples" keeps a copy of each mistaken row, once; "positions" keeps only its position in
        the data; "counts" keeps totals, for endless streams.
    rule
        What a mistake does to the learner: "additive", as above; "multiplicative", the same for the
        logarithms of the weights; "adaptive": S∘x takes the place of x, where S are variances that
        shrink with each update (see `Adaptive`); "concepts", it rules out hypotheses; "joint", for
        many classes: the row is added to the weights of the right class and subtracted from those
        of its rival, and `start` has a column for each class; "joint-adaptive", both; "kernel" and
        "joint-kernel", the row is added in the space of a kernel: there are no weights to read.

    Attributes
    ----------
    most_bytes
        When mistakes and rows take more memory than this, the ledger drops them, and `keep` becomes
        "counts". None means no limit. Files do not store it.
    n_rounds, n_updates, n_mistakes
        How many examples the learner met, from how many of them it learned, and how many of these
        it predicted wrongly. `len(ledger)` is `n_updates`.
    has_weightless
        Whether some examples had the weight 0: they were scored, but counted as no mistakes.
    epoch_ends, epoch_updates, epoch_mistakes, revisits
        For each whole pass, the round it ended with, and the updates and mistakes made in it; and
        which passes, from 0, were over the rows mistaken before, not over all.
    """

    def __init__(
        self,
        dim: int,
        *,
        bias: bool = False,
        start: Vector | None = None,
        began: int = 0,
        unit: float = 1.0,
        keep: Keep = "examples",
        rule: Rule = "additive",
        adaptation: Adaptation | None = None,
        n_classes: int = 0,
        kernel: Kernel | None = None,
    ) -> None:
        self.dim, self.bias, self.unit, self.keep, self.rule = dim, bias, unit, keep, rule
        self.start, self.began, self.n_classes = start, began, n_classes
        self.adaptation, self.kernel = adaptation, kernel
        self.most_bytes: int | None = None
        self.n_rounds = 0
        self.n_updates = self.n_mistakes = 0
        self.has_weightless = False
        self.largest_square = 0.0
        self.epoch_ends: list[int] = []
        self.epoch_updates: list[int] = []
        self.epoch_mistakes: list[int] = []
        self.revisits: list[int] = []
        self._passes = 0
        self._in_closed_epochs = (0, 0)  # updates, mistakes
        self._mistakes = Pieces[Mistakes](Mistakes.joined)
        self._kept = Pieces[KeptRows](KeptRows.joined)
        self._bytes = 0
        self._held: Block | None = None  # see `holding`

    def snapshot(self) -> Ledger:
        """The ledger as it is now; what other threads record does not change it."""
        out = object.__new__(Ledger)
        vars(out).update(vars(self))
        vars(out).update({name: vars(out)[name][: out._passes] for name in _OF_PASSES})
        out.revisits = [k for k in out.revisits if k < out._passes]
        return out

    def _change(self, **to: Any) -> None:
        """Set these attributes at once: another thread sees all of a change or nothing of it."""
        vars(self).update(to)

    def record(self, mistakes: Mistakes, rounds: int, source: Block | Rows | None = None) -> None:
        """Add the next `rounds` rounds and the mistakes made in them.

        A ledger that keeps examples copies the mistaken rows from `source`: the block that was
        learned from or, if none of these rows was mistaken before, the rows alone, by position.
        """
        known = max(self.n_classes, mistakes.n_classes)
        if len(mistakes) == 0:
            self._change(n_rounds=self.n_rounds + rounds, n_classes=known)
            return
        kept, written, size = self._kept, self._mistakes, self._bytes
        if self.keep == "examples":
            if source is None:
                raise ValueError("a ledger that keeps examples needs the block they are in")
            if isinstance(source, Rows):
                kept = kept.plus(KeptRows(np.unique(mistakes.rows), source))
                size += source.nbytes
            elif self._held is None or source.rows is not self._held.rows:
                kept, size = self._with_rows(source, mistakes.rows)
        if self.keep != "counts":
            if self.began:
                mistakes = replace(mistakes, rounds=mistakes.rounds - self.began)
            written = written.plus(mistakes)
            size += mistakes.nbytes
        self._change(
            n_rounds=self.n_rounds + rounds,
            n_classes=known,
            n_updates=self.n_updates + len(mistakes),
            n_mistakes=self.n_mistakes + int(np.count_nonzero(mistakes.wrong)),
            largest_square=max(self.largest_square, float(mistakes.squares.max())),
            **self._bounded(kept, written, size),
        )

    def _bounded(
        self, kept: Pieces[KeptRows], written: Pieces[Mistakes], size: int
    ) -> dict[str, Any]:
        """What is kept from now on: nothing if these take more than `most_bytes`."""
        if self.most_bytes is None or size <= self.most_bytes:
            return {"_kept": kept, "_mistakes": written, "_bytes": size}
        none = {"_kept": Pieces(KeptRows.joined), "_mistakes": Pieces(Mistakes.joined)}
        return {"keep": "counts", "_bytes": 0, **none}

    def _with_rows(self, block: Block, mistaken: Positions) -> tuple[Pieces[KeptRows], int]:
        """The kept rows and these of the block, unless they exceed `most_bytes`, and all bytes."""
        new = not_kept(mistaken, self._kept.pieces, len(block))
        which = block.rows_at(new)
        size = self._bytes + block.rows.bytes_at(which)
        if len(new) == 0 or (self.most_bytes is not None and size > self.most_bytes):
            return self._kept, size
        return self._kept.plus(KeptRows(new, block.rows.take(which))), size

    @contextmanager
    def holding(self, block: Block) -> Iterator[None]:
        """Copy the mistaken rows of this block once, at the end; until then read them from it."""
        if self.keep != "examples":
            yield
            return
        self._change(_held=block)
        try:
            yield
        finally:
            kept, size = self._all_rows()
            self._change(_held=None, **self._bounded(kept, self._mistakes, size))

    def _all_rows(self) -> tuple[Pieces[KeptRows], int]:
        """The kept rows, those of a held block among them, and the bytes of everything kept."""
        pieces = self._mistakes.pieces
        if self._held is None or not pieces:
            return self._kept, self._bytes
        return self._with_rows(self._held, np.concatenate([piece.rows for piece in pieces]))

    @property
    def _kept_rows(self) -> KeptRows | None:
        """The kept rows, in one piece; None if there are none."""
        now = self.snapshot()
        now.most_bytes = None
        return now._all_rows()[0].whole

    def count(
        self,
        rounds: int,
        *,
        updates: int,
        mistakes: int,
        largest_square: float,
        n_classes: int = 0,
    ) -> None:
        """Add the totals of the next `rounds` rounds, for a ledger that keeps counts only."""
        self._change(
            n_rounds=self.n_rounds + rounds,
            n_classes=max(self.n_classes, n_classes),
            n_updates=self.n_updates + updates,
            n_mistakes=self.n_mistakes + mistakes,
            largest_square=max(self.largest_square, largest_square),
        )

    def turn_round(self) -> None:
        """Swap the labels −1 and +1 of all mistakes."""
        self._change(
            start=None if self.start is None else weights.turned(self.start),
            _mistakes=self._mistakes.map(Mistakes.turned),
        )

    def absorb(self, later: Ledger) -> None:
        """Append the ledger of the same learner's next rounds."""
        known = later.n_classes
        self.has_weightless |= later.has_weightless
        if self.keep == "counts":
            made = {"updates": later.n_updates, "mistakes": later.n_mistakes, "n_classes": known}
            self.count(later.n_rounds, largest_square=later.largest_square, **made)
            return
        rounds = later.rounds + self.began + self.n_rounds
        rows = later.examples if self.keep == "examples" and len(later) else None
        self.record(replace(later.mistakes, rounds=rounds, n_classes=known), later.n_rounds, rows)

    def with_examples(self, data: Stream) -> Ledger:
        """A copy with the mistaken rows, of a ledger that kept their positions in these data."""
        out, blocks = self.snapshot(), [*blocks_of(data)]
        out.expect_data(blocks)
        mistaken, out.most_bytes, out.keep = out.rows, None, "examples"
        for block in blocks:
            here = np.intersect1d(mistaken, block.positions(np.arange(len(block))))
            if len(here):
                out._kept, out._bytes = out._with_rows(block, here)
        return out

    def expect_data(self, blocks: Sequence[Block]) -> None:
        """Refuse data that do not hold the mistaken examples of the run."""
        if not blocks:
            raise BadExample("the data hold no examples")
        for block in blocks:
            if block.rows.dim != self.dim:
                raise BadExample(f"the data have {block.rows.dim} features, the ledger {self.dim}")
        if self.keep == "counts" or not len(self):
            return
        positions = np.concatenate([b.positions(np.arange(len(b))) for b in blocks])
        labels = np.concatenate([b.codes if self.is_joint else b.labels for b in blocks])
        order = np.argsort(positions)
        place = np.searchsorted(positions, self.rows, sorter=order).clip(max=len(order) - 1)
        missing = positions[order[place]] != self.rows
        other = labels[order[place]] != (self.classes if self.is_joint else self.labels)
        if (missing | other).any():
            k = int(np.argmax(missing | other))
            what = "is missing" if missing[k] else "has another label"
            raise BadExample(f"these are not the data of the run: row {self.rows[k]} {what}")

    def close_epoch(self, *, revisit: bool = False) -> int:
        """Mark the end of a pass, or of a `revisit` of mistaken rows; returns its updates."""
        updates, mistakes = self._in_open_epoch
        if revisit:
            self.revisits.append(len(self.epoch_ends))
        self._close([self.n_rounds], [updates], [mistakes])
        return updates

    def _close(self, ends: Sequence[int], updates: list[int], mistakes: list[int]) -> None:
        """Close passes that end with these rounds, and in which so much was learned."""
        self.epoch_ends += ends
        self.epoch_updates += updates
        self.epoch_mistakes += mistakes
        before = self._in_closed_epochs
        closed = before[0] + sum(updates), before[1] + sum(mistakes)
        self._change(_passes=self._passes + len(ends), _in_closed_epochs=closed)

    def record_passes(
        self, mistakes: Mistakes, ends: Positions, rounds: int, rest: int, source: Block
    ) -> None:
        """Add whole passes of so many rounds each, of which each ended with ends[k] mistakes.

        The first `rest` rounds of one more pass follow, with the mistakes that are left.
        """
        began = self.n_rounds
        wrong = np.zeros(len(mistakes) + 1, dtype=np.int64)
        np.cumsum(mistakes.wrong, out=wrong[1:])
        self.record(mistakes, rounds * len(ends) + rest, source)
        last = range(began + rounds, self.n_rounds - rest + 1, rounds)
        totals = [0, *ends.tolist()], [0, *wrong[ends].tolist()]
        # in Python it takes half as long as np.diff
        self._close(last, *([b - a for a, b in pairwise(total)] for total in totals))

    @property
    def scans(self) -> list[int]:
        """Which of the whole passes, counted from 0, were over all data."""
        now = self.snapshot()
        return sorted({*range(now._passes)} - {*now.revisits})

    @property
    def _in_open_epoch(self) -> tuple[int, int]:
        """The updates and mistakes made since the last whole pass ended."""
        updates, mistakes = self._in_closed_epochs
        return self.n_updates - updates, self.n_mistakes - mistakes

    @property
    def updates_per_pass(self) -> list[int]:
        """The updates made in each pass, including an unfinished one."""
        now = self.snapshot()
        return now.epoch_updates + [now._in_open_epoch[0]] * bool(now.open_rounds)

    @property
    def mistakes_per_pass(self) -> list[int]:
        """The mistakes made in each pass, including an unfinished one."""
        now = self.snapshot()
        return now.epoch_mistakes + [now._in_open_epoch[1]] * bool(now.open_rounds)

    @property
    def open_rounds(self) -> int:
        """The rounds played since the last whole pass ended."""
        return self.n_rounds - (self.epoch_ends[-1] if self.epoch_ends else 0)

    def reopen_epoch(self) -> None:
        """Continue the last pass: a stream that comes in pieces is one pass."""
        updates, mistakes = self._in_closed_epochs
        updates, mistakes = updates - self.epoch_updates[-1], mistakes - self.epoch_mistakes[-1]
        before = {name: vars(self)[name][:-1] for name in _OF_PASSES}
        self._change(**before, _passes=self._passes - 1, _in_closed_epochs=(updates, mistakes))

    def widen(self, dim: int) -> None:
        """Add features up to `dim`; the kept rows are 0 in the new ones."""
        if dim < self.dim:
            raise ValueError(f"cannot reduce {self.dim} features to {dim}")
        if dim == self.dim:
            return
        how = self.adaptation
        self._change(
            dim=dim,
            adaptation=None if how is None else how.widened(dim, bias=self.bias),
            start=None if self.start is None else weights.widened(self.start, dim, bias=self.bias),
            _kept=self._kept.map(lambda piece: piece.widened(dim)),
        )

    def state(self, dim: int | None = None) -> tuple[Settings, Arrays]:
        """The whole ledger, for `restored`: settings for JSON, and arrays.

        Rows and start are stored without features from `dim` on, which must be 0.
        """
        now = self.snapshot()
        dim = int(now.dim if dim is None else dim)
        settings: Settings = {"dim": dim, "bias": now.bias, "unit": float(now.unit)}
        settings |= {"keep": now.keep, "rule": now.rule, "began": now.began}
        settings |= {"rounds": now.n_rounds, "updates": now.n_updates, "mistakes": now.n_mistakes}
        if now.is_joint:
            settings["classes"] = now.n_classes
        if now.kernel is not None:
            settings["kernel"] = now.kernel.state()
        if now.has_weightless:
            settings["has_weightless"] = True
        arrays: Arrays = {"largest_square": np.array([now.largest_square])}
        for name in (*_OF_PASSES, *["revisits"] * bool(now.revisits)):
            arrays[name] = np.array(vars(now)[name], dtype=np.int64)
        if now.start is not None:
            arrays["start"], constant = weights.parted(now.start, dim, bias=now.bias)
            arrays["start_constant"] = constant
        if (how := now.adaptation) is not None:
            settings |= {"regularisation": how.regularisation, "matrix": how.matrix}
            if (S := how.variances) is not None:
                arrays["variances"] = weights.variances_narrowed(
                    S, dim, bias=now.bias, full=how.is_full
                )
        if now.keep != "counts":
            arrays |= now.mistakes.columns
        if now.keep == "examples" and (kept := now._kept_rows) is not None:
            arrays |= prefixed({"kept": kept.state(dim)})
        return settings, arrays

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Ledger:
        """The ledger that `state` described, ready to continue."""
        stored = Stored("ledger", settings, arrays)
        dim, bias, n = stored.count("dim"), stored.flag("bias"), stored.count("updates")
        keep, rule = stored.choice("keep", get_args(Keep)), stored.choice("rule", get_args(Rule))
        began, unit, start = stored.count("began"), stored.number("unit"), None
        if "start" in stored:
            wide = (-1,) if rule in _JOINT else ()  # a column for each class
            features = stored.array("start", ("float64",), (dim, *wide))
            constant = stored.array("start_constant", ("float64",), (1, *features.shape[1:]))
            start = weights.whole(features, constant, bias=bias)
        ledger = cls(dim, bias=bias, start=start, began=began, unit=unit, keep=keep, rule=rule)
        ledger.n_classes = known = stored.count("classes") if rule in _JOINT else 0
        if rule in ("adaptive", "joint-adaptive"):
            ledger.adaptation = _restored_adaptation(stored, dim + bias, known, rule)
        if rule in ("kernel", "joint-kernel") and (keep != "counts" or "kernel" in settings):
            ledger.kernel = Kernel.restored(stored.settings("kernel"))
            if keep != ("positions" if ledger.kernel.is_precomputed else "examples") or began:
                stored.refuse("it does not have all mistakes of its kernel")
        ledger.n_rounds, ledger.n_updates = stored.count("rounds"), n
        if "has_weightless" in settings:
            ledger.has_weightless = stored.flag("has_weightless")
        ledger.n_mistakes, played = stored.count("mistakes"), ledger.n_rounds
        ledger.largest_square = float(stored.vector("largest_square", 1, least=0)[0])
        ends = stored.positions("epoch_ends", most=played)
        ledger.epoch_ends = ends.tolist()
        ledger.epoch_updates = stored.positions("epoch_updates", len(ends), most=n).tolist()
        ledger.epoch_mistakes = stored.positions("epoch_mistakes", len(ends), most=n).tolist()
        ledger._passes = len(ends)
        if "revisits" in stored:
            revisits = stored.positions("revisits", most=len(ends) - 1)
            ledger.revisits = revisits.tolist()
            if (np.diff(revisits) < 1).any():
                stored.refuse("its passes over mistaken rows are not in order")
        ledger._in_closed_epochs = sum(ledger.epoch_updates), sum(ledger.epoch_mistakes)
        passes = zip(ledger.epoch_updates, ledger.epoch_mistakes, strict=True)
        counts = all(0 <= wrong <= made for made, wrong in (*passes, ledger._in_open_epoch))
        if n > played or (np.diff(ends) < 0).any() or not counts:
            stored.refuse("its passes do not match its rounds, updates and mistakes")
        if not unit > 0:
            stored.refuse(f"its unit is {unit!r}, not above 0")
        if keep != "counts" and n:
            columns: dict[str, Any] = {c: stored.positions(c, n) for c in ("rounds", "rows")}
            columns |= {c: stored.vector(c, n) for c in ("scores", "steps", "squares")}
            if columns["rounds"][0] < 1 or columns["rounds"][-1] > played:
                stored.refuse(f"its mistakes are not in rounds 1 to {played}")
            if (np.diff(columns["rounds"]) < 1).any():
                stored.refuse("its mistakes are not in the order of their rounds")
            if columns["squares"].min() < 0 or columns["squares"].max() != ledger.largest_square:
                stored.refuse("its largest square is not that of its mistakes")
            if rule in _JOINT:
                columns |= {c: stored.codes(c, n, known) for c in ("classes", "rivals")}
            if ledger.adaptation is not None:
                columns["importances"] = stored.vector("importances", n, least=0)
            made = Mistakes(**columns)
            if np.count_nonzero(made.wrong) != ledger.n_mistakes:
                stored.refuse("its number of mistakes is not that of its wrong scores")
            ledger._mistakes = ledger._mistakes.plus(made)
        if keep == "examples" and n:
            kept = Stored("ledger", {}, with_prefix("kept", arrays))
            ledger._kept = ledger._kept.plus(KeptRows.restored(kept, dim, ledger.rows))
        return ledger

    @property
    def is_joint(self) -> bool:
        """Whether many classes were learned jointly."""
        return self.rule in _JOINT

    def __len__(self) -> int:
        return self.n_updates

    def __repr__(self) -> str:
        named = {"mistake": self.n_mistakes, "round": self.n_rounds}
        mistakes, rounds = (f"{n} {noun}{'s' * (n != 1)}" for noun, n in named.items())
        updates = "" if self.n_updates == self.n_mistakes else f"{self.n_updates} updates and "
        return f"<Ledger: {updates}{mistakes} in {rounds}>"

    def __iter__(self) -> Iterator[Mistake]:
        """The mistakes one by one; updates on examples that were right by too little included."""
        now = self.snapshot()
        made = now.mistakes
        sides = made.classes if made.classes is not None else now.labels
        columns = (made.rounds, made.rows, sides, made.scores, made.steps * now.unit)
        each = zip(*(column.tolist() for column in (*columns, made.wrong)), strict=True)
        return (Mistake(k, *one) for k, one in enumerate(each, 1))

    def to_frame(self, *, weights: bool = True, names: Sequence[str] | None = None) -> Any:
        """The trace as a pandas frame: a line for each mistake, with the weights after it.

        After the number, round, row, label (or class and rival), score and step come the example x
        and the weights w after the update (of Winnow, their exponents), by the `names` of the
        features or their numbers. For these the ledger must be of two labels and have kept its
        examples; weights=False leaves them out.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas") from None
        trace.expect_room(self, weights=weights)
        lines = list(trace.lines(self, weights=weights))
        return pd.DataFrame(lines, columns=trace.heads(self, names, weights=weights))

    def to_latex(self, *, weights: bool = True, names: Sequence[str] | None = None) -> str:
        """The trace as a tabular of LaTeX; parameters as for `to_frame`."""
        trace.expect_room(self, weights=weights)
        return trace.latex(self, names, weights=weights)

    def _repr_html_(self) -> str:
        if self.keep == "counts" or not self.n_updates:
            return html_table([[str(self)[1:-1]]])
        more = self.n_updates - _SHOWN
        rest = f", the first {_SHOWN}" if more > 0 else ""
        return html_table(trace.few(self, _SHOWN), title=str(self)[1:-1] + rest, has_heads=True)

    @property
    def mistakes(self) -> Mistakes:
        """All mistakes, from the first to the last."""
        if self.keep == "counts" and self.n_updates:
            raise NotKept(f"this ledger {self._kept_counts}; use keep='positions' or 'examples'")
        found = self._mistakes.whole
        if found is None:
            none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
            nobody = np.empty(0, dtype=np.int32) if self.is_joint else None
            each = nothing if self.adaptation is not None else None
            return Mistakes(none, none, nothing, nothing, nothing, nobody, nobody, each)
        read_only(*found.columns.values())
        return found

    @property
    def rounds(self) -> Positions:
        """The round of each mistake, counting from 1."""
        return self.mistakes.rounds

    @property
    def rows(self) -> Positions:
        """The position in the data of each mistaken example, counting from 0."""
        return self.mistakes.rows

    @property
    def scores(self) -> Vector:
        """The score w·x each mistaken example had, before the update."""
        return self.mistakes.scores

    @property
    def steps(self) -> Vector:
        """The factor with which each mistaken example was added; its sign is y."""
        return self.mistakes.steps

    @property
    def squares(self) -> Vector:
        """‖x‖² of each mistaken example, the constant feature included."""
        return self.mistakes.squares

    @property
    def labels(self) -> Labels:
        """The label of each mistaken example, −1 or +1."""
        return np.sign(self.steps).astype(np.int8)

    @property
    def classes(self) -> Codes:
        """The class of each mistaken example, if many are learned jointly."""
        return self._there(self.mistakes.classes, "labels, not classes")

    @property
    def rivals(self) -> Codes:
        """The other class with the highest score, if many are learned jointly."""
        return self._there(self.mistakes.rivals, "labels, not classes")

    @property
    def importances(self) -> Vector:
        """The importance of each mistaken example, its class weight included, if adaptive."""
        return self._there(self.mistakes.importances, "no importances")

    def _there(self, column: NDArray[Any] | None, otherwise: str) -> NDArray[Any]:
        if column is None:
            raise ValueError(f"a ledger of rule {self.rule!r} has {otherwise}")
        return column

    @property
    def radius(self) -> float:
        """R: the largest ‖x‖ over the mistaken examples (0 when there are none)."""
        return float(np.sqrt(self.largest_square))

    @property
    def examples(self) -> Rows:
        """The mistaken rows in order of position, each once; `example` maps mistakes to them."""
        self.expect_examples()
        found = self._kept_rows
        if found is None:
            raise NotKept("this ledger has no examples: the run made no mistake")
        read_only(*found.rows.core[:3])
        return copy(found.rows)

    @property
    def example(self) -> Positions:
        """For each mistake, the index of its row in `examples`."""
        self.expect_examples()
        now = self.snapshot()
        kept = now._kept_rows
        return now.rows if kept is None else np.searchsorted(kept.positions, now.rows)

    def expect_examples(self) -> None:
        """Raise NotKept if there were mistakes and their rows were not kept."""
        if self.keep != "examples" and self.n_updates:
            what = self._kept_counts if self.keep == "counts" else "kept positions only"
            also = " or with_examples(data)" * (self.keep == "positions")
            raise NotKept(f"this ledger {what}; use keep='examples'{also}")

    @property
    def _kept_counts(self) -> str:
        if self.most_bytes is None:
            return "kept counts only"
        return f"outgrew {self.most_bytes // 10**6} MB and kept counts only"

    def expect_sums(self) -> None:
        """Raise ValueError unless the weights of two classes are a sum of the mistakes."""
        if self.is_joint:
            raise ValueError(
                "this needs a run with two labels; many classes were learned jointly (for these, "
                "see guarantees.joint_bound and readings)"
            )
        if self.rule != "additive":
            raise ValueError(
                "this needs weights that are a sum of the mistakes, as the perceptron's are; the "
                f"ledger's rule is {self.rule!r}"
            )

    def mistakes_by(self, t: int) -> int:
        """The number of mistakes in rounds 1 to t."""
        now = self.snapshot()
        return int(np.count_nonzero(now.mistakes.wrong[: now.updates_by(t)]))

    def updates_by(self, t: int) -> int:
        """The number of updates in rounds 1 to t."""
        return int(np.searchsorted(self.rounds, t, side="right"))

    def survivals(self) -> Positions:
        """For how many rounds the starting weights, and those after each mistake, lasted: votes."""
        now = self.snapshot()
        return np.diff(np.concatenate([[1], now.rounds, [now.n_rounds + 1]]))


def _restored_adaptation(stored: Stored, length: int, classes: int, rule: Rule) -> Adaptation:
    regularisation, variances = stored.number("regularisation"), None
    matrix = stored.choice("matrix", get_args(Matrix))
    if not 0 < regularisation < math.inf:
        stored.refuse(f"its regularisation is {regularisation!r}, not a finite number above 0")
    if rule == "joint-adaptive" and matrix == "full":
        stored.refuse("classes that are learned jointly have no full matrix")
    if "variances" in stored:
        shape: tuple[int, ...] = (length, length) if matrix == "full" else (length,)
        if rule == "joint-adaptive":
            shape = (length, -1)
        variances = stored.array("variances", ("float64",), shape)
        own = variances.diagonal() if matrix == "full" else variances
        if not (own > 0).all() or not np.isfinite(variances).all():
            stored.refuse("its variances are not all above 0 and finite")
        if rule == "joint-adaptive" and variances.shape[1] > classes:
            stored.refuse(f"it has variances of more than its {classes} classes")
    return Adaptation(regularisation, variances, matrix)
