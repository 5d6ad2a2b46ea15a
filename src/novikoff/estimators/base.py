"""What all estimators do: scikit-learn's API, and one example at a time, over an engine."""

import os
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from novikoff.estimators import validation
from novikoff.estimators.progress import ShownPasses
from novikoff.estimators.validation import COLUMNS, Columns, importance, importances, read
from novikoff.guarantees.known import Summaries, Summary
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, Joint, Ties
from novikoff.learners.rule import Rule
from novikoff.ledger.ledger import KeepOrAuto
from novikoff.ledger.readings import Reading
from novikoff.ledger.weights import LANES
from novikoff.models.calibration import Calibration, logarithms, probabilities
from novikoff.models.explanation import Explanation, explain
from novikoff.online.engine import Engine
from novikoff.online.locks import Rank, new_lock
from novikoff.online.one_example import are_dicts, by_name, count, first, plain_example, records
from novikoff.runs.interrupts import undisturbed
from novikoff.runs.loop import Interrupted, Run
from novikoff.runs.pool import Revisit
from novikoff.sources.in_memory import RowsOfModel
from novikoff.storage.file_format import Place
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample, naming_columns
from novikoff.stream.labels import rest_of, written
from novikoff.stream.multiclass import (
    Classes,
    JointLabels,
    Labels,
    Multiclass,
    distinct,
    labels_of,
    named_classes,
    plain_label,
    plain_labels,
)
from novikoff.stream.order import Shuffle
from novikoff.stream.printing import count as count_of
from novikoff.stream.printing import html_table, plural
from novikoff.stream.rows import Rows, Vector

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
RandomState: TypeAlias = int | np.random.RandomState | None

USUAL_PASSES = 1000  # of an estimator that is to separate the data

_BEGINNING = new_lock(Rank.ESTIMATOR)  # held while an estimator gets an engine, or opens its core
_BUSY = "another thread is learning with this estimator; try again when it is done"
_NO_CLASSES = np.empty(0)
_if_probable = available_if(attrgetter("gives_probabilities"))
_WORST_FIRST = (Verdict.INTERRUPTED, Verdict.BUDGET, Verdict.CYCLE, Verdict.SEPARATED)


@dataclass(kw_only=True, eq=False, repr=False)
class LinearClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]  # sklearn is untyped
    """A linear classifier that learns from its mistakes, around an engine that holds its state."""

    # parameters of all estimators, but for those that one declares again with init=False
    fit_intercept: bool = True
    max_iter: int = USUAL_PASSES
    shuffle: Shuffle = "once"
    random_state: RandomState = 0
    verbose: int = 0
    eta0: float = 1.0
    ties: Ties = "mistake"
    multiclass: Multiclass | Literal["auto"] = "ovr"
    class_weight: ClassWeight = None
    keep: KeepOrAuto = "auto"
    hash_bits: int | None = None
    max_names: int | None = None
    revisit: Revisit | None = None

    # what follows is no parameter, so it is not annotated
    _separates = False  # whether fit is to separate the data, so that it warns if it did not
    _is_by_blocks = False  # whether an example is a block of one: the core knows no kernels
    _busy_in = 0  # the process in which a thread learns from a block
    _engine = cast("Engine | None", None)
    # of a model that was loaded: how its data are read, if not as an estimator reads them, and how
    # its examples were ordered
    _reader = cast("RowsOfModel | None", None)
    _order = cast("Mapping[str, Any] | None", None)

    @abstractmethod
    def _rule(self, classes: int = 2) -> Rule:
        """The rule with these parameters for so many classes; ValueError if they are invalid."""

    # learning from blocks

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: ArrayLike | Literal["random"] | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Pass over the data until a pass makes no mistake, the weights repeat, or max_iter passes.

        On data with ‖x‖ ≤ R and margin γ, the constant feature counted in both, the perceptron's
        clean pass comes after at most (R/γ)² mistakes (Novikoff 1962); when it learns many classes
        jointly, after at most 2(R/γ)² (Crammer & Singer 2003). What was learned before is
        forgotten, unless an error is raised.

        Parameters
        ----------
        X, y
            Rows (array, frame, or scipy sparse in any format) and their labels, of two or more
            classes.
        coef_init, intercept_init
            Where to start, in the shapes of `coef_` and `intercept_`; `coef_init="random"` draws
            standard normal weights (and intercepts) from random_state. Winnow starts at 0 only.
        sample_weight
            How much each example counts, at least 0: the step of a mistake is multiplied by it.
            With the adaptive learners a weight c divides the regularisation r instead. An example
            of weight 0 is scored but never learned from, and a mistake on it is not counted. A
            weight of 2 is one step of twice the length, not the same as the example twice.
        """
        with self._alone(), naming_columns(X):
            validation.check_common(self)
            rule = self._rule()
            rows, y, columns = validation.read_new(self, X, y)
            if y.dtype.kind not in "biu":
                check_classification_targets(y)
            weights = importances(sample_weight, len(rows))
            if weights is not None and not weights.any():
                raise ValueError("all sample weights are zero; there is nothing to learn from")
            classes, codes = distinct(y)
            if len(classes) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs samples of at least 2 classes in the data, but "
                    f"it contains only one class: {classes.tolist()[0]!r}"
                )
            if len(classes) > 2:
                rule = self._rule(len(classes))
            rule = rule.measured(rows, whole=True)
            labels, begin = labels_of(classes, joint=rule.joint), None
            if coef_init is None and intercept_init is None:
                seed = validation.seed_of(self.random_state)
            else:
                dice = check_random_state(self.random_state)
                seed = validation.seed_of(dice)
                begin = validation.starts(
                    1 if len(labels.classes) <= 2 else len(labels.classes),
                    rows.dim,
                    dice,
                    coef=coef_init,
                    intercept=intercept_init,
                    fit_intercept=self.fit_intercept,
                )
            engine = self._new_engine(rule, labels, rows.dim, y=y, starts=begin)
            try:
                with ShownPasses(self.max_iter, verbose=bool(self.verbose)) as progress:
                    engine.fit(
                        rows,
                        codes,
                        epochs=self.max_iter,
                        importances=weights,
                        shuffle=self.shuffle,
                        seed=seed,
                        progress=progress,
                        revisit=self.revisit,
                        together=not self.verbose,
                    )
            except Interrupted:
                self._take(engine, columns)
                raise
            self._take(engine, columns)
        self._warn_of_budget(engine)
        return self

    def _warn_of_budget(self, engine: Engine) -> None:
        """Warn if an estimator that is to separate the data used up the usual passes."""
        ended = any(run.verdict == Verdict.BUDGET for run in engine.runs)
        if not (self._separates and ended and self.max_iter == USUAL_PASSES):
            return
        last = sum(one.epoch_updates[one.scans[-1]] for one in engine.ledgers)
        warnings.warn(
            f"{type(self).__name__} made {plural(last, 'update')} in the last of "
            f"{count_of(self.max_iter)} passes, so the data may not be separable. "
            "AveragedPerceptron does not need separable data; certify(X, y) tells whether they are "
            "separable (two labels only). To silence this warning, set max_iter to another number.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from these examples in one pass, in the order given.

        All calls together are one pass: the result does not depend on how a stream is cut into
        calls. The first call names all classes. With multiclass="joint" it need not: new classes
        may appear in any call. If a batch raises an error, or Ctrl-C is pressed, none of it is
        learned.
        """
        is_online = self._engine is not None and self._engine.is_online
        if are_dicts(X) or is_online or self._reader is not None:
            self.learn_many(X, y, classes=classes, sample_weight=sample_weight)
            return self
        with self._alone(), naming_columns(X), undisturbed() as stop:
            named, columns = named_classes(classes), None
            engine = self._engine
            if engine is None:
                validation.check_common(self)
                rule = self._rule(2 if named is None else len(named))
                rows, y, columns = validation.read_new(self, X, y, finite=True)
                if named is None and not rule.joint:
                    raise ValueError("classes must be passed on the first call to partial_fit.")
                rule = rule.measured(rows, whole=False)
                known = _NO_CLASSES if named is None or rule.joint else named
                engine = self._new_engine(rule, labels_of(known, joint=rule.joint), rows.dim)
            else:
                rows, y = read(self, X, y, finite=True)
            engine.learn_block(rows, y, named, stop, importances(sample_weight, len(rows)))
            self._take(engine, columns)
        return self

    # learning from single examples, by name or by position

    def learn_one(
        self, x: Any, y: Any, *, classes: ArrayLike | None = None, weight: float | None = None
    ) -> None:
        """Predict one example and, if that is a mistake, learn from it.

        This is `partial_fit` on one row, to the last bit, and the two can alternate. Memory grows
        with the names of features; `hash_bits` and `max_names` bound them.

        Parameters
        ----------
        x
            A dict from names to values. A number or truth value is the value of the feature; a text
            v under the name c is the feature `c=v` with value 1. Names are texts or whole numbers,
            and new ones may appear at any time. Or a row of numbers, if columns are positions: the
            first example decides between names and positions.
        y
            The label: a truth value, a number or a text. The first two seen are the classes, and
            the greater is positive.
        classes
            All labels, in the first call: needed if there are more than two; and if the rule does
            not treat two labels alike and the first one is not 1, 0 or −1.
        weight
            How much the example counts, as an entry of `sample_weight` in `fit`; None means 1.
        """
        if classes is None:
            try:
                if weight is None:
                    if not self._core.learn(x, y):
                        return
                elif weight != 0 and not self._core.learn_weighed(x, y, importance(weight)):
                    return
            except (AttributeError, TypeError):  # nothing is open yet; or x or y is None
                pass
        if self._is_by_blocks or self._reader is not None:
            weights = None if weight is None else [importance(weight)]
            self.learn_many([x], [y], classes=classes, sample_weight=weights)
        else:
            self._learn_slowly(x, y, classes, importance(weight))

    def _learn_slowly(self, x: Any, y: Any, classes: ArrayLike | None, weight: float) -> None:
        """Learn from the first example, or from one that the core cannot read or learn as it is."""
        engine, label = self._opened(), plain_label(y)
        named = named_classes(classes)
        if engine is not None:
            engine.learn_one(x, label, named, weight)
            return
        x = plain_example(x)
        with _BEGINNING, undisturbed():
            self._check_idle()
            engine, columns = self._opened(), None
            if engine is None:  # no other thread was faster
                engine, columns = self._first_engine([label], named, x)
            engine.learn_one(x, label, named, weight)
            self._take(engine, columns)

    def learn_each(self, X: list[Any], y: list[Any]) -> dict[int, Exception]:
        """`learn_one` for each example, in few calls; the errors of refused ones, by position."""
        errors, k = dict[int, Exception](), 0
        is_own = type(self).learn_one is LinearClassifier.learn_one  # not that of a subclass
        while k < len(X):
            if is_own and self._engine is not None and self._engine.core is not None:
                k += self._core.learn_each(X, y, k)
            if k < len(X):
                try:
                    self.learn_one(X[k], y[k])
                except (TypeError, ValueError) as error:
                    errors[k] = error
                k += 1
        return errors

    def learn_many(
        self,
        X: Any,
        y: Any,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        """Learn from these examples in order, as if one by one; an error undoes the whole call.

        X is a list of dicts, a frame whose columns are names (a text v in column c is the feature
        `c=v`), or a two-dimensional array, dense or sparse, whose columns are positions.
        """
        if self._is_by_blocks and self._reader is None and not are_dicts(X):
            self.partial_fit(X, y, classes, sample_weight)
            return
        n, labels = count(X), plain_labels(y)
        if n != len(labels):
            raise BadExample(f"{n} examples but {len(labels)} labels")
        weights = importances(sample_weight, n)
        if not labels:
            return
        named = named_classes(classes)
        self._opened()
        with self._alone(), undisturbed() as stop:
            engine, columns, reader = self._engine, None, self._reader
            examples = records(X) if reader is None and by_name(X) else X
            if engine is None:
                engine, columns = self._first_engine(labels, named, first(examples))
            if reader is not None:
                examples, reader = reader.learning(X)
                if (one := reader.read_options.get("one_vs_rest")) is not None:
                    labels = [y if written(y) == written(one) else rest_of(one) for y in labels]
                if factors := reader.read_options.get("class_weights"):
                    each = np.array([factors.get(written(y), 1.0) for y in labels])
                    weights = each if weights is None else weights * each
            elif engine.by_name:
                examples = list(examples)
            elif by_name(X):
                engine.readable(examples[0], "row 0: ")  # raises the error
            else:
                examples, _ = read(self, X, finite=True)
            engine.learn_block(examples, labels, named, stop, weights)
            if reader is not None:
                reader.name_hashed(X)
                self._reader = reader
            self._take(engine, columns)

    def _first_engine(
        self, y: Sequence[Any], named: Classes | None, x: Any
    ) -> tuple[Engine, Columns]:
        """A new engine for a stream that starts with these labels and with examples like x."""
        validation.check_common(self)
        rule = self._rule(2 if named is None else len(named))
        labels = labels_of(_NO_CLASSES, joint=rule.joint)
        if not rule.joint:
            symmetric = self.class_weight is None and rule.is_symmetric
            labels = labels.met(y, named, symmetric=symmetric)
        if isinstance(x, Mapping):
            if rule.needs_width and self.hash_bits is None:
                raise ValueError(
                    f"the default threshold of {rule.kind} needs the number of features, which is "
                    "unknown while new names may appear; set threshold="
                )
            dim, columns = LANES if self.hash_bits is None else 1 << self.hash_bits, Columns()
        else:
            dim = len(plain_example(x))
            columns = {"n_features_in_": dim}
        engine = self._new_engine(rule, labels, dim)
        engine.open([] if isinstance(x, Mapping) else None)
        return engine, columns

    def _new_engine(
        self,
        rule: Rule,
        labels: Labels,
        dim: int,
        *,
        y: NDArray[Any] | None = None,
        starts: Sequence[Vector] | None = None,
    ) -> Engine:
        """An engine that has learned nothing; y are all labels, unless they come in a stream."""
        given, classes, factors = self.class_weight, labels.classes, None
        if given is not None:
            if isinstance(given, str) and y is None:
                raise ValueError(
                    "class_weight='balanced' needs all labels, which a stream does not have; "
                    "compute the weights on a sample and pass them as a dict"
                )
            if len(classes) == 1 and not rule.joint:
                raise ValueError(
                    "class_weight needs both labels from the start; pass them in the first call, "
                    "classes=[...]"
                )
            if len(classes):
                each = classes if y is None else y
                factors = np.asarray(compute_class_weight(given, classes=classes, y=each))
        return Engine(
            rule,
            labels,
            dim,
            class_weights=factors,
            starts=starts,
            later_weights=dict(given) if isinstance(given, Mapping) else {},
            keep=self.keep,
            hash_bits=self.hash_bits,
            max_names=self.max_names,
        )

    def _take(self, engine: Engine, columns: Columns | None) -> None:
        """Make this the engine; `columns` describes the columns if it is new."""
        if columns is not None:
            for name in (*COLUMNS, "_reader", "_order"):
                self.__dict__.pop(name, None)
            self.__dict__.update(columns)
        self._engine = engine
        if engine.core is not None:
            # One step less for learn_one. The class has no default for it: Python takes longer to
            # find an attribute that the class has too (0.8 against 0.55 µs for an example).
            self._core = engine.core
        else:
            self.__dict__.pop("_core", None)

    def _opened(self) -> Engine | None:
        """The engine, open for single examples; None if nothing was learned."""
        engine = self._engine
        if engine is None or engine.core is not None or self._reader is not None:
            return engine
        with _BEGINNING:
            self._check_idle()
            if engine.core is None:
                names = getattr(self, "feature_names_in_", None)
                if names is not None and self.hash_bits is not None and not engine.is_online:
                    raise ValueError(
                        "hash_bits needs names from the start, but this estimator was fitted on "
                        "the columns of a frame, each with a weight of its own"
                    )
                engine.open(None if names is None else [str(name) for name in names])
                self._take(engine, None)
        return engine

    def _ready(self) -> Engine | None:
        """The engine, open unless the core cannot answer; None if nothing was learned."""
        return self._engine if self._is_by_blocks else self._opened()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread learn with this estimator meanwhile."""
        with _BEGINNING:
            self._check_idle()
            self._busy_in = os.getpid()
        try:
            with nullcontext() if self._engine is None else self._engine.alone():
                yield
        finally:
            del self._busy_in

    def _check_idle(self) -> None:
        """RuntimeError if a thread learns from a block; a fork leaves other threads behind."""
        if self._busy_in == os.getpid():
            raise RuntimeError(_BUSY)

    # predicting

    @property
    def gives_probabilities(self) -> bool:
        """Whether there is `predict_proba`."""
        return True

    def predict_one(self, x: Any) -> Any:
        """The label predicted for x, a plain object; None before the first label."""
        try:
            label = self._core.predict(x)
        except (AttributeError, TypeError):
            label = NotImplemented
        if label is not NotImplemented:
            return label
        engine = self._ready()
        if engine is None:
            plain_example(x)  # raises if x is not an example
            return None
        if engine.core is not None:
            return engine.predict_one(x)
        return self.predict([x]).tolist()[0] if engine.labels.coded else None

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The score of x: positive for classes_[1]; with more than two classes, one for each."""
        engine = self._ready()
        if engine is None:
            plain_example(x)  # raises if x is not an example
            return 0.0
        return self._decided(x) if engine.core is None else engine.decide_one(x)

    def answer_each(self, X: list[Any]) -> list[tuple[Any, Any]]:
        """`predict_one` and `decision_one` of each example, in one call of the core."""
        found: list[Any] = [NotImplemented] * len(X)
        engine, is_fast = self._ready(), type(self).predict_one is LinearClassifier.predict_one
        if is_fast and engine is not None and engine.core is not None:
            found = self._core.answer_each(X)
        for k, x in enumerate(X):
            if found[k] is NotImplemented:
                label = self.predict_one(x)
                found[k] = label, None if label is None else self.decision_one(x)
        return found

    def _decided(self, x: Any) -> float | dict[Any, float]:
        """The score of x, or that of each class, by the same way as those of many examples."""
        engine, (score,) = self._scores([x], None)
        if score.ndim == 0:
            return float(score)
        return dict(zip(engine.labels.classes.tolist(), score.tolist(), strict=True))

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The label predicted for each example of X, which is as for `learn_many`."""
        n = count(X)
        return np.full(n, None) if self._engine is None else self.predict(X)

    def decision_function(self, X: Any, *, reading: Reading | None = None) -> NDArray[np.float64]:
        """The score of each row: positive for classes_[1], or one column a class.

        "final" and "average" readings give w·x + b. "vote" gives the share of votes for less the
        share against, in [−1, 1]; jointly learned classes get their share of the votes.
        """
        return self._scores(X, reading)[1]

    def predict(
        self, X: Any, *, reading: Reading | None = None, threshold: float | None = None
    ) -> NDArray[Any]:
        """The predicted label of each row; a score of 0 is positive unless ties="negative".

        With a `threshold`, of two labels classes_[1] is predicted if its probability is at least
        that; 1/(1 + r) is the right one if missing it costs r times as much as a false alarm.
        """
        if threshold is not None:
            if reading is not None or len(self.classes_) != 2:
                raise ValueError("a threshold is for two classes, and for the usual reading")
            chances = self.predict_proba(X)[:, 1]
            return np.asarray(self.classes_[(chances >= threshold).astype(np.intp)])
        with naming_columns(X):
            engine, rows, chosen = self._read(X, reading)
            return engine.predict(rows, chosen)

    @_if_probable  # type: ignore[untyped-decorator]  # sklearn is untyped
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, a row an example, in the order of `classes_`.

        They are calibrated by the scores that examples had before they were learned from: no data
        are held out. They are right for new examples from the same source if the examples of the
        first pass came in a random order. Where a class is rare, the label of `predict` may have a
        probability below one half.
        """
        engine, scores = self._scores(X, None)
        return _probabilities(engine.labels, _calibrations(engine), scores)

    @_if_probable  # type: ignore[untyped-decorator]  # sklearn is untyped
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The natural logarithms of `predict_proba`."""
        return logarithms(self.predict_proba(X))

    @_if_probable  # type: ignore[untyped-decorator]  # sklearn is untyped
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each class for one example; empty before the first label."""
        if self._ready() is None:
            plain_example(x)  # raises if x is not an example
            return {}
        engine, scores = self._scores([x], None)
        (chances,) = _probabilities(engine.labels, _calibrations(engine), scores).tolist()
        return dict(zip(engine.labels.classes.tolist(), chances, strict=True))

    @_if_probable  # type: ignore[untyped-decorator]  # sklearn is untyped
    def calibrated(self, tables: Sequence[Vector] | None = None) -> "Calibrated":
        """What gives the probability of a label from `decision_one`: as of now, or of `tables`."""
        engine = self._learned()
        if tables is not None:
            return Calibrated(engine, [Calibration(*table) for table in tables])
        with engine.still():
            return Calibrated(engine, _calibrations(engine))

    def explain(self, x: Any) -> Explanation:
        """Why x gets its label: what each feature adds to the score, and which mistakes led to it.

        x is one example, as for `predict_one`, or one row of a frame. Amounts are weights times
        values, the largest first; with the constant they add up to the score. Of more than two
        classes, it is the lead over the next best one. The mistakes behind a weight are listed if
        the ledger kept the examples, except for Winnow and adaptive learners of many classes
        jointly.
        """
        if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a pandas frame
            x = x.to_frame().T.infer_objects()
        if hasattr(x, "columns") and len(x) != 1:
            raise ValueError(f"explain takes one example, not {len(x)} rows")
        engine, rows, reading = self._read(x if hasattr(x, "columns") else [x])
        scores = engine.scores(rows, reading)
        label = engine.labels.predict(scores, zero_is_positive=engine.zero_is_positive)
        coded = engine.labels.coded
        classes = sorted(coded, key=coded.__getitem__)
        if len(classes) < 2:
            raise ValueError("only one label has been seen yet, so there is nothing to explain")
        chosen = [coded[label.tolist()[0]]]
        (found,) = explain(rows, engine.pairs, reading, classes, chosen, self._name_of)
        return found

    def _name_of(self, column: int) -> str:
        """The name of a feature; of a column without a name, its number."""
        engine, header = self._engine, getattr(self, "feature_names_in_", None)
        if self._reader is not None:
            return self._reader.features.name_of(column)
        if engine is not None and engine.core is not None and engine.by_name:
            return str(engine.core.name_of(column))
        return f"column {column}" if header is None else str(header[column])

    def _scores(self, X: Any, reading: Reading | None) -> tuple[Engine, NDArray[np.float64]]:
        """The engine as it was when this was called, and its scores."""
        with naming_columns(X):
            engine, rows, chosen = self._read(X, reading)
            return engine, engine.scores(rows, chosen)

    def _read(self, X: Any, reading: Reading | None = None) -> tuple[Engine, Rows, Reading]:
        """The engine as it was when this was called, the rows of X, and the reading to use."""
        if reading not in (None, "final", "average", "vote"):
            raise ValueError(f"reading must be 'final', 'average' or 'vote', not {reading!r}")
        engine = self._learned()
        if self._reader is not None:
            rows = self._reader.rows(X)
        elif engine.core is None and not engine.is_online and not are_dicts(X):
            rows, _ = read(self, X)
        else:
            self._opened()
            with engine.still():
                if by_name(X) != engine.by_name and count(X) and not hasattr(X, "columns"):
                    engine.readable(first(X), "row 0: ")  # raises the error
                rows = engine.rows(records(X)) if engine.by_name else read(self, X)[0]
                engine = engine.snapshot()
        return engine, rows, reading or engine.rule.reading

    # what was learned

    def __sklearn_is_fitted__(self) -> bool:
        return self._engine is not None

    def _learned(self) -> Engine:
        """The engine; NotFittedError, an AttributeError, before anything was learned."""
        if self._engine is None:
            raise NotFittedError(f"this {type(self).__name__} has not learned from anything yet")
        if self._engine.is_online:
            self._opened()
        return self._engine

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in order; of two, the second is positive."""
        return self._learned().labels.classes

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the features, a row a run, as scikit-learn lays them out."""
        return self.weights()[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The weight of the constant in each run."""
        return self.weights()[1]

    def weights(
        self, reading: Literal["final", "average"] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients and intercepts of a reading; by default those in coef_ and intercept_."""
        w, constant = self._learned().coefficients(reading)
        return w if self._reader is None else w[:, : self._reader.features.dim], constant

    @property
    def named_weights(self) -> Any:  # Weights; with more than two classes a dict of them, hence Any
        """The weights of `coef_` by name, or a mapping a class: read-only, always up to date."""
        engine = self._learned()
        try:
            self._opened()
        except ValueError as error:
            raise AttributeError(str(error)) from error
        with engine.lock:  # the core knows all classes that the labels have
            labels = engine.labels
        each: list[Mapping[str, float]]
        if self._reader is not None and self._reader.features.named_columns:
            names = self._reader.features.named_columns
            each = [{name: float(w[j]) for name, j in names} for w in self.coef_]
        elif not engine.by_name:
            raise AttributeError("features have no names here; their weights are in coef_")
        elif not isinstance(labels, JointLabels):
            each = [engine.named_weights(k) for k in range(len(engine.runs))]
        elif len(labels.classes) == 2:  # as in coef_: the second less the first
            each = [engine.named_weights(0, *labels.numbers.tolist()[::-1])]
        else:
            each = [engine.named_weights(0, number) for number in labels.numbers.tolist()]
        return each[0] if len(each) == 1 else dict(zip(labels.classes.tolist(), each, strict=True))

    @property
    def runs_(self) -> tuple[Run, ...]:
        """The runs: one for two classes or for jointly learned ones, else one for each class."""
        return tuple(self._learned().view().runs)

    @property
    def ledger_(self) -> Any:  # a Ledger; of several runs a tuple of them, hence Any
        """The ledger of mistakes; of several runs, a tuple of them."""
        ledgers = tuple(run.ledger for run in self.runs_)
        return ledgers[0] if len(ledgers) == 1 else ledgers

    @property
    def verdict_(self) -> str:
        """How learning ended; of several runs, the weakest verdict."""
        engine = self._learned().view()
        if engine.is_interrupted:
            return str(Verdict.INTERRUPTED)
        return str(next(v for v in _WORST_FIRST if v in {run.verdict for run in engine.runs}))

    @property
    def n_iter_(self) -> int:
        """How many passes over the data were made, in the longest run."""
        return max(run.epochs for run in self.runs_)

    @property
    def n_mistakes_(self) -> int:
        """How many examples were predicted wrongly and learned from, in all runs and passes."""
        return sum(run.ledger.n_mistakes for run in self.runs_)

    @property
    def n_updates_(self) -> int:
        """How many updates were made, in all runs: also on examples right by too little."""
        return sum(run.ledger.n_updates for run in self.runs_)

    @property
    def mistakes_per_epoch_(self) -> NDArray[np.int64]:
        """How many mistakes were made in each pass, in all runs; revisits are passes, too."""
        engine = self._learned().view()
        longest = max(len(ledger.epoch_ends) for ledger in engine.ledgers)
        per_epoch = np.zeros(longest, dtype=np.int64)
        for ledger in engine.ledgers:
            made = ledger.epoch_mistakes
            if engine.is_stream:  # the stream comes after the longest of the fits
                per_epoch[-1] += made[-1]
                made = made[:-1]
            per_epoch[: len(made)] += np.array(made, dtype=np.int64)
        return per_epoch

    @property
    def radius_(self) -> float:
        """The largest norm of a mistaken example, the constant feature included."""
        return max(run.ledger.radius for run in self.runs_)

    def summary(self, X: Any = None, y: Any = None) -> Summary | Summaries:
        """What happened and what is known, over the examples given, or else the mistaken ones."""
        if (X is None) != (y is None):
            raise ValueError("summary needs both X and y, or neither")
        engine = self._learned()
        if X is None:
            pass
        elif engine.by_name or are_dicts(X) or self._reader is not None:
            engine, rows, _ = self._read(X)
            y = plain_labels(y)
        else:
            rows, y = read(self, X, y)
        engine = engine.snapshot()
        blocks: list[Block | None] = [None] * len(engine.runs)
        if X is not None:
            codes = engine.labels.codes(y)
            blocks = [Block(rows, engine.labels.of_run(codes, k)) for k in range(len(engine.runs))]
        each = [
            run.summary(block, weights=learner.weights, margin=learner.margin)
            if isinstance(learner, Additive | Joint)
            else run.summary(block)
            for run, learner, block in zip(engine.runs, engine.learners, blocks, strict=True)
        ]
        if len(each) == 1:
            return each[0]
        return Summaries(tuple(engine.labels.classes.tolist()), tuple(each))

    def show(self, X: Any = None, y: Any = None) -> Any:
        """A widget for notebooks: a step for each update, with the examples if given.

        Several runs, as of many classes, have a widget each, as `runs_[k].show()`.
        """
        if (X is None) != (y is None):
            raise ValueError("show needs both X and y, or neither")
        if len(self.runs_) > 1:
            raise ValueError("there are several runs; use runs_[k].show()")
        return self.runs_[0].show(None if X is None else (X, y))

    def save(self, path: Place) -> None:
        """Write a model file, as `novikoff train` does, for :func:`novikoff.load` and commands."""
        from novikoff.estimators.saved import to_model

        to_model(self).save(path)

    # copies, and what scikit-learn asks for

    def _html_repr(self) -> str:  # what a notebook shows
        shown = dict(self.get_params())
        if self._engine is not None:
            learned = ("classes_", "n_iter_", "n_mistakes_", "verdict_")
            shown |= {name: getattr(self, name) for name in learned}
        return html_table(shown.items(), title=type(self).__name__)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        for name in ("_core", "_busy_in"):
            state.pop(name, None)
        if self._engine is not None:  # the copy must not change with the original
            state["_engine"] = self._engine.twin()
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Calibrated:
    """A function from the result of `decision_one` and a label to the label's probability."""

    def __init__(self, engine: Engine, maps: Sequence[Calibration]) -> None:
        self._engine, self._maps, self._of_one = engine, maps, maps[0].of_one()

    @property
    def tables(self) -> list[Vector]:
        """The scores and the probabilities between which it interpolates, for each run."""
        return [np.stack([one.scores, one.probabilities]) for one in self._maps]

    def __call__(self, score: float | Mapping[Any, float], label: Any) -> float:
        """The probability of the label."""
        return self.each([(label, score)])[0]

    def each(self, answers: Sequence[tuple[Any, Any]]) -> list[float]:
        """The probability of each label with its score."""
        labels = self._engine.labels
        if not isinstance(labels, JointLabels) and len(labels.coded) == 2:
            each = [(labels.coded[label], self._of_one(score)) for label, score in answers]
            return [chance if positive else 1.0 - chance for positive, chance in each]
        scores = [[*s.values()] if isinstance(s, Mapping) else s for _, s in answers]
        chances = _probabilities(labels, self._maps, np.array(scores))
        place = {label: k for k, label in enumerate(labels.classes.tolist())}
        found: list[float] = chances[range(len(answers)), [place[y] for y, _ in answers]].tolist()
        return found


def _calibrations(engine: Engine) -> list[Calibration]:
    """The maps from scores to probabilities, one for each run."""
    return [Calibration.of(one.honest) for one in engine.learners if one.honest is not None]


def _probabilities(labels: Labels, maps: Sequence[Calibration], scores: Vector) -> Vector:
    """The probability of each class for each score, or row of scores."""
    if len(labels.classes) == 1:
        return np.ones((len(scores), 1))
    return probabilities(maps, scores, joint=isinstance(labels, JointLabels))
