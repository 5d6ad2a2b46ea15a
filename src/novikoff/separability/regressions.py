"""Regressions as statisticians write them: formulas, and models that other packages fitted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.verdict import ModelName
from novikoff.separability.certifying import certify
from novikoff.separability.models import Regression, refused_gap
from novikoff.separability.points import matrix_of
from novikoff.sources.arrays import rows_of
from novikoff.sources.open import Data
from novikoff.stream.input_problems import BadExample, optional
from novikoff.stream.number_text import number
from novikoff.stream.printing import quoted_list
from novikoff.stream.rows import Rows

_NEEDED = "formulas need formulaic: pip install 'novikoff[stats]'"  # it brings pandas
_CBIND = re.compile(r"\s*cbind\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)\s*")
_COLOURS = re.compile("\x1b\\[[0-9;]*m|[⧛⧚]")
# the models of statsmodels, by the names of their classes
_MODELS: Mapping[str, ModelName] = {
    "Logit": "binary",
    "Probit": "binary",
    "Poisson": "poisson",
    "MNLogit": "multinomial",
    "OrderedModel": "ordinal",
}
_FITTED = "a result of statsmodels (Logit, Probit, GLM, Poisson, MNLogit, OrderedModel) or pyfixest"


def certify_formula(
    formula: str, frame: Any, *, model: ModelName = "binary", weights: Any = None, **options: Any
) -> Certificate:
    """Decide which estimates of a regression exist, from its formula and a frame.

    Needs formulaic: `pip install 'novikoff[stats]'`.

    Parameters
    ----------
    formula
        As for R, statsmodels and pyfixest: "y ~ a*b + C(c)"; fixed effects follow a bar,
        "y ~ x | firm + year", and firm^year is one effect for each pair. Counts of successes and
        failures are written "cbind(successes, failures) ~ x". A term offset(...) changes nothing
        about which estimates exist, and a dot stands for all columns but the response.
    frame
        Of pandas or polars. No value that the formula uses may be missing.
    model, weights, options
        As for `certify`; the weights may be the name of a column.
    """
    return certify(regression_data(formula, frame, weights=weights), model=model, **options)


def certify_fit(fit: Any, data: Any = None, **options: Any) -> Certificate:
    """Decide which estimates exist of a model that another package fitted.

    Parameters
    ----------
    fit
        A model of statsmodels or its result: Logit, Probit, Poisson, GLM with the binomial or the
        Poisson family, MNLogit, OrderedModel; or a fit of pyfixest: fepois, or feglm for logit and
        probit.
    data
        Of a fit of pyfixest, its frame: the fit itself keeps only the rows that pyfixest did not
        drop. By default those rows.
    options
        `max_seconds` and `progress`, as for `certify`.
    """
    given = regression_data(fit, data)
    if given.model is None:
        raise TypeError("a formula does not say which model it is of; use certify_formula")
    return certify(given, model=given.model, **options)


def regression_data(of: Any, frame: Any = None, *, weights: Any = None) -> Regression:
    """The data of a formula and its frame, or of a fitted model, as `certify` and `verify` take it.

    Parameters are those of `certify_formula` and `certify_fit`; the frame may also be the `Data` of
    a table, read with the labels as levels.
    """
    if isinstance(of, str) and isinstance(frame, Data):
        found = _of_formula(of, _frame_of(frame), frame.block.importances)
        return replace(found, files=frame.files, header=frame.header, source=frame.source)
    if isinstance(of, str):
        return _of_formula(of, _pandas(frame), weights)
    if hasattr(of, "_fml") and hasattr(of, "_method"):
        return _of_pyfixest(of, frame)
    return _of_statsmodels(getattr(of, "model", of))


def _of_formula(
    formula: str, frame: Any, weights: Any = None, functions: Mapping[str, Any] | None = None
) -> Regression:
    formulaic = optional("formulaic", _NEEDED)
    from formulaic.errors import FormulaicError

    response, tilde, rest = formula.partition("~")
    terms, _, effects = rest.partition("|")
    if not (tilde and response.strip() and terms.strip()):
        raise BadExample(f"the formula {formula!r} is not of the form 'y ~ x' or 'y ~ x | firm'")
    fixed = {
        name.strip(): _effect([part.strip() for part in name.split("^")], frame)
        for name in filter(None, map(str.strip, effects.split("+")))
    }
    kind = "numpy" if functions else "sparse"
    taken = {*parts_of(formula)[1], *re.findall(r"\w+", response)}
    others = [str(c) for c in frame.columns if c not in taken]
    if isinstance(weights, str):
        weights = frame[_column(weights, frame)].to_numpy()
    try:
        every = formulaic.Formula(terms, _context={"__formulaic_variables_available__": others})
        wanted = formulaic.Formula(
            [one for one in every if not any(str(f).startswith("offset(") for f in one.factors)]
        )
        used = [name for name in map(str, wanted.required_variables) if name in frame.columns]
        _refuse_missing(frame, used)
        if dates := [name for name in used if frame[name].dtype.kind in "mM"]:
            raise BadExample(f"column {dates[0]!r} holds dates or times; convert them to numbers")
        matrix: Any = formulaic.model_matrix(
            wanted, frame, output=kind, na_action="ignore", context=functions
        )
        y, label, trials = _response(response.strip(), frame, formulaic)
    except FormulaicError as error:
        why = " ".join(_COLOURS.sub("", str(error)).split())
        if unknown := re.search(r"NameError: `(\w+)` is not present", why):
            _column(unknown[1], frame)  # says which columns there are
        raise BadExample(f"the formula {formula!r}: {why}") from None
    names = list(map(str, matrix.model_spec.column_names))
    columns = _without_constant(matrix.__wrapped__, names)
    return Regression(*columns, y, label, None, None, trials, fixed or None, weights)


def _without_constant(matrix: Any, names: Sequence[str]) -> tuple[Rows, tuple[str, ...], bool]:
    """The rows of a matrix without its constant column, their names, and whether it had one."""
    kept = [j for j, name in enumerate(names) if name not in ("Intercept", "const")]
    rows = rows_of(matrix[:, kept].astype(np.float64))
    return rows, tuple(names[j] for j in kept), len(kept) < len(names)


def _response(written: str, frame: Any, formulaic: Any) -> tuple[Any, str | None, Any]:
    """The response, its name, and how many trials it is of, if it counts."""
    if both := _CBIND.fullmatch(written):
        successes, failures = (frame[_column(name, frame)] for name in both.groups())
        _refuse_missing(frame, [both[1], both[2]])
        return successes.to_numpy(), both[1], (successes + failures).to_numpy()
    name = written.strip("`")
    if name in frame.columns:
        _refuse_missing(frame, [name])
        return frame[name], name, None
    values = formulaic.model_matrix(f"0 + {written}", frame, output="pandas", na_action="ignore")
    if values.shape[1] != 1:
        raise BadExample(f"the response {written!r} is not one column of numbers or labels")
    return values.to_numpy()[:, 0], written, None


def _effect(parts: Sequence[str], frame: Any) -> Any:
    """The levels of a fixed effect; of several columns, a level for each combination."""
    columns = frame[[_column(name, frame) for name in parts]]
    _refuse_missing(frame, parts)
    if len(parts) == 1:
        return columns[parts[0]].to_numpy()
    levels = columns.drop_duplicates().astype(str)
    texts = np.array(["^".join(level) for level in levels.to_numpy().tolist()], dtype=object)
    return texts[columns.groupby([*parts], sort=False, observed=True).ngroup()]


def _column(name: str, frame: Any) -> str:
    if name not in frame.columns:
        known = quoted_list([str(one) for one in frame.columns])
        raise BadExample(f"there is no column {name!r}; the columns are {known}")
    return name


def _refuse_missing(frame: Any, names: Sequence[str]) -> None:
    for name in names:
        missing = np.flatnonzero(frame[name].isna())
        if len(missing):
            raise refused_gap(name, "missing", missing, len(frame))


def _pandas(frame: Any) -> Any:
    if frame is None or not hasattr(frame, "columns"):
        raise BadExample("a formula needs a frame of pandas or polars")
    if hasattr(frame, "to_pandas"):
        frame = frame.to_pandas()
    return frame.reset_index(drop=True)


def parts_of(formula: str) -> tuple[str, list[str]]:
    """The column of the response in a formula, or its counts, and those of the fixed effects.

    >>> parts_of("cbind(s, f) ~ x | firm^year + firm")
    ('s', ['firm', 'year'])
    """
    response, _, rest = formula.partition("~")
    both = _CBIND.fullmatch(response)
    columns = map(str.strip, re.split(r"[+^]", rest.partition("|")[2]))
    return both[1] if both else response.strip(" `"), [*dict.fromkeys(filter(None, columns))]


def _frame_of(data: Data) -> Any:
    """The table that was read, as a frame: columns "c=v" are the values v of the column c."""
    pd = optional("pandas", _NEEDED)
    if data.names is None or data.label is None:
        raise BadExample("a formula needs a table whose first line names the columns")
    matrix, n = matrix_of(data.block.rows).tocsc(), len(data.block)
    columns = dict[str, Any]()
    for name, a, b in zip(data.names, matrix.indptr, matrix.indptr[1:], strict=False):
        column, is_level, value = name.partition("=")
        if is_level:
            texts = columns.setdefault(column, np.full(n, None, dtype=object))
            texts[matrix.indices[a:b]] = value
        else:
            columns[column] = np.zeros(n)
            columns[column][matrix.indices[a:b]] = matrix.data[a:b]
    numbers = [number(text) for text in data.classes]
    levels = data.classes if None in numbers else numbers
    columns[data.label] = [levels[k] for k in data.block.labels.tolist()]
    return pd.DataFrame(columns)


def _of_pyfixest(fit: Any, data: Any) -> Regression:
    models: Mapping[str, ModelName] = {
        "fepois": "poisson",
        "feglm-logit": "binary",
        "feglm-probit": "binary",
    }
    model = models.get(fit._method)
    if model is None:
        raise BadExample(f"estimates of {fit._method} always exist; separation is of {[*models]}")
    frame = _pandas(fit._data if data is None else data)
    weights = frame[fit._weights_name].to_numpy() if fit._weights_name else None
    functions = dict[str, Any]()
    if re.search(r"\bi\(", fit._fml):
        from pyfixest.estimation.formula.factor_interaction import factor_interaction

        functions["i"] = factor_interaction
    return replace(_of_formula(fit._fml, frame, weights, functions), model=model)


def _of_statsmodels(given: Any) -> Regression:
    kind = next((one.__name__ for one in type(given).__mro__ if one.__name__ in _MODELS), "")
    model, trials, weights, levels = _MODELS.get(kind), None, None, None
    if not hasattr(given, "exog_names"):
        raise TypeError(f"expected {_FITTED}, not a {type(given).__name__}")
    y, label = np.asarray(given.endog), given.endog_names
    if type(given).__name__ == "GLM":
        family, link = type(given.family).__name__, type(given.family.link).__name__
        links = {one.__name__ for one in type(given.family.link).__mro__}
        if family == "Binomial" and "Logit" in links:  # its subclasses map to the whole of (0, 1)
            model, trials = "binary", np.asarray(given.n_trials, dtype=np.float64)
            y = np.rint(y * trials) if (trials != 1).any() else y
            trials = None if (trials == 1).all() and np.isin(y, (0, 1)).all() else trials
        elif (family, link) == ("Poisson", "Log"):
            model = "poisson"
        else:
            raise BadExample(f"a GLM of the family {family} with the link {link} is none of these")
        weights = given.freq_weights * given.var_weights
    if model is None:
        raise TypeError(f"expected {_FITTED}, not a {type(given).__name__}")
    if model in ("multinomial", "ordinal"):
        by_number = given._ynames_map if model == "multinomial" else dict(enumerate(given.labels))
        levels = [str(by_number[k]) for k in sorted(by_number)]
        y = np.array(levels, dtype=object)[y.astype(int)]
    # the names of an OrderedModel go on with its thresholds
    columns = _without_constant(given.exog, given.exog_names[: given.exog.shape[1]])
    label = label if isinstance(label, str) else None
    return Regression(*columns, y, label, model, levels, trials, None, weights)
