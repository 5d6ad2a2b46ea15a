"""What learners share: checks of their settings, sums of steps, and a pass of the core."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.learners.together import Company
from novikoff.ledger.honest_scores import HonestScores, counts_of
from novikoff.ledger.ledger import Keep, Ledger, Mistakes, Rule
from novikoff.ledger.readings import mean_of_weights
from novikoff.ledger.weights import parted, times, turned, whole, widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block, Codes, Labels
from novikoff.stream.input_problems import BadExample
from novikoff.stream.number_text import is_finite_number
from novikoff.stream.rows import Flaw, Positions, Rows, Vector, dots, explain, part_size

Ties: TypeAlias = Literal["mistake", "positive", "negative"]
Core: TypeAlias = Callable[..., tuple[int, ...]]
T = TypeVar("T")

# So many weights, and their u, stay in a cache of 1 MB. Then the pass sums u as well: 43 → 32 ms on
# 400,000 sparse rows of 60, and 17 → 12 on 1,000,000 × 28.
_MOST_IN_CACHE = 1 << 16
_BELOW_ZERO = -math.ulp(0.0)  # with the greatest number below 0, a tie is not a mistake
THRESHOLDS: dict[Ties, tuple[float, float]] = {
    "mistake": (0.0, 0.0),
    "positive": (0.0, _BELOW_ZERO),
    "negative": (_BELOW_ZERO, 0.0),
}


def thresholds_of(ties: Ties, margin: float = 0.0, unit: float = 1.0) -> tuple[float, float]:
    """An update is made when y·s, over the unit, is at most this, for labels −1 and +1."""
    if ties not in THRESHOLDS:
        raise ValueError(f"ties must be one of {', '.join(THRESHOLDS)}, not {ties!r}")
    return (margin / unit, margin / unit) if margin > 0 else THRESHOLDS[ties]


def check_sizes(class_weights: Sequence[float], *, margin: float = 0.0, **positive: float) -> None:
    """Raise ValueError for settings of a rule that are out of range."""
    for name, given in positive.items():
        if not (is_finite_number(given) and given > 0):
            raise ValueError(f"{name} must be a finite number above 0, not {given!r}")
    if not (is_finite_number(margin) and margin >= 0):
        raise ValueError(f"margin must be a finite number from 0, not {margin!r}")
    if not all(0 < c < math.inf for c in class_weights):
        raise ValueError(f"class weights must be positive and finite, got {class_weights}")


def stored_unit(stored: Stored) -> tuple[float, float]:
    """The unit of the weights of a learner in a file, and its rate."""
    unit, rate = stored.number("unit"), stored.number("rate")
    if unit not in (1.0, rate):
        stored.refuse(f"its unit is {unit!r}, which is neither 1 nor its rate, {rate!r}")
    return unit, rate


class Compiled:
    """A learner whose passes and single examples are learned by the core.

    `rule` is its name in files and ledgers, `_add` the method that adds it to the online core.
    """

    company: Company | None = None  # which learns from the same rows at once
    honest: HonestScores | None = None  # counts the scores before learning, for probabilities
    only_mistakes: bool = False  # learn from wrong predictions alone, whatever the margin
    ties: Ties = "mistake"
    rule: ClassVar[Rule]
    _add: ClassVar[str]
    dim: int
    bias: bool
    rounds: int
    _unit: float = 1.0
    _thresholds: tuple[float, float] = (0.0, 0.0)
    _steps: tuple[float, float]  # factors for labels −1 and +1
    _for_ledger: Callable[[], dict[str, Any]]  # what the ledger needs besides
    # the settings and arrays of the rule, of the first features
    _own_state: Callable[[int], tuple[Settings, Arrays]]

    def _for_core(self) -> dict[str, Any]:
        """What the core takes for blocks and for single examples."""
        return {}

    @property
    def is_symmetric(self) -> bool:
        """Whether the rule treats the two labels alike."""
        (low, high), (negative, positive) = self._thresholds, self._steps
        return low == high and negative == positive

    @property
    def zero_is_positive(self) -> bool:
        """Whether a score of 0 predicts +1."""
        return self.ties != "negative"

    @property
    def _threshold_now(self) -> tuple[float, float]:
        low, high = self._thresholds
        return (0.0, 0.0) if self.only_mistakes and low > 0 else (low, high)

    def share_weights(self, runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Share the weights with the online core, which updates them in place."""
        self._own_weights()
        getattr(runs, self._add)(mean=mean, **self._for_core())

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts from the present weights, and variances if there are any."""
        how: dict[str, Any] = {"keep": keep, "rule": self.rule, "unit": self._unit}
        return Ledger(self.dim, bias=self.bias, began=self.rounds, **how, **self._for_ledger())

    def learned(
        self, core: Core, block: Block, begin: int, end: int, **rule: Any
    ) -> tuple[int, Positions, Mistakes]:
        """As `one_pass`, with all that the core takes of this learner, unless it is given."""
        self._own_weights()
        how = {**self._for_core(), "bias": self.bias, "counts": counts_of(self.honest), **rule}
        found = self._pass(core, block, begin, end, **how)
        self.rounds += found[0] - begin
        return found

    def _pass(
        self, core: Core, block: Block, begin: int, end: int, **rule: Any
    ) -> tuple[int, Positions, Mistakes]:
        return one_pass(core, block, begin, end, labels=block.signs, dim=self.dim, **rule)

    def _own_weights(self) -> None:
        """Copy what is mapped from a file."""
        for name in ("_w", "_u", "_s", "_p"):
            numbers: Vector | None = getattr(self, name, None)
            if numbers is not None and not numbers.flags.writeable:
                setattr(self, name, numbers.copy())

    def state(self, dim: int | None = None) -> tuple[Settings, Arrays]:
        """All that `restored` needs, of the first `dim` features: settings for JSON, and arrays."""
        dim = int(self.dim if dim is None else dim)
        settings = {"rule": self.rule, "dim": dim, "bias": self.bias, "rounds": self.rounds}
        own, arrays = self._own_state(dim)
        return settings | own, arrays

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The learner that `state` described, as wide as the features that were stored.

        It continues with the same bits if it is widened to a width with the same remainder by 8.
        """
        stored = Stored("learner", settings, arrays)
        stored.choice("rule", (cls.rule,))
        learner = cls._from(stored, stored.count("dim"), bias=stored.flag("bias"))
        learner.rounds = stored.count("rounds")
        return learner

    @classmethod
    @abstractmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        """The learner of what was stored, as if it had made no rounds."""


class Summed(Compiled):
    """Weights w, over their unit, and the u of `mean_of_weights`; a column a class for many."""

    _w: Vector
    _u: Vector | None
    _learn: ClassVar[Core]
    # add these multiples of the mistaken rows to u
    _accumulate: Callable[[Rows, Positions, Vector, Mistakes], None]

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

    def _for_core(self) -> dict[str, Any]:
        u = None if self._u is None else self._u.reshape(-1)
        return {"w": self._w.reshape(-1), "u": u, "rounds": self.rounds}

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

    def _for_ledger(self) -> dict[str, Any]:
        return {"start": self._met(self._w).copy() if self._w.any() else None}

    def scores(self, rows: Rows) -> Vector:
        """w·x for each row, summed exactly as when learning."""
        scores = dots(rows, self._w, bias=self.bias)
        return scores if self._unit == 1 else times(self._unit, scores)

    def learn(self, block: Block, begin: int, end: int, **rule: Any) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says.

        If u is long, it is brought up to date after the pass.
        """
        # to count scores, the pass needs u
        late = self._w.size > _MOST_IN_CACHE and counts_of(self.honest) is None
        rule |= {"u": None} if late else {}
        at, which, mistakes = self.learned(self._learn, block, begin, end, **rule)
        if late and self._u is not None:
            # the u of `mean_of_weights`, summed here and not in the pass, where so long a u would
            # be fetched anew for each mistake: 45 → 25 ms
            self._accumulate(
                block.rows, which, times(mistakes.rounds - 1, mistakes.steps), mistakes
            )
        return at, mistakes

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        """w, and u if there is one: the numbers of the first `dim` features, and the constant's."""
        out: Arrays = {}
        for name, sums in (("w", self._w), ("u", self._u)):
            if sums is not None:
                out[name], out[f"{name}_constant"] = parted(self._met(sums), dim, bias=self.bias)
        return {"averaging": self._u is not None}, out

    def _met(self, sums: Vector) -> Vector:
        """The sums of the classes that were met, if there are many."""
        return sums

    def _restore_sums(self, stored: Stored, shape: tuple[int, ...]) -> None:
        """Take w, and u if there is one, from a file; the features have this shape."""
        self._u = None
        for name in ("w", "u") if stored.flag("averaging") else ("w",):
            features = stored.array(name, ("float64",), shape)
            constant = stored.array(f"{name}_constant", ("float64",), (1, *shape[1:]))
            setattr(self, f"_{name}", whole(features, constant, bias=self.bias))
        self.dim = shape[0]


def finite_numbers(given: Vector, shape: tuple[int, ...], name: str, what: str) -> Vector:
    """Weights that a caller gave, with 0 in place of −0; ValueError if they do not fit."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        size = shape[0] if len(shape) == 1 else shape
        raise ValueError(f"{name} must hold {size} finite {what}, got {numbers.shape}")
    return numbers + 0.0


def refusal(flaw: Flaw, block: Block, i: int) -> BadExample:
    """The error about row i of the block."""
    return explain(flaw, block.rows, i, position=block.position(i))


def one_pass(
    core: Core,
    block: Block,
    begin: int,
    end: int,
    *,
    labels: Labels | Codes,
    dim: int,
    passes: int = 1,
    refusal: Callable[[Flaw, Block, int], BadExample] = refusal,
    **rule: Any,
) -> tuple[int, Positions, Mistakes]:
    """Let the core learn from examples begin..end of the block, in its order, by this rule.

    Returns where it stopped, which rows of the block were mistaken, and the mistakes for the
    ledger. It stops before an example that it cannot use, or raises BadExample if that is the
    first. The core may make as many `passes` over them.
    """
    rows = block.rows
    if rows.dim != dim:
        raise BadExample(f"rows have {rows.dim} features, the learner has {dim}")
    room = (end - begin) * passes
    rounds, which = np.empty(room, np.int64), np.empty(room, np.int64)
    scores, steps, squares = np.empty(room), np.empty(room), np.empty(room)

    def run() -> tuple[int, ...]:
        return core(
            *rows.core,
            labels=labels,
            importances=block.importances,
            order=block.order,
            begin=begin,
            end=end,
            **rule,
            round=rounds,
            row=which,
            score=scores,
            taken=steps,
            square=squares,
        )

    at, flaw, count = run()
    if at == begin and flaw == Flaw.ORDER and not count:
        rows.put_in_order()
        at, flaw, count = run()
    if at == begin and flaw and not count:
        raise refusal(Flaw(flaw), block, block.row_shown(begin))
    scores, steps, squares = (column[:count].copy() for column in (scores, steps, squares))
    which = which[:count]
    made = Mistakes(rounds[:count].copy(), block.positions(which), scores, steps, squares)
    return at, which, made


Steps: TypeAlias = Generator[None, None, T]  # a computation that can be done in steps


def finished(steps: Steps[T]) -> T:
    """What the steps return in the end."""
    return in_turn([steps])[0]


def in_turn(all_steps: Sequence[Steps[T]]) -> list[T]:
    """Take a step of each in turn until all are done. An error is raised after its round."""
    results: dict[int, T] = {}
    while len(results) < len(all_steps):
        errors: list[BaseException] = []
        for k, steps in enumerate(all_steps):
            if k not in results:
                try:
                    next(steps)
                except StopIteration as end:
                    results[k] = end.value
                except BaseException as error:
                    errors.append(error)
        if errors:
            for steps in all_steps:
                steps.close()
            raise errors[0]
    return [results[k] for k in range(len(all_steps))]


def learn_parts(
    learner: Any,
    block: Block,
    ledger: Ledger,
    after_part: Callable[[Mistakes], None],
    begin: int = 0,
) -> Steps[int]:
    """Learn from the block from `begin` on, a part a step; returns where it ends.

    `after_part` is called with the mistakes of each part, and may raise. The ledger records the
    block at once: recording each part took 40 % longer on 1,000,000 × 28 numbers.
    """
    at, part, last = begin, part_size(block.rows), block.n_rounds
    company = getattr(learner, "company", None)
    made: list[Mistakes] = []
    if ledger.keep == "counts":  # small arrays are used again: 41 → 36 ms on 300,000 × 28, adaptive
        part = min(part, 1 << 16)
    if block.importances is not None and not block.importances.all():
        ledger.has_weightless = True
    try:
        while at < last:
            before, end = at, min(last, at + part)
            if company is not None:
                company.ask(learner, (block, at, end))
                yield
            at, mistakes = learner.learn(block, at, end)
            if ledger.keep == "counts":  # nothing to keep, so nothing to join
                ledger.record(mistakes, at - before)
            else:
                made.append(mistakes)
            after_part(mistakes)
            yield
    finally:
        if made:
            ledger.record(Mistakes.joined(made), at - begin, block)
    return at
