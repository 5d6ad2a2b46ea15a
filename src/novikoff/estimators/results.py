"""What an estimator has learned, read from its runs when it is asked for."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.verdict import Verdict
from novikoff.runs.loop import Run

Coefficients: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

_WORST_FIRST = (Verdict.INTERRUPTED, Verdict.BUDGET, Verdict.CYCLE, Verdict.SEPARATED)


class Results(metaclass=ABCMeta):
    """The attributes that end in an underscore: there once something has been learned."""

    _runs: tuple[Run, ...]
    _streaming: bool  # whether the last pass is of a stream, which may go on
    _interrupted: bool
    _read_last: Coefficients | None

    @abstractmethod
    def weights(self, reading: Literal["final", "average"] | None = None) -> Coefficients:
        """Coefficients and intercepts of a reading; by default those in coef_ and intercept_."""

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the features: a row a run, as scikit-learn lays them out."""
        return self._coefficients()[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The weight of the constant in each run."""
        return self._coefficients()[1]

    def _coefficients(self) -> Coefficients:
        """What `weights` reads, which is read once until more is learned."""
        self._expect_runs()
        if self._read_last is None:
            self._read_last = self.weights()
        return self._read_last

    @property
    def ledger_(self) -> Any:  # a Ledger; with more than two classes a tuple of them, hence Any
        """The ledger of mistakes; of several runs, a tuple of them."""
        ledgers = tuple(run.ledger for run in self._expect_runs())
        return ledgers[0] if len(ledgers) == 1 else ledgers

    @property
    def runs_(self) -> tuple[Run, ...]:
        """The runs, one for each class against the rest; of two classes, or jointly, one."""
        return self._expect_runs()

    @property
    def verdict_(self) -> str:
        """How learning ended: of several runs, the one that says least."""
        runs = self._expect_runs()
        if self._interrupted:
            return str(Verdict.INTERRUPTED)
        return str(next(v for v in _WORST_FIRST if v in {run.verdict for run in runs}))

    @property
    def n_iter_(self) -> int:
        """How many passes were made, in the longest run."""
        return max(run.epochs for run in self._expect_runs())

    @property
    def n_mistakes_(self) -> int:
        """How many updates were made, in all runs."""
        return sum(len(run.ledger) for run in self._expect_runs())

    @property
    def mistakes_per_epoch_(self) -> NDArray[np.int64]:
        """How many updates were made in each pass, in all runs."""
        per_epoch = np.zeros(self.n_iter_, dtype=np.int64)
        for run in self.runs_:
            made = run.ledger.epoch_mistakes
            if self._streaming:  # the stream comes after the longest of the fits
                per_epoch[-1] += made[-1]
                made = made[:-1]
            per_epoch[: len(made)] += np.array(made, dtype=np.int64)
        return per_epoch

    @property
    def radius_(self) -> float:
        """The largest norm of a mistaken example, the constant feature included."""
        return max(run.ledger.radius for run in self._expect_runs())

    def _expect_runs(self) -> tuple[Run, ...]:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} has not learned from anything yet")
        self._settle()
        return self._runs

    @abstractmethod
    def _settle(self) -> None:
        """Write down in the runs what was learned one by one since they were last looked at."""

    def __sklearn_is_fitted__(self) -> bool:
        return "_runs" in vars(self)
