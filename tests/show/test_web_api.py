"""The server behind the page: its runs equal `play`'s, and bad requests and files are refused."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from queue import Queue
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from helpers.command_line import error, run, stdout_of
from novikoff import (
    Additive,
    BalancedWinnow,
    Dual,
    Kernel,
    certify,
    guarantees,
    play,
    sources,
)
from novikoff.learners import Learner
from novikoff.ledger.readings import scores_by_reading
from novikoff.runs.loop import Run
from novikoff.show.web import replay as replays
from novikoff.show.web import request as requests
from novikoff.show.web.lessons import STATIC, presets
from novikoff.show.web.request import MAX_COLUMNS, MAX_POINTS, PAGE_CURES
from novikoff.show.web.server import MAX_BYTES, new_app
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.order import arranged
from novikoff.stream.printing import short

PORT = 1962
CLIENT = TestClient(new_app(PORT), base_url=f"http://127.0.0.1:{PORT}")
XOR: dict[str, Any] = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [-1, 1, 1, -1]}
AND: dict[str, Any] = {**XOR, "labels": [-1, -1, -1, 1]}
PRESETS = {one["name"]: one for one in presets()}
few_examples = settings(max_examples=40)
ALLOWED = {name: get_args(kind) for name, kind in get_type_hints(requests.Choices).items()}


def asked(what: str, request: Any) -> dict[str, Any]:
    answer = CLIENT.post(f"/api/{what}", json=request)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refused(what: str, request: Any) -> str:
    answer = CLIENT.post(f"/api/{what}", content=json.dumps(request))
    assert answer.status_code == 422, answer.text
    return str(answer.json()["error"])


def uploaded(name: str, text: str | bytes) -> dict[str, Any]:
    answer = CLIENT.post("/api/upload", params={"name": name}, content=text)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def upload_refused(name: str, text: str | bytes) -> str:
    answer = CLIENT.post("/api/upload", params={"name": name}, content=text)
    assert answer.status_code == 422, answer.text
    return str(answer.json()["error"])


eighths = st.integers(-24, 24).map(lambda n: n / 8)
anywhere = st.floats(-5, 5)  # 1.1^(30 passes × 8 points × 5): even Winnow can be drawn


@st.composite
def replay_requests(draw: st.DrawFn, numbers: st.SearchStrategy[float]) -> dict[str, Any]:
    dim = draw(st.integers(1, 4))
    row = st.lists(numbers, min_size=dim, max_size=dim)
    points = draw(st.lists(row, min_size=1, max_size=8))
    labels = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(points), max_size=len(points)))
    return {
        "points": points,
        "labels": labels,
        "learner": draw(st.sampled_from(ALLOWED["learner"])),
        "margin": draw(st.sampled_from([0, 0.5, 2])),
        "order": draw(st.sampled_from(ALLOWED["order"])),
        "seed": draw(st.integers(0, 5)),
        "bias": draw(st.booleans()),
        "passes": draw(st.integers(1, 30)),
    }


def played(request: dict[str, Any]) -> tuple[Run, Learner, list[list[float]]]:
    """The run that `play` makes of the same points, and the weights after each of its mistakes."""
    block = sources.block(np.array(request["points"], dtype=float), request["labels"])
    if request["order"] == "shuffled":
        block = arranged(block, request["seed"])

    def learner() -> Additive | BalancedWinnow:
        dim, bias = block.rows.dim, request["bias"]
        if request["learner"] == "winnow":
            return BalancedWinnow(dim, bias=bias)
        eta = request["margin"] if request["learner"] == "margin" else 0
        return Additive(dim, bias=bias, margin=eta, averaging=True)

    whole, one_by_one, weights = learner(), learner(), []
    run = play(block, whole, epochs=request["passes"])
    for _ in range(run.epochs):
        for i in range(len(block)):
            _, mistakes = one_by_one.learn(block, i, i + 1)
            weights += [one_by_one.weights.tolist()] * len(mistakes)
    return run, whole, weights


@pytest.mark.parametrize("numbers", [eighths, anywhere], ids=["exact", "rounded"])
def test_a_replay_equals_the_run_that_play_makes(numbers: st.SearchStrategy[float]) -> None:
    @few_examples
    @given(replay_requests(numbers))
    def check(request: dict[str, Any]) -> None:
        reply, (run, learner, weights) = asked("replay", request), played(request)
        ledger, shown = run.ledger, reply["ledger"]
        assert reply["verdict"]["kind"] == run.verdict
        assert (reply["rounds"], reply["passes"]) == (ledger.n_rounds, run.epochs)
        assert reply["mistakes"] == reply["sent"] == len(ledger)
        assert shown["round"] == ledger.rounds.tolist()
        assert shown["row"] == ledger.rows.tolist()
        assert shown["label"] == ledger.labels.tolist()
        assert shown["score"] == ledger.scores.tolist()
        assert shown["weights"] == weights
        ends = ledger.epoch_ends
        passes = [1 + sum(end < t for end in ends) for t in ledger.rounds.tolist()]
        assert shown["pass"] == passes
        assert learner.weights is not None
        assert reply["final"] == learner.weights.tolist()
        if isinstance(learner, Additive):
            assert reply["average"] == learner.average.tolist()

    check()


def test_the_average_after_a_mistake_is_the_mean_over_the_rounds_so_far() -> None:
    @few_examples
    @given(replay_requests(eighths))
    def check(request: dict[str, Any]) -> None:
        reply = asked("replay", {**request, "learner": "averaged"})["ledger"]
        weights = [[0.0] * (len(request["points"][0]) + request["bias"]), *reply["weights"]]
        for k, t in enumerate(reply["round"]):
            ends = [*reply["round"][: k + 1], t + 1]
            stood = [ends[0] - 1, *(b - a for a, b in pairwise(ends))]
            for j, mean in enumerate(reply["average"][k]):
                total = sum(n * Fraction(w[j]) for n, w in zip(stood, weights, strict=False))
                assert mean == float(total / t)

    check()


def test_a_separated_run_comes_with_its_exact_margin_its_bound_and_the_sandwich() -> None:
    reply = asked("replay", AND)
    block = sources.block(AND["points"], AND["labels"])
    reached = guarantees.achieved_margin(reply["final"], block)
    verdict = reply["verdict"]
    assert verdict["kind"] == "separated"
    assert verdict["multipliers"] is None
    facts = dict(verdict["facts"])
    exactly = f"exactly ({reached.smallest}) / √({reached.weights_squared})"
    said = f"{short(reached.value, 6)}, at point {reached.row}: {exactly}"
    assert facts["margin of w"].startswith(f"{said}; in the picture the nearest point is ")
    low = float(facts["best margin γ"].split()[0].rstrip(",;"))
    assert reached.value <= low
    u = np.array(verdict["witness"]) / np.linalg.norm(verdict["witness"])
    assert guarantees.achieved_margin(u, block).value == pytest.approx(low, rel=1e-5)
    assert reply["bound"] == 51  # (R/γ)², with R² = 3, reached by (1, 1, 1), and γ² = 1/17
    assert reply["mistakes"] <= reply["bound"]
    shown, sandwich = reply["ledger"], reply["sandwich"]
    for k, w in enumerate(shown["weights"], 1):
        at = {name: sandwich[name][k - 1] for name in ("lower", "progress", "norm", "upper")}
        assert at["lower"] == pytest.approx(k * low, rel=1e-5)
        assert at["progress"] == pytest.approx(float(u @ w))
        assert at["norm"] == pytest.approx(float(np.linalg.norm(w)))
        assert at["upper"] == pytest.approx((3 * k) ** 0.5)
        assert at["lower"] <= at["progress"] <= at["norm"] <= at["upper"]
    assert sandwich["holds"] is True


def test_the_perceptrons_bound_and_proof_are_not_shown_for_winnow() -> None:
    reply = asked("replay", {**AND, "learner": "winnow"})
    assert (reply["bound"], reply["sandwich"], reply["average"]) == (None, None, None)
    assert "not for Winnow" in reply["why_no_bound"]
    assert not [name for name, _ in reply["verdict"]["facts"] if "bound" in name]


def test_words_fit_the_learner_and_the_bias() -> None:
    points = {one["name"]: one for one in presets()}["bias"]
    cycle = asked("replay", {**points, "bias": False})
    assert "no line through the origin separates the points" in cycle["verdict"]["words"]
    assert "no line through the origin" in cycle["why_no_bound"]
    careful = asked("replay", {**points, "bias": True, "learner": "margin"})
    assert careful["noun"] == "update"
    assert f"The run made {careful['mistakes']} updates" in careful["verdict"]["words"]
    assert "updates" in dict(careful["verdict"]["facts"])["tighter, for this run"]
    average = asked("replay", {**points, "bias": True, "learner": "averaged"})["verdict"]
    margin = dict(average["facts"])["margin of the average"]
    does = "does not separate" if margin.startswith("−") else "separates"
    assert f"Their average, the thick line, {does} the points" in average["words"]


def test_a_cycle_comes_with_multipliers_that_sum_to_zero() -> None:
    verdict = asked("replay", XOR)["verdict"]
    assert (verdict["kind"], verdict["multipliers"]["source"]) == ("cycle", "run")
    total = np.zeros(3)
    for row, value in zip(*(verdict["multipliers"][k] for k in ("rows", "shown")), strict=True):
        total += int(value) * XOR["labels"][row] * np.array([*XOR["points"][row], 1])
    assert not total.any()
    assert sum(verdict["multipliers"]["shares"]) == 1


def test_when_passes_run_out_the_certificate_says_what_is_known() -> None:
    reply = asked("replay", {**AND, "passes": 1})
    assert reply["verdict"]["kind"] == "budget"
    assert (
        "A line separates the points, each strictly on its correct side"
        in reply["verdict"]["words"]
    )
    assert reply["bound"] >= 18
    reply = asked("replay", {**XOR, "passes": 1})
    assert reply["verdict"]["multipliers"]["source"] == "certificate"
    assert reply["verdict"]["multipliers"]["shown"] == ["1"] * 4
    assert reply["bound"] is None


def test_a_long_run_is_sent_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = asked("replay", AND)
    monkeypatch.setattr(replays, "MAX_SENT", 5)
    reply = asked("replay", AND)
    assert (reply["sent"], reply["mistakes"]) == (5, whole["mistakes"])
    assert {len(column) for column in reply["ledger"].values()} == {5}
    assert reply["ledger"]["weights"] == whole["ledger"]["weights"][:5]
    assert reply["final"] == whole["final"]


def test_more_points_get_fewer_passes() -> None:
    points = [[i % 97 / 97, i % 89 / 89] for i in range(10_000)]
    labels = [1 if i % 3 else -1 for i in range(10_000)]
    reply = asked("replay", {"points": points, "labels": labels})
    assert reply["rounds"] <= requests.MAX_ROUNDS
    assert reply["sent"] == replays.MAX_SENT < reply["mistakes"]
    assert reply["sandwich"]["lower"] is None
    assert reply["right"] is None  # a vote would take most of the time


@few_examples
@given(replay_requests(eighths), st.sampled_from([("poly", 2), ("poly", 3), ("rbf", 1)]))
def test_a_replay_with_a_kernel_equals_the_run_that_play_makes(
    request: dict[str, Any], kernel: tuple[str, int]
) -> None:
    name, degree = kernel
    points = [[*point, 0.0][:2] for point in request["points"]]
    learner = "margin" if request["learner"] == "winnow" else request["learner"]
    request |= {"points": points, "learner": learner, "kernel": name, "degree": degree}
    reply, eta = asked("replay", request), request["margin"] if learner == "margin" else 0
    block = sources.block(np.array(points), request["labels"])
    order = arranged(block, request["seed"]) if request["order"] == "shuffled" else block
    of = Kernel("poly", degree=degree) if name == "poly" else Kernel("rbf", gamma=1.0)
    run = play(order, dual := Dual(2, kernel=of, margin=eta), epochs=request["passes"])
    ledger, shown = run.ledger, reply["ledger"]
    assert (reply["mistakes"], reply["passes"]) == (len(ledger), run.epochs)
    assert shown["row"] == ledger.rows[: reply["sent"]].tolist()
    assert shown["score"] == ledger.scores[: reply["sent"]].tolist()
    assert (shown["weights"], shown["average"], reply["final"]) == (None, None, None)
    assert reply["verdict"]["kind"] == run.verdict
    if run.verdict == "separated":
        assert reply["verdict"]["certified"] == "complete"
        assert (dual.scores(block.rows) * block.labels > eta).all()
    elif name == "poly":
        proof = certify(block, kernel=of)
        assert reply["verdict"]["certified"] == proof.verdict
        found = reply["verdict"]["multipliers"]
        assert (found is None) == (not proof.multipliers)
    grown = [0.0]  # ‖w‖² of the kernel's space, from the Gram matrix of the mistakes
    gram = of.gram(block.rows, block.rows, np.arange(len(block)))
    sums = np.zeros(len(block))
    for row, step in zip(shown["row"], ledger.steps.tolist(), strict=False):
        sums[row] += step
        grown.append(float(sums @ gram @ sums))
    sandwich = reply["sandwich"]
    assert sandwich["norm"] == pytest.approx(np.sqrt(grown[1:]), abs=1e-6)
    for k in range(reply["sent"]):
        assert sandwich["norm"][k] <= sandwich["upper"][k] + 1e-6
        if sandwich["lower"]:
            assert sandwich["lower"][k] <= sandwich["progress"][k] + 1e-9
            assert sandwich["progress"][k] <= sandwich["norm"][k] + 1e-6
    assert reply["bound"] is None or reply["bound"] >= len(ledger)


def test_a_kernel_of_degree_one_makes_the_run_of_the_perceptron_with_a_bias() -> None:
    for points in (XOR, AND, PRESETS["overlapping"]):
        plain = asked("replay", {**points, "passes": 9, "bias": True})
        reply = asked("replay", {**points, "passes": 9, "kernel": "poly", "degree": 1})
        sent = min(reply["sent"], plain["sent"])  # with a kernel a cycle is not detected
        for name in ("round", "pass", "row", "label", "score"):
            assert reply["ledger"][name][:sent] == plain["ledger"][name][:sent], name
        norms = [one["sandwich"]["norm"][:sent] for one in (reply, plain)]
        assert norms[0] == pytest.approx(norms[1], abs=1e-6)
        assert reply["verdict"]["certified"] == plain["verdict"]["certified"]


def test_a_kernel_separates_xor_at_degree_two_and_the_page_proves_that_none_does_at_one() -> None:
    reply = asked("replay", {**XOR, "kernel": "poly", "degree": 2})
    assert reply["bound"] == 351  # as guarantees.kernel_bound finds it from the ledger
    assert "In the kernel's space the boundary is a hyperplane" in reply["verdict"]["words"]
    assert dict(reply["verdict"]["facts"])["margin of w"] == "0.160128, at point 0"
    below = asked("replay", {**XOR, "kernel": "poly", "degree": 1})
    assert below["verdict"]["multipliers"]["shown"] == ["1"] * 4
    assert "they sum to 0 in the kernel's space" in below["verdict"]["words"]
    assert "no hyperplane of the kernel's space separates the points" in below["why_no_bound"]
    assert below["regions"]["signs"][str(below["sent"] + 1)] == ""  # all scores are 0


def test_what_a_kernel_predicts_is_sent_for_the_picture_after_each_update() -> None:
    places = [[-1.0, -0.5], [2.0, 1.5]]
    for learner in ("perceptron", "averaged"):
        request = {**PRESETS["circle"], "learner": learner, "window": places}
        reply = asked("replay", request)
        found = reply["regions"]
        assert ([found["low"], found["high"]], set(found["signs"])) == (
            places,
            {str(k) for k in range(1, reply["sent"] + 2)},
        )
        block = sources.block(np.array(request["points"]), request["labels"])
        run = play(block, Dual(2, kernel=Kernel("poly", degree=2)), epochs=100)
        side = found["side"]
        across, up = (np.linspace(a, b, side) for a, b in zip(*places, strict=True))
        grid = sources.rows_of(np.array([[x, y] for y in up for x in across]))
        reading: Any = "average" if learner == "averaged" else "final"
        scores = scores_by_reading(run.ledger, grid)[reading]
        bits = np.frombuffer(bytes.fromhex(found["signs"][str(reply["sent"] + 1)]), np.uint8)
        signs = np.unpackbits(bits)[: len(scores)]
        sure = np.abs(scores) > 1e-9  # the sums are in another order
        assert (signs[sure] == (scores[sure] > 0)).all()


def test_a_kernel_takes_points_and_pictures_of_any_size() -> None:
    for scale in (1e-300, 1e-9, 1e9):
        X = (scale * np.array(XOR["points"])).tolist()
        for kernel in ("poly", "rbf"):
            for far in (1e-9, 1.0, 1e30):
                request = {**XOR, "points": X, "kernel": kernel, "window": [[-far] * 2, [far] * 2]}
                assert asked("replay", {**request, "passes": 9})["sent"]


def test_a_kernel_whose_numbers_are_not_exact_has_no_certificate_and_says_why() -> None:
    tied = {**XOR, "points": [[0, 0]] * 4, "kernel": "rbf"}
    reply = asked("replay", tied)
    assert reply["verdict"]["certified"] == "undecided"
    assert "its values are not rational" in reply["verdict"]["words"]
    assert "is known to separate the points" in reply["why_no_bound"]
    assert "its values are not rational, so there is no certificate" in refused("certify", tied)
    long = {**XOR, "points": [[1 / 3, 0], [0, 1], [1, 0], [1, 1]], "kernel": "poly", "passes": 1}
    assert "needs more than the 53 bits of float64" in asked("replay", long)["verdict"]["words"]


def test_points_of_more_than_two_columns_are_projected_so_that_the_final_boundary_is_a_line() -> (
    None
):
    dice = np.random.default_rng(0)
    X = dice.normal(size=(30, 5))
    y = np.where(X @ dice.normal(size=5) > 0, 1, -1)
    reply = asked("replay", {"points": X.tolist(), "labels": y.tolist()})
    across, up = np.array(reply["view"]["across"]), np.array(reply["view"]["up"])
    w, b = np.array(reply["final"][:5]), reply["final"][5]
    assert [across @ across, up @ up] == pytest.approx([1, 1])
    assert [across @ up, w @ up] == pytest.approx([0, 0], abs=1e-9)
    assert X @ w + b == pytest.approx(np.linalg.norm(w) * (X @ across) + b)
    rest = X - X.mean(axis=0)
    rest -= np.outer(rest @ across, across)
    assert (rest @ up).var() == pytest.approx(np.linalg.svd(rest)[1][0] ** 2 / 30)
    assert "all 5 columns" in reply["view"]["words"]
    assert asked("replay", XOR)["view"] is None


CLAIMS = {
    "and": ("separated", "complete"),
    "or": ("separated", "complete"),
    "xor": ("cycle", "overlap"),
    "separable": ("separated", "complete"),
    "barely": ("separated", "complete"),
    "overlapping": ("cycle", "overlap"),
    "no-bias": ("separated", "complete"),
    "bias": ("cycle", "overlap"),
    "tight": ("separated", "complete"),
    "circle": ("separated", "complete"),
    "spirals": ("separated", "complete"),
}


def test_every_preset_shows_what_it_says() -> None:
    listed = {one["name"]: one for one in CLIENT.get("/api/presets").json()["presets"]}
    assert set(listed) == set(CLAIMS)
    reply = {name: asked("replay", {**one, "name": None}) for name, one in listed.items()}
    for name, claim in CLAIMS.items():
        verdict = reply[name]["verdict"]
        assert (verdict["kind"], verdict["certified"]) == claim, name
        assert listed[name]["about"].endswith(".")
    assert reply["tight"]["mistakes"] == reply["tight"]["bound"] == 9
    assert reply["barely"]["bound"] > 3 * reply["separable"]["bound"]
    assert asked("replay", {**listed["bias"], "bias": True})["verdict"]["kind"] == "separated"
    assert listed == {one["name"]: one for one in presets()}


def test_novikoff_verify_accepts_a_certificate_saved_by_the_page(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{**XOR, "classes": ["no", "yes"]}, {**AND, "bias": True}]
    cases += [{**XOR, "kernel": "poly", "degree": degree} for degree in (1, 2)]
    for case in cases:
        request = {**case, "names": ["a", "b"], "label": "kind"}
        written = asked("certify", request)
        classes = request.get("classes", ["-1", "1"])
        rows = zip(request["points"], request["labels"], strict=True)
        lines = [f"{a},{b},{classes[int(y > 0)]}\n" for (a, b), y in rows]
        (tmp_path / "points.csv").write_text("a,b,kind\n" + "".join(lines))
        (tmp_path / "proof.json").write_text(json.dumps(written["certificate"]))
        words = stdout_of("verify", tmp_path / "proof.json", tmp_path / "points.csv")
        assert f"{written['certificate']['verdict']}: proved" in words
        reply = asked("verify", {**request, "certificate": written["certificate"]})
        assert reply["proved"] is True
        of_file = tmp_path / "file.json"  # whose points the page has, but not its bytes
        stdout_of(
            "certify",
            tmp_path / "points.csv",
            "-o",
            of_file,
            *["--no-intercept"] * (not case.get("bias", True)),
            *(["--kernel", "poly", "--degree", case["degree"]] if "kernel" in case else ()),
        )
        reply = asked("verify", {**request, "certificate": json.loads(of_file.read_text())})
        assert reply["proved"] is True
        renamed = {**request, "names": ["b", "a"], "certificate": written["certificate"]}
        assert asked("verify", renamed)["words"].startswith("rejected: the columns: ")
        moved = {**request, "points": [[5, 5], *request["points"][1:]]}
        reply = asked("verify", {**moved, "certificate": written["certificate"]})
        assert reply["proved"] is False
        assert reply["words"].startswith("rejected: ")
    assert asked("verify", {**XOR, "certificate": None})["proved"] is False


def test_uploads_are_read_as_every_command_reads_files(tmp_path: Path) -> None:
    for name, text in {
        "mail.csv": "words,links,kind\n120,0,ham\n80,7,spam\n",
        "bare.csv": "1,2,-1\n3,4.5,1\n",
        "tabs.tsv": "a\tb\tc\n1\t2\tx\n3\t4\ty\n",
        "sparse.svm": "1 1:0.5 3:2\n-1 2:1\n",
        "no suffix": "1 1:0.5 3:2\n-1 2:1\n",
    }.items():
        file = tmp_path / name
        file.write_text(text)
        data, reply = sources.read(file), uploaded(name, text)
        rows = [[0.0] * data.block.rows.dim for _ in range(len(data.block))]
        for i, example in enumerate(data.block):
            for c, v in zip(example.columns.tolist(), example.values.tolist(), strict=True):
                rows[i][c] = v
        assert reply["points"] == rows
        assert reply["labels"] == data.block.labels.tolist()
        assert tuple(reply["classes"]) == data.classes
        assert reply["note"] == ""
    reply = uploaded("mail.csv", "words,links,kind\n120,0,ham\n80,7,spam\n")
    assert (reply["names"], reply["label"]) == (["words", "links"], "kind")
    assert reply["words"].startswith(
        "mail.csv: 2 points, columns words, links; + stands for spam, − for ham."
    )
    assert uploaded("a.csv", "x,kind,kind\n1,2,a\n2,3,b\n")["label"] == "label"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "x,y,k\n1,inf,a\n3,4,b\n", "a.csv:2: column 'y': 'inf' is not finite"),
        ("a.csv", "x,y,k\n1,2\n3,4,b\n", "a.csv:2: 2 fields, but the first line has 3"),
        ("a.csv", "", "a.csv: there are no examples"),
        ("a.csv", "x,y,k\n1,2,a\n1,2,b\n1,2,c\n", "label 'c' is a third label, after 'a' and 'b'"),
        ("a.csv", b"\xff1,2", "a.csv:1: byte 0xff is not UTF-8"),
        ("a.csv.gz", b"\x1f\x8bxx", "cannot read compressed files, .npz or Excel files; unpack it"),
        ("a.npz", b"PK\x03\x04xx", ".npz or Excel files; unpack it, or save it as CSV"),
        ("a.jsonl", '{"a": 1}', "the page cannot read jsonl; save it as CSV or svmlight"),
        (
            "../../x",
            "some words\n",
            "'some words' is not in a known format; the page reads CSV",
        ),
        ("a.svm", "1 5:1 3:2\n", "a.svm:1:7: indices must increase: 3 after 5"),
        (
            "a.csv",
            ",".join(f"c{j}" for j in range(100)) + ",k\n" + "1," * 100 + "a\n",
            f"100 columns are more than the page can take ({MAX_COLUMNS}): keep only",
        ),
        (
            "a.csv",
            "1,2,1\n" * (MAX_POINTS + 1),
            "20,001 rows are more than the page can take (20,000): load fewer,",
        ),
    ],
)
def test_a_file_that_cannot_be_shown_is_refused_with_a_cure_that_the_page_has(
    name: str, text: str | bytes, words: str
) -> None:
    found = upload_refused(name, text)
    assert words in found
    assert "--" not in found  # options are no cure on a page
    assert "/tmp" not in found


# For each problem that an upload can have: a file with it, and the file changed as the cure says.
UPLOADS: dict[Problem, tuple[str, str, str]] = {
    Problem.THIRD_LABEL: ("a.svm", "1 1:1\n2 1:2\n3 1:3\n", "1 1:1\n2 1:2\n"),
    Problem.THIRD_LABEL_IN_LAST_COLUMN: ("a.csv", "k,x\na,1\nb,2\na,3\n", "x,k\n1,a\n2,b\n3,a\n"),
    Problem.UNKNOWN_FORMAT: ("a.txt", "some words\n", "1,2,a\n3,4,b\n"),
    Problem.MISSING_VALUE: ("a.csv", "x,y,k\n1,nan,a\n3,4,b\n5,6,a\n", "x,y,k\n3,4,b\n5,6,a\n"),
    Problem.EMPTY_COLUMN: ("a.csv", "x,y,k\n1,,a\n3,,b\n", "x,k\n1,a\n3,b\n"),
    Problem.TEXT_AMONG_NUMBERS: ("a.csv", "x,k\n1,a\n2,b\ntwo,a\n", "x,k\n1,a\n2,b\n2,a\n"),
    Problem.DECIMAL_COMMA: ("a.csv", "x;k\n1,5;a\n2,5;b\n", "x;k\n1.5;a\n2.5;b\n"),
    Problem.NOT_PLAIN_NUMBERS: ("a.csv", "x,k\n12%,a\n3%,b\n", "x,k\n0.12,a\n0.03,b\n"),
    Problem.QUOTES: ("a.csv", 'x,k\n1,"a"b\n2,b\n', 'x,k\n1,"a""b"\n2,b\n'),
    Problem.DATES: ("a.csv", "x,k\n2026-01-31,a\n2026-02-01,b\n", "x,k\n31,a\n32,b\n"),
    Problem.TEXTS_AS_LABELS: (
        "a.csv",
        "x,k\n" + "".join(f"{i},{'see you at ' * 4}{i}\n" for i in range(4)),
        "x,k\n1,a\n2,b\n",
    ),
    Problem.LOOKS_LIKE_TEXT: (
        "a.csv",
        "x,t,k\n" + "".join(f"{i},see you at {i},{'ab'[i % 2]}\n" for i in range(20)),
        "x,k\n1,a\n2,b\n",
    ),
    Problem.LOOKS_LIKE_IDS: (
        "a.csv",
        "x,t,k\n" + "".join(f"{i},u{i},{'ab'[i % 2]}\n" for i in range(100)),
        "x,k\n1,a\n2,b\n",
    ),
    Problem.SEVERAL_COLUMNS: (
        "a.csv",
        "x,y,z,k\n9%,2020-01-01,1,a\n8%,2020-01-02,2,b\n",
        "z,k\n1,a\n2,b\n",
    ),
}
# These need another format, a pipe, a model, or options that the page does not have.
NOT_IN_UPLOADS = {
    Problem.OTHER_LEVELS,
    Problem.UNORDERED_LEVELS,
    Problem.OTHER_LABEL,
    Problem.TOO_MANY_CLASSES,
    Problem.ONE_LABEL_IN_PIPE,
    Problem.TWO_LABELS_ONLY,
    Problem.MATRIX_OF_TWO_LABELS,
    Problem.WRONG_LABEL_KEY,
    Problem.LABEL_DIFFERS,
    Problem.LABEL_IS_FEATURE,
    Problem.LABEL_IGNORED,
    Problem.NO_NAMES_OF_MODEL,
    Problem.UNUSABLE_COLUMN,
    Problem.TOO_LONG_FOR_FLOAT,
    Problem.READ_ONCE,
    Problem.UNKNOWN_FEATURE_COUNT,
    Problem.TOO_MANY_WEIGHTS,
    Problem.TOO_MANY_FOR_MATRIX,
    Problem.TOO_MANY_WEIGHTS_FOR_CLASSES,
}


@pytest.mark.parametrize(
    ("text", "query", "points", "classes"),
    [
        ("x,k\n1,a\n2,b\n3,c\n", {"one_vs_rest": "b"}, [[1], [2], [3]], ["not b", "b"]),
        ("k,x\na,1\nb,2\na,3\n", {"label": "k"}, [[1], [2], [3]], ["a", "b"]),
        ("t,x,d,k\nu,1,9%,a\nv,2,8%,b\n", {"ignore": "t, d"}, [[1], [2]], ["a", "b"]),
    ],
)
def test_an_upload_is_read_as_the_page_says(
    text: str, query: dict[str, str], points: Any, classes: list[str]
) -> None:
    params = {"name": "a.csv", "content": "of no use"} | query
    answer = CLIENT.post("/api/upload", params=params, content=text).json()
    assert (answer["points"], answer["classes"]) == (points, classes)
    answer = CLIENT.post("/api/upload", params=params | {"ignore": "no"}, content=text)
    assert (answer.status_code, "there is no column 'no'" in answer.json()["error"]) == (422, True)


def test_every_problem_of_an_upload_has_a_cure_that_works_on_the_page() -> None:
    assert set(PAGE_CURES) == set(UPLOADS) == set(Problem) - NOT_IN_UPLOADS
    for problem, (name, bad, good) in UPLOADS.items():
        with pytest.raises(BadExample) as refusal:
            requests.read_upload(bad.encode(), {"name": name})
        assert refusal.value.problem == problem
        cure = PAGE_CURES[problem].format_map(
            {k: repr(v) for k, v in refusal.value.details.items()}
        )
        assert upload_refused(name, bad) == f"{refusal.value.without_cure}; {cure}"
        assert uploaded(name, good)["points"]


def test_the_page_begins_with_the_points_that_were_opened(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k;x;y\na;1,5;2\nb;2;3\nc;4;5\n")
    data = sources.read(tmp_path / "t.csv", label="k", one_vs_rest="c", decimal="comma")
    opened = requests.shown("t.csv", data)
    client = TestClient(new_app(PORT, opened), base_url=f"http://127.0.0.1:{PORT}")
    begins = client.get("/api/presets").json()["opened"]
    assert begins["points"] == [[1.5, 2.0], [2.0, 3.0], [4.0, 5.0]]
    assert (begins["labels"], begins["classes"]) == ([-1, -1, 1], ["not c", "c"])
    assert CLIENT.get("/api/presets").json()["opened"] is None


# an option of a command, or a parameter in Python
OPTION = re.compile(r"--\w|\b[a-z_]+=")


def test_the_page_names_no_option_of_a_command_and_no_parameter() -> None:
    texts = [*PAGE_CURES.values(), *(one["about"] for one in presets())]
    for file in STATIC.glob("*.js"):
        code = re.sub(r"\$\{[^{}]*\}", "", re.sub(r"//.*", "", file.read_text(encoding="utf-8")))
        texts += [text for text in re.findall(r'["`]([^"`\n]*)["`]', code) if " " in text]
    html = "".join(file.read_text(encoding="utf-8") for file in STATIC.glob("*.html"))
    texts += re.findall(r'(?:title|aria-label)="([^"]*)"', html) + re.findall(r">([^<]+)<", html)
    assert len(texts) > 100
    assert [text for text in texts if OPTION.search(text)] == []


def test_the_choices_on_the_page_are_those_that_the_server_accepts() -> None:
    html = (STATIC / "explore.html").read_text(encoding="utf-8")
    offered = {
        name: tuple(re.findall(r'<option value="(\w+)"', body))
        for name, body in re.findall(r'<select id="(\w+)">(.*?)</select>', html, re.DOTALL)
    }
    assert (offered["learner"], offered["order"]) == (ALLOWED["learner"], ALLOWED["order"])
    assert offered["kernel"] == ALLOWED["kernel"]
    for name, kernel in (
        ("margin", "none"),
        ("seed", "none"),
        ("degree", "poly"),
        ("gamma", "rbf"),
    ):
        ((least, most),) = re.findall(rf'id="{name}"[^>]* min="([\d.]+)" max="(\d+)"', html)
        request = {**AND, "learner": "margin", "kernel": kernel}
        for value in (type(json.loads(least))(least), int(most)):
            asked("replay", {**request, name: value})
        assert f"to {most}, not" in refused("replay", {**request, name: int(most) + 1})


def test_names_with_control_characters_are_quoted_in_sentences() -> None:
    found = uploaded("a.csv", 'x\x1b[31m,"y\nz",k\n1,2,a\n3,4,"b\tc"\n')
    assert found["names"] == ["x\x1b[31m", "y\nz"]
    assert r"columns 'x\x1b[31m', 'y\nz'; + stands for 'b\tc', − for a." in found["words"]


def test_a_file_with_one_class_is_shown_with_a_warning() -> None:
    assert (
        "All labels are 'a', so there is nothing to separate"
        in uploaded("a.csv", "x,k\n1,a\n2,a\n")["note"]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": []}, "there are no points yet"),
        ({"points": None}, "points must be a list"),
        ({"points": [[0, 0]] * 4, "labels": [1]}, "4 points but 1 label:"),
        ({"labels": [1, 1, 1, 0]}, "point 3: the label must be -1 or 1, not 0"),
        ({"points": [[0, 0], [0], [1, 0], [1, 1]]}, "point 1 must have 2 coordinates"),
        ({"points": [[0, 0], [0, float("nan")], [1, 0], [1, 1]]}, "point 1: coordinate 1 is nan"),
        ({"points": [[0, 0], [0, 10**400], [1, 0], [1, 1]]}, "not a finite number"),
        ({"points": [["0", 0], [0, 0], [1, 0], [1, 1]]}, "point 0: coordinate 0 is '0'"),
        ({"points": [[1] * 33] * 4}, "1 to 32 coordinates; point 0 has 33"),
        (
            {"points": [[0, 0]] * 20_001, "labels": [1] * 20_001},
            "20,001 points are more than the page can take",
        ),
        ({"names": ["a"]}, "1 name for 2 columns"),
        ({"classes": ["a"]}, "there must be two classes, not 1"),
        ({"learner": "svm"}, "learner must be one of perceptron, margin, averaged, winnow"),
        ({"order": 3}, "order must be one of"),
        ({"margin": -1}, "margin must be a number from 0"),
        ({"margin": float("nan")}, "margin must be a number from 0"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"passes": 0}, "passes must be a whole number from 1"),
        ({"bias": "yes"}, "bias must be true or false"),
        ({"every": 1}, "every must be true or false"),
        ({"start": {"w": 1}}, "start must be a list of weights"),
        ({"start": [0.0] * 99}, "start must be a list of weights"),
        ({"start": "123"}, "start must be a number from"),
        ({"start": [1, float("nan"), 0]}, "start must be a number from"),
        ({"start": [1]}, "start must be 3 weights"),
        ({"start": [1, 1, 1], "learner": "winnow"}, "Winnow has its own start"),
        ({"rate": 0}, "rate must be a number from"),
        ({"kernel": "linear"}, "kernel must be one of none, poly, rbf"),
        ({"kernel": "poly", "degree": 1.5}, "degree must be a whole number from 1 to 9"),
        ({"kernel": "rbf", "gamma": 0}, "gamma must be a number from 0.001 to 1000"),
        (
            {"kernel": "rbf", "learner": "winnow"},
            "perceptrons that start from 0, and not for Winnow",
        ),
        ({"kernel": "poly", "start": [1, 1]}, "a kernel is for perceptrons that start from 0"),
        (
            {"kernel": "poly", "points": [[0, 0], [0, 1e60], [1e60, 0], [1e60, 1e60]]},
            "the kernel of these points is too large: scale the columns to about 1",
        ),
        ({"kernel": "poly", "points": [[1e300, 1e300]] * 4}, "too large"),
        ({"kernel": "poly", "window": [[0, 0], [1e300, 1e300]]}, "too large for float64"),
        (
            {"kernel": "rbf", "points": [[1]] * 4},
            "a kernel is for points of two columns here, not of 1",
        ),
        (
            {"kernel": "rbf", "points": [[0, 0]] * 1001, "labels": [1] * 1001},
            "1,001 points with a kernel are more than the page can take (1,000)",
        ),
        *(
            ({"kernel": "rbf", "window": window}, words)
            for window, words in (
                ([], "1 to 32 coordinates"),
                ("x", "window must be a list"),
                ([[0, 0], [float("inf"), 1]], "not a finite number"),
                ([[0, 0], [0, 1]], "window must be the lower left and the upper right corner"),
                ([[0, 0], [1, 1], [2, 2]], "window must be the lower left"),
            )
        ),
        ({"points": [[1e300, 1e300]] * 4}, "row 1: the score is too large"),
        ({"points": [[1e5, 0]] * 4, "learner": "winnow"}, "scale the columns to about 1"),
    ],
)
def test_a_bad_request_is_refused_with_the_reason(change: dict[str, Any], words: str) -> None:
    assert words in refused("replay", {**XOR, **change})


def test_a_request_that_is_not_a_json_object_is_refused() -> None:
    for body in ("", "{", "[1]", "[" * 100_000):
        answer = CLIENT.post("/api/replay", content=body)
        assert answer.status_code == 422
        assert "JSON" in answer.json()["error"]


@pytest.mark.parametrize("host", ["evil.example:1962", "127.0.0.1:80", "127.0.0.1", "0.0.0.0:1962"])
def test_requests_for_another_host_are_refused(host: str) -> None:
    answer = CLIENT.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert repr(host) in answer.json()["error"]


@pytest.mark.parametrize("host", ["127.0.0.1:1962", "localhost:1962", "[::1]:1962"])
def test_requests_for_this_host_are_answered(host: str) -> None:
    answer = CLIENT.get("/", headers={"host": host, "origin": f"http://{host}"})
    assert answer.status_code == 200
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:80"])
def test_requests_from_other_pages_are_refused(origin: str) -> None:
    answer = CLIENT.post("/api/replay", json=XOR, headers={"origin": origin})
    assert answer.status_code == 403
    assert repr(origin) in answer.json()["error"]


def test_requests_that_are_too_large_are_refused() -> None:
    def pieces() -> Iterator[bytes]:  # without saying beforehand how many there are
        for _ in range(MAX_BYTES // 1000 + 1):
            yield b"0" * 1000

    for content in (b"0" * (MAX_BYTES + 1), pieces()):
        answer = CLIENT.post("/api/upload", content=content)
        assert answer.status_code == 413
        assert "the page accepts at most 4 MB: load fewer rows" in answer.json()["error"]
    assert CLIENT.post("/api/upload", content=b"0" * MAX_BYTES).status_code == 422


def test_a_request_that_announces_too_many_bytes_is_not_read() -> None:
    headers = [(b"host", b"localhost:1962"), (b"content-length", str(10**12).encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/upload",
        "query_string": b"",
        "headers": headers,
    }
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("it was read")

    async def send(message: Any) -> None:
        sent.append(message)

    async def ask() -> None:
        await new_app(PORT)(scope, receive, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 413


def test_only_the_pages_own_files_are_served() -> None:
    assert CLIENT.get("/main.js").headers["content-type"].startswith("text/javascript")
    for path in ("/../app.py", "/%2e%2e/app.py", "/nothing.js"):
        assert CLIENT.get(path).status_code == 404


def test_the_page_loads_nothing_from_other_hosts() -> None:
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, file
        assert "https:" not in text, file


def test_the_page_writes_names_as_text_never_as_html() -> None:
    for file in STATIC.glob("*.js"):
        code = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", code)


def test_a_port_in_use_is_reported_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = error("web", "--port", port, "--no-browser")
    assert (
        words
        == f"port {port}: address already in use; choose another --port, or 0 for any free one"
    )
    assert "65535" in error("web", "--port", 65536)


@pytest.mark.parametrize("library", ["starlette", "uvicorn"])
def test_a_missing_library_is_reported_in_one_line(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in sys.modules if n.startswith(("novikoff.show.web", library))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    assert error("web") == f"the page needs {library}: pip install 'novikoff[web]'"


def test_the_browser_is_opened_unless_no_browser_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    from novikoff.show.web import server as serving

    opened = Queue[str]()
    monkeypatch.setattr(webbrowser, "open", opened.put)
    monkeypatch.setattr(serving, "serve", lambda sock, started, _: started(f"at {sock.close()}"))
    assert stdout_of("web", "--port", 0, "--no-browser") == "at None\nPress Ctrl-C to stop.\n"
    assert run("web", "--port", 0).exit_code == 0
    assert opened.get(timeout=120) == "at None"
    assert opened.empty()


def test_ctrl_c_stops_the_server_cleanly() -> None:
    command = [sys.executable, "-m", "novikoff", "web", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        host, port = address.removeprefix("http://").strip("/").split(":")
        assert host == "127.0.0.1"
        assert server.stdout.readline() == "Press Ctrl-C to stop.\n"
        with socket.create_connection((host, int(port)), timeout=120) as held:  # kept open
            held.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert held.recv(12) == b"HTTP/1.1 200"
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=120)
    assert (server.returncode, out, err) == (0, "", "")
