"""`novikoff certify`, `novikoff verify` and the checker by itself, as a person uses them."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import json
import os
import pty
import resource
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from helpers.command_line import error, run, stdout_of
from novikoff import Certificate, certify
from novikoff.guarantees import check
from novikoff.separability.search import Search
from novikoff.sources.inputs import Input
from novikoff.stream.labels import LabelsAsSigns

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
    "zero-value.svm": "1 1:3 4:0\n-1 1:-1\n",
    "label-is-a-value.csv": "a,0,2\nb,2,1\nb,3,1\n",
    "crlf.csv": "\ufeff" + MAIL.replace("\n", "\r\n"),
}
OPTIONS = {
    "first.csv": ["--label", "kind"],
    "labels-first.csv": ["--label", "0"],
    "label-is-a-value.csv": ["--label", "0"],
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
    answer = run("verify", cert, data, *OPTIONS.get(name, []))
    assert (answer.exit_code, answer.stderr) == (0, "")
    proved, file, *_ = answer.stdout.splitlines()
    assert proved == f"{it.verdict}: proved for the {it.data.rows} rows"
    assert file == f"  file    {data}, sha256:{hashlib.sha256(data.read_bytes()).hexdigest()}"
    assert alone(cert, data, *OPTIONS.get(name, [])) == (0, answer.stdout)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("mail.csv", ["header  yes", "label   column 'kind': 'ham' is -, 'spam' is +"]),
        ("mail.txt", ["label   '-1' is -, '1' is +"]),
        (
            "xor.csv",
            [
                "header  none, the first line is an example",
                "label   column '2': '0' is -, '1' is +",
            ],
        ),
    ],
)
def test_a_proof_says_how_the_file_was_read(name: str, lines: list[str], tmp_path: Path) -> None:
    data, cert = made(tmp_path, name)
    said = run("verify", cert, data).stdout.splitlines()[2:]
    assert [line.strip() for line in said] == lines


def test_only_the_reader_says_which_column_is_the_label(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "labels-first.csv")
    data.write_text("0,1,1\n1,2,0\n1,3,0\n")
    assert run("certify", data, "-o", cert, "--label", "0").exit_code == 0
    words = (
        "rejected: the label's column: '2' here, '0' in the certificate; read '0' as the label\n"
    )
    assert run("verify", cert, data).stdout == words
    assert alone(cert, data) == (1, words)
    assert run("verify", cert, data, "--label", "0").exit_code == 0
    assert alone(cert, data, "--label", "0")[0] == 0
    # with texts among the features, the other label makes other columns: still it is the cause
    data.write_text("died,age,sex\nyes,1,m\nno,2,f\nno,3,m\n")
    assert run("certify", data, "-o", cert, "--label", "died").exit_code == 0
    assert run("verify", cert, data).stdout == words.replace("0", "died").replace("2", "sex")


FORGED = [
    # a row of data as the header, so that the others do not contradict it
    ("x.csv", "7,a\n7,b\n8,a\n", [[7.0], [8.0]], ["b", "a"], {"names": ["7"], "label": "a"}),
    ("x.csv", "1,2,0\n1,2,1\n5,5,0\n", [[1.0, 2], [5, 5]], [1, 0],
     {"names": ["1", "2"], "label": "0"}),
    # columns that the file does not have, which would widen the margin
    ("x.csv", "x,z,y\n1,0,1\n-1,0,0\n", [[1.0] * 4 + [0], [-1.0] * 4 + [0]], [1, 0],
     {"names": ["x", "x", "x", "x", "z"], "label": "y"}),
    ("x.csv", "x,z,y\n1,2,1\n-1,0,0\n", [[2.0, 1], [0, -1]], [1, 0], {"names": ["z", "x"]}),
    ("x.svm", "1 1:1\n0 1:-1\n", [[1.0, 0], [-1, 0]], [1, 0], {}),
    # the other label as the positive one
    ("x.svm", "9 1:1\n2 1:-1\n", [[1.0], [-1.0]], [0, 1], {"classes": ["9", "2"]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "X", "y", "claims"), FORGED)
def test_a_certificate_does_not_decide_how_a_file_is_read(
    name: str, text: str, X: Any, y: Any, claims: dict[str, Any], tmp_path: Path
) -> None:
    data, cert = write(tmp_path, name, text), tmp_path / "cert"
    certify(X, y, fit_intercept=False).save(cert)
    for key, value in claims.items():
        tampered(cert, "data", key, to=value)
    for _ in range(2):
        answer = run("verify", cert, data)
        assert (answer.exit_code, answer.stderr) == (1, "")
        assert answer.stdout.startswith("rejected: ")
        status, words = alone(cert, data)
        assert status == 1
        assert words.startswith("rejected: ")
        digest = hashlib.sha256(data.read_bytes()).hexdigest()
        tampered(cert, "data", "files", to=[f"sha256:{digest}"])


HUGE = 10**12
LARGE = [
    (("data", "rows"), HUGE),
    (("data", "columns"), HUGE),
    (("separated",), f"0-{HUGE - 1}"),
    (("separated",), ",".join(f"{10 * i}-{10 * i + 8}" for i in range(HUGE, HUGE + 9))),
    (("weights",), {str(HUGE): "1"}),
    (("multipliers",), {str(HUGE): "1"}),
    (("margin", "hull"), {str(HUGE): "1"}),
    (("margin", "at_least_squared"), "1e999999999"),
    (("margin", "at_least_squared"), "1/" + "9" * 5000),
    (("radius_squared",), "1" + "0" * 5000),
    (("complement",), [{"0": "1", str(HUGE): "1"}] * 99),
    (("version",), 10**400),
    (("data", "rows"), 10**400),
    (("data", "names"), ["x"] * 9999),
]


def checked(cert: Path, data: Path) -> str:
    """What the checker by itself prints, run in this process."""
    with (
        patch.object(sys, "argv", ["check.py", str(cert), str(data)]),
        contextlib.redirect_stdout(StringIO()) as out,
    ):
        check.main()
    return out.getvalue()


@pytest.mark.parametrize("name", ["mail.csv", "mail.txt", "tied.csv"])
def test_what_a_certificate_claims_is_bounded_by_the_data(name: str, tmp_path: Path) -> None:
    data, cert = made(tmp_path, name)
    whole = cert.read_text()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), hard))
    try:
        for path, to in LARGE:
            cert.write_text(whole)
            tampered(cert, *path, to=to)
            with contextlib.suppress(check.Rejected):
                print(Certificate.load(cert), Certificate.load(cert).mistake_bound)
            assert run("verify", cert, data).stdout.startswith("rejected: "), path
            assert checked(cert, data).startswith("rejected: "), path
        for path in (("data", "rows"), ("data", "columns")):  # both at once, as a forger would
            tampered(cert, *path, to=HUGE)
        tampered(cert, "separated", to=f"0-{HUGE - 1}")
        assert run("verify", cert, data).stdout.startswith("rejected: ")
        assert checked(cert, data).startswith("rejected: ")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"version": ' + "9" * 5000 + "}", "a number in it is too long, or not a count"),
        ('{"version": 1e400}', "a number in it is too long, or not a count"),
        ('{"version": NaN}', "a number in it is too long, or not a count"),
        ('{"version": 1, "version": 2}', "a field in it comes twice"),
        ("[" * 100_000, "not JSON (the certificate comes first)"),
        ('{"a":' * 100_000, "not JSON"),
        ("{", "not JSON"),
        ("{}", "it is not a certificate"),
        ('{"format": "novikoff certificate", "version": 1}', "its version is not 4"),
        ('{"format": "novikoff certificate", "version": true}', "its version is not 4"),
    ],
)
def test_a_strange_certificate_is_rejected_in_one_line(
    text: str, words: str, tmp_path: Path
) -> None:
    data, cert = made(tmp_path, "mail.csv")
    cert.write_text(text)
    answer = run("verify", cert, data)
    assert (answer.exit_code, answer.stderr) == (1, "")
    assert answer.stdout in (f"rejected: {cert}: {words}\n", f"rejected: {words}\n")
    assert alone(cert, data) == (1, answer.stdout)


def test_a_certificate_names_the_files_it_is_about(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "mail.csv")
    (tmp_path / "copy.csv").write_bytes(data.read_bytes())
    assert run("verify", cert, tmp_path / "copy.csv").exit_code == 0
    packed = write(tmp_path, "mail.csv.gz")  # the same rows in other bytes
    words = "rejected: the files are not those of the certificate\n"
    assert run("verify", cert, packed).stdout == words
    assert alone(cert, packed) == (1, words)
    assert run("verify", cert, data, data).stdout == words
    assert alone(cert, data, data) == (1, words)
    raw = subprocess.run(
        [sys.executable, "-m", "novikoff", "verify", cert, "-"],
        input=data.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert raw.stdout.startswith(b"complete: proved for the 4 rows\n  file    <stdin>, sha256:")


def test_several_files_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "both").mkdir()
    one = write(tmp_path / "both", "1.csv", MAIL)
    two = write(tmp_path / "both", "2.csv", "words,links,kind\n70,9,spam\n")
    cert = tmp_path / "cert"
    assert run("certify", tmp_path / "both", "-o", cert).exit_code == 0
    answer = run("verify", cert, one, two)
    assert answer.stdout.startswith("complete: proved for the 5 rows\n")
    assert answer.stdout.count("  file    ") == 2
    assert alone(cert, one, two) == (0, answer.stdout)
    assert alone(cert, two, one)[1] == "rejected: the files are not those of the certificate\n"


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path, "mail.csv")
    meet = LabelsAsSigns.meet

    def change(*args: Any) -> Any:
        data.write_text(MAIL.replace("120", "121"))
        return meet(*args)

    monkeypatch.setattr(LabelsAsSigns, "meet", change)
    assert error("certify", data).startswith(f"{data}: the file changed while it was being read")
    data.write_text(MAIL)
    sha256 = Input.sha256

    def hash_first(one: Input) -> str:
        digest = sha256(one)
        data.write_text(MAIL.replace("120", "121"))
        return digest

    monkeypatch.undo()
    monkeypatch.setattr(Input, "sha256", hash_first)
    assert error("certify", data).startswith(f"{data}: the file changed while it was being read")


def test_the_summary_names_columns_and_rows(tmp_path: Path) -> None:
    answer = run("certify", write(tmp_path, "tied.csv"))
    assert answer.stdout.splitlines() == [
        "quasi-complete: a hyperplane has no row on its wrong side, but every such hyperplane has "
        "rows on it",
        "  data            7 rows, 2 columns and a constant; rows and columns are numbered from 0",
        "  label           y: 0 (-) or 1 (+)",
        "  separated       2 rows: 5–6",
        "  logistic model  no finite maximum-likelihood estimate: x → +∞; the others stay finite",
        "  reason          all 2 rows with x have y 1",
        answer.stdout.splitlines()[6],
        "  read            CSV, comma, header, label 'y', 2 numbers",
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
    check.check(given, check.read([str(data)]))
    assert given["data"]["names"] == ["words", "links"]
    assert (given["data"]["label"], given["data"]["classes"]) == ("kind", ["ham", "spam"])


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_dash_is_the_standard_input(tmp_path: Path, compress: Any) -> None:
    data, cert = tmp_path / "mail.csv", tmp_path / "cert"
    data.write_bytes(compress(MAIL.encode()))
    assert run("certify", data, "-o", cert).exit_code == 0
    assert run("certify", "-", "--json", input=data.read_bytes()).stdout == cert.read_text()
    assert run("verify", cert, "-", input=data.read_bytes()).exit_code == 0
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
        search.why = "the time limit was reached"

    monkeypatch.setattr(Search, "run", give_up)
    data = write(tmp_path, "mail.csv")
    answer = run("certify", data, "-o", tmp_path / "cert", "--max-seconds", "0.5")
    assert answer.exit_code == 1
    assert answer.stdout.startswith(
        "undecided: no proof was found either way\n  why             the time limit was reached\n"
    )
    words = "undecided: no verdict is proved, but its facts hold for the 4 rows\n"
    answer = run("verify", tmp_path / "cert", data)
    assert answer.exit_code == 1
    assert answer.stdout.startswith(words)
    assert alone(tmp_path / "cert", data) == (1, answer.stdout)


INTERRUPTED = """
import signal, sys
from novikoff.cli.main import main
from novikoff.separability.search import Search

def wait(search):
    search.hull = {0: 1, 1: 1}
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

    monkeypatch.setattr("novikoff.cli.options.Scanned", press)
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
    assert error("verify", cert, write(tmp_path, "mail.txt"), "--label", "kind") == (
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
    assert status == 0
    assert (check.__doc__ or "").strip() in words
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
        assert alone(data, cert) == (1, answer.stdout)


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
        ("", "not JSON (the certificate comes first)"),
    ):
        cert.write_text(text)
        answer = run("verify", cert, data)
        assert (answer.exit_code, answer.stderr) == (1, "")
        assert answer.stdout in (f"rejected: {cert}: {words}\n", f"rejected: {words}\n")
        assert alone(cert, data) == (1, answer.stdout)
    for path, to in ((["weights"], {"0": "1"}), (["radius_squared"], "1"),
                     (["weights"], []), (["radius_squared"], "1/0"), (["data"], [])):  # fmt: skip
        cert.write_text(whole)
        tampered(cert, *path, to=to)
        assert run("verify", cert, data).stdout.startswith("rejected: ")
        assert alone(cert, data)[1].startswith("rejected: ")


@pytest.mark.parametrize(
    "text",
    [
        MAIL + "100,1,ham\n",
        MAIL[: MAIL.index("200")],
        MAIL.replace("120", "121"),
        MAIL.replace("spam", "ham", 1),
    ],
)
def test_other_data_are_rejected(text: str, tmp_path: Path) -> None:
    _, cert = made(tmp_path, "mail.csv")
    data = write(tmp_path, "other.csv", text)
    answer = run("verify", cert, data)
    assert answer.exit_code == 1
    assert answer.stdout == "rejected: the files are not those of the certificate\n"
    assert alone(cert, data) == (1, answer.stdout)
    tampered(cert, "data", "files", to=[])  # then it is about rows, wherever they are
    answer = run("verify", cert, data)
    same_rows = text.count("\n") == MAIL.count("\n")
    why = "the data are not those of the certificate" if same_rows else "the data have "
    assert answer.stdout.startswith(f"rejected: {why}")
    assert alone(cert, data) == (1, answer.stdout)


@pytest.mark.parametrize(
    "text",
    [
        "links,words,kind\n0,120,ham\n7,80,spam\n8,90,spam\n1,200,ham\n",
        MAIL.replace("links", "urls"),
        "size," + MAIL.replace("\n", "\n1,").removesuffix("1,"),
        MAIL.replace("links", "words"),
    ],
)
def test_other_columns_are_rejected(text: str, tmp_path: Path) -> None:
    _, cert = made(tmp_path, "mail.csv")
    data = write(tmp_path, "other.csv", text)
    tampered(cert, "data", "files", to=[])
    assert run("verify", cert, data).exit_code != 0
    assert alone(cert, data)[1].startswith(("rejected: ", "cannot be checked here: two columns"))


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
        answer = run("verify", tmp_path / "cert", data)
        assert answer.stdout.startswith("complete: proved for the 3 rows\n")
        assert alone(tmp_path / "cert", data) == (0, answer.stdout)


def test_the_labels_of_a_certificate_are_those_of_the_data(tmp_path: Path) -> None:
    data, cert = made(tmp_path, "xor.csv")
    tampered(cert, "data", "files", to=[])
    data.write_text(XOR.replace("0\n", "0.0\n").replace("1\n", "1e0\n"))
    assert run("verify", cert, data).exit_code == alone(cert, data)[0] == 0
    data.write_text(XOR.replace("0\n", "-1\n"))
    words = "rejected: the labels: ('-1', '1') here, ('0', '1') in the certificate\n"
    assert run("verify", cert, data).stdout == words
    assert alone(cert, data) == (1, words)
    assert error("verify", cert, data, "--classes", "0,1").startswith(
        f"{data}:1: column 2: label '-1' is not one of '0' and '1'; "
    )


@pytest.mark.parametrize("value", ["nan", "inf", "-Infinity", "1e999", "", "x"])
def test_the_checker_alone_refuses_values_that_are_not_numbers(value: str, tmp_path: Path) -> None:
    for name, says in (
        ("mail.csv", (2, "cannot be checked here")),
        ("mail.txt", (1, "rejected")),  # the file is another
    ):
        data, cert = made(tmp_path, name)
        data.write_text(data.read_text().replace("120", value))
        status, said = alone(cert, data)
        assert (status, said.partition(":")[0]) == says


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


@pytest.mark.parametrize(
    ("text", "options", "line"),
    [
        ("x,k\n1,a\n2,a\n", [], "one label       all rows have the label a, so a constant alone"),
        ("x,k\n1,a\n2,a\n", ["--no-intercept"], "one label       all rows have the label a\n"),
        ("1,0\n2,0\n2,1\n3,1\n", [], "estimate: column 0 → +∞, constant → −∞\n"),
        ("x y k\nr1 1 2 a\nr2 3 4 b\n", [], "2 numbers, 1 ignored (row names)"),
    ],
)
def test_what_is_special_about_the_data_is_said(
    text: str, options: list[str], line: str, tmp_path: Path
) -> None:
    assert line in run("certify", write(tmp_path, "x.csv", text), *options).stdout


@pytest.mark.parametrize("choice", [("--keep", "a", "--keep", "b"), ("--one-vs-rest", "b")])
def test_verify_names_the_options_that_read_what_the_certificate_is_about(
    choice: tuple[str, ...], tmp_path: Path
) -> None:
    data, proof = tmp_path / "v.csv", tmp_path / "v.json"
    data.write_text("k,x,z\na,1,2\nb,2,3\nc,3,1\na,0,2\n")
    stdout_of("certify", data, "--label", "k", *choice, "-o", proof)
    said = error("verify", proof, data)
    assert said.endswith(f"the certificate is about, use --label k {' '.join(choice)}")
    assert error("verify", proof, data, "--label", "k").endswith(f"use {' '.join(choice)}")
    assert "proved" in stdout_of("verify", proof, data, "--label", "k", *choice)
