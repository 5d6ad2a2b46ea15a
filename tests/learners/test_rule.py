"""From settings to a learner: every kind of learner is made in one place."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args, get_type_hints

import pytest

from novikoff import Adaptive, Additive, BalancedWinnow, Joint, Winnow1, Winnow2
from novikoff.learners.rule import (
    FULL_NAMES,
    KINDS,
    READINGS,
    WINNOWS,
    Kind,
    Linear,
    Rule,
    restored,
)
from novikoff.show.web import request


def test_every_list_of_kinds_has_the_same_kinds() -> None:
    assert get_args(Kind) == KINDS == tuple(READINGS)
    assert tuple(FULL_NAMES) == KINDS
    assert {*get_args(get_type_hints(request.Choices)["learner"])} <= {*KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bias", [False, True])
def test_a_rule_makes_the_learner_of_its_kind(kind: Kind, bias: bool) -> None:
    made = Rule(kind, bias=bias, margin=0.5 if kind == "margin" else 0.0).learner(10)
    learners: dict[Kind, Linear] = {
        "perceptron": Additive(10, bias=bias),
        "margin": Additive(10, bias=bias, margin=0.5),
        "averaged": Additive(10, bias=bias, averaging=True),
        "voted": Additive(10, bias=bias),
        "adaptive": Adaptive(10, bias=bias),
        "adaptive-averaged": Adaptive(10, bias=bias, averaging=True),
        "winnow": BalancedWinnow(10, bias=bias),
        "winnow1": Winnow1(10),
        "winnow2": Winnow2(10),
    }
    direct = learners[kind]
    for learner in (made, restored(*made.state())):
        (settings, arrays), (same, also) = learner.state(), direct.state()
        assert settings == same
        assert {name: a.tobytes() for name, a in arrays.items()} == {
            name: a.tobytes() for name, a in also.items()
        }


def test_a_joint_rule_makes_a_joint_learner() -> None:
    made = Rule("averaged", rate=0.5, joint=True).learner(4, classes=3, class_weights=[1, 2, 1])
    assert isinstance(made, Joint)
    assert (made.dim, made.n_classes, made.bias, made.averaging) == (4, 3, True, True)


def test_settings_that_no_learner_has_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of perceptron, margin, .*, not 'svm'"):
        Rule("svm")  # type: ignore[arg-type]
    for kind in WINNOWS:
        with pytest.raises(ValueError, match="winnow.* supports two labels only; .* or adaptive"):
            Rule(kind, joint=True)
    with pytest.raises(ValueError, match="ties='positive' applies to two classes only"):
        Rule(ties="positive", joint=True)


def test_a_score_of_zero_is_positive_unless_ties_say_otherwise() -> None:
    rule = Rule()
    assert rule.learner(1).zero_is_positive
    assert not replace(rule, ties="negative").learner(1).zero_is_positive
    assert not replace(rule, joint=True).learner(1).zero_is_positive
    assert rule.is_symmetric
    assert not replace(rule, ties="negative").is_symmetric
