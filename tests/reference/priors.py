"""The log weight each prior gives a whole DAG, straight from its definition.

A DAG is a tuple with, for each node, the ascending tuple of its parents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from reference.dags import Parents


def edge_set(dag: Parents) -> set[tuple[int, int]]:
    """Return the pairs (parent, node)."""
    return {(parent, node) for node, parents in enumerate(dag) for parent in parents}


def uniform(dag: Parents) -> float:
    """All DAGs weigh 1."""
    return 0.0


def fair(dag: Parents) -> float:
    """One over the number of DAG-blind choices of as many parents for each node."""
    ways = math.prod(math.comb(len(dag) - 1, len(parents)) for parents in dag)
    return -math.log(ways)


def edge_weights(dag: Parents, weights: Sequence[Sequence[float]]) -> float:
    """Multiply the weights [parent][node] of the edges."""
    return math.log(math.prod(weights[parent][node] for parent, node in edge_set(dag)))


def distance_to_dag(dag: Parents, reference: Parents, delta: float) -> float:
    """Delta to the power of the number of edges in exactly one of the two DAGs."""
    return math.log(delta ** len(edge_set(dag) ^ edge_set(reference)))


def edge_penalty(dag: Parents, log_penalty: float) -> float:
    """Exp(-log_penalty) for each edge."""
    return -log_penalty * len(edge_set(dag))


def function_prior(
    dag: Parents, variables: Sequence[str], function: Callable[[str, tuple[str, ...]], float]
) -> float:
    """Sum over the nodes what the function says."""
    return sum(
        function(variables[node], tuple(variables[parent] for parent in parents))
        for node, parents in enumerate(dag)
    )
