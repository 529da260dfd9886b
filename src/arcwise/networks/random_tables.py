"""`discrete_network`: random conditional probability tables for a DAG."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from numbers import Integral
from typing import Any

from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.networks.discrete import DiscreteNetwork
from arcwise.support.checks import instance, positive_number, refuse_beyond_memory, whole_number
from arcwise.support.names import refuse_other_names
from arcwise.support.random import Purpose, generator
from arcwise.support.words import shown

LARGEST_TABLE = 2**26
_BYTES_PER_LEVEL = 200  # labels, in every place that has them


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
    """Return labels as they are, and a number of levels as the numbers from 0."""
    if isinstance(levels, Integral):
        count = whole_number(levels, source, at_least=1)
        refuse_beyond_memory(count, source, _BYTES_PER_LEVEL)
        return tuple(range(count))
    return levels  # type: ignore[no-any-return]  # labels, which DiscreteNetwork checks
