"""`Candidates`: the candidate parents of each node; `candidates` chooses them from data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError, UnknownNameError
from arcwise.families.constraints import SYNONYMS, ConstraintArguments
from arcwise.families.families import candidate_matrix
from arcwise.model.candidate_methods import By, FamilyWeigher, Testing, gains, greedy, pc
from arcwise.model.model import ask
from arcwise.model.question import Definition
from arcwise.support.checks import one_of, whole_number
from arcwise.support.clock import Deadline
from arcwise.support.edges import edges_between
from arcwise.support.names import checked_variables, index_of, positions
from arcwise.support.running import Stage, TimedRun
from arcwise.support.settings import keywords_of, setting
from arcwise.support.words import quoted, shown

__all__ = ["Candidates", "candidates"]


@dataclass(frozen=True, kw_only=True)
class Choosing(Testing):
    """How candidates are chosen; `candidates` describes it."""

    by: By = setting("sum", "", check=one_of(By))


@dataclass(frozen=True, kw_only=True)
class _Arguments(Choosing, ConstraintArguments):
    """The arguments of `candidates`."""

    data: Any = field(kw_only=False)
    method: Any = field(default="greedy", kw_only=False)
    size: int | Mapping[str, int] | None = None
    score: Any = None
    prior: Any = None
    seconds: float | Deadline | None = None
    threads: int | None = None


@keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
def candidates(
    data: Any, method: Any, size: Any, definition: Definition, settings: Choosing, run: TimedRun
) -> Candidates:
    """Choose candidate parents: for each node, the few others worth considering as its parents.

    The default method covers most of the exact posterior for its number of candidates and
    needs scores only; for observational data, ``"pc+greedy"`` adds a few candidates and
    covers more (see benchmarks/results/candidates.md).

    Required edges are always included and do not count towards `size`; forbidden ones
    are never included. The result does not depend on the number of threads, nor on the order
    of the variables, except that ties are resolved in favour of the first variable.

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges`, which say which families are considered; see `ConstraintArguments`.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used; or anything
        `arcwise.read` takes, or precomputed `FamilyScores`.
    method
        ``"greedy"``: candidates are added one by one; the next is the one with the largest
        total weight of the families that it forms with those before it (or the best such family,
        see `by`). With more than 300 variables, only the 300 best single parents are
        considered after the first. ``"gains"``: those that add most to the log weight of a
        family with at most one other parent; with more than 100 variables, only the 100 best
        single parents are paired. ``"pc"``: the neighbours in the skeleton of the
        order-independent (stable) PC algorithm, whatever their number. Methods joined by
        ``+`` give the union of their candidates, and each may have its own size, as in
        ``"pc+greedy:6"``. Or known candidates, as edges in any form that `Constraints` takes, or
        a mapping from names to lists of names.
    size
        The number of candidates of a node besides the required ones: a number, or a
        mapping from names to numbers. None, and names omitted from a mapping, mean 8, and
        with ``"pc"`` all neighbours. It applies to each of several methods; known candidates
        are all kept.
    score, prior
        As for `Model`.
    alpha
        The significance level of the tests of ``"pc"``; the larger, the more
        neighbours.
    max_conditioning
        The size of the largest conditioning set of ``"pc"``; None for no bound, except that a
        level that would take many minutes is left out, with a `CutShortWarning`.
    test
        ``"fisher-z"`` of partial correlations, ``"g-squared"`` of contingency tables, or
        ``"degenerate-gaussian"``, a likelihood ratio of partial correlations in which a
        discrete variable is a block of indicators; None for the test that suits the score: for
        most scores, these three for continuous, discrete and mixed tables. Rows may have weights.
    by
        Whether ``"greedy"`` compares the sum of all families or the best family.
    seconds
        The time limit: a number, or a `Deadline` that this call shares with others. When it is
        reached, the candidates found so far are returned, with a `CutShortWarning`.
    threads
        The number of threads; None for all cores.

    Returns
    -------
    Candidates
        For `Model`, `score` and other functions that take ``candidates=``.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 2000, seed=1)
    >>> arcwise.candidates(data, size=2)["either"]
    ('tub', 'lung')
    >>> chosen = arcwise.candidates(data, "pc+greedy:3")
    >>> len(arcwise.Model(data, candidates=chosen).scores) < 8 * 2**7
    True
    """
    with run.telling():
        weigher = FamilyWeigher.of(ask(data, definition))
        sizes = read_sizes(size, weigher.variables)
        with run.stage("Choosing candidates") as stage:
            if isinstance(method, str):
                matrix = np.zeros_like(weigher.allowed)
                for name, own_size in read_methods(method):
                    own = sizes if own_size is None else [own_size] * len(sizes)
                    matrix |= _choose(name, weigher, own, settings, stage)
            else:
                matrix = candidate_matrix(method, weigher.variables, "method")
    kept = (matrix & weigher.allowed) | weigher.required
    return Candidates.from_matrix(weigher.variables, kept)


def _choose(
    name: str,
    weigher: FamilyWeigher,
    sizes: Sequence[int | None],
    settings: Choosing,
    run: Stage,
) -> NDArray[np.bool_]:
    if name == "pc":
        return pc(weigher, sizes, settings, run)
    numbers = [DEFAULT_SIZE if size is None else size for size in sizes]
    if name == "gains":
        return gains(weigher, numbers, run)
    return greedy(weigher, numbers, settings.by, run)


DEFAULT_SIZE = 8
"""The default number of candidates of a node for `greedy` and `gains`."""
_PART = r"(pc|greedy|gains)(?::([0-9]{1,6}))?"


def is_method(text: str) -> bool:
    """Return whether a text names methods, rather than a file."""
    return re.fullmatch(rf"{_PART}(\+{_PART})*", text) is not None


def read_methods(text: str) -> list[tuple[str, int | None]]:
    """Return the methods and their sizes in ``"pc+greedy:6"``, None for a size not given."""
    if not is_method(text):
        raise ArgumentError(
            f"method is {shown(text)}; give 'pc', 'greedy', 'gains' or several joined by +, such "
            "as 'pc+greedy:6'"
        )
    parts = [part.partition(":") for part in text.split("+")]
    return [(name, int(size) if size else None) for name, _, size in parts]


def read_sizes(size: Any, variables: Sequence[str]) -> list[int | None]:
    """Return the size for each node, or None if it is not given."""
    if isinstance(size, Mapping):
        sizes: list[int | None] = [None] * len(variables)
        for node, (name, number) in zip(
            positions(size, variables, "size"), size.items(), strict=True
        ):
            sizes[node] = whole_number(number, f"size[{name!r}]", at_least=0)
        return sizes
    number = None if size is None else whole_number(size, "size", at_least=0)
    return [number] * len(variables)


class Candidates(Mapping[str, tuple[str, ...]]):
    """A mapping from each node to its candidate parents, both by name.

    It can be given as ``candidates=``, as in `Model` and `score`. ``first | second`` has
    the candidates of both.

    Parameters
    ----------
    variables
        The names of the nodes; their order is the order of every array.
    parents
        For each name its candidates. An omitted name has none.

    Examples
    --------
    >>> chosen = Candidates(["a", "b", "c"], {"c": ["b", "a"], "a": ["b"]})
    >>> chosen["c"]
    ('a', 'b')
    >>> chosen.sizes()
    {'a': 1, 'b': 0, 'c': 2}
    >>> chosen | Candidates(["a", "b", "c"], {"b": ["c"]})
    <Candidates: 3 variables, 1 to 2 candidates each, 4 in all>
    """

    __slots__ = ("_parents",)

    _parents: dict[str, tuple[str, ...]]

    def __init__(self, variables: Iterable[str], parents: Mapping[str, Iterable[str]]) -> None:
        names = checked_variables(variables)
        index = index_of(names)
        positions(parents, index, "parents")
        chosen: dict[str, tuple[str, ...]] = {}
        for name in names:
            of_node = parents.get(name, ())
            if isinstance(of_node, str):
                raise ArgumentError(
                    f"parents[{name!r}] is the single string {of_node!r}; "
                    "give a list of names instead"
                )
            places = sorted(set(positions(of_node, index, f"parents[{name!r}]")))
            if index[name] in places:
                raise ArgumentError(f"{name!r} is a candidate parent of itself; take it out")
            chosen[name] = tuple(names[place] for place in places)
        self._parents = chosen

    @classmethod
    def from_matrix(cls, variables: Iterable[str], matrix: ArrayLike) -> Candidates:
        """Build candidates from a matrix of 0 and 1 indexed [candidate, node], with diagonal 0.

        Examples
        --------
        >>> Candidates.from_matrix(["a", "b"], [[0, 1], [0, 0]])["b"]
        ('a',)
        """
        names = checked_variables(variables)
        edges = edges_between(names, matrix)
        chosen = {
            name: [names[place] for place in np.flatnonzero(edges[:, node])]
            for node, name in enumerate(names)
        }
        return cls(names, chosen)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(self._parents)

    def __getitem__(self, name: str) -> tuple[str, ...]:
        """Return the candidates of a node, in the order of the variables."""
        if not isinstance(name, str) or name not in self._parents:
            raise UnknownNameError(
                f"{shown(name)} has no candidates; the variables are {quoted(self._parents)}"
            )
        return self._parents[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the nodes."""
        return iter(self._parents)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._parents)

    def sizes(self) -> dict[str, int]:
        """Return the number of candidates of each node."""
        return {name: len(parents) for name, parents in self._parents.items()}

    def matrix(self) -> NDArray[np.bool_]:
        """Return a new matrix with True at [candidate, node].

        Examples
        --------
        >>> Candidates(["a", "b"], {"b": ["a"]}).matrix()
        array([[False,  True],
               [False, False]])
        """
        index = index_of(self._parents)
        matrix = np.zeros((len(index),) * 2, dtype=np.bool_)
        for name, parents in self._parents.items():
            matrix[[index[parent] for parent in parents], index[name]] = True
        return matrix

    def __or__(self, other: object) -> Candidates:
        """Return the union of the candidates, in the variable order of the first."""
        if not isinstance(other, Candidates):
            return NotImplemented
        if set(other) != set(self):
            raise ArgumentError(
                "the candidates are for different variables; give both for the same ones"
            )
        return Candidates(self.variables, {name: (*self[name], *other[name]) for name in self})

    def __repr__(self) -> str:
        """Show the number of candidates."""
        sizes = self.sizes().values()
        each = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else f"{max(sizes)}"
        return (
            f"<Candidates: {len(self)} variable{'s' if len(self) > 1 else ''}, "
            f"{each} candidates each, {sum(sizes)} in all>"
        )
