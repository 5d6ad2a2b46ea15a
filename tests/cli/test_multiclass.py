"""`novikoff train --multiclass`, and what the other verbs make of its models."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import (
    contents,
    error,
    json_of,
    stdout_of,
    train_until_stopped,
    trained_model,
)
from novikoff.learners import Joint
from novikoff.models import model as models
from novikoff.models.model import Model
from novikoff.runs.loop import play
from novikoff.sources import classes_block, whole
from novikoff.sources.files import text as pieces
from novikoff.stream.rows import Rows, Vector

KINDS: dict[str, list[str]] = {
    "perceptron": ["--learner", "perceptron"],
    "margin": ["--learner", "margin", "--margin", "2"],
    "averaged": ["--learner", "averaged"],
    "voted": ["--learner", "voted"],
}
every_kind = pytest.mark.parametrize("words", KINDS.values(), ids=KINDS.keys())
FRUIT = ("pear", "apple", "fig", "plum", "quince")
_draw = np.random.default_rng(2)
X = _draw.integers(-4, 5, (90, 3)).astype(float)
Y = [int(k) for k in (X @ _draw.integers(-2, 3, (3, 5)) + np.arange(5) / 8).argmax(axis=1)]
Y = [y if i > 40 else y % 3 for i, y in enumerate(Y)]  # the last two come late


def table(begin: int = 0, end: int = 90) -> str:
    rows = (f"{FRUIT[y]},{a:g},{b:g},{c:g}\n" for y, (a, b, c) in zip(Y, X, strict=True))
    return "kind,a,b,c\n" + "".join(list(rows)[begin:end])


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    """The whole table, its first part, and the rest, which brings two more labels."""
    (tmp_path / "all.csv").write_text(table())
    (tmp_path / "a.csv").write_text(table(0, 37))
    (tmp_path / "b.csv").write_text(table(37))
    return tmp_path


MANY: list[Any] = ["--label", "kind", "--multiclass", "--stream"]


@every_kind
def test_it_runs_the_joint_learner_with_labels_in_order_of_appearance(
    words: list[str], fruit: Path
) -> None:
    report = json_of(
        "train", fruit / "all.csv", "-o", fruit / "m", *MANY, *words, "--passes", 3, "-q"
    )
    met = list(dict.fromkeys(FRUIT[y] for y in Y))
    assert (report["classes"], report["multiclass"]) == (met, True)
    codes = [met.index(FRUIT[y]) for y in Y]
    margin, averaging = 2.0 * ("margin" in words), "averaged" in words
    learner = Joint(3, bias=True, margin=margin, averaging=averaging)
    by_hand = play(classes_block(X, codes), learner, epochs=3)
    assert report["mistakes_per_pass"] == by_hand.ledger.mistakes_per_pass
    model = Model.load(fruit / "m")
    printed = stdout_of("predict", fruit / "m", fruit / "all.csv", "--print", "scores")
    scores = np.array([[float(s) for s in line.split("\t")] for line in printed.splitlines()])
    if "voted" in words:
        np.testing.assert_allclose(scores.sum(axis=1), 1)
    else:
        weights = learner.average if averaging else learner.weights
        assert model.weights.tobytes() == weights.tobytes()
        np.testing.assert_allclose(scores, np.c_[X, np.ones(90)] @ weights.T)
    labels = stdout_of("predict", fruit / "m", fruit / "all.csv").splitlines()
    order = sorted(range(len(met)), key=met.__getitem__)  # among equals, the first label
    assert labels == [met[order[k]] for k in scores[:, order].argmax(axis=1)]
    both = stdout_of("predict", fruit / "m", fruit / "all.csv", "--print", "both").splitlines()
    best = zip(labels, scores.max(axis=1).tolist(), strict=True)
    assert both == [f"{label}\t{score!r}" for label, score in best]
    tested = json_of("test", fruit / "m", fruit / "all.csv")
    assert tested["mistakes"] == sum(a != FRUIT[y] for a, y in zip(labels, Y, strict=True))


@every_kind
def test_training_on_a_then_b_with_new_labels_equals_training_on_both(
    words: list[str], fruit: Path
) -> None:
    at_once = trained_model(fruit / "whole", fruit / "all.csv", *MANY, *words)
    trained_model(fruit / "first", fruit / "a.csv", *MANY, *words)
    assert len(Model.load(fruit / "first").classes) == 3
    assert trained_model(fruit / "then", fruit / "b.csv", "--initial", fruit / "first") == at_once
    assert trained_model(fruit / "two", fruit / "a.csv", fruit / "b.csv", *MANY, *words) == at_once
    assert len(Model.load(fruit / "then").classes) == 5


@pytest.mark.parametrize(
    "more", [[], ["--shuffle", "--holdout", 4, "--standardise"], ["--no-stream", "--holdout", 4]]
)
@pytest.mark.parametrize("blocks", [1, 5])
def test_an_interrupted_run_resumes_to_the_same_bytes(
    more: list[Any], blocks: int, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 400)
    monkeypatch.setattr(whole, "BLOCK_BYTES", 600)
    given = [fruit / "all.csv", *MANY, "--learner", "averaged", "--passes", 3, *more]
    straight = trained_model(fruit / "straight", *given)
    assert trained_model(fruit / "c", *given, "--cache", fruit / "cache") == straight
    for words in ([], ["--cache", fruit / "cache"]):
        train_until_stopped(blocks, *given, *words, "-o", fruit / "m", checkpoint=999)
        assert json_of("inspect", fruit / "m")["unfinished"]
        assert (
            trained_model(fruit / "m", *given, *words, "--resume", "--checkpoint", 999) == straight
        )


def test_named_labels_keep_their_order_and_others_are_refused(fruit: Path) -> None:
    order = [FRUIT[Y[0]], "plum", *(one for one in FRUIT[:3] if one != FRUIT[Y[0]])]
    words = [fruit / "a.csv", *MANY, "-q", "--learner", "perceptron", "--classes", ",".join(order)]
    report = json_of("train", *words, "-o", fruit / "m")
    assert report["classes"] == order
    codes = [report["classes"].index(FRUIT[y]) for y in Y[:37]]
    learner = Joint(3, classes=4, bias=True)
    play(classes_block(X[:37], codes), learner)
    assert Model.load(fruit / "m").weights.tobytes() == learner.weights.tobytes()
    before = contents(fruit)
    found = error("train", fruit / "all.csv", *words[1:], "-o", fruit / "m")
    line = 2 + next(i for i, y in enumerate(Y) if y == 4)
    assert found.startswith(f"{fruit / 'all.csv'}:{line}: ")
    assert f"label 'quince' is not one of {', '.join(map(repr, order))}; " in found
    on = ["train", fruit / "b.csv", "--initial", fruit / "m", "-o", fruit / "n", "-q"]
    assert error(*on, "--classes", "a,b").startswith("--classes differs from the model")
    assert "is not one of" in error(*on, "--classes", ",".join(order))
    assert contents(fruit) == before
    assert json_of(*on)["classes"] == [*order, "quince"]


def test_two_labels_and_many_classes_do_not_share_a_cache(tmp_path: Path) -> None:
    file, cache = tmp_path / "x.svm", tmp_path / "cache"
    file.write_text("2 1:1\n1 2:1\n2 1:2\n1 2:2\n")
    for words in ([], ["--multiclass"], []):
        plain = trained_model(tmp_path / "m", file, *words)
        assert trained_model(tmp_path / "n", file, *words, "--cache", cache) == plain


def test_too_many_different_labels_are_refused(fruit: Path) -> None:
    prices = fruit / "prices.csv"
    prices.write_text("size,price\n" + "".join(f"{i % 7},{i}.5\n" for i in range(1200)))
    trained_model(fruit / "m", fruit / "a.csv", *MANY)
    before = contents(fruit)
    words = ["train", prices, "-o", fruit / "m", "-q", "--multiclass", "--checkpoint", 0]
    assert error(*words).startswith(
        f"{prices}:1002: column 'price': label '1000.5' makes more than 1,000 classes; if these "
        "really are classes, "
    )
    assert contents(fruit) == before
    assert len(json_of(*words, "--max-classes", 2000)["classes"]) == 1200
    assert "label '3.5' makes more than 3 classes" in error(*words, "--max-classes", 3)


REFUSED: dict[str, tuple[list[Any], str]] = {
    "winnow": (
        ["--multiclass", "--learner", "winnow"],
        "winnow supports two labels only; leave out --multiclass",
    ),
    "a third": ([], "label 'pear' is a third label, after 'apple' and 'fig'"),
    "a limit": (["--max-classes", 9], "--max-classes needs --multiclass"),
    "no names": (["--multiclass", "--classes", "a,,b"], "--classes 'a,,b': write different labels"),
    "twice": (["--multiclass", "--classes", "1,1.0"], "are not all different"),
    "two labels": (
        ["--multiclass", "--initial", "two"],
        "--multiclass differs from the model",
    ),
}


@pytest.mark.parametrize(("words", "reason"), REFUSED.values(), ids=REFUSED)
def test_contradicting_options_are_refused(
    words: list[Any], reason: str, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fruit)
    (fruit / "two.csv").write_text("a,b,c,kind\n1,2,3,fig\n-1,0,1,pear\n")
    trained_model(fruit / "two", "two.csv")
    before = contents(fruit)
    found = error("train", "all.csv", "-o", "out", "-q", "--label", "kind", *words)
    assert reason in found
    assert contents(fruit) == before


def test_a_third_label_in_the_last_column_asks_where_the_label_is(tmp_path: Path) -> None:
    file = tmp_path / "first.csv"
    file.write_text("kind,a,b\nfig,1,2\npear,2,4\nfig,3,5\n")
    last = "name the label's column with --label (default: the last)"
    assert last in error("train", file, "-o", tmp_path / "m")
    trained_model(tmp_path / "m", file, "--label", "kind")
    assert last not in error("train", file, "-o", tmp_path / "n", "--label", "a")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.csv", "", "there are no examples"),
        ("x.csv", "kind,a\n", "there are no examples"),
        ("x.svm", "", "there are no examples"),
        (
            "x.csv",
            "a,kind\n1,fig\n2,\n",
            "the label is missing; fill it in or remove the row",
        ),
        (
            "x.svm",
            "2 1:1\nnan 1:1\n",
            "label 'nan' is not a class; correct it or remove the row",
        ),
        ("x.vw", "fig | a\n| a\n", "there is no label before the |"),
    ],
)
def test_bad_labels_are_refused(name: str, text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    found = error("train", tmp_path / name, "-o", tmp_path / "m", "-q", "--multiclass")
    assert found.startswith(f"{tmp_path / name}:")
    assert found.endswith(reason)
    assert not (tmp_path / "m").exists()


def test_a_single_label_is_always_predicted(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("kind,a\nfig,1\nfig,2\n")
    screen = stdout_of(
        "train", tmp_path / "x.csv", "-o", tmp_path / "m", "-q", *MANY, "--passes", 2
    )
    assert "; 1 label: fig\n" in screen
    assert "Verdict   separated: there is only one label, so there is nothing to learn\n" in screen
    assert stdout_of("predict", tmp_path / "m", tmp_path / "x.csv") == "fig\nfig\n"
    assert json_of("test", tmp_path / "m", tmp_path / "x.csv")["accuracy"] == 1


def test_the_printed_result_agrees_with_the_json(fruit: Path) -> None:
    trained_model(fruit / "m", fruit / "a.csv", *MANY)
    found = json_of("test", fruit / "m", fruit / "all.csv")
    labels = stdout_of("predict", fruit / "m", fruit / "all.csv").splitlines()
    pairs = [(FRUIT[y], label) for y, label in zip(Y, labels, strict=True)]
    expected: dict[str, dict[str, int]] = {}
    for true, label in pairs:
        expected.setdefault(true, {}).setdefault(label, 0)
        expected[true][label] += 1
    assert found["confusion"] == expected
    assert found["unknown_labels"] == [FRUIT[y] for y in dict.fromkeys(Y) if y > 2]
    right = sum(true == label for true, label in pairs)
    assert found["accuracy"] == right / 90
    lines = stdout_of("test", fruit / "m", fruit / "all.csv").splitlines()
    unknown = sum(y > 2 for y in Y)
    first = found["unknown_labels"][0]
    common = FRUIT[max(dict.fromkeys(Y), key=Y.count)]
    assert found["baseline"] == {"label": common, "accuracy": max(map(Y.count, Y)) / 90}
    assert lines[1:4] == [
        f"Accuracy  {right / 90:.2%}: {right} of 90 examples right",
        f"Baseline  {max(map(Y.count, Y)) / 90:.2%} by always predicting {common}",
        f"Mistakes  {90 - right}; {unknown} of them on 2 unknown labels, the first {first}",
    ]
    sizes = []
    assert lines[4].startswith("Log loss  infinite: a label is unknown, calibration error 0.")
    for line in lines[7:12]:
        label, examples, hits, precision, recall, f1 = line.split()
        one = found["classes"][label]
        assert (int(examples), int(hits)) == (one["examples"], one["right"])
        shares = [None if s == "–" else s for s in (precision, recall, f1)]
        told_shares = [one["precision"], one["recall"], one["f1"]]
        assert shares == [None if s is None else f"{s:.2%}" for s in told_shares]
        sizes.append(int(examples))
    assert sizes == sorted(sizes, reverse=True)
    taken = [line.split() for line in lines[14:]]
    assert all(int(n) == expected[true][label] for true, _, label, n in taken)
    wrong = [n for true, row in expected.items() for label, n in row.items() if label != true]
    assert [int(n) for *_, n in taken] == sorted(wrong, reverse=True)[:10]
    table = stdout_of("test", fruit / "m", fruit / "all.csv", "--confusion").splitlines()[13:]
    columns = table[0].split()[2::2]
    assert len(columns) == 5
    for row in table[1:]:
        label, *counts = row.split()
        told = [expected[label].get(other, 0) for other in columns]
        assert list(map(int, counts)) == told


@pytest.mark.parametrize("learner", ["perceptron", "averaged"])
def test_inspect_names_the_weights_of_each_class(learner: str, fruit: Path) -> None:
    trained_model(fruit / "m", fruit / "all.csv", *MANY, "--learner", learner, "--passes", 2)
    model = Model.load(fruit / "m")
    screen = stdout_of("inspect", fruit / "m", "--weights", fruit / "w.csv")
    rows = list(csv.reader((fruit / "w.csv").read_text().splitlines()))
    assert rows[0] == ["feature", "class", "weight"]
    names = ["a", "b", "c", "(constant)"]
    expected = {
        (name, label): float(w)
        for label, weights in zip(model.classes, model.weights, strict=True)
        for name, w in zip(names, weights, strict=True)
        if w or name == "(constant)"
    }
    assert {(name, label): float(w) for name, label, w in rows[1:]} == expected
    found = json_of("inspect", fruit / "m", "-n", 1)
    assert (found["classes"], found["multiclass"]) == (list(model.classes), True)
    assert f"Labels    5 labels: {', '.join(model.classes)}\n" in screen
    for label in model.classes:
        of_class = {name: w for (name, other), w in expected.items() if other == label}
        top = max(of_class, key=lambda name: of_class[name])
        assert found["largest_weights"][label]["positive"] == {top: of_class[top]}
        after = screen.split(f"Largest weights for {label}, and against it:\n")[1]
        assert after.split()[:2] == [top, f"{of_class[top]:+.6g}"]


def test_long_lists_of_classes_are_cut(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("".join(f"{k} {k + 1}:1\n" for k in range(50)) * 2)
    trained_model(tmp_path / "m", tmp_path / "x.svm", "--multiclass")
    screen = stdout_of("inspect", tmp_path / "m")
    assert ", 38, 39 and 10 more\n" in screen
    assert screen.count("Largest weights for ") == 10
    assert screen.endswith("and 40 more classes; --json lists all, --weights writes all weights\n")
    assert len(json_of("inspect", tmp_path / "m")["largest_weights"]) == 50
    tested = stdout_of("test", tmp_path / "m", tmp_path / "x.svm")
    assert "and 10 smaller classes; --json lists all\n" in tested


def test_importances_hashing_and_products_are_as_for_two_labels(tmp_path: Path) -> None:
    counts: Vector = np.array([1.0 + i % 3 for i in range(90)])
    rows = zip(Y, counts.tolist(), X.tolist(), strict=True)
    lines = [f"{FRUIT[y]} {n:g} | a:{a:g} b:{b:g}\n" for y, n, (a, b, _) in rows]
    (tmp_path / "x.vw").write_text("".join(lines))
    plain = [tmp_path / "x.vw", "--stream", "--learner", "perceptron", "--multiclass"]
    plain += ["--passes", 3, "--no-bias"]
    trained_model(tmp_path / "m", *plain)
    model = Model.load(tmp_path / "m")
    codes = [model.classes.index(FRUIT[y]) for y in Y]
    learner = Joint(2)
    block = classes_block(X[:, :2], codes)
    play(replace(block, importances=counts), learner, epochs=3)
    assert model.features.names == ("a", "b")
    assert model.weights.tobytes() == learner.weights.tobytes()
    trained_model(tmp_path / "h", *plain, "--hash-bits", 5)
    trained_model(tmp_path / "p", *plain, "--interactions", "all", "--unit-length")
    assert json_of("inspect", tmp_path / "p")["features"] == 3
    assert stdout_of("predict", tmp_path / "h", tmp_path / "x.vw") == stdout_of(
        "predict", tmp_path / "m", tmp_path / "x.vw"
    )


def test_scores_are_computed_in_parts_that_fit_in_memory(
    fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [fruit / "all.csv", *MANY, "--holdout", 3]
    report = json_of("train", *words, "-o", fruit / "m", "-q")
    tested = json_of("test", fruit / "m", fruit / "all.csv")
    printed = stdout_of("predict", fruit / "m", fruit / "all.csv", "--print", "scores")
    sizes, scores = [], Model.scores

    def counted(self: Model, rows: Rows) -> Vector:
        sizes.append(len(rows))
        return scores(self, rows)

    monkeypatch.setattr(Model, "scores", counted)
    monkeypatch.setattr(models, "SCORES_AT_ONCE", 37)
    assert json_of("train", *words, "-o", fruit / "m", "-q")["held_out"] == report["held_out"]
    assert json_of("test", fruit / "m", fruit / "all.csv") == tested
    assert stdout_of("predict", fruit / "m", fruit / "all.csv", "--print", "scores") == printed
    assert max(sizes) == 7


def test_a_cycle_of_many_classes_is_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "xor.csv").write_text("a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    words = [
        "train",
        tmp_path / "xor.csv",
        "-o",
        tmp_path / "m",
        "-q",
        "--multiclass",
        "--learner",
        "perceptron",
        "--passes",
        200,
    ]
    assert json_of(*words)["verdict"] == "cycle"
    assert "Verdict   cycle: the weights repeated" in stdout_of(*words)
    assert (tmp_path / "m").exists()


def test_certify_supports_two_labels_only(fruit: Path) -> None:
    assert "is a third" in error("certify", fruit / "all.csv", "--label", "kind")
