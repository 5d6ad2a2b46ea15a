"""`novikoff report`: one page about the data of files, to be read in a browser or on paper."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from novikoff.cli.main import Option
from novikoff.cli.options import (
    LABEL_HELP,
    DataFiles,
    FileFormat,
    Format,
    ZeroBased,
    fail,
    one_line_errors,
    refuse_what_cannot_be_written,
    spinner,
    two,
)

if TYPE_CHECKING:
    from novikoff.sources import Data


def report(
    data: DataFiles,
    output: Annotated[
        Path, Option("-o", "--output", metavar="PAGE", help="Write the page to this file.")
    ],
    label: Annotated[
        str | None,
        Option(metavar="COLUMN", help=LABEL_HELP, show_default="the last column"),
    ] = None,
    classes: Annotated[
        str | None,
        Option(metavar="NEG,POS", help="The two labels.", show_default="as they are met"),
    ] = None,
    names: Annotated[
        Path | None,
        Option(metavar="FILE", help="svmlight: what its columns are called, one a line."),
    ] = None,
    intercept: Annotated[bool, Option(help="Whether the hyperplane may miss the origin.")] = True,
    passes: Annotated[
        int | None,
        Option(
            min=1,
            help="How many passes the perceptron makes at most.",
            show_default="1000 if the data are separable, else 10",
        ),
    ] = None,
    seed: Annotated[
        int, Option(min=0, help="Draws the order of the rows, and which are held out.")
    ] = 0,
    max_seconds: Annotated[
        float,
        Option(metavar="SECONDS", min=0, help="About so long is a proof of separability sought."),
    ] = 60.0,
    top: Annotated[int, Option(min=0, help="How many weights to list for each label.")] = 15,
    mistakes: Annotated[int, Option(min=0, help="How many mistakes to list.")] = 20,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Say nothing when all goes well.")] = False,
    format: Format = None,
    zero_based: ZeroBased = False,
) -> None:
    """Write one page about the data: whether they are separable and why, and what was learned.

    The page is a single HTML file, with figures, that needs no network: what the data are, the
    verdict of `certify` with its proof, a perceptron's run and its bounds, its weights and its
    mistakes by name, and how to make it again. All data must fit in memory.

    Exit status: 0 written, 2 bad input, 130 interrupted.
    """
    refuse_what_cannot_be_written(output, data, "page")
    two_labels = two(classes)
    name = "<stdin>" if data[0] == "-" else data[0]
    with one_line_errors(name), _progress(f"reading {name}", quiet) as say:
        from novikoff import sources
        from novikoff.show import plots

        try:
            plots.new_axes()  # before the long work, not after it
        except plots.NoMatplotlib as error:
            fail(str(error))
        from novikoff.guarantees.words import run_in_brief
        from novikoff.show.report import Settings, gather, origin_of, page

        given = sources.read(
            data,
            label=label,
            format=None if format is None else format.value,
            zero_based=zero_based or None,
            classes=two_labels,
        )
        if names is not None:
            given = named(given, names)
        say(f"{len(given.block):,} rows")
        reading = _options(
            label=label, format=format, zero_based=zero_based, classes=classes, names=names
        )
        origin = origin_of(
            data,
            format=None if format is None else format.value,
            command=shlex.join(
                [
                    "novikoff", "report", *data, "-o", str(output), *reading,
                    *([] if intercept else ["--no-intercept"]),
                    *([] if passes is None else ["--passes", str(passes)]),
                    "--seed", str(seed), "--max-seconds", f"{max_seconds:g}",
                    "--top", str(top), "--mistakes", str(mistakes),
                ]
            ),
            verify=_verify(data, format, zero_based),
        )  # fmt: skip
        settings = Settings(bias=intercept, passes=passes, seed=seed, max_seconds=max_seconds)
        known = gather(given, settings, origin=origin, progress=say)
        say("drawing")
        text = page(known, top=top, mistakes=mistakes)
    _write(text, output)
    if not quiet:
        with one_line_errors("standard output"):
            ended = run_in_brief(known.run.ledger, known.run.verdict, of="rows")
            print(f"{output}: {known.certificate.verdict}; {ended}", flush=True)


@contextmanager
def _progress(words: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    if quiet:
        yield lambda _: None
        return
    with spinner(words) as say:
        yield say


def named(given: Data, path: Path) -> Data:
    """The data with names for columns that have none, from a file with one a line."""
    from novikoff.sources.inputs import Input
    from novikoff.stream.problems import BadExample

    if given.names is not None:
        raise BadExample(f"{path}: the data name their columns themselves; leave --names out")
    with Input(str(path)).open() as reading:
        room, raw = bytearray(1 << 20), bytearray()
        while got := reading.fill(memoryview(room)):
            raw += room[:got]
    lines = raw.decode(errors="replace").splitlines()
    dim = given.block.rows.dim
    if len(lines) < dim:
        raise BadExample(f"{path}: {len(lines):,} names for {dim:,} columns; one a line is needed")
    return replace(given, names=tuple(lines[:dim]))


def _options(
    *,
    label: str | None,
    format: FileFormat | None,
    zero_based: bool,
    classes: str | None,
    names: Path | None,
) -> list[str]:
    """How the data were read, as it was said."""
    said = {
        "--label": label,
        "--format": None if format is None else format.value,
        "--classes": classes,
        "--names": None if names is None else str(names),
    }
    words = [word for key, value in said.items() if value is not None for word in (key, value)]
    return [*words, *(["--zero-based"] if zero_based else [])]


def _verify(data: Sequence[str], format: FileFormat | None, zero_based: bool) -> str:
    """The command that checks the certificate; it reads one file, directory or pattern."""
    given = _options(label=None, format=format, zero_based=zero_based, classes=None, names=None)
    words = ["novikoff", "verify", "certificate.json"]
    if len(data) > 1:
        return f"{shlex.join([*words, 'FOLDER', *given])}  # the files together in one folder"
    return shlex.join([*words, *data, *given])


def _write(text: str, output: Path) -> None:
    from novikoff.storage.atomic_write import replacing

    with one_line_errors(str(output)), replacing(output) as file:
        file.write(text.encode(errors="replace"))
