"""What the pages are of: awkward names, widths of windows, and a posterior as chains give it."""

from __future__ import annotations

import numpy as np

import arcwise
from arcwise.model.provenance import Provenance
from arcwise.posterior import Evidence, LowerBound, Traces
from arcwise.support.descriptions import Description
from support.run_records import chain_run

AWKWARD = ["age", "smoking", "diet <b>", "</script>", 'the "rate"', "größe", "体重", "a,b", "x&y"]
WIDTHS = [390, 1600]


def sampled(names: list[str], seed: int) -> arcwise.Posterior:
    """Return a posterior as four chains would give it: each edge there in its share of the DAGs."""
    random = np.random.default_rng(seed)
    n, draws = len(names), 50
    density = min(1.0, 1.3 / n)
    shares = np.triu(random.random((n, n)) * (random.random((n, n)) < 2 * density), 1)
    # Each of the first ten has an edge, so that every awkward name is in the table.
    shares[range(9), range(1, 10)] = np.linspace(1.0, 0.3, 9)
    bits = random.random((4 * draws, n, n)) < shares
    packed = np.zeros((4 * draws, n, (n + 63) // 64), dtype=np.uint64)
    for parent in range(n):
        word, bit = parent // 64, np.uint64(parent % 64)
        packed[:, :, word] |= bits[:, parent, :].astype(np.uint64) << bit
    dags = arcwise.results.DagSample(names, packed, chains=np.repeat(np.arange(4), draws))
    return arcwise.Posterior(
        variables=tuple(names),
        modularity="modular",
        run=chain_run(chains=4, states=(draws,) * 4),
        edges=dags.edge_probabilities(),
        edge_errors=dags.standard_errors(),
        dags=dags,
        evidence=Evidence(-812.5, 0.2, {"slack-2": LowerBound(-813.0, 0.97, 5)}, method="ais"),
        traces=Traces(tuple(random.normal(size=draws) for _ in range(4)), steps=10),
        provenance=Provenance(
            "0.1.0",
            Description.of(arcwise.scores.BDeu()),
            Description.of(arcwise.priors.Uniform()),
            rows=300,
        ),
    )
