"""Learners of conjunctions: elimination drops literals proved wrong, and asking finds the rest.

A disjunction is learned as the conjunction that it negates: literals and labels change sign.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.concepts.examples import Truths, labels_of, truths, truths_of_row
from novikoff.concepts.functions import Conjunction, Disjunction
from novikoff.concepts.learners import ConceptLearner, Contradiction, counts_once
from novikoff.learners.compiled_pass import one_pass, refusal
from novikoff.ledger.ledger import Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Flaw, Positions, Rows, SparseRows, Vector, join, scored

Form: TypeAlias = Conjunction | Disjunction
Negatives: TypeAlias = tuple[Positions, SparseRows]  # the places of examples, and their rows

_FOR_EVER = np.iinfo(np.int64).max


class EliminateConjunction(ConceptLearner):
    """Start from all literals; after a mistake, drop those that are false in the example.

    At most n + 1 mistakes, or n if `monotone` (Valiant 1984; Littlestone 1988, Section 3). An
    example that no conjunction fits, together with those before, raises BadExample and changes
    nothing; without `remember`, only a negative example that comes again is detected.
    """

    sign: ClassVar[int] = 1  # the label that proves literals wrong
    form: ClassVar[type[Form]] = Conjunction

    def __init__(self, n: int, *, monotone: bool = False, remember: bool = True) -> None:
        super().__init__(n)
        self.monotone = bool(monotone)
        # after how many drops each literal was dropped
        plain, negated = self.sign > 0 or not monotone, self.sign < 0 or not monotone
        self._plain = np.full(n, 0 if plain else -1, dtype=np.int64)
        self._negated = np.full(n, _FOR_EVER if negated else 0, dtype=np.int64)
        self._drops, self._left = 0, n if plain else 0
        # of each negative example only the entries that can still matter
        self._remembered: list[Negatives] | None = [] if remember else None

    @property
    def hypothesis(self) -> Form:
        """The concept it predicts with: all literals that are left."""
        left = (self._plain == self._drops, self._negated > self._drops)[:: self.sign]
        return _with_literals(self.form, *left)

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row at which the hypothesis is true, −1 for the others."""
        self.expect_dim(rows)
        return self.sign * self._conjoined(rows)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict and drop literals for examples begin..end of the block, in its order."""
        if begin < end and block.rows.dim != self.dim:
            raise BadExample(
                f"row {block.position(block.row_shown(begin))} has {block.rows.dim} attributes, "
                f"the learner has {self.dim}"
            )

        def core(*rows: Any, score: Vector, taken: Vector, **rule: Any) -> tuple[int, int, int]:
            at, flaw, made, self._left = _core.eliminate(*rows, **rule)
            taken[:made] = block.signs[rule["row"][:made]]
            score[:made] = -taken[:made]
            return at, flaw, made

        before = (self._plain.copy(), self._negated.copy(), self._drops, self._left)
        rule = {"sign": self.sign, "rounds": self.rounds, "refusal": self._refusal}
        how = {"labels": block.signs, "dim": self.dim, **rule, **self._for_core()}
        at, _, mistakes = one_pass(core, block, begin, end, **how)
        self._drops += len(mistakes)
        if self._remembered is not None:
            new = self._negatives(block, begin, at)
            if len(mistakes) and (row := self._contradicted(new)) is not None:
                self._plain, self._negated, self._drops, self._left = before
                if at > begin + 1:
                    return self.learn(block, begin, (begin + at) // 2)
                why = f"no literal separates it from row {row} of the other label"
                raise self._contradicts(block, block.row_shown(begin), why)
            if len(mistakes):
                self._remembered = [(at, self._alive(rows)) for at, rows in self._remembered]
            if len(new[0]):
                self._remembered.append((new[0], self._alive(new[1])))
        self.rounds += at - begin
        return at, mistakes

    def _for_core(self) -> dict[str, Any]:
        literals = {"plain": self._plain, "negated": self._negated}
        return {**literals, "drops": self._drops, "left": self._left}

    def _conjoined(self, rows: Rows) -> Vector:
        """1 for a row in which all literals left are true, −1 for others."""
        literals = self._for_core()

        def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
            at, flaw = _core.conjoin(*rows.core, begin=begin, end=end, out=out, **literals)
            if flaw not in (Flaw.NONE, Flaw.ORDER):
                raise self._refusal(Flaw(flaw), Block(rows, np.ones(len(rows), np.int8)), at)
            return at, flaw

        return scored(rows, core)

    def _negatives(self, block: Block, begin: int, end: int) -> Negatives:
        """The examples at which the conjunction must be false."""
        seen = np.arange(begin, end) if block.order is None else block.order[begin:end]
        counts = True if block.importances is None else block.importances[seen] > 0
        which = seen[(block.signs[seen] != self.sign) & counts]
        return block.positions(which), block.rows.take(which).sparse()

    def _contradicted(self, new: Negatives) -> int | None:
        """The place of a negative example that has become true; None if there is none."""
        if self._remembered:
            places, kept = zip(*self._remembered, strict=True)
            self._remembered = [(np.concatenate(places), join(kept).sparse())]
        for at, rows in (*(self._remembered or ()), new):
            true = at[self._conjoined(rows) > 0]
            if len(true):
                return int(true[0])
        return None

    def _alive(self, rows: SparseRows) -> SparseRows:
        """The rows without the entries of variables of which no literal is left."""
        _, columns, _ = rows.entries()
        kept = (self._plain[columns] == self._drops) | (self._negated[columns] > self._drops)
        return rows.where(kept, rows.dim)

    def _refusal(self, flaw: Flaw, block: Block, i: int) -> BadExample:
        if flaw is Flaw.LABEL:
            every = "every literal left is true" if self.sign > 0 else "no literal left is true"
            why = f"its label is {-self.sign:+d}, but {every} in it"
            return self._contradicts(block, i, why)
        if flaw is Flaw.STEP:
            counts_once(block, i)  # raises the error that explains the importance
        elif flaw is not Flaw.BOUNDS:
            truths_of_row(block, i, self.dim)  # raises the error that explains the attributes
        return refusal(flaw, block, i)

    def _contradicts(self, block: Block, i: int, why: str) -> BadExample:
        return BadExample(f"row {block.position(i)}: {_contradiction(why, self)}")


class EliminateDisjunction(EliminateConjunction):
    """`EliminateConjunction` for the negation: a mistake drops literals true in the example."""

    sign = -1
    form = Disjunction


class AskingConjunction(ConceptLearner):
    """Keep the literals that are possible and those that are certain, and ask about the others.

    To ask about a literal it flips it in a known positive example: all ones if `monotone`,
    otherwise `positive` or the first one seen. So n questions find any conjunction (Angluin 1988).
    It predicts with all possible literals: at most n mistakes, n + 1 if not `monotone`.
    """

    negated: ClassVar[bool] = False
    form: ClassVar[type[Form]] = Conjunction

    def __init__(self, n: int, *, positive: Any = None, monotone: bool = True) -> None:
        super().__init__(n)
        self.monotone = bool(monotone)
        # of all 2n literals, plain ones first
        self._possible = np.repeat([True, not monotone], n)
        self._certain = np.zeros(2 * n, dtype=np.bool_)
        self._unexplained: list[Truths] = []  # negative examples with no certain literal false
        self._known = np.ones(n, dtype=np.bool_) if monotone else None
        if positive is not None:
            given = truths(positive, n, name="the example given") ^ self.negated
            self._possible &= _literals(given)
            self._known = given

    @property
    def hypothesis(self) -> Form:
        """The concept it predicts with: all possible literals."""
        return _with_literals(self.form, *np.split(self._possible, 2))

    @property
    def necessary(self) -> Form:
        """The literals that are certain to be in the target."""
        return _with_literals(self.form, *np.split(self._certain, 2))

    @property
    def exact(self) -> bool:
        """Whether every possible literal is certain, so that the hypothesis is the target."""
        return bool((self._possible == self._certain).all())

    def question(self) -> Truths | None:
        """The known example with an undecided literal flipped; None when all are decided."""
        if self.exact:
            return None
        if self._known is None:
            label = "negative" if self.negated else "positive"
            raise ValueError(
                f"without monotone=True, questions need one {label} example: "
                f"pass {label}=, or learn one first"
            )
        asked = self._known ^ self.negated
        asked[np.argmax(self._possible & ~self._certain) % self.dim] ^= True
        return asked

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row at which the hypothesis is true, −1 for the others."""
        self.expect_dim(rows)
        return labels_of(self.hypothesis.evaluate(rows)).astype(np.float64)

    def _step(self, x: Truths, label: bool) -> float:
        true, positive = _literals(x ^ self.negated), label ^ self.negated
        left = self._possible & true if positive else self._possible
        mistaken = bool((left != self._possible).any())
        negatives = self._unexplained if positive else [*self._unexplained, true]
        false, why = [left & ~other for other in negatives], ""
        if (self._certain & ~left).any():
            why = "it rules out a literal that other examples need"
        elif not all(one.any() for one in false):
            why = "no literal separates it from the other label"
        if why:
            raise _contradiction(why, self)
        for one in false:
            if np.count_nonzero(one) == 1:
                self._certain |= one
        self._possible = left
        self._unexplained = [other for other in negatives if not (self._certain & ~other).any()]
        if positive and self._known is None:
            self._known = true[: self.dim]
        return 1.0 if mistaken != label else -1.0


class AskingDisjunction(AskingConjunction):
    """`AskingConjunction` with true and false exchanged, in the examples and in their labels."""

    negated = True
    form = Disjunction

    def __init__(self, n: int, *, negative: Any = None, monotone: bool = True) -> None:
        super().__init__(n, positive=negative, monotone=monotone)


def _literals(x: Truths) -> Truths:
    """Which of the 2n literals are true."""
    return np.concatenate([x, ~x])


def _with_literals(form: type[Form], plain: Truths, negated: Truths) -> Form:
    """The concept of these literals: which variables are in it, and which negated."""
    at, off = np.flatnonzero(plain) + 1, np.flatnonzero(negated) + 1
    return form((*at.tolist(), *(-off).tolist()))


def _contradiction(why: str, learner: EliminateConjunction | AskingConjunction) -> Contradiction:
    kind = f"{'monotone ' * learner.monotone}{learner.form.__name__.lower()}"
    return Contradiction(f"{why}: no {kind} fits it and all examples before it")
