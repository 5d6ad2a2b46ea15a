"""novikoff's estimators as river classifiers, for its pipelines, metrics and evaluations.

River is optional: `pip install 'novikoff[river]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from importlib import import_module
from typing import Any

from novikoff.stream.input_problems import BadExample

try:
    from river import base
except ImportError as error:
    raise ImportError("river is not installed; pip install 'novikoff[river]'") from error


class ForRiver(base.MiniBatchClassifier):
    """An estimator of novikoff as a river classifier.

    The update rule is unchanged, so the estimator's guarantees hold for the stream that reaches it.
    A river pipeline may scale an example differently when it predicts and when it then learns; the
    mistake bounds count the scores while learning. Feature names that are tuples of texts, such as
    river's n-grams, are joined by spaces.

    Parameters
    ----------
    estimator
        For instance `Perceptron()`. It is copied: `learner` is the copy that learns, and a
        `clone()` starts again from the estimator as it was given.
    classes
        All labels, if the estimator needs them in the first call (see its `learn_one`).
    at_first
        What to predict before the first label; None is no prediction, which river's metrics skip.
    """

    def __init__(
        self,
        estimator: Any,
        *,
        classes: Sequence[base.typing.ClfTarget] | None = None,
        at_first: base.typing.ClfTarget | None = None,
    ) -> None:
        if not hasattr(estimator, "learn_one"):
            raise TypeError(
                f"ForRiver needs an estimator with learn_one, such as Perceptron(), "
                f"not {type(estimator).__name__}"
            )
        if isinstance(estimator, type):
            raise TypeError(f"ForRiver needs an estimator, not its class: {estimator.__name__}()")
        self.estimator, self.classes, self.at_first = estimator, classes, at_first
        self.learner = deepcopy(estimator)
        self._first = {} if classes is None else {"classes": list(classes)}
        self._label_name: Any = None

    def learn_one(
        self,
        x: dict[base.typing.FeatureName, Any],
        y: base.typing.ClfTarget,
        w: float | None = None,
    ) -> None:
        """Learn from one example of weight w; None means 1."""
        self._call(self.learner.learn_one, x, y, weight=w, **self._first)
        self._first = {}

    def predict_one(
        self, x: dict[base.typing.FeatureName, Any], **kwargs: Any
    ) -> base.typing.ClfTarget | None:
        """The label of one example."""
        label: base.typing.ClfTarget | None = self._call(self.learner.predict_one, x)
        return self.at_first if label is None else label

    @staticmethod
    def _call(verb: Callable[..., Any], x: Any, *y: Any, **options: Any) -> Any:
        """Call the learner; if it rejects names that are tuples of texts, with the joined names."""
        try:
            return verb(x, *y, **options)
        except BadExample:
            if not (isinstance(x, Mapping) and any(isinstance(name, tuple) for name in x)):
                raise
        joined: dict[Any, Any] = {}
        for name, value in x.items():
            text = " ".join(map(str, name)) if isinstance(name, tuple) else name
            if text in joined:
                raise BadExample(f"two features have the name {text!r}; one of them is {name!r}")
            joined[text] = value
        return verb(joined, *y, **options)

    def predict_proba_one(
        self, x: dict[base.typing.FeatureName, Any], **kwargs: Any
    ) -> dict[base.typing.ClfTarget, float]:
        """The probability of each label of one example; NotImplementedError if there are none."""
        if not hasattr(self.learner, "predict_proba_one"):
            raise NotImplementedError(
                f"{type(self.estimator).__name__} gives no probabilities, which metrics such as "
                "ROCAUC and river's ensembles need; use metrics of labels, such as Accuracy"
            )
        found: dict[base.typing.ClfTarget, float] = self._call(self.learner.predict_proba_one, x)
        if self._multiclass or not set(found) <= {False, True}:
            return found
        return {False: 0.0, True: 0.0} | (found or {False: 0.5, True: 0.5})

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a frame in order, as `learn_one` would."""
        if len(X) == 0:  # an empty batch must not use up the classes
            return
        self.learner.learn_many(X, y, **self._first)
        self._first = {}
        self._label_name = getattr(y, "name", None)

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a frame, as a series of the same library."""
        frames = import_module(type(X).__module__.partition(".")[0])
        if not hasattr(frames, "Series"):
            raise TypeError(f"X must be a frame of pandas or polars, not {type(X).__name__}")
        found = self.learner.predict_many(X)
        labels = [self.at_first if label is None else label for label in found]
        if hasattr(X, "index"):  # pandas: keep the index
            return frames.Series(labels, index=X.index, name=self._label_name)
        return frames.Series(self._label_name, labels)

    @property
    def _multiclass(self) -> bool:
        if self.classes is not None:
            return len(self.classes) > 2
        return getattr(self.estimator, "multiclass", "ovr") == "joint"

    def _more_tags(self) -> set[str]:
        if getattr(self.estimator, "variant", "balanced") != "balanced":
            return {base.tags.POSITIVE_INPUT}
        return set()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from novikoff.estimators import classifiers

        for kind in (
            "Perceptron",
            "MarginPerceptron",
            "AveragedPerceptron",
            "AdaptivePerceptron",
            "Winnow",
        ):
            yield {"estimator": getattr(classifiers, kind)()}
        yield {"estimator": classifiers.Perceptron(multiclass="joint")}
