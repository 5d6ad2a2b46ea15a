"""Every verdict has words, whatever the rule of the run."""

from __future__ import annotations

import pytest

from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.guarantees.words import estimates, run_ended, run_in_brief, separation
from novikoff.learners import Additive
from novikoff.ledger.ledger import Rule
from novikoff.runs.loop import play
from novikoff.sources import block

RULES: tuple[Rule, ...] = ("additive", "multiplicative", "concepts", "joint")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("verdict", Verdict)
def test_every_end_of_every_rule_has_words(verdict: Verdict, rule: Rule) -> None:
    for passes in (None, 1, 200):
        words = run_ended(verdict, rule=rule, passes=passes, of="points")
        assert words.headline
        assert words.meaning
        assert "example" not in str(words)
        assert not str(words).endswith(".")


def test_how_a_run_ended_in_words() -> None:
    assert run_ended("budget", passes=1).meaning == "stopped after the one pass you asked for"
    assert "none of the 2,000 passes" in run_ended("budget", passes=2000).meaning
    assert "right by more than 0.5" in run_ended("separated", margin=0.5).meaning
    assert "no weights score the class of every row highest" in str(
        run_ended("cycle", rule="joint", of="rows")
    )
    with pytest.raises(ValueError, match="converged"):
        run_ended("converged")


@pytest.mark.parametrize("verdict", Separation)
def test_every_separation_has_words(verdict: Separation) -> None:
    words = separation(verdict, of="points", by="line")
    assert words.headline
    assert "row" not in words.meaning
    assert "hyperplane" not in words.meaning
    assert "maximum-likelihood estimate" in estimates(verdict)


def test_a_run_in_brief_counts_mistakes_and_passes() -> None:
    points = block([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    for passes, words in (
        (1, "did not separate the points; it made 4 mistakes in 1 pass"),
        (99, ", so no weights separate the points"),
    ):
        run = play(points, Additive(2, bias=True), epochs=passes)
        assert words in run_in_brief(run.ledger, run.verdict, of="points")
