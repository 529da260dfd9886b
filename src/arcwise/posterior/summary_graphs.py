"""`summary_graph`: one graph that summarises a posterior, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, cpdag
from arcwise.graphs.cpdags import with_knowledge
from arcwise.graphs.dag import Dag
from arcwise.posterior.consensus import median_cpdag, most_probable_class
from arcwise.support.names import listing, shown

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

SummaryGraph = Literal["median", "median-cpdag", "map", "map-cpdag", "cpdag", "threshold"]

SUMMARY_GRAPHS: Mapping[SummaryGraph, str] = MappingProxyType(
    {
        "median": "all pairs more probably adjacent than not, each in its more probable direction",
        "median-cpdag": "the same pairs, each directed or undirected as in most equivalence "
        "classes",
        "map": "the DAG of highest posterior probability that was found",
        "map-cpdag": "the equivalence class of that DAG",
        "cpdag": "the equivalence class of highest posterior probability",
        "threshold": "the pairs adjacent with a probability above a threshold, directed where the "
        "direction is, too",
    }
)
"""The summary graphs by their names, with a description of each."""


def summary_graph(
    posterior: Posterior, name: SummaryGraph = "median", *, threshold: float = 0.5
) -> Dag | Cpdag:
    """Return one graph that summarises a posterior.

    Parameters
    ----------
    posterior
        The posterior.
    name
        - ``"median"``: the `Dag` of all pairs that are adjacent with a probability above one
          half, each in its more probable direction, unless that closes a cycle;
        - ``"median-cpdag"``: the same pairs as a `Cpdag`, each in its most frequent form in the
          CPDAGs of sampled DAGs: directed one way or the other, or undirected;
        - ``"map"``: the `Dag` of highest posterior probability that was found;
        - ``"map-cpdag"``: its equivalence class, as a `Cpdag`;
        - ``"cpdag"``: the `Cpdag` of highest posterior probability, by the sampled DAGs;
        - ``"threshold"``: as a `Cpdag`, the pairs that are adjacent with a probability above a
          threshold, directed if one direction alone exceeds it, otherwise undirected.
    threshold
        The threshold of ``"threshold"``.

    Returns
    -------
    Dag or Cpdag
        ``"median-cpdag"`` and ``"threshold"`` need not be the CPDAG of any DAG. In CPDAGs, edges
        that constraints or the score allow in one direction only are directed, with the
        directions that this implies.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> posterior = arcwise.exact(model, dags=100, seed=1)
    >>> summary_graph(posterior, "median")
    Dag(2 variables, 1 edge: a -> b)
    >>> summary_graph(posterior, "cpdag")
    Cpdag(2 variables, 0 directed edges, 1 undirected edge)
    """
    found = identified_graph(posterior, name, threshold=threshold)
    if isinstance(found, Dag) or name == "threshold":
        return found
    return with_knowledge(found, _forbidden(posterior), follow=name != "median-cpdag")


def identified_graph(
    posterior: Posterior, name: SummaryGraph, *, threshold: float = 0.5
) -> Dag | Cpdag:
    """Return a summary graph, in CPDAGs only with the directions that data can identify."""
    if not hasattr(posterior, "median_dag"):
        raise ArgumentError(f"posterior is {shown(posterior)}; give an arcwise.Posterior")
    if not isinstance(name, str) or name not in SUMMARY_GRAPHS:
        raise ArgumentError(
            f"name is {shown(name)}; give one of {listing(map(repr, SUMMARY_GRAPHS))}"
        )
    if name == "median":
        return posterior.median_dag()
    if name == "threshold":
        return posterior.threshold_graph(threshold).graph()
    if name == "median-cpdag":
        return median_cpdag(posterior.sampled_dags("an edge of the CPDAG"))
    if name == "cpdag":
        dags = posterior.sampled_dags("an equivalence class")
        return most_probable_class(dags, posterior.map_dag)
    best = posterior.map_dag
    if best is None:
        raise ArgumentError(
            "this posterior has no DAG of highest probability, as no DAG was drawn; use another "
            "summary graph, or arcwise.map"
        )
    return best if name == "map" else cpdag(best)


def _forbidden(posterior: Posterior) -> NDArray[np.bool_]:
    """Return the edges that constraints or the score forbid, as [source, target]."""
    place = {name: number for number, name in enumerate(posterior.variables)}
    found = np.zeros((len(place), len(place)), dtype=np.bool_)
    for source, target in posterior.provenance.constraints.get("forbidden_edges", ()):
        found[place[source], place[target]] = True
    found[:, [place[name] for name in posterior.parent_only]] = True
    return found


def available(posterior: Posterior) -> dict[str, Dag | Cpdag]:
    """Return all summary graphs that a posterior has, by name; see `identified_graph`."""
    found: dict[str, Any] = {}
    for name in SUMMARY_GRAPHS:
        if name == "threshold":  # at one half it has the same adjacencies as the median
            continue
        try:
            found[name] = identified_graph(posterior, name)
        except ArgumentError:
            continue
    return found
