"""What exact computations over all subsets on a device share: answers and levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, NumericalError
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.family_pieces import NodeLists, node_lists

Listener = Callable[[float], None] | None


@dataclass(frozen=True)
class DevicePosterior:
    """What the sums over all subsets give.

    Parameters
    ----------
    log_weight
        The log of the summed weights of all DAGs; order-modular ones once for each topological
        order.
    families
        The probabilities of the families of each node, as in the family table.
    edges
        The probability of each edge, as [parent, child].
    error
        An estimate of the largest error of a probability.
    """

    log_weight: float
    families: _core.FamilyTable
    edges: NDArray[np.float64]
    error: float

    @classmethod
    def of_families(
        cls,
        weights: _core.FamilyTable,
        lists: Sequence[NodeLists],
        probabilities: Sequence[NDArray[np.float64]],
        *,
        log_weight: float,
        error: float,
        rounding: float,
    ) -> DevicePosterior:
        """Return the posterior with these probabilities of the families of each node.

        The error is `error`, or what those of a node differ from 1 by if that is more, and
        `rounding` besides.
        """
        nodes = len(lists)
        table = weights.copy()
        edges = np.zeros((nodes, nodes))
        for node, (own, found) in enumerate(zip(lists, probabilities, strict=True)):
            error = max(error, abs(float(found.sum()) - 1.0))
            values = table.values(node)
            values[:] = 0.0
            values[own.places] = np.clip(found, 0.0, 1.0)
            for parent in range(nodes):
                edges[parent, node] = found[(own.sets >> parent & 1) == 1].sum()
        error += rounding
        if not error < 1e-6:
            raise NumericalError(
                f"rounding on the device may cost up to {error:.1g} of a probability; use device="
                "None, which has more digits"
            )
        return cls(log_weight, table, np.clip(edges, 0.0, 1.0), error)


class SubsetComputation:
    """What is computed over all subsets of the nodes of one model, on one device.

    Parameters
    ----------
    device
        The device.
    weights
        The log weights of all families.
    low, threads
        The number of low nodes, those of one tile, and the threads of a block. Neither changes
        more than the last bits of a result.
    """

    def __init__(
        self, device: KernelDevice, weights: _core.FamilyTable, low: int, threads: int
    ) -> None:
        self._device = device
        self._weights = weights
        self._threads = threads
        self._nodes = len(weights)
        self._low = min(self._nodes, low)
        self._lists = families_of_nodes(weights)
        self._families = sum(len(each.sets) for each in self._lists)
        self._offset = float(sum(each.offset for each in self._lists))

    def _launch(self, kernel: str, blocks: int, *arguments: Any, shared: int = 0) -> None:
        most = self._device.blocks_at_once(kernel, self._threads, shared)
        self._device.launch(kernel, min(blocks, most), self._threads, arguments, shared)

    def _tell(self, progress: Listener, share: float) -> None:
        if progress is not None:
            self._device.synchronize()  # else nothing would have been done yet
            progress(share)

    def _entry(self, buffer: Any, place: int) -> Any:
        """Return one entry of an array of the device; -1 for that of the whole set."""
        return self._device.download(buffer, place % (1 << self._nodes), 1)[0]


def stretch(progress: Listener, begin: float, end: float) -> Listener:
    """Return what tells of a part of a computation as shares of the whole."""
    if progress is None:
        return None
    return lambda share: progress(begin + (end - begin) * share)


def families_of_nodes(weights: _core.FamilyTable) -> list[NodeLists]:
    """Return the families of all nodes, or refuse a model in which a node has none."""
    lists = [node_lists(weights, node) for node in range(len(weights))]
    if any(each is None for each in lists):
        raise impossible_model()
    return [each for each in lists if each is not None]


def sets_by_size(device: KernelDevice, nodes: int) -> list[tuple[Any, int]]:
    """Return for each size the sets of so many nodes, on the device, and their number."""
    order, starts = sorted_by_size(nodes)
    return [
        (device.upload(order[start:end]), int(end - start))
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


def sorted_by_size(nodes: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return all sets of so many nodes by size, and where each size begins and ends."""
    sizes = bit_counts(np.arange(1 << nodes, dtype=np.uint32))
    starts = np.concatenate([[0], np.cumsum(np.bincount(sizes))]).astype(np.uint32)
    return np.argsort(sizes, kind="stable").astype(np.uint32), starts


def bit_counts(sets: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the sizes of sets given as bits."""
    counts = np.zeros(len(sets), dtype=np.int64)
    for bit in range(32):
        counts += sets >> np.uint32(bit) & np.uint32(1)
    return counts


def impossible_model() -> ArgumentError:
    """Return the error for a model in which no DAG has a positive weight."""
    return ArgumentError("no DAG has a positive weight; relax the constraints or the prior")
