"""What a cluster costs, and whether it survives.

Run: python bench/cluster.py [deaths] [scans] [rounds] [speed]

deaths: workers are killed and stopped at random moments, and the bytes of the model compared.
scans: rounds and rows sent until data are separated, beside the passes of one machine.
rounds: the time of a round as a function of shards and weights, a model fitted to it, and its
prediction of a run that was not used for the fit.
speed: 1 GB of text (or --megabytes) with one worker, with two, and with plain `train`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import numpy as np
from distributed import Client, LocalCluster

from novikoff.cluster.driver import Cluster
from novikoff.cluster.training import ClusterTraining
from novikoff.learners.rule import Rule
from novikoff.models.training import Plan, Training
from novikoff.sources import Numbered, ReadOptions, open_files, spamassassin
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.inputs import Part, parts_in_place
from novikoff.sources.open import signs_of_labels
from novikoff.sources.shards import shards_of_files

EXCHANGE = Plan(Rule("margin", margin=1.0), 10**6, revisit="mistakes")
MIXING = Plan(Rule("averaged"), 6)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a cluster costs, and whether it survives.")
    parser.add_argument("what", nargs="*", default=["deaths", "scans", "rounds", "speed"])
    parser.add_argument("--deaths", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--directory", help="more svmlight files, for scans")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        for what in given.what:
            {"deaths": deaths, "scans": scans, "rounds": rounds, "speed": speed}[what](
                Path(folder), given
            )


@contextmanager
def local(workers: int, ttl: str = "3s") -> Iterator[Client]:
    settings = {"distributed.scheduler.worker-ttl": ttl}
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, silence_logs=50, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def trained(client: Client, path: Path, plan: Plan, shards: int) -> tuple[ClusterTraining, str]:
    how, files = ReadOptions(), parts_in_place([str(path)])
    data = shards_of_files(files, how, shards=shards)
    blocks = numbered(files, data.source)
    training = ClusterTraining(Cluster(client), data, blocks, plan, how=how)
    training.run()
    model = path.with_suffix(".model")
    training.save(model)
    return training, hashlib.sha256(model.read_bytes()).hexdigest()[:16]


def numbered(files: Sequence[Part], source: Source) -> Numbered:
    features = Features(to_unit_length=True)
    return Numbered(source, features, signs_of_labels(files, ReadOptions()))


def write_rows(path: Path, rows: int, columns: int, *, gap: float, noise: float = 0.0) -> None:
    rng = np.random.default_rng(0)
    u, written = rng.normal(size=columns), 0
    with path.open("w") as file:
        while written < rows:
            columns_of = np.sort(rng.integers(0, columns, (1000, 12)), axis=1)
            values = rng.normal(size=(1000, 12)).round(3)
            for at, x in zip(columns_of, values, strict=True):
                score = float(u[at] @ x)
                if len(np.unique(at)) < 12 or abs(score) < gap:
                    continue
                y = (score > 0) != (rng.random() < noise)
                pairs = zip((at + 1).tolist(), x.tolist(), strict=True)
                file.write("+1 " if y else "-1 ")
                file.write(" ".join(f"{j}:{v}" for j, v in pairs) + "\n")
                written += 1


def kill(process: int, which: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, which)


def deaths(folder: Path, given: argparse.Namespace) -> None:
    dice = random.Random(0)
    for name, plan, noise in (("exchange", EXCHANGE, 0.0), ("mixing", MIXING, 0.1)):
        path = folder / f"{name}.svm"
        write_rows(path, 5_000, 100, gap=0.0 if noise else 0.3, noise=noise)
        same, seconds = dict.fromkeys((signal.SIGKILL, signal.SIGSTOP), 0), []
        expected, usual = "", 0.0
        for k in range(given.deaths + 1):
            which = signal.SIGSTOP if k % 5 == 4 else signal.SIGKILL
            with local(3) as client:
                cluster = client.cluster
                assert cluster is not None  # `local` started it
                pids = [one.pid for one in cluster.workers.values()]
                timer = threading.Timer(dice.uniform(0.05, usual), kill, (dice.choice(pids), which))
                if k:
                    timer.start()
                began = time.perf_counter()
                _, found = trained(client, path, plan, 12)
                seconds.append(time.perf_counter() - began)
                timer.cancel()
            if not k:  # nobody dies
                expected, usual = found, seconds.pop()
            else:
                same[which] += found == expected
        print(
            f"{name}: {same[signal.SIGKILL]} of {given.deaths - given.deaths // 5} killed and "
            f"{same[signal.SIGSTOP]} of {given.deaths // 5} stopped with the same bytes; "
            f"{usual:.1f} s undisturbed, at most {max(seconds):.1f} s",
            flush=True,
        )


def scans(folder: Path, given: argparse.Namespace) -> None:
    mail, gap = folder / "mail.svm", folder / "gap.svm"
    block, _ = spamassassin()
    with mail.open("w") as file:
        for k in np.random.default_rng(0).permutation(len(block)).tolist():
            columns, counts = (each.tolist() for each in block.rows.row(k))
            words = [f"{j + 1}:{n:g}" for j, n in zip(columns, counts, strict=True)]
            file.write(f"{block.signs[k]:+d} {' '.join(words)}\n")
    write_rows(gap, 40_000, 300, gap=0.02)
    data = {"spamassassin": mail, "narrow gap": gap}
    for path in sorted(Path(given.directory).glob("*.svm")) if given.directory else ():
        data[path.stem] = path
    with local(2) as client:
        for name, path in data.items():
            source = open_files(str(path))
            plain = Training(numbered(parts_in_place([str(path)]), source), Plan(passes=400))
            verdict = plain.run().verdict
            print(f"{name}, plain: {plain.passes_made} passes, {verdict}", flush=True)
            for rule in (Rule("perceptron"), Rule("margin", margin=1.0)):
                training, _ = trained(client, path, Plan(rule, 10**6, revisit="mistakes"), 16)
                sent = training.sent
                print(
                    f"{name}, {rule.kind}: {sent.rounds} rounds, {sent.passes / 16:.1f} scans of "
                    f"the data, {sent.rows:,} rows sent",
                    flush=True,
                )


def rounds(folder: Path, _given: argparse.Namespace) -> None:
    """Seconds of a round ≈ a + b·shards + c·weights·shards (bytes returned) + d·bytes read."""
    runs = []
    for rows, columns, shards in (
        (4_000, 300, 4),
        (4_000, 300, 32),
        (4_000, 30_000, 4),
        (4_000, 300_000, 16),
        (40_000, 300, 4),
        (40_000, 30_000, 16),
        (20_000, 100_000, 8),  # not used for the fit
    ):
        path = folder / f"{rows}-{columns}.svm"
        write_rows(path, rows, columns, gap=0.0, noise=0.1)
        with local(1) as client:
            trained(client, path, Plan(Rule("averaged"), 1), shards)  # imports
            began = time.perf_counter()
            training, _ = trained(client, path, Plan(Rule("averaged"), 4), shards)
            seconds = (time.perf_counter() - began) / 5  # with the survey
        weights = 16 * training.model.learner.dim  # w and u, in bytes
        runs.append(([1.0, shards, weights * shards, path.stat().st_size], seconds))
        print(f"{rows:,} rows, {columns:,} features, {shards} shards: {seconds:.3f} s", flush=True)
    known = runs[:-1]
    scale = np.array([1, 1e-3, 1e-9, 1e-9])
    fit, *_ = np.linalg.lstsq(
        np.array([x for x, _ in known]) * scale, np.array([t for _, t in known]), rcond=None
    )
    x, seconds = runs[-1]
    print(
        f"a = {fit[0]:.3f} s a round, b = {fit[1]:.1f} ms a shard, c = {fit[2]:.1f} s a GB of "
        f"weights, d = {fit[3]:.1f} s a GB read; predicted {float(x * scale @ fit):.3f} s, "
        f"took {seconds:.3f} s"
    )


def speed(folder: Path, given: argparse.Namespace) -> None:
    path = folder / "big.svm"
    write_rows(folder / "part.svm", 100_000, 1000, gap=0.0, noise=0.1)
    part = (folder / "part.svm").read_bytes()
    with path.open("wb") as file:
        for _ in range(max(1, given.megabytes * 10**6 // len(part))):
            file.write(part)
    size = path.stat().st_size / 1e6
    train = [sys.executable, "-m", "novikoff", "train", str(path), "-o", str(folder / "m"), "-q"]
    for name, words in {
        "plain train": ["--stream"],
        "one worker": ["--cluster", "local:1"],
        "two workers": ["--cluster", "local:2"],
    }.items():
        began = time.perf_counter()
        subprocess.run([*train, "--passes", "5", *words], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        print(f"{name}: {seconds:.1f} s for 5 passes, {5 * size / seconds:.0f} MB/s", flush=True)


if __name__ == "__main__":
    main()
