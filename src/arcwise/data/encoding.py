"""From raw columns to encoded ones: kinds, levels, missing values and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MAX_LEVELS, ContinuousColumn, DiscreteColumn, KindName
from arcwise.data.messages import (
    DISCRETIZATION_METHOD,
    DISCRETIZE,
    drop_option,
    kind_option,
    suggestion,
)
from arcwise.data.raw import (
    RawColumn,
    RawLabels,
    RawNumbers,
    as_level,
    has_many_values,
    is_whole,
    level_type,
)
from arcwise.errors import ArgumentError, DataError, Wording, option, worded
from arcwise.support import words
from arcwise.support.checks import one_of, real_numbers
from arcwise.support.words import counted, listing, plural, quoted, shown

KINDS: tuple[KindName, ...] = ("discrete", "continuous", "ordinal")

Levels = Mapping[str, tuple[object, ...]]


def chosen_kinds(
    columns: Sequence[RawColumn], kinds: str | Mapping[str, str] | None, levels: Levels
) -> dict[str, KindName]:
    """Return the kind of each column: the declared one, otherwise that of its type."""
    variables = [column.name for column in columns]
    if isinstance(kinds, str):
        kinds = dict.fromkeys(variables, kinds)
    declared = {} if kinds is None else kinds
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
    """Return the columns that are declared as labels, before kinds are checked."""
    if isinstance(kinds, str):
        return set() if kinds == "continuous" else {column.name for column in columns}
    named = kinds.items() if isinstance(kinds, Mapping) else ()
    return {name for name, kind in named if kind != "continuous"} | set(levels)


def declared_levels(
    columns: Sequence[RawColumn], levels: Mapping[str, Sequence[object]] | None
) -> dict[str, tuple[object, ...]]:
    """Return the declared levels as plain Python values, or refuse them."""
    variables = [column.name for column in columns]
    levels = {} if levels is None else levels
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
    """Return the column as a discrete one, with missing values as its last level, None."""
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
    """Return codes (-1 if missing) and levels, which are the declared or the observed ones."""
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
    """Return the distinct values in order, and the position of each value among them."""
    if values.dtype == np.int64 and len(values):
        lowest, highest = int(values.min()), int(values.max())
        if highest - lowest < len(values):  # counting is faster than sorting
            offsets = values - lowest
            observed = np.bincount(offsets) > 0
            places: NDArray[np.int64] = np.cumsum(observed, dtype=np.int64) - 1
            return np.flatnonzero(observed) + lowest, places[offsets]
    return np.unique(values, return_inverse=True)


def continuous(column: RawColumn) -> ContinuousColumn:
    """Return a column without missing values as a continuous one."""
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
    """Return whether the order of the levels is meaningful; for two levels, any order is."""
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
    name: str, codes: NDArray[np.int64], levels: tuple[object, ...], declared: tuple[object, ...]
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


def missing_counts(columns: Sequence[RawColumn]) -> dict[str, int]:
    """Return the number of missing values of each column that has any."""
    counts = {column.name: int(column.missing.sum()) for column in columns}
    return {name: count for name, count in counts.items() if count}


def complete_rows(columns: Sequence[RawColumn]) -> NDArray[np.bool_]:
    """Return the mask of rows without a missing value."""
    complete: NDArray[np.bool_] = ~np.logical_or.reduce([column.missing for column in columns])
    return complete


def missing_values_problem(columns: Sequence[RawColumn], counts: Mapping[str, int]) -> Wording:
    """Return the problem of missing values with its remedies and their cost."""
    rows = len(columns[0].missing)
    mostly = [name for name, count in counts.items() if count > 0.5 * rows]
    others = [column for column in columns if column.name not in mostly]
    level = worded(option("missing", "level"), " to make missing a level of discrete columns")
    ways = [_dropping(columns), level]
    if mostly and others:
        rest = _dropping(others)
        ways.append(
            worded(
                drop_option(mostly),
                " to leave out what is mostly missing",
                *((" with ", rest) if rest is not None and missing_counts(others) else ()),
            )
        )
    return worded(
        f"values are missing in {counted(counts)}; give ",
        *[part for way in ways if way is not None for part in (", or ", way)][1:],
        "; learn imputes them by itself",
    )


def _dropping(columns: Sequence[RawColumn]) -> Wording | None:
    keep = complete_rows(columns)
    kept, rows = int(keep.sum()), len(keep)
    if kept < 2:
        return None
    return worded(
        option("missing", "drop"), f" to drop the rows concerned, {rows - kept:,} of {rows:,}"
    )


def missing_level_problem(continuous: Mapping[str, int]) -> Wording:
    """Return the problem that missing values of continuous columns cannot be a level."""
    first = next(iter(continuous))
    return worded(
        option("missing", "level"),
        f" is for discrete columns, but values are missing in the continuous {counted(continuous)}"
        "; give ",
        DISCRETIZE,
        " as well to cut continuous columns into intervals, ",
        option("missing", "drop"),
        " instead, or ",
        kind_option(first, "discrete"),
        " if the numbers are category labels",
    )


def infinite_counts(columns: Sequence[RawColumn], kinds: Mapping[str, KindName]) -> dict[str, int]:
    """Return the number of infinite values of each continuous column that has any."""
    counts = {
        column.name: int(np.isinf(column.values).sum())
        for column in columns
        if isinstance(column, RawNumbers) and kinds[column.name] == "continuous"
    }
    return {name: count for name, count in counts.items() if count}


def infinite_problem(counts: Mapping[str, int]) -> str:
    """Return the problem of infinite values with its remedy."""
    return (
        f"values are infinite in {counted(counts)}; give finite numbers in continuous columns, or "
        "leave the rows out"
    )


def check_finite(columns: Sequence[RawColumn], kinds: Mapping[str, KindName]) -> None:
    """Refuse infinite values in continuous columns."""
    counts = infinite_counts(columns, kinds)
    if counts:
        raise DataError(infinite_problem(counts))


def filled(column: RawColumn) -> RawColumn:
    """Return the column with gaps filled by its own values, evenly spaced in their order.

    These placeholders leave mean, variance and levels about the same, and have no other meaning.
    """
    gaps = column.missing
    if not gaps.any():
        return column
    values = column.codes if isinstance(column, RawLabels) else column.values
    present = np.sort(values[~gaps])
    count = int(gaps.sum())
    # A stride that is coprime to the number of gaps visits all of them in mixed order.
    stride = next(step for step in range(max(1, round(0.618 * count)), count + 1)
                  if math.gcd(step, count) == 1)  # fmt: skip
    places = (np.arange(count) * stride % count + 0.5) / count * len(present)
    complete = values.copy()
    complete[gaps] = present[places.astype(np.int64)]
    if isinstance(column, RawLabels):
        return replace(column, codes=complete)
    return replace(column, values=complete, missing=np.zeros_like(gaps))


def is_empty(column: RawColumn) -> bool:
    """Return whether every value of a column is missing."""
    return bool(column.missing.all())


def is_constant(column: RawColumn, *, missing_is_level: bool) -> bool:
    """Return whether a column has a single value; a declared level counts even if unobserved."""
    gaps = bool(column.missing.any())
    if isinstance(column, RawLabels):
        size = len(column.levels)
        if not column.declared:
            size = int(np.count_nonzero(np.bincount(column.codes + 1, minlength=1)[1:]))
        return size + (missing_is_level and gaps) < 2
    present = column.values[~column.missing]
    if len(present) == 0:
        return not missing_is_level
    return bool(present.min() == present.max()) and not (missing_is_level and gaps)


Wanted = TypeVar("Wanted")


@dataclass(frozen=True, eq=False)
class ByColumn(Generic[Wanted]):
    """A specification for each column."""

    others: Wanted  # for all columns that are not named
    columns: Mapping[str, Wanted] = field(default_factory=dict)  # by name
    # The argument that names each of the columns, if it is not the default one.
    named_by: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: Any, each: Callable[[Any], Wanted]) -> ByColumn[Wanted]:
        """Return the specification by one value, or by a mapping in which None is all others."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            return cls(each(value))
        named = {name: each(given) for name, given in value.items()}
        return cls(named.pop(None, each(None)), named)

    def check_names(self, variables: Sequence[str], argument: Wording) -> None:
        """Refuse names that are not variables."""
        for name in self.columns:
            check_variable(name, variables, self.named_by.get(name, argument))

    def of(self, name: str) -> Wanted:
        """Return the specification for a column."""
        return self.columns.get(name, self.others)


Method = Literal["quantile", "uniform"]

DEFAULT_BINS = 3


@dataclass(frozen=True, eq=False)
class Cut:
    """The discretization of one column: by a method into bins, or at given points."""

    method: str = "quantile"
    bins: int = DEFAULT_BINS
    points: NDArray[np.float64] | None = None

    @property
    def wanted(self) -> int:
        """The requested number of intervals."""
        return self.bins if self.points is None else len(self.points) + 1


@dataclass(frozen=True, eq=False)
class Discretization(ByColumn[Cut | None]):
    """The discretization of each column; None if it is not cut."""

    others: Cut | None = None

    @classmethod
    def parsed(cls, value: Any) -> Discretization:
        """Return the discretization specified by a user.

        Examples
        --------
        >>> Discretization.parsed({"age": [18, 65], "income": "uniform:4"}).columns["income"].bins
        4
        """
        if isinstance(value, Discretization):
            return value
        if value is None:
            return cls()
        if isinstance(value, str):
            return cls(_parsed(value))
        if not isinstance(value, Mapping):
            raise ArgumentError(
                option("discretize"),
                f" is {words.shown(value)}; give a method such as 'quantile:3', or a mapping from "
                "columns to methods, numbers of intervals or lists of cut points",
            )
        each = {name: _cut(name, given) for name, given in value.items()}
        return cls(each.pop(None, None), each)

    def cut_for(self, name: str, kind: KindName) -> Cut | None:
        """Return the discretization of a column of this kind; None if it is not cut."""
        return self.columns.get(name, self.others if kind == "continuous" else None)


def cut(name: str, values: NDArray[np.float64], how: Cut) -> RawLabels:
    """Return the values as labels, their intervals; NaN is missing.

    The intervals are closed on the left and open on the right, and each contains a value.
    """
    gaps = np.isnan(values)
    present = values[~gaps]
    if not len(present):
        raise DataError(
            f"column {name!r} has no values to be cut into intervals; leave it out with ",
            option("drop", name),
        )
    cuts = _cuts(present, how.bins, how.method) if how.points is None else how.points
    places = np.searchsorted(cuts, present, side="right")
    observed, positions = np.unique(places, return_inverse=True)
    if len(observed) < 2:
        raise DataError(
            f"the values of column {name!r}, {present.min():.6g} to {present.max():.6g}, all fall "
            f"into one of {plural(len(cuts) + 1, 'interval')}; choose other breaks or another "
            "method, or leave the column out"
        )
    exact = how.points is not None
    texts = [repr(point) for point in cuts.tolist()] if exact else _rounded(present, cuts, places)
    edges = ["-inf", *(text.removesuffix(".0") for text in texts), "inf"]
    labels = [
        f"{'[' if place else '('}{edges[place]}, {edges[place + 1]})" for place in observed.tolist()
    ]
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~gaps] = positions
    return RawLabels(name, codes, tuple(labels), declared=True)


def _parsed(text: str) -> Cut:
    method, _, bins = text.partition(":")
    one_of(Method)(method, DISCRETIZATION_METHOD)
    if bins and not (bins.isdecimal() and len(bins) < 10):
        raise ArgumentError(
            option("discretize"),
            f" has {words.shown(bins)} bins; give a whole number, as in quantile:3",
        )
    return Cut(method, checked_bins(None, int(bins)) if bins else DEFAULT_BINS)


def _cut(name: object, given: Any) -> Cut:
    if isinstance(given, Cut):
        return given
    if isinstance(given, str):
        return _parsed(given)
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return Cut(bins=checked_bins(name, given))
    return Cut(points=checked_breaks(name, given))


def checked_breaks(name: object, points: Any) -> NDArray[np.float64]:
    """Return cut points, or refuse them."""
    try:
        cuts = real_numbers(points, "breaks")
    except ArgumentError:
        cuts = np.array([])
    if cuts.ndim != 1 or not cuts.size or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ArgumentError(
            f"breaks[{words.shown(name)}] is {words.shown(points)}; give at least one finite "
            "number, in ascending order"
        )
    return cuts


def checked_bins(name: object, count: object) -> int:
    """Return a number of intervals, or refuse it."""
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not whole or not 2 <= count <= MAX_LEVELS:  # type: ignore[operator]
        of = "" if name is None else f" for {words.shown(name)}"
        raise ArgumentError(
            f"the number of bins{of} is {words.shown(count)}; give a whole number from 2 to "
            f"{MAX_LEVELS}"
        )
    return int(count)  # type: ignore[call-overload, no-any-return]


def _cuts(values: NDArray[np.float64], bins: int, method: str) -> NDArray[np.float64]:
    shares = np.arange(1, bins) / bins
    low, high = values.min(), values.max()
    if method == "uniform":
        # In low + share * (high - low), the difference might overflow.
        return np.unique((1 - shares) * low + shares * high)
    cuts = np.quantile(values, shares, method="higher")
    # Each cut is an observed value, so no interval is empty, except the first if a cut is the
    # smallest value: ties there get a separate interval.
    if low < high:
        cuts = np.where(cuts > low, cuts, values[values > low].min())
    return np.unique(cuts)


def _rounded(
    values: NDArray[np.float64], cuts: NDArray[np.float64], places: NDArray[np.int64]
) -> list[str]:
    """Round the cuts to the fewest digits that keep every value in its interval."""
    for digits in range(4, 17):  # 17 digits represent any float exactly
        texts = [f"{cut:.{digits}g}" for cut in cuts.tolist()]
        rounded = np.array(texts, dtype=np.float64)
        if (np.diff(rounded) > 0).all() and np.array_equal(
            np.searchsorted(rounded, values, side="right"), places
        ):
            return texts
    return [repr(cut) for cut in cuts.tolist()]
