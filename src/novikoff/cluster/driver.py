"""The driver's hold on a Dask cluster: tasks on shards, answered in order, lost ones done again."""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TypeVar

import numpy as np

import novikoff
from novikoff.sources.shards import Shard
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import listed, one_line

try:
    import dask
    import distributed
    from distributed.comm.core import CommClosedError

    from novikoff.cluster.partitions import Partition
except ModuleNotFoundError as error:
    raise ImportError(
        f"{error.name} is not installed; for clusters, pip install 'novikoff[cluster]'"
    ) from None

T = TypeVar("T")

RETRIES = 3  # of a task that failed for a reason other than its data
DEATHS = 3  # times that Dask gives a shard up because its workers died, each after four deaths
_LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"  # to the driver
STILL_SECONDS = 30  # after which a local worker that does not answer is replaced
# Dask has workers return freed memory at once, which makes parsing take a third longer.
_KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25}


class ClusterProblem(RuntimeError):  # noqa: N818  (it says what is wrong)
    """The cluster cannot do the work: no worker, other versions, or a lost scheduler."""


def versions() -> dict[str, str]:
    """What must be the same on every machine for the same bytes."""
    python = ".".join(map(str, sys.version_info[:3]))
    return {"novikoff": novikoff.__version__, "numpy": np.__version__, "python": python}


class Cluster:
    """Tasks on the workers of a Dask cluster, by a client of `distributed`.

    `on_answer` is called with how many of the shards of a round were answered, and of how many.
    """

    def __init__(
        self, client: Any, on_answer: Callable[[int, int], None] = lambda _done, _all: None
    ) -> None:
        self._client, self._on_answer = client, on_answer
        self.link = str(client.dashboard_link)  # of Dask's dashboard
        try:
            client.wait_for_workers(1, timeout=60)
        except TimeoutError:
            raise ClusterProblem("the cluster has no workers; start some") from None
        found = client.get_versions(packages=["novikoff"])
        own = {name: found["client"]["packages"].get(name) for name in versions()}
        for address, about in sorted(found["workers"].items()):
            _compare(address, about["packages"], own)

    def map(self, task: Callable[..., T], shards: Sequence[Any], *shared: Any) -> Iterator[T]:
        """task(*shared, shard) for each shard, in their order, whoever answers first.

        `shared` reaches each worker once. A task is pure, so it is done again, elsewhere, when its
        worker is lost. Some shards are worked on ahead of those that were asked for.
        """
        own, at = versions(), iter(shards)
        held: list[Any] = []
        waiting: deque[tuple[Any, Any]] = deque()
        done = 0

        def hold() -> None:
            held[:] = [self._submit(tuple, shared)]  # if its holder dies, Dask makes it again

        def begin(shard: Any) -> Any:
            given = self._client.compute(shard.given()) if isinstance(shard, Partition) else shard
            return self._submit(_answer, own, task, given, held[0])

        try:
            ahead = 2 * sum(self._client.nthreads().values()) + 2
            hold()
            while True:
                while len(waiting) < ahead and (shard := next(at, None)) is not None:
                    waiting.append((shard, begin(shard)))
                if not waiting:
                    return
                shard, future = waiting.popleft()
                for _ in range(DEATHS):
                    try:
                        answer = future.result()
                        break
                    except distributed.KilledWorker:
                        hold()  # which may have been lost with it
                        future = begin(shard)
                else:
                    words = "the workers on it died, perhaps because it needs too much memory"
                    raise ClusterProblem(f"{_name(shard)}: {words}; make smaller shards")
                future.release()
                if isinstance(answer, Exception):
                    raise answer
                done += 1
                self._on_answer(done, len(shards))
                yield answer
        except (CommClosedError, distributed.CancelledError) as error:
            raise ClusterProblem(f"the scheduler was lost: {one_line(str(error))}") from None
        except OSError as error:
            raise BadExample(f"{_name(shard)}: cannot be read: {one_line(str(error))}") from None
        finally:
            with suppress(Exception):  # the scheduler may be lost
                self._client.cancel([*held, *(future for _, future in waiting)], force=True)

    def _submit(self, task: Callable[..., Any], *given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self._client.submit(task, *given, pure=False, retries=RETRIES)


def _compare(who: str, found: dict[str, Any], own: dict[str, Any]) -> None:
    both = ((name, found.get(name), here) for name, here in own.items())
    other = [f"{name} {there}, not {here}" for name, there, here in both if there != here]
    if other:
        raise ClusterProblem(f"worker {who} has {listed(other)}; install the same everywhere")


def _name(shard: Any) -> str:
    return str(getattr(shard, "name", shard))


def _answer(
    expected: dict[str, str], task: Callable[..., T], shard: Any, shared: tuple[Any, ...]
) -> T | Exception:
    """The result of a task, or what is wrong with its data: trying again would not change it."""
    where = distributed.get_worker().address
    try:
        _compare(where, versions(), expected)
        with shard.naming_lines() if isinstance(shard, Shard) else nullcontext():
            return task(*shared, shard)
    except (BadExample, ClusterProblem) as error:
        if not isinstance(error.__cause__, OSError):
            return error
        words = str(error.__cause__)
    except FileNotFoundError as error:
        return BadExample(f"{error.filename}: this file is not on worker {where}")
    except MemoryError:
        return ClusterProblem(f"{_name(shard)}: a worker has too little memory for this shard")
    raise OSError(words)  # the storage may answer the next time


def current_client() -> Any:
    """The client that was made last."""
    try:
        return distributed.get_client()
    except ValueError:
        raise ClusterProblem("there is no client; make one with distributed.Client") from None


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster "local:N" of N processes here."""
    kind, _, number = address.partition(":")
    if kind != "local":
        try:
            client = distributed.Client(address, timeout=30)
        except (OSError, ValueError) as error:
            raise ClusterProblem(f"no scheduler answers: {one_line(str(error))}") from None
        with client:
            yield client
        return
    if not (number.isdecimal() and int(number)):
        words = "write local:N with a number of processes, or an address"
        raise ClusterProblem(f"{address!r}: {words}")
    settings = {
        "distributed.scheduler.worker-ttl": f"{STILL_SECONDS}s",
        "distributed.logging.distributed": "critical",
        "distributed.worker.preload": [_LEAVE_CTRL_C],
        "distributed.nanny.pre-spawn-environ": _KEEP_MEMORY
        | {f"{name}_NUM_THREADS": 1 for name in ("OMP", "MKL", "OPENBLAS")},
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=int(number), threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client
