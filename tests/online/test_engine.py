"""Learning one example at a time is learning from the same rows as a block, to the last bit."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, dia_array, dok_array
from sklearn.base import clone

from helpers.dict_streams import (
    Maker,
    learn_in_turn,
    learned_state,
    makers,
    stream,
)
from helpers.strategies import float_data, seeds
from novikoff import (
    Additive,
    AveragedPerceptron,
    Features,
    Perceptron,
    play,
    sources,
)
from novikoff.ledger.weights import room_for
from novikoff.stream.input_problems import BadExample


@makers
@settings(max_examples=12)
@given(seed=seeds, cuts=st.lists(st.integers(0, 40), max_size=4))
def test_one_by_one_and_in_blocks_are_the_same(make: Maker, seed: int, cuts: list[int]) -> None:
    examples = stream(seed)
    alone, whole, mixed = make(), make(), make()
    learn_in_turn(alone, examples, classes=[0, 1])
    whole.learn_many(*zip(*examples, strict=True), classes=[0, 1])
    ends = [0, *sorted(cuts), len(examples)]
    for k, (a, b) in enumerate(pairwise(ends)):
        if k % 2:
            learn_in_turn(mixed, examples[a:b], classes=[0, 1])
        elif b > a:
            mixed.partial_fit([x for x, _ in examples[a:b]], [y for _, y in examples[a:b]], [0, 1])
    assert learned_state(alone) == learned_state(whole) == learned_state(mixed)
    asked = [x for x, _ in examples]
    assert [alone.decision_one(x) for x in asked] == whole.decision_function(asked).tolist()
    assert [alone.predict_one(x) for x in asked] == whole.predict_many(asked).tolist()


@pytest.mark.parametrize("hash_bits", [None, 4])
def test_dicts_give_the_same_weights_as_the_same_lines_of_a_file(
    hash_bits: int | None, tmp_path: Path
) -> None:
    examples = [(x, y) for x, y in stream(5, 60) if "from=x.com" not in x]
    path = tmp_path / "mail.jsonl"
    path.write_text("\n".join(json.dumps({"label": str(y), **x}) for x, y in examples))
    features = Features(hash_bits=hash_bits)
    (block,) = sources.Numbered(sources.open_files(path), features, sources.LabelsAsSigns())
    learner = Additive(block.rows.dim, bias=True, averaging=True)
    ledger = play(block, learner).ledger
    clf = learn_in_turn(AveragedPerceptron(hash_bits=hash_bits), examples)
    named = [name for name in features.names or () if not name.startswith("#")]
    assert list(clf.named_weights) == named
    assert clf.weights("final")[0].tobytes() == learner.weights[: features.dim].tobytes()
    assert clf.coef_.tobytes() == learner.average[: features.dim].tobytes()
    assert clf.ledger_.scores.tobytes() == ledger.scores.tobytes()


@makers
@settings(max_examples=8)
@given(data=float_data(), single=st.booleans())
def test_one_row_of_numbers_is_partial_fit_on_it(make: Maker, data: Any, single: bool) -> None:
    X = np.abs(data.X).astype(np.float32 if single else np.float64)
    y = (data.y > 0).astype(int)
    alone, block = make(), make().partial_fit(X, y, classes=[0, 1])
    for x, label in zip(X, y, strict=True):
        alone.learn_one(x, label, classes=[0, 1])
    assert learned_state(alone) == learned_state(block)
    scores = block.decision_function(X).tolist()
    assert [alone.decision_one(x) for x in X] == scores
    assert [alone.decision_one(x.tolist()) for x in X] == scores


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_sparse_rows_and_single_rows_alternate(multiclass: Any) -> None:
    X, y = np.eye(6)[:, :4], np.arange(6) % 2
    mixed, block = Perceptron(multiclass=multiclass), Perceptron(multiclass=multiclass)
    mixed.learn_many(dia_array(X[:2]), y[:2], classes=[0, 1])
    mixed.learn_one(X[2], y[2])
    mixed.partial_fit(csr_array(X[3:]), y[3:])
    block.partial_fit(X, y, classes=[0, 1])
    assert mixed.coef_.tolist() == block.coef_.tolist()
    assert mixed.predict_many(dok_array(X)).tolist() == block.predict(X).tolist()
    assert Perceptron().predict_many(csr_array(X)).tolist() == [None] * 6


@settings(max_examples=15)
@given(seed=seeds)
def test_many_classes_share_one_reading_of_the_example(seed: int) -> None:
    examples = stream(seed, classes=4)
    alone, whole = Perceptron(), Perceptron()
    learn_in_turn(alone, examples, classes=[0, 1, 2, 3])
    whole.learn_many(*zip(*examples, strict=True), classes=[0, 1, 2, 3])
    assert learned_state(alone) == learned_state(whole)
    x = examples[0][0]
    assert list(alone.decision_one(x).values()) == whole.decision_function([x])[0].tolist()  # type: ignore[union-attr]
    assert alone.predict_one(x) == whole.predict([x])[0]
    assert list(alone.named_weights) == [0, 1, 2, 3]


def test_numbers_truth_values_and_texts_are_named_as_in_files() -> None:
    clf = Perceptron(fit_intercept=False)
    clf.learn_one({"n": 2, "yes": True, "no": False, "from": "x.com", 7: 0.5, "": 3, "ä": "ö"}, 1)
    assert dict(clf.named_weights) == {
        "n": 2.0, "yes": 1.0, "no": 0.0, "from=x.com": 1.0, "7": 0.5, "": 3.0, "ä=ö": 1.0,
    }  # fmt: skip


def test_entries_with_the_same_name_are_added_up() -> None:
    clf = Perceptron(fit_intercept=False)
    clf.learn_one({"a": "b", "c": 1, "a=b": 0.5, 3: 2, "3": 4}, 1)
    assert dict(clf.named_weights) == {"a=b": 1.5, "c": 1.0, "3": 6.0}


class Odd:
    """A number that is no float."""

    def __float__(self) -> float:
        return 0.25


@pytest.mark.parametrize(
    "x",
    [
        {"a": np.float32(0.25), "b": np.int64(3), "c": np.bool_(True), np.str_("d"): np.str_("e")},
        {"a": Fraction(1, 4), "b": Decimal(3), "c": np.array(1.0), "d": "e"},
        {"a": Odd(), "b": 3.0, "c": 1, "d": "e"},
        OrderedDict(a=0.25, b=3, c=True, d="e"),
        MappingProxyType({"a": 0.25, "b": 3, "c": 1, "d": "e"}),
    ],
    ids=["numpy", "fractions", "float()", "ordered", "mapping"],
)
def test_any_mapping_to_any_kind_of_number_will_do(x: Any) -> None:
    clf, plain = Perceptron(), Perceptron()
    clf.learn_one(x, 1)
    plain.learn_one({"a": 0.25, "b": 3.0, "c": 1.0, "d": "e"}, 1)
    assert learned_state(clf) == learned_state(plain)
    assert clf.decision_one(x) == plain.decision_one(dict(x))
    counted = Counter("abba")
    clf.learn_one(counted, 0)
    plain.learn_one({"a": 2, "b": 2}, 0)
    assert learned_state(clf) == learned_state(plain)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_read_by_the_names_of_their_columns(frame: Any) -> None:
    columns = {"words": [120, 80, 3], "from": ["x", "y", "x"], "html": [True, False, True]}
    examples = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    X, y = frame(columns), ["spam", "ham", "ham"]
    clf, other = Perceptron(), Perceptron()
    clf.learn_many(X, y)
    other.learn_many(examples, np.array(y))
    assert learned_state(clf) == learned_state(other)
    turned = X[["html", "from", "words"]]
    assert clf.predict_many(turned).tolist() == clf.predict(X).tolist()
    assert clf.score(turned, y) == other.score(examples, y)
    clf.partial_fit(turned, y)
    other.learn_many(examples, y)
    assert learned_state(clf) == learned_state(other)


def test_a_category_is_a_text_whatever_it_is_made_of() -> None:
    clf = Perceptron()
    clf.learn_many(pd.DataFrame({"c": pd.Categorical([1, 2])}), [0, 1])
    assert list(clf.named_weights) == ["c=1", "c=2"]


def test_learning_continues_by_name_after_fit_on_a_frame() -> None:
    frame = pd.DataFrame({"a": [1.0, -1.0, 0.5], "b": [0.1, 0.7, -0.3]})
    rest = pd.DataFrame({"a": [0.3, 0.2], "b": [-0.9, 0.4]})
    clf = AveragedPerceptron(max_iter=2).fit(frame, [1, 0, 0])
    other = copy.deepcopy(clf).partial_fit(rest, [1, 0])
    for x, y in zip(rest.to_dict("records"), [1, 0], strict=True):
        clf.learn_one(x, y)
    assert learned_state(clf) == learned_state(other)
    clf.learn_one({"b": 1, "new": 2}, 1)
    assert list(clf.named_weights) == ["a", "b", "new"]
    assert clf.coef_.shape == (1, 3)
    assert clf.predict(pd.DataFrame({"new": [1.0], "b": [2.0]})).tolist() == [
        clf.predict_one({"new": 1, "b": 2})
    ]


def test_room_for_more_names_moves_no_sum() -> None:
    """The constant stays in its lane, whatever the width of the frame that it began with."""
    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((80, 13)), dice.integers(0, 2, 80)
    names = [f"f{j}" for j in range(13)]
    frame = pd.DataFrame(X[:40], columns=names)
    narrow, wide = (Perceptron(max_iter=1).fit(frame, y[:40]) for _ in range(2))
    for x, label in zip(X[40:].tolist(), y[40:].tolist(), strict=True):
        example = dict(zip(names, x, strict=True))
        narrow.learn_one(example, label)
        wide.learn_one(example | {f"new{j}": 0.0 for j in range(9)}, label)
    assert wide.coef_.shape == (1, 22)
    assert narrow.ledger_.scores.tobytes() == wide.ledger_.scores.tobytes()
    assert [room_for(n, 8) for n in (1, 8, 9, 17, 1000)] == [8, 8, 16, 32, 1024]
    assert [room_for(n, 13) for n in (13, 14, 22, 70)] == [13, 21, 37, 133]


@makers
def test_a_copy_learns_independently(make: Maker) -> None:
    examples = stream(3)
    whole = learn_in_turn(make(), examples, classes=[0, 1])
    half = learn_in_turn(make(), examples[:20], classes=[0, 1])
    shallow, deep = copy.copy(half), copy.deepcopy(half)
    stored, fresh = pickle.loads(pickle.dumps(half)), clone(half)
    before = learned_state(half)
    for other in (shallow, deep, stored):
        assert learned_state(other) == before
        assert learned_state(learn_in_turn(other, examples[20:])) == learned_state(whole)
    assert learned_state(half) == before
    assert fresh.predict_one({"f1": 1}) is None
    assert learned_state(learn_in_turn(fresh, examples, classes=[0, 1])) == learned_state(whole)


def test_fit_starts_from_scratch() -> None:
    clf = learn_in_turn(Perceptron(), stream(1))
    X, y = [[1.0, 2.0], [-1.0, 0.5]], [1, 0]
    clf.fit(X, y)
    assert np.array_equal(clf.coef_, Perceptron().fit(X, y).coef_)
    assert clf.predict_one(X[0]) == 1


def test_predicting_adds_no_names_and_unknown_ones_count_for_nothing() -> None:
    clf = learn_in_turn(AveragedPerceptron(), stream(2))
    before = learned_state(clf)
    x = {"f1": 0.5, "f2": 0.25}
    assert clf.decision_one(x | {"never": 7, "met": "before"}) == clf.decision_one(x)
    assert learned_state(clf) == before


def test_the_mapping_of_weights_is_live_and_read_only() -> None:
    clf = Perceptron(fit_intercept=False)
    clf.learn_one({"a": 1}, 1)
    weights = clf.named_weights
    clf.learn_one({"a": 3, "b": "c"}, 0)
    assert dict(weights) == {"a": -2.0, "b=c": -1.0}
    assert len(weights) == 2
    assert "b" not in weights
    assert "\udc80" not in weights
    assert 7 not in weights
    assert not hasattr(weights, "__setitem__")


def test_what_is_learned_after_copying_does_not_reach_the_copy() -> None:
    clf = learn_in_turn(AveragedPerceptron(), stream(3)[:10])
    before, shallow = learned_state(clf), copy.copy(clf)
    clf.learn_one({"only here": 5.0}, 0)
    clf.learn_one({"only here": 5.0}, 1)
    assert learned_state(shallow) == before
    shallow.learn_one({"only there": 1.0}, 0)
    assert "only here" not in shallow.named_weights


def test_sparse_blocks_continue_what_was_learned_row_by_row() -> None:
    X, y = np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 0.5], [3.0, 1.0, 0.0]]), [1, 0, 0]
    found, book = Perceptron(), Perceptron().partial_fit(X, y, classes=[0, 1])
    assert found.predict_many(csr_array(X)).tolist() == [None] * 3
    found.learn_one(X[0], y[0])
    found.partial_fit(csr_array(X[1:]), y[1:])
    assert np.array_equal(found.coef_, book.coef_)
    assert found.predict_many(csr_array(X)).tolist() == book.predict(X).tolist()
    named = learn_in_turn(Perceptron(), stream(1))
    with pytest.raises(BadExample, match="row 0: x must be a dict"):
        named.predict(csr_array(X))


class Fleeting:
    """What lends out numbers that nobody else holds."""

    def __dlpack__(self, **_options: Any) -> Any:
        return np.full(200_000, 2.0).__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def test_numbers_that_are_lent_out_live_until_they_are_learned_from() -> None:
    clf = Perceptron()
    clf.learn_one(np.ones(200_000), 1)
    clf.learn_one(-np.ones(200_000), 0)
    assert clf.predict_one(Fleeting()) == 1
    clf.learn_one(Fleeting(), 0)
    assert (clf.coef_ == -1.0).all()
