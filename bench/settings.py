"""What `bench/speed.py` measures: for each group, the settings, each beside its best peer."""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize

import kernels
import made_data
import text_files
from novikoff import (
    Adaptive,
    Additive,
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    Winnow,
    certify,
    play,
    sources,
    verify,
)
from novikoff.learners import Learner, Winnow2
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block
from novikoff.stream.rows import join
from processes import HINGE, Command, measure, novikoff, vowpal

Job: TypeAlias = Callable[[], object] | Command

LONG = 20.0  # seconds after which nothing is repeated
TURN = 0.1  # seconds for which a shorter job is repeated before it is the other's turn
SETTLED = 0.05  # seconds until the idle threads of a BLAS library sleep
SEPARABLE = ("mushrooms_train", "mushrooms_test", "text/rcv1_vw_small_train", "text/sms_spam",
             "text/imdb5000", "text/spamassassin")  # fmt: skip
OTHERS = ("phishing", "spambase", "a9a", "skin", "w8a", "covtype20k_2_vs_rest")


@dataclass(frozen=True)
class Row:
    """A setting: our job and the peer's; `per` examples are in each."""

    setting: str
    peer: str
    theirs: Job | None
    ours: Job
    per: int = 1


@dataclass(frozen=True)
class Bench:
    """The size of the data, where public ones are, who runs Vowpal Wabbit, and the clock."""

    quick: bool
    data: Path | None
    peers: str | None
    folder: Path
    cores: int
    cpu: bool

    def n(self, rows: int) -> int:
        """So many rows, or a tenth."""
        return rows // 10 if self.quick else rows


def measured(row: Row, bench: Bench) -> dict[str, float | None]:
    """Seconds of both, taking turns, the best of five, and the most memory of ours, in MB.

    A job that is shorter than a tenth of a second is repeated for so long in each turn.
    """
    clock = time.process_time if bench.cpu else time.perf_counter
    jobs = {"ours": row.ours} | ({} if row.theirs is None else {"theirs": row.theirs})
    best, peak, began = dict.fromkeys(jobs, np.inf), 0.0, time.perf_counter()
    for _ in range(3 if bench.quick else 5):
        for who, job in jobs.items():
            if isinstance(job, list):
                seen = measure(job)
                seconds, held = seen.cpu if bench.cpu else seen.seconds, seen.peak
            else:
                time.sleep(SETTLED)
                seconds, held = fastest(job, clock), 0.0
            best[who] = min(best[who], seconds)
            peak = max(peak, held) if who == "ours" else peak
        if time.perf_counter() - began > LONG:
            break
    if not isinstance(row.ours, list):
        tracemalloc.start()
        row.ours()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    theirs = best["theirs"] / row.per if row.theirs is not None else None
    return {"theirs": theirs, "ours": best["ours"] / row.per, "megabytes": peak}


def fastest(job: Callable[[], object], clock: Callable[[], float]) -> float:
    """Seconds of the fastest of the calls that begin within one turn."""
    best, began = np.inf, time.perf_counter()
    while best == np.inf or time.perf_counter() - began < TURN:
        start = clock()
        job()
        best = min(best, clock() - start)
    return float(best)


def a_pass(setting: str, X: Any, y: Any, *, given: bool = True, average: bool = False) -> Row:
    """One epoch, `fit` against `fit`, in the given order or in that which both have by default."""
    order: dict[str, Any] = {"shuffle": False} if given else {}
    if average:
        peer, ours = averaged(max_iter=1, **order), AveragedPerceptron(max_iter=1, **order)
    else:
        peer = TheirPerceptron(max_iter=1, tol=None, **order)
        ours = Perceptron(max_iter=1, **order)
    what = f"{setting}, {'given' if given else 'default'} order{', averaged' * average}"
    fit = partial(peer.fit, X, y)
    if getattr(X, "indices", X).dtype == np.int64:  # which it refuses
        fit = partial(fit_narrowed, peer, X, y)
    return Row(what, "SGDClassifier" if average else "Perceptron", fit, partial(ours.fit, X, y))


def averaged(**options: Any) -> Any:
    """scikit-learn's averaged perceptron."""
    return SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None,
                         tol=None, average=True, **options)  # fmt: skip


def fit_narrowed(peer: Any, X: Any, y: Any) -> None:
    narrow = X.copy()
    narrow.indices, narrow.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    peer.fit(narrow, y)


def by_class(X: Any, y: Any) -> tuple[Any, Any]:
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def sparse_passes(bench: Bench) -> Iterator[Row]:
    """One pass over sparse rows."""
    n = bench.n(400_000)
    base = f"{n:,} × 47k, 75 drawn a row"
    variants: dict[str, dict[str, Any]] = {
        "log-uniform, float32, 5 % flipped": {},
        "0 % flipped": {"noise": 0.0},
        "30 % flipped": {"noise": 0.3},
        "uniform columns": {"columns": "uniform"},
        "power-law columns": {"columns": "power-law"},
        "float64": {"value": np.float64},
        "64-bit indices": {"index": np.int64},
        f"{bench.n(2_000_000):,} rows of 5": {"n": bench.n(2_000_000), "per_row": 5},
        f"{bench.n(30_000):,} rows of 1,000": {"n": bench.n(30_000), "per_row": 1000},
    }
    for name, options in variants.items():
        X, y = made_data.sparse(**{"n": n, **options})
        setting = name if options else f"{base}, {name}"
        yield a_pass(setting, X, y)
        if not options or "columns" in options:
            yield a_pass(setting, X, y, given=False)
            yield a_pass(setting, X, y, average=True)
        if not options:
            yield a_pass(setting, X, y, given=False, average=True)
            yield a_pass("sorted by class", *by_class(X, y))
            yield a_pass("sorted by class", *by_class(X, y), given=False)


def dense_passes(bench: Bench) -> Iterator[Row]:
    """One pass over dense rows."""
    for n, dim in ((1_000_000, 28), (15_000, 4096)):
        for value in (np.float64, np.float32):
            X, y = made_data.dense(bench.n(n), dim, value=value)
            setting = f"{bench.n(n):,} × {dim}, {np.dtype(value).name}"
            yield a_pass(setting, X, y)
            yield a_pass(setting, X, y, given=False)
            yield a_pass(setting, X, y, average=True)
        yield a_pass(f"{setting}, sorted by class", *by_class(X, y), given=False)


def predictions(bench: Bench) -> Iterator[Row]:
    """`predict` of a fitted model."""
    sets: list[tuple[str, Callable[[], Any]]] = [
        (f"{bench.n(400_000):,} × 47k, 75 drawn a row, log-uniform, float32",
         partial(made_data.sparse, bench.n(400_000))),
        ("uniform columns, float64", partial(made_data.sparse, bench.n(400_000), columns="uniform",
                                             value=np.float64)),
        ("rows of 5", partial(made_data.sparse, bench.n(2_000_000), 5)),
        ("rows of 1,000", partial(made_data.sparse, bench.n(30_000), 1000)),
        ("dense 1M × 28", partial(made_data.dense, bench.n(1_000_000), 28)),
        ("dense 1M × 28, float32",
         partial(made_data.dense, bench.n(1_000_000), 28, value=np.float32)),
        ("dense 15k × 4096", partial(made_data.dense, bench.n(15_000), 4096)),
        ("dense 100 × 10", partial(made_data.dense, 100, 10)),
    ]  # fmt: skip
    for name, make in sets:
        X, y = make()
        theirs = TheirPerceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
        ours = Perceptron(max_iter=1, shuffle=False).fit(X, y)
        yield Row(name, "Perceptron", partial(theirs.predict, X), partial(ours.predict, X))


def small_fits(_: Bench) -> Iterator[Row]:
    """Small fits."""
    X, y = made_data.dense(100, 10)
    for name, rows, n in (("", X, 5), (", sparse", sp.csr_matrix(X), 5), ("", X, 100)):
        yield Row(f"100 × 10{name}, {n} passes", "Perceptron",
                  partial(TheirPerceptron(max_iter=n, tol=None).fit, rows, y),
                  partial(Perceptron(max_iter=n).fit, rows, y))  # fmt: skip
    grid = {"random_state": list(range(100))}
    yield Row("GridSearchCV of 500 fits, 100 × 10, 5 passes", "Perceptron",
              partial(GridSearchCV(TheirPerceptron(max_iter=5, tol=None), grid, cv=5).fit, X, y),
              partial(GridSearchCV(Perceptron(max_iter=5), grid, cv=5).fit, X, y))  # fmt: skip


def many_classes(bench: Bench) -> Iterator[Row]:
    """Many classes, unit rows, given order, no intercept, all cores on both sides."""
    X, y = load_digits(return_X_y=True)
    sets = [(f"digits, {len(y)} × 64, 10 classes", normalize(X), y)]
    if bench.data is not None:
        X, y = load_svmlight_file(str(bench.data / "text" / "news20_train_multiclass.svm.gz"))
        sets.append((f"news20, {len(y)} × {X.shape[1]}, 20 classes", normalize(X), y))
    plain: dict[str, Any] = {"shuffle": False, "fit_intercept": False}
    for name, X, y in sets:
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X[order], y[order]
        for passes in (1, 10):
            theirs = TheirPerceptron(max_iter=passes, tol=None, n_jobs=bench.cores, **plain)
            for scheme in ("ovr", "joint"):
                ours = Perceptron(max_iter=passes, multiclass=scheme, **plain)
                yield Row(f"{name}, {passes} pass{'es' * (passes > 1)}, {scheme}", "Perceptron",
                          partial(theirs.fit, X, y), partial(ours.fit, X, y))  # fmt: skip
        average = AveragedPerceptron(max_iter=10, multiclass="ovr", **plain)
        yield Row(f"{name}, 10 passes, ovr, averaged", "SGDClassifier",
                  partial(averaged(max_iter=10, n_jobs=bench.cores, **plain).fit, X, y),
                  partial(average.fit, X, y))  # fmt: skip


def one_by_one(_: Bench) -> Iterator[Row]:
    """One example at a time: predict, then learn; 2,000 examples five times."""
    from river import linear_model

    n, passes = 2_000, 5

    def meet(make: Callable[[], Any], examples: made_data.Dicts) -> None:
        model = make()
        for _ in range(passes):
            for x, y in examples:
                model.predict_one(x)
                model.learn_one(x, y)

    streams = {"10 numbers": made_data.number_dicts(n, 10),
               "75 numbers": made_data.number_dicts(n, 75),
               "75 words": made_data.word_dicts(n)}  # fmt: skip
    ours: dict[str, Callable[[], Any]] = {"": Perceptron, ", averaged": AveragedPerceptron,
                                          ", Winnow": Winnow}  # fmt: skip
    for name, stream in streams.items():
        for objects, examples in (("", stream), (", fresh strings", made_data.fresh(stream))):
            river = partial(meet, linear_model.Perceptron, examples)
            for kind, make in ours.items():
                if not (kind and objects):
                    yield Row(f"{name}{objects}{kind}", "river's Perceptron", river,
                              partial(meet, make, examples), passes * n)  # fmt: skip
    X, y = made_data.dense(n, 75)

    def rows(learn: Callable[[int], object]) -> None:
        for i in range(n):
            learn(i)

    theirs, own = SGDClassifier(loss="perceptron", penalty=None), Perceptron()
    yield Row("a row of 75 numbers", "partial_fit",
              partial(rows, lambda i: theirs.partial_fit(X[i : i + 1], y[i : i + 1], [-1, 1])),
              partial(rows, lambda i: own.learn_one(X[i], y[i])), n)  # fmt: skip


def feasible(X: Any, y: Any) -> None:
    """The linear program Zw ≥ 1: complete separation or not, in floating point."""
    n, d = X.shape
    Z = signed(X, y) if sp.issparse(X) else signed(X, y).toarray()
    linprog(np.zeros(d + 1), A_ub=-Z, b_ub=-np.ones(n), bounds=(None, None), method="highs")


def support(X: Any, y: Any) -> None:
    """The program that tells all three verdicts apart, in floating point; two minutes at most."""
    (n, d), Z = X.shape, signed(X, y)
    linprog(np.concatenate([np.zeros(d + 1), -np.ones(n)]),
            A_ub=sp.hstack([-Z, sp.eye_array(n)], format="csr"), b_ub=np.zeros(n),
            bounds=[(None, None)] * (d + 1) + [(0.0, 1.0)] * n, method="highs",
            options={"time_limit": 120.0})  # fmt: skip


def signed(X: Any, y: Any) -> Any:
    """The rows y·x with a constant after the features."""
    rows: list[Any] = [sp.csr_array(X), sp.csr_array(np.ones((X.shape[0], 1)))]
    return sp.csr_array(sp.hstack(rows).multiply(y[:, None]))


def certificates(bench: Bench) -> Iterator[Row]:
    """Is it separable? `certify` beside HiGHS, `verify` beside `certify`."""
    names = ("mushrooms_test", "spambase", "a9a") if bench.quick else (*SEPARABLE, *OTHERS)
    for name in names if bench.data is not None else ():
        X, y = load_svmlight_file(f"{bench.data}/{name}.svm.gz")
        if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
            X = X.toarray()
        ours = partial(certify, X, y)
        yield Row(f"certify {name}", "HiGHS, feasibility", partial(feasible, X, y), ours)
        if name in OTHERS and not bench.quick:
            yield Row(f"certify {name}", "HiGHS, all verdicts", partial(support, X, y), ours)
        check = partial(verify, certify(X, y), X, y)
        yield Row(f"verify {name}", "certify", ours, check)
    for kind in ("separable", "overlap", "quasi-complete"):
        n = bench.n(300_000)
        X, y = made_data.rows_to_certify(n, 50, kind)
        ours = partial(certify, X, y)
        yield Row(f"verify {kind}, {n:,} × 50", "certify", ours, partial(verify, ours(), X, y))
        if not bench.quick:
            X, y = made_data.rows_to_certify(1_000_000, 50, kind)
            yield Row(f"certify {kind}, 1,000,000 × 50", "", None, partial(certify, X, y))


SCIKIT_LEARN = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # it takes no others
Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
"""
VECTORIZER = """
import sys
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
with open(sys.argv[1], encoding="utf-8", newline="\\n") as file:
    labels, texts = zip(*(line.rstrip("\\n").split("\\t", 1) for line in file))
words = HashingVectorizer(ngram_range=(1, 2))
SGDClassifier(average=True, max_iter=1, tol=None).fit(words.transform(texts), labels)
"""
ONE_PASS = ("--learner", "perceptron", "--stream")


def texts(bench: Bench) -> Iterator[Row]:
    """From a text file to a model, whole processes."""
    folder = bench.folder

    def train(data: Path, *words: str | Path) -> Command:
        return novikoff("train", data, "-o", folder / "model", "--quiet", *words)

    for megabytes in (40,) if bench.quick else (118, 235, 400):
        svm, vw = folder / f"{megabytes}.svm", folder / f"{megabytes}.vw"
        for path in (svm, vw):
            if not path.exists():
                text_files.write(path, megabytes)
        size = f"{svm.stat().st_size / 1e6:.0f} MB"
        theirs = [sys.executable, "-c", SCIKIT_LEARN, str(svm)]
        yield Row(f"svmlight, {size}", "scikit-learn's loader, one epoch", theirs,
                  train(svm, *ONE_PASS))  # fmt: skip
        if bench.peers is not None:
            own = "-f", folder / "vw.model", "--quiet"
            hinge = vowpal(bench.peers, "-d", vw, *own, *HINGE)
            usual = vowpal(bench.peers, "-d", vw, *own)
            hashed = "--hash-bits", "18"
            yield Row(f"svmlight, {size}", "Vowpal Wabbit, hinge, its own format",
                      hinge, train(svm, *ONE_PASS))  # fmt: skip
            yield Row(f"Vowpal Wabbit's format, {size}, hashed", "Vowpal Wabbit, hinge",
                      hinge, train(vw, *ONE_PASS, *hashed))  # fmt: skip
            yield Row(f"svmlight, {size}, adaptive", "Vowpal Wabbit, default, its own format",
                      usual, train(svm, "--stream"))  # fmt: skip
            yield Row(f"Vowpal Wabbit's format, {size}, hashed, adaptive",
                      "Vowpal Wabbit, default", usual, train(vw, "--stream", *hashed))  # fmt: skip
    if bench.quick:
        return
    for name, tool in (("gz", "gzip"), ("zst", "zstd")):
        packed = Path(f"{svm}.{name}")
        if not packed.exists():
            measure([tool, "-k", "-q", str(svm)])
        yield Row(f"svmlight, {size}, {tool}", f"{tool} -t", [tool, "-t", "-q", str(packed)],
                  train(packed, *ONE_PASS))  # fmt: skip
    long = folder / "17 digits.svm"
    if not long.exists():
        text_files.write(long, megabytes, 17)
    yield Row("values of 17 digits", "of 5, as many bytes", train(svm, *ONE_PASS),
              train(long, *ONE_PASS))  # fmt: skip
    cache = train(svm, *ONE_PASS, "--cache", folder / "cache.arrow")
    measure(cache)
    cached = None
    if bench.peers is not None:
        cached = [*hinge, "--cache_file", str(folder / "vw.cache"), "--passes", "6"]
        measure(cached)
    yield Row("six passes over a cache", "Vowpal Wabbit, hinge", cached, [*cache, "--passes", "6"])
    if bench.data is not None:
        large = folder / "messages.tsv"
        rows = made_data.messages(bench.data / "text" / "sms_raw.tsv.gz")
        with large.open("w", encoding="utf-8") as file:
            file.writelines(made_data.texts_like(rows, 60 * 10**6))
        how = ("--no-header", "--label", "0", "--text", "1", "--quote", "none")
        ours = train(large, *how, "--learner", "averaged", "--stream")
        theirs = [sys.executable, "-c", VECTORIZER, str(large)]
        peer = "HashingVectorizer and SGDClassifier"
        yield Row("raw text, 60 MB, hashed", peer, theirs, [*ours, "--hash-bits", "20"])
        yield Row("raw text, 60 MB, dictionary", peer, theirs, ours)


def start_up(_: Bench) -> Iterator[Row]:
    """Start-up."""
    numpy = [sys.executable, "-c", "import numpy"]
    yield Row("novikoff --version", "import numpy", numpy, novikoff("--version"))
    yield Row("import novikoff", "import numpy", numpy, [sys.executable, "-c", "import novikoff"])


class Blind:
    """A watch for cycles that sees nothing."""

    is_counting = False

    def close_pass(self, *_: Any) -> None:
        """Find nothing."""


def other_rules(bench: Bench) -> Iterator[Row]:
    """What other rules and checks cost: beside the averaged perceptron, or a run without them."""
    sets = {f"dense {bench.n(1_000_000):,} × 28": made_data.dense(bench.n(1_000_000), 28),
            f"sparse {bench.n(400_000):,} × 47k": made_data.sparse(bench.n(400_000))}  # fmt: skip
    blocks = {name: sources.block(X, y) for name, (X, y) in sets.items()}

    def run(block: Block, make: Callable[[], Learner], passes: int = 1) -> Ledger:
        learner = make()
        return play(block, learner, epochs=passes, ledger=learner.open_ledger("counts")).ledger

    def unwatched(*job: Any) -> None:
        with patch("novikoff.runs.loop.CycleSearch", Blind):
            run(*job)

    for name, block in blocks.items():
        dim = block.rows.dim
        plain = partial(Additive, dim, bias=True)
        average = partial(run, block, partial(plain, averaging=True))
        rules: dict[str, Callable[[], Learner]] = {
            "adaptive": partial(Adaptive, dim, bias=True),
            "adaptive, averaged": partial(Adaptive, dim, bias=True, averaging=True),
        }
        for rule, make in rules.items():
            yield Row(f"{rule}, {name}", "averaged", average, partial(run, block, make))
        yield Row(f"watching for cycles, 8 passes, {name}", "not watching",
                  partial(unwatched, block, plain, 8), partial(run, block, plain, 8))  # fmt: skip
    for n, on in ((100_000, 50), (20_000, 1_000)):
        drawn = list(sources.few_relevant(bench.n(n), 1_000_000, 5, on=on))
        block = Block(join([b.rows for b in drawn]), np.concatenate([b.labels for b in drawn]))
        entries: Any = block.rows.core[:3]
        X: Any = sp.csr_matrix(entries, (len(block.rows), 1_000_000))
        theirs = TheirPerceptron(max_iter=1, tol=None, shuffle=False)
        yield Row(f"Winnow2, {bench.n(n):,} × 1M, {on:,} on", "Perceptron",
                  partial(theirs.fit, X, block.labels),
                  partial(run, block, partial(Winnow2, 1_000_000)))  # fmt: skip


def in_kernel_space(bench: Bench) -> Iterator[Row]:
    """The kernel perceptron on MNIST, beside the same algorithm in NumPy; without it, on digits."""
    if bench.data is not None and (bench.data / "mnist").is_dir():
        X, y, *_ = kernels.mnist(bench.data / "mnist")
    else:
        X, y = load_digits(return_X_y=True)
        X = X / 16.0
    X, y = X[: bench.n(20_000)], y[: bench.n(20_000)]
    clf = KernelPerceptron(degree=4, gamma=1.0, max_iter=2)
    yield Row(f"degree 4, {len(X):,} × {X.shape[1]}, ten classes, 2 passes", "NumPy, in blocks",
              partial(kernels.in_numpy, X, y, 2), partial(clf.fit, X, y))  # fmt: skip


GROUPS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "sparse passes": sparse_passes,
    "dense passes": dense_passes,
    "predict": predictions,
    "small fits": small_fits,
    "many classes": many_classes,
    "one by one": one_by_one,
    "certificates": certificates,
    "text": texts,
    "start-up": start_up,
    "other rules": other_rules,
    "kernels": in_kernel_space,
}

warnings.filterwarnings("ignore")
