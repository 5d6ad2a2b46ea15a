"""The core takes a batch as it is only if it means to every reader of JSON the same."""

from __future__ import annotations

import json
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from novikoff._core import plain_batch

KEYS = st.sampled_from(["a", "b", "a=x", "label", "", "é", 'a"', "\\", "a b", "\x7f", "\0"])
NUMBERS = st.booleans() | st.integers() | st.floats()
VALUES = st.none() | NUMBERS | KEYS | st.lists(st.just(1), max_size=2)
OBJECTS = st.lists(st.tuples(KEYS, VALUES), max_size=4)


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, none of whose keys is empty or there twice."""
    assert len({key for key, _ in pairs}) == len(pairs)
    assert all(key for key, _ in pairs)
    return dict(pairs)


@given(st.lists(OBJECTS, max_size=3), st.booleans(), st.integers(0), st.sampled_from(' ,:"{}[]x1é'))
def test_a_plain_batch_is_read_as_json_reads_it(
    objects: list[list[tuple[str, Any]]], is_ascii: bool, at: int, put: str
) -> None:
    body = ",".join(f'{{"features": {{{_members(one, is_ascii)}}}}}' for one in objects)
    body = f'{{"examples": [{body}]}}'
    for sent in (body, body[: at % len(body)] + put + body[at % len(body) + 1 :]):
        if (found := plain_batch(sent.encode())) is None:
            continue
        read = json.loads(sent, object_pairs_hook=distinct)
        assert list(read) == ["examples"]
        assert all(list(one) == ["features"] for one in read["examples"])
        each = [one["features"] for one in read["examples"]]
        assert [json.loads(one) for one in found[0]] == each
        assert found[1] == max(map(len, each))
        assert found[2] == max((len(name) for one in each for name in one), default=0)
        values = [value for one in each for value in one.values()]
        assert all(isinstance(value, str | int | float) for value in values)


def _members(pairs: list[tuple[str, Any]], is_ascii: bool) -> str:
    return ", ".join(f"{json.dumps(k, ensure_ascii=is_ascii)}:{json.dumps(v)}" for k, v in pairs)


def test_what_programs_usually_send_is_plain() -> None:
    body = b'{"examples":[{"features":{"a":1,"b c":-2.5e3,"d":"x y","e":true}},{"features":{}}]}\n'
    assert plain_batch(body) == ([b'{"a":1,"b c":-2.5e3,"d":"x y","e":true}', b"{}"], 4, 3)
