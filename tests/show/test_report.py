"""The report states what the library finds, in one page that is well formed and self-contained."""

from __future__ import annotations

import base64
import builtins
import gzip
import hashlib
import json
import re
import shlex
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers.command_line import contents, error, run, stdout_of
from novikoff import Additive, Dual, Kernel, certify, guarantees, play, sources
from novikoff.ledger import readings
from novikoff.show.report import Known, Origin, Settings, origin_of, page, sections
from novikoff.show.report.figures import DRAWN, Figure, figures
from novikoff.show.report.html import Html, tag, text
from novikoff.sources import Data
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import arranged, seeded_order
from novikoff.stream.printing import count, share_upwards, short
from novikoff.stream.rows import dots

VOID = {"meta", "br", "wbr"}
EVIL = "<script>alert(1)</script>"


class Page(HTMLParser):
    """A parsed page: its texts, ids and links. Fails if tags do not nest or an id repeats."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.section = ""
        self.cells: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        assert len(self.ids) == len(set(self.ids))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        if tag == "section":
            self.section = given["id"] or ""
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "dd"):
            self.cells.append("")
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.links += [v or "" for k, v in attrs if k in ("href", "src", "xlink:href", "action")]
        assert not [key for key, _ in attrs if key.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "svg" in self.open or "style" in self.open:
            return
        self.texts.setdefault(self.section, []).append(data)
        if self.cells and ("td" in self.open or "dd" in self.open):
            self.cells[-1] += data

    def words(self, section: str | None = None) -> str:
        parts = self.texts if section is None else [section]
        return " ".join(" ".join(self.texts[one]) for one in parts)


def two_clouds(n: int, *, apart: float, dim: int = 2, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, dim)).round(2) + apart * y[:, None]
    names = tuple(f"x{j}" for j in range(dim))
    return Data(sources.block(X, y), names, ("ham", "spam"), "kind")


def divided(n: int) -> Data:
    """Rows on two sides of a line that does not pass through the origin."""
    X = np.random.default_rng(1).normal(size=(n, 2)).round(2)
    y = np.where(X @ [1, 2] > 0.301, 1, -1)
    return Data(sources.block(X, y), ("x0", "x1"), ("ham", "spam"), "kind")


def said_by(parts: Iterable[Html]) -> str:
    """The words of a section."""
    return Page("".join(parts)).words()


def drawable(known: Known) -> dict[str, Figure]:
    return {one.name: one for one in figures(known)}


# Three kinds of data; whole pages are drawn of these alone. The names of one are hostile.
SEPARABLE = divided(80)
OVERLAPPING = replace(
    two_clouds(120, apart=0.4, dim=3),
    names=(EVIL, "</style><b>&amp;\"'", "x2"),
    classes=("</td>", EVIL),
    label=EVIL,
)
QUASI = Data(sources.block([[1], [2], [3], [3], [4]], [-1, -1, -1, 1, 1]), ("dose",), ("no", "yes"))
ORIGIN = Origin((f"{EVIL}.csv",), (), "csv", f"novikoff report '{EVIL}'", EVIL)


@pytest.fixture(scope="module", params=["separable", "overlapping", "quasi-complete"])
def known(request: pytest.FixtureRequest) -> Known:
    data = {"separable": SEPARABLE, "overlapping": OVERLAPPING, "quasi-complete": QUASI}
    origin = ORIGIN if request.param == "overlapping" else None
    return Known(data[request.param], Settings(seed=3), origin=origin)


@pytest.fixture(scope="module")
def source(known: Known) -> str:
    return page(known, mistakes=1000)


def test_the_numbers_are_those_of_play_certify_and_the_guarantees(
    known: Known, source: str
) -> None:
    block = known.data.block
    it = certify(block, margin_rtol=0.01)
    complete = it.verdict == "complete"
    learner = Additive(block.rows.dim, bias=True, averaging=True)
    alone = play(arranged(block, 3), learner, epochs=1000 if complete else 10)
    ledger = alone.ledger
    seen = Page(source)
    verdict, told = seen.words("verdict"), seen.words("run")
    assert str(it.verdict) in verdict
    assert it.data.fingerprint in verdict
    assert f"{count(len(ledger))} mistakes" in seen.words("")
    assert f"{alone.verdict}: " in told
    for k, n in enumerate(ledger.epoch_mistakes[:8], 1):
        assert f"{k} {count(n)} " in told
    bound = (
        guarantees.novikoff(ledger, it.weights)
        if complete
        else guarantees.best_comparator(ledger, block)
    )
    assert f"at most {count(bound.bound)} mistakes" in told
    if complete:
        assert str(it.margin) in verdict
        assert it.mistake_bound is not None
        assert f"(R/γ)² = {count(it.mistake_bound[1])} mistakes" in verdict
        adaptive = guarantees.adaptive(ledger, it.weights)
        assert f"at most {count(adaptive.bound)} if each of these rows counts" in told
        radius = float(bound.radius_squared) ** 0.5
        assert f"rows: R = {short(radius, 6)}, γ = {short(bound.unit_margin, 6)})" in told
        trace = guarantees.sandwich(ledger, it.weights)
        assert f"{short(trace.lower[-1], 6)} ≤ {short(trace.progress[-1], 6)}" in told
    risk = guarantees.risk_bound(ledger)
    useful = f"at most {share_upwards(risk.value)}"
    assert (useful if risk.value < 1 else "gives no useful bound") in seen.words("unseen")
    final, average = readings.final(ledger), readings.average(ledger)
    assert (final == learner.weights).all()
    assert (average == learner.average).all()
    wrong = int((block.labels * learner.scores(block.rows) <= 0).sum())
    assert f"{count(wrong)} of {count(len(block))} (" in told
    for j, name in enumerate(known.data.names or ()):
        assert f"{name} {short(average[j])} {short(final[j])}" in seen.words("weights")
    for t, i, s in zip(ledger.rounds, ledger.rows, ledger.scores, strict=True):
        label = known.data.classes[int(block.labels[i]) > 0]
        assert f"{count(int(t))} {i} {label} {short(s)} " in seen.words("mistakes")


def test_the_trial_is_on_rows_that_were_not_learned_from(known: Known, source: str) -> None:
    block, trial = known.data.block, known.trial
    assert trial is not None
    order = seeded_order(block.rows, 3)
    held = order[len(order) - len(order) // 5 :]
    assert (trial.test.labels == block.labels[held]).all()
    assert trial.learned + len(trial.test) == len(block)
    seen = Page(source).words("unseen")
    votes = readings.vote(trial.ledger, trial.test.rows)
    right = int(((votes >= 0) == (trial.test.labels > 0)).sum())
    assert f"vote {right} " in seen


def test_a_page_is_well_formed_and_self_contained(source: str) -> None:
    seen = Page(source)
    assert source.startswith("<!DOCTYPE html>")
    assert not seen.tags & {"script", "link", "iframe", "img", "object", "base", "form"}
    assert all(link.startswith(("#", "data:application/json;base64,")) for link in seen.links)
    assert "@import" not in source
    assert not re.search(r"url\((?!#)", source)
    inside = {link[1:] for link in seen.links if link.startswith("#")}
    assert inside <= set(seen.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", source)) <= set(seen.ids)


def test_the_certificate_in_the_page_proves_its_verdict(known: Known, source: str) -> None:
    links = [one for one in Page(source).links if one.startswith("data:")]
    raw = base64.b64decode(links[0].partition(",")[2])
    assert known.certificate is not None
    assert json.loads(raw) == known.certificate.to_dict()


def test_the_rows_that_cancel_and_those_separated_are_listed() -> None:
    seen = said_by(sections.verdict(Known(QUASI)))
    assert "No: a hyperplane has no row on its wrong side" in seen
    assert "3 of 5 rows strictly on their correct sides" in seen
    assert "3 rows: 0–1, 4" in seen
    assert "−∞; finite without the separated rows 1 constant +∞ 1 dose" in seen
    assert "What to do next Fit the other 2 rows, without 1 coefficient" in seen
    assert "How to cite “3 of 5 rows are separated (Albert & Anderson 1984)" in seen
    assert "2 no 50% 3 yes 50%" in seen  # shares of λ


def test_the_tables_of_a_report_are_folded_and_on_paper_left_out(source: str) -> None:
    body, style = source[source.index("<body") :], source[: source.index("<body")]
    folded = re.findall(r"<details>(.*?)</details>", body, re.S)
    named = [re.match(r"<summary>(.*?)</summary>", one) for one in folded]
    assert "Pass by pass" in str(named)
    assert "The rows mistaken most often" in str(named)
    assert 'details:not([open]) > summary::after { content: " (folded when printed)"; }' in style
    assert (
        "tr, pre, .wide { break-inside: avoid; }" in style
    )  # no table is cut by the end of a page
    shown = re.sub(r"<details>.*?</details>", "", body, flags=re.S)
    assert "sandwich" not in shown
    assert 'id="figure-plane"' in shown


def test_the_average_has_a_confusion_matrix_and_intervals_on_held_out_rows() -> None:
    known = Known(two_clouds(60, apart=0.5))
    trial = known.trial
    assert trial is not None
    a, b, c, d = (trial.by["average"].counts[k] for k in ((0, 0), (0, 1), (1, 0), (1, 1)))
    assert (a + d, a + b + c + d) == (trial.by["average"].right, len(trial.test))
    assert c + d == int((trial.test.labels > 0).sum())
    seen = said_by(sections.new_rows(known))
    low, high = guarantees.risk.share_interval(a + d, a + b + c + d)
    assert f"average {a + d} " in seen
    assert f"{100 * low:.1f}% to {100 * high:.1f}%" in seen
    assert f"is {known.label(-1)} {a} {b} is {known.label(1)} {c} {d}" in seen


def test_columns_of_very_different_size_are_warned_about() -> None:
    for factor, warns in ((999, False), (1001, True)):
        data = Data(sources.block([[factor, 1], [-2, 0.5], [3, -1]], [1, -1, 1]), None, ("a", "b"))
        seen = said_by(sections.data(Known(data)))
        assert ("(up to 1,001) counts far more" in seen) is warns


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_bound_is_called_uninformative_exactly_if_it_is_not_below_the_rounds(more: int) -> None:
    # a run over the unit vectors meets its bound; the first of them again is one more round
    X = np.eye(9)[[*range(9), 0][: 9 + more]]
    known = Known(Data(sources.block(X, [1] * len(X)), None, ("a", "b")), Settings(False, 1))
    assert known.bound is not None
    assert known.bound.bound == min(9, len(X))
    told = said_by(sections.run(known))
    assert ("uninformative for" in told) == (known.bound.bound >= len(X)) == (more < 1)
    narrow = sources.block([[1, 0.999], [0.999, 1]], [1, -1])
    known = Known(Data(narrow, None, ("a", "b")), Settings(passes=1))
    assert "uninformative for 2 rounds" in said_by(sections.run(known))


@pytest.mark.parametrize(
    ("texts", "options", "lines", "column"),
    [
        # an editor also counts blank lines, comments, and examples that are left out
        (
            ["a 3:1\n\n# none\nc 3:1\nb 3:1\n"],
            ["--keep", "a", "--keep", "b"],
            ["1", "5"],
            "column 3",
        ),
        (["a 3:1\nb 3:1\n"], ["--zero-based"], ["1", "2"], "column 3"),
        (['w,z,k\n1,"\n",a\n1,"\n",b\n'], ["--ignore", "z"], ["3", "5"], "w"),
        (["a,7,0\nb,7,0\n"], ["--label", "0"], ["1", "2"], "column 1"),
        (["w,k\n1,a\n", "w,k\n1,b\n"], [], ["d0:2", "d1:2"], "w"),
        (["w,k\n1,a\n,b\n1,b\n"], ["--skip-bad", "1"], ["2", "4"], "w"),
    ],
)
@pytest.mark.usefixtures("without_figures")
def test_rows_are_lines_as_an_editor_counts_them_and_columns_have_the_numbers_of_the_file(
    texts: list[str], options: list[str], lines: list[str], column: str, tmp_path: Path
) -> None:
    files = [tmp_path / f"d{k}" for k in range(len(texts))]
    for file, content in zip(files, texts, strict=True):
        file.write_text(content)
    assert run("report", *files, "-o", tmp_path / "page.html", *options).exit_code == 0
    seen = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    proof, mistakes = seen.words("verdict"), seen.words("mistakes")
    assert f"λ, as a share of all {lines[0]} a 50% {lines[1]} b 50%" in proof
    assert set(re.findall(rf" (\S+) [ab] \d+ .*? {column} = [17]", mistakes)) == set(lines)
    assert "Lines are counted as in an editor: from 1, a header included." in mistakes
    assert re.search(
        rf"not determined by the rows that are not separated \d+ [^…]*{column}\b", proof
    )


CORNERS = "a,b,k\n1,1,same\n-1,-1,same\n1,-1,other\n-1,1,other\n2,1,same\n-2,1,other\n"


def test_in_the_space_of_a_kernel_the_page_proves_what_no_line_does(tmp_path: Path) -> None:
    data, made, cert = tmp_path / "xor.csv", tmp_path / "p.html", tmp_path / "certificate.json"
    data.write_text(CORNERS)
    told = stdout_of("report", data, "-o", made, "--kernel", "poly", "--degree", 2)
    assert "completely separable in the space of the kernel poly (1 x·z + 1)^2; the per" in told
    first = made.read_text(encoding="utf-8")
    seen, kernel = Page(first), Kernel("poly", degree=2)
    block = sources.read(data).block
    run = play(arranged(block, 0), Dual(2, kernel=kernel), epochs=1000)
    bound = guarantees.kernel_bound(run.ledger)
    assert str(bound) in seen.words("run")
    assert "Yes: a hyperplane of the kernel's space separates the rows" in seen.words("verdict")
    assert "Logistic regression" not in first
    for row, often in zip(*np.unique(run.ledger.rows, return_counts=True), strict=True):
        label = "same" if block.labels[row] > 0 else "other"
        assert f" {row + 2} {label} {often} " in seen.words("mistakes")
    assert "The rows mistaken most often" not in first  # they are not folded
    assert {"figure-plane", "figure-mistakes", "figure-readings"} <= set(seen.ids)
    cert.write_bytes(base64.b64decode(next(x for x in seen.links if "base64" in x).split(",")[1]))
    verify, again = (
        shlex.split(unescape(x)) for x in re.findall("<pre>(novikoff [^<]+)</pre>", first)
    )
    assert "proved" in stdout_of("verify", cert, *verify[3:])
    stdout_of(*again[1:])
    assert made.read_text(encoding="utf-8") == first


@pytest.mark.usefixtures("without_figures")
def test_a_report_on_a_kernel_says_what_is_not_separated_and_what_cannot_be_certified(
    tmp_path: Path,
) -> None:
    (tmp_path / "xor.csv").write_text(CORNERS)
    here = (tmp_path / "xor.csv", "-o", tmp_path / "p.html", "--kernel")
    stdout_of("report", *here, "linear")
    seen = Page((tmp_path / "p.html").read_text(encoding="utf-8")).words("verdict")
    assert "in the kernel's space the sum is exactly 0" in seen
    stdout_of("report", *here, "rbf")
    seen = Page((tmp_path / "p.html").read_text(encoding="utf-8")).words()
    assert "Not decided: an rbf kernel separates all rows" in seen
    assert "none: this needs a linear or polynomial kernel" in seen
    assert "--kernel is for two labels" in error("report", *here, "poly", "--formula", "k ~ a")


def test_aliased_columns_are_named() -> None:
    X = np.array([[1, 2, 0], [2, 4, 1], [3, 6, 0], [5, 10, 1]])
    data = Data(sources.block(X, [1, -1, 1, -1]), ("a", "twice a", "b"), ("-1", "1"))
    seen = said_by(sections.verdict(Known(data)))
    assert "twice a is a combination of other columns" in seen


def test_an_undecided_verdict_says_why() -> None:
    known = Known(two_clouds(60, apart=0.2, dim=3), Settings(max_seconds=0))
    seen = said_by(sections.verdict(known))
    assert known.certificate is not None
    assert known.certificate.verdict == "undecided"
    assert "Not known" in seen
    assert known.certificate.why_undecided in seen


@pytest.mark.parametrize("known", ["overlapping"], indirect=True)
def test_names_from_the_data_are_escaped(known: Known, source: str) -> None:
    seen = Page(source)
    assert "script" not in seen.tags
    assert "</style><b>" not in source
    assert known.data.names is not None
    assert all(name in seen.words("weights") for name in known.data.names[:2])
    assert EVIL in seen.words("data")
    assert f"Report on {Path(EVIL + '.csv').name}" in seen.words("")


def test_names_given_for_the_columns_are_drawn_too() -> None:
    unnamed = replace(SEPARABLE, names=None)
    known = Known(unnamed, names=("minutes", "grams"))
    assert known.name(1) == "grams"
    assert ">grams<" in drawable(known)["plane"].svg()


def test_names_are_drawn_letter_by_letter() -> None:
    data = Data(SEPARABLE.block, (r"$\foo{$", "a$b$c"), ("_low", r"$\x{$"), None)
    plane = drawable(Known(data))["plane"].svg()
    for word in (r"$\foo{$", "a$b$c", r"$\x{$", "_low"):
        assert word in plane


def test_no_control_character_of_a_name_reaches_the_page() -> None:
    signs = "\x1b\r\0\a\x7f\x85\x9b\u2028\u202e\u2066\ud800\uffff"
    rows = sources.block([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]], [-1, 1, 1, -1])
    evil = (f"a{signs}[31m", f"b\n{signs}")
    origin = Origin((f"f{signs}.csv",), command=f"novikoff report 'f{signs}'")
    html = page(Known(Data(rows, evil, evil, f"k{signs}"), origin=origin))
    assert not set(signs) & set(html)
    assert r"b\n\x1b" in Page(html).words("weights")
    drawings = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(drawings) > 5
    for drawing in drawings:
        assert "\n" not in ElementTree.fromstring(drawing).attrib["aria-label"]


def test_text_is_escaped_once_and_html_not_again() -> None:
    assert text("a < b & 'c'\x00") == "a &lt; b &amp; &#x27;c&#x27; "
    assert tag("i", Html("<b>x</b>"), title='"') == '<i title="&quot;"><b>x</b></i>'


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_every_figure_is_there(dim: int) -> None:
    known = Known(two_clouds(60, apart=3, dim=dim))
    apart = [one.name for one in figures(known)]
    made = set(known.run.ledger.labels.tolist())
    once = [f"update-{'positive' if y > 0 else 'negative'}" for y in (-1, 1) if y in made]
    updates = ["update-negative", "update-positive"]
    flat = ["turning", "constant"] if dim <= 2 else []
    assert apart == ["plane", "margins", "mistakes", "sandwich", *once, *flat, "readings"]
    mixed = [one.name for one in figures(Known(two_clouds(60, apart=0.1, dim=dim)))]
    assert mixed == ["plane", "margins", "proof", "mistakes", *updates, *flat, "readings"]


def test_the_histogram_counts_the_errors_of_the_text_rows_on_the_hyperplane_included() -> None:
    dice = np.random.default_rng(5)
    X = dice.integers(-2, 3, size=(200, 4))
    data = Data(sources.block(X, np.where(dice.random(200) < 0.5, 1, -1)), None, ("-1", "1"))
    known = Known(data, Settings(passes=1, bias=False))
    assert (dots(data.block.rows, known.final) == 0).sum() > 3
    labels = drawable(known)["margins"].axes()[0].get_legend_handles_labels()[1]
    counts = {name: int(n) for name, _, n in (label.rpartition(": ") for label in labels[1:])}
    assert counts["wrong side"] + counts["exactly 0"] == known.wrong[0]


def test_of_many_rows_some_are_drawn_and_the_page_says_so() -> None:
    known = Known(two_clouds(4 * DRAWN, apart=0.5), Settings(passes=1))
    planned = drawable(known)
    assert f"Of {4 * DRAWN:,} rows, 1,500 random ones are drawn" in planned["plane"].caption
    shown = [len(np.asarray(each.get_offsets())) for each in planned["plane"].axes()[0].collections]
    assert sum(shown[:2]) == DRAWN
    assert "proof" not in planned
    assert known.trial is not None
    assert known.trial.sampled
    assert "random samples" in said_by(sections.new_rows(known))


def test_a_figure_that_cannot_be_drawn_says_why() -> None:
    data = Data(sources.block([[1e152, 2e152], [2e152, 1e152]], [1, -1]), None, ("-1", "1"))
    known = Known(data)
    assert "Not drawn: the largest feature is 2e+152" in drawable(known)["plane"].svg()
    assert "complete" in said_by(sections.verdict(known))


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (1e-290, [1, -1, -1, 1, -1, 1]),
        (1e-160, [1, -1, 1, -1, 1, -1]),
        (1e95, [1, -1, -1, 1, -1, 1]),
        (1e95, [1, -1, 1, -1, 1, -1]),
    ],
)
def test_tiny_and_large_numbers_are_drawn_as_others_are(scale: float, labels: list[int]) -> None:
    X = np.array([[1.0, 2], [2, 1], [3, 1], [1, 3], [4, 1], [1, 5]])
    both = (Data(sources.block(s * X, labels), None, ("-1", "1")) for s in (1, scale))
    usual, other = (drawable(Known(data, Settings(bias=False))) for data in both)
    assert list(usual) == list(other)
    for name, figure in other.items():
        if not name.startswith(("update", "turning", "constant", "mistakes", "readings")):
            assert "Not drawn" not in figure.svg(), name


def test_rows_very_far_out_are_left_out_of_figures_and_the_page_says_so() -> None:
    block = divided(99).block
    X = np.vstack([np.asarray(block.rows.values), [[900.0, 900.0]]])
    far = Data(sources.block(X, np.append(block.labels, 1)), None, ("-1", "1"))
    planned = drawable(Known(far))
    for name in ("plane", "margins"):
        assert "1 row very far out is not drawn" in planned[name].caption
    assert "The distance of 99 rows" in planned["margins"].caption
    assert not any("far out" in one.caption for one in figures(Known(SEPARABLE)))


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1, 2]], [1]),
        ([[0, 0], [0, 0]], [1, -1]),
        ([[1], [2], [3], [4], [5]], [1] * 5),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]),
    ],
    ids=["one row", "rows of zeros", "one class", "xor"],
)
@pytest.mark.parametrize("bias", [True, False])
def test_small_and_odd_data_have_every_section(X: Any, y: Any, bias: bool) -> None:
    data = Data(sources.block(X, y), None, ("-1", "1"))
    known = Known(data, Settings(bias=bias))
    for words in (sections.run, sections.new_rows):
        assert said_by(words(known))
    assert said_by(sections.reproduce(known.origin, known.settings))
    assert said_by(sections.weights(known, 15))
    assert said_by(sections.mistaken(known, 20))
    assert known.certificate is not None
    assert str(known.certificate.verdict) in said_by(sections.verdict(known))
    assert ("constant 1" in said_by(sections.data(known))) == bias
    for figure in figures(known):
        with suppress(ValueError):  # what the page then says instead has its own test
            figure.axes()
    assert "</svg>" in drawable(known)["mistakes"].svg()


MAIL = "words,links,kind\n120,0,ham\n80,7,spam\n90,8,spam\n200,1,ham\n60,5,spam\n150,0,ham\n"


def test_the_verb_writes_the_page_whole(tmp_path: Path) -> None:
    data, target = tmp_path / "mail.csv", tmp_path / "mail.html"
    data.write_text(MAIL)
    told = stdout_of("report", data, "-o", target, "--seed", 4)
    assert re.fullmatch(
        rf"{target}: completely separable; the perceptron separated the rows after \d+ mistakes? "
        r"in \d+ passes\n",
        told,
    )
    assert set(contents(tmp_path)) == {"mail.csv", "mail.html"}
    seen = Page(target.read_text(encoding="utf-8"))
    assert "Report on mail.csv" in seen.words("")
    again = seen.words("reproduce")
    assert hashlib.sha256(MAIL.encode()).hexdigest() in again
    assert f"novikoff report {data} -o {target} --seed 4 --max-seconds 60" in again
    assert "3 labelled spam and 3 labelled ham" in seen.words("")


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without figures, which take most of the time."""
    monkeypatch.setattr("novikoff.show.report.sections.figures", lambda _: iter(()))


@pytest.mark.usefixtures("without_figures")
def test_quiet_prints_nothing(tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text(MAIL)
    assert stdout_of("report", tmp_path / "mail.csv", "-o", tmp_path / "mail.html", "-q") == ""


@pytest.mark.usefixtures("without_figures")
def test_the_command_in_the_page_makes_it_again_and_the_other_verifies_it(tmp_path: Path) -> None:
    data, target, cert = tmp_path / "m.svm.gz", tmp_path / "m.html", tmp_path / "certificate.json"
    data.write_bytes(gzip.compress(b"3 0:1 2:4\n7 1:2\n3 0:2 2:1\n7 1:1 2:0.5\n3 0:1\n"))
    (tmp_path / "words").write_text("ham\nspam\n<b>\nunused\n")
    options = ["--zero-based", "--classes", "7,3", "--names", tmp_path / "words", "--no-intercept"]
    stdout_of("report", data, "-o", target, *options, "--passes", 5, "--top", 1, "--mistakes", 2)
    first = target.read_bytes()
    seen = Page(first.decode())
    shown = seen.words("weights")
    assert [name in shown for name in ("ham", "spam", "<b>")] == [False, True, True]  # one a label
    assert "they have no names" not in seen.words("data")
    raw = next(one for one in seen.links if one.startswith("data:")).partition(",")[2]
    cert.write_bytes(base64.b64decode(raw))
    commands = re.findall(r"<pre>(novikoff [^<]*)</pre>", first.decode())
    assert len(commands) == 2
    verify, again = (one.replace("certificate.json", str(cert)).split()[1:] for one in commands)
    assert "proved" in stdout_of(*verify)
    stdout_of(*again)
    assert target.read_bytes() == first


def test_the_hash_in_the_page_is_of_the_bytes_that_were_read(tmp_path: Path) -> None:
    (file := tmp_path / "mail.csv").write_text(MAIL)
    data = sources.read(tmp_path, hashed=True)
    file.write_text("x,y\n1,a\n2,b\n")
    (one,) = origin_of([str(tmp_path)], data).files
    assert one.sha256 == hashlib.sha256(MAIL.encode()).hexdigest()
    (tmp_path / "more.csv").write_text(MAIL)
    with pytest.raises(BadExample, match="files came or went"):
        origin_of([str(tmp_path)], data)


@pytest.mark.usefixtures("without_figures")
def test_texts_in_a_table_and_the_standard_input_can_be_read(tmp_path: Path) -> None:
    rows = "colour,kind\nred,a\nblue,b\nred,a\ngreen,b\nblue,b\n"
    stdout_of("report", "-", "-o", tmp_path / "page.html", "--format", "csv", input=rows)
    seen = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "the standard input" in seen.words("data")
    assert "colour=red" in seen.words("weights")
    assert "The bytes were not kept" in seen.words("reproduce")


def test_bad_input_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    good, bad, target = tmp_path / "mail.csv", tmp_path / "bad.csv", tmp_path / "page.html"
    good.write_text(MAIL)
    bad.write_text("x,y\n1,a\nnan,b\n")
    before = set(contents(tmp_path))
    assert error("report", bad, "-o", target) == error("certify", bad)
    assert error("report", tmp_path / "none.csv", "-o", target) == error(
        "certify", tmp_path / "none.csv"
    )
    assert "there is no directory" in error("report", good, "-o", tmp_path / "no" / "page.html")
    assert "this command uses this file" in error("report", good, "-o", good)
    assert "name a file for the page" in error("report", good, "-o", "-")
    assert "two different labels" in error("report", good, "-o", target, "--classes", "ham")
    assert "is not one of" in error("report", good, "-o", target, "--classes", "ham,egg")
    assert "name their columns themselves" in error("report", good, "-o", target, "--names", good)
    few = tmp_path / "few.svm"
    few.write_text("1 1:1 2:1 99:1\n-1 1:2\n")
    assert "7 names for 99 columns" in error("report", few, "-o", target, "--names", good)
    assert set(contents(tmp_path)) == before | {"few.svm"}


def test_without_matplotlib_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mail.csv").write_text(MAIL)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    words = error("report", tmp_path / "mail.csv", "-o", tmp_path / "page.html")
    assert "pip install 'novikoff[plot]'" in words
    assert set(contents(tmp_path)) == {"mail.csv"}


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "mail.csv").write_text(MAIL)
    monkeypatch.setattr("novikoff.show.report.gathering.play", stop)
    answer = run("report", tmp_path / "mail.csv", "-o", tmp_path / "page.html")
    assert (answer.exit_code, answer.stderr) == (130, "novikoff: interrupted\n")
    assert set(contents(tmp_path)) == {"mail.csv"}


def test_weights_are_listed_under_their_label_largest_first(known: Known) -> None:
    dim = known.data.block.rows.dim
    columns = [(known.name(j), known.average[j], known.final[j]) for j in range(dim)]
    expected = [
        cell
        for sign in (1, -1)
        for name, average, final in sorted(columns, key=lambda column: -sign * column[1])
        if sign * average > 0
        for cell in (name, short(float(average)), short(float(final)))
    ]
    assert Page("".join(sections.weights(known, dim))).cells == expected
    assert len(Page("".join(sections.weights(known, 1))).cells) <= 6


def test_rows_are_listed_by_how_often_and_then_how_late_they_were_mistaken(known: Known) -> None:
    ledger = known.run.ledger
    rows, rounds = ledger.rows.tolist(), ledger.rounds.tolist()
    last = dict(zip(rows, rounds, strict=True))
    expected = sorted(last, key=lambda row: (-rows.count(row), -last[row]))
    cells = Page("".join(sections.mistaken(known, len(last)))).cells
    listed = [tuple(cells[k : k + 4]) for k in range(0, 6 * len(last), 6)]
    assert [(row, times, late) for row, _, times, late in listed] == [
        (str(row), count(rows.count(row)), count(last[row])) for row in expected
    ]
    assert len({times for _, _, times, _ in listed}) < len(listed)  # there are equals to order


def test_only_rows_that_nothing_separates_are_said_to_be_mistaken_again_and_again(
    known: Known,
) -> None:
    said = said_by(sections.mistaken(known, 5))
    separable = certify(known.data.block).verdict == "complete"
    assert ("mistaken again and again" in said) != separable


def test_rows_that_more_passes_would_separate_are_not_called_inseparable() -> None:
    known = Known(SEPARABLE, Settings(seed=3, passes=1))
    assert known.run.verdict == "budget"
    assert "again and again" not in said_by(sections.mistaken(known, 5))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--missing", "zero", "--skip-bad", "1"], "read as 0, if there are any"),
        (["--missing", "indicate", "--skip-bad", "1"], "each marked by a feature of its own"),
        (["--ignore", "a"], "none: a missing value is an error"),
    ],
)
def test_the_page_says_what_became_of_missing_values_and_bad_lines(
    options: list[str], said: str, tmp_path: Path
) -> None:
    data, made = tmp_path / "d.csv", tmp_path / "d.html"
    data.write_text("a,b,y\n1,2,u\n,3,v\n4,5,v\n0,1,u\nx,2,u\n")
    run("report", data, "-o", made, *options)
    html = made.read_text()
    assert said in html
    assert ("1 bad line; the first: " in html) == ("--skip-bad" in options)
    assert "b separates the labels alone" in html.replace("<wbr>", "")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--model", "poisson", "--formula", "sales ~ tariff | firm + year"], "tariff −0.8"),
        (["--model", "poisson", "--label", "sales", "--fixed-effects", "firm"], "grade 0.375"),
        (["--model", "multinomial", "--formula", "mode ~ tariff"], "car: constant 1"),
        (["--model", "ordinal", "--formula", "grade ~ tariff"], "finite 3 tariff, 1|2, 2|3"),
        (["--formula", "sold ~ tariff | firm"], "firm=9 1 firm=8 0.8125"),
        (["--formula", "sold ~ tariff"], "in the file lines 2–7"),
    ],
)
def test_each_model_has_a_page_that_cites_its_proof_and_is_checked_again(
    options: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["sales,tariff,firm,year,grade,mode,sold", "0,1.5,7,1,1,bus,0", "3,0.5,8,1,1,car,1"]
    rows += ["0,2.5,7,2,2,bus,0", "1,1,8,2,2,car,1", "0,2,9,2,3,ferry,0", "2,1.25,9,1,3,ferry,1"]
    Path("trade.csv").write_text("\n".join(rows))
    done = run("report", "trade.csv", "-o", "page.html", *options)
    assert done.exit_code == 0, done.stderr
    page = Path("page.html").read_text()
    seen = " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())
    for words in ("Which estimates exist", "What to do next", "How to cite “", expected):
        assert words in seen
    link = re.search(r"base64,([^\"]+)", page)
    assert link is not None
    Path("certificate.json").write_bytes(base64.b64decode(link[1]))
    verify, again = (unescape(words) for words in re.findall("<pre>(novikoff [^<]+)</pre>", page))
    assert run(*shlex.split(verify)[1:]).exit_code == 0
    first = page
    assert run(*shlex.split(again)[1:]).exit_code == 0
    assert Path("page.html").read_text() == first
