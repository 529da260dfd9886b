"""The normalising constant of the structure prior: exact where possible, otherwise estimated.

Where the prior weight of a family depends on its size only, a recurrence gives the constant
for any number of variables; for few variables, dynamic programming does; beyond, it is
estimated by annealing on the prior alone.
"""

from __future__ import annotations

from arcwise.algorithms.annealed_results import annealed_log_total
from arcwise.algorithms.exact_computation import log_prior_constant
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.priors.constant import weights_by_size
from arcwise.spaces.space import Space
from arcwise.support.running import running

_MOST_EXACT = {"modular": 16, "order-modular": 20}
_RUNS = 400
_STEPS_PER_VARIABLE = 100
_TOLERANCE = 1e-8


def is_exact(model: Model, modularity: Modularity) -> bool:
    """Say whether the constant is computed, and not estimated, which takes a while."""
    by_size = weights_by_size(model.prior_terms, model.families, model.parent_only)
    return by_size is not None or len(model.ordinary) <= _MOST_EXACT[modularity]


def prior_constant(
    model: Model, modularity: Modularity, space: Space, *, seed: int, threads: int | None
) -> tuple[float, float]:
    """Return the log of the total prior weight of all DAGs, and its standard error.

    Parameters
    ----------
    model
        The model.
    modularity
        Whether each DAG counts once, or once for each of its topological orders.
    space
        The space to anneal in, for an estimate.
    seed
        The seed, for an estimate.
    threads
        As for `exact`.
    """
    if is_exact(model, modularity):
        with running(threads, None, "") as run:
            return log_prior_constant(model, modularity, _TOLERANCE, run), 0.0
    prior_alone = Model(model.prior_weights(), parent_only=model.parent_only, threads=threads)
    return annealed_log_total(
        prior_alone,
        space,
        modularity,
        runs=_RUNS,
        steps=_STEPS_PER_VARIABLE * len(model.ordinary),
        seed=seed,
        threads=threads,
    )
