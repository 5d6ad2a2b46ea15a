"""`novikoff train`: from files to a model, in one pass or many."""

import hashlib
import json
import math
import os
import shlex
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from novikoff.cli import options
from novikoff.cli.errors import fail, fail_on_cluster, rejecting_settings, show, warn
from novikoff.cli.progress import Progress, RoundProgress, spinner
from novikoff.guarantees.words import run_ended
from novikoff.learners.adaptive import MOST_FEATURES
from novikoff.learners.rule import ADAPTIVE, FULL_NAMES, READINGS, Kind, Rule
from novikoff.ledger.kernels import FileKernel
from novikoff.ledger.ledger import Keep, Matrix
from novikoff.models.model import Model
from novikoff.models.training import (
    PASSES_OVER_MANY,
    USUAL_PASSES_IN_WORDS,
    Plan,
    Training,
    Way,
    usual_passes,
)
from novikoff.runs.loop import Run
from novikoff.runs.pool import Revisit
from novikoff.sources import LabelsAsClasses, LabelsAsSigns, Numbered, ReadOptions, open_files
from novikoff.sources.cache import Cached
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.inputs import Input, inputs_of, parts_in_place
from novikoff.sources.interactions import field_pairs
from novikoff.sources.numbered import label_counts
from novikoff.sources.open import signs_of_labels
from novikoff.sources.shards import SHARD_BYTES, Shards, shards_of_files
from novikoff.sources.whole import MOST_BYTES, Whole
from novikoff.storage.file_format import is_stored
from novikoff.stream.labels import MOST_CLASSES, written
from novikoff.stream.number_text import number
from novikoff.stream.printing import count, cut, listed, percent, plain, plural, share, size

if TYPE_CHECKING:
    from novikoff.models.measures import Evaluation

UNLIMITED_PASSES = 10**9
BALANCED = "balanced"
MANY_NAMES = 1 << 22


OPTIONS = f"""
-o, --output MODEL      Write the model to this file.
--learner               Learning algorithm. [adaptive; with --until-separated, --revisit or
                        --budget perceptron; otherwise with --kernel averaged]
--stream                Learn in one pass, in the given order and in bounded memory; or read all
                        data into memory, shuffle them and make several passes. [--no-stream for
                        files of up to {size(MOST_BYTES)}]
--passes 1<=N           Maximum number of passes. [{USUAL_PASSES_IN_WORDS}; 1 for a stream,
                        {PASSES_OVER_MANY} on a cluster]
--until-separated       Repeat until a pass makes no update or the data are proved inseparable.
--revisit               After each pass, go over the examples mistaken so far, kept in memory, until
                        they are right. Saves most of the passes over all data.
--margin                With --learner margin: also update when the margin is at most X. [1]
--regularisation        Adaptive learners: larger values make smaller steps. [1]
--matrix                Adaptive learners: one variance per weight, or the full covariance matrix
                        (at most {MOST_FEATURES:,} features). [diagonal]
--kernel                Perceptrons: learn in the space of this kernel, for data that no plane
                        separates.
--budget 1<=N           With --kernel: keep at most N mistakes, drawn at random.
--alpha                 Winnow learners: factor by which an update multiplies weights. [winnow 1.1,
                        winnow1 and winnow2 2]
--threshold             Winnow learners: decision threshold. With --hash-bits, winnow1 defaults to
                        half the number of weights and winnow2 to all of it; without, these two need
                        --threshold. [winnow 0]
--bias                  Learn a constant term, or none. [--bias, --no-bias with a kernel]
--shuffle               Shuffle the examples; those of a stream within each block of two megabytes.
                        [--shuffle, --no-shuffle in a stream]
--holdout 2<=N          Hold out every N-th example, and test the model on them.
--initial MODEL         Train this model further, on new data.
--checkpoint 0<=SECONDS  Save the unfinished model every SECONDS seconds.
--resume                Continue the interrupted run in -o MODEL, if there is one.
--cache                 Cache the parsed data in FILE, to speed up later passes and runs; with
                        --cluster, in a folder of this name on the disk of each worker.
--ledger                Store the mistaken examples in the model.
--hash-bits 3<=BITS<=31  Hash the features to 2^BITS weights.
--names                 With --hash-bits: store the name of each weight. [--names]
--interactions A*B      Add the product of each feature of field A with each of field B; 'all' for
                        every pair of features. Repeatable.
--unit-length           Scale each example to length 1. [adaptive learners, read whole:
                        --unit-length if the examples look like texts]
--standardise           Bring the features to one scale, measured first; in a stream, in an extra
                        pass. [adaptive learners, read whole: whichever predicts better]
--multiclass            Learn any number of classes, each with its own weights.
--max-classes 1<=N      With --multiclass: reject more classes than this. [{MOST_CLASSES}]
--class-weight LABEL=FACTOR
                        Multiply the weight of each example with this label by FACTOR; repeatable.
                        balanced: factors that make all labels count the same, found in an extra
                        pass.
-q, --quiet             Print no progress.
"""


def train(
    data: list[str],
    output: Path,
    learner: Kind | None = None,
    stream: bool | None = None,
    passes: int | None = None,
    until_separated: bool = False,
    revisit: Revisit | None = None,
    margin: float | None = None,
    regularisation: float | None = None,
    matrix: Matrix | None = None,
    kernel: FileKernel | None = None,
    degree: int | None = None,
    gamma: float | None = None,
    coef0: float | None = None,
    budget: int | None = None,
    alpha: float | None = None,
    threshold: float | None = None,
    bias: bool | None = None,
    shuffle: bool | None = None,
    seed: int = 0,
    holdout: int | None = None,
    initial: Path | None = None,
    checkpoint: float | None = None,
    resume: bool = False,
    cache: Path | None = None,
    ledger: bool = False,
    hash_bits: int | None = None,
    names: bool = True,
    interactions: list[str] | None = None,
    unit_length: bool | None = None,
    standardise: bool | None = None,
    multiclass: bool = False,
    max_classes: int | None = None,
    class_weight: list[str] | None = None,
    cluster: str | None = None,
    shards: int | None = None,
    as_json: bool = False,
    quiet: bool = False,
    *,
    reading: options.DataReading,
) -> None:
    """Train a classifier on files of any size, one example at a time.

    Whenever the number of examples has doubled, a row shows the mistakes so far, the error rate
    since the last row and overall, the reading speed, and the time left.

    With --cluster, the data are read where they are, in shards, by the workers of a Dask cluster.
    With --until-separated or --revisit, these exchange mistakes; otherwise their weights are mixed
    after each pass. A row shows each round.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    parts = () if cluster is None else parts_in_place(data)
    inputs: Sequence[Input] = parts or inputs_of(data)
    options.check_output(output, "model", data, inputs=inputs)
    if cluster is not None:
        off: dict[str, Any] = {"--no-stream": stream is False, "--shuffle": shuffle}
        off |= {"--holdout": holdout, "--standardise": standardise, "--kernel": kernel}
        fail_on_cluster(off)
        stream, revisit = True, "mistakes" if until_separated else revisit
    elif cache is not None:
        models = [Input(str(path)) for path in (output, initial) if path is not None]
        options.check_output(cache, "cache", data, inputs=[*inputs, *models])
    start = starting_model(output, initial, resume=resume)
    try:
        products = field_pairs(interactions or [])
    except ValueError as error:
        fail(f"--interactions {error}")
    joint = multiclass or (start is not None and start.is_joint)
    if max_classes is not None and not joint:
        fail("--max-classes needs --multiclass; without it there are two labels")
    if joint and (reading.positive is not None or reading.one_vs_rest is not None):
        which = "positive" if reading.one_vs_rest is None else "one-vs-rest"
        fail(f"--{which} is for two labels; leave it out, or --multiclass")
    named = options.named_classes(reading.classes, many=joint)
    space = options.kernel_of(kernel, degree, gamma, coef0)
    settings: dict[str, Any] = {
        "margin": margin,
        "regularisation": regularisation,
        "matrix": matrix,
        "alpha": alpha,
        "threshold": threshold,
        "budget": budget,
    }
    if start is None:
        # the theorem's learner, if the data are to be separated
        usual_kind: Kind = "adaptive" if space is None else "averaged"
        is_plain = until_separated or revisit or budget is not None
        kind = learner or ("perceptron" if is_plain else usual_kind)
        settings["margin"] = float(kind == "margin") if margin is None else margin
    else:
        of_model = {name: getattr(start.learner, name, None) for name in ("kernel", *settings)}
        given = {
            "kernel": (space, of_model["kernel"]),
            "learner": (learner, start.kind),
            **{name: (x, of_model[name]) for name, x in settings.items()},
            "bias": (bias, start.learner.bias),
            "multiclass": (multiclass or None, start.is_joint),
            "hash-bits": (hash_bits, start.features.hash_bits),
            "names": (names and None, start.features.keep_names),
            "interactions": (products or None, start.features.products),
            "standardise": (standardise, start.features.standardise),
            "unit-length": (unit_length, start.features.to_unit_length),
            "ledger": (ledger or None, start.ledger.keep != "counts"),
        }
        options.reject_changes(given)
        reading.reject_changes(start)
        kind, bias, space = start.kind, start.learner.bias, of_model["kernel"]
        settings |= {"margin": of_model["margin"] or 0.0, "budget": of_model["budget"]}
    if bias and kind in ("winnow1", "winnow2"):
        fail(f"--bias: {kind} has a threshold instead of a constant term")
    transforms: dict[str, Any] = {
        "hash_bits": hash_bits,
        "keep_names": names,
        "products": products,
        "standardise": standardise,
        "to_unit_length": unit_length,
    }

    def new_features(*, whole: bool) -> Features:
        """Features that have met nothing; only of data that are read whole some is undecided."""
        usual = {"standardise": bool(standardise), "to_unit_length": bool(unit_length)}
        return Features(**transforms | ({} if whole and kind in ADAPTIVE else usual))

    with rejecting_settings():
        has_bias = space is None if bias is None else bias
        rule = Rule(kind, bias=has_bias, joint=joint, kernel=space, seed=seed, **settings)
        if passes is None and (until_separated or (cluster is not None and revisit)):
            passes = UNLIMITED_PASSES
        elif passes is None and cluster is not None:
            passes = PASSES_OVER_MANY
        keep: Keep = "examples" if ledger else "counts"
        plan = Plan(rule, passes or 1, bool(shuffle), seed, holdout, keep, revisit=revisit)
        how = replace(reading.how(), class_weights=class_factors(class_weight or []))
        if start is None:
            plan.new_learner(hash_bits)  # a bad setting is rejected before the data
    has_pipe = any(one.is_pipe for one in inputs)
    if stream is None and start is not None:
        stream = start.unfinished is None or not start.order["whole"]
    elif stream is None and (has_pipe or sum(one.size or 0 for one in inputs) > MOST_BYTES):
        stream = True  # otherwise it remains None: the size in memory decides
    if has_pipe:
        if standardise and stream:
            fail("--standardise reads a stream twice; use --no-stream, or save it in a file first")
        if cache is None and stream is not False and (plan.passes > 1 or holdout is not None):
            what = "more passes" if plan.passes > 1 else "--holdout"
            fail(f"a pipe can be read only once; for {what}, use --no-stream, --cache or a file")
        if start is not None and start.unfinished is not None:
            fail("--resume: cannot resume from a pipe; read a file")
        if class_weight == [BALANCED]:
            words = "reads the data twice; save the pipe's data in a file first"
            fail(f"--class-weight {BALANCED} {words}")
    if class_weight == [BALANCED]:  # the factor of a label is n / (labels × its examples)
        of_labels = how if start is None else how.following(start.read_options)
        counts = label_counts(open_files(inputs, of_labels))
        factors = {c: sum(counts.values()) / (len(counts) * n) for c, n in counts.items()}
        how = replace(how, class_weights=factors)
    cut_at = [] if cluster is None else [shards, SHARD_BYTES]
    known_by = fingerprint(inputs, how, [transforms, named, rule.joint, *cut_at])
    known = named
    if start is not None:
        weights = dict(how.class_weights) or None, start.read_options.get("class_weights", {})
        options.reject_changes({"class-weight": weights})
        how, known = how.following(start.read_options), start.classes
    if start is not None and start.unfinished is not None:
        # its own model may have replaced the initial one, whose digest it has stored
        known_by += start.unfinished["data"][len(known_by) :]
    elif initial is not None:
        known_by += hashlib.sha256(initial.read_bytes()).hexdigest()

    began = time.perf_counter()
    features = new_features(whole=not stream) if start is None else start.features
    cut: Shards | None = None
    if cluster is not None:
        kept = None if cache is None else str(cache.absolute())
        hashed = features.hashed_while_read(how, here=False)
        cut = shards_of_files(parts, hashed, shards=shards, cache=kept)

    def opened(features: Features, *, whole: bool) -> tuple[Source, Numbered | Cached, bool]:
        """The data, their blocks, and whether these come from a cache; a stream is measured."""
        labels: LabelsAsSigns | LabelsAsClasses
        if rule.joint:
            most = max_classes or MOST_CLASSES
            labels = LabelsAsClasses(known or (), closed=named is not None, most=most)
        else:
            labels = signs_of_labels(inputs, how, known, positive=reading.positive)
        found = open_files(inputs, features.hashed_while_read(how)) if cut is None else cut.source
        numbered = Numbered(found, features, labels, how.class_weights)
        blocks: Numbered | Cached = numbered
        if cache is not None and cluster is None:
            # the data of a pipe are unknown, so no cache matches them
            state = json.dumps([features.is_unmeasured and not whole, features.state()[0]])
            blocks = Cached(numbered, cache, f"{known_by} {state}{os.urandom(32).hex() * has_pipe}")
        from_cache = isinstance(blocks, Cached) and blocks.is_ready
        if features.is_unmeasured and not whole and not from_cache:
            features.survey(numbered.chunks())
        return numbered.source, blocks, from_cache

    source, blocks, from_cache = opened(features, whole=not stream)
    whole: Whole | None = None
    if not stream:
        most_bytes = MOST_BYTES if stream is None else None
        with spinner(f"reading {plain(source.name)}", quiet=quiet):
            whole = Whole.of(blocks, most_bytes)
        if whole is None:  # too large: start again, as a stream
            source, blocks, from_cache = opened(new_features(whole=False), whole=False)
        else:
            plan = replace(
                plan,
                passes=passes or usual_passes(len(whole)),
                shuffle=shuffle is not False,
                fewer_passes=passes is None and kind in ADAPTIVE,
                averages=learner is None and start is None and kind == "adaptive",
            )
    most_passes = None if until_separated else plan.passes
    with ExitStack() as machines:
        progress: Progress | RoundProgress
        if cluster is None or cut is None:
            training = Training(whole or blocks, plan, how=how, initial=start, data=known_by)
            try:
                with spinner("scoring each part of the examples with the others", quiet=quiet):
                    training.prepare()
            except KeyboardInterrupt:
                fail(f"interrupted before the first pass; {output} was not written", 130)
            progress = Progress(training, most_passes and training.plan.passes, quiet=quiet)
        else:
            progress = RoundProgress(most_passes, quiet=quiet)
            resumable = "; continue with --resume" if checkpoint is not None else ""
            workers = machines.enter_context(options.on_cluster(cluster, progress.shard, resumable))
            progress.heading = f"dashboard at {workers.link}\n{progress.heading}"
            from novikoff.cluster.training import ClusterTraining

            assert isinstance(blocks, Numbered)
            training = ClusterTraining(
                workers, cut, blocks, plan, how=how, initial=start, fingerprint=known_by
            )
        with Watch(source, whole or blocks, progress, output, checkpoint, began) as watch:
            run = training.run(watch.after_block)
        training.save(output)
    by_default = learner is None and start is None and not (until_separated or revisit)
    result = Result(training, run, watch, training.test_held_out(), by_default)
    options.warn_of_skipped_lines(source.skipped)
    warn_of_labels(training, further=initial is not None)
    if training.widest is not None and start is None:
        warn_of_scales(training.model.features, training.widest, has_pipe=has_pipe)
    known = training.model.classes
    for label in how.class_weights:
        if label not in known:
            warn(f"--class-weight {label}: no example has this label; they are {listed(known, 4)}")
    if not from_cache:
        for left, right in sorted(training.model.features.idle_products):
            warn(f"--interactions {left}*{right}: no example has features of both fields")
    show(json.dumps(result.to_dict(), indent=1) if as_json else str(result))


def starting_model(output: Path, initial: Path | None, *, resume: bool) -> Model | None:
    """The model to train further, if any: the unfinished one in `output`, or `initial`."""
    if output.exists() and resume:
        found = Model.load(output)
        if found.unfinished is None:
            fail(f"{output}: the run is finished; to train the model further, use --initial", 0)
        return found
    if output.exists() and output.stat().st_size > 0:
        if not is_stored(output):
            fail(f"{output}: not a novikoff model; choose another -o, or delete it")
        if output != initial and Model.is_unfinished(output):
            fail(f"{output}: contains an unfinished run; use --resume, or delete it")
    if initial is None:
        return None
    found = Model.load(initial)
    if found.unfinished is not None:
        fail(f"{initial}: its run is unfinished; finish it first, with -o {initial} --resume")
    if found.others:
        fail(f"{initial}: each class was learned against the rest; train it further in Python")
    return found


def class_factors(given: list[str]) -> dict[str, float]:
    """The factor of each label in `LABEL=FACTOR`; those of `balanced` come from the data."""
    if given == [BALANCED]:
        return {}
    factors: dict[str, float] = {}
    for text in given:
        label, mark, factor = text.rpartition("=")
        size = number(factor)
        if not (mark and label and size is not None and size > 0):
            how = "write LABEL=FACTOR, a factor above 0, or balanced alone"
            fail(f"--class-weight {text!r}: {how}")
        if written(label) in factors:
            fail(f"--class-weight {text!r}: the label {label} has a factor already")
        factors[written(label)] = size
    return factors


def warn_of_labels(training: Training, *, further: bool) -> None:
    """Say so if there is one label only, or if a stream was sorted by label."""
    runs, classes = training.label_runs, training.model.classes
    forgets = "a learner that sees one label for a long time forgets the others"
    if len(runs.examples) == 1:
        why = forgets if further else "a model needs examples of other labels, too"
        only = f"all {'new ' * further}examples have the label {plain(classes[runs.commonest])}"
        warn(f"{only}; {why}")
    elif runs.is_sorted and not training.model.order["whole"]:
        warn(
            f"the examples are sorted by label, or nearly so: {forgets}, and its mistakes say "
            "little. Shuffle the file, or use --no-stream to shuffle it in memory"
        )


def warn_of_scales(features: Features, widest: tuple[int, int, float], *, has_pipe: bool) -> None:
    """Say so if the features of a stream differ much in scale, and what to do."""
    low, high, ratio = widest
    small, large = (cut(plain(features.name_of(column))) for column in (low, high))
    other = "" if has_pipe else ", or --standardise, which reads the file twice"
    warn(
        f"in the first examples, {large} is {count(round(ratio))} times as large as {small}; a "
        f"stream is learned unscaled, so {small} has little influence. Use --no-stream{other}"
    )


def _seen(features: Features) -> dict[str, str]:
    """Lines about the constant columns, about identifiers, and about dates, by their titles."""
    lines = {}
    if constant := [cut(features.name_of(j)) for j in features.constant]:
        lines["Constant"] = f"{listed(constant)}: the same in all examples, so of no use"
    for title, columns, what in (
        ("Ids?", features.identifiers, "all different, as if they were identifiers"),
        ("Dates?", features.dates, "as if they were dates, like 20240131"),
    ):
        if names := [cut(features.name_of(j)) for j in columns]:
            leave_out = f"; --ignore {shlex.quote(plain(names[0]))} leaves it out"
            cure = leave_out if features.kind != "indices" else ""
            each = "it" if len(names) == 1 else "each"
            lines[title] = f"{listed(names)}: {each} has whole numbers, {what}{cure}"
    return lines


def fingerprint(inputs: Sequence[Input], how: ReadOptions, settings: list[Any]) -> str:
    """A digest of the files and of everything that affects how they are read."""
    about = {key: value for key, value in asdict(how).items() if key != "threads"}
    text = json.dumps([about, *settings], default=str, sort_keys=True)
    digest = hashlib.sha256(text.encode())
    for one in inputs:
        if not one.is_pipe:
            digest.update(one.fingerprint().encode())
    return digest.hexdigest()


@dataclass
class Watch:
    """Shows progress, saves checkpoints, and stops the run after a block when a signal asks for it.

    A second Ctrl-C does not wait for the end of the block. `seconds` is how long the run took.
    """

    source: Source
    blocks: Numbered | Cached | Whole
    progress: Progress | RoundProgress
    output: Path
    checkpoint: float | None
    began: float
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self._signal: signal.Signals | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self._has_advised, self._saved = False, time.perf_counter()

    def __enter__(self) -> Self:
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(which) is not signal.SIG_IGN:
                self._handlers[which] = signal.signal(which, self._stop_after_block)
        return self

    def __exit__(self, *_: object) -> None:
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self.progress.clear()
        self.seconds = time.perf_counter() - self.began

    def _stop_after_block(self, which: int, _frame: FrameType | None) -> None:
        if self._signal is not None:
            raise KeyboardInterrupt
        self._signal = signal.Signals(which)

    def after_block(self, training: Training) -> None:
        """Show progress, save if it is time, and stop if asked to."""
        reading: Source | Cached | Whole = self.source
        if isinstance(self.blocks, Whole) or (
            isinstance(self.blocks, Cached) and self.blocks.is_ready
        ):
            reading = self.blocks
        self.progress.update(training, reading)
        features = training.model.features
        if features.kind == "names" and features.dim >= MANY_NAMES and not self._has_advised:
            self._has_advised = True
            warn(
                f"{count(features.dim)} different features so far; if many more follow, "
                "--hash-bits 22 limits the memory they take"
            )
        every, asked = self.checkpoint, self._signal  # a later signal waits for a block
        is_due = asked is not None or (every or 0) <= time.perf_counter() - self._saved
        if every is not None and is_due:
            training.save(self.output)
            self._saved = time.perf_counter()
        if asked is not None:
            self.progress.clear()
            done = f"interrupted after {plural(training.model.ledger.n_rounds, 'example')}"
            cure = "" if self.source.is_pipe else "; continue with --resume"
            saved = f"saved in {self.output}{cure}"
            saved = "nothing was saved (see --checkpoint)" if every is None else saved
            fail(f"{done}; {saved}", 128 + asked)


@dataclass(frozen=True)
class Result:
    """What training did, for a person (`str`) or a program (`to_dict`)."""

    training: Training
    run: Run
    watch: Watch
    tested: "Evaluation | None"
    by_default: bool

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        model, tested = self.training.model, self.tested
        counts, sent = self.training.label_runs.examples, getattr(self.training, "sent", None)
        return {
            "model": str(self.watch.output),
            "data": self.watch.source.description,
            **options.facts(model),
            "examples": model.examples,
            "labels": {model.classes[c]: n for c, n in sorted(counts.items())},
            "order": model.order,
            "standardised": model.features.standardise,
            "unit_length": bool(model.features.to_unit_length),
            "constant_features": [*map(model.features.name_of, model.features.constant)],
            "identifiers": [*map(model.features.name_of, model.features.identifiers)],
            "dates": [*map(model.features.name_of, model.features.dates)],
            "compared": [
                {**way._asdict(), "mistakes": share}
                for way, share in self.training.compared.items()
            ],
            "passes": self.training.passes_made,
            "revisits": len(model.ledger.revisits),
            "verdict": str(self.run.verdict),
            "class_weights": model.read_options.get("class_weights", {}),
            "held_out": tested and options.measures(tested, known=len(model.classes)),
            "skipped_lines": len(self.watch.source.skipped),
            "seconds": self.watch.seconds,
            **({} if sent is None else {"cluster": asdict(sent)}),
        }

    def __str__(self) -> str:
        model, ledger, tested = self.training.model, self.run.ledger, self.tested
        source, output = self.watch.source, self.watch.output
        runs, is_whole = self.training.label_runs, model.order["whole"]
        most = percent(runs.examples[runs.commonest], runs.examples.total(), 2)
        constant = " and a constant" if model.learner.bias else ""
        scaled = ", features standardised" if model.features.standardise else ""
        scaled += ", examples scaled to length 1" if model.features.to_unit_length else ""
        why = "the default; the mistake bound is for --learner perceptron"
        why = f" ({why})" if self.by_default else ""
        order, within = "in the given order", "" if is_whole else " within blocks"
        if model.order["shuffle"]:
            order = f"shuffled with seed {model.order['seed']}{within}"
        seconds = self.watch.seconds
        speed = self.watch.progress.bytes_read / 1e6 / seconds if seconds else 0.0
        at_speed = f", {speed:,.0f} MB/s" if speed >= 1 and not is_whole else ""
        factors = model.read_options.get("class_weights", {})
        weights = listed([f"{label} {factor:.4g}" for label, factor in factors.items()], 8)
        compared, sent = self.training.compared, getattr(self.training, "sent", None)
        passes, pool = count(self.training.passes_made), self.training.pool
        if pool is not None:
            again = count(len(ledger.revisits))
            passes += f", and {again} over {plural(len(pool), 'mistaken example')},"
        written = size(output.stat().st_size)
        lines = {
            "Data": f"{source.description}; {options.labels_in_words(model)}",
            "Read": f"{'whole' if is_whole else 'as a stream'}, {order}",
            "Learner": f"{FULL_NAMES[model.kind]}{scaled}{why}",
            "Weights": factors and f"times {weights}",
            "Chosen": len(compared) > 1 and _comparison(compared),
            "Examples": f"{count(model.examples)} with {plural(model.features.count, 'feature')}"
            f"{constant}; {most} are {cut(plain(model.classes[runs.commonest]))}",
            "Passes": f"{passes} in {seconds:.2f} s{at_speed}",
            "Cluster": sent,
            "Mistakes": options.mistakes_in_words(ledger),
            **_seen(model.features),
            "Verdict": f"{self.run.verdict}: {self._verdict()}",
            "Held out": tested and self._held_out(tested),
            "Model": f"{plain(str(output))} ({model.kind}, {written})",
        }
        return "\n".join(f"{title:9} {words}" for title, words in lines.items() if words)

    def _held_out(self, tested: "Evaluation") -> str:
        found = tested.confusion
        if not found.examples:
            return "no examples"
        words = f"{share(found.accuracy)} of {plural(found.examples, 'example')} right; "
        words += options.baseline_in_words(tested)
        loss = tested.reliability
        chances = f"; log loss {options.reliability_in_words(loss)}" if loss else ""
        if tested.ranking is None:
            return words + chances
        positive, area = found.of_classes(2)[1], tested.ranking.roc_area
        of_positive = f"F1 of {cut(plain(tested.labels[1]))} {share(positive.f1)}"
        shown = "–" if math.isnan(area) else f"{area:.4f}"
        return f"{words}; {of_positive}, ROC area {shown}{chances}"

    def _verdict(self) -> str:
        model, plan, verdict = self.training.model, self.training.plan, self.run.verdict
        if len(model.classes) == 1:
            return "there is only one label, so there is nothing to learn"
        margin = 0.0 if plan.revisit else plan.rule.margin
        ended = run_ended(verdict, rule=self.run.ledger.rule, margin=margin, passes=plan.passes)
        if verdict != "budget":
            return str(ended)
        # certify reads two labels, no texts and no interactions
        no_proof = model.is_joint or model.read_options.get("words") or model.features.products
        if model.kind in ADAPTIVE:
            made = plural(self.training.passes_made, "pass was", "passes were")
            certify = "; novikoff certify tells whether the examples can be separated"
            return f"{made} made{'' if no_proof else certify}"
        if plan.passes == 1:
            return f"{ended.meaning}; try --passes 10"
        return f"{ended.meaning}; raise --passes{'' if no_proof else ', or run novikoff certify'}"


def _comparison(compared: dict[Way, float]) -> str:
    """The way that was kept, why, and the best with the features scaled otherwise."""
    best = dict[bool, str]()
    for way in sorted(compared, key=lambda way: (compared[way], -way.passes)):
        scale = "standardised" if way.standardised else "as given"
        mean = ", average of the weights" if READINGS[way.kind] == "average" else ""
        words = f"{scale}, {plural(way.passes, 'pass', 'passes')}{mean}: {share(compared[way])}"
        best.setdefault(way.standardised, words)
    kept, *others = best.values()
    rest = "".join(f" ({other})" for other in others)
    return f"{kept} mistakes when each half is predicted from the other{rest}"
