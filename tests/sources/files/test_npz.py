"""Arrays in .npz files: what is saved is what is read; the rest is refused."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from novikoff import BadExample
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.files import npz
from novikoff.sources.files.npz import ArrayFiles
from novikoff.stream.rows import DenseRows, SparseRows


def chunks_of(*contents: bytes, labelled: bool = True) -> list[Chunk]:
    """The chunks of files a, b, … of these contents; their folder is cut from an error."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in "abc"[: len(contents)]]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        try:
            return list(ArrayFiles(paths, labelled=labelled))
        except BadExample as error:
            raise BadExample(str(error).replace(f"{folder}/", "")) from None


def saved(save: Callable[..., None] = np.savez, **members: Any) -> bytes:
    file = io.BytesIO()
    save(file, **members)
    return file.getvalue()


def csr(matrix: Any, **others: Any) -> bytes:
    """A sparse matrix as scipy saves it, with other arrays beside or instead."""
    file = io.BytesIO()
    sparse.save_npz(file, matrix)
    file.seek(0)
    with np.load(file) as arrays:
        return saved(**{**arrays, **others})


def refusal(*contents: bytes, labelled: bool = True) -> str:
    with pytest.raises(BadExample) as caught:
        chunks_of(*contents, labelled=labelled)
    return str(caught.value)


def labels(chunks: list[Chunk]) -> list[str | None]:
    return [
        None if k < 0 else chunk.label_texts[k] for chunk in chunks for k in chunk.labels.tolist()
    ]


def dense(chunks: list[Chunk]) -> list[list[float]]:
    out: list[list[float]] = []
    for chunk in chunks:
        assert isinstance(chunk.rows, DenseRows)
        assert chunk.rows.values.dtype == np.float64
        assert chunk.first == len(out)
        out += chunk.rows.values.tolist()
    return out


@contextmanager
def chunks_of_values(n: int) -> Iterator[None]:
    before, npz.CHUNK = npz.CHUNK, n
    try:
        yield
    finally:
        npz.CHUNK = before


DTYPES = ["?", "i1", "u2", "<i4", ">i4", "f2", ">f4", "f8", "<i8", "u8"]


@given(
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays(
            dtype,
            st.tuples(st.integers(0, 9), st.integers(1, 4)),
            elements=None
            if dtype == "?"
            else st.integers(0, 100)
            if np.dtype(dtype).kind in "iu"
            else st.floats(-100, 100, width=np.dtype(dtype).itemsize * 8),  # type: ignore[arg-type]
        )
    ),
    st.sampled_from([np.savez, np.savez_compressed]),
    st.sampled_from([1, 3, 8, 1 << 17]),
)
def test_the_array_saved_is_the_array_read(X: Any, save: Any, size: int) -> None:
    y = np.arange(len(X)) % 3
    with chunks_of_values(size):
        chunks = chunks_of(saved(save, X=X, y=y))
    assert dense(chunks) == X.astype(np.float64).tolist()
    assert labels(chunks) == [str(k) for k in y]
    assert all(len(chunk) <= max(1, size // X.shape[1]) for chunk in chunks)


@given(
    arrays(np.float64, st.tuples(st.integers(0, 9), st.integers(1, 4)), elements=st.floats(-9, 9)),
    st.sampled_from([sparse.csr_array, sparse.csr_matrix]),
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from([1, 3, 8, 1 << 17]),
)
def test_the_sparse_matrix_saved_is_the_one_read(X: Any, kind: Any, width: Any, size: int) -> None:
    matrix = kind(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(width), matrix.indptr.astype(width)
    y = np.array(["spam", "ham"])[np.arange(len(X)) % 2]
    with chunks_of_values(size):
        chunks = chunks_of(csr(matrix, y=y))
    read = np.zeros(X.shape)
    for chunk in chunks:
        assert isinstance(chunk.rows, SparseRows)
        assert chunk.rows.dim == X.shape[1]
        assert chunk.names is None
        for i in range(len(chunk)):
            columns, values = chunk.rows.row(i)
            assert (np.diff(columns) > 0).all()
            read[chunk.first + i, columns] = values
    assert read.tolist() == X.tolist()
    assert labels(chunks) == y.tolist()


def test_rows_out_of_order_are_put_in_order_and_what_is_repeated_added_up() -> None:
    matrix = sparse.csr_array(([1.0, 2.0, 4.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    [chunk] = chunks_of(csr(matrix, y=[1]))
    columns, values = chunk.rows.row(0)
    assert (columns.tolist(), values.tolist()) == ([0, 2], [2.0, 5.0])


@pytest.mark.parametrize(
    ("y", "wanted"),
    [
        (np.array([1, -1, 1]), ["1", "-1", "1"]),
        (np.array([1.0, 0.5, -0.0]), ["1", "0.5", "0"]),
        (np.array([0.1, 0.2, 0.1], np.float32), ["0.1", "0.2", "0.1"]),
        (np.array([True, False, True]), ["true", "false", "true"]),
        (np.array(["spam", "ham", "größe"]), ["spam", "ham", "größe"]),
    ],
)
def test_labels_are_texts_with_the_place_where_each_was_first_seen(
    tmp_path: Path, y: Any, wanted: list[str]
) -> None:
    path = tmp_path / "t.npz"
    np.savez(path, X=np.eye(3), y=y)
    [chunk] = ArrayFiles([path])
    assert labels([chunk]) == wanted
    assert chunk.label_texts == tuple(dict.fromkeys(wanted))
    assert chunk.label_places == tuple(f"{path}: row {wanted.index(x)}" for x in chunk.label_texts)


def test_without_labels_y_may_be_absent_or_partly_missing() -> None:
    chunks = chunks_of(saved(X=np.eye(2)), labelled=False)
    assert (dense(chunks), labels(chunks)) == ([[1, 0], [0, 1]], [None, None])
    assert labels(chunks_of(saved(X=np.eye(2), y=[np.nan, 3]), labelled=False)) == [None, "3"]
    assert labels(chunks_of(csr(sparse.csr_array(np.eye(2))), labelled=False)) == [None, None]


def test_several_files_are_read_one_after_another(tmp_path: Path) -> None:
    contents = saved(X=np.eye(2), y=[0, 1]), csr(sparse.csr_array(np.eye(2)), y=[1, 0])
    chunks = chunks_of(*contents)
    assert [chunk.first for chunk in chunks] == [0, 2]
    assert labels(chunks) == ["0", "1", "1", "0"]
    (tmp_path / "a").write_bytes(contents[0])
    source: Source = ArrayFiles([tmp_path / "a"] * 2)
    assert (source.table, source.description) == (None, "npz, 2 files")


def test_other_arrays_of_a_file_are_not_looked_at() -> None:
    pickled = np.array([{}], dtype=object)
    assert dense(chunks_of(saved(X=np.eye(1), y=[0], names=pickled))) == [[1.0]]


def test_reading_again_gives_the_same_chunks(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(csr(sparse.random_array((50, 9), density=0.3, rng=0).tocsr(), y=[1, 2] * 25))
    with chunks_of_values(20):
        source = ArrayFiles([path])
        once, twice = (
            [(c.first, c.label_texts, c.rows.row(0)[1].tolist(), len(c)) for c in source]
            for _ in range(2)
        )
    assert once == twice
    assert len(once) > 3


def test_a_chunk_of_sparse_rows_ends_with_the_row_that_fills_it() -> None:
    lengths = [3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1]  # a row without values counts as one
    starts = np.cumsum([0, *lengths])
    matrix = sparse.csr_array((np.ones(17), np.concatenate([range(k) for k in lengths]), starts))
    with chunks_of_values(8):
        chunks = chunks_of(csr(matrix, y=range(13)))
    assert [len(chunk) for chunk in chunks] == [3, 5, 4, 1]


X, Y = np.eye(2), np.array([0, 1])
CSR = sparse.csr_array(X)
WANTED = (
    "save X and y, or y with the arrays of scipy.sparse.save_npz: "
    "data, indices, indptr, format, shape"
)
REFUSED = [
    (saved(A=X), f"there is no array 'X'; the arrays are 'A'; {WANTED}"),
    (saved(X=X), f"there is no array 'y'; the arrays are 'X'; {WANTED}"),
    (saved(indices=X, y=Y), f"there is no array 'data'; the arrays are 'indices', 'y'; {WANTED}"),
    (
        saved(X=Y, y=Y),
        "X must be two-dimensional, not of shape (2,)",
    ),
    (saved(X=X[:, :0], y=Y), "the rows have no columns"),
    (saved(X=X, y=X), "y has shape (2, 2), but 2 rows need (2,)"),
    (saved(X=X, y=Y[:1]), "y has shape (1,), but 2 rows need (2,)"),
    (
        saved(X=X.astype(str), y=Y),
        "X must be real numbers of at most 64 bits, not <U32; save X.astype(float)",
    ),
    (saved(X=X.astype(complex), y=Y), "X must be real numbers of at most 64 bits, not complex128"),
    (saved(X=X, y=Y.astype(bytes)), "y must be numbers, truth values or texts, not |S21; "),
    (
        saved(X=X.astype(object), y=Y),
        "X holds Python objects, which are not read because unpickling can run code; save "
        "X.astype(float) or X.astype(str)",
    ),
    (saved(X=X, y=Y.astype(object)), "y holds Python objects, which are not read"),
    (
        saved(X=np.asfortranarray(X), y=Y),
        "X is stored column by column, but is read row by row; save np.ascontiguousarray(X)",
    ),
    (
        saved(X=[[0, 1.5], [2, np.nan]], y=Y),
        "row 1: column 1: nan is missing; fill it in or remove the row",
    ),
    (
        saved(X=[[0, 1.5], [-np.inf, 3]], y=Y),
        "row 1: column 0: -inf is not finite; replace it or remove the row",
    ),
    (
        saved(X=[[0, 1], [2, 2**53 + 1]], y=Y),
        "row 1: column 1: 9007199254740993 is not exact in float64; scale it",
    ),
    (
        saved(X=X, y=[1, np.nan]),
        "row 1: label: nan is missing; fill it in or remove the row",
    ),
    (saved(X=X, y=[1, np.inf]), "row 1: label: inf is not finite; replace it or remove the row"),
    (csr(sparse.csc_array(X), y=Y), "the matrix is in format 'csc'; save X.tocsr()"),
    (csr(CSR, y=Y, format=X), "format has shape (2, 2)"),
    (csr(CSR, y=Y, shape=[2.0, 2.0]), "shape must be two whole numbers, not [2.0, 2.0]"),
    (csr(CSR, y=Y, shape=[3, 2]), "indptr has shape (3,), but 3 rows need (4,)"),
    (csr(CSR, y=Y, indices=X[0]), "indices must be whole numbers, not float64"),
    (
        csr(CSR, y=Y, data=[1.0]),
        "data has shape (1,) and indices (2,); they must be one-dimensional and of the same length",
    ),
    (csr(CSR, y=Y, data=["a", "b"]), "data must be real numbers of at most 64 bits, not <U1"),
    (csr(CSR, y=Y, indptr=[1, 1, 2]), "indptr must begin with 0, not 1"),
    (
        csr(CSR, y=Y, indptr=[0, 2, 1]),
        "row 1: indptr goes from 2 to 1; it must not decrease or exceed the 2 stored values",
    ),
    (csr(CSR, y=Y, indptr=[0, 3, 3]), "row 0: indptr goes from 0 to 3; it must not decrease"),
    (csr(CSR, y=Y, indptr=[0, 1, 1]), "indptr ends with 1, but 2 values are stored"),
    (csr(CSR, y=Y, indices=[0, 2]), "row 1: column 2 is not in 0..1"),
    (csr(CSR, y=Y, indices=[-1, 1]), "row 0: column -1 is not in 0..1"),
    (csr(CSR, y=Y, data=[1.0, np.nan]), "row 1: column 1: nan is missing; fill it in or remove"),
    (b"", "cannot be read as .npz: File is not a zip file"),
    (b"1 1:2\n" * 9, "cannot be read as .npz: File is not a zip file"),
    (saved(X=X, y=Y)[:-30], "cannot be read as .npz: "),
]


@pytest.mark.parametrize(("content", "words"), REFUSED, ids=[words[:45] for _, words in REFUSED])
def test_bad_files_are_refused_with_a_reason(content: bytes, words: str) -> None:
    assert refusal(content)[: len(words) + 3] == f"a: {words}"


def archive(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return file.getvalue()


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_archives_that_numpy_does_not_write_are_refused() -> None:
    good = {"X.npy": npy(X), "y.npy": npy(Y)}
    assert dense(chunks_of(archive(good))) == X.tolist()
    assert refusal(archive({**good, "X.npy": npy(X)[:-1]})) == (
        "a: X has 159 bytes, but its shape needs 160"
    )
    assert refusal(archive({**good, "X.npy": b"no array"})).startswith(
        "a: cannot be read as .npz: the magic string is not correct"
    )
    assert refusal(archive(good, zipfile.ZIP_BZIP2)) == (
        "a: X is not compressed as NumPy does it; save it with NumPy"
    )
    fields = np.zeros(2, dtype=[("日", "f8")])
    with pytest.warns(UserWarning, match="format 3.0"):
        assert refusal(archive({**good, "X.npy": npy(fields)})) == (
            "a: X is a structured array; save plain arrays"
        )


def test_a_flipped_bit_is_found() -> None:
    content = bytearray(saved(X=X, y=Y))
    at = content.index(np.float64(1).tobytes())
    content[at] ^= 1
    assert refusal(bytes(content)) == ("a: cannot be read as .npz: Bad CRC-32 for file 'X.npy'")


def test_files_of_different_widths_are_refused() -> None:
    words = refusal(saved(X=X, y=Y), saved(X=X[:, :1], y=Y))
    assert words == "b: 1 columns, but a has 2"


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ArrayFiles([tmp_path / "t"])
    with pytest.raises(ValueError, match="no files to read"):
        ArrayFiles([])


@pytest.mark.parametrize(
    "content", [saved(np.savez_compressed, X=X, y=Y), csr(CSR, y=["a", "b"])], ids=["X", "csr"]
)
def test_broken_files_are_read_or_refused(content: bytes) -> None:
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        broken = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 4)):
            broken[at] = rng.integers(0, 256)
        try:
            assert sum(map(len, chunks_of(bytes(broken)))) == 2
        except BadExample:
            refused += 1
    assert 0 < refused < 400


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_memory_is_bounded(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "t"
    X, y = np.random.default_rng(0).random((1 << 17, 64)), np.arange(1 << 17) % 2
    total = X.sum()
    if layout == "dense":
        np.savez(path.with_suffix(".npz"), X=X, y=y)
    else:
        matrix = sparse.csr_array(X)
        np.savez(
            path.with_suffix(".npz"),
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
            shape=matrix.shape,
            format="csr",
            y=y,
        )
        del matrix
    del X
    assert path.with_suffix(".npz").stat().st_size >= 64 << 20
    tracemalloc.start()
    read = sum(chunk.rows.values.sum() for chunk in ArrayFiles([path.with_suffix(".npz")]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read == pytest.approx(total)  # not added up in the same order
    assert most < 16 << 20


def test_arrays_are_read_without_pyarrow(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", X=X, y=Y)
    program = (
        "import sys; from pathlib import Path; from novikoff.sources.files.npz import ArrayFiles\n"
        f"assert sum(map(len, ArrayFiles([Path({str(tmp_path / 't.npz')!r})]))) == 2\n"
        "assert 'pyarrow' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
