"""What a verdict means, in plain words: how a run ended, and whether data are separable."""

from __future__ import annotations

from dataclasses import dataclass

from novikoff.guarantees.verdict import Verdict
from novikoff.ledger.ledger import Ledger, Rule
from novikoff.stream.printing import count, plural, short

TITLES = {
    "binary": "logistic",
    "binomial": "logistic",
    "poisson": "Poisson",
    "multinomial": "multinomial",
    "ordinal": "ordered",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A verdict: a headline, its meaning, and a hint what to do next, or ''."""

    headline: str
    meaning: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.meaning}; {self.hint}" if self.hint else self.meaning


def run_ended(
    verdict: str,
    *,
    rule: Rule = "additive",
    margin: float = 0.0,
    passes: int | None = None,
    of: str = "examples",
) -> Words:
    """How a run ended: by the ledger's rule, with the margin that each example had to exceed.

    `passes` is how many the caller asked for, if there was a limit; `of` is what to call the
    examples.
    """
    goal = {
        "joint": f"score the class of every {_one(of)} highest",
        "joint-adaptive": f"score the class of every {_one(of)} highest by 1 or more",
        "adaptive": f"separate the {of} by 1 or more",
        "concepts": f"are right about every {_one(of)}",
    }.get(rule, f"separate the {of}")
    more = f"more passes may separate the {of}"
    match Verdict(verdict):
        case Verdict.SEPARATED:
            clean = "the last pass made no mistake"
            if rule in ("adaptive", "joint-adaptive"):
                clean = "the last pass made no update"
            if margin:
                clean = f"the last pass got every {_one(of)} right by more than {short(margin, 6)}"
            found = "hypotheses" if rule == "concepts" else "weights"
            return Words("separated", f"{clean}, so the {found} {goal}")
        case Verdict.CYCLE:
            return Words(
                f"a cycle: no weights separate the {of}",
                f"the weights repeated, which proves that no weights {goal}",
            )
        case Verdict.BUDGET if passes == 1:
            return Words("stopped after one pass", "stopped after the one pass you asked for", more)
        case Verdict.BUDGET:
            tried = f"the {of} or the passes ran out"
            if passes is not None:
                flaw = "updates" if rule in ("adaptive", "joint-adaptive") else "mistakes"
                tried = f"none of the {count(passes)} passes was free of {flaw}"
            return Words("out of passes", tried, more)
        case Verdict.INTERRUPTED:
            return Words("interrupted", "stopped by Ctrl-C; this describes the run up to then")


def run_in_brief(ledger: Ledger, verdict: str, *, of: str = "examples") -> str:
    """What the learner did, after how many updates in how many passes; it is the subject."""
    passes = plural(len(ledger.scans), "pass", "passes")
    if ledger.revisits:
        passes += f" and {count(len(ledger.revisits))} over mistaken {of}"
    noun = "mistake" if ledger.n_updates == ledger.n_mistakes else "update"
    effort = f"{plural(ledger.n_updates, noun)} in {passes}"
    return {
        "separated": f"separated the {of} after {effort}",
        "cycle": f"repeated its weights after {effort}, so no weights separate the {of}",
        "budget": f"did not separate the {of}; it made {effort}",
        "interrupted": f"was interrupted after {effort}",
    }[verdict]


def uninformative(bound: int, rounds: int) -> str:
    """What to add to a bound on the mistakes that says nothing about so many rounds."""
    return f"; uninformative for {plural(rounds, 'round')}" if bound >= rounds else ""


def separation(verdict: str, *, of: str = "rows", by: str = "hyperplane") -> Words:
    """Whether the data are separable; `of` and `by` name the examples and what separates them."""
    one = _one(of)
    whole = f"a {by} separates the {of}, each strictly on its correct side"
    ties = f"a {by} has no {one} on its wrong side, but every such {by} has {of} on it"
    none = f"every {by} has a {one} on its wrong side, or all {of} on it"
    unproved = "no proof was found either way"
    return {
        "complete": Words("separable", whole),
        "quasi-complete": Words("separable except for ties", ties),
        "overlap": Words("not separable", none),
        "undecided": Words("undecided", unproved, "more time may decide it"),
    }[verdict]


def model_separation(verdict: str) -> str:
    """What the verdict means for the likelihood of a model whose response is not two labels."""
    along = "along a direction of the coefficients the likelihood"
    return {
        "complete": f"{along} of every example rises without end",
        "quasi-complete": f"{along} of some examples rises without end and that of none falls",
        "overlap": "along every direction of the coefficients the likelihood of an example falls, "
        "or nothing changes",
        "undecided": "no proof was found either way",
    }[verdict]


def raises(kind: str) -> str:
    """What the weights of a model do to its rows; their combination of columns is the subject."""
    signs = (
        "is nowhere negative where the response is positive, and nowhere positive where it is not"
    )
    return {
        "poisson": "is 0 on all rows but the separated ones, whose response is 0; on these it is "
        "negative, so the fitted counts tend to 0.",
        "multinomial": "has a value for each level but the first, whose value is 0. No row has a "
        "level of a greater value than its own; the separated ones have some of a smaller value.",
        "ordinal": "moves each row within the thresholds of its level, which move, too; the "
        "separated ones move away from one.",
    }.get(kind, f"{signs}; on the separated rows it is not 0.")


def estimates(verdict: str) -> str:
    """What the verdict means for a regression (Albert & Anderson 1984; Correia and others 2019)."""
    return {
        "complete": "no finite maximum-likelihood estimate: the likelihood grows without end as "
        "the coefficients follow the weights to infinity",
        "quasi-complete": "no finite maximum-likelihood estimate",
        "overlap": "has a finite maximum-likelihood estimate",
        "undecided": "not known whether a finite maximum-likelihood estimate exists",
    }[verdict]


# R and γ are measured over all data, or over the examples that one run mistook.
RADIUS_OF_DATA = "the length of the longest row"
RADIUS_OF_RUN = "the length of the longest mistaken example"
BOUND_OF_DATA = "for any order of the rows and any number of passes"


def _one(of: str) -> str:
    return of.removesuffix("s")
