"""The swaps of chains over orders on a device, and the threads that make them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import CapacityError
from arcwise.gpu.device import KernelDevice

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
