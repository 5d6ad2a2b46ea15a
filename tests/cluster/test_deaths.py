"""Workers and schedulers that die: the same bytes, or an error that says so."""

from __future__ import annotations

import hashlib
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import Client, KilledWorker, LocalCluster
from distributed.comm.core import CommClosedError

from novikoff.cluster.driver import Cluster, ClusterProblem
from novikoff.cluster.training import ClusterTraining
from novikoff.learners.rule import Rule
from novikoff.models.training import Plan
from novikoff.sources import Numbered, ReadOptions
from novikoff.sources.features import Features
from novikoff.sources.inputs import parts_in_place
from novikoff.sources.open import signs_of_labels
from novikoff.sources.shards import shards_of_files

PLANS = {
    "separable": Plan(Rule("margin", margin=2.0), 1000, revisit="mistakes"),
    "mixed": Plan(Rule("averaged"), 3),
}


def digest(
    client: Any,
    path: Path,
    model: Path,
    on_answer: Callable[[int, int], None] = lambda _done, _all: None,
) -> str:
    """Of the model that is trained on the file."""
    how, files = ReadOptions(), parts_in_place(str(path))
    data = shards_of_files(files, how, shards=6)
    blocks = Numbered(data.source, Features(), signs_of_labels(files, how))
    training = ClusterTraining(Cluster(client, on_answer), data, blocks, PLANS[path.stem], how=how)
    training.run()
    training.save(model)
    return hashlib.sha256(model.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def processes() -> Iterator[Any]:
    """A client of two worker processes, which are started again when they die."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("name", [*PLANS])
def test_killed_workers_change_no_bit(
    name: str, processes: Any, workers: Any, files: dict[str, Path], tmp_path: Path
) -> None:
    expected, answers = digest(workers, files[name], tmp_path / "m"), 0
    moments = {2, 9, *random.Random(0).sample(range(10, 18), 1)}  # two come after the survey

    def kill(_done: int, _of: int) -> None:
        nonlocal answers
        answers += 1
        if answers in moments:
            victim = next(one.pid for one in processes.cluster.workers.values() if one.pid)
            os.kill(victim, signal.SIGKILL)

    assert digest(processes, files[name], tmp_path / "m", kill) == expected
    assert answers > max(moments)  # each came before the end


def too_large(_shard: str) -> None:
    raise MemoryError


def deadly(_shard: str) -> None:
    raise KilledWorker("task", SimpleNamespace(address="tcp://there"), 4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (too_large, "mail.svm from 64: a worker has too little memory for this shard"),
        (deadly, "mail.svm from 64: the workers on it died, perhaps because it needs too much"),
    ],
)
def test_a_shard_that_needs_too_much_memory_is_named(task: Any, words: str, workers: Any) -> None:
    with pytest.raises(ClusterProblem, match=words):
        list(Cluster(workers).map(task, ["mail.svm from 64"]))


def test_a_scheduler_that_is_lost_between_rounds_is_said(workers: Any, monkeypatch: Any) -> None:
    def reset() -> None:
        raise CommClosedError("ConnectionResetError")

    monkeypatch.setattr(workers, "nthreads", reset)
    with pytest.raises(ClusterProblem, match="the scheduler was lost: ConnectionReset"):
        list(Cluster(workers).map(too_large, ["mail.svm from 64"]))


def test_a_lost_scheduler_is_said(files: dict[str, Path], tmp_path: Path) -> None:
    cluster = LocalCluster(n_workers=1, processes=False, dashboard_address=":0", silence_logs=50)
    with Client(cluster, set_as_default=False) as client:

        def lose(done: int, _of: int) -> None:
            if done == 2:
                cluster.close()

        with pytest.raises(ClusterProblem, match="the scheduler was lost"):
            digest(client, files["mixed"], tmp_path / "m", lose)
