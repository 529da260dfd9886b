"""The exact order-modular posterior on a device: evidence, families, edges and the best DAG.

One number is stored for each of the 2^n sets; see `core/arcwise/kernels/order_modular.hpp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.gpu.device import KernelDevice, KernelStruct, refuse_beyond_device
from arcwise.gpu.subset_sums import (
    RELATIVE_ROUNDING,
    DevicePosterior,
    Listener,
    SubsetComputation,
    cut_into_pieces,
    impossible_model,
    logs_of_wide,
    sets_by_size,
    sorted_by_size,
    stretch,
    wide_from_logs,
)

MOST_VARIABLES = 36  # 512 GiB
LOW = 10
THREADS = 256
_LOG_OF_ZERO = 0xFFF << 52
_UNIT = 2.0**-63  # the unit in which probabilities of families are stored
_WORKSPACE_TILES = 3
_ENTRY_BYTES = 4 + 8 + 8  # the high parents, weight and share of an entry


def needed_bytes(nodes: int, families: int, low: int = LOW) -> int:
    """Return an upper bound on the bytes of device memory that the sums need."""
    low = min(low, nodes)
    # Groups are padded to the length of their longest piece, which may add half.
    return (8 << nodes) + (4 << (nodes - low)) + 2 * families * _ENTRY_BYTES + (nodes << (low + 3))


class OrderModularComputation(SubsetComputation):
    """The sums over all subsets of one model, on one device."""

    def __init__(
        self,
        device: KernelDevice,
        weights: _core.FamilyTable,
        *,
        low: int | None = None,
        threads: int = THREADS,
    ) -> None:
        super().__init__(device, weights, LOW if low is None else low, threads)
        refuse_beyond_device(
            device,
            needed_bytes(self._nodes, self._families, self._low),
            f"the exact order-modular posterior of {self._nodes} variables",
        )
        self._pieces = cut_into_pieces(self._lists, self._low)
        self._levels = sets_by_size(device, self._nodes - self._low)
        self._holds_backward = False
        self._values = device.zeros(1 << self._nodes, np.uint64)
        self._sums = self._struct()
        tiles = _WORKSPACE_TILES * (1 << self._low) + self._low * (1 << self._low) // 2
        self._shared_bytes = 8 * (tiles + self._pieces.most_pieces) + 16

    def posterior(self, progress: Listener = None) -> DevicePosterior:
        """Return the evidence, and the probabilities of families and edges."""
        total = self._total(stretch(progress, 0.0, 0.4))
        log_total = float(logs_of_wide(total))
        shares = self._device.zeros(len(self._pieces.entry_logs), np.uint64)
        self._sums.write(shares=shares, inverse_total=wide_from_logs(np.array(-log_total)).item())
        backward = stretch(progress, 0.4, 1.0)
        self._by_level("backward_sums", self._sums, self._levels[::-1], backward)
        mismatch = abs(float(np.expm1(logs_of_wide(self._entry(self._values, 0)) - log_total)))
        self._holds_backward = True
        probabilities = self._device.download(shares).astype(np.float64) * _UNIT
        # Each of a chain of n sums is rounded a few dozen times; the errors are independent.
        rounding = RELATIVE_ROUNDING * 16.0 * self._nodes + 0.5 * _UNIT * len(self._levels)
        return DevicePosterior.of_families(
            self._weights,
            self._lists,
            [probabilities[entries] for entries in self._pieces.entries],
            log_weight=log_total + self._offset,
            error=mismatch,
            rounding=rounding,
        )

    def log_weight(self, progress: Listener = None) -> float:
        """Return the log of the summed weights of all DAGs, once for each topological order."""
        return float(logs_of_wide(self._total(progress))) + self._offset

    def _total(self, progress: Listener) -> Any:
        self._by_level("forward_sums", self._sums, self._levels, progress)
        total = self._entry(self._values, -1)
        if int(total) == 0:
            raise impossible_model()
        return total

    def best_dag(self, progress: Listener = None) -> tuple[float, list[int]]:
        """Return the largest log weight of a DAG, and the parents of each node as bits."""
        self._by_level("forward_maxima", self._struct(maxima=True), self._levels, progress)
        if int(self._entry(self._values, -1)) == _LOG_OF_ZERO:
            raise impossible_model()
        total, parents = 0.0, [0] * self._nodes
        left = (1 << self._nodes) - 1
        while left:
            node, family = max(
                (
                    (node, best)
                    for node in range(self._nodes)
                    if left >> node & 1
                    and (best := self._best_family(node, left ^ (1 << node))) is not None
                ),
                key=lambda found: (
                    self._entry(self._values, left ^ (1 << found[0])).view(np.float64)
                    + self._lists[found[0]].log_weights[found[1]]
                ),
            )
            parents[node] = int(self._lists[node].sets[family])
            total += float(self._lists[node].log_weights[family]) + self._lists[node].offset
            left ^= 1 << node
        return total, parents

    def prepare_draws(self, progress: Listener = None) -> None:
        """Compute the sums that draws need."""
        if not self._holds_backward:
            self.posterior(progress)

    def draw(
        self, count: int, *, seed: int, first: int = 0
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """Return orders and the DAGs drawn with them, as [draw, place] and [draw, node]."""
        self.prepare_draws()
        orders = self._device.zeros(count * self._nodes, np.uint8)
        parents = self._device.zeros(count * self._nodes, np.uint64)
        fields = {"seed": seed, "first": first, "count": count}
        draws = KernelStruct(self._device, {**fields, "orders": orders, "parents": parents})
        shared = 8 * (self._pieces.most_pieces + self._nodes) + 16
        self._launch("draw_orders", count, self._sums.buffer, draws.buffer, shared=shared)
        self._device.synchronize()
        shape = (count, self._nodes)
        found = [self._device.download(each).reshape(shape) for each in (orders, parents)]
        return found[0], found[1]

    def _best_family(self, node: int, allowed: int) -> int | None:
        lists = self._lists[node]
        inside = np.flatnonzero((lists.sets & ~np.int64(allowed)) == 0)
        if len(inside) == 0:
            return None
        return int(inside[lists.log_weights[inside].argmax()])

    def _struct(self, *, maxima: bool = False) -> KernelStruct:
        """Return the structure `OrderModular` of the kernels, for sums or for maxima."""
        device, pieces = self._device, self._pieces
        places, starts = sorted_by_size(self._low)
        logs = pieces.entry_logs
        return KernelStruct(
            device,
            {
                "nodes": self._nodes,
                "low": self._low,
                **{name: device.upload(array) for name, array in pieces.arrays.items()},
                "entry_weight": device.upload(logs if maxima else wide_from_logs(logs)),
                "values": self._values,
                "level_places": device.upload(places),
                "level_starts": device.upload(starts),
                "most_pieces": pieces.most_pieces,
                "shares": None,
                "inverse_total": 0,
            },
        )

    def _by_level(
        self,
        kernel: str,
        struct: KernelStruct,
        levels: Sequence[tuple[Any, int]],
        progress: Listener,
    ) -> None:
        self._holds_backward = False
        done, tiles = 0, 1 << (self._nodes - self._low)
        for high_sets, count in levels:
            arguments = (struct.buffer, high_sets, np.uint64(count))
            self._launch(kernel, count, *arguments, shared=self._shared_bytes)
            done += count
            self._report(progress, done / tiles)
        self._device.synchronize()
