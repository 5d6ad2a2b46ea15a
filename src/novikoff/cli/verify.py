"""`novikoff verify`: whether a certificate proves its verdict on the data of a file."""

import sys
from typing import Annotated

from novikoff.cli import options
from novikoff.cli.arguments import Argument, Option
from novikoff.cli.errors import show
from novikoff.cli.progress import spinner
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.check import Rejected
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import plural


def verify(
    certificate: Annotated[
        str, Argument("CERT", "A certificate written by `novikoff certify -o CERT`.")
    ],
    data: options.DataFile,
    label: Annotated[
        str | None, Option(options.LABEL_HELP, metavar="COLUMN", default="the certificate's")
    ] = None,
    format: options.Format = None,
    zero_based: options.ZeroBased = False,
) -> None:
    """Check that a certificate proves its verdict on the data.

    The check uses exact arithmetic and does not trust whoever wrote the certificate. An undecided
    certificate proves no verdict, even if everything in it is true.

    Exit status: 0 proved, 1 rejected or undecided, 2 bad input, 130 interrupted.
    """
    from novikoff import separability, sources

    name = "<stdin>" if data == "-" else data
    with spinner(f"reading {certificate}") as say:
        try:
            claim = load(certificate)
            about = claim.data
            say(f"reading {name}")
            given = sources.read(
                data,
                label=about.label if label is None else label,
                format=format,
                zero_based=zero_based or None,
                classes=about.classes,
            )
            rows = plural(about.rows, "row")
            say(f"checking {rows}")
            if about.names is not None:
                try:
                    given = given.with_columns(about.names)
                except BadExample as error:
                    raise error.at(name) from None
            separability.verify(claim, given.block)
            status = 1 if claim.verdict == "undecided" else 0
            proved = "no verdict is proved, but its facts hold" if status else "proved"
            words = f"{claim.verdict}: {proved} for the {rows}"
        except Rejected as reason:
            words, status = f"rejected: {reason}", 1
    show(words)
    sys.exit(status)


def load(path: str) -> Certificate:
    """The certificate of a file; Rejected if the file is damaged or holds something else."""
    try:
        return Certificate.load(path)
    except (ArithmeticError, AttributeError, RecursionError):
        raise Rejected(f"{path}: not a certificate") from None
    except Rejected as reason:
        with open(path, "rb") as file:
            is_data = not file.read(99).lstrip().startswith(b"{")
        raise Rejected(f"{reason}{' (the certificate comes first)' * is_data}") from None
