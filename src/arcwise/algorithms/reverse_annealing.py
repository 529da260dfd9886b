"""Reverse annealing from exact draws: a stochastic upper bound, and a check of schedules.

A run that begins with an exact draw from the posterior and is heated to the uniform distribution
has a weight whose mean is (number of states) / (sum of all weights). The logarithm of that mean is
more often underestimated than overestimated, so the evidence is more often overestimated; and lower
bounds on the mean are upper bounds on the evidence. (If constraints exclude states, the mean is
somewhat smaller, as hotter temperatures reach states that no run begins from, and the bounds are
conservative.) Exact draws exist only where the evidence itself can be computed. The method is
therefore not for computing the evidence, but shows how long a schedule must be for similar data:
if forward and reverse annealing agree, it is long enough (Grosse, Ghahramani and Adams 2015,
"Sandwiching the marginal likelihood using bidirectional Monte Carlo").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.ais import AIS
from arcwise.algorithms.annealing import anneal
from arcwise.algorithms.estimates import annealed_runs
from arcwise.algorithms.evidence import EvidenceMethod, space_of_method
from arcwise.algorithms.exact_sampling import ExactSampler
from arcwise.errors import ArgumentError, option
from arcwise.model import Model, checked_model
from arcwise.model.model import Modularity, as_modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.evidence import Evidence, lower_bounds
from arcwise.records.settings import OfModel, linear
from arcwise.spaces import Dags, LinearOrders, Partitions
from arcwise.statistics.log_estimates import LogEstimate
from arcwise.support.checks import whole_number
from arcwise.support.running import Progress, Run
from arcwise.support.settings import keywords_of

# Another seed, so that forward and reverse particles have independent random numbers.
_OTHER_SEED = 0x0BAC_F00D_5EED


@dataclass(frozen=True)
class StochasticUpperBound:
    """An upper bound on the log evidence that holds with a stated probability.

    It is random, as it is computed from draws, and valid only because these are exact.

    Parameters
    ----------
    value
        The bound on the log scale.
    confidence
        The probability with which it holds at least.
    bins
        The number of bins the runs were divided into.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = arcwise.algorithms.reverse_annealing(model, steps=1500, seed=1)
    >>> bound = found.upper_bounds["slack-2"]
    >>> bound.confidence, bound.value > found.forward.log_evidence
    (0.96875, True)
    """

    value: float
    confidence: float
    bins: int


@dataclass(frozen=True)
class ReverseAnnealing:
    """Forward and reverse annealing with the same schedule.

    Parameters
    ----------
    forward
        The evidence by annealing from the uniform distribution.
    log_evidence
        The log evidence by annealing back from exact draws, more often too high than too low.
    standard_error
        Its standard error; None if there are too few effective runs.
    effective_runs
        The effective number of reverse runs.
    upper_bounds
        Stochastic upper bounds on the log evidence, by the name of their scheme.
    steps
        The number of steps of a particle in each direction.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = arcwise.algorithms.reverse_annealing(model, steps=1500, seed=1)
    >>> found.long_enough, abs(found.gap) < 1
    (True, True)
    """

    forward: Evidence
    log_evidence: float
    standard_error: float | None
    effective_runs: float | None
    upper_bounds: Mapping[str, StochasticUpperBound]
    steps: int

    @property
    def gap(self) -> float:
        """The difference of the reverse estimate and the forward estimate."""
        return self.log_evidence - self.forward.log_evidence

    @property
    def long_enough(self) -> bool:
        """Whether the schedule is long enough: both are reliable, and differ by at most a nat."""
        stated = self.standard_error is not None and self.forward.standard_error is not None
        return stated and abs(self.gap) <= 1.0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(OfModel):
    """The arguments of `reverse_annealing`."""

    space: Any = field(default=None, kw_only=False)
    modularity: Modularity = "modular"
    steps: int
    particles: int = 100
    seed: int = 0
    threads: int | None = None
    progress: Progress = None


@keywords_of(_Arguments)
def reverse_annealing(
    model: Model, space: Any, modularity: Modularity, steps: int, particles: int, run: Run
) -> ReverseAnnealing:
    """Anneal from exact draws back to the uniform distribution, and forwards like `ais`.

    Parameters
    ----------
    model
        A model small enough for exact draws.
    space
        Partitions or DAGs, or linear orders if the prior is order-modular; None for
        partitions, or linear orders.
    modularity
        The structure prior.
    steps
        The number of steps of each particle, forwards and backwards, in equal steps of the
        inverse temperature.
    particles
        The number of particles in each direction.
    seed, threads, progress
        As for `mcmc`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = arcwise.algorithms.reverse_annealing(model, steps=1500, seed=1)
    >>> exact = arcwise.exact(model).log_evidence
    >>> found.long_enough, found.upper_bounds["slack-2"].value > exact
    (True, True)
    """
    checked_model(model)
    wanted = as_modularity(modularity)
    whole_number(particles, option("particles"), at_least=2)
    settings = AIS(
        space_of_method(EvidenceMethod.AIS, wanted) if space is None else space,
        modularity=wanted,
        particles=particles,
        steps=whole_number(steps, option("steps"), at_least=1),
        stretch=0,
        dags_per_state=0,
    )
    starts = _starts(model, settings, run)
    forward = anneal(model, settings, run).evidence
    assert forward is not None
    core_space = settings.space.build(ScoreSums(model, tabulate="sums", threads=run.threads))
    backwards = replace(run, seed=run.seed ^ _OTHER_SEED)
    annealed = annealed_runs(
        core_space, settings, range(particles), backwards, path=linear(steps)[::-1], starts=starts
    )
    # Their mean is (number of states) / (sum of weights), and the evidence its inverse.
    logs = annealed.log_weights() - core_space.log_size + forward.log_prior_constant
    estimate = LogEstimate.of_weights(logs)
    stated = Evidence.estimated(estimate, method="", advice="")
    return ReverseAnnealing(
        forward,
        -estimate.value,
        stated.standard_error,
        stated.effective_runs,
        {
            name: StochasticUpperBound(-bound.value, bound.confidence, bound.bins)
            for name, bound in lower_bounds(logs).items()
        },
        steps,
    )


def _starts(model: Model, settings: AIS, run: Run) -> list[list[int]]:
    """Return exact draws from the posterior, encoded as states of the space."""
    space, modularity, count = settings.space, settings.modularity, settings.particles or 0
    ordered = modularity == "order-modular" and isinstance(space, LinearOrders)
    if ordered or (modularity == "modular" and isinstance(space, Partitions | Dags)):
        sampler = ExactSampler(model, modularity, threads=run.threads)
        if ordered:
            names = {name: number for number, name in enumerate(model.ordinary)}
            orders = sampler.orders(count, seed=run.seed)
            return [[names[name] for name in order] for order in orders]
        code = _depths if isinstance(space, Partitions) else dag_code
        return [code(parents) for parents in sampler.ordinary_dags(count, seed=run.seed).parents]
    raise ArgumentError(
        f"annealing backwards on {type(space).__name__} under the {modularity} prior needs exact "
        "draws of its states, which there are none of; use partitions or dags, or linear under "
        "the order-modular prior"
    )


def _depths(parents: NDArray[np.uint64]) -> list[int]:
    """Return the part of each node: the length of the longest path that leads to it."""
    n = len(parents)
    sets = [[u for u in range(n) if int(parents[v, u // 64]) >> (u % 64) & 1] for v in range(n)]
    depths = [0] * n
    for _ in range(n):
        depths = [max((depths[u] + 1 for u in above), default=0) for above in sets]
    return depths


def dag_code(parents: NDArray[np.uint64]) -> list[int]:
    """Return a DAG as its space encodes it: the parents of all nodes as bits, 16 to a number."""
    n = len(parents)
    numbers = -(-n // 16)
    return [
        int(parents[v, i // 4]) >> (i % 4 * 16) & 0xFFFF for v in range(n) for i in range(numbers)
    ]
