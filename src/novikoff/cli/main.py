"""`novikoff VERB ...`: finds the verb, runs it, and reports an error as one line.

Only the verb that runs is imported.
"""

from __future__ import annotations

import codecs
import gc
import inspect
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn, TextIO, cast

from novikoff import __version__
from novikoff.cli.arguments import Parser, did_you_mean
from novikoff.cli.errors import STDOUT, fail, one_line_errors, show

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
    "export": ("Write a model as an ONNX graph, for other programs.", "mail.model -o mail.onnx"),
    "certify": ("Decide whether data are separable, and prove it.", "mail.svm -o mail.json"),
    "verify": ("Check a certificate against the data.", "mail.json mail.svm"),
    "report": (
        "Write a web page about the data: verdict, proof, figures, weights.",
        "mail.csv -o report.html",
    ),
    "lab": ("Run an experiment that shows a theorem, or list them all.", "conjunctions"),
    "serve": ("Predict over HTTP, and learn when the true labels arrive.", "service --port 1963"),
    "journal": ("Check, export, compact or copy the journal of a service.", "verify service"),
    "web": ("Place points in the browser and watch the perceptron learn.", "--port 0"),
}

# The options that several verbs have; a verb's own table may say something else about one.
COMMON = """
MODEL                   A model written by `novikoff train -o MODEL`.
DATA                    Files, directories or patterns, compressed or not; - means standard input.
--seed 0<=N             Random seed.
--zero-based            svmlight: indices count from 0, even if no index is 0.
--intercept             Allow hyperplanes that do not pass through the origin. [--intercept]
regression = --model    Decide which estimates of this regression model exist; --classes gives the
                        levels of multinomial and ordinal models in order.
--fixed-effects COLUMN  Tables: give each value of this column a coefficient of its own, and leave
                        out the constant. novikoff verify takes it as --categorical. Repeatable.
--formula FORMULA       Tables: the response and the columns of a regression, as in R; fixed effects
                        follow a bar: 'y ~ a*b + C(c) | firm + year'.
--degree 1<=N           With --kernel poly: the degree. [3]
--gamma                 With --kernel poly or rbf: the factor gamma. [1]
--coef0                 With --kernel poly: the constant added. [1]
--max-seconds 0<=SECONDS  Time limit for the proof, in seconds.
--threshold 0<=P<=1     Two labels: predict the positive one if its probability is at least P. [the
                        sign of the score decides]
--cost-ratio 0<=R       Two labels: missing a positive example costs R times as much as a false
                        alarm. The same as --threshold 1/(1 + R), which minimises the cost.
--cluster ADDRESS       Work on a Dask cluster: tcp://HOST:PORT of its scheduler, or local:N to
                        start N processes here.
--shards 1<=N           With --cluster: cut the data into N shards. The result depends on them, and
                        not on the workers. [one for each 32 MB, at most 4,096]
as_json = --json        Print the result as JSON.
--port 0<=N<=65535      Port of the server; 0 for any free port.
"""

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


# Signals that do not end a process, and crashes: a handler would return to what crashed.
LEFT_ALONE = {"KILL", "STOP", "TSTP", "TTIN", "TTOU", "CONT", "CHLD", "URG", "WINCH"}
LEFT_ALONE |= {"SEGV", "BUS", "FPE", "ILL"}


class Stopped(BaseException):
    """A signal asks the process to end; files that are half written are removed on the way."""

    by: int | None = None  # the signal; an import may turn the exception into one of its own


class Stderr:
    """Standard error that may be closed, full, or read by nobody: then its words are dropped."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream or open(os.devnull, "w")  # noqa: SIM115  (open to the end)

    def write(self, text: str) -> int:
        """Write the text if it can be written."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is waiting, if it can be written."""
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main() -> None:
    """Run `novikoff`; the version is printed without loading anything else."""
    while (spare := os.open(os.devnull, os.O_RDWR)) < 3:
        pass  # a closed stream's number must not become that of a file
    os.close(spare)
    sys.stderr = cast("TextIO", Stderr(sys.stderr))
    codecs.register_error("ascii signs", _ascii_signs)
    if isinstance(sys.stdout, io.TextIOWrapper):
        if isinstance(sys.stdout.buffer, io.RawIOBase):  # python -u forgets half of a short write
            encoding, whole = sys.stdout.encoding, io.BufferedWriter(sys.stdout.detach())
            sys.stdout = io.TextIOWrapper(whole, encoding, line_buffering=True)
        sys.stdout.reconfigure(errors="ascii signs")
    for which in signal.valid_signals() - {getattr(signal, f"SIG{n}", None) for n in LEFT_ALONE}:
        if signal.getsignal(which) is signal.SIG_DFL:
            signal.signal(which, _stop)
    # No verb multiplies matrices; without this, NumPy would start a thread per core and take twice
    # as long to load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # until the verb is loaded: what is loaded stays
    try:
        with one_line_errors((), data=STDOUT):
            run(sys.argv[1:])
            if sys.stdout is not None:
                show("", end="")
        # Nothing is collected object by object before the process ends. After an error it is:
        # what was begun, such as a cache, is removed when its writer is collected.
        gc.freeze()
    except BrokenPipeError:  # nobody reads the rest
        sys.exit(141)
    except (Stopped, Exception):
        if Stopped.by is None:
            raise
        name = signal.strsignal(Stopped.by) or Stopped.by
        fail(f"stopped by a signal: {name}", 128 + Stopped.by)
    finally:
        gc.enable()
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:  # discard what cannot be written, so that Python does not try again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(which: int, _frame: FrameType | None) -> NoReturn:
    for one in signal.valid_signals():  # another one must not disturb the removal of files
        if signal.getsignal(one) in (_stop, signal.default_int_handler):
            signal.signal(one, signal.SIG_IGN)
    Stopped.by = which
    raise Stopped


def _ascii_signs(error: UnicodeError) -> tuple[str, int]:
    """What a terminal without a sign prints instead: a minus above all must not be lost."""
    assert isinstance(error, UnicodeEncodeError)
    sign = error.object[error.start]
    return ASCII_SIGNS.get(sign, "?"), error.start + 1


def run(words: Sequence[str]) -> None:
    """Run a command line without its first word; ends with SystemExit unless all went well."""
    if not words or words[0] in ("-h", "--help"):
        show(help_text(), end="")
        sys.exit(0 if words else 2)
    if words[0] == "help":
        run([*words[1:], "--help"])
        return
    if words[0] in ("--version", "version"):
        show(f"novikoff {__version__}")
        return
    name, *rest = words
    if name not in VERBS:
        what = "option" if name.startswith("-") else "verb"
        guess = did_you_mean(name, VERBS)
        fail(f"there is no {what} {name!r}{guess}; the verbs are {', '.join(VERBS)}")
    if name == "lab":
        from novikoff.cli.lab import experiment

        function, parser, rest = experiment(rest)
    else:
        function, parser = function_and_parser(name)
    given = parser.parse(rest)
    read = given.get("data") or given.get("model") or STDOUT
    by_model = bool(given.get("model") or given.get("initial"))
    if not gc.isenabled():  # started by `main`: small files take a fifth less processor time
        gc.freeze()
        gc.enable()
    with one_line_errors(parser.options, data=read, by_model=by_model):
        function(**given)


def function_and_parser(name: str) -> tuple[Callable[..., None], Parser]:
    """The function of a verb other than `lab`, and the parser of its command line."""
    module = import_module(f"novikoff.cli.{name}")
    function, table = getattr(module, name), COMMON + getattr(module, "OPTIONS", "")
    help = inspect.getdoc(function) or ""
    return function, Parser([function], table, name=name, example=VERBS[name][1], help=help)


def help_text() -> str:
    """What `novikoff --help` prints."""
    lines = [
        "usage: novikoff VERB ...",
        "",
        "Linear classifiers learned online from their mistakes, with proofs.",
        "",
        *(f"  {name:9} {summary}" for name, (summary, _) in VERBS.items()),
        "",
        "  version   Print the version.",
        "  help      Show this help; novikoff help VERB explains a verb.",
        "",
        "Example: novikoff demo",
    ]
    return "\n".join(lines) + "\n"
