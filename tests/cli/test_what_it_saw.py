"""Odd data: sorted, one-sided, badly scaled, with constants and ids; `train` says what it saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import json_of, run, stdout_of

dice = np.random.default_rng(4)
X = dice.normal(size=(1200, 4))
Y = np.where(X @ [1.0, -2.0, 1.0, 0.5] + dice.normal(size=1200) > 0, "yes", "no")
COLUMNS = ["a", "b", "c", "d"]


def write(path: Path, X: Any, y: Any, names: list[str]) -> Path:
    lines = [",".join([*names, "label"])]
    lines += [",".join([*map(repr, x), str(of)]) for x, of in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def trained(tmp_path: Path, X: Any, y: Any, names: list[str], *words: Any) -> tuple[Any, float]:
    """What `train` says of the first 800 rows, and its accuracy on the others."""
    old = write(tmp_path / "old.csv", X[:800], y[:800], names)
    new = write(tmp_path / "new.csv", X[800:], y[800:], names)
    found = json_of("train", old, "-o", tmp_path / "m", "-q", *words)
    return found, json_of("test", tmp_path / "m", new)["accuracy"]


def lines_of(tmp_path: Path, *words: Any) -> str:
    return stdout_of("train", tmp_path / "old.csv", "-o", tmp_path / "m", "-q", *words)


@pytest.fixture
def usual(tmp_path: Path) -> float:
    found, accuracy = trained(tmp_path, X, Y, COLUMNS)
    assert accuracy > 0.82
    assert found["constant_features"] == found["identifiers"] == []
    shown = lines_of(tmp_path)
    assert "Constant" not in shown
    assert "Ids?" not in shown
    return accuracy


def test_constant_columns_change_nothing_and_are_named(tmp_path: Path, usual: float) -> None:
    more = np.column_stack([np.full(1200, 7.0), X, np.zeros(1200), np.full(1200, 1e9)])
    found, accuracy = trained(tmp_path, more, Y, ["seven", *COLUMNS, "zero", "large"])
    assert accuracy == pytest.approx(usual, abs=0.03)
    assert found["constant_features"] == ["seven", "zero", "large"]
    words = "Constant  seven, zero, large: the same in all examples, so of no use\n"
    assert words in lines_of(tmp_path)


def test_columns_that_look_like_identifiers_are_named(tmp_path: Path, usual: float) -> None:
    numbers = np.column_stack([np.arange(1200), dice.permutation(10**6)[:1200]]).astype(float)
    more = np.column_stack([numbers, X, np.round(X[:, 0] * 10)])
    found, accuracy = trained(tmp_path, more, Y, ["row", "key", *COLUMNS, "repeated"])
    assert accuracy > usual - 0.04  # later rows have numbers that were never met
    assert found["identifiers"] == ["row", "key"]
    words = "each has whole numbers, all different, as if they were identifiers"
    assert f"Ids?      row, key: {words}; --ignore row leaves it out\n" in lines_of(tmp_path)
    assert "Ids?" not in lines_of(tmp_path, "--ignore", "row", "--ignore", "key")
    rows = (
        f"{1 if y == 'yes' else -1} " + " ".join(f"{j}:{v}" for j, v in enumerate(x, 1) if v)
        for x, y in zip(more.tolist(), Y, strict=True)
    )
    (tmp_path / "old.csv").write_text("\n".join(rows) + "\n")
    assert f"Ids?      1, 2: {words}\n" in lines_of(tmp_path, "--format", "svmlight")


def test_whole_numbers_that_look_like_dates_are_named(tmp_path: Path) -> None:
    days = 20230100 + 100 * (np.arange(60) % 12) + np.arange(60) % 28 + 1
    more = np.column_stack([days, days + (np.arange(60) == 9) * 50, X[:60]]).astype(float)
    write(tmp_path / "old.csv", more, Y[:60], ["the day", "almost", *COLUMNS])
    assert json_of("train", tmp_path / "old.csv", "-o", tmp_path / "m", "-q")["dates"] == [
        "the day"
    ]
    words = "as if they were dates, like 20240131; --ignore 'the day' leaves it out"
    assert f"Dates?    the day: it has whole numbers, {words}\n" in lines_of(tmp_path)


def test_scales_from_a_billionth_to_a_billion_do_no_harm(tmp_path: Path, usual: float) -> None:
    for factors in ([1e-9, 1e9, 1.0, 1e3], [1e9] * 4, [1e-9] * 4):
        _, accuracy = trained(tmp_path, X * factors, Y, COLUMNS)
        assert accuracy == pytest.approx(usual, abs=0.02)


def test_a_stream_of_columns_of_very_different_scales_is_warned_about(tmp_path: Path) -> None:
    train = ["train", tmp_path / "old.csv", "-o", tmp_path / "m", "-q"]
    for factor, warns in ((1e4, True), (100.0, False)):
        trained(tmp_path, X * [1.0, factor, 1.0, 1.0], Y, COLUMNS)
        said = run(*train, "--stream").stderr
        assert ("in the first examples, b is " in said) == warns
        if warns:
            assert " times as large as " in said
            assert said.rstrip().endswith(
                "Use --no-stream, or --standardise, which reads the file twice"
            )
        for cure in ("--no-stream", "--standardise"):
            assert "times as large" not in run(*train, "--stream", cure).stderr
    piped = run(
        *("train", "-", "--format", "csv", "-o", tmp_path / "p", "-q"),
        input=write(tmp_path / "x.csv", X * [1.0, 1e6, 1.0, 1.0], Y, COLUMNS).read_text(),
    )
    assert piped.stderr.rstrip().endswith("Use --no-stream")


def test_a_sorted_file_is_learned_as_well_as_a_shuffled_one(tmp_path: Path, usual: float) -> None:
    order = np.concatenate([np.argsort(Y[:800], kind="stable"), np.arange(800, 1200)])
    _, accuracy = trained(tmp_path, X[order], Y[order], COLUMNS)
    assert accuracy == pytest.approx(usual, abs=0.02)


def test_one_label_only_is_predicted_and_warned_about(tmp_path: Path) -> None:
    file = write(tmp_path / "x.csv", X, ["yes"] * 1200, COLUMNS)
    done = run("train", file, "-o", tmp_path / "m", "-q")
    assert "all examples have the label yes" in done.stderr
    assert set(stdout_of("predict", tmp_path / "m", file).split()) == {"yes"}


def test_a_label_of_one_in_a_thousand_is_not_predicted_at_random(tmp_path: Path) -> None:
    y = np.where(np.arange(1200) % 800 == 7, "yes", "no")
    found, accuracy = trained(tmp_path, X, y, COLUMNS)
    assert found["labels"] == {"no": 799, "yes": 1}
    assert accuracy >= 0.99
    chances = stdout_of("predict", tmp_path / "m", tmp_path / "new.csv", "--probabilities").split()
    assert np.mean([float(p) for p in chances]) < 0.02
