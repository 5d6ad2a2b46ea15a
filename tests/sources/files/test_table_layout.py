"""The columns of a table: what a model expects of them, and formats that have none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command_line import error, json_of, stdout_of
from novikoff import BadExample
from novikoff.sources import ReadOptions, open_files


def test_a_column_a_model_knows_as_numbers_must_hold_numbers(tmp_path: Path) -> None:
    numbers, texts = tmp_path / "n.parquet", tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["u", "v"]}), numbers)
    pq.write_table(pa.table({"a": ["1.0", "2.0"], "y": ["u", "v"]}), texts)
    stdout_of("train", numbers, "-o", tmp_path / "m", "-q")
    assert error("test", tmp_path / "m", texts) == (
        f"{texts}: column 'a' holds texts, but the model was trained on numbers"
    )


def test_the_label_column_of_a_table_does_not_apply_to_svmlight_and_vw(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("kind,a,b\nu,1,x\nv,2,y\n")
    (tmp_path / "x.vw").write_text("u | a:1 b=x\nv | a:2 b=y\n")
    stdout_of("train", tmp_path / "x.csv", "--label", "kind", "-o", tmp_path / "m", "-q")
    found = json_of("test", tmp_path / "m", tmp_path / "x.vw")
    assert (found["examples"], found["unknown_feature_values"]) == (2, 0)


def test_options_for_columns_are_refused_for_formats_without_columns(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    with pytest.raises(BadExample, match="svmlight has no columns, such as 'a'"):
        open_files(tmp_path / "x.svm", ReadOptions(ignore=("a",)))
