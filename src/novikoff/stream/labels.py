"""Labels: which is positive, how one is written, what a score predicts, and labels as numbers.

Numbers come before texts, and a text that reads as a number is one; of two labels the greater is
positive. The rule is the same for files, arrays, `certify` and the estimators.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np

from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.input_problems import BadExample, Problem, why_not_a_name
from novikoff.stream.number_text import is_missing_or_infinite, number
from novikoff.stream.printing import quoted, quoted_list

Classes: TypeAlias = tuple[str, str]  # the negative label and the positive one
Key: TypeAlias = tuple[bool, float, str]  # numbers first, by size, then texts
Label = TypeVar("Label")

MOST_CLASSES = 1000

_EXACT = 2**53  # every whole number up to here is a float64
_DIGITS = 10**22  # whole numbers up to here are written in digits
_LONGEST = 40  # characters of a label with spaces; longer ones are texts
_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")


def label_key(label: Any) -> Key:
    """What labels are compared by: equal labels have equal keys, and the greater key is positive.

    >>> label_key("+2") == label_key(2.0), label_key("9") < label_key("10") < label_key("a")
    (True, True)
    """
    if isinstance(label, str):
        return _text_key(label)
    return False, label.item() if isinstance(label, np.generic) else label, ""


@lru_cache(maxsize=4096)
def _text_key(label: str) -> Key:
    value = number(label)
    if value is None:
        return True, 0.0, str(label)
    if abs(value) >= _EXACT and (whole := _WHOLE.fullmatch(label.strip())):
        value = int(whole[1] + whole[2])  # identifiers of 17 digits are labels, too
    return False, value, ""


def written(label: Any) -> str:
    """A label as a text: a number in its shortest form, a truth value in lower case.

    >>> [written(label) for label in (2.0, "2.0", "+2", "-0", 0.5, "spam", True)]
    ['2', '2', '2', '0', '0.5', 'spam', 'true']
    """
    if isinstance(label, bool | np.bool_):
        return "true" if label else "false"
    if isinstance(label, np.floating) and not isinstance(label, float):
        label = str(label)  # 0.1 as a float32 is 0.1, not the 0.10000000149 it becomes as a float64
    is_text, value, text = label_key(label)
    if is_text:
        return text
    return str(int(value)) if abs(value) <= _DIGITS and value == int(value) else repr(value)


def as_values(texts: Sequence[str]) -> tuple[Any, ...]:
    """The labels of a file as Python has them: numbers if all of them are numbers, else texts.

    >>> as_values(["0", "1"]), as_values(["1", "spam"])
    ((0, 1), ('1', 'spam'))
    """
    keys = [label_key(text) for text in texts]
    if any(is_text or abs(value) > _EXACT for is_text, value, _ in keys):
        return tuple(texts)
    return tuple(int(value) if value == int(value) else value for _, value, _ in keys)


def in_order(labels: Sequence[Label]) -> list[Label]:
    """The different labels in order, each as first written."""
    first = {label_key(label): label for label in reversed(labels)}
    return [first[key] for key in sorted(first)]


def is_positive_alone(label: Any) -> bool:
    """Whether a label is the positive one while no other is known: all are but 0 and −1."""
    return label_key(label)[:2] not in ((False, 0), (False, -1))


def negative_and_positive(labels: Sequence[Any]) -> Classes:
    """The negative and the positive of one or two labels, as written; one alone gets a partner.

    >>> negative_and_positive(["10", "9"]), negative_and_positive(["spam"])
    (('9', '10'), ('not spam', 'spam'))
    """
    *other, last = in_order(labels)
    alone = written(last)
    if other:
        return written(other[0]), alone
    if isinstance(last, bool | np.bool_):
        return "false", "true"
    if not is_positive_alone(last):
        return alone, "1"
    return "-1" if alone == "1" else rest_of(alone), alone


def rest_of(label: str) -> str:
    """What all labels but this one are called together.

    >>> rest_of("spam")
    'not spam'
    """
    return f"not {written(label)}"


def predicts_positive(score: Any) -> Any:
    """Whether a score, or each of an array of them, predicts +1: from 0 upwards."""
    return score >= 0


class LabelsAsSigns:
    """The labels of a source as −1 and +1; if classes are given, any other is a BadExample."""

    def __init__(
        self,
        classes: Sequence[str] | None = None,
        *,
        positive: str | None = None,
        is_last_column: bool = False,
    ) -> None:
        self._is_last_column, self._positive = is_last_column, positive
        known = classes or (() if positive is None else (positive,))
        self._seen: dict[Key, str] = {label_key(text): written(text) for text in known}
        self._are_given, self._classes = classes is not None, None
        if classes is not None:
            if len(self._seen) != 2:
                raise BadExample(f"the classes must be two labels, not {quoted_list(classes)}")
            self._classes = written(classes[0]), written(classes[1])

    @property
    def is_decided(self) -> bool:
        """Whether it is known which label is which."""
        return self._classes is not None or len(self._seen) == 2

    def decide(self) -> None:
        """Settle the classes with the labels seen so far: one alone gets a partner."""
        self._classes = self.classes

    @property
    def classes(self) -> Classes:
        """The negative and the positive label."""
        if self._classes is not None:
            return self._classes
        negative, positive = negative_and_positive(list(self._seen.values()))
        if self._positive is None or label_key(positive) == label_key(self._positive):
            return negative, positive
        return positive, negative

    def meet(self, texts: Sequence[str], places: Sequence[str]) -> bool:
        """Learn these labels, or raise BadExample; whether it is known which is which."""
        for text, place in zip(texts, places, strict=True):
            if label_key(text) in self._seen:
                continue
            key = _checked_key(text, place)
            if len(self._seen) == 2:
                a, b = map(quoted, self._seen.values())
                a += " (which you named as positive)" * (self._positive is not None)
                if self._are_given:
                    words = f"{place}: label {quoted(text)} is not one of {a} and {b}"
                    raise BadExample(words, Problem.OTHER_LABEL)
                problem = Problem.THIRD_LABEL
                if self._is_last_column:
                    are_texts = len(text) > _LONGEST and " " in text
                    last = Problem.THIRD_LABEL_IN_LAST_COLUMN
                    problem = Problem.TEXTS_AS_LABELS if are_texts else last
                words = f"{place}: label {quoted(text)} is a third label, after {a} and {b}"
                raise BadExample(words, problem, label=text)
            self._seen[key] = written(text)
        return self.is_decided

    def coded(
        self, codes: Codes, texts: Sequence[str], places: Sequence[str], first: int = 0
    ) -> Labels:
        """The labels of some examples as −1 and +1.

        The label of example i is `texts[codes[i]]`, first seen at `places[codes[i]]`.
        """
        self.meet(texts, places)
        _check_all_labelled(codes, first)
        positive = label_key(self.classes[1])
        signs = [1 if label_key(text) == positive else -1 for text in texts]
        return np.array(signs or [1], dtype=np.int8)[codes]


class LabelsAsClasses:
    """The labels of a source as classes 0, 1, 2, … in order of appearance, which may be any time.

    The given classes have their numbers beforehand; if they are `closed`, any other label is a
    BadExample, and so is one that makes more classes than `most`.
    """

    def __init__(
        self, classes: Sequence[str] = (), *, closed: bool = False, most: int | None = MOST_CLASSES
    ) -> None:
        self._numbers = {_checked_key(text, "classes"): k for k, text in enumerate(classes)}
        self._written = [written(text) for text in classes]
        if len(self._numbers) < len(classes):
            raise BadExample(f"the classes {quoted_list(classes)} are not all different")
        self.named, self.closed, self.most = len(classes), closed, most

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels named beforehand and those seen so far, in the order of their numbers."""
        return tuple(self._written)

    def coded(
        self, codes: Codes, texts: Sequence[str], places: Sequence[str], first: int = 0
    ) -> Codes:
        """The labels of some examples as numbers of classes; a bad one changes nothing."""
        _check_all_labelled(codes, first)
        keys = [label_key(text) for text in texts]
        if not all(key in self._numbers for key in keys):
            self._meet(codes, texts, places)
        # a text that no example has (the chunk may be part of a larger one) has no number
        numbers = [self._numbers.get(key, -1) for key in keys]
        return np.array(numbers or [0], dtype=np.int32)[codes]

    def _meet(self, codes: Codes, texts: Sequence[str], places: Sequence[str]) -> None:
        seen, first = np.unique(codes, return_index=True)
        new: dict[Key, str] = {}
        for k in seen[np.argsort(first)].tolist():
            key = _checked_key(texts[k], places[k])
            if key in self._numbers or key in new:
                continue
            new[key] = written(texts[k])
            label = f"{places[k]}: label {quoted(texts[k])}"
            if self.closed:
                words = f"{label} is not one of {quoted_list(self._written)}"
                raise BadExample(words, Problem.OTHER_LABEL)
            if self.most is not None and len(self._written) + len(new) > self.most:
                words = f"{label} makes more than {self.most:,} classes"
                raise BadExample(words, Problem.TOO_MANY_CLASSES, allowed=self.most)
        for key, text in new.items():
            self._numbers[key] = len(self._written)
            self._written.append(text)


def _check_all_labelled(codes: Codes, first: int) -> None:
    if (codes < 0).any():
        raise BadExample(f"example {first + int((codes < 0).argmax())} has no label")


def _checked_key(text: str, place: str) -> Key:
    if not text.strip():
        raise BadExample(f"{place}: the label is missing; fill it in or remove the row")
    if why := why_not_a_name(text):
        raise BadExample(f"{place}: label {quoted(text)} {why}")
    if is_missing_or_infinite(text):
        raise BadExample(f"{place}: label {text!r} is not a class; correct it or remove the row")
    return label_key(text)
