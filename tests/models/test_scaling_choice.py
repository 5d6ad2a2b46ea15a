"""Data read whole: halves scored by each other give the scaling, fifths the probabilities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from helpers.command_line import json_of, run, stdout_of, train_until_stopped, trained_model
from novikoff.learners.rule import Rule
from novikoff.ledger.honest_scores import HonestScores
from novikoff.models import training
from novikoff.models.model import Model
from novikoff.runs.loop import play
from novikoff.sources import block, whole
from novikoff.sources.features import MANY_COLUMNS, Features
from novikoff.stream.blocks import Block
from novikoff.stream.order import arranged


def write(path: Path, X: Any, y: Any) -> Path:
    lines = (",".join([*map(repr, x), str(label)]) for x, label in zip(X.tolist(), y, strict=True))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def data(columns: int, seed: int, n: int = 300) -> tuple[Any, Any]:
    X, y = make_classification(
        n, columns, n_informative=min(20, columns // 2), flip_y=0.05, random_state=seed
    )
    return X, 2 * y - 1


def by_parts(X: Any, y: Any, plan: training.Plan) -> HonestScores:
    """The counts, by a run without each fifth of the rows, in the shuffled order."""
    found = HonestScores()
    rows = arranged(block(X, y), 0)
    assert isinstance(rows, Block)
    order = np.arange(len(y)) if rows.order is None else rows.order
    if plan.holdout is not None:
        order = order[(rows.positions(order) + 1) % plan.holdout != 0]
    for part in range(5):
        learner = plan.new_learner()
        learner.widen(X.shape[1])
        others = np.array([k for place, k in enumerate(order) if place % 5 != part], dtype=int)
        if len(order[part::5]):
            play(replace(rows, order=others), learner, epochs=plan.passes)
            rest = order[part::5]
            found.include(learner.scores(rows.rows.take(rest)), rows.codes[rest])
    return found


@pytest.mark.parametrize("rows", [3, 300])
@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("holdout", [None, 7])
def test_honest_scores_of_a_fifth_are_of_weights_learned_from_the_others(
    tmp_path: Path, rows: int, passes: int, holdout: int | None
) -> None:
    X, y = data(6, 0)
    X, y = X[:rows], y[:rows]
    assert len(set(y)) == 2
    words = ("--no-standardise", "--no-unit-length", "--learner", "adaptive", "--passes", passes)
    more = () if holdout is None else ("--holdout", holdout)
    trained_model(tmp_path / "m", write(tmp_path / "x.csv", X, y), *words, *more)
    plan = training.Plan(Rule("adaptive"), passes, holdout=holdout)
    honest = Model.load(tmp_path / "m").learner.honest
    assert honest is not None
    assert honest.examples == rows - (rows // holdout if holdout else 0)
    assert honest.counts.tolist() == by_parts(X, y, plan).counts.tolist()


def test_the_way_is_chosen_by_halves_and_its_scores_are_those_of_fifths(tmp_path: Path) -> None:
    X, y = data(20, 3, 200)
    file = write(tmp_path / "x.csv", X, y)
    chosen = json_of("train", file, "-o", tmp_path / "m", "-q")
    named = [f"--{'' if chosen['standardised'] else 'no-'}standardise"]
    named += ["--passes", chosen["passes"], "--learner", Model.load(tmp_path / "m").kind]
    fixed = json_of("train", file, "-o", tmp_path / "n", "-q", *named)
    (only,) = fixed["compared"]
    assert only in chosen["compared"]
    one, other = (Model.load(tmp_path / name).learner.honest for name in "mn")
    assert one is not None
    assert other is not None
    assert one.counts.tolist() == other.counts.tolist()
    assert one.share_wrong(joint=False) != only["mistakes"]  # of the halves


def test_the_scaling_with_fewer_mistakes_is_kept_and_the_output_says_why(tmp_path: Path) -> None:
    wide, scales = data(400, 1, 2000), data(8, 2, 2000)
    factors = 10.0 ** np.random.default_rng(0).integers(-9, 10, 8)
    for (X, y), factor, standardised in ((wide, 1.0, False), (scales, factors, True)):
        old, new = write(tmp_path / "a.csv", X[:300] * factor, y[:300]), tmp_path / "b.csv"
        write(new, X[300:] * factor, y[300:])
        words, accuracy = (old, "-o", tmp_path / "m", "-q"), dict[bool, float]()
        for way, option in ((True, "--standardise"), (False, "--no-standardise")):
            trained_model(tmp_path / "m", old, option)
            accuracy[way] = json_of("test", tmp_path / "m", new)["accuracy"]
        found = json_of("train", *words)
        assert Model.load(tmp_path / "m").features.standardise is standardised
        assert found["standardised"] is standardised
        assert accuracy[standardised] > accuracy[not standardised] + 0.03
        kept, other = (
            min(
                (c for c in found["compared"] if c["standardised"] is way),
                key=lambda c: (c["mistakes"], -c["passes"]),
            )
            for way in (standardised, not standardised)
        )
        assert kept["mistakes"] < other["mistakes"]
        assert found["passes"] == kept["passes"]
        line = next(s for s in stdout_of("train", *words).splitlines() if s.startswith("Chosen"))
        ways = [
            f"{'standardised' if way['standardised'] else 'as given'}, {way['passes']} pass"
            f"{', average of the weights' if way['kind'] == 'adaptive-averaged' else ''}: "
            f"{100 * way['mistakes']:.2f}%"
            for way in (kept, other)
        ]
        assert line.replace("passes", "pass") == (
            f"Chosen    {ways[0]} mistakes when each half is predicted from the other ({ways[1]})"
        )


def test_what_is_named_is_not_compared(tmp_path: Path) -> None:
    X, y = data(5, 0, 50)
    train = ("train", write(tmp_path / "x.csv", X, y), "-o", tmp_path / "m", "-q")
    for words, ways in (
        (["--standardise"], {(True, 1), (True, 3), (True, 10)}),
        (["--no-standardise", "--passes", 4], {(False, 4)}),
        (["--passes", 2], {(True, 2), (False, 2)}),
        (["--learner", "perceptron"], {(False, 10)}),
        (["--stream"], set()),
    ):
        found = json_of(*train, *words)
        assert {(c["standardised"], c["passes"]) for c in found["compared"]} == ways


def test_fewer_passes_are_made_if_that_predicts_better_also_in_a_resumed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = set()
    monkeypatch.setattr(whole, "BLOCK_BYTES", 30_000)
    for seed in range(4):
        X, y = data(100, seed, 60)
        file, model = write(tmp_path / f"{seed}.csv", X, y), tmp_path / "m"
        straight = trained_model(tmp_path / "n", file)
        made.add(len(json_of("inspect", tmp_path / "n")["mistakes_per_pass"]))
        train_until_stopped(1, file, "-o", model)
        assert trained_model(model, file, "--resume") == straight
        model.unlink()
    assert {1, 10} <= made


def test_an_interrupted_comparison_says_so_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m"

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "play", interrupt)
    answer = run("train", write(tmp_path / "x.csv", *data(5, 0, 50)), "-o", model, "-q")
    said = f"novikoff: interrupted before the first pass; {model} was not written\n"
    assert (answer.exit_code, answer.stdout, answer.stderr) == (130, "", said)
    assert not model.exists()


def test_the_average_predicts_if_that_makes_fewer_mistakes(tmp_path: Path) -> None:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(2000, 10))
    y = (X @ dice.normal(size=(10, 8)) + 3 * dice.gumbel(size=(2000, 8))).argmax(axis=1)
    file = write(tmp_path / "x.csv", X, y)
    found = json_of("train", file, "-o", tmp_path / "m", "-q", "--multiclass")
    best = min(found["compared"], key=lambda way: (way["mistakes"], -way["passes"]))
    assert best["kind"] == Model.load(tmp_path / "m").kind == "adaptive-averaged"
    last = [way["mistakes"] for way in found["compared"] if way["kind"] == "adaptive"]
    assert best["mistakes"] < min(last) - 0.03
    words = ("-q", "--multiclass", "--learner", "adaptive")
    named = json_of("train", file, "-o", tmp_path / "n", *words)
    assert {way["kind"] for way in named["compared"]} == {"adaptive"}


def test_many_examples_are_compared_by_some_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data(5, 0, 250)
    monkeypatch.setattr(training, "MOST_COMPARED", 100)
    trained_model(tmp_path / "m", write(tmp_path / "x.csv", X, y))
    honest = Model.load(tmp_path / "m").learner.honest
    assert honest is not None
    assert honest.examples == 84  # every third


def test_rare_words_count_more_than_common_ones() -> None:
    dice = np.random.default_rng(0)
    n = MANY_COLUMNS + 1
    X = (dice.random((64, n)) < 0.05).astype(float)
    X[:, :2] = 0
    X[:4, 0] = 3.0  # a word in 4 of 64 rows, and one in 1
    X[0, 1] = 3.0
    features = Features(standardise=True, to_unit_length=None)
    features.kind, features.dim = "columns", n
    features.measure([block(X, np.ones(64)).rows])
    assert features.to_unit_length is True
    features.to_unit_length = False
    rows = features.scaled(block(X, np.ones(64)).rows)
    assert rows.row(0)[1][:2].tolist() == pytest.approx([2, 2 * 2**0.5])  # 16^¼ and 64^¼
