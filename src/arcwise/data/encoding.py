"""Decide the kind of a raw column and encode it: levels for labels, floats for measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MOST_LEVELS, ContinuousColumn, DiscreteColumn, Kind
from arcwise.data.messages import check_mapping, suggestion
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, as_level, level_type
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import listing, quoted

KINDS: tuple[Kind, ...] = ("discrete", "continuous")

Levels = Mapping[str, tuple[object, ...]]


def chosen_kinds(
    columns: Sequence[RawColumn], kinds: str | Mapping[str, str] | None, levels: Levels
) -> dict[str, Kind]:
    """Return the kind of each column: what the user says, else what its type suggests."""
    variables = [column.name for column in columns]
    if isinstance(kinds, str):
        kinds = dict.fromkeys(variables, kinds)
    asked = {} if kinds is None else kinds
    check_mapping("kinds", asked)
    for name, kind in asked.items():
        check_variable(name, variables, "kinds")
        if kind not in KINDS:
            raise ArgumentError(
                f"`kinds` must be 'discrete' or 'continuous', for all columns or for each named "
                f"one, but is {kind!r} for {name!r}"
            )
        if kind == "continuous" and name in levels:
            raise ArgumentError(
                f"column {name!r} has declared levels and cannot be continuous; drop it from "
                "`levels` or from `kinds`"
            )
    return {column.name: _kind(column, asked, levels) for column in columns}


def declared_levels(
    columns: Sequence[RawColumn], levels: Mapping[str, Sequence[object]] | None
) -> dict[str, tuple[object, ...]]:
    """Return the declared levels as plain Python values after checking them."""
    variables = [column.name for column in columns]
    levels = {} if levels is None else levels
    check_mapping("levels", levels)
    checked = {}
    for name, given in levels.items():
        check_variable(name, variables, "levels")
        if isinstance(given, str) or not isinstance(given, Iterable) or None in list(given):
            raise ArgumentError(
                f"`levels` for {name!r} must be a list of labels without None, but is {given!r}; "
                "missing='level' makes a level of missing values"
            )
        declared = tuple(as_level(level) for level in given)
        types = sorted({level_type(level) for level in declared})
        if len(set(declared)) != len(declared) or len(types) != 1:
            raise ArgumentError(
                f"`levels` for {name!r} must be different labels of one type, at least one, but "
                f"are {quoted(declared) or 'none'}"
            )
        checked[name] = declared
    return checked


def check_variable(name: str, variables: Sequence[str], argument: str) -> None:
    """Refuse a name that is not a variable."""
    if name not in variables:
        hint = suggestion(str(name), variables)
        raise ArgumentError(f"`{argument}` names {name!r}, which is not a variable{hint}")


def discrete(column: RawColumn, declared: tuple[object, ...] | None) -> DiscreteColumn:
    """Return the column as labels; gaps, if there are any, become the last level, None."""
    codes, levels = as_labels(column)
    if declared is not None:
        codes, levels = _recoded(column.name, codes, levels, declared), declared
    gaps = codes < 0
    if gaps.any():
        codes, levels = np.where(gaps, len(levels), codes), (*levels, None)
    return DiscreteColumn(column.name, codes.astype(np.uint16), levels)


def as_labels(column: RawColumn) -> tuple[NDArray[np.int64], tuple[object, ...]]:
    """Return codes (-1 in a gap) and the levels: the declared ones, or else the observed ones."""
    if isinstance(column, RawLabels):
        if column.declared:
            return column.codes, column.levels
        observed = np.bincount(column.codes + 1, minlength=len(column.levels) + 1)[1:] > 0
        positions = np.append(np.cumsum(observed) - 1, -1)
        levels = tuple(np.array((*column.levels, None), dtype=object)[:-1][observed].tolist())
        return positions[column.codes], levels
    distinct, inverse = np.unique(column.values[~column.missing], return_inverse=True)
    if len(distinct) > MOST_LEVELS:
        raise DataError(
            f"column {column.name!r} has {len(distinct)} different values, but a discrete column "
            f"may have at most {MOST_LEVELS}; use kinds={{{column.name!r}: 'continuous'}} or "
            "leave it out"
        )
    codes = np.full(len(column.values), -1, dtype=np.int64)
    codes[~column.missing] = inverse
    return codes, tuple(as_level(value) for value in distinct.tolist())


def continuous(column: RawColumn) -> ContinuousColumn:
    """Return the column, which has no gaps, as measurements."""
    if isinstance(column, RawNumbers):
        return ContinuousColumn(column.name, column.values.astype(np.float64))
    codes, levels = as_labels(column)
    try:
        numbers = np.array([float(level) for level in levels])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        offender = next(level for level in levels if not _is_finite(level))
        raise DataError(
            f"column {column.name!r} cannot be continuous, because its value {offender!r} is not "
            f"a finite number; use kinds={{{column.name!r}: 'discrete'}} or correct it"
        )
    return ContinuousColumn(column.name, numbers[codes])


def _kind(column: RawColumn, asked: Mapping[str, Any], levels: Levels) -> Kind:
    if column.name in levels:
        return "discrete"
    natural: Kind = (
        "continuous" if isinstance(column, RawNumbers) and not column.whole else "discrete"
    )
    kind: Kind = asked.get(column.name, natural)
    return kind


def _recoded(
    name: str,
    codes: NDArray[np.int64],
    levels: tuple[object, ...],
    declared: tuple[object, ...],
) -> NDArray[np.int64]:
    # True == 1 in Python, but they are different labels.
    positions = {(level_type(level), level): place for place, level in enumerate(declared)}
    places = np.array([positions.get((level_type(v), v), -1) for v in levels] + [-1])
    observed = np.unique(codes[codes >= 0])
    strangers = [levels[code] for code in observed if places[code] < 0]
    if strangers:
        raise DataError(
            f"column {name!r} holds {quoted(strangers)}, which is not among its declared levels "
            f"{listing([repr(level) for level in declared])}; declare it in `levels` or correct it"
        )
    return places[codes]


def _is_finite(level: object) -> bool:
    try:
        return bool(np.isfinite(float(level)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
