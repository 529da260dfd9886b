"""The modular evidence from the order-modular one, by Bennett's acceptance ratio.

Populations of linear orders, which mix well, estimate the order-modular evidence and draw DAGs in
proportion to the number of their topological orders; chains over DAGs draw from the modular
posterior. Where the two posteriors overlap, the numbers of topological orders of their DAGs
determine the ratio of the two constants. Nothing is annealed over the modular posterior itself,
which is slow with populations of canonical orders.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.normalizing_constants import TopologicalOrders, prior_constant
from arcwise.algorithms.smc import SMC, populated
from arcwise.diagnostics.findings import doubts_of_populations
from arcwise.errors import ArgumentError, TimeIsUpError, option
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.runs import AnnealingRun
from arcwise.spaces import CanonicalOrders, LinearOrders
from arcwise.statistics.log_estimates import (
    LogEstimate,
    best_weighting,
    log_mean,
    mean_along_chains,
)
from arcwise.support.checks import whole_number
from arcwise.support.running import Run
from arcwise.support.settings import Settings, setting

# Relocations, which weigh all positions, take half of the time of the default moves; without them
# and with more swaps, populations had 0.4 to 0.85 of the variance in the same time.
_ORDERS = LinearOrders({"swap": 1, "adjacent": 4})
_STRETCH = 8  # draws of each particle
# Many small populations rather than few large ones, as their spread alone measures the error.
_PARTICLES, _RUNS = 64, 32
_FEWER_PARTICLES = 16

_SHARE_OF_DAGS = 0.25  # of the remaining time, for the chains over DAGs
# Share of the remaining time for populations, by whether topological orders are estimated or
# counted.
_SHARE_OF_POPULATIONS = {False: 0.95, True: 0.85}
_SHARE_OF_COUNTING = 0.7  # of the rest, as counting ends a little late
_ADVICE = "use more steps of the chains, or more populations"


@dataclass(frozen=True, kw_only=True)
class Bennett(Settings):
    """The options of Bennett's acceptance ratio."""

    particles: int | None = setting(
        None,
        "The number of particles of each population of orders, 64 by default.",
        check=partial(whole_number, at_least=2),
    )
    runs: int | None = setting(
        None,
        "The number of populations, 32 by default or as many as the seconds permit.",
        check=partial(whole_number, at_least=1),
    )
    steps: int | None = setting(
        None,
        "The number of steps of each of eight chains over DAGs; None for the default of `mcmc`, or "
        "as many as the seconds permit.",
        check=partial(whole_number, at_least=2),
    )
    draws: int | None = setting(
        None,
        "With bennett: the number of DAGs of each posterior whose topological orders are counted; "
        "None for 4,000 to 64,000, the more the quicker it is, or as many as the seconds permit "
        "where they can only be estimated.",
        check=partial(whole_number, at_least=1),
        in_shell=False,
    )


def bennett_evidence(model: Model, modularity: Modularity, settings: Bennett, run: Run) -> Evidence:
    """Estimate the evidence from DAGs of the modular and of the order-modular posterior.

    The number of topological orders of a DAG is estimated if counting takes too long.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = bennett_evidence(model, "modular", Bennett(), Run(seed=1))
    >>> found.verdict, abs(found.log_evidence - arcwise.exact(model).log_evidence) < 0.2
    ('reliable', True)
    """
    if modularity != "modular":
        raise ArgumentError(
            "bennett leads from the order-modular evidence to the modular one; for the "
            "order-modular one use ",
            option("method", "smc"),
        )
    with run.telling():
        # The constant comes first, as its budget is a number of steps and not a time.
        untimed = replace(run, seconds=None)
        constant, error = prior_constant(model, "modular", CanonicalOrders(), untimed)
        orders = TopologicalOrders(model, settings.draws, run)
        of_dags, doubts = orders.sampled("modular", settings.steps, run.within(_SHARE_OF_DAGS))
        share = _SHARE_OF_POPULATIONS[of_dags[0].ndim > 1]
        populations = _populations(model, settings, run, share)
        total = _log_total(populations, orders, of_dags)
    return Evidence.estimated(
        total,
        method="Bennett's acceptance ratio",
        advice=_ADVICE,
        constant=constant,
        constant_error=error,
        doubts=[*doubts, *doubts_of_populations(model)],
    )


def _populations(model: Model, settings: Bennett, run: Run, share: float) -> Posterior:
    """Return populations of orders, of fewer particles if there is no time for the default."""
    n, limited = len(model.ordinary), run.deadline.limited
    sizes = [_PARTICLES, _FEWER_PARTICLES] if settings.particles is None else [settings.particles]
    while True:
        populations = SMC(
            _ORDERS,
            modularity="order-modular",
            particles=sizes.pop(0),
            runs=_RUNS if settings.runs is None and not limited else settings.runs,
            stretch=2 * n * (_STRETCH - 1),
            thinning=2 * n,
        )
        try:
            # A share of the time that the previous attempt has left.
            return populated(model, populations, run.within(share))
        except TimeIsUpError:
            if not sizes:
                raise


def _log_total(
    populations: Posterior, orders: TopologicalOrders, of_dags: list[NDArray[np.float64]]
) -> LogEstimate:
    """Return the log of the sum of the weights of all DAGs."""
    # For any weighting h of DAGs,
    #     (order-modular constant) * (mean of h over DAGs of the order-modular posterior)
    #         = (modular constant) * (mean of h * number of orders over DAGs of the modular one).
    # Each population estimates the entire left-hand side, so these estimates are independent.
    run = populations.run
    assert isinstance(run, AnnealingRun)
    assert populations.dags is not None
    assert populations.traces is not None
    of_populations = orders.counted(populations.dags, _SHARE_OF_COUNTING)
    weights = populations.traces.log_weights[0]
    # The number of orders converts mean weights into the order-modular constant.
    shift = math.lgamma(len(orders.model.ordinary) + 1)
    h = best_weighting(of_dags, of_populations)
    logs = np.full(len(weights), -np.inf)
    logs[np.isfinite(weights)] = [log_mean(h.log(each)) for each in of_populations]
    left = LogEstimate.of_weights(
        weights + logs + shift, run.settings.states_per_run, run.settings.least_variance(run.plan)
    )
    right = mean_along_chains([h.log_with_ratio(each) for each in of_dags])
    return left.plus(LogEstimate(-h.center - right.value, right.variance, right.runs))
