"""Every verb that reads data has the same options for it, and a model leaves some of them open."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import error, json_of, run, stdout_of, trained_model
from novikoff.cli.main import function_and_parser
from novikoff.cli.options import READING_GROUP, Reading
from novikoff.models.model import Model

VERBS = ("train", "test", "predict", "certify", "verify", "report", "web")
FRUIT = "kg,cm,kind\n1,9,apple\n2,7,pear\n3,8,fig\n4,6,apple\n1,2,pear\n9,1,fig\n5,5,apple\n"
PERCEPTRON = ["--learner", "perceptron", "--no-shuffle", "--passes", "3"]


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    """A table with three labels."""
    (tmp_path / "fruit.csv").write_text(FRUIT)
    return tmp_path / "fruit.csv"


def without(text: str, *labels: str) -> str:
    return "".join(line + "\n" for line in text.splitlines() if line.split(",")[-1] not in labels)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_the_same_options_for_reading(verb: str) -> None:
    options = function_and_parser(verb)[1].options
    own = {"labelled", "weighed", "class_weights", "text_rule", "expect", "eager", "hash_bits"}
    own |= {"most_names", "known", "like_before"}  # of the library
    named = {one.name for one in fields(Reading)} - own
    assert {f"--{name.replace('_', '-')}" for name in named} <= {*options}
    assert named == {*READING_GROUP.options}


@pytest.mark.parametrize("form", ["csv", "jsonl", "hashed"])
def test_a_label_that_is_not_kept_leaves_no_trace(form: str, fruit: Path, tmp_path: Path) -> None:
    rest = tmp_path / "rest.csv"
    rest.write_text(without(FRUIT, "pear"))
    more: list[str] = []
    if form == "jsonl":
        for path in (fruit, rest):
            header, *lines = path.read_text().splitlines()
            pairs = [zip(header.split(","), line.split(","), strict=True) for line in lines]
            path.write_text("".join(json.dumps(dict(pair)) + "\n" for pair in pairs))
        more = ["--label", "kind", "--format", "jsonl"]
    format = more[2:]
    if form == "hashed":
        more = ["--hash-bits", "6"]
    keep = ["--keep", "fig", "--keep", "apple"]
    trained_model(tmp_path / "a", fruit, *keep, *more, *PERCEPTRON)
    trained_model(tmp_path / "b", rest, *more, *PERCEPTRON)
    a, b = Model.load(tmp_path / "a"), Model.load(tmp_path / "b")
    assert (a.classes, a.features.names) == (b.classes, b.features.names)
    assert a.weights.tobytes() == b.weights.tobytes()
    assert (
        json_of("test", tmp_path / "a", fruit, *format)["examples"] == 5
    )  # as the model was trained
    given = json_of("test", tmp_path / "b", fruit, *keep, *format)
    assert given == json_of("test", tmp_path / "b", rest, *format)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        "".join(f'{{"label":{k},"x":{k},"id":9}}\n' for k in range(3))
    )
    words = ["--keep", "0", "--keep", "2", "--ignore", "id"]
    said = stdout_of("train", tmp_path / "x.jsonl", "-o", tmp_path / "m", "-q", *words)
    assert said.startswith("Data      JSON lines, id ignored, only labels 0, 2; 2 is +1, 0 is -1\n")


def test_one_label_is_learned_against_the_rest(fruit: Path, tmp_path: Path) -> None:
    words = ["--one-vs-rest", "apple"]
    trained_model(tmp_path / "m", fruit, *words, *PERCEPTRON)
    renamed = FRUIT.replace("pear", "other").replace("fig", "other")
    (tmp_path / "two.csv").write_text(renamed)
    trained_model(tmp_path / "n", tmp_path / "two.csv", "--positive", "apple", *PERCEPTRON)
    m, n = Model.load(tmp_path / "m"), Model.load(tmp_path / "n")
    assert (m.classes, n.classes) == (("not apple", "apple"), ("other", "apple"))
    assert m.weights.tobytes() == n.weights.tobytes()
    assert json_of("test", tmp_path / "m", fruit)["examples"] == 7
    assert set(stdout_of("predict", tmp_path / "m", fruit).split("\n")) <= {
        "apple",
        "not apple",
        "",
    }
    stdout_of("train", fruit, "--initial", tmp_path / "m", "-o", tmp_path / "o", "-q", *words)
    stdout_of("certify", fruit, *words, "-o", tmp_path / "cert")
    assert "not apple" in stdout_of("verify", tmp_path / "cert", fruit, *words)
    assert run("verify", tmp_path / "cert", fruit, "--one-vs-rest", "fig").exit_code == 1
    assert error("verify", tmp_path / "cert", fruit).endswith("--one-vs-rest apple")


def test_a_label_that_nobody_has_is_an_error(fruit: Path, tmp_path: Path) -> None:
    for words in (["--one-vs-rest", "plum"], ["--keep", "fig", "--keep", "plum"]):
        assert error("train", fruit, "-o", tmp_path / "m", "-q", *words).endswith(
            "no example has the label 'plum'; the labels are 'apple', 'pear', 'fig'"
        )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--positive", "a", "--classes", "a,b"], "--classes and --positive both say which label"),
        (["--one-vs-rest", "a", "--positive", "a"], "--positive and --one-vs-rest both say which"),
        (["--one-vs-rest", "a", "--multiclass"], "--one-vs-rest is for two labels; leave it out,"),
    ],
)
def test_the_positive_label_is_named_once(
    words: list[str], says: str, fruit: Path, tmp_path: Path
) -> None:
    assert error("train", fruit, "-o", tmp_path / "m", *words).startswith(says)


def test_options_override_those_of_a_model_or_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,a,c,y\n7,1,x,0\n8,,z,1\n9,3,x,1\n")
    words = [tmp_path / "x.csv", "--missing", "zero", "--ignore", "id", *PERCEPTRON]
    trained_model(tmp_path / "m", *words)
    on: list[Any] = ["predict", tmp_path / "m", tmp_path / "x.csv"]
    expected = stdout_of(*on)
    assert "column 'a': the value is missing" in error(*on, "--missing", "refuse")
    for fits in (["--categorical", "c"], ["--classes", "0,1"], ["--positive", "1"]):
        assert stdout_of(*on, *fits) == expected
    for contradicts, says in {
        ("--categorical", "a"): "--categorical a: the model has no categories there; leave it out",
        ("--text", "c"): "--text differs from the model; leave it out",
        ("--positive", "0"): "--positive differs from the model's (1); leave it out",
        ("--one-vs-rest", "1"): "--one-vs-rest differs from the model's (0 and 1); leave it out",
        ("--keep", "1"): "--keep: predict answers for every example, whatever its label; leave it",
    }.items():
        assert error(*on, *contradicts).startswith(says)
    assert error(*on, "--ignore", "a").endswith(
        "column 'a' is ignored, but the model was trained on it"
    )


def test_what_a_model_of_numbers_cannot_mark_is_refused(fruit: Path, tmp_path: Path) -> None:
    fruit.write_text(without(FRUIT, "fig"))
    trained_model(tmp_path / "m", fruit)
    assert error("test", tmp_path / "m", fruit, "--missing", "indicate") == (
        "--missing indicate: the model has no features for it; use --missing zero"
    )
    assert "there is no column 'nope'" in error("test", tmp_path / "m", fruit, "--weight", "nope")


def test_a_table_without_a_header_is_read_without_the_same_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("7,1,5,0\n8,2,4,1\n9,3,1,1\n")
    trained_model(tmp_path / "m", tmp_path / "x.csv", "--ignore", "0", *PERCEPTRON)
    assert stdout_of("predict", tmp_path / "m", tmp_path / "x.csv").split()
    assert json_of("test", tmp_path / "m", tmp_path / "x.csv")["examples"] == 3


def test_a_report_names_the_options_that_read_its_data(fruit: Path, tmp_path: Path) -> None:
    words = ["--one-vs-rest", "fig", "--ignore", "cm", "--header"]
    stdout_of("report", fruit, "-o", tmp_path / "r.html", *words, "--max-seconds", "5", "-q")
    page = (tmp_path / "r.html").read_text()
    assert f"--max-seconds 5 --top 15 --mistakes 20 {' '.join(words)}" in page


def test_a_label_with_a_comma_is_quoted_where_labels_are_listed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('x,k\n1,"a, b"\n2,c\n3,c\n')
    said = stdout_of("train", tmp_path / "t.csv", "-o", tmp_path / "m", "-q")
    assert "; c is +1, 'a, b' is -1\n" in said
