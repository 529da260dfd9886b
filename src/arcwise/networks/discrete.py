"""Networks of conditional probability tables: given, random, and the bundled `asia`.

S. L. Lauritzen and D. J. Spiegelhalter, Local computations with probabilities on graphical
structures and their application to expert systems, Journal of the Royal Statistical Society B 50,
1988, is the source of `asia`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.laws import TableParameters
from arcwise.networks.network import Network
from arcwise.support.checks import (
    as_array,
    instance,
    positive_number,
    real_numbers,
    refuse_beyond_memory,
    whole_number,
)
from arcwise.support.names import as_list, refuse_other_names, shown
from arcwise.support.random import Purpose, generator

_SUM_TOLERANCE = 1e-9
_LARGEST_JOINT = 4_000_000
_MOST_LEVELS = 2**16 - 1  # codes are uint16
_BYTES_PER_LEVEL = 200  # the labels, in all places that hold them

LARGEST_TABLE = 2**26


@dataclass(frozen=True, eq=False, init=False, repr=False)
class DiscreteNetwork(Network):
    """A network of conditional probability tables.

    Parameters
    ----------
    dag
        The structure.
    levels
        For each variable the labels of its values.
    tables
        For each variable an array with one axis for each parent, in the order of
        ``dag.parents(name)``, and a last axis for the variable itself, along which it sums
        to 1.

    Examples
    --------
    >>> network = DiscreteNetwork(
    ...     Dag(["rain", "wet"], {"wet": ["rain"]}),
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.75, 0.25], "wet": [[1.0, 0.0], [0.5, 0.5]]},
    ... )
    >>> network.joint()[1]
    array([0.75 , 0.   , 0.125, 0.125])
    """

    dag: Dag
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]

    def __init__(
        self, dag: Dag, levels: Mapping[str, Sequence[Hashable]], tables: Mapping[str, ArrayLike]
    ) -> None:
        instance(dag, Dag, "dag", "an arcwise.Dag")
        for name, given in (("levels", levels), ("tables", tables)):
            if not isinstance(given, Mapping):
                raise ArgumentError(f"{name} is {shown(given)}; give a mapping from the variables")
            refuse_other_names(given, dag.variables, name)
        labels = {name: checked_levels(levels[name], name) for name in dag.variables}
        arrays = {}
        for name in dag.variables:
            shape = tuple(len(labels[each]) for each in (*dag.parents(name), name))
            arrays[name] = checked_table(tables[name], name, shape)
        for field, value in (("dag", dag), ("levels", labels), ("tables", arrays)):
            object.__setattr__(self, field, value)

    @property
    def number_of_levels(self) -> tuple[int, ...]:
        """The number of levels of each variable."""
        return tuple(map(len, self.levels.values()))

    def joint(self) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
        """Return the full joint distribution.

        Returns
        -------
        codes
            One row for each combination of levels, as positions among the
            levels; the last variable varies fastest.
        probabilities
            The probability of each row.

        Raises
        ------
        CapacityError
            If there are more than 4 million combinations.
        """
        counts = self.number_of_levels
        cells = math.prod(counts)
        if cells > _LARGEST_JOINT:
            raise CapacityError(
                f"the joint distribution of these {len(counts)} variables has {cells} cells, and "
                f"at most {_LARGEST_JOINT} are tabulated; use sample or log_probability"
            )
        codes = np.empty((cells, len(counts)), dtype=np.uint16)
        remaining = np.arange(cells)
        for node in reversed(range(len(counts))):
            remaining, codes[:, node] = np.divmod(remaining, counts[node])
        probabilities = np.ones(cells)
        for node in range(len(counts)):
            probabilities *= self._family_probability(node, codes)
        return codes, probabilities

    def log_probability(self, codes: ArrayLike) -> NDArray[np.float64]:
        """Return the log probability of each row; -inf for an impossible one.

        Parameters
        ----------
        codes
            Whole numbers of the shape (rows, n): positions among the levels.

        Examples
        --------
        >>> from arcwise.networks import asia
        >>> bool(asia().log_probability([[1, 1, 1, 1, 1, 0, 1, 1]])[0] == -np.inf)
        True
        """
        n = len(self.dag.variables)
        array = as_array(codes, "codes", f"whole numbers of the shape (rows, {n})")
        if array.ndim != 2 or array.shape[1] != n or array.dtype.kind not in "iu":
            raise ArgumentError(
                f"codes is an array of {array.dtype} of the shape {array.shape}; "
                f"give whole numbers of the shape (rows, {n})"
            )
        outside = (array < 0) | (array >= np.array(self.number_of_levels))
        if outside.any():
            row, node = np.argwhere(outside)[0]
            raise ArgumentError(
                f"codes is {array[row, node]} for {self.dag.variables[node]!r} in row {row}; "
                f"give positions from 0 to {self.number_of_levels[node] - 1}"
            )
        total = np.zeros(len(array))
        with np.errstate(divide="ignore"):
            for node in range(n):
                total += np.log(self._family_probability(node, array))
        return total

    def _table(self, node: int) -> NDArray[np.float64]:
        return self.tables[self.dag.variables[node]]

    def _family_probability(self, node: int, codes: NDArray[Any]) -> NDArray[np.float64]:
        members = (*self.dag.parent_indices[node], node)
        found: NDArray[np.float64] = self._table(node)[tuple(codes[:, each] for each in members)]
        return found

    def _parameters(self, node: int) -> TableParameters:
        return table_parameters(node, self.dag.parent_indices[node], self._table(node))


def table_parameters(
    node: int, parents: tuple[int, ...], table: NDArray[np.float64]
) -> TableParameters:
    """Return the law of a node with this table."""
    return TableParameters(node, parents, table.shape[:-1], table[np.newaxis])


def checked_levels(levels: Sequence[Hashable], name: str) -> tuple[Hashable, ...]:
    """Return the levels of a variable, or refuse them."""
    labels = as_list(levels, f"levels[{name!r}]", f"a list of 1 to {_MOST_LEVELS} labels")
    if not 1 <= len(labels) <= _MOST_LEVELS:
        raise ArgumentError(
            f"levels[{name!r}] is {shown(levels)}; give a list of 1 to {_MOST_LEVELS} labels"
        )
    try:
        different = len(set(labels))
    except TypeError:
        different = 0
    if different < len(labels):
        raise ArgumentError(
            f"levels[{name!r}] is {shown(levels)}; give numbers, texts or booleans, each once"
        )
    return tuple(labels)


def checked_table(table: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a table of this shape whose rows are distributions, or refuse it."""
    array = real_numbers(table, f"tables[{name!r}]").copy()
    if array.shape != shape:
        raise ArgumentError(
            f"tables[{name!r}] has the shape {array.shape}; give the shape {shape}, "
            f"the levels of each parent of {name!r} and then its own"
        )
    wrong = ~(array >= 0.0).all(axis=-1) | ~(abs(array.sum(axis=-1) - 1.0) <= _SUM_TOLERANCE)
    if wrong.any():
        row = tuple(map(int, np.argwhere(wrong)[0]))
        raise ArgumentError(
            f"tables[{name!r}] holds {array[row].tolist()} at {list(row)}; "
            "give probabilities, 0 or more, that sum to 1 along the last axis"
        )
    array.flags.writeable = False
    return array


def discrete_network(
    dag: Dag,
    *,
    levels: int | tuple[int, int] | Mapping[str, int | Sequence[Hashable]] = 2,
    concentration: float = 1.0,
    seed: int = 0,
) -> DiscreteNetwork:
    """Give a DAG random tables, each row drawn from a symmetric Dirichlet distribution.

    Parameters
    ----------
    dag
        The structure.
    levels
        The number of levels of every variable; or two numbers, between which (inclusive)
        that of each variable is drawn uniformly; or for each variable a number or its
        labels. The default labels are the numbers 0, 1 and so on.
    concentration
        The Dirichlet parameter of each level, positive: 1 is uniform over all
        distributions, smaller values give more deterministic ones, larger values flatter
        ones.
    seed
        The same arguments and seed give the same network.

    Examples
    --------
    >>> network = discrete_network(Dag(["a", "b"], {"b": ["a"]}), levels=3)
    >>> network.tables["b"].shape
    (3, 3)
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    concentration = positive_number(concentration, "concentration")
    labels = _labels(dag, levels, seed)
    tables = {}
    for node, name in enumerate(dag.variables):
        shape = tuple(len(labels[each]) for each in (*dag.parents(name), name))
        if math.prod(shape) > LARGEST_TABLE:
            raise CapacityError(
                f"the table of {name!r}, with {len(shape) - 1} parents, would have "
                f"{math.prod(shape)} cells and at most {LARGEST_TABLE} are allowed; "
                "use a DAG with a smaller max_indegree or fewer levels"
            )
        random = generator(seed, Purpose.PARAMETERS, item=node)
        tables[name] = random.dirichlet([concentration] * shape[-1], shape[:-1])
    return DiscreteNetwork(dag, labels, tables)


def _labels(dag: Dag, levels: Any, seed: int) -> dict[str, tuple[Hashable, ...]]:
    variables = dag.variables
    if isinstance(levels, Mapping):
        refuse_other_names(levels, variables, "levels")
        return {name: numbered_levels(levels[name], f"levels[{name!r}]") for name in variables}
    if isinstance(levels, Integral):
        return dict.fromkeys(variables, numbered_levels(levels, "levels"))
    try:
        low, high = (whole_number(bound, "levels", at_least=1) for bound in levels)
    except (TypeError, ValueError):
        low, high = 1, 0
    if low > high:
        raise ArgumentError(
            f"levels is {shown(levels)}; give a whole number, two of them with the smaller first, "
            "or a mapping from names"
        )
    counts = generator(seed, Purpose.LEVELS).integers(low, high, len(variables), endpoint=True)
    return {
        name: numbered_levels(int(n), "levels") for name, n in zip(variables, counts, strict=True)
    }


def numbered_levels(levels: Any, source: str) -> tuple[Hashable, ...]:
    """Return labels unchanged, and for a number n of levels the labels 0 to n - 1."""
    if isinstance(levels, Integral):
        count = whole_number(levels, source, at_least=1)
        refuse_beyond_memory(count, source, _BYTES_PER_LEVEL)
        return tuple(range(count))
    return levels  # type: ignore[no-any-return]  # labels, which DiscreteNetwork checks


def asia() -> DiscreteNetwork:
    """Return the ASIA network of Lauritzen and Spiegelhalter (1988).

    It has eight variables with the levels "no" and "yes", and eight edges. "either" is the
    logical or of "tub" and "lung", so many combinations are impossible.

    Examples
    --------
    >>> asia().dag.parents("dysp")
    ('bronc', 'either')
    """
    dag = Dag(
        ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"],
        {
            "tub": ["asia"],
            "lung": ["smoke"],
            "bronc": ["smoke"],
            "either": ["tub", "lung"],
            "xray": ["either"],
            "dysp": ["bronc", "either"],
        },
    )
    yes: dict[str, ArrayLike] = {
        "asia": 0.01,
        "tub": [0.01, 0.05],
        "smoke": 0.5,
        "lung": [0.01, 0.1],
        "bronc": [0.3, 0.6],
        "either": [[0.0, 1.0], [1.0, 1.0]],
        "xray": [0.05, 0.98],
        "dysp": [[0.1, 0.7], [0.8, 0.9]],
    }
    return DiscreteNetwork(
        dag,
        dict.fromkeys(dag.variables, ("no", "yes")),
        {name: _binary_table(probability) for name, probability in yes.items()},
    )


def _binary_table(yes: ArrayLike) -> NDArray[np.float64]:
    probability = np.asarray(yes, dtype=np.float64)
    return np.stack([1.0 - probability, probability], axis=-1)
