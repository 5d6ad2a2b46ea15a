"""TextFeatures: texts as rows of features for scikit-learn, read as the command line reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from novikoff.sources.chunks import Chunk
from novikoff.sources.features import Features
from novikoff.sources.read_options import Grams, TextRule, TextValues
from novikoff.stream.input_problems import BadExample, why_not_a_name
from novikoff.stream.rows import SparseRows, join

if TYPE_CHECKING:
    from sklearn.utils import Tags

BATCH = 1 << 21  # bytes of text that are read at a time


@dataclass(eq=False, repr=False)
class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Turn texts into rows of features: words, pairs of neighbouring words, or characters.

    The features, their values and their columns are those of a text in a file. Rows are CSR
    matrices of float64.

    Parameters
    ----------
    field
        What the names of features begin with: word w is feature "field=w". A table's column of this
        name, or the folders of documents if it is "text", give the same features.
    grams, values, unit_length
        As in :class:`sources.TextRule`.
    hash_bits
        The column of a feature is the hash of its name mod 2^hash_bits; then `transform` needs no
        `fit`. None: `fit` learns a dictionary, a column for each feature in the order of first
        occurrence, and `transform` ignores all others.

    The map from names to columns is `features_`. With hash_bits it holds the first name of each
    column that was met in `fit`, at most 2^20 of them.
    """

    field: str = "text"
    _: KW_ONLY
    grams: Grams = "pairs"
    values: TextValues = "log"
    unit_length: bool = True
    hash_bits: int | None = 20

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn the names of the features of the texts; y is not used."""
        self.fit_transform(X, y)
        return self

    def partial_fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn the names of the features of more texts, of all or of none; y is not used."""
        features = deepcopy(getattr(self, "features_", None)) or self._no_features()
        self._learn(features, X)
        return self

    def fit_transform(self, X: Iterable[str], y: object = None, **_: object) -> csr_matrix:
        """Learn the names of the features of the texts, and return the texts as rows."""
        return self._learn(self._no_features(), X)

    def transform(self, X: Iterable[str]) -> csr_matrix:
        """The texts as rows; features that are not in the dictionary are ignored."""
        check_is_fitted(self)
        features = getattr(self, "features_", None)
        if features is None:
            features = self._no_features()
            features.frozen = True
        return self._matrix(features, X)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns; a hashed column without a name is called by its number."""
        check_is_fitted(self, "features_")
        return np.array(self.features_.names, dtype=object)

    def _no_features(self) -> Features:
        return Features.of((), (), self.hash_bits)

    def _learn(self, features: Features, X: Iterable[str]) -> csr_matrix:
        features.frozen = False
        rows = self._matrix(features, X)
        features.frozen = True
        self.features_ = features
        return rows

    def _matrix(self, features: Features, X: Iterable[str]) -> csr_matrix:
        if why := why_not_a_name(self.field):
            raise ValueError(f"field {self.field!r} {why}")
        rule = TextRule(self.grams, self.values, self.unit_length)
        parts: list[SparseRows] = []
        for batch in _batches(X):
            starts = np.cumsum([0, *map(len, batch)], dtype=np.int64)
            text = np.frombuffer(b"".join(batch), dtype=np.uint8)
            rows, names = rule.rows(text, starts, self.field)
            labels = np.full(len(rows), -1, dtype=np.int32)
            parts.append(features.rows(Chunk(rows, labels, (), (), names)).sparse())
        whole = join([part.widened(features.room) for part in parts]).sparse() if parts else None
        if whole is None:
            return csr_matrix((0, features.dim))
        arrays = (whole.values, whole.indices, whole.starts)
        return csr_matrix(arrays, shape=(len(whole), features.dim))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.hash_bits is None
        return tags


def _batches(X: Iterable[str]) -> Iterator[list[bytes]]:
    """The texts in UTF-8, about two megabytes at a time."""
    if isinstance(X, str):
        raise ValueError("X must be a list of texts, not one text")
    batch: list[bytes] = []
    size = 0
    for i, text in enumerate(X):
        if not isinstance(text, str):
            raise BadExample(f"example {i}: {type(text).__name__} is not a text")
        try:
            batch.append(text.encode())
        except UnicodeEncodeError:
            why = "contains half of a surrogate pair, which is not a character"
            raise BadExample(f"example {i}: the text {why}") from None
        size += len(batch[-1])
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
