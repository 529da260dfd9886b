"""The DAGs of a sample as one array of edges, for what is computed of many of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.posterior import DagSample


def edge_matrices(dags: DagSample) -> NDArray[np.bool_]:
    """Return the edges of each DAG as [DAG, source, target], for up to 64 variables."""
    n = len(dags.variables)
    bits = dags.parents.reshape(len(dags), n, 1) >> np.arange(n, dtype=np.uint64)
    found: NDArray[np.bool_] = (bits & np.uint64(1)).astype(np.bool_).transpose(0, 2, 1)
    return found
