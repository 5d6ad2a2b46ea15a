"""Figures of runs and proofs show what they claim: curves, bounds, counts and accuracies."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from helpers.figures import line, plain
from novikoff import Additive, Block, Run, Verdict, Winnow2, guarantees, play
from novikoff.guarantees.risk import share_interval
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger, NotKept
from novikoff.show import plots
from novikoff.show.plots.curves import _edges
from novikoff.sources import block, separable, tight
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import dots

Array = NDArray[np.float64]
U = [1, -0.4]


def run(*, keep: Any = "examples", margin: float = 0.05, epochs: int = 100) -> Run:
    data = separable(60, U, margin=margin, seed=3)
    learner = Additive(2)
    return play(list(data), learner, epochs=epochs, ledger=learner.open_ledger(keep))


def noisy(rows: int, seed: int = 0) -> Block:
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, 6))
    return block(X, np.where(X[:, 0] - X[:, 1] + dice.normal(size=rows) > 0, 1, -1))


def words(ax: Axes) -> str:
    return " | ".join(plain(t.get_text()) for t in ax.texts)


def test_the_curves_of_the_sandwich_are_the_numbers_of_the_trace() -> None:
    trace = guarantees.sandwich(run().ledger, U)
    ax = plots.sandwich(trace)
    curves = [
        line(ax, name) for name in ("kγ, from below", "w·u", "‖w‖", "√(Σ ‖x‖²)", "R√k, from above")
    ]
    for drawn, values in zip(
        curves, (trace.lower, trace.progress, trace.norm, trace.root_sum, trace.upper), strict=True
    ):
        assert drawn.tolist() == np.column_stack([trace.k, values]).tolist()
    for below, above in pairwise(curves):
        assert (below[:, 1] <= above[:, 1] * (1 + 1e-12)).all()


def test_the_outer_curves_are_continued_to_where_they_meet_at_the_bound() -> None:
    ledger = run(margin=0.25).ledger
    trace, bound = guarantees.sandwich(ledger, U), guarantees.novikoff(ledger, U)
    meet = float(bound.radius_squared) / bound.unit_margin**2
    assert bound.mistakes < meet < 8 * bound.mistakes
    ax = plots.sandwich(trace)
    marked = [np.asarray(it.get_xydata()) for it in ax.lines if it.get_marker() == "o"]
    assert marked[0].tolist() == [pytest.approx([meet, meet * bound.unit_margin])]
    assert int(meet) == bound.bound
    assert "they meet" in words(ax)
    ends = [np.asarray(it.get_xydata())[-1] for it in ax.lines if it.get_linestyle() == ":"]
    assert [end for end in ends if end[0] > bound.mistakes] == [
        pytest.approx(marked[0][0]), pytest.approx(marked[0][0])
    ]  # fmt: skip


def test_curves_that_meet_far_away_are_drawn_as_far_as_the_run() -> None:
    trace = guarantees.sandwich(run(margin=0.01).ledger, U)
    ax = plots.sandwich(trace)
    assert "they meet" not in words(ax)
    assert max(np.asarray(it.get_xdata()).max() for it in ax.lines) == len(trace.k)


@pytest.mark.parametrize(("margin", "scale"), [(0.25, "linear"), (0.001, "log")])
def test_curves_very_far_apart_are_on_logarithmic_axes(margin: float, scale: str) -> None:
    rows = block([[1, margin], [-1, margin]], [1, 1])
    ax = plots.sandwich(guarantees.sandwich(play(rows, Additive(2), epochs=5).ledger, [0, 1]))
    assert (ax.get_xscale(), ax.get_yscale()) == (scale, scale)
    lower = line(ax, "kγ")
    assert ax.get_ylim()[0] < lower[0, 1]
    assert lower[:, 1] == pytest.approx(lower[:, 0] * margin)


def test_for_a_tiny_margin_the_meeting_point_is_left_out() -> None:
    ledger = play(block([[1, 1e-160], [-1, 1e-160]], [1, 1]), Additive(2), epochs=3).ledger
    trace = guarantees.sandwich(ledger, [0, 1])
    assert 0 < trace.lower[-1] < 1e-150  # the square of R/γ is no float
    assert "they meet" not in words(plots.sandwich(trace))


def test_on_the_tight_family_the_curves_meet_at_the_last_mistake() -> None:
    ledger = play(tight(9), Additive(9)).ledger
    ax = plots.sandwich(guarantees.sandwich(ledger, [1] * 9))
    assert "(R/γ)² = 9" in words(ax)
    assert line(ax, "kγ")[-1].tolist() == line(ax, "R√k")[-1].tolist() == [9, 3]


def test_a_failed_inequality_is_the_title() -> None:
    trace = guarantees.sandwich(run().ledger, U)
    failure = guarantees.Failure(2, 7, "kγ ≤ w·u", trace.k[0], trace.k[0])
    broken = guarantees.Sandwich(trace.k, trace.lower, trace.progress, trace.norm, trace.root_sum,
                                 trace.upper, failure, None)  # fmt: skip
    assert "fails after mistake 2" in plots.sandwich(broken).get_title()


def test_the_curve_rises_by_one_at_each_mistake_and_the_bound_has_its_height() -> None:
    made = run()
    bound = guarantees.novikoff(made.ledger, U)
    ax = plots.mistakes(made, bound=bound)
    drawn = line(ax, f"{len(made.ledger)} mistakes")
    for t in range(made.ledger.n_rounds + 1):
        height = drawn[np.searchsorted(drawn[:, 0], t, side="right") - 1, 1]
        assert height == made.ledger.mistakes_by(t)
    assert drawn[-1].tolist() == [made.ledger.n_rounds, len(made.ledger)]
    assert set(line(ax, f"at most {bound.bound:,}")[:, 1]) == {bound.bound}
    assert ax.get_ylim()[1] > bound.bound
    ends = [float(np.asarray(it.get_xdata())[0]) for it in ax.lines if it.get_linestyle() == ":"]
    assert ends == made.ledger.epoch_ends


@pytest.mark.parametrize(("bound", "scale"), [(20, "linear"), (10**7, "symlog")])
def test_a_bound_far_above_makes_the_heights_logarithmic(bound: int, scale: str) -> None:
    ledger = run().ledger
    assert len(ledger) >= 3
    ax = plots.mistakes(ledger, bound=bound)
    assert ax.get_yscale() == scale
    assert set(line(ax, "at most")[:, 1]) == {bound}


def test_a_bound_too_large_for_a_float_is_written_in_the_legend() -> None:
    ax = plots.mistakes(run(), bound=10**400)
    assert "at most 1×10⁴⁰⁰, far above the figure" in [str(it.get_label()) for it in ax.lines]


def test_counts_alone_are_drawn_by_passes() -> None:
    whole, counted = run(), run(keep="counts")
    drawn = line(plots.mistakes(counted), "by passes")
    for t, height in drawn:
        assert height == whole.ledger.mistakes_by(int(t))
    assert [0, *whole.ledger.epoch_ends] == drawn[:-1, 0].tolist()


def test_a_run_without_rounds_has_a_figure_that_says_so() -> None:
    none = Ledger(2)
    assert "no round" in words(plots.mistakes(none))
    assert "no round" in words(plots.readings(none, block([[1, 2]], [1])))
    ledger = play(block([[1, 2]], [1]), Additive(2, start=np.ones(2))).ledger
    assert line(plots.mistakes(ledger, bound=0), "0 mistakes")[-1].tolist() == [1, 0]
    trace = guarantees.sandwich(Run(Ledger(2), Verdict.BUDGET).ledger, [1, 1])
    assert "no mistake was made" in words(plots.sandwich(trace))


def test_winnow_has_a_figure_of_mistakes_but_no_readings() -> None:
    data = block([[1, 0], [0, 1]] * 5, [1, -1] * 5)
    made = play(data, Winnow2(2), epochs=20)
    assert line(plots.mistakes(made), "mistakes")[-1, 1] == len(made.ledger)
    with pytest.raises(ValueError, match="rule is 'multiplicative'"):
        plots.readings(made, data)


def bars(ax: Axes) -> list[tuple[float, float, float]]:
    """Where each bar begins and ends, and how high it is."""
    found = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    return [(b.get_x(), b.get_x() + b.get_width(), b.get_height()) for b in found]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_histogram_counts_every_row_once_and_splits_at_0(bias: bool, seed: int) -> None:
    data = noisy(300, seed)
    w = np.array([1, -1, 0.2, 0, 0, 0, 0.3])[: 6 + bias]
    each = data.labels * dots(data.rows, w, bias=bias) / np.linalg.norm(w)
    ax = plots.margins(data, w, bias=bias)
    drawn = bars(ax)
    assert sum(count for *_, count in drawn) == 300
    errors = sum(count for _, end, count in drawn if end <= 1e-12)
    assert errors == (each <= 0).sum() > 0
    assert f"wrong side: {int(errors)}" in str(ax.get_legend_handles_labels())
    for begin, end, count in drawn:
        assert count == ((begin < each) & (each <= end)).sum()
    least = guarantees.achieved_margin(w, data).value
    assert line(ax, "the least")[:, 0] == pytest.approx(least, rel=1e-12)


def test_a_margin_of_0_has_a_bar_of_its_own_and_is_not_on_the_correct_side() -> None:
    ax = plots.margins(block([[0, 1], [1, 0], [-2, 0]], [1, 1, 1]), [1, 0], bias=False)
    legend = str(ax.get_legend_handles_labels()[1])
    assert "wrong side: 1', 'correct side: 1', 'exactly 0: 1" in legend
    ax = plots.margins(block([[0, 1]], [1]), [1, 0], bias=False)
    assert [b for b in bars(ax) if b[2]] == [(-0.25, 0.25, 1)]


@pytest.mark.parametrize("values", [[-3.0, -1.0], [2.0, 2.0], [1e-300, 7.0], [-0.1, 0.0, 0.3], [0]])
def test_the_intervals_cover_the_values_and_have_an_end_at_0(values: list[float]) -> None:
    each = np.array(values, dtype=float)
    edges = _edges(each)
    assert 0 in edges
    assert edges[0] < each.min()
    assert each.max() <= edges[-1]


def test_margins_need_weights_and_rows() -> None:
    with pytest.raises(ValueError, match="weights are all 0"):
        plots.margins(noisy(5), [0] * 6, bias=False)
    with pytest.raises(BadExample, match="no examples"):
        plots.margins(block(np.empty((0, 2)), []), [1, 1], bias=False)


def test_the_learning_curves_are_the_readings_of_the_run_so_far() -> None:
    data, test = noisy(200), noisy(150, seed=1)
    learner = Additive(6, bias=True, rate=0.5, start=np.full(7, 0.1))
    made = play(data, learner, epochs=7)
    ax = plots.readings(made, test)
    ledger = made.ledger
    scores = {
        "final": dots(test.rows, readings.final(ledger), bias=True),
        "average": dots(test.rows, readings.average(ledger), bias=True),
        "vote": readings.vote(ledger, test.rows),
    }
    for name, each in scores.items():
        right = float(np.mean((each >= 0) == (test.labels > 0)))
        drawn = line(ax, f"{name}: {right:.2%}")
        assert drawn[-1].tolist() == [ledger.n_rounds, right]
    # in the middle they are the readings of a run that stopped there
    middle = int(line(ax, "vote")[-4, 0])
    assert 200 < middle < 1400
    again = Additive(6, bias=True, rate=0.5, start=np.full(7, 0.1))
    order = np.arange(middle) % 200
    short = play(Block(data.rows, data.labels, order=order), again).ledger
    for name, each in (
        ("final", dots(test.rows, readings.final(short), bias=True)),
        ("average", dots(test.rows, readings.average(short), bias=True)),
        ("vote", readings.vote(short, test.rows)),
    ):
        assert line(ax, name)[-4, 1] == np.mean((each >= 0) == (test.labels > 0))


def test_a_legend_covers_nothing() -> None:
    for ax in (
        plots.margins(noisy(300), [1, -1, 0, 0, 0, 0], bias=False, ax=plots.new_axes(width=5.6)),
        plots.readings(play(noisy(50), Additive(6)), noisy(50), ax=plots.new_axes(width=5.6)),
    ):
        plots.svg(ax)  # which lays it out
        legend = ax.get_legend()
        assert legend is not None
        place = legend.get_window_extent()
        assert place.y1 < ax.get_window_extent().y0
        assert 0 < place.x0 < place.x1 < ax.figure.bbox.width


def test_of_a_large_test_set_some_examples_are_used_and_the_axis_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("novikoff.show.plots.curves._TESTED", 30)
    made, test = play(noisy(100), Additive(6), epochs=2), noisy(90, seed=1)
    ax = plots.readings(made, test)
    assert ax.get_ylabel() == "accuracy on 30 of 90 examples"
    assert len(ax.collections) == 3  # the interval of each reading
    for shade, curve in zip(ax.collections, ax.lines, strict=True):
        edge = np.asarray(shade.get_paths()[0].vertices)
        end = float(np.asarray(curve.get_ydata())[-1])
        at_end = edge[edge[:, 0] == edge[:, 0].max()][:, 1]
        low, high = share_interval(round(30 * end), 30)
        assert (at_end.min(), at_end.max()) == pytest.approx((low, high))
    some = np.linspace(0, 89, 30).astype(int)
    scores = dots(test.rows, readings.final(made.ledger))[some]
    assert line(ax, "final")[-1, 1] == np.mean((scores >= 0) == (test.labels[some] > 0))


def test_learning_curves_need_kept_examples_and_fitting_test_rows() -> None:
    with pytest.raises(NotKept, match="keep='examples'"):
        plots.readings(run(keep="positions"), block([[1, 2]], [1]))
    with pytest.raises(ValueError, match="on 2 features, the test has 6"):
        plots.readings(run(), noisy(5))
    with pytest.raises(BadExample, match="no examples"):
        plots.readings(run(), block(np.empty((0, 2)), []))


def test_curves_are_drawn_into_the_axes_given() -> None:
    own = Figure().add_subplot()
    made = run()
    assert plots.sandwich(guarantees.sandwich(made.ledger, U), ax=own) is own
    assert plots.mistakes(made, ax=own) is own
    assert plots.margins(noisy(9), [1] * 6, bias=False, ax=own) is own
    assert plots.readings(made, block([[1, 2]], [1]), ax=own) is own
