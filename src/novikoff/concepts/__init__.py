"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""

from novikoff.concepts.adversaries import (
    Adversary,
    HardSequence,
    against_con,
    against_elimination,
    against_halving,
)
from novikoff.concepts.asking import AskingConjunction, AskingDisjunction
from novikoff.concepts.attributes import every_example, labelled
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.concepts.consistent import Consistent
from novikoff.concepts.decision_lists import DecisionList, decision_lists
from novikoff.concepts.dimensions import (
    MistakeTree,
    littlestone_dimension,
    mistake_tree,
    shattered,
    vc_dimension,
)
from novikoff.concepts.elimination import EliminateConjunction, EliminateDisjunction
from novikoff.concepts.formulas import parse
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity
from novikoff.concepts.game import WorstCase, worst_case
from novikoff.concepts.halving import Halving
from novikoff.concepts.lecture import LECTURE_TARGET, lecture_examples
from novikoff.concepts.listed import concept_list
from novikoff.concepts.majority import WeightedMajority
from novikoff.concepts.optimal import Optimal
from novikoff.concepts.subsets import at_least, conjunctions, disjunctions, parities
from novikoff.concepts.tables import TruthTable, all_functions, truth_table
from novikoff.concepts.teaching import Nature, Oracle, Recorded, Teacher, each_on
from novikoff.concepts.thresholds import LinearThreshold, linear_thresholds
from novikoff.concepts.tokens import FormulaError
from novikoff.concepts.units import ThresholdUnit, threshold_unit
from novikoff.concepts.version_space import VersionSpace

__all__ = [
    "LECTURE_TARGET",
    "Adversary",
    "AskingConjunction",
    "AskingDisjunction",
    "AtLeast",
    "Concept",
    "ConceptClass",
    "Conjunction",
    "Consistent",
    "DecisionList",
    "Disjunction",
    "EliminateConjunction",
    "EliminateDisjunction",
    "FormulaError",
    "Halving",
    "HardSequence",
    "LinearThreshold",
    "MistakeTree",
    "Nature",
    "Optimal",
    "Oracle",
    "Parity",
    "Recorded",
    "Teacher",
    "ThresholdUnit",
    "TooLarge",
    "TruthTable",
    "VersionSpace",
    "WeightedMajority",
    "WorstCase",
    "against_con",
    "against_elimination",
    "against_halving",
    "all_functions",
    "at_least",
    "concept_list",
    "conjunctions",
    "decision_lists",
    "disjunctions",
    "each_on",
    "every_example",
    "labelled",
    "lecture_examples",
    "linear_thresholds",
    "littlestone_dimension",
    "mistake_tree",
    "parities",
    "parse",
    "shattered",
    "threshold_unit",
    "truth_table",
    "vc_dimension",
    "worst_case",
]
