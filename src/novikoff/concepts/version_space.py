"""The version space: the concepts of a class that are consistent with every example seen."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from novikoff import _core
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class, words_for
from novikoff.concepts.examples import Truths
from novikoff.concepts.functions import Concept
from novikoff.stream.rows import Positions

_FEW = 1 << 12
_MOST_LISTED = 1 << 24  # concepts: their places take 128 MB
_ANSWERS = 1 << 26  # values computed in some tens of milliseconds


class VersionSpace:
    """All concepts of a class at first; `keep` removes those that contradict an example.

    While many are left they are a set of bits, and all concepts of the class are evaluated at once.
    When few are left, only these are listed and evaluated.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        expect_class(concepts)
        concepts.expect_enumerable()
        self.concepts, self.size = concepts, concepts.size
        self._bits = ~words_for(concepts.size)
        self._bits[-1] >>= np.uint64(-concepts.size % 64)
        self._listed: Positions | None = None
        self._evaluated: Truths | None = None
        self._list_if_few()

    def split(self, x: Truths) -> tuple[int, int]:
        """How many of the concepts left are false at the example, and how many are true."""
        # asked again about the example just evaluated, it remembers
        if self._evaluated is None or not np.array_equal(self._evaluated, x):
            if self._listed is not None:
                self._values = self.concepts.values(self._listed, x)
                self._true = int(np.count_nonzero(self._values))
            else:
                self._words = self.concepts.packed_values(x)
                self._true = _core.count_both(self._bits, self._words)
            self._evaluated = x.copy()
        return self.size - self._true, self._true

    def keep(self, x: Truths, label: bool) -> bool:
        """Keep the concepts with this value at x; False, and no change, if there are none."""
        if not self.split(x)[label]:
            return False
        if self._listed is not None:
            self._listed = self._listed[self._values == label]
        else:
            _core.keep(self._bits, self._words, on=label)
        self.size = self._true if label else self.size - self._true
        self._evaluated = None
        self._list_if_few()
        return True

    @property
    def most_examples(self) -> int:
        """The number of examples that take some tens of milliseconds; at least one."""
        evaluated = self.concepts.size if self._listed is None else self.size << 8
        return max(1, min(1 << 10, _ANSWERS // evaluated))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Concept]:
        return map(self.concepts.__getitem__, self.places().tolist())

    def key(self) -> Hashable:
        """A key that is equal for two spaces of a class exactly when the same concepts are left."""
        return self.size, (self._bits if self._listed is None else self._listed).tobytes()

    def first(self) -> int:
        """The place in the class of the first concept left."""
        return int(self._first_places(1)[0])

    def draw(self, dice: np.random.Generator) -> int:
        """The place of a concept drawn uniformly at random from those left."""
        if self._listed is not None or self.size <= _FEW:
            return int(dice.choice(self.places()))
        while True:  # at least one place in 1,024 is left
            place = int(dice.integers(self.concepts.size))
            if self._bits[place // 64] >> np.uint64(place % 64) & np.uint64(1):
                return place

    def places(self) -> Positions:
        """The places in the class of the concepts left."""
        if self._listed is None and self.size > _MOST_LISTED:
            raise TooLarge(
                f"{self.size:,} concepts are left, more than the {_MOST_LISTED:,} that can be "
                "listed; use size, split or first"
            )
        return self._first_places(self.size)

    def _first_places(self, count: int) -> Positions:
        if self._listed is not None:
            return self._listed[:count].copy()
        out = np.empty(count, dtype=np.int64)
        _core.places(self._bits, out=out)
        return out

    def _list_if_few(self) -> None:
        # evaluating one listed concept takes as long as some hundreds of a set of bits
        if self._listed is None and self.size <= self.concepts.size >> 10:
            self._listed, self._bits = self.places(), words_for(0)
