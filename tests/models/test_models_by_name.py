"""What an estimator learned by name is the model that training on the same lines makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.dict_streams import Stream, learn_in_turn, stream
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    Features,
    MarginPerceptron,
    Perceptron,
    Plan,
    Training,
    VotedPerceptron,
    Winnow,
    sources,
)
from novikoff.cli.main import run as main
from novikoff.learners.rule import Kind, Rule
from novikoff.models.model import Model
from novikoff.models.prediction import scored

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
    clf.save(tmp_path / "one by one")
    trained.model.save(tmp_path / "trained")
    assert (tmp_path / "one by one").read_bytes() == (tmp_path / "trained").read_bytes()
    loaded = Model.load(tmp_path / "one by one")
    found = [
        loaded.classes[k]
        for _, scores in scored(loaded, sources.open_files(path))
        for k in loaded.predicted(scores).tolist()
    ]
    assert found == [str(clf.predict_one(x)) for x, _ in some]


def test_a_saved_estimator_is_the_file_that_train_writes(tmp_path: Path) -> None:
    some = examples()
    learn_in_turn(Perceptron(keep="counts"), some).save(tmp_path / "saved")
    path = lines(tmp_path / "mail.jsonl", some)
    words = ["-q", "--learner", "perceptron", "--stream"]
    main(["train", str(path), "-o", str(tmp_path / "trained"), *words])
    assert (tmp_path / "saved").read_bytes() == (tmp_path / "trained").read_bytes()
