"""Linear classifiers learned online from their mistakes, with proof of what was learned.

The names below are loaded when they are first used: importing novikoff itself loads neither scipy
nor scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff.lazily import loader

if TYPE_CHECKING:
    from novikoff import concepts, guarantees, lab, plots, readings, sources, streams
    from novikoff.estimators import (
        AveragedPerceptron,
        MarginPerceptron,
        Perceptron,
        VotedPerceptron,
        Winnow,
    )
    from novikoff.examples import Block, Example
    from novikoff.features import Features
    from novikoff.guarantees.certificates import Certificate
    from novikoff.guarantees.check import Rejected
    from novikoff.learners import Additive, BalancedWinnow, Joint, Winnow1, Winnow2
    from novikoff.ledger import Ledger
    from novikoff.loop import Interrupted, Run, Verdict, play
    from novikoff.model import Model
    from novikoff.progressive import Unfinished, progressive_validation
    from novikoff.protocol import BadTicket, Protocol, Ticket
    from novikoff.rows import BadExample
    from novikoff.separability import Stopped, certify, verify
    from novikoff.storage import BadModel
    from novikoff.summaries import Summary
    from novikoff.training import Plan, Training

__version__ = "0.1.0"

_HOMES = {
    "AveragedPerceptron": "novikoff.estimators",
    "MarginPerceptron": "novikoff.estimators",
    "Perceptron": "novikoff.estimators",
    "VotedPerceptron": "novikoff.estimators",
    "Winnow": "novikoff.estimators",
    "BalancedWinnow": "novikoff.learners",
    "Winnow1": "novikoff.learners",
    "Winnow2": "novikoff.learners",
    "Additive": "novikoff.learners",
    "Joint": "novikoff.learners",
    "BadExample": "novikoff.rows",
    "BadModel": "novikoff.storage",
    "BadTicket": "novikoff.protocol",
    "Block": "novikoff.examples",
    "Certificate": "novikoff.guarantees.certificates",
    "Example": "novikoff.examples",
    "Features": "novikoff.features",
    "Interrupted": "novikoff.loop",
    "Ledger": "novikoff.ledger",
    "Model": "novikoff.model",
    "Plan": "novikoff.training",
    "Protocol": "novikoff.protocol",
    "Rejected": "novikoff.guarantees.check",
    "Run": "novikoff.loop",
    "Stopped": "novikoff.separability",
    "Summary": "novikoff.summaries",
    "Ticket": "novikoff.protocol",
    "Training": "novikoff.training",
    "Unfinished": "novikoff.progressive",
    "Verdict": "novikoff.loop",
    "certify": "novikoff.separability",
    "play": "novikoff.loop",
    "progressive_validation": "novikoff.progressive",
    "verify": "novikoff.separability",
    "concepts": "",
    "guarantees": "",
    "lab": "",
    "plots": "",
    "readings": "",
    "sources": "",
    "streams": "",
}

__all__ = [
    "Additive",
    "AveragedPerceptron",
    "BadExample",
    "BadModel",
    "BadTicket",
    "BalancedWinnow",
    "Block",
    "Certificate",
    "Example",
    "Features",
    "Interrupted",
    "Joint",
    "Ledger",
    "MarginPerceptron",
    "Model",
    "Perceptron",
    "Plan",
    "Protocol",
    "Rejected",
    "Run",
    "Stopped",
    "Summary",
    "Ticket",
    "Training",
    "Unfinished",
    "Verdict",
    "VotedPerceptron",
    "Winnow",
    "Winnow1",
    "Winnow2",
    "certify",
    "concepts",
    "guarantees",
    "lab",
    "play",
    "plots",
    "progressive_validation",
    "readings",
    "sources",
    "streams",
    "verify",
]


__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
