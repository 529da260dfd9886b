"""All DAGs of a model with few variables, weighted as its posterior weighs them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from arcwise import Model
from arcwise.results import DagSample
from reference.dags import Parents, all_dags


def log_weights_of_dags(model: Model) -> Iterator[tuple[Parents, float]]:
    """Yield every DAG with its log weight, the sum of those of its families."""
    names = model.variables

    @cache
    def log_weight(node: int, parents: tuple[int, ...]) -> float:
        return model.log_weight(names[node], [names[parent] for parent in parents])

    for dag in all_dags(len(names)):
        yield dag, sum(log_weight(node, parents) for node, parents in enumerate(dag))


def weighted_dags(model: Model) -> tuple[list[Parents], list[float], DagSample]:
    """Return the DAGs the model allows, their log weights, and both as a sample."""
    dags, log_weights = [], []
    for dag, log_weight in log_weights_of_dags(model):
        if log_weight > -np.inf:
            dags.append(dag)
            log_weights.append(log_weight)
    return dags, log_weights, packed(model.variables, dags, log_weights)


def packed(
    variables: tuple[str, ...], dags: list[Parents], log_weights: list[float] | None = None
) -> DagSample:
    """Return DAGs of up to 64 nodes as a sample."""
    masks = [[sum(1 << parent for parent in parents) for parents in dag] for dag in dags]
    logs = None if log_weights is None else np.array(log_weights)
    return DagSample(variables, np.array(masks, dtype=np.uint64), log_weights=logs)
