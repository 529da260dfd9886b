"""From raw columns to encoded ones: kinds, levels, missing values and intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MAX_LEVELS, ContinuousColumn, DiscreteColumn, KindName
from arcwise.data.raw import (
    DISCRETIZATION_METHOD,
    DISCRETIZE,
    MANY_VALUES,
    RawColumn,
    RawLabels,
    RawNumbers,
    as_level,
    drop_option,
    has_many_values,
    is_whole,
    kind_option,
    kinds_option,
    level_type,
    missing_codes_option,
    suggestion,
)
from arcwise.errors import ArgumentError, DataError, Wording, option, worded
from arcwise.support import names
from arcwise.support.checks import one_of, real_numbers
from arcwise.support.names import counted, listing, plural, quoted, shown

if TYPE_CHECKING:
    from arcwise.data.reader import Examination


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
                f" is {names.shown(value)}; give a method such as 'quantile:3', or a mapping from "
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
            f" has {names.shown(bins)} bins; give a whole number, as in quantile:3",
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
            f"breaks[{names.shown(name)}] is {names.shown(points)}; give at least one finite "
            "number, in ascending order"
        )
    return cuts


def checked_bins(name: object, count: object) -> int:
    """Return a number of intervals, or refuse it."""
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not whole or not 2 <= count <= MAX_LEVELS:  # type: ignore[operator]
        of = "" if name is None else f" for {names.shown(name)}"
        raise ArgumentError(
            f"the number of bins{of} is {names.shown(count)}; give a whole number from 2 to "
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


# --- Missing codes --------------------------------------------------------------------------------

# Values that represent missing ones: those that a user specifies, and those found among numbers.
#
# A single cell that is not a number turns a column of numbers into labels that each occur once,
# and such a column looks like an identifier, which is left out. Words, slips and codes among
# numbers are therefore detected before anything else.


Code: TypeAlias = str | float
Codes: TypeAlias = ByColumn[tuple[Code, ...]]
"""The values that represent missing ones."""


def parsed_codes(value: Any) -> Codes:
    """Return the codes specified by a user.

    Examples
    --------
    >>> codes = parsed_codes({"age": -999, None: ["unknown", 99]})
    >>> codes.of("age"), codes.of("sex")
    ((-999,), ('unknown', 99))
    """
    return ByColumn.parse(value, _parsed_codes)


def _parsed_codes(value: Any) -> tuple[Code, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        value = [value]
    found = []
    for code in value:
        if isinstance(code, np.generic):
            code = code.item()
        if isinstance(code, bool) or not isinstance(code, str | int | float):
            raise ArgumentError(
                option("missing_codes"),
                f" holds {shown(code)}; give numbers or texts that stand for missing values, or a "
                "mapping from columns to them",
            )
        found.append(code)
    return tuple(found)


def read_codes(
    table: Examination, columns: Sequence[RawColumn], codes: Codes, labels: set[str]
) -> list[RawColumn]:
    """Return the columns with codes as missing values."""
    seen: set[Code] = set()
    result, found = [], []
    for column in columns:
        asked, rows, words = codes.of(column.name), 0, False
        for code in asked:
            column, count = _without(column, code)
            rows += count
            if count:
                seen.add(code)
                words |= math.isnan(_number(code))
            elif column.name in codes.columns:
                table.warn(
                    worded(
                        option("missing_codes"),
                        f": {shown(code)} does not occur in {column.name!r}",
                    )
                )
        # Numbers that the source has as text are labels, unless a code for missing was the reason.
        result.append(_numbers_again(column) if words and column.name not in labels else column)
        if rows:
            found.append(f"{column.name!r} in {plural(rows, 'row')}")
    if found:
        table.notes.append(f"Codes read as missing values: {listing(found)}.")
    for code in codes.others:
        if code not in seen:
            table.warn(
                worded(option("missing_codes"), f": {shown(code)} does not occur in the table")
            )
    return result


def _without(column: RawColumn, code: Code) -> tuple[RawColumn, int]:
    """Return a column with a code as missing, and the number of rows that have it."""
    number = _number(code)
    if isinstance(column, RawNumbers):
        if math.isnan(number):
            return column, 0
        rows = ~column.missing & (column.values == number)
        missing = column.missing | rows
        gap = 0 if column.whole else np.nan
        values = np.where(missing, column.values.dtype.type(gap), column.values)
        return replace(column, values=values, missing=missing), int(rows.sum())
    hit = np.array(
        [str(level) == str(code) or _number(level) == number for level in column.levels],
        dtype=np.bool_,
    )
    if not hit.any():
        return column, 0
    places: NDArray[np.int64] = np.where(hit, -1, np.cumsum(~hit) - 1)
    codes = np.append(places, -1)[column.codes]
    levels = tuple(level for level, gone in zip(column.levels, hit, strict=True) if not gone)
    gone = int((codes < 0).sum() - (column.codes < 0).sum())
    return replace(column, codes=codes, levels=levels), gone


def _numbers_again(column: RawColumn) -> RawColumn:
    """Return labels as numbers if they represent different ones."""
    if not isinstance(column, RawLabels) or column.declared or not column.levels:
        return column
    numbers = numbers_of_levels(column.levels)
    if np.isnan(numbers).any() or len(set(numbers.tolist())) < len(numbers):
        return column
    values = np.append(numbers, np.nan)[column.codes]
    return RawNumbers(column.name, values, np.isnan(values))


def _number(value: object) -> float:
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return math.nan  # Python would read 1_000 as a number
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


# Words for a missing value if everything else in the column is a number. In other columns they may
# be labels: INSURANCE and HAILFINDER have a level None.
_MISSING = frozenset({".", "..", "-", "--", "*", "n/a", "n.a.", "na", "nan", "nil", "none", "nd",
                      "n.d.", "missing", "#null!"})  # fmt: skip
# With more different texts than this, the column has labels, some of which look like numbers.
_MOST_STRAYS = 5

# Numbers for a missing value in columns of numbers, if they are far from all others.
_CODES = frozenset(sign * code for code in (9, 99, 999, 9999, 99999, 999999, 99.9, 999.9, 9999.9)
                   for sign in (-1, 1))  # fmt: skip
_FEWEST = 10

# A number with a unit before or after it.
_WITH_UNIT = re.compile(
    r"([$€£]?) ?([-+]?\d+(?:[.,]\d+)*) ?([%‰°$€£]?[A-Za-zµ]{0,3}(?:/[A-Za-z]{1,3})?)"
)


def with_missing_words(column: RawColumn) -> tuple[RawColumn, list[str]]:
    """Return a column with words such as ``n/a`` among numbers as missing, and these words.

    Examples
    --------
    >>> import numpy as np
    >>> levels = (*(f"{number}.5" for number in range(30)), "n/a")
    >>> numbers, words = with_missing_words(RawLabels("x", np.arange(31), levels))
    >>> int(numbers.missing.sum()), words
    (1, ['n/a'])
    """
    strays = stray_texts(column)
    if not strays or any(text.strip().casefold() not in _MISSING for text in strays):
        return column, []
    assert isinstance(column, RawLabels)
    numbers = numbers_of_levels(column.levels)
    values = np.append(numbers, np.nan)[column.codes]
    return RawNumbers(column.name, values, np.isnan(values)), list(strays)


def stray_texts(column: RawColumn) -> dict[str, int]:
    """Return the few texts among the numbers of a column, with the number of rows of each.

    For columns of labels the result is empty.
    """
    if not isinstance(column, RawLabels) or column.declared:
        return {}
    counts = np.bincount(column.codes + 1, minlength=len(column.levels) + 1)[1:]
    numbers = numbers_of_levels(column.levels)
    is_number = np.isfinite(numbers)
    strays = {
        str(level): int(count)
        for level, count, fine in zip(column.levels, counts, is_number, strict=True)
        if count and not fine
    }
    different = len(np.unique(numbers[is_number & (counts > 0)]))
    rows = int(counts.sum())
    if different <= min(MANY_VALUES, max(5, rows // 2)) or len(strays) > _MOST_STRAYS:
        return {}
    return strays if 2 * sum(strays.values()) <= rows else {}


def unit_of(column: RawColumn) -> str | None:
    """Return the common unit of all numbers in a column of labels, or None.

    Examples
    --------
    >>> levels = tuple(f"{number} kg" for number in range(40))
    >>> unit_of(RawLabels("weight", np.arange(40), levels))
    'kg'
    """
    if not isinstance(column, RawLabels) or column.declared or len(column.levels) <= MANY_VALUES:
        return None
    units: set[str] = set()
    for level in column.levels:
        found = _WITH_UNIT.fullmatch(level) if isinstance(level, str) else None
        if found is None or len(units) > 1:
            return None
        units.add(found[1] or found[3])
    return units.pop() or None if len(units) == 1 else None


def likely_code(values: NDArray[np.float64]) -> float | None:
    """Return the number that seems to represent missing values, if there is one.

    It is one of the common codes, such as -999, and farther from all other values than these are
    from each other.

    Examples
    --------
    >>> likely_code(np.array([*range(30), -999.0, -999.0]))
    -999.0
    >>> likely_code(np.arange(1000.0)) is None
    True
    """
    finite = values[np.isfinite(values)]
    if len(finite) <= _FEWEST:
        return None
    for code in (float(finite.min()), float(finite.max())):
        if code not in _CODES:
            continue
        others = finite[finite != code]
        if len(others) < _FEWEST or 2 * len(others) < len(finite):
            continue
        low, high = float(others.min()), float(others.max())
        if low < high and min(abs(code - low), abs(code - high)) > max(high - low, 1.0):
            return code
    return None


def settle_words(
    table: Examination, columns: Sequence[RawColumn], labels: set[str]
) -> tuple[list[RawColumn], set[str]]:
    """Return the columns with words for missing read as such, and the columns with slips."""
    result: list[RawColumn] = []
    read: dict[str, str] = {}
    for column in columns:
        if column.name in labels:
            result.append(column)
            continue
        settled, words = with_missing_words(column)
        if words:
            read[column.name] = listing([repr(word) for word in words])
        elif (unit := unit_of(column)) is not None:
            table.slips[column.name] = f"with {unit!r} in every row"
        elif strays := stray_texts(column):
            table.slips[column.name] = "but " + listing(
                [f"{text!r} in {plural(count, 'row')}" for text, count in strays.items()]
            )
        result.append(settled)
    if read:
        alike: dict[str, list[str]] = {}
        for name, found in read.items():
            alike.setdefault(found, []).append(name)
        each = listing([f"{found} in {quoted(names)}" for found, names in alike.items()])
        table.warn(
            f"read {each} as missing, since the other values are numbers; to read "
            f"{'it' if len(alike) == 1 else 'them'} as labels, give ",
            kinds_option(read, "discrete"),
        )
    if table.slips:
        slips, several = table.slips, len(table.slips) > 1
        each = listing([f"column {name!r} holds numbers, {found}" for name, found in slips.items()])
        table.problems.add(
            f"{each}; correct {'these' if several else 'this'} in the table (empty cells and NA "
            f"are missing values), leave the {'columns' if several else 'column'} out with ",
            drop_option(slips),
            ", or read all values as labels with ",
            kinds_option(slips, "discrete"),
        )
    return result, set(table.slips)


def warn_of_codes(table: Examination, columns: Sequence[RawColumn]) -> None:
    """Warn of numbers such as -999 that seem to represent missing values."""
    codes: dict[str, float] = {}
    found = []
    for column in columns:
        if isinstance(column, RawNumbers) and table.kinds[column.name] == "continuous":
            values = column.values[~column.missing].astype(np.float64)
            code = likely_code(values)
            if code is not None:
                codes[column.name] = code
                count = int((values == code).sum())
                found.append(f"{column.name!r} holds {code:g} in {plural(count, 'row')}")
    if codes:
        table.warn(
            f"{listing(found)}, far from all other values; if this stands for missing values, "
            "give ",
            missing_codes_option(codes),
        )


def numbers_of_levels(levels: Sequence[object]) -> NDArray[np.float64]:
    """Return the numbers that labels represent, NaN for other labels."""
    return np.array(
        [_number(level) if isinstance(level, str) else np.nan for level in levels], dtype=np.float64
    )
