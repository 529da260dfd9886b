"""Decide whether a raw column is discrete or continuous, and encode it accordingly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MAX_LEVELS, ContinuousColumn, DiscreteColumn, KindName
from arcwise.data.messages import check_mapping, suggestion
from arcwise.data.options import kind_option
from arcwise.data.raw import (
    RawColumn,
    RawLabels,
    RawNumbers,
    as_level,
    has_many_values,
    is_whole,
    level_type,
)
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.support.words import listing, quoted, shown

KINDS: tuple[KindName, ...] = ("discrete", "continuous", "ordinal")

Levels = Mapping[str, tuple[object, ...]]


def chosen_kinds(
    columns: Sequence[RawColumn], kinds: str | Mapping[str, str] | None, levels: Levels
) -> dict[str, KindName]:
    """Return the kind of each column: as the user declares it, else by its type."""
    variables = [column.name for column in columns]
    if isinstance(kinds, str):
        kinds = dict.fromkeys(variables, kinds)
    declared = {} if kinds is None else kinds
    check_mapping("kinds", declared)
    for name, kind in declared.items():
        if not isinstance(kind, str) or kind not in KINDS:
            raise ArgumentError(
                f"kinds is {shown(kind)} for {shown(name)}; give 'discrete', 'continuous' or "
                "'ordinal', for all columns or by name"
            )
        check_variable(name, variables, Wording("kinds", f"--{kind}"))
        if kind == "continuous" and name in levels:
            raise ArgumentError(
                f"column {name!r} has declared levels and cannot be continuous; drop it from "
                "levels or from kinds"
            )
    return {column.name: _kind(column, declared, levels) for column in columns}


def declared_labels(
    columns: Sequence[RawColumn], kinds: str | Mapping[str, str] | None, levels: Levels
) -> set[str]:
    """Return the columns that the user declares to hold labels, before kinds are checked."""
    if isinstance(kinds, str):
        return set() if kinds == "continuous" else {column.name for column in columns}
    named = kinds.items() if isinstance(kinds, Mapping) else ()
    return {name for name, kind in named if kind != "continuous"} | set(levels)


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
                f"levels[{name!r}] is {shown(given)}; give a list of labels without None, and ",
                option("missing", "level"),
                " to make missing a level",
            )
        declared = tuple(as_level(level) for level in given)
        types = sorted({level_type(level) for level in declared})
        if len(set(declared)) != len(declared) or len(types) != 1:
            raise ArgumentError(
                f"levels[{name!r}] is {shown(given)}; give at least one label, and different "
                "labels of one type"
            )
        checked[name] = declared
    return checked


def check_variable(name: str, variables: Sequence[str], argument: str | Wording) -> None:
    """Refuse a name that is not a variable."""
    if not isinstance(name, str) or name not in variables:
        hint = suggestion(name, variables) if isinstance(name, str) else ""
        raise ArgumentError(argument, f" names {shown(name)}, which is not a variable{hint}")


def discrete(
    column: RawColumn, declared: tuple[object, ...] | None, ordered: bool = False
) -> DiscreteColumn:
    """Return the column as a discrete one; missing values become its last level, None.

    Parameters
    ----------
    declared
        The levels in their order, if declared by the user.
    ordered
        Whether the column is ordinal.
    """
    codes, levels = as_labels(column)
    if ordered and declared is None and not _has_order(column, levels):
        raise DataError(
            f"column {column.name!r} is ordinal, but the order of its labels {quoted(levels)} is "
            f"not known; give levels={{{column.name!r}: [...]}} with all labels in their order, or "
            "number the labels"
        )
    if declared is not None:
        codes, levels = _recoded(column.name, codes, levels, declared), declared
    missing = codes < 0
    if missing.any():
        codes, levels = np.where(missing, len(levels), codes), (*levels, None)
    return DiscreteColumn(column.name, codes.astype(np.uint16), levels, ordered)


def as_labels(column: RawColumn) -> tuple[NDArray[np.int64], tuple[object, ...]]:
    """Return codes (-1 if missing) and levels: the declared ones, else the observed ones."""
    if isinstance(column, RawLabels):
        if column.declared:
            return column.codes, column.levels
        observed = np.bincount(column.codes + 1, minlength=len(column.levels) + 1)[1:] > 0
        positions = np.append(np.cumsum(observed) - 1, -1)
        levels = tuple(np.array((*column.levels, None), dtype=object)[:-1][observed].tolist())
        return positions[column.codes], levels
    distinct, inverse = _distinct(column.values[~column.missing])
    if len(distinct) > MAX_LEVELS:
        raise DataError(
            f"column {column.name!r} has {len(distinct)} different values, but a discrete column "
            f"may have at most {MAX_LEVELS}; give ",
            kind_option(column.name, "continuous"),
            " or leave the column out",
        )
    codes = np.full(len(column.values), -1, dtype=np.int64)
    codes[~column.missing] = inverse
    return codes, tuple(as_level(value) for value in distinct.tolist())


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different values in order, and the place of each value among them."""
    if values.dtype == np.int64 and len(values):
        lowest, highest = int(values.min()), int(values.max())
        if highest - lowest < len(values):  # they can be counted, which is faster than sorting
            offsets = values - lowest
            observed = np.bincount(offsets) > 0
            places: NDArray[np.int64] = np.cumsum(observed, dtype=np.int64) - 1
            return np.flatnonzero(observed) + lowest, places[offsets]
    return np.unique(values, return_inverse=True)


def continuous(column: RawColumn) -> ContinuousColumn:
    """Return the column, which has no missing values, as a continuous one."""
    if isinstance(column, RawNumbers):
        return ContinuousColumn(column.name, column.values.astype(np.float64))
    codes, levels = as_labels(column)
    try:
        numbers = np.array([float(level) for level in levels])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        wrong = next(level for level in levels if not _is_finite(level))
        raise DataError(
            f"column {column.name!r} cannot be continuous, because its value {wrong!r} is not a "
            "finite number; give ",
            kind_option(column.name, "discrete"),
            " or correct the value",
        )
    return ContinuousColumn(column.name, numbers[codes])


def _has_order(column: RawColumn, levels: tuple[object, ...]) -> bool:
    """Say whether levels are in an order that means something; of two, either order will do."""
    if isinstance(column, RawLabels) and (column.declared or column.ordered):
        return True
    return len(levels) <= 2 or not any(isinstance(level, str) for level in levels)


def _kind(column: RawColumn, declared: Mapping[str, Any], levels: Levels) -> KindName:
    if column.name in declared:
        kind: KindName = declared[column.name]
        return kind
    if isinstance(column, RawLabels) and column.ordered:
        return "ordinal"
    if column.name in levels or isinstance(column, RawLabels):
        return "discrete"
    if is_whole(column) and not has_many_values(column):
        return "discrete"
    return "continuous"


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
    unknown = [levels[code] for code in observed if places[code] < 0]
    if unknown:
        raise DataError(
            f"column {name!r} holds {quoted(unknown)}, which is not among its declared levels "
            f"{listing([repr(level) for level in declared])}; declare it in levels or correct it"
        )
    return places[codes]


def _is_finite(level: object) -> bool:
    try:
        return bool(np.isfinite(float(level)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
