"""`novikoff VERB ...`: finds the verb, runs it, and reports an error as one line.

Only the verb that runs is imported.
"""

from __future__ import annotations

import codecs
import inspect
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from novikoff import __version__
from novikoff.cli.arguments import Parser
from novikoff.cli.errors import fail, one_line_errors

# What each verb does, and an example of its arguments.
VERBS = {
    "demo": ("Learn a spam filter from e-mail that comes with the package.", "--seed 3"),
    "train": (
        "Train a classifier on files of any size.",
        "mail.svm -o mail.model --learner averaged",
    ),
    "predict": ("Predict the labels of examples.", "mail.model new.svm -o labels.txt"),
    "test": ("Measure a model's accuracy on labelled examples.", "mail.model more.svm"),
    "inspect": ("Show a model's settings and its largest weights.", "mail.model -n 20"),
    "certify": ("Decide whether data are separable, and prove it.", "mail.svm -o mail.json"),
    "verify": ("Check a certificate against the data.", "mail.json mail.svm"),
    "report": (
        "Write a web page about the data: verdict, proof, figures, weights.",
        "mail.csv -o report.html",
    ),
    "lab": ("Run an experiment that shows a theorem, or list them all.", "conjunctions"),
    "web": ("Place points in the browser and watch the perceptron learn.", "--port 0"),
}


ASCII_SIGNS = {
    "−": "-",
    "–": "-",
    "…": "...",
    "→": "->",
    "∞": "inf",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "√": "sqrt ",
    "‖": "||",
    "γ": "gamma",
    "η": "eta",
    "Σ": "sum ",
    "█": "#",
    "²": "^2",
}


def main() -> None:
    """Run `novikoff`; the version is printed without loading anything else."""
    codecs.register_error("ascii signs", _ascii_signs)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="ascii signs")
    # No verb multiplies matrices; without this, NumPy would start a thread per core and take twice
    # as long to load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("novikoff: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # nobody reads the rest
        _drop_stdout_if_broken()
        sys.exit(141)
    except SystemExit:
        _drop_stdout_if_broken()
        raise


def _ascii_signs(error: UnicodeError) -> tuple[str, int]:
    """What a terminal without a sign prints instead: a minus above all must not be lost."""
    assert isinstance(error, UnicodeEncodeError)
    sign = error.object[error.start]
    return ASCII_SIGNS.get(sign, "?"), error.start + 1


def run(words: Sequence[str]) -> None:
    """Run a command line without its first word; ends with SystemExit unless all went well."""
    if not words or words[0] in ("-h", "--help"):
        print(help_text(), end="")
        sys.exit(0 if words else 2)
    if words[0] == "--version":
        print(f"novikoff {__version__}")
        return
    name, *rest = words
    if name not in VERBS:
        what = "option" if name.startswith("-") else "verb"
        fail(f"there is no {what} {name!r}; the verbs are {', '.join(VERBS)}")
    if name == "lab":
        from novikoff.cli.lab import experiment

        function, parser, rest = experiment(rest)
    else:
        function, parser = function_and_parser(name)
    given = parser.parse(rest)
    with one_line_errors(parser.options, data=given.get("data", name)):
        function(**given)


def function_and_parser(name: str) -> tuple[Callable[..., None], Parser]:
    """The function of a verb other than `lab`, and the parser of its command line."""
    function = getattr(import_module(f"novikoff.cli.{name}"), name)
    help = inspect.getdoc(function) or ""
    return function, Parser([function], name=name, example=VERBS[name][1], help=help)


def help_text() -> str:
    """What `novikoff --help` prints."""
    lines = [
        "usage: novikoff VERB ...",
        "",
        "Linear classifiers learned online from their mistakes, with proofs.",
        "",
        *(f"  {name:9} {summary}" for name, (summary, _) in VERBS.items()),
        "",
        "  --version  Print the version.",
        "  --help     Show this help; novikoff VERB --help explains a verb.",
        "",
        "Example: novikoff demo",
    ]
    return "\n".join(lines) + "\n"


def _drop_stdout_if_broken() -> None:
    """Discard what cannot be written, so that Python does not try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
