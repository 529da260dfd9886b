"""Markov chains on a device over orders anywhere between linear and canonical ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
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

UNIT = 2.0**-32  # of weights, in nats
_PENALTY_SCALE = 5.0  # as in core/arcwise/spaces/proposal.hpp
_NUMBER_BITS = np.uint16(0x7FFF)

Point = tuple[float, float]
"""An inverse temperature, and a place on the bridge: 0 for linear orders, 1 for canonical ones."""

POSTERIOR: Point = (1.0, 1.0)
ORDER_POSTERIOR: Point = (1.0, 0.0)


def target_of(point: Point) -> tuple[float, float, float]:
    """Return the `Target` of the kernels: with the penalty of a node that has weight zero."""
    inverse, bridge = point
    penalty = math.inf if inverse >= 1.0 else _PENALTY_SCALE * inverse / (1.0 - inverse)
    return inverse, penalty, bridge


class CanonicalOrderChains:
    """Chains over orders of one model.

    A chain's path is a function of the seed, its number, the number of steps and the targets, on
    any device.

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
    numbers
        The number of each node; None for that of the node itself.
    point
        Where they begin, at a random order.
    steps_of_relocation
        The steps after which a node of each chain is relocated; None for never.
    steps_of_numbering
        The steps after which numbers are drawn anew where the chains are at the posterior, and
        orders become those of DAGs drawn; None for never.
    codes_with_numbers
        Whether codes of states have their numbers after the orders.
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
        numbers: Sequence[int] | None = None,
        point: Point = POSTERIOR,
        steps_of_relocation: int | None = None,
        steps_of_numbering: int | None = None,
        codes_with_numbers: bool = False,
        threads: int | None = None,
    ) -> None:
        n = tables.nodes
        self.tables = tables
        self.chains = chains
        self.point = point
        self.steps = 0
        self._accepted: tuple[int, NDArray[np.uint64]] | None = None
        self.distances = SwapDistances(n, seed, neighbours)
        self.device = device
        self._steps_of_relocation = steps_of_relocation
        self._steps_of_numbering = steps_of_numbering
        self._codes_with_numbers = codes_with_numbers
        refuse_beyond_device(device, needed_bytes(tables, chains), f"a run of {chains:,} chains")
        each = 4 * (-(-n // 4) + 3 * -(-n // 2))
        fixed = 4 * n + 2 * n * n + 8
        if threads is None:
            threads = threads_of_block(device, chains, fixed, each)
        self._threads = threads
        self._shared = fixed + threads * each
        own = np.arange(n) if numbers is None else np.asarray(numbers)
        self._tables: dict[str, Any] = {
            "log_sums": device.upload(tables.relative(tables.log_sums)),
            "log_families": device.upload(tables.relative(tables.log_families)),
            "table_start": device.upload(tables.starts),
            "candidate": device.upload(tables.candidate_bits().ravel()),
        }
        self._state = _state_arrays(device, n, chains)
        self._state["standings"] = device.upload(np.repeat(own.astype(np.uint16), chains))
        self._kept: dict[str, Any] = {
            "log_weights": device.zeros(chains, np.float64),
            "accepted": device.zeros(3 * chains, np.uint64),
        }
        self._numbers = {"nodes": n, "chains": chains, "first_chain": first_chain, "seed": seed}
        self._record: dict[str, Any] = {"parents": device.zeros(n * chains, np.uint16)}
        self.observed = 0  # states whose edges were added up
        self.drawn = 0
        self.numbered = 0
        # Of each chain: swaps of neighbours, of others, and relocations.
        self.proposed = [0, 0, 0]
        self._launch("start_canonical_orders", self.write(), np.uint64(True))

    def set_orders(self, orders: NDArray[np.uint8]) -> None:
        """Go to orders that are given, as [chain, place]."""
        self._state["orders"] = self.device.upload(orders.T.astype(np.uint8).ravel())
        self._launch("start_canonical_orders", self.write(), np.uint64(False))

    def write(self, **more: Any) -> Any:
        """Return the `CanonicalChains` of the kernels, with further arrays and numbers."""
        buffers = {**self._tables, **self._state, **self._kept}
        before = dict(zip(_BEFORE, target_of(self.point), strict=True))
        numbers = {**self._numbers, **{name: _bits_of(each) for name, each in before.items()}}
        fields = []
        for name in _FIELDS:
            value = more.get(name, buffers.get(name, numbers.get(name, 0)))
            fields.append(value if isinstance(value, int) else self.device.address(value))
        return self.device.upload(np.array(fields, dtype=np.uint64))

    def _launch(self, kernel: str, *arguments: Any, items: int | None = None) -> None:
        blocks = min(-(-(self.chains if items is None else items) // 256), 65535)
        self.device.launch(kernel, blocks, 256, arguments)
        self.device.synchronize()  # before what it reads is given back

    def walk(self, steps: int) -> None:
        """Go on for so many steps where the chains are."""
        targets = self.targets([self.point])
        every = self._steps_of_numbering if self.point == POSTERIOR else None
        while steps > 0:
            piece = steps if every is None else min(steps, every - self.steps % every)
            self.walk_and_relocate(targets, piece)
            steps -= piece
            if every is not None and self.steps % every == 0:
                self.take_canonical_orders(renumber=True)

    def walk_and_relocate(self, targets: Any, steps: int, **levels: Any) -> None:
        """Go on for so many steps at targets of the device, with relocations in between."""
        every = self._steps_of_relocation
        while steps > 0:
            piece = steps if every is None else min(steps, every - self.steps % every)
            self.walk_at(targets, piece, **levels)
            steps -= piece
            if every is not None and self.steps % every == 0:
                self.relocate(targets, **levels)

    def relocate(self, targets: Any, **levels: Any) -> None:
        """Draw the place of one node of each chain given the order of the others."""
        arguments = (self.write(targets=targets, **levels), np.uint64(self.proposed[2]))
        kernel, threads = "relocate_canonical_orders", self._threads
        blocks = min(
            -(-self.chains // threads), self.device.blocks_at_once(kernel, threads, self._shared)
        )
        self.device.launch(kernel, blocks, threads, arguments, self._shared)
        self.device.synchronize()  # before what it reads is given back
        self.proposed[2] += 1
        self._accepted = None

    def anneal(self, points: Sequence[Point]) -> None:
        """Take a step at each point, the first of which comes after where the chains are."""
        for first in range(0, len(points), STEPS_PER_LAUNCH):
            part = points[first : first + STEPS_PER_LAUNCH]
            self.walk_at(self.targets(part), len(part), targets_by_step=1)
            self.point = part[-1]

    def targets(self, points: Sequence[Point]) -> Any:
        """Return targets in the memory of the device."""
        return self.device.upload(np.array([target_of(point) for point in points]).ravel())

    def walk_at(self, targets: Any, steps: int, **more: Any) -> None:
        """Go on for so many steps at targets of the device, all at the one or as is said."""
        blocks = min(
            -(-self.chains // self._threads),
            self.device.blocks_at_once("walk_canonical_orders", self._threads, self._shared),
        )
        for first in range(0, steps, STEPS_PER_LAUNCH):
            count = min(STEPS_PER_LAUNCH, steps - first)
            distances = self.distances.of_steps(self.steps, count)
            own = self.device.upload(distances)
            written = self.write(distances=own, targets=targets, **more)
            arguments = (written, np.uint64(self.steps), np.uint64(count))
            self.device.launch(
                "walk_canonical_orders", blocks, self._threads, arguments, self._shared
            )
            near = int((distances == 1).sum())
            self.proposed[0] += near
            self.proposed[1] += count - near
            self.steps += count
            self.device.synchronize()  # before what it reads is given back

    def reweigh(self, point: Point) -> None:
        """Go to another point; log weights change by the log ratios of densities."""
        targets = self.targets([point])  # which is needed until the kernel has ended
        self._launch("reweigh_canonical_orders", self.write(targets=targets))
        self.point = point

    def go_to(self, point: Point) -> None:
        """Go to another point; log weights stay."""
        targets = self.targets([point])  # which is needed until the kernel has ended
        self._launch("reweigh_canonical_orders", self.write(targets=targets, log_weights=0))
        self.point = point

    def observe(self, *, edges: bool = True, draw_dags: bool = False) -> None:
        """Add up the edge probabilities given the states, and draw a DAG given each if asked to.

        Where the chains are linear orders, at the beginning of the bridge, nodes need no parents.
        """
        if edges and "edges" not in self._record:
            size = self.tables.nodes * MOST_PARENTS * self.chains
            self._record["edges"] = self.device.zeros(size, np.float64)
        record = self.device.upload(
            np.array(
                [
                    self.device.address(self._record["edges"]) if edges else 0,
                    self.device.address(self._record["parents"]) if draw_dags else 0,
                    int(self.point[1] > 0.0),
                ],
                dtype=np.uint64,
            )
        )
        self._launch(
            "observe_canonical_orders",
            self.write(),
            record,
            np.uint64(self.drawn),
            items=self.chains * self.tables.nodes,
        )
        self.observed += edges
        self.drawn += draw_dags

    def take_canonical_orders(self, *, renumber: bool = False) -> None:
        """Draw a DAG given each state, and take its canonical order, under new numbers if asked to.

        At the posterior that leaves the law of states and uniform numbers as it is.
        """
        self.observe(edges=False, draw_dags=True)
        arguments = (self._record["parents"], np.uint64(renumber), np.uint64(self.numbered))
        self._launch("number_canonical_orders", self.write(), *arguments)
        self.numbered += 1

    def copy_states(self, sources: NDArray[np.uint32]) -> None:
        """Let each chain go on where another is, by their places here."""
        self.take_states(self, self.device.upload(sources), apart=True)

    def copy_to(self, state: dict[str, Any], chains: int, sources: Any) -> None:
        """Copy the states of some chains to arrays of so many chains."""
        written = self.write(**state, chains=chains)
        self._launch("copy_canonical_orders", self.write(), written, sources, items=chains)

    def take_states(
        self, other: CanonicalOrderChains, sources: Any, *, apart: bool = False
    ) -> None:
        """Take over the states of some of other chains, or of these if kept apart meanwhile."""
        state = _state_arrays(self.device, self.tables.nodes, self.chains) if apart else self._state
        other.copy_to(state, self.chains, sources)
        self._state = state

    def weigh_at(self, targets: Any, **levels: Any) -> None:
        """Find weights anew where each chain is at a level of its own."""
        self._launch("reweigh_canonical_orders", self.write(targets=targets, **levels))

    def codes(self) -> NDArray[np.uint16]:
        """Return the states as whole numbers, as the core has them."""
        orders = self.orders().astype(np.uint16)
        return np.hstack([orders, self.numbers()]) if self._codes_with_numbers else orders

    def orders(self) -> NDArray[np.uint8]:
        """Return the order of each chain, as [chain, place]."""
        found = self.device.download(self._state["orders"])
        return found.reshape(self.tables.nodes, self.chains).T.copy()

    def numbers(self) -> NDArray[np.uint16]:
        """Return the numbers of each chain, as [chain, node]."""
        found = self.device.download(self._state["standings"]) & _NUMBER_BITS
        return found.reshape(self.tables.nodes, self.chains).T.copy()

    def unit_weights(self) -> NDArray[np.int64]:
        """Return the weights in units, and how many nodes have weight zero, as [chain, 2]."""
        return self.device.download(self._state["weights"]).reshape(self.chains, 2)

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of each chain's state; minus infinity of zero."""
        units, impossible = self.unit_weights().T
        return np.asarray(np.where(impossible > 0, -np.inf, units * UNIT + self.tables.offset))

    def log_ratios(self) -> NDArray[np.float64]:
        """Return what annealing and `reweigh` have added up for each chain, offsets left out."""
        return self.device.download(self._kept["log_weights"])

    def annealed(self) -> NDArray[np.float64]:
        """Return the log importance weight of each chain's annealing; orders count alike at 0."""
        return self.log_ratios() + self.tables.offset

    def set_log_ratios(self, values: NDArray[np.float64]) -> None:
        """Begin anew with what is added up."""
        self._kept["log_weights"] = self.device.upload(values)

    def edges(self) -> NDArray[np.float64]:
        """Return the summed edge probabilities of each chain, as [chain, parent, child].

        Some must have been observed.
        """
        found = self.device.download(self._record["edges"])
        return edges_of_chains(self.tables, found, self.chains)

    def dags(self) -> NDArray[np.uint64]:
        """Return the DAGs drawn last, as [chain, node, word]: parents as bits."""
        found = self.device.download(self._record["parents"])
        return dags_of_chains(self.tables, found, self.chains)

    def accepted(self) -> NDArray[np.uint64]:
        """Return how many moves of each chain were accepted, as [kind, chain]; see `proposed`."""
        if self._accepted is None or self._accepted[0] != self.steps:
            found = self.device.download(self._kept["accepted"]).reshape(3, self.chains)
            self._accepted = self.steps, found  # as it is asked for chain by chain
        return self._accepted[1]


_BEFORE = ("before_inverse", "before_penalty", "before_bridge")
_FIELDS = (
    "nodes",
    "chains",
    "first_chain",
    "seed",
    "log_sums",
    "log_families",
    "table_start",
    "candidate",
    "orders",
    "standings",
    "allowed",
    "earlier",
    "weights",
    "distances",
    "targets",
    "targets_by_step",
    "levels",
    "groups",
    *_BEFORE,
    "log_weights",
    "accepted",
)


def _state_arrays(device: KernelDevice, nodes: int, chains: int) -> dict[str, Any]:
    return {
        "orders": device.zeros(nodes * chains, np.uint8),
        "standings": device.zeros(nodes * chains, np.uint16),
        "allowed": device.zeros(nodes * chains, np.uint16),
        "earlier": device.zeros(nodes * chains, np.uint16),
        "weights": device.zeros(2 * chains, np.int64),
    }


def needed_bytes(tables: OrderTables, chains: int) -> int:
    """Return the bytes of the device's memory that chains take, a copy of the states included."""
    per_chain = tables.nodes * (2 * (1 + 2 + 2 + 2) + 2 + 8 * MOST_PARENTS) + 64
    return chains * per_chain + len(tables.units) * (8 + 8)


def _bits_of(number: float) -> int:
    return int(np.array([number]).view(np.uint64)[0])
