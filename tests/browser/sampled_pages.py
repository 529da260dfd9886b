"""What the pages are of: awkward names, widths of windows, and a posterior as chains give it."""

from __future__ import annotations

import numpy as np

import arcwise
from arcwise.model.model import Provenance
from arcwise.posterior import Evidence, LowerBound, Traces
from arcwise.support.names import Description
from support.run_records import chain_run

AWKWARD = ["age", "smoking", "diet <b>", "</script>", 'the "rate"', "größe", "体重", "a,b", "x&y"]
WIDTHS = [390, 1600]


def sampled(names: list[str], seed: int, *, degree: float = 2.6) -> arcwise.Posterior:
    """Return a posterior as four chains would give it: each edge there in its share of the DAGs.

    Variables 0 and 1, 2 and 3 and so on are neighbours in the order of all DAGs, so that an edge
    between them can be turned without closing a cycle: in half of the DAGs it is.
    """
    random = np.random.default_rng(seed)
    n, draws = len(names), 50
    probable = random.random((n, n)) < degree / n
    shares = np.triu(
        np.where(random.random((n, n)) < 0.7, 1.0, random.random((n, n))) * probable, 1
    )
    # Each of the first ten has an edge, so that every awkward name is in the table.
    shares[range(min(9, n - 1)), range(1, min(10, n))] = np.linspace(1.0, 0.3, min(9, n - 1))
    bits = random.random((4 * draws, n, n)) < shares
    for one in range(0, n - 1, 2):
        turned = random.random(4 * draws) < 0.45
        bits[turned, one + 1, one] = bits[turned, one, one + 1]
        bits[turned, one, one + 1] = False
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
            data_name="survey of 1999.csv",
        ),
    )


WORDS = ("credit", "amount", "status", "checking", "personal", "rate", "duration", "history")


def worded(n: int) -> list[str]:
    """Return names as tables have them: some words joined by underscores."""
    random = np.random.default_rng(n)
    return [
        "_".join([*random.choice(WORDS, random.integers(1, 3), replace=False), str(i)])
        for i in range(n)
    ]
