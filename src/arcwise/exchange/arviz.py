"""`to_arviz`: sampled DAGs as an xarray DataTree, the data model of ArviZ 1.0."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise._core import version
from arcwise.errors import ArgumentError
from arcwise.posterior import DagSample, Posterior, checked_posterior
from arcwise.posterior.matrices import unpacked
from arcwise.support.names import shown
from arcwise.support.optional import optional
from arcwise.support.plain import strict_json


def to_arviz(posterior: Posterior, *, edges: Literal["all", "uncertain"] = "all") -> Any:
    """Return the sampled DAGs in the data model of ArviZ, for its statistics and plots.

    The group ``posterior`` contains ``edge``, whether each edge is present, and
    ``number_of_edges``; the group ``sample_stats`` contains ``lp``, the unnormalised log posterior
    of the state each DAG was drawn from, if known, and ``weight``, the weight of each DAG, scaled
    to mean 1, if the weights differ. ArviZ does not support weights: its means are those of the
    unweighted draws.

    Parameters
    ----------
    posterior
        A posterior with sampled DAGs. Chains are cut to the length of the shortest;
        weighted particles, as of `ais`, are one chain.
    edges
        ``"all"``: ``edge`` has the dimensions chain, draw, source and target.
        ``"uncertain"``: chain, draw and pair, with only the edges that some but not all
        DAGs have, which takes less memory; ``source`` and ``target`` are then coordinates
        of the pairs.

    Returns
    -------
    xarray.DataTree
        With settings and provenance as attributes.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, "partitions", steps=2000, thinning=10, chains=2, seed=1)
    >>> dict(to_arviz(posterior).posterior.sizes)
    {'chain': 2, 'draw': 160, 'source': 8, 'target': 8}
    """
    if not isinstance(edges, str) or edges not in ("all", "uncertain"):
        raise ArgumentError(f"edges is {shown(edges)}; give 'all' or 'uncertain'")
    dags = checked_posterior(posterior).dags
    if dags is None:
        raise ArgumentError(
            "to_arviz needs sampled DAGs, but this posterior has none; use a sampler that keeps "
            "them, or ExactSampler"
        )
    arviz = optional("arviz_base", "to_arviz")
    places = _places(posterior, dags)
    present = _present(dags, places)
    names = list(posterior.variables)
    coords: dict[str, Any] = {"source": names, "target": names}
    dims = {"edge": ["source", "target"]}
    draws: dict[str, Any] = {"number_of_edges": present.sum(axis=(2, 3), dtype=np.int64)}
    if edges == "all":
        draws["edge"] = present
    else:
        some = present.any(axis=(0, 1)) & (present == 0).any(axis=(0, 1))
        u, v = np.nonzero(some)
        draws["edge"] = present[:, :, u, v]
        labels = [f"{names[i]} -> {names[j]}" for i, j in zip(u, v, strict=True)]
        coords, dims = {"pair": labels}, {"edge": ["pair"]}
    groups = {"posterior": draws}
    statistics = _statistics(posterior, dags, places)
    if statistics:
        groups["sample_stats"] = statistics
    tree = arviz.from_dict(groups, coords=coords, dims=dims, attrs={"/": _attributes(posterior)})
    if edges == "uncertain":
        tree["posterior"] = (
            tree["posterior"]
            .to_dataset()
            .assign_coords(
                source=("pair", [names[i] for i in u]), target=("pair", [names[j] for j in v])
            )
        )
    return tree


def _places(posterior: Posterior, dags: DagSample) -> NDArray[np.int64]:
    """Return the indices of the DAGs as (chains, draws), in the order drawn."""
    if dags.chains is None or posterior.run.annealed:
        return np.arange(len(dags))[np.newaxis]
    chains = [np.flatnonzero(dags.chains == number) for number in np.unique(dags.chains)]
    shortest = min(map(len, chains))
    return np.stack([places[:shortest] for places in chains])


def _present(dags: DagSample, places: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return 1 for edges that are present and 0 for others, as (chains, draws, source, target)."""
    n = len(dags.variables)
    # ArviZ computes quantiles, which are not defined for Booleans.
    present = np.empty((*places.shape, n, n), dtype=np.int8)
    for chain, own in enumerate(places):
        present[chain] = unpacked(dags.parents[own], n).transpose(0, 2, 1)
    return present


def _statistics(
    posterior: Posterior, dags: DagSample, places: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    result = {}
    # The traces of annealing have the weights of particles, not of states.
    traces = None if posterior.run.annealed else posterior.traces
    rows = () if traces is None else traces.log_weights
    if len(rows) == len(places):
        sizes = np.bincount(dags.chains) if dags.chains is not None else np.array([len(dags)])
        each = {size / max(1, len(row)) for size, row in zip(sizes, rows, strict=True)}
        # If all states have the same number of DAGs, the state of each DAG is known.
        if len(each) == 1 and (count := each.pop()) >= 1 and count == int(count):
            result["lp"] = np.stack([np.repeat(row, int(count))[: places.shape[1]] for row in rows])
    weights = dags.weights
    if weights is not None and (weights != weights[0]).any():
        result["weight"] = weights[places] / weights[places].mean()
    return result


def _attributes(posterior: Posterior) -> dict[str, Any]:
    """Return settings as numbers and text, which array files can store."""
    return {
        "inference_library": "arcwise",
        "inference_library_version": version,
        "algorithm": posterior.algorithm,
        "modularity": posterior.modularity,
        "summary": strict_json(posterior.summary_dict()),
        "provenance": strict_json(posterior.provenance.as_dict()),
    }
