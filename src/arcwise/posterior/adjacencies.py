"""Edge probabilities pair by pair: of an edge in either direction, and of each direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import checked_probability, whole_number
from arcwise.support.words import shown

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

ThresholdOn = Literal["adjacency", "direction"]
"""What a threshold applies to: the probability of an edge in either direction, or of each."""

OPEN_SHARE = 0.1
"""A direction is open if each of the two has at least this share of the adjacency."""


@dataclass(frozen=True)
class Adjacency:
    """The probability of an edge between two nodes, and of its directions.

    Parameters
    ----------
    source, target
        The nodes, in the order of the more probable direction.
    probability
        The probability of an edge in either direction; the two exclude each other in a DAG, so
        it is their sum.
    forward, backward
        The probabilities of source → target, and of target → source.
    errors
        The Monte Carlo standard errors of the three, in that order; None if there are none.

    Examples
    --------
    >>> Adjacency("a", "b", 0.9, 0.5, 0.4).is_open, Adjacency("a", "b", 0.9, 0.85, 0.05).is_open
    (True, False)
    """

    source: str
    target: str
    probability: float
    forward: float
    backward: float
    errors: tuple[float, float, float] | None = None

    @property
    def is_open(self) -> bool:
        """Whether each direction has at least a tenth of the probability."""
        return 0.0 < self.probability * OPEN_SHARE <= self.backward


def adjacencies(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> list[Adjacency]:
    """Return the pairs of nodes by decreasing probability of an edge between them.

    Parameters
    ----------
    posterior
        The posterior.
    threshold, most
        The smallest probability of the pairs to list, and how many; None for all.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> (pair,) = adjacencies(arcwise.exact(model))
    >>> pair.is_open, round(pair.probability, 3), round(pair.forward, 3)
    (True, 1.0, 0.5)
    """
    columns = pair_columns(posterior, threshold, most)
    names = ("source", "target", "adjacency", "forward", "backward")
    parts = [np.asarray(columns[name]).tolist() for name in names]
    if "adjacency_error" in columns:
        errors = [columns[f"{name}_error"].tolist() for name in names[2:]]
        parts.append(list(zip(*errors, strict=True)))
    return [Adjacency(*row) for row in zip(*parts, strict=True)]


def pair_columns(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> dict[str, Any]:
    """Return the columns of the table of adjacencies; see `Posterior.pair_columns`."""
    edges = posterior.edges
    found = posterior.matrix("skeleton")
    u, v = np.triu_indices(len(edges), 1)
    # Of two equally probable directions, the first is the one in the order of the variables.
    turned = edges[v, u] > edges[u, v]
    u, v = np.where(turned, v, u), np.where(turned, u, v)
    order = _falling(found.probabilities[u, v], threshold, most)
    u, v = u[order], v[order]
    columns = _ends(posterior, u, v) | {
        "adjacency": found.probabilities[u, v],
        "forward": edges[u, v],
        "backward": edges[v, u],
    }
    errors = posterior.edge_errors
    if errors is not None:
        columns |= {
            "adjacency_error": found.standard_errors[u, v],
            "forward_error": errors[u, v],
            "backward_error": errors[v, u],
        }
    return columns


def direction_columns(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> dict[str, Any]:
    """Return every directed edge as columns: source, target, probability and standard_error."""
    u, v = np.nonzero(~np.eye(len(posterior.edges), dtype=np.bool_))
    order = _falling(posterior.edges[u, v], threshold, most)
    u, v = u[order], v[order]
    columns = _ends(posterior, u, v) | {"probability": posterior.edges[u, v]}
    if posterior.edge_errors is not None:
        columns["standard_error"] = posterior.edge_errors[u, v]
    return columns


def edge_columns(posterior: Posterior, threshold: float, on: ThresholdOn) -> dict[str, Any]:
    """Return the table of adjacencies, or that of directed edges."""
    by_pair = checked_threshold_on(on) == "adjacency"
    return (pair_columns if by_pair else direction_columns)(posterior, threshold)


def checked_threshold_on(on: Any) -> ThresholdOn:
    """Return what a threshold applies to, or refuse anything else."""
    if isinstance(on, str) and on in get_args(ThresholdOn):
        return on  # type: ignore[return-value]
    raise ArgumentError(f"on is {shown(on)}; give 'adjacency' or 'direction'")


def _falling(
    probabilities: NDArray[np.float64], threshold: float, most: int | None
) -> NDArray[np.int64]:
    """Return the places of the largest probabilities, in decreasing order."""
    if most is not None:
        most = whole_number(most, "most", at_least=0)
    order = np.argsort(-probabilities, kind="stable")
    enough = probabilities[order] >= checked_probability(threshold, "threshold")
    return order[enough][:most]


def _ends(posterior: Posterior, u: NDArray[np.int64], v: NDArray[np.int64]) -> dict[str, Any]:
    names = posterior.variables
    return {"source": [names[i] for i in u], "target": [names[i] for i in v]}
