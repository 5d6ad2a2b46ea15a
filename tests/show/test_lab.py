"""The experiments: their claims, their output and their error messages."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from helpers.command_line import error, json_of, run, stdout_of
from novikoff.concepts.functions import variable
from novikoff.show import plots
from novikoff.show.lab import EXPERIMENTS, Check, Curves, Result

SMALL: dict[str, dict[str, Any]] = {
    "conjunctions": {},
    "halving": {"n": 30, "k": 3},
    "attribute-efficiency": {"largest": 1000, "examples": 500},
    "mistake-bounds": {},
    "xor": {"largest": 3},
    "learning-rate": {"points": 200},
    "margin": {"points": 50},
    "kernels": {"largest": 4},
}
every = pytest.mark.parametrize("name", EXPERIMENTS)


def test_every_experiment_is_tested_here() -> None:
    assert list(EXPERIMENTS) == list(SMALL)


@every
def test_every_claim_of_every_experiment_holds(name: str) -> None:
    result = EXPERIMENTS[name](**SMALL[name])
    assert result.checks
    assert result.holds, str(result)
    assert all(len(row) == len(result.columns) for row in result.rows)


@pytest.mark.parametrize("name", ["conjunctions", "halving", "xor", "learning-rate", "margin"])
def test_the_claims_hold_whatever_the_seed(name: str) -> None:
    for seed in range(1, 6):
        assert EXPERIMENTS[name](**SMALL[name], seed=seed).holds, seed


@every
def test_every_experiment_has_a_figure_that_shows_its_numbers(name: str, tmp_path: Path) -> None:
    result = EXPERIMENTS[name](**SMALL[name])
    ax = plots.experiment(result)
    if result.pictures:
        insets: list[Any] = ax.child_axes
        for inset, (title, block, ledger) in zip(insets, result.pictures, strict=True):
            tints, *parts = inset.collections
            minus, plus, rings = (np.asarray(part.get_offsets()) for part in parts)
            assert (len(minus) + len(plus), len(rings)) == (len(block), len(np.unique(ledger.rows)))
            for tint, points in zip(tints.get_paths(), (minus, plus), strict=True):
                assert tint.contains_points(points).mean() > 0.9  # but near the edge of a cell
            assert f"{title}: {len(ledger)} mistakes" in inset.get_title()
    elif result.curves is None:
        drawn = sorted(bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle))
        assert drawn == sorted(float(v) for c in result.checks for v in (c.bound, c.seen))
    else:
        drawn = sorted(float(y) for line in ax.lines for y in np.asarray(line.get_ydata()))
        cells = [y for column in result.curves.ys for y in result.column(column)]
        assert drawn == sorted(float(y) for y in cells if y is not None)
    plots.save(ax, tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_a_figure_draws_a_line_for_each_value_of_by() -> None:
    rows = (("a", 1, 10), ("b", 1, 20), ("a", 2, 30), ("b", 3, None))
    curves = Curves("x", ("y",), by="who", logarithmic="y")
    ax = plots.experiment(Result("?", ("who", "x", "y"), rows, (), (), curves))
    found = {line.get_label(): np.asarray(line.get_xydata()).tolist() for line in ax.lines}
    assert found == {"a": [[1, 10], [2, 30]], "b": [[1, 20]]}
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")


@pytest.mark.parametrize(
    ("relation", "bound", "seen", "holds"),
    [
        ("at most", 3, 3, True),
        ("at most", 3, 4, False),
        ("at least", 3, 3, True),
        ("at least", 3, 2, False),
        ("exactly", 3, 3, True),
        ("exactly", 3, 2, False),
    ],
)
def test_a_check_compares_as_it_says(relation: str, bound: int, seen: int, holds: bool) -> None:
    check = Check("mistakes", bound, seen, relation)
    assert check.holds is holds
    assert check.cells() == (
        "mistakes", f"{relation} {bound}", str(seen), "holds" if holds else "DOES NOT HOLD"
    )  # fmt: skip


def test_text_shortens_a_long_cell_and_json_and_csv_do_not() -> None:
    result = EXPERIMENTS["conjunctions"](rounds=1, density=0.0)
    everything = " ∧ ".join(variable(i) for i in range(1, 101))
    assert str(result).splitlines()[6].split("  ")[-2:] == [
        "x₁ ∧ x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₆ ∧ … ∧ x₉₆ ∧ x₉₇ ∧ x₉₈ ∧ x₉₉ ∧ x₁₀₀", "no"
    ]  # fmt: skip
    assert result.to_dict()["rows"][3]["hypothesis"] == everything
    assert everything in result.to_csv()


def test_the_claims_about_the_rate_hold_for_a_single_point() -> None:
    for seed in range(5):
        assert EXPERIMENTS["learning-rate"](points=1, seed=seed).holds


def test_a_logarithmic_axis_shows_zeros_too() -> None:
    rows = ((0, 1), (10, 0), (100, 5))
    curves = Curves("x", ("y",), logarithmic="xy", label="mistakes")
    ax = plots.experiment(Result("?", ("x", "y"), rows, (), (), curves))
    assert (ax.get_xscale(), ax.get_yscale()) == ("symlog", "symlog")
    assert ax.get_ylabel() == "mistakes"


def test_lab_alone_lists_the_experiments() -> None:
    listed = stdout_of("lab")
    assert all(f"  {name} " in listed for name in EXPERIMENTS)
    assert listed == stdout_of("lab", "--help")


def test_the_output_is_the_result_in_three_forms() -> None:
    result = EXPERIMENTS["learning-rate"](points=200)
    words = ("lab", "learning-rate", "--points", 200)
    assert stdout_of(*words) == f"{result}\n"
    assert json_of(*words) == {"experiment": words[1], **json.loads(json.dumps(result.to_dict()))}
    table = list(csv.reader(io.StringIO(stdout_of(*words, "--csv"))))
    assert table[0] == list(result.columns)
    assert [row[1] for row in table[1:]] == [str(cell) for cell in result.column(table[0][1])]


def test_a_claim_that_does_not_hold_ends_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*, seed: int = 0) -> Result:
        return Result("?", ("n",), ((1,),), (Check("mistakes", 1, 2),))

    monkeypatch.setitem(EXPERIMENTS, "xor", broken)
    answer = run("lab", "xor")
    assert answer.exit_code == 1
    assert "mistakes  at most 1         2  DOES NOT HOLD" in answer.stdout


def test_plot_writes_a_figure_of_each_format(tmp_path: Path) -> None:
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"figure.{kind}"
        stdout_of("lab", "learning-rate", "--points", 100, "--plot", path)
        assert path.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("nothing",),
            "there is no experiment 'nothing'; the experiments are conjunctions, halving",
        ),
        (("xor", "--json", "--csv"), "choose one of --json and --csv"),
        (("xor", "-n", "1"), "the largest number of variables must be from 2 to 8, not 1"),
        (("xor", "--plot", "figure.txt"), "name the figure .png, .svg or .pdf"),
        (("xor", "--plot", "nowhere/figure.png"), "there is no directory nowhere"),
        (("conjunctions", "--target", "x1 &"), "x1 &"),
        (("conjunctions", "--target", "x1 | x4"), "is not a conjunction of plain variables"),
        (("conjunctions", "--target", "x7", "-n", "3"), "x₇ needs 7 variables, but n is 3"),
        (
            ("halving", "-n", "3", "-k", "4"),
            "k must be from 0 to 3, the number of variables, not 4",
        ),
        (("halving", "-n", "3", "-k", "3"), "with k = n = 3 there is only one concept"),
        (
            ("attribute-efficiency", "-n", "10000001"),
            "must be from 100 to 10,000,000, not 10000001",
        ),
        (("mistake-bounds", "-n", "32"), "n must be 4, 8 or 16, not 32"),
        (("xor", "--plot", "-"), "-: name a file for the figure"),
        (
            ("halving", "-n", "200", "-k", "20"),
            "more than the 2,147,483,648 that can be enumerated",
        ),
    ],
)
def test_bad_usage_is_one_line_on_stderr(
    words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in error("lab", *words)


def test_without_matplotlib_plot_fails_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    message = error("lab", "xor", "--plot", tmp_path / "figure.png")
    assert "figures need matplotlib" in message
    assert "pip install" in message


def test_the_lecture_is_reproduced() -> None:
    rows = {row[0]: row[1:] for row in EXPERIMENTS["conjunctions"]().rows}
    full, exact = "x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₁₀₀", True
    assert rows["I: the learner asks"][0] == 100
    assert rows["I: the learner asks"][2:] == (full, exact)
    assert rows["II: a teacher"][0] == 6
    assert rows["II: a teacher"][2:] == (full, exact)
    assert rows["III: eight recorded examples"][0] == 8
    assert rows["III: eight recorded examples"][2:] == (f"x₁ ∧ {full}", False)


def test_winnow_pays_for_the_relevant_attributes_and_the_perceptron_for_the_others() -> None:
    result = EXPERIMENTS["attribute-efficiency"](largest=10_000, examples=2000)
    winnow, perceptron = result.column("Winnow"), result.column("perceptron")
    assert winnow[-1] < 200 < perceptron[-1]  # type: ignore[operator]
