"""Dicts and lists inside an example: the features are those that JSON lines give it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from novikoff import BadExample, Perceptron, sources
from novikoff.online.one_example import plain

NESTED: list[dict[str, Any]] = [
    {"a": {"b": 1, "c": "x", "d": {"e": True}}},
    {"t": ["x", "y", "x"], "n": [1, 2.5, 0]},
    {"n": [True, False], "none": [], "empty": {}, "b": 1},
    {"t": [""], "u": "", "deep": {"t": ["x"], "n": [3]}},
]


@pytest.mark.parametrize("x", NESTED)
def test_the_features_are_those_of_json_lines(x: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"label": 1, **x}) + "\n")
    data = sources.read(file)
    assert data.names is not None
    example = data.block[0]
    expected = {data.names[j]: v for j, v in zip(example.columns, example.values, strict=True)}
    clf = Perceptron()
    clf.learn_one(x, 1)
    assert dict(clf.named_weights) == expected  # the first example is a mistake
    assert clf.decision_one(x) == sum(v * v for v in expected.values()) + 1
    many = Perceptron()
    many.learn_many([x], [1])
    assert dict(many.named_weights) == expected


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        ({"n": [1, "a"]}, BadExample, "'n': a list must hold only texts or only numbers, not also"),
        (
            {"n": [[1]]},
            BadExample,
            r"feature 'n': a list must hold texts or numbers, not \[1\]; fl",
        ),
        ({"n": [1, {"a": 1}]}, BadExample, "not {'a': 1}; flatten it"),
        ({"n": {"m": None}}, BadExample, "feature 'n.m' is None; leave out unknown values"),
        ({"n": [None]}, BadExample, "feature 'n.0' is None"),
        ({"a.b": 1, "a": {"b": 2}}, BadExample, "feature 'a.b' is given twice"),
        ({"t": ["x"], "t=x": 1}, BadExample, "feature 't=x' is given twice"),
        ({"t": ["a\0"]}, BadExample, "contains a NUL"),
        ({"t": np.ones(2)}, BadExample, "feature 't' must be a number"),
    ],
)
def test_what_is_no_feature_is_refused_and_nothing_is_learned(
    x: dict[str, Any], error: type[Exception], words: str
) -> None:
    clf = Perceptron()
    clf.learn_one({"k": 1}, 1)
    with pytest.raises(error, match=words):
        clf.learn_one(x, 0)
    with pytest.raises(error, match=words):
        clf.predict_one(x)
    assert dict(clf.named_weights) == {"k": 1.0}


def test_dicts_are_read_to_the_depth_that_json_lines_allow() -> None:
    deep: dict[str, Any] = {"x": 1}
    for _ in range(31):
        deep = {"a.": deep}
    assert plain(deep) == {"a.." * 31 + "x": 1.0}
    with pytest.raises(BadExample, match="more than 32 dicts inside one another; flatten them"):
        plain({"a": deep})
