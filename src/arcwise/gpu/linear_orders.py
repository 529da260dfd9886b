"""Markov chains over linear orders on a device, thousands at a time, and annealing of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.gpu.device import KernelDevice, refuse_beyond_device
from arcwise.gpu.order_tables import MOST_PARENTS, OrderTables
from arcwise.gpu.swap_chains import (
    STEPS_PER_LAUNCH,
    SwapDistances,
    dags_of_chains,
    edges_of_chains,
    threads_of_block,
)


class LinearOrderChains:
    """Chains over linear orders of one model.

    A chain's path is a function of the seed, its number and the number of steps, on any device.

    Parameters
    ----------
    device
        The device.
    tables
        The score sums.
    chains
        The number of chains.
    seed
        The seed of all of them.
    first_chain
        The number of the first one.
    neighbours
        The probability that a step swaps neighbours; None for the usual one.
    threads
        The threads of a block; None for what suits the number of chains.
    """

    def __init__(
        self,
        device: KernelDevice,
        tables: OrderTables,
        chains: int,
        seed: int,
        *,
        first_chain: int = 0,
        neighbours: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.tables = tables
        self.chains = chains
        self.steps = 0
        self._accepted: tuple[int, NDArray[np.uint64]] | None = None
        self._device = device
        n = tables.nodes
        self.distances = SwapDistances(n, seed, neighbours)
        refuse_beyond_device(device, needed_bytes(tables, chains), f"a run of {chains:,} chains")
        each = 4 * (-(-n // 4) + -(-n // 2))
        fixed = 4 * n + 2 * n * n + 8
        if threads is None:
            threads = threads_of_block(device, chains, fixed, each)
        self._threads = threads
        state = threads * each
        self._shared = len(tables.units) * 4 + fixed + state
        shared_tables = self._shared <= device.shared_bytes
        if not shared_tables:
            self._shared = fixed + state
        self._kept: dict[str, Any] = {
            "tables": device.upload(tables.units),
            "table_start": device.upload(tables.starts),
            "candidate": device.upload(tables.candidate_bits().ravel()),
            "orders": device.zeros(n * chains, np.uint8),
            "predecessors": device.zeros(n * chains, np.uint16),
            "weights": device.zeros(chains, np.int64),
            "log_weights": device.zeros(chains, np.float64),
            "accepted": device.zeros(2 * chains, np.uint64),
        }
        self._numbers: dict[str, int] = {
            "nodes": n,
            "chains": chains,
            "first_chain": first_chain,
            "seed": seed,
            "table_size": len(tables.units),
            "tables_are_shared": int(shared_tables),
            "unit": _bits_of(tables.unit),
        }
        self._record: dict[str, Any] = {
            "log_sums": device.upload(tables.log_sums),
            "log_families": device.upload(tables.log_families),
            "edges": device.zeros(n * MOST_PARENTS * chains, np.float64),
            "log_weight": device.zeros(n * chains, np.float64),
            "parents": device.zeros(n * chains, np.uint16),
        }
        self.observed = 0  # states whose edges were added up
        self.drawn = 0
        self.proposed = [0, 0]  # of each chain: swaps of neighbours, and of others
        blocks = min(-(-chains // threads), 65535)
        device.launch("start_orders", blocks, threads, (self._write(),))

    def _write(self, **more: int) -> Any:
        fields = [
            self._device.address(self._kept[name])
            if name in self._kept
            else {**self._numbers, **more}.get(name, 0)
            for name in _FIELDS
        ]
        return self._device.upload(np.array(fields, dtype=np.uint64))

    def walk(self, steps: int) -> None:
        """Go on for so many steps."""
        self._walk(steps, None)

    def anneal(self, inverse_temperatures: NDArray[np.float64]) -> None:
        """Take a step at each inverse temperature, the first of which comes after 0."""
        self._walk(len(inverse_temperatures), inverse_temperatures)

    def _walk(self, steps: int, inverse_temperatures: NDArray[np.float64] | None) -> None:
        blocks = min(
            -(-self.chains // self._threads),
            self._device.blocks_at_once("walk_orders", self._threads, self._shared),
        )
        for first in range(0, steps, STEPS_PER_LAUNCH):
            count = min(STEPS_PER_LAUNCH, steps - first)
            distances = self.distances.of_steps(self.steps, count)
            own = self._device.upload(distances)
            more = {"distances": self._device.address(own)}
            if inverse_temperatures is not None:
                part = self._device.upload(inverse_temperatures[first : first + count])
                more["inverse_temperatures"] = self._device.address(part)
                before = 0.0 if first == 0 else float(inverse_temperatures[first - 1])
                more["inverse_before"] = _bits_of(before)
            arguments = (self._write(**more), np.uint64(self.steps), np.uint64(count))
            self._device.launch("walk_orders", blocks, self._threads, arguments, self._shared)
            near = int((distances == 1).sum())
            self.proposed[0] += near
            self.proposed[1] += count - near
            self.steps += count
            self._device.synchronize()  # before what it reads is given back

    def observe(self, *, edges: bool = True, draw_dags: bool = False) -> None:
        """Add up the edge probabilities given the states, and draw a DAG given each if asked to."""
        left_out = {"edges": not edges, "parents": not draw_dags}
        fields = [
            0 if left_out.get(name, False) else self._device.address(buffer)
            for name, buffer in self._record.items()
        ]
        record = self._device.upload(np.array(fields, dtype=np.uint64))
        blocks = min(-(-self.chains * self.tables.nodes // 256), 65535)
        self._device.launch(
            "observe_orders", blocks, 256, (self._write(), record, np.uint64(self.drawn))
        )
        self.observed += edges
        self.drawn += draw_dags
        self._device.synchronize()

    def codes(self) -> NDArray[np.uint16]:
        """Return the states as whole numbers, as the core has them."""
        return self.orders().astype(np.uint16)

    def orders(self) -> NDArray[np.uint8]:
        """Return the order of each chain, as [chain, place]."""
        found = self._device.download(self._kept["orders"])
        return found.reshape(self.tables.nodes, self.chains).T.copy()

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of the order of each chain, as last observed."""
        each = self._device.download(self._record["log_weight"])
        return np.asarray(each.reshape(self.tables.nodes, self.chains).sum(axis=0))

    def unit_weights(self) -> NDArray[np.int64]:
        """Return the weights as the chains know them, in units."""
        return self._device.download(self._kept["weights"])

    def annealed(self) -> NDArray[np.float64]:
        """Return the log importance weight of each chain's annealing; orders count alike at 0."""
        return self._device.download(self._kept["log_weights"]) + self.tables.offset

    def edges(self) -> NDArray[np.float64]:
        """Return the summed edge probabilities of each chain, as [chain, parent, child]."""
        found = self._device.download(self._record["edges"])
        return edges_of_chains(self.tables, found, self.chains)

    def dags(self) -> NDArray[np.uint64]:
        """Return the DAGs drawn last, as [chain, node, word]: parents as bits."""
        found = self._device.download(self._record["parents"])
        return dags_of_chains(self.tables, found, self.chains)

    def accepted(self) -> NDArray[np.uint64]:
        """Return how many swaps of each chain were accepted: of neighbours, and of others."""
        if self._accepted is None or self._accepted[0] != self.steps:
            found = self._device.download(self._kept["accepted"]).reshape(2, self.chains)
            self._accepted = self.steps, found  # as it is asked for chain by chain
        return self._accepted[1]


_FIELDS = (
    "nodes",
    "chains",
    "first_chain",
    "seed",
    "tables",
    "table_start",
    "table_size",
    "tables_are_shared",
    "candidate",
    "orders",
    "predecessors",
    "weights",
    "distances",
    "inverse_temperatures",
    "log_weights",
    "inverse_before",
    "unit",
    "accepted",
)


def needed_bytes(tables: OrderTables, chains: int) -> int:
    """Return the bytes of the device's memory that chains take."""
    per_chain = tables.nodes * (1 + 2 + 8 + 2 + 8 * MOST_PARENTS) + 32
    return chains * per_chain + len(tables.units) * (4 + 8 + 8)


def _bits_of(number: float) -> int:
    return int(np.array([number]).view(np.uint64)[0])
