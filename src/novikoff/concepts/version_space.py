"""The concepts of a class that are still consistent with every example met: a set, as bits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from novikoff import _core
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class, words_for
from novikoff.concepts.examples import Truths
from novikoff.concepts.functions import Concept
from novikoff.stream.rows import Positions

_FEW = 1 << 12
_MOST_LISTED = 1 << 24  # their places are then 128 MB
_ANSWERS = 1 << 26  # asked in some tens of milliseconds


class VersionSpace:
    """All concepts of a class at first; `keep` leaves those that say what is true.

    As long as they are many they are the bits of a set, and all concepts are asked at once; when
    few are left, those few are listed and asked alone. Iterating gives the concepts left, in order.

    Attributes
    ----------
    size
        How many are left.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        expect_class(concepts)
        concepts.expect_enumerable()
        self.concepts, self.size = concepts, concepts.size
        self._bits = ~words_for(concepts.size)
        self._bits[-1] >>= np.uint64(-concepts.size % 64)
        self._listed: Positions | None = None
        self._asked: Truths | None = None
        self._list_if_few()

    def split(self, x: Truths) -> tuple[int, int]:
        """How many of those left say false of the example, and how many say true."""
        self._ask(x)
        return self.size - self._true, self._true

    def keep(self, x: Truths, label: bool) -> bool:
        """Leave only the concepts that say `label` of the example; False, as it was, if none do."""
        if not self.split(x)[label]:
            return False
        if self._listed is not None:
            self._listed = self._listed[self._answers == label]
        else:
            _core.keep(self._bits, self._words, on=label)
        self.size = self._true if label else self.size - self._true
        self._asked = None
        self._list_if_few()
        return True

    @property
    def most_examples(self) -> int:
        """About how many examples can be asked about before somebody waits: at least one."""
        asked = self.concepts.size if self._listed is None else self.size << 8
        return max(1, min(1 << 10, _ANSWERS // asked))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Concept]:
        return map(self.concepts.concept, self.places().tolist())

    def key(self) -> Hashable:
        """The same for two of a class exactly when the same concepts are left."""
        return self.size, (self._bits if self._listed is None else self._listed).tobytes()

    def first(self) -> int:
        """The place in the class of the first concept left."""
        if self._listed is not None:
            return int(self._listed[0])
        out = np.empty(1, dtype=np.int64)
        _core.places(self._bits, out=out)
        return int(out[0])

    def draw(self, dice: np.random.Generator) -> int:
        """The place of a concept drawn at random from those left, each with the same chance."""
        if self._listed is not None or self.size <= _FEW:
            return int(dice.choice(self.places()))
        while True:  # at least every 1,024th place is that of one left
            place = int(dice.integers(self.concepts.size))
            if self._bits[place // 64] >> np.uint64(place % 64) & np.uint64(1):
                return place

    def places(self) -> Positions:
        """The places in the class of the concepts left."""
        if self._listed is not None:
            return self._listed.copy()
        if self.size > _MOST_LISTED:
            raise TooLarge(
                f"{self.size:,} concepts are left, more than the {_MOST_LISTED:,} that can be "
                "listed; ask for `size`, `split` or `first`"
            )
        out = np.empty(self.size, dtype=np.int64)
        _core.places(self._bits, out=out)
        return out

    def _list_if_few(self) -> None:
        # one of a list is asked in the time of some hundreds of a set of bits
        if self._listed is None and self.size <= self.concepts.size >> 10:
            self._listed, self._bits = self.places(), words_for(0)

    def _ask(self, x: Truths) -> None:
        """Have what each says of the example ready; most examples are asked about twice."""
        if self._asked is not None and np.array_equal(self._asked, x):
            return
        if self._listed is not None:
            self._answers = self.concepts.say_some(self._listed, x)
            self._true = int(np.count_nonzero(self._answers))
        else:
            self._words = self.concepts.say(x)
            self._true = _core.count_both(self._bits, self._words)
        self._asked = x.copy()
