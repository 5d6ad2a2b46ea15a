"""Standard streams that are closed or full, signals, and names that would control a terminal."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.command_line import error, run, stdout_of
from novikoff.show.lab import EXPERIMENTS

MAIN = "from novikoff.cli.main import main; main()"
ROWS = "a,b,kind\n" + "1,2,ham\n3,1,spam\n" * 6


def in_shell(words: str, folder: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run `novikoff` with these words and redirections, after other commands of the shell."""
    command = f"{before} {shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} {words}"
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mail.csv").write_text(ROWS)
    return tmp_path


@pytest.mark.parametrize("option", ["holdout", "skip-bad", "passes", "seed", "threads"])
def test_a_number_that_no_machine_word_holds_is_rejected(option: str, folder: Path) -> None:
    words = error("train", folder / "mail.csv", "-o", folder / "m", f"--{option}", 2**70)
    assert re.fullmatch(rf"--{option} must be .*, not {2**70}; see novikoff train --help", words)


def test_an_experiment_too_large_for_the_machine_is_an_error_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = error("lab", "conjunctions", "-n", 2**62)
    assert words.startswith(f"-n must be from 1 to 1000000, not {2**62}; see novikoff lab")

    def large() -> None:
        raise MemoryError("Unable to allocate 7 GiB")

    monkeypatch.setitem(EXPERIMENTS, "margin", large)
    assert error("lab", "margin") == "not enough memory. Unable to allocate 7 GiB"


@pytest.mark.parametrize("option", ["holdout", "skip-bad", "passes", "seed"])
def test_the_largest_machine_word_is_a_number_like_any_other(option: str, folder: Path) -> None:
    words = "train", folder / "mail.csv", "-o", folder / "m", "--learner", "perceptron"
    assert "separated" in stdout_of(*words, f"--{option}", 2**63 - 1) or option != "passes"


def test_a_number_of_five_thousand_digits_is_shown_in_part(folder: Path) -> None:
    words = error("train", folder / "mail.csv", "-o", folder / "m", "--passes", "9" * 5000)
    assert words.startswith("--passes must be a whole number, not '999")
    assert len(words) < 200


def test_empty_words_and_words_that_are_not_unicode_are_rejected(folder: Path) -> None:
    data, usage = folder / "mail.csv", "; see novikoff train --help"
    assert error("train", "", "-o", folder / "m") == "an argument is empty" + usage
    assert error("train", data, "-o", "") == "-o needs the name of a file" + usage
    for option in ("--label", "--classes", "--ignore", "--interactions"):
        words = error("train", data, "-o", folder / "m", option, "a,\udc80")
        assert words == rf"{option} must be UTF-8, not 'a,\udc80'" + usage


@pytest.mark.parametrize("verb", ["train {data} -o {loop}", "certify {data} -o {loop}"])
def test_a_loop_of_links_is_no_place_to_write_to(verb: str, folder: Path) -> None:
    loop = folder / "loop"
    loop.symlink_to(loop)
    words = verb.format(data=folder / "mail.csv", loop=loop).split()
    assert error(*words) == f"{loop}: too many levels of symbolic links"


def test_a_loop_of_links_is_no_data(folder: Path) -> None:
    loop = folder / "loop.csv"
    loop.symlink_to(loop)
    words = f"{loop}: too many levels of symbolic links"
    assert error("train", loop, "-o", folder / "m") == words
    assert error("certify", loop, "-o", folder / "m") == words


def test_a_device_that_never_ends_is_no_model() -> None:
    assert error("inspect", "/dev/zero") == "/dev/zero: this file was not saved by novikoff"


def test_with_standard_error_closed_the_model_is_written_and_no_error_is_in_the_output(
    folder: Path,
) -> None:
    done = in_shell("train mail.csv -o m 2>&-", folder)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 9, "")
    assert "novikoff: " not in done.stdout
    assert (folder / "m").exists()
    failed = in_shell("train nosuch.csv -o n 2>&-", folder)
    assert (failed.returncode, failed.stdout) == (2, "")


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closed: str, folder: Path) -> None:
    code = f"import os\ntry:\n  {MAIN}\nfinally:\n  os._exit(os.open('.', 0) < 3)"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} --version {closed}"
    assert (
        subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.DEVNULL).returncode == 0
    )


def test_progress_that_nobody_can_read_does_not_stop_training(folder: Path) -> None:
    done = in_shell("train mail.csv -o m 2>/dev/full", folder)
    assert (done.returncode, done.stdout.count("\n")) == (0, 9)
    assert (folder / "m").exists()


def test_with_standard_output_closed_the_model_is_written_and_an_error_says_so(
    folder: Path,
) -> None:
    done = in_shell("train mail.csv -o m -q >&-", folder)
    assert (done.returncode, done.stderr) == (2, "novikoff: standard output: it is closed\n")
    assert (folder / "m").exists()


@pytest.mark.parametrize("words", ["train - -o m", "certify -"])
def test_a_closed_standard_input_is_an_error_in_one_line(words: str, folder: Path) -> None:
    done = in_shell(f"{words} <&-", folder)
    assert done.returncode == 2
    assert done.stderr == "novikoff: <stdin>: standard input is closed; name a file\n"


@pytest.mark.parametrize("words", ["--version", "train --help", "lab", "demo"])
def test_a_full_device_is_an_error_in_one_line(words: str, folder: Path) -> None:
    done = in_shell(f"{words} >/dev/full", folder)
    assert done.returncode == 2
    assert done.stderr == "novikoff: standard output: no space left on device\n"


def test_half_a_write_is_an_error_even_if_python_does_not_buffer(folder: Path) -> None:
    (folder / "many.csv").write_text(ROWS + "1,2,ham\n" * 999)
    stdout_of("train", folder / "mail.csv", "-o", folder / "m")
    done = in_shell("predict m many.csv >labels", folder, "ulimit -f 1; export PYTHONUNBUFFERED=1;")
    assert done.returncode == 2
    assert done.stderr == "novikoff: standard output: file too large\n"


def test_a_figure_is_written_whole_or_not_at_all(folder: Path) -> None:
    done = in_shell("lab conjunctions --plot x.svg", folder, "ulimit -f 1;")
    assert done.returncode == 2
    assert done.stderr == "novikoff: x.svg: file too large\n"
    assert [path.name for path in folder.iterdir()] == ["mail.csv"]


# Started once; for each signal it forks a process that waits for input while its file is open.
EVERY_SIGNAL = """
import os, signal, sys, time
from novikoff.cli import main, predict
folder = sys.argv[1]
os.chdir(folder)
def files():
    return sorted(name for name in os.listdir() if name not in ("mail.csv", "m", "out"))
for which in WHICH:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(reading, 0)
        os.close(writing)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.argv[1:] = ["predict", "m", "-", "-o", "out", "--format", "csv"]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main.main()
        sys.exit(0)
    os.close(reading)
    os.write(writing, b"a,b\\n1,2\\n")
    while not files():
        time.sleep(0.001)
    os.kill(child, which)
    os.kill(child, signal.SIGCONT)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    print(int(which), os.waitstatus_to_exitcode(status), files(), flush=True)
"""


def test_no_signal_leaves_a_hidden_file(folder: Path) -> None:
    stdout_of("train", folder / "mail.csv", "-o", folder / "m")
    # after a crash a handler in Python would return into the faulty instruction for ever
    crashes = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
    which = signal.valid_signals() - crashes - {signal.SIGKILL, signal.SIGSTOP}
    which -= set(range(signal.SIGRTMIN + 1, signal.SIGRTMAX))  # all alike
    code = EVERY_SIGNAL.replace("WHICH", repr(sorted(map(int, which))))
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=120
    )
    lines = done.stdout.splitlines()
    assert len(lines) > 20, done.stderr
    assert [line for line in lines if not line.endswith("[]")] == []
    ended = {int(line.split()[0]): int(line.split()[1]) for line in lines}
    assert [ended[one] for one in (signal.SIGHUP, signal.SIGTERM, signal.SIGWINCH)] == [129, 143, 0]


CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]")
HOSTILE = '"a\x1b[31m","b\u202e\nb",kind\n1,2,"ham\n\x07"\n3,1,"spam\x9b2J"\n4,1,"spam\x9b2J"\n'


@pytest.mark.parametrize(
    "verb",
    ["inspect {m}", "predict {m} {data}", "predict {m} {data} --print both", "test {m} {data}",
     "certify {data}", "train {data} -o {m}"],
)  # fmt: skip
@pytest.mark.parametrize("more", [[], ["--multiclass"]], ids=["two labels", "many"])
def test_names_cannot_control_the_terminal(verb: str, more: list[str], tmp_path: Path) -> None:
    data, model = tmp_path / "mail.csv", tmp_path / "m"
    data.write_text(HOSTILE)
    stdout_of("train", data, "-o", model, "-q", *more)
    answer = run(*verb.format(m=model, data=data).split())
    assert answer.exit_code == 0, answer.stderr
    printed = answer.stdout + answer.stderr
    assert CONTROL.findall(printed.replace("\t", "")) == []
    assert "\nb" not in printed
    if verb.startswith("predict"):
        assert answer.stdout.count("\n") == 3
        assert r"'spam\x9b2J'" in answer.stdout


def test_an_error_names_a_hostile_file_in_one_line(tmp_path: Path) -> None:
    words = error("train", tmp_path / "no\x1b[31m\nsuch\udc80.csv", "-o", tmp_path / "m")
    assert CONTROL.findall(words) == []
    assert "such" in words


def test_the_program_leaves_the_collector_of_garbage_on(folder: Path) -> None:
    """Also after an error before a verb is loaded: a program that calls `main` goes on."""
    for words in ("nonsense", "train missing.csv -o m", "version"):
        script = f"""
import gc, sys
from novikoff.cli.main import main
sys.argv = ["novikoff", *{words.split()}]
try:
    main()
except SystemExit:
    pass
print(gc.isenabled())
"""
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True
        )
        assert done.stdout.endswith("True\n"), done.stderr
