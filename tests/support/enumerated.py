"""All DAGs of a few variables as one sample, and the exact law of a model over them."""

from __future__ import annotations

from functools import cache

import numpy as np

from arcwise import Model
from arcwise.results import DagSample
from reference.dags import Parents, all_dags
from support.exact_models import names
from support.sampled_posteriors import packed


@cache
def every_dag(n: int) -> tuple[list[Parents], DagSample]:
    """Return all DAGs, and the same as a sample in that order."""
    dags = list(all_dags(n))
    return dags, sample_of(dags)


def sample_of(dags: list[Parents]) -> DagSample:
    n = len(dags[0])
    matrices = np.zeros((len(dags), n, n), dtype=np.bool_)  # [DAG, node, parent]
    for number, dag in enumerate(dags):
        for node, parents in enumerate(dag):
            matrices[number, node, list(parents)] = True
    return DagSample(names(n), packed(matrices))


def law_of(model: Model) -> DagSample:
    """Return all DAGs weighted by a model of random weights, from its scores alone."""

    @cache
    def score(node: int, parents: tuple[int, ...]) -> float:
        return model.weights.log_score(f"x{node}", [f"x{parent}" for parent in parents])

    dags, sample = every_dag(len(model.variables))
    scores = [sum(score(node, parents) for node, parents in enumerate(dag)) for dag in dags]
    return DagSample(sample.variables, sample.parents, log_weights=np.array(scores))
