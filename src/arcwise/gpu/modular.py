"""The exact modular posterior on a device: evidence, families and edges.

The sums alpha, H, B and the shares of all sets are stored; see
`core/arcwise/kernels/modular_tables.hpp`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.gpu.device import KernelDevice, KernelStruct, refuse_beyond_device
from arcwise.gpu.subset_sums import (
    DevicePosterior,
    Listener,
    NodeLists,
    SubsetComputation,
    bit_counts,
    factors_and_exponents,
    impossible_model,
    sets_by_size,
    sorted_by_size,
    stretch,
)

MOST_VARIABLES = 28  # 80 GiB
LOW = 7
THREADS = 256
_LANES = 256  # threads of a block that work on one set, as in the kernels
_PRODUCTS_BITS = 8
_KINDS_OF_SUMS = 2 + _PRODUCTS_BITS  # not counting those of far nodes
_BLOCKS_OF_TABLES = 4096  # items that a block processes at a time
_EPSILON = float(np.finfo(np.float64).eps)


def needed_bytes(nodes: int, families: int) -> int:
    """Return an upper bound on the bytes of device memory that the tables need."""
    sums_and_shares = nodes * (8 + 4 + 8) << max(nodes - 1, 0)
    return sums_and_shares + ((8 + 8 + 4) << nodes) + families * (4 + 8 + 4 + 8)


class ModularComputation(SubsetComputation):
    """The tables of the modular posterior of one model, on one device."""

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
            needed_bytes(self._nodes, self._families),
            f"the exact modular posterior of {self._nodes} variables",
        )
        sets, sums = 1 << self._nodes, self._nodes << (self._nodes - 1)
        self._scales = device.zeros(sets, np.int32)
        self._on = device.zeros(sets, np.float64)
        self._beyond = device.zeros(sets, np.float64)
        pairs, pair_starts = _pairs_by_added(self._low)
        self._pairs = len(pairs)
        places, starts = sorted_by_size(self._low)
        self._tables = KernelStruct(
            device,
            {
                "nodes": self._nodes,
                "low": self._low,
                "mantissas": device.zeros(sums, np.float64),
                "exponents": device.zeros(sums, np.int32),
                "scales": self._scales,
                "on": self._on,
                "beyond": self._beyond,
                "shares": device.zeros(sums, np.float64),
                "binomials": device.upload(_binomials(self._nodes)),
                "pairs": device.upload(pairs),
                "pair_starts": device.upload(pair_starts),
                "level_places": device.upload(places),
                "level_starts": device.upload(starts),
                "ternary": device.upload(_ternary(self._low)),
                "inverse_total": 0.0,
            },
        )
        self._listed = [self._list_on_device(node) for node in range(self._nodes)]

    def posterior(self, progress: Listener = None) -> DevicePosterior:
        """Return the evidence, and the probabilities of families and edges."""
        log_weight, mismatch = self._fill(stretch(progress, 0.0, 0.6))
        total = float(self._entry(self._on, -1))
        self._tables.write(inverse_total=1.0 / total)
        far_kinds = _KINDS_OF_SUMS + max(0, self._nodes - 2 * _PRODUCTS_BITS)
        sizes = range(self._nodes)
        self._by_size("fill_modular_shares", sizes, far_kinds, stretch(progress, 0.6, 1.0))
        # The whole set has no nodes outside it, and its entry still contains H.
        squares = float(self._device.download(self._on, 0, (1 << self._nodes) - 1).sum())
        self._over_sums("divide_modular_shares")
        for bit in range(self._nodes - 1):
            self._over_sums("add_modular_sums", np.uint64(bit), np.uint64(0))
        probabilities = []
        for struct, buffer in self._listed:
            self._over_tables("find_modular_probabilities", 1, struct.buffer)
            probabilities.append(self._device.download(buffer))
        # As on processors, a term is rounded once for each factor and each sum that contains it,
        # and logarithms are rounded in proportion to their size.
        terms = _EPSILON * (self._nodes + 4) * math.sqrt(squares)
        return DevicePosterior.of_families(
            self._weights,
            self._lists,
            probabilities,
            log_weight=log_weight,
            error=max(mismatch, terms),
            rounding=_EPSILON * (512.0 * self._nodes + abs(log_weight - self._offset)),
        )

    def _fill(self, progress: Listener) -> tuple[float, float]:
        """Fill all but the shares; return the log weight and the relative difference of H and B."""
        for struct, _ in self._listed:
            self._over_tables("place_modular_families", 1, struct.buffer)
        for bit in range(self._nodes - 1):
            self._over_sums("add_modular_sums", np.uint64(bit), np.uint64(1))
        sizes = range(self._nodes + 1)
        for size in sizes:
            count = math.comb(self._nodes, size)
            blocks = -(-count // _BLOCKS_OF_TABLES)
            self._over_tables("fill_modular_scales", blocks, np.uint64(size), np.uint64(count))
        self._by_size("fill_modular_beyond", sizes[::-1], 1, stretch(progress, 0.0, 0.5))
        beyond = float(self._entry(self._beyond, 0))
        if not beyond > 0.0:
            raise impossible_model()
        self._fill_on(stretch(progress, 0.5, 1.0))
        on, scale = float(self._entry(self._on, -1)), int(self._entry(self._scales, -1))
        if not on > 0.0:
            raise impossible_model()
        return math.log(on) + scale * math.log(2.0) + self._offset, abs(beyond / on - 1.0)

    def _fill_on(self, progress: Listener) -> None:
        sets = 1 << self._low
        shared = 8 * (2 * self._pairs + self._low * sets // 2 + sets)
        shared += 4 * (self._pairs + self._low * sets // 2 + sets + 2)
        high = self._nodes - self._low
        done = 0
        for size, (high_sets, count) in enumerate(sets_by_size(self._device, high)):
            self._over_tables("fill_modular_on", count, high_sets, np.uint64(count), shared=shared)
            done += count << size
            self._report(progress, done / 3**high)

    def _by_size(self, kernel: str, sizes: range, kinds: int, progress: Listener) -> None:
        """Launch a kernel for the sets of each size, with memory for `kinds` kinds of sums."""
        shared = 8 * _LANES * (4 + kinds)
        done = 0
        for size in sizes:
            count = math.comb(self._nodes, size)
            self._over_tables(kernel, count, np.uint64(size), np.uint64(count), shared=shared)
            done += count << (self._nodes - size)
            self._report(progress, min(1.0, (done + 1) / 3**self._nodes))

    def _over_sums(self, kernel: str, *arguments: Any) -> None:
        sums = self._nodes << (self._nodes - 1)
        self._over_tables(kernel, -(-sums // _BLOCKS_OF_TABLES), *arguments)

    def _over_tables(self, kernel: str, blocks: int, *arguments: Any, shared: int = 0) -> None:
        self._launch(kernel, blocks, self._tables.buffer, *arguments, shared=shared)

    def _list_on_device(self, node: int) -> tuple[KernelStruct, Any]:
        """Return the structure `ListedFamilies` of a node, and the array of their probabilities."""
        families = self._lists[node]
        mantissas, exponents = _mantissas_and_exponents(families)
        below = (1 << node) - 1
        places = (families.sets & below) | (families.sets >> 1 & ~below)
        probabilities = self._device.zeros(len(places), np.float64)
        struct = KernelStruct(
            self._device,
            {
                "node": node,
                "count": len(places),
                "places": self._device.upload(places.astype(np.uint32)),
                "mantissas": self._device.upload(mantissas),
                "exponents": self._device.upload(exponents),
                "probabilities": probabilities,
            },
        )
        return struct, probabilities


def _mantissas_and_exponents(families: NodeLists) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the weights of families as numbers in [1, 2) times powers of two."""
    factors, exponents = factors_and_exponents(families.log_weights)
    mantissas = factors.astype(np.float64)
    up = mantissas >= 2.0
    return np.where(up, 1.0, mantissas), (exponents + up).astype(np.int32)


def _binomials(nodes: int) -> NDArray[np.uint32]:
    """Return the binomial coefficients, as [size (nodes + 1) + of]."""
    table = [[math.comb(of, size) for of in range(nodes + 1)] for size in range(nodes + 1)]
    return np.array(table, dtype=np.uint32).reshape(-1)


def _ternary(low: int) -> NDArray[np.uint32]:
    """Return all sets of low nodes with their bits read as digits in base three."""
    sets = np.arange(1 << low, dtype=np.uint32)
    result = np.zeros_like(sets)
    for bit in range(low):
        result += (sets >> np.uint32(bit) & np.uint32(1)) * np.uint32(3**bit)
    return result


def _pairs_by_added(low: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return all disjoint pairs U | T << 16 by the size of T, and the start of each size."""
    sets = np.arange(1 << low, dtype=np.uint32)
    before, added = (each.reshape(-1) for each in np.meshgrid(sets, sets))
    disjoint = before & added == 0
    before, added = before[disjoint], added[disjoint]
    sizes = bit_counts(added)
    order = np.argsort(sizes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(sizes))]).astype(np.uint32)
    return (before | added << np.uint32(16))[order], starts
