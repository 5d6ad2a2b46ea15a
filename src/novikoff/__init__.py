"""Linear classifiers learned online from their mistakes, with proof of what was learned.

The names below are loaded when they are first used: importing novikoff itself loads neither scipy
nor scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff import guarantees, readings, sources, streams
    from novikoff.estimators import (
        AveragedPerceptron,
        MarginPerceptron,
        Perceptron,
        VotedPerceptron,
    )
    from novikoff.examples import Block, Example
    from novikoff.learners import Additive
    from novikoff.ledger import Ledger
    from novikoff.loop import Interrupted, Run, Verdict, play
    from novikoff.rows import BadExample

__version__ = "0.1.0"

_HOMES = {
    "AveragedPerceptron": "novikoff.estimators",
    "MarginPerceptron": "novikoff.estimators",
    "Perceptron": "novikoff.estimators",
    "VotedPerceptron": "novikoff.estimators",
    "Additive": "novikoff.learners",
    "BadExample": "novikoff.rows",
    "Block": "novikoff.examples",
    "Example": "novikoff.examples",
    "Interrupted": "novikoff.loop",
    "Ledger": "novikoff.ledger",
    "Run": "novikoff.loop",
    "Verdict": "novikoff.loop",
    "play": "novikoff.loop",
    "guarantees": "",
    "readings": "",
    "sources": "",
    "streams": "",
}

__all__ = [
    "Additive",
    "AveragedPerceptron",
    "BadExample",
    "Block",
    "Example",
    "Interrupted",
    "Ledger",
    "MarginPerceptron",
    "Perceptron",
    "Run",
    "Verdict",
    "VotedPerceptron",
    "guarantees",
    "play",
    "readings",
    "sources",
    "streams",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'novikoff' has no attribute {name!r}")
    home = _HOMES[name]
    found = getattr(import_module(home), name) if home else import_module(f"novikoff.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
