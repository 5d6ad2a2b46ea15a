"""`novikoff train` as a person uses it, on every format there is."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import contents, error, json_of, run, stdout_of, trained_model
from novikoff.models.model import Model
from novikoff.sources.files import text as pieces

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Row = dict[str, float | str]
_draw = np.random.default_rng(4)
ROWS: list[Row] = [
    {"words": w, "links": n, "kind": "spam" if 2 * n > w else "ham"}
    for w, n in _draw.integers(0, 9, (60, 2)).tolist()
]
FORMATS = (
    *("svm", "vw", "jsonl", "csv", "tsv", "parquet", "arrow", "npz"),
    *("svm.gz", "csv.bz2", "vw.zst", "folder", "pattern", "stdin"),
)


def zstd(raw: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as file:
        file.write(raw)
    return bytes(out.getvalue())


def text(rows: list[Row], format: str) -> str:
    if format == "svm":
        return "".join(f"{r['kind']} 1:{r['words']} 2:{r['links']}\n" for r in rows)
    if format == "vw":
        signs = {"spam": 1, "ham": -1}
        return "".join(
            f"{signs[str(r['kind'])]} | words:{r['words']} links:{r['links']}\n" for r in rows
        )
    if format == "jsonl":
        return "".join(json.dumps({"label": r["kind"], **r, "kind": None}) + "\n" for r in rows)
    out = io.StringIO()
    separator = "\t" if format == "tsv" else ","
    table = csv.DictWriter(out, list(rows[0]), delimiter=separator, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def written(folder: Path, format: str, rows: list[Row] = ROWS) -> tuple[str, bytes | None]:
    """The rows in this format: what to call them on the command line, and the standard input."""
    path = folder / f"mail.{format}"
    if format in ("parquet", "arrow"):
        table = pa.Table.from_pylist(rows)
        if format == "parquet":
            parquet.write_table(table, path)
        else:
            with pa.ipc.new_file(path, table.schema) as writer:
                writer.write_table(table)
    elif format == "npz":
        X = np.array([[r["words"], r["links"]] for r in rows], dtype=float)
        np.savez(path, X=X, y=np.array([r["kind"] for r in rows]))
    elif format in ("folder", "pattern"):
        (folder / "in").mkdir(exist_ok=True)
        for i in range(3):
            (folder / "in" / f"{i}.svm").write_text(text(rows[i::3], "svm"))
        return str(folder / "in" / ("*.svm" if format == "pattern" else "")), None
    elif format == "stdin":
        return "-", text(rows, "svm").encode()
    else:
        inner, _, outer = format.partition(".")
        raw = text(rows, inner).encode()
        packed: dict[str, Callable[[bytes], bytes]]
        packed = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstd}
        path.write_bytes(packed[outer](raw) if outer else raw)
    return str(path), None


@pytest.mark.parametrize("format", FORMATS)
def test_every_verb_takes_every_format(format: str, tmp_path: Path) -> None:
    data, stdin = written(tmp_path, format)
    more = ["--missing", "zero"] if format == "jsonl" else []
    model = tmp_path / "model"
    report = json_of("train", data, "-o", model, "-q", "--stream", *more, input=stdin)
    assert (report["examples"], report["rounds"], report["passes"]) == (60, 60, 1)
    labels = stdout_of("predict", model, data, input=stdin).splitlines()
    assert len(labels) == 60
    printed = stdout_of("predict", model, data, "--print", "scores", input=stdin)
    scores = [float(s) for s in printed.split()]
    both = stdout_of("predict", model, data, "--print", "both", input=stdin).splitlines()
    assert both == [f"{name}\t{score!r}" for name, score in zip(labels, scores, strict=True)]
    negative, positive = report["classes"]
    assert labels == [positive if score >= 0 else negative for score in scores]
    tested = json_of("test", model, data, input=stdin)
    assert tested["examples"] == 60
    order = [r for i in range(3) for r in ROWS[i::3]] if format in ("folder", "pattern") else ROWS
    truth = [{"ham": "-1", "spam": "1"}.get(str(r["kind"])) for r in order]
    if positive == "spam":
        truth = [str(r["kind"]) for r in order]
    assert tested["mistakes"] == sum(a != b for a, b in zip(truth, labels, strict=True))
    assert json_of("inspect", model)["examples"] == 60


def test_the_same_examples_make_the_same_weights_in_every_format(tmp_path: Path) -> None:
    found = set()
    for format in ("svm", "vw", "csv", "tsv", "parquet", "arrow", "npz", "svm.gz", "csv.bz2"):
        model = tmp_path / "model"
        words = [written(tmp_path, format)[0], "--passes", 3, "--learner", "perceptron"]
        trained_model(model, *words)  # whole numbers, whose sums have no order
        weights = Model.load(model).weights
        found.add(tuple(weights[weights != 0].tolist()))
    assert len(found) == 1


def test_the_printed_result_agrees_with_the_json(tmp_path: Path) -> None:
    data, _ = written(tmp_path, "csv")
    words = ["train", data, "-o", tmp_path / "model", "--passes", 4, "--holdout", 5, "-q"]
    words += ["--learner", "perceptron"]
    screen = stdout_of(*words)
    report = json_of(*words)
    assert report["mistakes"] == sum(report["mistakes_per_pass"])
    assert f"Mistakes  {report['mistakes']} in {report['rounds']} rounds" in screen
    assert f"; {report['mistakes_per_pass'][-1]} in the last pass\n" in screen
    assert f"Examples  {report['examples']} with {report['features']} features" in screen
    assert f"Verdict   {report['verdict']}: " in screen
    held = report["held_out"]
    right = (held["examples"] - held["mistakes"]) / held["examples"]
    assert (held["examples"], report["rounds"]) == (12, 48 * report["passes"])
    f1, base = held["classes"]["spam"]["f1"], held["baseline"]
    area = "–" if held["roc_area"] is None else f"{held['roc_area']:.4f}"
    assert (
        f"Held out  {right:.2%} of 12 examples right; {base['accuracy']:.2%} by always predicting "
        f"{base['label']}; F1 of spam {f1:.2%}, ROC area {area}; log loss {held['log_loss']:.4f}, "
        f"calibration error {held['calibration_error']:.4f}\n"
    ) in screen
    assert screen.splitlines()[-1].startswith(f"Model     {tmp_path / 'model'} (perceptron, ")


def test_rows_of_progress_come_at_doubling_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 30)
    data, _ = written(tmp_path, "svm")
    rows = run("train", data, "-o", tmp_path / "m", "--stream", "--passes", 2).stderr.splitlines()
    heading = ["examples", "mistakes", "since", "last", "overall", "MB/s", "time", "left"]
    assert rows[0].split() == heading
    counts = [int(row.split()[0]) for row in rows[1:]]
    mistakes = [int(row.split()[1]) for row in rows[1:]]
    assert len(counts) > 5
    assert all(b >= 2 * a - 3 for a, b in pairwise(counts))
    for i, row in enumerate(rows[1:]):
        before = (counts[i - 1], mistakes[i - 1]) if i else (0, 0)
        since = (mistakes[i] - before[1]) / (counts[i] - before[0])
        assert row.split()[2:4] == [f"{since:.2%}", f"{mistakes[i] / counts[i]:.2%}"]


@pytest.mark.parametrize("revisit", [[], ["--revisit", "mistakes"]])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
@pytest.mark.parametrize(
    ("lines", "verdict"),
    [("1 1:2\n-1 1:1\n1 1:5\n", "separated"), ("1 1:2\n-1 1:1\n1 1:0\n", "cycle")],
)
def test_until_separated_ends_with_a_verdict(
    lines: str, verdict: str, stream: str, revisit: list[str], tmp_path: Path
) -> None:
    (tmp_path / "x.svm").write_text(lines)
    words = [tmp_path / "x.svm", "-o", tmp_path / "m", "--until-separated", "-q", stream, *revisit]
    report = json_of("train", *words)
    assert report["verdict"] == verdict
    assert (report["revisits"] > 0) == bool(revisit)
    assert (report["mistakes_per_pass"][-1] == 0) == (verdict == "separated")
    wrong = json_of("test", tmp_path / "m", tmp_path / "x.svm")["mistakes"]
    assert (wrong == 0) == (verdict == "separated")


def test_training_a_model_further_equals_training_on_both_files(tmp_path: Path) -> None:
    both, a, b = tmp_path / "ab.svm", tmp_path / "a.svm", tmp_path / "b.svm"
    both.write_text(text(ROWS, "svm"))
    a.write_text(text(ROWS[:23], "svm"))
    b.write_text(text(ROWS[23:], "svm"))
    words = ["--learner", "averaged", "--stream"]
    at_once = trained_model(tmp_path / "ab", both, *words)
    trained_model(tmp_path / "a", a, *words)
    assert trained_model(tmp_path / "b", b, "--initial", tmp_path / "a") == at_once
    trained_model(tmp_path / "a", b, "--initial", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == at_once
    assert trained_model(tmp_path / "two", a, b, *words) == at_once


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_model_of_a_table_with_text_is_trained_further(format: str, tmp_path: Path) -> None:
    rows: list[Row] = [
        {"kind": str(r["kind"]), "lang": "de" if i % 3 else "en", "words": r["words"]}
        for i, r in enumerate(ROWS)
    ]
    words = ["--label", "kind", "--stream"]
    both, _ = written(tmp_path, format, rows)
    at_once = trained_model(tmp_path / "ab", both, *words)
    trained_model(tmp_path / "m", written(tmp_path, format, rows[:40])[0], *words)
    second, _ = written(tmp_path, format, rows[40:])
    assert trained_model(tmp_path / "m", second, "--initial", tmp_path / "m") == at_once


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_the_model_does_not_depend_on_the_threads(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    data, _ = written(tmp_path, "jsonl")
    words = [data, "--missing", "zero", "--shuffle", "--passes", 3]
    plain = trained_model(tmp_path / "a", *words)
    assert trained_model(tmp_path / "b", *words, "--threads", threads) == plain
    assert trained_model(tmp_path / "c", *words, "--cache", tmp_path / "k") == plain
    assert trained_model(tmp_path / "c", *words, "--cache", tmp_path / "k") == plain


def test_a_cache_is_only_used_for_the_same_files_read_in_the_same_way(tmp_path: Path) -> None:
    data, _ = written(tmp_path, "csv")
    cache, model = tmp_path / "cache", tmp_path / "m"
    for more in ([], ["--classes", "spam,ham"], ["--categorical", "words"], ["--hash-bits", "4"]):
        plain = trained_model(model, data, *more)
        assert trained_model(model, data, *more, "--cache", cache) == plain
        assert trained_model(model, data, *more, "--cache", cache) == plain
    written(tmp_path, "csv", ROWS[::-1])
    plain = trained_model(model, data)
    assert trained_model(model, data, "--cache", cache) == plain
    assert set(os.listdir(tmp_path)) == {"mail.csv", "cache", "m"}


def test_a_pipe_never_finds_what_another_pipe_left_in_a_cache(tmp_path: Path) -> None:
    cache, model = tmp_path / "cache", tmp_path / "m"
    for rows in (ROWS[:30], ROWS[30:]):
        plain = trained_model(model, "-", input=text(rows, "svm"))
        assert trained_model(model, "-", "--cache", cache, input=text(rows, "svm")) == plain
    words = ["--passes", 3, "--holdout", 4, "--stream"]
    data, _ = written(tmp_path, "svm")
    plain = trained_model(model, data, *words)
    assert trained_model(model, "-", *words, "--cache", cache, input=text(ROWS, "svm")) == plain


def test_a_named_pipe_is_read_once_and_from_its_beginning(tmp_path: Path) -> None:
    data, _ = written(tmp_path, "svm")
    plain = trained_model(tmp_path / "m", data, "--stream")
    expected = stdout_of("predict", tmp_path / "m", data)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for verb in ("train", "predict"):
        writer = threading.Thread(target=pipe.write_text, args=(text(ROWS, "svm"),), daemon=True)
        writer.start()
        if verb == "train":
            assert trained_model(tmp_path / "n", pipe) == plain
        else:
            assert stdout_of("predict", tmp_path / "m", pipe) == expected
        writer.join(5)


def test_bad_lines_are_skipped_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "x.svm"
    good = text(ROWS, "svm").splitlines(keepends=True)
    file.write_text("".join([*good[:9], "ham what\n", *good[9:], "spam 1:x\n"]))
    answer = run("train", file, "-o", tmp_path / "m", "--skip-bad", 2, "-q", "--json")
    assert (answer.exit_code, json.loads(answer.stdout)["skipped_lines"]) == (0, 2)
    assert answer.stderr.startswith(f"novikoff: skipped 2 bad lines; the first: {file}:10:5: ")
    assert (tmp_path / "m").read_bytes() == trained_model(
        tmp_path / "n", written(tmp_path, "svm")[0]
    )
    words = error("train", file, "-o", tmp_path / "k", "--skip-bad", 1, "-q")
    assert words.startswith(f"{file}:62:6: ")
    assert words.endswith("(2 bad lines, and 1 may be skipped)")
    labels = run("predict", tmp_path / "m", file, "--skip-bad", 2)
    assert len(labels.stdout.splitlines()) == 60


@pytest.mark.parametrize(
    ("rule", "features"), [("zero", ["a", "b"]), ("indicate", ["a", "b", "b="])]
)
def test_missing_values_follow_the_rule_in_training_and_prediction(
    rule: str, features: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,b,y\n1,,0\n-2,3,1\n-1,,0\n")
    words = error("train", file, "-o", tmp_path / "m", "-q")
    assert words.startswith(f"{file}:2")
    assert "--missing zero" in words
    trained_model(tmp_path / "m", file, "--missing", rule, "--passes", 9)
    stdout_of("inspect", tmp_path / "m", "--weights", tmp_path / "w.csv")
    names = [row[0] for row in csv.reader((tmp_path / "w.csv").read_text().splitlines())]
    assert set(names[1:-1]) <= set(features)
    assert stdout_of("predict", tmp_path / "m", file) == "0\n1\n0\n"


def test_products_of_fields_are_features(tmp_path: Path) -> None:
    file = tmp_path / "xor.csv"
    file.write_text("a,b,y\n-1,-1,no\n-1,1,yes\n1,-1,yes\n1,1,no\n")
    separated = json_of(
        "train", file, "-o", tmp_path / "m", "--interactions", "a*b", "--until-separated", "-q"
    )
    assert (separated["verdict"], separated["features"]) == ("separated", 3)
    assert stdout_of("predict", tmp_path / "m", file) == "no\nyes\nyes\nno\n"
    every = json_of("train", file, "-o", tmp_path / "n", "--interactions", "all", "-q")
    assert every["features"] == 3
    assert json_of("inspect", tmp_path / "n")["products"] == ["all"]


def test_standardising_is_remembered_by_the_model(tmp_path: Path) -> None:
    scaled: list[Row] = [{**r, "words": 1000.0 * float(r["words"])} for r in ROWS]
    words = ["--standardise", "--passes", 5]
    data, _ = written(tmp_path, "csv", scaled)
    trained_model(tmp_path / "m", data, *words)
    X = np.array([[r["words"], r["links"]] for r in scaled], dtype=float)
    by_hand = (X - X.mean(axis=0)) / X.std(axis=0)
    hand: list[Row] = [
        {"words": w, "links": n, "kind": r["kind"]}
        for (w, n), r in zip(by_hand.tolist(), ROWS, strict=True)
    ]
    scores = stdout_of("predict", tmp_path / "m", data, "--print", "scores").split()
    other, _ = written(tmp_path, "csv", hand)
    trained_model(tmp_path / "n", other, "--passes", 5)
    expected = stdout_of("predict", tmp_path / "n", other, "--print", "scores").split()
    # the deviations here are NumPy's, there summed example by example
    assert [float(s) for s in scores] == pytest.approx([float(s) for s in expected], rel=1e-9)


def test_names_of_hashed_features_are_optional(tmp_path: Path) -> None:
    data, _ = written(tmp_path, "vw")
    kept = trained_model(tmp_path / "m", data, "--hash-bits", 5)
    without = trained_model(tmp_path / "n", data, "--hash-bits", 5, "--no-names")
    assert len(without) <= len(kept)
    a, b = (json_of("inspect", tmp_path / name)["largest_weights"] for name in "mn")
    named = {**a["positive"], **a["negative"]}
    unnamed = {**b["positive"], **b["negative"]}
    assert {"words", "links"} <= set(named) <= {"words", "links", "Constant", "(constant)"}
    assert sorted(named.values()) == sorted(unnamed.values())
    assert all(name.startswith("#") for name in unnamed if name != "(constant)")
    assert json_of("inspect", tmp_path / "n")["hash_bits"] == 5
    assert stdout_of("predict", tmp_path / "m", data) == stdout_of("predict", tmp_path / "n", data)


def test_the_labels_may_be_named(tmp_path: Path) -> None:
    data, _ = written(tmp_path, "csv")
    trained_model(tmp_path / "m", data)
    report = json_of("train", data, "-o", tmp_path / "n", "-q", "--classes", "spam,ham")
    assert report["classes"] == ["spam", "ham"]
    one, other = (Model.load(tmp_path / name).weights for name in "mn")
    assert one.tolist() == (-other).tolist()
    assert stdout_of("predict", tmp_path / "m", data) == stdout_of("predict", tmp_path / "n", data)


def test_checkpoints_change_nothing_and_leave_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    data, _ = written(tmp_path, "svm")
    plain = trained_model(tmp_path / "m", data, "--passes", 3)
    assert trained_model(tmp_path / "m", data, "--passes", 3, "--checkpoint", 0) == plain
    assert (
        trained_model(tmp_path / "n", data, "--passes", 3, "--resume", "--checkpoint", 0) == plain
    )
    assert set(contents(tmp_path)) == {"mail.svm", "m", "n"}
