"""Features as columns: by index, by name, hashed; multiplied, standardised, scaled."""

from __future__ import annotations

import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import error, json_of, stdout_of
from novikoff import BadExample
from novikoff.models.model import Model
from novikoff.sources import open_files
from novikoff.sources.chunks import Chunk, Names
from novikoff.sources.features import Features
from novikoff.sources.interactions import ALL, Pair
from novikoff.stream.rows import DenseRows, Rows, SparseRows, Vector

Example = dict[str, float]


def named(examples: list[Example], first: int = 0) -> Chunk:
    """A chunk of examples given by name."""
    places: dict[str, int] = {}
    entries = [(places.setdefault(name, len(places)), x) for e in examples for name, x in e.items()]
    starts = np.cumsum([0, *map(len, examples)])
    rows = SparseRows(
        np.array([x for _, x in entries], dtype=np.float64),
        np.array([j for j, _ in entries], dtype=np.int64),
        starts,
        len(places),
    )
    labels = np.zeros(len(examples), dtype=np.int32)
    return Chunk(rows, labels, ("1",), ("here",), Names.of(list(places)), first=first)


def indexed(examples: list[dict[int, float]]) -> Chunk:
    ordered = [sorted(e.items()) for e in examples]
    rows = SparseRows(
        np.array([x for e in ordered for _, x in e], dtype=np.float64),
        np.array([j for e in ordered for j, _ in e], dtype=np.int32),
        np.cumsum([0, *map(len, ordered)], dtype=np.int32),
        max((j for e in ordered for j, _ in e), default=-1) + 1,
    )
    return Chunk(rows, np.zeros(len(examples), np.int32), ("1",), ("here",))


def table(values: list[list[float]], columns: tuple[str, ...] | None = None) -> Chunk:
    rows = DenseRows(np.array(values, dtype=np.float64))
    return Chunk(rows, np.zeros(len(values), np.int32), ("1",), ("here",), columns=columns)


def by_name(rows: Rows, features: Features) -> list[Example]:
    names = features.names
    assert names is not None
    out = []
    for i in range(len(rows)):
        columns, values = rows.row(i)
        assert (np.diff(columns) > 0).all()
        out.append(dict(zip((names[j] for j in columns), values.tolist(), strict=True)))
    return out


letters = st.sampled_from(["a", "b", "c=x", "c=y", "d^1", "d^2", "é"])
examples = st.lists(
    st.dictionaries(letters, st.integers(-9, 9).map(float), max_size=6), min_size=1, max_size=5
)


@given(st.lists(examples, min_size=1, max_size=4))
def test_a_name_keeps_its_column(chunks: list[list[Example]]) -> None:
    features = Features()
    met = [features.rows(named(chunk)) for chunk in chunks]
    assert [by_name(rows, features) for rows in met] == chunks
    order = list(dict.fromkeys(name for chunk in chunks for e in chunk for name in e))
    assert features.names == tuple(order)
    assert all(rows.dim % 8 == 0 and rows.dim >= features.dim for rows in met[-1:])


@given(st.lists(examples, min_size=1, max_size=4), st.integers(0, 3))
def test_where_the_state_is_saved_does_not_matter(chunks: list[list[Example]], cut: int) -> None:
    undisturbed, saved = Features(), Features()
    for k, chunk in enumerate(chunks):
        if k == cut:
            saved = Features.restored(*saved.state())
        a, b = undisturbed.rows(named(chunk)).sparse(), saved.rows(named(chunk)).sparse()
        assert (a.indices == b.indices).all()
        assert (a.values == b.values).all()
    assert _bytes(undisturbed) == _bytes(saved)


def _bytes(features: Features) -> Any:
    settings, arrays = features.state()
    return settings, {name: (a.dtype, a.tobytes()) for name, a in arrays.items()}


def test_a_name_that_comes_twice_has_the_sum() -> None:
    rows = SparseRows(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3]), 2)
    chunk = Chunk(rows, np.zeros(1, np.int32), ("1",), ("here",), Names.of(["a", "b"]))
    features = Features()
    assert by_name(features.rows(chunk), features) == [{"a": 2.0, "b": 5.0}]


def test_a_frozen_map_leaves_out_what_it_does_not_know_and_counts_it() -> None:
    features = Features()
    features.rows(named([{"a": 1, "b": 2}]))
    features.frozen = True
    rows = features.rows(named([{"z": 9, "b": 3, "y": 1}]))
    assert by_name(rows, features) == [{"b": 3.0}]
    assert (features.left_out, features.dim) == (2, 2)

    numbered = Features()
    numbered.rows(indexed([{1: 1.0, 5: 2.0}]))
    numbered.frozen = True
    wide = numbered.rows(indexed([{1: 3.0, 70: 1.0}, {99: 1.0}]))
    assert [wide.row(i)[0].tolist() for i in range(2)] == [[1], []]
    assert numbered.left_out == 2


@pytest.mark.parametrize("keep", [True, False])
def test_hashed_names_share_2_to_the_bits_columns(keep: bool) -> None:
    features = Features(hash_bits=3, keep_names=keep)
    rows = features.rows(named([{f"w{k}": 1.0 for k in range(50)}])).sparse()
    assert rows.dim == features.dim == 8
    assert rows.values.sum() == 50
    hashes = Names.of([f"w{k}" for k in range(50)]).hashes & np.uint64(7)
    assert rows.values.tolist() == np.bincount(hashes.astype(int), minlength=8).tolist()
    names = features.names
    assert names is not None
    first = {int(h): f"w{k}" for k, h in reversed(list(enumerate(hashes)))}
    assert list(names) == [first[j] if keep else f"#{j}" for j in range(8)]


def hash_of(name: str) -> int:
    """FNV-1a of 64 bits, then the mixing of SplitMix64."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    h = (h ^ h >> 27) * 0x94D049BB133111EB % 2**64
    return h ^ h >> 31


@given(st.lists(st.text()))
def test_the_hash_of_a_name_is_the_same_in_every_version(names: list[str]) -> None:
    assert Names.of(names).hashes.tolist() == list(map(hash_of, names))
    assert hash_of("a") == 198367012849983736


def test_hashed_indices_wrap_around() -> None:
    features = Features(hash_bits=4)
    rows = features.rows(indexed([{3: 1.0, 19: 2.0, 20: 4.0}]))
    columns, values = rows.row(0)
    assert (columns.tolist(), values.tolist()) == ([3, 4], [3.0, 4.0])
    names = features.names
    assert names is not None
    assert names[:5] == ("#0", "#1", "#2", "3", "20")


@given(examples)
def test_products_of_all_pairs_are_those_of_two_names(given_examples: list[Example]) -> None:
    features = Features(products=[ALL])
    found = by_name(features.rows(named(given_examples)), features)
    for example, row in zip(given_examples, found, strict=True):
        pairs = {f"{a}*{b}": example[a] * example[b] for a, b in combinations(sorted(example), 2)}
        assert row == example | pairs


@given(st.lists(examples, min_size=1, max_size=3))
def test_products_of_fields_are_those_of_their_features(chunks: list[list[Example]]) -> None:
    pairs: list[Pair] = [("c", "d"), ("a", "b"), ("d", "d")]
    features = Features(products=pairs)
    for chunk in chunks:
        for example, row in zip(chunk, by_name(features.rows(named(chunk)), features), strict=True):
            made = {
                f"{a}*{b}": example[a] * example[b]
                for left, right in pairs
                for a in example
                for b in example
                if a != b and _of(a) == left and _of(b) == right
            }
            assert row == example | made


def _of(name: str) -> str:
    return name[0]


def test_products_of_a_table_and_of_indices_go_by_their_names() -> None:
    features = Features(products=[("x", "y")])
    rows = features.rows(table([[2.0, 3.0], [5.0, 0.0]], ("x", "y")))
    assert by_name(rows, features) == [{"x": 2.0, "y": 3.0, "x*y": 6.0}, {"x": 5.0}]
    numbers = Features(products=[("1", "12")])
    rows = numbers.rows(indexed([{1: 2.0, 12: 5.0}]))
    assert by_name(rows, numbers) == [{"1": 2.0, "12": 5.0, "1*12": 10.0}]


@given(
    st.lists(
        st.lists(st.lists(st.integers(-9, 9).map(float), min_size=3, max_size=3), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_columns_that_are_mostly_nonzero_get_mean_0_and_deviation_1_others_size_1(
    chunks: list[list[list[float]]],
) -> None:
    raw = np.concatenate([np.array(chunk) for chunk in chunks])
    dense = 2 * (raw != 0).sum(axis=0) >= len(raw)
    varied = raw.std(axis=0) > 0
    for made in (table, as_indexed):
        features = Features(standardise=True)
        features.survey(map(made, chunks))
        rows = [features.rows(made(chunk)) for chunk in chunks]
        values = np.concatenate([by_position(some, 3) for some in rows])
        assert values.mean(axis=0)[dense] == pytest.approx(0, abs=1e-9)
        assert values.std(axis=0)[dense & varied] == pytest.approx(1)
        assert values[:, ~varied] == pytest.approx(0, abs=1e-9)
        for x, old in zip(values.T[~dense], raw.T[~dense], strict=True):
            assert ((x == 0) == (old == 0)).all()
            if old.any():
                assert (x[x != 0] ** 2).mean() == pytest.approx(1)


def as_indexed(chunk: list[list[float]]) -> Chunk:
    return indexed([{j: x for j, x in enumerate(row) if x} for row in chunk])


def by_position(rows: Rows, dim: int) -> Vector:
    """The rows as an array of `dim` columns."""
    whole = np.zeros((len(rows), max(dim, rows.dim)))
    for i in range(len(rows)):
        columns, values = rows.row(i)
        whole[i, columns] = values
    return whole[:, :dim]


@given(st.lists(examples, min_size=1, max_size=4))
def test_standardised_names_have_a_value_wherever_the_zeros_were_moved(
    chunks: list[list[Example]],
) -> None:
    features = Features(standardise=True)
    features.survey(map(named, chunks))
    every = [e for chunk in chunks for e in chunk]
    names = features.names
    assert names is not None
    for chunk in chunks:
        rows = by_name(features.rows(named(chunk)), features)
        for example, row in zip(chunk, rows, strict=True):
            for name in names:
                x, column = example.get(name, 0.0), np.array([e.get(name, 0.0) for e in every])
                if 2 * np.count_nonzero(column) >= len(column):
                    expected = (x - column.mean()) / (column.std() or 1.0)
                else:
                    used = column[column != 0]
                    expected = x / (np.sqrt((used**2).mean()) if len(used) else 1.0)
                assert row.get(name, 0.0) == pytest.approx(expected, abs=1e-9)


def test_scaling_to_length_1_comes_last() -> None:
    features = Features(to_unit_length=True, products=[("a", "b")])
    rows = features.rows(named([{"a": 2.0, "b": 2.0}, {"a": 0.0}]))
    assert by_name(rows, features)[0] == pytest.approx(
        {"a": 2 / 24**0.5, "b": 2 / 24**0.5, "a*b": 4 / 24**0.5}
    )
    assert (rows.sparse().values ** 2).sum() == pytest.approx(1)


@pytest.mark.parametrize("bits", [3, 31])
def test_the_largest_index_has_a_column_whatever_the_number_of_bits(
    tmp_path: Path, bits: int
) -> None:
    most = 2**53 - 1
    (tmp_path / "x.svm").write_text(f"1 1:1 {most - 2**bits}:2 {most}:3\n")
    (chunk,) = open_files(tmp_path / "x.svm")
    features = Features(hash_bits=bits)
    rows = features.rows(chunk).sparse()
    assert rows.indices.tolist() == [1, 2**bits - 1]
    assert rows.values.tolist() == [1.0, 5.0]
    assert features.name_of(2**bits - 1) == str(most - 2**bits)


def test_kinds_of_features_are_not_mixed() -> None:
    features = Features()
    features.rows(named([{"a": 1.0}]))
    with pytest.raises(
        BadExample, match="the model expects named features; the data have numbered"
    ):
        features.rows(indexed([{1: 1.0}]))
    columns = Features()
    columns.rows(table([[1.0, 2.0]], ("x", "y")))
    with pytest.raises(BadExample, match="there are 1 columns, but there were 2 before"):
        columns.rows(table([[1.0]], ("x",)))
    with pytest.raises(BadExample, match="there is a column 'z', but it was 'y' before"):
        columns.rows(table([[1.0, 2.0]], ("x", "z")))


def test_names_may_follow_a_table_of_the_same_names() -> None:
    features = Features()
    features.rows(named([{"x": 1.0, "kind=a": 1.0}]))
    rows = features.rows(table([[3.0, 4.0]], ("x", "y")))
    assert by_name(rows, features) == [{"x": 3.0, "y": 4.0}]


def test_a_standardised_model_meets_new_features_and_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"label":1,"x":1,"y":2}\n{"label":0,"x":3}\n')
    (tmp_path / "b.jsonl").write_text('{"label":1,"x":1,"z":2}\n')
    model = tmp_path / "m"
    stdout_of("train", tmp_path / "a.jsonl", "--standardise", "-o", model, "-q")
    stdout_of("train", tmp_path / "b.jsonl", "--initial", model, "-o", model, "-q")
    assert json_of("inspect", model)["features"] == 3
    assert len(stdout_of("predict", model, tmp_path / "a.jsonl").split()) == 2


def test_the_columns_of_a_table_keep_their_names_when_standardised(tmp_path: Path) -> None:
    file, model = tmp_path / "n.csv", tmp_path / "m"
    file.write_text("a,b,y\n1,5,u\n2,3,v\n4,1,u\n")
    stdout_of("train", file, "--standardise", "--interactions", "a*b", "-o", model, "-q")
    assert Model.load(model).features.names == ("a", "b", "a*b")
    stdout_of("train", file, "--standardise", "-o", model, "-q")
    assert Model.load(model).features.names == ("a", "b")


def test_values_too_large_to_be_standardised_are_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,b,y\n1,1e200,u\n2,-1e200,v\n")
    words = error("train", tmp_path / "n.csv", "--standardise", "-o", tmp_path / "m", "-q")
    assert "feature 'b': the values are too large to standardise" in words


def test_values_too_large_for_a_standardised_model_are_refused_in_a_line(tmp_path: Path) -> None:
    data, model = tmp_path / "a.svm", tmp_path / "model"
    data.write_text("1 1:1e-150 2:1\n-1 1:2e-150\n1 1:1e-150\n")
    stdout_of("train", data, "--standardise", "--unit-length", "-o", model, "-q")
    data.write_text("1 1:1e200 2:1\n")
    assert "feature '1': a value is too large to standardise" in error("predict", model, data)


def test_tables_of_numbers_can_be_hashed(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,y\n1,2,u\n2,1,v\n")
    stdout_of("train", tmp_path / "x.csv", "--hash-bits", "3", "-o", tmp_path / "m", "-q")
    found = Model.load(tmp_path / "m").features
    assert (found.kind, found.dim) == ("names", 8)
    assert {"a", "b"} <= set(found.names or ())


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_map_without_names_survives_pickling(protocol: int) -> None:
    features = Features.of((), (), 8)
    again = pickle.loads(pickle.dumps(features, protocol=protocol))
    assert again.state()[0] == features.state()[0]
