"""What an estimator learned by name is the model that training on the same lines makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers.dict_streams import Stream, learn_in_turn, stream
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    Features,
    MarginPerceptron,
    Model,
    Perceptron,
    Plan,
    Training,
    VotedPerceptron,
    Winnow,
    sources,
)
from novikoff.cli.main import run as main
from novikoff.learners.rule import Kind, Rule
from novikoff.models.prediction import labels_of, scored

KINDS: dict[str, tuple[Any, Kind, dict[str, Any]]] = {
    "plain": (lambda: Perceptron(keep="counts"), "perceptron", {}),
    "hashed": (lambda: Perceptron(keep="counts", hash_bits=4), "perceptron", {}),
    "margin": (lambda: MarginPerceptron(margin=0.5, keep="counts"), "margin", {"margin": 0.5}),
    "averaged": (lambda: AveragedPerceptron(keep="counts"), "averaged", {}),
    "voted": (VotedPerceptron, "voted", {}),
    "adaptive": (AdaptivePerceptron, "adaptive", {}),
    "adaptive, hashed": (
        lambda: AdaptivePerceptron(average=True, regularisation=0.7, hash_bits=4),
        "adaptive-averaged",
        {"regularisation": 0.7},
    ),
    "jointly adaptive": (
        lambda: AdaptivePerceptron(multiclass="joint"),
        "adaptive",
        {"joint": True},
    ),
    "winnow": (lambda: Winnow(keep="counts"), "winnow", {}),
    "jointly": (
        lambda: AveragedPerceptron(multiclass="joint", keep="counts"),
        "averaged",
        {"joint": True},
    ),
}


def examples(classes: int = 2) -> Stream:
    return [(x, y) for x, y in stream(5, 60, classes=classes) if "from=x.com" not in x]


def lines(path: Path, some: Stream) -> Path:
    path.write_text("\n".join(json.dumps({"label": str(y), **x}) for x, y in some))
    return path


@pytest.mark.parametrize(("make", "kind", "how"), KINDS.values(), ids=KINDS.keys())
def test_it_is_the_model_of_training_and_predicts_alike(
    make: Any, kind: Kind, how: dict[str, Any], tmp_path: Path
) -> None:
    joint = "joint" in how
    some = examples(4 if joint else 2)
    clf = learn_in_turn(make(), some)
    path = lines(tmp_path / "mail.jsonl", some)
    features = Features(hash_bits=clf.hash_bits)
    labelling = sources.LabelsAsClasses() if joint else sources.LabelsAsSigns()
    blocks = sources.Numbered(sources.open_files(path), features, labelling)
    trained = Training(blocks, Plan(Rule(kind, **how)))
    trained.run()
    model = clf.to_model()
    model.save(tmp_path / "one by one")
    trained.model.save(tmp_path / "trained")
    assert (tmp_path / "one by one").read_bytes() == (tmp_path / "trained").read_bytes()
    loaded = Model.load(tmp_path / "one by one")
    found = [
        label
        for _, scores in scored(loaded, sources.open_files(path))
        for label in labels_of(loaded, scores)
    ]
    assert found == [str(clf.predict_one(x)) for x, _ in some]
    before = model.weights.copy()
    learn_in_turn(clf, some)
    assert (model.weights == before).all()


def test_a_saved_estimator_is_the_file_that_train_writes(tmp_path: Path) -> None:
    some = examples()
    learn_in_turn(Perceptron(keep="counts"), some).to_model().save(tmp_path / "saved")
    path = lines(tmp_path / "mail.jsonl", some)
    words = ["-q", "--learner", "perceptron", "--stream"]
    main(["train", str(path), "-o", str(tmp_path / "trained"), *words])
    assert (tmp_path / "saved").read_bytes() == (tmp_path / "trained").read_bytes()


def test_an_estimator_that_makes_no_model_says_why() -> None:
    clf = Perceptron()
    with pytest.raises(AttributeError, match="has not learned from anything yet"):
        clf.to_model()
    clf.learn_one({"a": 1}, True)
    with pytest.raises(ValueError, match="only one label has been seen yet: True"):
        clf.to_model()
    clf.learn_one({"a": 1}, False)
    assert clf.to_model().classes == ("false", "true")
    rows = Perceptron().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="columns are positions"):
        rows.to_model()
    frame = Perceptron().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match="fitted on a frame first"):
        frame.to_model()
    with pytest.raises(ValueError, match="multiclass='joint'"):
        learn_in_turn(Perceptron(), examples(3), classes=[0, 1, 2]).to_model()
    with pytest.raises(ValueError, match="ties='negative' does not"):
        learn_in_turn(Perceptron(ties="negative"), examples()).to_model()
    forgetful = learn_in_turn(Perceptron(max_names=8, keep="counts"), examples())
    with pytest.raises(ValueError, match="names were forgotten"):
        forgetful.to_model()
