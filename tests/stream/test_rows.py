"""Rows and their order: nothing is copied that need not be, and nothing is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import novikoff.stream.order as ordering
import novikoff.stream.rows as row_module
from helpers.strategies import (
    Data,
    Layout,
    Precision,
    dyadic_data,
    float_data,
    layouts,
    precisions,
    seeds,
)
from helpers.strategies import untidy as untidy_rows
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.runs.loop import play
from novikoff.sources import block, rows_of
from novikoff.stream.blocks import Block, signs
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import Shuffled, seeded_order
from novikoff.stream.rows import DenseRows, Rows, SparseRows, dots, join, predicted
from novikoff.stream.scaling import unit_length


def dense(rows: Rows) -> list[list[float]]:
    """The rows written out; entries at one column add up."""
    out = np.zeros((len(rows), rows.dim))
    for i in range(len(rows)):
        columns, values = rows.row(i)
        np.add.at(out[i], columns, values)
    return out.tolist()


@settings(max_examples=40)
@given(float_data(), layouts, precisions)
def test_a_row_is_its_columns_and_values(data: Data, layout: Layout, precision: Precision) -> None:
    rows = data.rows(layout, precision)
    assert dense(rows) == data.X.tolist()
    assert (len(rows), rows.dim) == data.X.shape
    columns, values = rows.row(0)
    assert columns.dtype == np.int64
    assert values.dtype == np.float64


@settings(max_examples=40)
@given(st.data())
def test_rows_taken_are_copies_in_the_order_asked(draws: st.DataObject) -> None:
    data = draws.draw(float_data())
    rows = data.rows(draws.draw(layouts), draws.draw(precisions))
    wanted = draws.draw(st.lists(st.integers(0, len(data) - 1), max_size=12))
    taken = rows.take(np.array(wanted, dtype=np.int64))
    assert dense(taken) == data.X[wanted].tolist()
    assert taken.values.dtype == rows.values.dtype
    assert not np.shares_memory(taken.values, rows.values)
    if isinstance(rows, SparseRows) and isinstance(taken, SparseRows):
        assert taken.indices.dtype == rows.indices.dtype
        assert taken.starts.dtype == rows.starts.dtype
        assert taken.starts[0] == 0
        assert len(taken.values) == len(taken.indices) == taken.starts[-1]


@settings(max_examples=40)
@given(st.data())
def test_pieces_joined_are_the_whole(draws: st.DataObject) -> None:
    data = draws.draw(float_data())
    cuts = draws.draw(st.lists(st.integers(0, len(data)), max_size=4))
    pieces = data.pieces(cuts, draws.draw(layouts), draws.draw(precisions))
    joined = join([piece.rows for piece in pieces])
    assert dense(joined) == data.X.tolist()
    learner = Additive(data.dim)
    assert learner.learn(Block(joined, data.y), 0, len(data))[0] == len(data)


def test_joining_keeps_columns_too_large_for_int32() -> None:
    far = 2**40
    wide = SparseRows(np.ones(1), np.array([far]), np.array([0, 1]), far + 1)
    joined = join([wide, wide])
    assert isinstance(joined, SparseRows)
    assert joined.indices.tolist() == [far, far]


@pytest.mark.parametrize(
    ("starts", "row"),
    [([0, 2, 5], 1), ([0, 3, 2], 1), ([-1, 2, 4], 0), ([0, -1, 4], 0), ([5, 5, 5], 1), ([], 0)],
)
def test_rows_outside_the_stored_entries_are_refused_at_once(starts: list[int], row: int) -> None:
    with pytest.raises(BadExample, match=rf"row {row}: its entries are out of bounds; 4 are"):
        SparseRows(np.ones(4), np.array([0, 1, 0, 1]), np.array(starts, dtype=np.int64), 2)


@settings(max_examples=40)
@given(dyadic_data(), seeds)
def test_rows_put_in_order_are_sorted_unrepeated_and_the_same(data: Data, seed: int) -> None:
    rows = untidy_rows(data.X, np.random.default_rng(seed))
    before = rows.values.copy(), rows.indices.copy(), rows.starts.copy()
    arrays = rows.values, rows.indices, rows.starts
    rows.put_in_order()
    assert dense(rows) == data.X.tolist()
    assert (len(rows), rows.dim) == data.X.shape
    for i in range(len(rows)):
        assert (np.diff(rows.row(i)[0]) > 0).all()
    assert rows.indices.dtype == rows.starts.dtype == np.int32
    for array, copied in zip(arrays, before, strict=True):
        assert array.tolist() == copied.tolist()


def test_rows_put_in_order_may_share_their_entries_with_others() -> None:
    """Rows 1 and 2 of four, over the memory of all: nothing says the entries are all theirs."""
    values, indices = np.arange(1.0, 9.0), np.array([1, 0] * 4)
    rows = SparseRows(values, indices, np.array([2, 4, 6]), 2)
    assert dots(rows, np.array([1.0, 10.0])).tolist() == [34.0, 56.0]


def test_putting_in_order_names_the_row_of_a_bad_column() -> None:
    rows = SparseRows(np.ones(4), np.array([1, 0, 0, 7]), np.array([0, 2, 2, 4]), 2)
    with pytest.raises(BadExample, match=r"row 2: column 7 is not in 0\.\.1"):
        dots(rows, np.zeros(2))


def test_putting_in_order_leaves_a_row_with_a_bad_column_as_it_is() -> None:
    """So that it is refused when it is met, and for what was given."""
    rows = SparseRows(np.arange(6.0), np.array([1, 0, 7, 7, -1, 0]), np.array([0, 2, 6]), 2)
    rows.put_in_order()
    assert rows.row(0)[0].tolist() == [0, 1]
    assert [part.tolist() for part in rows.row(1)] == [[7, 7, -1, 0], [2.0, 3.0, 4.0, 5.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_the_core_can_read_is_not_copied(dtype: type[np.floating[Any]]) -> None:
    X = np.random.default_rng(0).standard_normal((6, 4)).astype(dtype)
    rows = rows_of(X)
    assert rows.values.dtype == dtype
    assert np.shares_memory(rows.values, X)
    assert np.shares_memory(block(X, [1] * 6).rows.values, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_a_csr_the_core_can_read_is_not_copied(
    kind: Any, width: type[np.signedinteger[Any]], dtype: type[np.floating[Any]]
) -> None:
    X = kind(np.random.default_rng(0).standard_normal((6, 4)).astype(dtype))
    X.indices, X.indptr = X.indices.astype(width), X.indptr.astype(width)
    rows = rows_of(X)
    assert isinstance(rows, SparseRows)
    assert np.shares_memory(rows.values, X.data)
    assert np.shares_memory(rows.indices, X.indices)
    assert np.shares_memory(rows.starts, X.indptr)
    assert dense(rows) == X.toarray().tolist()


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_scores_are_the_same_however_many_processors_share_them(
    layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.random.default_rng(5).standard_normal((1000, 7))
    X[X < -1] = 0
    some = block(X if layout == "dense" else sp.csr_array(X), [1] * 1000).rows
    w = np.random.default_rng(6).standard_normal(7)
    alone = dots(some, w)
    monkeypatch.setattr(row_module, "_WORTH_A_THREAD", 100)
    for cores in (1, 2, 5):
        monkeypatch.setattr(row_module, "_cores", lambda cores=cores: cores)
        assert dots(some, w).tobytes() == alone.tobytes()
        for two in (np.array(["no", "yes"]), np.array([-1, 1])):
            found = predicted(some, w, two, bias=False, zero_is_positive=False)
            assert found.tolist() == [two[int(score > 0)] for score in alone.tolist()]


def sign_labels(rows: Rows, w: Any) -> NDArray[Any]:
    return predicted(rows, w, np.array([-1, 1]), bias=False, zero_is_positive=False)


def test_a_row_that_cannot_be_scored_is_named_however_many_processors_share_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.ones((1000, 3))
    X[777, 2] = X[999, 0] = np.nan
    monkeypatch.setattr(row_module, "_WORTH_A_THREAD", 100)
    monkeypatch.setattr(row_module, "_cores", lambda: 4)
    with pytest.raises(BadExample, match=r"NaN \(row 777, column 2\)"):
        dots(DenseRows(X), np.ones(3))
    with pytest.raises(BadExample, match=r"NaN \(row 777, column 2\)"):
        sign_labels(DenseRows(X), np.ones(3))
    indices = np.tile([2, 0], 1000)  # out of order in every row
    for found, expected in ((dots, 2), (sign_labels, 1)):
        unsorted = SparseRows(np.ones(2000), indices, np.arange(0, 2001, 2), 3)
        assert (found(unsorted, np.arange(3.0)) == expected).all()


def test_learning_writes_nothing_to_the_rows() -> None:
    X = np.random.default_rng(0).standard_normal((6, 4))
    X.flags.writeable = False
    play([block(X, [1, -1] * 3)], Additive(4), epochs=2)
    mixed = sp.csr_array((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    play([block(mixed, [1])], Additive(2))
    assert mixed.indices.tolist() == [1, 0]


WHOLE = np.arange(-6, 6).reshape(4, 3)


@pytest.mark.parametrize(
    "X",
    [
        WHOLE.tolist(),
        WHOLE,
        WHOLE.astype(np.int8),
        WHOLE.astype(np.float16),
        WHOLE.astype(np.longdouble),
        WHOLE.astype(">f8"),
        WHOLE.astype(">f4"),
        np.asfortranarray(WHOLE.astype(np.float64)),
        np.repeat(WHOLE.astype(np.float32), 2, axis=1)[:, ::2],
        np.repeat(WHOLE.astype(np.float64), 2, axis=0)[::2],
        sp.csc_array(WHOLE.astype(np.float32)),
        sp.coo_array(WHOLE),
        sp.lil_matrix(WHOLE),
        sp.csr_array(WHOLE),
    ],
    ids=lambda X: f"{type(X).__name__} {getattr(X, 'dtype', '')}",
)
def test_other_real_numbers_are_converted(X: Any) -> None:
    rows = rows_of(X)
    assert dense(rows) == WHOLE.tolist()
    assert rows.values.dtype in (np.float32, np.float64)
    assert rows.values.dtype.isnative
    assert rows.values.flags.c_contiguous
    assert dots(rows, np.array([1.0, 10.0, 100.0])).tolist() == (WHOLE @ [1, 10, 100]).tolist()


def test_booleans_are_zeros_and_ones() -> None:
    assert dense(rows_of(np.array([[True, False]]))) == [[1.0, 0.0]]


def test_a_csr_of_two_widths_is_made_one() -> None:
    X = sp.csr_array(np.eye(3))
    X.indptr = X.indptr.astype(np.int64)
    rows = rows_of(X)
    assert isinstance(rows, SparseRows)
    assert rows.indices.dtype == rows.starts.dtype == np.int64
    assert dense(rows) == np.eye(3).tolist()


@pytest.mark.parametrize(
    "X",
    [
        [[1 + 2j]],
        [["a", "b"]],
        np.array([[1.0, None]], dtype=object),
        np.array([["2001-01-01"]], dtype="datetime64[D]"),
        sp.csr_array(np.array([[1j]])),
    ],
    ids=["complex", "strings", "objects", "dates", "complex CSR"],
)
def test_what_is_not_a_real_number_is_refused(X: Any) -> None:
    with pytest.raises(BadExample, match="features must be real numbers, not"):
        rows_of(X)


@pytest.mark.parametrize(
    "X",
    [[1.0, 2.0], 3.0, np.zeros((2, 2, 2)), sp.coo_array(np.array([1.0, 0.0, 2.0]))],
    ids=["one-dimensional", "a number", "three-dimensional", "one-dimensional and sparse"],
)
def test_rows_have_two_dimensions(X: Any) -> None:
    with pytest.raises(BadExample, match="two-dimensional"):
        rows_of(X)


@pytest.mark.parametrize("y", [[1, -1, 1], [1.0, -1.0, 1.0], np.array([1, -1, 1], np.int8)])
def test_labels_are_signs(y: Any) -> None:
    assert signs(y).tolist() == [1, -1, 1]
    assert signs(y).dtype == np.int8


@pytest.mark.parametrize("wrong", [0, 2, 0.5, np.nan, 257, 255])
def test_another_label_is_refused_and_its_row_named(wrong: float) -> None:
    with pytest.raises(BadExample, match=r"row 2: label .* is not one of -1, \+1"):
        signs([1, -1, wrong])


def test_labels_have_one_dimension_and_one_for_each_row() -> None:
    with pytest.raises(BadExample, match="one-dimensional"):
        signs(np.ones((2, 1)))
    with pytest.raises(BadExample, match="3 rows but 2 labels"):
        block(np.eye(3), [1, -1])


def test_a_block_gives_its_examples_in_its_order() -> None:
    some = Data(np.diag([1.0, 2.0, 3.0]), np.array([1, -1, 1], np.int8)).block(
        order=np.array([2, 0, 1])
    )
    assert [e.values.max() for e in some] == [3.0, 1.0, 2.0]
    assert [e.label for e in some] == [1, 1, -1]
    assert some[1].label == -1


def chunked(patch: pytest.MonkeyPatch) -> None:
    """Make every order one of runs, as for data larger than the cache."""
    patch.setattr(ordering, "CACHE_BYTES", 0)
    patch.setattr(ordering, "RUN_BYTES", 64)
    patch.setattr(ordering, "RUNS_DEALT", 4)


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("layout", ["dense", "csr of int32"])
def test_a_seeded_order_is_a_permutation(
    runs: bool, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    if runs:
        chunked(monkeypatch)
    for n in (*range(40), 64, 100, 1000, 1023):
        for seed in (0, 1, 2**64 - 1):
            order = seeded_order(Data(np.ones((n, 2)), np.ones(n, np.int8)).rows(layout), seed)
            assert sorted(order.tolist()) == list(range(n))


@pytest.mark.parametrize("runs", [False, True])
def test_the_same_seed_gives_the_same_order(runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if runs:
        chunked(monkeypatch)
    rows = DenseRows(np.ones((1000, 2)))
    assert seeded_order(rows, 5).tolist() == seeded_order(rows, 5).tolist()
    assert seeded_order(rows, 5).tolist() != seeded_order(rows, 6).tolist()


def test_the_order_of_a_seed_is_the_same_on_every_machine() -> None:
    """SplitMix64 from seed 0 and Fisher–Yates downwards, written out here once more."""
    state = 0

    def below(n: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return ((z ^ z >> 31) >> 32) * n >> 32

    def shuffle(items: list[int]) -> None:
        for k in range(len(items), 1, -1):
            j = below(k)
            items[k - 1], items[j] = items[j], items[k - 1]

    expected = list(range(10))
    shuffle(expected)  # the runs, of one row each
    shuffle(expected)  # and the rows in them
    assert seeded_order(DenseRows(np.ones((10, 1))), 0).tolist() == expected


def test_every_order_of_four_rows_comes_equally_often() -> None:
    """24 orders, 200 expected of each from fixed seeds; 5 standard deviations are 70."""
    rows = DenseRows(np.ones((4, 1)))
    orders = [tuple(seeded_order(rows, seed).tolist()) for seed in range(4800)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 24
    assert max(abs(count - 200) for count in counts) < 70


@pytest.mark.parametrize("n", [5_000, 33 * 256, 65 * 256, 65 * 256 + 3, 500_000])
@pytest.mark.parametrize("fits", [True, False])
def test_data_sorted_by_class_come_out_mixed(
    n: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they fit in the cache or not, any 256 rows that are met together hold both classes.

    Also the last ones, when the number of runs is one more than are dealt at a time.
    """
    monkeypatch.setattr(ordering, "CACHE_BYTES", 2**40 if fits else 0)
    for seed in range(5):
        second = seeded_order(DenseRows(np.ones((n, 1))), seed) >= n // 2
        met = np.concatenate([[0], np.cumsum(second)])
        among = met[256:] - met[:-256]
        assert 0 < among.min() <= among.max() < 256


def test_large_data_are_read_forwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group of rows is dealt from RUNS_DEALT runs of neighbours, each in its own order."""
    monkeypatch.setattr(ordering, "CACHE_BYTES", 0)
    monkeypatch.setattr(ordering, "RUN_BYTES", 8 * 16)
    monkeypatch.setattr(ordering, "RUNS_DEALT", 10)
    order = seeded_order(DenseRows(np.ones((16_000, 1))), 3)
    for group in order.reshape(-1, 160):
        runs = np.unique(group // 16)
        assert len(runs) == 10
        for run in runs:
            assert group[group // 16 == run].tolist() == list(range(16 * run, 16 * run + 16))
        assert (np.diff(group // 16) != 0).sum() > 80


def blocks_of(n: int, size: int) -> list[Block]:
    X = np.random.default_rng(n).standard_normal((n, 3))
    return Data(X, np.array([1, -1] * (n // 2), np.int8)).pieces(list(range(size, n, size)))


def all_orders(stream: Shuffled) -> list[NDArray[np.int64] | None]:
    return [some.order for some in stream]


def as_lists(orders: list[NDArray[np.int64] | None]) -> list[list[int]]:
    return [order.tolist() for order in orders if order is not None]


def test_a_stream_shuffled_once_keeps_its_order() -> None:
    stream = Shuffled(blocks_of(60, 20), seed=1)
    first, second = as_lists(all_orders(stream)), as_lists(all_orders(stream))
    assert first == second
    assert [sorted(order) for order in first] == [list(range(20))] * 3
    assert first[0] != first[1]
    assert first == as_lists(all_orders(Shuffled(blocks_of(60, 20), seed=1)))
    assert first != as_lists(all_orders(Shuffled(blocks_of(60, 20), seed=2)))


def test_a_stream_shuffled_again_changes_its_order() -> None:
    stream = Shuffled(blocks_of(60, 20), seed=1, again=True)
    assert as_lists(all_orders(stream)) != as_lists(all_orders(stream))


def test_a_look_at_the_first_block_does_not_change_the_order() -> None:
    """`again=False` keeps one order for every pass, so that runs are reproducible."""
    looked, fresh = Shuffled(blocks_of(60, 20), seed=1), Shuffled(blocks_of(60, 20), seed=1)
    next(iter(looked))
    assert as_lists(all_orders(looked)) == as_lists(all_orders(fresh))


def test_a_shuffled_stream_can_be_played() -> None:
    learner = Additive(3, averaging=True)
    ledger = play(Shuffled(blocks_of(60, 20), seed=1, again=True), learner, epochs=5).ledger
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()
    assert readings.average(ledger).tobytes() == learner.average.tobytes()


@settings(max_examples=40)
@given(float_data(), layouts)
def test_scaled_rows_have_unit_length(data: Data, layout: Layout) -> None:
    """To a few roundings: each entry is divided once, by a root of a sum of squares."""
    scaled = np.array(dense(unit_length(data.rows(layout))))
    lengths = np.sqrt((scaled**2).sum(axis=1))
    expected = data.X.any(axis=1).astype(float)
    assert np.abs(lengths - expected).max() < 1e-14
    assert (np.sign(scaled) == np.sign(data.X)).all()


@pytest.mark.parametrize("layout", ["dense", "csr of int32"])
@pytest.mark.parametrize("cache", [0, 1 << 30])
def test_an_arranged_block_is_the_block_in_a_seeded_order(
    layout: Layout, cache: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the rows are copied into the order or only met in it, the run is the same."""
    monkeypatch.setattr(ordering, "CACHE_BYTES", cache)
    dice = np.random.default_rng(4)
    data = Data(dice.standard_normal((90, 5)), dice.choice(np.array([-1, 1], np.int8), 90))
    plain = Block(data.rows(layout), data.y, first=7)
    block = ordering.arranged(plain, 5)
    assert (block.order is None) == (cache > 0)
    order = seeded_order(plain.rows, 5)
    ordered = Block(plain.rows, data.y, 7, order)
    learner, other = Additive(5, averaging=True), Additive(5, averaging=True)
    run, expected = (play(b, x, epochs=4) for b, x in ((block, learner), (ordered, other)))
    assert run.ledger.rows.tolist() == expected.ledger.rows.tolist()
    assert set(run.ledger.rows) <= set(range(7, 97))
    assert learner.weights.tobytes() == other.weights.tobytes()
    assert readings.final(run.ledger).tobytes() == learner.weights.tobytes()
    assert learner.average.tobytes() == other.average.tobytes()


def test_a_bad_row_of_an_arranged_block_is_named_by_its_place_in_the_data() -> None:
    X = np.ones((50, 2))
    X[31, 1] = np.nan
    with pytest.raises(BadExample, match=r"NaN \(row 31, column 1\)"):
        play(ordering.arranged(block(X, [1, -1] * 25), 3), Additive(2))


def test_unsorted_sparse_rows_can_be_scaled_to_unit_length() -> None:
    rows = SparseRows(np.array([9.0, 3.0, 4.0, 1.0, 1.0, 9.0]), np.array([0, 1, 0, 0, 0, 0]),
                      np.array([1, 3, 5]), 2)  # fmt: skip
    assert dense(unit_length(rows)) == [[0.8, 0.6], [1.0, 0.0]]
    assert rows.values.tolist() == [9.0, 3.0, 4.0, 1.0, 1.0, 9.0]
    part = SparseRows(np.array([9.0, 3.0, 4.0, 9.0]), np.array([0, 0, 1, 0]), np.array([1, 3]), 2)
    assert dense(unit_length(part)) == [[0.6, 0.8]]


@pytest.mark.parametrize(
    ("labels", "more", "words"),
    [
        (np.array([0, 3], np.int8), {}, "labels must be -1 or \\+1"),
        (np.array([1.0, -1.0]), {}, "labels must be -1 or \\+1, as int8"),
        (
            np.array([1, -1], np.int8),
            {"order": np.array([0, 1], np.int32)},
            "order must be .* int64",
        ),
    ],
)
def test_a_block_is_refused_when_the_core_would_misread_it(
    labels: Any, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadExample, match=words):
        Block(DenseRows(np.eye(2)), labels, **more)
