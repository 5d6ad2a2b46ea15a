"""The ledger of mistakes: which examples were mistaken, when, and with what score.

A mistake-driven learner is its mistakes. The final weights are their sum, the average and the
vote are weighted readings of the same list, the bounds count it and the certificates are made
from it. The ledger grows with the mistakes, not with the stream.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from novikoff.examples import Block, Labels
from novikoff.rows import BadExample, Positions, Rows, Vector, join

Keep: TypeAlias = Literal["examples", "positions", "counts"]

_NO_EXAMPLES = "this ledger kept no examples; use keep='examples'"


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Some mistakes in the order they were made, one entry each in every column."""

    rounds: Positions
    rows: Positions
    scores: Vector
    steps: Vector
    squares: Vector

    def __len__(self) -> int:
        return len(self.rounds)


class Ledger:
    """What a run got wrong, with what is needed to read everything else from it.

    The weights after any mistake are `unit * (start + Σ steps[k] * x[k])`: `steps` holds y times
    the weight of its class, and `unit` is the rate; or, when the weights did not start at 0,
    `unit` is 1 and `steps` has the rate in it.

    Parameters
    ----------
    dim, bias
        The number of features, and whether a constant feature 1 follows them. The constant
        counts in `squares` and so in the radius.
    start, began
        The weights before this ledger's first round, over `unit` (None: zero), and how many rounds
        the learner had played by then.
    keep
        "examples": a copy of each mistaken row, once however often it is mistaken;
        "positions": where it stands in the data; "counts": totals only, for endless streams.
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
    ) -> None:
        self.dim, self.bias, self.unit, self.keep = dim, bias, unit, keep
        self.start, self.began = start, began
        self.n_rounds = 0
        self.n_mistakes = 0
        self.largest_square = 0.0
        self.epoch_ends: list[int] = []
        self.epoch_mistakes: list[int] = []
        self._pieces: list[Mistakes] = []
        self._stored: list[Rows] = []
        self._stored_positions: list[Positions] = []
        self._known = np.empty(0, dtype=np.int64)
        self._recent: list[Positions] = []

    def record(self, mistakes: Mistakes, rounds: int) -> None:
        """Add the mistakes made in the next so many rounds."""
        self.n_rounds += rounds
        if len(mistakes) == 0:
            return
        self.n_mistakes += len(mistakes)
        self.largest_square = max(self.largest_square, float(mistakes.squares.max()))
        if self.keep != "counts":
            self._pieces.append(replace(mistakes, rounds=mistakes.rounds - self.began))
            self._recent.append(mistakes.rows)

    def store(self, block: Block) -> None:
        """Copy the rows of the block mistaken since the last call, unless already kept."""
        recent, self._recent = self._recent, []
        if self.keep != "examples" or not recent:
            return
        first, known = block.first, self._known
        mistaken = np.zeros(len(block), dtype=np.bool_)
        for rows in recent:
            mistaken[rows - first] = True
        here = slice(*np.searchsorted(known, (first, first + len(block))))
        mistaken[known[here] - first] = False
        fresh = np.flatnonzero(mistaken)
        if len(fresh):
            self._stored.append(block.rows.take(fresh))
            self._stored_positions.append(fresh + first)
            self._known = np.sort(np.concatenate([known, fresh + first]), kind="stable")

    def close_epoch(self) -> int:
        """Mark the end of a pass over the data; the number of mistakes in it."""
        made = self.n_mistakes - sum(self.epoch_mistakes)
        self.epoch_ends.append(self.n_rounds)
        self.epoch_mistakes.append(made)
        return made

    def __len__(self) -> int:
        return self.n_mistakes

    def __repr__(self) -> str:
        return f"<Ledger: {self.n_mistakes} mistakes in {self.n_rounds} rounds>"

    @property
    def mistakes(self) -> Mistakes:
        """All columns, from the first mistake to the last."""
        if self.keep == "counts" and self.n_mistakes:
            raise BadExample("this ledger kept counts only; keep='positions' or 'examples'")
        if len(self._pieces) != 1:
            kinds = (np.int64, np.int64, np.float64, np.float64, np.float64)
            columns = [
                np.concatenate([np.empty(0, kind), *(getattr(p, name) for p in self._pieces)])
                for name, kind in zip(Mistakes.__slots__, kinds, strict=True)
            ]
            self._pieces = [Mistakes(*columns)]
        return self._pieces[0]

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
        """What each mistaken example was multiplied by when it was added: its sign is y."""
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
    def radius(self) -> float:
        """R: the largest ‖x‖ over the mistaken examples (0 when there are none)."""
        return float(np.sqrt(self.largest_square))

    @property
    def examples(self) -> Rows:
        """The mistaken rows, each once; `example` says which of them each mistake was."""
        if not self._stored:
            raise BadExample(_NO_EXAMPLES)
        if len(self._stored) > 1:
            self._stored = [join(self._stored)]
        return self._stored[0]

    @property
    def example(self) -> Positions:
        """For each mistake, the place of its row in `examples`."""
        if self.n_mistakes == 0:
            return np.empty(0, dtype=np.int64)
        if not self._stored:
            raise BadExample(_NO_EXAMPLES)
        positions = np.concatenate(self._stored_positions)
        by_position = np.argsort(positions)
        return by_position[np.searchsorted(positions[by_position], self.rows)]

    def mistakes_by(self, t: int) -> int:
        """How many mistakes were made in rounds 1 to t."""
        return int(np.searchsorted(self.rounds, t, side="right"))

    def survivals(self) -> Positions:
        """For the start and then each mistake: at the end of how many rounds its weights stood.

        They add up to the number of rounds, and are the votes of Freund & Schapire (1999).
        """
        ends = np.concatenate([[1], self.rounds, [self.n_rounds + 1]])
        return np.diff(ends)
