"""`novikoff certify`: are the data of a file separable? A verdict with its proof."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from novikoff.cli.main import Option
from novikoff.cli.options import (
    LABEL_HELP,
    DataFile,
    Format,
    ZeroBased,
    fail,
    one_line_errors,
    read,
    refuse_what_cannot_be_written,
    spinner,
)

if TYPE_CHECKING:
    from novikoff.guarantees.certificate import Certificate


def certify(
    data: DataFile,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="CERT", help="Write the certificate to this file."),
    ] = None,
    as_json: Annotated[
        bool, Option("--json", help="Print the certificate instead of words.")
    ] = False,
    label: Annotated[
        str | None,
        Option(metavar="COLUMN", help=LABEL_HELP, show_default="the last column"),
    ] = None,
    intercept: Annotated[bool, Option(help="Whether the hyperplane may miss the origin.")] = True,
    margin_rtol: Annotated[
        float | None,
        Option(
            min=0,
            below=1,
            help="Narrow the interval for the best margin to this relative width.",
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        Option(
            metavar="SECONDS",
            min=0,
            help="Stop after about so long, undecided.",
        ),
    ] = None,
    format: Format = None,
    zero_based: ZeroBased = False,
) -> None:
    """Decide whether the data are separable, and prove it.

    The verdict is complete, quasi-complete or overlap; `novikoff verify` checks the proof.

    Exit status: 0 decided, 1 undecided, 2 bad input, 130 interrupted.
    """
    if output is not None:
        refuse_what_cannot_be_written(output, [data], "certificate", instead="--json")
    status, name = 0, "<stdin>" if data == "-" else data
    with one_line_errors(name):
        from novikoff import separability

        with spinner(f"reading {name}") as say:
            given = read(data, label=label, format=format, zero_based=zero_based)
            say(f"{len(given.block):,} rows")
            try:
                found = separability.certify(
                    given.block,
                    fit_intercept=intercept,
                    margin_rtol=margin_rtol,
                    max_seconds=math.inf if max_seconds is None else max_seconds,
                    progress=say,
                )
                status = 1 if found.verdict == "undecided" else 0
            except separability.Stopped as stopped:
                found, status = stopped.certificate, 130
        found = found.named(given.names, given.label, given.classes)
    if output is not None:
        with one_line_errors(str(output)):
            try:
                found.save(output)
            except OSError as error:  # it would name a file of another name
                fail(f"{output}: {(error.strerror or str(error)).lower()}")
    if status == 130:
        where = "" if output is None else f" and is in {output}"
        print(f"novikoff: interrupted; this much is known{where}:", file=sys.stderr)
    with one_line_errors("standard output"):
        show(found, as_json)
    sys.exit(status)


def show(certificate: Certificate, as_json: bool) -> None:
    """Words for a person, or everything for a program."""
    print(json.dumps(certificate.to_dict(), indent=1) if as_json else certificate, flush=True)
