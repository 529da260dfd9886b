"""What the exact computations over all subsets share on a device.

Wide numbers represent positive reals of nearly any size in 64 bits, in the format of
`core/arcwise/kernels/wide.hpp`. The families of each node are laid out for the threads of the
device as in `core/arcwise/kernels/family_sums.hpp`: families with the same low parents are cut into
pieces of about the square root of their number, pieces of similar length form groups of 32, and the
k-th families of the pieces of a group are stored side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, NumericalError
from arcwise.gpu.device import KernelDevice

MANTISSA_BITS = 45
BIAS = 1 << 17
RELATIVE_ROUNDING = 2.0 ** -(MANTISSA_BITS + 1)


def wide_from_logs(logs: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the numbers with these natural logarithms; too small ones become zero.

    Examples
    --------
    >>> logs_of_wide(wide_from_logs(np.array([0.0, -1000.0, -np.inf]))).round(9).tolist()
    [0.0, -1000.0, -inf]
    """
    finite = np.isfinite(logs)
    factor, exponent = factors_and_exponents(np.where(finite, logs, 0.0))
    mantissa = np.rint((factor - 1.0) * 2.0**MANTISSA_BITS).astype(np.int64)
    place = exponent.astype(np.int64) + BIAS
    # A mantissa that is rounded up to 2 carries into the exponent.
    bits = (place << MANTISSA_BITS) + mantissa
    return np.where(finite & (place > 0), bits, 0).astype(np.uint64)


def factors_and_exponents(
    logs: NDArray[np.float64],
) -> tuple[NDArray[np.longdouble], NDArray[np.longdouble]]:
    """Return numbers, given as logarithms, as factors in [1, 2) and powers of two."""
    # Extended precision, since logarithms of thousands of nats have few digits after the point,
    # none of which should be lost.
    in_bits = logs.astype(np.longdouble) / np.log(np.longdouble(2.0))
    exponents = np.floor(in_bits)
    return np.exp2(in_bits - exponents), exponents


def logs_of_wide(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return natural logarithms, minus infinity of zero."""
    whole = bits.astype(np.int64)
    exponent = (whole >> MANTISSA_BITS) - BIAS
    mantissa = 1.0 + (whole & ((1 << MANTISSA_BITS) - 1)) / 2.0**MANTISSA_BITS
    logs = exponent * np.log(2.0) + np.log(mantissa)
    return np.asarray(np.where(bits == 0, -np.inf, logs), dtype=np.float64)


PIECES_PER_GROUP = 32
MOST_PIECES = 2048  # pieces of a node, if possible, as their sums are in shared memory


@dataclass(frozen=True)
class NodeLists:
    """The families of a node that have a positive weight."""

    sets: NDArray[np.int64]  # their parents, as bits
    log_weights: NDArray[np.float64]  # their log weights less `offset`
    places: NDArray[np.int64]  # their places in the family table
    offset: float  # the log weight of the heaviest one


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
    """The pieces of all nodes, as arrays for the device; see `Families` of the kernels."""

    # The fields of the structure by name, in its order, up to `entry_high`.
    arrays: dict[str, NDArray[Any]]
    # The log weight of each entry, minus infinity where it has no family.
    entry_logs: NDArray[np.float64]
    # The entries of the families of each node, in their order.
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
    """Return the start of each of several consecutive parts, and the end of the last one."""
    return np.cumsum([0, *sizes], dtype=np.int64)


class _NodePieces:
    """The pieces, groups, entries and listed pieces of one node, each numbered from 0."""

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
        self.place_pieces = first_piece  # pieces by place, before sorting by length
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
    """Return the length of the pieces of each place: the square root of the size, or more."""
    factor = 1.0
    while True:
        length = np.maximum(1, np.ceil(factor * np.sqrt(sizes))).astype(np.int64)
        pieces = int((-(-sizes // length)).sum())
        if pieces <= max(MOST_PIECES - PIECES_PER_GROUP, int((sizes > 0).sum())):
            return length
        factor *= 1.25


Listener = Callable[[float], None] | None


@dataclass(frozen=True)
class DevicePosterior:
    """The posterior obtained from the sums over all subsets."""

    # The log of the summed weights of all DAGs; in the order-modular case, a DAG counts once for
    # each topological order.
    log_weight: float
    # The probabilities of the families of each node, in the form of the family table.
    families: _core.FamilyTable
    edges: NDArray[np.float64]  # the probability of each edge, as [parent, child]
    error: float  # an estimate of the largest error of a probability

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

        The error is the larger of `error` and the largest deviation of the sum for a node from 1,
        plus `rounding`.
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
    """A computation over all subsets of the nodes of one model, on one device."""

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

    def _report(self, progress: Listener, share: float) -> None:
        if progress is not None:
            self._device.synchronize()  # kernels run asynchronously
            progress(share)

    def _entry(self, buffer: Any, place: int) -> Any:
        """Return one entry of an array of the device; place -1 is that of the whole set."""
        return self._device.download(buffer, place % (1 << self._nodes), 1)[0]


def stretch(progress: Listener, begin: float, end: float) -> Listener:
    """Return a listener that reports the share of one part as a share of the whole."""
    if progress is None:
        return None
    return lambda share: progress(begin + (end - begin) * share)


def families_of_nodes(weights: _core.FamilyTable) -> list[NodeLists]:
    """Return the families of all nodes; refuse a model in which a node has none."""
    lists = [node_lists(weights, node) for node in range(len(weights))]
    if any(each is None for each in lists):
        raise impossible_model()
    return [each for each in lists if each is not None]


def sets_by_size(device: KernelDevice, nodes: int) -> list[tuple[Any, int]]:
    """Return the sets of each size, on the device, and their number."""
    order, starts = sorted_by_size(nodes)
    return [
        (device.upload(order[start:end]), int(end - start))
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


def sorted_by_size(nodes: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return all subsets of `nodes` nodes by size, and the boundaries between the sizes."""
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
