"""Training on a cluster: the same bytes whoever works, the same verdicts, the same bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

from helpers.command_line import error, json_of, run, stdout_of, train_until_stopped, trained_model
from novikoff import Summary, Verdict
from novikoff.cluster import driver
from novikoff.ledger import readings
from novikoff.models.model import Model

EXCHANGE = ("--until-separated", "--learner", "margin", "--margin", "2", "--ledger")
MODES = {
    "exchange": ("separable", EXCHANGE),
    "perceptron": ("separable", ("--until-separated",)),
    "averaged": ("mixed", ("--learner", "averaged", "--passes", "3")),
    "adaptive": ("mixed", ("--passes", "3")),
}


@pytest.fixture(scope="session")
def models(files: dict[str, Path], address: str, tmp_path_factory: Any) -> dict[str, bytes]:
    """The model of each mode, from seven shards on three workers."""
    folder, out = tmp_path_factory.mktemp("models"), dict[str, bytes]()
    for name, (data, options) in MODES.items():
        cluster = ("--cluster", address, "--shards", "7")
        out[name] = trained_model(folder / name, files[data], *options, *cluster)
    return out


@pytest.mark.parametrize("n", [1, 2, 8])
def test_the_bytes_of_a_model_do_not_depend_on_the_number_of_workers(
    n: int, files: dict[str, Path], models: dict[str, bytes], tmp_path: Path
) -> None:
    with (
        LocalCluster(
            n_workers=n, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Client(cluster, set_as_default=False),
    ):
        for name, (data, options) in MODES.items():
            at = ("--cluster", cluster.scheduler_address, "--shards", "7")
            assert trained_model(tmp_path / name, files[data], *options, *at) == models[name]


def test_the_run_of_the_driver_is_that_of_one_perceptron_and_keeps_its_bound(
    models: dict[str, bytes], files: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "m").write_bytes(models["exchange"])
    model = Model.load(tmp_path / "m")
    assert readings.final(model.ledger).tolist() == model.learner.weights.tolist()
    summary = Summary.of(model.ledger, Verdict.SEPARATED)
    assert summary.sandwich is not None
    assert summary.sandwich.holds
    found = json_of("test", tmp_path / "m", files["separable"])
    assert found["mistakes"] == 0


@pytest.mark.parametrize("data", ["separable", "mixed", "xor"])
def test_a_cluster_says_the_verdict_of_one_machine(
    data: str, files: dict[str, Path], address: str, tmp_path: Path
) -> None:
    path = files.get(data, tmp_path / "xor.svm")
    if data == "xor":
        path.write_text("0 1:1 2:1\n1 1:1\n1 2:1\n0 3:1\n" * 3)
    words = ["train", path, "-o", tmp_path / "m", "--until-separated", "--revisit", "mistakes"]
    words += ["--passes", "6"] * (data == "mixed")
    here = json_of(*words, "--stream")
    there = json_of(*words, "--cluster", address, "--shards", "5")
    assert there["verdict"] == here["verdict"]
    assert there["examples"] == here["examples"] or data == "mixed"
    assert there["cluster"]["rounds"] >= 1


@pytest.mark.parametrize("name", [*MODES])
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_driver_that_was_stopped_resumes_to_the_same_bytes(
    rounds: int,
    name: str,
    files: dict[str, Path],
    models: dict[str, bytes],
    address: str,
    tmp_path: Path,
) -> None:
    data, options = MODES[name]
    words = (files[data], "-o", tmp_path / "m", *options, "--cluster", address, "--shards", "7")
    train_until_stopped(rounds, *words)
    assert Model.load(tmp_path / "m").unfinished is not None
    stdout_of("train", *words, "--resume", "-q")
    assert (tmp_path / "m").read_bytes() == models[name]
    train_until_stopped(rounds, *words[:2], tmp_path / "n", *words[3:])
    other = (*words[:2], tmp_path / "n", *words[3:-1], "6", "--resume")
    assert "differ from those of the interrupted run" in error("train", *other)


def test_mixing_every_pass_separates_what_mixing_once_does_not(
    address: str, tmp_path: Path
) -> None:
    (tmp_path / "a.svm").write_text("1 1:1 # +++\n")
    (tmp_path / "b.svm").write_text("1 1:-2 2:1\n")
    words = [tmp_path / "*.svm", "--learner", "perceptron", "--no-bias", "--classes", "0,1"]
    words += ["--cluster", address, "--shards", "2", "-q"]
    stdout_of("train", *words, "--passes", "1", "-o", tmp_path / "once")
    assert Model.load(tmp_path / "once").weights.tolist() == [0.0, -0.5, 0.5]
    assert json_of("test", tmp_path / "once", tmp_path / "a.svm")["mistakes"] == 1
    found = json_of("train", *words, "--passes", "50", "-o", tmp_path / "often")
    assert found["verdict"] == "separated"
    assert json_of("test", tmp_path / "often", tmp_path / "*.svm")["mistakes"] == 0
    # (R/γ)² is 13 for the direction (1, 2.2); two shards make at most twice as many mistakes
    assert found["mistakes"] <= 2 * 13


def test_mixed_models_predict_as_well_and_give_probabilities(
    models: dict[str, bytes], files: dict[str, Path], tmp_path: Path
) -> None:
    for name in ("averaged", "adaptive"):
        (tmp_path / "m").write_bytes(models[name])
        found = json_of("test", tmp_path / "m", files["mixed"])
        assert found["accuracy"] > 0.85
        assert found["log_loss"] < 0.5


@pytest.mark.parametrize("learner", ["averaged", "adaptive"])
def test_the_summary_counts_all_that_shards_return_and_names_the_slowest(
    learner: str, files: dict[str, Path], address: str, tmp_path: Path
) -> None:
    words = ["train", files["mixed"], "-o", tmp_path / "m", "--passes", "2", "--shards", "3"]
    words += ["--cluster", address, "--learner"]
    told = stdout_of(*words, learner)
    assert f" seconds ({files['mixed']} from " in " ".join(told.split())
    one, two = (json_of(*words, rule)["cluster"]["bytes"] for rule in ("perceptron", learner))
    assert 1.6 * one < two < 2 * one  # the average or the variances, too, but the settings once


def test_workers_with_other_versions_are_refused(
    workers: Any, files: dict[str, Path], address: str, tmp_path: Path, monkeypatch: Any
) -> None:
    words = ("train", files["mixed"], "-o", tmp_path / "m", "--cluster", address)
    own = driver.versions()
    monkeypatch.setattr(driver, "_answer", with_versions)
    assert f"has novikoff 0.0.1, not {own['novikoff']}; install the same" in error(*words)
    found = workers.get_versions(packages=["novikoff"])
    for about in found["workers"].values():
        about["packages"]["numpy"] = "1.0"
    monkeypatch.setattr(type(workers), "get_versions", lambda *_, **__: found)
    assert f"has numpy 1.0, not {np.__version__}; install the same" in error(*words)


def with_versions(expected: Any, *_: object) -> Any:
    try:
        driver._compare("tcp://there", expected | {"novikoff": "0.0.1"}, expected)
    except driver.ClusterProblem as problem:
        return problem


@pytest.mark.parametrize(
    "options",
    [
        ("--shuffle",),
        ("--no-stream",),
        ("--holdout", "5"),
        ("--standardise",),
        ("--kernel", "rbf"),
        ("--learner", "voted"),
        ("--learner", "winnow"),
        ("--matrix", "full"),
    ],
)
def test_what_needs_all_examples_in_one_place_is_refused(
    options: tuple[str, ...], files: dict[str, Path], address: str, tmp_path: Path
) -> None:
    words = ("train", files["mixed"], "-o", tmp_path / "m", "--cluster", address, *options)
    assert error(*words)
    assert not (tmp_path / "m").exists()


def test_an_address_without_a_scheduler_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    words = ("train", files["mixed"], "-o", tmp_path / "m", "--cluster")
    assert "write local:N" in error(*words, "local:x")
    assert "no scheduler answers" in error(*words, "nowhere://")


def test_a_changed_file_is_refused_by_name(
    files: dict[str, Path], address: str, tmp_path: Path
) -> None:
    path = tmp_path / "changing.svm"
    path.write_bytes(files["mixed"].read_bytes())
    words = (path, "-o", tmp_path / "m", "--cluster", address, "--shards", "3", "--passes", "3")
    train_until_stopped(1, *words)
    with path.open("a") as file:
        file.write("+1 1:1\n")
    assert "differ from those of the interrupted run" in error("train", *words, "--resume")
    from novikoff.models.training import Training

    after = Training.save

    def grow(self: Training, *where: Any) -> None:
        with path.open("a") as file:
            file.write("+1 1:1\n")
        after(self, *where)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "save", grow)
        said = run("train", *words[:2], tmp_path / "n", *words[3:], "--checkpoint", "0", "-q")
    assert "changing.svm: the file changed while it was being read" in said.stderr


def test_nothing_of_dask_is_imported_without_a_cluster(
    files: dict[str, Path], tmp_path: Path
) -> None:
    from helpers.processes import in_a_new_process

    code = f"""
import sys, novikoff
from novikoff.cli.main import run
run(["train", {str(files["mixed"])!r}, "-o", {str(tmp_path / "m")!r}, "-q"])
print({{"dask", "distributed", "fsspec"}} & {{*sys.modules}})
"""
    assert in_a_new_process(code).endswith("set()")


@pytest.mark.parametrize("options", [(), ("--probabilities",), ("--print", "both")])
def test_predictions_and_measures_are_those_of_one_machine(
    options: tuple[str, ...],
    models: dict[str, bytes],
    files: dict[str, Path],
    address: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "m").write_bytes(models["adaptive"])
    words = (tmp_path / "m", files["mixed"], *options)
    there = ("--cluster", address, "--shards", "4")
    stdout_of("predict", *words, "-o", tmp_path / "labels", *there)
    assert (tmp_path / "labels").read_text() == stdout_of("predict", *words)
    assert json_of("test", *words[:2], *there) == json_of("test", *words[:2])
    assert "--explain works on one machine" in error("predict", *words[:2], "--explain", *there)


def test_labels_that_a_model_does_not_know_are_counted_once(address: str, tmp_path: Path) -> None:
    path = tmp_path / "t.svm"
    path.write_text("a 1:1\nb 2:1\nc 3:1\n" * 9)
    stdout_of("train", path, "-o", tmp_path / "m", "--multiclass", "-q")
    path.write_text("a 1:1\nd 2:1\nb 2:1 9:1\nc 3:1\ne 1:1\n" * 9)
    words = ("test", tmp_path / "m", path)
    assert json_of(*words, "--cluster", address, "--shards", "4") == json_of(*words)


def test_labels_are_counted_whatever_a_shard_meets_first(address: str, tmp_path: Path) -> None:
    path = tmp_path / "t.svm"
    path.write_text("a 1:1\nb 2:1\n" * 9 + "d 3:1\n" * 20 + "c 4:1\n" * 30)
    words = ("train", path, "-o", tmp_path / "m", "--multiclass", "--cluster", address)
    there = json_of(*words, "--shards", "7")
    assert there["labels"] == {"a": 9, "b": 9, "c": 30, "d": 20}
    assert there["labels"] == json_of(*words[:-2], "--stream")["labels"]
