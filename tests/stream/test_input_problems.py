"""Errors carry their kind of problem; each front adds its own cure."""

from __future__ import annotations

import pickle
import re
import shlex
from pathlib import Path

import pytest

import novikoff
from novikoff.stream.input_problems import PYTHON_CURES, BadExample, Problem
from novikoff.stream.printing import quoted, quoted_list

EMPTY = BadExample("x.csv:1: column 'b c' is empty", Problem.EMPTY_COLUMN, column="b c")


def test_python_adds_its_cure() -> None:
    assert str(EMPTY) == ("x.csv:1: column 'b c' is empty; pass ignore=['b c'] or missing='zero'")
    assert str(BadExample("no cure is known")) == "no cure is known"


def test_another_front_puts_its_own_cure_in_its_place_or_none() -> None:
    cures = {Problem.EMPTY_COLUMN: "use --ignore {column}"}
    assert EMPTY.with_cure(cures, lambda column: shlex.quote(str(column))).endswith(
        "is empty; use --ignore 'b c'"
    )
    assert EMPTY.with_cure({}) == EMPTY.without_cure
    many = BadExample("many", Problem.TOO_MANY_CLASSES, allowed=1000)
    cures = {Problem.TOO_MANY_CLASSES: "more than {allowed}"}
    assert many.with_cure(cures) == "many; more than 1000"


def test_a_place_goes_before_the_message_and_the_problem_stays() -> None:
    found = BadExample("bad", Problem.MISSING_VALUE).at("x.csv:3")
    assert (found.without_cure, found.problem) == ("x.csv:3: bad", Problem.MISSING_VALUE)


def test_an_error_survives_pickling() -> None:
    found = pickle.loads(pickle.dumps(EMPTY))
    assert (str(found), found.problem, found.details) == (str(EMPTY), EMPTY.problem, EMPTY.details)


@pytest.mark.parametrize("problem", Problem)
def test_every_problem_has_a_cure_in_python_that_names_no_command_line_option(
    problem: Problem,
) -> None:
    assert "--" not in PYTHON_CURES[problem]


def test_no_message_of_the_library_names_a_command_line_option() -> None:
    source = Path(novikoff.__file__).parent
    for path in sorted(source.rglob("*.py")):
        if path.parts[len(source.parts)] in ("cli", "serve") or path.name == "check.py":
            continue
        text = re.sub(r'"""(?s:.)*?"""|#.*', "", path.read_text())  # docstrings may
        assert not re.search(r"(?<![\w-])--[a-z]{2,}", text), path


def test_long_texts_and_lists_are_cut() -> None:
    assert quoted("x" * 99) == repr("x" * 39 + "…")
    assert quoted_list(["a", "b", "c"], 2) == "'a', 'b' and 1 more"
