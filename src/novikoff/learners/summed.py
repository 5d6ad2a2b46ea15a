"""What the learners share whose weights are a sum of steps: the sum, and that of the average."""

from __future__ import annotations

from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.readings import mean_of_weights
from novikoff.ledger.weights import times, turned, widened
from novikoff.stream.rows import Vector


class Summed:
    """Weights w, over their unit, and the u of `mean_of_weights`; a column a class for many."""

    honest: HonestScores | None = None  # counts the scores before learning, for probabilities
    dim: int
    bias: bool
    rounds: int
    _w: Vector
    _u: Vector | None
    _unit: float = 1.0

    @property
    def weights(self) -> Vector:
        """The present weights, the constant's last; a row a class for many classes."""
        return self._shown(self._w)

    @property
    def averaging(self) -> bool:
        """Whether the learner keeps the sum that `average` needs."""
        return self._u is not None

    @property
    def average(self) -> Vector:
        """The mean of the weights over all rounds, each counted as it stood at the round's end."""
        if self._u is None:
            raise ValueError("this learner keeps no average; make it with averaging=True")
        return self._shown(mean_of_weights(self._w, self._u, self.rounds))

    def _shown(self, w: Vector) -> Vector:
        return times(self._unit, w)

    def widen(self, dim: int) -> None:
        """Make room for `dim` features, at least as many as now; the new ones have weight 0.

        The learner continues as one of this width from the start would: where numbers round, the
        bits agree if each width is a multiple of 8, as sums are taken in lanes, column mod 8.
        """
        self._w = widened(self._w, dim, bias=self.bias)
        self._u = None if self._u is None else widened(self._u, dim, bias=self.bias)
        self.dim = dim

    def turn_round(self) -> None:
        """Swap the two labels, exactly, of a rule that `is_symmetric`."""
        self._w = turned(self._w)
        self._u = None if self._u is None else turned(self._u)
        self.honest = None if self.honest is None else self.honest.turned()

    def _own_weights(self) -> None:
        """Copy what is mapped from a file."""
        for name in ("_w", "_u", "_s"):
            numbers: Vector | None = getattr(self, name, None)
            if numbers is not None and not numbers.flags.writeable:
                setattr(self, name, numbers.copy())
