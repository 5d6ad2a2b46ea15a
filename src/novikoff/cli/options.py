"""What several verbs share: options for data, labels and models, and checks of output files."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from novikoff.cli.arguments import Group
from novikoff.cli.errors import fail, reason, rejecting_settings, warn
from novikoff.ledger.kernels import FileKernel, Kernel
from novikoff.ledger.ledger import Ledger
from novikoff.models.model import Model
from novikoff.sources import read_options
from novikoff.sources.chunks import Source
from novikoff.sources.inputs import Input, Paths, inputs_of, is_remote
from novikoff.sources.open import Data, Scanned
from novikoff.sources.read_options import ReadOptions
from novikoff.storage.file_format import is_stored
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import written
from novikoff.stream.printing import as_words, count, cut, listed, percent, plain, plural, share

if TYPE_CHECKING:
    from novikoff.cluster.driver import Cluster
    from novikoff.models.measures import Evaluation, Reliability
    from novikoff.separability.models import Regression
    from novikoff.sources.shards import Shards

T = TypeVar("T")
LONGEST_LABEL = 24

READING = """
--label COLUMN          Tables: the label's column, by name or by position from 0; JSON lines: its
                        key. [the last column, the key 'label']
--positive LABEL        The positive one of two labels. [the greater number, the later text]
--classes NEG,POS       The negative and the positive label; or all labels, if many are learned. Any
                        other is an error. [from the data]
--keep LABEL            Read only the examples with this label. Repeatable. [all]
--one-vs-rest LABEL     Take this label as positive, and all others together as negative.
--weight COLUMN         Tables: the column that says how much each example counts; JSON lines: its
                        key. [each counts 1]
--ignore COLUMN         Tables: leave out this column; JSON lines: this key. Repeatable.
--categorical COLUMN    Tables: take the numbers or texts in this column as categories; JSON lines:
                        the texts at this key. Repeatable.
--text COLUMN           Tables and JSON lines: learn from the words of the texts in this column.
                        Repeatable.
--text-grams            Features of a text: words; words and pairs of neighbouring words; or runs of
                        3 to 5 characters within words. [pairs]
--text-values           Value of a feature that occurs n times in a text: n, 1, or ln(1 + n). [log]
--text-unit-length      Scale the features of each text to length 1, or not. [--text-unit-length]
--missing               Missing values: reject them, read them as 0, or mark each with a feature.
                        [refuse]
--format                File format, if the name or content does not show it.
--delimiter CHAR        CSV: the character between fields; or tab; or space, for any number of
                        spaces. [detected]
--decimal               CSV: the decimal separator, as in 1.5 or 1,5. [point]
--quote                 CSV: fields may be in double quotes, or a quote is an ordinary character.
                        [double]
--header                CSV: the first line names the columns, or is an example. [detected from the
                        first line]
--skip-bad 0<=N         Skip up to N bad lines.
--threads 0<=N<=256     Number of parser threads; the result does not depend on it.
"""


READING_GROUP = Group("reading the data", READING)
_MARKS = {"tab": "\t", "\\t": "\t", "space": " "}  # what `--delimiter` calls them


@dataclass(frozen=True, slots=True)
class Reading(ReadOptions):
    """How data are read, as it was given: the same options for every verb that reads them."""

    positive: str | None = None
    classes: str | None = None
    text_grams: read_options.Grams | None = None
    text_values: read_options.TextValues | None = None
    text_unit_length: bool | None = None

    def __post_init__(self) -> None:
        twice = [n for n in ("classes", "positive", "one_vs_rest") if getattr(self, n) is not None]
        if len(twice) > 1:
            one, other = (f"--{name.replace('_', '-')}" for name in twice[:2])
            fail(f"{one} and {other} both say which label is positive; use one of them")
        if self.delimiter is not None and not read_options.DELIMITER.fullmatch(self._mark or ""):
            fail(
                f"--delimiter {self.delimiter!r}: write tab, space, or one character that is no "
                "letter, digit, quote, sign or point"
            )

    @property
    def _mark(self) -> str | None:
        """The character that `--delimiter tab` or `--delimiter ';'` names."""
        return _MARKS.get(self.delimiter or "", self.delimiter)

    def how(self) -> ReadOptions:
        """The options as the library takes them."""
        given = {one.name: getattr(self, one.name) for one in fields(ReadOptions)}
        of_texts = {one.name: getattr(self, f"text_{one.name}") for one in fields(self.text_rule)}
        of_texts = {name: value for name, value in of_texts.items() if value is not None}
        with rejecting_settings():
            given["text_rule"] = replace(self.text_rule, **of_texts)
            given |= {"text": tuple(dict.fromkeys(self.text)), "delimiter": self._mark}
            return ReadOptions(**given)

    def read_for(
        self,
        data: Paths,
        formula: str | None,
        fixed_effects: Sequence[str] | None = None,
        *,
        zero_based: bool,
        as_levels: bool,
    ) -> tuple["Data | Regression", str]:
        """The data of a regression, and how they were read; a formula's response is the label."""
        if formula is None:
            how = replace(self, categorical=(*self.categorical, *(fixed_effects or ())))
            found = how.scan(data, zero_based=zero_based, as_levels=as_levels).whole()
            return found, found.description
        if fixed_effects:
            fail("--fixed-effects: write them after a bar in --formula")
        from novikoff.separability.regressions import parts_of, regression_data

        response, effects = parts_of(formula)
        label, categorical = self.label or response, (*self.categorical, *effects)
        how = replace(self, label=label, categorical=categorical)
        found = how.scan(data, zero_based=False, as_levels=True).whole()
        return regression_data(formula, found), found.description

    def scan(
        self, data: Paths, *, zero_based: bool, as_levels: bool = False, most: float = math.inf
    ) -> Scanned:
        """The examples of the data, with a warning about lines that were skipped."""
        found = Scanned(
            data,
            self.how(),
            zero_based=zero_based or None,
            classes=None if as_levels else named_classes(self.classes),
            positive=self.positive,
            hashed=True,
            as_levels=as_levels,
            most=most,
        )
        warn_of_skipped_lines(found.data.skipped)
        return found

    def for_model(self, model: Model, *, labelled: bool = True) -> ReadOptions:
        """The options of a model's data, with those given here that a model leaves open."""
        self.reject_changes(model)
        how = replace(self.how(), labelled=labelled, weighed=self.weight is not None)
        return how.following(model.read_options)

    def reject_changes(self, model: Model) -> None:
        """Reject what contradicts a model: it fixes the labels, and which columns hold texts."""
        known = model.read_options
        rule, texts = known.get("text_rule", {}), known.get("texts")
        positive = model.classes[-1] if not model.is_joint else None
        against = known.get("one_vs_rest", " and ".join(model.classes))
        reject_changes(
            {
                "text": (sorted({*self.text}) or None, sorted(known.get("words", ()))),
                "text-grams": (self.text_grams, rule.get("grams")),
                "text-values": (self.text_values, rule.get("values")),
                "text-unit-length": (self.text_unit_length, rule.get("unit_length")),
                "classes": (self.classes, ",".join(model.classes)),
                "positive": (self.positive and written(self.positive), positive),
                "one-vs-rest": (self.one_vs_rest and written(self.one_vs_rest), against),
            }
        )
        if self.missing == "indicate" and model.features.kind == "columns":
            fail("--missing indicate: the model has no features for it; use --missing zero")
        for column in self.categorical:
            if texts is not None and column not in texts:
                fail(f"--categorical {column}: the model has no categories there; leave it out")

    def words(self) -> list[str]:
        """The options that were given, as a command line has them."""
        given, usual = {name: getattr(self, name) for name in READING_GROUP.options}, Reading()
        return as_words(**{k: x for k, x in given.items() if x != getattr(usual, k)})


DataReading: TypeAlias = Annotated[Reading, READING_GROUP]
ModelReading: TypeAlias = Annotated[
    Reading,
    Group("reading the data (default: as the model's data were read)", READING, by_model=True),
]


def reject_changes(given: dict[str, tuple[Any, Any]]) -> None:
    """Reject options that contradict a model; each has its value and the model's."""
    for option, (value, own) in given.items():
        if value not in (None, own):
            has = f"{own:g}" if isinstance(own, float) else own
            known = f"'s ({cut(has)})" if isinstance(has, str) else ""
            no = "no-" if value is False else ""
            fail(f"--{no}{option} differs from the model{known}; leave it out")


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
    """Reject an output file that cannot be written or that is an input, before the long work."""
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
        files = [one for one in data if not is_remote(one)]
        for one in inputs or (inputs_of(files) if files else ()):
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
    """The model of a file, with a warning if its training was interrupted."""
    is_model = [is_stored(name) for name in (path, *data) if os.path.isfile(name)]
    if os.path.isfile(path) and not is_model[0] and any(is_model):
        fail(f"{path}: not a novikoff model; the model comes first, then the data")
    model = Model.load(path)
    if model.unfinished is not None:
        passes = plural(model.unfinished["passes_made"], "pass", "passes")
        examples = plural(model.unfinished["position"], "example")
        warn(f"{path}: its training was interrupted after {passes} and {examples}; used as it is")
    return model


@contextmanager
def on_cluster(
    address: str,
    on_answer: Callable[[int, int], None] = lambda _done, _all: None,
    cure: str = "",
) -> Iterator["Cluster"]:
    """The workers of a cluster; `cure` is what to do if it is lost."""
    try:
        from novikoff.cluster.driver import Cluster, ClusterProblem, connected
    except ImportError as error:
        fail(f"--cluster: {error}")
    try:
        with connected(address) as client:
            yield Cluster(client, on_answer)
    except ClusterProblem as error:
        fail(f"--cluster {address}: {error}{cure}")


def work_of_shards(
    address: str, cut: "Shards", model: Model, work: Callable[[Model, Source], T], allowed: int
) -> Iterator[T]:
    """What workers make of each shard with a model, in order; it counts the features unknown to it.

    The lines that they skip are those of the source.
    """
    with on_cluster(address) as workers:
        from novikoff.cluster.training import of_source

        next(iter(cut.source), None)  # what the columns hold
        cut.source.skipped = []
        task = partial(_of_shard, work, model.apart())
        for (made, unknown), skipped in workers.map(of_source, cut.shards, task, cut.source):
            for words in skipped:
                cut.source.skip(BadExample(words), allowed=allowed)
            model.features.left_out += unknown
            yield made


def _of_shard(work: Callable[[Model, Source], T], model: Model, source: Source) -> tuple[T, int]:
    model = model.apart()
    return work(model, source), model.features.left_out


def check_probabilities(model: Model, option: str) -> None:
    """Reject an option that needs probabilities of a model that gives none."""
    if not model.gives_probabilities:
        fail(
            f"{option}: {model.kind} gives no probabilities, because counting the votes on each "
            "example before it is learned would take too long; use --learner averaged"
        )


def named_threshold(
    model: Model, threshold: float | None, cost_ratio: float | None
) -> float | None:
    """The probability from which on the positive label is predicted; None: the score decides."""
    if threshold is None and cost_ratio is None:
        return None
    option = "--cost-ratio" if threshold is None else "--threshold"
    if threshold is not None and cost_ratio is not None:
        fail("--cost-ratio sets the threshold; leave out --threshold")
    if model.has_many_classes:
        fail(f"{option}: a threshold is for models of two labels")
    check_probabilities(model, option)
    return threshold if cost_ratio is None else 1.0 / (1.0 + cost_ratio)


def facts(model: Model) -> dict[str, Any]:
    """What train and inspect say about a model, as JSON takes it."""
    ledgers = [ledger for _, ledger in model.runs]

    def in_all(passes: Iterable[list[int]]) -> list[int]:
        return [sum(each) for each in zip_longest(*passes, fillvalue=0)]

    return {
        "kind": model.kind,
        "classes": list(model.classes),
        "multiclass": model.has_many_classes,
        "features": model.features.count,
        "rounds": sum(ledger.n_rounds for ledger in ledgers),
        "mistakes": sum(ledger.n_mistakes for ledger in ledgers),
        "mistakes_per_pass": in_all(ledger.mistakes_per_pass for ledger in ledgers),
        "updates": sum(ledger.n_updates for ledger in ledgers),
        "updates_per_pass": in_all(ledger.updates_per_pass for ledger in ledgers),
        "radius": max(ledger.radius for ledger in ledgers),
    }


def mistakes_in_words(ledger: Ledger) -> str:
    """How many predictions were wrong in the run and, if that differs, how many updates it made."""
    made = f"{count(ledger.n_mistakes)} in {plural(ledger.n_rounds, 'round')}"
    if ledger.n_rounds:
        made += f", {percent(ledger.n_mistakes, ledger.n_rounds, 2)}"
    if len(ledger.scans) > 1:
        made += f"; {count(ledger.epoch_mistakes[ledger.scans[-1]])} in the last pass"
    if ledger.n_updates != ledger.n_mistakes:
        made += f"; {plural(ledger.n_updates, 'update')}"
    return made


def labels_in_words(model: Model, most: int = 10) -> str:
    """Of two labels, which is which; of many, how many there are, and the first `most`."""
    if model.has_many_classes:
        return f"{plural(len(model.classes), 'label')}: {listed(model.classes, most)}"
    negative, positive = (repr(one) if "," in one else plain(one) for one in model.classes)
    return f"{positive} is +1, {negative} is -1"


def measures(tested: "Evaluation", *, known: int) -> dict[str, Any]:
    """How predictions compare with labels, as JSON takes it; the model knows the first labels."""
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
        names = ("roc_area", "average_precision")
        about = {name: _or_none(getattr(ranking, name)) for name in names}
    if (measured := tested.reliability) is not None:
        names = ("log_loss", "calibration_error")
        about |= {name: _or_none(getattr(measured, name)) for name in names}
        columns = ("examples", "predicted", "observed")
        rows = zip(*(map(_or_none, getattr(measured, name)) for name in columns), strict=True)
        about["reliability"] = [dict(zip(columns, row, strict=True)) for row in rows]
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
    return x if math.isfinite(x) else None


def baseline_in_words(tested: "Evaluation") -> str:
    """The accuracy of always predicting the commonest label."""
    found = tested.confusion
    label = cut(plain(tested.labels[found.commonest]), LONGEST_LABEL)
    return f"{share(found.baseline)} by always predicting {label}"


def reliability_in_words(reliability: "Reliability") -> str:
    """How good the probabilities are."""
    loss = reliability.log_loss
    shown = "infinite: a label is unknown" if math.isinf(loss) else f"{loss:.4f}"
    return f"{shown}, calibration error {reliability.calibration_error:.4f}"


def warn_of_skipped_lines(skipped: Sequence[str]) -> None:
    """Say how many bad lines were skipped, and why the first was."""
    if skipped:
        warn(f"skipped {plural(len(skipped), 'bad line')}; the first: {skipped[0]}")


def warn_of_unknown_features(model: Model) -> None:
    """Say how many features the model has no weight for, and if the indices seem to be shifted."""
    if model.features.seen_zero:
        warn(
            "these data have an index 0 and the training data had none; "
            "are both 0-based or both 1-based?"
        )
    if unknown := model.features.left_out:
        warn(f"ignored {plural(unknown, 'feature value')} unknown to the model")


def kernel_of(
    name: FileKernel | None, degree: int | None, gamma: float | None, coef0: float | None
) -> Kernel | None:
    """The kernel that the options name; an option that it does not have is rejected."""
    takes = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",)}.get(name or "", ())
    given: dict[str, Any] = {"degree": degree, "gamma": gamma, "coef0": coef0}
    for option, value in given.items():
        if value is not None and option not in takes:
            fail(f"--{option} needs --kernel {'poly' if option != 'gamma' else 'poly or rbf'}")
    if name is None:
        return None
    with rejecting_settings():
        return Kernel(name, **{option: v for option, v in given.items() if v is not None})
