"""The verdict on separability and its proof, in plain words."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from decimal import Decimal

from novikoff.guarantees.exact import root
from novikoff.guarantees.separation import Separation
from novikoff.report.gathering import Known
from novikoff.report.html import Html, facts, join, table, tag
from novikoff.report.numbers import count, cut, short, size, some

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
