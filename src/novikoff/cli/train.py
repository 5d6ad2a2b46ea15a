"""`novikoff train`: from files to a model, in one pass or many."""

import hashlib
import json
import secrets
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

from novikoff.cli.arguments import Option
from novikoff.cli.errors import fail, refusing_settings, show, warn
from novikoff.cli.options import (
    CategoricalOption,
    DataFiles,
    FormatOption,
    IgnoreOption,
    JsonOption,
    LabelOption,
    MissingOption,
    SkipBadOption,
    ThreadsOption,
    check_output,
    labels_in_words,
    named_classes,
    warn_of_skipped_lines,
)
from novikoff.cli.progress import Progress
from novikoff.guarantees.words import run_ended
from novikoff.learners.rule import WINNOWS, Kind
from novikoff.models.measures import ClassConfusion, Confusion
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.runs.loop import Run
from novikoff.sources import LabelsAsClasses, LabelsAsSigns, Numbered, Reading, open_files
from novikoff.sources.cache import Cached
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.inputs import Input, inputs_of
from novikoff.sources.interactions import ALL
from novikoff.sources.open import label_is_last_column
from novikoff.storage.file_format import is_stored
from novikoff.stream.labels import MOST_CLASSES
from novikoff.stream.printing import count, percent, plural, share, size

UNLIMITED_PASSES = 10**9
MANY_NAMES = 1 << 22


def train(
    data: DataFiles,
    output: Annotated[
        Path, Option("-o", "--output", metavar="MODEL", help="Write the model to this file.")
    ],
    learner: Annotated[
        Kind | None, Option(help="Learning algorithm.", show_default="perceptron")
    ] = None,
    passes: Annotated[
        int | None, Option(min=1, help="Maximum number of passes.", show_default="1")
    ] = None,
    until_separated: Annotated[
        bool,
        Option(help="Repeat until a pass is error-free or the data are proved inseparable."),
    ] = False,
    margin: Annotated[
        float | None,
        Option(help="Learner margin: also update when the margin is at most X.", show_default="1"),
    ] = None,
    alpha: Annotated[
        float | None,
        Option(help="Winnows: factor of an update.", show_default="winnow 1.1, others 2"),
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            help="Winnows: decision threshold.",
            show_default="winnow 0, others from --hash-bits",
        ),
    ] = None,
    bias: Annotated[
        bool | None,
        Option(help="Learn a constant term, or none.", show_default="--bias"),
    ] = None,
    shuffle: Annotated[
        bool, Option(help="Shuffle the examples within each block of two megabytes.")
    ] = False,
    seed: Annotated[int, Option(min=0, help="Random seed.")] = 0,
    holdout: Annotated[
        int | None, Option(min=2, help="Hold out every N-th example, and test the model on them.")
    ] = None,
    initial: Annotated[
        Path | None, Option(metavar="MODEL", help="Train this model further, on new data.")
    ] = None,
    checkpoint: Annotated[
        float | None,
        Option(metavar="SECONDS", min=0, help="Save the unfinished model this often."),
    ] = None,
    resume: Annotated[
        bool, Option(help="Continue the interrupted run in -o MODEL, if there is one.")
    ] = False,
    cache: Annotated[
        Path | None,
        Option(metavar="FILE", help="Cache the parsed data in FILE, for faster passes."),
    ] = None,
    ledger: Annotated[bool, Option(help="Store the mistaken examples in the model.")] = False,
    hash_bits: Annotated[
        int | None,
        Option(metavar="BITS", min=3, max=31, help="Hash the features to 2^BITS weights."),
    ] = None,
    names: Annotated[
        bool,
        Option(help="With --hash-bits: store the name of each weight.", show_default="--names"),
    ] = True,
    interactions: Annotated[
        list[str] | None,
        Option(
            metavar="A*B",
            help="Add the products of two fields' features; all: of any two. Repeatable.",
        ),
    ] = None,
    unit_length: Annotated[bool, Option(help="Scale each example to length 1.")] = False,
    standardise: Annotated[
        bool,
        Option(help="Divide each feature by its standard deviation, measured in an extra pass."),
    ] = False,
    multiclass: Annotated[
        bool, Option(help="Learn any number of classes, each with its own weights.")
    ] = False,
    max_classes: Annotated[
        int | None,
        Option(
            min=1,
            help="With --multiclass: refuse more classes than this.",
            show_default=str(MOST_CLASSES),
        ),
    ] = None,
    classes: Annotated[
        str | None,
        Option(
            metavar="NEG,POS",
            help="The two labels; with --multiclass all labels, separated by commas.",
            show_default="from the data",
        ),
    ] = None,
    label: LabelOption = None,
    format: FormatOption = None,
    missing: MissingOption = "refuse",
    ignore: IgnoreOption = None,
    categorical: CategoricalOption = None,
    skip_bad: SkipBadOption = 0,
    threads: ThreadsOption = 2,
    as_json: JsonOption = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print no progress.")] = False,
) -> None:
    """Train a classifier on files of any size, one example at a time.

    Whenever the number of examples has doubled, a row shows the mistakes so far, the error rate
    since the last row and overall, the reading speed, and the time left.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    inputs = inputs_of(data)
    check_output(output, "model", data, inputs=inputs)
    if cache is not None:
        models = [Input(str(path)) for path in (output, initial) if path is not None]
        check_output(cache, "cache", data, inputs=[*inputs, *models])
    start = starting_model(output, initial, resume=resume)
    plan = make_plan(
        start,
        kind=learner,
        passes=passes or (UNLIMITED_PASSES if until_separated else 1),
        margin=margin,
        alpha=alpha,
        threshold=threshold,
        bias=bias,
        hash_bits=hash_bits,
        shuffle=shuffle,
        seed=seed,
        holdout=holdout,
        keep="examples" if ledger else "counts",
        multiclass=multiclass,
    )
    labels = Labels.given(classes, max_classes, multiclass=plan.multiclass)
    transforms = {
        "hash_bits": hash_bits,
        "keep_names": names,
        "products": field_pairs(interactions or []),
        "standardise": standardise,
        "to_unit_length": unit_length,
    }
    if start is not None:
        refuse_changes(start, transforms, plan, labels)
    if any(one.is_pipe for one in inputs):
        refuse_second_reading(plan, start, has_cache=cache is not None, standardise=standardise)
    how = Reading(
        format,
        label,
        missing=missing,
        ignore=tuple(ignore or ()),
        categorical=tuple(categorical or ()),
        skip_bad=skip_bad,
        threads=threads,
    )
    examples = TrainingData(inputs, how, transforms, labels, start, initial, cache)
    progress = Progress(examples, None if until_separated else plan.passes, quiet=quiet)
    watch = Watch(examples, progress, output, checkpoint)
    training = Training(
        examples.blocks,
        plan,
        initial=start,
        data=examples.fingerprint,
        after_block=watch.after_block,
    )
    progress.start(training)
    with watch:
        run = training.run()
    training.model.reading = examples.reading
    training.model.save(output)
    result = Result(training, run, examples.source, output, watch, training.test_held_out())
    warn_of_skipped_lines(examples.source)
    if not examples.came_from_cache:
        for left, right in sorted(training.model.features.idle_products):
            warn(f"--interactions {left}*{right}: no example has features of both fields")
    show(json.dumps(result.to_dict(), indent=1) if as_json else str(result))


def starting_model(output: Path, initial: Path | None, *, resume: bool) -> Model | None:
    """The model to train further, if any: the unfinished one in `output`, or `initial`."""
    is_there = output.exists() and (resume or output.stat().st_size > 0)
    if is_there and not resume and not is_stored(output):
        fail(f"{output}: not a novikoff model; choose another -o, or delete it")
    if is_there and not resume and output != initial and Model.load(output).unfinished is not None:
        fail(f"{output}: contains an unfinished run; use --resume, or delete it")
    if resume and is_there:
        found = Model.load(output)
        if found.unfinished is None:
            fail(f"{output}: its run is finished; to train it further, use --initial")
        return found
    if initial is None:
        return None
    found = Model.load(initial)
    if found.unfinished is not None:
        fail(f"{initial}: its run is unfinished; finish it first, with -o {initial} --resume")
    return found


def make_plan(
    start: Model | None,
    *,
    kind: Kind | None,
    margin: float | None,
    alpha: float | None,
    threshold: float | None,
    bias: bool | None,
    hash_bits: int | None,
    multiclass: bool,
    **rest: Any,
) -> Plan:
    """How to train; an initial model has its own learner."""
    if start is not None:
        if kind is not None and kind != start.kind:
            fail(f"--learner {kind} differs from the initial model, a {start.kind}")
        given = {"margin": margin, "alpha": alpha, "threshold": threshold}
        own = {name: getattr(start.learner, name, None) for name in given}
        for name, value in given.items():
            if value is not None and value != own[name]:
                has = f"no {name}" if own[name] is None else f"{name} {own[name]:g}"
                fail(f"--{name} {value:g} differs from the initial model, which has {has}")
        if bias is not None and bias != start.learner.bias:
            option, has = ("--bias", "no") if bias else ("--no-bias", "a")
            fail(f"{option} differs from the initial model, which has {has} constant term")
        if multiclass and not start.is_joint:
            fail("--multiclass differs from the initial model, which has two labels")
        multiclass = start.is_joint
        margin, alpha, threshold = own.values()
        kind, bias = start.kind, start.learner.bias
    kind = kind or "perceptron"
    if bias and kind in ("winnow1", "winnow2"):
        fail(f"--bias: {kind} has a threshold instead of a constant term")
    if margin is None:
        margin = 1.0 if kind == "margin" else 0.0
    with refusing_settings():
        plan = Plan(
            kind,
            margin=margin,
            alpha=alpha,
            threshold=threshold,
            bias=bias is not False,
            multiclass=multiclass,
            **rest,
        )
        if start is None and kind in WINNOWS:
            plan.new_learner(hash_bits)  # a bad threshold or alpha is refused before the data
    return plan


@dataclass(frozen=True)
class Labels:
    """The labels to learn: those that were named, any two, or up to `most` classes."""

    named: tuple[str, ...] | None
    is_multiclass: bool
    most: int

    @classmethod
    def given(cls, classes: str | None, most: int | None, *, multiclass: bool) -> "Labels":
        """The labels that --classes and --max-classes describe."""
        if not multiclass:
            if most is not None:
                fail("--max-classes needs --multiclass; without it there are two labels")
            return cls(named_classes(classes), False, 2)
        names = None if classes is None else tuple(classes.split(","))
        if names is not None and (not all(names) or len(set(names)) < len(names)):
            fail(f"--classes {classes!r}: write different labels, separated by commas")
        return cls(names, True, most or MOST_CLASSES)

    def numbered(
        self, start: Model | None, *, is_last_column: bool
    ) -> LabelsAsSigns | LabelsAsClasses:
        """How labels become numbers; an initial model has labels already."""
        known = self.named if start is None else start.classes
        if self.is_multiclass:
            return LabelsAsClasses(known or (), closed=self.named is not None, most=self.most)
        if known is None:
            return LabelsAsSigns(is_last_column=is_last_column)
        negative, positive = known
        return LabelsAsSigns((negative, positive))


def field_pairs(interactions: list[str]) -> tuple[tuple[str, str], ...]:
    """The two fields of each `A*B`, and `all` for any two features."""
    pairs = []
    for text in interactions:
        left, mark, right = text.partition("*")
        if text != "all" and not (mark and left and right):
            fail(f"--interactions {text!r}: write A*B with the names of two fields, or all")
        pairs.append(ALL if text == "all" else (left, right))
    return tuple(pairs)


def refuse_changes(start: Model, transforms: dict[str, Any], plan: Plan, labels: Labels) -> None:
    """An initial model keeps its features, its labels and what its ledger keeps."""
    options = {
        "hash_bits": "--hash-bits",
        "keep_names": "--no-names",
        "products": "--interactions",
        "standardise": "--standardise",
        "to_unit_length": "--unit-length",
    }
    default = Features()
    for name, option in options.items():
        if transforms[name] not in (getattr(default, name), getattr(start.features, name)):
            fail(f"{option} differs from the initial model")
    if labels.named is not None and labels.named != start.classes:
        known = start.classes if len(start.classes) <= 10 else (*start.classes[:10], "...")
        fail(f"--classes differs from the initial model, whose labels are {','.join(known)}")
    if plan.keep != "counts" and start.ledger.keep == "counts":
        fail("--ledger: the initial model was trained without it")


def refuse_second_reading(
    plan: Plan, start: Model | None, *, has_cache: bool, standardise: bool
) -> None:
    """Refuse what needs the data twice when they come from a pipe, before the first pass."""
    if standardise:
        fail("--standardise reads the data twice; save the pipe's data in a file first")
    if not has_cache and plan.passes > 1:
        fail("a pipe can be read only once; for more passes, use --cache or read a file")
    if not has_cache and plan.holdout is not None:
        fail("a pipe can be read only once; for --holdout, use --cache or read a file")
    if start is not None and start.unfinished is not None:
        fail("--resume: cannot resume from a pipe; read a file")


class TrainingData:
    """The files to learn from: as blocks of examples, and the fingerprint they are known by.

    Parameters
    ----------
    transforms
        What is done to features, as `Features` takes it; an initial model has its own.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        how: Reading,
        transforms: dict[str, Any],
        labels: Labels,
        start: Model | None,
        initial: Path | None,
        cache: Path | None,
    ) -> None:
        self.fingerprint = fingerprint(inputs, how, transforms, labels) + fingerprint_of_start(
            start, initial
        )
        with refusing_settings():
            features = Features(**transforms) if start is None else start.features
        self._how = how if start is None else how.following(start.reading)
        self.source: Source = open_files(inputs, self._how)
        is_last = label_is_last_column(inputs, self._how)
        stream = Numbered(self.source, features, labels.numbered(start, is_last_column=is_last))
        self.blocks: Numbered | Cached = stream
        self.came_from_cache = False
        if cache is not None:
            known_by = self.fingerprint
            if any(one.is_pipe for one in inputs):  # its data are unknown: no cache matches
                known_by += secrets.token_hex()
            self.blocks = Cached(stream, cache, known_by)
            self.came_from_cache = self.blocks.is_ready
        if start is None and features.standardise and not self.came_from_cache:
            features.survey((chunk, self.source.columns) for chunk in stream.chunks())

    @property
    def done(self) -> int:
        """Bytes read in the current pass, of the files or of the cache."""
        return self._being_read.done

    @property
    def total(self) -> int | None:
        """Bytes in a whole pass; None if unknown."""
        return self._being_read.total

    @property
    def _being_read(self) -> Source | Cached:
        blocks = self.blocks
        return blocks if isinstance(blocks, Cached) and blocks.is_ready else self.source

    @property
    def reading(self) -> dict[str, Any]:
        """How the data were read, as far as the model has to remember it."""
        return self._how.remembered(self.blocks.table)


def fingerprint(
    inputs: Sequence[Input], how: Reading, transforms: dict[str, Any], labels: Labels
) -> str:
    """A digest of the files and of everything that affects how they are read."""
    about = {key: value for key, value in asdict(how).items() if key != "threads"}
    settings = [about, transforms, labels.named, labels.is_multiclass]
    digest = hashlib.sha256(json.dumps(settings, default=str, sort_keys=True).encode())
    for one in inputs:
        if not one.is_pipe:
            digest.update(one.fingerprint().encode())
    return digest.hexdigest()


def fingerprint_of_start(start: Model | None, initial: Path | None) -> str:
    """A digest of the initial model; empty if there is none.

    A resumed run has stored it: its own model may have replaced the initial one.
    """
    if start is not None and start.unfinished is not None:
        return str(start.unfinished["data"])[hashlib.sha256().digest_size * 2 :]
    return "" if initial is None else hashlib.sha256(initial.read_bytes()).hexdigest()


class Watch:
    """Shows progress, saves checkpoints, and stops the run after a block on Ctrl-C or SIGTERM.

    A second Ctrl-C does not wait for the end of the block.

    Attributes
    ----------
    seconds
        How long the run took.
    """

    def __init__(
        self,
        examples: TrainingData,
        progress: Progress,
        output: Path,
        checkpoint_seconds: float | None,
    ) -> None:
        self._examples, self.progress, self._output = examples, progress, output
        self._checkpoint_seconds = checkpoint_seconds
        self._signal: signal.Signals | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self._has_advised = False
        self._started = self._saved = time.perf_counter()
        self.seconds = 0.0

    def __enter__(self) -> None:
        for which in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(which) is not signal.SIG_IGN:
                self._handlers[which] = signal.signal(which, self._stop_after_block)

    def __exit__(self, *_: object) -> None:
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self.progress.clear()
        self.seconds = time.perf_counter() - self._started

    def _stop_after_block(self, which: int, _frame: FrameType | None) -> None:
        if self._signal is not None:
            raise KeyboardInterrupt
        self._signal = signal.Signals(which)

    def after_block(self, training: Training) -> None:
        """Show progress, save if it is time, and stop if asked to."""
        self.progress.update(training)
        self._advise_hashing(training)
        every = self._checkpoint_seconds
        is_due = every is not None and time.perf_counter() - self._saved >= every
        if is_due or (self._signal is not None and every is not None):
            training.model.reading = self._examples.reading
            training.save(self._output)
            self._saved = time.perf_counter()
        if self._signal is not None:
            self._stop(training)

    def _advise_hashing(self, training: Training) -> None:
        features = training.model.features
        if self._has_advised or features.kind != "names" or features.dim < MANY_NAMES:
            return
        self._has_advised = True
        warn(
            f"{count(features.dim)} different features so far; if many more follow, "
            "--hash-bits 22 limits the memory they take"
        )

    def _stop(self, training: Training) -> None:
        assert self._signal is not None
        self.progress.clear()
        examples = plural(training.model.ledger.n_rounds, "example")
        status = 128 + self._signal
        if self._checkpoint_seconds is None:
            fail(f"interrupted after {examples}; nothing was saved (see --checkpoint)", status)
        cure = "" if self._examples.source.is_pipe else "; continue with --resume"
        fail(f"interrupted after {examples}; saved in {self._output}{cure}", status)


class Result:
    """What training did, for a person (`str`) or a program (`to_dict`)."""

    def __init__(
        self,
        training: Training,
        run: Run,
        source: Source,
        output: Path,
        watch: Watch,
        tested: Confusion | ClassConfusion | None,
    ) -> None:
        self._training, self._run, self._source = training, run, source
        self._output, self._watch, self._tested = output, watch, tested

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        model, ledger, tested = self._training.model, self._run.ledger, self._tested
        return {
            "model": str(self._output),
            "kind": model.kind,
            "data": self._source.description,
            "examples": model.examples,
            "features": model.features.count,
            "classes": list(model.classes),
            "multiclass": model.is_joint,
            "passes": self._training.passes_made,
            "rounds": ledger.n_rounds,
            "mistakes": ledger.n_mistakes,
            "mistakes_per_pass": ledger.mistakes_per_pass,
            "largest_norm_mistaken": ledger.radius,
            "verdict": str(self._run.verdict),
            "held_out": None
            if tested is None
            else {"examples": tested.examples, "mistakes": tested.mistakes},
            "skipped_lines": len(self._source.skipped),
            "seconds": self._watch.seconds,
        }

    def __str__(self) -> str:
        model, ledger, tested = self._training.model, self._run.ledger, self._tested
        constant = " and a constant" if model.learner.bias else ""
        lines = [
            f"Data      {self._source.description}; {labels_in_words(model)}",
            f"Examples  {count(model.examples)} with "
            f"{plural(model.features.count, 'feature')}{constant}",
            f"Passes    {count(self._training.passes_made)} in {self._time()}",
            f"Mistakes  {count(ledger.n_mistakes)} in {plural(ledger.n_rounds, 'round')}, "
            f"{percent(ledger.n_mistakes, ledger.n_rounds, 2)}{self._in_last_pass()}",
            f"Verdict   {self._run.verdict}: {self._verdict()}",
        ]
        if tested is not None:
            right = f"{share(tested.accuracy)} of {plural(tested.examples, 'example')} right"
            lines.append(f"Held out  {right if tested.examples else 'no examples'}")
        bytes_written = self._output.stat().st_size
        lines.append(f"Model     {self._output} ({model.kind}, {size(bytes_written)})")
        return "\n".join(lines)

    def _time(self) -> str:
        seconds = self._watch.seconds
        speed = self._watch.progress.bytes_read / 1e6 / seconds if seconds else 0.0
        return f"{seconds:.2f} s" + (f", {speed:,.0f} MB/s" if speed >= 1 else "")

    def _in_last_pass(self) -> str:
        made = self._run.ledger.epoch_mistakes
        return f"; {count(made[-1])} in the last pass" if len(made) > 1 else ""

    def _verdict(self) -> str:
        model, plan, verdict = self._training.model, self._training.plan, self._run.verdict
        if len(model.classes) == 1:
            return "there is only one label, so there is nothing to learn"
        ended = run_ended(
            verdict, rule=self._run.ledger.rule, margin=plan.margin, passes=plan.passes
        )
        if verdict != "budget":
            return str(ended)
        if plan.passes == 1:
            return f"{ended.meaning}; try --passes 10"
        certify = "" if model.is_joint else ", or novikoff certify"
        return f"{ended.meaning}; try more --passes{certify}"
