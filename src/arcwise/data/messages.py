"""What messages about tables have in common: names of columns and options, several problems."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping, Sequence

from arcwise.data.columns import KindName
from arcwise.errors import ArgumentError, DataError, DataWarning, Wording, option, worded
from arcwise.support import warnings
from arcwise.support.words import quoted


def columns(names: Sequence[str], *, every: bool = False) -> str:
    """Write ``column 'a'`` or ``columns 'a' and 'b'``, every one of them or the first few."""
    shown = quoted(names, None) if every else quoted(names)
    return f"column{'' if len(names) == 1 else 's'} {shown}"


def suggestion(name: str, candidates: Sequence[str]) -> str:
    """Say which allowed names come close to an unknown one, or what the allowed ones are."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), list(by_folded))
    if close:
        options = " or ".join(repr(by_folded[match]) for match in close)
        return f" (did you mean {options}?)"
    return f" (the variables are {quoted(candidates)})" if candidates else ""


def warn(*message: str | Wording) -> None:
    """Issue a DataWarning that points at the user's line, outside the package."""
    warnings.warn(DataWarning(*message))


def check_mapping(argument: str, value: object) -> None:
    """Refuse an argument that should be a mapping from column names and is not."""
    if not isinstance(value, Mapping):
        raise ArgumentError(
            f"{argument} is of type {type(value).__name__}; give a mapping from column names"
        )


# Options for more columns than these would make a sentence that nobody reads.
_MOST_NAMED = 6

DISCRETIZE = option("discretize", "quantile:3")
DISCRETIZATION_METHOD = Wording("method", "the method of --discretize")


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
    if len(names) > _MOST_NAMED:
        return Wording(f"kinds={{..., {names[0]!r}: {kind!r}, ...}}", f"--{kind} COLUMN for each")
    return Wording(
        f"kinds={dict.fromkeys(names, kind)!r}",
        " ".join(f"--{kind} {shlex.quote(name)}" for name in names),
    )


def drop_option(columns: Iterable[str]) -> Wording:
    """Name the option that leaves columns out.

    Examples
    --------
    >>> drop_option(["id", "the name"])
    Wording(python="drop=['id', 'the name']", shell="--drop id --drop 'the name'")
    """
    names = list(columns)
    if len(names) > _MOST_NAMED:
        return Wording("drop=[...]", "--drop COLUMN for each")
    return Wording(
        f"drop={names[0]!r}" if len(names) == 1 else f"drop={names!r}",
        " ".join(f"--drop {shlex.quote(name)}" for name in names),
    )


def missing_codes_option(codes: Mapping[str, float]) -> Wording:
    """Name the option that reads these values of columns as missing.

    Examples
    --------
    >>> missing_codes_option({"age": -999.0})
    Wording(python="missing_codes={'age': -999}", shell='--missing-codes age=-999')
    """
    if len(codes) > _MOST_NAMED:
        return Wording("missing_codes={...}", "--missing-codes COLUMN=VALUE for each")
    each = ", ".join(f"{name!r}: {code:g}" for name, code in codes.items())
    return Wording(
        f"missing_codes={{{each}}}",
        " ".join(
            f"--missing-codes {shlex.quote(f'{name}={code:g}')}" for name, code in codes.items()
        ),
    )


def discretize_option(columns: Iterable[str]) -> Wording:
    """Name the option that cuts these columns, and no others, into intervals.

    Examples
    --------
    >>> discretize_option(["age"])
    Wording(python="discretize={'age': 'quantile:3'}", shell='--discretize age=quantile:3')
    """
    names = list(columns)
    if len(names) > _MOST_NAMED:
        return Wording(
            f"discretize={{..., {names[0]!r}: 'quantile:3', ...}}",
            "--discretize COLUMN=quantile:3 for each",
        )
    return Wording(
        f"discretize={dict.fromkeys(names, 'quantile:3')!r}",
        " ".join(f"--discretize {shlex.quote(f'{name}=quantile:3')}" for name in names),
    )


SEPARATOR = "\n  - "
"""What precedes each of several problems in a message."""


class Problems:
    """The problems of a table, each a sentence that ends with what mends it.

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
        self.asides: list[Wording] = []
        self.imputable: list[Wording] = []
        """Those of the sentences about missing values, which `learn` imputes by itself."""

    def __len__(self) -> int:
        return len(self.sentences)

    def add(self, *parts: str | Wording) -> None:
        """Add a problem."""
        self.sentences.append(worded(*parts))

    def add_imputable(self, sentence: Wording) -> None:
        """Add a problem about missing values, which is none to what imputes them."""
        self.sentences.append(sentence)
        self.imputable.append(sentence)

    def add_error(self, error: DataError) -> None:
        """Add the problem that an error is about."""
        self.sentences.append(worded(*error.args))

    def add_aside(self, *parts: str | Wording) -> None:
        """Add what is a problem for most purposes, and told only beside others."""
        self.asides.append(worded(*parts))

    def refuse(self) -> None:
        """Raise one error about all problems, if there are any."""
        if not self.sentences:
            return
        told = [*self.sentences, *self.asides]
        if len(told) == 1:
            raise DataError(told[0])
        parts: list[str | Wording] = ["the table cannot be used as it is:"]
        for sentence in told:
            parts += [SEPARATOR, sentence, "."]
        raise DataError(*parts)
