"""The families of all nodes, cut into pieces for the threads of a device.

The layout is that of `core/arcwise/kernels/family_sums.hpp`: families with the same low parents
form pieces of about the root of their number, pieces of about the same length stand in groups of
32, and the k-th families of a group side by side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core

PIECES_PER_GROUP = 32
MOST_PIECES = 2048  # of a node, while it can be: their sums are shared memory


@dataclass(frozen=True)
class NodeLists:
    """The families of a node that have a positive weight.

    Parameters
    ----------
    sets
        Their parents, as bits.
    log_weights
        Their log weights less `offset`.
    places
        Their places in the family table.
    offset
        The log weight of the heaviest one.
    """

    sets: NDArray[np.int64]
    log_weights: NDArray[np.float64]
    places: NDArray[np.int64]
    offset: float


def node_lists(table: _core.FamilyTable, node: int) -> NodeLists | None:
    """Return the families of a node; None if none has a positive weight."""
    flat, offsets = table.parent_sets(node)
    values = np.array(table.values(node))
    ends = np.concatenate([[0], np.cumsum(np.int64(1) << flat.astype(np.int64))])
    sets = ends[offsets[1:].astype(np.int64)] - ends[offsets[:-1].astype(np.int64)]
    places = np.flatnonzero(np.isfinite(values))
    if len(places) == 0:
        return None
    offset = float(values.max())
    return NodeLists(sets[places], values[places] - offset, places, offset)


@dataclass(frozen=True)
class FamilyPieces:
    """All nodes' pieces, as arrays for the device; see `Families` of the kernels.

    Parameters
    ----------
    arrays
        Those of the structure by their names, in its order, up to `entry_high`.
    entry_logs
        The log weight of each entry, minus infinity where there is no family.
    entries
        For each node, the entries of its families, in their order.
    """

    arrays: dict[str, NDArray[Any]]
    entry_logs: NDArray[np.float64]
    entries: tuple[NDArray[np.int64], ...]

    @property
    def most_pieces(self) -> int:
        """The largest number of pieces of a node."""
        return int(np.diff(self.arrays["node_pieces"].astype(np.int64)).max())


def cut_into_pieces(nodes: list[NodeLists], low: int) -> FamilyPieces:
    """Lay out the families of all nodes for tiles over the first `low` of them."""
    cuts = [_NodePieces(node, low) for node in nodes]
    first_entries = _starts(cut.size for cut in cuts)
    first_listed = _starts(len(cut.listed_pieces) for cut in cuts)
    groups = [cut.group_entries + first for cut, first in zip(cuts, first_entries, strict=False)]
    pieces = [cut.place_pieces + first for cut, first in zip(cuts, first_listed, strict=False)]
    arrays: dict[str, NDArray[Any]] = {
        "node_pieces": _starts(cut.pieces for cut in cuts).astype(np.uint32),
        "group_entries": np.concatenate(groups).astype(np.uint64),
        "group_length": np.concatenate([cut.group_length for cut in cuts]).astype(np.uint32),
        "piece_place": np.concatenate([cut.piece_place for cut in cuts]).astype(np.uint16),
        "place_pieces": np.concatenate(pieces).astype(np.uint32),
        "listed_pieces": np.concatenate([cut.listed_pieces for cut in cuts]).astype(np.uint16),
        "entry_high": np.concatenate([cut.high for cut in cuts]),
    }
    logs = np.concatenate([cut.logs for cut in cuts])
    entries = (cut.entries + first for cut, first in zip(cuts, first_entries, strict=False))
    return FamilyPieces(arrays, logs, tuple(entries))


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where parts of these sizes begin one after another, and where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)


class _NodePieces:
    """The pieces of one node, numbered from 0; so are groups, entries and listed pieces."""

    def __init__(self, node: NodeLists, low: int) -> None:
        place = node.sets & ((1 << low) - 1)
        order = np.lexsort((node.sets >> low, place))
        sizes = np.bincount(place, minlength=1 << low)
        length = _piece_lengths(sizes)
        counts = -(-sizes // length)
        first_piece = np.concatenate([[0], np.cumsum(counts)])
        first_family = np.concatenate([[0], np.cumsum(sizes)])
        sorted_place = place[order]
        rank = np.arange(len(order)) - first_family[sorted_place]
        piece = first_piece[sorted_place] + rank // length[sorted_place]
        within = rank % length[sorted_place]
        total = int(first_piece[-1])
        piece_sizes = np.bincount(piece, minlength=total)
        by_length = np.argsort(-piece_sizes, kind="stable")
        number = np.empty(total, dtype=np.int64)
        number[by_length] = np.arange(total)

        groups = -(-total // PIECES_PER_GROUP)
        self.pieces = groups * PIECES_PER_GROUP
        self.group_length = piece_sizes[by_length[::PIECES_PER_GROUP]]
        ends = np.cumsum(self.group_length * PIECES_PER_GROUP)
        self.group_entries = np.concatenate([[0], ends[:-1]])
        self.size = int(ends[-1])
        self.piece_place = np.zeros(self.pieces, dtype=np.int64)
        self.piece_place[number] = np.repeat(np.arange(1 << low), counts)
        self.place_pieces = first_piece  # pieces by place, in the order they were made
        self.listed_pieces = number
        own = number[piece]
        self.entries = np.empty(len(order), dtype=np.int64)
        self.entries[order] = (
            self.group_entries[own // PIECES_PER_GROUP]
            + within * PIECES_PER_GROUP
            + own % PIECES_PER_GROUP
        )
        self.high = np.zeros(self.size, dtype=np.uint32)
        self.high[self.entries] = node.sets >> low
        self.logs = np.full(self.size, -np.inf)
        self.logs[self.entries] = node.log_weights


def _piece_lengths(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how long the pieces of each place are: the root, or more if there are too many."""
    factor = 1.0
    while True:
        length = np.maximum(1, np.ceil(factor * np.sqrt(sizes))).astype(np.int64)
        pieces = int((-(-sizes // length)).sum())
        if pieces <= max(MOST_PIECES - PIECES_PER_GROUP, int((sizes > 0).sum())):
            return length
        factor *= 1.25
