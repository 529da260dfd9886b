"""The normalising constant of the structure prior, and the ratio of two normalising constants.

Where the prior weight of a family depends on its size only, a recurrence gives the constant for
any number of variables; for few variables, dynamic programming does; otherwise it is estimated on
the prior alone. Annealing estimates the order-modular constant to a thousandth. Populations of DAGs
whose variables get parents one by one estimate the modular one as precisely, unless DAGs have many
edges; then it is estimated by the ratio of the two constants, unless its chains do not converge.
Annealing directly to the modular prior is a last resort: with 37 variables, 400 particles have an
error of one or two nats.

The order-modular constant counts a DAG once for each of its topological orders. The ratio of the
order-modular constant to the modular one is therefore the mean number M of orders of DAGs of the
modular posterior, and 1 / (mean of 1 / M) over DAGs of the order-modular posterior. Chains over
DAGs draw the former, chains over linear orders the latter, and Bennett's acceptance ratio combines
both into one estimate. Numbers too large to count are estimated without bias, twice for each DAG,
which Bennett's acceptance ratio allows for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.chains import opened_session, sampled_chains
from arcwise.algorithms.estimates import annealed_log_total, assemble
from arcwise.algorithms.exact_computation import log_prior_constant
from arcwise.diagnostics.findings import HOPELESS_RHAT, LARGEST_EDGE_RHAT, RHAT_OF_WARNING
from arcwise.errors import CapacityError, TimeIsUpError
from arcwise.features.edges import packed_set
from arcwise.graphs.linear_extensions import EXACT_NODES
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample
from arcwise.priors.base import weights_by_size
from arcwise.records.settings import ChainSettings, Recording, usual_order_steps
from arcwise.runs.control import SHORTEST
from arcwise.spaces import Dags, LinearOrders, Space
from arcwise.statistics.convergence import chain_convergence, rhat
from arcwise.statistics.log_estimates import LogEstimate, acceptance_ratio
from arcwise.support.running import Deadline, Run

_MOST_EXACT = {"modular": 16, "order-modular": 20}
_TOLERANCE = 1e-8
_RUNS = 400
_STEPS_PER_VARIABLE = 100
_SECONDS_OF_RATIO = 10.0  # about the time that the ratio of the constants takes


def is_exact(model: Model, modularity: Modularity) -> bool:
    """Return whether the constant is computed quickly, and not estimated."""
    by_size = weights_by_size(model.prior_terms, model.families, model.parent_only)
    return by_size is not None or len(model.ordinary) <= _MOST_EXACT[modularity]


def prior_constant(
    model: Model, modularity: Modularity, space: Space, run: Run
) -> tuple[float, float]:
    """Return the log of the total prior weight of all DAGs, and its standard error.

    An estimate has a fixed number of steps and no time limit, so a computation in limited time
    starts with it, and the following stages share the rest.
    """
    if is_exact(model, modularity):
        with run.quiet.stage(timed=False) as stage:
            return log_prior_constant(model, modularity, _TOLERANCE, stage), 0.0
    known = _KNOWN.setdefault(model, {})
    key = modularity, repr(space), run.seed
    if key not in known:
        known[key] = _estimated(model, modularity, space, run.aside)
    return known[key]


def constant_in_time(
    model: Model, modularity: Modularity, space: Space, run: Run
) -> tuple[float, float] | None:
    """Return `prior_constant`, or None if the time is too short, which the deadline notes."""
    try:
        return prior_constant(model, modularity, space, run)
    except TimeIsUpError:
        run.deadline.cut(
            "The evidence was left out, as the constant of its prior would take a good part of the "
            "time."
        )
        return None


# Combined methods share one estimate, as it takes seconds.
_KNOWN: WeakKeyDictionary[Model, dict[tuple[str, str, int], tuple[float, float]]] = (
    WeakKeyDictionary()
)


def _estimated(model: Model, modularity: Modularity, space: Space, run: Run) -> tuple[float, float]:
    prior_alone = Model(model.prior_weights(), parent_only=model.parent_only, threads=run.threads)
    n = len(model.ordinary)

    def annealed(which: Modularity, within: Space) -> LogEstimate:
        recording = Recording(within, modularity=which)
        steps = _STEPS_PER_VARIABLE * n
        return annealed_log_total(prior_alone, recording, _RUNS, steps, run)

    found = None
    if modularity == "modular":
        found = _by_node(prior_alone, run)
        if found is None:
            if run.deadline.left < _SECONDS_OF_RATIO * run.deadline.slowness:
                raise TimeIsUpError("the constant of the prior takes longer than there is time for")
            found = _by_order_ratio(prior_alone, annealed, run)
    if found is None:
        found = annealed(modularity, space)
    return found.value, found.standard_error


# Many small populations rather than few large ones, as their spread alone measures the error.
_POPULATIONS, _PARTICLES, _REDRAWS = 32, 64, 20
_LARGEST_ERROR = 0.03  # of populations; beyond, the ratio of the constants is as precise


def _by_node(prior_alone: Model, run: Run) -> LogEstimate | None:
    """Estimate the modular constant by populations of DAGs; None if these vary too much."""
    sums = ScoreSums(prior_alone, tabulate="sums", threads=run.threads)
    with run.stage() as stage:
        totals = sums.core.log_totals_by_node(
            _PARTICLES, _REDRAWS, _POPULATIONS, run.seed, stage.threads, stage.progress
        )
    # One DAG in as many as were drawn may have been missed, which bounds the variance from below.
    seen = 1.0 / (_POPULATIONS * _PARTICLES)
    found = LogEstimate.of_weights(totals, _PARTICLES, _POPULATIONS * seen**2)
    return found if found.standard_error < _LARGEST_ERROR else None


_OF_PRIOR = 0x5EED_0F_A11_DA65  # seeds of chains, distinct from those of the posterior


def _by_order_ratio(
    prior_alone: Model, annealed: Callable[[Modularity, Space], LogEstimate], run: Run
) -> LogEstimate | None:
    """Estimate the modular constant from the order-modular one; None if that is not reliable."""
    # The maximum number of steps takes some seconds.
    steps = min(max(20_000, 100 * len(prior_alone.ordinary) ** 2), 150_000)
    untimed = replace(run, seed=run.seed ^ _OF_PRIOR, seconds=None)
    ratio = order_ratio(prior_alone, steps, 8_000, untimed)
    if ratio.doubts or not math.isfinite(ratio.estimate.variance):
        return None
    inverse = replace(ratio.estimate, value=-ratio.estimate.value)
    return annealed("order-modular", LinearOrders()).plus(inverse)


CHAINS = 8
# Memoised sets for one DAG: if few suffice, many DAGs are counted, as the posteriors overlap only
# in their tails; a count of more than the last number takes seconds.
_EXTENSION_BUDGETS = (6_250, 25_000, 100_000)
_SETS_IN_ALL = 400_000_000
# For an estimate: sets of each size, independent estimates for a DAG, and sets of an exact part.
_SETS_OF_ESTIMATE, _ESTIMATES, _EXACT_SETS = 30, 2, 1_000
_SHARE_ESTIMATED = 4  # one of this number of draws, as an estimate takes about ten milliseconds
# With a time limit, a short trial determines the number of estimates, from a quarter of the default
# to four times the default.
_TRIAL, _MOST_TIMES = 32, 4
_SHARE_OF_COUNTING = 0.1  # of the remaining time, if more stages follow
_OF_ESTIMATES = 0xE571_3A7E  # seeds of estimates
_SEEDS: dict[Modularity, int] = {"modular": 0x0DA6_5EED, "order-modular": 0x0C0_5EED}
_SPACES: dict[Modularity, Space] = {"modular": Dags(), "order-modular": LinearOrders()}


@dataclass(frozen=True)
class OrderRatio:
    """The log of (order-modular constant) / (modular constant), and reasons to doubt it."""

    estimate: LogEstimate
    doubts: tuple[str, ...]


def order_ratio(model: Model, steps: int | None, draws: int | None, run: Run) -> OrderRatio:
    """Estimate the ratio of the two constants of a model.

    The chains have these steps, None for the default of `mcmc`; the topological orders of this
    number of DAGs of each posterior are counted, None for 4,000 to 64,000, by the number of
    sets a count takes.
    """
    orders = TopologicalOrders(model, draws, run)
    of_dags, doubts = orders.sampled("modular", steps, orders.run)
    of_orders, others = orders.sampled("order-modular", steps, orders.run)
    return OrderRatio(acceptance_ratio(of_dags, of_orders), (*doubts, *others))


@dataclass(frozen=True, eq=False)
class TopologicalOrders:
    """The numbers of topological orders of DAGs of both posteriors; draws as for `order_ratio`."""

    model: Model
    draws: int | None
    run: Run

    def sampled(
        self, modularity: Modularity, steps: int | None, run: Run
    ) -> tuple[list[NDArray[np.float64]], list[str]]:
        """Run chains over one of the posteriors for these steps or for the time of the run."""
        start: str | int = "orders"
        if run.deadline.limited:
            start = usual_order_steps(len(self.model.ordinary), run.deadline.left)
        settings = ChainSettings(
            _SPACES[modularity], modularity=modularity, steps=steps, chains=CHAINS, start=start
        )
        seed = run.seed ^ _SEEDS[modularity]
        own = replace(run, seed=seed, seconds=None if steps else run.deadline)
        with opened_session(self.model, settings, own) as session:
            sampled = sampled_chains(session, "mcmc")
        found = assemble(self.model, settings, sampled.records, None)
        assert found.dags is not None
        along = self.counted(found.dags)
        convergence = chain_convergence(sampled.records, len(self.model.variables))
        length = min(len(chain) for chain in along)
        of_draws = [chain if chain.ndim == 1 else chain.mean(axis=1) for chain in along]
        between = float(rhat(np.stack([chain[:length] for chain in of_draws])))
        worst, edge = convergence.rhat or 1.0, convergence.edge_rhat or 1.0
        if worst <= RHAT_OF_WARNING and edge <= HOPELESS_RHAT and not between > LARGEST_EDGE_RHAT:
            return along, []
        return along, [
            f"The chains over {_WORDS[modularity]} have not converged (R-hat is {worst:.2f} for "
            f"the log posterior, {edge:.2f} for an edge and {between:.2f} for the number of "
            "topological orders); run more steps."
        ]

    def counted(
        self, dags: DagSample, share: float = _SHARE_OF_COUNTING
    ) -> list[NDArray[np.float64]]:
        """Return the log numbers of topological orders of ordinary variables, chain by chain.

        If there are too many to count, each DAG has a row of logs of independent estimates.
        """
        in_time = self.run.deadline.part(share)
        budgets = _EXTENSION_BUDGETS if self.draws is None else _EXTENSION_BUDGETS[-1:]
        for budget in budgets:
            draws = _SETS_IN_ALL // budget if self.draws is None else self.draws
            try:
                return self._by_chain(
                    dags, draws, partial(self._log_counts, budget=budget, deadline=in_time)
                )
            except (CapacityError, TimeIsUpError):
                continue
        few = max(1, draws // _SHARE_ESTIMATED)
        if self.draws is None and in_time.limited:
            few = self._estimates_in_time(dags, few, in_time)
        return self._by_chain(dags, few, self._log_estimates)

    def _estimates_in_time(self, dags: DagSample, usual: int, deadline: Deadline) -> int:
        began = deadline.spent
        self._by_chain(dags, _TRIAL, self._log_estimates)
        each = max(deadline.spent - began, SHORTEST) / _TRIAL
        return int(min(max(deadline.left / each, usual // _MOST_TIMES), usual * _MOST_TIMES))

    def _by_chain(
        self,
        dags: DagSample,
        draws: int,
        logs_of: Callable[[NDArray[np.uint64]], NDArray[np.float64]],
    ) -> list[NDArray[np.float64]]:
        model = self.model
        n, ordinary = len(model.variables), len(model.ordinary)
        numbers = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
        each = max(1, draws // len(np.unique(numbers)))
        chosen = []
        for chain in np.unique(numbers):
            own = np.flatnonzero(numbers == chain)
            chosen.append(own[np.linspace(0, len(own) - 1, min(each, len(own))).astype(int)])
        parents = dags.parents[np.concatenate(chosen)]
        if model.parent_only:
            # Without their edges they can be anywhere in an order: each counts n! / m! times.
            places = {name: place for place, name in enumerate(model.variables)}
            kept = packed_set((places[name] for name in model.ordinary), parents.shape[2])
            parents = parents & kept
        logs = logs_of(np.ascontiguousarray(parents))
        logs = logs - math.lgamma(n + 1) + math.lgamma(ordinary + 1)
        return np.split(logs, np.cumsum([len(own) for own in chosen])[:-1])

    def _log_counts(
        self, parents: NDArray[np.uint64], budget: int, deadline: Deadline
    ) -> NDArray[np.float64]:
        with self.run.quiet.stage(timed=False) as stage:
            watch = deadline.watch(stage.progress)
            return np.asarray(_core.log_linear_extensions(parents, budget, stage.threads, watch))

    def _log_estimates(self, parents: NDArray[np.uint64]) -> NDArray[np.float64]:
        with self.run.quiet.stage(timed=False) as stage:
            return np.asarray(
                _core.log_estimates_of_linear_extensions(
                    parents,
                    _SETS_OF_ESTIMATE,
                    _ESTIMATES,
                    _EXACT_SETS,
                    EXACT_NODES,
                    self.run.seed ^ _OF_ESTIMATES,
                    stage.threads,
                    stage.progress,
                )
            )


_WORDS: dict[Modularity, str] = {"modular": "DAGs", "order-modular": "linear orders"}
