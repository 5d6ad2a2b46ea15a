"""Littlestone's standard optimal algorithm: leave as few mistakes to come as possible."""

from __future__ import annotations

import numpy as np

from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass
from novikoff.concepts.dimensions import Columns, Littlestone, mask
from novikoff.concepts.pruning import Pruning
from novikoff.rows import Positions


class Optimal(Pruning):
    """Predict the label whose concepts, of those left, have the larger Littlestone dimension.

    Two parts that both had the dimension of the whole would give the whole one more; so a mistake
    leaves a smaller dimension than before, and there are at most as many mistakes as the dimension
    of the class. No learner has a smaller bound. For classes small enough to find dimensions;
    others raise TooLarge, here or, if the sets of concepts get too many, while learning. The score
    is the dimension of those left that say true less that of those that say false (−1 if there are
    none); a tie says +1.

    References
    ----------
    Littlestone (1988), Section 3, the standard optimal algorithm.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self._known = Littlestone(Columns(concepts))

    def score(self, x: Truths) -> float:
        """The dimension of those that say true less the dimension of those that say false."""
        places = self.space.places()
        said = self.concepts.say_some(places, x)
        return float(self._dimension(places[said]) - self._dimension(places[~said]))

    def _dimension(self, places: Positions) -> int:
        on = np.zeros(self.concepts.size, dtype=np.bool_)
        on[places] = True
        return self._known.dimension(mask(on))
