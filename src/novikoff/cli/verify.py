"""`novikoff verify`: whether a certificate proves its verdict on the data of files."""

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from novikoff.cli import options
from novikoff.cli.errors import fail, show
from novikoff.cli.progress import spinner
from novikoff.guarantees.check import Rejected, claim, load, summary
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import rest_of
from novikoff.stream.printing import one_line

if TYPE_CHECKING:
    from novikoff.separability.models import Regression
    from novikoff.sources.open import Data, Scanned

OPTIONS = "certificate = CERT  A certificate written by `novikoff certify -o CERT`."
_THIRD = (Problem.THIRD_LABEL, Problem.THIRD_LABEL_IN_LAST_COLUMN)


def _as_certified(reading: options.DataReading, classes: Sequence[str], label: str | None) -> str:
    """The options with which the labels of a certificate are read, if they were not given."""
    use = {}
    if label is not None and reading.label is None:
        use["--label"] = [label]
    if len(classes) == 2 and classes[0] == rest_of(classes[1]):
        use["--one-vs-rest"] = [] if reading.one_vs_rest else [classes[1]]
    else:
        use["--keep"] = [] if reading.keep else list(classes)
    return " ".join(f"{name} {shlex.quote(one)}" for name, given in use.items() for one in given)


def verify(
    certificate: str,
    data: list[str],
    formula: str | None = None,
    zero_based: bool = False,
    *,
    reading: options.DataReading,
) -> None:
    """Check that a certificate proves its verdict on the data.

    The check uses exact arithmetic and does not trust whoever wrote the certificate. The data and
    these options alone decide what is read. The answer says what that was: the files with their
    SHA-256, whether they have a header, and the label. An undecided certificate proves no verdict,
    even if everything in it is true.

    Exit status: 0 proved, 1 rejected or undecided, 2 bad input, 130 interrupted.
    """
    from novikoff.separability.certifying import checked
    from novikoff.sources.inputs import inputs_of
    from novikoff.sources.whole import MOST_BYTES

    with spinner(f"reading {certificate}") as say:
        try:
            written = load(certificate)
            inputs = inputs_of(data)
            say(f"reading {inputs[0].name}")
            it = claim(written)
            given: Data | Regression | Scanned
            try:
                if formula is None and it.model is None:
                    given = reading.scan(inputs, zero_based=zero_based, most=MOST_BYTES)
                else:
                    many = it.model is not None and not it.model.kernel
                    given, _ = reading.read_for(
                        inputs, formula, zero_based=zero_based, as_levels=many
                    )
            except BadExample as error:
                use = _as_certified(reading, it.classes, written["data"]["label"])
                if error.problem not in _THIRD or not use:
                    raise
                fail(f"{error.without_cure}; to read what the certificate is about, use {use}")
            say(f"checking {it.n:,} rows")
            read = checked(it, given)
            words = summary(it, read, [one.name for one in inputs])
            status = 1 if written["verdict"] == "undecided" else 0
        except Rejected as reason:
            words, status = f"rejected: {reason}", 1
            if words.endswith("as categories"):
                names = dict.fromkeys(n.partition("=")[0] for n in it.names or () if "=" in n)
                cure = [f"--categorical {shlex.quote(n)}" for n in names]
                words = f"{words}: {' '.join(cure)}"
    show("\n".join(map(one_line, words.split("\n"))))
    sys.exit(status)
