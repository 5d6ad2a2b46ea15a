"""Two updates of the run that a report shows, one for each label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novikoff.ledger import Ledger
from novikoff.rows import Vector


@dataclass(frozen=True, slots=True)
class Step:
    """Mistake number `mistake`, counted from 1: the weights it met, its row and its features."""

    mistake: int
    row: int
    label: int
    before: Vector
    x: Vector


def steps(ledger: Ledger) -> list[Step]:
    """The first mistake on a negative and on a positive example, the very first left out.

    At that the weights were 0, and there is no line that could turn; it is shown only if there was
    no other of its label.
    """
    found = []
    for label in (-1, 1):
        made = np.flatnonzero(ledger.labels == label)
        if len(made):
            k = int(made[0]) if made[0] > 0 or len(made) == 1 else int(made[1])
            found.append(_step(ledger, k))
    return found


def _step(ledger: Ledger, k: int) -> Step:
    kept, which, w = ledger.examples, ledger.example, np.zeros(ledger.dim + ledger.bias)
    for i in range(k):
        columns, values = kept.row(int(which[i]))
        w[columns] += ledger.steps[i] * values
        w[ledger.dim :] += ledger.steps[i]
    x = np.zeros(ledger.dim)
    columns, values = kept.row(int(which[k]))
    x[columns] = values
    return Step(k + 1, int(ledger.rows[k]), int(ledger.labels[k]), ledger.unit * w, x)
