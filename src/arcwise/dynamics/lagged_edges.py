"""`lagged_edges` and `process_graph`: the edges of a time series, by lag and over all lags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.data.table import Place, Slices
from arcwise.errors import ArgumentError, option
from arcwise.features import Edge
from arcwise.features.feature import Or
from arcwise.posterior import Posterior, checked_posterior
from arcwise.support.checks import checked_probability


def slices_of(posterior: Posterior) -> Slices | None:
    """Return the variable and time of each column of a posterior; None without a time series."""
    profile = posterior.provenance.data
    return None if profile is None else profile.slices


def required_slices(posterior: Any, purpose: str) -> Slices:
    """Return the slices of a posterior, or refuse one that is not of a time series."""
    slices = slices_of(checked_posterior(posterior))
    if slices is None:
        raise ArgumentError(
            f"{purpose} is for time series, but the posterior is of a table without time; learn "
            "it from arcwise.time_series(table, ...)"
        )
    if any(place.first for place in slices.places):
        raise ArgumentError(
            f"{purpose} is for transitions, but the posterior is of the first slice, which has "
            "none before it; learn one from arcwise.time_series(table, ...)"
        )
    return slices


@dataclass(frozen=True)
class LaggedEdge:
    """An edge into the present slice.

    Parameters
    ----------
    source, target
        The variables, by their own names.
    lag
        The number of steps from the source to the target; None if the source is static.
    probability
        The probability of the edge.
    standard_error
        Its Monte Carlo standard error; None if it is exact.

    Examples
    --------
    >>> str(LaggedEdge("rain", "flood", 2, 0.9))
    'rain(t-2) -> flood(t): 0.900'
    """

    source: str
    target: str
    lag: int | None
    probability: float
    standard_error: float | None = None

    def __str__(self) -> str:
        """Show the edge with its times and its probability."""
        source = Place(self.source, self.lag).name
        return f"{source} -> {Place(self.target, 0).name}: {self.probability:.3f}"


def lagged_edges(posterior: Posterior, threshold: float = 0.0) -> list[LaggedEdge]:
    """Return the edges into the present slice by lag, the most probable first.

    Parameters
    ----------
    posterior
        The posterior of a time series.
    threshold
        The smallest probability of the edges to return.

    Examples
    --------
    >>> import arcwise
    >>> table = {"x": [0, 0, 1, 1] * 20, "y": [1, 0, 0, 1] * 20}
    >>> series = arcwise.time_series(table, within=False)
    >>> print(lagged_edges(arcwise.exact(arcwise.Model(series)))[0])
    y(t-1) -> x(t): 1.000
    """
    slices = required_slices(posterior, "lagged_edges")
    least = checked_probability(threshold, option("threshold"))
    errors = posterior.edge_errors
    found = []
    for v, target in enumerate(slices.places):
        if target.lag != 0:
            continue
        for u in np.flatnonzero(posterior.edges[:, v] >= least).tolist():
            source = slices.places[u]
            if u != v and (slices.within or source.lag != 0):
                found.append(
                    LaggedEdge(
                        source.variable,
                        target.variable,
                        source.lag,
                        float(posterior.edges[u, v]),
                        None if errors is None else float(errors[u, v]),
                    )
                )
    return sorted(found, key=lambda edge: -edge.probability)


@dataclass(frozen=True)
class ProcessEdge:
    """An edge of the process graph: from one variable to another at any lag.

    Parameters
    ----------
    source, target
        The variables; the same if it depends on its own past.
    probability
        The probability of an edge at one or more lags.
    by_lag
        The probability of the edge at each lag; the lag of a static source is None.
    standard_error
        The Monte Carlo standard error of the probability; None if it is exact.

    Examples
    --------
    >>> edge = ProcessEdge("rain", "flood", 0.95, {1: 0.9, 2: 0.4})
    >>> edge.lag
    1
    >>> print(edge)
    rain -> flood: 0.950 (lag 1 0.900, lag 2 0.400)
    """

    source: str
    target: str
    probability: float
    by_lag: Mapping[int | None, float]
    standard_error: float | None = None

    @property
    def lag(self) -> int | None:
        """The most probable lag."""
        return max(self.by_lag, key=lambda lag: self.by_lag[lag])

    def __str__(self) -> str:
        """Show the edge, its probability and that of each lag."""
        lags = ", ".join(
            f"{'static' if lag is None else f'lag {lag}'} {probability:.3f}"
            for lag, probability in self.by_lag.items()
        )
        return f"{self.source} -> {self.target}: {self.probability:.3f} ({lags})"


def process_graph(posterior: Posterior, threshold: float = 0.0) -> list[ProcessEdge]:
    """Return the process graph, also called summary graph: edges over all lags.

    It has an edge from x to y with the probability of an edge from x to y at any lag, including
    lag 0, the present slice.

    Parameters
    ----------
    posterior
        The posterior of a time series.
    threshold
        The smallest probability of the edges to return.

    Returns
    -------
    list of ProcessEdge
        The most probable first.

    Examples
    --------
    >>> import arcwise
    >>> table = {"x": [0, 0, 1, 1] * 20, "y": [1, 0, 0, 1] * 20}
    >>> series = arcwise.time_series(table, within=False)
    >>> print(process_graph(arcwise.exact(arcwise.Model(series)))[0])
    y -> x: 1.000 (lag 1 1.000)
    """
    required_slices(posterior, "process_graph")
    least = checked_probability(threshold, option("threshold"))
    by_pair: dict[tuple[str, str], dict[int | None, LaggedEdge]] = {}
    for edge in lagged_edges(posterior):
        by_pair.setdefault((edge.source, edge.target), {})[edge.lag] = edge
    found = []
    for (source, target), edges in by_pair.items():
        ordered = {lag: edges[lag] for lag in sorted(edges, key=lambda lag: lag or 0)}
        # By the union bound; most pairs have negligible probability.
        if sum(edge.probability for edge in edges.values()) < least:
            continue
        probability, error = _any_lag(posterior, list(ordered.values()))
        if probability >= least:
            by_lag = {lag: edge.probability for lag, edge in ordered.items()}
            found.append(ProcessEdge(source, target, probability, by_lag, error))
    return sorted(found, key=lambda edge: -edge.probability)


def _any_lag(posterior: Posterior, edges: list[LaggedEdge]) -> tuple[float, float | None]:
    """Return the probability of at least one of the edges between two variables."""
    possible = [edge for edge in edges if edge.probability > 0]
    if len(possible) < 2:
        only = possible[0] if possible else edges[0]
        return only.probability, only.standard_error
    events = tuple(
        Edge(Place(edge.source, edge.lag).name, Place(edge.target, 0).name) for edge in possible
    )
    found = posterior.estimate(Or(events))
    return found.value, None if found.exact else found.standard_error
