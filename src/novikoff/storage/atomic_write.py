"""Atomic writes: a file is written beside its place and moved into it when it is complete."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` when the block ends without an error.

    If anything fails before that, `path` is unchanged and nothing is left beside it. Links are
    followed. An existing file keeps its permissions. Errors name `path`, unless they name another
    file that was used meanwhile. A durable file also survives a power cut, whole.
    """
    ours: set[object] = {None, os.fspath(path)}
    try:
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        temporary = target.parent / f".{target.name[:40]}.{os.urandom(8).hex()}"
        ours |= {str(target), str(temporary), temporary}
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(temporary, flags, 0o666 if mode is None else mode)
            with open(handle, "wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            if mode is not None:  # exactly these, whatever the umask is
                os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if durable:
            _sync(target.parent)
    except OSError as error:
        if error.errno is None or error.filename not in ours:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _mode(target: Path) -> int | None:
    """The permissions of the file to be replaced; None if there is none."""
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "not a regular file")
    return stat.S_IMODE(found) & 0o777


def _sync(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
