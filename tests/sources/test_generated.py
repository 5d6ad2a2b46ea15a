"""Many attributes, few of them relevant: the examples are what the disjunction says of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.concepts import Disjunction
from novikoff.sources import few_relevant


@given(st.data())
def test_every_example_has_its_attributes_on_and_the_label_of_the_disjunction(
    draws: st.DataObject,
) -> None:
    n = draws.draw(st.integers(2, 40))
    k = draws.draw(st.integers(1, n - 1))
    on, seed = draws.draw(st.integers(1, n - k)), draws.draw(st.integers(0, 99))
    stream = few_relevant(50, n, k, on=on, seed=seed)
    target = Disjunction(tuple((stream.relevant + 1).tolist()))
    assert len(set(target.literals)) == k
    (block,) = stream
    assert len(block) == 50
    assert (target.evaluate(block.rows) == (block.labels > 0)).all()
    for i in range(50):
        columns, values = block.rows.row(i)
        assert len(columns) == on
        assert (np.diff(columns) > 0).all()
        assert (values == 1).all()


def test_every_iteration_is_the_same_and_about_half_are_positive() -> None:
    stream = few_relevant(2000, 300, 5, seed=3)
    (first,), (again,) = stream, stream
    indices = first.rows.sparse().indices
    assert indices.tobytes() == again.rows.sparse().indices.tobytes()
    assert first.labels.tobytes() == again.labels.tobytes()
    assert 900 < np.count_nonzero(first.labels > 0) < 1100
    assert set(stream.relevant.tolist()) <= set(indices.tolist())


@pytest.mark.parametrize(
    ("n", "k", "on", "message"),
    [
        (10, 0, 1, "need 1 <= k <= n"),
        (10, 5, 6, "on <= n - k"),
        (1 << 31, 5, 6, "n must be below 2\\^31, not 2147483648"),
    ],
)
def test_impossible_parameters_are_refused(n: int, k: int, on: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        few_relevant(10, n, k, on=on)
