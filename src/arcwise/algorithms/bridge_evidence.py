"""The exact order-modular evidence, carried over the bridge to the modular prior.

Orders drawn exactly from the order-modular posterior are annealed along the bridge, as populations
that are resampled on the way. As the draws are exact, it does not matter whether chains of orders
would mix: the mean weight of populations is an unbiased estimate of the ratio of the two
normalising constants, however many modes there are, and has lower bounds that hold.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcwise import _core
from arcwise.algorithms.exact_computation import ExactComputation
from arcwise.algorithms.prior_constant import prior_constant
from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior.evidence import Evidence
from arcwise.posterior.lower_bounds import lower_bounds
from arcwise.records.ladders import bridge
from arcwise.records.recording import Recording
from arcwise.spaces import CanonicalOrders
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.sums import ScoreSums
from arcwise.support.checks import checked_seed, whole_number
from arcwise.support.clock import Deadline, shared_clock
from arcwise.support.running import Progress, running

_SPACE = CanonicalOrders()
_STEPS_PER_VARIABLE = 200
_STEPS_OF_TRIAL = 10  # for each variable
_NUMBERINGS = 0x0F_B21D_6E5  # seeds of random numberings of the variables
_SHARE_OF_TIME = 0.8  # of what is left after the exact part
_ADVICE = "use more steps over the bridge, or more populations"


def bridge_evidence(
    model: Model,
    modularity: Modularity = "modular",
    *,
    particles: int = 32,
    runs: int = 16,
    steps: int | None = None,
    memory_limit: int | None = None,
    seconds: float | Deadline | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> Evidence:
    """Estimate the evidence from the exact one under the order-modular prior.

    Parameters
    ----------
    model
        A model for which the exact order-modular computation is possible.
    modularity
        ``"modular"``; the bridge leads nowhere else.
    particles, runs
        The number of particles of each population, and of populations.
    steps
        The number of steps of each particle over the bridge; None for 200 for each variable,
        or as many as the seconds permit.
    memory_limit
        As for `exact`.
    seconds, seed, threads, progress
        As for `mcmc`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = bridge_evidence(model, seed=1)
    >>> found.verdict, abs(found.log_evidence - arcwise.exact(model).log_evidence) < 0.3
    ('reliable', True)
    """
    if modularity != "modular":
        raise ArgumentError(
            "the bridge leads from the order-modular evidence to the modular one; for the "
            "order-modular one use ",
            option("method", "exact"),
        )
    key = checked_seed(seed)
    size = whole_number(particles, option("particles"), at_least=1)
    count = whole_number(runs, option("runs"), at_least=1)
    length = None if steps is None else whole_number(steps, option("steps"), at_least=2)
    with shared_clock(seconds) as deadline:
        computation = ExactComputation(
            model,
            "order-modular",
            memory_limit=memory_limit,
            seconds=deadline,
            threads=threads,
        )
        orders = computation.posterior(progress=progress).evidence
        assert orders is not None
        crossing = _Crossing(model, computation, size, key, threads)
        if length is None:
            length = crossing.usual_steps(count, deadline)
        logs = crossing.log_weights(length, count, progress)
    constant, constant_error = prior_constant(model, "modular", _SPACE, seed=key, threads=threads)
    logs = logs + orders.log_evidence + orders.log_prior_constant
    return Evidence.estimated(
        LogEstimate.of_weights(logs, size),
        method="exact order-modular evidence over the bridge",
        advice=_ADVICE,
        constant=constant,
        constant_error=constant_error,
        lower_bounds=lower_bounds(logs - constant) if constant_error == 0.0 else {},
    )


@dataclass(frozen=True, eq=False)
class _Crossing:
    """Populations that go over the bridge, from exact draws."""

    model: Model
    computation: ExactComputation
    particles: int
    seed: int
    threads: int | None

    def usual_steps(self, runs: int, deadline: Deadline) -> int:
        """Return the default number of steps, or as many as there is time for."""
        n = len(self.model.ordinary)
        if not deadline.limited:
            return max(2, _STEPS_PER_VARIABLE * n)
        trial = max(2, _STEPS_OF_TRIAL * n)
        start = time.perf_counter()
        with running(self.threads, None, "") as run:
            side_by_side = min(run.threads, runs)
        self.log_weights(trial, side_by_side, None)
        spent = max(1e-6, time.perf_counter() - start)
        rounds = -(-runs // side_by_side)
        left = max(0.0, _SHARE_OF_TIME * deadline.left)
        return max(2, int(trial * left / (spent * rounds)))

    def log_weights(self, steps: int, runs: int, progress: Progress) -> np.ndarray:
        """Return the log weight of each population after so many steps of its particles."""
        n = len(self.model.ordinary)
        annealed = _core.AnnealedRuns(
            self._core_space,
            [(1.0, place) for place in bridge(steps, n)],
            0,
            1,
            Recording("modular", dags_per_state=0).on(_SPACE).options(edge_batches=2),
            self.seed,
            population=self.particles,
            starts=self._starts(runs * self.particles),
        )
        with running(self.threads, progress, "bridge") as run:
            annealed.run(0, runs, run.threads, run.progress)
        return np.asarray(annealed.log_weights())

    @cached_property
    def _core_space(self) -> _core.Space:
        """The space, built once for the trial and the populations."""
        return _SPACE.build(ScoreSums(self.model, tabulate="sums", threads=self.threads))

    def _starts(self, count: int) -> list[list[int]]:
        """Return exact draws of orders, each with a random numbering of the variables."""
        places = {name: number for number, name in enumerate(self.model.ordinary)}
        draw = np.random.default_rng(self.seed ^ _NUMBERINGS)
        return [
            [places[name] for name in order] + draw.permutation(len(order)).tolist()
            for order in self.computation.orders(count, seed=self.seed)
        ]
