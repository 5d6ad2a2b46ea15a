"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""

from novikoff.concepts.attributes import every_example, labelled
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.concepts.decision_lists import DecisionList, decision_lists
from novikoff.concepts.formulas import parse
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity
from novikoff.concepts.listed import concept_list
from novikoff.concepts.subsets import at_least, conjunctions, disjunctions, parities
from novikoff.concepts.tables import TruthTable, all_functions, truth_table
from novikoff.concepts.thresholds import LinearThreshold, linear_thresholds
from novikoff.concepts.tokens import FormulaError
from novikoff.concepts.units import ThresholdUnit, threshold_unit
from novikoff.concepts.version_space import VersionSpace

__all__ = [
    "AtLeast",
    "Concept",
    "ConceptClass",
    "Conjunction",
    "DecisionList",
    "Disjunction",
    "FormulaError",
    "LinearThreshold",
    "Parity",
    "ThresholdUnit",
    "TooLarge",
    "TruthTable",
    "VersionSpace",
    "all_functions",
    "at_least",
    "concept_list",
    "conjunctions",
    "decision_lists",
    "disjunctions",
    "every_example",
    "labelled",
    "linear_thresholds",
    "parities",
    "parse",
    "threshold_unit",
    "truth_table",
]
