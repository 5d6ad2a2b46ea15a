"""The command line: one file a verb, and nothing loaded before it is needed."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run `novikoff`; the version is printed without loading anything else."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without γ still gets the rest
    # numpy would start a thread a core for products of matrices, of which there are none here, and
    # take twice as long to load
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from novikoff.cli.app import run

        run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:  # before the verb itself could answer
        print("novikoff: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # nobody reads on
        _let_go_of_stdout()
        sys.exit(141)
    except SystemExit:
        _let_go_of_stdout()
        raise


def _let_go_of_stdout() -> None:
    """What cannot be written is not tried again when Python ends, with a status of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
