"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""

from novikoff.concepts.elimination import EliminateConjunction, EliminateDisjunction
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity
from novikoff.concepts.subsets import at_least, conjunctions, disjunctions, parities

__all__ = [
    "AtLeast",
    "Concept",
    "Conjunction",
    "Disjunction",
    "EliminateConjunction",
    "EliminateDisjunction",
    "Parity",
    "at_least",
    "conjunctions",
    "disjunctions",
    "parities",
]
