"""Blocks kept in a file: the same model, without the text; a file that is not right is not used."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import error
from helpers.training_files import TEXT_FORMATS, Example, TextFormat
from novikoff import BadExample
from novikoff.learners.rule import Rule
from novikoff.models.training import Plan, Training
from novikoff.sources import LabelsAsSigns, Numbered, ReadOptions, cache, open_files
from novikoff.sources.cache import Cached
from novikoff.sources.features import Features
from novikoff.sources.files import text as text_files
from novikoff.storage.checked import Arrays
from novikoff.storage.file_format import pieces
from novikoff.stream.blocks import Block

pytest.importorskip("pyarrow")

GIVEN: list[Example] = [
    (1 if a > c + 0.05 else -1, {1: a, 2: b, 3: c, 4 + i // 12: 0.3})
    for i, (a, b, c) in enumerate(np.random.default_rng(2).normal(size=(36, 3)).round(2).tolist())
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "PIECE_BYTES", 200)


def stream(way: TextFormat, data: Path) -> Numbered:
    source = open_files(data, ReadOptions(way.format, threads=0))
    return Numbered(source, Features(hash_bits=way.hash_bits), LabelsAsSigns())


def learned(blocks: Numbered | Cached, output: Path, *, passes: int = 3) -> bytes:
    training = Training(blocks, Plan(Rule("averaged"), passes, shuffle=True, holdout=5))
    training.run()
    training.test_held_out()
    training.model.save(output)
    return output.read_bytes()


def forbidden(*_: object) -> Iterator[object]:
    raise AssertionError("the text was read")


class Here:
    """A file of examples in svmlight, and the model that is learned from it without a cache."""

    way = TEXT_FORMATS["indexed"]

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.data = folder, folder / "cache", folder / "data"
        self.data.write_text(self.way.text(GIVEN))
        self.plain = learned(stream(self.way, self.data), folder / "model")

    def cached(self, fingerprint: str = "f") -> Cached:
        return Cached(stream(self.way, self.data), self.cache, fingerprint)

    def learned(self, fingerprint: str = "f") -> bytes:
        return learned(self.cached(fingerprint), self.folder / "model")

    def files(self) -> set[str]:
        return set(os.listdir(self.folder))


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.mark.parametrize("way", TEXT_FORMATS.values(), ids=TEXT_FORMATS)
def test_with_a_cache_the_model_has_the_same_bytes_and_later_runs_read_no_text(
    way: TextFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, cache, model = tmp_path / "data", tmp_path / "cache", tmp_path / "model"
    data.write_text(way.text(GIVEN))
    plain = learned(stream(way, data), model)
    first = Cached(stream(way, data), cache, "f")
    assert not first.is_ready
    assert learned(first, model) == plain
    assert first.is_ready
    monkeypatch.setattr(text_files.TextFiles, "__iter__", forbidden)
    again = Cached(stream(way, data), cache, "f")
    assert again.is_ready
    assert learned(again, model) == plain
    assert set(os.listdir(tmp_path)) == {"data", "cache", "model"}


def test_importances_and_labels_are_kept(tmp_path: Path) -> None:
    data, cache = tmp_path / "x.vw", tmp_path / "cache"
    data.write_text("1 0.3 | a:0.1 b\n-1 | b:2\n-1 2 | c\n")
    how = TEXT_FORMATS["hashed"]
    plain = list(stream(how, data))
    for _ in range(2):
        found = list(Cached(stream(how, data), cache, "f"))
        assert [block.labels.tolist() for block in found] == [[1, -1, -1]]
        assert found[0].importances is not None
        assert found[0].importances.tolist() == [0.3, 1, 2]
        assert [str(list(block)) for block in found] == [str(list(block)) for block in plain]


def test_a_cache_knows_the_columns_of_a_table_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, cache = tmp_path / "x.csv", tmp_path / "cache"
    data.write_text("a,b,y\n1,red,0\n2,blue,1\n")
    first = Cached(stream(TextFormat("csv"), data), cache, "f")
    list(first)
    monkeypatch.setattr(text_files.TextFiles, "__iter__", forbidden)
    again = Cached(stream(TextFormat("csv"), data), cache, "f")
    assert again.table == first.table
    assert again.table is not None
    assert (again.table.features, again.table.texts, again.table.label) == (("a", "b"), ("b",), "y")
    assert again.classes == ("0", "1")


def test_float32_and_float64_files_may_be_mixed(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    (tmp_path / "in").mkdir()
    for name, kind in (("a", np.float32), ("b", np.float64)):
        X = draw.normal(size=(30, 3))
        y = np.where(X[:, 0] > 0.1, 1, 0)
        np.savez(tmp_path / "in" / f"{name}.npz", X=X.astype(kind), y=y)

    def blocks() -> Numbered:
        return Numbered(open_files(tmp_path / "in"), Features(), LabelsAsSigns())

    plain = learned(blocks(), tmp_path / "model")
    for _ in range(2):
        assert learned(Cached(blocks(), tmp_path / "cache", "f"), tmp_path / "model") == plain


def test_a_cache_of_something_else_is_replaced(here: Here) -> None:
    assert here.learned("f") == here.plain
    assert not here.cached("g").is_ready
    here.data.write_text(here.way.text(GIVEN[::-1]))
    other = learned(stream(here.way, here.data), here.folder / "model")
    assert here.learned("g") == other
    assert other != here.plain
    assert not here.cached("f").is_ready
    assert here.cached("g").is_ready
    assert here.files() == {"data", "cache", "model"}


def test_a_truncated_cache_is_rebuilt(here: Here) -> None:
    here.learned()
    whole = here.cache.read_bytes()
    for end in {0, 1, 7, 8, *range(16, len(whole), 531), len(whole) - 1}:
        here.cache.write_bytes(whole[:end])
        assert not here.cached().is_ready
    assert here.learned() == here.plain
    assert here.cache.read_bytes() == whole


def test_a_cache_with_a_flipped_bit_is_never_used_as_if_it_were_right(here: Here) -> None:
    here.learned()
    whole = here.cache.read_bytes()
    draw = np.random.default_rng(1)
    refused = 0
    for at in draw.choice(len(whole), 150, replace=False).tolist():
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(draw.integers(8))
        here.cache.write_bytes(damaged)
        try:
            found = here.learned()
        except BadExample as error:
            found, words = None, str(error)
        if found is None:
            assert words == f"{here.cache}: the cache is damaged; remove it, and it will be rebuilt"
            assert here.cache.read_bytes() == damaged
        else:
            assert found == here.plain
        refused += found is None
    assert refused > 20


def test_a_cache_whose_schema_is_not_text_is_refused_or_rebuilt(here: Here) -> None:
    here.learned()
    whole = here.cache.read_bytes()
    for at in range(len(whole) - 600, len(whole)):  # the schema is at the end
        damaged = bytearray(whole)
        damaged[at] ^= 0x80
        here.cache.write_bytes(damaged)
        cached = here.cached()
        if cached.is_ready:
            with suppress(BadExample):
                list(cached)


def lying_pieces(
    lies: dict[str, Any], about: dict[str, Any], arrays: Arrays, kind: str
) -> Iterator[bytes | memoryview]:
    return pieces({**about, **lies}, arrays, kind=kind)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            ("classes", "ab"),
            ("classes", ["a"]),
            ("classes", ["a", "a"]),
            ("named", -1),
            ("named", 1),
        ),
        *(("features", 3), ("table", 7), ("examples", None)),
        ("table", {"features": ["a", "a"], "texts": [], "label": None, "has_header": True}),
        ("table", {"features": ["a"], "texts": [], "label": 3, "has_header": True}),
        ("table", {"features": ["a"], "texts": [], "label": "a", "has_header": True}),
    ],
)
def test_a_cache_that_describes_itself_wrongly_is_rebuilt(
    here: Here, monkeypatch: pytest.MonkeyPatch, key: str, value: object
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cache, "pieces", partial(lying_pieces, {key: value}))
        here.learned()
    assert not here.cached().is_ready
    assert here.learned() == here.plain


@pytest.mark.parametrize(
    ("part", "value"), [("label", 3), ("label", 0), ("values", np.inf), ("indices", 99)]
)
def test_a_cache_with_blocks_that_do_not_fit_its_description_is_refused(
    here: Here, monkeypatch: pytest.MonkeyPatch, part: str, value: float
) -> None:
    import pyarrow as pa

    whole = cache._batch

    def lying(block: Block) -> Any:
        batch = whole(block)
        names = batch.schema.names
        lists = [column.to_pylist() for column in batch.columns]
        if part == "label":
            lists[0][0] = value
        else:
            lists[names.index(part)][0][0] = value
        columns = [pa.array(x, c.type) for x, c in zip(lists, batch.columns, strict=True)]
        return pa.RecordBatch.from_arrays(columns, names)

    with monkeypatch.context() as patch:
        patch.setattr(cache, "_batch", lying)
        list(here.cached())
    with pytest.raises(BadExample, match="the cache is damaged"):
        here.learned()


def test_a_cache_with_fewer_examples_than_it_says_is_refused(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cache, "pieces", partial(lying_pieces, {"examples": 9999}))
        here.learned()
    with pytest.raises(BadExample, match="the cache is damaged"):
        list(here.cached())


@pytest.mark.parametrize("content", [b"", b"ARR", b"ARROW1\0\0" + b"\0" * 100])
def test_the_remains_of_a_cache_are_rebuilt(here: Here, content: bytes) -> None:
    here.cache.write_bytes(content)
    assert not here.cached().is_ready
    assert here.learned() == here.plain


def test_an_abandoned_first_pass_leaves_nothing(here: Here) -> None:
    blocks = iter(here.cached())
    next(blocks)
    assert len(here.files()) == 3  # the file on its way is beside its place
    blocks.close()  # type: ignore[attr-defined]
    assert here.files() == {"data", "model"}


def test_a_bad_line_leaves_no_cache(here: Here) -> None:
    with here.data.open("a") as file:
        file.write("1 what\n")
    with pytest.raises(BadExample, match="data:37:3: "):
        here.learned()
    assert here.files() == {"data", "model"}


def test_a_full_disk_is_an_error_that_names_the_cache(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pa.RecordBatchFileWriter, "write_batch", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        here.learned()
    assert caught.value.filename == str(here.cache)
    assert here.files() == {"data", "model"}


def test_a_cache_is_used_from_the_second_pass_of_the_run_that_makes_it(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = here.cached()
    list(cached)
    monkeypatch.setattr(text_files.TextFiles, "__iter__", forbidden)
    assert sum(len(block) for block in cached) == len(GIVEN)


def test_a_file_that_is_not_a_cache_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    words = error("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", "--cache", notes)
    assert words == f"{notes}: not a cache; choose another file, or remove this one"
    assert notes.read_text() == "precious"
