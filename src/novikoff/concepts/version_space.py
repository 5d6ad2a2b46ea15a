"""The concepts of a class that are still consistent with every example met: a set, as bits."""

from __future__ import annotations

import numpy as np

from novikoff import _core
from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass, words_for
from novikoff.rows import Positions

_FEW = 1 << 12


class VersionSpace:
    """All concepts of a class at first; `keep` leaves those that say what is true.

    As long as they are many they are the bits of a set, and all concepts are asked at once; when
    few are left, those few are listed and asked alone.

    Attributes
    ----------
    size
        How many are left.
    """

    def __init__(self, concepts: ConceptClass) -> None:
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

    def keep(self, x: Truths, label: bool) -> None:
        """Leave only the concepts that say `label` of the example."""
        self._ask(x)
        if self._listed is not None:
            self._listed = self._listed[self._answers == label]
        else:
            _core.keep(self._bits, self._words, on=label)
        self.size = self._true if label else self.size - self._true
        self._asked = None
        self._list_if_few()

    def first(self) -> int:
        """The place in the class of the first concept left."""
        if not self.size:
            raise IndexError("no concept is left: none says what was true of every example")
        if self._listed is not None:
            return int(self._listed[0])
        out = np.empty(1, dtype=np.int64)
        _core.places(self._bits, out=out)
        return int(out[0])

    def places(self) -> Positions:
        """The places in the class of the concepts left."""
        if self._listed is not None:
            return self._listed.copy()
        out = np.empty(self.size, dtype=np.int64)
        _core.places(self._bits, out=out)
        return out

    def _list_if_few(self) -> None:
        if self._listed is None and self.size <= max(_FEW, self.concepts.size >> 10):
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
