"""The exact order-modular posterior on a device: evidence, families, edges and the best DAG.

One number is held for each of the 2^n sets; see `core/arcwise/kernels/order_modular.hpp`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.gpu.device import KernelDevice, refuse_beyond_device
from arcwise.gpu.family_pieces import FamilyPieces, cut_into_pieces
from arcwise.gpu.subset_sums import (
    DevicePosterior,
    Listener,
    WrittenDown,
    families_of_nodes,
    impossible_model,
    sets_by_size,
    sorted_by_size,
)
from arcwise.gpu.wide_numbers import RELATIVE_ROUNDING, logs_of_wide, wide_from_logs

MOST_VARIABLES = 36  # 512 GiB
LOW = 10
THREADS = 256
_UNIT = 2.0**-63  # of the probabilities of families
_WORKSPACE_TILES = 3
_ENTRY_BYTES = 4 + 8 + 8  # its high parents, weight and share


def needed_bytes(nodes: int, families: int, low: int = LOW) -> int:
    """Return the bytes of the device's memory that the sums hold at most."""
    low = min(low, nodes)
    # Groups are as long as their longest piece, which may add half.
    return (8 << nodes) + (4 << (nodes - low)) + 2 * families * _ENTRY_BYTES + (nodes << (low + 3))


class OrderModularComputation:
    """The sums over all subsets of one model, on one device.

    Parameters
    ----------
    device
        The device.
    weights
        The log weights of all families.
    low, threads
        The number of low nodes, those of one tile, and the threads of a block; None for what suits
        the device. Neither changes more than the last bits of a result.
    """

    def __init__(
        self,
        device: KernelDevice,
        weights: _core.FamilyTable,
        *,
        low: int | None = None,
        threads: int = THREADS,
    ) -> None:
        self._device = device
        self._weights = weights
        self._threads = threads
        self._nodes = len(weights)
        self._low = min(self._nodes, LOW if low is None else low)
        self._lists = families_of_nodes(weights)
        count = sum(len(each.sets) for each in self._lists)
        refuse_beyond_device(
            device,
            needed_bytes(self._nodes, count, self._low),
            f"the exact order-modular posterior of {self._nodes} variables",
        )
        self._pieces = cut_into_pieces(self._lists, self._low)
        self._offset = float(sum(each.offset for each in self._lists))
        self._levels = sets_by_size(device, self._nodes - self._low)
        self._holds_backward = False
        self._values = device.zeros(1 << self._nodes, np.uint64)
        self._sums = _written_down(device, self._pieces, self._values, self._nodes, self._low)
        tiles = _WORKSPACE_TILES * (1 << self._low) + self._low * (1 << self._low) // 2
        self._shared_bytes = 8 * (tiles + self._pieces.most_pieces) + 16

    def posterior(self, progress: Listener = None) -> DevicePosterior:
        """Return the evidence, and the probabilities of families and edges."""
        self._forward("forward_sums", self._sums, progress, 0.0, 0.4)
        total = self._last()
        if total == 0:
            raise impossible_model()
        log_total = float(logs_of_wide(np.array([total], dtype=np.uint64))[0])
        shares = self._device.zeros(len(self._pieces.entry_logs), np.uint64)
        self._sums.write(shares=self._device.address(shares), inverse_total=_inverse(total))
        self._by_level("backward_sums", self._sums, self._levels[::-1], progress, 0.4, 1.0)
        first = self._device.download(self._values, 0, 1)
        mismatch = abs(float(np.expm1(logs_of_wide(first)[0] - log_total)))
        self._holds_backward = True
        probabilities = self._device.download(shares).astype(np.float64) * _UNIT
        # Every sum of a chain of n is rounded a few dozen times, at random.
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
        self._forward("forward_sums", self._sums, progress, 0.0, 1.0)
        total = self._device.download(self._values, (1 << self._nodes) - 1, 1)
        if int(total[0]) == 0:
            raise impossible_model()
        return float(logs_of_wide(total)[0]) + self._offset

    def best_dag(self, progress: Listener = None) -> tuple[float, list[int]]:
        """Return the largest log weight of a DAG, and the parents of each node as bits."""
        maxima = _written_down(
            self._device, self._pieces, self._values, self._nodes, self._low, maxima=True
        )
        self._forward("forward_maxima", maxima, progress, 0.0, 1.0)
        if self._last() == _LOG_OF_ZERO:
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
                    self._value(left ^ (1 << found[0]))
                    + self._lists[found[0]].log_weights[found[1]]
                ),
            )
            parents[node] = int(self._lists[node].sets[family])
            total += float(self._lists[node].log_weights[family]) + self._lists[node].offset
            left ^= 1 << node
        return total, parents

    def prepare_draws(self, progress: Listener = None) -> None:
        """Compute all that draws need."""
        if not self._holds_backward:
            self.posterior(progress)

    def draw(
        self, count: int, *, seed: int, first: int = 0
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """Return orders and the DAGs drawn with them, as [draw, place] and [draw, node].

        Parameters
        ----------
        count
            The number of draws.
        seed, first
            The seed, and the number of the first draw: a draw depends on these two alone.
        """
        self.prepare_draws()
        orders = self._device.zeros(count * self._nodes, np.uint8)
        parents = self._device.zeros(count * self._nodes, np.uint64)
        places = [self._device.address(each) for each in (orders, parents)]
        draws = self._device.upload(np.array([seed, first, count, *places], dtype=np.uint64))
        shared = 8 * (self._pieces.most_pieces + self._nodes) + 16
        at_once = self._device.blocks_at_once("draw_orders", self._threads, shared)
        arguments = (self._sums.buffer, draws)
        self._device.launch("draw_orders", min(count, at_once), self._threads, arguments, shared)
        self._device.synchronize()
        shape = (count, self._nodes)
        return (
            self._device.download(orders).reshape(shape),
            self._device.download(parents).reshape(shape),
        )

    def _best_family(self, node: int, allowed: int) -> int | None:
        lists = self._lists[node]
        inside = np.flatnonzero((lists.sets & ~np.int64(allowed)) == 0)
        if len(inside) == 0:
            return None
        return int(inside[lists.log_weights[inside].argmax()])

    def _value(self, subset: int) -> float:
        return float(self._device.download(self._values, subset, 1).view(np.float64)[0])

    def _last(self) -> int:
        return int(self._device.download(self._values, (1 << self._nodes) - 1, 1)[0])

    def _forward(
        self, kernel: str, told: WrittenDown, progress: Listener, begin: float, end: float
    ) -> None:
        self._by_level(kernel, told, self._levels, progress, begin, end)

    def _by_level(
        self,
        kernel: str,
        told: WrittenDown,
        levels: list[tuple[object, int]],
        progress: Listener,
        begin: float,
        end: float,
    ) -> None:
        self._holds_backward = False
        done, tiles = 0, 1 << (self._nodes - self._low)
        shared = self._shared_bytes
        at_once = self._device.blocks_at_once(kernel, self._threads, shared)
        for high_sets, count in levels:
            arguments = (told.buffer, high_sets, np.uint64(count))
            self._device.launch(kernel, min(count, at_once), self._threads, arguments, shared)
            done += count
            if progress is not None:
                self._device.synchronize()  # else nothing would have been done yet
                progress(begin + (end - begin) * done / tiles)
        self._device.synchronize()


_LOG_OF_ZERO = 0xFFF << 52
_FIELDS = (
    "nodes",
    "low",
    "node_pieces",
    "group_entries",
    "group_length",
    "piece_place",
    "place_pieces",
    "listed_pieces",
    "entry_high",
    "entry_weight",
    "values",
    "level_places",
    "level_starts",
    "most_pieces",
    "shares",
    "inverse_total",
)


def _written_down(
    device: KernelDevice,
    pieces: FamilyPieces,
    values: object,
    nodes: int,
    low: int,
    *,
    maxima: bool = False,
) -> WrittenDown:
    """Return the `OrderModular` of the kernels, for sums or for maxima."""
    places, starts = sorted_by_size(low)
    arrays = {
        "node_pieces": device.upload(pieces.node_pieces),
        "group_entries": device.upload(pieces.group_entries),
        "group_length": device.upload(pieces.group_length),
        "piece_place": device.upload(pieces.piece_place),
        "place_pieces": device.upload(pieces.place_pieces),
        "listed_pieces": device.upload(pieces.listed_pieces),
        "entry_high": device.upload(pieces.entry_high),
        "entry_weight": device.upload(
            pieces.entry_logs if maxima else wide_from_logs(pieces.entry_logs)
        ),
        "values": values,
        "level_places": device.upload(places),
        "level_starts": device.upload(starts),
    }
    numbers = {"nodes": nodes, "low": low, "most_pieces": pieces.most_pieces}
    return WrittenDown(device, _FIELDS, arrays, numbers)


def _inverse(bits: int) -> int:
    logs = logs_of_wide(np.array([bits], dtype=np.uint64))
    return int(wide_from_logs(-logs)[0])
