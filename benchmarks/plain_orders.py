"""A sampler of linear orders in plain NumPy: what a step costs without the core's score sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import arcwise


class PlainOrders:
    """Swaps two nodes and sums the families of those that it moves, each by a pass over all."""

    def __init__(self, model: arcwise.Model, seed: int) -> None:
        self.n = len(model.variables)
        self.random = np.random.default_rng(seed)
        self.masks: list[NDArray[np.uint64]] = []
        self.weights: list[NDArray[np.float64]] = []
        table = model.weights.table
        for node in range(self.n):
            flat, offsets = table.parent_sets(node)
            bits = np.uint64(1) << flat.astype(np.uint64)
            starts = offsets[:-1].astype(np.int64)
            masks = np.zeros(len(starts), dtype=np.uint64)
            nonempty = np.diff(offsets.astype(np.int64)) > 0
            if len(bits):
                masks[nonempty] = np.bitwise_or.reduceat(bits, starts[nonempty])
            self.masks.append(masks)
            self.weights.append(np.asarray(table.values(node)))
        self.order = self.random.permutation(self.n)
        self.log_weights = np.array([self._log_sum(v, self.order) for v in range(self.n)])

    def _log_sum(self, node: int, order: NDArray[np.int64]) -> float:
        place = int(np.flatnonzero(order == node)[0])
        allowed = np.bitwise_or.reduce(
            np.uint64(1) << order[:place].astype(np.uint64), initial=np.uint64(0)
        )
        within = self.weights[node][(self.masks[node] & ~allowed) == 0]
        top = within.max()
        return float(top + np.log(np.exp(within - top).sum()))

    def steps(self, count: int) -> None:
        for _ in range(count):
            first, last = np.sort(self.random.choice(self.n, 2, replace=False))
            proposed = self.order.copy()
            proposed[[first, last]] = proposed[[last, first]]
            changed = proposed[first : last + 1]
            sums = np.array([self._log_sum(int(node), proposed) for node in changed])
            if np.log(self.random.random()) < sums.sum() - self.log_weights[changed].sum():
                self.order = proposed
                self.log_weights[changed] = sums
