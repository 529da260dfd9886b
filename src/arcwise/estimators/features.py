"""X of scikit-learn as named columns: numbers are continuous, labels are discrete.

In scikit-learn a number is a number, however few values a column has, so that `arcwise.read`,
which takes whole numbers with few values for labels, is told the kind of every column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.data.sources import raw_columns
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import shown

FROM_DTYPE = "from_dtype"


@dataclass(frozen=True)
class Feature:
    """One column of X.

    Parameters
    ----------
    name
        Its name.
    values
        Numbers, NaN where missing; or labels, None where missing.
    levels, ordered
        The labels that the column's type declares, if any, and whether their order means
        something.
    """

    name: str
    values: NDArray[np.float64] | list[Any]
    levels: tuple[object, ...] | None = None
    ordered: bool = False

    @property
    def kind(self) -> str:
        """Its kind, as `arcwise.read` calls it."""
        if not isinstance(self.values, list):
            return "continuous"
        return "ordinal" if self.ordered else "discrete"

    @property
    def constant(self) -> bool:
        """Whether it has one value in all rows, and no other is declared."""
        values = self.values
        if isinstance(values, list):
            return len({each for each in values if each is not None} | {*(self.levels or ())}) < 2
        present = values[~np.isnan(values)]
        return len(present) == 0 or bool((present == present[0]).all())

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which of its values are missing."""
        if isinstance(self.values, list):
            return np.array([value is None for value in self.values], dtype=np.bool_)
        return np.isnan(self.values)


def features_of(
    estimator: Any, X: Any, *, reset: bool, rows: int, missing: bool
) -> tuple[Feature, ...]:
    """Return the columns of X, checked as scikit-learn asks.

    Parameters
    ----------
    estimator
        The estimator, whose number and names of features are set or compared.
    X
        A data frame, or anything that scikit-learn takes for an array.
    reset
        Whether X is learned from, and so sets the features.
    rows
        The smallest number of rows.
    missing
        Whether values may be missing.
    """
    if nw.dependencies.is_into_dataframe(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        found = _of_frame(X, estimator)
        _refuse_few(X.shape, rows)
    else:
        array = validate_data(
            estimator,
            X,
            reset=reset,
            dtype=None,
            ensure_min_samples=rows,
            ensure_all_finite=False,
        )
        chosen = _chosen(estimator.categorical_features, _names(array.shape[1]))
        found = tuple(
            _of_values(name, array[:, place], name in chosen)
            for place, name in enumerate(_names(array.shape[1]))
        )
    for feature in found:
        _refuse_unusable(feature, missing, type(estimator).__name__)
    return found


def _names(count: int) -> list[str]:
    return [f"x{place}" for place in range(count)]


def _refuse_few(shape: tuple[int, int], rows: int) -> None:
    # The same words for frames as for arrays: a column of zeros stands for the frame.
    if shape[1] == 0 or shape[0] < rows:
        check_array(np.zeros(shape), ensure_min_samples=rows)


def _of_frame(X: Any, estimator: Any) -> tuple[Feature, ...]:
    columns = raw_columns(X, None)
    chosen = _chosen(estimator.categorical_features, [each.name for each in columns])
    return tuple(_of_column(each, each.name in chosen) for each in columns)


def _of_column(column: RawColumn, categorical: bool) -> Feature:
    if isinstance(column, RawNumbers):
        numbers = column.values.astype(np.float64)
        numbers[column.missing] = np.nan
        return _of_values(column.name, numbers, categorical)
    labels: list[Any] = [*column.levels, None]  # the code of a missing value is -1
    values = [labels[code] for code in column.codes.tolist()]
    return Feature(column.name, values, column.levels if column.declared else None, column.ordered)


def _of_values(name: str, values: NDArray[Any], categorical: bool) -> Feature:
    if values.dtype.kind in "fiu" and not categorical:
        return Feature(name, values.astype(np.float64))
    listed = values.tolist()
    labels = values.dtype.kind in "USb" or any(isinstance(each, str | bool) for each in listed)
    if labels or categorical:
        return Feature(name, [None if _is_missing(each) else _label(each) for each in listed])
    # A cell that is no number is refused by float() itself, as everywhere in scikit-learn.
    return Feature(
        name, np.array([np.nan if _is_missing(each) else float(each) for each in listed])
    )


def _is_missing(value: Any) -> bool:
    # The missing value of pandas is neither None nor a number, and refuses comparison.
    gone = value is None or type(value).__name__ == "NAType"
    return gone or (isinstance(value, float) and math.isnan(value))


def _label(value: Any) -> Any:
    """Return a whole number as such: 1.0 and 1 are one label."""
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def _chosen(categorical: Any, names: Sequence[str]) -> set[str]:
    """Return the names of the columns that are declared to be categorical."""
    if categorical is None or (isinstance(categorical, str) and categorical == FROM_DTYPE):
        return set()
    wrong = ArgumentError(
        f"categorical_features is {shown(categorical)}; give 'from_dtype', the names or places of "
        "columns, or a Boolean for each column"
    )
    given = np.asarray(categorical)
    if given.ndim != 1 or isinstance(categorical, str):
        raise wrong
    if given.dtype.kind == "b":
        if len(given) != len(names):
            raise wrong
        return {name for name, flag in zip(names, given, strict=True) if flag}
    pick: Callable[[Any], str | None] = (
        (lambda place: names[place] if 0 <= place < len(names) else None)
        if given.dtype.kind in "iu"
        else (lambda name: name if name in names else None)
    )
    found = [pick(each) for each in given.tolist()]
    if None in found:
        raise wrong
    return {name for name in found if name is not None}


def _refuse_unusable(feature: Feature, missing: bool, estimator: str) -> None:
    values = feature.values
    if not isinstance(values, list) and np.isinf(values).any():
        raise DataError(
            f"Input X contains infinity in column {feature.name!r}; give finite numbers"
        )
    if not missing and feature.missing.any():
        raise DataError(
            f"Input X contains NaN: values are missing in column {feature.name!r}; "
            f"give them, or use {estimator}(missing='drop')"
        )
