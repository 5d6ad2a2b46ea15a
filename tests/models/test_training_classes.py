"""Many classes from files: met as they come, stopped and gone on with, to the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.training_files import COLUMNS, Example, TextFormat, repeated, tenths, training_folder
from novikoff import BadExample, Joint
from novikoff.learners.rule import Kind, Rule
from novikoff.models import training
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.runs.loop import play
from novikoff.sources import LabelsAsClasses
from novikoff.sources.cache import Cached
from novikoff.storage import file_format as storage
from novikoff.storage.file_format import BadModel
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows

few = settings(max_examples=25)
TEXT_FORMATS = {
    "indexed": TextFormat("svmlight", joint=True),
    "in a dictionary": TextFormat("jsonl", joint=True),
    "hashed": TextFormat("vw", 6, joint=True),
    "dense": TextFormat("csv", joint=True),
}
ways = st.sampled_from(sorted(TEXT_FORMATS)).map(TEXT_FORMATS.__getitem__)
KINDS: tuple[Kind, ...] = ("perceptron", "margin", "averaged", "voted", "adaptive")


# sums of eighths are exact, so they do not depend on the columns that names or hashes get
eighths = st.integers(-40, 40).map(lambda n: n / 8)


def plans() -> st.SearchStrategy[Plan]:
    return st.builds(
        lambda kind, bias, keep: Plan(
            Rule(kind, bias=bias, margin=0.7 if kind == "margin" else 0.0, joint=True), keep=keep
        ),
        st.sampled_from(KINDS),
        bias=st.booleans(),
        keep=st.sampled_from(("counts", "positions", "examples")),
    )


def example_lists(
    columns: int = COLUMNS, values: st.SearchStrategy[float] = tenths
) -> st.SearchStrategy[list[Example]]:
    """Of up to seven classes, some of which may come late."""
    features = st.dictionaries(st.integers(1, columns), values, max_size=5)
    return st.lists(st.tuples(st.integers(-3, 3), features), min_size=2, max_size=30)


def in_order_met(labels: Sequence[object]) -> list[object]:
    return list(dict.fromkeys(labels))


@few
@given(example_lists(values=eighths), plans(), ways, st.integers(1, 3), st.integers(40, 400))
def test_a_model_is_what_the_loop_makes_of_the_same_rows(
    given: list[Example], plan: Plan, way: TextFormat, passes: int, piece: int
) -> None:
    X = np.zeros((len(given), COLUMNS))
    for i, (_, x) in enumerate(given):
        X[i, [j - 1 for j in x]] = list(x.values())
    met = in_order_met([y for y, _ in given])
    codes = np.array([met.index(y) for y, _ in given], dtype=np.int32)
    learner = plan.new_learner()
    learner.widen(COLUMNS)
    run = play(Block(DenseRows(X), codes), learner, epochs=passes)
    with training_folder(piece) as here:
        model = here.train(way, given, repeated(plan, passes)).model
    assert model.classes == tuple(str(y) for y in met)
    assert model.is_joint
    assert model.ledger.mistakes_per_pass == run.ledger.mistakes_per_pass
    if model.ledger.keep != "counts":
        for name in ("rounds", "rows", "classes", "rivals"):
            assert getattr(model.ledger, name).tolist() == getattr(run.ledger, name).tolist()
    if way.format == "csv":
        assert isinstance(learner, Joint)
        read = learner.average if plan.rule.kind == "averaged" else learner.weights
        assert model.weights.tobytes() == read.tobytes()


@few
@given(st.data(), plans(), ways)
def test_training_on_a_then_b_is_training_on_ab_also_when_b_brings_classes(
    draws: st.DataObject, plan: Plan, way: TextFormat
) -> None:
    given = draws.draw(example_lists(COLUMNS if way.format == "csv" else 40))
    cut = draws.draw(st.integers(1, len(given) - 1))
    with training_folder(draws.draw(st.integers(40, 400))) as here:
        at_once = here.learned(way, given, plan)
        here.train(way, given[:cut], plan)
        here.train(way, given[cut:], plan, initial=Model.load(here.model))
        assert here.model.read_bytes() == at_once


@few
@given(st.data(), plans(), ways, st.booleans(), st.sampled_from((None, 2, 3)), st.integers(1, 4))
def test_a_run_stopped_after_any_block_resumes_to_the_same_bytes(
    draws: st.DataObject,
    plan: Plan,
    way: TextFormat,
    shuffle: bool,
    holdout: int | None,
    passes: int,
) -> None:
    plan = replace(plan, passes=passes, shuffle=shuffle, seed=3, holdout=holdout)
    given = draws.draw(example_lists(COLUMNS if way.format == "csv" else 40))
    with training_folder() as here:
        undisturbed = here.learned(way, given, plan)
        if here.stopped_after(draws.draw(st.integers(1, 12)), way, given, plan):
            here.train(way, given, plan, initial=Model.load(here.model))
        assert here.model.read_bytes() == undisturbed


@few
@given(example_lists(), plans(), ways, st.integers(1, 3))
def test_a_cache_brings_classes_when_its_source_would(
    given: list[Example], plan: Plan, way: TextFormat, passes: int
) -> None:
    plan = repeated(plan, passes)
    met: list[list[tuple[str, ...]]] = []

    def look(training: Training) -> None:
        met[-1].append(training.model.classes)

    with training_folder() as here:
        met.append([])
        here.train(way, given, plan, after_block=look)
        plain = here.model.read_bytes()
        for _ in range(2):  # the first time it is written, the second time it is there
            met.append([])
            cached = Cached(way.blocks(here.data), here.model.parent / "cache", "it")
            run = Training(cached, plan, data="d")
            run.run(look)
            run.model.save(here.model)
            assert here.model.read_bytes() == plain
    assert met[0] == met[1] == met[2]


@few
@given(example_lists(), st.sampled_from(KINDS), st.integers(2, 4))
def test_held_out_examples_are_tested_by_the_highest_score(
    given: list[Example], kind: Kind, every: int
) -> None:
    plan = Plan(Rule(kind, margin=float(kind == "margin"), joint=True), holdout=every)
    way = TEXT_FORMATS["indexed"]
    with training_folder() as here:
        run = here.train(way, given, plan)
        scores = np.concatenate(
            [
                run.model.scores(block.rows)
                for block in way.blocks(here.data, run.model.features, run.model.classes)
            ]
        )
        tested = run.test_held_out()
    kept = range(every - 1, len(given), every)
    classes = run.model.classes
    order = sorted(range(len(classes)), key=lambda k: int(classes[k]))  # among equals, the first
    wrong = [i for i in kept if classes[order[scores[i][order].argmax()]] != str(given[i][0])]
    assert tested is not None
    assert (tested.confusion.examples, tested.confusion.mistakes) == (len(kept), len(wrong))
    assert scores.shape[1] == len(run.model.classes) == len({y for y, _ in given})


FOUR: list[Example] = [
    (y, {1: float(y % 2), 2: float(y // 2), 3: 0.1 * y}) for y in (0, 1, 2, 3, 1, 0, 3, 2)
]


@pytest.mark.parametrize("kind", ["averaged", "voted"])
def test_a_tampered_file_is_refused_or_loads_a_model(kind: Kind) -> None:
    changes: list[object] = [None, -1, 3, 5, 2**62, True, "x", [], {}, ["1"] * 4, 0.5]
    with training_folder() as here:
        model = here.train(TEXT_FORMATS["indexed"], FOUR, Plan(Rule(kind, joint=True), 2)).model
        rows = DenseRows(np.ones((1, 8)))
        header, arrays = storage.load(here.model, kind="model")
        places = [(header, name) for name in header]
        for part in ("learner", "ledger"):
            places += [(header[part], name) for name in header[part]]
        for inside, name in places:
            old = inside[name]
            for new in changes:
                inside[name] = new
                storage.save(here.model, header, arrays, kind="model")
                try:
                    found = Model.load(here.model)
                except BadModel as error:
                    words = str(error)
                else:
                    words = f"{here.model}: a {found.kind} model"
                    assert found.scores(rows).shape[1] == len(found.classes)
                assert words.startswith(f"{here.model}: ")
            inside[name] = old
        assert model.classes == ("0", "1", "2", "3")


@pytest.mark.parametrize("column", ["ledger.classes", "ledger.rivals"])
@pytest.mark.parametrize("number", [-1, 4])
def test_mistakes_of_unknown_classes_are_refused(column: str, number: int) -> None:
    with training_folder() as here:
        here.train(TEXT_FORMATS["indexed"], FOUR, Plan(Rule("voted", joint=True)))
        header, arrays = storage.load(here.model, kind="model")
        changed = arrays[column].copy()
        changed[0] = number
        storage.save(here.model, header, {**arrays, column: changed}, kind="model")
        with pytest.raises(BadModel, match=f"its {column[7:]} are not all from 0 to 3"):
            Model.load(here.model)


def test_more_weights_than_allowed_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "MOST_WEIGHTS", 31)
    with training_folder(10) as here:
        with pytest.raises(
            BadExample, match="3 features and 4 classes need more than the 31 weights"
        ):
            here.train(TEXT_FORMATS["indexed"], FOUR, Plan(Rule(joint=True)))
        assert not here.model.exists()
        here.train(TEXT_FORMATS["indexed"], FOUR[:3], Plan(Rule(joint=True)))


@pytest.mark.parametrize("kind", ["winnow", "winnow1", "winnow2"])
def test_the_winnows_support_two_labels_only(kind: Kind) -> None:
    with pytest.raises(ValueError, match=f"{kind} supports two labels only"):
        Rule(kind, threshold=1.0, joint=True)


def test_an_initial_model_of_two_labels_refuses_many_classes_and_the_reverse() -> None:
    with training_folder() as here:
        two = here.train(TextFormat("csv"), [(1, {1: 1.0}), (-1, {2: 1.0})], Plan()).model
        many = here.train(TEXT_FORMATS["dense"], FOUR, Plan(Rule(joint=True))).model
        with pytest.raises(
            BadExample, match="the initial model has two labels, and the plan any number of classes"
        ):
            Training(TEXT_FORMATS["dense"].blocks(here.data), Plan(Rule(joint=True)), initial=two)
        with pytest.raises(
            BadExample, match="the initial model has any number of classes, and the plan two labels"
        ):
            Training(TextFormat("csv").blocks(here.data), Plan(), initial=many)


def test_a_cache_of_more_classes_than_are_allowed_is_not_used(tmp_path: Path) -> None:
    way, data = TEXT_FORMATS["indexed"], tmp_path / "data"
    data.write_text(way.text(FOUR))
    assert len(list(Cached(way.blocks(data), tmp_path / "cache", "it"))) == 1
    allowed = way.blocks(data)
    allowed.labelling = LabelsAsClasses(most=3)
    cached = Cached(allowed, tmp_path / "cache", "it")
    assert not cached.is_ready
    with pytest.raises(BadExample, match="data:4: label '3' makes more than 3 classes"):
        list(cached)
    assert Cached(way.blocks(data), tmp_path / "cache", "it").is_ready
