"""`ConstraintArguments`: the arguments by which every function takes constraints, listed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from arcwise.constraints.constraints import Constraints
from arcwise.support.arguments import checks_names


class ConstraintArguments(TypedDict, total=False):
    """The constraint arguments of `Model`, `score`, `candidates`, `grow` and `learn`.

    Parameters
    ----------
    max_indegree
        The maximum number of parents, for all nodes or by name; None for no bound.
    required_edges, forbidden_edges, tiers, parent_only
        See `Constraints`; `temporal_order` is another name for `tiers`.
    constraints
        Further constraints in one object: `Constraints`, a mapping, the path of a knowledge
        file, a pgmpy ExpertKnowledge or a causal-learn BackgroundKnowledge.

    Examples
    --------
    >>> import arcwise
    >>> rules: ConstraintArguments = {"max_indegree": 2, "tiers": [["a"], ["b", "c"]]}
    >>> len(arcwise.score(["a", "b", "c"], lambda node, parents: 0.0, **rules))
    9
    """

    max_indegree: int | Mapping[str, int] | None
    required_edges: Any
    forbidden_edges: Any
    tiers: Any
    temporal_order: Any
    parent_only: Any
    constraints: Any


SYNONYMS = {
    "knowledge": "constraints",
    "max_parents": "max_indegree",
    "whitelist": "required_edges",
    "blacklist": "forbidden_edges",
    "required": "required_edges",
    "forbidden": "forbidden_edges",
    "exogenous": "parent_only",
    "covariates": "parent_only",
}
"""What other libraries call these arguments, to suggest the right name."""

NAMES = tuple(ConstraintArguments.__annotations__)

takes_constraints = checks_names(NAMES, SYNONYMS)
"""Decorates a function that takes ``**constraints``, so that it refuses unknown names."""


def gather(arguments: ConstraintArguments) -> Constraints:
    """Return the conjunction of all constraints in the arguments.

    Examples
    --------
    >>> gather({"max_indegree": 3, "constraints": {"max_indegree": 2}}).max_indegree
    2
    """
    own = {name: value for name, value in arguments.items() if name != "constraints"}
    return Constraints(**own) & Constraints.coerce(arguments.get("constraints"))
