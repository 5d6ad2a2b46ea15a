"""CON: one concept that is still consistent predicts."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, TypeAlias

import numpy as np

from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass
from novikoff.concepts.functions import Concept
from novikoff.concepts.pruning import Pruning

Choose: TypeAlias = Literal["first", "random"]


class Consistent(Pruning):
    """Predict with one concept consistent with all examples met; after a mistake, with another.

    A mistake refutes at least the concept that made it, and the target is never refuted: at most
    |C| − 1 mistakes. Where the concept is drawn at random, and the examples were chosen without
    looking at the draws, at most 1/2 + 1/3 + … + 1/|C| ≤ ln|C| are expected: an example that
    refutes r of the m concepts left is mistaken with chance r/m, at most 1/m + … + 1/(m − r + 1).
    The score is +1 or −1.

    Parameters
    ----------
    choose
        "first" takes the first in the class's order, "random" any, each with the same chance.
    seed
        What the draws depend on.

    References
    ----------
    Littlestone (1988), Section 3; Shalev-Shwartz & Ben-David (2014), Section 21.1.
    """

    def __init__(self, concepts: ConceptClass, *, choose: Choose = "first", seed: int = 0) -> None:
        if choose not in ("first", "random"):
            raise ValueError(f"choose must be 'first' or 'random', not {choose!r}")
        super().__init__(concepts)
        self.choose = choose
        self._dice = np.random.default_rng(seed)
        self._place = self._another()

    @property
    def hypothesis(self) -> Concept:
        """The concept that predicts."""
        return self.concepts[self._place]

    def key(self) -> Hashable:
        """All that its predictions from here on depend on."""
        drawn = self.choose == "random" and str(self._dice.bit_generator.state)
        return super().key(), self._place, drawn

    def score(self, x: Truths) -> float:
        """+1 if its concept says true, else −1."""
        return 1.0 if self._says(x) else -1.0

    def take(self, x: Truths, label: bool) -> bool:
        """Keep the concepts that say the label; False, and no change, if there are none."""
        if not super().take(x, label):
            return False
        if self._says(x) != label:
            self._place = self._another()
        return True

    def _says(self, x: Truths) -> bool:
        return bool(self.concepts.say_some(np.array([self._place]), x)[0])

    def _another(self) -> int:
        return self.space.first() if self.choose == "first" else self.space.draw(self._dice)
