"""A cure names only options that the verb at hand has."""

from __future__ import annotations

import ast
import io
import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novikoff
from helpers.command_line import error, run, stdout_of, trained_model
from novikoff.cli.cures import CURES, options_named, with_cure
from novikoff.cli.main import VERBS, function_and_parser
from novikoff.stream.input_problems import BadExample, Detail, Problem

PARSERS = {name: function_and_parser(name)[1] for name in VERBS if name != "lab"}
LIBRARY = Path(novikoff.__file__).parent


def cured(problem: Problem, verb: str) -> str:
    details: dict[str, Detail] = {
        "column": "size of shoe",
        "label": "kind",
        "learner": "winnow",
        "allowed": 9,
    }
    if problem is Problem.SEVERAL_COLUMNS:
        options = ("decimal=comma", "ignore=id", "text=note", "ignore=day of birth")
        details = {"options": options}
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
    assert cured(Problem.SEVERAL_COLUMNS, "certify") == (
        "wrong; convert them to plain numbers, such as 1200 or 0.12, or use --decimal comma "
        "--ignore id --text note --ignore 'day of birth'"
    )
    several = BadExample("wrong", Problem.SEVERAL_COLUMNS, options=("decimal=comma", "text=a"))
    assert str(several) == "wrong; convert them, or pass decimal='comma', text=['a']"


def test_an_error_of_a_verb_ends_with_its_own_cure(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,y\n1,,0\n-2,3,1\n")
    (tmp_path / "z.csv").write_text("a,y\n1,0\n2,1\n3,2\n")
    empty = error("train", tmp_path / "x.csv", "-o", tmp_path / "m", "-q")
    assert empty.endswith("; fill it in, or use --missing zero or --missing indicate")
    assert error("train", tmp_path / "z.csv", "-o", tmp_path / "m").endswith(
        "is a third label, after '0' and '1'; name the label's column with --label (default: the "
        "last), or use --multiclass for all labels, --one-vs-rest 2 for one against the rest, or "
        "--keep for some of them"
    )


def test_no_text_of_the_library_names_an_option() -> None:
    fronts = ("cli", "show", "serve")  # the service tells which command learns the same model
    rooms = [path for path in LIBRARY.iterdir() if path.is_dir() and path.name not in fronts]
    for path in (path for room in rooms for path in room.rglob("*.py") if path.name != "check.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"(?<![-\w])--[a-z]", node.value), f"{path}: {node.value}"


class Case(NamedTuple):
    """What provokes a problem: a file and options; and values for what a cure leaves open."""

    name: str
    content: str | bytes
    words: tuple[str, ...] = ()
    filled: Mapping[str, Sequence[str]] = MappingProxyType({})


def parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


TEXTS = "".join(f"{i},see you at {i},{'ab'[i % 2]}\n" for i in range(20))
IDS = "".join(f"{i},u{i},{'ab'[i % 2]}\n" for i in range(100))
KEEP = {"--keep": ["--keep", "a", "--keep", "b"]}
LABEL = {"--label": ["--label", "k"]}
SPACES = {"--format": ["--format", "csv", "--delimiter", "space"]}
THREE = "x,k\n1,a\n2,b\n3,c\n"
CASES = {  # of every verb that reads data without a model
    Problem.THIRD_LABEL: Case("t.svm", "a 1:1\nb 1:2\nc 1:3\n", filled=KEEP),
    Problem.THIRD_LABEL_IN_LAST_COLUMN: Case(
        "t.csv", "k,x\na,1\nb,2\na,3\n", (), LABEL | {"--keep": ["--keep", "1", "--keep", "2"]}
    ),
    Problem.OTHER_LABEL: Case("t.csv", THREE, ("--classes", "a,b"), KEEP),
    Problem.UNKNOWN_FORMAT: Case("t.txt", "a x\nb y\n", (), SPACES),
    Problem.WRONG_LABEL_KEY: Case("t.jsonl", '{"x":1,"k":"a"}\n{"x":2,"k":"b"}\n', (), LABEL),
    Problem.LABEL_IGNORED: Case(
        "t.csv",
        "k,x,z\na,1,2\nb,2,3\n",
        ("--label", "k", "--ignore", "k"),
        {"--label": ["--label", "z"]},
    ),
    Problem.TEXTS_AS_LABELS: Case(
        "t.tsv",
        "k\tx\tt\n"
        + "".join(f"{'ab'[i % 2]}\t{i}\t{'see you at ' * 4}{i % 4}\n" for i in range(20)),
        (),
        LABEL,
    ),
    Problem.MISSING_VALUE: Case("t.csv", "x,k\n1,a\n2,b\n,b\n"),
    Problem.EMPTY_COLUMN: Case("t.csv", "x,z,k\n,1,a\n,2,b\n"),
    Problem.TEXT_AMONG_NUMBERS: Case("t.csv", "x,k\n1,a\n2,b\ntwo,a\n"),
    Problem.DECIMAL_COMMA: Case("t.csv", "x;k\n1,5;a\n2,5;b\n"),
    Problem.NOT_PLAIN_NUMBERS: Case("t.csv", "x,z,k\n12%,1,a\n3%,2,b\n"),
    Problem.QUOTES: Case("t.csv", 'x,k\n1,"a"b\n2,b\n'),
    Problem.DATES: Case("t.csv", "x,z,k\n2020-01-01,1,a\n2020-01-02,2,b\n"),
    Problem.UNUSABLE_COLUMN: Case("t.parquet", parquet(x=[[1], [2]], z=[1, 2], k=["a", "b"])),
    Problem.LOOKS_LIKE_TEXT: Case("t.csv", "x,t,k\n" + TEXTS),
    Problem.LOOKS_LIKE_IDS: Case("t.csv", "x,t,k\n" + IDS),
    Problem.SEVERAL_COLUMNS: Case(
        "t.csv",
        "x;p;d;t;k\n"
        + "".join(f"{i};{i}%;{i},5;see you at {i};{'ab'[i % 2]}\n" for i in range(20)),
    ),
    Problem.TOO_LONG_FOR_FLOAT: Case("t.parquet", parquet(x=[2**53 + 1] * 2, k=["a", "b"])),
}
FULL = ("--learner", "adaptive", "--matrix", "full")
WINNOW = ("--learner", "winnow1", "--format", "vw")
OF_TRAIN = {
    Problem.TOO_MANY_CLASSES: Case(
        "t.csv",
        THREE,
        ("--multiclass", "--max-classes", "2"),
        {"--max-classes": ["--max-classes=9"]},
    ),
    Problem.TWO_LABELS_ONLY: Case(
        "t.csv",
        "x,k\n1,a\n2,b\n",
        ("--multiclass", "--learner", "winnow"),
        {"--learner": ["--learner", "perceptron"]},
    ),
    Problem.MATRIX_OF_TWO_LABELS: Case("t.csv", "x,k\n1,a\n2,b\n", ("--multiclass", *FULL)),
    Problem.UNKNOWN_FEATURE_COUNT: Case(
        "t.vw",
        "a | x\nb | y\n",
        WINNOW,
        {"--threshold": ["--threshold=2"], "--hash-bits": ["--hash-bits=4"]},
    ),
    Problem.TOO_MANY_WEIGHTS: Case("t.svm", "a 1:1\nb 2000:2\n"),
    Problem.TOO_MANY_FOR_MATRIX: Case("t.svm", "a 1:1\nb 5000:2\n", FULL),
    Problem.TOO_MANY_WEIGHTS_FOR_CLASSES: Case(
        "t.svm", "a 1:1\nb 900:2\nc 1:3\n", ("--multiclass",), {"--hash-bits": ["--hash-bits=8"]}
    ),
}
OF_MODELS = {  # a model of x, z and k, all but k numbers
    Problem.OTHER_LABEL: Case("t.csv", "x,z,k\n1,1,a\n2,2,b\n3,3,c\n", (), KEEP),
    Problem.MISSING_VALUE: Case("t.csv", "x,z,k\n1,1,a\n2,,b\n"),
    Problem.EMPTY_COLUMN: Case("t.csv", "x,z,k\n1,,a\n2,,b\n"),
    Problem.SEVERAL_COLUMNS: Case("t.csv", "x,z,k\n,,a\n,,b\n"),
    Problem.TEXT_AMONG_NUMBERS: Case("t.csv", "x,z,k\n1,1,a\n2,two,b\n"),
    Problem.DECIMAL_COMMA: Case("t.csv", "x;z;k\n1,5;1;a\n2,5;2;b\n"),
    Problem.NOT_PLAIN_NUMBERS: Case("t.csv", "x,z,k\n1,1,a\n2,3%,b\n"),
    Problem.QUOTES: Case("t.csv", 'x,n,z,k\n1,"a"b,1,a\n2,c,2,b\n'),
    Problem.DATES: Case("t.parquet", parquet(x=[date(2020, 1, 1)] * 2, z=[1, 2], k=["a", "b"])),
    Problem.UNUSABLE_COLUMN: Case("t.parquet", parquet(x=[[1], [2]], z=[1, 2], k=["a", "b"])),
    Problem.TOO_LONG_FOR_FLOAT: Case(
        "t.parquet", parquet(x=[2**53 + 1] * 2, z=[1, 2], k=["a", "b"])
    ),
    Problem.LABEL_IS_FEATURE: Case("t.csv", "x,z,k\n1,1,a\n2,2,b\n", ("--label", "z"), LABEL),
}
# A pipe is refused before it is read again; the others need two files or more than 16 MB of a pipe.
# Levels need --model, as in test_models.py.
# A line that may be a header needs a model of texts alone: test_text.py has one.
ELSEWHERE = {
    Problem.OTHER_LEVELS,
    Problem.UNORDERED_LEVELS,
    Problem.NO_NAMES_OF_MODEL,
    Problem.READ_ONCE,
    Problem.LABEL_DIFFERS,
    Problem.ONE_LABEL_IN_PIPE,
}


def test_every_problem_is_provoked() -> None:
    assert {*CASES, *OF_TRAIN, *OF_MODELS} == set(Problem) - ELSEWHERE


@pytest.mark.parametrize(
    ("problem", "case", "verb"),
    [
        *((problem, case, verb) for problem, case in CASES.items()
          for verb in ("train", "certify", "verify", "report", "web")
          if verb != "verify" or "THIRD" not in problem.name),  # test_certify.py has them
        *((problem, case, "train") for problem, case in OF_TRAIN.items()),
        *((problem, case, verb) for problem, case in OF_MODELS.items()
          for verb in ("test", "predict", "initial")
          if verb != "predict" or problem not in (Problem.OTHER_LABEL, Problem.LABEL_IS_FEATURE)),
    ],
)  # fmt: skip
def test_every_cure_of_every_verb_cures(
    problem: Problem, case: Case, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[BadExample, str]] = []

    def noted(bad: BadExample, *rest: Any, **more: Any) -> str:
        words = with_cure(bad, *rest, **more)
        found.append((bad, words.removeprefix(bad.without_cure)))
        return words

    monkeypatch.setattr("novikoff.cli.cures.with_cure", noted)
    monkeypatch.setattr("novikoff.show.report.page", lambda *_, **__: "")  # drawing takes long
    monkeypatch.setattr("novikoff.show.web.server.serve", lambda sock, *_: sock.close())
    if "WEIGHTS" in problem.name:
        monkeypatch.setattr("novikoff.sources.features.MOST_WEIGHTS", 1000)
        monkeypatch.setattr("novikoff.models.training.MOST_WEIGHTS", 1000)
    data = tmp_path / case.name
    data.write_bytes(case.content.encode() if isinstance(case.content, str) else case.content)
    good = tmp_path / "good.csv"
    good.write_text("x,z,k\n1,1,a\n2,2,b\n")
    out, model = tmp_path / "out", tmp_path / "model"
    verbs: dict[str, list[Any]] = {
        "train": ["train", data, "-o", out, "-q"],
        "certify": ["certify", data],
        "verify": ["verify", tmp_path / "cert", data],
        "report": ["report", data, "-o", out, "-q", "--passes", "1", "--top", "0"],
        "web": ["web", data, "--port", "0", "--no-browser"],
        "test": ["test", model, data],
        "predict": ["predict", model, data],
        "initial": ["train", data, "-o", out, "--initial", model, "-q"],
    }
    if verb == "verify":
        stdout_of("certify", good, "-o", tmp_path / "cert")
    if verb in ("test", "predict", "initial"):
        trained_model(model, good, "--learner", "perceptron")
    words = [*verbs[verb], *case.words]
    error(*words)
    ((bad, says),) = found
    assert bad.problem == problem
    for option in dict.fromkeys(options_named(says)):
        if verb in ("train", "certify", "verify", "report", "web") and bad.details.get("options"):
            tried = [*words, *shlex.split(says.partition(", or use ")[2])]
        elif f"leave out {option}" in says:
            at = words.index(option)
            n = 1 if PARSERS[words[0]].options[option].is_flag else 2
            tried = [*words[:at], *words[at + n :]]
        elif option in case.filled:
            tried = [*words, *case.filled[option]]
        elif PARSERS[words[0]].options[option].is_flag:
            tried = [*words, option]
        else:
            (value, *_) = re.findall(rf"{option} ('[^']*'|[^\s,;]+)", says)
            tried = [*words, option, *shlex.split(value)]
        answer = run(*tried)
        is_large = verb == "web" and "more than the page can take" in answer.stderr
        assert answer.exit_code in (0, 1) or is_large, (option, answer.stderr)
