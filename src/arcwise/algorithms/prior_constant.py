"""The normalising constant of the structure prior: exact where possible, otherwise estimated.

Where the prior weight of a family depends on its size only, a recurrence gives the constant
for any number of variables; for few variables, dynamic programming does; beyond, it is
estimated on the prior alone. Annealing finds the order-modular constant to a thousandth.
Populations of DAGs whose variables get parents one by one find the modular one as precisely, unless
DAGs have many edges; then the ratio of the two constants leads to it, unless its chains do not
converge. Annealing straight to the modular one is a last resort: with 37 variables, 400 particles
are off by a nat or two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from arcwise.algorithms.annealed_results import annealed_log_total
from arcwise.algorithms.exact_computation import log_prior_constant
from arcwise.algorithms.order_ratio import order_ratio
from arcwise.errors import TimeIsUpError
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.priors.constant import weights_by_size
from arcwise.records.settings import Recording
from arcwise.spaces import LinearOrders, Space
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.sums import ScoreSums
from arcwise.support.running import Run

_MOST_EXACT = {"modular": 16, "order-modular": 20}
_RUNS = 400
# Many small populations rather than few large ones: their spread is all that shows the error.
_POPULATIONS, _PARTICLES, _REDRAWS = 32, 64, 20
_LARGEST_ERROR = 0.03  # of populations; beyond, the ratio of the constants is as precise
_DRAWS = 8_000
_STEPS_OF_CHAINS = 100  # for each pair of variables
_FEWEST_STEPS, _MOST_STEPS = 20_000, 150_000  # the most take some seconds
_STEPS_PER_VARIABLE = 100
_SECONDS_OF_RATIO = 10.0  # about what the ratio of the constants takes
_TOLERANCE = 1e-8
_OF_PRIOR = 0x5EED_0F_A11_DA65  # seeds of chains, other than those of the posterior


def is_exact(model: Model, modularity: Modularity) -> bool:
    """Say whether the constant is computed, and not estimated, which takes a while."""
    by_size = weights_by_size(model.prior_terms, model.families, model.parent_only)
    return by_size is not None or len(model.ordinary) <= _MOST_EXACT[modularity]


def prior_constant(
    model: Model,
    modularity: Modularity,
    space: Space,
    run: Run,
) -> tuple[float, float]:
    """Return the log of the total prior weight of all DAGs, and its standard error.

    An estimate ends by its number of steps and not by the clock, so that a computation in limited
    time asks for it first; what follows then has the rest.

    Parameters
    ----------
    model
        The model.
    modularity
        Whether each DAG counts once, or once for each of its topological orders.
    space
        The space to anneal in, for an estimate.
    run
        What carries it out, with the time for it.

    Raises
    ------
    TimeIsUpError
        If the time is too short for an estimate.
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
    model: Model,
    modularity: Modularity,
    space: Space,
    run: Run,
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


# The methods that are combined subtract the same estimate, which takes seconds.
_KNOWN: WeakKeyDictionary[Model, dict[tuple[str, str, int], tuple[float, float]]] = (
    WeakKeyDictionary()
)


def _estimated(
    model: Model,
    modularity: Modularity,
    space: Space,
    run: Run,
) -> tuple[float, float]:
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


def _by_node(prior_alone: Model, run: Run) -> LogEstimate | None:
    """Return the modular constant by populations of DAGs; None if these are too different."""
    sums = ScoreSums(prior_alone, tabulate="sums", threads=run.threads)
    with run.stage() as stage:
        totals = sums.core.log_totals_by_node(
            _PARTICLES, _REDRAWS, _POPULATIONS, run.seed, stage.threads, stage.progress
        )
    # What one DAG in as many as there were would change may not have been seen at all.
    seen = 1.0 / (_POPULATIONS * _PARTICLES)
    found = LogEstimate.of_weights(totals, _PARTICLES, _POPULATIONS * seen**2)
    return found if found.standard_error < _LARGEST_ERROR else None


def _by_order_ratio(
    prior_alone: Model,
    annealed: Callable[[Modularity, Space], LogEstimate],
    run: Run,
) -> LogEstimate | None:
    """Return the modular constant from the order-modular one; None if that is not reliable."""
    steps = _STEPS_OF_CHAINS * len(prior_alone.ordinary) ** 2
    steps = min(max(_FEWEST_STEPS, steps), _MOST_STEPS)
    untimed = replace(run, seed=run.seed ^ _OF_PRIOR, seconds=None)
    ratio = order_ratio(prior_alone, steps, _DRAWS, untimed)
    if ratio.doubts or not math.isfinite(ratio.estimate.variance):
        return None
    inverse = replace(ratio.estimate, value=-ratio.estimate.value)
    return annealed("order-modular", LinearOrders()).plus(inverse)
