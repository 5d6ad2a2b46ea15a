"""What a report lists: the largest weights by name, and the rows that were mistaken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novikoff.examples import Block
from novikoff.report.gathering import Known
from novikoff.rows import Positions, Vector, dots

_TOLD = 4


@dataclass(frozen=True, slots=True)
class Weight:
    """A feature's weight at the end of the run, and its average over all rounds."""

    name: str
    final: float
    average: float


@dataclass(frozen=True, slots=True)
class Told:
    """A feature of a row: its value, and what it adds to the row's score by the average weights."""

    name: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Repeated:
    """A row that was mistaken, how often, in which round last, and its score at the end."""

    row: int
    label: str
    times: int
    last_round: int
    final_score: float
    right: bool
    features: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake, in the order they were made."""

    round: int
    row: int
    label: str
    score: float
    features: tuple[Told, ...]


def largest_weights(known: Known, sign: int, most: int) -> list[Weight]:
    """The features whose average weights are largest of one sign, the constant left out."""
    average = sign * known.average[: known.data.block.rows.dim]
    order = np.argsort(-average, kind="stable")[:most]
    return [
        Weight(known.name(j), float(known.final[j]), float(known.average[j]))
        for j in order.tolist()
        if average[j] > 0
    ]


def repeated(known: Known, most: int) -> list[Repeated]:
    """The rows mistaken most often, those mistaken last first among equals."""
    ledger, block = known.run.ledger, known.data.block
    rows, back, times = np.unique(ledger.rows[::-1], return_index=True, return_counts=True)
    last = ledger.rounds[::-1][back]
    order = np.lexsort((-last, -times))[:most]
    taken = rows[order]
    scores = dots(block.rows.take(taken), known.final, bias=known.settings.bias)
    return [
        Repeated(i, known.label(y), n, t, s, y * s > 0, features)
        for i, n, t, s, y, features in zip(
            taken.tolist(),
            times[order].tolist(),
            last[order].tolist(),
            scores.tolist(),
            block.labels[taken].tolist(),
            _features(known, block, taken),
            strict=True,
        )
    ]


def first_mistakes(known: Known, most: int) -> list[Mistake]:
    """The first mistakes of the run, one after another."""
    ledger, block = known.run.ledger, known.data.block
    rows = ledger.rows[:most]
    return [
        Mistake(t, i, known.label(y), s, features)
        for t, i, y, s, features in zip(
            ledger.rounds[:most].tolist(),
            rows.tolist(),
            block.labels[rows].tolist(),
            ledger.scores[:most].tolist(),
            _features(known, block, rows),
            strict=True,
        )
    ]


def _features(known: Known, block: Block, rows: Positions) -> Iterator[tuple[Told, ...]]:
    """For each row the features that weigh most in its score."""
    for i in rows.tolist():
        columns, values = block.rows.row(i)
        shares: Vector = values * known.average[columns]
        order = np.lexsort((-np.abs(values), -np.abs(shares)))[:_TOLD]
        yield tuple(
            Told(known.name(int(columns[k])), float(values[k]), float(shares[k]))
            for k in order.tolist()
            if values[k]
        )
