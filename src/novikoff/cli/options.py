"""What several verbs share: options for data, labels and models, and checks of output files."""

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any, TypeAlias

from novikoff.cli.arguments import Argument, Option
from novikoff.cli.errors import fail, reason, warn
from novikoff.ledger.ledger import Ledger
from novikoff.models.measures import Evaluation, Reliability
from novikoff.models.model import Model
from novikoff.sources import read_options, text_rule
from novikoff.sources.chunks import Source
from novikoff.sources.inputs import Input, inputs_of
from novikoff.storage.file_format import is_stored
from novikoff.stream.printing import count, cut, listed, percent, plain, plural, share

LONGEST_LABEL = 24

DataFiles: TypeAlias = Annotated[
    list[str],
    Argument("DATA", "Files, directories or patterns, compressed or not; - means standard input."),
]
DataFile: TypeAlias = Annotated[
    str,
    Argument("DATA", "A file, directory or pattern, compressed or not; - means standard input."),
]
Format: TypeAlias = Annotated[
    read_options.Format | None, Option("File format.", default="detected from the name or content")
]
LABEL_HELP = "Tables: the label's column, by name or by position from 0; JSON lines: its key."
Label: TypeAlias = Annotated[
    str | None, Option(LABEL_HELP, metavar="COLUMN", default="the last column, the key 'label'")
]
ModelLabel: TypeAlias = Annotated[
    str | None, Option(LABEL_HELP, metavar="COLUMN", default="the model's")
]
Weight: TypeAlias = Annotated[
    str | None,
    Option(
        "Tables: the column that says how much each example counts; JSON lines: its key.",
        metavar="COLUMN",
        default="each counts 1",
    ),
]
MISSING_HELP = "Missing values: reject them, read them as 0, or mark each with a feature."
Missing: TypeAlias = Annotated[read_options.Missing, Option(MISSING_HELP)]
ModelMissing: TypeAlias = Annotated[
    read_options.Missing, Option(MISSING_HELP, default="the model's")
]
Ignore: TypeAlias = Annotated[
    list[str] | None, Option("Tables: leave out this column. Repeatable.", metavar="COLUMN")
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "Tables: take the numbers or texts in this column as categories; JSON lines: the texts at "
        "this key. Repeatable.",
        metavar="COLUMN",
    ),
]
Text: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "Tables and JSON lines: learn from the words of the texts in this column. Repeatable.",
        metavar="COLUMN",
    ),
]
TextGrams: TypeAlias = Annotated[
    text_rule.Grams | None,
    Option(
        "Features of a text: words; words and pairs of neighbouring words; or runs of 3 to 5 "
        "characters within words.",
        default="pairs",
    ),
]
TextValues: TypeAlias = Annotated[
    text_rule.TextValues | None,
    Option("Value of a feature that is n times in a text: n, 1, or ln(1 + n).", default="log"),
]
TextUnitLength: TypeAlias = Annotated[
    bool | None,
    Option("Scale the features of each text to length 1, or not.", default="--text-unit-length"),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    Option(
        "CSV: the character between fields, or 'tab'.",
        metavar="CHAR",
        default="detected",
    ),
]
ModelDelimiter: TypeAlias = Annotated[
    str | None,
    Option("CSV: the character between fields, or 'tab'.", metavar="CHAR", default="the model's"),
]
QUOTE_HELP = "CSV: fields may be in double quotes, or a quote is an ordinary character."
Quote: TypeAlias = Annotated[read_options.Quote | None, Option(QUOTE_HELP, default="double")]
ModelQuote: TypeAlias = Annotated[
    read_options.Quote | None, Option(QUOTE_HELP, default="the model's")
]
HEADER_HELP = "CSV: the first line names the columns, or is an example."
Header: TypeAlias = Annotated[
    bool | None, Option(HEADER_HELP, default="detected from the first line")
]
ModelHeader: TypeAlias = Annotated[bool | None, Option(HEADER_HELP, default="the model's")]
SkipBad: TypeAlias = Annotated[int, Option("Skip up to N bad lines.", min=0)]
Threads: TypeAlias = Annotated[
    int, Option("Number of parser threads; the result does not depend on it.", min=0, max=256)
]
ZeroBased: TypeAlias = Annotated[
    bool, Option("svmlight: indices count from 0, even if no index is 0.")
]
Intercept: TypeAlias = Annotated[
    bool, Option("Allow hyperplanes that do not pass through the origin.", default="--intercept")
]
TwoClasses: TypeAlias = Annotated[
    str | None,
    Option("The negative and the positive label.", metavar="NEG,POS", default="from the data"),
]
MaxSeconds: TypeAlias = Annotated[
    float, Option("Time limit for the proof, in seconds.", metavar="SECONDS", min=0)
]
Seed: TypeAlias = Annotated[int, Option("Random seed.", min=0)]
ModelFile: TypeAlias = Annotated[
    str, Argument("MODEL", "A model written by `novikoff train -o MODEL`.")
]
Json: TypeAlias = Annotated[bool, Option("Print the result as JSON.", "--json")]


def named_delimiter(delimiter: str | None) -> str | None:
    """The character that `--delimiter tab` or `--delimiter ';'` names."""
    if delimiter is None:
        return None
    mark = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if not read_options.DELIMITER.fullmatch(mark):
        fail(
            f"--delimiter {delimiter!r}: write tab, or one character that is no letter, digit, "
            "space, quote, sign or point"
        )
    return mark


def named_text_rule(
    grams: text_rule.Grams | None,
    values: text_rule.TextValues | None,
    unit_length: bool | None,
) -> text_rule.TextRule:
    """The rule for texts that these options name; what is not named is usual."""
    usual = text_rule.USUAL
    return text_rule.TextRule(
        grams or usual.grams,
        values or usual.values,
        usual.unit_length if unit_length is None else unit_length,
    )


def text_changes(
    model: Model,
    text: list[str] | None,
    grams: text_rule.Grams | None,
    values: text_rule.TextValues | None,
    unit_length: bool | None,
) -> dict[str, tuple[Any, Any]]:
    """The options for texts with their values, and those of a model to be trained further."""
    known = model.read_options
    rule = known.get("text_rule", {})
    return {
        "--text": (text and sorted({*text}), sorted(known.get("words", ()))),
        "--text-grams": (grams, rule.get("grams")),
        "--text-values": (values, rule.get("values")),
        "--text-unit-length" if unit_length else "--no-text-unit-length": (
            unit_length,
            rule.get("unit_length"),
        ),
    }


def named_classes(classes: str | None, *, many: bool = False) -> tuple[str, ...] | None:
    """The labels that `--classes ham,spam` names: two, or any number of them."""
    if classes is None:
        return None
    names = tuple(classes.split(",") if many else classes.split(",", 1))
    if not all(names) or len(set(names)) < len(names) or (len(names) < 2 and not many):
        how = "different labels, separated by commas" if many else "two different labels as NEG,POS"
        fail(f"--classes {classes!r}: write {how}")
    return names


def check_output(
    output: Path,
    what: str,
    data: Sequence[str] = (),
    *,
    inputs: Sequence[Input] = (),
    instead: str | None = None,
) -> None:
    """Reject an output file that cannot be written or that is an input, before the long work.

    Parameters
    ----------
    data, inputs
        What the verb reads, as given and as files; the files are looked up unless they are known.
    instead
        The option that prints `what` instead of writing it, if there is one.
    """
    folder = output.parent
    other = f"; to print the {what}, use {instead}" if instead else ""
    try:
        if str(output) == "-":
            fail(f"-: name a file for the {what}{other}")
        if not folder.is_dir():
            fail(f"{output}: there is no directory {folder}")
        with suppress(FileNotFoundError):
            output.stat()  # a loop of links, or a directory that may not be searched
        if output.exists() and not output.is_file():
            what_it_is = "is a directory" if output.is_dir() else "not a regular file"
            fail(f"{output}: {what_it_is}{other}")
        for given in data:
            if os.path.isdir(given) and folder.samefile(given):
                fail(f"{output}: its directory is read as data; write the {what} elsewhere")
        for one in inputs or (inputs_of(data) if data else ()):
            both_exist = output.exists() and os.path.exists(one.path)
            same = os.path.realpath(output) == os.path.realpath(one.path)
            if same or (both_exist and output.samefile(one.path)):
                words = f"this command uses this file already; choose another file for the {what}"
                fail(f"{output}: {words}")
    except OSError as error:
        fail(f"{output}: {reason(error)}")
    try:
        TemporaryFile(dir=folder).close()
    except OSError:
        fail(f"{output}: the directory {folder} is not writable")


def axes_for(path: Path) -> Any:
    """Where to draw the figure; fails before the work if the figure could not be written."""
    from novikoff.show import plots

    check_output(path, "figure")
    try:
        plots.expect_format(path)
        return plots.new_axes()
    except (ValueError, ImportError) as error:
        fail(str(error))


def load_model(path: str, data: Sequence[str] = ()) -> Model:
    """The model of a file, with a warning if its training was interrupted.

    `data` are the arguments that follow it, to notice when they are in the wrong order.
    """
    is_model = [is_stored(name) for name in (path, *data) if os.path.isfile(name)]
    if os.path.isfile(path) and not is_model[0] and any(is_model):
        fail(f"{path}: not a novikoff model; the model comes first, then the data")
    model = Model.load(path)
    if model.unfinished is not None:
        passes = plural(model.unfinished["passes_made"], "pass", "passes")
        examples = plural(model.unfinished["position"], "example")
        warn(f"{path}: its training was interrupted after {passes} and {examples}; used as it is")
    return model


def facts(model: Model) -> dict[str, Any]:
    """What train and inspect say about a model, as JSON takes it."""
    ledger = model.ledger
    return {
        "kind": model.kind,
        "classes": list(model.classes),
        "multiclass": model.is_joint,
        "features": model.features.count,
        "rounds": ledger.n_rounds,
        "mistakes": ledger.n_mistakes,
        "mistakes_per_pass": ledger.mistakes_per_pass,
        "updates": ledger.n_updates,
        "updates_per_pass": ledger.updates_per_pass,
        "radius": ledger.radius,
    }


def mistakes_in_words(ledger: Ledger) -> str:
    """How many predictions were wrong in the run and, if that differs, how many updates it made."""
    made = f"{count(ledger.n_mistakes)} in {plural(ledger.n_rounds, 'round')}"
    if ledger.n_rounds:
        made += f", {percent(ledger.n_mistakes, ledger.n_rounds, 2)}"
    if len(ledger.epoch_mistakes) > 1:
        made += f"; {count(ledger.epoch_mistakes[-1])} in the last pass"
    if ledger.n_updates != ledger.n_mistakes:
        made += f"; {plural(ledger.n_updates, 'update')}"
    return made


def labels_in_words(model: Model, most: int = 10) -> str:
    """Of two labels, which is which; of many, how many there are, and the first `most`."""
    if model.is_joint:
        return f"{plural(len(model.classes), 'label')}: {listed(model.classes, most)}"
    return "{1} is +1, {0} is -1".format(*map(plain, model.classes))


def measures(tested: Evaluation, *, known: int) -> dict[str, Any]:
    """How predictions compare with labels, as JSON takes it.

    The model knows the first `known` labels. For many classes, the confusion lists only pairs that
    occur.
    """
    found, labels, ranking = tested.confusion, tested.labels, tested.ranking
    confusion: dict[str, dict[str, int]] = {}
    every_pair = () if ranking is None else ((0, 0), (0, 1), (1, 0), (1, 1))
    for true, predicted in sorted({*found.counts, *every_pair}):
        row = confusion.setdefault(labels[true], {})
        row[labels[predicted]] = found.counts[true, predicted]
    classes = {
        label: asdict(one)
        | {name: _or_none(getattr(one, name)) for name in ("precision", "recall", "f1")}
        for label, one in zip(labels, found.of_classes(len(labels)), strict=True)
    }
    about: dict[str, Any] = {"unknown_labels": list(labels[known:])}
    if ranking is not None:
        about = {
            "roc_area": _or_none(ranking.roc_area),
            "average_precision": _or_none(ranking.average_precision),
        }
    if (reliability := tested.reliability) is not None:
        loss = reliability.log_loss
        about |= {
            "log_loss": None if math.isinf(loss) else loss,
            "calibration_error": reliability.calibration_error,
            "reliability": [
                {"examples": n, "predicted": _or_none(p), "observed": _or_none(happened)}
                for n, p, happened in zip(
                    reliability.examples, reliability.predicted, reliability.observed, strict=True
                )
            ],
        }
    return {
        "examples": found.examples,
        "mistakes": found.mistakes,
        "accuracy": _or_none(found.accuracy),
        "baseline": {"label": labels[found.commonest], "accuracy": _or_none(found.baseline)},
        **about,
        "classes": classes,
        "confusion": confusion,
    }


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else x


def baseline_in_words(tested: Evaluation) -> str:
    """The accuracy of always predicting the commonest label."""
    found = tested.confusion
    label = cut(plain(tested.labels[found.commonest]), LONGEST_LABEL)
    return f"{share(found.baseline)} by always predicting {label}"


def reliability_in_words(reliability: Reliability) -> str:
    """How good the probabilities are."""
    loss = reliability.log_loss
    shown = "infinite: a label is unknown" if math.isinf(loss) else f"{loss:.4f}"
    return f"{shown}, calibration error {reliability.calibration_error:.4f}"


def warn_of_skipped_lines(source: Source) -> None:
    """Say how many bad lines were skipped, and why the first was."""
    if source.skipped:
        lines = plural(len(source.skipped), "bad line")
        warn(f"skipped {lines}; the first: {source.skipped[0]}")


def warn_of_unknown_features(model: Model) -> None:
    """Say how many features the model has no weight for, and if the indices seem to be shifted."""
    if model.features.seen_zero:
        warn(
            "these data have an index 0 and the training data had none; "
            "are both 0-based or both 1-based?"
        )
    if unknown := model.features.left_out:
        warn(f"ignored {plural(unknown, 'feature value')} unknown to the model")
