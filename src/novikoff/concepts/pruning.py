"""What the learners that keep the consistent concepts share: the version space."""

from __future__ import annotations

from collections.abc import Hashable

from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass
from novikoff.concepts.functions import Concept
from novikoff.concepts.online import ConceptLearner
from novikoff.concepts.version_space import VersionSpace


class Pruning(ConceptLearner):
    """A learner whose every example, mistaken or not, rules out the concepts that it refutes.

    Attributes
    ----------
    space
        The concepts consistent with all examples met; iterating gives them.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self.space = VersionSpace(concepts)

    @property
    def left(self) -> int:
        """How many concepts are consistent with all examples met."""
        return self.space.size

    @property
    def hypothesis(self) -> Concept | None:
        """The one concept left, when there is only one."""
        return self.concepts[self.space.first()] if self.left == 1 else None

    @property
    def most_examples(self) -> int:
        """How many examples are met before `play` may be interrupted."""
        return self.space.most_examples

    def key(self) -> Hashable:
        """All that its predictions from here on depend on."""
        return self.space.key()

    def take(self, x: Truths, label: bool) -> bool:
        """Keep the concepts that say the label; False, and no change, if there are none."""
        return self.space.keep(x, label)
