"""The run of the perceptron, what bounds it, and what it learned, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from novikoff.guarantees.exact import root
from novikoff.guarantees.inseparable import LossBound
from novikoff.report.gathering import Known
from novikoff.report.html import Html, facts, table, tag
from novikoff.report.listing import Told, first_mistakes, largest_weights, repeated
from novikoff.report.numbers import count, cut, percent, short, some, upwards
from novikoff.streams import CACHE_BYTES

_PASSES = 12
_ENDED = {
    "separated": "a whole pass made no mistake: the weights have every row on its right side",
    "cycle": "the weights came back to where they had been, which proves that no weights separate "
    "the rows",
    "budget": "the passes allowed were used up",
}


def ended(known: Known) -> str:
    """How the run went, in one sentence."""
    ledger, passes = known.run.ledger, known.run.epochs
    last = ledger.epoch_mistakes[-1]
    after = {
        "separated": "the last of them without any",
        "cycle": "after which its weights came back to where they had been",
        "budget": f"{count(last)} of them in the last",
    }[str(known.run.verdict)]
    return f"{some(len(ledger), 'mistake')} in {_passes(passes)}, {after}"


def run(known: Known) -> Iterator[Html]:
    """What the perceptron did, for the section of that name."""
    ledger, rows = known.run.ledger, len(known.data.block)
    yield tag(
        "p",
        "A perceptron starts with all weights 0 and meets the rows one after another, in an order "
        f"drawn at random (seed {known.settings.seed}) and the same in every pass. When a row is "
        "on the wrong side of its hyperplane, or on it, that is a mistake: the row is added to "
        f"the weights if it is labelled {known.label(1)}, and taken away if {known.label(-1)}.",
    )
    final, average = known.wrong
    unfinished = known.run.verdict == "budget" and known.certificate.verdict == "complete"
    more = " before a pass without mistakes, which the bound says will come" * unfinished
    yield facts(
        [
            ("How it ended", f"{known.run.verdict}: {_ENDED[str(known.run.verdict)]}{more}"),
            ("Passes", f"{count(known.run.epochs)}, of at most {count(known.passes)}"),
            ("Rounds", f"{count(ledger.n_rounds)}, a row in each"),
            ("Mistakes", count(len(ledger))),
            ("The bound beside them", _bound(known)),
            ("The proof's two sides", _sandwich(known)),
            (
                "Rows wrong at the end",
                f"{count(final)} of {count(rows)} ({percent(final, rows)}) by the final weights, "
                f"{count(average)} ({percent(average, rows)}) by their average over all rounds",
            ),
        ]
    )
    yield _per_pass(known)


def _per_pass(known: Known) -> Html:
    made, met = known.run.ledger.epoch_mistakes, len(known.data.block)
    numbered = list(enumerate(made, 1))
    if len(numbered) > _PASSES:
        numbered = [*numbered[: _PASSES - 3], *numbered[-3:]]
    rows: list[tuple[object, ...]] = []
    before = 0
    for k, n in numbered:
        if k > before + 1:
            rows.append(("…", "", ""))
        rows.append((count(k), count(n), percent(n, met)))
        before = k
    return table(["pass", "mistakes", "of the rows"], rows, left=())


def _bound(known: Known) -> str:
    bound = known.bound
    if bound is None:
        return f"none: {known.unknown['bound']}"
    at_most = f"at most {some(bound.bound, 'mistake')}"
    if isinstance(bound, LossBound):
        nothing = (
            f". That says nothing: there were only {count(known.run.ledger.n_rounds)} rounds"
            if bound.bound >= known.run.ledger.n_rounds
            else ""
        )
        return (
            f"{at_most}, by the shortfalls of the best hyperplane found among the run's own "
            f"({bound.theorem}: R = {_root(bound.radius_squared)}, γ = {short(bound.unit_margin)}, "
            f"losses {_short(bound.loss)}){nothing}"
        )
    holds = "" if bound.holds else ", which is less than were made: by rounding"
    return (
        f"{at_most} ({bound.theorem}: (R/γ)², with the longest and the nearest of the rows that "
        f"were mistaken: R = {_root(bound.radius_squared)}, γ = {short(bound.unit_margin)}){holds}"
        + (
            ""
            if known.adaptive is None
            else f"; at most {count(known.adaptive.bound)} by the lengths of all of these instead "
            "of the longest"
        )
    )


def _sandwich(known: Known) -> str:
    trace = known.sandwich
    if trace is None:
        return f"not shown: {known.unknown['sandwich']}"
    held = "held after each mistake" if trace.holds else f"{trace.failure}, by rounding"
    return (
        f"kγ ≤ w·u ≤ ‖w‖ ≤ R√k {held}; at the end {short(trace.lower[-1])} ≤ "
        f"{short(trace.progress[-1])} ≤ {short(trace.norm[-1])} ≤ {short(trace.upper[-1])}"
    )


def unseen(known: Known) -> Iterator[Html]:
    """What to expect on new rows: the trial and the bound, for the section of that name."""
    trial = known.trial
    if trial is None:
        yield tag("p", "There are fewer than five rows: too few to hold any out for a test.")
    else:
        n = len(trial.test)
        sampled = " (random samples, as there are many)" if trial.sampled else ""
        yield tag(
            "p",
            f"A second run learned from {some(trial.learned, 'row')} in {_passes(trial.passes)} "
            f"and was tested on {some(n, 'other')}{sampled}:",
        )
        names = {"final": "final weights", "average": "average", "vote": "vote"}
        rows = [
            *((names[key], count(right), percent(right, n)) for key, right in trial.right.items()),
            ("always the commoner label", count(trial.majority), percent(trial.majority, n)),
        ]
        yield table(["read as", f"right of {count(n)}", "share"], rows)
    yield tag("h3", "What the mistakes prove")
    yield tag("p", risk(known))


def risk(known: Known) -> str:
    """What the error bound says, or why it says nothing."""
    bound = known.risk
    if bound is None:
        return f"There is no bound on the errors on new rows: {known.unknown['risk']}."
    seen = (
        f"{some(bound.mistakes, 'mistake')} in the {some(bound.rounds, 'round')} of the first pass"
    )
    if bound.value == 1:
        return (
            f"The {seen} prove nothing about new rows: there were too few rows, or too many "
            "mistakes."
        )
    words = (
        f"If the rows are a random sample of all there could be, then with 95% confidence the "
        f"weights met in the first pass, not the final ones, err on at most {upwards(bound.value)} "
        f"of new rows, on average over the pass ({seen}; each row was new when it came, and so "
        "tested weights that had not seen it). The majority vote of all these weights errs on at "
        "most twice that. Later passes meet the same rows again and prove nothing of the kind."
    )
    if bound.value >= 0.5:
        words += " Half the rows can be had by guessing: this is too weak to be of use."
    if known.data.block.rows.nbytes > CACHE_BYTES:
        words += (
            " As the data are large, neighbouring rows were mixed and not all of them freely, so "
            "that their order is not quite random."
        )
    return words


def weights(known: Known, most: int) -> Iterator[Html]:
    """The largest weights by name, for the section of that name."""
    yield tag(
        "p",
        "The columns with the largest average weights, for each label; a row's score is the sum of "
        "weight times value. A weight is large also when its column's numbers are small: compare "
        "columns of one unit.",
    )
    for sign in (1, -1):
        found = largest_weights(known, sign, most)
        yield tag("h3", f"Towards {known.label(sign)}")
        if found:
            rows = [(cut(w.name), short(w.average), short(w.final)) for w in found]
            yield table(["column", "average", "final"], rows)
        else:
            yield tag("p", "No column.")
    if known.settings.bias:
        yield tag(
            "p",
            f"The constant: average {short(float(known.average[-1]))}, "
            f"final {short(float(known.final[-1]))}.",
        )


def mistakes(known: Known, most: int) -> Iterator[Html]:
    """The mistakes with their rows, for the section of that name."""
    ledger = known.run.ledger
    if not most:
        yield tag("p", f"{some(len(ledger), 'mistake')}, none of them listed here.")
        return
    often = repeated(known, most)
    yield tag("h3", "The rows mistaken most often")
    yield tag(
        "p",
        "Worth a look: rows that stay hard are unusual, or have the wrong label. Rows count from "
        "0, a header not among them. Beside each are the columns that weigh most in its score.",
    )
    yield table(
        ["row", "label", "times", "last round", "score at the end", "largest features"],
        [
            (
                m.row,
                cut(m.label),
                count(m.times),
                count(m.last_round),
                f"{short(m.final_score)}, {'right' if m.right else 'wrong'}",
                _told(m.features),
            )
            for m in often
        ],
        left=(1, 5),
    )
    first = first_mistakes(known, most)
    yield tag("h3", "The mistakes in order")
    left = len(ledger) - len(first)
    yield tag(
        "p",
        f"The first {count(len(first))} of {count(len(ledger))}; the score is w·x before the "
        "update, and 0 says no label at all."
        if left
        else "The score is w·x before the update, and 0 says no label at all.",
    )
    yield table(
        ["round", "row", "label", "score", "largest features"],
        [(count(m.round), m.row, cut(m.label), short(m.score), _told(m.features)) for m in first],
        left=(2, 4),
    )


def _told(features: tuple[Told, ...]) -> str:
    return ", ".join(f"{cut(f.name)} = {short(f.value)}" for f in features) or "none"


def _root(square: Fraction) -> str:
    return short(root(*square.as_integer_ratio()))


def _short(x: Fraction) -> str:
    over, under = x.as_integer_ratio()
    return short(Decimal(over) / Decimal(under))


def _passes(n: int) -> str:
    return f"{count(n)} pass{'es' * (n != 1)}"
