"""`random_dag` and `simulate`: random DAGs, and data from bundled or user-defined networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.networks.discrete import asia
from arcwise.networks.network import Network
from arcwise.support.checks import real_number, refuse_beyond_memory, whole_number
from arcwise.support.names import as_list, checked_variables, positions, quoted, shown
from arcwise.support.random import Purpose, generator

BUNDLED: dict[str, Callable[[], Network]] = {"asia": asia}

# The memory of names, parent sets and positions in a DAG without edges.
_BYTES_PER_VARIABLE = 1_000


def random_dag(
    variables: int | Iterable[str],
    *,
    edge_probability: float | None = None,
    expected_degree: float | None = None,
    max_indegree: int | None = None,
    first: Iterable[str] = (),
    seed: int = 0,
) -> Dag:
    """Draw a random DAG.

    The nodes are put in a uniformly random order, and every edge goes forward in it. The
    result is not uniform over DAGs: those with many topological orders are more frequent.

    Parameters
    ----------
    variables
        The number of variables, which are named X0, X1 and so on; or their names.
    edge_probability
        The probability of each of the n (n - 1) / 2 forward edges, independently of the
        others.
    expected_degree
        The expected number of edges at a node, incoming and outgoing together: the same
        as an edge_probability of expected_degree / (n - 1).
    max_indegree
        The maximum number of parents. With an edge probability, a node that drew more keeps
        a uniformly random subset of this size. Without one, a node with m nodes before it
        in the order draws its number of parents uniformly from 0 to min(max_indegree, m),
        and then a uniformly random set of that size.
    first
        Variables that come before all others in the order, so that no edge goes from another
        variable into one of them; for instance the discrete ones of a mixed network.
    seed
        The same arguments and seed give the same DAG.

    Examples
    --------
    >>> random_dag(4, edge_probability=1.0, seed=1).number_of_edges
    6
    >>> random_dag(["a", "b"], max_indegree=0)
    Dag(2 variables, 0 edges)
    """
    names = _named(variables)
    probability = _probability(len(names), edge_probability, expected_degree)
    if max_indegree is None:
        if probability is None:
            raise ArgumentError(
                "random_dag got none of edge_probability, expected_degree and max_indegree; "
                "give at least one"
            )
        limit = len(names)
    else:
        limit = whole_number(max_indegree, "max_indegree", at_least=0)
    random = generator(seed, Purpose.STRUCTURE)
    order = random.permutation(len(names))
    leading = np.isin(order, positions(as_list(first, "first", "a list of names"), names, "first"))
    order = np.concatenate([order[leading], order[~leading]])
    parents: dict[str, list[str]] = {}
    for place, node in enumerate(order):
        before = order[:place]
        if probability is None:
            size = random.integers(min(limit, place), endpoint=True)
            chosen = random.choice(before, size, replace=False)
        else:
            chosen = before[random.random(place) < probability]
            if len(chosen) > limit:
                chosen = random.choice(chosen, limit, replace=False)
        parents[names[node]] = [names[parent] for parent in chosen]
    return Dag(names, parents)


def _named(variables: int | Iterable[str]) -> tuple[str, ...]:
    if isinstance(variables, Iterable):
        return checked_variables(variables)
    count = whole_number(variables, "variables", at_least=1)
    refuse_beyond_memory(count, "variables", _BYTES_PER_VARIABLE)
    return tuple(f"X{number}" for number in range(count))


def _probability(
    n: int, edge_probability: float | None, expected_degree: float | None
) -> float | None:
    if expected_degree is None:
        if edge_probability is None:
            return None
        return real_number(
            edge_probability, "edge_probability", lambda x: 0.0 <= x <= 1.0, "a number from 0 to 1"
        )
    if edge_probability is not None:
        raise ArgumentError(
            f"random_dag got both edge_probability={shown(edge_probability)} and "
            f"expected_degree={shown(expected_degree)}; give one of the two"
        )
    degree = real_number(
        expected_degree,
        "expected_degree",
        lambda x: 0.0 <= x <= n - 1,
        f"a number from 0 to {n - 1} for {n} variables",
    )
    return degree / max(n - 1, 1)


def simulate(
    network: str | Network,
    rows: int = 1000,
    *,
    seed: int = 0,
    interventions: Mapping[str, Any] | None = None,
) -> Data:
    """Draw data from a network.

    Parameters
    ----------
    network
        The name of a bundled network, ``"asia"``, or one of `arcwise.networks`.
    rows
        The number of rows.
    seed
        The same arguments and seed give the same data.
    interventions
        For each variable that is intervened on, the value it is set to in every row.

    Examples
    --------
    >>> import arcwise
    >>> arcwise.simulate("asia", 500, seed=1)
    <Data: 500 rows, 8 discrete variables>
    """
    if isinstance(network, str):
        if network not in BUNDLED:
            raise ArgumentError(
                f"there is no bundled network {network!r}; choose from: {', '.join(BUNDLED)}"
            )
        network = BUNDLED[network]()
    if not isinstance(network, Network):
        raise ArgumentError(
            f"network is of type {type(network).__name__}; give one of arcwise.networks, or one of "
            f"{quoted(BUNDLED)}"
        )
    return network.sample(rows, seed, interventions)
