"""Tables of score sums over the sets of each node's possible parents, for chains on a device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.family_pieces import node_lists
from arcwise.support.log_space import logarithms, relative_weights

MOST_PARENTS = 16  # possible ones of a node: sets of them are 16 bits


@dataclass(frozen=True)
class OrderTables:
    """The sums and the weights of all nodes, node after node.

    Parameters
    ----------
    parents
        The possible parents of each node; bit i of a set is the i-th of them.
    starts
        Where the sets of each node begin.
    log_sums, log_families
        By set of possible parents: the log sum over the families within it, and its own weight.
    offset
        The log sums of all possible parents, added up over all nodes.
    """

    parents: tuple[tuple[int, ...], ...]
    starts: NDArray[np.uint32]
    log_sums: NDArray[np.float64]
    log_families: NDArray[np.float64]
    offset: float

    @classmethod
    def of(cls, weights: _core.FamilyTable) -> OrderTables:
        """Return the tables of a model's weights."""
        parents, families, sums = [], [], []
        for node in range(len(weights)):
            lists = node_lists(weights, node)
            if lists is None:
                raise ArgumentError(
                    "no DAG has a positive weight; relax the constraints or the prior"
                )
            members = _members(int(np.bitwise_or.reduce(lists.sets)))
            if len(members) > MOST_PARENTS:
                raise CapacityError(
                    f"a node has {len(members)} possible parents, and chains on a device take up "
                    f"to {MOST_PARENTS}; give fewer candidates"
                )
            own = np.full(1 << len(members), -np.inf)
            place = np.zeros(len(lists.sets), dtype=np.int64)
            for bit, member in enumerate(members):
                place |= (lists.sets >> member & 1) << bit
            own[place] = lists.log_weights + lists.offset
            parents.append(members)
            families.append(own)
            sums.append(_log_sums_over_subsets(own))
        sizes = [len(each) for each in sums]
        return cls(
            tuple(parents),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint32),
            np.concatenate(sums),
            np.concatenate(families),
            float(sum(each[-1] for each in sums)),
        )

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    def relative(self, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return logarithms by set less those of the node's sum over all families."""
        sizes = np.diff([*self.starts.tolist(), len(logs)])
        last = self.starts.astype(np.int64) + sizes - 1
        return logs - np.repeat(self.log_sums[last], sizes)

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Yield each node with the bit of each of its possible parents, and that parent."""
        for node, members in enumerate(self.parents):
            for bit, member in enumerate(members):
                yield node, bit, member


class DeviceTables:
    """The tables in the memory of a device.

    Parameters
    ----------
    device, host
        The device, and the tables.
    """

    def __init__(self, device: KernelDevice, host: OrderTables) -> None:
        self.device = device
        self.host = host
        bits = np.zeros((host.nodes, host.nodes), dtype=np.uint16)
        for node, bit, parent in host.pairs():
            bits[node, parent] = 1 << bit
        self.arrays = {
            "log_sums": device.upload(host.relative(host.log_sums)),
            "log_families": device.upload(host.relative(host.log_families)),
            "table_start": device.upload(host.starts),
            "candidate": device.upload(bits.ravel()),
        }


def _members(bits: int) -> tuple[int, ...]:
    return tuple(node for node in range(bits.bit_length()) if bits >> node & 1)


def _log_sums_over_subsets(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = logs.copy()
    half = 1
    while half < len(sums):
        pairs = sums.reshape(-1, 2, half)
        pairs[:, 1] = log_add(pairs[:, 0], pairs[:, 1])
        half *= 2
    return sums


def log_add(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(e^one + e^other), with the same bits on every processor."""
    more, less = np.maximum(one, other), np.minimum(one, other)
    apart = np.where(np.isfinite(less), less, 0.0) - np.where(np.isfinite(less), more, 700.0)
    return np.asarray(more + logarithms(1.0 + relative_weights(apart, 0.0)))
