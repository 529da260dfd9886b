"""`Constraints`: required, allowed and forbidden edges, by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, fields
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from arcwise.data.table import Slices
from arcwise.errors import ArgumentError, ConstraintError, FileFormatError
from arcwise.families.edges import (
    Edge,
    Endpoint,
    Position,
    edge_matrix,
    from_background_knowledge,
    from_expert_knowledge,
    is_background_knowledge,
    is_expert_knowledge,
    knowledge_text,
    read_edges,
    read_knowledge,
)
from arcwise.families.resolved import (
    FORBIDDEN_EDGES,
    PARENT_ONLY,
    REQUIRED_EDGES,
    SEARCH_SPACE,
    TIERS,
    ResolvedConstraints,
    into_matrix,
    limit_array,
    read_limits,
    read_parent_only,
    resolved,
    tighter,
)
from arcwise.families.tiers import backward_matrix, backward_pairs, read_tiers
from arcwise.support.checks import file_path, instance
from arcwise.support.files import json_of, read_text, replacing
from arcwise.support.names import canonical_name, checked_variables
from arcwise.support.settings import Settings, setting
from arcwise.support.words import quoted

__all__ = ["ConstraintArguments", "Constraints", "ResolvedConstraints"]


@dataclass(frozen=True)
class Constraints:
    """Required, allowed and forbidden edges, and the maximum number of parents.

    Edges are given as pairs (source, target) of names, as a `Dag`, a networkx
    DiGraph or a causal-learn GeneralGraph, as a frame with the columns source
    and target (or from and to), as an n x n matrix of 0 and 1 indexed [source,
    target] in the order of the variables, or as a frame of such a matrix with names. In a
    pair, a compiled regular expression represents all names that it matches from the start.
    The attributes contain the constraints in a canonical form, so that equal constraints
    compare equal.

    Parameters
    ----------
    required_edges
        Edges that every DAG must have.
    forbidden_edges
        Edges that no DAG may have.
    tiers
        Tiers, the earliest first, each a list of names or a single name; a mapping from
        names to tier numbers; a text such as ``"age, sex < smoke < lung"``; or the path of a
        file of tiers (a .csv with the header variable,tier, a .json, or text with a tier in
        each line). No edge goes from a later to an earlier tier; edges within a tier, and of
        variables in no tier, are unconstrained.
    max_indegree
        The maximum number of parents: one number for all, or a mapping from names to
        numbers, in which the key None means all omitted names.
    search_space
        The only edges that a DAG may have; None for all. An empty list allows none.
    parent_only
        Variables that have children only, such as lagged copies, static covariates and
        indicators of interventions: a name, or a list of names. They have no position in the
        order of the variables, and their cost is negligible. The model is conditional on them:
        their own score is 0.
    temporal_order
        Another name for `tiers`, which pgmpy uses.

    Examples
    --------
    >>> constraints = Constraints(
    ...     required_edges=[("smoke", "lung")],
    ...     tiers=[["age"], ["smoke"], ["lung"]],
    ... )
    >>> constraints.resolve(["age", "smoke", "lung"]).allowed
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """

    required_edges: Any = ()
    forbidden_edges: Any = ()
    tiers: Any = None
    max_indegree: Any = None
    search_space: Any = None
    parent_only: Any = ()
    _: KW_ONLY
    temporal_order: InitVar[Any] = None

    def __post_init__(self, temporal_order: Any) -> None:
        """Convert all constraints to their canonical form."""
        if temporal_order is not None:
            if self.tiers is not None:
                raise ArgumentError(
                    "tiers and temporal_order are two names of one argument; give one of them"
                )
            self._set("tiers", temporal_order)
        for name, read in _READ.items():
            self._set(name, read(getattr(self, name)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def coerce(cls, value: Any) -> Constraints:
        """Return constraints from any accepted form.

        Parameters
        ----------
        value
            `Constraints`; None for no constraints; a mapping with the parameters' names as keys;
            the path of a knowledge file, see `read`; a pgmpy ExpertKnowledge; or a causal-learn
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
            known = [*(field.name for field in fields(cls)), "temporal_order"]
            unknown = [key for key in value if key not in known]
            if unknown:
                raise ArgumentError(
                    f"the constraints have the keys {quoted(unknown)}; the keys are {quoted(known)}"
                )
            return cls(**value)
        if isinstance(value, str | os.PathLike):
            return cls.read(value)
        if is_background_knowledge(value):
            return cls(**from_background_knowledge(value))
        if is_expert_knowledge(value):
            return cls(**from_expert_knowledge(value))
        raise ArgumentError(
            f"the constraints are of type {type(value).__name__}; give Constraints, a mapping, the "
            "path of a knowledge file, a pgmpy ExpertKnowledge or a causal-learn "
            "BackgroundKnowledge"
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Constraints:
        """Read a knowledge file in the format of Tetrad.

        Parameters
        ----------
        path
            A text file with the sections ``addtemporal`` (a tier in each line: its number and
            its variables; ``*`` after the number forbids edges within the tier),
            ``forbiddirect`` and ``requiredirect`` (an edge in each line: source and target); not
            all sections are needed. Or a .json file with a mapping, as for `coerce`.
        """
        file = file_path(path, "path")
        if file.suffix.lower() != ".json":
            return cls(**read_knowledge(file))
        content = json_of(read_text(file, "a file with a JSON object"))
        if not isinstance(content, dict):
            raise FileFormatError(f"'{file}' is not a JSON object; give one with constraints")
        return cls.coerce(content)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a knowledge file that `read` and Tetrad can read.

        Such files contain tiers, and required and forbidden edges between named variables.

        Raises
        ------
        ArgumentError
            If there are other constraints.
        """
        edges = [*self.required_edges, *self.forbidden_edges]
        unnamed = any(not isinstance(end, str) for edge in edges for end in edge)
        others = self.max_indegree is not None or self.search_space is not None
        if unnamed or others or self.parent_only:
            raise ArgumentError(
                "a knowledge file holds tiers and edges between named variables only; leave out "
                "max_indegree, search_space, parent_only, patterns and matrices without names"
            )
        required: Any = self.required_edges
        forbidden: Any = self.forbidden_edges
        with replacing(file_path(path, "path")) as temporary:
            temporary.write_text(
                knowledge_text(required, forbidden, self.tiers or ()), encoding="utf-8"
            )

    def combined_with(self, other: Constraints) -> Constraints:
        """Return the conjunction of both constraints; ``a & b`` is the same.

        If both have tiers and they differ, the second ones are replaced by the edges that they
        forbid.
        """
        instance(other, Constraints, "other", "an arcwise.Constraints")
        forbidden = [*self.forbidden_edges, *other.forbidden_edges]
        tiers = self.tiers or other.tiers
        if other.tiers is not None and other.tiers != tiers:
            forbidden += backward_pairs(other.tiers)
        return Constraints(
            [*self.required_edges, *other.required_edges],
            forbidden,
            tiers,
            tighter(self.max_indegree, other.max_indegree),
            _intersection(self.search_space, other.search_space),
            [*self.parent_only, *other.parent_only],
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
            TIERS: backward_matrix(self.tiers, names),
            PARENT_ONLY: into_matrix(self.parent_only, names),
        }
        if self.search_space is not None:
            inside = edge_matrix(self.search_space, names, SEARCH_SPACE)
            forbidden_by[SEARCH_SPACE] = ~inside
        return resolved(
            edge_matrix(self.required_edges, names, REQUIRED_EDGES),
            forbidden_by,
            limit_array(self.max_indegree, names),
            names,
            self.parent_only,
        )


def _intersection(
    first: tuple[Edge, ...] | None, second: tuple[Edge, ...] | None
) -> tuple[Edge, ...] | None:
    if first is None or second is None or first == second:
        return second if first is None else first
    # Before the variables are known, only endpoints of the same kind can be compared.
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


def _read_search_space(value: Any) -> tuple[Edge, ...] | None:
    return None if value is None else read_edges(value, SEARCH_SPACE)


_READ: dict[str, Callable[[Any], Any]] = {
    "required_edges": partial(read_edges, source=REQUIRED_EDGES, diagonal_is_meant=True),
    "forbidden_edges": partial(read_edges, source=FORBIDDEN_EDGES),
    "tiers": read_tiers,
    "max_indegree": read_limits,
    "search_space": _read_search_space,
    "parent_only": read_parent_only,
}
"""The function that converts each constraint to its canonical form."""


def in_time(rules: Constraints, slices: Slices) -> Constraints:
    """Return constraints by the names of lagged columns, and those that time itself imposes.

    A user names a variable ``x`` in the present slice and ``x(t-1)`` in an earlier one. Columns of
    earlier slices and static ones have children only.

    Examples
    --------
    >>> from arcwise.data.table import Place
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1)))
    >>> rules = in_time(Constraints(required_edges=[("x (t - 1)", "y")]), slices)
    >>> rules.required_edges
    (('x(t-1)', 'y(t)'),)
    >>> rules.resolve(["x(t)", "y(t)", "x(t-1)"]).allowed[:, 2]
    array([False, False, False])
    """
    present = slices.present_names()
    columns = {place.name for place in slices.places}

    def column(name: str) -> str:
        if name in columns:
            return name
        return present.get(name) or canonical_name(name)

    limits = rules.max_indegree
    if isinstance(limits, tuple):
        limits = tuple((None if name is None else column(name), most) for name, most in limits)
    tiers = rules.tiers
    renamed = Constraints(
        _renamed(rules.required_edges, column),
        _renamed(rules.forbidden_edges, column),
        None if tiers is None else [[column(name) for name in tier] for tier in tiers],
        limits,
        None if rules.search_space is None else _renamed(rules.search_space, column),
        [column(name) for name in rules.parent_only],
    )
    within = () if slices.within else permutations(slices.present, 2)
    return renamed & Constraints(forbidden_edges=within, parent_only=slices.parent_only)


def _renamed(edges: tuple[Edge, ...], column: Callable[[str], str]) -> list[Edge]:
    def end(given: Endpoint) -> Endpoint:
        return column(given) if isinstance(given, str) else given

    return [(end(source), end(target)) for source, target in edges]


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
"""The names of these arguments in other libraries, to suggest the right name."""
