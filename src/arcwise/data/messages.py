"""Parts of messages about tables: names of columns and options, and lists of problems."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arcwise.data.columns import KindName
from arcwise.errors import ArgumentError, DataError, DataWarning, Wording, option, worded
from arcwise.support import clock
from arcwise.support.words import listing, quoted


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
    clock.warn(DataWarning(*message))


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
