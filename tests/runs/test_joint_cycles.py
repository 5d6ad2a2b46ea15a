"""If no weights separate many classes, the joint weights cycle, which proves it."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Joint, Perceptron, Run, Verdict, play, sources
from novikoff.guarantees.verdict import Cycle
from novikoff.runs.cycles import CycleSearch
from novikoff.stream.blocks import Block
from novikoff.stream.order import Shuffled

TANGLED = ([[1, 0], [0, 1], [1, 0], [-1, -1], [0, 1], [2, 1]], [0, 1, 2, 2, 1, 0])


def proven(run: Run, block: Block, *, bias: bool) -> Cycle:
    """The cycle of a run, which is checked: Kesler's vectors times λ > 0 sum to 0."""
    cycle = run.cycle
    assert cycle is not None
    assert cycle.rivals is not None
    total: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for i, r, size in zip(
        cycle.rows.tolist(), cycle.rivals.tolist(), cycle.multipliers, strict=True
    ):
        assert size > 0
        y = int(block.codes[i])
        assert r != y
        columns, values = block.rows.row(i)
        x = dict(zip(columns.tolist(), values.tolist(), strict=True)) | ({-1: 1.0} if bias else {})
        for j, value in x.items():
            total[y, j] += size * Fraction(value)
            total[r, j] -= size * Fraction(value)
    assert not any(total.values())
    return cycle


@given(st.data(), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_a_run_on_integers_in_a_fixed_order_ends_in_a_separator_or_a_proof(
    draw: st.DataObject, bias: bool, margin: float
) -> None:
    n = draw.draw(st.integers(1, 6))
    X = draw.draw(st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=n, max_size=n))
    y = draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    block = sources.classes_block(np.array(X, dtype=float), y)
    learner = Joint(2, classes=3, bias=bias, margin=margin)
    run = play(block, learner, epochs=20_000)
    if run.verdict is Verdict.SEPARATED:
        lead = learner.scores(block.rows)
        own = lead[np.arange(n), y].copy()
        lead[np.arange(n), y] = -np.inf
        assert (own > lead.max(axis=1) + margin).all()
    else:
        assert run.verdict is Verdict.CYCLE
        proven(run, block, bias=bias)


def test_the_proof_is_the_same_from_blocks_in_any_order_of_rows() -> None:
    block = sources.classes_block(*TANGLED)
    whole = play(block, Joint(2), epochs=10_000)
    assert "so no weights separate the rows" in str(proven(whole, block, bias=False))
    pieces = [
        sources.classes_block(TANGLED[0][i : i + 2], TANGLED[1][i : i + 2], first=i)
        for i in (0, 2, 4)
    ]
    cut = play(pieces, Joint(2), epochs=10_000)
    assert cut.cycle is not None
    assert whole.cycle is not None
    assert cut.cycle.rows.tolist() == whole.cycle.rows.tolist()
    assert cut.cycle.multipliers == whole.cycle.multipliers
    mixed = play(Shuffled(block, seed=3), Joint(2, rate=0.25), epochs=10_000)
    proven(mixed, block, bias=False)


def test_an_estimator_reports_the_cycle_too() -> None:
    clf = Perceptron(multiclass="joint", max_iter=10_000).fit(*TANGLED)
    assert clf.verdict_ == "cycle"
    assert "cycle" in str(clf.summary())


def test_a_search_that_is_saved_and_restored_finds_it_at_the_same_pass() -> None:
    block = sources.classes_block(*TANGLED)
    straight = play(block, Joint(2, bias=True), epochs=10_000)
    assert straight.cycle is not None
    learner, cycles = Joint(2, bias=True), CycleSearch()
    ledger = learner.open_ledger()
    cycle = None
    while cycle is None and len(ledger.epoch_ends) < straight.epochs:
        cycle = play(block, learner, ledger=ledger, cycles=cycles).cycle
        cycles = CycleSearch.restored(*cycles.state(2, bias=True), 2, 3)
    assert len(ledger.epoch_ends) == straight.epochs
    assert cycle is not None
    assert cycle.multipliers == straight.cycle.multipliers


def test_a_return_of_the_weights_by_rounding_proves_nothing() -> None:
    # one step is lost in the other: the weights return, and the updates do not sum to 0
    block = sources.classes_block([[1.0], [2.0**60], [-(2.0**60)]], [0, 1, 1])
    run = play(block, Joint(1, classes=2), epochs=9)
    assert run.verdict is Verdict.BUDGET
