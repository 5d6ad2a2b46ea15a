"""`novikoff verify`: whether a certificate proves its verdict on the data of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from novikoff.cli.main import Argument, Option
from novikoff.cli.options import (
    LABEL_HELP,
    DataFile,
    Format,
    ZeroBased,
    fail,
    one_line_errors,
    read,
    spinner,
)

if TYPE_CHECKING:
    from novikoff.guarantees.certificate import Certificate
    from novikoff.sources import Data
    from novikoff.stream.blocks import Block


def verify(
    certificate: Annotated[
        str, Argument(metavar="CERT", help="What `novikoff certify -o CERT` wrote.")
    ],
    data: DataFile,
    label: Annotated[
        str | None,
        Option(metavar="COLUMN", help=LABEL_HELP, show_default="the certificate's"),
    ] = None,
    format: Format = None,
    zero_based: ZeroBased = False,
) -> None:
    """Check that a certificate proves its verdict on the data.

    All is computed in exact arithmetic, and how the certificate was found plays no part. One that
    is undecided proves no verdict, even if all it says is true.

    Exit status: 0 proved, 1 rejected or undecided, 2 bad input, 130 interrupted.
    """
    name = "<stdin>" if data == "-" else data
    with one_line_errors(name), spinner(f"reading {certificate}") as say:
        from novikoff import Rejected, separability

        try:
            claim = load(certificate)
            about = claim.data
            say(f"reading {name}")
            given = read(
                data,
                label=about.label if label is None else label,
                format=format,
                zero_based=zero_based,
                classes=about.classes,
            )
            say(f"checking {about.rows:,} rows")
            separability.verify(claim, in_order(given, about.names, name))
            status = 1 if claim.verdict == "undecided" else 0
            held = "no verdict, but true so far," if status else "proved"
            words = f"{claim.verdict}: {held} for the {about.rows:,} rows"
        except Rejected as reason:
            words, status = f"rejected: {reason}", 1
    with one_line_errors("standard output"):
        print(words, flush=True)
    sys.exit(status)


def load(path: str) -> Certificate:
    """The certificate; Rejected if it is damaged, however badly, or if it is something else."""
    from novikoff import Certificate, Rejected

    try:
        return Certificate.load(path)
    except (ArithmeticError, AttributeError, RecursionError) as error:
        raise Rejected(f"{path}: it is not a certificate: {error}") from None
    except Rejected as reason:
        with open(path, "rb") as file:
            swapped = not file.read(99).lstrip().startswith(b"{")
        raise Rejected(f"{reason}{' (the certificate comes first)' * swapped}") from None


def in_order(given: Data, names: tuple[str, ...] | None, path: str) -> Block:
    """The examples with their columns in the certificate's order; the file may have another."""
    import numpy as np

    from novikoff.stream.blocks import Block
    from novikoff.stream.rows import DenseRows, SparseRows

    if given.names is None or names is None or given.names == names:
        return given.block
    missing = [name for name in names if name not in given.names]
    surplus = [name for name in given.names if name not in names]
    if missing or surplus:
        which = f"{missing[0]!r} is missing" if missing else f"{surplus[0]!r} is not among them"
        fail(f"{path}: the columns are not those of the certificate: {which}")
    rows, labels = given.block.rows, given.block.labels
    order = np.array([given.names.index(name) for name in names])
    if not isinstance(rows, SparseRows):
        return Block(DenseRows(rows.values.take(order, axis=1)), labels)
    columns = np.argsort(order).astype(rows.indices.dtype)[rows.indices]
    moved = SparseRows(rows.values, columns, rows.starts, rows.dim)
    moved.put_in_order()
    return Block(moved, labels)
