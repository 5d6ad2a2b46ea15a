"""One rule for all ways in: no name and no label contains a NUL or half of a surrogate pair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff import Perceptron
from novikoff.separability import certify
from novikoff.sources import read
from novikoff.stream.input_problems import BadExample

NUL = "contains a NUL|zero byte"
EYE = np.eye(2)


def from_bytes(suffix: str, content: bytes) -> Callable[[Path], Any]:
    def way(folder: Path) -> Any:
        (file := folder / f"x.{suffix}").write_bytes(content)
        return read(file)

    return way


def from_parquet(**columns: Any) -> Callable[[Path], Any]:
    def way(folder: Path) -> Any:
        named = {name.replace("_", "\0"): values for name, values in columns.items()}
        pq.write_table(pa.table(named), file := folder / "x.parquet")
        return read(file)

    return way


def from_npz(folder: Path) -> Any:
    np.savez(file := folder / "x.npz", X=EYE, y=np.array(["u\0v", "w"]))
    return read(file)


WAYS: dict[str, Callable[[Path], Any]] = {
    "CSV, a column": from_bytes("csv", b"a\0b,y\n1,0\n2,1\n"),
    "CSV, a text": from_bytes("csv", b"a,b,y\nu\0v,1,1\nw,1,0\n"),
    "CSV, a label": from_bytes("csv", b"a,y\n1,u\0\n2,v\n"),
    "vw, a name": from_bytes("vw", b"1 | a\0b\n-1 | c\n"),
    "vw, a label": from_bytes("vw", b"u\0 | a\nv | c\n"),
    "svmlight, a label": from_bytes("svm", b"u\0 1:1\nv 2:1\n"),
    "JSON, a key": from_bytes("jsonl", b'{"label": 1, "a\\u0000": 2}\n{"label": 0}\n'),
    "JSON, a text": from_bytes("jsonl", b'{"label": 1, "a": "\\u0000"}\n{"label": 0}\n'),
    "JSON, a label": from_bytes("jsonl", b'{"label": "u\\u0000"}\n{"label": "v"}\n'),
    "Parquet, a column": from_parquet(a_b=[1.0, 2.0], y=[0, 1]),
    "Parquet, a text": from_parquet(a=["u\0", "v"], y=[0, 1]),
    "Parquet, a label": from_parquet(a=[1.0, 2.0], y=["u\0", "v"]),
    "npz, a label": from_npz,
    "dict, a name": lambda _: Perceptron().learn_one({"a\0b": 1}, 1),
    "dict, a text": lambda _: Perceptron().learn_one({"a": "u\0"}, 1),
    "dict, a label": lambda _: Perceptron().learn_one({"a": 1}, "u\0v"),
    "dicts, a name": lambda _: Perceptron().learn_many([{"a\0": 1}], [1]),
    "frame, a column": lambda _: Perceptron().fit(pd.DataFrame(EYE, columns=["a\0", "b"]), [0, 1]),
    "polars, a column": lambda _: Perceptron().fit(pl.DataFrame(EYE, ["a\0", "b"]), [0, 1]),
    "fit, a label": lambda _: Perceptron().fit(EYE, ["u\0v", "w"]),
    "fit, the end of a label": lambda _: Perceptron().fit(EYE, ["u\0", "w"]),
    "fit, an object": lambda _: Perceptron().fit(EYE, np.array(["u\0", "w"], dtype=object)),
    "partial_fit, a label": lambda _: Perceptron().partial_fit(EYE, ["u\0v", "w"]),
    "partial_fit, a class": lambda _: Perceptron().partial_fit(EYE, [0, 1], classes=["u\0v", "w"]),
    "certify, a label": lambda _: certify(EYE, ["u\0v", "w"]),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_nul_is_refused_in_every_name_and_label(tmp_path: Path, way: str) -> None:
    with pytest.raises(BadExample, match=NUL):
        WAYS[way](tmp_path)


@pytest.mark.parametrize("label", ["\ud800", "a\udfff"])
def test_half_of_a_surrogate_pair_is_refused(label: str) -> None:
    for learn in (
        lambda: Perceptron().learn_one({label: 1}, 1),
        lambda: Perceptron().learn_one({"a": 1}, label),
        lambda: Perceptron().fit(EYE, [label, "w"]),
    ):
        with pytest.raises(BadExample, match="half of a surrogate pair"):
            learn()


def test_the_error_names_the_file_and_the_example(tmp_path: Path) -> None:
    lines = ['{"label": 1, "a": 1}', '{"label": 0, "b": "x\\u0000"}', '{"label": 0, "b": 2}']
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    with pytest.raises(BadExample) as caught:
        read(tmp_path / "x.jsonl")
    assert str(caught.value) == (
        f"{tmp_path}/x.jsonl: example 1: feature 'b=x\\x00' contains a NUL; remove it"
    )
