"""Checks of DAGs that come as packed parent sets, before anything goes through them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.posterior.matrices import unpacked
from arcwise.support.cycles import cycle_in_words, find_cycle
from arcwise.support.devices import Processors


def checked_parents(variables: tuple[str, ...], parents: Any) -> NDArray[np.uint64]:
    """Return parent sets as words of 64 bits, (DAGs, nodes, words), after checking all of them.

    Raises
    ------
    ArgumentError
        If the type or the shape is another, or a graph has a parent that is no variable, a
        node that is its own parent, or a cycle.
    """
    n = len(variables)
    words = (n + 63) // 64
    try:
        given = np.asarray(parents)
    except ValueError:  # rows of different lengths
        given = np.empty(0, dtype=object)
    if given.dtype.kind not in "ui" or (given.dtype.kind == "i" and (given < 0).any()):
        raise ArgumentError(
            f"parents holds values of the type {given.dtype}; give sets of bits as whole numbers, "
            "0 or more"
        )
    packed = np.ascontiguousarray(given, dtype=np.uint64)
    if packed.ndim == 2:
        packed = packed[:, :, np.newaxis]
    if packed.ndim != 3 or packed.shape[1:] != (n, words):
        raise ArgumentError(
            f"parents has the shape {packed.shape}; for {n} variables give (DAGs, {n}, {words})"
        )
    found = _core.find_faulty_dag(packed, Processors.available().threads)
    if found is not None:
        raise ArgumentError(_fault_in_words(variables, packed, *found))
    return packed


def _fault_in_words(
    variables: tuple[str, ...], packed: NDArray[np.uint64], index: int, node: int, fault: str
) -> str:
    n = len(variables)
    if fault == "beyond":
        bits = unpacked(packed[index, node], 64 * packed.shape[2])
        beyond = int(np.flatnonzero(bits[n:])[0]) + n
        return (
            f"parents[{index}] has bit {beyond} among the parents of {variables[node]!r}, and for "
            f"{n} variables bits 0 to {n - 1} can be set; clear the others"
        )
    if fault == "loop":
        return f"parents[{index}] has {variables[node]!r} as a parent of itself; give DAGs"
    sets = [np.flatnonzero(unpacked(row, n)).tolist() for row in packed[index]]
    cycle = find_cycle(sets)
    assert cycle is not None
    return f"parents[{index}] has the cycle {cycle_in_words(cycle, variables)}; give DAGs"
