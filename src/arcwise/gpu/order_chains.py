"""Markov chains over linear and canonical orders on a device, and the tables they use.

A device works with sums of family weights over the sets of possible parents of each node, and moves
chains by swaps and relocations of nodes. `SampledOrders` derives the moves from a space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, option
from arcwise.gpu.device import KernelDevice, KernelStruct, refuse_beyond_device
from arcwise.gpu.subset_sums import node_lists
from arcwise.records.settings import Path, PathPoint
from arcwise.spaces import CanonicalOrders, Space
from arcwise.support.arrays import logarithms, relative_weights

Point = tuple[float, float]
"""An inverse temperature, and a place on the bridge: 0 for linear orders, 1 for canonical ones."""

POSTERIOR: Point = (1.0, 1.0)
ORDER_POSTERIOR: Point = (1.0, 0.0)


@dataclass(frozen=True)
class SampledOrders:
    """The moves of chains over linear or canonical orders."""

    canonical: bool = True  # whether they follow the modular posterior
    neighbours: float | None = None  # the share of adjacent swaps; None for the default
    numbers: tuple[int, ...] | None = None  # the number of each node, if the space gives it
    steps_of_relocation: int | None = None  # the steps between relocations; None for none
    steps_of_numbering: int | None = None  # the steps between renumberings; None for none
    codes_with_numbers: bool = False  # whether the code of a state includes its numbers

    @classmethod
    def of(
        cls, space: Space, variables: Sequence[str], *, renumbers: bool = False
    ) -> SampledOrders:
        """Return the moves of a space of orders, or refuse those that a device does not support."""
        canonical = isinstance(space, CanonicalOrders)
        moves: Mapping[str, float] | None = getattr(space, "moves", None)
        near = neighbour_share(moves)
        if moves is not None and moves.get("renumber") and not renumbers:
            raise ArgumentError(
                option("device", "gpu"),
                " numbers orders anew in mcmc alone, and the space asks for the move 'renumber'; "
                "leave either out",
            )
        if moves is None:
            n = len(variables)  # the default shares are those of the core
            usual = {"adjacent": 0.5, "swap": 1 / (n / 3 + 2)}
            moves = usual | {"relocate": 1 / (3 * n), "renumber": 1 / (20 * n)} if canonical else {}
        swaps = float(moves.get("adjacent", 0.0)) + float(moves.get("swap", 0.0))

        def steps_between(move: str) -> int | None:
            share = float(moves.get(move, 0.0))
            return max(1, round(swaps / share)) if share > 0.0 else None

        numbering = getattr(space, "numbering", None)
        renumber = steps_between("renumber") if numbering is None else None
        return cls(
            canonical,
            near,
            None if numbering is None else tuple(numbering.index(name) for name in variables),
            steps_between("relocate"),
            renumber if renumbers else None,
            renumber is not None,
        )

    @property
    def posterior(self) -> Point:
        """The point of the posterior."""
        return POSTERIOR if self.canonical else ORDER_POSTERIOR

    def points(self, path: Path) -> list[Point]:
        """Return the points of a path; linear orders are the start of the bridge."""
        return [self._point(point) for point in path]

    def _point(self, point: PathPoint) -> Point:
        inverse, bridge = point if isinstance(point, tuple) else (point, 1.0)
        return float(inverse), float(bridge) if self.canonical else 0.0


def neighbour_share(moves: Mapping[str, float] | None) -> float | None:
    """Return the share of adjacent swaps among the requested moves; None for the default."""
    if moves is None:
        return None
    near, far = float(moves.get("adjacent", 0.0)), float(moves.get("swap", 0.0))
    if near + far == 0.0:
        raise ArgumentError(
            option("device", "gpu"),
            " makes swaps, and the space asks for other moves alone; leave either out",
        )
    return near / (near + far)


MOST_PARENTS = 16  # possible parents of a node, as a set of them has 16 bits


@dataclass(frozen=True)
class OrderTables:
    """The sums and the weights of all nodes, concatenated."""

    # The possible parents of each node; bit i of a set represents the i-th of them.
    parents: tuple[tuple[int, ...], ...]
    starts: NDArray[np.uint32]  # the position of the first set of each node
    # For each set of possible parents: the log sum over its subsets, and its own log weight.
    log_sums: NDArray[np.float64]
    log_families: NDArray[np.float64]
    offset: float  # the log sum over all families of a node, added up over the nodes

    @classmethod
    def of(cls, weights: _core.FamilyTable) -> OrderTables:
        """Return the tables of a model's weights."""
        parents, families, sums = [], [], []
        for node in range(len(weights)):
            lists = node_lists(weights, node)
            if lists is None:
                raise ArgumentError(
                    "no DAG has a positive weight; relax the constraints or the prior"
                )
            members = _members(int(np.bitwise_or.reduce(lists.sets)))
            if len(members) > MOST_PARENTS:
                raise CapacityError(
                    f"a node has {len(members)} possible parents, and chains on a device take up "
                    f"to {MOST_PARENTS}; give fewer candidates"
                )
            own = np.full(1 << len(members), -np.inf)
            place = np.zeros(len(lists.sets), dtype=np.int64)
            for bit, member in enumerate(members):
                place |= (lists.sets >> member & 1) << bit
            own[place] = lists.log_weights + lists.offset
            parents.append(members)
            families.append(own)
            sums.append(_log_sums_over_subsets(own))
        sizes = [len(each) for each in sums]
        return cls(
            tuple(parents),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint32),
            np.concatenate(sums),
            np.concatenate(families),
            float(sum(each[-1] for each in sums)),
        )

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    def relative(self, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return logarithms by set minus the log sum over all families of the node."""
        sizes = np.diff([*self.starts.tolist(), len(logs)])
        last = self.starts.astype(np.int64) + sizes - 1
        return logs - np.repeat(self.log_sums[last], sizes)

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Yield each node with each of its possible parents, as (node, bit, parent)."""
        for node, members in enumerate(self.parents):
            for bit, member in enumerate(members):
                yield node, bit, member


class DeviceTables:
    """The tables in the memory of a device."""

    def __init__(self, device: KernelDevice, host: OrderTables) -> None:
        self.device = device
        self.host = host
        bits = np.zeros((host.nodes, host.nodes), dtype=np.uint16)
        for node, bit, parent in host.pairs():
            bits[node, parent] = 1 << bit
        self.arrays = {
            "log_sums": device.upload(host.relative(host.log_sums)),
            "log_families": device.upload(host.relative(host.log_families)),
            "table_start": device.upload(host.starts),
            "candidate": device.upload(bits.ravel()),
        }


def _members(bits: int) -> tuple[int, ...]:
    return tuple(node for node in range(bits.bit_length()) if bits >> node & 1)


def _log_sums_over_subsets(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = logs.copy()
    half = 1
    while half < len(sums):
        pairs = sums.reshape(-1, 2, half)
        pairs[:, 1] = log_add(pairs[:, 0], pairs[:, 1])
        half *= 2
    return sums


def log_add(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(e^one + e^other), bit-identical on every processor."""
    more, less = np.maximum(one, other), np.minimum(one, other)
    difference = np.where(np.isfinite(less), less, 0.0) - np.where(np.isfinite(less), more, 700.0)
    return np.asarray(more + logarithms(1.0 + relative_weights(difference, 0.0)))


THREADS = 512
MOST_NODES = 256  # nodes of an order, as positions are bytes
STEPS_PER_LAUNCH = 1 << 16
_STEPS_PER_BLOCK = 4096  # steps whose swap distances are drawn together
_DISTANCE_STREAM = 0xD15
_WARP = 32


class SwapDistances:
    """The distance between the two positions that a step swaps: a function of seed and step."""

    def __init__(self, nodes: int, seed: int, neighbours: float | None) -> None:
        self._seed = seed
        usual = 0.5 / (0.5 + 1.0 / (nodes / 3.0 + 2.0))
        near = usual if neighbours is None else neighbours
        distance = np.arange(1, nodes)
        shares = (1.0 - near) * (nodes - distance) / float((nodes - distance).sum())
        shares[0] += near
        self.shares = shares
        self._edges = np.cumsum(shares)[:-1]

    def of_steps(self, first: int, count: int) -> NDArray[np.uint8]:
        """Return the distances of `count` steps."""
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
    """Return the number of threads of a block, each with one chain in shared memory."""
    # Each thread has one chain, and a few chains are divided among all multiprocessors.
    wanted = min(THREADS, _WARP * -(-chains // (_WARP * device.multiprocessors)))
    fitting = (device.shared_bytes - fixed) // (each * _WARP) * _WARP
    if fitting < _WARP:
        raise CapacityError(
            f"{device.name} has {device.shared_bytes:,} bytes of memory for the threads of a "
            f"block, and {_WARP} chains need {fixed + _WARP * each:,}; use fewer variables"
        )
    return min(wanted, fitting)


UNIT = 2.0**-32  # the unit of log weights in nats
_PENALTY_SCALE = 5.0  # as in core/arcwise/spaces/proposal.hpp
_NUMBER_BITS = np.uint16(0x7FFF)
_MOVES = ("adjacent", "swap", "relocate", "renumber")

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The number of proposed moves per chain by kind, and of accepted ones as [kind, chain]."""


def target_of(point: Point) -> tuple[float, float, float]:
    """Return the `Target` of the kernels, with the penalty for a node of weight zero."""
    inverse, bridge = point
    penalty = math.inf if inverse >= 1.0 else _PENALTY_SCALE * inverse / (1.0 - inverse)
    return inverse, penalty, bridge


class OrderChains:
    """Chains over orders of one model.

    The path of a chain is a function of the seed, its number, the number of steps and the targets,
    independent of the device.
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
        # Proposals to each chain: adjacent swaps, other swaps, and relocations.
        self.proposed = [0, 0, 0]
        self._launch("start_canonical_orders", self.as_struct(), np.uint64(True))

    def as_struct(self, **more: Any) -> KernelStruct:
        """Return the structure `CanonicalChains` of the kernels, with further fields."""
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
        self, kernel: str, struct: KernelStruct, *arguments: Any, items: int | None = None
    ) -> None:
        blocks = min(-(-(self.chains if items is None else items) // 256), 65535)
        self.device.launch(kernel, blocks, 256, (struct.buffer, *arguments))
        self.device.synchronize()  # before the memory it reads is released

    def _launch_moves(self, kernel: str, struct: KernelStruct, *arguments: Any) -> None:
        """Launch a kernel whose threads keep their chains in shared memory."""
        at_once = self.device.blocks_at_once(kernel, self._threads, self._shared)
        blocks = min(-(-self.chains // self._threads), at_once)
        self.device.launch(kernel, blocks, self._threads, (struct.buffer, *arguments), self._shared)
        self.device.synchronize()  # before the memory it reads is released
        self._counts = None

    def walk(self, steps: int) -> None:
        """Take the given number of steps at the current point."""
        targets = self.targets([self.point])
        every = self.kind.steps_of_numbering if self.point == POSTERIOR else None
        for piece, due in self._pieces(steps, every):
            self.walk_and_relocate(targets, piece)
            if due:
                self.take_canonical_orders(renumber=True)

    def walk_and_relocate(self, targets: Any, steps: int, **levels: Any) -> None:
        """Take steps at targets of the device, with relocations in between."""
        for piece, due in self._pieces(steps, self.kind.steps_of_relocation):
            self.walk_at(targets, piece, **levels)
            if due:
                self.relocate(targets, **levels)

    def _pieces(self, steps: int, every: int | None) -> Iterator[tuple[int, bool]]:
        """Yield the steps up to each multiple of `every`, and whether the multiple is reached."""
        while steps > 0:
            piece = steps if every is None else min(steps, every - self.steps % every)
            yield piece, every is not None and (self.steps + piece) % every == 0
            steps -= piece

    def relocate(self, targets: Any, **levels: Any) -> None:
        """Draw the position of one node of each chain given the order of the others."""
        struct = self.as_struct(targets=targets, **levels)
        self._launch_moves("relocate_canonical_orders", struct, np.uint64(self.proposed[2]))
        self.proposed[2] += 1

    def anneal(self, points: Sequence[Point]) -> None:
        """Take one step at each point, from the one after the current point on."""
        for first in range(0, len(points), STEPS_PER_LAUNCH):
            part = points[first : first + STEPS_PER_LAUNCH]
            self.walk_at(self.targets(part), len(part), targets_by_step=True)
            self.point = part[-1]

    def targets(self, points: Sequence[Point]) -> Any:
        """Return targets in the memory of the device."""
        return self.device.upload(np.array([target_of(point) for point in points]).ravel())

    def walk_at(self, targets: Any, steps: int, **more: Any) -> None:
        """Take steps at targets of the device: at the only one, or as `more` specifies."""
        for first in range(0, steps, STEPS_PER_LAUNCH):
            count = min(STEPS_PER_LAUNCH, steps - first)
            distances = self.distances.of_steps(self.steps, count)
            struct = self.as_struct(
                distances=self.device.upload(distances), targets=targets, **more
            )
            arguments = (np.uint64(self.steps), np.uint64(count))
            self._launch_moves("walk_canonical_orders", struct, *arguments)
            near = int((distances == 1).sum())
            self.proposed[0] += near
            self.proposed[1] += count - near
            self.steps += count

    def reweigh(self, point: Point) -> None:
        """Move to another point, and add the log density ratios to the log weights."""
        self.weigh_at(self.targets([point]))
        self.point = point

    def go_to(self, point: Point) -> None:
        """Move to another point without changing the log weights."""
        self.weigh_at(self.targets([point]), log_weights=None)
        self.point = point

    def weigh_at(self, targets: Any, **more: Any) -> None:
        """Recompute the weights at the only target, or at the target of each chain's level."""
        self._launch("reweigh_canonical_orders", self.as_struct(targets=targets, **more))

    def observe(self, *, edges: bool = True, draw_dags: bool = False) -> None:
        """Add up the edge probabilities given the states, and optionally draw a DAG given each.

        For linear orders, at the start of the bridge, a node need not have a recent parent.
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
        self._launch(
            "observe_canonical_orders", self.as_struct(), *arguments, items=self.chains * n
        )
        self._drawn += draw_dags

    def take_canonical_orders(self, *, renumber: bool = False) -> None:
        """Replace each state by the canonical order of a DAG drawn given it.

        With `renumber`, nodes receive new uniform numbers. At the posterior, the joint law of
        states and numbers is invariant.
        """
        self.observe(edges=False, draw_dags=True)
        arguments = (self._parents, np.uint64(renumber), np.uint64(self._numbered))
        self._launch("number_canonical_orders", self.as_struct(), *arguments)
        self._numbered += 1
        self._counts = None

    def take_states(self, other: OrderChains, places: NDArray[np.uint32]) -> None:
        """Copy the states of other chains, or of these, given their columns there."""
        n, sources = self.tables.nodes, self.device.upload(places)
        # The source must not change before everything is copied.
        state = _state_arrays(self.device, n, self.chains) if other is self else self._state
        to = self.as_struct(**state)
        self._launch("copy_canonical_orders", other.as_struct(), to.buffer, sources)
        self._state = state

    def codes(self) -> NDArray[np.uint16]:
        """Return the states as integers, in the format of the core."""
        orders = self.orders().astype(np.uint16)
        return np.hstack([orders, self.numbers()]) if self.kind.codes_with_numbers else orders

    def orders(self) -> NDArray[np.uint8]:
        """Return the order of each chain, as [chain, position]."""
        return self._by_chain(self._state["orders"])

    def numbers(self) -> NDArray[np.uint16]:
        """Return the numbers of each chain, as [chain, node]."""
        return self._by_chain(self._state["standings"]) & _NUMBER_BITS

    def _by_chain(self, buffer: Any) -> NDArray[Any]:
        return self.device.download(buffer).reshape(self.tables.nodes, self.chains).T.copy()

    def unit_weights(self) -> NDArray[np.int64]:
        """Return log weights in units, and the numbers of nodes of weight zero, as [chain, 2]."""
        return self.device.download(self._state["weights"]).reshape(self.chains, 2)

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of each chain's state, minus infinity for weight zero."""
        units, zero_factors = self.unit_weights().T
        return np.asarray(np.where(zero_factors > 0, -np.inf, units * UNIT + self.tables.offset))

    def log_ratios(self) -> NDArray[np.float64]:
        """Return the log ratios accumulated by annealing and `reweigh`, without offsets."""
        return self.device.download(self._log_ratios)

    def set_log_ratios(self, values: NDArray[np.float64]) -> None:
        """Reset the accumulated log ratios to these values."""
        self._log_ratios = self.device.upload(values)

    def annealed(self) -> NDArray[np.float64]:
        """Return the log importance weight of each annealed chain; orders are uniform at 0."""
        return self.log_ratios() + self.tables.offset

    def edges(self) -> NDArray[np.float64]:
        """Return the edge probabilities summed over states, as [chain, parent, child]."""
        n = self.tables.nodes
        by_bit = self.device.download(self._edges).reshape(n, MOST_PARENTS, self.chains)
        edges = np.zeros((self.chains, n, n))
        for node, bit, parent in self.tables.pairs():
            edges[:, parent, node] = by_bit[node, bit]
        return edges

    def dags(self) -> NDArray[np.uint64]:
        """Return the DAGs drawn last, as [chain, node, word], with parents as bits."""
        n = self.tables.nodes
        sets = self._by_chain(self._parents)
        dags = np.zeros((self.chains, n, (n + 63) // 64), dtype=np.uint64)
        for node, bit, parent in self.tables.pairs():
            has = sets[:, node] >> np.uint16(bit) & np.uint16(1)
            dags[:, node, parent // 64] |= has.astype(np.uint64) << np.uint64(parent % 64)
        return dags

    def counts(self) -> Counts:
        """Return the numbers of proposed and accepted moves, read from the device once."""
        if self._counts is None:
            made = self.device.download(self._accepted).reshape(3, self.chains).astype(np.int64)
            numbered = np.full((1, self.chains), self._numbered)
            proposed = np.array([*self.proposed, self._numbered])
            self._counts = proposed, np.concatenate([made, numbered])
        return self._counts

    def moves_since(self, before: Counts, column: int) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of a chain since `before`."""
        proposed, accepted = self.counts()
        return moves_by_name(proposed - before[0], accepted[:, column] - before[1][:, column])


def moves_by_name(
    proposed: NDArray[np.int64], accepted: NDArray[np.int64]
) -> dict[str, tuple[int, int]]:
    """Return the numbers of proposed and accepted moves of each kind; swaps are always included.

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
    """Return the bytes of device memory that chains need, including a copy of the states."""
    per_chain = tables.nodes * (2 * (1 + 2 + 2 + 2) + 2 + 8 * MOST_PARENTS) + 64
    return chains * per_chain + len(tables.log_sums) * (8 + 8)
