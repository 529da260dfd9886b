"""What one chain over compositions keeps, DAGs included, and the law its DAGs must follow."""

from __future__ import annotations

import math

import numpy as np

from arcwise import Model, _core
from arcwise.spaces import Space
from arcwise.sums import ScoreSums
from reference.dags import Parents, all_dags


def law_of_dags(model: Model) -> dict[Parents, float]:
    """Return the modular posterior of all DAGs."""
    names = model.variables
    weights = {
        dag: math.exp(
            sum(model.log_weight(names[v], [names[u] for u in dag[v]]) for v in range(len(dag)))
        )
        for dag in all_dags(len(names))
    }
    total = math.fsum(weights.values())
    return {dag: weight / total for dag, weight in weights.items() if weight > 0.0}


def recorded(
    space: Space, model: Model, *, draws: int, dags: int = 0, seed: int = 1, thinning: int = 60
) -> dict[str, np.ndarray]:
    """Return what a chain keeps, well-spaced unless other thinning is asked for."""
    options = _core.RecordOptions()
    options.dags = dags
    options.edges = True
    chains = _core.Chains(
        space.build(ScoreSums(model)), [1.0], 1, False, 0, thinning, options, seed, 0, 1
    )
    chains.start(500, 1, None)
    chains.sample(draws, 1, None)
    return chains.record(0)


def as_dag(packed: np.ndarray) -> Parents:
    """Return the parents of each node of a DAG of up to 64 nodes."""
    n = len(packed)
    return tuple(tuple(u for u in range(n) if int(packed[v, 0]) >> u & 1) for v in range(n))
