"""Files read in pieces: nothing depends on where they are cut, or on how many threads there are."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import random
import sys
from pathlib import Path
from threading import Event
from threading import enumerate as threads_now
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from novikoff import BadExample
from novikoff.sources import ReadOptions, open_files
from novikoff.sources.chunks import Chunk
from novikoff.sources.files import text as pieces
from novikoff.sources.files.svmlight import Svmlight
from novikoff.sources.inputs import Input, inputs_of
from novikoff.stream.rows import SparseRows, join


def text_of(rows: int, seed: int = 0) -> str:
    rng = random.Random(seed)
    lines = []
    for _ in range(rows):
        columns = sorted(rng.sample(range(1, 300), rng.randint(0, 8)))
        lines.append(f"{rng.choice('+-')}1 " + " ".join(f"{j}:{rng.random()!r}" for j in columns))
    return "\n".join(lines) + "\n"


def whole(chunks: list[Chunk]) -> tuple[Any, ...]:
    rows = join([chunk.rows.sparse().widened(300) for chunk in chunks])
    assert isinstance(rows, SparseRows)
    labels = [chunk.label_texts[k] for chunk in chunks for k in chunk.labels.tolist()]
    firsts = np.cumsum([0, *map(len, chunks)])[:-1].tolist()
    assert [chunk.first for chunk in chunks] == firsts
    return rows.values.tobytes(), rows.indices.tolist(), rows.starts.tolist(), labels


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
@pytest.mark.parametrize("size", [64, 1000, 1 << 20])
def test_pieces_and_threads_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, threads: int
) -> None:
    file = tmp_path / "data.svm"
    file.write_text(text_of(500))
    wanted = whole(list(open_files(file, ReadOptions(threads=0))))
    monkeypatch.setattr(pieces, "PIECE_BYTES", size)
    source = open_files(file, ReadOptions(threads=threads))
    assert whole(list(source)) == wanted
    assert whole(list(source)) == wanted  # and again


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [7, 64, 1000])
def test_a_bad_line_is_named_wherever_it_falls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, size: int
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", size)
    file = tmp_path / "data.svm"
    good = text_of(40).splitlines()
    for at in (0, 1, 20, 39):
        lines = [*good[:at], "1 3:4  5:x # nothing", *good[at:]]
        file.write_bytes(("\ufeff" + end.join(lines)).encode())
        with pytest.raises(BadExample) as caught:
            list(open_files(file))
        assert str(caught.value) == (f"{file}:{at + 1}:8: index 5: 'x' is not a number")


def test_bad_lines_may_be_skipped_and_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 128)
    good = text_of(60).splitlines()
    bad = ["other 2:1 1:1", "7", "1 1:1 x", "1 1:1e999", ":5"]
    lines = list(good)
    for k, line in enumerate(bad):
        lines.insert(11 * k + 3, line)
    (tmp_path / "good.svm").write_text("\n".join(good))
    (tmp_path / "bad.svm").write_text("\n".join(lines))
    source = open_files(tmp_path / "bad.svm", ReadOptions(skip_bad=5))
    wanted = whole(list(open_files(tmp_path / "good.svm")))
    lines_with_7 = whole(list(source))
    assert lines_with_7[0] == wanted[0]  # the line "7" is an example without features
    assert [text for text in lines_with_7[3] if text != "7"] == wanted[3]
    skipped = source.skipped
    assert [message.split(":")[1] for message in skipped] == ["4", "26", "37", "48"]
    few = open_files(tmp_path / "bad.svm", ReadOptions(skip_bad=3))
    with pytest.raises(BadExample, match=r"bad.svm:48:1: .*\(4 bad lines, and 3 may be skipped\)"):
        list(few)


COMPRESSIONS: dict[str, Any] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zstd": lambda raw: pa.compress(raw, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("size", [1 << 12, pieces.PIECE_BYTES])  # small ones are read ahead
@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_compressed_files_are_read_whatever_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, size: int
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", size)
    text = text_of(3000)
    (tmp_path / "plain.svm").write_text(text)
    (tmp_path / "packed.svm").write_bytes(COMPRESSIONS[kind](text.encode()))
    source = open_files(tmp_path / "packed.svm")
    assert whole(list(source)) == whole(list(open_files(tmp_path / "plain.svm")))
    assert source.description == f"svmlight, indices from 1, {kind}"


@pytest.mark.parametrize("size", [1 << 12, pieces.PIECE_BYTES])
@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_file_cut_short_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, size: int
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", size)
    packed = COMPRESSIONS[kind](text_of(3000).encode())
    file = tmp_path / "data.svm"
    file.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(BadExample, match="cannot be decompressed after .* bytes; .*cut short"):
        list(open_files(file))


@pytest.mark.parametrize("length", range(2, 10))
def test_a_gzip_file_cut_inside_its_header_is_refused(tmp_path: Path, length: int) -> None:
    file = tmp_path / "data.svm"
    file.write_bytes(COMPRESSIONS["gzip"](text_of(3).encode())[:length])
    with pytest.raises(BadExample, match="cannot be decompressed after 0 bytes; .*cut short"):
        list(open_files(file))
    reading = Input(str(file))
    with pytest.raises(BadExample, match="cannot be decompressed after 0 bytes; .*cut short"):
        reading.whole()


def test_a_directory_or_a_pattern_is_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.svm", "a.svm", ".hidden", "_SUCCESS"):
        (tmp_path / name).write_text(text_of(5, seed=ord(name[0])))
    both = [str(tmp_path / "a.svm"), str(tmp_path / "b.svm")]
    wanted = whole(list(open_files(both)))
    assert whole(list(open_files(tmp_path))) == wanted
    assert whole(list(open_files(tmp_path / "*.svm"))) == wanted
    assert [one.path for one in inputs_of([tmp_path / "b.svm", tmp_path / "a.svm"])] == both[::-1]
    with pytest.raises(BadExample, match="no file matches the pattern"):
        open_files(tmp_path / "*.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadExample, match="the directory has no files"):
        open_files(tmp_path / "empty")


def test_inputs_are_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.svm").write_text(text_of(5))
    inputs = inputs_of(tmp_path)
    monkeypatch.setattr("novikoff.sources.inputs.os.scandir", None)
    assert inputs_of(inputs) == inputs
    assert sum(map(len, open_files(inputs))) == 5


def test_the_standard_input_can_be_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(30)
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(text.encode()))))
    monkeypatch.setattr(sys, "stdin", stdin)
    source = open_files("-")
    assert sum(map(len, source)) == 30
    with pytest.raises(BadExample, match="<stdin>: a pipe can be read only once"):
        list(source)


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 64)
    monkeypatch.setattr(pieces, "LONGEST", 1 << 20)
    (tmp_path / "data.svm").write_bytes(b"1 " + b"1" * (3 << 20))
    with pytest.raises(BadExample, match="a line is longer than 1 MB; is this a text file?"):
        list(open_files(tmp_path / "data.svm"))


def test_an_eager_reader_does_not_wait_for_a_whole_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b"1 1:1\n", b"-1 2:", b"3 4:5\n1 1:2", b"\n", b"-1 7:1"]
    met: list[int] = []

    class Slow(io.RawIOBase):
        """Gives a line when asked, and writes down how many examples had come out by then."""

        def readable(self) -> bool:
            return True

        def readinto(self, room: Any) -> int:
            met.append(len(given))
            piece = lines.pop(0) if lines else b""
            room[: len(piece)] = piece
            return len(piece)

    given: list[int] = []
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow())))
    for chunk in open_files("-", ReadOptions(format="svmlight", eager=True)):
        given += chunk.labels.tolist()
    assert len(given) == 4
    assert met == [0, 1, 1, 2, 3, 3]


def test_detecting_the_format_of_a_pipe_delays_no_example(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    met: list[int] = []

    class Slow(io.RawIOBase):
        """Gives a line when asked, and writes down how many examples had come out by then."""

        def readable(self) -> bool:
            return True

        def readinto(self, room: Any) -> int:
            met.append(len(given))
            piece = b"1 1:1\n" if len(met) < 4 else b""
            room[: len(piece)] = piece
            return len(piece)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow())))
    for chunk in open_files("-", ReadOptions(eager=True)):
        given += chunk.labels.tolist()
    assert met == [0, 1, 2, 3]


def test_an_abandoned_iteration_does_not_wait_for_its_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, parse, begun = Event(), Svmlight.parse, list[int]()

    def slow(self: Svmlight, *given: Any) -> Any:
        begun.append(1)
        if len(begun) > 1:
            held.wait(60)
        return parse(self, *given)

    monkeypatch.setattr(pieces, "PIECE_BYTES", 64)
    monkeypatch.setattr(Svmlight, "parse", slow)
    (tmp_path / "data.svm").write_text(text_of(200))
    earlier = set(threads_now())
    chunks = iter(open_files(tmp_path / "data.svm", ReadOptions(threads=2)))
    next(chunks)
    del chunks
    gc.collect()
    still = set(threads_now()) - earlier
    assert still  # they are still at it
    held.set()
    for thread in still:
        thread.join(60)
    assert len(begun) < 5  # of five pieces or more, the later ones are not begun
