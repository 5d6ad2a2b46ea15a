"""Boolean concepts: finite classes, their learners, teachers, adversaries and dimensions.

Learners of weights belong in `learners`, and the mistake bounds themselves in `guarantees`.
"""

from novikoff.concepts.adversaries import (
    Adversary,
    HardSequence,
    WorstCase,
    against_con,
    against_elimination,
    against_halving,
    worst_case,
)
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.concepts.decision_lists import DecisionList, decision_lists
from novikoff.concepts.dimensions import (
    MistakeTree,
    littlestone_dimension,
    mistake_tree,
    shattered,
    vc_dimension,
)
from novikoff.concepts.elimination import EliminateConjunction, EliminateDisjunction
from novikoff.concepts.examples import every_example, labelled
from novikoff.concepts.families import (
    all_functions,
    at_least,
    concept_list,
    conjunctions,
    disjunctions,
    parities,
)
from novikoff.concepts.formulas import FormulaError, parse
from novikoff.concepts.functions import (
    AtLeast,
    Concept,
    Conjunction,
    Disjunction,
    Parity,
    TruthTable,
    truth_table,
)
from novikoff.concepts.learners import Consistent, Halving, Optimal, WeightedMajority
from novikoff.concepts.queries import AskingConjunction, AskingDisjunction
from novikoff.concepts.teaching import (
    LECTURE_TARGET,
    Nature,
    Oracle,
    Recorded,
    Teacher,
    each_on,
    lecture_examples,
)
from novikoff.concepts.thresholds import (
    LinearThreshold,
    ThresholdUnit,
    linear_thresholds,
    threshold_unit,
)
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
