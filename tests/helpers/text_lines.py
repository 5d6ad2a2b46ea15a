"""Random lines of Vowpal Wabbit text and of JSON, and the characters that garble them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

VW_BENDS = " \t|:'01.e-+aé^"
JSON_BENDS = '{}[]",:\\u0d8+-.eE19ntf \t\x1fé'

WORDS = st.text(st.characters(codec="utf-8", exclude_characters=" \t\r\n|:'\0"), min_size=1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(
    ["1", "0", "+2.", ".5", "-7e-2", "00012", "1e-400", "123456789012345678901234567890"]
)


@st.composite
def vw_lines(draw: st.DrawFn) -> str:
    label = draw(st.just("") | WORDS)
    weight = draw(st.just("") | st.floats(0, 9).map(repr)) if label else ""
    tag = draw(st.sampled_from(["", "'tag", "'"]))
    head = " ".join(
        filter(None, [label, weight, draw(st.sampled_from(["", "0"])) if weight else "", tag])
    )
    body = ""
    for _ in range(draw(st.integers(1, 3))):
        space = draw(st.just("") | WORDS)
        body += "|" + space + (":" + draw(NUMBERS) if space and draw(st.booleans()) else "")
        for name in draw(st.lists(WORDS, max_size=4)):
            body += draw(st.sampled_from([" ", "\t", "  "])) + name
            body += ":" + draw(NUMBERS) if draw(st.booleans()) else ""
    return head + " " * draw(st.integers(0 if tag else 1, 2)) + body


KEYS = st.sampled_from(["label", "a", "b", "a.b", "c"]) | st.text(max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS
    | st.lists(st.text(max_size=4), max_size=4)
    | st.lists(st.none() | st.integers() | st.booleans(), max_size=4),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)


@st.composite
def json_lines(draw: st.DrawFn) -> str:
    return json.dumps(
        draw(st.dictionaries(KEYS, VALUES, max_size=5)),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (" , ", "\t: ")])),
    )
