"""`ResolvedConstraints`: consistent constraints over given variables, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.options import MAX_INDEGREE, REQUIRED_EDGES
from arcwise.errors import ConstraintError, Wording, worded
from arcwise.support.cycles import cycle_in_words, find_cycle
from arcwise.support.words import listing, plural, quoted, worded_listing


@dataclass(frozen=True, eq=False)
class ResolvedConstraints:
    """Constraints on DAGs, as arrays in the order of the variables.

    At least one DAG satisfies them: the one with exactly the required edges.

    Parameters
    ----------
    required
        True at [parent, node] for required edges; acyclic.
    allowed
        True at [parent, node] for allowed edges; False on the diagonal, True wherever an
        edge is required.
    max_indegree
        For each node the maximum number of parents, at most n - 1 and at least the number
        of its required parents.
    parent_only
        For each node whether it has children only; no edge into it is allowed then.
    """

    required: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    max_indegree: NDArray[np.int64]
    parent_only: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.required, self.allowed, self.max_indegree, self.parent_only):
            array.flags.writeable = False

    def as_dict(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return the constraints in force as plain values that `Constraints.coerce` takes.

        Edges excluded by a temporal order or a search space are among the forbidden ones; those
        into parent-only variables are not.
        """
        n = len(variables)
        forbidden = ~self.allowed & ~np.eye(n, dtype=np.bool_)
        forbidden[:, self.parent_only] = False
        found: dict[str, Any] = {
            name: [[variables[u], variables[v]] for u, v in np.argwhere(edges)]
            for name, edges in (("required_edges", self.required), ("forbidden_edges", forbidden))
            if edges.any()
        }
        if self.parent_only.any():
            found["parent_only"] = [variables[v] for v in np.flatnonzero(self.parent_only)]
        limits = self.max_indegree.tolist()
        if min(limits, default=0) < n - 1:
            same = len(set(limits)) == 1
            found["max_indegree"] = limits[0] if same else dict(zip(variables, limits, strict=True))
        return found


def resolved(
    required: NDArray[np.bool_],
    forbidden_by: Mapping[Wording, NDArray[np.bool_]],
    max_indegree: NDArray[np.int64],
    variables: Sequence[str],
    parent_only: Sequence[str] = (),
) -> ResolvedConstraints:
    """Combine the constraints, or refuse them if no DAG satisfies all.

    Parameters
    ----------
    required
        [parent, node].
    forbidden_by
        For each argument, the edges it forbids, [parent, node].
    max_indegree
        For each node.
    variables
        The names, for messages.
    parent_only
        The variables that have children only.
    """
    _refuse_conflict(required, forbidden_by, variables)
    cycle = find_cycle([np.flatnonzero(column).tolist() for column in required.T])
    if cycle is not None:
        raise ConstraintError(
            REQUIRED_EDGES,
            f" has the cycle {cycle_in_words(cycle, variables)}; remove one of its edges",
        )
    _refuse_too_many(required, max_indegree, variables)
    allowed = ~np.eye(len(variables), dtype=np.bool_)
    for forbidden in forbidden_by.values():
        allowed &= ~forbidden
    children_only = np.array([name in parent_only for name in variables], dtype=np.bool_)
    return ResolvedConstraints(required, allowed, max_indegree, children_only)


def _refuse_conflict(
    required: NDArray[np.bool_],
    forbidden_by: Mapping[Wording, NDArray[np.bool_]],
    variables: Sequence[str],
) -> None:
    conflicts = []
    for parent, node in np.argwhere(required):
        reasons = [reason for reason, edges in forbidden_by.items() if edges[parent, node]]
        if reasons:
            edge = f"{variables[parent]!r} -> {variables[node]!r}"
            conflicts.append(worded(edge, " (forbidden by ", worded_listing(reasons), ")"))
    if conflicts:
        raise ConstraintError(
            REQUIRED_EDGES,
            " contains ",
            worded_listing(conflicts),
            "; remove each of these from ",
            REQUIRED_EDGES,
            " or lift the constraint that forbids it",
        )


def _refuse_too_many(
    required: NDArray[np.bool_], max_indegree: NDArray[np.int64], variables: Sequence[str]
) -> None:
    crowded = np.flatnonzero(required.sum(axis=0) > max_indegree).tolist()
    if not crowded:
        return
    clauses = []
    for node in crowded:
        parents = [variables[parent] for parent in np.flatnonzero(required[:, node]).tolist()]
        clauses.append(
            f"{variables[node]!r} requires {plural(len(parents), 'parent')} ({quoted(parents)}) "
            f"but may have at most {max_indegree[node]}"
        )
    raise ConstraintError(
        REQUIRED_EDGES,
        " and ",
        MAX_INDEGREE,
        f" leave no parent set for {quoted(variables[node] for node in crowded)}: "
        f"{listing(clauses)}; require fewer edges or raise ",
        MAX_INDEGREE,
    )
