"""Visiting the rows mistaken so far between passes: another order, the same theory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.strategies import dyadic_data, layouts, orders, precisions
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, BalancedWinnow, Joint
from novikoff.ledger.ledger import Ledger
from novikoff.runs import pool
from novikoff.runs.loop import Run, play
from novikoff.runs.pool import Pool
from novikoff.sources import block, separable
from novikoff.stream.blocks import Block

XOR = block([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1])
NARROW = separable(2000, [3, 1, -2, 1, 1], margin=0.01, seed=1)


def pieces(whole: Block, cuts: list[int]) -> list[Block]:
    """The rows of a block in its order, in blocks that end at these places."""
    order = np.arange(len(whole)) if whole.order is None else whole.order
    numbers = order if whole.numbers is None else whole.numbers[order]
    ends = sorted({0, len(order), *(cut for cut in cuts if cut < len(order))})
    return [
        replace(whole.take(order[a:b]), first=a, numbers=numbers[a:b] - a)
        for a, b in pairwise(ends)
    ]


def told(run: Run) -> tuple[object, ...]:
    ledger = run.ledger
    rows = ledger.rounds.tolist(), ledger.rows.tolist(), ledger.scores.tolist()
    return *rows, run.verdict, ledger.epoch_ends, ledger.revisits


@settings(max_examples=60)
@given(st.data())
def test_the_run_is_the_textbooks_whatever_the_layout_and_the_blocks(draws: st.DataObject) -> None:
    data = draws.draw(dyadic_data())
    bias, order = draws.draw(st.booleans()), draws.draw(orders(len(data)))
    eta, epochs = draws.draw(st.sampled_from((0.0, 0.5, 3.0))), draws.draw(st.integers(1, 4))
    most, cuts = draws.draw(st.integers(1, 6)), draws.draw(st.lists(st.integers(1, 20), max_size=4))
    where = range(len(data)) if order is None else order.tolist()
    points = [[*map(Fraction, x), *[Fraction(1)] * bias] for x in data.X.tolist()]
    book = textbook.revisiting(
        [(i, points[i], int(data.y[i])) for i in where],
        start=[Fraction(0)] * (data.dim + bias),
        margin=Fraction(eta),
        epochs=epochs,
        most=most,
    )
    whole = data.block(draws.draw(layouts), draws.draw(precisions), order=order)
    learner = Additive(data.dim, bias=bias, margin=eta)
    other = Additive(data.dim, bias=bias, margin=eta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "MOST_PASSES", most)
        run = play(whole, learner, epochs=epochs, revisit="mistakes")
        in_pieces = play(pieces(whole, cuts), other, epochs=epochs, revisit="mistakes")
    assert told(in_pieces) == told(run)
    ledger = run.ledger
    made = zip(ledger.rounds.tolist(), ledger.rows.tolist(), map(Fraction, ledger.scores.tolist()))  # noqa: B905
    assert [*made] == book.mistakes[: len(ledger)]
    assert (run.verdict is Verdict.SEPARATED) == (book.clean and run.cycle is None)
    if run.cycle is None:
        lengths = np.diff([0, *ledger.epoch_ends]).tolist()
        again = [k in ledger.revisits for k in range(len(lengths))]
        assert [*zip(lengths, again, strict=True)] == book.passes
        assert [*map(Fraction, learner.weights.tolist())] == book.weights
        assert len(ledger) == len(book.mistakes)


def test_far_fewer_passes_over_the_data_separate_them_and_fewest_with_a_margin() -> None:
    plain = play(NARROW, Additive(5), epochs=10**4)
    again = play(NARROW, Additive(5), epochs=10**4, revisit="mistakes")
    wide = play(NARROW, Additive(5, margin=1.0), epochs=10**4, revisit="mistakes")
    runs = (plain, again, wide)
    assert {run.verdict for run in runs} == {Verdict.SEPARATED}
    assert [run.epochs for run in runs] == sorted((run.epochs for run in runs), reverse=True)
    assert plain.epochs >= 5 * again.epochs > wide.epochs


def test_the_bound_holds_and_the_summary_tells_both_kinds_of_passes() -> None:
    run = play(NARROW, Additive(5, margin=1.0), epochs=100, revisit="mistakes")
    found = run.summary(NARROW)
    assert found.separates
    assert found.bound is not None
    assert found.bound.holds
    words = str(found)
    assert f"{run.epochs}, of 2,000 examples each, and {len(run.ledger.revisits)} over the" in words
    assert "the last pass made no mistake" in words


@pytest.mark.parametrize("learner", [Additive(2, bias=True), Joint(2, classes=2, bias=True)])
def test_mistaken_rows_that_are_not_separable_prove_that_the_data_are_not(
    learner: Additive | Joint,
) -> None:
    right = block([[5.0 + k, 5.0] for k in range(20)], [1] * 20)
    data = [XOR, replace(right, first=4)]
    run = play(data, learner, epochs=3, revisit="mistakes")
    assert run.verdict is Verdict.CYCLE
    assert run.cycle is not None
    assert set(run.cycle.rows.tolist()) <= {0, 1, 2, 3}
    assert run.cycle.until in run.ledger.revisits or run.cycle.until - 1 in run.ledger.revisits


def test_a_cycle_is_found_however_long_it_takes_once_the_pool_stops_growing() -> None:
    dice = np.random.default_rng(4)
    X, y = dice.integers(-3, 4, (30, 3)).astype(float), dice.choice([-1, 1], 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "MOST_PASSES", 2)  # too few for a cycle within one visit
        run = play(block(X, y), Additive(3, bias=True), epochs=10**4, revisit="mistakes")
    assert run.verdict is Verdict.CYCLE


def test_rows_mistaken_on_other_machines_are_visited_more_often() -> None:
    class Mistaken(list[Block]):
        is_exchange = True

    dice = np.random.default_rng(4)
    whole = block(dice.normal(size=(30, 3)), dice.choice([-1, 1], 30))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "MOST_PASSES", 2)
        patch.setattr(pool, "MOST_BETWEEN_MACHINES", 5)
        for stream, most in ((whole, 2), (Mistaken([whole]), 5)):
            run = play(stream, Additive(3), revisit="mistakes")
            assert len(run.ledger.revisits) == most


def test_a_cycle_is_counted_from_where_the_pool_grew_last() -> None:
    several = 0
    for seed in range(40):
        dice = np.random.default_rng(seed)
        X, y = dice.integers(-3, 4, (8, 2)).astype(float), dice.choice([-1, 1], 8)
        run = play(block(X, y), Additive(2, bias=True), epochs=50, revisit="mistakes")
        if run.cycle is None:
            continue
        scans = run.ledger.scans
        assert run.cycle.until == len(run.ledger.epoch_ends)
        assert run.cycle.since > scans[-1]
        several += len(scans) > 1
    assert several > 3


def test_weights_that_are_right_at_once_need_no_pool() -> None:
    run = play(
        block([[1.0], [-1.0]], [1, -1]), Additive(1, start=np.array([1.0])), revisit="mistakes"
    )
    assert (run.verdict, run.epochs, run.ledger.revisits) == (Verdict.SEPARATED, 1, [])


def test_the_last_pass_over_the_data_is_followed_by_the_pool() -> None:
    run = play(NARROW, Additive(5), revisit="mistakes")
    assert (run.verdict, run.epochs) == (Verdict.BUDGET, 1)
    assert run.ledger.epoch_updates[-1] == 0 or len(run.ledger.revisits) == pool.MOST_PASSES
    assert "separated" not in str(run.summary())


def test_winnow_visits_its_mistakes_too() -> None:
    run = play(NARROW, BalancedWinnow(5), epochs=200, revisit="mistakes")
    assert run.verdict is Verdict.SEPARATED
    assert run.ledger.revisits


def test_a_pool_is_saved_and_restored_as_it_is() -> None:
    kept = Pool()
    learner, ledger = Additive(5), Additive(5).open_ledger()
    play(NARROW, learner, ledger=ledger, revisit=kept)
    settings_, arrays = kept.state(5)
    again = Pool.restored(settings_, arrays, 5)
    a, b = kept.block(5), again.block(5)
    assert a.labels.tolist() == b.labels.tolist()
    assert a.positions(np.arange(len(a))).tolist() == b.positions(np.arange(len(b))).tolist()
    assert np.array_equal(a.rows.values, b.rows.values)
    assert (again.passes, again.is_clean) == (kept.passes, kept.is_clean)
    assert not again.is_larger
    kept.add(replace(block(np.eye(5), [1] * 5), first=10**6), np.array([10**6 + 2]))
    assert Pool.restored(*kept.state(5), 5).is_larger


def test_a_ledger_stores_which_passes_were_over_mistaken_rows() -> None:
    ledger = play(NARROW, Additive(5), epochs=50, revisit="mistakes").ledger
    again = Ledger.restored(*ledger.state())
    assert again.revisits == ledger.revisits
    assert again.scans == [k for k in range(len(ledger.epoch_ends)) if k not in ledger.revisits]


def test_ctrl_c_leaves_the_margin_as_it_was() -> None:
    learner = Additive(5, margin=1.0)

    def stopping() -> Iterator[Block]:
        yield from NARROW
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(stopping(), learner, revisit="mistakes")
    assert not learner.only_mistakes


def test_another_word_is_refused() -> None:
    with pytest.raises(ValueError, match="revisit must be 'mistakes' or None, not 'all'"):
        play(XOR, Additive(2), revisit="all")  # type: ignore[arg-type]
