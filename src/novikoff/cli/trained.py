"""The last screen of `novikoff train`: what happened, in plain words or for a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.cli.models import said_of_labels

if TYPE_CHECKING:
    from novikoff.cli.jobs import Job
    from novikoff.loop import Run
    from novikoff.measures import ClassConfusion, Confusion
    from novikoff.training import Training

VERDICTS = {
    "separated": "the last pass made no mistake, so these weights separate the examples",
    "cycle": "the weights came back to where they were: no weights separate the examples",
    "budget": "mistakes were still made in the last pass; whether the examples are separable is "
    "not known (novikoff certify decides it)",
}
JOINT_VERDICTS = {
    "separated": "the last pass made no mistake, so these weights tell all classes apart",
    "budget": "mistakes were still made in the last pass; whether any weights tell the classes "
    "apart is not known",
}


class Report:
    """What a run did, and what became of it."""

    def __init__(
        self,
        training: Training,
        run: Run,
        job: Job,
        output: Path,
        seconds: float,
        read: int,
        tested: Confusion | ClassConfusion | None,
    ) -> None:
        self._training, self._run, self._source = training, run, job.source
        self._output, self._tested = output, tested
        self._seconds, self._read = seconds, read

    def to_dict(self) -> dict[str, Any]:
        """For a program."""
        model, ledger = self._training.model, self._run.ledger
        tested = self._tested
        return {
            "model": str(self._output),
            "kind": model.kind,
            "data": self._source.description,
            "examples": model.examples,
            "features": model.features.count,
            "classes": list(model.classes),
            "multiclass": model.is_joint,
            "passes": self._training.passes_made,
            "rounds": ledger.n_rounds,
            "mistakes": ledger.n_mistakes,
            "mistakes_per_pass": ledger.mistakes_per_pass,
            "largest_norm_mistaken": ledger.radius,
            "verdict": str(self._run.verdict),
            "held_out": None
            if tested is None
            else {"examples": tested.examples, "mistakes": tested.mistakes},
            "skipped_lines": len(self._source.skipped),
            "seconds": self._seconds,
        }

    def __str__(self) -> str:
        model, ledger, passes = self._training.model, self._run.ledger, self._training.passes_made
        constant = " and a constant" if model.learner.bias else ""
        rate = f"{ledger.n_mistakes / ledger.n_rounds:.2%}" if ledger.n_rounds else "none"
        speed = self._read / 1e6 / self._seconds if self._seconds else 0.0
        said = f", {speed:,.0f} MB/s" if speed >= 1 else ""
        lines = [
            f"Data      {self._source.description}; {said_of_labels(model, 10)}",
            f"Examples  {model.examples:,} with {model.features.count:,} "
            f"feature{'s' * (model.features.count != 1)}{constant}",
            f"Passes    {passes:,} in {self._seconds:.2f} s{said}",
            f"Mistakes  {ledger.n_mistakes:,} in {ledger.n_rounds:,} rounds, {rate}"
            + self._last_pass(),
            f"Verdict   {self._run.verdict}: {self._verdict()}",
        ]
        if self._tested is not None:
            held = f"{self._tested.accuracy:.2%} of {self._tested.examples:,} examples right"
            lines.append(f"Held out  {held if self._tested.examples else 'no example'}")
        size = self._output.stat().st_size
        lines.append(f"Model     {self._output} ({model.kind}, {size / 1e3:,.0f} KB)")
        return "\n".join(lines)

    def _last_pass(self) -> str:
        made = self._run.ledger.epoch_mistakes
        return f"; {made[-1]:,} in the last pass" if len(made) > 1 else ""

    def _verdict(self) -> str:
        if self._run.verdict == "budget" and self._training.plan.passes == 1:
            return "one pass over a stream says nothing about whether it is separable"
        model = self._training.model
        if len(model.classes) == 1:
            return "there is one label only, and nothing to learn"
        return (JOINT_VERDICTS if model.is_joint else VERDICTS)[str(self._run.verdict)]
