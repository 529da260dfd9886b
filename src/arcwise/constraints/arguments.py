"""`ConstraintArguments`: the arguments by which every function takes constraints, listed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arcwise.constraints.constraints import Constraints
from arcwise.support.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class ConstraintArguments(Settings):
    """Which edges are allowed: arguments of `Model`, `score`, `candidates`, `grow` and `learn`.

    Examples
    --------
    >>> ConstraintArguments(max_indegree=3, constraints={"max_indegree": 2}).together.max_indegree
    2
    """

    max_indegree: int | Mapping[str, int] | None = setting(
        None,
        "The maximum number of parents, for all nodes or by name; None for no bound.",
        help="Maximum number of parents of a node (default: no bound).",
        metavar="N",
        kind=int | None,
    )
    required_edges: Any = setting(
        (),
        "Edges every DAG must have, in any form that `Constraints` takes.",
        help="Edges that every DAG must have: a file, a .csv of source,target pairs, an adjacency "
        "matrix with a header, or a .json, or a text ('smoke -> lung').",
        metavar="FILE|EDGES",
        kind=Path | None,
    )
    forbidden_edges: Any = setting(
        (),
        "Edges no DAG may have, likewise.",
        help="Edges that no DAG may have, likewise.",
        metavar="FILE|EDGES",
        kind=Path | None,
    )
    tiers: Any = setting(
        None,
        "Tiers of variables, the earliest first: no edge goes from a later to an earlier tier; see "
        "`Constraints`.",
        help="Tiers of variables, such as 'age, sex < smoke < lung', or a file of them: no edge "
        "goes from a later to an earlier tier.",
        metavar="TIERS|FILE",
        kind=str | None,
    )
    temporal_order: Any = setting(None, "Another name for `tiers`.", in_shell=False)
    parent_only: Any = setting(
        (),
        "Variables that have children only; see `Constraints`.",
        help="This variable has children only, such as a covariate or the indicator of an "
        "intervention; the model is conditional on it; repeatable.",
        metavar="COLUMN",
        kind=list[str] | None,
    )
    constraints: Any = setting(
        None,
        "Further constraints in one object: `Constraints`, a mapping, the path of a knowledge "
        "file, a pgmpy ExpertKnowledge or a causal-learn BackgroundKnowledge.",
        help="A knowledge file as Tetrad writes it, with tiers, forbidden and required edges.",
        flag="--knowledge",
        metavar="FILE",
        kind=Path | None,
    )

    @property
    def together(self) -> Constraints:
        """The conjunction of all of them."""
        names = {each.name for each in fields(ConstraintArguments)} - {"constraints"}
        own = {name: value for name, value in self.specified.items() if name in names}
        return Constraints(**own) & Constraints.coerce(self.constraints)


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
