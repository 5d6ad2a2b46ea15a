"""A file that changes while it is read ends the run: nothing is said of data that never were."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff.models.prediction import evaluate
from novikoff.models.training import Plan, Training
from novikoff.sources import LabelsAsSigns, Numbered, open_files, read
from novikoff.sources.cache import Cached
from novikoff.sources.features import Features
from novikoff.sources.inputs import Input
from novikoff.stream.input_problems import BadExample

ROWS = [(1.0, 0.0, 1), (0.0, 1.0, -1), (1.0, 1.0, -1), (0.5, 0.0, 1)]  # separable
OTHERS = [(2.0, 0.0, 1), (0.0, 2.0, -1), (2.0, 2.0, -1), (1.5, 0.0, 1)]  # as many bytes


def write_csv(path: Path, rows: list[tuple[float, float, int]]) -> None:
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{y:+d}\n" for a, b, y in rows))


def write_svmlight(path: Path, rows: list[tuple[float, float, int]]) -> None:
    path.write_text("".join(f"{y:+d} 1:{a} 2:{b}\n" for a, b, y in rows))


def write_npz(path: Path, rows: list[tuple[float, float, int]]) -> None:
    table = np.array(rows)
    with path.open("wb") as file:
        np.savez(file, X=table[:, :2], y=table[:, 2])


def write_parquet(path: Path, rows: list[tuple[float, float, int]]) -> None:
    columns = zip("aby", zip(*rows, strict=True), strict=True)
    table = pa.table({name: list(values) for name, values in columns})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False)


WRITERS = {
    "csv": write_csv,
    "svm": write_svmlight,
    "npz": write_npz,
    "parquet": write_parquet,
}


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(path.read_bytes()[-9:])


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def replace(path: Path) -> None:
    beside = path.with_name("beside")
    WRITERS[path.suffix[1:]](beside, OTHERS)
    os.replace(beside, path)


def rewrite_with_the_same_size_and_time(path: Path) -> None:
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # the clock of the files ticks slowly
        WRITERS[path.suffix[1:]](path, OTHERS)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


CHANGES = [append, truncate, replace, rewrite_with_the_same_size_and_time]
each_format = pytest.mark.parametrize("suffix", WRITERS)
each_change = pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)


def numbered(path: Path) -> Numbered:
    return Numbered(open_files(path), Features(), LabelsAsSigns())


@each_format
@each_change
def test_a_file_that_changes_between_passes_ends_the_run(
    tmp_path: Path, suffix: str, change: Callable[[Path], None]
) -> None:
    WRITERS[suffix](path := tmp_path / f"t.{suffix}", ROWS)
    stream = numbered(path)
    assert sum(map(len, stream)) == 4
    change(path)
    with pytest.raises(BadExample, match=f"t.{suffix}: the file changed while it was being read"):
        list(stream)


@each_change
def test_a_file_that_changes_in_a_pass_ends_the_run(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    write_svmlight(path := tmp_path / "t.svm", ROWS)
    blocks = iter(numbered(path))
    next(blocks)
    change(path)
    with pytest.raises(BadExample, match="changed while it was being read"):
        list(blocks)


CUT_SHORT = """
import os, sys
from pathlib import Path
import pyarrow as pa
from novikoff import sources
from novikoff.sources.cache import Cached
from novikoff.sources.features import Features
from novikoff.sources.files import parquet
from novikoff.stream.input_problems import BadExample

parquet.CHUNK = 1 << 15
folder = Path(sys.argv[1])
table = pa.table({"a": [1.0, 2.0] * 20_000, "y": [1, 0] * 20_000})
with pa.ipc.new_file(folder / "t.arrow", table.schema) as file:
    for batch in table.to_batches(max_chunksize=4000):
        file.write_batch(batch)

def stream():
    data = sources.open_files(folder / "t.arrow")
    return sources.Numbered(data, Features(), sources.LabelsAsSigns())

cached = Cached(stream(), folder / "cache", "known")
list(cached)
for name, blocks in (("cache", iter(cached)), ("t.arrow", iter(stream()))):
    next(blocks)
    os.truncate(folder / name, 8192)
    try:
        list(blocks)
    except BadExample as error:
        print(error)
"""


def test_a_mapped_file_that_is_cut_short_is_an_error_and_no_crash(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CUT_SHORT, str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, second = found.splitlines()
    assert first.startswith(f"{tmp_path}/cache: the cache is damaged")
    assert second.startswith(f"{tmp_path}/t.arrow: the file changed while it was being read")


def test_a_file_that_was_removed_is_named(tmp_path: Path) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    blocks = iter(numbered(path))
    next(blocks)
    path.unlink()
    with pytest.raises(BadExample, match="t.csv: the file changed while it was being read"):
        list(blocks)


def test_a_changed_file_ends_training_and_keeps_the_checkpoint(tmp_path: Path) -> None:
    write_csv(path := tmp_path / "t.csv", [*ROWS, (1.0, 0.0, -1)])  # inseparable
    training = Training(numbered(path), Plan(passes=1000))
    checkpoint = tmp_path / "m"

    def after_block(training: Training) -> None:
        if training.passes_made == 1:
            training.save(checkpoint)
            write_csv(path, ROWS)
        elif training.passes_made > 1:
            training.save(checkpoint)

    with pytest.raises(BadExample, match="t.csv: the file changed"):
        training.run(after_block)
    kept = checkpoint.read_bytes()
    with pytest.raises(BadExample, match="t.csv: the file changed"):
        training.save(checkpoint)  # what was learned from changed data is not saved
    assert checkpoint.read_bytes() == kept


def test_a_changed_file_makes_no_cache_and_no_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    blocks = iter(Cached(numbered(path), tmp_path / "cache", "known"))
    next(blocks)
    append(path)
    with pytest.raises(BadExample, match="changed while it was being read"):
        list(blocks)
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(LabelsAsSigns, "decide", lambda self: append(path))
    with pytest.raises(BadExample, match="changed while it was being read"):
        read(path)


def test_a_model_is_not_tested_on_a_changing_file(tmp_path: Path) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    training = Training(numbered(path), Plan())
    training.run()
    source = open_files(path)
    append(path)
    with pytest.raises(BadExample, match="changed while it was being read"):
        evaluate(training.model, source)


def test_another_run_may_not_replace_the_cache_of_this_one(tmp_path: Path) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    write_csv(other := tmp_path / "other.csv", OTHERS)
    mine = Cached(numbered(path), tmp_path / "cache", "mine")
    list(mine)
    list(Cached(numbered(other), tmp_path / "cache", "theirs"))
    with pytest.raises(BadExample, match="cache: the file changed while it was being read"):
        list(mine)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_may_be_removed_while_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "t.svm")
    writer = Thread(target=lambda: write_svmlight(path, ROWS))
    writer.start()
    blocks = iter(numbered(path))
    assert len(next(blocks)) == 4
    path.unlink()
    assert list(blocks) == []
    writer.join()


def test_a_file_that_is_only_read_has_not_changed(tmp_path: Path) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    stream = numbered(path)
    for _ in range(3):
        path.read_bytes()
        assert sum(map(len, stream)) == 4


def test_a_pass_with_another_number_of_examples_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(path := tmp_path / "t.csv", ROWS)
    monkeypatch.setattr(Input, "state", lambda self: None)  # as if the system hid the change
    stream = numbered(path)
    list(stream)
    write_csv(path, ROWS[:3])
    with pytest.raises(BadExample, match="t.csv: 3 examples in this pass, but 4 in the first"):
        list(stream)
