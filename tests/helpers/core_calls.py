"""One valid call of every function of the compiled core, for tests that spoil its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core

core: Any = _core  # called with arguments of any kind
N, DIM, EACH, WIDTH = 60, 32, 20, 16


def calls() -> tuple[list[partial[Any]], list[NDArray[Any]]]:
    """The calls, and the arrays of indices that they share."""
    dice = np.random.default_rng(0)
    columns = [np.sort(dice.choice(DIM, EACH, replace=False)) for _ in range(N)]
    values, indices = dice.random(N * EACH), np.concatenate(columns)
    starts, order, example = np.arange(0, N * EACH + 1, EACH), np.arange(N), np.arange(N)
    right, rival = np.zeros(N, np.int32), np.ones(N, np.int32)
    labels = np.where(np.arange(N) % 2, 1, -1).astype(np.int8)
    codes = np.where(np.arange(N) % 2, 0, 3).astype(np.int32)

    csr: Any = values, indices, starts
    rows: Any = *csr, DIM
    part: dict[str, Any] = {"importances": None, "order": order, "begin": 0, "end": N, "rounds": 0}
    span: dict[str, Any] = {"begin": 0, "end": N, "bias": True}
    made: dict[str, Any] = {"example": example, "step": np.ones(N)}
    pairs: dict[str, Any] = {"right": right, "rival": rival}
    two: dict[str, Any] = {"threshold": (1e9, 1e9), "step": (1.0, 1.0)}
    survived = np.ones(N + 1, np.int64)
    w, u, w_joint, out = (np.zeros(k) for k in (DIM + 1, DIM + 1, (DIM + 1) * WIDTH, N * WIDTH))
    variances = [(False, np.ones(DIM + 1)), (True, np.eye(DIM + 1).reshape(-1))]
    again = {**made, "round": np.arange(1, N + 1), "importance": np.ones(N)}
    places: dict[str, Any] = {name: np.empty(N, np.int64) for name in ("round", "row")}
    numbers: dict[str, Any] = {name: np.empty(N) for name in ("score", "taken", "square")}
    room = {**places, **numbers}
    found: dict[str, Any] = {name: np.empty(N, np.int32) for name in ("right", "rival")}
    winnow: dict[str, Any] = {"alpha": 1.5, "balanced": True, "erases": False, "theta": 0.0}
    joint: dict[str, Any] = {"threshold": 1e9, "step": np.ones(WIDTH), "unit": 1.0, "classes": 0}
    kernel: dict[str, Any] = {"shape": 1, "degree": 2, "gamma": 0.5, "constant": 1.0}
    gram = np.ones(N * N)
    literals: dict[str, Any] = {"plain": np.zeros(DIM, np.int64), "negated": np.ones(DIM, np.int64)}
    made_calls: list[partial[Any]] = [
        partial(
            core.learn, *rows, labels=labels, **part, **two, bias=True, unit=1.0, w=w, u=u, **room
        ),
        partial(
            core.learn,
            *rows,
            labels=labels,
            **part,
            **two,
            bias=True,
            unit=1.0,
            w=w,
            u=None,
            **room,
            ends=np.zeros(1, np.int64),
            until=u,
        ),
        partial(
            core.learn_together,
            *rows,
            of=[(labels, (1e9, 1e9), (1.0, 1.0), 0, w, u, None)],
            **{name: value for name, value in part.items() if name != "rounds"},
            unit=1.0,
            bias=True,
            narrow=np.zeros(8 * DIM, np.float32),
            is_filled=False,
            **room,
        ),
        partial(
            core.multiply,
            *rows,
            labels=labels,
            **part,
            **two,
            bias=True,
            **winnow,
            powers=u,
            w=w,
            **room,
        ),
        *(
            partial(
                core.adapt,
                *rows,
                labels=labels,
                **part,
                step=(1.0, 1.0),
                r=1.0,
                full=full,
                bias=True,
                w=w,
                variance=variance,
                u=u,
                **room,
            )
            for full, variance in variances
        ),
        *(
            partial(
                core.adapt_again,
                *rows,
                **again,
                r=1.0,
                full=full,
                bias=True,
                w=w,
                variance=variance,
                u=u,
            )
            for full, variance in variances
        ),
        partial(
            core.joint_adapt,
            *rows,
            labels=codes,
            **part,
            step=np.ones(WIDTH),
            r=1.0,
            bias=True,
            classes=0,
            width=WIDTH,
            w=w_joint,
            variance=np.ones_like(w_joint),
            u=np.zeros_like(w_joint),
            **room,
            **found,
        ),
        partial(
            core.joint_adapt_again,
            *rows,
            **again,
            **pairs,
            r=1.0,
            bias=True,
            width=WIDTH,
            w=w_joint,
            variance=np.ones_like(w_joint),
            u=np.zeros_like(w_joint),
        ),
        partial(core.scores, *rows, **span, w=w, out=out),
        partial(
            core.predict,
            *rows,
            **span,
            w=w,
            zero_is_positive=True,
            labels=np.array([-1, 1]),
            out=np.zeros(N, np.int64),
        ),
        partial(
            core.joint_learn,
            *rows,
            labels=codes,
            **part,
            bias=True,
            **joint,
            width=WIDTH,
            w=w_joint,
            u=np.zeros_like(w_joint),
            **room,
            **found,
        ),
        partial(core.joint_scores, *rows, **span, w=w_joint, width=WIDTH, out=out),
        partial(core.accumulate, *rows, **made, bias=True, w=w),
        partial(core.joint_accumulate, *rows, **made, **pairs, bias=True, width=WIDTH, w=w_joint),
        partial(
            core.vote,
            *csr,
            *rows,
            **span,
            **made,
            survived=survived,
            zero_is_positive=True,
            start_scores=np.zeros(N),
            out=out,
        ),
        partial(
            core.joint_vote,
            *csr,
            *rows,
            **span,
            **made,
            **pairs,
            survived=survived,
            classes=4,
            start_scores=np.zeros(4 * N),
            out=out,
        ),
        partial(core.kernel_squares, *rows, **kernel, **span, out=out),
        partial(core.kernel_gram, *csr, example, *rows, **kernel, **span, out=gram),
        partial(
            core.kernel_sums, gram=gram, n=N, **made, column=np.zeros(N, np.int64), s=np.zeros(N)
        ),
        partial(
            core.kernel_scores,
            *csr,
            example,
            *rows,
            **kernel,
            **span,
            **{**made, "example": np.arange(N)},
            column=np.zeros(N, np.int64),
            late=np.ones(N),
            s=np.zeros(N),
            u=np.zeros(N),
        ),
        partial(
            core.kernel_joint_votes,
            gram=gram,
            **made,
            **pairs,
            survived=survived,
            classes=4,
            out=np.zeros(4 * N),
        ),
        partial(
            core.kernel_joint_learn,
            gram=gram,
            labels=codes,
            importances=None,
            **joint,
            rounds=0,
            s=np.zeros(N * WIDTH),
            u=np.zeros(N * WIDTH),
            counts=None,
            **room,
            **found,
        ),
        partial(
            core.kernel_votes,
            gram=gram,
            **made,
            survived=survived,
            zero_is_positive=True,
            out=np.zeros(N),
        ),
        partial(
            core.kernel_learn_within,
            gram=gram,
            labels=labels,
            importances=None,
            **two,
            unit=1.0,
            rounds=0,
            count=0,
            seed=0,
            made=0,
            kept=np.zeros(2, np.int64),
            steps=np.zeros(2),
            met=np.zeros(N),
            **room,
        ),
        partial(
            core.kernel_learn,
            gram=gram,
            labels=labels,
            importances=None,
            **two,
            unit=1.0,
            rounds=0,
            s=np.zeros(N),
            u=np.zeros(N),
            met=np.zeros(N),
            **room,
        ),
        partial(
            core.ascend,
            *rows,
            labels=labels,
            order=order,
            squares=np.ones(N),
            bias=True,
            alpha=np.zeros(N),
            w=w,
        ),
        partial(
            core.echelon,
            matrix=np.arange(12, dtype=np.int64),
            columns=4,
            pivots=np.zeros(3, dtype=np.int64),
        ),
        partial(core.squares, *rows, bias=True, out=np.empty(N)),
        partial(
            core.eliminate,
            *rows,
            labels=labels,
            **part,
            sign=1,
            **literals,
            drops=0,
            left=DIM,
            **places,
            square=numbers["square"],
        ),
        partial(core.conjoin, *rows, begin=0, end=N, **literals, drops=0, left=DIM, out=out),
        partial(core.renumber, *csr, columns=np.arange(DIM)[::-1].copy()),
        partial(
            core.copy_spans,
            np.zeros(N, np.uint8),
            start=order,
            to=np.append(order, N),
            out=np.empty(N, np.uint8),
        ),
        partial(
            core.power_scores,
            *rows,
            **span,
            alpha=1.5,
            balanced=True,
            theta=0.0,
            powers=u,
            w=w,
            out=out,
        ),
        partial(core.weights_of, alpha=1.5, balanced=True, powers=u, out=w),
        partial(core.fill_order, run=3, mix=2, seed=1, out=np.empty(N, np.int64)),
        *_calls_on_bits(),
        *_calls_on_text(),
    ]
    return made_calls, [indices, starts, order, example, right, rival, codes]


def _calls_on_bits() -> Iterator[partial[Any]]:
    words, more = np.array([5, 9], np.uint64), np.array([6, 3], np.uint64)
    yield partial(core.count_both, words, more)
    yield partial(core.keep, words.copy(), more, on=True)
    yield partial(core.places, words, out=np.empty(8, np.int64))
    yield partial(
        core.evaluate_subsets,
        x=words,
        turned=~words,
        n=70,
        k=2,
        signs=np.array([0, 1], np.uint64),
        table=np.array([False, False, True]),
        at=3,
        out=np.zeros(200, np.uint64),
    )


def _calls_on_text() -> Iterator[partial[Any]]:
    def text(content: bytes) -> dict[str, Any]:
        padded = np.frombuffer(content + bytes(64), dtype=np.uint8).copy()
        return {"text": padded, "length": len(content)}

    marks: dict[str, Any] = {"separator": ",", "quotes": True}
    table: dict[str, Any] = {**marks, "allowed": 1, "labelled": True, "rule": (1, 2, True)}
    table |= {"bits": 5, "most_names": 9}
    kinds, positions = np.array([1, 2, 4, 6], np.uint8), np.zeros(4, np.int32)
    yield partial(core.parse_svmlight, **text(b"1 1:2 3:4\n-1 2:1\nbad\n"), allowed=2)
    hashed = {"bits": 5, "most_names": 9, "known": core.SlotNames(5, 9)}
    yield partial(core.parse_vw, **text(b"1 | a b:2\n-1 | c\n"), allowed=1, labelled=True, **hashed)
    yield partial(core.plain_batch, body=b'{"examples": [{"features": {"a": 1.5, "b": "c"}}]}')
    yield partial(
        core.parse_jsonl,
        **text(b'{"y": 1, "a": 2.5, "b": "text", "c": "two words", "d": [{}]}\n'),
        allowed=1,
        label="y",
        labelled=True,
        weight="w",
        weighed=False,
        missing="zero",
        ignored=["d"],
        texts=["c"],
        rule=(1, 2, True),
    )
    yield partial(
        core.parse_texts,
        text(b"Two words, two TEXTS")["text"],
        np.array([0, 11, 20]),
        prefix="c=",
        rule=(2, 0, False),
    )
    yield partial(core.csv_cut, **text(b'1,"a\nb",2\n1,2'), **marks)
    yield partial(core.csv_records, **text(b'1,"a\nb",2\n'), **marks, most=4)
    yield partial(core.csv_records, **text(b'1  "a b" 2 \n'), separator=" ", quotes=True, most=4)
    yield partial(
        core.parse_csv,
        **text(b"1,2.5,word,some words\n2,7,other,some more\n"),
        **table,
        kinds=kinds,
        positions=positions,
        names=[b"y", b"a", b"b", b"c"],
        missing=0,
        decimal_comma=True,
    )
    yield partial(core.read_number, **text(b"12.5e3"))
    names = text(b"onetwo")["text"], np.array([0, 3, 6])
    yield partial(core.hash_names, *names)
    scores, labels = np.array([0.5, -1.0, 2.0, 0.0]), np.array([1, 0], dtype=np.int32)
    counts = np.zeros(core.SCORE_COUNTS, dtype=np.int64)
    yield partial(core.count_scores, scores, labels, np.ones(2), 2, counts)
    yield partial(core.middle_of_bin, 7)
    yield partial(core.logarithms, np.array([0.5, 1.0]), np.empty(2))
    yield partial(core.NamePlaces)
    yield partial(place_names, *names)
    yield partial(core.SlotNames, 4, 10)
    yield partial(meet_names, np.array([15, 2]), *names)


def place_names(*names: Any) -> Any:
    """The columns of names that are new, and then known."""
    places = core.NamePlaces()
    places.place(*names)
    return places.find(*names), places.held()


def meet_names(*names: Any) -> Any:
    """The names of hashed columns."""
    held = core.SlotNames(4, 10)
    held.meet(*names)
    return held.held()
