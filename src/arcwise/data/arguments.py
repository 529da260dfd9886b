"""`ReadingArguments`: how a table is read, the arguments of every function that reads one."""

from __future__ import annotations

from typing import Any, TypedDict


class ReadingArguments(TypedDict, total=False):
    """How a table is read: the arguments of `arcwise.read`."""

    names: Any
    drop: Any
    kinds: Any
    levels: Any
    missing: Any
    missing_codes: Any
    constant: Any
    identifiers: Any
    discretize: Any
    transform: Any
    weights: Any
    interventions: Any


LENIENT: ReadingArguments = {
    "constant": "drop",
    "identifiers": "drop",
    "missing": "impute",
    "transform": "by-evidence",
}
"""What `learn` does unless told otherwise: leave out what nothing is learned from, impute, and
model columns on the scale that they are clearly closest to normal on."""
