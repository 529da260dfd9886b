"""Posteriors as samplers would make them, with every part there can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise import Posterior
from arcwise.model.model import Provenance
from arcwise.posterior import Evidence, LowerBound, Traces
from arcwise.results import DagSample
from support.exact_models import names
from support.run_records import chain_run


def random_sample(n: int, count: int, seed: int = 1, **rule: Any) -> DagSample:
    """Return DAGs in which each edge of a random order is there with probability one half."""
    random = np.random.default_rng(seed)
    matrices = np.zeros((count, n, n), dtype=np.bool_)  # [DAG, node, parent]
    for matrix in matrices:
        order = random.permutation(n)
        matrix[np.ix_(order, order)] = np.tril(random.random((n, n)) < 0.5, -1)
    return DagSample(names(n), packed(matrices), **rule)


def packed(matrices: np.ndarray[Any, np.dtype[np.bool_]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return parents as bits, straight from the definition."""
    count, n, _ = matrices.shape
    words = np.zeros((count, n, (n + 63) // 64), dtype=np.uint64)
    for parent in range(n):
        bit = matrices[:, :, parent].astype(np.uint64) << np.uint64(parent % 64)
        words[:, :, parent // 64] |= bit
    return words


def sampled_posterior(n: int = 5, count: int = 60, **changes: Any) -> Posterior:
    """Return a posterior with every part a sampler may give."""
    random = np.random.default_rng(7)
    dags = random_sample(
        n,
        count,
        log_weights=random.normal(scale=2.0, size=count) - 2000.0,
        chains=np.repeat(np.arange(3), count // 3),
    )
    fields: dict[str, Any] = {
        "variables": names(n),
        "modularity": "modular",
        "run": chain_run(),
        "edges": dags.edge_probabilities(),
        "edge_errors": dags.standard_errors(),
        "dags": dags,
        "evidence": Evidence(
            -120.25,
            0.5,
            {"slack-2": LowerBound(-121.0, 1 - 2.0**-5, 5)},
            3.5,
            0.25,
            method="ais",
        ),
        "traces": Traces((random.normal(size=20), random.normal(size=17), np.empty(0)), steps=10),
        "provenance": Provenance("1", rows=10),
    }
    return Posterior(**(fields | changes))
