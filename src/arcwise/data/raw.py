"""Parts of messages about tables: names of columns and options, and lists of problems."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import KindName
from arcwise.errors import ArgumentError, DataError, DataWarning, Wording, option, worded
from arcwise.support import running
from arcwise.support.names import listing, quoted, shown


def columns(names: Sequence[str], *, every: bool = False) -> str:
    """Return ``column 'a'`` or ``columns 'a' and 'b'``, with all names or the first few."""
    shown = quoted(names, None) if every else quoted(names)
    return f"column{'' if len(names) == 1 else 's'} {shown}"


def with_reasons(reasons: Mapping[str, str]) -> str:
    """List columns, each with a reason in parentheses."""
    return listing([f"{name!r} ({why})" for name, why in reasons.items()])


def with_sizes(sizes: Mapping[str, int], noun: str) -> str:
    """List columns, each with a number in parentheses."""
    return listing([f"{name!r} ({size:,} {noun})" for name, size in sizes.items()])


def fewer_intervals(collapsed: Mapping[str, tuple[int, int]]) -> str:
    """Return the warning that ties left fewer intervals than requested."""
    shown = listing([f"{name!r} ({a} of {b})" for name, (a, b) in collapsed.items()])
    return f"some intervals hold no value, so that there are fewer levels than requested in {shown}"


def suggestion(name: str, candidates: Sequence[str]) -> str:
    """Return the allowed names that are similar to an unknown one, otherwise all allowed names."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), list(by_folded))
    if close:
        options = " or ".join(repr(by_folded[match]) for match in close)
        return f" (did you mean {options}?)"
    return f" (the variables are {quoted(candidates)})" if candidates else ""


def warn(*message: str | Wording) -> None:
    """Issue a DataWarning that points at the user's line, outside the package."""
    running.warn(DataWarning(*message))


def checked_mapping(value: Any, name: Wording) -> Mapping[str, Any]:
    """Return a mapping from column names, or refuse anything else."""
    if not isinstance(value, Mapping):
        raise ArgumentError(
            name, f" is of type {type(value).__name__}; give a mapping from column names"
        )
    return value


DISCRETIZE = option("discretize", "quantile:3")
DISCRETIZATION_METHOD = Wording("method", "the method of --discretize")


def _repeated(
    flag: str, values: Sequence[str], placeholder: str, python: str, of_many: str
) -> Wording:
    """Name an option that is given once for each column in the shell, and once in Python."""
    if len(values) > 6:  # more would make the message unreadable
        return Wording(of_many, f"{flag} {placeholder} for each")
    return Wording(python, " ".join(f"{flag} {shlex.quote(value)}" for value in values))


def kind_option(column: str, kind: KindName) -> Wording:
    """Name the option that declares the kind of a column.

    Examples
    --------
    >>> kind_option("age", "continuous")
    Wording(python="kinds={'age': 'continuous'}", shell='--continuous age')
    """
    return kinds_option([column], kind)


def kinds_option(columns: Iterable[str], kind: KindName) -> Wording:
    """Name the option that declares the kind of several columns."""
    names = list(columns)
    of_many = f"kinds={{..., {names[0]!r}: {kind!r}, ...}}"
    return _repeated(f"--{kind}", names, "COLUMN", f"kinds={dict.fromkeys(names, kind)!r}", of_many)


def drop_option(columns: Iterable[str]) -> Wording:
    """Name the option that leaves columns out.

    Examples
    --------
    >>> drop_option(["id", "the name"])
    Wording(python="drop=['id', 'the name']", shell="--drop id --drop 'the name'")
    """
    names = list(columns)
    python = f"drop={names[0]!r}" if len(names) == 1 else f"drop={names!r}"
    return _repeated("--drop", names, "COLUMN", python, "drop=[...]")


def missing_codes_option(codes: Mapping[str, float]) -> Wording:
    """Name the option that reads these values of columns as missing.

    Examples
    --------
    >>> missing_codes_option({"age": -999.0})
    Wording(python="missing_codes={'age': -999}", shell='--missing-codes age=-999')
    """
    each = ", ".join(f"{name!r}: {code:g}" for name, code in codes.items())
    values = [f"{name}={code:g}" for name, code in codes.items()]
    python = f"missing_codes={{{each}}}"
    return _repeated("--missing-codes", values, "COLUMN=VALUE", python, "missing_codes={...}")


def discretize_option(columns: Iterable[str]) -> Wording:
    """Name the option that cuts these columns, and no others, into intervals.

    Examples
    --------
    >>> discretize_option(["age"])
    Wording(python="discretize={'age': 'quantile:3'}", shell='--discretize age=quantile:3')
    """
    names = list(columns)
    values = [f"{name}=quantile:3" for name in names]
    python = f"discretize={dict.fromkeys(names, 'quantile:3')!r}"
    of_many = f"discretize={{..., {names[0]!r}: 'quantile:3', ...}}"
    return _repeated("--discretize", values, "COLUMN=quantile:3", python, of_many)


SEPARATOR = "\n  - "
"""The text before each of several problems in a message."""


class Problems:
    """The problems of a table, each a sentence that ends with its remedy.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("column 'd' holds dates; give numbers or labels")
    >>> problems.refuse()
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: column 'd' holds dates; give numbers or labels
    """

    def __init__(self) -> None:
        self.sentences: list[Wording] = []
        self.imputable: list[Wording] = []  # sentences on missing values, which `learn` imputes

    def add(self, *parts: str | Wording, imputable: bool = False) -> None:
        """Add a problem, which imputation may solve."""
        self.sentences.append(worded(*parts))
        if imputable:
            self.imputable.append(self.sentences[-1])

    def refuse(self) -> None:
        """Raise one error about all problems, if there are any."""
        if len(self.sentences) == 1:
            raise DataError(self.sentences[0])
        parts: list[str | Wording] = ["the table cannot be used as it is:"]
        for sentence in self.sentences:
            parts += [SEPARATOR, sentence, "."]
        if self.sentences:
            raise DataError(*parts)


# --- Raw ------------------------------------------------------------------------------------------

# Raw columns of a source, before their kinds are chosen.


LARGEST_EXACT_INTEGER = 2**53  # beyond this, floats no longer represent every integer


class UnusableColumnError(Exception):
    """A column has values of a type that cannot be used; callers collect these errors."""


@dataclass(frozen=True, eq=False)
class RawNumbers:
    """The numbers of a column, int64, uint64 or float64, and which of them are missing."""

    name: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]

    @property
    def whole(self) -> bool:
        """Whether the source stored integers."""
        return self.values.dtype.kind in "iu"

    def take(self, rows: NDArray[np.bool_]) -> RawNumbers:
        """Return the chosen rows."""
        return replace(self, values=self.values[rows], missing=self.missing[rows])


@dataclass(frozen=True, eq=False)
class RawLabels:
    """The labels of a column: codes into levels in their final order, -1 if missing."""

    name: str
    codes: NDArray[np.int64]
    levels: tuple[object, ...]
    declared: bool = False  # whether the source declares the levels
    ordered: bool = False  # whether the source declares that their order is meaningful

    @property
    def missing(self) -> NDArray[np.bool_]:
        """The mask of missing values."""
        return self.codes < 0

    def take(self, rows: NDArray[np.bool_]) -> RawLabels:
        """Return the chosen rows; all levels are kept."""
        return replace(self, codes=self.codes[rows])


RawColumn: TypeAlias = RawNumbers | RawLabels

MANY_VALUES = 20  # integers with more different values than this are treated as measurements


def is_whole(column: RawNumbers) -> bool:
    """Return whether a column has whole numbers, stored as integers or as reals with gaps.

    By default, pandas stores integers as reals if some of them are missing.
    """
    if column.whole:
        return True
    present = column.values[~column.missing]
    if len(present) in (0, len(column.values)) or not np.isfinite(present).all():
        return False
    return bool((present == np.floor(present)).all())


def has_many_values(column: RawNumbers) -> bool:
    """Return whether whole numbers have so many different values that they are measurements."""
    present = column.values[~column.missing]
    if not len(present) or int(present.max()) - int(present.min()) < MANY_VALUES:
        return False
    first = present[: 50 * MANY_VALUES]
    return len(np.unique(first)) > MANY_VALUES or len(np.unique(present)) > MANY_VALUES


def as_level(value: object) -> object:
    """Return a label as plain Python: bool, int, float, str or None; whole floats as int.

    Labels of any other type, such as a pandas interval or a date, become text.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT_INTEGER:
        return int(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return int(value)
    try:
        return str(value)
    except ValueError:  # a fraction of integers with more digits than Python converts to text
        raise DataError(f"a level is {shown(value)}; give one that can be written out") from None


def level_type(level: object) -> str:
    """Return the type of a level in words, which all levels of a column must share."""
    if isinstance(level, bool):
        return "boolean"
    return "number" if isinstance(level, int | float) else "text"


def categorical(
    name: str, codes: NDArray[Any], categories: Iterable[object], ordered: bool = False
) -> RawLabels:
    """Return a column whose levels its source declares, in the declared order."""
    levels = tuple(as_level(category) for category in categories)
    types = sorted({level_type(level) for level in levels})
    if len(types) > 1:
        raise UnusableColumnError(f"has categories of mixed types, {' and '.join(types)}")
    if len(set(levels)) != len(levels):
        raise UnusableColumnError("has different categories with the same text")
    return RawLabels(name, np.asarray(codes, dtype=np.int64), levels, True, ordered)
