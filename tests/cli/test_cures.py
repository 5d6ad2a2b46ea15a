"""A cure names only options that the verb at hand has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import novikoff
from helpers.command_line import error
from novikoff.cli.cures import CURES, with_cure
from novikoff.cli.main import VERBS, function_and_parser
from novikoff.stream.input_problems import BadExample, Problem

PARSERS = {name: function_and_parser(name)[1] for name in VERBS if name != "lab"}
LIBRARY = Path(novikoff.__file__).parent


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
    assert "--multiclass" in cured(Problem.THIRD_LABEL, "train")
    assert cured(Problem.THIRD_LABEL, "certify") == (
        "wrong; use --one-vs-rest kind for one label against the rest, or --keep for two of them"
    )
    assert cured(Problem.TOO_MANY_CLASSES, "certify") == "wrong"
    assert "--ignore 'size of shoe'" in cured(Problem.DATES, "train")


def test_an_error_of_a_verb_ends_with_its_own_cure(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,y\n1,,0\n-2,3,1\n")
    (tmp_path / "z.csv").write_text("a,y\n1,0\n2,1\n3,2\n")
    empty = error("train", tmp_path / "x.csv", "-o", tmp_path / "m", "-q")
    assert empty.endswith("; fill it in, or use --missing zero or --missing indicate")
    assert error("train", tmp_path / "z.csv", "-o", tmp_path / "m").endswith(
        "is a third label, after '0' and '1'; name the label's column with --label (default: the "
        "last), or use --multiclass for all labels, --one-vs-rest 2 for one against the rest, or "
        "--keep"
    )


def test_no_text_of_the_library_names_an_option() -> None:
    rooms = [
        path for path in LIBRARY.iterdir() if path.is_dir() and path.name not in ("cli", "show")
    ]
    for path in (path for room in rooms for path in room.rglob("*.py") if path.name != "check.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"(?<![-\w])--[a-z]", node.value), f"{path}: {node.value}"
