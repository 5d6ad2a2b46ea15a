"""What a cluster costs, and whether it survives.

Run: python bench/cluster.py [deaths] [drivers] [scans] [narrow] [rounds] [network] [speed]
[verdicts]

deaths: workers are killed and stopped at random moments, and the bytes of the model compared.
drivers: `novikoff train` is killed and resumed, and the bytes of the model compared.
scans: rounds and rows sent until data are separated, beside the passes of one machine.
narrow: the same for 400,000 × 1,000 numbers with a narrow gap, on workers that share the memory.
rounds: the time of a round as a function of shards and weights, a model fitted to it, and its
prediction of a run that was not used for the fit.
network: a round with a worker in a network namespace of its own, whose link is slow or long (Linux,
as root).
speed: 1 GB of text (or --megabytes) with one worker, with two, and with plain `train`; workers with
and without a cache.
verdicts: what `certify` and `train --until-separated` say of each set of --directory, without a
cluster and on one worker.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import numpy as np
import psutil
from dask.delayed import delayed
from distributed import Client, LocalCluster
from scipy.optimize import nnls

from novikoff.cluster.driver import Cluster
from novikoff.cluster.partitions import shards_of_collection
from novikoff.cluster.training import ClusterTraining
from novikoff.learners.rule import Rule
from novikoff.models.training import Plan, Training
from novikoff.sources import Numbered, ReadOptions, open_files, spamassassin
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.inputs import Part, parts_in_place
from novikoff.sources.open import signs_of_labels
from novikoff.sources.shards import shards_of_files
from novikoff.stream.labels import LabelsAsSigns
from until_separated import narrow_part

EXCHANGE = Plan(Rule("margin", margin=1.0), 10**6, revisit="mistakes")
MIXING = Plan(Rule("averaged"), 6)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a cluster costs, and whether it survives.")
    parser.add_argument(
        "what", nargs="*", default=["deaths", "drivers", "scans", "rounds", "speed"]
    )
    parser.add_argument("--deaths", type=int, default=20)
    parser.add_argument("--modes", nargs="*", default=["exchange", "mixing"])
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--margins", type=float, nargs="*", default=[1.0, 2.0, 0.0])
    parser.add_argument("--directory", help="svmlight files for verdicts, and more for scans")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        for what in given.what:
            {
                "deaths": deaths,
                "drivers": drivers,
                "scans": scans,
                "narrow": narrow_gap,
                "rounds": rounds,
                "network": network,
                "speed": speed,
                "verdicts": verdicts,
            }[what](Path(folder), given)


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


def trained(
    client: Client,
    path: Path,
    plan: Plan,
    shards: int,
    on_answer: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[ClusterTraining, str]:
    how, files = ReadOptions(), parts_in_place([str(path)])
    data = shards_of_files(files, how, shards=shards)
    blocks = numbered(files, data.source)
    training = ClusterTraining(Cluster(client, on_answer), data, blocks, plan, how=how)
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


MODES = {"exchange": (EXCHANGE, 0.0), "mixing": (MIXING, 0.1)}


def rows_of_mode(folder: Path, name: str) -> Path:
    path, noise = folder / f"{name}.svm", MODES[name][1]
    write_rows(path, 5_000, 100, gap=0.0 if noise else 0.3, noise=noise)
    return path


def deaths(folder: Path, given: argparse.Namespace) -> None:
    """Kill and stop workers; only what came before the end of the run counts."""
    dice = random.Random(0)
    for name in given.modes:
        path, plan = rows_of_mode(folder, name), MODES[name][0]
        with local(3) as client:
            began = time.perf_counter()
            _, expected = trained(client, path, plan, 12)
            usual = time.perf_counter() - began
        for which, wanted in ((signal.SIGKILL, given.deaths), (signal.SIGSTOP, given.deaths // 4)):
            same, late, left, seconds = 0, 0, list[int](), list[float]()
            while len(left) < wanted:
                with local(3) as client:
                    found, after, took = disturbed(client, path, plan, which, usual, dice)
                if not after:
                    late += 1
                    continue
                same += found == expected
                left.append(after)
                seconds.append(took)
            print(
                f"{name}: {same} of {wanted} with the same bytes after {which.name}; each came "
                f"before the end, {min(left)} to {max(left)} answers of shards were still to come "
                f"({late} others came too late); {usual:.1f} s undisturbed, at most "
                f"{max(seconds):.1f} s",
                flush=True,
            )


def disturbed(
    client: Client, path: Path, plan: Plan, which: signal.Signals, usual: float, dice: random.Random
) -> tuple[str, int, float]:
    """The digest of a run whose worker dies, how many answers came after that, and the time."""
    cluster, answers, at_death = client.cluster, 0, list[int]()
    assert cluster is not None  # `local` started it
    victim = dice.choice([one.pid for one in cluster.workers.values()])

    def count(_done: int, _of: int) -> None:
        nonlocal answers
        answers += 1

    def die() -> None:
        os.kill(victim, which)
        at_death.append(answers)

    timer = threading.Timer(dice.uniform(0.02, usual), die)
    timer.start()
    began = time.perf_counter()
    _, found = trained(client, path, plan, 12, count)
    seconds = time.perf_counter() - began
    timer.cancel()
    timer.join()
    return found, answers - at_death[0] if at_death else 0, seconds


def drivers(folder: Path, given: argparse.Namespace) -> None:
    """Kill `novikoff train` itself, and resume it."""
    for name in given.modes:
        killed_drivers(folder, rows_of_mode(folder, name), name, given.deaths // 4)


def killed_drivers(folder: Path, path: Path, name: str, wanted: int) -> None:
    model, same, late, killed, dice = folder / "driver.model", 0, 0, 0, random.Random(1)
    options = ["--learner", "averaged", "--passes", "6"]
    if name == "exchange":
        options = ["--until-separated", "--learner", "margin", "--margin", "1"]
    with local(2) as client:
        words = [sys.executable, "-m", "novikoff", "train", str(path), "-o", str(model), "-q"]
        address = str(client.scheduler_info()["address"])
        words += ["--cluster", address, "--shards", "12", *options]
        words += ["--checkpoint", "0"]

        def run(*more: str) -> subprocess.Popen[bytes]:
            return subprocess.Popen([*words, *more], stdout=subprocess.DEVNULL)

        began = time.perf_counter()
        run().wait()
        usual, expected = time.perf_counter() - began, model.read_bytes()
        while killed < wanted:
            model.unlink(missing_ok=True)
            driver = run()
            with suppress(subprocess.TimeoutExpired):
                driver.wait(dice.uniform(usual / 3, usual))  # it has started by then
            if driver.poll() is not None:
                late += 1
                continue
            driver.kill()
            driver.wait()
            killed += 1
            run(*(["--resume"] if model.exists() else [])).wait()
            same += model.read_bytes() == expected
    print(
        f"{name}: {same} of {wanted} drivers killed and resumed with the same bytes ({late} "
        "others had ended)",
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
            for rule in (Rule("perceptron"), *(Rule("margin", margin=m) for m in (1.0, 2.0))):
                training, _ = trained(client, path, Plan(rule, 10**6, revisit="mistakes"), 16)
                sent = training.sent
                print(
                    f"{name}, margin {rule.margin:g}: {sent.rounds} rounds, "
                    f"{sent.passes / 16:.1f} scans of the data, {sent.rows:,} rows sent",
                    flush=True,
                )


def narrow_gap(_folder: Path, given: argparse.Namespace) -> None:
    shards, how = 16, ReadOptions()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False) as cluster,
        Client(cluster) as client,
    ):
        for margin in given.margins:
            parts = [delayed(narrow_part)(k, shards) for k in range(shards)]
            data = shards_of_collection(parts, None, how)
            blocks = Numbered(data.source, Features(), LabelsAsSigns())
            rule = Rule("margin", margin=margin) if margin else Rule("perceptron")
            plan = Plan(rule, 10**6, revisit="mistakes")
            training = ClusterTraining(Cluster(client), data, blocks, plan)
            verdict, sent = training.run().verdict, training.sent
            print(
                f"400,000 × 1,000, margin {margin:g}: {verdict}, {sent.rounds} rounds, "
                f"{sent.passes / shards:.1f} scans of the data, {sent.rows:,} rows sent",
                flush=True,
            )


def rounds(folder: Path, _given: argparse.Namespace) -> None:
    """Processor time of a round of mixing, of the driver and of the workers together.

    driver ≈ a + b·shards + c·(bytes returned), workers ≈ d·shards + e·(bytes returned) + f·(bytes
    read), fitted to the relative errors, with factors that are not negative.
    """
    runs = []
    for rows, columns, shards in (
        (4_000, 300, 4),
        (4_000, 300, 32),
        (4_000, 30_000, 4),
        (4_000, 300_000, 16),
        (40_000, 300, 4),
        (40_000, 30_000, 16),
        (20_000, 100_000, 8),  # not used for the fit
        (60_000, 10_000, 24),  # nor this
    ):
        path = folder / f"{rows}-{columns}.svm"
        write_rows(path, rows, columns, gap=0.0, noise=0.1)
        with local(1) as client:
            once, _, _ = timed(client, path, 1, shards)  # imports, too
            once, dim, _ = timed(client, path, 1, shards)
            more, _, _ = timed(client, path, 9, shards)
        seconds = [(b - a) / 8 for a, b in zip(once, more, strict=True)]
        returned = 16 * dim * shards / 1e9  # w and u, 8 bytes each
        runs.append((shards, returned, path.stat().st_size / 1e9, *seconds))
        print(
            f"{rows:,} rows, {columns:,} features, {shards} shards: driver {seconds[0]:.3f} s, "
            f"workers {seconds[1]:.3f} s a round",
            flush=True,
        )
    shards, returned, read, *measured = np.array(runs).T
    ones, known = np.ones(len(runs)), slice(0, -2)
    for name, columns_of, took in (
        ("driver", (ones, shards, returned), measured[0]),
        ("workers", (shards, returned, read), measured[1]),
    ):
        X = np.stack(columns_of, axis=1)
        fit, _ = nnls(X[known] / took[known, None], np.ones(len(took[known])))
        words = ", ".join(f"{v:.4g}" for v in fit)
        print(f"{name}: factors {words}; predicted {(X @ fit)[-2:]}, took {took[-2:]}", flush=True)


def timed(client: Client, path: Path, passes: int, shards: int) -> tuple[list[float], int, float]:
    """Processor seconds of this process and of the workers, the features, and the seconds."""
    cluster = client.cluster
    assert cluster is not None
    processes = [psutil.Process(), *(psutil.Process(w.pid) for w in cluster.workers.values())]

    def busy() -> list[float]:
        own, *others = (sum(each.cpu_times()[:2]) for each in processes)
        return [own, sum(others)]

    before, began = busy(), time.perf_counter()
    training, _ = trained(client, path, Plan(Rule("averaged"), passes), shards)
    seconds = time.perf_counter() - began
    used = [b - a for a, b in zip(before, busy(), strict=True)]
    return used, training.model.learner.dim, seconds


def network(folder: Path, _given: argparse.Namespace) -> None:
    """Seconds of a round of mixing when the link to the only worker is slow or long.

    round ≈ a + (bits sent and returned)/rate + k·delay, with a and k from the first and third link.
    """
    path, shards = folder / "network.svm", 4
    write_rows(path, 4_000, 300_000, gap=0.0, noise=0.1)
    found = []
    for rate, delay in ((None, 0.0), (100, 0.0), (None, 0.02), (400, 0.0), (50, 0.0), (100, 0.01)):
        with far_worker(rate, delay) as client:
            trained(client, path, Plan(Rule("averaged"), 1), shards)  # imports
            times, dim = [], 0
            for passes in (1, 5):
                began = time.perf_counter()
                training, _ = trained(client, path, Plan(Rule("averaged"), passes), shards)
                times.append(time.perf_counter() - began)
                dim = training.model.learner.dim
        sent = 16 * dim / 1e6  # MB to the worker once a round, and back for each shard
        found.append((times[1] - times[0]) / 4)
        on_link = 0.0 if rate is None else sent * (1 + shards) * 8 / rate
        known = found[0] + on_link
        known += 0.0 if len(found) < 3 else (found[2] - found[0]) / 0.02 * delay
        link = "not limited" if rate is None else f"{rate} Mbit/s"
        print(
            f"link {link}, {1e3 * delay:.0f} ms each way: {found[-1]:.2f} s a round (by the model "
            f"{known:.2f}), {sent:.1f} MB to the worker and {sent * shards:.1f} MB back",
            flush=True,
        )


def tunnel(name: str) -> int:
    """A new network device whose packets this process reads and writes (Linux, as root)."""
    handle = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(handle, 0x400454CA, struct.pack("16sH", name.encode(), 0x1001))
    return handle


def carry(source: int, target: int, delay: float) -> None:
    """Carry packets from one device to the other, each after the same delay."""
    waiting: deque[tuple[float, bytes]] = deque()
    while True:
        wait = None if not waiting else max(0.0, waiting[0][0] - time.perf_counter())
        if select.select([source], [], [], wait)[0]:
            waiting.append((time.perf_counter() + delay, os.read(source, 1 << 16)))
        while waiting and waiting[0][0] <= time.perf_counter():
            os.write(target, waiting.popleft()[1])


@contextmanager
def far_worker(rate: int | None, delay: float) -> Iterator[Client]:
    """A client of a scheduler here and a worker in a network namespace, behind a link.

    `tc` limits both ends to so many Mbit/s. Many kernels lack netem, so a process carries the
    packets from end to end and holds them back.
    """

    def run(words: str) -> None:
        subprocess.run(words.split(), check=True)

    carriers, ends = [], [tunnel("novikoff0"), tunnel("novikoff1")]
    run("ip netns add novikoff")
    try:
        run("ip link set novikoff1 netns novikoff")
        inside = "ip netns exec novikoff "
        for before, end, address in (("", "novikoff0", 1), (inside, "novikoff1", 2)):
            run(f"{before}ip addr add 10.219.0.{address}/24 dev {end}")
            run(f"{before}ip link set {end} mtu 1500 up")
            limit = f"tbf rate {rate}mbit burst 256kb latency 100ms"
            run(f"{before}tc qdisc add dev {end} root {limit}" if rate else "true")
        run(inside + "ip link set lo up")
        for pair in (ends, ends[::-1]):
            carriers.append(Process(target=carry, args=(*pair, delay), daemon=True))
            carriers[-1].start()
        with (
            LocalCluster(
                n_workers=0, host="10.219.0.1", silence_logs=50, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            words = f"{sys.executable} -m distributed.cli.dask_worker {cluster.scheduler_address}"
            words += " --nthreads 1 --no-nanny --no-dashboard"
            worker = subprocess.Popen(f"{inside}{words}".split(), stderr=subprocess.DEVNULL)
            try:
                client.wait_for_workers(1, timeout=60)
                yield client
            finally:
                worker.terminate()
                worker.wait()
    finally:
        for one in carriers:
            one.kill()
            one.join()  # a device is there for as long as a process holds it
        for handle in ends:
            os.close(handle)
        run("ip netns del novikoff")


def speed(folder: Path, given: argparse.Namespace) -> None:
    path = folder / "big.svm"
    write_rows(folder / "part.svm", 100_000, 1000, gap=0.0, noise=0.1)
    part = (folder / "part.svm").read_bytes()
    with path.open("wb") as file:
        for _ in range(max(1, given.megabytes * 10**6 // len(part))):
            file.write(part)
    size, kept = path.stat().st_size / 1e6, str(folder / "kept")
    train = [sys.executable, "-m", "novikoff", "train", str(path), "-o", str(folder / "m"), "-q"]
    cores = os.sched_getaffinity(0)
    for name, words, which in (
        ("plain train, one core", ["--stream"], {min(cores)}),
        ("plain train, all cores", ["--stream"], cores),
        ("one worker", ["--cluster", "local:1"], cores),
        ("two workers", ["--cluster", "local:2"], cores),
        ("one worker with a cache", ["--cluster", "local:1", "--cache", kept], cores),
        ("two workers with a cache", ["--cluster", "local:2", "--cache", kept], cores),
    ):
        shutil.rmtree(kept, ignore_errors=True)
        os.sched_setaffinity(0, which)  # of what is started from here on
        before, began = os.times(), time.perf_counter()
        subprocess.run([*train, "--passes", "5", *words], check=True, stdout=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - began, os.times()
        busy = sum(after[2:4]) - sum(before[2:4])
        print(
            f"{name}: {seconds:.1f} s for 5 passes over {size:.0f} MB, {5 * size / seconds:.0f} "
            f"MB/s; {busy:.1f} s of processor time",
            flush=True,
        )
    os.sched_setaffinity(0, cores)


def verdicts(folder: Path, given: argparse.Namespace) -> None:
    """One line for each set; a run that is not finished after 300 passes says budget."""
    train = ["train", "-o", str(folder / "m"), "--until-separated", "--passes", "300", "-q"]
    for path in sorted(Path(given.directory).glob("*.svm")):
        said = []
        for words in (["certify"], train):
            for there in ([], ["--cluster", "local:1", "--shards", "4"]):
                command = [sys.executable, "-m", "novikoff", *words, str(path), "--json", *there]
                found = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
                said.append(json.loads(found)["verdict"])
        is_same = said[0] == said[1] and said[2] == said[3]
        print(
            f"{path.stem}: {', '.join(said)}; {'the same' if is_same else 'DIFFERENT'}", flush=True
        )


if __name__ == "__main__":
    main()
