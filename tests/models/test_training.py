"""Passes that can be stopped, saved and gone on with: the model has the same bytes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.training_files import (
    COLUMNS,
    TEXT_FORMATS,
    Example,
    TextFormat,
    TrainingFolder,
    example_lists,
    plans,
    repeated,
    training_folder,
)
from novikoff import BadExample
from novikoff.guarantees.verdict import Verdict
from novikoff.learners.rule import ADAPTIVE, Rule
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training, _widest, held_out
from novikoff.runs import pool
from novikoff.runs.loop import play
from novikoff.runs.pool import Revisit
from novikoff.storage import file_format as storage
from novikoff.storage.file_format import BadModel
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, SparseRows

few = settings(max_examples=40)
ways = st.sampled_from(sorted(TEXT_FORMATS)).map(TEXT_FORMATS.__getitem__)
HOPELESS: list[Example] = [(1, {1: 1.0, 2: 2.0}), (-1, {1: 3.0}), (-1, {1: 1.0, 2: 2.0})] * 2
HALFSPACE: list[Example] = [
    (1 if a - 2 * c > 0 else -1, {1: a, 2: b, 3: c})
    for a, b, c in np.random.default_rng(5).integers(-3, 4, (20, 3)).astype(float).tolist()
]


def matrix(given: list[Example]) -> tuple[np.ndarray, np.ndarray]:
    X = np.zeros((len(given), COLUMNS))
    for i, (_, x) in enumerate(given):
        for j, value in x.items():
            X[i, j - 1] = value
    return X, np.array([y for y, _ in given], dtype=np.int8)


@few  # whole numbers: sums of others depend on the order of the columns, which names may change
@given(example_lists(st.integers(-4, 4).map(float)), plans(), ways, st.integers(1, 4))
def test_a_model_is_what_the_loop_makes_of_the_same_rows(
    given: list[Example], plan: Plan, way: TextFormat, passes: int
) -> None:
    assume(way.hash_bits is None)
    X, y = matrix(given)
    learner = plan.new_learner()
    learner.widen(COLUMNS)
    run = play(Block(DenseRows(X), y), learner, epochs=passes)
    with training_folder() as here:
        training = here.train(way, given, repeated(plan, passes))
    ledger = training.model.ledger
    assert (ledger.n_rounds, training.model.examples) == (run.ledger.n_rounds, len(given))
    if passes > 1:
        assert ledger.epoch_mistakes == run.ledger.epoch_mistakes
    if ledger.keep != "counts":
        assert ledger.rounds.tolist() == run.ledger.rounds.tolist()
        assert ledger.rows.tolist() == run.ledger.rows.tolist()


@few
@given(example_lists(st.integers(-4, 4).map(float)), ways, st.booleans(), st.integers(1, 3))
def test_weights_average_and_votes_are_the_textbooks(
    given: list[Example], way: TextFormat, bias: bool, passes: int
) -> None:
    assume(way.hash_bits is None)
    X, y = matrix(given)
    points = [[*map(Fraction, row), *[Fraction(1)] * bias] for row in X.tolist()]
    shown = [(i, x, int(y[i])) for i, x in enumerate(points)]
    told = textbook.perceptron(shown, start=[Fraction(0)] * (COLUMNS + bias), epochs=passes)
    with training_folder() as here:
        models = {
            kind: here.train(way, given, Plan(Rule(kind, bias=bias), passes)).model
            for kind in ("perceptron", "averaged", "voted")
        }
    rows = {kind: scored(model, way, given) for kind, model in models.items()}
    assert rows["perceptron"] == [textbook.dot(told.weights, x) for x in points]
    rounds = models["voted"].ledger.n_rounds
    votes = [told.voted(x, zero=1) for x in points]
    assert rows["voted"] == [v / rounds for v in votes]
    average = [float(textbook.dot(told.average, x)) for x in points]
    assert rows["averaged"] == pytest.approx(average, abs=1e-12)  # an average rounds


def scored(model: Model, way: TextFormat, given: list[Example]) -> list[float]:
    """The scores of the examples, which the model has met before."""
    with training_folder() as here:
        path = Path(f"{here.model}.data")
        path.write_text(way.text(given))
        return [s for block in way.blocks(path, model.features) for s in model.scores(block.rows)]


@few
@given(st.data(), plans(), ways)
def test_training_on_a_then_b_is_training_on_ab(
    draws: st.DataObject, plan: Plan, way: TextFormat
) -> None:
    columns = COLUMNS if way.format == "csv" else 40  # where they can, columns come later
    given = draws.draw(example_lists(columns=columns))
    cut = draws.draw(st.integers(1, len(given) - 1))
    with training_folder(draws.draw(st.integers(40, 400))) as here:
        at_once = here.learned(way, given, plan)
        here.train(way, given[:cut], plan)
        here.train(way, given[cut:], plan, initial=Model.load(here.model))
        assert here.model.read_bytes() == at_once


@pytest.mark.parametrize("revisit", [None, "mistakes"])
@few
@given(st.data(), plans(), ways, st.booleans(), st.sampled_from((None, 2, 3)), st.integers(1, 4))
def test_a_run_stopped_after_any_block_resumes_to_the_same_bytes(
    revisit: Revisit | None,
    draws: st.DataObject,
    plan: Plan,
    way: TextFormat,
    shuffle: bool,
    holdout: int | None,
    passes: int,
) -> None:
    assume(revisit is None or plan.rule.kind not in ADAPTIVE)
    plan = replace(plan, passes=passes, shuffle=shuffle, seed=3, holdout=holdout, revisit=revisit)
    columns = COLUMNS if way.format == "csv" else 40
    given = draws.draw(example_lists(columns=columns))
    with training_folder() as here, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "MOST_PASSES", 4)
        undisturbed = here.learned(way, given, plan)
        stop = draws.draw(st.integers(1, 12))
        if here.stopped_after(stop, way, given, plan):
            here.train(way, given, plan, initial=Model.load(here.model))
        assert here.model.read_bytes() == undisturbed


def to_the_end_block_by_block(
    here: TrainingFolder, way: TextFormat, given: list[Example], plan: Plan
) -> int:
    """Stop after every single block, and go on from the file; how often that was."""
    times = 1
    assert here.stopped_after(1, way, given, plan)
    while here.stopped_after(1, way, given, plan, initial=Model.load(here.model)):
        times += 1
    return times


@pytest.mark.parametrize("way", TEXT_FORMATS.values(), ids=TEXT_FORMATS)
@pytest.mark.parametrize("verdict", [Verdict.SEPARATED, Verdict.CYCLE])
@pytest.mark.parametrize(
    ("shuffle", "revisit"), [(False, None), (True, None), (False, "mistakes"), (True, "mistakes")]
)
def test_a_run_to_its_verdict_may_be_stopped_after_every_block(
    way: TextFormat, verdict: Verdict, shuffle: bool, revisit: Revisit | None
) -> None:
    given = HOPELESS if verdict == Verdict.CYCLE else HALFSPACE
    plan = Plan(Rule(), 10**9, shuffle=shuffle, seed=1, revisit=revisit)
    with training_folder() as here:
        undisturbed = here.learned(way, given, plan)
        times = to_the_end_block_by_block(here, way, given, plan)
        assert times > (2 if revisit else 5)
        assert here.model.read_bytes() == undisturbed
        training = Training(way.blocks(here.data), plan)
        assert training.run().verdict == verdict


@few
@given(example_lists(), st.integers(2, 5), st.booleans())
def test_every_nth_example_is_held_out_of_learning_and_tested(
    given: list[Example], every: int, shuffle: bool
) -> None:
    with training_folder() as here:
        plan = Plan(holdout=every, shuffle=shuffle, keep="positions")
        way = TEXT_FORMATS["indexed"]
        training = here.train(way, given, plan)
        kept = [i for i in range(len(given)) if i % every == every - 1]
        assert training.model.ledger.n_rounds == len(given) - len(kept)
        assert not set(kept) & set(training.model.ledger.rows.tolist())
        tested = training.test_held_out()
        assert tested is not None
        scores = scored(training.model, way, given)
        wrong = sum((scores[i] >= 0) != (given[i][0] > 0) for i in kept)
        assert (tested.confusion.examples, tested.confusion.mistakes) == (len(kept), wrong)
        assert Training(way.blocks(here.data), Plan()).test_held_out() is None


def test_held_out_rows_do_not_depend_on_where_blocks_begin() -> None:
    block = Block(DenseRows(np.zeros((7, 1))), np.ones(7, dtype=np.int8))
    whole = held_out(block, 3).tolist()
    parts = [
        Block(DenseRows(np.zeros((n, 1))), np.ones(n, np.int8), k) for k, n in ((0, 4), (4, 3))
    ]
    assert whole == [x for part in parts for x in held_out(part, 3).tolist()]
    assert whole == [False, False, True, False, False, True, False]


@pytest.mark.parametrize(
    "changed",
    [
        Plan(passes=3),
        Plan(passes=2, shuffle=True),
        Plan(passes=2, holdout=4),
        Plan(passes=2, revisit="mistakes"),
    ],
)
def test_an_unfinished_run_resumes_with_the_same_plan_only(changed: Plan) -> None:
    with training_folder() as here:
        way, plan = TEXT_FORMATS["indexed"], Plan(passes=2)
        assert here.stopped_after(1, way, HOPELESS, plan)
        model = Model.load(here.model)
        with pytest.raises(
            BadExample, match="passes, the shuffling, the seed, the holdout, the revisiting or the"
        ):
            here.train(way, HOPELESS, changed, initial=model)
        with pytest.raises(BadExample, match="data or reading options differ"):
            Training(way.blocks(here.data), plan, initial=model, data="other")


def test_an_initial_model_keeps_its_kind() -> None:
    with training_folder() as here:
        model = here.train(TEXT_FORMATS["dense"], HOPELESS, Plan()).model
        with pytest.raises(BadExample, match="learner is perceptron, not voted"):
            here.train(TEXT_FORMATS["dense"], HOPELESS, Plan(Rule("voted")), initial=model)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"passes": 0}, "passes must be a whole number from 1"),
        ({"holdout": 1}, "holdout must be at least 2"),
        (
            {"rule": Rule("adaptive"), "revisit": "mistakes"},
            "revisit is for learners that separate the data, not for adaptive",
        ),
        ({"rule": Rule("margin")}, "the margin must be finite and above 0, not 0"),
        (
            {"rule": Rule(margin=1.0)},
            "margin applies to the learner margin only",
        ),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Plan(**options)  # type: ignore[arg-type]


def test_nothing_to_learn_from_is_refused() -> None:
    with training_folder() as here, pytest.raises(BadExample, match="no examples"):
        here.train(TEXT_FORMATS["indexed"], [], Plan())


def test_a_checkpoint_is_a_model_that_says_it_is_unfinished() -> None:
    with training_folder() as here:
        assert here.stopped_after(2, TEXT_FORMATS["indexed"], HOPELESS * 5, Plan(passes=4))
        model = Model.load(here.model)
        assert model.unfinished is not None
        assert (model.unfinished["passes"], model.unfinished["passes_made"]) == (4, 0)
        assert 0 < model.unfinished["position"] < 15
        assert model.ledger.n_rounds == model.unfinished["position"]


def test_the_columns_of_very_different_sizes_are_found_among_sparse_ones() -> None:
    n, columns, values = 50, [0, 3, 4, 900], [1.0, 1e-6, 2.0, 1e6]
    starts = np.arange(n + 1, dtype=np.int32) * 4
    rows = SparseRows(np.array(values * n), np.array(columns * n, dtype=np.int32), starts, 1024)
    found = _widest(Block(rows, np.array([1, -1] * 25, dtype=np.int8)))
    assert found is not None
    assert found[:2] == (3, 900)
    assert found[2] == pytest.approx(1e12)  # the roots of the squares are rounded
    alike = SparseRows(np.ones(4 * n), rows.indices, starts, 1024)
    assert _widest(Block(alike, np.array([1, -1] * 25, dtype=np.int8))) is None


def test_a_model_is_not_another_kind_of_file() -> None:
    with training_folder() as here:
        here.model.write_text("1 1:2\n")
        with pytest.raises(BadModel, match="model: this file was not saved by novikoff"):
            Model.load(here.model)


@pytest.mark.parametrize("way", TEXT_FORMATS.values(), ids=TEXT_FORMATS)
def test_a_tampered_header_is_refused_or_loads_a_model(way: TextFormat) -> None:
    changes: list[object] = [None, -1, 2**62, True, "x", [], {}, [1, 2], 0.5]
    with training_folder() as here:
        model = here.train(way, HALFSPACE, Plan(Rule("averaged"))).model
        header, arrays = storage.load(here.model, kind="model")
        places = [(header, name) for name in header]
        places += [
            (header[part], name) for part in ("learner", "features") for name in header[part]
        ]
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
                    assert found.weights.shape == model.weights.shape
                    assert len(found.classes) == 2
                assert words.startswith(f"{here.model}: ")
            inside[name] = old
