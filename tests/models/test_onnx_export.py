"""ONNX beside ours: the same scores to the bit, and the same decisions on 100,000 rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers.command_line import error, stdout_of
from novikoff import AdaptivePerceptron, AveragedPerceptron, Perceptron, VotedPerceptron, Winnow
from novikoff.estimators.saved import to_model
from novikoff.models.onnx_export import NotExported, to_onnx

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

DICE = np.random.default_rng(5)
X = DICE.normal(size=(300, 21))
TWO = np.where(X @ DICE.normal(size=21) > 0.5 * DICE.normal(size=300), 1, 0)
THREE = np.array(["a", "b", "c"])[np.clip(X[:, 0] + 1, 0, 2).astype(int)]

KINDS: dict[str, tuple[Any, Any, Any]] = {
    "perceptron": (Perceptron(max_iter=5), X, TWO),
    "averaged": (AveragedPerceptron(), X, TWO),
    "adaptive": (AdaptivePerceptron(), X, TWO),
    "frame": (AdaptivePerceptron(), pd.DataFrame(X).add_prefix("x"), np.where(TWO, "yes", "no")),
    "without a constant": (AdaptivePerceptron(fit_intercept=False), X[:, :16], TWO),
    "winnow": (Winnow(max_iter=5), X, TWO),
    "negative ties": (  # the first row has score 0
        Perceptron(max_iter=5, ties="negative", fit_intercept=False),
        np.where(np.arange(300)[:, None] > 0, X, 0.0),
        TWO == 1,
    ),
    "one against the rest": (AdaptivePerceptron(), X, THREE),
    "jointly": (Perceptron(max_iter=5, multiclass="joint"), X, THREE),
}


def run(graph: bytes, **inputs: Any) -> tuple[Any, Any]:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    label, score = session.run(None, inputs)
    return label, score


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_has_the_scores_to_the_bit_and_the_labels(kind: str) -> None:
    made, rows, y = KINDS[kind]
    clf = made.fit(rows, y)
    label, score = run(to_onnx(to_model(clf)), X=np.asarray(rows))
    assert (score == clf.decision_function(rows)).all()
    expected = clf.predict(rows).tolist()
    if kind == "negative ties":
        expected = [str(one).lower() for one in expected]
    assert label.tolist() == expected


@pytest.mark.parametrize("jointly", [False, True])
def test_100_000_rows_get_the_same_labels_with_ties_among_them(jointly: bool) -> None:
    rows = DICE.integers(-2, 3, size=(100_000, 12)) * 0.1  # many scores of 0, and sums that round
    y = np.where(rows[:, 0] > rows[:, 1], "more", "less")
    clf = Perceptron(max_iter=3, multiclass="joint" if jointly else "ovr", fit_intercept=False)
    clf.fit(rows[:2000], y[:2000])
    label, score = run(to_onnx(to_model(clf)), X=rows)
    assert label.tolist() == clf.predict(rows).tolist()
    if not jointly:
        assert (score == 0).sum() > 10
        assert (score == clf.decision_function(rows)).all()


def entries(dicts: list[dict[str, float]]) -> dict[str, Any]:
    triples = [(i, name, value) for i, x in enumerate(dicts) for name, value in x.items()]
    return {
        "names": np.array([name for _, name, _ in triples], dtype=object),
        "values": np.array([value for *_, value in triples]),
        "examples": np.array([i for i, *_ in triples], dtype=np.int64),
        "count": np.array([len(dicts)], dtype=np.int64),
    }


def test_dicts_are_names_and_values() -> None:
    words = np.array([f"w{k}" for k in range(30)])
    dicts: list[dict[str, float]] = [
        dict(
            zip(
                DICE.choice(words, 4, replace=False).tolist(),
                DICE.normal(size=4).tolist(),
                strict=True,
            )
        )
        for _ in range(500)
    ]
    clf = AdaptivePerceptron()
    for x in dicts[:200]:
        clf.learn_one({name: x[name] for name in x if name != "w29"}, "w3" in x or "w4" in x)
    given = [*dicts, {}, {"unknown": 7.0}]
    label, score = run(to_onnx(to_model(clf)), **entries(given))
    assert (score == clf.decision_function(given)).all()
    assert label.tolist() == [str(one).lower() for one in clf.predict(given).tolist()]


def test_a_standardised_table_of_the_command_line_is_exported(tmp_path: Path) -> None:
    data, model, graph = tmp_path / "d.csv", tmp_path / "m", tmp_path / "m.onnx"
    frame = pd.DataFrame(
        {"age": DICE.integers(20, 90, 300), "town": DICE.choice(["Ayr", "Bute"], 300)}
    )
    y = np.where(frame["age"] > 50, "old", "young")
    for columns in (["age"], ["age", "town"]):
        frame[columns].assign(y=y).to_csv(data, index=False)
        stdout_of("train", data, "-q", "-o", model, "--standardise")
        stdout_of("export", model, "-o", graph)
        inputs: dict[str, Any] = {"X": frame[["age"]].to_numpy(dtype=float)}
        if "town" in columns:
            each = zip(frame["age"].tolist(), frame["town"], strict=True)
            inputs = entries([{"age": float(age), f"town={town}": 1.0} for age, town in each])
        label, score = run(graph.read_bytes(), **inputs)
        assert label.tolist() == stdout_of("predict", model, data).splitlines()
        ours = stdout_of("predict", model, data, "--print", "scores").splitlines()
        assert score.tolist() == [*map(float, ours)]
    about = runtime.InferenceSession(graph.read_bytes()).get_modelmeta().custom_metadata_map
    assert json.loads(about["classes"]) == ["old", "young"]


def test_what_cannot_be_exported_is_refused_with_the_reason(tmp_path: Path) -> None:
    voted = to_model(VotedPerceptron(max_iter=2).fit(X, TWO))
    with pytest.raises(NotExported, match="not linear"):
        to_onnx(voted)
    hashed = AdaptivePerceptron(hash_bits=4)
    hashed.learn_many([{"a": 1.0}, {"b": 1.0}], [0, 1])
    hashed.save(tmp_path / "m")
    words = error("export", tmp_path / "m", "-o", tmp_path / "m.onnx")
    assert "its features are hashed" in words
    (tmp_path / "t.tsv").write_text("k\tt\n" + "a\tfree money now\nb\tsee you there\n" * 4)
    stdout_of(
        "train",
        tmp_path / "t.tsv",
        "--label",
        "k",
        "--text",
        "t",
        "--unit-length",
        "-o",
        tmp_path / "t",
    )
    words = error("export", tmp_path / "t", "-o", tmp_path / "m.onnx")
    assert re.search("the words of texts.*; and its examples are scaled to length 1", words)
    assert "must end in .onnx" in error("export", tmp_path / "m", "-o", tmp_path / "m.txt")
    assert not (tmp_path / "m.onnx").exists()


def test_without_onnx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(NotExported, match=r"pip install 'novikoff\[onnx\]'"):
        to_onnx(to_model(Perceptron(max_iter=2).fit(X, TWO)))
