"""The modular evidence from the exact order-modular one, by annealing along the bridge.

Orders drawn exactly from the order-modular posterior are annealed along the bridge, in populations
that are resampled at intervals. As the draws are exact, it does not matter whether chains of orders
would mix: the mean weight of populations is an unbiased estimate of the ratio of the two
normalising constants, however many modes there are, and has valid lower bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from arcwise import _core
from arcwise.algorithms.estimates import annealed_runs
from arcwise.algorithms.exact_computation import Computing, ExactComputation
from arcwise.algorithms.normalizing_constants import prior_constant
from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.evidence import Evidence, lower_bounds
from arcwise.records.settings import Recording, bridge
from arcwise.spaces import CanonicalOrders
from arcwise.statistics.log_estimates import LogEstimate
from arcwise.support.checks import whole_number
from arcwise.support.running import Deadline, Run
from arcwise.support.settings import Settings, setting

_SPACE = CanonicalOrders()
_PARTICLES, _RUNS = 32, 16
_STEPS_PER_VARIABLE = 200
_STEPS_OF_TRIAL = 10  # for each variable
_NUMBERINGS = 0x0F_B21D_6E5  # seeds of random numberings of the variables
_SHARE_OF_TIME = 0.8  # of the time that the exact part leaves
_ADVICE = "use more steps over the bridge, or more populations"


@dataclass(frozen=True, kw_only=True)
class Bridge(Settings):
    """The options of the evidence over the bridge."""

    particles: int | None = setting(
        _PARTICLES,
        "The number of particles of each population.",
        check=partial(whole_number, at_least=1),
    )
    runs: int | None = setting(
        _RUNS, "The number of populations.", check=partial(whole_number, at_least=1)
    )
    steps: int | None = setting(
        None,
        "The number of steps of each particle over the bridge; None for 200 for each variable, or "
        "as many as the seconds permit.",
        check=partial(whole_number, at_least=2),
    )
    memory_limit: int | None = setting(
        None,
        "With exact and bridge: the bytes the exact part may take; None for what the machine has "
        "free.",
        check=partial(whole_number, at_least=0),
        in_shell=False,
    )


def bridge_evidence(model: Model, modularity: Modularity, settings: Bridge, run: Run) -> Evidence:
    """Estimate the evidence from the exact one under the order-modular prior.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = bridge_evidence(model, "modular", Bridge(), Run(seed=1))
    >>> found.verdict, abs(found.log_evidence - arcwise.exact(model).log_evidence) < 0.3
    ('reliable', True)
    """
    if modularity != "modular":
        raise ArgumentError(
            "the bridge leads from the order-modular evidence to the modular one; for the "
            "order-modular one use ",
            option("method", "exact"),
        )
    size, count = settings.particles or _PARTICLES, settings.runs or _RUNS
    with run.telling():
        exactly = Computing("order-modular", memory_limit=settings.memory_limit)
        computation = ExactComputation(model, exactly, replace(run, device=None))
        orders = computation.posterior().evidence
        assert orders is not None
        crossing = _Crossing(model, computation, size, replace(run, seconds=None))
        length = settings.steps or crossing.usual_steps(count, run.deadline)
        logs = crossing.log_weights(length, count, crossing.run)
    constant, error = prior_constant(model, "modular", _SPACE, crossing.run)
    logs = logs + orders.log_evidence + orders.log_prior_constant
    return Evidence.estimated(
        LogEstimate.of_weights(logs, size),
        method="exact order-modular evidence over the bridge",
        advice=_ADVICE,
        constant=constant,
        constant_error=error,
        lower_bounds=lower_bounds(logs - constant) if error == 0.0 else {},
    )


@dataclass(frozen=True, eq=False)
class _Crossing:
    """Populations that are annealed along the bridge from exact draws."""

    model: Model
    computation: ExactComputation
    particles: int
    run: Run

    def usual_steps(self, runs: int, deadline: Deadline) -> int:
        """Return the default number of steps, or the number that fits into the time."""
        n = len(self.model.ordinary)
        if not deadline.limited:
            return max(2, _STEPS_PER_VARIABLE * n)
        trial = max(2, _STEPS_OF_TRIAL * n)
        start = deadline.now
        parallel = min(self.run.processors.threads, runs)
        self.log_weights(trial, parallel, self.run.quiet)
        spent = max(1e-6, deadline.now - start)
        rounds = -(-runs // parallel)
        left = max(0.0, _SHARE_OF_TIME * deadline.left)
        return max(2, int(trial * left / (spent * rounds)))

    def log_weights(self, steps: int, runs: int, run: Run) -> np.ndarray:
        """Return the log weight of each population after its particles have made these steps."""
        n = len(self.model.ordinary)
        annealed = annealed_runs(
            self._core_space,
            Recording(_SPACE, dags_per_state=0),
            range(runs),
            run,
            path=[(1.0, place) for place in bridge(steps, n)],
            population=self.particles,
            starts=self._starts(runs * self.particles),
        )
        return np.asarray(annealed.log_weights())

    @cached_property
    def _core_space(self) -> _core.Space:
        """The space, built once for the trial and the populations."""
        return _SPACE.build(ScoreSums(self.model, tabulate="sums", threads=self.run.threads))

    def _starts(self, count: int) -> list[list[int]]:
        """Return exact draws of orders, each with a random numbering of the variables."""
        places = {name: number for number, name in enumerate(self.model.ordinary)}
        draw = np.random.default_rng(self.run.seed ^ _NUMBERINGS)
        return [
            [places[name] for name in order] + draw.permutation(len(order)).tolist()
            for order in self.computation.orders(count, seed=self.run.seed)
        ]
