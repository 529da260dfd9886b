"""What all chains over orders on a device have in common: swaps, and how arrays are laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import CapacityError
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.order_tables import MOST_PARENTS, OrderTables

THREADS = 512
MOST_NODES = 256  # of which orders are made: places are bytes
STEPS_PER_LAUNCH = 1 << 16
_STEPS_PER_BLOCK = 4096  # of the distances of swaps, which are drawn block by block
_DISTANCE_STREAM = 0xD15
_WARP = 32


class SwapDistances:
    """How far apart the places are that steps swap: a function of seed and step.

    Parameters
    ----------
    nodes
        The number of nodes.
    seed
        The seed.
    neighbours
        The probability that a step swaps neighbours; None for the usual one, by which these
        and other swaps take about the same time. Else any two places are as probable.
    """

    def __init__(self, nodes: int, seed: int, neighbours: float | None) -> None:
        self._seed = seed
        usual = 0.5 / (0.5 + 1.0 / (nodes / 3.0 + 2.0))
        near = usual if neighbours is None else neighbours
        apart = np.arange(1, nodes)
        shares = (1.0 - near) * (nodes - apart) / float((nodes - apart).sum())
        shares[0] += near
        self.shares = shares
        self._edges = np.cumsum(shares)[:-1]

    def of_steps(self, first: int, count: int) -> NDArray[np.uint8]:
        """Return the distances of so many steps."""
        blocks = range(first // _STEPS_PER_BLOCK, (first + count - 1) // _STEPS_PER_BLOCK + 1)
        drawn = [
            np.random.Generator(
                np.random.Philox(key=[self._seed, _DISTANCE_STREAM], counter=[0, 0, 0, block])
            ).random(_STEPS_PER_BLOCK)
            for block in blocks
        ]
        start = first % _STEPS_PER_BLOCK
        uniform = np.concatenate(drawn)[start : start + count]
        found = np.searchsorted(self._edges, uniform, side="right") + 1
        return np.asarray(found, dtype=np.uint8)


def threads_of_block(device: KernelDevice, chains: int, fixed: int, each: int) -> int:
    """Return how many threads a block has, each with a chain in the memory they share.

    Parameters
    ----------
    device, chains
        The device, and the number of chains.
    fixed, each
        The bytes of shared memory that a block takes in any case, and those of a chain.

    Raises
    ------
    CapacityError
        If not even one warp fits.
    """
    # A chain is a thread: all multiprocessors take a share of few.
    wanted = min(THREADS, _WARP * -(-chains // (_WARP * device.multiprocessors)))
    fitting = (device.shared_bytes - fixed) // (each * _WARP) * _WARP
    if fitting < _WARP:
        raise CapacityError(
            f"{device.name} has {device.shared_bytes:,} bytes of memory for the threads of a "
            f"block, and {_WARP} chains need {fixed + _WARP * each:,}; use fewer variables"
        )
    return min(wanted, fitting)


def moves_by_name(proposed: Sequence[int], accepted: Sequence[int]) -> dict[str, tuple[int, int]]:
    """Return the numbers of proposed and accepted moves of each kind; relocations if there are any.

    Examples
    --------
    >>> moves_by_name([5, 2, 0], [3, 1, 0])
    {'adjacent': (5, 3), 'swap': (2, 1)}
    """
    kinds = zip(("adjacent", "swap", "relocate"), proposed, accepted, strict=False)
    return {
        name: (int(tried), int(made))
        for name, tried, made in kinds
        if tried > 0 or name != "relocate"
    }


def edges_of_chains(
    tables: OrderTables, found: NDArray[np.float64], chains: int
) -> NDArray[np.float64]:
    """Return sums by node, possible parent and chain as [chain, parent, child]."""
    n = tables.nodes
    by_bit = found.reshape(n, MOST_PARENTS, chains)
    edges = np.zeros((chains, n, n))
    for node, members in enumerate(tables.parents):
        for bit, member in enumerate(members):
            edges[:, member, node] = by_bit[node, bit]
    return edges


def dags_of_chains(tables: OrderTables, found: NDArray[Any], chains: int) -> NDArray[np.uint64]:
    """Return sets of possible parents by node and chain as [chain, node, word]: parents as bits."""
    n = tables.nodes
    by_node = found.reshape(n, chains)
    dags = np.zeros((chains, n, (n + 63) // 64), dtype=np.uint64)
    for node, members in enumerate(tables.parents):
        for bit, member in enumerate(members):
            has = by_node[node] >> np.uint16(bit) & np.uint16(1)
            dags[:, node, member // 64] |= has.astype(np.uint64) << np.uint64(member % 64)
    return dags
