"""One example at a time, by the names of its features: learn_one, predict_one and their like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.estimators.labels import labels_of
from novikoff.estimators.models import model_of
from novikoff.estimators.opening import Opening
from novikoff.models.model import Model
from novikoff.online.one_example import by_name, count, records
from novikoff.stream.problems import BadExample


class OneAtATime(Opening):
    """The estimators as streams use them: an example is a dict of named features, or a row."""

    def learn_one(self, x: Any, y: Any, *, classes: ArrayLike | None = None) -> None:
        """Meet one example and, if it is mistaken, learn from it.

        It is `partial_fit` on one row, to the last bit, and the two can alternate. Memory grows
        with the names that are met and, unless keep="counts", with the mistakes; `hash_bits` and
        `max_names` bound the names.

        Parameters
        ----------
        x
            A dict from names to values. A number (or truth value) is the value of the feature; a
            text v under the name c is the feature `c=v` with value 1; a name may also be a whole
            number. What is left out is 0. Names are added as they are met. Or a row of numbers,
            where columns are positions: an estimator goes by names or by positions, as it began.
        y
            The label: a truth value, a number or a text. The first two met are the classes; with
            them sorted, the second is the positive one.
        classes
            All the labels there will be, in the first call: needed if there are more than two, or
            if the rule does not treat the two alike and the first label is not one of 1, 0 and −1.
        """
        if classes is None:
            try:
                if not self._quick.learn(x, y):
                    return
            except (AttributeError, TypeError):  # nothing is open yet; or x or y is None
                pass
        self._learn_slowly(x, y, classes)

    def predict_one(self, x: Any) -> Any:
        """The label predicted for x: a plain object; None if no label was met yet.

        Features not met before count for nothing.
        """
        try:
            label = self._quick.predict(x)
        except (AttributeError, TypeError):
            label = NotImplemented
        if label is not NotImplemented:
            return label
        online = self._opened()
        return self._nothing_yet(x, None) if online is None else online.predict_one(x)

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The score of x: positive for classes_[1]; of more than two classes, a score for each."""
        online = self._opened()
        if online is None:
            return float(self._nothing_yet(x, 0.0))
        scores = online.decide_one(x)
        if isinstance(scores, float):
            return scores
        return dict(zip(self.classes_.tolist(), scores, strict=True))

    def learn_many(self, X: Any, y: Any, *, classes: ArrayLike | None = None) -> None:
        """Meet these examples in order: as learning from them one by one, but all of them or none.

        X is a list of dicts, a frame whose columns are names (texts v in column c are the feature
        `c=v`), or a two-dimensional array, dense or sparse, where columns are positions.
        """
        n, labels = count(X), labels_of(y)
        if n != len(labels):
            raise BadExample(f"{n} examples but {len(labels)} labels")
        if not labels:
            return
        self._learn_all(records(X) if by_name(X) else X, labels, classes)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The label predicted for each example of X, which is as for `learn_many`."""
        n = count(X)
        return self.predict(X) if self.__sklearn_is_fitted__() else np.full(n, None)

    @property
    def named_weights(self) -> Any:  # Weights; with more than two classes a dict of them, hence Any
        """The weights by the names of features: a read-only mapping that is always up to date.

        They are those that predict, as in `coef_`. With more than two classes there is a mapping
        for each.
        """
        self._expect_runs()
        online = self._opened()
        assert online is not None
        labels = self.classes_.tolist()
        if self._numbers is not None:
            numbers = self._numbers.tolist()
            if len(labels) < 3:  # as coef_: of two classes the second less the first
                return online.weights(0, numbers[-1], numbers[0] if len(labels) == 2 else None)
            return {label: online.weights(0, n) for label, n in zip(labels, numbers, strict=True)}
        if len(online.learners) == 1:
            return online.weights()
        return {label: online.weights(k) for k, label in enumerate(labels)}

    def to_model(self) -> Model:
        """What was learned by name, as a model: `save` writes one file, which the commands read.

        `novikoff predict` and `test` then use it, `train --initial` goes on with it, to the same
        bits. It is of one run: of two classes, or of many with multiclass="joint"; labels become
        texts. What is learned afterwards does not show in it.
        """
        self._expect_runs()
        online = self._opened()
        assert online is not None
        if not online.by_name:
            raise ValueError("a model has names for its features; here columns are positions")
        if len(online.learners) > 1:
            raise ValueError(
                "a model is of one run, and each class was learned against the rest in its own; "
                "learn with multiclass='joint'"
            )
        if self._numbers is None and len(self.classes_) == 1:
            raise ValueError(f"only one label has been met yet: {self.classes_.tolist()[0]!r}")
        if self._numbers is None and not self._zero_is_positive:
            raise ValueError("a model takes a score of 0 as positive, and ties='negative' does not")
        with online.lock:
            self._settle()
            labels = sorted(online.codes, key=online.codes.__getitem__)
            return model_of(
                self._kind,
                online.learners[0],
                online.ledgers[0],
                online.names,
                hash_bits=online.hash_bits,
                classes=labels,
                seen=online.core.position,
            )
