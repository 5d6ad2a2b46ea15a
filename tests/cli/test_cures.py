"""A cure names only options that the verb at hand has."""

from __future__ import annotations

import re

import pytest

from novikoff.cli.cures import CURES, with_cure
from novikoff.cli.main import VERBS, function_and_parser
from novikoff.stream.problems import BadExample, Problem

PARSERS = {name: function_and_parser(name)[1] for name in VERBS if name != "lab"}


def cured(problem: Problem, verb: str) -> str:
    details: dict[str, str | int] = {
        "column": "size of shoe",
        "label": "kind",
        "learner": "winnow",
        "allowed": 9,
    }
    return with_cure(BadExample("wrong", problem, **details), PARSERS[verb].options)


@pytest.mark.parametrize("verb", PARSERS)
@pytest.mark.parametrize("problem", Problem)
def test_a_cure_names_only_options_of_the_verb(problem: Problem, verb: str) -> None:
    for option in re.findall(r"--[a-z][a-z-]*", cured(problem, verb)):
        assert option in PARSERS[verb].options


def test_train_has_a_cure_for_every_problem() -> None:
    assert set(CURES) == set(Problem)
    for problem in Problem:
        assert cured(problem, "train").startswith("wrong; ")


def test_the_cure_is_the_best_that_the_verb_has() -> None:
    assert cured(Problem.MISSING_VALUE, "train") == (
        "wrong; fill it in, or use --missing zero or --missing indicate"
    )
    assert cured(Problem.MISSING_VALUE, "certify") == "wrong; fill it in or remove the row"
    assert cured(Problem.TOO_MANY_CLASSES, "certify") == "wrong"
    assert "--ignore 'size of shoe'" in cured(Problem.DATES, "train")
