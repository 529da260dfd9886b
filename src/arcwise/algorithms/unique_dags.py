"""`unique_dags`: the method of Ellis and Wong, for comparison.

From each sampled order, DAGs are drawn until the distinct ones have most of the weight of the
order; then all are merged, each once, with its modular weight (Ellis and Wong 2008, "Learning
causal Bayesian network structures from experimental data"). No topological orders need to be
counted, but if the posterior is flat, no feasible number of DAGs has most of the weight.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.chains import opened_session, sampled_chains
from arcwise.algorithms.estimates import best_dag, modular_log_weights
from arcwise.algorithms.mcmc import MCMC
from arcwise.model import Model, checked_model
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample, Posterior
from arcwise.records.runs import UniqueDagsRun
from arcwise.records.settings import OfModel
from arcwise.spaces import LinearOrders
from arcwise.support.arrays import relative_weights
from arcwise.support.checks import further_seed, open_fraction, refuse_beyond_memory, whole_number
from arcwise.support.running import Run, SeededRun
from arcwise.support.settings import Settings, keywords_of, setting


@dataclass(frozen=True, kw_only=True)
class Covering(Settings):
    """The options for the number of DAGs drawn from an order, described in `unique_dags`."""

    coverage: float = setting(0.95, "", check=open_fraction)
    most_dags: int = setting(10_000, "", check=partial(whole_number, at_least=1))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(SeededRun, Covering, OfModel):
    """The arguments of `unique_dags`."""

    steps: int | None = None
    burn_in: float = 0.5
    thinning: int | None = None
    chains: int = 4
    sums: ScoreSums | None = None


@keywords_of(_Arguments)
def unique_dags(model: Model, settings: Covering, sampling: MCMC, run: Run) -> Posterior:
    """Estimate the modular posterior from the distinct DAGs of sampled orders.

    Parameters
    ----------
    model
        The model.
    coverage
        The fraction of an order's weight that its distinct DAGs must have.
    most_dags
        The maximum number of DAGs drawn from one order; the run counts the orders that
        would need more.
    steps, seconds, burn_in, thinning, chains, seed, sums, threads, progress
        As for `mcmc`, on linear orders; the time to draw DAGs is additional.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 2000, seed=1), max_indegree=2)
    >>> posterior = unique_dags(model, steps=400, thinning=10, chains=1, most_dags=500, seed=1)
    >>> len(posterior.dags) == posterior.run.dags
    True
    """
    checked_model(model)
    most, nodes = settings.most_dags, len(model.variables)
    refuse_beyond_memory(most, "most_dags", 8 * nodes * ((nodes + 63) // 64))
    start = time.perf_counter()
    sampling = replace(
        sampling, space=LinearOrders(), modularity="order-modular", start="random", dags_per_state=0
    )
    with opened_session(model, sampling, run) as session:
        sampled = sampled_chains(session, "Sampling orders")
    orders = np.concatenate([record.codes for record in sampled.records])
    found: list[NDArray[np.uint64]] = []
    short = 0
    for number, order in enumerate(orders.tolist()):
        given = _core.GivenBuckets(session.sums.core, [[node] for node in order], None)
        dags, enough = _distinct_dags(model, given, settings, further_seed(run.seed, number))
        found.append(dags)
        short += not enough
    different = DagSample(model.variables, np.concatenate(found)).unique()
    weighted = DagSample(
        model.variables, different.parents, log_weights=modular_log_weights(model, different)
    )
    best, best_log_weight = best_dag(model, weighted)
    record = UniqueDagsRun(
        settings=session.settings,
        seed=run.seed,
        thinning=sampled.thinning,
        coverage=settings.coverage,
        orders=len(orders),
        orders_short_of_coverage=short,
        effective_dags=weighted.effective_sample_size(),
        dags=len(weighted),
        interrupted=sampled.interrupted,
        seconds=time.perf_counter() - start,
    )
    return Posterior(
        variables=model.variables,
        modularity="modular",
        run=record,
        edges=weighted.edge_probabilities(),
        map_dag=best,
        map_log_weight=best_log_weight,
        dags=weighted,
        provenance=model.provenance(),
        model=model,
    )


def _distinct_dags(
    model: Model, given: _core.GivenBuckets, settings: Covering, seed: int
) -> tuple[NDArray[np.uint64], bool]:
    """Return distinct DAGs of an order, and whether they have enough of its weight."""
    most = settings.most_dags
    count = min(64, most)
    while True:
        # Draw i depends on the seed and i alone, so each round contains the one before.
        dags = DagSample(model.variables, given.draw(count, seed, None)).unique()
        covered = relative_weights(modular_log_weights(model, dags), given.log_weight).sum()
        enough = bool(covered >= settings.coverage)
        if enough or count == most:
            return dags.parents, enough
        count = min(2 * count, most)
