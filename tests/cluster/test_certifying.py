"""`certify` on a cluster: a certificate of all the data, which `verify` and the checker accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

from cluster.conftest import lines
from helpers.command_line import error, json_of, run, stdout_of
from novikoff import Certificate
from novikoff.cluster import certifying
from novikoff.guarantees import check

DATA = {
    "separable.svm": (lines(300, separable=True), "complete"),
    "mixed.svm": (lines(300, separable=False), "overlap"),
    "xor.csv": ("a,b,y\n" + "0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n" * 20, "overlap"),
    "tied.csv": (
        "x,height,y\n" + "0,3,0\n0,1,1\n0,2,1\n0,2.5,0\n0,0.5,0\n1,1,1\n1,2,1\n" * 9,
        "quasi-complete",
    ),
    "late.svm": ("+1 1:1\n-1 1:2\n" * 40 + "+1 1:2 9:1\n-1 3:1\n+1 3:1\n", "quasi-complete"),
    "column.svm": ("+1 1:1\n-1 1:1\n" * 40 + "+1 1:1 9:1\n-1 1:1 9:1\n", "overlap"),
    "zero.svm": ("# a comment\n\n+1 1:1\n-1 2:1\n" * 30 + "+1 0:1\n", "complete"),
    "one.svm": ("7 1:1\n7 1:2\n" * 20, "complete"),
}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: Any) -> None:
    """So that several rounds are needed."""
    monkeypatch.setattr(certifying, "FIRST_ROWS", 3)
    monkeypatch.setattr(certifying, "MOST_AGAINST", 5)


@pytest.mark.parametrize("name", [*DATA])
def test_the_certificate_of_a_cluster_is_one_of_all_the_data(
    name: str, address: str, tmp_path: Path
) -> None:
    text, verdict = DATA[name]
    half = text.index("\n", len(text) // 2) + 1
    header = text[: text.index("\n") + 1] if name.endswith(".csv") else ""
    files = [tmp_path / f"{k}-{name}" for k in "ab"]
    files[0].write_text(text[:half])
    files[1].write_text(header + text[half:])
    cert = tmp_path / "cert"
    words = ("certify", *files, "-o", cert)
    found = json_of(*words, "--cluster", address, "--shards", 1 if name == "one.svm" else 5)
    assert found["verdict"] == verdict == json_of(*words[:3])["verdict"]
    said = stdout_of("verify", cert, *files)
    assert said.startswith(f"{verdict}: proved for the {found['data']['rows']} rows")
    check.check(json.loads(cert.read_text()), check.read([str(one) for one in files]))
    assert Certificate.load(cert).to_dict() == found
    files[1].write_text(files[1].read_text() + "\n")
    assert run("verify", cert, *files).stdout == (
        "rejected: the files are not those of the certificate\n"
    )


def responses(kind: str, case: str) -> str:
    """A table whose response has levels or counts; x or a firm separates some rows, or none."""
    rng = np.random.default_rng(5)
    rows = list[str]()
    for k in range(120):
        x, z = (int(v) for v in rng.integers(-3, 4, 2))
        firm = "abc"[k % 3]
        level = int(x + z > 0) + int(x > 2) if case == "overlap" else int(x > 0) + int(x > 2)
        if case == "overlap" and k % 7 == 0:
            level = int(rng.integers(0, 3))
        if kind == "poisson":
            level = 0 if case != "overlap" and firm == "c" else int(rng.integers(0, 3))
        rows.append(f"{x},{z},{firm},{level}\n")
    return "x,z,firm,y\n" + "".join(rows)


@pytest.mark.parametrize("kind", ["poisson", "multinomial", "ordinal"])
@pytest.mark.parametrize("case", ["separated", "overlap"])
@pytest.mark.parametrize("options", [(), ("--fixed-effects", "firm")])
def test_the_models_have_the_verdict_of_one_machine_and_its_proof(
    kind: str, case: str, options: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    table, cert = tmp_path / "t.csv", tmp_path / "cert"
    table.write_text(responses(kind, case))
    words = ("certify", table, "--model", kind, *options)
    here = json_of(*words)
    said = stdout_of(*words, "-o", cert, "--cluster", address, "--shards", "5")
    there = json.loads(cert.read_text())
    assert there["verdict"] == here["verdict"]
    assert (there["verdict"] == "overlap") == (case == "overlap")
    assert there["separated"] == here["separated"]
    unlike = {"fingerprint"}
    assert {**there["data"], **dict.fromkeys(unlike)} == {**here["data"], **dict.fromkeys(unlike)}
    found = Certificate.from_dict(there)
    rows = found.data.examples_of(np.array([*found.multipliers], dtype=np.int64)).tolist()[:8]
    lines_of = ", ".join(f"{table}:{row + 2}" for row in rows)  # after the header
    assert not rows or f" ({lines_of}), each multiplied" in said
    verify = ("verify", cert, table, "--categorical", "firm")
    assert stdout_of(*verify).startswith(f"{there['verdict']}: proved for the ")
    read = check.read([str(table)], categorical=["firm"], claimed=check.claim(there))
    check.check(there, read)
    table.write_text(table.read_text() + "9,9,a,1\n")
    assert run(*verify).stdout.startswith("rejected: ")


def test_what_is_wrong_with_a_response_is_said_without_a_row(address: str, tmp_path: Path) -> None:
    path, there = tmp_path / "t.csv", ("--cluster", address, "--shards", "3")
    path.write_text("x,y\n" + "1,2\n2,few\n" * 9)
    said = error("certify", path, "--model", "poisson", *there)
    assert said.startswith(f"{path}: response 'few' is not a number of at least 0")
    path.write_text("1 1 |a x\n2 1 |a x y\n1 0 |a y\n" * 9)
    (tmp_path / "t.vw").write_text(path.read_text())
    assert "an example has the weight 0" in error("certify", tmp_path / "t.vw", *there)


def test_the_certificate_does_not_depend_on_the_workers(
    files: dict[str, Path], address: str, workers: Any
) -> None:
    import distributed

    words = ("certify", files["mixed"], "--shards", "4", "--cluster")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as one:
        assert json_of(*words, one.scheduler_address) == json_of(*words, address)


def test_what_certify_cannot_do_on_a_cluster_is_refused_before_the_work(
    files: dict[str, Path], address: str
) -> None:
    words = ("certify", files["mixed"], "--cluster", address)
    for option in (("--kernel", "poly"), ("--margin-rtol", "0.1"), ("--formula", "y ~ a")):
        assert error(*words, *option) == (
            f"{option[0]} needs all examples on one machine; leave it out, or --cluster"
        )
    found = run(*words, "--max-seconds", "0", "--json")
    assert (found.exit_code, json.loads(found.stdout)["verdict"]) == (1, "undecided")


def test_the_rows_of_a_proof_are_named_by_file_and_line(address: str, tmp_path: Path) -> None:
    texts = {"a": "# one\n\n+1 1:1\n" + "+1 1:2\n-1 2:1 # two\n\n" * 9, "b": "+1 1:3\n-1 1:2\n"}
    places = list[str]()
    for name, text in texts.items():
        (tmp_path / f"{name}.svm").write_text(text)
        numbered = enumerate(text.split("\n"), 1)
        places += [
            f"{tmp_path}/{name}.svm:{n}" for n, line in numbered if line[:1] in "+-" and line
        ]
    words = ("certify", tmp_path / "*.svm", "--cluster", address, "--shards", "6")
    rows = [places[int(i)] for i in json_of(*words)["multipliers"]]
    assert f" ({', '.join(rows)}), each multiplied" in stdout_of(*words)


def pairs(name: str, one: int, other: int | None = None) -> str:
    """A set of scikit-learn as CSV: one class against another, or against all others."""
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    chosen = (y == one) | (y == other) if other is not None else y == y
    rows = zip(X[chosen].tolist(), (y[chosen] == one).tolist(), strict=True)
    return "".join(f"{','.join(map(str, x))},{int(label)}\n" for x, label in rows)


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        (("iris", 0), "complete"),
        (("iris", 1, 2), "overlap"),
        (("wine", 0, 1), "complete"),
        (("digits", 3, 8), "complete"),
        (("breast_cancer", 0), "complete"),
    ],
)
def test_real_data_have_the_verdict_of_one_machine(
    data: tuple[Any, ...], verdict: str, address: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(certifying, "MOST_AGAINST", 100)
    path = tmp_path / "t.csv"
    path.write_text(pairs(*data))
    there = ("--cluster", address, "--shards", "3")
    stdout_of("certify", path, "-o", tmp_path / "cert", *there)
    assert stdout_of("verify", tmp_path / "cert", path).startswith(f"{verdict}: proved")
    assert stdout_of("certify", path).startswith(f"{verdict}:")
    if verdict == "complete" and data[0] in ("iris", "digits"):  # others' margins are too small
        words = ("train", path, "-o", tmp_path / "m", "--until-separated", "-q", *there)
        assert json_of(*words)["verdict"] == "separated"
        assert json_of("test", tmp_path / "m", path)["mistakes"] == 0
