"""Edge tables as frames: one row for each edge, the most probable first."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise._optional import optional
from arcwise.exchange.weighted_edges import checked_threshold
from arcwise.posterior import Posterior


def edge_columns(posterior: Posterior, threshold: float = 0.0) -> dict[str, Any]:
    """Return the columns source, target, probability and, where there are any, standard_error.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        The smallest probability of an edge to be listed.
    """
    u, v = np.nonzero(~np.eye(len(posterior.variables), dtype=np.bool_))
    order = np.argsort(-posterior.edges[u, v], kind="stable")
    order = order[posterior.edges[u, v][order] >= checked_threshold(threshold)]
    u, v = u[order], v[order]
    columns: dict[str, Any] = {
        "source": [posterior.variables[i] for i in u],
        "target": [posterior.variables[i] for i in v],
        "probability": posterior.edges[u, v],
    }
    if posterior.edge_errors is not None:
        columns["standard_error"] = posterior.edge_errors[u, v]
    return columns


def to_pandas(posterior: Posterior, threshold: float = 0.0) -> Any:
    """Return the edges as a pandas DataFrame, the most probable first.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        The smallest probability of an edge to be listed.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_pandas(arcwise.exact(model))[["source", "target"]]
      source target
    0      a      b
    1      b      a
    """
    pandas = optional("pandas", "to_pandas")
    return pandas.DataFrame(edge_columns(posterior, threshold))


def to_polars(posterior: Posterior, threshold: float = 0.0) -> Any:
    """Return the edges as a polars DataFrame; see `to_pandas`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_polars(arcwise.exact(model)).columns
    ['source', 'target', 'probability']
    """
    polars = optional("polars", "to_polars")
    return polars.DataFrame(edge_columns(posterior, threshold))
