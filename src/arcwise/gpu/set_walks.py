"""The sets of variables that kernels score: families of nodes, or all sets up to a size.

A kernel finds the members of a set from its number; see `core/arcwise/kernels/set_walks.hpp`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.families.families import Families, subsets
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.kernel_struct import KernelStruct

_NO_NODE = 2**64 - 1

Tell = Callable[[int], None]
"""A function that receives how many sets are scored; it may end the computation by raising."""


@dataclass(frozen=True)
class SetWalk:
    """Sets that are made alike, in the order in which a family table has them.

    Parameters
    ----------
    node
        Whose families these are; None if the sets themselves are scored.
    pool, most
        Any of these variables, up to so many.
    required
        Variables of all sets, besides the node.
    others
        One of these is in every set, if there are any.
    """

    node: int | None
    pool: tuple[int, ...]
    most: int
    required: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return the number of sets."""
        return subsets(len(self.pool), self.most) * max(1, len(self.others))

    @property
    def largest(self) -> int:
        """The number of members of the largest set."""
        fixed = len(self.required) + (self.node is not None) + bool(self.others)
        return fixed + min(self.most, len(self.pool))

    def most_cells(self, level_counts: Sequence[int]) -> int:
        """Return the number of cells of the largest contingency table of a set."""
        pool = sorted((level_counts[each] for each in self.pool), reverse=True)[: self.most]
        fixed = [level_counts[each] for each in self.required]
        other = max((level_counts[each] for each in self.others), default=1)
        own = 1 if self.node is None else level_counts[self.node]
        return math.prod([*pool, *fixed, other, own])


Target = tuple[SetWalk, NDArray[np.float64]]
"""A walk, and where the scores of its sets go."""


def walks_of_node(families: Families, node: int) -> tuple[SetWalk, SetWalk | None]:
    """Return the families of a node without outside parents, and those with one, if any."""
    pool, required = families.candidates[node], families.required[node]
    most, outside = families.max_free[node], families.outside[node]
    plus_one = None
    if outside and most > 0:
        plus_one = SetWalk(node, pool, most - 1, required, outside)
    return SetWalk(node, pool, most, required), plus_one


class WalksOnDevice:
    """Walks as the kernels see them, and the scores of their sets.

    Parameters
    ----------
    device
        The device.
    targets
        The walks, and where the scores go.
    fields
        What the kernels are told after the walks, before the array of the scores.
    at_once
        The number of sets that are scored between reports of progress.
    """

    def __init__(
        self,
        device: KernelDevice,
        targets: Sequence[Target],
        fields: Mapping[str, Any],
        at_once: int,
    ) -> None:
        self._device = device
        self._targets = targets
        ends = np.cumsum([len(walk) for walk, _ in targets])
        self._starts = [0, *ends.tolist()]
        self._at_once = min(at_once, self._starts[-1])
        self._values = device.zeros(self._at_once, np.float64)
        rows: list[tuple[int, ...]] = []
        variables: list[int] = []
        tables: dict[tuple[int, int], int] = {}
        below: list[NDArray[np.uint64]] = []
        for start, (walk, _) in zip(self._starts[:-1], targets, strict=True):
            key = (len(walk.pool), min(walk.most, len(walk.pool)))
            if key not in tables:
                tables[key] = sum(len(each) for each in below)
                below.append(_sets_below(*key))
            node = _NO_NODE if walk.node is None else walk.node
            sizes = (len(walk.pool), len(walk.required), len(walk.others), key[1])
            rows.append((start, node, len(variables), *sizes, tables[key]))
            variables += [*walk.pool, *walk.required, *walk.others]
        self._told = KernelStruct(
            device,
            {
                "walks": len(targets),
                "list": device.upload(np.array(rows, dtype=np.uint64).reshape(-1)),
                "numbers": device.upload(np.array(variables or [0], dtype=np.uint32)),
                "below": device.upload(np.concatenate(below)),
                **fields,
                "values": self._values,
            },
        )

    def score(
        self, kernel: str, blocks_of: Callable[[int], int], threads: int, shared: int, tell: Tell
    ) -> None:
        """Score all sets, and put the scores where they go.

        Parameters
        ----------
        kernel, threads, shared
            The kernel, the threads of a block and the bytes that they share.
        blocks_of
            The blocks for so many sets.
        tell
            Is told how many sets are scored.
        """
        total = self._starts[-1]
        for first in range(0, total, self._at_once):
            count = min(self._at_once, total - first)
            arguments = (self._told.buffer, np.uint64(first), np.uint64(count))
            self._device.launch(kernel, blocks_of(count), threads, arguments, shared)
            found = self._device.download(self._values, 0, count)
            for start, (walk, values) in zip(self._starts, self._targets, strict=False):
                begin, end = max(first, start), min(first + count, start + len(walk))
                if begin < end:
                    values[begin - start : end - start] = found[begin - first : end - first]
            tell(count)


def _sets_below(elements: int, most: int) -> NDArray[np.uint64]:
    """Return the number of sets of up to so many members below an element, [size][element]."""
    table = [
        [subsets(element, size) for element in range(elements + 1)] for size in range(most + 1)
    ]
    return np.array(table, dtype=np.uint64).reshape(-1)
