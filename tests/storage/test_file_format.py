"""A file of settings and arrays comes back exactly as it was written, or is refused."""

from __future__ import annotations

import hashlib
import json
import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from novikoff.storage import file_format
from novikoff.storage.file_format import BadModel, header, load, pieces, save, unpacked

DTYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
headers = st.dictionaries(st.text(), json_values, max_size=4)
some_array = st.sampled_from(DTYPES).flatmap(
    lambda kind: npst.arrays(
        kind, npst.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5)
    )
)
array_names = st.text().filter(lambda name: not name.startswith(("texts ", "starts ")))
some_arrays = st.dictionaries(array_names, some_array, max_size=4)


def packed(header: dict[str, Any], arrays: dict[str, NDArray[Any]], kind: str = "model") -> bytes:
    return b"".join(pieces(header, arrays, kind=kind))


def opened(data: bytes, kind: str = "model") -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    return unpacked(data, kind=kind, where="it")


def sealed(header: bytes, body: bytes = b"", *, version: int = 1) -> bytes:
    """A file with any header and a right checksum."""
    length = 24 + len(header) + len(body) + 32
    data = struct.pack("<8sIIQ", b"novikoff", version, len(header), length) + header + body
    return data + hashlib.sha256(data).digest()


SMALL = packed({"a": 0.1, "b": [1, "x"]}, {"u": np.arange(3), "w": np.ones(2, np.float32)})


@given(header=headers, arrays=some_arrays)
@example(header={"tiny": 5e-324, "minus": -0.0, "third": 1 / 3, "big": 1.7e308}, arrays={})
def test_saved_content_is_restored_bit_for_bit(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    found, read = opened(packed(header, arrays))
    assert found == header
    assert json.dumps(found, sort_keys=True) == json.dumps(header, sort_keys=True)  # −0.0 too
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        assert read[name].tobytes() == array.tobytes()
        assert not read[name].flags.writeable


@given(header=headers, arrays=some_arrays)
@example(header={"a": {"b/c": ["\ud800", "", "\0"]}, "[]": ["x"], "n": [1]}, arrays={})
def test_lists_of_texts_come_back_from_arrays(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_format, "_LONGEST_LIST", 0)
        found, read = opened(packed(header, arrays))
    assert json.dumps(found, sort_keys=True) == json.dumps(header, sort_keys=True)
    assert read.keys() == arrays.keys()


def test_a_million_names_do_not_make_the_header_too_long() -> None:
    names = [f"column {j}" for j in range(1_000_000)]
    data = packed({"table": {"features": names, "label": "y"}}, {})
    (length,) = struct.unpack_from("<I", data, 12)
    assert length < 1000
    assert opened(data)[0] == {"table": {"features": names, "label": "y"}}


@pytest.mark.parametrize(
    ("name", "text", "starts"),
    [
        ('["a"]', b"xy", None),
        ('["a"]', b"xy", [0, 3]),
        ('["a"]', b"xy", [1, 0]),
        ('["a"]', b"xy", [-1, 2]),
        ('["a"]', b"xy", [[0, 2]]),
        ('["a"]', b"", [[], [], []]),
        ('["a"]', b"\xff", [0, 1]),
        ('["known"]', b"xy", [0, 2]),
        ('["no", "a"]', b"xy", [0, 2]),
        ('["known", "a"]', b"xy", [0, 2]),
        ('["list", 0]', b"xy", [0, 2]),
        ("[]", b"xy", [0, 2]),
        ("[", b"xy", [0, 2]),
        ("[" * 10**5, b"xy", [0, 2]),
    ],
)
def test_a_list_that_was_never_taken_apart_is_refused(
    name: str, text: bytes, starts: list[int] | None
) -> None:
    arrays = {f"texts {name}": np.frombuffer(text, np.uint8)}
    if starts is not None:
        arrays[f"starts {name}"] = np.array(starts, dtype=np.int64)
    with pytest.raises(BadModel, match="is not a list of the header"):
        opened(packed({"known": "k", "list": [1]}, arrays))


@given(arrays=some_arrays)
def test_the_order_of_entries_does_not_change_the_bytes(arrays: dict[str, NDArray[Any]]) -> None:
    header = {"b": 1, "a": {"d": 2, "c": 3}}
    turned = {"a": {"c": 3, "d": 2}, "b": 1}
    assert packed(header, arrays) == packed(turned, dict(reversed(arrays.items())))


def test_memory_layout_and_byte_order_do_not_change_the_bytes() -> None:
    square = np.arange(6, dtype=np.int32).reshape(2, 3)
    plain = packed({}, {"a": square})
    assert packed({}, {"a": np.asfortranarray(square)}) == plain
    assert packed({}, {"a": square.astype(">i4")}) == plain
    assert packed({}, {"a": np.repeat(square, 2, axis=1)[:, ::2]}) == plain


def test_the_format_is_the_one_written_down() -> None:
    text = b'{"arrays":{"a":["<i4",[2]],"b":["|u1",[1]]},"header":{"x":1.5},"kind":"model"}'
    at = 24 + len(text)
    body = bytes(-at % 64) + b"\1\0\0\0\2\0\0\0" + bytes(56) + b"\7"
    arrays: dict[str, NDArray[Any]] = {
        "b": np.array([7], np.uint8),
        "a": np.array([1, 2], np.int32),
    }
    assert packed({"x": 1.5}, arrays) == sealed(text, body)


def test_every_single_flipped_bit_is_noticed() -> None:
    opened(SMALL)
    for place in range(8 * len(SMALL)):
        damaged = bytearray(SMALL)
        damaged[place // 8] ^= 1 << place % 8
        with pytest.raises(BadModel):
            opened(bytes(damaged))


def test_the_header_alone_can_be_read_though_the_arrays_are_damaged(tmp_path: Path) -> None:
    damaged = bytearray(SMALL)
    damaged[-40] ^= 1
    file = tmp_path / "model"
    file.write_bytes(damaged)
    assert header(file, kind="model") == {"a": 0.1, "b": [1, "x"]}
    with pytest.raises(BadModel, match="model: the file is damaged: its checksum"):
        load(file, kind="model")
    with pytest.raises(BadModel, match="model: this is a model, not a cache"):
        header(file, kind="cache")
    file.write_bytes(SMALL[:-1])
    with pytest.raises(BadModel, match="model: the file is truncated"):
        header(file, kind="model")


def test_a_file_cut_off_anywhere_is_refused() -> None:
    with pytest.raises(BadModel, match="^it: this file is empty$"):
        opened(b"")
    for length in range(1, len(SMALL)):
        with pytest.raises(BadModel, match="^it: the file is truncated"):
            opened(SMALL[:length])


@given(more=st.binary(min_size=1))
def test_bytes_after_the_end_are_refused(more: bytes) -> None:
    with pytest.raises(BadModel, match=f"{len(more)} bytes follow its end"):
        opened(SMALL + more)


@given(data=st.binary(max_size=200), known=st.integers(0, 24))
def test_random_bytes_are_refused(data: bytes, known: int) -> None:
    with pytest.raises(BadModel):
        opened(SMALL[:known] + data)


@pytest.mark.parametrize("data", [b"PK\3\4 anything", b"{}", b"1 2:3\n", b"\0" * 100])
def test_a_file_of_another_program_is_reported_as_such(data: bytes) -> None:
    with pytest.raises(BadModel, match="^it: this file was not saved by novikoff$"):
        opened(data)


def test_a_newer_format_asks_for_an_upgrade() -> None:
    words = r"^it: written by a newer novikoff \(format 2; this one reads 1\): upgrade$"
    with pytest.raises(BadModel, match=words):
        opened(sealed(b"whatever it will be", version=2))
    with pytest.raises(BadModel, match="there is no format 0"):
        opened(sealed(b"{}", version=0))


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(BadModel, match="^it: this is a model, not a checkpoint$"):
        opened(SMALL, "checkpoint")


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ('{"a":["<f2",[1]]}', "which is invalid"),
        ('{"a":["|O",[1]]}', "which is invalid"),
        ('{"a":["<f8",[-1]]}', "which is invalid"),
        ('{"a":["<f8",[true]]}', "which is invalid"),
        ('{"a":["<f8",[1.0]]}', "which is invalid"),
        ('{"a":["<f8",[]]}', "which is invalid"),
        ('{"a":["<f8",[1,1,1]]}', "which is invalid"),
        ('{"a":["<f8"]}', "which is invalid"),
        ('{"a":{"dtype":"<f8"}}', "which is invalid"),
        ('{"a":["<f8",[281474976710656]]}', "which is invalid"),
        ('{"a":["<f8",[1]]}', "does not match the arrays"),
        ('{"a":["<f8",[281474976710655]]}', "which is invalid"),
        ('{"a":["<f8",[281474976710655,281474976710655]]}', "which is invalid"),
        ('{"a":["<f8",[0]],"a":["<f8",[0]]}', "repeats an entry"),
        ("[]", "lacks"),
    ],
)
def test_arrays_that_are_not_in_the_file_are_refused(arrays: str, why: str) -> None:
    text = f'{{"arrays":{arrays},"header":{{}},"kind":"model"}}'.encode()
    with pytest.raises(BadModel, match=why):
        opened(sealed(text, bytes(-(24 + len(text)) % 64)))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff",
        b'{"kind":"model","header":{}}',
        b'{"kind":1,"header":{},"arrays":{}}',
        b'{"kind":"model","header":[],"arrays":{}}',
        b'{"kind":"model","header":{},"arrays":{},"more":1}',
        b'{"kind":"model","header":{"x":NaN},"arrays":{}}',
        b'{"kind":"model","header":{"x":-Infinity},"arrays":{}}',
        b'{"kind":"model","header":{"x":1e999},"arrays":{}}',
        b'{"kind":"model","header":{"x":1,"x":1},"arrays":{}}',
        b'{"kind":"model","header":{"x":' + b"9" * 5000 + b'},"arrays":{}}',
        b"[" * 100_000,
    ],
)
def test_a_header_that_was_never_written_is_refused_in_one_line(text: bytes) -> None:
    with pytest.raises(BadModel) as refused:
        opened(sealed(text))
    assert "\n" not in str(refused.value)


@given(data=st.data())
def test_headers_altered_at_random_are_refused_or_read(data: st.DataObject) -> None:
    """With the checksum put right, so that only the reading of the header can object."""
    header_length = struct.unpack_from("<I", SMALL, 12)[0]
    altered = bytearray(SMALL[:-32])
    for _ in range(data.draw(st.integers(1, 3))):
        altered[data.draw(st.integers(24, 23 + header_length))] = data.draw(st.integers(0, 127))
    whole = bytes(altered) + hashlib.sha256(altered).digest()
    try:
        _, arrays = opened(whole)
    except BadModel:
        return
    assert sum(array.nbytes for array in arrays.values()) < len(SMALL)


@pytest.mark.parametrize("shape", [[0, 2**31], [2**40, 0], [0, 2**61], [10**9, 0]])
def test_an_array_without_entries_may_not_be_of_any_shape(shape: list[int]) -> None:
    """A billion rows without columns take no bytes in a file, but gigabytes as lists."""
    text = json.dumps({"kind": "model", "header": {}, "arrays": {"a": ["<f8", shape]}}).encode()
    with pytest.raises(BadModel, match="the header describes array 'a' as"):
        opened(sealed(text, bytes(-(24 + len(text)) % 64)))


LONG = "x\x1b[31m\n" * 1000


@pytest.mark.parametrize(
    "content",
    [
        {"kind": LONG, "header": {}, "arrays": {}},
        {"kind": "model", "header": {}, "arrays": {}, LONG: 1},
        {"kind": "model", "header": {}, "arrays": {LONG: ["<f8", [0] * 10_000]}},
        {"kind": "model", "header": {}, "arrays": {f"texts {LONG}": ["|u1", [0]]}},
    ],
)
def test_an_error_quotes_little_of_a_file_and_no_control_characters(content: Any) -> None:
    text = json.dumps(content).encode()
    with pytest.raises(BadModel) as refused:
        opened(sealed(text, bytes(-(24 + len(text)) % 64)))
    assert len(str(refused.value)) < 300
    assert str(refused.value).isprintable()


def test_a_number_of_many_digits_is_not_repeated() -> None:
    text = b'{"kind": "model", "header": 1e' + b"9" * 100_000 + b', "arrays": {}}'
    with pytest.raises(BadModel, match="which is not a number") as refused:
        opened(sealed(text, bytes(-(24 + len(text)) % 64)))
    assert len(str(refused.value)) < 300


def test_a_header_length_beyond_the_file_is_refused() -> None:
    data = struct.pack("<8sIIQ", b"novikoff", 1, 2**32 - 1, 56)
    with pytest.raises(BadModel, match="a header of 4294967295 bytes is too large"):
        opened(data + hashlib.sha256(data).digest())


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), {1, 2}, np.int64(1), b"x"])
def test_what_json_cannot_hold_is_not_written(wrong: object, tmp_path: Path) -> None:
    with pytest.raises((ValueError, TypeError)):
        save(tmp_path / "it", {"x": wrong}, {}, kind="model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong", [np.array(["a"]), np.array([None]), np.array(1.0), np.ones((1, 1, 1)), np.array([1j])]
)
def test_arrays_of_other_kinds_are_not_written(wrong: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="array 'a' is"):
        packed({}, {"a": wrong})


def test_a_large_file_is_mapped_and_a_small_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_format, "_MAPPED_FROM", 1 << 20)
    w = np.random.default_rng(0).standard_normal(1 << 18)
    save(tmp_path / "large", {}, {"w": w, "x": w[:3]}, kind="model")
    save(tmp_path / "small", {}, {"w": w[:9]}, kind="model")
    _, large = load(tmp_path / "large", kind="model")
    _, small = load(tmp_path / "small", kind="model")
    assert large["w"].tobytes() == w.tobytes()
    assert small["w"].tolist() == w[:9].tolist()
    for array in (large["w"], large["x"], small["w"]):
        assert not array.flags.writeable
        assert array.flags.aligned
    assert large["w"].ctypes.data % 64 == large["x"].ctypes.data % 64 == 0
    maps = Path("/proc/self/maps")
    if maps.exists():
        assert str(tmp_path / "large") in maps.read_text()
        assert str(tmp_path / "small") not in maps.read_text()
    save(tmp_path / "large", {}, {"w": -w}, kind="model")
    assert large["w"].tobytes() == w.tobytes()  # the old file, as long as it is in use


def test_damage_to_a_mapped_file_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_format, "_MAPPED_FROM", 1 << 20)
    path = tmp_path / "it"
    save(path, {}, {"w": np.zeros(1 << 18)}, kind="model")
    with open(path, "r+b") as file:
        file.seek(1 << 20)
        file.write(b"\1")
    with pytest.raises(BadModel, match=f"^{path}: the file is damaged: its checksum"):
        load(path, kind="model")


def test_an_error_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(b"nothing")
    with pytest.raises(BadModel, match=f"^{tmp_path}/it: this file was not saved by novikoff$"):
        load(tmp_path / "it", kind="model")
    with pytest.raises(FileNotFoundError, match="missing"):
        load(tmp_path / "missing", kind="model")


def test_an_open_file_gets_the_bytes_of_a_path_and_is_read_like_one(tmp_path: Path) -> None:
    arrays, file = {"a": np.arange(3)}, BytesIO()
    save(file, {"b": 1}, arrays, kind="model")
    save(tmp_path / "it", {"b": 1}, arrays, kind="model")
    assert file.getvalue() == (tmp_path / "it").read_bytes()
    header, found = load(BytesIO(file.getvalue()), kind="model")
    assert (header, found["a"].tolist()) == ({"b": 1}, [0, 1, 2])
    with pytest.raises(BadModel, match="the file: this is a model, not a cache"):
        load(BytesIO(file.getvalue()), kind="cache")
