"""Edge tables as data frames: one row for each pair of variables, the most probable first."""

from __future__ import annotations

from typing import Any

from arcwise.posterior import Posterior, checked_posterior
from arcwise.posterior.adjacencies import ThresholdOn, edge_columns
from arcwise.support.optional import optional


def to_pandas(
    posterior: Posterior, threshold: float = 0.0, *, on: ThresholdOn = "adjacency"
) -> Any:
    """Return the edges as a pandas DataFrame, the most probable first.

    It has a row for each pair of variables: ``source`` and ``target``, in the more probable
    direction; ``adjacency``, the probability of an edge in either direction; ``forward``, that
    of source → target; ``backward``, that of target → source; and, if available, their standard
    errors ``adjacency_error``, ``forward_error`` and ``backward_error``.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        The smallest probability of an edge in either direction to list.
    on
        ``"direction"`` for a row for each directed edge instead, with ``source``, ``target``,
        ``probability`` and, if available, ``standard_error``; the threshold then applies to
        that probability.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_pandas(arcwise.exact(model)).round(3)
      source target  adjacency  forward  backward
    0      a      b        1.0      0.5       0.5
    """
    pandas = optional("pandas", "to_pandas")
    return pandas.DataFrame(edge_columns(checked_posterior(posterior), threshold, on))


def to_polars(
    posterior: Posterior, threshold: float = 0.0, *, on: ThresholdOn = "adjacency"
) -> Any:
    """Return the edges as a polars DataFrame; see `to_pandas`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_polars(arcwise.exact(model)).columns
    ['source', 'target', 'adjacency', 'forward', 'backward']
    """
    polars = optional("polars", "to_polars")
    return polars.DataFrame(edge_columns(checked_posterior(posterior), threshold, on))
