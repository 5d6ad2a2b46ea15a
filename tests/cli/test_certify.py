"""`novikoff certify`, `novikoff verify` and the checker by itself, as a person uses them."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import error, run
from novikoff import Certificate, certify
from novikoff.guarantees import check
from novikoff.separability.search import Search

CHECKER = Path(check.__file__)
MAIL = "words,links,kind\n120,0,ham\n80,7,spam\n90,8,spam\n200,1,ham\n"
TIED = "x,height,y\n0,3,0\n0,1,1\n0,2,1\n0,2.5,0\n0,0.5,0\n1,1,1\n1,2,1\n"
XOR = "0,0,0\n0,1,1\n1,0,1\n1,1,0\n"
FILES = {
    "mail.csv": MAIL,
    "mail.tsv": MAIL.replace(",", "\t"),
    "mail.txt": "+1 1:120\n-1 1:80 2:7\n# more\n\n-1 1:90 2:8\n+1 1:200 2:1\n",
    "semicolons.csv": MAIL.replace(",", "; "),
    "first.csv": "kind,words,links\nham,120,0\nspam,80,7\nspam,90,8\nham,200,1\n",
    "tied.csv": TIED,
    "xor.csv": XOR,
    "labels-first.csv": "a,1,2\nb,2,1\nb,3,1\n",
    "alone.svm": "7 1:1\n7 1:2\n",
    "zeros.svm": "1 0:1 3:2.5\n-1 0:-1\n",
    "crlf.csv": "\ufeff" + MAIL.replace("\n", "\r\n"),
}
OPTIONS = {
    "first.csv": ["--label", "kind"],
    "labels-first.csv": ["--label", "0"],
    "zeros.svm": ["--zero-based"],
}


def alone(*words: Any) -> tuple[int, str]:
    """The checker by itself: no site-packages, no environment, no novikoff."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def write(folder: Path, name: str, text: str | None = None) -> Path:
    file = folder / name
    raw = (FILES[name.removesuffix(".gz")] if text is None else text).encode()
    file.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return file


def made(folder: Path, name: str) -> tuple[Path, Path]:
    """A file of data and its certificate."""
    data = write(folder, name)
    assert run("certify", data, "-o", folder / "cert", *OPTIONS.get(name, [])).exit_code == 0
    return data, folder / "cert"


def tampered(cert: Path, *path: str, to: Any) -> None:
    """Change one thing in a certificate and seal it again."""
    whole = part = json.loads(cert.read_text())
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    whole["seal"] = check.seal(whole)
    cert.write_text(json.dumps(whole))


@pytest.mark.parametrize("name", [*FILES, "mail.csv.gz", "mail.txt.gz", "mail.tsv.gz"])
def test_what_certify_writes_is_proved_by_verify_and_by_the_checker_alone(
    name: str, tmp_path: Path
) -> None:
    data, cert = made(tmp_path, name)
    it = Certificate.load(cert)
    zero_based = [word for word in OPTIONS.get(name, []) if word == "--zero-based"]
    answer = run("verify", cert, data, *zero_based)
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert answer.stdout == f"{it.verdict}: proved for the {it.data.rows} rows\n"
    assert alone(cert, data, *zero_based) == (0, answer.stdout)


def test_the_summary_names_columns_and_rows(tmp_path: Path) -> None:
    answer = run("certify", write(tmp_path, "tied.csv"))
    assert answer.stdout.splitlines() == [
        "quasi-complete: a hyperplane has no row on its wrong side, but every such hyperplane has "
        "rows on it",
        "  data            7 rows, 2 columns and a constant; rows and columns are numbered from 0",
        "  label           y: 0 (-) or 1 (+)",
        "  separated       2 rows: 5–6",
        "  logistic model  no finite maximum-likelihood estimate: x → +∞; the others stay finite",
        answer.stdout.splitlines()[5],
    ]
    assert ", each multiplied by its label's sign and a positive number, sum to 0" in answer.stdout
    mail = run("certify", write(tmp_path, "mail.csv")).stdout
    assert mail.startswith("complete: a hyperplane separates the rows, each strictly")
    assert "  label           kind: ham (-) or spam (+)\n" in mail
    assert "  weights         words: " in mail
    assert "  mistake bound   a perceptron makes at most (R/γ)² = " in mail
    xor = run("certify", write(tmp_path, "xor.csv")).stdout
    assert xor.startswith("overlap: every hyperplane has a row on its wrong side")
    assert (
        "  data            4 rows, 2 columns and a constant; rows and columns are numbered" in xor
    )
    assert "  label           column 2: 0 (-) or 1 (+)\n" in xor
    assert "rows 0–3, each multiplied by its label's sign and a positive number, sum to 0\n" in xor


def test_long_lists_are_cut_and_say_how_many_are_left(tmp_path: Path) -> None:
    wide = "0" + ",1" * 9 + "\n1" + ",2" * 9 + "\n"
    aliased = run("certify", write(tmp_path, "x.csv", wide), "--label", "0").stdout
    assert (
        "column 2, column 3, column 4, column 5, column 6 and 2 more are combinations of" in aliased
    )
    triples = "".join(f"{y} {i + 1}:1\n" for i in range(12) for y in (0, 1, 1))
    proof = run("certify", write(tmp_path, "x.svm", triples)).stdout
    assert (
        "  proof           rows 0–1, 3–4, 6–7, 9–10, 12–13, 15–16, 18–19, 21–22 and 8 more, each"
        in proof
    )


def test_json_is_the_certificate_that_is_saved(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    printed = run("certify", data, "--json").stdout
    assert printed == cert.read_text()
    given = json.loads(printed)
    check.check(given, check.read(str(data), given["data"]))
    assert given["data"]["names"] == ["words", "links"]
    assert (given["data"]["label"], given["data"]["classes"]) == ("kind", ["ham", "spam"])


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_dash_is_the_standard_input(tmp_path: Path, compress: Any) -> None:
    _, cert = made(tmp_path, "mail.csv")
    assert run("certify", "-", "--json", input=compress(MAIL.encode())).stdout == cert.read_text()
    assert run("verify", cert, "-", input=compress(MAIL.encode())).exit_code == 0
    assert error("certify", "-", input=b"1 2:x\n").startswith("<stdin>:1:3: index 2: 'x' is not a")


def test_without_an_intercept_the_hyperplane_goes_through_the_origin(tmp_path: Path) -> None:
    data = write(tmp_path, "x.svm", "1 1:1\n-1 1:2\n")
    assert run("certify", data).stdout.startswith("complete")
    through = run("certify", data, "--no-intercept").stdout
    assert through.startswith("overlap")
    assert "  data            2 rows, 1 column; rows and columns are numbered from 0\n" in through


def test_an_undecided_verdict_is_status_1_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(search: Search) -> None:
        search.known.why = "the time limit was reached"

    monkeypatch.setattr(Search, "run", give_up)
    data = write(tmp_path, "mail.csv")
    answer = run("certify", data, "-o", tmp_path / "cert", "--max-seconds", "0.5")
    assert answer.exit_code == 1
    assert answer.stdout.startswith(
        "undecided: no proof was found either way\n  why             the time limit was reached\n"
    )
    words = "undecided: no verdict is proved, but its facts hold for the 4 rows\n"
    answer = run("verify", tmp_path / "cert", data)
    assert (answer.exit_code, answer.stdout) == (1, words)
    assert alone(tmp_path / "cert", data) == (1, words)


INTERRUPTED = """
import signal, sys
from novikoff.cli.main import main
from novikoff.separability.search import Search

def wait(search):
    search.known.hull = {0: 1, 1: 1}
    print("ready", flush=True)
    signal.pause()

signal.signal(signal.SIGINT, signal.default_int_handler)
Search.run = wait
main()
"""


def test_ctrl_c_prints_and_saves_what_is_known(tmp_path: Path) -> None:
    data, cert = write(tmp_path, "mail.csv"), tmp_path / "cert"
    command = [sys.executable, "-c", INTERRUPTED, "certify", str(data), "-o", str(cert)]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert err == f"novikoff: interrupted; this much is known and saved in {cert}:\n"
    assert out.startswith("undecided: no proof was found either way\n")
    assert "  why             the search was interrupted\n" in out
    assert "  best margin     at most " in out
    assert run("verify", cert, data).stdout.startswith(
        "undecided: no verdict is proved, but its facts hold"
    )


def test_ctrl_c_while_reading_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.sources.read", press)
    certify([[1.0], [2.0]], [0, 1]).save(tmp_path / "cert")
    for words in (("certify", "-", "-o", tmp_path / "x"), ("verify", tmp_path / "cert", "-")):
        answer = run(*words)
        assert (answer.exit_code, answer.stdout) == (130, "")
        assert answer.stderr == "novikoff: interrupted\n"
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.csv", "a,b,y\n1,2,0\n1,two,1\n", "{}:3: column 'b': 'two' is not a number"),
        ("x.svm", "1 1:1\n-1 2:nan\n", "{}:2:4: index 2: 'nan' is missing; fill it in or remove"),
        ("x.svm", "1 1:1\n2 1:1\n3 1:1\n", "{}:3: label '3' is a third label, after '1' and '2'"),
        ("x.svm", "", "{}: there are no examples"),
        ("x.csv", "a,y\n", "{}: there are no examples"),
        ("x.svm", "1 1000000000000000:1\n", "{}: not enough memory"),
    ],
)
def test_bad_data_are_refused_by_file_line_and_value(
    name: str, text: str, words: str, tmp_path: Path
) -> None:
    data = write(tmp_path, name, text)
    assert error("certify", data, "-o", tmp_path / "cert").startswith(words.format(data))
    assert not (tmp_path / "cert").exists()


def test_bad_files_are_named(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    none = tmp_path / "none.csv"
    for words in (("certify", none), ("verify", cert, none), ("verify", none, data)):
        assert error(*words) == f"{none}: no such file or directory"
    (tmp_path / "empty").mkdir()
    assert error("certify", tmp_path / "empty") == (
        f"{tmp_path / 'empty'}: the directory has no files"
    )
    assert error("certify", data, "--label", "z").endswith(
        "there is no column 'z'; the columns are 'words', 'links', 'kind'"
    )
    assert error("verify", cert, write(tmp_path, "mail.txt")) == (
        f"{tmp_path / 'mail.txt'}: svmlight has no column 'kind'; every line begins with its label"
    )
    assert alone(cert, none) == alone(none, data) == (2, f"{none}: no such file\n")
    torn = tmp_path / "torn.csv.gz"
    torn.write_bytes(gzip.compress(MAIL.encode())[:-9])
    assert alone(cert, torn)[0] == 2


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--margin-rtol", value) for value in ("-1", "1", "2", "nan", "x")),
        *(("--max-seconds", value) for value in ("-1", "nan")),
    ],
)
def test_a_number_out_of_its_range_is_a_usage_error(
    option: str, value: str, tmp_path: Path
) -> None:
    words = error("certify", write(tmp_path, "mail.csv"), option, value)
    assert words.startswith(f"{option} must be ")
    assert words.endswith("; see novikoff certify --help")


def test_usage(tmp_path: Path) -> None:
    _, cert = made(tmp_path, "mail.csv")
    assert run("certify").exit_code == run("verify", cert).exit_code == alone(cert)[0] == 2
    status, words = alone("--help")
    assert (status, words.strip()) == (0, (check.__doc__ or "").strip())
    assert "JSON lines: its key. [the last column, the key 'label']" in " ".join(
        run("certify", "--help").stdout.split()
    )


def test_the_certificate_comes_first(tmp_path: Path) -> None:
    for name in ("mail.csv", "mail.txt", "mail.csv.gz"):
        data, cert = made(tmp_path, name)
        answer = run("verify", data, cert)
        assert answer.exit_code == 1
        assert answer.stdout.startswith(f"rejected: {data}: not JSON")
        assert answer.stdout.endswith(" (the certificate comes first)\n")
        assert alone(data, cert) == (1, f"rejected: {data}: not JSON\n")


def denied(path: Any, *_: Any, **__: Any) -> None:
    raise PermissionError(errno.EACCES, "Permission denied", path)


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("novikoff.sources.read", None)  # the work would fail at once
    data, there = write(tmp_path, "mail.csv"), tmp_path / "none" / "cert"
    assert error("certify", data, "-o", there) == f"{there}: there is no directory {there.parent}"
    assert error("certify", data, "-o", tmp_path).startswith(f"{tmp_path}: is a directory")
    assert error("certify", data, "-o", "/dev/null").startswith("/dev/null: not a regular file")
    assert (
        error("certify", data, "-o", "-")
        == "-: name a file for the certificate; to print the certificate, use --json"
    )
    assert error("certify", data, "-o", data).startswith(f"{data}: this command uses this file")
    assert error("certify", data, "-o", "/proc/x") == "/proc/x: the directory /proc is not writable"
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", denied)
        assert error("certify", data, "-o", "there/cert") == "there/cert: permission denied"


def test_a_late_write_error_names_the_output_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "replace", denied)
    cert = tmp_path / "cert"
    assert error("certify", write(tmp_path, "mail.csv"), "-o", cert) == f"{cert}: permission denied"


def test_a_certificate_that_was_changed_is_rejected(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    whole = cert.read_text()
    for text, words in (
        (whole.replace("complete", "overlap"), "it was changed after it was written"),
        (whole[:99], "not JSON"),
        ("[]", "it is not a certificate"),
        ("", "not JSON"),
    ):
        cert.write_text(text)
        answer = run("verify", cert, data)
        assert (answer.exit_code, answer.stderr) == (1, "")
        assert answer.stdout.startswith(f"rejected: {cert}: ")
        assert words in answer.stdout
        status, short = alone(cert, data)
        assert status == 1
        assert short == f"rejected: {cert}: {words}\n" or short == f"rejected: {words}\n"
    for path, to in ((["weights"], {"0": "1"}), (["radius_squared"], "1"),
                     (["weights"], []), (["radius_squared"], "1/0"), (["data"], [])):  # fmt: skip
        cert.write_text(whole)
        tampered(cert, *path, to=to)
        assert run("verify", cert, data).stdout.startswith("rejected: ")
        assert alone(cert, data)[1].startswith("rejected: ")


def test_other_data_are_rejected(tmp_path: Path) -> None:
    _, cert = made(tmp_path, "mail.csv")
    lines = (MAIL + "100,1,ham\n", MAIL[: MAIL.index("200")])
    for text in (*lines, MAIL.replace("120", "121"), MAIL.replace("spam", "ham", 1)):
        data = write(tmp_path, "other.csv", text)
        answer = run("verify", cert, data)
        assert answer.exit_code == 1
        same_rows = text.count("\n") == MAIL.count("\n")
        why = "the data are not those of the certificate" if same_rows else "the data have "
        assert answer.stdout.startswith(f"rejected: {why}")
        assert alone(cert, data) == (1, answer.stdout)


def test_columns_may_come_in_another_order(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    table = [line.split(",") for line in MAIL.split()]
    for order in ((1, 0, 2), (2, 1, 0), (1, 2, 0)):
        data.write_text("".join(",".join(line[k] for k in order) + "\n" for line in table))
        assert run("verify", cert, data).exit_code == alone(cert, data)[0] == 0
    data.write_text(MAIL.replace("links", "urls"))
    assert error("verify", cert, data) == (f"{data}: the columns differ: 'links' is missing")
    assert alone(cert, data) == (1, "rejected: column 'links' is missing\n")
    data.write_text("size," + MAIL.replace("\n", "\n1,").removesuffix("1,"))
    assert error("verify", cert, data).endswith("'size' is new")
    assert alone(cert, data) == (1, "rejected: column 'size' is not in the certificate\n")


@pytest.mark.parametrize("top", ["", "a,b,y\n", "0,1,target\n"])
@pytest.mark.parametrize("classes", [("0", "1"), ("ham", "spam")])
def test_a_certificate_of_arrays_is_proved_for_a_table_with_the_labels_last(
    top: str, classes: tuple[str, str], tmp_path: Path
) -> None:
    X, y = [[1.5, 2.0], [2.5, 0.0], [0.5, 1.0]], [0, 1, 0]
    named = [classes[k] for k in y]
    certify(X, named).save(tmp_path / "cert")
    text = top + "".join(f"{a},{b},{label}\n" for (a, b), label in zip(X, named, strict=True))
    for name, mark in (("x.csv", ","), ("x.tsv", "\t"), ("x.CSV.gz", ";")):
        data = tmp_path / name
        raw = text.replace(",", mark).encode()
        data.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        words = "complete: proved for the 3 rows\n"
        assert alone(tmp_path / "cert", data) == (0, words)
        assert run("verify", tmp_path / "cert", data).stdout == words


def test_the_classes_come_from_the_certificate(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "xor.csv")
    data.write_text(XOR.replace("0\n", "0.0\n").replace("1\n", "1e0\n"))
    assert run("verify", cert, data).exit_code == alone(cert, data)[0] == 0
    data.write_text(XOR.replace("0\n", "-1\n"))
    assert error("verify", cert, data) == (
        f"{data}:1: column 2: label '-1' is not one of '0' and '1'"
    )
    assert alone(cert, data) == (1, "rejected: label '-1' is neither '0' nor '1'\n")
    data.write_text("0,0,1\n0,1,1\n")  # one label only: it is still the positive one
    assert run("verify", cert, data).stdout == "rejected: the data have 2 rows, not 4\n"
    swapped = tmp_path / "swapped.svm"
    swapped.write_text("9 1:1\n2 1:-1\n")
    signs = certify([[1.0], [-1.0]], [0, 1]).named(classes=("9", "2"))
    signs.save(cert)
    assert run("verify", cert, swapped).exit_code == alone(cert, swapped)[0] == 0


@pytest.mark.parametrize("value", ["nan", "inf", "-Infinity", "1e999", "", "x"])
def test_the_checker_alone_refuses_values_that_are_not_numbers(value: str, tmp_path: Path) -> None:
    for name in ("mail.csv", "mail.txt"):
        data, cert = made(tmp_path, name)
        data.write_text(data.read_text().replace("120", value))
        assert alone(cert, data)[1].startswith("rejected: ")
        assert "Error" not in alone(cert, data)[1]


def test_progress_is_shown_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    for words in (["certify", str(data)], ["verify", str(cert), str(data)]):
        command = [sys.executable, "-c", "from novikoff.cli.main import main; main()", *words]
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=theirs, env=env)
        os.close(theirs)
        assert b"\x1b[?25l" in os.read(ours, 100_000)  # it hides the cursor, and draws
        os.close(ours)
        assert subprocess.run(command, check=True, capture_output=True).stderr == b""


def test_a_terminal_without_a_minus_sign_prints_a_hyphen(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "novikoff", "certify", str(write(tmp_path, "mail.csv"))]
    plain, ascii_only = (
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        ).stdout.decode()
        for encoding in ("utf-8", "ascii")
    )
    assert "weights         words: −" in plain
    assert "weights         words: -" in ascii_only


def test_a_pipe_closed_early_leaves_no_traceback(tmp_path: Path) -> None:
    lines = "".join(f"{'+-'[i % 2]}1 {i % 900 + 1}:{i + 1}\n" for i in range(9000))
    data = write(tmp_path, "long.svm", lines)
    start = f"{sys.executable} -c 'from novikoff.cli.main import main; main()'"
    for words, reader in ((f"certify {data} --json", "head -n 1"), (f"certify {data}", "true")):
        piped = f"{{ {start} {words}; echo $? >&2; }} | {reader}"
        done = subprocess.run(["sh", "-c", piped], capture_output=True, text=True)
        assert done.stderr in ("141\n", "0\n")  # all may fit into the pipe


def test_help_ends_in_an_example_and_loads_nothing_heavy() -> None:
    for command in ("certify", "verify"):
        help_text = run(command, "--help").stdout
        assert f"Example: novikoff {command} mail" in help_text.strip().splitlines()[-1]
    code = (
        "import sys; from novikoff.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert "certify" in done.stdout
    assert not {"scipy", "flint", "sklearn"} & set(done.stdout.split())
