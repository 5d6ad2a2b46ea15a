"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""

from novikoff.concepts.attributes import every_example, labelled
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.concepts.consistent import Consistent
from novikoff.concepts.dimensions import (
    MistakeTree,
    littlestone_dimension,
    mistake_tree,
    shattered,
    vc_dimension,
)
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity
from novikoff.concepts.game import WorstCase, worst_case
from novikoff.concepts.halving import Halving
from novikoff.concepts.majority import WeightedMajority
from novikoff.concepts.optimal import Optimal
from novikoff.concepts.subsets import at_least, conjunctions, disjunctions, parities
from novikoff.concepts.version_space import VersionSpace

__all__ = [
    "AtLeast",
    "Concept",
    "ConceptClass",
    "Conjunction",
    "Consistent",
    "Disjunction",
    "Halving",
    "MistakeTree",
    "Optimal",
    "Parity",
    "TooLarge",
    "VersionSpace",
    "WeightedMajority",
    "WorstCase",
    "at_least",
    "conjunctions",
    "disjunctions",
    "every_example",
    "labelled",
    "littlestone_dimension",
    "mistake_tree",
    "parities",
    "shattered",
    "vc_dimension",
    "worst_case",
]
