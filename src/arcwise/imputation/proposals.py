"""What moves over DAGs and cells propose: other DAGs, with the ratio of the ways back and there.

A proposal is chosen by a law that does not depend on the state, and then says which DAG it leads to
from the one of now, how probable the way back is beside the way there, and in how many steps cells
may be led over. What was learned from the burn-in of all chains, the parent sets that were met and
the edges that go together, stays the same afterwards, so that chains keep their law.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.families import Families

Parents: TypeAlias = Sequence[tuple[int, ...]]
"""The parents of each node."""


def other_edge(
    parents: Parents, u: int, v: int, random: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Return parents with another edge between two nodes: one of none, u -> v and v -> u.

    Each of the two others is as probable, so that the way back is.
    """
    now = 1 if u in parents[v] else 2 if v in parents[u] else 0
    then = (now + int(random.integers(1, 3))) % 3
    return with_edges(parents, {(u, v): then})


def with_edges(
    parents: Parents, edges: Mapping[tuple[int, int], int]
) -> tuple[tuple[int, ...], ...]:
    """Return parents with these edges between pairs of nodes."""
    new = list(parents)
    for (u, v), state in edges.items():
        new[v] = _with(new[v], u, present=state == 1)
        new[u] = _with(new[u], v, present=state == 2)
    return tuple(new)


def _with(parents: tuple[int, ...], other: int, *, present: bool) -> tuple[int, ...]:
    rest = {parent for parent in parents if parent != other}
    return tuple(sorted(rest | {other} if present else rest))


def same_adjacencies(one: Parents, other: Parents) -> bool:
    """Return whether two DAGs join the same pairs of nodes, in whatever direction."""
    return _adjacencies(one) == _adjacencies(other)


def _adjacencies(parents: Parents) -> set[tuple[int, int]]:
    return {
        (min(node, parent), max(node, parent))
        for node, others in enumerate(parents)
        for parent in others
    }


def allowed(families: Families, node: int, parents: tuple[int, ...]) -> bool:
    """Return whether a node may have these parents."""
    required = set(families.required[node])
    free = set(parents) - required
    outside = free - set(families.candidates[node])
    return (
        required <= set(parents)
        and len(free) <= families.max_free[node]
        and (not outside or (len(outside) == 1 and outside <= set(families.outside[node])))
    )


def reaches(parents: Parents, source: int, target: int) -> bool:
    """Return whether a directed path leads from one node to another."""
    above, waiting = {target}, [target]
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent == source:
                return True
            if parent not in above:
                above.add(parent)
                waiting.append(parent)
    return False


# A move leads cells over in one of these numbers of steps, any as probable: few are cheap, and more
# are needed the more the missing cells would say about a family. Each number gets about as much
# time as the others.
_STEPS = (1, 1, 4, 4, 4, 4, 4, 4, 16, 16, 16, 64)
_STEPS_OF_FAMILIES = (1, 1, 1, 1, 4, 4, 4, 4, 4, 4, 16, 16, 16, 16, 64)
_STEPS_OF_EDGES = (1, 4, 4, 16, 16, 64)

_MOST_PAIRS = 64
# How much pairs with a node in common go together, beside those that always change together.
_NEARNESS = 0.02
# How often edges are proposed that were not met together, beside those that were.
_UNMET = 0.1
_EDGE_STATES = 3
_MOST_TOGETHER = 4
# Laws that are kept, and else found again from the DAGs that were met.
_MOST_LAWS = 500


class Proposed(NamedTuple):
    """A DAG, with the log probability of proposing back less that of proposing it."""

    parents: Parents
    log_ratio: float


class Proposal(Protocol):
    """Leads from a DAG to another one, by chance."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of steps that cells are led over in, each as probable."""

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return where it leads from a DAG; None if nowhere else."""


class KnownFamilies:
    """Parent sets that chains have met, alone and with those of other nodes.

    Where modes differ in the parents of several nodes, none of which can change alone, chains in
    different modes show which nodes these are: their parent sets depend on each other over the DAGs
    of all chains.
    """

    def __init__(self, seen: NDArray[np.float64], worth: NDArray[np.float64]) -> None:
        n = seen.shape[1]
        self._sets: list[list[tuple[int, ...]]] = []
        self._numbers = np.zeros((len(seen), n), dtype=np.int64)
        for node in range(n):
            sets, numbers = np.unique(seen[:, :, node] > 0.0, axis=0, return_inverse=True)
            self._sets.append([tuple(np.flatnonzero(each).tolist()) for each in sets])
            self._numbers[:, node] = numbers.reshape(-1)
        others = [len(sets) > 1 for sets in self._sets]
        self._worth = np.where(others, worth.sum(axis=0) + worth.sum(axis=1), 0.0)
        self._attraction = np.zeros((n, n))
        for one in np.flatnonzero(self._worth).tolist():
            for other in range(one):
                if self._worth[other] > 0.0:
                    depends = self._dependence(one, other)
                    self._attraction[one, other] = depends * self._worth[other]
                    self._attraction[other, one] = depends * self._worth[one]
        self._laws: dict[tuple[int, ...], _JointShares] = {}

    def __bool__(self) -> bool:
        """Return whether some node was met with different parents."""
        return bool(self._worth.any())

    def chosen(self, random: np.random.Generator) -> tuple[int, ...]:
        """Return some nodes, whatever the state is."""
        return _chosen(self._worth, self._attraction, int(random.integers(_MOST_TOGETHER)), random)

    def drawn(
        self, nodes: tuple[int, ...], random: np.random.Generator
    ) -> tuple[tuple[int, ...], ...]:
        """Return parent sets of nodes, drawn with their share."""
        return self._law(nodes).drawn(random)

    def log_share(self, nodes: tuple[int, ...], sets: tuple[tuple[int, ...], ...]) -> float:
        """Return how probable parent sets of nodes are; minus infinity if one is not known."""
        return self._law(nodes).log_share(sets)

    def _alone(self, node: int) -> NDArray[np.float64]:
        """Return the share of each parent set of a node.

        Those that were met often have less than in proportion, as chains may have been elsewhere
        for too short a time.
        """
        roots = np.sqrt(np.bincount(self._numbers[:, node]))
        return np.asarray(roots / roots.sum())

    def _dependence(self, one: int, other: int) -> float:
        """Return how much the parent sets of two nodes depend on each other, from 0 to 1.

        Cramér's V, squared, less what independent draws would have on average.
        """
        sizes = len(self._sets[one]), len(self._sets[other])
        joint = np.zeros(sizes)
        np.add.at(joint, (self._numbers[:, one], self._numbers[:, other]), 1.0)
        joint /= joint.sum()
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        squares = float((joint**2 / apart).sum()) - 1.0
        squares -= (sizes[0] - 1) * (sizes[1] - 1) / max(1, len(self._numbers) - 1)
        return max(squares, 0.0) / (min(sizes) - 1) + _NEARNESS

    # Chains on other threads ask as well, and may clear what is kept at any moment.
    def _law(self, nodes: tuple[int, ...]) -> _JointShares:
        law = self._laws.get(nodes)
        if law is None:
            if len(self._laws) >= _MOST_LAWS:
                self._laws.clear()
            alone = [self._alone(node) for node in nodes]
            law = _JointShares([self._sets[node] for node in nodes], alone, self._numbers[:, nodes])
            self._laws[nodes] = law
        return law


class _JointShares:
    """The law of the parent sets of some nodes: mostly as met together, else each alone."""

    def __init__(
        self,
        sets: list[list[tuple[int, ...]]],
        alone: list[NDArray[np.float64]],
        numbers: NDArray[np.int64],
    ) -> None:
        self._sets, self._alone = sets, alone
        met, counts = np.unique(numbers, axis=0, return_counts=True)
        self._met = [tuple(each) for each in met.tolist()]
        roots = np.sqrt(counts)
        self._shares = roots / roots.sum()
        self._places = {each: place for place, each in enumerate(self._met)}

    def drawn(self, random: np.random.Generator) -> tuple[tuple[int, ...], ...]:
        if random.choice(2, p=(1.0 - _UNMET, _UNMET)):
            found = tuple(int(random.choice(len(each), p=each)) for each in self._alone)
        else:
            found = self._met[int(random.choice(len(self._met), p=self._shares))]
        return tuple(sets[number] for sets, number in zip(self._sets, found, strict=True))

    def log_share(self, asked: tuple[tuple[int, ...], ...]) -> float:
        if any(each not in sets for each, sets in zip(asked, self._sets, strict=True)):
            return -math.inf
        found = tuple(sets.index(each) for each, sets in zip(asked, self._sets, strict=True))
        share = _UNMET * math.prod(
            float(each[number]) for each, number in zip(self._alone, found, strict=True)
        )
        if found in self._places:
            share += (1.0 - _UNMET) * float(self._shares[self._places[found]])
        return math.log(share)


class KnownEdges:
    """Edges that chains have met, and how those of several pairs of nodes go together.

    Where modes differ in several edges, none of which can change alone, chains in different modes
    show which edges these are: their presence is correlated over the DAGs of all chains.
    """

    def __init__(self, seen: NDArray[np.float64], worth: NDArray[np.float64]) -> None:
        u, v = np.triu_indices(seen.shape[1], 1)
        states = np.where(seen[:, u, v] > 0.0, 1, np.where(seen[:, v, u] > 0.0, 2, 0))
        present = (states > 0).astype(np.float64)
        spread = present.std(axis=0)
        each = np.where(spread > 0.0, (worth + worth.T)[u, v], 0.0)
        best = np.argsort(-each, kind="stable")[:_MOST_PAIRS]
        best = np.sort(best[each[best] > 0.0])
        self.pairs = list(zip(u[best].tolist(), v[best].tolist(), strict=True))
        self._states = states[:, best]
        self._worth = each[best]
        deviations = (present[:, best] - present[:, best].mean(axis=0)) / spread[best]
        correlations = deviations.T @ deviations / max(1, len(states))
        ends = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        near = (ends[:, np.newaxis, :, np.newaxis] == ends[:, np.newaxis]).any(axis=(2, 3))
        self._attraction = (correlations**2 + _NEARNESS * near) * self._worth
        np.fill_diagonal(self._attraction, 0.0)
        self._shares: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def __bool__(self) -> bool:
        """Return whether there are two pairs at least."""
        return len(self.pairs) > 1

    def chosen(self, random: np.random.Generator) -> tuple[int, ...]:
        """Return two pairs or more, by their numbers and whatever the state is."""
        further = int(random.integers(1, _MOST_TOGETHER))
        return _chosen(self._worth, self._attraction, further, random)

    def shares(self, places: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how probable each state of some pairs is proposed, the first pair slowest."""
        shares = self._shares.get(places)
        if shares is None:
            if len(self._shares) >= _MOST_LAWS:
                self._shares.clear()
            number = np.zeros(len(self._states), dtype=np.int64)
            for place in places:
                number = _EDGE_STATES * number + self._states[:, place]
            met = np.sqrt(np.bincount(number, minlength=_EDGE_STATES ** len(places)))
            shares = (1.0 - _UNMET) * met / met.sum() + _UNMET / len(met)
            self._shares[places] = shares
        return shares


@dataclass(frozen=True)
class OtherEdge:
    """Another edge between two nodes: each of the two others is as probable."""

    u: int
    v: int
    steps: ClassVar[tuple[int, ...]] = _STEPS

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return the DAG with one of the two others."""
        return Proposed(other_edge(parents, self.u, self.v, random), 0.0)


@dataclass(frozen=True)
class OtherEnd:
    """An edge of a node leads to the other one of two nodes, in any direction.

    There is no such DAG if the node has edges to both or to neither. The way back is as probable.
    """

    node: int
    ends: tuple[int, int]
    steps: ClassVar[tuple[int, ...]] = _STEPS

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return the DAG with the edge led over, if the node has an edge to just one."""
        adjacent = [u in parents[self.node] or self.node in parents[u] for u in self.ends]
        forward = bool(random.integers(2))
        if adjacent[0] == adjacent[1]:
            return None
        old, end = self.ends if adjacent[0] else reversed(self.ends)
        edges = {(self.node, old): 0, (self.node, end): 1 if forward else 2}
        return Proposed(with_edges(parents, edges), 0.0)


@dataclass(frozen=True)
class TurnedFamily:
    """A family turned round.

    Of an edge u -> v, the node v gets the parents of u, and u what is left of the parents of v,
    with v in its own place: what several nodes do together may be said by any of them. The edge is
    drawn, each as probable as others. The DAG reached has as many edges, among them v -> u, which
    leads back, so that the way back is as probable. A covered edge is just reversed.
    """

    steps: ClassVar[tuple[int, ...]] = _STEPS

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return the DAG with a family turned round, if it has an edge."""
        edges = [(parent, node) for node, others in enumerate(parents) for parent in others]
        if not edges:
            return None
        u, v = edges[int(random.integers(len(edges)))]
        new = list(parents)
        new[u] = _with(_with(parents[v], u, present=False), v, present=True)
        new[v] = parents[u]
        return Proposed(new, 0.0)


@dataclass(frozen=True)
class OtherParents:
    """Other parents of some nodes, drawn from those known, whatever they are now.

    Parent sets are drawn with their share q, so that back and there have q(old) / q(new); from a
    set that is not known, no way leads back.
    """

    known: KnownFamilies
    nodes: tuple[int, ...]
    steps: ClassVar[tuple[int, ...]] = _STEPS_OF_FAMILIES

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return the DAG with known parent sets."""
        before = tuple(parents[node] for node in self.nodes)
        log_back = self.known.log_share(self.nodes, before)
        after = self.known.drawn(self.nodes, random)
        if after == before or log_back == -math.inf:
            return None
        new = list(parents)
        for node, others in zip(self.nodes, after, strict=True):
            new[node] = others
        return Proposed(new, log_back - self.known.log_share(self.nodes, after))


@dataclass(frozen=True)
class OtherEdges:
    """Other edges of some pairs at once, drawn from those known to go together.

    The state of these pairs, each without an edge or with one in one of two directions, is drawn
    with its share q, whatever it is now, so that back and there have q(old) / q(new). Every state
    has a share, so that there is always a way back.
    """

    known: KnownEdges
    places: tuple[int, ...]
    steps: ClassVar[tuple[int, ...]] = _STEPS_OF_EDGES

    def proposed(self, parents: Parents, random: np.random.Generator) -> Proposed | None:
        """Return the DAG with other edges of the pairs."""
        shares = self.known.shares(self.places)
        pairs = [self.known.pairs[place] for place in self.places]
        now = 0
        for u, v in pairs:
            now = _EDGE_STATES * now + (1 if u in parents[v] else 2 if v in parents[u] else 0)
        then = int(random.choice(len(shares), p=shares))
        if then == now:
            return None
        rest, states = then, []
        for _ in pairs:
            rest, state = divmod(rest, _EDGE_STATES)
            states.append(state)
        new = with_edges(parents, dict(zip(pairs, reversed(states), strict=True)))
        return Proposed(new, math.log(shares[now]) - math.log(shares[then]))


def _chosen(
    worth: NDArray[np.float64],
    attraction: NDArray[np.float64],
    further: int,
    random: np.random.Generator,
) -> tuple[int, ...]:
    """Return one place by its worth, and further ones by how much those before attract them."""
    places = [int(random.choice(len(worth), p=worth / worth.sum()))]
    for _ in range(further):
        weights = attraction[places].sum(axis=0)
        weights[places] = 0.0
        if not weights.sum() > 0.0:
            break
        places.append(int(random.choice(len(weights), p=weights / weights.sum())))
    return tuple(sorted(places))
