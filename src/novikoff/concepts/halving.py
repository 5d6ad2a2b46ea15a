"""Halving: the majority of the concepts still consistent predicts."""

from __future__ import annotations

from novikoff.concepts.attributes import Truths
from novikoff.concepts.pruning import Pruning


class Halving(Pruning):
    """Predict what most of the concepts left say; every example rules out those that it refutes.

    A mistake refutes at least half of those left, and the target is never refuted: at most
    ⌊log₂|C|⌋ mistakes, whatever the examples and their order. That is not always the fewest
    possible; see `Optimal`. The score is the share of those left that say true less the share that
    say false; a tie says +1.

    >>> from novikoff import play
    >>> from novikoff.concepts import Halving, conjunctions, labelled
    >>> learner = Halving(conjunctions(3, monotone=True))
    >>> run = play(labelled([[1, 1, 0], [1, 0, 1], [0, 1, 0]], [True, False, True]), learner)
    >>> run.ledger.n_mistakes, str(learner.hypothesis)
    (1, 'x₂')

    References
    ----------
    Bārzdiņš & Freivalds (1972); Littlestone (1988), Section 3.
    """

    def score(self, x: Truths) -> float:
        """The share of the concepts left that say true less the share that say false."""
        false, true = self.space.split(x)
        return (true - false) / self.left
