"""The trace of a run: mistakes one by one, as a frame, as LaTeX and in a notebook."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from novikoff import Additive, BalancedWinnow, Joint, Ledger, Winnow, concepts, play, sources
from novikoff.ledger import trace
from novikoff.ledger.ledger import Keep, Mistake, NotKept
from novikoff.ledger.readings import trajectory

X, Y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [0.5, -1.0]], [1, 0, 0, 1]


def played(keep: Keep = "examples", epochs: int = 3) -> Ledger:
    learner = Additive(2, bias=True, rate=0.5)
    return play((X, Y), learner, epochs=epochs, ledger=learner.open_ledger(keep)).ledger


def test_a_ledger_gives_its_mistakes_one_by_one() -> None:
    ledger = played()
    found = list(ledger)
    assert len(found) == len(ledger)
    assert found[0] == Mistake(1, 1, 0, 1, 0.0, 0.5, True)
    assert [m.round for m in found] == ledger.rounds.tolist()
    assert [m.label for m in found] == ledger.labels.tolist()
    assert list(played("positions")) == found
    with pytest.raises(NotKept):
        list(played("counts"))
    narrow = play((X, Y), Additive(2, margin=100.0)).ledger
    assert [m.wrong for m in narrow] == narrow.mistakes.wrong.tolist()


def test_the_frame_has_the_weights_after_each_mistake() -> None:
    ledger = played()
    frame = ledger.to_frame(names=["a", "b"])
    assert [*frame.columns] == [
        "mistake", "round", "row", "label", "score", "step",
        "x[a]", "x[b]", "w[a]", "w[b]", "w[constant]",
    ]  # fmt: skip
    moments = [moment.weights.tolist() for moment in trajectory(ledger)]
    assert frame[["w[a]", "w[b]", "w[constant]"]].to_numpy().tolist() == moments
    w = np.zeros(3)  # as a student computes it
    for _, line in frame.iterrows():
        x = np.array([line["x[a]"], line["x[b]"], 1.0])
        assert line["score"] == w @ x
        assert line["label"] * line["score"] <= 0
        w = w + line["step"] * x
        assert w.tolist() == [line["w[a]"], line["w[b]"], line["w[constant]"]]
    assert len(ledger.to_frame(weights=False).columns) == 6
    with pytest.raises(ValueError, match="1 names for 2 features"):
        ledger.to_frame(names=["a"])


def test_what_the_weights_need_is_said() -> None:
    with pytest.raises(NotKept, match="use keep='examples'"):
        played("positions").to_frame()
    assert len(played("positions").to_frame(weights=False)) == len(played())
    block = sources.classes_block(X, [0, 1, 2, 1])
    joint = play(block, Joint(2)).ledger
    with pytest.raises(ValueError, match="two labels"):
        joint.to_frame()
    assert {"class", "rival"} <= {*joint.to_frame(weights=False).columns}
    winnow = play((X, Y), BalancedWinnow(2)).ledger
    assert "exponent[0]" in winnow.to_frame().columns
    assert len(Ledger(2).to_frame()) == 0


def test_a_table_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MOST_NUMBERS", 30)
    with pytest.raises(ValueError, match="numbers each are too many for a table; pass weights=Fal"):
        played().to_frame()
    with pytest.raises(ValueError, match="too many for a table; pass weights=False"):
        played().to_latex()


def test_without_pandas_the_frame_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        played().to_frame()


def test_the_trace_as_latex() -> None:
    assert play(([[2, 1], [1, 3]], [1, 0]), Additive(2)).ledger.to_latex(names=["a_1", "b"]) == (
        r"\begin{tabular}{rrrrrrll}" "\n"
        r"mistake & round & row & $y$ & $\langle w,x\rangle$ & step & $x$ (a\_1, b) & "
        r"$w$ (a\_1, b) after \\ \hline" "\n"
        r"$1$ & $1$ & $0$ & $1$ & $0$ & $1$ & $(2, 1)$ & $(2, 1)$ \\" "\n"
        r"$2$ & $2$ & $1$ & $-1$ & $5$ & $-1$ & $(1, 3)$ & $(1, -2)$ \\" "\n"
        r"\end{tabular}" "\n"
    )  # fmt: skip
    assert played().to_latex(weights=False).count(r"\\") == 1 + len(played())


def test_a_notebook_shows_the_first_mistakes_of_a_ledger() -> None:
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    shown = play((xor, [0, 1, 1, 0]), Additive(2, bias=True), epochs=9).ledger._repr_html_()
    assert shown.startswith("<table><caption>Ledger: ")
    assert repr(play(([[2, 1]], [1]), Additive(2)).ledger) == "<Ledger: 1 mistake in 1 round>"
    assert shown.count("<tr>") == 11
    assert "<th>score</th>" in shown
    assert "mistakes in" in played("counts")._repr_html_()
    assert Ledger(2)._repr_html_().count("<tr>") == 1


def test_the_trace_of_winnow_names_exponents_and_that_of_concepts_has_no_weights() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    ledger = Winnow(max_iter=2).fit(X, [1, 0, 1]).ledger_
    head = ledger.to_latex().splitlines()[1]
    assert r"$\langle w,x\rangle$$-\theta$" in head
    assert "exponents of $w$ after" in head
    block = sources.block(X, [1, -1, 1])
    ruled = play(block, concepts.EliminateConjunction(2), epochs=3).ledger
    assert [*ruled.to_frame().columns] == ["mistake", "round", "row", "label", "score", "step"]
    assert "$w$" not in ruled.to_latex()
