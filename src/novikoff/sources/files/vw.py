"""Vowpal Wabbit's text: `[label [importance [base]]] ['tag]|namespace[:scale] name[:value] ...`."""

from novikoff import _core
from novikoff.sources.files.text import NOT_UTF8, TextFormat, column, not_utf8, part
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample
from novikoff.stream.number_text import why_not_number
from novikoff.stream.printing import quoted

# The messages for the core's codes (`VwFlaw`). {name} is the part of {word} before its colon, {why}
# says why the part after it is not a number.
_LABEL, _IMPORTANCE, _BASE, _LARGE = 2, 6, 7, 11
_MESSAGES = {
    1: "there is no | in this line; write: label | name:value name:value",
    _LABEL: "there is no label: {word} touches the |, so it is a tag; put a space between",
    3: "label {word} has costs, which are not supported; write a class",
    4: "tag {word} must be the last word before the |",
    5: "{word} is one word too many: before the | there may be a label, an importance, a base and "
    "a tag",
    8: "{word} has no name before the colon",
    9: "scale of namespace {name}: {why}",
    10: "feature {name}: {why}",
    12: "namespace {name} is longer than 256 bytes; shorten it",
}


class Vw(TextFormat):
    """Text as Vowpal Wabbit reads it, one example a line.

    A feature is called namespace^name, or just name if the namespace has no name. Its value, 1 by
    default, is multiplied by the scale of its namespace; repeated names are summed. A tag, which
    begins with ' or touches the first bar, is ignored. With `hash_bits`, names are hashed to
    columns at once, and the first names of the first `most_names` columns are kept.
    """

    description = "Vowpal Wabbit text"
    hashes = True
    core = _core.parse_vw

    def __init__(self, how: ReadOptions | None = None) -> None:
        super().__init__(how)
        self.for_core = {
            "labelled": self.how.labelled,
            "bits": self.hash_bits or 0,
            "most_names": self.how.most_names,
            "known": self.how.known,
        }

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """The column of the error in a line, and the error."""
        error = not_utf8(line)[1] if why == NOT_UTF8 else BadExample(_words(line, at, why))
        return column(line, at), error


def _words(line: bytes, at: int, why: int) -> str:
    word = part(line, at, r"[^ \t|]*")
    name, _, value = word.partition(":")
    if why == _LABEL and not word:
        return "there is no label before the |"
    if why == _LABEL and word.startswith("'"):
        return f"there is no label before the tag {quoted(word)}"
    if why == _IMPORTANCE:
        negative = f"{quoted(word)} is negative; to learn the opposite, change the label"
        return f"importance {why_not_number(word) or negative}"
    if why == _BASE:
        return f"base {why_not_number(word) or f'{quoted(word)} must be 0 or left out'}"
    if why == _LARGE:
        product = f"{value or 1} times the scale of its namespace is too large for float64"
        return f"feature {quoted(name)}: {why_not_number(value or '1') or product}"
    return _MESSAGES[why].format(word=quoted(word), name=quoted(name), why=why_not_number(value))
