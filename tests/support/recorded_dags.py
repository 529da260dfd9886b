"""What one chain over compositions keeps, DAGs included, and the law its DAGs must follow."""

from __future__ import annotations

import math

import numpy as np

from arcwise import Model, _core
from arcwise.model.score_sums import ScoreSums
from arcwise.records.settings import filled
from arcwise.spaces import Space
from reference.dags import Parents
from reference.exact import members
from support.weighted_dags import log_weights_of_dags


def law_of_dags(model: Model) -> dict[Parents, float]:
    """Return the modular posterior of all DAGs."""
    weights = {dag: math.exp(log_weight) for dag, log_weight in log_weights_of_dags(model)}
    total = math.fsum(weights.values())
    return {dag: weight / total for dag, weight in weights.items() if weight > 0.0}


def recorded(
    space: Space, model: Model, *, draws: int, dags: int = 0, seed: int = 1, thinning: int = 60
) -> dict[str, np.ndarray]:
    """Return what a chain keeps, well-spaced unless other thinning is asked for."""
    record = filled(_core.RecordOptions(), dags_per_state=dags, edges=True)
    options = filled(_core.ChainOptions(), record=record)
    chains = _core.Chains(space.build(ScoreSums(model)), options, seed, 0, 1)
    chains.set_thinning(thinning)
    chains.start(500, 1, None)
    chains.sample(draws, 1, None)
    return chains.record(0)


def as_dag(packed: np.ndarray) -> Parents:
    """Return the parents of each node of a DAG of up to 64 nodes."""
    return tuple(map(members, packed[:, 0].tolist()))
