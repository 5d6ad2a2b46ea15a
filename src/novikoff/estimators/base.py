"""What the estimators share: the runs by which classes are learned, and what is read from them."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.estimators.online import OneAtATime
from novikoff.estimators.schemes import AgainstTheRest, Jointly, Scheme
from novikoff.estimators.validation import classes_and_codes, column_kinds, unchanged_by_errors
from novikoff.guarantees.summary import Summaries, Summary
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Ties
from novikoff.ledger.ledger import Keep, Ledger
from novikoff.ledger.readings import Reading
from novikoff.online.one_example import are_dicts
from novikoff.runs.loop import Interrupted, Run, play
from novikoff.sources.arrays import rows_of
from novikoff.stream.blocks import Block, Codes, Stream
from novikoff.stream.order import Shuffle, Shuffled, arranged
from novikoff.stream.rows import Rows, Vector

Starts: TypeAlias = Callable[[int, int, np.random.RandomState], list[Vector | None]]

_LAYOUT = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


class MistakeDriven(OneAtATime, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]  # sklearn is untyped
    """What the estimators share: a run for each class against the rest, or one for all of them."""

    _reading: ClassVar[Reading] = "final"

    # Each estimator's __init__ sets these: scikit-learn reads parameters from its signature.
    fit_intercept: bool
    max_iter: int
    shuffle: Shuffle
    ties: Ties
    random_state: int | np.random.RandomState | None
    verbose: int
    keep: Keep = "examples"  # these two only where an estimator has no such parameter
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None

    _learners: list[Any]  # of the kind that `_made` makes
    _numbers: Codes | None = None  # the number of each class, where they are learned jointly
    _rows_seen: int

    @abstractmethod
    def _learner(self, dim: int, weights: tuple[float, float], start: Vector | None) -> Any:
        """A new learner, for how much a mistake counts on labels −1 and +1, and where to start."""

    @abstractmethod
    def _scores(self, rows: Rows, reading: Reading) -> list[Vector]:
        """A column of scores for each class, of two classes one; ValueError if no such reading."""

    @abstractmethod
    def _read(self, k: int, reading: Reading) -> tuple[Vector, float]:
        """The coefficients and the intercept of a reading of run k; ValueError if it has none."""

    def _fit(self, X: Any, y: Any, starts: Starts) -> Self:
        """The whole of `fit`, from where `starts` says that each run starts."""
        with self._alone():
            return self._fit_alone(X, y, starts)

    @unchanged_by_errors(but_for=(Interrupted,))
    def _fit_alone(self, X: Any, y: Any, starts: Starts) -> Self:
        self._check_parameters()
        X, y = self._validate(X, y, reset=True)
        rows = rows_of(X)
        self.classes_, codes = classes_and_codes(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but it "
                f"contains only one class: {self.classes_.tolist()[0]!r}"
            )
        dice = check_random_state(self.random_state)
        seed = int(dice.randint(np.iinfo(np.int32).max))
        self._follow(self._scheme_of(self.classes_))
        vectors = 1 if len(self.classes_) == 2 else len(self.classes_)
        self._learners = self._made(rows.dim, self._factors(y), starts(vectors, rows.dim, dice))
        self._open_runs()
        self._rows_seen = len(rows)
        block = Block(rows, self._scheme.labels(codes, 0))
        again = self.shuffle != "once" and bool(self.shuffle)
        if self.shuffle == "once":
            block = arranged(block, seed)
        if block.numbers is not None:
            codes = codes[block.numbers]
        for k in range(len(self._learners)):
            block = replace(block, labels=self._scheme.labels(codes, k))
            stream = Shuffled(block, seed=seed, again=True) if again else block
            self._play(k, stream)
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Meet these examples once, in the order given, and learn from the mistakes.

        However a stream is cut into calls, the result is the same: all the calls are one pass. The
        first names all the classes; where they are learned jointly they need not be named, a new
        one may come in any call, and one that is named is known from then on. A batch is learned as
        a whole or, when something is wrong with it or Ctrl-C is pressed, not at all.
        """
        if are_dicts(X) or self._going_on() is not None:
            self.learn_many(X, y, classes=classes)
            return self
        with self._alone():
            return self._partial_fit_alone(X, y, classes)

    @unchanged_by_errors(but_for=())
    def _partial_fit_alone(self, X: Any, y: Any, classes: ArrayLike | None) -> Self:
        first = not hasattr(self, "classes_")
        if first:
            self._check_parameters()
        X, y = self._validate(X, y, reset=first, finite=True)
        rows = rows_of(X)
        named = None if classes is None else np.unique(np.asarray(classes))
        if first:
            self._begin(named, rows.dim)
        learners = deepcopy(self._learners)
        self._meet(y, named, learners)
        codes = self._codes(y)
        parts = [
            play(Block(rows, self._scheme.labels(codes, k), self._rows_seen), learner,
                 ledger=learner.open_ledger(self.keep)).ledger
            for k, learner in enumerate(learners)
        ]  # fmt: skip
        self._learners = learners
        for run, part in zip(self._runs, parts, strict=True):
            if self._streaming:
                run.ledger.reopen_epoch()
            run.ledger.absorb(part)
            run.ledger.close_epoch()
        self._rows_seen, self._streaming = self._rows_seen + len(rows), True
        # a clean pass over one batch says nothing of the batches before it
        self._runs = tuple(Run(run.ledger, Verdict.BUDGET) for run in self._runs)
        self._read_last, self._interrupted = None, False
        return self

    def decision_function(self, X: Any, *, reading: Reading | None = None) -> NDArray[np.float64]:
        """The score of each row: positive for classes_[1], or one column a class.

        `reading` asks for another reading of the same run than the estimator's own: "final" and
        "average" are w·x + b, "vote" is votes for less votes against, by rounds survived; with more
        than two classes, over all the votes of the class.
        """
        check_is_fitted(self)
        reading = self._reading if reading is None else reading
        if reading not in ("final", "average", "vote"):
            raise ValueError(f"reading must be 'final', 'average' or 'vote', not {reading!r}")
        still, rows = self._still(X, reading)
        columns = still._scores(rows, reading)
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def predict(self, X: Any, *, reading: Reading | None = None) -> NDArray[Any]:
        """The predicted label of each row; a score of 0 says what `ties` says, else positive."""
        scores = self.decision_function(X, reading=reading)
        if len(self.classes_) == 1:  # of two, the only one met so far
            return np.repeat(self.classes_, len(scores))
        if scores.ndim == 1:
            chosen = scores >= 0 if self._zero_is_positive else scores > 0
            return np.asarray(self.classes_[chosen.astype(np.intp)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def weights(
        self, reading: Literal["final", "average"] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients and intercepts of a reading; by default those in coef_ and intercept_."""
        check_is_fitted(self)
        if reading is None:
            reading = "average" if self._reading == "average" else "final"
        coef, intercept = self._read_all(reading)
        return coef[:, : self._columns], intercept

    def _read_all(self, reading: Reading) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients and intercepts as scikit-learn lays them out."""
        read = [self._read(k, reading) for k in range(len(self.runs_))]
        return np.stack([coef for coef, _ in read]), np.array([constant for _, constant in read])

    def summary(self, X: Any = None, y: Any = None) -> Summary | Summaries:
        """What happened and what is known, to print; of more than two classes, a line for each.

        With the examples learned from, the margin is that of all, not of the mistaken ones alone.
        """
        check_is_fitted(self)
        blocks: list[Block | None] = [None] * len(self.runs_)
        if X is not None or y is not None:
            rows, y = self._read_data(X, y)
            codes = self._codes(y)
            blocks = [Block(rows, self._scheme.labels(codes, k)) for k in range(len(self.runs_))]
        each = tuple(self._summary(k, block) for k, block in enumerate(blocks))
        return each[0] if len(each) == 1 else Summaries(tuple(self.classes_.tolist()), each)

    def _summary(self, k: int, block: Block | None) -> Summary:
        return self.runs_[k].summary(block)

    def _begin(self, classes: NDArray[Any] | None, dim: int) -> None:
        """Make ready for a stream: learners and ledgers for the classes named."""
        scheme = self._scheme_begun(classes)
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels, which partial_fit does not have; "
                "compute the weights on a sample and pass them as a dict"
            )
        self._follow(scheme)
        vectors = 1 if len(self.classes_) == 2 else len(self.classes_)
        self._learners = self._made(dim, self._factors(self.classes_), [None] * vectors)
        self._open_runs()

    @property
    def _is_joint(self) -> bool:
        """Whether all classes are learned in one run: as was begun, or is to be."""
        return self._numbers is not None

    @property
    def _scheme(self) -> Scheme:
        """How the classes are learned, for whatever was learned last."""
        if self._numbers is not None:
            return Jointly(self.classes_, self._numbers)
        alone = len(self.classes_) == 1 and self._known.alone_is_positive
        return AgainstTheRest(self.classes_, alone)

    def _follow(self, scheme: Scheme) -> None:
        self.classes_ = scheme.classes
        self._numbers = scheme.numbers if isinstance(scheme, Jointly) else None

    def _scheme_of(self, classes: NDArray[Any]) -> Scheme:
        """How these classes are to be learned, when there are no others."""
        return AgainstTheRest(classes)

    def _scheme_begun(self, named: NDArray[Any] | None) -> Scheme:
        """The same for a stream of which no more is known than these classes."""
        return AgainstTheRest.begun(named)

    def _made(self, dim: int, each: Vector, starts: list[Vector | None]) -> list[Any]:
        """A learner for each run, by how much a mistake on each class counts, and the starts."""
        pairs = zip(self._class_weights(each), starts, strict=True)
        return [self._learner(dim, *pair) for pair in pairs]

    def _meet(self, y: NDArray[Any], named: NDArray[Any] | None, _learners: list[Any]) -> None:
        """Make ready for a batch with these labels; in some schemes classes may be new."""
        self._follow(self._scheme.met(y, named))

    def _open_runs(self) -> None:
        """A run for each learner, in which nothing has happened yet."""
        for name in ("_online", "_quick", "_resume", "_known"):
            self.__dict__.pop(name, None)
        self._runs = tuple(
            Run(learner.open_ledger(self.keep), Verdict.BUDGET) for learner in self._learners
        )
        self._rows_seen, self._streaming = 0, False
        self._read_last, self._interrupted = None, False

    @property
    def _zero_is_positive(self) -> bool:
        return self.ties != "negative"

    def _check_parameters(self) -> None:
        if not (isinstance(self.max_iter, int | np.integer) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be a whole number from 1, not {self.max_iter!r}")
        if self.shuffle != "once" and not isinstance(self.shuffle, bool | np.bool_):
            raise ValueError(f"shuffle must be 'once', True or False, not {self.shuffle!r}")
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise ValueError(f"fit_intercept must be True or False, not {self.fit_intercept!r}")
        if self.keep not in ("examples", "positions", "counts"):
            raise ValueError(f"keep must be 'examples', 'positions' or 'counts', not {self.keep!r}")
        self._learner(1, (1.0, 1.0), None)

    def _validate(self, X: Any, y: Any = "no_validation", *, reset: bool,
                  finite: bool = False) -> Any:  # fmt: skip
        if (isinstance(X, Mapping) and not hasattr(X, "shape")) or are_dicts(X):
            raise TypeError(
                "X holds dicts, which are learned from by learn_one, learn_many and partial_fit; "
                "otherwise make a table of them (for instance with DictVectorizer)"
            )
        times = [name for name, kind in column_kinds(X) if kind in "mM"]
        if times:
            where = "X" if times[0] is None else f"column {times[0]!r} of X"
            raise ValueError(
                f"{where} holds dates or times; turn them into numbers that mean something"
            )
        # X is checked for NaN and infinity by the pass itself, not by one more read of it
        try:
            return validate_data(self, X, y, reset=reset, ensure_all_finite=finite, **_LAYOUT)
        except (ValueError, TypeError) as error:
            texts = [n for n, kind in column_kinds(X) if n is not None and kind not in "biuf"]
            if not texts:
                raise
            raise ValueError(
                f"column {texts[0]!r} of X does not hold numbers; if it is the label, leave it out "
                "of X, otherwise encode it (for instance with OneHotEncoder)"
            ) from error

    def _rows(self, X: Any, *, finite: bool = False) -> Rows:
        return rows_of(self._validate(X, reset=False, finite=finite))

    def _factors(self, y: NDArray[Any]) -> Vector:
        """How much a mistake counts on an example of each class."""
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        return np.asarray(compute_class_weight(self.class_weight, classes=self.classes_, y=y))

    def _class_weights(self, each: Vector) -> list[tuple[float, float]]:
        """The same for each run, for the rest (−1) and for the class (+1)."""
        if len(self.classes_) == 2:
            return [(float(each[0]), float(each[1]))]
        return [(1.0, float(w)) for w in each]

    def _codes(self, y: NDArray[Any]) -> NDArray[Any]:
        """For each label its place among the classes; refused if it has none."""
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        unknown = np.flatnonzero(self.classes_[codes] != y)
        if len(unknown):
            i, known = unknown[0], self.classes_.tolist()
            raise ValueError(f"row {i}: label {y.tolist()[i]!r} is not one of the classes {known}")
        return codes

    def _play(self, k: int, stream: Stream) -> None:
        learner, ledger = self._learners[k], self._runs[k].ledger
        report = self._report(k) if self.verbose else None
        try:
            run = play(stream, learner, epochs=self.max_iter, ledger=ledger, progress=report)
        except Interrupted as stopped:
            self._enter(k, stopped.run)
            self._interrupted = True
            raise
        self._enter(k, run)

    def _enter(self, k: int, run: Run) -> None:
        self._runs = (*self._runs[:k], run, *self._runs[k + 1 :])

    def _report(self, k: int) -> Any:
        which = self._scheme.name(k)

        def print_epoch(ledger: Ledger) -> None:
            epoch, made = len(ledger.epoch_ends), ledger.epoch_mistakes[-1]
            met = ledger.epoch_ends[-1] - (ledger.epoch_ends[-2] if epoch > 1 else 0)
            print(
                f"{which}epoch {epoch}: {made} mistakes in {met} examples "
                f"({made / met:.2%}), {ledger.n_mistakes} in all",
                flush=True,
            )

        return print_epoch

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
