"""`Constraints`: required, allowed and forbidden edges, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from arcwise.constraints.edges import Edge, Position, edge_matrix, read_edges
from arcwise.constraints.foreign import (
    from_background_knowledge,
    from_expert_knowledge,
    is_background_knowledge,
    is_expert_knowledge,
)
from arcwise.constraints.limits import Limits, limit_array, read_limits, tighter
from arcwise.constraints.options import (
    FORBIDDEN_EDGES,
    REQUIRED_EDGES,
    SEARCH_SPACE,
    TEMPORAL_ORDER,
)
from arcwise.constraints.resolved import ResolvedConstraints, resolved
from arcwise.constraints.tiers import Tiers, backward_matrix, backward_pairs, read_tiers
from arcwise.errors import ArgumentError, ConstraintError
from arcwise.support.names import checked_variables
from arcwise.support.words import quoted


@dataclass(frozen=True, init=False)
class Constraints:
    """Required, allowed and forbidden edges, and the maximum number of parents.

    Edges come as pairs (source, target) of names, as a `Dag`, a networkx
    DiGraph or a causal-learn GeneralGraph, as a frame with the columns source
    and target (or from and to), as an n x n matrix of 0 and 1 indexed [source,
    target] in the order of the variables, or as a frame of such a matrix with names. In a
    pair, a compiled regular expression stands for all names that it matches from the start.
    The attributes hold the constraints in one canonical form, so that equal constraints
    compare equal.

    Parameters
    ----------
    required_edges
        Edges every DAG must have.
    forbidden_edges
        Edges no DAG may have.
    temporal_order
        Tiers, the earliest first, each a list of names or a single name; or a mapping from
        names to tier numbers. No edge goes from a later to an earlier tier; edges within a
        tier, and of variables in no tier, are unconstrained.
    max_indegree
        The maximum number of parents: one number for all, or a mapping from names to
        numbers, in which the key None stands for all names left out.
    search_space
        The only edges a DAG may have; None for all. An empty list allows none.

    Examples
    --------
    >>> constraints = Constraints(
    ...     required_edges=[("smoke", "lung")],
    ...     temporal_order=[["age"], ["smoke"], ["lung"]],
    ... )
    >>> constraints.resolve(["age", "smoke", "lung"]).allowed
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """

    required_edges: tuple[Edge, ...]
    forbidden_edges: tuple[Edge, ...]
    temporal_order: Tiers | None
    max_indegree: Limits
    search_space: tuple[Edge, ...] | None

    def __init__(
        self,
        required_edges: Any = (),
        forbidden_edges: Any = (),
        temporal_order: Any = None,
        max_indegree: Any = None,
        search_space: Any = None,
    ) -> None:
        required = read_edges(required_edges, REQUIRED_EDGES, diagonal_is_meant=True)
        only = None if search_space is None else read_edges(search_space, SEARCH_SPACE)
        for name, value in (
            ("required_edges", required),
            ("forbidden_edges", read_edges(forbidden_edges, FORBIDDEN_EDGES)),
            ("temporal_order", read_tiers(temporal_order)),
            ("max_indegree", read_limits(max_indegree)),
            ("search_space", only),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def coerce(cls, value: Any) -> Constraints:
        """Return constraints from any accepted form.

        Parameters
        ----------
        value
            `Constraints`; None for none; a mapping with the parameters' names
            as keys; a pgmpy ExpertKnowledge; or a causal-learn
            BackgroundKnowledge, including its patterns and tiers.

        Examples
        --------
        >>> Constraints.coerce({"max_indegree": 3}) == Constraints(max_indegree=3)
        True
        """
        if isinstance(value, Constraints):
            return value
        if value is None:
            return cls()
        if isinstance(value, Mapping):
            known = [field.name for field in fields(cls)]
            unknown = [key for key in value if key not in known]
            if unknown:
                raise ArgumentError(
                    f"the constraints have the keys {quoted(unknown)}; the keys are {quoted(known)}"
                )
            return cls(**value)
        if is_background_knowledge(value):
            return cls(**from_background_knowledge(value))
        if is_expert_knowledge(value):
            return cls(**from_expert_knowledge(value))
        raise ArgumentError(
            f"the constraints are of type {type(value).__name__}; give Constraints, a mapping, "
            "a pgmpy ExpertKnowledge or a causal-learn BackgroundKnowledge"
        )

    def combined_with(self, other: Constraints) -> Constraints:
        """Return the conjunction of both constraints; ``a & b`` is the same.

        If the two have different temporal orders, the result represents the second one by
        the edges it forbids.
        """
        forbidden = [*self.forbidden_edges, *other.forbidden_edges]
        tiers = self.temporal_order or other.temporal_order
        if other.temporal_order is not None and other.temporal_order != tiers:
            forbidden += backward_pairs(other.temporal_order)
        return Constraints(
            [*self.required_edges, *other.required_edges],
            forbidden,
            tiers,
            tighter(self.max_indegree, other.max_indegree),
            _intersection(self.search_space, other.search_space),
        )

    def __and__(self, other: Constraints) -> Constraints:
        """Return the conjunction of both constraints."""
        if not isinstance(other, Constraints):
            return NotImplemented
        return self.combined_with(other)

    def resolve(self, variables: Sequence[str]) -> ResolvedConstraints:
        """Return the constraints over these variables as arrays.

        Raises
        ------
        ConstraintError
            If a name is unknown or no DAG satisfies all constraints.
        """
        names = checked_variables(variables)
        forbidden_by = {
            FORBIDDEN_EDGES: edge_matrix(self.forbidden_edges, names, FORBIDDEN_EDGES),
            TEMPORAL_ORDER: backward_matrix(self.temporal_order, names),
        }
        if self.search_space is not None:
            inside = edge_matrix(self.search_space, names, SEARCH_SPACE)
            forbidden_by[SEARCH_SPACE] = ~inside
        return resolved(
            edge_matrix(self.required_edges, names, REQUIRED_EDGES),
            forbidden_by,
            limit_array(self.max_indegree, names),
            names,
        )


def _intersection(
    first: tuple[Edge, ...] | None, second: tuple[Edge, ...] | None
) -> tuple[Edge, ...] | None:
    if first is None or second is None or first == second:
        return second if first is None else first
    # Only endpoints of one kind can be compared before the variables are known.
    kinds = {
        end.of if isinstance(end, Position) else type(end)
        for edge in (*first, *second)
        for end in edge
    }
    if len(kinds) > 1 or not all(kind is str or isinstance(kind, int) for kind in kinds):
        raise ConstraintError(
            "the two constraints have different search_spaces that are not both lists of names "
            "or both matrices of one size; give both in one of these forms"
        )
    return tuple(edge for edge in first if edge in set(second))
