"""Atomic writes: a file is replaced whole or not at all, and keeps its permissions."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from novikoff.storage import file_format as storage
from novikoff.storage.atomic_write import atomic_write
from novikoff.storage.file_format import load, save


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def usual_umask() -> Any:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_a_new_file_has_the_usual_permissions_and_a_replaced_one_keeps_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "it"
    save(path, {}, {}, kind="model")
    assert permissions(path) == 0o640
    for mode in (0o600, 0o666, 0o444):
        path.chmod(mode)
        save(path, {}, {}, kind="model")
        assert permissions(path) == mode


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in ({"a": 1}, {"a": 2}):  # first there is nothing at its end
        save(link, content, {}, kind="model")
        assert link.is_symlink()
        assert load(target, kind="model")[0] == content
        assert os.listdir(target.parent) == ["target"]


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        save(tmp_path / "pipe", {}, {}, kind="model")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        save(tmp_path, {}, {}, kind="model")
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/none/it'$"):
        save(tmp_path / "none" / "it", {}, {}, kind="model")
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("name", ["write", "fsync", "replace", "interrupt"])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_beside_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it"
    save(path, {"old": True}, {}, kind="model")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def failing(*_: object, **__: object) -> Any:
        yield b"something"
        full()

    if name == "write":
        monkeypatch.setattr(storage, "pieces", failing)
    elif name == "interrupt":
        monkeypatch.setattr(os, "fsync", interrupted)
    else:
        monkeypatch.setattr(os, name, full)
    with pytest.raises((OSError, KeyboardInterrupt)) as failed:
        save(path, {"old": False}, {"w": np.ones(9)}, kind="model")
    monkeypatch.undo()
    if isinstance(failed.value, OSError):
        assert failed.value.filename == str(path)
    assert load(path, kind="model")[0] == {"old": True}
    assert os.listdir(tmp_path) == ["it"]


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: the writes themselves fail."""
    code = f"""
import resource, numpy as np
from novikoff.storage.file_format import save
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    save({str(tmp_path / "it")!r}, {{}}, {{"w": np.ones(100_000)}}, kind="model")
except OSError as error:
    print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    assert said == f"[Errno 27] File too large: {str(tmp_path / 'it')!r}\n"
    assert os.listdir(tmp_path) == []


def test_a_long_name_leaves_room_for_the_file_beside(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    with atomic_write(path) as file:
        file.write(b"x")
    assert path.read_bytes() == b"x"
