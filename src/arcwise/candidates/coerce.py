"""Reads the methods of choosing candidates: names joined by +, each with its own size."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import shown

METHODS = ("pc", "greedy", "gains")
DEFAULT_SIZE = 8
"""The default number of candidates of a node for `greedy` and `gains`."""

_PART = r"(pc|greedy|gains)(?::([0-9]{1,6}))?"


def is_method(text: str) -> bool:
    """Return whether a text names methods, rather than a file."""
    return re.fullmatch(rf"{_PART}(\+{_PART})*", text) is not None


def read_methods(text: str) -> list[tuple[str, int | None]]:
    """Return the methods and their sizes, None where none is given, as in ``"pc+greedy:6"``."""
    if not is_method(text):
        raise ArgumentError(
            f"method is {shown(text)}; give 'pc', 'greedy', 'gains' or several joined by +, such "
            "as 'pc+greedy:6'"
        )
    parts = [part.partition(":") for part in text.split("+")]
    return [(name, int(size) if size else None) for name, _, size in parts]


def read_sizes(size: Any, variables: Sequence[str]) -> list[int | None]:
    """Return the size for each node; None where none is given.

    Parameters
    ----------
    size
        None, a number for all nodes, or a mapping from names to numbers.
    variables
        The names of the nodes.
    """
    if isinstance(size, Mapping):
        sizes: list[int | None] = [None] * len(variables)
        for node, (name, number) in zip(
            positions(size, variables, "size"), size.items(), strict=True
        ):
            sizes[node] = whole_number(number, f"size[{name!r}]", at_least=0)
        return sizes
    number = None if size is None else whole_number(size, "size", at_least=0)
    return [number] * len(variables)
