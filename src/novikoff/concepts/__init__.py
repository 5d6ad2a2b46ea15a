"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""

from novikoff.concepts.adversaries import (
    Adversary,
    HardSequence,
    against_con,
    against_elimination,
    against_halving,
)
from novikoff.concepts.asking import AskingConjunction, AskingDisjunction
from novikoff.concepts.elimination import EliminateConjunction, EliminateDisjunction
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity
from novikoff.concepts.lecture import LECTURE_TARGET, lecture_examples
from novikoff.concepts.subsets import at_least, conjunctions, disjunctions, parities
from novikoff.concepts.teaching import Nature, Oracle, Recorded, Teacher, each_on

__all__ = [
    "LECTURE_TARGET",
    "Adversary",
    "AskingConjunction",
    "AskingDisjunction",
    "AtLeast",
    "Concept",
    "Conjunction",
    "Disjunction",
    "EliminateConjunction",
    "EliminateDisjunction",
    "HardSequence",
    "Nature",
    "Oracle",
    "Parity",
    "Recorded",
    "Teacher",
    "against_con",
    "against_elimination",
    "against_halving",
    "at_least",
    "conjunctions",
    "disjunctions",
    "each_on",
    "lecture_examples",
    "parities",
]
