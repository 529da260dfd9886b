"""`Constraints`: required, allowed and forbidden edges, by name."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, fields, replace
from functools import cache, partial
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data.table import Slices
from arcwise.errors import ArgumentError, CapacityError, ConstraintError, FileFormatError, option
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
    backward_matrix,
    backward_pairs,
    into_matrix,
    limit_array,
    read_limits,
    read_parent_only,
    read_tiers,
    resolved,
    tighter,
)
from arcwise.support.checks import file_path, instance, true_or_false
from arcwise.support.edges import edges_of_matrix
from arcwise.support.files import json_of, read_text, replacing
from arcwise.support.names import (
    as_list,
    canonical_name,
    checked_variables,
    positions,
    quoted,
    rounded,
    shown,
)
from arcwise.support.settings import Settings, keywords_of, setting


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


# --- Families -------------------------------------------------------------------------------------

# `Families`: the parent sets that each node may have, and user-defined functions of families.


_BYTES_PER_FAMILY = 8
MOST_FAMILIES = 2**31
"""The largest number of families of a table, which takes 16 GiB."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(ConstraintArguments):
    """The arguments of `Families.of`."""

    variables: Sequence[str] = field(kw_only=False)
    candidates: Any = None
    plus_one: bool = False


@dataclass(frozen=True)
class Families:
    """The parent sets that each node may have: its required parents and some of its candidates.

    Parameters
    ----------
    variables
        The names of the nodes.
    candidates
        For each node its optional parents, as ascending positions.
    required
        For each node the parents it must have, as ascending positions.
    max_free
        For each node the maximum number of optional parents in one parent set.
    outside
        For each node the further parents, as ascending positions; a parent set has at most one
        of them, besides any of the candidates.

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
    outside: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        """Default to no outside parents."""
        if not self.outside:
            object.__setattr__(self, "outside", ((),) * len(self.variables))

    @staticmethod
    @keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
    def of(
        variables: Sequence[str], candidates: Any, plus_one: bool, constraints: ConstraintArguments
    ) -> Families:
        """Return all families that the constraints and the candidates allow.

        Parameters
        ----------
        variables
            The names of the nodes.
        candidates
            The only parents that a node may have besides the required ones: the result of
            `arcwise.candidates`, a mapping from names to lists of names, or edges in any form
            `Constraints` takes (a matrix [parent, node], a graph, pairs). A node omitted from
            a mapping has no candidates. None for all nodes.
        plus_one
            Whether a parent set may have one parent that is not a candidate.
        """
        names = checked_variables(variables)
        true_or_false(plus_one, option("plus_one"))
        resolved = constraints.together.resolve(names)
        free = resolved.allowed & ~resolved.required
        inside = free
        if candidates is not None:
            inside = free & candidate_matrix(candidates, names, "candidates")
        elif plus_one:
            raise ArgumentError(
                option("plus_one"),
                " allows one parent that is not a candidate, but there are no candidates; give ",
                option("candidates"),
                " too, or leave it out",
            )
        outside = free & ~inside if plus_one else np.zeros_like(free)
        nodes = range(len(names))
        room = resolved.max_indegree - resolved.required.sum(axis=0)
        largest = inside.sum(axis=0) + outside.any(axis=0)
        return Families(
            names,
            _parents(inside),
            _parents(resolved.required),
            tuple(int(min(room[node], largest[node])) for node in nodes),
            _parents(outside),
        )

    @classmethod
    def of_table(cls, variables: tuple[str, ...], table: _core.FamilyTable) -> Families | None:
        """Return the families of a table as a rule, or None if they are an explicit list."""
        nodes = range(len(variables))
        if any(table.listed(node) for node in nodes):
            return None
        return cls(
            variables,
            tuple(tuple(candidates_of(table, node)) for node in nodes),
            tuple(tuple(table.required(node)) for node in nodes),
            tuple(table.max_free(node) for node in nodes),
            tuple(tuple(table.outside(node)) for node in nodes),
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
        inside, most = len(self.candidates[node]), self.max_free[node]
        joined = subsets(inside, most - 1) * len(self.outside[node])
        return subsets(inside, most) + joined

    def only(self, nodes: Iterable[int]) -> Families:
        """Return the families of some nodes; the others have only the empty parent set."""
        wanted = set(nodes)

        def kept(of_node: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
            return tuple(each if node in wanted else () for node, each in enumerate(of_node))

        return replace(
            self,
            candidates=kept(self.candidates),
            required=kept(self.required),
            max_free=tuple(
                each if node in wanted else 0 for node, each in enumerate(self.max_free)
            ),
            outside=kept(self.outside),
        )

    def table(self, *, with_values: bool = True) -> _core.FamilyTable:
        """Return a table with the value 0 for each family."""
        if self.total > MOST_FAMILIES:
            size = rounded(self.total * _BYTES_PER_FAMILY // 2**30)
            raise CapacityError(
                f"the {len(self.variables)} variables have {rounded(self.total)} families, which "
                f"need {size} GiB; lower ",
                option("max_indegree"),
                " or give ",
                option("candidates"),
            )
        return _core.FamilyTable(
            [list(parents) for parents in self.candidates],
            [list(parents) for parents in self.required],
            list(self.max_free),
            [list(parents) for parents in self.outside],
            with_values,
        )


@cache
def subsets(count: int, largest: int) -> int:
    """Return the number of subsets of `count` things with at most `largest` members."""
    if largest >= count:
        return int(2**count)
    return sum(math.comb(count, size) for size in range(largest + 1))


def _parents(matrix: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Return the positions of the parents in each column, ascending."""
    # One call for all nodes: a call for each of thousands would take most of the time.
    flat = np.nonzero(matrix.T)[1].tolist()
    ends = np.cumsum(matrix.sum(axis=0)).tolist()
    return tuple(tuple(flat[first:last]) for first, last in zip([0, *ends[:-1]], ends, strict=True))


def candidates_of(table: _core.FamilyTable, node: int) -> list[int]:
    """Return the candidates of a node in a table, without the outside parents that follow them."""
    free = table.candidates(node)
    return free[: len(free) - len(table.outside(node))]


def parent_names(
    table: _core.FamilyTable, node: int, variables: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the parents of each family of a node, in the order of the table's values."""
    flat, offsets = table.parent_sets(node)
    members, bounds = flat.tolist(), offsets.tolist()
    for first, last in pairwise(bounds):
        yield tuple(variables[parent] for parent in members[first:last])


def parent_matrix(parents: Sequence[Iterable[int]]) -> NDArray[np.bool_]:
    """Return the parents of each node, given as positions, as a matrix [parent, node].

    Examples
    --------
    >>> parent_matrix([[], [0]])
    array([[False,  True],
           [False, False]])
    """
    matrix = np.zeros((len(parents), len(parents)), dtype=np.bool_)
    for node, own in enumerate(parents):
        matrix[list(own), node] = True
    return matrix


def candidate_matrix(candidates: Any, names: tuple[str, ...], source: str) -> NDArray[np.bool_]:
    """Return candidates, given in any accepted form, as a matrix [candidate, node]."""
    is_array = isinstance(candidates, np.ndarray) and candidates.dtype.kind in "biuf"
    if is_array and candidates.shape == (len(names), len(names)):
        matrix = edges_of_matrix(candidates, source, ConstraintError)
        if not matrix.diagonal().any():
            return matrix  # reading a dense matrix of hundreds of nodes by edges takes a second
    if isinstance(candidates, Mapping):
        strings = [node for node, parents in candidates.items() if isinstance(parents, str)]
        if strings:
            raise ArgumentError(
                f"{source} gives {strings[0]!r} the single string "
                f"{candidates[strings[0]]!r}; give a list of names"
            )
        candidates = [
            (parent, node)
            for node, parents in candidates.items()
            for parent in as_list(parents, f"{source}[{shown(node)}]", "a list of names")
        ]
    return edge_matrix(read_edges(candidates, source), names, source)


FamilyFunction: TypeAlias = Callable[[str, tuple[str, ...]], float]
"""Maps a node's name and its parents' names to the logarithm of a weight or likelihood."""


def refuse_uncallable(function: object) -> None:
    """Refuse an object that cannot be called with a node and its parents."""
    if not callable(function):
        raise ArgumentError(
            f"function is {shown(function)}; give a function of a node's name and its parents' "
            "names"
        )
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have no signature
        return
    try:
        takes.bind("node", ())
    except TypeError:
        raise ArgumentError(
            f"the function takes {takes}; give a function of two arguments, a node's name and "
            "the tuple of its parents' names"
        ) from None


def evaluate(
    function: FamilyFunction, node: str, parents: tuple[str, ...], owner: str, meaning: str
) -> float:
    """Return the value of a function for a family; it may be -inf but not inf or nan."""
    given = function(node, parents)
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise ArgumentError(
            f"the function of the {owner} returned {given!r} for the node {node!r} with parents "
            f"{list(parents)}; it must return {meaning}, finite or -inf"
        )
    return value
