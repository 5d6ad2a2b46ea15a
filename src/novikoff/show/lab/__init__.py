"""Experiments with names: each shows a theorem on examples, beside what it promises.

Each is a module with a function of its own name that returns a `Result`; `experiment` finds one.
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
    """The experiment of this name, to be called with its parameters by keyword.

    >>> print(experiment("learning-rate")(points=100).checks[0].holds)
    True
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    module = name.replace("-", "_")
    found: Callable[..., Result] = getattr(import_module(f"novikoff.show.lab.{module}"), module)
    return found
