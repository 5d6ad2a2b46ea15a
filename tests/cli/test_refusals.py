"""What the verbs refuse: one line, exit status 2, nothing overwritten and nothing left behind."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import contents, error, run, trained_model
from novikoff.sources.files import text as pieces
from novikoff.storage.file_format import FORMAT

SVM = "1 1:2\n-1 2:1\n1 1:1 3:0.5\n-1 2:2 3:1\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with data, a finished model of them, and a file that must stay as it is."""
    (tmp_path / "x.svm").write_text(SVM)
    (tmp_path / "x.csv").write_text("a,b,y\n1,2,0\n2,1,1\n")
    (tmp_path / "empty").mkdir()
    trained_model(tmp_path / "model", tmp_path / "x.svm")
    trained_model(tmp_path / "out", tmp_path / "x.csv")
    return tmp_path


def refused(here: Path, *words: Any, **options: Any) -> str:
    """The error of a verb that changed no file."""
    before = contents(here)
    found = error(*words, **options)
    assert contents(here) == before
    return found.replace(f"{here}{os.sep}", "")


def refused_training(here: Path, *words: Any, **options: Any) -> str:
    return refused(here, "train", *words, "-o", here / "out", "-q", **options)


FILES: dict[str, tuple[bytes, str]] = {
    "empty.svm": (b"", "empty.svm: there are no examples"),
    "bad.svm": (b"1 1:2\n-1 2:1\n1 1=3\n", "bad.svm:3:"),
    "third.svm": (
        b"1 1:2\n-1 2:1\n1 1:1\n3 1:1\n",
        "third.svm:4: label '3' is a third label, after",
    ),
    "widths.csv": (b"a,b,y\n1,2,0\n1,3,1\n1,2,3,0\n", "widths.csv:4: 4 fields, but the first"),
    "cut.svm.gz": (gzip.compress(SVM.encode() * 99)[:-9], "cut.svm.gz: cannot be decompressed"),
    "dates.csv": (b"a,y\n2020-01-01,0\n2020-01-02,1\n", "dates.csv"),
    "bad.parquet": (b"PAR1 not really PAR1", "bad.parquet"),
    "bad.arrow": (b"ARROW1\0\0 not really", "bad.arrow"),
    "bad.npz": (b"PK\x03\x04 not really", "bad.npz"),
    "bad.jsonl": (b'{"label": 1, "a": }\n', "bad.jsonl:1:19:"),
    "bad.vw": (b"1 | a:x\n", "bad.vw:1:"),
    "large.svm": (
        b"1 1:1e300\n-1 1:-1e300\n",
        "feature '1': the values are too large",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_data_are_refused(name: str, here: Path) -> None:
    content, words = FILES[name]
    (here / name).write_bytes(content)
    assert refused_training(here, here / name).startswith(words)
    before = contents(here)
    assert run("predict", here / "model", here / name, "-o", here / "out").exit_code in (0, 2)
    assert contents(here).keys() == before.keys()


def test_a_bad_line_far_down_leaves_the_old_model(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 50)
    (here / "long.svm").write_text(SVM * 50 + "1 1:oops\n")
    for more in ([], ["--cache", here / "cache"], ["--shuffle", "--holdout", 3]):
        words = refused_training(here, here / "long.svm", *more)
        assert words.startswith("long.svm:201:")
    words = refused(here, "predict", here / "model", here / "long.svm", "-o", here / "out")
    assert words.startswith("long.svm:201:")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["train", "far.svm", "-o", "out"],
            "far.svm: feature index 99,999,999,999 needs",
        ),
        (["certify", "a.csv", "--model", "poisson"], "a.csv: row 1: response 'x' is not a number"),
        (
            ["certify", "a.csv", "--formula", "y ~ b"],
            "a.csv: there is no column 'b'; the columns are 'a', 'y'",
        ),
        (
            ["train", "a.csv", "-o", "out", "--positive", "z"],
            "a.csv:3: column 'y': label 'x' is a third label, after 'z' (which you named as "
            "positive) and '1'; name the label's column",
        ),
        (["journal", "verify", "a.csv"], "a.csv/journal.sqlite: not a directory"),
    ],
)
def test_an_error_names_the_file_and_what_was_found_there(
    words: list[str], said: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "far.svm").write_text("1 1:1\n-1 99999999999:1\n")
    (here / "a.csv").write_text("a,y\n1,1\n2,x\n")
    monkeypatch.chdir(here)
    assert refused(here, *words).startswith(said)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("missing.svm", "missing.svm: no such file or directory"),
        ("missing-*.svm", "missing-*.svm: no file matches the pattern"),
        ("empty", "empty: the directory has no files"),
    ],
)
def test_missing_data_are_refused(data: str, words: str, here: Path) -> None:
    assert refused_training(here, here / data).removeprefix(f"{here}/") == words
    for verb in ("predict", "test"):
        assert refused(here, verb, here / "model", here / data) == words


def damaged(here: Path, kind: str) -> Path:
    raw = bytearray((here / "model").read_bytes())
    if kind == "newer":
        raw[8] = FORMAT + 1
    elif kind == "flipped":
        raw[len(raw) // 2] ^= 16
    elif kind == "truncated":
        del raw[-100:]
    elif kind == "empty":
        raw.clear()
    else:
        raw = bytearray(SVM.encode())
    (here / "bad").write_bytes(raw)
    return here / "bad"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            "newer",
            f"bad: written by a newer novikoff (format {FORMAT + 1}; this one reads {FORMAT})",
        ),
        ("flipped", "bad: the file is damaged: its checksum does not match"),
        ("truncated", "bad: the file is truncated: "),
        ("empty", "bad: this file is empty"),
        ("data", "bad: this file was not saved by novikoff"),
    ],
)
def test_unusable_models_are_refused(kind: str, words: str, here: Path) -> None:
    bad = damaged(here, kind)
    for verb in ("predict", "test"):
        assert refused(here, verb, bad, here / "x.svm").startswith(words)
    assert refused(here, "predict", bad, here / "x.svm", "-o", here / "out").startswith(words)
    assert refused(here, "inspect", bad, "--weights", here / "out").startswith(words)
    assert refused_training(here, here / "x.svm", "--initial", bad).startswith(words)
    before = contents(here)
    found = error("train", here / "x.svm", "-o", bad, "--resume", "-q")
    assert found.removeprefix(f"{here}/").startswith(words)
    assert contents(here) == before


def test_data_before_the_model_are_refused(here: Path) -> None:
    for verb in ("predict", "test"):
        words = refused(here, verb, here / "x.svm", here / "model")
        assert words == "x.svm: not a novikoff model; the model comes first, then the data"


def test_an_unknown_label_is_refused(here: Path) -> None:
    (here / "new.svm").write_text("1 1:1\n2 1:1\n")
    words = "new.svm:2: label '2' is not one of '-1' and '1'"
    words += "; correct it, or name each label to read with --keep"
    assert refused(here, "test", here / "model", here / "new.svm") == words
    assert refused_training(here, here / "new.svm", "--initial", here / "model") == words
    assert refused_training(here, here / "new.svm", "--classes", "-1,1") == words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--margin", "2"], "margin applies to the learner margin only, not to "),
        (
            ["--margin", "-1", "--learner", "voted"],
            "margin applies to the learner margin only, not to ",
        ),
        (["--margin", "0", "--learner", "margin"], "the margin must be finite and above 0, not 0"),
        (
            ["--initial", "model", "--learner", "voted"],
            "--learner differs from the model's (adaptive); leave it out",
        ),
        (
            ["--initial", "model", "--margin", "2"],
            "--margin differs from the model; leave it out",
        ),
        (
            ["--initial", "model", "--no-bias"],
            "--no-bias differs from the model; leave it out",
        ),
        (["--initial", "model", "--hash-bits", "9"], "--hash-bits differs from the model"),
        (
            ["--initial", "model", "--no-standardise"],
            "--no-standardise differs from the model",
        ),
        (
            ["--initial", "model", "--interactions", "all"],
            "--interactions differs from the model",
        ),
        (["--initial", "model", "--ledger"], "--ledger differs from the model"),
        (
            ["--initial", "model", "--classes", "1,-1"],
            "--classes differs from the model's (-1,1); leave it out",
        ),
        (["--initial", "missing"], "missing: no such file or directory"),
        (["--classes", "1"], "--classes '1': write two different labels as NEG,POS"),
        (["--classes", "1,+1"], "the classes must be two labels, not '1', '+1'"),
        (["--interactions", "a"], "--interactions 'a': write A*B"),
        (["--label", "y"], "x.svm: svmlight has no column 'y'"),
        (
            ["--cache", "x.svm"],
            "x.svm: this command uses this file already; choose another file for the cache",
        ),
        (
            ["--cache", "out"],
            "out: this command uses this file already; choose another file for the cache",
        ),
        (["--cache", "empty"], "empty: is a directory"),
        (["--cache", "no/cache"], "no/cache: there is no directory no"),
    ],
)
def test_contradicting_options_are_refused(
    options: list[str], words: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    assert refused_training(here, "x.svm", *options).startswith(words)


@pytest.mark.parametrize("option", [["--passes", 2], ["--holdout", 5], ["--until-separated"]])
def test_a_pipe_is_not_read_twice(option: list[Any], here: Path) -> None:
    words = refused_training(here, "-", *option, input=SVM)
    assert words.endswith("use --no-stream, --cache or a file")
    words = refused_training(here, "-", "--standardise", "--cache", here / "c", input=SVM)
    assert words.startswith("--standardise reads a stream twice")


def test_resuming_a_finished_run_says_so_and_succeeds(here: Path) -> None:
    before = (here / "model").read_bytes()
    answer = run("train", here / "x.svm", "-o", here / "model", "--resume")
    assert (answer.exit_code, answer.stdout) == (0, "")
    says = "the run is finished; to train the model further, use --initial"
    assert answer.stderr == f"novikoff: {here / 'model'}: {says}\n"
    assert (here / "model").read_bytes() == before


def test_unwritable_outputs_are_refused(here: Path) -> None:
    (here / "in").mkdir()
    (here / "in" / "1.svm").write_text(SVM)
    used = "this command uses this file already; choose another file for the"
    for output, words in {
        "in/1.svm": "its directory is read as data; write the model elsewhere",
        "empty": "is a directory",
        "no/model": f"there is no directory {here / 'no'}",
    }.items():
        found = error("train", here / "in", "-o", here / output, "-q")
        assert found == f"{here / output}: {words}"
    assert (here / "in" / "1.svm").read_text() == SVM
    model, x = here / "model", here / "x.svm"
    for path in (model, x):
        assert refused(here, "predict", model, x, "-o", path).endswith(f"{used} predictions")
    assert refused(here, "inspect", model, "--weights", model).endswith(f"{used} weights")
    assert refused(here, "predict", model, x, "-o", "/dev/full") == "/dev/full: not a regular file"


def test_features_of_another_kind_are_refused(here: Path) -> None:
    words = refused(here, "predict", here / "model", here / "x.csv")
    assert words == (
        "x.csv: the model expects numbered features; "
        "the data have the columns of a table of numbers"
    )


def alone(here: Path, *words: Any, file_size: int | None = None, stdout: Any = None) -> str:
    """The error of a verb in a process of its own, on a disk that has so much room for a file."""

    def limit() -> None:
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    before = contents(here)
    done = subprocess.run(
        [sys.executable, "-m", "novikoff", *map(str, words)],
        stdout=stdout or subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert (done.returncode, done.stdout or "") == (2, "")
    assert done.stderr.count("\n") == 1
    assert contents(here) == before
    return done.stderr.removeprefix("novikoff: ").strip().replace(f"{here}{os.sep}", "")


def test_a_full_disk_is_reported(here: Path) -> None:
    (here / "x.svm").write_text(SVM * 99)
    words = ["train", here / "x.svm", "-o", here / "out", "-q"]
    assert alone(here, *words, file_size=500) == "out: file too large"
    found = alone(here, *words, "--cache", here / "cache", file_size=500)
    assert found == "cache: file too large"
    words = ["predict", here / "model", here / "x.svm", "-o", here / "out"]
    assert alone(here, *words, file_size=500) == "out: file too large"
    with open("/dev/full", "w") as full:
        found = alone(here, "predict", here / "model", here / "x.svm", stdout=full)
    assert found == "standard output: no space left on device"
