"""A summary says what the guarantees say, and why not where they say nothing, on one screen."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from helpers.strategies import Data, Options, dyadic_data, dyadic_options, separable_data
from novikoff import Perceptron, Summary, guarantees, sources
from novikoff.estimators import classifiers
from novikoff.guarantees import NotAWitness, known
from novikoff.guarantees.known import Summaries
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Keep
from novikoff.runs.loop import Interrupted, Run, play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample

CORNERS = sources.block([[2, 1], [1, 3], [-1, -2], [-2, 1]], [1, 1, -1, -1])
XOR = sources.block([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
NOISY_X = np.random.default_rng(0).integers(-9, 10, (1000, 3))
NOISY = sources.block(
    NOISY_X, np.where(NOISY_X[:, 0] > 0, 1, -1) * np.where(np.arange(1000) % 10, 1, -1)
)

CYCLE = """\
verdict        cycle: the weights repeated, which proves that no weights separate the examples
               (proof: 4 rows)
passes         3, of 4 examples each; 12 examples in all
mistakes       12: 4 in the first pass, 4 in the last
radius R       1.73205, the length of the longest mistaken example
margin γ       0: no weights put all examples on their correct sides
bound          none: the final weights do not separate the mistaken examples, and a bound by losses
               needs all the data: pass them too
sandwich       none: the final weights do not separate the mistaken examples
future errors  no bound: the first pass was too short or made too many mistakes"""
BUDGET = """\
verdict        budget: the examples or the passes ran out; certify(X, y) decides whether any weights
               separate the examples
passes         1, of 1,000 examples; 1,000 examples in all
mistakes       260, in the one pass
radius R       14.5258, the length of the longest mistaken example
margin γ       at most 0.0505883, as the mistakes prove; no lower bound is known
bound          at most 506 mistakes, 260 made: Gentile 2003, L1 over every round, proved by the best
               of the run's own weights and averages
               (R/γ)² is at least 82,448, if any weights separate the data
sandwich       none: the final weights do not separate the mistaken examples
future errors  the weights of the first pass, not the final ones, err on at most 30.3% of new
               examples, on average, with 95% confidence, if the examples are drawn and ordered at
               random"""
INTERRUPTED = """\
verdict        interrupted: stopped by Ctrl-C; this describes the run up to then
passes         none was finished; 0 examples in all
mistakes       0
margin γ       not known: the run made no mistake
bound          the run made no mistake
sandwich       the run made no mistake
future errors  no bound: no pass was finished in 0 rounds; if the number of rounds was fixed
               beforehand, use guarantees.average_risk"""
TABLE = """\
class       verdict    passes  mistakes  at most      R       margin γ  future errors
setosa      separated       3         9      253  8.259  0.0825 – 1.43        ≤ 15.8%
versicolor  budget         30     1,585    3,115  11.16     0 – 0.0372        ≤ 50.5%
virginica   budget         30       521    1,797  11.08      0 – 0.235        ≤ 35.8%"""


def played(data: Any, epochs: int = 50, keep: Keep = "examples", **options: Any) -> Run:
    first = next(iter([data] if isinstance(data, Block) else data))
    learner = Additive(first.rows.dim, **options)
    return play(data, learner, epochs=epochs, ledger=learner.open_ledger(keep))


def said(summary: Any) -> str:
    """Its words on one line, when it fits a screen and is ready for JSON."""
    lines, facts = str(summary).split("\n"), summary.to_dict()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    return " ".join(str(summary).split())


def test_each_verdict_in_words() -> None:
    """And separated runs in docs/reference/runs.md."""
    assert str(played(XOR, bias=True).summary()) == CYCLE
    assert str(played(NOISY, 1).summary(NOISY)) == BUDGET
    run = Interrupted(Run(Additive(2).open_ledger(), Verdict.INTERRUPTED)).run
    assert str(run.summary()) == INTERRUPTED


def test_classes_in_a_table() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    assert str(Perceptron(max_iter=30).fit(X, names).summary(X, names)) == TABLE


@given(data=dyadic_data(), draw=st.data(), whole=st.booleans())
def test_every_field_is_what_its_guarantee_says(
    data: Data, draw: st.DataObject, whole: bool
) -> None:
    options: Options = draw.draw(dyadic_options(data.dim))
    eta, given_data = Fraction(options["margin"]), data.block() if whole else None
    run = played(data.block(), draw.draw(st.integers(1, 30)), **options)
    ledger, s = run.ledger, run.summary(given_data, margin=eta)
    assert (s.verdict, s.epochs, s.rounds) == (run.verdict, run.epochs, ledger.n_rounds)
    assert (s.mistakes, s.updates) == (ledger.n_mistakes, len(ledger))
    assert s.first_pass == ledger.epoch_mistakes[0]
    assert (s.last_pass, s.threshold) == (ledger.epoch_mistakes[-1], eta)
    assert (s.pass_lengths, s.examples) == ((len(data),) * 2, len(data) if whole else None)
    assert s.updates - s.mistakes == sum(ledger.labels * ledger.scores > 0)
    assert s.cycle is run.cycle
    assert s.radius == pytest.approx(ledger.radius, rel=1e-15)  # which is rounded twice
    assert s.error_bound == guarantees.risk_bound(ledger, confidence=Fraction(95, 100))
    assert said(s)
    if run.cycle is None:
        assert_margin(s, run, given_data)
    else:
        assert (s.margin.low, s.margin.high, s.bound_interval) == (0, 0, None)
    assert_bound(s, run, given_data, eta)
    assert_sandwich(s, run, eta)


def assert_margin(s: Summary, run: Run, block: Block | None) -> None:
    weights, ledger = readings.final(run.ledger), run.ledger
    ceiling = guarantees.margin_at_most(ledger).squared if len(ledger) else None
    assert s.margin.at_most_squared == ceiling
    if block is None and len(ledger):
        block = Block(ledger.examples.take(ledger.example), ledger.labels)
    if block is None or not weights.any():
        assert s.margin.low == 0
        return
    achieved = guarantees.achieved_margin(weights, block)
    assert s.separates == (achieved.smallest > 0) == (s.wrong_row is None)
    assert s.margin.low == max(achieved.value, 0) <= s.margin.high


def assert_bound(s: Summary, run: Run, block: Block | None, eta: Fraction) -> None:
    ledger, weights = run.ledger, readings.final(run.ledger)
    try:
        if ledger.start is not None:
            assert s.bound == guarantees.from_start(ledger, weights, margin=eta)
        elif eta:
            assert s.bound == guarantees.margin_perceptron(ledger, weights, eta)
        else:
            assert s.bound == guarantees.adaptive(ledger, weights)
            novikoff = guarantees.novikoff(ledger, weights).bound
            assert s.bound.bound <= novikoff
            if block is None and s.bound_interval is not None:
                assert s.bound_interval[1] == novikoff
    except NotAWitness:
        if block is not None and ledger.start is None and eta == 0:
            assert s.bound == guarantees.best_comparator(ledger, block)
        else:
            assert (s.bound, "do not separate" in s.unknown["bound"]) == (None, True)
    assert s.bound is None or s.bound.holds
    least, most = s.bound_interval or (0, None)
    assert most is None or max(least, len(ledger)) <= most


def assert_sandwich(s: Summary, run: Run, eta: Fraction) -> None:
    if len(run.ledger) == 0:
        assert (s.sandwich, "sandwich" in s.unknown) == (None, False)
        return
    try:
        one = guarantees.sandwich(run.ledger, readings.final(run.ledger), margin=eta)
    except NotAWitness:
        assert "do not separate" in s.unknown["sandwich"]
    except ValueError:
        assert "did not start at 0" in s.unknown["sandwich"]
    else:
        ends = [x[-1] for x in (one.lower, one.progress, one.norm, one.root_sum, one.upper)]
        assert s.sandwich is not None
        assert list(s.sandwich.numbers) == ends
        assert (s.sandwich.holds, s.sandwich.followed, s.sandwich.failure) == (True, True, None)


@given(drawn=separable_data(), rate=st.sampled_from((1.0, 0.75)), eta=st.sampled_from((0.0, 0.5)))
def test_a_run_too_long_to_follow_has_the_same_numbers_at_its_end(
    drawn: tuple[Data, Any], rate: float, eta: float
) -> None:
    block = drawn[0].block()
    run = played(block, 10**6, rate=rate, margin=eta, class_weights=(1.0, 0.5), bias=True)
    followed = run.summary(margin=eta).sandwich
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "_TO_FOLLOW", 0)
        s = run.summary(margin=eta)
    assert followed is not None
    assert s.sandwich is not None
    assert s.sandwich.numbers == followed.numbers
    assert (s.sandwich.followed, s.sandwich.holds) == (False, True)
    bound = guarantees.margin_perceptron(run.ledger, readings.final(run.ledger), eta).bound
    assert bound == (s.bound_interval or (0, 0))[1]
    assert "the run is too long to check every one" in said(s)


def test_the_margin_is_read_from_the_updates_unless_it_is_given() -> None:
    run = played(CORNERS, margin=6.0, rate=0.5)
    ledger, s = run.ledger, run.summary()
    eta = max(ledger.labels * ledger.scores)
    assert s.threshold == Fraction(eta) <= 6
    assert s.bound == guarantees.margin_perceptron(ledger, readings.final(ledger), eta)
    assert run.summary(margin=6).threshold == 6
    right = f"{s.updates} updates, {s.updates - s.mistakes} of them on examples that were right"
    assert right in said(s)
    assert f"updates, {s.updates} made" in said(s)
    assert "every example right by more than 6" in said(run.summary(margin=6))
    assert "γΣr ≤" in said(s)
    assert "the theorem's bound is" in said(s)
    with pytest.raises(ValueError, match="the run used a larger margin"):
        run.summary(margin=0.1)


def test_positions_are_as_good_as_examples_when_the_data_are_given() -> None:
    dice = np.random.default_rng(0)
    u, n = dice.standard_normal(5), 300
    block = next(iter(sources.separable(n, u, margin=0.02, seed=1, block=n)))
    thirds, mixed = np.split(np.arange(n), 3), dice.permutation(n)
    pieces = [Block(block.rows.take(at), block.labels[at], int(at[0])) for at in thirds]
    stored = Block(block.rows.take(mixed), block.labels[mixed], 0, None, mixed)
    whole = played(block, 500).summary(block)
    assert whole.sandwich is not None
    for data in (block, pieces, stored):
        assert played(block, 500, "positions").summary(data) == whole
    alone = played(block, 500, "positions").summary()
    assert (alone.bound, alone.sandwich, alone.margin.high) == (None, None, math.inf)
    assert said(alone).count("the ledger did not keep the mistaken examples") == 3
    far = [pieces[0], Block(pieces[1].rows, pieces[1].labels, 5000)]
    assert played(far, 500, "positions").summary(far) == played(far, 500).summary(far)


def test_a_ledger_of_counts_has_a_short_summary() -> None:
    learner = Additive(2)
    run = play(CORNERS, learner, epochs=9, ledger=learner.open_ledger("counts"))
    s = run.summary()
    assert (s.mistakes, s.updates, s.threshold, s.bound) == (1, 1, None, None)
    assert s.error_bound == guarantees.risk_bound(run.ledger, confidence=Fraction(95, 100))
    assert "not known: the ledger did not keep" in said(s)
    assert "checked" not in said(run.summary(CORNERS))
    more = run.summary(CORNERS, weights=learner.weights)
    assert more.margin.low == guarantees.achieved_margin(learner.weights, CORNERS).value
    assert "checked in exact arithmetic" in said(more)


def test_short_and_empty_runs_have_summaries() -> None:
    nothing, right = Run(Additive(2).open_ledger(), Verdict.INTERRUPTED), np.array([2.0, 1.0])
    one, zero = sources.block([[1.5]], [1]), sources.block([[0.0, 0.0]], [1])
    for summary, words in (
        (nothing.summary(CORNERS), "not known: the run made no mistake"),
        (played(one).summary(one), "2, of 1 example each; 2 examples in all"),
        (played(CORNERS, start=-right).summary(), "none: the weights did not start at 0"),
        (played(CORNERS, start=right).summary(CORNERS), "at least 1.34164, "),
        (played(zero, 1).summary(), "0: the mistakes sum to 0, so no weights"),
        (played(zero).summary(zero), "(proof: 1 row)"),
        (
            played(XOR, bias=True).summary(XOR),
            "12 made, not below the number of rounds, 12, so of no use:",
        ),
        (played(NOISY, margin=9.0).summary(), "on examples that were right, but by too little"),
    ):
        assert words in said(summary)


def test_rounding_and_ties_do_not_pass_for_separation() -> None:
    positive = sources.block([[1.0, 2.0], [3.0, -1.0]], [1, 1])
    idle = played(positive, ties="positive")
    assert (idle.verdict, len(idle.ledger)) == ("separated", 0)
    assert "in exact arithmetic the weights are all 0" in said(idle.summary(positive))
    on_it = sources.block([[1.0], [0.0]], [-1, 1])
    s = played(on_it, ties="positive").summary(on_it)
    assert (s.verdict, s.separates, s.wrong_row) == ("separated", False, 1)
    assert "but in exact arithmetic row 1 is not on its correct side" in said(s)


def test_a_bound_broken_by_rounding_is_reported() -> None:
    s = played(CORNERS).summary()
    assert s.bound is not None
    assert s.sandwich is not None
    few = replace(s, bound=replace(s.bound, bound=0))
    assert "at most 0 mistakes, 1 made, more than the bound because of rounding" in said(few)
    fails = replace(s.sandwich, holds=False, failure="γ Σr ≤ ⟨w,u⟩ fails after mistake 1 (row 0)")
    assert "fails after mistake 1 (row 0) because of rounding" in said(replace(s, sandwich=fails))
    unseen = replace(fails, failure=None, followed=False)
    assert "it fails because of rounding" in said(replace(s, sandwich=unseen))


def test_the_final_weights_may_separate_though_the_budget_ran_out() -> None:
    s = played(sources.tight(9), 1).summary(sources.tight(9))
    assert (s.verdict, s.separates) == ("budget", True)
    assert s.margin.low == s.margin.high == 1 / 3
    assert s.bound_interval == (9, 9)
    assert "but the final weights separate them, in exact arithmetic" in said(s)


def test_other_data_than_those_of_the_run_are_refused() -> None:
    run = played(XOR, bias=True)
    for data, words in (
        ([], "hold no examples"),
        (sources.tight(3), "have 3 features, the ledger 2"),
        (sources.block(XOR.rows.values[:3], [-1, 1, 1]), "the run: row 3 is missing"),
        (sources.block(XOR.rows.values, [-1, 1, 1, 1]), "the run: row 3 has another label"),
    ):
        with pytest.raises(BadExample, match=words):
            run.summary(data)
    with pytest.raises(ValueError, match="verdict must be one of separated, cycle"):
        Summary.of(run.ledger, "converged")
    with pytest.raises(TypeError, match="expected a Ledger"):
        Summary.of((run.ledger,), "budget")  # type: ignore[arg-type]


def test_a_ledger_of_a_learner_that_had_played_before_has_no_error_bound() -> None:
    learner = Additive(2)
    play(CORNERS, learner)
    s = play(XOR, learner, epochs=3).summary()
    assert "future errors no bound: the learner had met 4 examples before" in said(s)


def test_exact_numbers_are_texts_that_can_be_read_back() -> None:
    X = np.random.default_rng(0).standard_normal((20, 3))
    s = played(sources.block(X, np.where(X @ [1, 2, 3] > 0, 1, -1))).summary()
    read = s.to_dict()
    assert read["radius_squared"].startswith("0x")
    for text, number in (
        (read["radius_squared"], s.radius_squared),
        (read["margin"]["at_most_squared"], s.margin.at_most_squared),
        (read["bound"]["margin"], s.bound.margin if s.bound else None),
    ):
        over, _, under = text.partition("/")
        assert Fraction(int(over, 0), int(under or "1", 0)) == number
    cycle = played(XOR, bias=True).summary().to_dict()["cycle"]
    assert (cycle["rows"], cycle["multipliers"]) == ([0, 1, 2, 3], ["1"] * 4)
    huge = sources.block([[1e150, 1e-300], [1e-290, -3e-310]], [1, 1])
    assert "(R/γ)² is between 1 and 1×10⁸⁸⁰" in said(played(huge).summary(huge))


ADDITIVE = ("AveragedPerceptron", "MarginPerceptron", "Perceptron", "VotedPerceptron")


@pytest.mark.parametrize("name", ADDITIVE)
def test_an_estimator_sums_up_its_run(name: str) -> None:
    kind = getattr(classifiers, name)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        kind().summary()
    clf = kind(class_weight={False: 1.0, True: 2.0}, eta0=0.5).fit(X, y == 0)
    weights = np.append(*clf.weights("final"))
    block = sources.block(X, np.where(y == 0, 1, -1))
    s = clf.summary(X, y == 0)
    assert s == clf.runs_[0].summary(block, weights=weights, margin=getattr(clf, "margin", 0))
    assert s.margin.low == guarantees.achieved_margin(weights, block).value
    assert clf.summary().examples is None
    clf.set_params(eta0=9.0)
    assert clf.summary(X, y == 0) == s
    with pytest.raises(ValueError, match="row 0: label 5 is"):
        clf.summary(X, np.full(len(y), 5))
    for half in ({"X": X}, {"y": y}):
        with pytest.raises(ValueError):
            clf.summary(**half)


def test_a_stream_is_one_pass_however_it_is_cut() -> None:
    X, y = load_iris(return_X_y=True)
    clf: Any = Perceptron()
    for i in range(0, 150, 7):
        clf.partial_fit(X[i : i + 7], y[i : i + 7] == 0, classes=[False, True])
    s = clf.summary(X, y == 0)
    assert (s.verdict, s.epochs, s.pass_lengths) == ("budget", 1, (150, 150))
    block = sources.block(X, np.where(y == 0, 1, -1))
    assert s == played(block, 1, bias=True).summary(block)
    clf.set_params(max_iter=20).fit(X, y == 1).partial_fit(X[:7], y[:7] == 1)
    s = clf.summary(np.vstack([X, X[:7]]), np.append(y, y[:7]) == 1)
    assert (s.pass_lengths, s.examples, s.bound) == ((7, 150), 157, None)
    assert "of 7 to 150 examples" in said(s)
    assert "a pass over them has 157 rounds" in said(s)


def test_more_classes_have_a_summary_each() -> None:
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(max_iter=20, keep="counts").fit(X, y)
    every = clf.summary(X, y)
    assert isinstance(every, Summaries)
    assert (len(every), every.classes) == (3, (0, 1, 2))
    for k in range(3):
        alone = Perceptron(max_iter=20, keep="counts").fit(X, y == k).summary(X, y == k)
        assert every[k] == alone
        assert every.to_dict()["summaries"][k] == alone.to_dict()
    assert "? 11.16 ?" in said(every)
    assert "8.259 ≥ 0.0825" in said(every)


@pytest.mark.parametrize("seed", range(20))
def test_every_summary_fits_a_screen(seed: int) -> None:
    dice = np.random.default_rng(seed)
    n, dim = int(dice.integers(2, 3000)), int(dice.integers(1, 60))
    X = dice.standard_normal((n, dim)) * 10.0 ** dice.integers(-90, 90)
    noise = np.where(dice.random(n) < 0.05, -1, 1) if seed % 2 else 1
    block = sources.block(X, np.where(X[:, 0] > 0, 1, -1) * noise)
    keep: Keep = ("examples", "positions", "counts")[seed % 3]
    start = dice.standard_normal(dim) if seed % 5 == 0 else None
    eta = (0.0, 1e-3, 10.0)[seed // 3 % 3]
    run = played(block, 20, keep, start=start, margin=eta, class_weights=(1.0, 3.0))
    assert all(said(run.summary(data, margin=eta)) for data in (None, block))
