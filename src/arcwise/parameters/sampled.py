"""The distinct families of sampled DAGs, and the index of each DAG's families among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, Wording, option
from arcwise.graphs.dag import Dag
from arcwise.graphs.linear_extensions import packed_parents
from arcwise.posterior import DagSample, Posterior
from arcwise.support.arrays import row_numbers
from arcwise.support.checks import MOST_INT, whole_number
from arcwise.support.edges import topological_order
from arcwise.support.names import quoted

Dags = Posterior | DagSample | Dag
"""A source of DAGs: a posterior with sampled DAGs, a sample, or a single DAG."""


@dataclass(frozen=True, eq=False)
class SampledFamilies:
    """The families of weighted DAGs."""

    # The distinct parent sets of each node, as ascending positions.
    parents: tuple[tuple[tuple[int, ...], ...], ...]
    places: NDArray[np.int32]  # for each DAG and node, the index of its parent set among these
    shares: NDArray[np.float64]  # the weight of each DAG; they sum to 1
    chains: NDArray[np.int64] | None  # the chain each DAG is from, or None

    def __len__(self) -> int:
        """Return the number of DAGs."""
        return len(self.places)

    def distinct(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the places of each distinct DAG, and the index of each DAG among these."""
        return self._distinct

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        number, _ = row_numbers(self.places, list(map(len, self.parents)), 1 << 40)
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        return self.places[first], which.reshape(-1)

    @cached_property
    def bits(self) -> DagBits:
        """The parents and ancestors in each distinct DAG."""
        return DagBits(self, self.distinct()[0])

    @cached_property
    def ancestors_in_any(self) -> NDArray[np.bool_]:
        """Ancestors in the union of the DAGs, as [ancestor, node], each node itself included."""
        n = len(self.parents)
        above = np.eye(n, dtype=np.bool_)
        for node, parent_sets in enumerate(self.parents):
            for parents in parent_sets:
                above[list(parents), node] = True
        while True:
            further = (above.astype(np.int64) @ above.astype(np.int64)) > 0
            if (further == above).all():
                return above
            above = further

    def most_parents(self) -> int:
        """Return the size of the largest parent set."""
        return max(len(members) for of_node in self.parents for members in of_node)


class DagBits:
    """The parents and ancestors of each node of each DAG, as bits of Python integers."""

    def __init__(self, families: SampledFamilies, places: NDArray[np.int32]) -> None:
        sets = [[sum(1 << u for u in members) for members in own] for own in families.parents]
        self.parents: list[list[int]] = []
        self.ancestors: list[list[int]] = []
        for row in places.tolist():
            parents = [sets[node][place] for node, place in enumerate(row)]
            ancestors: list[int | None] = [None] * len(parents)
            for node in range(len(parents)):
                _add_ancestors(node, parents, ancestors)
            self.parents.append(parents)
            self.ancestors.append([found or 0 for found in ancestors])


def _add_ancestors(node: int, parents: list[int], ancestors: list[int | None]) -> None:
    """Set the ancestors, including the node itself, of a node and of all its ancestors."""
    waiting = [node]
    while waiting:
        last = waiting[-1]
        above = [u for u in members_of(parents[last]) if ancestors[u] is None]
        if above:
            waiting.extend(above)
            continue
        found = 1 << last
        for u in members_of(parents[last]):
            found |= ancestors[u] or 0
        ancestors[last] = found
        waiting.pop()


def members_of(bits: int) -> list[int]:
    """Return the positions of the set bits, the lowest first."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def sampled_families(posterior: Dags, variables: Sequence[str]) -> SampledFamilies:
    """Return the families of the DAGs of a posterior, which must have the model's variables."""
    dags = dags_of(posterior)
    if tuple(dags.variables) != tuple(variables):
        raise ArgumentError(
            f"the DAGs have the variables {quoted(dags.variables)}, but the model has "
            f"{quoted(variables)}; give the model the posterior was computed from"
        )
    n = len(variables)
    parents, places = [], np.empty((len(dags), n), dtype=np.int32)
    for node in range(n):
        distinct, place = np.unique(_whole_words(dags.parents[:, node]), return_inverse=True)
        places[:, node] = place.reshape(-1)
        bytes_of = np.ascontiguousarray(distinct).view(np.uint8).reshape(len(distinct), -1)
        bits = np.unpackbits(bytes_of, axis=1, count=n, bitorder="little")
        ends = np.cumsum(bits.sum(axis=1, dtype=np.int64)).tolist()
        members = np.nonzero(bits)[1].tolist()
        parents.append(tuple(tuple(members[a:b]) for a, b in pairwise([0, *ends])))
    return SampledFamilies(tuple(parents), places, dags.shares, dags.chains)


def in_order(parents: Mapping[int, tuple[int, ...]]) -> list[int]:
    """Return some nodes, given with their parents, in a topological order."""
    every = range(max(parents, default=-1) + 1)
    among = [[u for u in parents.get(node, ()) if u in parents] for node in every]
    return [node for node in topological_order(among) if node in parents]


def not_dags(posterior: object) -> ArgumentError:
    """Return the error about an object that is not a source of DAGs."""
    return ArgumentError(
        f"posterior is of type {type(posterior).__name__}; give a Posterior, a DagSample or a Dag"
    )


def _whole_words(packed: NDArray[np.uint64]) -> NDArray[np.generic]:
    """Return each row of words as one sortable value, which is fast for one word."""
    packed = packed.astype("<u8", copy=False)
    if packed.shape[1] == 1:
        return packed[:, 0]
    row = np.dtype((np.void, packed.shape[1] * packed.itemsize))
    return np.ascontiguousarray(packed).view(row)[:, 0]


def draws_for_each(draws: int | None, dags: int, in_all: int, at_most: int = MOST_INT) -> int:
    """Return the number of draws for each DAG, by default `in_all` divided by the DAGs."""
    if draws is None:
        return -(-in_all // dags)
    return whole_number(draws, option("draws"), at_least=1, at_most=at_most)


def dags_of(posterior: Dags) -> DagSample:
    """Return the DAGs of a posterior, or refuse a posterior without any."""
    if isinstance(posterior, DagSample):
        return posterior
    if isinstance(posterior, Dag):
        return DagSample(posterior.variables, packed_parents(posterior))
    if not isinstance(posterior, Posterior):
        raise not_dags(posterior)
    if posterior.dags is None or len(posterior.dags) == 0:
        raise ArgumentError(
            "the posterior has no sampled DAGs; ",
            Wording(
                "compute it with arcwise.exact(model, dags=10_000), or by a sampler",
                "use a folder written by learn or sample",
            ),
        )
    return posterior.dags
