"""The log weights of drawn DAGs under a model, and the best of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.posterior import DagSample


def best_dag(model: Model, dags: DagSample) -> tuple[Dag, float]:
    """Return the DAG of largest modular weight among those drawn, and its log weight."""
    log_weights = modular_log_weights(model, dags)
    place = int(log_weights.argmax())
    return dags[place], float(log_weights[place])


def modular_log_weights(model: Model, dags: DagSample) -> NDArray[np.float64]:
    """Return the modular log weight of each DAG, looking up each distinct family once."""
    table = model.weights.table
    n = len(model.variables)
    total = np.zeros(len(dags))
    for node in range(n):
        words = dags.parents[:, node]
        distinct, place = np.unique(words, axis=0, return_inverse=True)
        values = table.values(node)
        bits = np.unpackbits(distinct.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        weights = [values[table.find(node, np.flatnonzero(row).tolist())] for row in bits]
        total += np.asarray(weights)[place.reshape(-1)]
    return total
