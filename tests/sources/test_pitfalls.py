"""Where training, features and files meet: what would go wrong without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command_line import error, json_of, run, stdout_of
from novikoff import BadExample
from novikoff.learners import Additive
from novikoff.models.model import Model
from novikoff.models.training import Plan
from novikoff.sources import LabelsAsSigns, Numbered, Reading, open_files
from novikoff.sources import numbered as numbering
from novikoff.sources.features import Features
from novikoff.sources.files import text as pieces
from novikoff.sources.interactions import ALL, in_slices, with_products
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, SparseRows, dots, join
from novikoff.stream.scaling import Spread, unit_length


def test_a_standardised_model_meets_new_features_and_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"label":1,"x":1,"y":2}\n{"label":0,"x":3}\n')
    (tmp_path / "b.jsonl").write_text('{"label":1,"x":1,"z":2}\n')
    model = tmp_path / "m"
    stdout_of("train", tmp_path / "a.jsonl", "--standardise", "-o", model, "-q")
    stdout_of("train", tmp_path / "b.jsonl", "--initial", model, "-o", model, "-q")
    assert json_of("inspect", model)["features"] == 3
    assert len(stdout_of("predict", model, tmp_path / "a.jsonl").split()) == 2


def test_a_sparse_column_of_equal_values_does_not_vary() -> None:
    spread = Spread()
    for n in (700, 299, 1):  # 0.1 added up and divided is not 0.1
        values = np.column_stack([np.full(n, 0.1), np.random.default_rng(n).normal(size=n)])
        columns, starts = np.tile([0, 1], n), np.arange(0, 2 * n + 1, 2)
        spread.meet(SparseRows(values.ravel(), columns, starts, 2))
    assert spread.deviation[0] == 1.0
    assert spread.deviation[1] == pytest.approx(1, abs=0.1)


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


@pytest.mark.parametrize("size", [1e200, 1e-200, 5e-324, 1e308])
def test_rows_of_any_size_are_scaled_to_length_1(size: float) -> None:
    values = np.array([[3 * size if 3 * size < np.inf else size, 0.0], [3.0, 4.0]])
    dense = unit_length(DenseRows(values))
    sparse = unit_length(DenseRows(values).sparse())
    assert dense.values.tolist() == [[1.0, 0.0], [0.6, 0.8]]
    assert sparse.values.tolist() == [1.0, 0.6, 0.8]


def test_dense_and_sparse_rows_are_scaled_to_the_same_bits() -> None:
    values = np.random.default_rng(0).standard_normal((2000, 50))
    values[::3, ::7] = 0.0
    dense, sparse = unit_length(DenseRows(values)), unit_length(DenseRows(values).sparse())
    assert sparse.values.tolist() == dense.values[values != 0].tolist()


def test_columns_are_added_up_from_the_first_row_on() -> None:
    for dim in (1, 2, 9):
        values = np.random.default_rng(dim).standard_normal((3000, dim)) + 5
        dense, sparse = Spread(), Spread()
        dense.meet(DenseRows(values))
        sparse.meet(DenseRows(values).sparse())
        assert dense.mean.tolist() == sparse.mean.tolist()
        assert dense.deviation.tolist() == sparse.deviation.tolist()


def test_a_file_that_is_not_a_cache_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    words = error("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", "--cache", notes)
    assert words == f"{notes}: not a cache; choose another file, or remove this one"
    assert notes.read_text() == "precious"


def test_a_run_is_not_resumed_from_a_pipe(tmp_path: Path) -> None:
    text = "1 1:1\n-1 2:1\n" * 3
    (tmp_path / "x.svm").write_text(text)
    model = tmp_path / "m"
    stdout_of("train", tmp_path / "x.svm", "-o", model, "-q")
    found = Model.load(model)
    counts = dict.fromkeys(("passes", "passes_made", "position", "met"), 1)
    found.unfinished = {**counts, "data": "", "watch": {}}
    found.save(model)
    words = error("train", "-", "-o", model, "-q", "--resume", "--format", "svmlight", input=text)
    assert words == "--resume: cannot resume from a pipe; read a file"


@pytest.mark.parametrize("most", [1, 10, 100, 10**6])
def test_products_do_not_depend_on_slices(tmp_path: Path, most: int) -> None:
    rng = np.random.default_rng(0)
    lines = [
        " ".join(["1", *(f"{j}:{rng.integers(1, 9)}" for j in sorted(rng.choice(20, k, False)))])
        for k in rng.integers(0, 7, 50)
    ]
    (tmp_path / "x.svm").write_text("\n".join(lines))
    (chunk,) = open_files(tmp_path / "x.svm")
    whole, parted = Features(products=[ALL]), Features(products=[ALL])
    slices = list(in_slices(chunk, most))
    assert [part.first for part in slices] == np.cumsum([0, *map(len, slices)])[:-1].tolist()
    a = whole.rows(chunk).sparse()
    b = join([parted.rows(part).sparse().widened(whole.room) for part in slices]).sparse()
    names_a, names_b = whole.names, parted.names
    assert names_a is not None
    assert names_b is not None
    for i in range(len(chunk)):
        (ja, xa), (jb, xb) = a.row(i), b.row(i)
        assert dict(zip((names_a[j] for j in ja), xa.tolist(), strict=True)) == dict(
            zip((names_b[j] for j in jb), xb.tolist(), strict=True)
        )
    assert most == 1 or all(
        sum(len(part.rows.row(i)[0]) ** 2 for i in range(len(part))) <= most or len(part) == 1
        for part in slices
    )


def test_products_are_counted_by_pair(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"label":1,"a":1,"b":"u","c":2}\n{"label":0,"a":2,"b":"v"}\n'
    )
    (chunk,) = open_files(tmp_path / "x.jsonl")
    assert with_products(chunk, [("a", "b"), ("a", "nope"), ("b", "c")])[1] == [2, 0, 1]
    answer = run("train", tmp_path / "x.jsonl", "-o", tmp_path / "m", "-q", "--interactions", "a*x")
    assert answer.stderr == (
        "novikoff: --interactions a*x: no example has features of both fields\n"
    )


def test_looking_for_the_second_label_does_not_hold_examples_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 256)
    monkeypatch.setattr(numbering, "HELD_AT_MOST", 1000)
    text = "b 1:1 2:3\n" * 300 + "a 1:2\n"
    (tmp_path / "x.svm").write_text(text)
    source = open_files(tmp_path / "x.svm")
    stream = Numbered(source, Features(), LabelsAsSigns())
    assert stream.classes == ("a", "b")
    assert not stream._held
    assert sum(len(block) for block in stream) == 301
    words = error("train", "-", "-o", tmp_path / "m", "-q", "--format", "svmlight", input=text)
    assert words == (
        "<stdin>: only one label so far, and a pipe cannot be read again; "
        "name both labels with --classes"
    )
    more = ["--format", "svmlight", "--classes", "a,b"]
    assert json_of("train", "-", "-o", tmp_path / "m", "-q", *more, input=text)["examples"] == 301


def test_a_column_a_model_knows_as_numbers_must_hold_numbers(tmp_path: Path) -> None:
    numbers, texts = tmp_path / "n.parquet", tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["u", "v"]}), numbers)
    pq.write_table(pa.table({"a": ["1.0", "2.0"], "y": ["u", "v"]}), texts)
    stdout_of("train", numbers, "-o", tmp_path / "m", "-q")
    assert error("test", tmp_path / "m", texts) == (
        f"{texts}: column 'a' holds texts, but the model was trained on numbers"
    )


def test_indices_that_seem_shifted_are_warned_about(tmp_path: Path) -> None:
    (tmp_path / "one.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "zero.svm").write_text("1 0:1\n-1 1:1\n")
    stdout_of("train", tmp_path / "one.svm", "-o", tmp_path / "m", "-q")
    assert (
        "are both 0-based or both 1-based?"
        in run("test", tmp_path / "m", tmp_path / "zero.svm").stderr
    )
    assert run("test", tmp_path / "m", tmp_path / "one.svm").stderr == ""


def test_the_label_column_of_a_table_does_not_apply_to_svmlight_and_vw(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("kind,a,b\nu,1,x\nv,2,y\n")
    (tmp_path / "x.vw").write_text("u | a:1 b=x\nv | a:2 b=y\n")
    stdout_of("train", tmp_path / "x.csv", "--label", "kind", "-o", tmp_path / "m", "-q")
    found = json_of("test", tmp_path / "m", tmp_path / "x.vw")
    assert (found["examples"], found["features_left_out"]) == (2, 0)


def test_tables_of_numbers_can_be_hashed(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,y\n1,2,u\n2,1,v\n")
    stdout_of("train", tmp_path / "x.csv", "--hash-bits", "3", "-o", tmp_path / "m", "-q")
    found = Model.load(tmp_path / "m").features
    assert (found.kind, found.dim) == ("names", 8)
    assert {"a", "b"} <= set(found.names or ())


def test_options_for_columns_are_refused_for_formats_without_columns(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    with pytest.raises(BadExample, match="svmlight has no columns, such as 'a'"):
        open_files(tmp_path / "x.svm", Reading(ignore=("a",)))


def test_an_index_that_would_need_gigabytes_of_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 2000000000:1\n-1 2:1\n")
    words = error("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q")
    assert words.startswith("feature index 2,000,000,000 needs more than the 268,435,456 weights")
    assert json_of("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", "--hash-bits", "10")


def test_training_overwrites_neither_other_files_nor_unfinished_runs(tmp_path: Path) -> None:
    data, other, model = tmp_path / "x.svm", tmp_path / "notes", tmp_path / "m"
    data.write_text("1 1:1\n-1 2:1\n")
    other.write_text("precious")
    words = error("train", data, "-o", other, "-q")
    assert words == f"{other}: not a novikoff model; choose another -o, or delete it"
    stdout_of("train", data, "-o", model, "-q")
    found = Model.load(model)
    counts = dict.fromkeys(("passes", "passes_made", "position", "met"), 1)
    found.unfinished = {**counts, "data": "", "watch": {}}
    found.save(model)
    words = error("train", data, "-o", model, "-q")
    assert words == f"{model}: contains an unfinished run; use --resume, or delete it"
    assert error("train", model, "-o", tmp_path / "n", "-q", "--format", "csv") == (
        f"{model}: this is a model, not data; the model comes before the data"
    )


def test_one_pass_has_its_mistakes_and_features_are_counted_as_written(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    found = json_of("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q")
    assert (found["mistakes_per_pass"], found["features"]) == ([2], 2)
    assert json_of("inspect", tmp_path / "m")["features"] == 2


def test_scores_follow_further_learning() -> None:
    rows = SparseRows(np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2]), 8)
    model = Plan("averaged").new_model(Features(), ("-1", "1"))
    for _ in range(2):
        model.widen(8)
        model.learner.learn(Block(rows, np.array([1, -1], dtype=np.int8)), 0, 2)
        assert isinstance(model.learner, Additive)
        expected = dots(rows, model.learner.average, bias=True)
        assert model.scores(rows).tolist() == expected.tolist()
