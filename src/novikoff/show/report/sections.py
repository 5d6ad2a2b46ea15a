"""The verdict on separability and its proof, in plain words.

The run of the perceptron, what bounds it, and what it learned, in plain words.

What a report lists: the largest weights by name, and the rows that were mistaken.

Two updates of the run that a report shows, one for each label.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from novikoff.guarantees.comparators import LossBound
from novikoff.guarantees.exact.arithmetic import root
from novikoff.guarantees.verdict import Separation
from novikoff.ledger.ledger import Ledger
from novikoff.show.report.gathering import Known
from novikoff.show.report.html import Html, facts, join, table, tag
from novikoff.stream.blocks import Block
from novikoff.stream.format import count, cut, percent, short, size, some, upwards
from novikoff.stream.order import CACHE_BYTES
from novikoff.stream.rows import Positions, Vector, dots

LISTED = 12
_CARRIED = 4 << 20  # bytes of a certificate that a page still carries


def headline(known: Known) -> str:
    """The verdict in one sentence."""
    it, rows = known.certificate, some(known.certificate.data.rows, "row")
    if it.verdict == Separation.COMPLETE:
        return f"Yes: one hyperplane has all {rows} strictly on their right sides."
    if it.verdict == Separation.QUASI_COMPLETE:
        right = count(len(it.separated_rows))
        return (
            f"Almost: a hyperplane has {right} of {rows} strictly on their right sides and none "
            "on a wrong one, but the others stay on the hyperplane itself, whichever is chosen."
        )
    if it.verdict == Separation.OVERLAP:
        return "No: every hyperplane that tells any rows apart has rows on its wrong side."
    return "Not known: no proof was found either way."


def verdict(known: Known) -> Iterator[Html]:
    """What was decided and why it is certain, for the section of that name."""
    it = known.certificate
    yield tag("p", tag("span", it.verdict, class_=f"badge {it.verdict}"), " ", headline(known))
    if it.why_undecided:
        yield tag("p", f"Why: {it.why_undecided}.")
    yield {
        Separation.COMPLETE: _complete,
        Separation.QUASI_COMPLETE: _quasi_complete,
        Separation.OVERLAP: _overlap,
        Separation.UNDECIDED: _undecided,
    }[it.verdict](known)
    yield _aliased(known)
    yield _check(known)


def _complete(known: Known) -> Html:
    it = known.certificate
    radius = root(*it.radius_squared.as_integer_ratio())
    constant = ", its constant included" if it.data.bias else ""
    told: list[tuple[object, object]] = [
        ("Best margin γ", f"{it.margin}: how far from the hyperplane the nearest row can be kept"),
        ("Radius R", f"{short(radius)}: the length of the longest row{constant}"),
    ]
    if (bound := it.mistake_bound) is not None:
        told.append(
            (
                "Mistake bound",
                f"a perceptron makes at most (R/γ)² = {count(bound[1])} mistakes on these rows, in "
                "any order and however many passes (Novikoff 1962)",
            )
        )
    told.append(
        (
            "Logistic regression",
            "has no finite maximum-likelihood fit here: the likelihood grows for ever as the "
            "coefficients follow these weights to infinity",
        )
    )
    return join(
        [
            facts(told),
            tag("h3", "The proof: weights that separate the rows"),
            tag(
                "p",
                "Multiply each column of a row by its weight and add up"
                + (", with the constant's weight" if it.data.bias else "")
                + f": the sum is positive for every row labelled {known.label(1)} and negative for "
                f"every row labelled {known.label(-1)}. The weights are whole numbers, so that the "
                "sums are exact.",
            ),
            _weights(known),
        ]
    )


def _weights(known: Known) -> Html:
    weights = known.certificate.weights
    order = sorted((j for j, w in enumerate(weights) if w), key=lambda j: -abs(weights[j]))
    left = len(order) - LISTED
    length = Decimal(sum(w * w for w in weights)).sqrt()
    rows = [
        (cut(known.name(j)), count(weights[j]), short(Decimal(weights[j]) / length))
        for j in order[:LISTED]
    ]
    return join([table(["column", "weight", "at length 1"], rows), _more(left, "weight")])


def _quasi_complete(known: Known) -> Html:
    it = known.certificate
    far = [(known.name(j), x) for j, x in enumerate(it.directions) if math.isinf(x)]
    finite = sum(x == 0 for x in it.directions)
    rows = [(cut(name), "+∞" if x > 0 else "−∞") for name, x in far]
    return join(
        [
            facts([("Rows that can be told apart", _rows(it.separated_rows.tolist()))]),
            tag("h3", "What this does to logistic regression"),
            tag(
                "p",
                "There is no finite maximum-likelihood fit. Along the weights of this proof "
                f"{some(len(far), 'coefficient')} run{'s' * (len(far) == 1)} away and "
                f"{count(finite)} stay{'s' * (finite == 1)} finite"
                + (", the constant's included" if it.data.bias else "")
                + ". A fitted model that shows large estimates with huge standard errors here is "
                "one that stopped on the way. (Other directions may separate the same rows.)",
            ),
            table(["coefficient", "goes to"], rows[:LISTED]),
            _more(len(rows) - LISTED, "coefficient"),
            tag("h3", "Why the other rows cannot be told apart"),
            _multipliers(known),
        ]
    )


def _overlap(known: Known) -> Html:
    return join(
        [
            facts([("Logistic regression", "has a finite maximum-likelihood fit")]),
            tag("h3", "The proof: rows that cancel out"),
            _multipliers(known),
        ]
    )


def _undecided(known: Known) -> Html:
    it = known.certificate
    told: list[Html] = [
        tag("p", "More time (--max-seconds) may decide it. What is below is true all the same.")
    ]
    if it.multipliers:
        told += [tag("h3", "Not all rows can be told apart"), _multipliers(known)]
    elif it.margin.at_most_squared:
        told.append(
            tag(
                "p",
                f"If they are separable, then with a margin of at most {short(it.margin.high)}.",
            )
        )
    return join(told)


def _multipliers(known: Known) -> Html:
    """The rows that sum to 0, and why that is a proof."""
    it = known.certificate
    labels = known.data.block.labels
    order = sorted(it.multipliers, key=lambda i: (-it.multipliers[i], i))
    rows = [
        (i, known.label(int(labels[i])), count(it.multipliers[i])) for i in sorted(order[:LISTED])
    ]
    constant = ", and so does the constant" if it.data.bias else ""
    return join(
        [
            tag(
                "p",
                f"Take these {some(len(it.multipliers), 'row')}. Multiply each by its sign "
                f"({known.label(-1)} is −, {known.label(1)} is +) and by the number λ beside it, "
                f"and add them up: every column comes to exactly 0{constant}. Weights with all of "
                "them strictly on their right sides would make the same sum positive; so there are "
                "none.",
            ),
            table(["row", "label", "λ"], rows, left=(1,)),
            _more(len(order) - LISTED, "row"),
        ]
    )


def _aliased(known: Known) -> Html:
    names = [cut(known.name(j)) for j in known.certificate.aliased or ()]
    if not names:
        return Html()
    are = "is a sum" if len(names) == 1 else "are sums"
    listed = ", ".join(names[:LISTED])
    more = f" and {count(len(names) - LISTED)} more" if len(names) > LISTED else ""
    return tag(
        "p",
        tag("b", "Aliased columns. "),
        f"{listed}{more} {are} of multiples of other columns, on every row: such a column adds "
        "nothing, and its coefficient is not determined.",
    )


def _check(known: Known) -> Html:
    """How anybody can check the verdict, and the certificate itself."""
    it, raw = known.certificate, json.dumps(known.certificate.to_dict()).encode()
    parts: list[object] = [tag("h3", "Check it yourself")]
    if len(raw) <= _CARRIED:
        link = tag(
            "a",
            "certificate.json",
            href=f"data:application/json;base64,{base64.b64encode(raw).decode()}",
            download="certificate.json",
        )
        parts.append(
            tag("p", "The whole proof is in this page: save ", link, f" ({size(len(raw))}) and run")
        )
    else:
        parts.append(tag("p", "Write the proof with ", tag("code", "novikoff certify"), " and run"))
    parts += [
        tag("pre", known.origin.verify or "novikoff verify certificate.json DATA"),
        tag(
            "p",
            "which reads the data again and checks every sum in exact arithmetic, without trusting "
            "how the proof was found. The certificate knows its data by their fingerprint:",
        ),
        tag("pre", it.data.fingerprint),
    ]
    return join(parts)


def _rows(rows: list[int], most: int = 10) -> str:
    """Positions as `3 rows: 0–1, 7`."""
    spans: list[list[int]] = []
    for i in rows:
        if spans and spans[-1][1] == i - 1:
            spans[-1][1] = i
        else:
            spans.append([i, i])
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in spans[:most])
    left = sum(b - a + 1 for a, b in spans[most:])
    return f"{some(len(rows), 'row')}: {shown}" + (f" and {count(left)} more" if left else "")


def _more(left: int, noun: str) -> Html:
    if left <= 0:
        return Html()
    words = f"… and {count(left)} more {noun}{'s' * (left != 1)}"
    return tag("p", f"{words}, in the certificate.", class_="more")


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


_TOLD = 4


@dataclass(frozen=True, slots=True)
class Weight:
    """A feature's weight at the end of the run, and its average over all rounds."""

    name: str
    final: float
    average: float


@dataclass(frozen=True, slots=True)
class Told:
    """A feature of a row: its value, and what it adds to the row's score by the average weights."""

    name: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Repeated:
    """A row that was mistaken, how often, in which round last, and its score at the end."""

    row: int
    label: str
    times: int
    last_round: int
    final_score: float
    right: bool
    features: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake, in the order they were made."""

    round: int
    row: int
    label: str
    score: float
    features: tuple[Told, ...]


def largest_weights(known: Known, sign: int, most: int) -> list[Weight]:
    """The features whose average weights are largest of one sign, the constant left out."""
    average = sign * known.average[: known.data.block.rows.dim]
    order = np.argsort(-average, kind="stable")[:most]
    return [
        Weight(known.name(j), float(known.final[j]), float(known.average[j]))
        for j in order.tolist()
        if average[j] > 0
    ]


def repeated(known: Known, most: int) -> list[Repeated]:
    """The rows mistaken most often, those mistaken last first among equals."""
    ledger, block = known.run.ledger, known.data.block
    rows, back, times = np.unique(ledger.rows[::-1], return_index=True, return_counts=True)
    last = ledger.rounds[::-1][back]
    order = np.lexsort((-last, -times))[:most]
    taken = rows[order]
    scores = dots(block.rows.take(taken), known.final, bias=known.settings.bias)
    return [
        Repeated(i, known.label(y), n, t, s, y * s > 0, features)
        for i, n, t, s, y, features in zip(
            taken.tolist(),
            times[order].tolist(),
            last[order].tolist(),
            scores.tolist(),
            block.labels[taken].tolist(),
            _features(known, block, taken),
            strict=True,
        )
    ]


def first_mistakes(known: Known, most: int) -> list[Mistake]:
    """The first mistakes of the run, one after another."""
    ledger, block = known.run.ledger, known.data.block
    rows = ledger.rows[:most]
    return [
        Mistake(t, i, known.label(y), s, features)
        for t, i, y, s, features in zip(
            ledger.rounds[:most].tolist(),
            rows.tolist(),
            block.labels[rows].tolist(),
            ledger.scores[:most].tolist(),
            _features(known, block, rows),
            strict=True,
        )
    ]


def _features(known: Known, block: Block, rows: Positions) -> Iterator[tuple[Told, ...]]:
    """For each row the features that weigh most in its score."""
    for i in rows.tolist():
        columns, values = block.rows.row(i)
        shares: Vector = values * known.average[columns]
        order = np.lexsort((-np.abs(values), -np.abs(shares)))[:_TOLD]
        yield tuple(
            Told(known.name(int(columns[k])), float(values[k]), float(shares[k]))
            for k in order.tolist()
            if values[k]
        )


@dataclass(frozen=True, slots=True)
class Step:
    """Mistake number `mistake`, counted from 1: the weights it met, its row and its features."""

    mistake: int
    row: int
    label: int
    before: Vector
    x: Vector


def steps(ledger: Ledger) -> list[Step]:
    """The first mistake on a negative and on a positive example, the very first left out.

    At that the weights were 0, and there is no line that could turn; it is shown only if there was
    no other of its label.
    """
    found = []
    for label in (-1, 1):
        made = np.flatnonzero(ledger.labels == label)
        if len(made):
            k = int(made[0]) if made[0] > 0 or len(made) == 1 else int(made[1])
            found.append(_step(ledger, k))
    return found


def _step(ledger: Ledger, k: int) -> Step:
    kept, which, w = ledger.examples, ledger.example, np.zeros(ledger.dim + ledger.bias)
    for i in range(k):
        columns, values = kept.row(int(which[i]))
        w[columns] += ledger.steps[i] * values
        w[ledger.dim :] += ledger.steps[i]
    x = np.zeros(ledger.dim)
    columns, values = kept.row(int(which[k]))
    x[columns] = values
    return Step(k + 1, int(ledger.rows[k]), int(ledger.labels[k]), ledger.unit * w, x)
