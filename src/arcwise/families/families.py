"""`Families`: the parent sets that each node may have, and user-defined functions of families."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, ConstraintError, option
from arcwise.families.constraints import SYNONYMS, ConstraintArguments
from arcwise.families.edges import edge_matrix, read_edges
from arcwise.support.checks import true_or_false
from arcwise.support.edges import edges_of_matrix
from arcwise.support.names import as_list, checked_variables, positions
from arcwise.support.settings import keywords_of
from arcwise.support.words import rounded, shown

_BYTES_PER_FAMILY = 8
MOST_FAMILIES = 2**31
"""The largest number of families of a table, which takes 16 GiB."""


@dataclass(frozen=True, kw_only=True)
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
