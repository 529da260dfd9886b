"""How messages name the options of reading data, in Python and in the shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from arcwise.data.columns import KindName
from arcwise.errors import Wording, option

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
