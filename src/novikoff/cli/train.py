"""What `novikoff train` is to do: which model it goes on from, how it learns, what it refuses.

What training needs besides a learner: files as blocks, a watch on the clock and Ctrl-C.

The last screen of `novikoff train`: what happened, in plain words or for a program.

`novikoff train`: from files to a model, in one pass or many.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

from novikoff.cli.main import Option
from novikoff.cli.options import (
    Categorical,
    DataFiles,
    Format,
    Ignore,
    Label,
    Missing,
    MissingRule,
    SkipBad,
    Threads,
    fail,
    labels_named,
    one_line_errors,
    reading,
    refuse_what_cannot_be_written,
    said_of_labels,
    say_idle_products,
    say_skipped,
)
from novikoff.cli.progress import Progress

if TYPE_CHECKING:
    from novikoff.learners.rule import Kind
    from novikoff.models.measures import ClassConfusion, Confusion
    from novikoff.models.model import Model
    from novikoff.models.training import Plan, Training
    from novikoff.runs.loop import Run
    from novikoff.sources import LabelsAsClasses, LabelsAsSigns, Numbered, Reading
    from novikoff.sources.cache import Cached
    from novikoff.sources.chunks import Source


def starting_model(output: Path, initial: Path | None, *, resume: bool) -> Model | None:
    """The model to go on from, if any: an unfinished one where the new one will be comes first."""
    from novikoff.models.model import Model
    from novikoff.storage.file_format import is_stored

    there = output.exists() and (resume or output.stat().st_size > 0)
    if there and not resume and not is_stored(output):
        fail(f"{output}: this is no model; name another file for it, or remove this one")
    if there and not resume and output != initial and Model.load(output).unfinished is not None:
        fail(f"{output}: a run is unfinished there; go on with it (--resume), or remove it")
    if resume and there:
        found = Model.load(output)
        if found.unfinished is None:
            fail(f"{output}: its run is finished, there is nothing to resume; to go on, --initial")
        return found
    if initial is None:
        return None
    found = Model.load(initial)
    if found.unfinished is not None:
        fail(f"{initial}: its run is unfinished; finish it first, with -o {initial} --resume")
    return found


def planned(
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
    """How to train; a model that is gone on from says what kind it is."""
    from novikoff.models.training import Plan

    if start is not None:
        if kind is not None and kind != start.kind:
            fail(f"the model to go on from is of kind {start.kind}, not {kind}")
        asked = {"margin": margin, "alpha": alpha, "threshold": threshold}
        began = {name: getattr(start.learner, name, None) for name in asked}
        for name, value in asked.items():
            if value is not None and value != began[name]:
                has = f"no {name}" if began[name] is None else f"{name} {began[name]:g}"
                fail(f"the model to go on from has {has}, not {value:g}")
        if bias is not None and bias != start.learner.bias:
            fail(f"the model to go on from has {'a' if start.learner.bias else 'no'} constant")
        if multiclass and not start.is_joint:
            fail("the model to go on from knows two labels: --multiclass begins with a new one")
        multiclass = start.is_joint
        margin, alpha, threshold = began.values()
        kind, bias = start.kind, start.learner.bias
    kind = kind or "perceptron"
    if bias and kind in ("winnow1", "winnow2"):
        fail(f"--bias: {kind} has a threshold and no constant")
    if margin is None:
        margin = 1.0 if kind == "margin" else 0.0
    try:
        plan = Plan(
            kind,
            margin=margin,
            alpha=alpha,
            threshold=threshold,
            bias=bias is not False,
            multiclass=multiclass,
            **rest,
        )
        plan.new_learner(hash_bits)
    except ValueError as error:
        fail(str(error))
    return plan


def refuse_changes(
    start: Model, changes: dict[str, Any], plan: Plan, classes: tuple[str, ...] | None
) -> None:
    """A model that is gone on from keeps its features, its labels and what its ledger keeps."""
    from novikoff.sources.features import Features

    for name, option in _CHANGES.items():
        if changes[name] not in (getattr(Features(), name), getattr(start.features, name)):
            fail(f"the model to go on from was begun otherwise: {option} cannot be changed")
    if classes is not None and classes != start.classes:
        known = start.classes if len(start.classes) <= 10 else (*start.classes[:10], "...")
        fail(f"the labels of the model to go on from are {','.join(known)}: see --classes")
    if plan.keep != "counts" and start.ledger.keep == "counts":
        fail("the model to go on from was begun without --ledger")


_CHANGES = {
    "hash_bits": "--hash-bits",
    "keep_names": "--no-names",
    "products": "--interactions",
    "standardise": "--standardise",
    "to_unit_length": "--unit-length",
}


def refuse_to_read_again(plan: Plan, cache: Path | None, *, standardise: bool) -> None:
    """What needs data twice cannot have them from a pipe; to be said before the first pass."""
    if standardise:
        fail("--standardise reads the data twice, and a pipe can be read only once; save it first")
    if cache is None and plan.passes > 1:
        fail("more passes than one need --cache, or a file: a pipe can be read only once")
    if cache is None and plan.holdout is not None:
        fail("--holdout needs --cache, or a file: a pipe can be read only once")


def pairs(interactions: list[str]) -> tuple[tuple[str, str], ...]:
    """`A*B` as two fields, and `all` as any two features."""
    from novikoff.sources.interactions import ALL

    out = []
    for text in interactions:
        left, mark, right = text.partition("*")
        if text != "all" and not (mark and left and right):
            fail(f"--interactions {text!r} is not A*B, the names of two fields, nor all")
        out.append(ALL if text == "all" else (left, right))
    return tuple(out)


MANY_NAMES = 1 << 22


@dataclass(frozen=True)
class Labels:
    """Which labels there are to be: those that were named, or two, or at most so many."""

    named: tuple[str, ...] | None
    multiclass: bool = False
    most: int = 1000

    def labelling(self, start: Model | None) -> LabelsAsSigns | LabelsAsClasses:
        """What makes signs or classes of them; a model that is gone on from has its own."""
        from novikoff.sources import LabelsAsClasses, LabelsAsSigns

        known = self.named if start is None else start.classes
        if self.multiclass:
            return LabelsAsClasses(known or (), closed=self.named is not None, most=self.most)
        if known is None:
            return LabelsAsSigns()
        negative, positive = known
        return LabelsAsSigns((negative, positive))

    @property
    def told(self) -> list[Any]:
        """What bears on how labels become numbers, for a fingerprint."""
        return [self.named, "multiclass"] if self.multiclass else [self.named]


class Job:
    """Files to be learned from: as a source, as blocks, and what they are known by.

    Parameters
    ----------
    changes
        What is done to features on their way, as `Features` takes it; a model that is gone on from
        has its own.
    """

    def __init__(
        self,
        data: Sequence[str],
        how: Reading,
        changes: dict[str, Any],
        start: Model | None,
        initial: Path | None,
        labels: Labels,
        cache: Path | None,
    ) -> None:
        from novikoff.sources import Numbered, open_files
        from novikoff.sources.features import Features

        self.fingerprint = fingerprint(data, how, changes, labels) + begun_from(start, initial)
        try:
            labelling = labels.labelling(start)
            features = Features(**changes) if start is None else start.features
            if start is not None:
                how = how.following(start.reading)
            self.source: Source = open_files(data, how)
        except ValueError as error:
            fail(str(error))
        self._how = how
        stream = Numbered(self.source, features, labelling)
        self.blocks: Numbered | Cached = stream
        self._cached: Cached | None = None
        self.used_cache = False
        if cache is not None:
            from novikoff.sources.cache import Cached

            known_by = self.fingerprint
            if has_pipe(data):  # what will come through it is not known: no cache is of that
                known_by += secrets.token_hex()
            self.blocks = self._cached = cached = Cached(stream, cache, known_by)
            self.used_cache = cached.is_ready
            if self.used_cache:
                return
        if start is None and features.standardise:
            features.survey((chunk, self.source.columns) for chunk in stream.chunks())

    @property
    def done(self) -> int:
        """How many bytes of the present pass have been read, of the files or of the cache."""
        return self._read.done

    @property
    def total(self) -> int | None:
        """How many bytes a pass reads, if that is known."""
        return self._read.total

    @property
    def _read(self) -> Source | Cached:
        return self._cached if self._cached is not None and self._cached.is_ready else self.source

    @property
    def reading(self) -> dict[str, Any]:
        """What a model has to remember of how its data were read."""
        return self._how.remembered(self.blocks.table)


def fingerprint(
    data: Sequence[str],
    how: Reading,
    changes: dict[str, Any],
    labels: Labels,
) -> str:
    """The same while the files and everything that bears on how they are read is."""
    from novikoff.sources.inputs import inputs_of

    about = {key: value for key, value in asdict(how).items() if key != "threads"}
    told = json.dumps([about, changes, *labels.told], default=str, sort_keys=True)
    out = hashlib.sha256(told.encode())
    for one in inputs_of(data):
        if not one.is_pipe:
            out.update(one.fingerprint().encode())
    return out.hexdigest()


def begun_from(start: Model | None, initial: Path | None) -> str:
    """What a run was begun from, for its fingerprint; nothing if it was begun from nothing.

    A run that is resumed says so itself: its model may have taken the place of that it began from.
    """
    if start is not None and start.unfinished is not None:
        return str(start.unfinished["data"])[hashlib.sha256().digest_size * 2 :]
    return "" if initial is None else hashlib.sha256(initial.read_bytes()).hexdigest()


def has_pipe(data: Sequence[str]) -> bool:
    """Whether some of it can be read only once."""
    from novikoff.sources.inputs import inputs_of

    return any(one.is_pipe for one in inputs_of(data))


class Watch:
    """Shows progress and writes checkpoints while a run goes on, and stops it at Ctrl-C.

    It is stopped after a block, so that what is written then can be gone on with; a second Ctrl-C
    does not wait for that. A request to end (SIGTERM) is treated as Ctrl-C.
    """

    def __init__(self, job: Job, progress: Progress, output: Path, every: float | None) -> None:
        self._job, self._progress, self._output, self._every = job, progress, output, every
        self._asked: signal.Signals | None = None
        self._advised = False
        self._began = self._saved = time.perf_counter()
        self._handlers: dict[signal.Signals, Any] = {}
        self.seconds, self.read = 0.0, 0

    def __enter__(self) -> None:
        for which in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(which) is not signal.SIG_IGN:
                self._handlers[which] = signal.signal(which, self._ask)

    def __exit__(self, *_: object) -> None:
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self._progress.close()
        self.seconds, self.read = time.perf_counter() - self._began, self._progress.read

    def _ask(self, which: int, _frame: FrameType | None) -> None:
        if self._asked is not None:
            raise KeyboardInterrupt
        self._asked = signal.Signals(which)

    def begin(self, training: Training) -> None:
        """Before the first block."""
        self._progress.begin(training)

    def _advise(self, training: Training) -> None:
        """Say once that the dictionary of names has become large."""
        features = training.model.features
        if self._advised or features.kind != "names" or features.dim < MANY_NAMES:
            return
        self._advised = True
        print(
            f"novikoff: {features.dim:,} different features so far; if there are many more to "
            "come, --hash-bits 22 would bound the memory they take",
            file=sys.stderr,
        )

    def block(self, training: Training) -> None:
        """After each block: show how far it is, write a checkpoint if it is time, stop if asked."""
        self._progress.block(training)
        self._advise(training)
        now = time.perf_counter()
        due = self._every is not None and now - self._saved >= self._every
        if due or (self._asked is not None and self._every is not None):
            training.model.reading = self._job.reading
            training.save(self._output)
            self._saved = time.perf_counter()
        if self._asked is None:
            return
        self._progress.close()
        examples = f"{training.model.ledger.n_rounds:,} examples"
        status = 128 + self._asked
        if self._every is None:
            fail(f"interrupted after {examples}; nothing was written (see --checkpoint)", status)
        cure = "" if self._job.source.is_pipe else "; go on with --resume"
        fail(f"interrupted after {examples}, which are in {self._output}{cure}", status)


VERDICTS = {
    "separated": "the last pass made no mistake, so these weights separate the examples",
    "cycle": "the weights came back to where they were: no weights separate the examples",
    "budget": "mistakes were still made in the last pass; whether the examples are separable is "
    "not known (novikoff certify decides it)",
}
JOINT_VERDICTS = {
    "separated": "the last pass made no mistake, so these weights tell all classes apart",
    "budget": "mistakes were still made in the last pass; whether any weights tell the classes "
    "apart is not known",
}


class Report:
    """What a run did, and what became of it."""

    def __init__(
        self,
        training: Training,
        run: Run,
        job: Job,
        output: Path,
        seconds: float,
        read: int,
        tested: Confusion | ClassConfusion | None,
    ) -> None:
        self._training, self._run, self._source = training, run, job.source
        self._output, self._tested = output, tested
        self._seconds, self._read = seconds, read

    def to_dict(self) -> dict[str, Any]:
        """For a program."""
        model, ledger = self._training.model, self._run.ledger
        tested = self._tested
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
            "seconds": self._seconds,
        }

    def __str__(self) -> str:
        model, ledger, passes = self._training.model, self._run.ledger, self._training.passes_made
        constant = " and a constant" if model.learner.bias else ""
        rate = f"{ledger.n_mistakes / ledger.n_rounds:.2%}" if ledger.n_rounds else "none"
        speed = self._read / 1e6 / self._seconds if self._seconds else 0.0
        said = f", {speed:,.0f} MB/s" if speed >= 1 else ""
        lines = [
            f"Data      {self._source.description}; {said_of_labels(model, 10)}",
            f"Examples  {model.examples:,} with {model.features.count:,} "
            f"feature{'s' * (model.features.count != 1)}{constant}",
            f"Passes    {passes:,} in {self._seconds:.2f} s{said}",
            f"Mistakes  {ledger.n_mistakes:,} in {ledger.n_rounds:,} rounds, {rate}"
            + self._last_pass(),
            f"Verdict   {self._run.verdict}: {self._verdict()}",
        ]
        if self._tested is not None:
            held = f"{self._tested.accuracy:.2%} of {self._tested.examples:,} examples right"
            lines.append(f"Held out  {held if self._tested.examples else 'no example'}")
        size = self._output.stat().st_size
        lines.append(f"Model     {self._output} ({model.kind}, {size / 1e3:,.0f} KB)")
        return "\n".join(lines)

    def _last_pass(self) -> str:
        made = self._run.ledger.epoch_mistakes
        return f"; {made[-1]:,} in the last pass" if len(made) > 1 else ""

    def _verdict(self) -> str:
        if self._run.verdict == "budget" and self._training.plan.passes == 1:
            return "one pass over a stream says nothing about whether it is separable"
        model = self._training.model
        if len(model.classes) == 1:
            return "there is one label only, and nothing to learn"
        return (JOINT_VERDICTS if model.is_joint else VERDICTS)[str(self._run.verdict)]


WITHOUT_END = 10**9


class Learner(StrEnum):
    """The rules, and the readings of a run, that a model can predict with."""

    PERCEPTRON = "perceptron"
    MARGIN = "margin"
    AVERAGED = "averaged"
    VOTED = "voted"
    WINNOW = "winnow"
    WINNOW1 = "winnow1"
    WINNOW2 = "winnow2"


def train(
    data: DataFiles,
    output: Annotated[
        Path, Option("-o", "--output", metavar="MODEL", help="Write the model to this file.")
    ],
    learner: Annotated[
        Learner | None, Option(help="What predicts.", show_default="perceptron")
    ] = None,
    passes: Annotated[
        int | None,
        Option(min=1, help="How many passes at most.", show_default="1"),
    ] = None,
    until_separated: Annotated[
        bool,
        Option(
            "--until-separated", help="Pass until one makes no mistake, or that is proved hopeless."
        ),
    ] = False,
    margin: Annotated[
        float | None,
        Option(help="Learner margin: learn also when right by no more.", show_default="1"),
    ] = None,
    alpha: Annotated[
        float | None,
        Option(help="Winnows: multiply weights by this.", show_default="winnow 1.1, others 2"),
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            help="Winnows: what w·x must exceed.",
            show_default="winnow 0, others by --hash-bits",
        ),
    ] = None,
    bias: Annotated[
        bool | None,
        Option(
            help="Whether a constant feature 1 is folded in.",
            show_default="bias",
        ),
    ] = None,
    shuffle: Annotated[
        bool, Option("--shuffle", help="Mix the examples within each two megabytes read.")
    ] = False,
    seed: Annotated[int, Option(min=0, help="Draws the order of --shuffle.")] = 0,
    holdout: Annotated[
        int | None,
        Option(metavar="N", min=2, help="Keep every Nth example for testing the model."),
    ] = None,
    initial: Annotated[
        Path | None, Option(metavar="MODEL", help="Go on from this model, with new data.")
    ] = None,
    checkpoint: Annotated[
        float | None,
        Option(metavar="SECONDS", min=0, help="Write the unfinished model every so often."),
    ] = None,
    resume: Annotated[
        bool,
        Option("--resume", help="If the model is there, unfinished, go on where its run stopped."),
    ] = False,
    cache: Annotated[
        Path | None,
        Option(metavar="FILE", help="Keep what is read here; later passes are faster."),
    ] = None,
    ledger: Annotated[
        bool, Option("--ledger", help="Keep the mistakes themselves in the model.")
    ] = False,
    hash_bits: Annotated[
        int | None,
        Option(metavar="BITS", min=3, max=31, help="Hash names to 2^BITS weights."),
    ] = None,
    names: Annotated[bool, Option(help="With --hash-bits: keep a name for each weight.")] = True,
    interactions: Annotated[
        list[str] | None,
        Option(
            metavar="A*B", help="Multiply the features of two fields; 'all': any two. Repeatable."
        ),
    ] = None,
    unit_length: Annotated[
        bool, Option("--unit-length", help="Scale each example to length 1.")
    ] = False,
    standardise: Annotated[
        bool,
        Option(
            "--standardise", help="Divide each feature by its spread, measured in a first pass."
        ),
    ] = False,
    multiclass: Annotated[
        bool,
        Option("--multiclass", help="Learn any number of labels at once, a weight vector each."),
    ] = False,
    max_classes: Annotated[
        int | None,
        Option(min=1, help="With --multiclass: how many labels there may be.", show_default="1000"),
    ] = None,
    classes: Annotated[
        str | None,
        Option(
            metavar="NEG,POS",
            help="The two labels; with --multiclass any number, with commas.",
            show_default="as they are met",
        ),
    ] = None,
    label: Label = None,
    format: Format = None,
    missing: Missing = MissingRule.REFUSE,
    ignore: Ignore = None,
    categorical: Categorical = None,
    skip_bad: SkipBad = 0,
    threads: Threads = 2,
    as_json: Annotated[bool, Option("--json", help="Print what happened as JSON.")] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="No rows of progress.")] = False,
) -> None:
    """Learn a classifier from files of any size, example by example.

    A row is printed whenever the number of examples has doubled: how many mistakes were made, what
    share of the examples that is since the last row and overall, the speed, and the time left.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    with one_line_errors(data[0]):
        from novikoff.models.training import Training

        refuse_what_cannot_be_written(output, data, "model")
        if cache is not None:
            models = [str(path) for path in (output, initial) if path is not None]
            refuse_what_cannot_be_written(cache, [*data, *models], "cache")
        start = starting_model(output, initial, resume=resume)
        plan = planned(
            start,
            kind=None if learner is None else learner.value,
            passes=passes or (WITHOUT_END if until_separated else 1),
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
        if max_classes is not None and not plan.multiclass:
            fail("--max-classes is for --multiclass: without it there are two labels")
        named = labels_named(classes, multiclass=plan.multiclass)
        how = reading(format, label, missing, ignore, categorical, skip_bad, threads)
        changes = {
            "hash_bits": hash_bits,
            "keep_names": names,
            "products": pairs(interactions or []),
            "standardise": standardise,
            "to_unit_length": unit_length,
        }
        if start is not None:
            refuse_changes(start, changes, plan, named)
        if has_pipe(data):
            refuse_to_read_again(plan, cache, standardise=standardise)
            if start is not None and start.unfinished is not None:
                fail("--resume: a pipe cannot be known to bring the same data; read a file")
        labels = Labels(named, plan.multiclass, max_classes or 1000)
        job = Job(data, how, changes, start, initial, labels, cache)
        watch = Watch(
            job,
            Progress(job, None if until_separated else plan.passes, quiet=quiet),
            output,
            checkpoint,
        )
        training = Training(
            job.blocks, plan, initial=start, data=job.fingerprint, after_block=watch.block
        )
        watch.begin(training)
        with watch:
            run = training.run()
        training.model.reading = job.reading
        training.model.save(output)
        tested = training.test_held_out()
    say_skipped(job.source)
    if not job.used_cache:
        say_idle_products(training.model)
    report = Report(training, run, job, output, watch.seconds, watch.read, tested)
    with one_line_errors("standard output"):
        print(json.dumps(report.to_dict(), indent=1) if as_json else report, flush=True)
