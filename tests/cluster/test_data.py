"""What a cluster reads: parts of files, formats, addresses, and Dask's collections."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import fsspec
import numpy as np
import pandas as pd
import pytest
from dask.delayed import Delayed, delayed
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import error, json_of, run, stdout_of
from novikoff import AdaptivePerceptron, AveragedPerceptron, Perceptron, cluster, load
from novikoff.models.model import Model
from novikoff.sources import ReadOptions, inputs, shards
from novikoff.sources.inputs import Part, parts_in_place
from novikoff.sources.shards import shards_of_files
from novikoff.stream.input_problems import BadExample


@given(st.text("ab\r\n", max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_parts_have_each_line_once_wherever_they_are_cut(text: str, cuts: list[int]) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/lines", text.encode())
    whole, at = Part("memory://lines"), sorted({0, *cuts})
    found = []
    for begin, end in zip(at, [*at[1:], None], strict=True):
        with whole.cut(begin, end).open() as reading:
            room = memoryview(bytearray(64))
            found.append(bytes(room[: reading.fill(room)]))
    assert b"".join(found) == text.encode()
    for k, one in enumerate(found):
        assert not one or one.endswith(b"\n") or not any(found[k + 1 :])


ROWS = [
    {"colour": c, "size": s, "kind": "spam" if (s > 2) != (c == "red") else "ham"}
    for c in ("red", "blue", "green")
    for s in (1.0, 2.0, 3.0, 4.0)
] * 3


def written(folder: Path) -> dict[str, Path]:
    """The same examples in many formats."""
    csv = "colour,size,kind\n" + "".join(f"{r['colour']},{r['size']},{r['kind']}\n" for r in ROWS)
    lines = "".join(json.dumps({**r, "label": r["kind"], "kind": None}) + "\n" for r in ROWS)
    lines = lines.replace(', "kind": null', "")
    vw = "".join(f"{r['kind']} |a colour_{r['colour']} size:{r['size']}\n" for r in ROWS)
    out = {name: folder / name for name in ("t.csv", "t.jsonl", "t.vw", "t.csv.gz", "t.parquet")}
    out["t.csv"].write_text(csv)
    out["t.jsonl"].write_text(lines)
    out["t.vw"].write_text(vw)
    out["t.csv.gz"].write_bytes(gzip.compress(csv.encode()))
    pd.DataFrame(ROWS).to_parquet(out["t.parquet"], row_group_size=7)
    return out


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.vw", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize("options", [(), ("--hash-bits", "6")])
def test_features_have_the_columns_of_one_machine(
    name: str, options: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    path = written(tmp_path)[name]
    words = ("train", path, path, "--passes", "4", "-q", *options)
    stdout_of(*words, "-o", tmp_path / "here", "--stream")
    found = json_of(*words, "-o", tmp_path / "there", "--cluster", address, "--shards", "5")
    here, there = (Model.load(tmp_path / where) for where in ("here", "there"))
    assert there.features.named_columns == here.features.named_columns
    assert (there.features.names, there.classes) == (here.features.names, here.classes)
    assert there.read_options == here.read_options
    assert (there.examples, found["labels"]) == (72, {"ham": 36, "spam": 36})


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.vw", "t.parquet", "t.svm"])
def test_workers_keep_what_they_parsed_and_check_it(
    name: str, address: str, tmp_path: Path, monkeypatch: Any
) -> None:
    path, parsed = {**written(tmp_path), "t.svm": tmp_path / "t.svm"}[name], list[str]()
    (tmp_path / "t.svm").write_text("+1 1:1\n-1 2:1\n+1 1:x\n" * 12)
    words = ["train", path, "-o", tmp_path / "m", "--passes", "3"]
    words += ["--cluster", address, "--shards", "4"]
    words += ["--skip-bad", "20"] * (name == "t.svm")
    keeping = shards._keeping

    def count(path: str, source: Any) -> Any:
        parsed.append(path)
        return keeping(path, source)

    monkeypatch.setattr(shards, "_keeping", count)

    def trained(*options: Any) -> tuple[bytes, str, int]:
        parsed.clear()
        said = run(*words, *options, "-q").stderr
        return (tmp_path / "m").read_bytes(), said, len(parsed)

    model, said, _ = trained()
    assert ("skipped 12 bad lines" in said) == (name == "t.svm")
    assert trained("--cache", tmp_path / "kept") == (model, said, 4)
    assert trained("--cache", tmp_path / "kept") == (model, said, 0)
    first, *_, last = sorted((tmp_path / "kept").iterdir())
    content, end = bytearray(first.read_bytes()), last.read_bytes()
    content[len(content) // 3] ^= 1
    first.write_bytes(content)
    last.write_bytes(end[:-9])
    assert trained("--cache", tmp_path / "kept") == (model, said, 2)
    assert last.read_bytes() == end
    os.utime(path, (1, 1))
    assert trained("--cache", tmp_path / "kept") == (model, said, 4)


def test_a_cache_that_cannot_be_written_is_named(address: str, tmp_path: Path) -> None:
    path = written(tmp_path)["t.csv"]
    words = ("train", path, "-o", tmp_path / "m", "--cluster", address)
    said = error(*words, "--cache", path)
    assert said.startswith(f"{path}")
    assert "the cache cannot be written: " in said
    assert said.endswith("; leave it out, or choose another folder")


def test_workers_write_parts_that_are_the_predictions_in_order(
    bucket: Any, address: str, tmp_path: Path
) -> None:
    path = written(tmp_path)["t.csv"]
    stdout_of("train", path, "-o", tmp_path / "m", "-q")
    words = ("predict", tmp_path / "m", path, "--print", "both")
    there = ("--cluster", address, "--shards", "12", "--parts")
    assert stdout_of(*words, *there, tmp_path / "a" / "b") == ""
    stdout_of(*words, *there, "s3://mail/parts/")
    parts = sorted((tmp_path / "a" / "b").iterdir())
    assert [one.name for one in parts] == [f"part-{k:02}" for k in range(12)]
    lines = [one.read_text() for one in parts]
    assert "".join(lines) == stdout_of(*words)
    for name, text in zip(parts, lines, strict=True):
        found = bucket.get_object(Bucket="mail", Key=f"parts/{name.name}")
        assert found["Body"].read().decode() == text
    assert "the folder is not empty" in error(*words, *there, tmp_path / "a" / "b")
    assert "--parts needs --cluster" in error(*words, "--parts", tmp_path / "c")
    assert "--parts needs --cluster" in error(*words, *there, tmp_path / "c", "-o", tmp_path / "d")
    assert error(*words, *there, "s3://nowhere/parts").startswith("s3://nowhere/parts/part-00: ")


@pytest.mark.parametrize("shards", [1, 4])
def test_errors_name_the_line_of_the_file_whatever_the_shard(
    shards: int, address: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.svm"
    path.write_text("+1 1:1\n-1 1:2\n" * 20 + "+1 1:x\n" + "-1 1:2\n" * 9)
    words = ("train", path, "-o", tmp_path / "m", "--cluster", address, "--shards", shards)
    assert error(*words).startswith(f"{path}:41:4: index 1: 'x' is not a number")
    answer = run(*words, "--skip-bad", "1", "-q")
    assert "skipped 1 bad line" in answer.stderr
    path.write_text(path.read_text().replace("1:x", "1:1") + "0 1:1\n")
    assert error(*words).startswith(f"{path}:51: label '0' is a third label, after '1' and '-1'")
    path.unlink()
    assert error(*words) == f"{path}: no such file or directory"


def test_an_error_that_only_a_worker_meets_names_the_line_of_the_file(
    address: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.svm"
    path.write_text("+1 1:1\n-1 1:2\n" * 400_000 + "+1 1:x\n")  # more than the driver reads
    words = ("train", path, "-o", tmp_path / "m", "--cluster", address, "--shards", 4)
    assert error(*words).startswith(f"{path}:800001:4: index 1: 'x' is not a number")


@pytest.mark.parametrize("options", [(), ("--skip-bad", "9")])
def test_a_quoted_line_end_at_a_cut_is_refused_with_a_cure_that_works(
    options: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("colour,size,kind\n" + '"re\nd",1,ham\n"bl\nue",2,spam\n' * 30)
    words = ("train", path, "-o", tmp_path / "m", "--cluster", address, "-q", *options)
    said = set()
    for n in (1, 2, 3, 5, 7):
        found = run(*words, "--shards", n)
        said.add(found.stderr)
        assert found.exit_code == 2 * bool(found.stderr)
        if not found.stderr:
            assert Model.load(tmp_path / "m").examples == 60
    cut = "a cut falls into a quoted field that contains a line end"
    assert said == {"", f"novikoff: {path}: {cut}; use one shard, or save it as Parquet\n"}
    stdout_of(*words, "--shards", "1")


def test_shards_are_cut_by_the_data_alone(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("+1 1:1\n" * 10)
    (tmp_path / "b.svm").write_text("-1 1:1\n" * 5)
    parts = parts_in_place([str(tmp_path / "*")])
    cut = shards_of_files(parts, ReadOptions(), shards=4).shards
    spans = [[(Path(p.path).name[0], p.begin, p.end) for p in one.parts] for one in cut]
    assert spans == [
        [("a", 0, 27)],
        [("a", 27, 54)],
        [("a", 54, None), ("b", 0, 11)],
        [("b", 11, None)],
    ]


FRAME = pd.DataFrame(ROWS)


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_dask_frame_is_read_as_the_same_csv(
    partitions: int, workers: Any, address: str, tmp_path: Path
) -> None:
    at = np.arange(len(FRAME))
    place = pd.Series(np.where(FRAME["size"] > 2, "1", "2")).where(at % 4 > 0)
    frame = FRAME.assign(
        colour=FRAME["colour"].where(at % 7 > 0),
        size=FRAME["size"].where((at % 5 > 0) & (at >= 9)),  # the first of four has none
        place=pd.Categorical(place),
        none=np.nan,
    )[["colour", "size", "place", "none", "kind"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["train", tmp_path / "t.csv", "-o", tmp_path / "m", "--missing", "indicate"]
    words += ["--learner", "averaged", "--passes", "4", "--cluster", address]
    stdout_of(*words, "--categorical", "place", "--shards", "1", "-q")
    clf = cluster.fit(
        AveragedPerceptron(max_iter=4),
        dd.from_pandas(frame, npartitions=partitions),
        client=workers,
        read=ReadOptions(label="kind", missing="indicate"),
    )
    there = load(tmp_path / "m")
    rows = frame.drop(columns="kind")
    assert clf._reader is not None
    assert there._reader is not None
    assert clf._reader.features.named_columns == there._reader.features.named_columns
    same = clf.decision_function(rows).tolist() == there.decision_function(rows).tolist()
    assert same == (partitions == 1)  # the file is one shard
    refused = error(*[w for w in words if w not in ("--missing", "indicate")], "--ignore", "none")
    assert f"{tmp_path / 't.csv'}:2: column 'colour': the value is missing; fill it in" in refused
    read, frames = ReadOptions(label="kind"), dd.from_pandas(frame, npartitions=partitions)
    with pytest.raises(BadExample, match="row 0: column 'colour': the value is missing; fill it"):
        cluster.fit(AveragedPerceptron(max_iter=4), frames, client=workers, read=read)


def test_arrays_delayed_blocks_and_files_are_fitted_alike(workers: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (90, 5)) / 4
    y = np.where(X @ [1, 2, 0, -1, 0.5] > 0, 1, 0)
    labels = da.from_array(y, chunks=30)
    one = cluster.fit(Perceptron(), da.from_array(X, chunks=(30, 2)), labels, client=workers)
    blocks = [delayed((X[k : k + 30], y[k : k + 30])) for k in (0, 30, 60)]
    two = cluster.fit(Perceptron(max_iter=500), blocks)
    pd.DataFrame(X).assign(y=y).to_csv(tmp_path / "t.csv", index=False, header=False)
    three = cluster.fit(Perceptron(), str(tmp_path / "t.csv"), shards=3, client=workers)
    assert (one.score(X, y), three.score(X, y)) == (1.0, 1.0)
    assert (str(one.verdict_), two.max_iter) == ("separated", 500)
    assert one.coef_.tolist() == two.coef_.tolist()
    one.save(tmp_path / "m")
    assert load(tmp_path / "m").coef_.tolist() == one.coef_.tolist()
    one.learn_one(X[0], int(y[0]))
    with pytest.raises(BadExample, match="3 blocks of rows, but 9 of labels; rechunk"):
        cluster.fit(Perceptron(), da.from_array(X, chunks=(30, 5)), labels.rechunk(10))


def test_a_partition_that_a_worker_has_made_is_not_sent_back(
    workers: Any, monkeypatch: Any
) -> None:
    where = set[str]()
    compute: Any = Delayed.compute

    def counted(self: Any, **options: Any) -> Any:
        where.add(threading.current_thread().name)
        return compute(self, **options)

    monkeypatch.setattr(Delayed, "compute", counted)
    X, y = np.eye(3)[[0, 1, 2] * 8], np.array([0, 1, 1] * 8)
    blocks = [delayed((X[k : k + 6], y[k : k + 6])) for k in range(0, 24, 6)]
    assert cluster.fit(Perceptron(), blocks, client=workers).score(X, y) == 1
    assert where == {threading.main_thread().name}  # of the driver, for the first examples


def test_more_than_two_classes_are_learned_jointly(workers: Any) -> None:
    X, y = np.eye(3)[[0, 1, 2] * 8], np.array(["a", "b", "c"] * 8)
    blocks = [delayed((X[k : k + 6], y[k : k + 6])) for k in range(0, 24, 6)]
    for estimator in (AdaptivePerceptron(), Perceptron(multiclass="joint")):
        clf = cluster.fit(estimator, blocks, client=workers)
        assert clf.predict(np.eye(3)).tolist() == ["a", "b", "c"]
    with pytest.raises(BadExample, match="third label"):
        cluster.fit(Perceptron(), blocks, client=workers)
    with pytest.raises(ValueError, match="class_weight must be a dict"):
        cluster.fit(Perceptron(class_weight="balanced"), blocks, client=workers)


@pytest.fixture(scope="module")
def bucket() -> Any:
    """A bucket of an S3 server on this machine."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": endpoint}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**keys, "AWS_DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="mail")
        yield client
    server.stop()


@pytest.fixture
def far(bucket: Any, files: dict[str, Path], address: str, tmp_path: Path) -> tuple[Any, ...]:
    """The command that trains on two objects in S3, which writes the model `far`."""
    text = files["mixed"].read_bytes()
    half = text.index(b"\n", len(text) // 2) + 1
    for name, part in (("a", text[:half]), ("b", text[half:])):
        (tmp_path / f"{name}.svm").write_bytes(part)
        bucket.put_object(Bucket="mail", Key=f"{name}.svm", Body=part)
    options = ("--passes", "2", "--cluster", address, "-q", "--shards", "5")
    return "train", "s3://mail/*.svm", "-o", tmp_path / "far", *options


class Faults:
    """Opens objects, and does something else at some of the openings."""

    def __init__(self, at: set[int], fault: Callable[[str], Any]) -> None:
        self.at, self.fault, self.opened, self.open = at, fault, 0, inputs.far_file

    def __call__(self, url: str) -> Any:
        self.opened += 1
        found = self.fault(url) if self.opened in self.at else None
        return self.open(url) if found is None else found


def slow_down(_url: str) -> None:
    raise OSError(16, "SlowDown")


def half_of(url: str) -> Any:
    with fsspec.open(url) as file:
        return io.BytesIO(file.read()[:1000])


@pytest.mark.parametrize("fault", [slow_down, half_of])
def test_objects_in_s3_give_the_bytes_of_files_though_the_server_falters(
    fault: Callable[[str], Any], far: tuple[Any, ...], tmp_path: Path, monkeypatch: Any
) -> None:
    stdout_of("train", tmp_path / "*.svm", "-o", tmp_path / "near", *far[4:])
    faults = Faults({7, 9, 14}, fault)  # in the survey, and in the first pass
    monkeypatch.setattr(inputs, "far_file", faults)
    stdout_of(*far)
    assert faults.opened > 14
    assert (tmp_path / "far").read_bytes() == (tmp_path / "near").read_bytes()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("delete", "no such file or directory"),
        ("replace", "the file changed while it was being read"),
        ("throttle", "cannot be read: [Errno 16] SlowDown"),
        ("truncate", "cannot be read: the file ends too early"),
    ],
)
def test_an_object_that_vanishes_changes_or_cannot_be_read_is_named(
    fault: str, words: str, bucket: Any, far: tuple[Any, ...], monkeypatch: Any
) -> None:
    def fail(url: str) -> Any:
        key = {"Bucket": "mail", "Key": "a.svm"}
        if fault == "delete":
            bucket.delete_object(**key)
        elif fault == "replace":
            bucket.put_object(**key, Body=b"+1 1:1\n" * 999)
        else:
            return slow_down(url) if fault == "throttle" else half_of(url)
        return None

    once = fault in ("delete", "replace")
    monkeypatch.setattr(inputs, "far_file", Faults({14} if once else {*range(14, 99)}, fail))
    said = error(*far)
    assert "s3://mail/" in said
    assert words in said


@pytest.mark.parametrize("where", ["s3://mail/t.parquet", "here"])
def test_parquet_is_cut_between_row_groups(
    where: str, bucket: Any, address: str, tmp_path: Path
) -> None:
    path = written(tmp_path)["t.parquet"]
    bucket.upload_file(path, "mail", "t.parquet")
    data = str(path) if where == "here" else where
    cut = shards_of_files(parts_in_place(data), ReadOptions(), shards=4)
    assert [(p.begin, p.end) for one in cut.shards for p in one.parts] == [
        (0, 2),
        (2, 4),
        (4, 5),
        (5, None),
    ]
    words = ("train", data, "-o", tmp_path / "m", "--cluster", address, "--shards", "4", "-q")
    assert json_of(*words)["examples"] == 36
    frame = pd.DataFrame(ROWS)
    frame.loc[20, "size"] = np.nan
    frame.to_parquet(path, row_group_size=7)
    bucket.upload_file(path, "mail", "t.parquet")
    assert ": row 20: column 'size': the value is missing" in error(*words)
