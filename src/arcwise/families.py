"""Families: which parent sets each node may have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._names import checked_variables, positions
from arcwise.constraints import Constraints
from arcwise.constraints.edges import edge_matrix, read_edges
from arcwise.errors import ArgumentError, CapacityError

_BYTES_PER_FAMILY = 8
_MOST_FAMILIES = 2**31  # 16 GiB


@dataclass(frozen=True)
class Families:
    """The parent sets each node may have: required parents, and some of its candidates.

    Parameters
    ----------
    variables
        The names of the nodes.
    candidates
        For each node the parents it may or may not have, as ascending positions.
    required
        For each node the parents it must have, as ascending positions.
    max_free
        For each node the largest number of candidates in one parent set.

    Examples
    --------
    >>> Families.of(["a", "b", "c", "d"], max_indegree=2).total
    28
    >>> Families.of(["a", "b", "c"], required_edges=[("a", "b")]).count("b")
    2
    """

    variables: tuple[str, ...]
    candidates: tuple[tuple[int, ...], ...]
    required: tuple[tuple[int, ...], ...]
    max_free: tuple[int, ...]

    @classmethod
    def of(
        cls,
        variables: Sequence[str],
        *,
        max_indegree: int | Mapping[str, int] | None = None,
        candidates: Any = None,
        required_edges: Any = (),
        forbidden_edges: Any = (),
        temporal_order: Any = None,
        constraints: Any = None,
    ) -> Families:
        """Return all families that the constraints and the candidates leave.

        Parameters
        ----------
        variables
            The names of the nodes.
        max_indegree
            The largest number of parents, for all nodes or by name; None for no bound.
        candidates
            The only parents a node may have besides the required ones: what
            `arcwise.candidates` returns, a mapping from names to lists of
            names, or edges in any form `Constraints` takes (a matrix
            [parent, node], a graph, pairs). A node a mapping leaves out has no
            candidates. None for all nodes.
        required_edges, forbidden_edges, temporal_order
            See `Constraints`.
        constraints
            Further constraints in one object: `Constraints`, a mapping, a pgmpy
            ExpertKnowledge or a causal-learn BackgroundKnowledge.
        """
        names = checked_variables(variables)
        told = Constraints(required_edges, forbidden_edges, temporal_order, max_indegree)
        resolved = (told & Constraints.coerce(constraints)).resolve(names)
        allowed = resolved.allowed
        if candidates is not None:
            allowed = allowed & candidate_matrix(candidates, names, "candidates")
        nodes = range(len(names))
        required = [np.flatnonzero(resolved.required[:, node]) for node in nodes]
        free = [np.flatnonzero(allowed[:, node] & ~resolved.required[:, node]) for node in nodes]
        room = [int(resolved.max_indegree[node]) - len(required[node]) for node in nodes]
        return cls(
            names,
            tuple(tuple(parents.tolist()) for parents in free),
            tuple(tuple(parents.tolist()) for parents in required),
            tuple(min(room[node], len(free[node])) for node in nodes),
        )

    def count(self, node: str) -> int:
        """Return the number of families of one node."""
        (index,) = positions([node], self.variables, "node")
        return self._count(index)

    @property
    def total(self) -> int:
        """The number of families of all nodes."""
        return sum(self._count(node) for node in range(len(self.variables)))

    def _count(self, node: int) -> int:
        free = len(self.candidates[node])
        return sum(math.comb(free, size) for size in range(self.max_free[node] + 1))

    def table(self) -> _core.FamilyTable:
        """Return a table of zeros, one for each family.

        Raises
        ------
        CapacityError
            If there are more families than fit into 16 GiB.
        """
        if self.total > _MOST_FAMILIES:
            gibibytes = self.total * _BYTES_PER_FAMILY / 2**30
            raise CapacityError(
                f"the {len(self.variables)} variables have {self.total:.3g} families, which need "
                f"{gibibytes:,.0f} GiB; lower max_indegree or give candidates"
            )
        return _core.FamilyTable(
            [list(parents) for parents in self.candidates],
            [list(parents) for parents in self.required],
            list(self.max_free),
        )


def candidate_matrix(candidates: Any, names: tuple[str, ...], source: str) -> NDArray[np.bool_]:
    """Return candidates in any form a user may give them as a matrix [candidate, node].

    Parameters
    ----------
    candidates
        See `Families.of`.
    names
        The names of the nodes.
    source
        The argument they came in, for the messages.
    """
    if isinstance(candidates, Mapping):
        strings = [node for node, parents in candidates.items() if isinstance(parents, str)]
        if strings:
            raise ArgumentError(
                f"{source} gives {strings[0]!r} the single string "
                f"{candidates[strings[0]]!r}; give a list of names"
            )
        candidates = [(parent, node) for node, parents in candidates.items() for parent in parents]
    return edge_matrix(read_edges(candidates, source), names, source)
