"""Named experiments, each of which checks a theorem on examples.

An experiment is a module with a function of the same name that returns a `Result`. Learners,
adversaries and bounds come from the other rooms; only the comparison is made here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from novikoff.show.lab.results import Check, Curves, Result

__all__ = ["EXPERIMENTS", "Check", "Curves", "Result", "experiment"]

EXPERIMENTS = (
    "conjunctions",
    "halving",
    "attribute-efficiency",
    "mistake-bounds",
    "xor",
    "learning-rate",
    "margin",
)


def experiment(name: str) -> Callable[..., Result]:
    """The experiment with this name, a function of keyword parameters.

    >>> print(experiment("learning-rate")(points=100).checks[0].holds)
    True
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; choose from {', '.join(EXPERIMENTS)}")
    module = name.replace("-", "_")
    found: Callable[..., Result] = getattr(import_module(f"novikoff.show.lab.{module}"), module)
    return found
