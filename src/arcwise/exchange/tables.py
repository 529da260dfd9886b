"""Edge tables as data frames: one row for each edge, the most probable first."""

from __future__ import annotations

from typing import Any

from arcwise.posterior import Posterior, views
from arcwise.support.optional import optional


@views.to_pandas.fill
def to_pandas(posterior: Posterior, threshold: float = 0.0) -> Any:
    """Return the edges as a pandas DataFrame, the most probable first.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        The smallest probability of the edges to list.

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
    return pandas.DataFrame(posterior.edge_columns(threshold))


@views.to_polars.fill
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
    return polars.DataFrame(posterior.edge_columns(threshold))
