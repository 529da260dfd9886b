"""Markov chains on a device over orders anywhere between linear and canonical ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.gpu.device import KernelDevice, refuse_beyond_device
from arcwise.gpu.kernel_struct import KernelStruct
from arcwise.gpu.order_tables import MOST_PARENTS, DeviceTables, OrderTables
from arcwise.gpu.sampled_orders import POSTERIOR, Point, SampledOrders
from arcwise.gpu.swap_chains import STEPS_PER_LAUNCH, SwapDistances, threads_of_block

UNIT = 2.0**-32  # of weights, in nats
_PENALTY_SCALE = 5.0  # as in core/arcwise/spaces/proposal.hpp
_NUMBER_BITS = np.uint16(0x7FFF)
_MOVES = ("adjacent", "swap", "relocate", "renumber")

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The moves proposed to each chain, by kind, and those accepted, as [kind, chain]."""


def target_of(point: Point) -> tuple[float, float, float]:
    """Return the `Target` of the kernels: with the penalty of a node that has weight zero."""
    inverse, bridge = point
    penalty = math.inf if inverse >= 1.0 else _PENALTY_SCALE * inverse / (1.0 - inverse)
    return inverse, penalty, bridge


class OrderChains:
    """Chains over orders of one model.

    A chain's path is a function of the seed, its number, the number of steps and the targets, on
    any device.

    Parameters
    ----------
    tables
        The score sums, on the device.
    kind
        What the chains do.
    chains
        The number of chains.
    seed
        The seed of all of them.
    first_chain
        The number of the first one.
    point
        Where they begin, at a random order.
    """

    def __init__(
        self,
        tables: DeviceTables,
        kind: SampledOrders,
        chains: int,
        seed: int,
        *,
        first_chain: int = 0,
        point: Point = POSTERIOR,
    ) -> None:
        self.device = device = tables.device
        self.tables = tables.host
        self.kind = kind
        self.chains = chains
        self.point = point
        self.steps = 0
        n = self.tables.nodes
        self.distances = SwapDistances(n, seed, kind.neighbours)
        needed = needed_bytes(self.tables, chains)
        refuse_beyond_device(device, needed, f"a run of {chains:,} chains")
        each = 4 * (-(-n // 4) + 3 * -(-n // 2))
        fixed = 4 * n + 2 * n * n + 8
        self._threads = threads_of_block(device, chains, fixed, each)
        self._shared = fixed + self._threads * each
        self._given = {"nodes": n, "chains": chains, "first_chain": first_chain, "seed": seed}
        self._given |= tables.arrays
        self._state = _state_arrays(device, n, chains)
        own = np.arange(n) if kind.numbers is None else np.asarray(kind.numbers)
        self._state["standings"] = device.upload(np.repeat(own.astype(np.uint16), chains))
        self._log_ratios = device.zeros(chains, np.float64)
        self._accepted = device.zeros(3 * chains, np.uint64)
        self._counts: Counts | None = None
        self._edges: Any = None
        self._parents = device.zeros(n * chains, np.uint16)
        self._drawn = self._numbered = 0
        # Of each chain: swaps of neighbours, of others, and relocations.
        self.proposed = [0, 0, 0]
        self._launch("start_canonical_orders", self.told(), np.uint64(True))

    def told(self, **more: Any) -> KernelStruct:
        """Return the `CanonicalChains` of the kernels, with further arrays and numbers."""
        inverse, penalty, bridge = target_of(self.point)
        fields = {
            **self._given,
            **self._state,
            "distances": None,
            "targets": None,
            "targets_by_step": False,
            "levels": None,
            "groups": 0,
            "before_inverse": inverse,
            "before_penalty": penalty,
            "before_bridge": bridge,
            "log_weights": self._log_ratios,
            "accepted": self._accepted,
        }
        return KernelStruct(self.device, fields | more)

    def _launch(
        self, kernel: str, told: KernelStruct, *arguments: Any, items: int | None = None
    ) -> None:
        blocks = min(-(-(self.chains if items is None else items) // 256), 65535)
        self.device.launch(kernel, blocks, 256, (told.buffer, *arguments))
        self.device.synchronize()  # before what it reads is given back

    def _launch_moves(self, kernel: str, told: KernelStruct, *arguments: Any) -> None:
        """Start a kernel whose threads have their chains in the memory they share."""
        at_once = self.device.blocks_at_once(kernel, self._threads, self._shared)
        blocks = min(-(-self.chains // self._threads), at_once)
        self.device.launch(kernel, blocks, self._threads, (told.buffer, *arguments), self._shared)
        self.device.synchronize()  # before what it reads is given back
        self._counts = None

    def walk(self, steps: int) -> None:
        """Go on for so many steps where the chains are."""
        targets = self.targets([self.point])
        every = self.kind.steps_of_numbering if self.point == POSTERIOR else None
        for piece, due in self._pieces(steps, every):
            self.walk_and_relocate(targets, piece)
            if due:
                self.take_canonical_orders(renumber=True)

    def walk_and_relocate(self, targets: Any, steps: int, **levels: Any) -> None:
        """Go on for so many steps at targets of the device, with relocations in between."""
        for piece, due in self._pieces(steps, self.kind.steps_of_relocation):
            self.walk_at(targets, piece, **levels)
            if due:
                self.relocate(targets, **levels)

    def _pieces(self, steps: int, every: int | None) -> Iterator[tuple[int, bool]]:
        """Yield the steps up to the next multiple of a number of steps, and whether it is met."""
        while steps > 0:
            piece = steps if every is None else min(steps, every - self.steps % every)
            yield piece, every is not None and (self.steps + piece) % every == 0
            steps -= piece

    def relocate(self, targets: Any, **levels: Any) -> None:
        """Draw the place of one node of each chain given the order of the others."""
        told = self.told(targets=targets, **levels)
        self._launch_moves("relocate_canonical_orders", told, np.uint64(self.proposed[2]))
        self.proposed[2] += 1

    def anneal(self, points: Sequence[Point]) -> None:
        """Take a step at each point, the first of which comes after where the chains are."""
        for first in range(0, len(points), STEPS_PER_LAUNCH):
            part = points[first : first + STEPS_PER_LAUNCH]
            self.walk_at(self.targets(part), len(part), targets_by_step=True)
            self.point = part[-1]

    def targets(self, points: Sequence[Point]) -> Any:
        """Return targets in the memory of the device."""
        return self.device.upload(np.array([target_of(point) for point in points]).ravel())

    def walk_at(self, targets: Any, steps: int, **more: Any) -> None:
        """Go on for so many steps at targets of the device, all at the one or as is said."""
        for first in range(0, steps, STEPS_PER_LAUNCH):
            count = min(STEPS_PER_LAUNCH, steps - first)
            distances = self.distances.of_steps(self.steps, count)
            told = self.told(distances=self.device.upload(distances), targets=targets, **more)
            arguments = (np.uint64(self.steps), np.uint64(count))
            self._launch_moves("walk_canonical_orders", told, *arguments)
            near = int((distances == 1).sum())
            self.proposed[0] += near
            self.proposed[1] += count - near
            self.steps += count

    def reweigh(self, point: Point) -> None:
        """Go to another point; log weights change by the log ratios of densities."""
        self.weigh_at(self.targets([point]))
        self.point = point

    def go_to(self, point: Point) -> None:
        """Go to another point; log weights stay."""
        self.weigh_at(self.targets([point]), log_weights=None)
        self.point = point

    def weigh_at(self, targets: Any, **more: Any) -> None:
        """Find weights anew at the one target there is, or where each chain is at its level."""
        self._launch("reweigh_canonical_orders", self.told(targets=targets, **more))

    def observe(self, *, edges: bool = True, draw_dags: bool = False) -> None:
        """Add up the edge probabilities given the states, and draw a DAG given each if asked to.

        Where the chains are linear orders, at the beginning of the bridge, nodes need no parents.
        """
        n = self.tables.nodes
        if edges and self._edges is None:
            self._edges = self.device.zeros(n * MOST_PARENTS * self.chains, np.float64)
        record = KernelStruct(
            self.device,
            {
                "edges": self._edges if edges else None,
                "parents": self._parents if draw_dags else None,
                "needs_recent": self.point[1] > 0.0,
            },
        )
        arguments = (record.buffer, np.uint64(self._drawn))
        self._launch("observe_canonical_orders", self.told(), *arguments, items=self.chains * n)
        self._drawn += draw_dags

    def take_canonical_orders(self, *, renumber: bool = False) -> None:
        """Draw a DAG given each state, and take its canonical order, under new numbers if asked to.

        At the posterior that leaves the law of states and uniform numbers as it is.
        """
        self.observe(edges=False, draw_dags=True)
        arguments = (self._parents, np.uint64(renumber), np.uint64(self._numbered))
        self._launch("number_canonical_orders", self.told(), *arguments)
        self._numbered += 1
        self._counts = None

    def take_states(self, other: OrderChains, places: NDArray[np.uint32]) -> None:
        """Go on where chains are, which may be some of these, by their places there."""
        n, sources = self.tables.nodes, self.device.upload(places)
        # What is copied from must stay until all is copied.
        state = _state_arrays(self.device, n, self.chains) if other is self else self._state
        to = self.told(**state)
        self._launch("copy_canonical_orders", other.told(), to.buffer, sources)
        self._state = state

    def codes(self) -> NDArray[np.uint16]:
        """Return the states as whole numbers, as the core has them."""
        orders = self.orders().astype(np.uint16)
        return np.hstack([orders, self.numbers()]) if self.kind.codes_with_numbers else orders

    def orders(self) -> NDArray[np.uint8]:
        """Return the order of each chain, as [chain, place]."""
        return self._by_chain(self._state["orders"])

    def numbers(self) -> NDArray[np.uint16]:
        """Return the numbers of each chain, as [chain, node]."""
        return self._by_chain(self._state["standings"]) & _NUMBER_BITS

    def _by_chain(self, buffer: Any) -> NDArray[Any]:
        return self.device.download(buffer).reshape(self.tables.nodes, self.chains).T.copy()

    def unit_weights(self) -> NDArray[np.int64]:
        """Return the weights in units, and how many nodes have weight zero, as [chain, 2]."""
        return self.device.download(self._state["weights"]).reshape(self.chains, 2)

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of each chain's state; minus infinity of zero."""
        units, zero_factors = self.unit_weights().T
        return np.asarray(np.where(zero_factors > 0, -np.inf, units * UNIT + self.tables.offset))

    def log_ratios(self) -> NDArray[np.float64]:
        """Return what annealing and `reweigh` have added up for each chain, offsets left out."""
        return self.device.download(self._log_ratios)

    def set_log_ratios(self, values: NDArray[np.float64]) -> None:
        """Begin anew with what is added up."""
        self._log_ratios = self.device.upload(values)

    def annealed(self) -> NDArray[np.float64]:
        """Return the log importance weight of each chain's annealing; orders count alike at 0."""
        return self.log_ratios() + self.tables.offset

    def edges(self) -> NDArray[np.float64]:
        """Return the summed edge probabilities of each chain, as [chain, parent, child].

        Some must have been observed.
        """
        n = self.tables.nodes
        by_bit = self.device.download(self._edges).reshape(n, MOST_PARENTS, self.chains)
        edges = np.zeros((self.chains, n, n))
        for node, bit, parent in self.tables.pairs():
            edges[:, parent, node] = by_bit[node, bit]
        return edges

    def dags(self) -> NDArray[np.uint64]:
        """Return the DAGs drawn last, as [chain, node, word]: parents as bits."""
        n = self.tables.nodes
        sets = self._by_chain(self._parents)
        dags = np.zeros((self.chains, n, (n + 63) // 64), dtype=np.uint64)
        for node, bit, parent in self.tables.pairs():
            has = sets[:, node] >> np.uint16(bit) & np.uint16(1)
            dags[:, node, parent // 64] |= has.astype(np.uint64) << np.uint64(parent % 64)
        return dags

    def counts(self) -> Counts:
        """Return how many moves were proposed and accepted, read once after all moves."""
        if self._counts is None:
            made = self.device.download(self._accepted).reshape(3, self.chains).astype(np.int64)
            numbered = np.full((1, self.chains), self._numbered)
            proposed = np.array([*self.proposed, self._numbered])
            self._counts = proposed, np.concatenate([made, numbered])
        return self._counts

    def moves_since(self, before: Counts, column: int) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of a chain since they were counted."""
        proposed, accepted = self.counts()
        return moves_by_name(proposed - before[0], accepted[:, column] - before[1][:, column])


def moves_by_name(
    proposed: NDArray[np.int64], accepted: NDArray[np.int64]
) -> dict[str, tuple[int, int]]:
    """Return the numbers of proposed and accepted moves of each kind; swaps in any case.

    Examples
    --------
    >>> moves_by_name(np.array([5, 0, 0, 1]), np.array([3, 0, 0, 1]))
    {'adjacent': (5, 3), 'swap': (0, 0), 'renumber': (1, 1)}
    """
    kinds = zip(_MOVES, proposed.tolist(), accepted.tolist(), strict=True)
    return {name: (tried, made) for name, tried, made in kinds if tried > 0 or name in _MOVES[:2]}


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
    return chains * per_chain + len(tables.log_sums) * (8 + 8)
