"""Markov chains over linear orders on a device, thousands at a time, and annealing of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.gpu.device import KernelDevice, refuse_beyond_device
from arcwise.gpu.order_tables import MOST_PARENTS, OrderTables

THREADS = 512
_STEPS_PER_LAUNCH = 1 << 16
_STEPS_PER_BLOCK = 4096  # of the distances of swaps, which are drawn block by block
_DISTANCE_STREAM = 0xD15


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
        if threads is None:
            # A chain is a thread: all multiprocessors take a share of few.
            threads = min(THREADS, 32 * -(-chains // (32 * device.multiprocessors)))
        self.tables = tables
        self.chains = chains
        self.steps = 0
        self._device = device
        self._seed = seed
        self._threads = threads
        n = tables.nodes
        usual = 0.5 / (0.5 + 1.0 / (n / 3.0 + 2.0))
        self._neighbours = usual if neighbours is None else neighbours
        refuse_beyond_device(device, needed_bytes(tables, chains), f"a run of {chains:,} chains")
        state = 4 * threads * (-(-n // 4) + -(-n // 2))
        fixed = 4 * n + 2 * n * n + 8
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
        for first in range(0, steps, _STEPS_PER_LAUNCH):
            count = min(_STEPS_PER_LAUNCH, steps - first)
            distances = self._distances(self.steps, count)
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

    def _distances(self, first_step: int, count: int) -> NDArray[np.uint8]:
        """Return how far apart the places are that steps swap, a function of seed and step."""
        n = self.tables.nodes
        apart = np.arange(1, n)
        shares = (1.0 - self._neighbours) * (n - apart) / float((n - apart).sum())
        shares[0] += self._neighbours
        edges = np.cumsum(shares)[:-1]
        blocks = range(
            first_step // _STEPS_PER_BLOCK, (first_step + count - 1) // _STEPS_PER_BLOCK + 1
        )
        drawn = [
            np.random.Generator(
                np.random.Philox(key=[self._seed, _DISTANCE_STREAM], counter=[0, 0, 0, block])
            ).random(_STEPS_PER_BLOCK)
            for block in blocks
        ]
        start = first_step % _STEPS_PER_BLOCK
        uniform = np.concatenate(drawn)[start : start + count]
        found = np.searchsorted(edges, uniform, side="right") + 1
        return np.asarray(found, dtype=np.uint8)

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
        n = self.tables.nodes
        found = self._device.download(self._record["edges"]).reshape(n, MOST_PARENTS, self.chains)
        edges = np.zeros((self.chains, n, n))
        for node, members in enumerate(self.tables.parents):
            for bit, member in enumerate(members):
                edges[:, member, node] = found[node, bit]
        return edges

    def dags(self) -> NDArray[np.uint64]:
        """Return the DAGs drawn last, as [chain, node, word]: parents as bits."""
        n = self.tables.nodes
        found = self._device.download(self._record["parents"]).reshape(n, self.chains)
        dags = np.zeros((self.chains, n, (n + 63) // 64), dtype=np.uint64)
        for node, members in enumerate(self.tables.parents):
            for bit, member in enumerate(members):
                has = found[node] >> np.uint16(bit) & np.uint16(1)
                dags[:, node, member // 64] |= has.astype(np.uint64) << np.uint64(member % 64)
        return dags

    def accepted(self) -> NDArray[np.uint64]:
        """Return how many swaps of each chain were accepted: of neighbours, and of others."""
        return self._device.download(self._kept["accepted"]).reshape(2, self.chains)


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
