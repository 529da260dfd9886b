"""`DataProfile`: the facts about a table that determine how reliable results from it are.

These are kept without the rows of the table. Beside counts, they include the columns that identify
rows, repeat other columns, or have levels in several spellings, and the shapes of columns that a
score takes to be normal.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column
from arcwise.data.raw import (
    LARGEST_EXACT_INTEGER,
    RawColumn,
    RawLabels,
    RawNumbers,
    drop_option,
    is_whole,
    kinds_option,
    with_reasons,
)
from arcwise.data.scales import Moments
from arcwise.data.table import Data, Preparation, Slices
from arcwise.errors import Wording, option
from arcwise.support.names import counted, listing, quoted

if TYPE_CHECKING:
    from arcwise.data.reader import Examination


LawName = Literal["discrete", "gaussian", "conditional-gaussian"]
"""The parameters of a family: a table of probabilities, a linear regression, or, in mixed tables, a
table for a discrete variable and for a continuous one a regression for each configuration of its
discrete parents."""
FEWEST_OTHERS = 20
"""The number of rows outside its mode below which a discrete variable is nearly constant."""
_MOST_NAMED = 8


@dataclass(frozen=True)
class DataProfile:
    """The facts about a table that determine how reliable results from it are."""

    levels: tuple[int, ...]  # the number of levels of each variable; 0 if it is continuous
    # The kind of parameters of a family; None if unknown, as for a score that is a function.
    parametrization: LawName | None = None
    # The preparation of the table, in words and in numbers.
    notes: tuple[str, ...] = ()
    preparation: Preparation = field(default_factory=Preparation)
    # The sum of the row weights, and Kish's effective number of rows; None without weights.
    total_weight: float | None = None
    effective_rows: float | None = None
    # The number of rows with interventions, in all and for each variable that has any.
    intervened_rows: int = 0
    intervened: Mapping[str, int] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()  # the variables that seem only to identify rows
    # The number of rows outside the mode of each discrete variable that is nearly constant.
    nearly_constant: Mapping[str, int] = field(default_factory=dict)
    # The shapes of the variables that the score takes to be normal, from the rows without an
    # intervention; in mixed data, those of the deviations within levels of discrete variables.
    moments: Mapping[str, Moments] = field(default_factory=dict)
    slices: Slices | None = None  # variable and time of each column, if it is a time series

    @classmethod
    def of(cls, data: Data, parametrization: LawName | None) -> DataProfile:
        """Return the profile of a table."""
        weights, mask = data.weights, data.intervened
        return cls(
            levels=tuple(data.level_counts().tolist()),
            parametrization=parametrization,
            notes=tuple(data.notes),
            preparation=data.preparation,
            total_weight=None if weights is None else float(weights.sum()),
            effective_rows=None
            if weights is None
            else float(weights.sum() ** 2 / np.square(weights).sum()),
            intervened_rows=int(data.intervened_rows.sum()),
            intervened={}
            if mask is None
            else {
                name: int(count)
                for name, count in zip(data.variables, mask.sum(axis=0), strict=True)
                if count
            },
            identifiers=tuple(
                column.name for column in data.columns if encoded_reason(column) is not None
            ),
            nearly_constant={
                column.name: others
                for column in data.columns
                if column.size
                and (others := data.rows - int(np.bincount(column.stored).max())) < FEWEST_OTHERS
            },
            moments=_moments(data, parametrization),
            slices=data.slices,
        )

    def rows_for(self, variable: str, rows: int) -> float:
        """Return the total weight of the rows that are informative about a variable's parents."""
        share = 1.0 - self.intervened.get(variable, 0) / rows
        return share * (rows if self.total_weight is None else self.total_weight)

    def preparation_sentences(self, rows: int) -> tuple[str, ...]:
        """Return sentences on the preparation of the table and on its rows."""
        result = [*self.notes]
        imputed = self.preparation.imputed
        if imputed:
            values = len(self.levels) * rows
            result.append(
                f"{sum(imputed.values()):,} of {values:,} values are missing, in "
                f"{counted(imputed, _MOST_NAMED)}, and were imputed, as if they were missing at "
                "random."
            )
        if self.intervened_rows:
            several = "" if len(self.intervened) == 1 else "s"
            result.append(
                f"In {self.intervened_rows:,} of {rows:,} rows {len(self.intervened)} "
                f"variable{several} were intervened on; there, nothing is learned about the "
                "parents of such a variable."
                if several
                else f"In {self.intervened_rows:,} of {rows:,} rows "
                f"{next(iter(self.intervened))!r} was intervened on; there, nothing is learned "
                "about its parents."
            )
        if self.total_weight is not None:
            result.append(f"The rows are weighted and count as {self.total_weight:,.6g} rows.")
        return tuple(result)


def _moments(data: Data, parametrization: LawName | None) -> dict[str, Moments]:
    if parametrization not in ("gaussian", "conditional-gaussian"):
        return {}
    rows = ~data.intervened_rows
    levels = [column.computable()[rows] for column in data.columns if column.size]
    result = {}
    for column in data.columns:
        numbers = column.numbers()
        if parametrization == "conditional-gaussian":
            if column.size or numbers is None:
                continue
            found = Moments.of(standardized_within_levels(numbers[rows], levels))
        else:
            found = None if numbers is None else Moments.of(numbers[rows])
        if found is not None:
            result[column.name] = found
    return result


FEWEST_IN_GROUP = 10
"""The least size of a group: the rows of smaller ones are uninformative about a shape."""


def standardized_within_levels(
    values: NDArray[np.float64], levels: Sequence[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Return numbers standardised within the groups that explain them best.

    A column that is normal within groups need not be normal as a whole. The discrete columns that
    form the groups are selected one by one, as long as separate means and variances improve the
    Bayesian information criterion.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> group = random.integers(0, 2, 500)
    >>> values = random.normal(size=500) + 10 * group
    >>> found = standardized_within_levels(values, [group])
    >>> bool(np.abs(found).max() < 4)
    True
    """
    groups = np.zeros(len(values), dtype=np.int64)
    best = _criterion(values, groups)
    waiting = list(levels)
    while waiting:
        finer = [_numbered(groups, codes) for codes in waiting]
        gains = [_criterion(values, each) - best for each in finer]
        chosen = int(np.argmax(gains))
        if not gains[chosen] > 0.0:
            break
        groups, best = finer[chosen], best + gains[chosen]
        waiting.pop(chosen)
    sizes, means, deviations = _moments_within_levels(values, groups)
    kept = (sizes >= FEWEST_IN_GROUP) & (deviations > 0.0)
    of_row = kept[groups]
    found: NDArray[np.float64] = (values - means[groups])[of_row] / deviations[groups][of_row]
    return found


def _numbered(groups: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    both = groups * (int(codes.max(initial=0)) + 1) + codes
    numbers: NDArray[np.int64] = np.unique(both, return_inverse=True)[1].reshape(-1)
    return numbers.astype(np.int64)


def _moments_within_levels(
    values: NDArray[np.float64], groups: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    sizes = np.bincount(groups).astype(np.float64)
    means = np.bincount(groups, weights=values) / np.maximum(sizes, 1.0)
    squares = np.bincount(groups, weights=np.square(values - means[groups]))
    return sizes, means, np.sqrt(squares / np.maximum(sizes, 1.0))


def _criterion(values: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Return the log likelihood with a mean and a variance for each group, less the penalty."""
    sizes, _, deviations = _moments_within_levels(values, groups)
    # The floor keeps the likelihood of a group of one value finite.
    floor = 1e-3 * max(float(values.std()), np.finfo(np.float64).tiny)
    logs = np.log(np.maximum(deviations, floor))
    return float(-(sizes * logs).sum()) - len(sizes) * math.log(max(len(values), 2))


# Fewer different values than this are categories, even if no two rows share one.
FEWEST = 20
# With more different labels than this share of the rows, counts are too small to learn from.
LABELS_SHARE = 0.5
_FIRST = 200  # rows, among which most columns have a repeated value
_SEPARATE = re.compile(r"(^|[ _.\-])(id|key|uuid|guid|index|row|rowid)$", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z](Id|ID|Key)$")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( .*)?"
)


def identifier_reason(column: RawColumn) -> str | None:
    """Return why a column seems to identify rows, as the end of a sentence; None if it does not.

    Labels do if there are more than half as many different ones as rows, or if they are dates.
    Integers do if no two rows have the same and they are consecutive, rise or fall from row to row,
    or have a name such as ``patient_id``: other numbers that never repeat are measurements.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = RawNumbers("row", np.arange(100), np.zeros(100, dtype=bool))
    >>> identifier_reason(numbers)
    'it numbers the rows'
    """
    if isinstance(column, RawLabels):
        if column.declared:
            return None
        counts = np.bincount(column.codes + 1, minlength=1)[1:]
        present, size = int(counts.sum()), int((counts > 0).sum())
        if size > FEWEST and all(map(_is_date, column.levels)):
            return f"it has {size:,} dates"
        if size > max(FEWEST, LABELS_SHARE * present):
            return f"{size:,} of its {present:,} values are different"
        return None
    return _of_numbers(column)


def encoded_reason(column: Column) -> str | None:
    """Return `identifier_reason` for an encoded column, in which integers may be stored as reals.

    Examples
    --------
    >>> from arcwise.data.columns import ContinuousColumn
    >>> encoded_reason(ContinuousColumn("row", np.arange(100.0)))
    'it numbers the rows'
    """
    numbers = column.numbers()
    if numbers is not None:
        whole = np.abs(numbers) <= LARGEST_EXACT_INTEGER
        if not (whole & (numbers == np.floor(numbers))).all():
            return None
        values = numbers.astype(np.int64)
        return _of_numbers(RawNumbers(column.name, values, np.zeros(len(values), dtype=np.bool_)))
    return identifier_reason(RawLabels(column.name, column.computable(), column.kind.levels))


def _is_date(level: object) -> bool:
    return level is None or (isinstance(level, str) and _DATE.fullmatch(level.strip()) is not None)


def _of_numbers(column: RawNumbers) -> str | None:
    values = column.values[~column.missing]
    if len(values) <= FEWEST or not is_whole(column):
        return None
    few = values[:_FIRST]
    if len(np.unique(few)) < len(few) or len(np.unique(values)) < len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low + 1 == len(values):
        return "it numbers the rows"
    steps = values[1:] > values[:-1]
    if steps.all() or not steps.any():
        return "its values are all different and in order"
    if looks_like_a_key(column.name):
        return "its values are all different and its name is that of a key"
    return None


def looks_like_a_key(name: str) -> bool:
    """Return whether a name is typical of keys of tables.

    Examples
    --------
    >>> [looks_like_a_key(name) for name in ("ID", "patient_id", "PassengerId", "humid", "paid")]
    [True, True, True, False, False]
    """
    return _SEPARATE.search(name) is not None or _CAMEL.search(name) is not None


def note_identifiers(
    table: Examination, columns: Sequence[RawColumn], action: str, settled: Collection[str]
) -> None:
    """Note columns that seem to identify rows, and leave them out or refuse them as specified."""
    reasons = {
        column.name: reason
        for column in columns
        if column.name not in settled and column.name not in table.left_out
        if (reason := identifier_reason(column)) is not None
    }
    table.identifying = reasons
    if not reasons:
        return
    drop, keep = option("identifiers", "drop"), option("identifiers", "keep")
    several = len(reasons) > 1
    seem = f"{with_reasons(reasons)} {'seem' if several else 'seems'} to identify rows; "
    if action == "error":
        table.problems.add(
            f"{seem}give ", drop, " to leave such columns out, or ", keep, " to keep them"
        )
    elif action == "drop" and len(reasons) + len(table.left_out) < len(columns):
        table.left_out |= reasons
        table.warn(
            f"left out {with_reasons(reasons)}, as {'they seem' if several else 'it seems'} to "
            f"identify rows; to keep {'them' if several else 'it'}, give ",
            keep,
            ", or the kind of a column, as in ",
            kinds_option(list(reasons)[:1], "discrete"),
            *_in_time(reasons),
        )
    elif action != "keep":
        table.warn(
            f"{seem}leave out columns that only identify rows with ",
            drop_option(reasons),
            " or ",
            drop,
            ", or keep them with ",
            keep,
        )


def _in_time(reasons: Mapping[str, str]) -> tuple[str | Wording, ...]:
    """Return the advice on dates, if there are any, for rows that are ordered in time."""
    dated = next((name for name, why in reasons.items() if why.endswith("dates")), None)
    if dated is None:
        return ()
    return (
        "; if rows follow each other in time, give ",
        Wording(f"arcwise.time_series(..., time={dated!r})", f"--time {shlex.quote(dated)}"),
    )


_DIGITS = 9  # to which numbers in different units agree after rounding
_FEWEST = 20  # rows, as with fewer columns may agree by chance


def note_copies(table: Examination) -> None:
    """Note each column that is a copy of an earlier one, possibly with other labels or units.

    The edges of such a pair cannot be distinguished, and the edge between them is certain.
    """
    if table.mask is not None:  # if one of the two was intervened on, the other is informative
        return
    originals: dict[bytes, str] = {}
    copies: dict[str, str] = {}
    for column in table.encoded:
        mark = _mark(column)
        if mark is not None and originals.setdefault(mark, column.name) != column.name:
            copies[column.name] = originals[mark]
    if copies:
        each = listing([f"{name!r} is a copy of {first!r}" for name, first in copies.items()])
        table.notes.append(
            f"{each}, perhaps in other words or units: the edge between the two is certain, and "
            "other edges may go to either; leave one of them out."
        )


def _mark(column: Column) -> bytes | None:
    """Return a digest that is equal for copies of a column; None if it is constant or short."""
    values = column.stored
    if column.size:
        _, first, codes = np.unique(values, return_index=True, return_inverse=True)
        if len(first) < 2 or len(codes) < _FEWEST:
            return None
        # Levels are numbered by first occurrence, so that their names do not matter.
        return _digest(np.argsort(np.argsort(first)).astype(np.uint16)[codes])
    if len(values) < _FEWEST:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # for numbers close to overflow
        centred = values - values.mean()
        spread = float(np.abs(centred).max())
    if not spread > 0.0 or not np.isfinite(spread):
        return None
    sign = 1.0 if centred[int(np.abs(centred).argmax())] > 0 else -1.0
    return _digest(np.round(sign * centred / spread, _DIGITS) + 0.0)


def _digest(values: NDArray[Any]) -> bytes:
    return hashlib.sha256(values.tobytes()).digest()


def note_spellings(table: Examination) -> None:
    """Note columns with levels that differ only in capitals and blanks."""
    alike = {column.name: groups for column in table.encoded if (groups := _alike(column))}
    if alike:
        each = listing(
            [
                f"{name!r} ({', '.join(quoted(levels) for levels in groups)})"
                for name, groups in alike.items()
            ]
        )
        table.notes.append(
            f"Levels differ in capitals or blanks alone in {each}; write them alike if they are "
            "the same."
        )


def _alike(column: Column) -> list[list[str]]:
    """Return groups of levels that may be the same."""
    groups: dict[str, list[str]] = {}
    for level in column.kind.levels:
        if isinstance(level, str):
            groups.setdefault("".join(level.split()).casefold(), []).append(level)
    return [levels for levels in groups.values() if len(levels) > 1]
