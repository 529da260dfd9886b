"""Sums along chains of a device, in batches that tell their error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Batches:
    """Batches of equal size; where there are too many, neighbours are merged and the size doubles.

    Parameters
    ----------
    most
        The most batches kept, made even.
    merge
        Adds two batches up.
    """

    def __init__(self, most: int, merge: Callable[[Array, Array], Array]) -> None:
        self._most = most + most % 2
        self._merge = merge
        self.whole: list[Array] = []
        self.size = 1
        self.count = 0

    def count_one(self) -> bool:
        """Count a state of each chain, and return whether it is the last one of a batch."""
        self.count += 1
        return self.count % self.size == 0

    def append(self, batch: Array) -> None:
        """Take a batch that is whole."""
        self.whole.append(batch)
        if len(self.whole) == self._most:
            pairs = zip(self.whole[::2], self.whole[1::2], strict=True)
            self.whole = [self._merge(one, other) for one, other in pairs]
            self.size *= 2


class EdgeBatches:
    """Batches of the edge probabilities of chains.

    Parameters
    ----------
    sums
        Returns what each chain has added up so far, as [chain, parent, child].
    most
        The most batches kept, made even.
    """

    def __init__(self, sums: Callable[[], Array], most: int) -> None:
        self._sums = sums
        self._batches = Batches(most, np.add)
        self._before: Array | float = 0.0
        self._total: tuple[int, Array] | None = None  # with its number of states

    def add(self) -> None:
        """Note that the edges of one more state of each chain were added up."""
        if self._batches.count_one():
            now = self._sums()
            self._batches.append(now - self._before)
            self._before = now

    def of(self, chains: Sequence[int]) -> dict[str, Any]:
        """Return the fields of the record of a chain, or of several, one after another."""
        states = self._batches.count
        if self._total is None or self._total[0] != states:
            self._total = states, self._sums()
        if len(chains) == 1:
            total = self._total[1][chains[0]]
            batches = [each[chains[0]] for each in self._batches.whole]
            size = self._batches.size
        else:
            # Two batches: all states of one half of them, and of the other.
            half = len(chains) // 2
            parts = [self._total[1][chains[:half]], self._total[1][chains[half : 2 * half]]]
            total = self._total[1][list(chains)].sum(axis=0)
            batches, size = [part.sum(axis=0) for part in parts], half * states
        return {
            "edge_sums": total,
            "edge_batches": np.array(batches).reshape(len(batches), *total.shape),
            "edge_batch_size": size,
        }
