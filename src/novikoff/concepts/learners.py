"""The version space of a finite class, and its learners: CON, halving, optimal, and majority."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import Literal

import numpy as np

from novikoff import _core
from novikoff.concepts import classes
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.dimensions import Littlestone, mask
from novikoff.concepts.examples import Truths, truths_of_row
from novikoff.concepts.functions import Concept
from novikoff.learners import Learner
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import predicts_positive
from novikoff.stream.rows import Positions, Rows, Vector
from novikoff.stream.sums import dot

MOST_COUNTED = 1 << 24
_COUNTS = 1 << 22  # updated in some tens of milliseconds
_LEAST = math.ulp(0.0)
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
        self._bits = ~classes.words_for(concepts.size)
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
            self._listed, self._bits = self.places(), classes.words_for(0)


class Contradiction(Exception):  # noqa: N818  (it names the finding)
    """No concept fits the example and those before it; the learner has not changed."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}. If labels may be wrong, use WeightedMajority")


class ConceptLearner(Learner):
    """A learner of concepts; `_step` learns one example and returns its score, or raises."""

    weights = None
    _step: Callable[[Truths, bool], float]

    def __init__(self, dim: int) -> None:
        classes.expect_variables(dim)
        self.dim, self.rounds = dim, 0

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts at this learner's round."""
        return Ledger(self.dim, began=self.rounds, keep=keep, rule="concepts")

    def expect_dim(self, rows: Rows) -> None:
        """Refuse rows with another number of attributes."""
        if rows.dim != self.dim:
            raise BadExample(f"rows have {rows.dim} attributes, the learner has {self.dim}")

    @property
    def most_examples(self) -> int:
        """The number of examples to learn before `play` may be interrupted."""
        return 1 << 10

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn examples begin..end, at most `most_examples` of them, as `Learner.learn` says."""
        end = min(end, begin + self.most_examples)
        made = list[tuple[int, int, float, float, int]]()  # as the columns of Mistakes
        at = begin
        while at < end:
            i = block.row_shown(at)
            try:
                counts = counts_once(block, i)
                x, label = truths_of_row(block, i, self.dim), bool(block.signs[i] > 0)
                score = self._step(x, label) if counts else 0.0
            except (BadExample, TooLarge, Contradiction) as error:
                if at > begin:
                    break
                if isinstance(error, Contradiction):
                    raise BadExample(f"row {block.position(i)}: {error}") from None
                raise
            if counts and predicts_positive(score) != label:
                y = 1.0 if label else -1.0
                made.append((self.rounds + at - begin + 1, i, score, y, int(np.count_nonzero(x))))
            at += 1
        self.rounds += at - begin
        rounds, which, scores, steps, squares = np.array(made, dtype=np.float64).reshape(-1, 5).T
        rows = block.positions(which.astype(np.int64))
        return at, Mistakes(rounds.astype(np.int64), rows, scores, steps, squares)


def counts_once(block: Block, i: int) -> bool:
    """Whether the importance of the example is 1, rather than 0; others are refused."""
    if not 0 <= i < len(block):
        raise BadExample(f"row {block.position(i)}: there is no such row")
    importance = 1.0 if block.importances is None else float(block.importances[i])
    if importance not in (0.0, 1.0):
        raise BadExample(
            f"row {block.position(i)}: its importance is {importance!r}; concept learners accept "
            "only 0 and 1"
        )
    return importance == 1.0


class ClassLearner(ConceptLearner):
    """A learner that considers every concept of a finite class."""

    def __init__(self, concepts: ConceptClass) -> None:
        expect_class(concepts)
        super().__init__(concepts.n)
        self.concepts = concepts

    @abstractmethod
    def score(self, x: Truths) -> float:
        """The confidence that the label is +1; it predicts +1 from 0 on."""

    @abstractmethod
    def update(self, x: Truths, label: bool) -> bool:
        """Learn the label of an example; False, and no change, if no concept fits."""

    @property
    @abstractmethod
    def left(self) -> int:
        """The number of concepts that still count."""

    def scores(self, rows: Rows) -> Vector:
        """The score of each row; the learner does not change."""
        block = Block(rows, np.ones(len(rows), dtype=np.int8))
        each = (self.score(truths_of_row(block, i, self.dim)) for i in range(len(rows)))
        return np.fromiter(each, dtype=np.float64, count=len(rows))

    def _step(self, x: Truths, label: bool) -> float:
        score = self.score(x)
        if not self.update(x, label):
            raise Contradiction(
                f"no concept of the class fits its label {'+1' if label else '-1'} and the "
                "examples before it"
            )
        return score


class VersionSpaceLearner(ClassLearner):
    """A learner that rules out the concepts that contradict an example; `space` has the others."""

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self.space = VersionSpace(concepts)

    @property
    def left(self) -> int:
        """The number of concepts left in `space`."""
        return self.space.size

    @property
    def hypothesis(self) -> Concept | None:
        """The only concept left; None while there are several."""
        return self.concepts[self.space.first()] if self.left == 1 else None

    @property
    def most_examples(self) -> int:
        """The number of examples to learn before `play` may be interrupted."""
        return self.space.most_examples

    def key(self) -> Hashable:
        """A key for all that its future predictions depend on."""
        return self.space.key()

    def update(self, x: Truths, label: bool) -> bool:
        """Keep the concepts with this label; False, and no change, if there are none."""
        return self.space.keep(x, label)


class Consistent(VersionSpaceLearner):
    """CON: predict with one consistent concept, and with another one after a mistake.

    At most |C| − 1 mistakes. It takes the first concept left, or with `choose` "random" draws one:
    then at most ln|C| mistakes are expected, if the examples do not depend on the draws. The score
    is +1 or −1. References: Littlestone (1988), Section 3; Shalev-Shwartz & Ben-David (2014),
    Section 21.1.
    """

    def __init__(
        self, concepts: ConceptClass, *, choose: Literal["first", "random"] = "first", seed: int = 0
    ) -> None:
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
        """A key for all that its future predictions depend on."""
        drawn = self.choose == "random" and str(self._dice.bit_generator.state)
        return super().key(), self._place, drawn

    def score(self, x: Truths) -> float:
        """+1 if its concept is true at the example, else −1."""
        return 1.0 if self._predicts(x) else -1.0

    def update(self, x: Truths, label: bool) -> bool:
        """Keep the concepts with this label; False, and no change, if there are none."""
        if not super().update(x, label):
            return False
        if self._predicts(x) != label:
            self._place = self._another()
        return True

    def _predicts(self, x: Truths) -> bool:
        return bool(self.concepts.values(np.array([self._place]), x)[0])

    def _another(self) -> int:
        return self.space.first() if self.choose == "first" else self.space.draw(self._dice)


class Halving(VersionSpaceLearner):
    """Predict with the majority of the consistent concepts: at most ⌊log₂|C|⌋ mistakes.

    The score is the share of the concepts left that are true less the share that are false; a tie
    predicts +1. `Optimal` may have a smaller bound. References: Bārzdiņš & Freivalds (1972);
    Littlestone (1988), Section 3.
    """

    def score(self, x: Truths) -> float:
        """The share of the concepts left that are true less the share that are false."""
        false, true = self.space.split(x)
        return (true - false) / self.left


class Optimal(VersionSpaceLearner):
    """Predict the label whose consistent concepts have the larger Littlestone dimension.

    At most as many mistakes as the dimension of the class, and no learner has a smaller bound
    (Littlestone 1988, Section 3). The score is the difference of the dimensions; a tie predicts +1.
    For large classes it raises TooLarge.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self._known = Littlestone(concepts)

    def score(self, x: Truths) -> float:
        """The dimension of the concepts that are true less that of those that are false."""
        places = self.space.places()
        true = self.concepts.values(places, x)
        return float(self._dimension(places[true]) - self._dimension(places[~true]))

    def _dimension(self, places: Positions) -> int:
        on = np.zeros(self.concepts.size, dtype=np.bool_)
        on[places] = True
        return self._known.dimension(mask(on))


class WeightedMajority(ClassLearner):
    """Predict with the weighted majority of all concepts; a wrong one's weight is multiplied by β.

    If some concept is wrong on k of the examples, at most (k·ln(1/β) + ln|C|)/ln(2/(1 + β))
    mistakes are made (Littlestone & Warmuth 1994, Section 2), so labels may be wrong. β = 0 is
    halving. The prediction is exact however small the weights; the score is the share of the weight
    for true less the share for false, and a tie predicts +1.
    """

    def __init__(self, concepts: ConceptClass, beta: Fraction | float = Fraction(1, 2)) -> None:
        super().__init__(concepts)
        if not 0 <= beta < 1:
            raise ValueError(f"beta must be at least 0 and less than 1, not {beta!r}")
        if concepts.size > MOST_COUNTED:
            raise TooLarge(
                f"{concepts} has {concepts.size:,} concepts; weighted majority counts the errors "
                f"of up to {MOST_COUNTED:,}"
            )
        self.beta = Fraction(beta)
        self._errors = np.zeros(concepts.size, dtype=np.int64)

    @property
    def left(self) -> int:
        """The number of concepts with a weight: all of them, unless β is 0."""
        return self.concepts.size if self.beta else int(np.count_nonzero(self._errors == 0))

    @property
    def fewest(self) -> int:
        """k: the number of examples on which the best concept was wrong."""
        return int(self._errors.min())

    @property
    def hypothesis(self) -> Concept:
        """The first of the concepts with the fewest errors."""
        return self.concepts[int(self._errors.argmin())]

    @property
    def most_examples(self) -> int:
        """The number of examples to learn before `play` may be interrupted."""
        return max(1, min(1 << 10, _COUNTS // self.concepts.size))

    def score(self, x: Truths) -> float:
        """The share of the weight for true less the share for false."""
        errors = self._errors - self.fewest
        counts = np.bincount(errors)
        leads = 2 * np.bincount(errors[self._predictions(x)], minlength=len(counts)) - counts
        weights = np.cumprod(np.append(1.0, np.full(len(counts) - 1, float(self.beta))))
        share = dot(leads.astype(np.float64), weights) / dot(counts.astype(np.float64), weights)
        sign = self._lead(leads, counts)
        if sign == 0:
            return 0.0
        return max(share, _LEAST) if sign > 0 else min(share, -_LEAST)

    def update(self, x: Truths, label: bool) -> bool:
        """Count the errors; False, and no change, if β is 0 and no concept fits."""
        wrong = self._predictions(x) != label
        if self.beta == 0 and not (~wrong & (self._errors == 0)).any():
            return False
        self._errors += wrong
        return True

    def _predictions(self, x: Truths) -> Truths:
        return classes.unpacked(self.concepts.packed_values(x), self.concepts.size)

    def _lead(self, leads: Positions, counts: Positions) -> int:
        """An integer with the exact sign of Σ leads[c]·βᶜ, where |leads| ≤ counts.

        With β = p/q the sum up to c is total/qᶜ, and the rest is at most later·(p/q)ᶜ⁺¹.
        """
        p, q = self.beta.as_integer_ratio()
        total, power, later = 0, 1, int(counts.sum())
        for lead, count in zip(leads.tolist(), counts.tolist(), strict=True):
            total = total * q + lead * power
            power *= p
            later -= count
            if abs(total) * q > later * power:
                break
        return total
