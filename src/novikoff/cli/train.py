"""`novikoff train`: from files to a model, in one pass or many."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from novikoff.cli.arguments import Option
from novikoff.cli.common import fail, one_line_errors, refuse_what_cannot_be_written
from novikoff.cli.jobs import Job, Labels, Watch, has_pipe
from novikoff.cli.models import say_idle_products, say_skipped
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
    labels_named,
    reading,
)
from novikoff.cli.plans import (
    pairs,
    planned,
    refuse_changes,
    refuse_to_read_again,
    starting_model,
)
from novikoff.cli.progress import Progress
from novikoff.cli.trained import Report

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
        from novikoff.training import Training

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
