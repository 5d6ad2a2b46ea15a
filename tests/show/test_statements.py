"""Twenty statements of page and report that once misled: each says what is true of the data.

Those about what the page draws are in test_web_page.py, those about figures beside the figures.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from novikoff import Additive, certify, play, sources
from novikoff.show.plots.colours import GREEN, PURPLE
from novikoff.show.report import sections
from novikoff.show.report.gathering import Known, Settings
from novikoff.show.web.lessons import presets
from novikoff.show.web.replay import replay
from novikoff.sources import Data

# One test for each statement, in the order of their list.
TESTS = (
    "the_bound_beside_the_mistakes_is_that_of_the_data",
    "gamma_of_the_data_and_gamma_of_the_mistaken_rows_are_told_apart",
    "beside_the_margin_stands_the_distance_that_the_picture_shows",
    "without_a_bias_only_lines_through_the_origin_are_spoken_of",
    "separated_is_said_of_the_last_weights_and_the_average_is_judged_by_itself",
    "corrections_of_right_predictions_are_called_updates",
    "a_bound_far_above_the_chart_has_no_line_in_it",
    "a_projection_shows_a_line_only_of_weights_that_lie_in_it",
    "undecided_is_not_called_inseparable",
    "where_nothing_separates_a_bound_by_losses_is_given",
    "winnow_on_xor_is_said_to_repeat_itself",
    "texts_of_presets_are_true_whatever_is_chosen",
    "the_curves_of_the_proof_have_the_same_colours_on_the_page_and_in_figures",
    "an_update_names_the_change_of_the_bias_too",
    "the_histogram_counts_the_errors_of_the_text_rows_on_the_hyperplane_included",
    "the_answer_for_quasi_complete_data_begins_with_no",
    "the_report_says_how_many_rows_tie_and_blames_no_label",
    "a_share_of_held_out_rows_has_its_counts_and_an_interval",
    "the_picture_counts_its_mistakes_and_its_rings_apart",
    "each_gamma_says_whose_it_is",
)
PRESETS = {one["name"]: one for one in presets()}
DOCS = Path(__file__).parents[2] / "docs"


def shown(preset: str, **choices: Any) -> dict[str, Any]:
    return replay({**PRESETS[preset], **choices})


def facts(reply: dict[str, Any]) -> dict[str, str]:
    return dict(reply["verdict"]["facts"])


@pytest.mark.parametrize("preset", ["separable", "barely", "and", "tight"])
@pytest.mark.parametrize("eta", [0, 1])
def test_the_bound_beside_the_mistakes_is_that_of_the_data(preset: str, eta: int) -> None:
    one = PRESETS[preset]
    reply = shown(preset, learner="margin" if eta else "perceptron", margin=eta)
    proof = certify(one["points"], one["labels"], fit_intercept=one["bias"], margin_rtol=1e-6)
    assert reply["bound"] == (proof.radius_squared + 2 * eta) // proof.margin.at_least_squared
    if not eta:
        assert proof.mistake_bound is not None
        assert reply["bound"] == proof.mistake_bound[1]
    noun = "update" if eta else "mistake"
    assert facts(reply)["bound"].startswith(f"at most {reply['bound']:,} {noun}")


def test_gamma_of_the_data_and_gamma_of_the_mistaken_rows_are_told_apart() -> None:
    said = facts(shown("separable"))
    assert "of the mistaken rows: R = " in said["tighter, for this run"]
    assert [name for name in said if "γ" in name] == ["best margin γ"]


def test_beside_the_margin_stands_the_distance_that_the_picture_shows() -> None:
    said = facts(shown("and"))["best margin γ"]
    assert said.startswith("0.24253")  # 1/√17, of the points (x, 1)
    distance = float(re.findall("nearest point is ([0-9.]+) from its line", said)[0])
    assert distance == pytest.approx(math.sqrt(1 / 8), abs=1e-5)
    assert "in the picture" not in facts(shown("no-bias"))["best margin γ"]


def test_without_a_bias_only_lines_through_the_origin_are_spoken_of() -> None:
    reply = shown("bias")
    for words in (reply["why_no_bound"], reply["verdict"]["words"]):
        assert "line through the origin" in words
        assert not re.search("no line (?!through)", words)


def test_separated_is_said_of_the_last_weights_and_the_average_is_judged_by_itself() -> None:
    said = shown("barely", learner="averaged")["verdict"]["words"]
    assert "That is about the last weights. Their average, the thick line, " in said


def test_corrections_of_right_predictions_are_called_updates() -> None:
    reply = shown("separable", learner="margin", margin=1)
    right = [
        y * s > 0 for y, s in zip(reply["ledger"]["label"], reply["ledger"]["score"], strict=True)
    ]
    assert any(right)
    assert "mistake" not in facts(reply)["bound"] + reply["verdict"]["words"]


def test_where_nothing_separates_a_bound_by_losses_is_given() -> None:
    reply = shown("overlapping")
    assert reply["why_no_bound"] == "no line separates the points, so (R/γ)² does not apply"
    said = "bound by losses, for this run"
    assert "loss = " in facts(reply)[said]
    assert "uninformative" not in facts(reply)[said]
    assert facts(shown("xor"))[said].endswith("; uninformative for 12 rounds")


def test_undecided_is_not_called_inseparable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.show.web.replay.MAX_SECONDS", 0.0)
    reply = shown("overlapping")
    if reply["verdict"]["certified"] == "undecided":
        assert "no line is known to separate the points" in reply["why_no_bound"]
    else:
        assert (
            reply["verdict"]["certified"] == "overlap"
        )  # decided before the first look at the time


def test_winnow_on_xor_is_said_to_repeat_itself() -> None:
    said = shown("xor", learner="winnow")["verdict"]["words"]
    assert re.search(r"weights after pass \d+ equal those after pass \d+, so more passes", said)
    assert "cycle" not in PRESETS["xor"]["about"]


def test_texts_of_presets_are_true_whatever_is_chosen() -> None:
    for name, one in PRESETS.items():
        if "Separable" in one["about"] or "separates" in one["about"]:
            known = certify(one["points"], one["labels"], fit_intercept=True).verdict
            assert (known == "complete") == (
                "No line" not in one["about"] and "no line" not in one["about"]
            ), name
    tight = shown("tight")
    assert tight["mistakes"] == tight["bound"] == 9
    assert "exactly" in PRESETS["tight"]["now"]
    assert "exactly" not in PRESETS["tight"]["about"]


def words(parts: Any) -> str:
    return re.sub("<[^>]*>", "", "".join(map(str, parts)))


@pytest.fixture(scope="module")
def overlapping() -> Known:
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (75, 1)).astype(float)
    y = np.where(X[:, 0] + rng.integers(-2, 3, 75) > 0, 1, -1)
    return Known(Data(sources.block(X, y), ("x",), ("no", "yes"), "k"), Settings(seed=0))


def test_the_answer_for_quasi_complete_data_begins_with_no() -> None:
    data = Data(
        sources.block([[1], [2], [3], [3], [4]], [-1, -1, -1, 1, 1]), ("dose",), ("no", "yes")
    )
    known = Known(data, Settings(seed=0))
    assert words(sections.verdict(known)).startswith("quasi-complete No: ")


def test_the_report_says_how_many_rows_tie_and_blames_no_label(overlapping: Known) -> None:
    said = words(sections.mistaken(overlapping, 2))
    _, times = np.unique(overlapping.run.ledger.rows, return_counts=True)
    ties = int((times == times.max()).sum())
    assert ties > 2
    assert f"{ties} rows were mistaken {times.max():,} times, as often as any" in said
    assert "the 2 mistaken last are listed" in said
    assert "a wrong label is only one possible reason" in said


def test_a_share_of_held_out_rows_has_its_counts_and_an_interval(overlapping: Known) -> None:
    trial = overlapping.trial
    assert trial is not None
    right, n = trial.by["average"].right, len(trial.test)
    said = words([sections.summary(overlapping)])
    assert re.search(
        rf"right on {right} of {n}, [0-9.]+% \(95% interval [0-9.]+% to [0-9.]+%\)", said
    )


def test_each_of_the_twenty_statements_has_a_test() -> None:
    files = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    defined = re.findall(r"^def test_(\w+)\(", "".join(files), re.MULTILINE)
    assert len(set(TESTS)) == 20
    assert {name: defined.count(name) for name in TESTS} == dict.fromkeys(TESTS, 1)


def test_the_curves_of_the_proof_have_the_same_colours_on_the_page_and_in_figures() -> None:
    show = Path(sections.__file__).parents[1]
    light = (show / "web" / "static" / "style.css").read_text(encoding="utf-8").partition("}")[0]
    assert f"--average: {GREEN.lower()}; " in light  # kγ and w·u
    assert f"--best: {PURPLE.lower()};" in light  # R√k
    served = (show.parent / "serve" / "static" / "page.css").read_text(encoding="utf-8")
    assert f"line {{ stroke: light-dark({PURPLE.lower()}," in served  # the bound
    drawn = (DOCS / "sandwich.svg").read_text(encoding="utf-8")
    for curve, colour in (("R√k", PURPLE), ("kγ", GREEN), ("w·u", GREEN)):
        assert re.search(f'fill="{colour}"[^>]*>{curve}<', drawn), curve
        assert f'stroke="{colour}"' in drawn


def test_the_picture_counts_its_mistakes_and_its_rings_apart() -> None:
    drawn = (DOCS / "sandwich.svg").read_text(encoding="utf-8")
    rings = drawn.count('r="7" fill="none"')
    said = re.search(r"(\d+) mistakes on the (\d+) circled points", drawn)
    assert said is not None
    assert int(said[1]) > int(said[2]) == rings


def test_each_gamma_says_whose_it_is() -> None:
    one = PRESETS["separable"]
    told = facts(shown("separable"))
    with_gamma = {name for name, words in told.items() if "γ = " in words or "γ" in name}
    assert with_gamma == {"best margin γ", "tighter, for this run"}
    assert "of the mistaken rows: " in told["tighter, for this run"]
    data = one["points"], one["labels"]
    run = play(data, Additive(2, bias=True), epochs=100)
    for known, whose in ((run.summary(), "mistaken examples"), (run.summary(data), "40 examples")):
        (gamma,) = re.findall(r"margin γ +(.*?)\nbound", str(known), re.DOTALL)
        assert f"nearest of the {whose} from" in " ".join(gamma.split())
