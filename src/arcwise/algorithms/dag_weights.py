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
        # As bytes, since rows of numbers are compared field by field.
        words = np.ascontiguousarray(dags.parents[:, node], dtype="<u8")
        rows = words.view(f"V{words.shape[1] * words.itemsize}").reshape(-1)
        distinct, place = np.unique(rows, return_inverse=True)
        values = table.values(node)
        packed = np.frombuffer(distinct.tobytes(), dtype=np.uint8).reshape(len(distinct), -1)
        bits = np.unpackbits(packed, axis=1, bitorder="little")
        weights = [values[table.find(node, np.flatnonzero(row).tolist())] for row in bits]
        total += np.asarray(weights)[place.reshape(-1)]
    return total
