"""Reads how candidates are to be chosen: methods joined by +, each with a size of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.support.checks import whole_number
from arcwise.support.names import positions

METHODS = ("pc", "greedy", "gains")
DEFAULT_SIZE = 8
"""Candidates of a node by `greedy` and by `gains` where no size is given."""

_PART = r"(pc|greedy|gains)(?::([0-9]{1,6}))?"


def is_method(text: str) -> bool:
    """Say whether a text names methods, rather than a file."""
    return re.fullmatch(rf"{_PART}(\+{_PART})*", text) is not None


def read_methods(text: str) -> list[tuple[str, int | None]]:
    """Return the methods and their sizes, None where none is said, as in ``"pc+greedy:6"``."""
    if not is_method(text):
        raise ArgumentError(
            f"method is {text!r}; give 'pc', 'greedy', 'gains' or several joined by +, such as "
            "'pc+greedy:6'"
        )
    parts = [part.partition(":") for part in text.split("+")]
    return [(name, int(size) if size else None) for name, _, size in parts]


def read_sizes(size: Any, variables: Sequence[str]) -> list[int | None]:
    """Return the size for each node; None where it is left open.

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
