"""`Candidates`: for each node, the names of its candidate parents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError, UnknownNameError
from arcwise.support.edges import edges_between
from arcwise.support.names import checked_variables, index_of, positions
from arcwise.support.words import quoted, shown


class Candidates(Mapping[str, tuple[str, ...]]):
    """A mapping from each node to its candidate parents, both by name.

    It can be given as ``candidates=``, as in `Model` and `score`. ``first | second`` has
    the candidates of both.

    Parameters
    ----------
    variables
        The names of the nodes; their order is the order of every array.
    parents
        For each name its candidates. A name left out has none.

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
        """Return the candidates of both, in the variable order of the first."""
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
