"""Weights of examples and of labels on the command line: read, remembered, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import error, json_of, run, stdout_of
from novikoff.models.model import Model

WEIGHTS = [1.0, 2.5, 0.0, 0.25, 3.0, 1.0, 0.5, 1e-3]
ROWS = [(1.5, -2.0, 1), (0.5, 1.0, 0), (2.0, 2.0, 1), (-1.0, 3.0, 0)] * 2


def write(folder: Path, form: str, rows: Any = None) -> Path:
    """The same examples and weights in a format."""
    rows = [(*row, w) for row, w in zip(ROWS, WEIGHTS, strict=True)] if rows is None else rows
    path = folder / f"data.{form}"
    if form == "csv":
        lines = ["a,b,kind,w", *(f"{a},{b},{y},{w}" for a, b, y, w in rows)]
    elif form == "jsonl":
        lines = [f'{{"w": {w}, "a": {a}, "b": {b}, "kind": {y}}}' for a, b, y, w in rows]
    elif form == "vw":
        lines = [f"{y} {w} | a:{a} b:{b}" for a, b, y, w in rows]
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = dict(zip(("a", "b", "kind", "w"), zip(*rows, strict=True), strict=True))
        pq.write_table(pa.table({name: list(c) for name, c in columns.items()}), path)
        return path
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def trained(path: Path, *options: Any) -> Model:
    model = path.with_suffix(".model")
    own = () if path.suffix == ".vw" else ("--label", "kind", "--weight", "w")
    usual = ("-q", "--stream", "--learner", "perceptron")
    stdout_of("train", path, "-o", model, *usual, *own, *options)
    return Model.load(model)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_column_of_weights_is_the_importance_of_vowpal_wabbit(tmp_path: Path, form: str) -> None:
    found, other = trained(write(tmp_path, form)), trained(write(tmp_path, "vw"))
    assert found.weights.tolist() == other.weights.tolist()
    assert found.ledger.n_mistakes == other.ledger.n_mistakes
    assert found.features.count == 2
    assert found.read_options["weight"] == "w"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_model_remembers_the_column_of_weights(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, form)
    whole = trained(path, "--ledger")
    twice = tmp_path / "again"
    rest = ("--initial", path.with_suffix(".model"), "-o", twice, "-q")
    stdout_of("train", path, *rest)
    assert Model.load(twice).ledger.n_rounds == 2 * whole.ledger.n_rounds
    steps = abs(Model.load(twice).ledger.steps)
    assert set(steps.tolist()) <= set(WEIGHTS) - {0.0}
    stdout_of("test", path.with_suffix(".model"), path)


def test_new_data_need_no_weights_to_be_tested_and_predicted(tmp_path: Path) -> None:
    trained(write(tmp_path, "csv"))
    (tmp_path / "new.csv").write_text("b,a,kind\n1,2,1\n-2,1,0\n")
    model = tmp_path / "data.model"
    assert json_of("test", model, tmp_path / "new.csv", "--json")["examples"] == 2
    assert len(stdout_of("predict", model, tmp_path / "new.csv").split()) == 2
    words = error("train", tmp_path / "new.csv", "--initial", model, "-o", tmp_path / "m", "-q")
    assert "there is no column 'w'" in words


def test_a_table_without_a_header_has_its_weights_by_position(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "".join(f"{w},{a},{b},{y}\n" for (a, b, y), w in zip(ROWS, WEIGHTS, strict=True))
    )
    given = ("--weight", "0", "--learner", "perceptron", "--stream")
    stdout_of("train", path, "-o", tmp_path / "m", "-q", *given)
    other = trained(write(tmp_path, "vw"))
    assert Model.load(tmp_path / "m").weights.tolist() == other.weights.tolist()
    for width, text in ((4, "1,2,3,0\n"), (2, "2,3\n")):
        (tmp_path / "new.csv").write_text(text)
        scores = stdout_of("predict", tmp_path / "m", tmp_path / "new.csv", "--print", "scores")
        w = other.weights
        assert float(scores) == 2 * w[0] + 3 * w[1] + w[2], width


@pytest.mark.parametrize(
    ("form", "place"),
    [("csv", ":3: column 'w'"), ("jsonl", ":2:7"), ("parquet", ": row 1: column 'w'")],
)
def test_a_weight_below_zero_is_refused_where_it_stands(
    tmp_path: Path, form: str, place: str
) -> None:
    path = write(tmp_path, form, [(1, 2, 1, 1.0), (1, 3, 0, -2.0)])
    words = error("train", path, "-o", tmp_path / "m", "-q", "--label", "kind", "--weight", "w")
    assert words.startswith(f"{path}{place}"), words
    assert "a number of at least 0" in words


@pytest.mark.parametrize("bad", ["", "NaN", "inf", "x", "1e999", "-1e-9"])
def test_a_weight_of_a_table_is_a_number_from_zero(tmp_path: Path, bad: str) -> None:
    path = write(tmp_path, "csv", [(1, 2, 1, 1.0), (1, 3, 0, bad), (2, 3, 0, 1)])
    given = ("--label", "kind", "--weight", "w", "--missing", "zero")
    words = error("train", path, "-o", tmp_path / "m", "-q", *given)
    assert f"column 'w': weight {bad!r} is not a number of at least 0" in words
    stdout_of("train", path, "-o", tmp_path / "m", "-q", *given, "--skip-bad", "1")


def test_a_line_of_json_without_its_weight_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1, "label": 1, "w": 2}\n{"a": 2, "label": 0}\n')
    words = error("train", path, "-o", tmp_path / "m", "-q", "--weight", "w")
    assert words == f"{path}:2:1: there is no key 'w' for the weight"
    path.write_text('{"a": 1, "label": 1, "w": "2"}\n')
    words = error("train", path, "-o", tmp_path / "m", "-q", "--weight", "w")
    assert "'w': a weight must be a number of at least 0" in words


def test_a_column_is_either_the_weight_or_something_else(tmp_path: Path) -> None:
    path = write(tmp_path, "csv")
    words = error("train", path, "-o", tmp_path / "m", "-q", "--label", "w", "--weight", "w")
    assert words == f"{path}: column 'w' is both the label and the weight"
    words = error("train", path, "-o", tmp_path / "m", "-q", "--weight", "v")
    assert "there is no column 'v'" in words
    svm = tmp_path / "x.svm"
    svm.write_text("1 1:1\n0 1:2\n")
    words = error("train", svm, "-o", tmp_path / "m", "-q", "--weight", "w")
    assert words == f"{svm}: svmlight has no column 'w' for the weight"


# weights of labels


@pytest.mark.parametrize("many", [(), ("--multiclass",)])
def test_the_weight_of_a_label_multiplies_its_steps(tmp_path: Path, many: Any) -> None:
    path = write(tmp_path, "csv")
    found = trained(path, "--ledger", "--class-weight", "1=0.5", "--class-weight", "0=4", *many)
    ledger = found.ledger
    of_class = np.array([0.5 if row % 2 == 0 else 4.0 for row in ledger.rows.tolist()])
    expected = of_class * np.array(WEIGHTS)[ledger.rows]
    assert abs(ledger.steps).tolist() == expected.tolist()
    assert found.read_options["class_weights"] == {"1": 0.5, "0": 4.0}


def test_balanced_labels_count_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,kind\n" + "1,2,ham\n" * 6 + "2,1,spam\n" * 2)
    model = tmp_path / "m"
    answer = stdout_of("train", path, "-o", model, "-q", "--class-weight", "balanced")
    assert "Weights   times ham 0.6667, spam 2\n" in answer
    assert Model.load(model).read_options["class_weights"] == {"ham": 8 / 12, "spam": 2.0}
    found = json_of("train", path, "-o", model, "-q", "--class-weight", "balanced", "--json")
    assert found["class_weights"] == {"ham": 8 / 12, "spam": 2.0}
    words = error("train", "-", "-o", model, "-q", "--class-weight", "balanced", input="1 1:1\n")
    assert words.startswith("--class-weight balanced reads the data twice")


def test_a_model_keeps_the_weights_of_its_labels(tmp_path: Path) -> None:
    path, both, again = write(tmp_path, "csv"), tmp_path / "both", tmp_path / "again"
    given = ("--label", "kind", "--weight", "w", "--class-weight", "1=0.3", "-q")
    trained(path, "--class-weight", "1=0.3")
    model = path.with_suffix(".model")
    stdout_of("train", path, "--initial", model, "-o", again, "-q")
    stdout_of("train", path, path, "-o", both, *given, "--learner", "perceptron", "--stream")
    assert both.read_bytes() == again.read_bytes()
    words = error("train", path, "--initial", model, "-o", again, "-q", "--class-weight", "1=2")
    assert words == "--class-weight differs from the model; leave it out"


@pytest.mark.parametrize("bad", ["1", "1=", "=2", "1=0", "1=-1", "1=inf", "1=x", "balanced"])
def test_the_weight_of_a_label_is_a_number_above_zero(tmp_path: Path, bad: str) -> None:
    path = write(tmp_path, "csv")
    more = ("--class-weight", "0=2") if bad == "balanced" else ()
    words = error("train", path, "-o", tmp_path / "m", "-q", "--class-weight", bad, *more)
    assert words.startswith(f"--class-weight {bad!r}: write LABEL=FACTOR")


def test_a_label_has_one_weight_and_occurs(tmp_path: Path) -> None:
    path = write(tmp_path, "csv")
    twice = ("--class-weight", "1=2", "--class-weight", "1.0=3")
    words = error("train", path, "-o", tmp_path / "m", "-q", *twice)
    assert words == "--class-weight '1.0=3': the label 1.0 has a factor already"
    given = ("--label", "kind", "--class-weight", "spam=2")
    answer = run("train", path, "-o", tmp_path / "m", "-q", *given)
    assert "--class-weight spam: no example has this label" in answer.stderr
