"""Stored files changed under valid checksums: models, checkpoints and caches.

Every field of a header becomes any other value that parses, arrays are flipped, cut, extended and
reshaped, and the checksums are made right again. Using the file must give a clear error or a
result: no traceback, no crash, no hang, no gigabytes.
"""

from __future__ import annotations

import hashlib
import json
import signal
import struct
import zlib
from collections.abc import Collection, Iterator
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from attack.arena import Attack, Fault, verb
from attack.mutations import bytes_changed, changed
from novikoff import BadExample, BadModel, Training, sources
from novikoff.cli.main import run as run_words
from novikoff.cli.train import Watch
from novikoff.models.model import Model
from novikoff.sources.files import text as text_files

SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1e308, 5e-324, -1.0, 2.0**53, 1e-300)
WHOLE = (0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**30, 1000)
DTYPES = ("|i1", "|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")

NUMBERED = "a 1:1 3:2\nb 2:-1 3:1\na 1:0.5\nb 3:4\nb 1:-2 2:1\na 2:3\n"
NAMED = "x,colour,z,kind\n1,red,2,a\n-1,blue,1,b\n2,red,0,a\n0,blue,3,b\n1,green,1,a\n"
CLASSES = "1 1:1\n2 2:1 3:1\n3 3:2\n1 1:2 2:1\n2 2:3\n"
FIELDS = "1 |a x:1 y |b u:2 v\n-1 |a x:-1 |b v:3 w\n1 |a y:2 |b u\n-1 |a z |b w:2\n"

TEXTS = {
    "numbered.svm": NUMBERED,
    "positive.svm": NUMBERED.replace("-", ""),
    "named.csv": NAMED,
    "classes.svm": CLASSES,
    "fields.vw": FIELDS,
}
CACHED: dict[str, tuple[str, ...]] = {
    "numbered.svm": (),
    "named.csv": (),
    "classes.svm": ("--multiclass",),
}
PASSES, OUTPUT = ("--passes", "4"), ("-o", "attempt.model", "-q")
TRAINED: dict[str, tuple[str, ...]] = {
    "plain": ("numbered.svm",),
    "margin": ("numbered.svm", "--learner", "margin"),
    "averaged": ("numbered.svm", "--learner", "averaged", "--holdout", "3"),
    "voted": ("numbered.svm", "--learner", "voted"),
    "adaptive": ("numbered.svm", "--learner", "adaptive", "--ledger"),
    "full matrix": ("numbered.svm", "--learner", "adaptive-averaged", "--matrix", "full"),
    "adaptive classes": ("classes.svm", "--multiclass", "--learner", "adaptive", "--ledger"),
    "winnow": ("numbered.svm", "--learner", "winnow"),
    "winnow2": ("positive.svm", "--learner", "winnow2", "--hash-bits", "4", "--ledger"),
    "named": ("named.csv", "--ledger"),
    "scaled": ("named.csv", "--standardise", "--unit-length", "--missing", "indicate"),
    "hashed": ("named.csv", "--hash-bits", "5", "--learner", "averaged"),
    "classes": ("classes.svm", "--multiclass", "--ledger"),
    "voted classes": ("classes.svm", "--multiclass", "--learner", "voted"),
    "fields": ("fields.vw", "--interactions", "a*b", "--ledger"),
    "no bias": ("numbered.svm", "--no-bias", "--shuffle", "--seed", "7"),
}


def prepare() -> None:
    """Write the data, a model of each kind, finished and unfinished, and caches."""
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    for name, words in TRAINED.items():
        answer = verb("train", *words, "-o", f"{name}.model", "-q")
        assert answer.status == 0, (name, answer)
        stopped_run(*words, *PASSES, "-o", f"{name} unfinished.model")
    for data, extra in CACHED.items():
        answer = verb("train", data, *extra, *PASSES, *OUTPUT, "--cache", f"{data}.cache")
        assert answer.status == 0, answer


def stopped_run(*words: str) -> None:
    """Train, and end the run after its second block."""
    seen, after_block = 0, Watch.after_block

    def stop(self: Watch, training: Training) -> None:
        nonlocal seen
        seen += 1
        if seen == 2:
            signal.raise_signal(signal.SIGTERM)
        after_block(self, training)

    with (
        patch.object(Watch, "after_block", stop),
        patch.object(text_files, "PIECE_BYTES", 24),
        suppress(SystemExit),
        redirect_stderr(StringIO()),
    ):
        run_words(["train", *words, "--checkpoint", "0", "-q"])


# the file format of models, written here again so that checksums are right


def unpacked(data: bytes) -> tuple[dict[str, Any], list[tuple[str, NDArray[Any]]]]:
    """The header and the arrays of a model's file."""
    _, _, length, _ = struct.unpack("<8sIIQ", data[:24])
    header = json.loads(data[24 : 24 + length])
    at, arrays = 24 + length, []
    for name in sorted(header["arrays"]):
        kind, shape = header["arrays"][name]
        at += -at % 64
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append((name, np.frombuffer(data, kind, count, at).reshape(shape)))
        at += arrays[-1][1].nbytes
    return header, arrays


def packed(header: dict[str, Any], pieces: list[bytes]) -> bytes:
    """A file with this header and these arrays, its lengths and its checksum right."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    body = text
    for piece in pieces:
        body += bytes(-(24 + len(body)) % 64) + piece
    whole = struct.pack("<8sIIQ", b"novikoff", 1, len(text), 24 + len(body) + 32) + body
    return whole + hashlib.sha256(whole).digest()


def changed_array(dice: Random, array: NDArray[Any]) -> NDArray[Any]:
    """The array with other values, another length, dtype or shape."""
    out = array.copy()
    flat = out.reshape(-1)
    match dice.randrange(9):
        case 0 | 1 | 2 if flat.size:
            if out.dtype.kind == "f":
                flat[dice.randrange(flat.size)] = dice.choice(SPECIAL)
            else:
                bounds = np.iinfo(out.dtype)
                whole = dice.choice((*WHOLE, bounds.min, bounds.max))
                flat[dice.randrange(flat.size)] = min(max(whole, bounds.min), bounds.max)
        case 3 if flat.size:
            flat.view(np.uint8)[dice.randrange(flat.nbytes)] ^= np.uint8(1 << dice.randrange(8))
        case 4:
            out = flat[: dice.randrange(flat.size + 1)]
        case 5:
            out = np.concatenate([flat, flat[: dice.randrange(1, 4)], flat[:0]])
        case 6:
            kind = np.dtype(dice.choice(DTYPES))
            data = out.tobytes()
            out = np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)
        case 7:
            out = out.reshape(-1, 1) if dice.random() < 0.5 else out.reshape(1, -1)
        case _:
            np.random.default_rng(dice.randrange(2**32)).shuffle(flat)
    return out


def changed_model(dice: Random, data: bytes, fixed: Collection[str] = ()) -> bytes:
    """A model's file with its header or its arrays changed, and its checksum right.

    The settings named in `fixed` stay.
    """
    header, arrays = unpacked(data)
    how = dice.random()
    if how < 0.35:
        arrays = [
            (name, changed_array(dice, a) if dice.random() < 2 / len(arrays) else a)
            for name, a in arrays
        ]
        header["arrays"] = {name: [a.dtype.str, list(a.shape)] for name, a in arrays}
    if how > 0.25:
        part = header if dice.random() < 0.1 else header["header"]
        new = changed(dice, part, times=dice.choice((1, 1, 1, 2, 3)))
        new |= {name: one for name, one in part.items() if name in fixed}
        header = new if part is header else header | {"header": new}
    pieces = [a.tobytes() for _, a in arrays]
    if dice.random() < 0.03 and pieces:
        pieces[-1] = bytes_changed(dice, pieces[-1])
    return packed(header, pieces)


def use_model(dice: Random, words: tuple[str, ...]) -> None:
    """Use a model by some of the verbs."""
    model, data = "attempt.model", words[0]
    uses: list[tuple[str, ...]] = [
        ("inspect", model, "-n", "3"),
        ("inspect", model, "--json"),
        ("predict", model, data),
        ("predict", model, data, "--print", "both"),
        ("test", model, data),
        ("train", data, "--initial", model, "-o", "attempt.next", "-q"),
        ("train", *words, *PASSES, *OUTPUT, "--resume"),
    ]
    for use in dice.sample(uses, 3):
        verb(*use)
    Path("attempt.next").unlink(missing_ok=True)


def models(dice: Random) -> Iterator[Exception | None]:
    """Change a model in many ways and use it."""
    name = dice.choice(list(TRAINED))
    words = TRAINED[name]
    original = Path(f"{name}{dice.choice(('', ' unfinished'))}.model").read_bytes()
    for _ in range(50):
        Path("attempt.model").write_bytes(changed_model(dice, original))
        try:
            model = Model.load("attempt.model")
            model.save("attempt.again")
            Model.load("attempt.again")
            use_model(dice, words)
        except BadModel as error:
            if dice.random() < 0.02:
                use_model(dice, words)
            yield Fault("an error of several lines") if "\n" in str(error) else None
        except Exception as error:
            yield error
        else:
            yield None


# caches: Arrow files, each batch with a checksum of its memory and schema


def cache_checksum(batch: pa.RecordBatch) -> bytes:
    """The checksum that a cache keeps for a batch."""
    found = zlib.crc32(f"{batch.num_rows} {batch.schema}".encode())
    for column in batch.columns:
        for buffer in column.buffers():
            if buffer:
                found = zlib.crc32(buffer, found)
    return b"%d" % found


FIXED = ("fingerprint", "format")  # a cache with others is not used


def changed_buffers(dice: Random, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with the memory of one column changed, after Arrow has checked it."""
    k = dice.randrange(batch.num_columns)
    column = batch.column(k)
    memory = [None if b is None else np.frombuffer(b, np.uint8).copy() for b in column.buffers()]
    buffers = [None if m is None else pa.py_buffer(m) for m in memory]
    other = _from_buffers(column.type, len(column), buffers)
    columns = [other if j == k else batch.column(j) for j in range(batch.num_columns)]
    out = pa.RecordBatch.from_arrays(columns, batch.schema.names)
    own = 2 if pa.types.is_list(column.type) else 0  # Arrow itself aborts on offsets out of range
    some = dice.choice([m for m in memory[own:] if m is not None and m.size] or [np.zeros(8, "u1")])
    if own and dice.random() < 0.2 and memory[1] is not None:
        offsets = memory[1].view(np.int32)
        offsets[dice.randrange(offsets.size)] = dice.randint(0, int(offsets.max()))
        return out
    size = 4 if some.size % 8 else dice.choice((4, 8))
    if dice.random() < 0.5 and some.size >= size:
        words = some[: some.size // size * size].view(np.int32 if size == 4 else np.int64)
        words[dice.randrange(words.size)] = dice.choice(WHOLE)
    else:
        some[dice.randrange(some.size)] ^= np.uint8(1 << dice.randrange(8))
    return out


def _from_buffers(kind: pa.DataType, length: int, buffers: list[Any]) -> pa.Array:
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        own = 2 if pa.types.is_list(kind) else 1
        inside = buffers[own:]
        n = inside[1].size * 8 // kind.value_type.bit_width if inside[1] is not None else 0
        values = pa.Array.from_buffers(kind.value_type, n, inside)
        return pa.Array.from_buffers(kind, length, buffers[:own], children=[values])
    return pa.Array.from_buffers(kind, length, buffers)


def changed_cache(dice: Random, original: bytes) -> bytes:
    """A cache with its description or its batches changed, and its checksums right."""
    reader = pa.ipc.open_file(pa.BufferReader(original))
    found = [reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches)]
    about = found[-1][1][b"novikoff"]
    batches = [batch for batch, _ in found[:-1]]
    how = dice.random()
    if how < 0.6:
        k = dice.randrange(len(batches))
        batches[k] = changed_batch(dice, batches[k])
    if how > 0.4:
        about = changed_model(dice, about, () if dice.random() < 0.05 else FIXED)
    out = pa.BufferOutputStream()
    with pa.ipc.new_file(out, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch, custom_metadata={b"checksum": cache_checksum(batch)})
        writer.write_batch(batches[0][:0], custom_metadata={b"novikoff": about})
    return bytes(out.getvalue())


def changed_batch(dice: Random, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with other memory, fewer rows, or columns renamed, removed or of another type."""
    match dice.randrange(8):
        case 0:
            return batch.slice(0, dice.randrange(batch.num_rows + 1))
        case 1:
            names = list(batch.schema.names)
            names[dice.randrange(len(names))] = dice.choice(("row", "label", "values", "", "x"))
            return pa.RecordBatch.from_arrays(batch.columns, names)
        case 2:
            k = dice.randrange(batch.num_columns)
            columns = [c for j, c in enumerate(batch.columns) if j != k]
            names = [c for j, c in enumerate(batch.schema.names) if j != k]
            return pa.RecordBatch.from_arrays(columns, names)
        case 3:
            k = dice.randrange(batch.num_columns)
            kind = dice.choice((pa.int8(), pa.int32(), pa.float32(), pa.string(), pa.bool_()))
            other = pa.array([None] * batch.num_rows, kind)
            columns = [other if j == k else c for j, c in enumerate(batch.columns)]
            return pa.RecordBatch.from_arrays(columns, batch.schema.names)
        case _:
            return changed_buffers(dice, batch)


def caches(dice: Random) -> Iterator[Exception | None]:
    """Change a cache in many ways and train from it."""
    data = dice.choice(list(CACHED))
    original = Path(f"{data}.cache").read_bytes()
    for _ in range(20):
        is_valid = dice.random() < 0.85
        content = changed_cache(dice, original) if is_valid else bytes_changed(dice, original)
        Path("attempt.cache").write_bytes(content)
        Path("attempt.model").unlink(missing_ok=True)
        try:
            # the highest index that a cache states may be that of its data: it decides the memory
            words = ("train", data, *CACHED[data], *PASSES, *OUTPUT, "--cache", "attempt.cache")
            verb(*words, needs_memory=True)
            if Path("attempt.model").exists():
                Model.load("attempt.model")
        except Exception as error:
            yield error
        else:
            yield None


# data: numbers in containers of others


def arrays(dice: Random) -> Iterator[Exception | None]:
    """Change Parquet, Arrow and npz files in any way and read them."""
    name = dice.choice(sorted(str(p) for p in Path().glob("binary.*")))
    original = Path(name).read_bytes()
    file = f"attempt{Path(name).suffix}"
    for _ in range(40):
        Path(file).write_bytes(bytes_changed(dice, original))
        try:
            sources.read(file)
        except (BadExample, OSError):
            yield None
        except Exception as error:
            yield error
        else:
            yield None


def prepare_arrays() -> None:
    """Write one table as Parquet, Arrow, compressed and plain npz."""
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet
    import scipy.sparse as sp

    dice = np.random.default_rng(0)
    X = dice.integers(-3, 4, (40, 3)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    colours = dice.choice(["red", "green", "blue"], 40)
    table = pa.table({"x": X[:, 0], "z": X[:, 1], "colour": colours, "kind": y})
    parquet.write_table(table, "binary.parquet", row_group_size=16)
    feather.write_feather(table, "binary.feather", compression="uncompressed")
    np.savez("binary.npz", X=X, y=y)
    matrix = sp.csr_matrix(X)
    np.savez(
        "binary.sparse.npz",
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        shape=np.array(matrix.shape),
        y=y,
    )


ATTACKS = [
    Attack("models", "models and checkpoints changed under valid checksums", models, prepare, 2),
    Attack("caches", "caches changed under valid checksums", caches, prepare, 1.5),
    Attack("binary data", "Parquet, Arrow and npz files changed", arrays, prepare_arrays, 0.7),
]
