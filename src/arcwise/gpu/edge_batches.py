"""Sums of edge probabilities along chains of a device, in batches that tell their error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class EdgeBatches:
    """Batches of equal size; where there are too many, neighbours are merged and the size doubles.

    Parameters
    ----------
    sums
        Returns what each chain has added up so far, as [chain, parent, child].
    most
        The most batches kept, made even.
    """

    def __init__(self, sums: Callable[[], NDArray[np.float64]], most: int) -> None:
        self._sums = sums
        self._most = most + most % 2
        self._size = 1
        self._states = 0
        self._before: NDArray[np.float64] | None = None
        self._batches: list[NDArray[np.float64]] = []
        self._total: tuple[int, NDArray[np.float64]] | None = None  # with its number of states

    def add(self) -> None:
        """Note that the edges of one more state of each chain were added up."""
        self._states += 1
        if self._states % self._size != 0:
            return
        now = self._sums()
        self._batches.append(now if self._before is None else now - self._before)
        self._before = now
        if len(self._batches) == self._most:
            pairs = zip(self._batches[::2], self._batches[1::2], strict=True)
            self._batches = [one + other for one, other in pairs]
            self._size *= 2

    def of(self, chains: Sequence[int]) -> dict[str, Any]:
        """Return the fields of the record of a chain, or of several, one after another."""
        if self._total is None or self._total[0] != self._states:
            self._total = self._states, self._sums()
        if len(chains) == 1:
            total = self._total[1][chains[0]]
            batches = [each[chains[0]] for each in self._batches]
            size = self._size
        else:
            # Two batches: all states of one half of them, and of the other.
            half = len(chains) // 2
            parts = [self._total[1][chains[:half]], self._total[1][chains[half : 2 * half]]]
            total = self._total[1][list(chains)].sum(axis=0)
            batches, size = [part.sum(axis=0) for part in parts], half * self._states
        return {
            "edge_sums": total,
            "edge_batches": np.array(batches).reshape(len(batches), *total.shape),
            "edge_batch_size": size,
        }
