"""Sorted streams are noticed, and shuffled ones are not, whatever the shares of the labels."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import groupby, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.stream.blocks import Codes
from novikoff.stream.order import LabelRuns


def counted(codes: Codes, *cuts: int) -> LabelRuns:
    found = LabelRuns()
    for part in np.split(codes, cuts):
        found.add(part)
    return found


def of_classes(*counts: int) -> Codes:
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


@given(st.lists(st.integers(0, 3), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_runs_are_those_of_the_whole_stream_wherever_it_is_cut(
    codes: list[int], cuts: list[int]
) -> None:
    found = counted(np.array(codes, dtype=np.int32), *sorted(cuts))
    assert found.examples == Counter(codes)
    assert found.runs == Counter(code for code, _ in groupby(codes))


def test_two_labels_are_classes_0_and_1() -> None:
    found = LabelRuns()
    found.add(np.array([-1, 1, 1, -1], dtype=np.int8))
    assert (found.examples, found.runs) == ({0: 2, 1: 2}, {0: 2, 1: 1})


@pytest.mark.parametrize("counts", [(5, 3), (2, 2, 3), (1, 6)])
def test_the_runs_of_a_class_are_hypergeometric(counts: tuple[int, ...]) -> None:
    codes = of_classes(*counts).tolist()
    orders = Counter(permutations(codes))
    n, m = len(codes), max(counts)
    common = counts.index(m)
    times = Counter[int]()
    for order in orders:
        times[counted(np.array(order, dtype=np.int32)).runs[common]] += 1
    for runs, found in times.items():
        ways = math.comb(m - 1, runs - 1) * math.comb(n - m + 1, runs)
        assert Fraction(found, len(orders)) == Fraction(ways, math.comb(n, m))


@pytest.mark.parametrize(
    "counts", [(500, 500), (9990, 10), (99_900, 100), (10, 99_990), (60, 60, 60), (14, 14)]
)
def test_sorted_streams_are_noticed_and_shuffled_ones_are_not(counts: tuple[int, ...]) -> None:
    codes = of_classes(*counts)
    assert counted(codes).is_sorted
    dice = np.random.default_rng(0)
    assert not any(counted(dice.permutation(codes)).is_sorted for _ in range(300))


def test_a_stream_that_alternates_or_is_sorted_in_small_pieces_only_is_not_sorted() -> None:
    assert not counted(np.tile(of_classes(1, 1), 500)).is_sorted
    assert not counted(np.tile(of_classes(3, 3), 500)).is_sorted
    assert counted(np.tile(of_classes(50, 50), 10)).is_sorted


def test_few_examples_or_one_label_say_nothing_about_the_order() -> None:
    assert not counted(of_classes(5, 5)).is_sorted
    assert not counted(of_classes(1000)).is_sorted
    assert not LabelRuns().is_sorted
