"""Posteriors of chains in which each edge does as told, for diagnostics, exports and plots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import Posterior
from arcwise.model.model import Provenance
from arcwise.posterior import Traces
from arcwise.results import DagSample
from support.exact_models import names
from support.run_records import chain_run
from support.sampled_posteriors import packed

Bits = NDArray[np.bool_]


def flipping(chains: int, draws: int, rate: float, seed: int) -> Bits:
    """Return an indicator (chains, draws) that comes and goes at a rate, from a fair start."""
    random = np.random.default_rng(seed)
    flips = random.random((chains, draws)) < rate
    flips[:, 0] = random.random(chains) < 0.5
    return np.asarray(flips.cumsum(axis=1) % 2 == 1)


def chain_posterior(
    edges: dict[tuple[int, int], Bits],
    nodes: int = 4,
    log_weights: NDArray[np.float64] | None = None,
    **changes: Any,
) -> Posterior:
    """Return the posterior of chains in which edge (u, v) is there when edges[u, v] says so.

    The edges must go from lower to higher numbers; other edges are never there.
    """
    chains, draws = next(iter(edges.values())).shape
    matrices = np.zeros((chains * draws, nodes, nodes), dtype=np.bool_)  # [DAG, node, parent]
    for (source, target), bits in edges.items():
        assert source < target
        matrices[:, target, source] = bits.reshape(-1)
    dags = DagSample(
        names(nodes),
        packed(matrices),
        log_weights=log_weights,
        chains=np.repeat(np.arange(chains), draws),
    )
    noise = np.random.default_rng(11).normal(size=(chains, draws))
    fields: dict[str, Any] = {
        "variables": names(nodes),
        "modularity": "modular",
        "run": chain_run(moves={"swap": 0.3}, seed=1),
        "edges": dags.edge_probabilities(),
        "edge_errors": dags.standard_errors(),
        "dags": dags,
        "traces": Traces(tuple(noise)),
        "provenance": Provenance("1"),
    }
    return Posterior(**(fields | changes))
