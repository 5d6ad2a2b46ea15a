"""Linear classifiers learned online from their mistakes, with proof of what was learned.

The names below are loaded when they are first used: importing novikoff itself loads neither scipy
nor scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff._lazy import loader

if TYPE_CHECKING:
    from novikoff import concepts, guarantees, sources, stream
    from novikoff.estimators import (
        AveragedPerceptron,
        MarginPerceptron,
        Perceptron,
        VotedPerceptron,
        Winnow,
    )
    from novikoff.guarantees.certificate import Certificate
    from novikoff.guarantees.check import Rejected
    from novikoff.guarantees.summary import Summary
    from novikoff.guarantees.verdict import Verdict
    from novikoff.learners import Additive, BalancedWinnow, Joint, Winnow1, Winnow2
    from novikoff.ledger import readings
    from novikoff.ledger.ledger import Ledger
    from novikoff.models.model import Model
    from novikoff.models.training import Plan, Training
    from novikoff.online.delayed_labels import BadTicket, Protocol, Ticket
    from novikoff.online.progressive import Unfinished, progressive_validation
    from novikoff.runs.loop import Interrupted, Run, play
    from novikoff.separability import Stopped, certify, verify
    from novikoff.show import lab, plots
    from novikoff.sources.features import Features
    from novikoff.storage.file_format import BadModel
    from novikoff.stream.blocks import Block, Example
    from novikoff.stream.problems import BadExample

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
    "BadExample": "novikoff.stream.problems",
    "BadModel": "novikoff.storage.file_format",
    "BadTicket": "novikoff.online.delayed_labels",
    "Block": "novikoff.stream.blocks",
    "Certificate": "novikoff.guarantees.certificate",
    "Example": "novikoff.stream.blocks",
    "Features": "novikoff.sources.features",
    "Interrupted": "novikoff.runs.loop",
    "Ledger": "novikoff.ledger.ledger",
    "Model": "novikoff.models.model",
    "Plan": "novikoff.models.training",
    "Protocol": "novikoff.online.delayed_labels",
    "Rejected": "novikoff.guarantees.check",
    "Run": "novikoff.runs.loop",
    "Stopped": "novikoff.separability",
    "Summary": "novikoff.guarantees.summary",
    "Ticket": "novikoff.online.delayed_labels",
    "Training": "novikoff.models.training",
    "Unfinished": "novikoff.online.progressive",
    "Verdict": "novikoff.guarantees.verdict",
    "certify": "novikoff.separability",
    "play": "novikoff.runs.loop",
    "progressive_validation": "novikoff.online.progressive",
    "verify": "novikoff.separability",
    "concepts": "novikoff.concepts",
    "guarantees": "novikoff.guarantees",
    "lab": "novikoff.show.lab",
    "plots": "novikoff.show.plots",
    "readings": "novikoff.ledger.readings",
    "sources": "novikoff.sources",
    "stream": "novikoff.stream",
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
    "stream",
    "verify",
]


__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
