"""Why an example got its label: the features that decided, and the mistakes that weighted them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from novikoff.learners import Multiplicative
from novikoff.learners.rule import Linear
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading
from novikoff.stream.labels import rest_of
from novikoff.stream.printing import aligned, plain, plural
from novikoff.stream.rows import Positions, Rows, Vector

CAUSES_SHOWN = 3  # mistakes of a feature


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistaken example that gave a feature weight: its position, round and right label."""

    example: int  # among all examples that were learned from, from 0
    round: int  # of the mistake, or of the first of several
    label: Any
    change: float  # how much of the weight comes from it


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the score: its weight times its value, as the learner sees it."""

    feature: str
    value: float
    weight: float
    causes: tuple[Cause, ...] | None = None  # the largest first, if the ledger has them

    @property
    def amount(self) -> float:
        """What the feature adds to the score."""
        return self.weight * self.value

    @property
    def why(self) -> str:
        """The mistakes to which the weight owes most, in words."""
        each = (f"{c.example} ({plain(str(c.label))}, {c.change:+.6g})" for c in self.causes or ())
        return f"mistakes on examples {', '.join(each)}" if self.causes else ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The score of one example as a sum over its features.

    Of more than two labels, it is the lead of the label over its `rival`, the next best.
    """

    label: Any
    score: float  # of two labels, positive for the second
    constant: float  # what the score is without any feature
    contributions: tuple[Contribution, ...]  # of all features that are not 0, the largest first
    rival: Any = None

    @property
    def exact_score(self) -> Fraction:
        """The constant and all weights times values, added up exactly: `score` is that, rounded."""
        parts = (Fraction(one.weight) * Fraction(one.value) for one in self.contributions)
        return Fraction(self.constant) + sum(parts)

    def in_words(self, most: int = 10) -> str:
        """The label, the score, and the features that add most to it, a line each."""
        rival = "" if self.rival is None else f" over {plain(str(self.rival))}"
        shown, rest = self.contributions[:most], self.contributions[most:]
        table = [
            (f"{one.amount:+.6g}", f"{one.feature} = {one.value:.6g}", one.why) for one in shown
        ]
        if rest:
            amount = sum(one.amount for one in rest)
            table.append((f"{amount:+.6g}", plural(len(rest), "more feature"), ""))
        table.append((f"{self.constant:+.6g}", "constant", ""))
        lines = [f"  {line}" for line in aligned(table, left=(0, 1, 2))]
        return "\n".join([f"{plain(str(self.label))}\t{self.score!r}{rival}", *lines])

    __str__ = in_words

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """All of it, ready for JSON, with the `most` features that add most to the score."""
        shown = self.contributions[:most]
        rest = self.contributions[len(shown) :]
        return asdict(self) | {
            "contributions": [asdict(one) | {"amount": one.amount} for one in shown],
            "others": {"features": len(rest), "amount": fsum(one.amount for one in rest)},
        }


def explain(
    rows: Rows,
    runs: Sequence[tuple[Linear, Ledger]],
    reading: Reading,
    classes: Sequence[Any],
    chosen: Sequence[int],
    name: Callable[[int], str],
    *,
    most: int | None = None,
) -> Iterator[Explanation]:
    """The explanation of each row and its `chosen` class, and the causes of `most` features."""
    if reading == "vote":
        raise ValueError("a vote has no weights to explain a score with")
    learner, ledger = runs[0]
    weights = [readings.weights(*run, reading) for run in runs]
    each = [readings.scores(*run, reading, rows) for run in runs]
    table, scores = np.stack(weights), np.column_stack(each)
    if ledger.is_joint:
        table, scores = weights[0], each[0]
    unseen = len(classes) - len(table) if ledger.is_joint else 0  # classes that no example had
    table = np.pad(table, ((0, unseen), (0, int(not learner.bias))))
    scores = np.pad(scores, ((0, 0), (0, unseen)))
    if isinstance(learner, Multiplicative):
        table[:, -1] -= learner.threshold
    for i, code in enumerate(chosen):
        columns, values = rows.row(i)
        used = np.flatnonzero(values)
        columns, values, rival = columns[used], values[used], None
        if len(classes) > 2 or ledger.is_joint:
            others = np.where(np.arange(len(classes)) == code, -np.inf, scores[i])
            rival = int(np.argmax(others))
            w, score = table[code] - table[rival], float(scores[i, code] - scores[i, rival])
        else:
            w, score = table[0], float(scores[i, 0])
        order = np.argsort(-abs(w[columns] * values), kind="stable")
        columns, values = columns[order], values[order]
        shown = columns if most is None else columns[:most]
        causes = _causes(runs, reading, classes, code, rival, shown, w[shown])
        yield Explanation(
            classes[code],
            score,
            float(w[-1]),
            tuple(
                Contribution(
                    name(j), x, float(w[j]), causes[k] if causes and k < len(causes) else None
                )
                for k, (j, x) in enumerate(zip(columns.tolist(), values.tolist(), strict=True))
            ),
            None if rival is None else classes[rival],
        )


def _causes(
    runs: Sequence[tuple[Linear, Ledger]],
    reading: Reading,
    classes: Sequence[Any],
    code: int,
    rival: int | None,
    columns: Positions,
    weights: Vector,
) -> list[tuple[Cause, ...]] | None:
    """The mistakes to which the weights in these columns owe most; None if they are not known."""
    sides = [(1.0, runs[0][1], classes[0], classes[-1])]
    if len(runs) > 1:
        assert rival is not None
        sides = [
            (sign, runs[k][1], rest_of(str(classes[k])), classes[k])
            for sign, k in ((1.0, code), (-1.0, rival))
        ]
    found: list[list[Cause]] = [[] for _ in columns]
    for sign, ledger, negative, positive in sides:
        if len(ledger) and (ledger.keep != "examples" or ledger.rule not in readings.REPLAYED):
            return None
        changes = sign * readings.changes(ledger, columns, reading, code, rival)
        examples, first, which = np.unique(ledger.rows, return_index=True, return_inverse=True)
        for of_feature, each, weight in zip(found, changes.T, weights.tolist(), strict=True):
            total = np.zeros(len(examples))
            np.add.at(total, which.reshape(-1), each)
            order = np.lexsort((-abs(total), total * weight < 0, total == 0))
            for k in order[: min(CAUSES_SHOWN, np.count_nonzero(total))].tolist():
                m = int(first[k])
                label = positive if ledger.steps[m] > 0 else negative
                if ledger.is_joint:
                    label = classes[ledger.classes[m]]
                example, round_ = int(examples[k]), int(ledger.rounds[m])
                of_feature.append(Cause(example, round_, label, float(total[k])))
    out = []
    for some, weight in zip(found, weights.tolist(), strict=True):
        some.sort(key=lambda one: (one.change * weight < 0, -abs(one.change)))
        out.append(tuple(some[:CAUSES_SHOWN]))
    return out
