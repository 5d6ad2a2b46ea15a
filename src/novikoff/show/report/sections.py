"""The page of a report, and its sections in order: the facts in plain words."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files
from typing import TypeAlias

import numpy as np

from novikoff import __version__
from novikoff.guarantees import words
from novikoff.guarantees.certificate import Certificate, facts_of, merged
from novikoff.guarantees.comparators import LossBound
from novikoff.guarantees.exact.arithmetic import root
from novikoff.guarantees.novikoff_bound import KernelBound
from novikoff.guarantees.risk import share_interval
from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.separability.models import Regression
from novikoff.show.report.figures import figures
from novikoff.show.report.gathering import (
    Known,
    Origin,
    Settings,
    column_numbers,
    row_numbers,
    row_spans,
)
from novikoff.show.report.html import Html, facts, folded, heading, paragraph, table, tag
from novikoff.sources import Data
from novikoff.sources.read_options import Missing
from novikoff.stream.order import CACHE_BYTES
from novikoff.stream.printing import (
    count,
    cut,
    listed,
    percent,
    plain,
    plural,
    share_upwards,
    short,
    size,
)

_LISTED = 12  # weights, coefficients and rows of a proof
_PASSES = 12
_SHOWN = ("plane", "margins", "mistakes", "readings")  # figures that are not folded
_SCALES = 1000  # the ratio of the largest values of two columns from which on the page warns
_FILES = 20
_REPRODUCE = ("reproduce", "Reproduce", "How to reproduce this page")
_CARRIED = 4 << 20  # bytes of the largest certificate that is put into the page
_FEATURES = 4  # of each mistaken row
_CANCEL = {  # what the rows prove whose sum is 0
    Separation.OVERLAP: "The proof: rows that cancel out",
    Separation.QUASI_COMPLETE: "Why the other rows cannot be separated",
    Separation.UNDECIDED: "Proved nevertheless: not all rows can be separated",
}
_MISSING: dict[Missing, str] = {
    "refuse": "none: a missing value is an error",
    "zero": "read as 0, if there are any",
    "indicate": "each marked by a feature of its own, if there are any",
}
_POISSON = (
    "S. Correia, P. Guimarães & T. Zylkin (2019), Verifying the existence of maximum likelihood "
    "estimates for generalized linear models, arXiv:1903.01633"
)
_OTHERS = (
    "A. Albert & J. A. Anderson (1984), On the existence of maximum likelihood estimates in "
    "logistic regression models, Biometrika 71, 1–10"
)

Parts: TypeAlias = list[tuple[str, str, str, Iterable[Html]]]


def page(known: Known, *, top: int = 15, mistakes: int = 20) -> str:
    """The report as one HTML file: no script, no network, figures and style inside.

    It lists the `top` weights for each label, and this many `mistakes`.
    """
    parts: Parts = [
        ("data", "Data", "The data", data(known)),
        ("verdict", "Verdict", "Are they separable?", verdict(known)),
        ("run", "Run", "What the perceptron did", run(known)),
        ("figures", "Figures", "Figures", _figures(known)),
        ("unseen", "New rows", "What to expect on new rows", new_rows(known)),
        ("weights", "Weights", "The weights by name", weights(known, top)),
        ("mistakes", "Mistakes", "The mistakes", mistaken(known, mistakes)),
        (*_REPRODUCE, reproduce(known.origin, known.settings)),
    ]
    if known.settings.kernel is not None:  # in its space a column has no weight
        parts = [part for part in parts if part[0] != "weights"]
    return _page(known.origin, summary(known), parts)


def regression_page(
    it: Certificate, data: Data | Regression, origin: Origin, settings: Settings
) -> str:
    """The report on a regression: which estimates exist, why, and what to do next."""
    exist = words.estimates(it.verdict).partition(":")[0]
    said = f"{it.verdict}: {words.model_separation(it.verdict)}"
    found = [paragraph(_badge(it)), _facts(it, data), *_separated_by(it)]
    parts: Parts = [
        ("verdict", "Verdict", "The data, and whether rows are separated", found),
        ("estimates", "Estimates", "The estimates", _estimates(it)),
        ("check", "Check", "Check it yourself", _check_it_yourself(it, origin)),
        (*_REPRODUCE, reproduce(origin, settings, ran=False)),
    ]
    lines = {"Separation": said, "Estimates": exist}
    return _page(origin, tag("div", facts(lines), class_="short"), parts)


def _page(origin: Origin, summary: Html, parts: Parts) -> str:
    title = f"Report on {origin.title}"
    style = (files("novikoff.show.report") / "style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", title), summary),
        tag("nav", *(tag("a", word, href=f"#{k}") for k, word, _, _ in parts)),
        tag("main", *(tag("section", tag("h2", h), *inside, id=k) for k, _, h, inside in parts)),
        tag("footer", tag("p", f"Made by novikoff {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _figures(known: Known) -> Iterator[Html]:
    """The figures that say most; the others are folded."""
    first, rest = list[Html](), list[Html]()
    for one in figures(known):
        caption = tag("figcaption", tag("b", f"{one.title}. "), one.caption)
        drawn = tag("figure", one.svg(), caption, id=f"figure-{one.name}")
        (first if one.name in _SHOWN else rest).append(drawn)
    yield tag("div", *first, class_="figures")
    if rest:
        yield folded("More figures", *rest)


def summary(known: Known) -> Html:
    """The report in a few lines."""
    block, trial, risk = known.data.block, known.trial, known.risk
    labels = " and ".join(
        f"{count(_rows_with(known, sign))} labelled {cut(known.label(sign))}" for sign in (1, -1)
    )
    lines = {
        "Data": f"{plural(len(block), 'row')}, {plural(block.rows.dim, 'column')}; {labels}",
        "Separable?": _separable(known),
        "Perceptron": words.run_in_brief(known.run.ledger, known.run.verdict, of="rows"),
    }
    if trial is not None:
        right, n = trial.by["average"].right, len(trial.test)
        share, interval = _interval(right, n)
        lines["On held-out rows"] = (
            f"its average weights are right on {count(right)} of {count(n)}, {share} (95% interval "
            f"{interval}); always predicting the more frequent label would be right on "
            f"{percent(trial.majority, n)}"
        )
    if risk is not None and risk.value < 0.5:
        lines["On new rows"] = (
            f"the weights of its first pass are wrong on at most {share_upwards(risk.value)} on "
            "average, with 95% confidence, if the rows are a random sample"
        )
    return tag("div", facts(lines), class_="short")


def _interval(right: int, n: int) -> tuple[str, str]:
    low, high = (percent(round(1000 * end), 1000) for end in share_interval(right, n))
    return percent(right, n), f"{low} to {high}"


def _rows_with(known: Known, sign: int) -> int:
    return int((known.data.block.labels == sign).sum())


def data(known: Known) -> Iterator[Html]:
    """The data: shape, labels, where they came from."""
    block, origin = known.data.block, known.origin
    rows, dim = len(block), block.rows.dim
    not_0 = int((block.rows.values != 0).sum())
    columns = count(dim)
    if known.settings.bias:
        columns += ", and a constant 1 so that the hyperplane need not pass through the origin"
    if known.names == column_numbers(known.data):
        like = "counted from 0" if known.data.numbers is None else "numbered as in the file"
        columns += f"; they have no names and are {like}"
    about = {}
    if origin.given:
        about["Read from"] = ", ".join(origin.given)
        about["Format"] = origin.format or "detected from the first bytes"
    about["Rows"], about["Columns"] = count(rows), columns
    share = percent(not_0, rows * dim)
    about["Values other than 0"] = f"{count(not_0)} of {count(rows * dim)}, {share}"
    if known.data.label is not None:
        about["Label"] = f"{'column ' * (known.data.names is None)}{known.data.label}"
    about["Missing values"] = _MISSING[known.data.missing]
    if skipped := known.data.skipped:
        about["Skipped"] = f"{plural(len(skipped), 'bad line')}; the first: {skipped[0]}"
    yield facts(about)
    _, of_value, values = block.rows.sparse().entries()
    largest = np.zeros(dim)
    np.maximum.at(largest, of_value, np.abs(values.astype(np.float64)))
    used = np.flatnonzero(largest)
    if len(used) and largest.max() > _SCALES * largest[used].min():
        ends = int(largest.argmax()), int(used[largest[used].argmin()])
        wide, narrow = (f"{cut(known.name(j))} (up to {short(float(largest[j]))})" for j in ends)
        yield paragraph(
            tag("b", "Columns of very different size. "),
            f"{wide} counts far more in a perceptron than {narrow}; scale the columns, or use a "
            "learner that adapts to them (novikoff train).",
        )
    counted = [(sign, _rows_with(known, sign)) for sign in (-1, 1)]
    yield table(
        ["label", "sign", "rows", "share"],
        [(known.label(y), "+" if y > 0 else "−", count(n), percent(n, rows)) for y, n in counted],
        left=(0, 1),
    )


def verdict(known: Known) -> Iterator[Html]:
    """Whether the data are separable, and the proof."""
    it = known.certificate
    if it is None:
        yield paragraph(f"{_separable(known)}.")
        return
    yield paragraph(_badge(it), " ", f"{_separable(known)}.")
    in_kernel = known.settings.kernel is not None
    shown = it if in_kernel else replace(it, data=replace(it.data, names=tuple(known.names)))
    yield _facts(shown, known.data, ("label", "weights", "proof", "not complete"))
    if it.verdict == Separation.COMPLETE:
        yield from _sums_of_kernels(known, it) if in_kernel else _complete(known, it)
    elif it.separated and not in_kernel:
        yield from _separated_by(shown)
        yield paragraph(
            "If a fitted model shows large estimates with huge standard errors, its optimiser "
            "stopped on the way along this direction to infinity. Others may separate the same "
            "rows."
        )
    if it.multipliers:
        yield heading(_CANCEL[it.verdict])
        yield from _multipliers(known, it)
    if not in_kernel:
        yield from _estimates(shown)
    yield heading("Check it yourself")
    yield from _check_it_yourself(it, known.origin)


def _badge(it: Certificate) -> Html:
    return tag("span", it.verdict, class_=f"badge {it.verdict}")


def _facts(it: Certificate, data: Data | Regression, left_out: Iterable[str] = ()) -> Html:
    """What a certificate says, line by line, with the separated rows as lines of the file."""
    about = {name: said for name, said in facts_of(it) if name not in left_out}
    if data.source is not None and (at := it.separated_rows.tolist()):
        about["in the file"] = row_spans(data, merged(range(i, i + 1) for i in at))
    if it.mistake_bound is not None:
        constant = ", the constant counting as a column" if it.data.bias else ""
        farthest = "the largest distance that all rows can have from a hyperplane"
        about["best margin"] += f": {farthest}{constant}"
        about["mistake bound"] += f", {words.BOUND_OF_DATA}"
        about["radius"] = f"{short(root(it.radius_squared))}: {words.RADIUS_OF_DATA}{constant}"
    return facts(about)


def _separated_by(it: Certificate) -> Iterator[Html]:
    """The combination of columns that separates rows."""
    if not it.weights_by_column:
        return
    sizes = it.weights_by_column
    top, order = Decimal(max(map(abs, sizes.values()))), sorted(sizes, key=lambda j: -abs(sizes[j]))
    yield heading("By what the rows are separated")
    yield paragraph(
        f"The sum of these columns, each times its number, {words.raises(it.data.kind)}"
    )
    rows = [(cut(it.data.name(j)), short(Decimal(sizes[j]) / top)) for j in order[:_LISTED]]
    yield from (table(["column", "times"], rows), _more(len(order), "column"))


def _estimates(it: Certificate) -> Iterator[Html]:
    """Where each estimate goes, what to do next, and how to cite it."""
    if it.verdict == Separation.UNDECIDED:
        return
    left = it.estimable()
    fate = dict.fromkeys(left.coefficients, "finite")
    fate |= dict.fromkeys(left.absorbing, "finite without those that are not determined")
    why = "not determined by the rows that are not separated" if it.multipliers else "none"
    fate |= dict.fromkeys(left.dropped, why)
    for j, x in it.infinite.items():
        name = plain(it.data.name(j))
        rest = "; finite without the separated rows" if name in left.coefficients else ""
        fate[name] = f"{'+' if x > 0 else '−'}∞{rest}"
    alike: dict[str, list[str]] = {}
    for name, end in sorted(fate.items(), key=lambda one: ("∞" not in one[1], one[1] == "finite")):
        alike.setdefault(end, []).append(cut(name))
    yield heading("Which estimates exist")
    rows = [(end, count(len(names)), listed(names, _LISTED)) for end, names in alike.items()]
    yield table(["estimate", "number", "coefficients"], rows, left=(0, 2))
    yield heading("What to do next")
    always = "a penalised likelihood (Firth 1993), whose estimates are always finite"
    if it.verdict == Separation.COMPLETE:
        yield paragraph(f"Leave out columns that separate the rows, or use {always}.")
    elif it.separated:
        rest, gone = plural(int(left.rows.sum()), "row"), plural(len(left.dropped), "coefficient")
        yield paragraph(
            f"Fit the other {rest}, without {gone}: certificate.estimable() names both in Python. "
            f"If you need numbers for what is left out, use {always}."
        )
    else:
        yield paragraph("Fit the model. If that fails, separation is not the reason.")
    yield heading("How to cite")
    cited = _POISSON if it.data.kind == "poisson" else _OTHERS
    yield paragraph(f"“{left.sentence}”")
    yield paragraph(f"{cited}. Certified by novikoff {__version__}, {it.data.fingerprint}.")


def _more(n: int, noun: str) -> Html:
    """How many of n are not listed."""
    said = f"… and {plural(n - _LISTED, f'more {noun}')}, in the certificate."
    return paragraph(said, class_="more") if n > _LISTED else Html()


def _separable(known: Known) -> str:
    """The answer to the question whether the data are separable, without a full stop."""
    it = known.certificate
    if it is None:
        return f"Not decided: {known.unknown['certificate']}"
    by = "hyperplane" if known.settings.kernel is None else "hyperplane of the kernel's space"
    meaning = words.separation(it.verdict, by=by).meaning
    if it.verdict == Separation.QUASI_COMPLETE:
        separated = f"{count(len(it.separated_rows))} of {plural(it.data.rows, 'row')}"
        meaning += f". One has {separated} strictly on their correct sides"
    answers = {Separation.COMPLETE: "Yes", Separation.UNDECIDED: "Not known"}
    return f"{answers.get(it.verdict, 'No')}: {meaning}"


def _complete(known: Known, it: Certificate) -> Iterator[Html]:
    yield heading("The proof: weights that separate the rows")
    with_constant = ", with the constant's weight" if it.data.bias else ""
    yield paragraph(
        f"Multiply each value of a row by the weight of its column and add up{with_constant}: the "
        f"sum is positive for every row labelled {known.label(1)} and negative for every row "
        f"labelled {known.label(-1)}. The weights are whole numbers, so the sums are exact."
    )
    order = sorted((j for j, w in enumerate(it.weights) if w), key=lambda j: -abs(it.weights[j]))
    length = Decimal(sum(w * w for w in it.weights)).sqrt()
    sizes = {j: Decimal(it.weights[j]) for j in order[:_LISTED]}
    rows = [(cut(known.name(j)), count(int(w)), short(w / length)) for j, w in sizes.items()]
    first = table(["column", "weight", "at length 1"], rows)
    yield folded("The largest weights", first, _more(len(order), "weight"))


def _multipliers(known: Known, it: Certificate) -> Iterator[Html]:
    """The rows that sum to 0, and why that is a proof."""
    sums = f"every column sums to exactly 0{', and so does the constant' * it.data.bias}"
    if it.data.kind == "kernel":
        sums = "in the kernel's space the sum is exactly 0"
    yield paragraph(
        f"Take these {plural(len(it.multipliers), 'row')}. Multiply each by its sign "
        f"({known.label(-1)} is −, {known.label(1)} is +) and by the number λ beside it, and add "
        f"them up: {sums}. Weights with all these rows strictly "
        "on their correct sides would make that sum positive, so there are no such weights."
    )
    largest = sorted(sorted(it.multipliers, key=lambda i: (-it.multipliers[i], i))[:_LISTED])
    total = sum(it.multipliers.values())
    shares = [f"{short(100 * it.multipliers[i] / total)}%" for i in largest]
    names = [known.label(int(known.data.block.labels[i])) for i in largest]
    rows = zip(row_numbers(known.data, largest), names, shares, strict=True)
    first = table([_row(known), "label", "λ, as a share of all"], rows, left=(1,))
    yield folded("The rows with the largest λ", first, _more(len(it.multipliers), "row"))


def _sums_of_kernels(known: Known, it: Certificate) -> Iterator[Html]:
    yield heading("The proof: a sum of kernels that separates the rows")
    yield paragraph(
        "The score of a row is the sum of its kernels with these rows, each times the number "
        f"beside it: positive for every row labelled {known.label(1)}, negative for the others."
    )
    order = sorted(it.weights_by_column, key=lambda i: -abs(it.weights_by_column[i]))
    numbers = row_numbers(known.data, order[:_LISTED])
    rows = [(n, count(it.weights_by_column[i])) for n, i in zip(numbers, order, strict=False)]
    yield folded("The rows with the largest weights", table([_row(known), "weight"], rows))


def _check_it_yourself(it: Certificate, origin: Origin) -> Iterator[Html]:
    """How to check the verdict, with the certificate itself."""
    raw = json.dumps(it.to_dict()).encode()
    if len(raw) <= _CARRIED:
        href = f"data:application/json;base64,{base64.b64encode(raw).decode()}"
        link = tag("a", "certificate.json", href=href, download="certificate.json")
        whole = "This page contains the whole proof. Save "
        yield paragraph(whole, link, f" ({size(len(raw))}) and run")
    else:
        yield paragraph("Write the proof with ", tag("code", "novikoff certify"), " and run")
    yield tag("pre", origin.verify or "novikoff verify certificate.json DATA")
    yield paragraph(
        "It reads the data again and checks every sum in exact arithmetic, whatever program found "
        "the proof. The certificate identifies its data by this fingerprint:"
    )
    yield tag("pre", it.data.fingerprint)


def run(known: Known) -> Iterator[Html]:
    """The run of the perceptron and its bounds."""
    ledger, rows, verdict = known.run.ledger, len(known.data.block), known.run.verdict
    kernel = known.settings.kernel
    space = "" if kernel is None else f" of the space of the {kernel}"
    yield paragraph(
        "A perceptron starts with all weights 0 and sees the rows one at a time, in a random order "
        f"(seed {known.settings.seed}) that is the same in every pass. A row on the wrong side of "
        f"the hyperplane{space}, or on it, is a mistake: the row is added to the weights if it is "
        f"labelled {known.label(1)}, and subtracted if it is labelled {known.label(-1)}."
    )
    meaning = words.run_ended(verdict, passes=known.passes, of="rows").meaning
    it = known.certificate
    if verdict == Verdict.BUDGET and it is not None and it.verdict == Separation.COMPLETE:
        meaning += "; more passes will separate the rows, as the bound shows"
    final, average = known.wrong
    yield facts(
        {
            "How it ended": f"{verdict}: {meaning}",
            "Passes": f"{count(known.run.epochs)}, of at most {count(known.passes)}",
            "Rounds": f"{count(ledger.n_rounds)}, one row each",
            "Mistakes": count(len(ledger)),
            "Bound on the mistakes": _bound(known),
            **({"Its proof": _sandwich(known)} if kernel is None else {}),
            "Rows wrong at the end": (
                f"{count(final)} of {count(rows)} ({percent(final, rows)}) by the final weights, "
                f"{count(average)} ({percent(average, rows)}) by their average over all rounds"
            ),
        }
    )
    each = enumerate(ledger.epoch_mistakes, 1)
    passes = [(count(k), count(n), percent(n, rows)) for k, n in each]
    if len(passes) > _PASSES:
        passes[_PASSES - 3 : -3] = [("…", "", "")]
    yield folded("Pass by pass", table(["pass", "mistakes", "of the rows"], passes, left=()))


def _bound(known: Known) -> str:
    bound, rounds, adaptive = known.bound, known.run.ledger.n_rounds, known.adaptive
    if bound is None or isinstance(bound, KernelBound):
        return f"none: {known.unknown['bound']}" if bound is None else str(bound)
    said, least = str(bound), bound.bound
    if isinstance(bound, LossBound):
        said += "; the losses are those of the best hyperplane found among the run's own"
    if adaptive is not None:
        least = min(least, adaptive.bound)
        said += (
            f"; at most {count(adaptive.bound)} if each of these rows counts with its own length"
        )
    return said + words.uninformative(least, rounds)


def _sandwich(known: Known) -> str:
    trace = known.sandwich
    if trace is None:
        return f"not shown: {known.unknown['sandwich']}"
    held = "holds after each mistake" if trace.holds else "does not hold because of rounding"
    return f"kγ ≤ w·u ≤ ‖w‖ ≤ √(Σ‖x‖²) ≤ R√k {held}; {trace}"


def new_rows(known: Known) -> Iterator[Html]:
    """What to expect on new rows: a test on held-out rows, and a bound."""
    trial = known.trial
    if trial is None:
        yield paragraph("There are fewer than five rows, too few to hold any out for a test.")
    else:
        n = len(trial.test)
        sampled = " (both are random samples of the data)" if trial.sampled else ""
        passes = plural(len(trial.ledger.epoch_ends), "pass", "passes")
        yield paragraph(
            f"A second run learned from {plural(trial.learned, 'row')} in {passes} and was tested "
            f"on {plural(n, 'other')}{sampled}:"
        )
        right = {
            "final weights": trial.by["final"].right,
            "average": trial.by["average"].right,
            "vote": trial.by["vote"].right,
            "always the more frequent label": trial.majority,
        }
        rows = [(name, count(k), *_interval(k, n)) for name, k in right.items()]
        yield table(["prediction by", f"correct of {count(n)}", "share", "95% interval"], rows)
        labels, counts = [cut(known.label(y)) for y in (-1, 1)], trial.by["average"].counts
        yield table(
            ["by the average", *(f"predicted {label}" for label in labels)],
            [(f"is {a}", *(count(counts[k, j]) for j in (0, 1))) for k, a in enumerate(labels)],
        )
    yield heading("What the mistakes prove")
    yield paragraph(_risk(known))


def _risk(known: Known) -> str:
    """The bound on the errors on new rows, or why there is none."""
    bound = known.risk
    if bound is None:
        return f"There is no bound on the errors on new rows: {known.unknown['risk']}."
    made = f"{plural(bound.mistakes, 'mistake')} in {plural(bound.rounds, 'round')}"
    if bound.value == 1:
        return (
            f"The first pass ({made}) gives no useful bound on the errors on new rows: there were "
            "too few rows, or too many mistakes."
        )
    said = (
        "If the rows are a random sample, then with 95% confidence the weights of the first pass "
        f"(not the final ones) are wrong on at most {share_upwards(bound.value)} of new rows, on "
        f"average over the pass. ({made}: each row tested weights that had not seen it yet.) The "
        "majority vote of these weights is wrong on at most twice that. Later passes see the same "
        "rows again, so they give no such bound."
    )
    if bound.value >= 0.5:
        said += " Guessing is wrong on half of the rows, so this bound is too weak to be useful."
    if known.data.block.rows.nbytes > CACHE_BYTES:
        said += (
            " The data are too large to shuffle freely; only neighbouring rows were mixed, so "
            "their order is not quite random."
        )
    return said


def weights(known: Known, most: int) -> Iterator[Html]:
    """The largest weights, by the names of their columns."""
    yield paragraph(
        "The columns with the largest average weights, for each label. The score of a row is the "
        "sum of weight times value, so a column of small numbers has a large weight: compare "
        "columns of the same unit only."
    )
    average, final = known.average.tolist(), known.final.tolist()
    sides = []
    for sign in (1, -1):
        signed = sign * known.average[: known.data.block.rows.dim]
        largest = [j for j in np.argsort(-signed, kind="stable")[:most].tolist() if signed[j] > 0]
        rows = [(cut(known.name(j)), short(average[j]), short(final[j])) for j in largest]
        of_label = table(["column", "average", "final"], rows) if rows else paragraph("No column.")
        sides.append(tag("div", heading(f"Towards {known.label(sign)}"), of_label))
    yield tag("div", *sides, class_="pair")
    if known.settings.bias:
        yield paragraph(f"The constant: average {short(average[-1])}, final {short(final[-1])}.")


def mistaken(known: Known, most: int) -> Iterator[Html]:
    """The rows mistaken most often, and the mistakes in order."""
    made = len(known.run.ledger)
    if not most:
        yield paragraph(f"{plural(made, 'mistake')}, none of them listed here.")
        return
    beside, in_kernel = "the columns that contribute most to its score", known.settings.kernel
    if in_kernel is not None:
        beside = "its largest values"
        yield paragraph(
            "The mistaken rows are all that a kernel perceptron keeps: the score of a row is the "
            "sum of its kernels with them, each times its sign and how often it was mistaken."
        )
    counted = "Rows are counted from 0, without the header."
    if known.data.source is not None:
        counted = "Lines are counted as in an editor: from 1, a header included."
    hardest, it = _hardest(known, most), known.certificate
    if known.run.verdict != Verdict.SEPARATED and not (it and it.verdict == Separation.COMPLETE):
        hardest += " If no hyperplane separates the rows, some are mistaken again and again; a "
        hardest += "wrong label is only one possible reason."
    yield paragraph(f"{hardest} {counted} Beside each are {beside}.")
    columns = [_row(known), "label", "times", "last round", "score at the end", "largest features"]
    often = table(columns, _most_mistaken(known, most), left=(1, 5))
    yield often if in_kernel is not None else folded("The rows mistaken most often", often)
    columns = ["round", _row(known), "label", "score", "largest features"]
    yield folded(
        f"The first {count(min(most, made))} of {plural(made, 'mistake')}, in order",
        paragraph("The score is w·x before the update; a score of 0 is always a mistake."),
        table(columns, _first_mistakes(known, most), left=(2, 4)),
    )


def _hardest(known: Known, most: int) -> str:
    """How many rows were mistaken most often, and which of them are listed."""
    _, times = np.unique(known.run.ledger.rows, return_counts=True)
    if not len(times):
        return "No row was mistaken."
    top = int(times.max())
    ties, often = int((times == top).sum()), "once" if top == 1 else f"{count(top)} times"
    if ties == 1:
        return f"One row was mistaken {often}, more often than any other."
    which = f"; of these, the {count(most)} mistaken last are listed" if ties > most else ""
    return f"{count(ties)} rows were mistaken {often}, as often as any{which}."


def _most_mistaken(known: Known, most: int) -> Iterator[Sequence[object]]:
    """The rows mistaken most often; among equals, those mistaken last come first."""
    ledger, block = known.run.ledger, known.data.block
    rows, back, times = np.unique(ledger.rows[::-1], return_index=True, return_counts=True)
    last = ledger.rounds[::-1][back]
    order = np.lexsort((-last, -times))[:most]
    scores = known.scores[rows[order]]
    numbers = row_numbers(known.data, rows[order].tolist())
    for k, number, score in zip(order, numbers, scores.tolist(), strict=True):
        row, often = int(rows[k]), (count(int(times[k])), count(int(last[k])))
        label, features = _described(known, row)
        outcome = "correct" if block.labels[row] * score > 0 else "wrong"
        yield number, label, *often, f"{short(score)}, {outcome}", features


def _first_mistakes(known: Known, most: int) -> Iterator[Sequence[object]]:
    ledger = known.run.ledger
    columns = ledger.rounds, ledger.rows, ledger.scores
    rounds, rows, scores = (column[:most].tolist() for column in columns)
    numbers = row_numbers(known.data, rows)
    for t, row, number, score in zip(rounds, rows, numbers, scores, strict=True):
        label, features = _described(known, row)
        yield count(t), number, label, short(score), features


def _row(known: Known) -> str:
    """What a table calls the number of a row."""
    return "row" if known.data.source is None else "line"


def _described(known: Known, row: int) -> tuple[str, str]:
    """A row's label, and the features with the largest shares in its score by the average.

    Of a kernel, where they have no shares, those with the largest values.
    """
    columns, values = known.data.block.rows.row(row)
    in_kernel = known.settings.kernel is not None
    shares = values if in_kernel else values * known.average[columns]
    order = np.lexsort((-np.abs(values), -np.abs(shares)))[:_FEATURES]
    largest = [(int(columns[k]), float(values[k])) for k in order if values[k]]
    features = ", ".join(f"{cut(known.name(j))} = {short(value)}" for j, value in largest)
    return cut(known.label(int(known.data.block.labels[row]))), features or "none"


def reproduce(origin: Origin, settings: Settings, *, ran: bool = True) -> Iterator[Html]:
    """How to reproduce the page; its seed matters only if the perceptron `ran`."""
    if origin.command:
        yield tag("pre", origin.command)
    seeded = f"{settings.seed}, for the order of the rows and the held-out rows"
    yield facts({"Version": f"novikoff {__version__}"} | ({"Seed": seeded} if ran else {}))
    if origin.files:
        rows = [(one.name, size(one.size), tag("code", one.sha256)) for one in origin.files]
        yield table(["file", "size", "SHA-256"], rows[:_FILES], left=(0, 2))
        if (left := len(rows) - _FILES) > 0:
            yield paragraph(f"… and {plural(left, 'more file')}.", class_="more")
    else:
        yield paragraph("The bytes were not kept; the fingerprint above identifies the data.")
    limited = math.isfinite(settings.max_seconds)
    unless = ", unless the certificate runs out of time on a slower machine" if limited else ""
    yield paragraph(f"The same data, version and options give the same page{unless}.")
