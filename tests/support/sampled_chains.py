"""Spaces with the exact laws of their states, and the states chains visit in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arcwise import Model, _core
from arcwise.algorithms.chains import driven_chains
from arcwise.algorithms.mcmc import MCMC
from arcwise.engines import ChainJob
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import ChainRecord
from arcwise.records.settings import Recording, filled
from arcwise.runs.driver import ChainDriver
from arcwise.spaces import BucketOrders, LinearOrders, PartialOrders, Space
from arcwise.support.devices import Processors
from arcwise.support.running import NEVER, Stage
from reference.spaces import (
    State,
    weights_of_bucket_orders,
    weights_of_linear_orders,
    weights_of_partial_orders,
)
from support.exact_models import random_model

ONE_BUCKET_AFTER_ANOTHER = ((0, 1), (0, 2), (1, 3), (2, 3))
TWO_CHAINS = ((0, 1), (2, 3))


def ordered(pairs: Sequence[tuple[int, int]]) -> PartialOrders:
    return PartialOrders([(f"x{first}", f"x{second}") for first, second in pairs])


@dataclass(frozen=True)
class Case:
    """A space of four variables and the weights of its states, from their definition."""

    space: Space
    weights: Callable[[Model], dict[State, float]]

    def law(self, model: Model) -> dict[State, float]:
        weights = self.weights(model)
        total = sum(weights.values())
        return {state: weight / total for state, weight in weights.items()}


CASES = {
    "linear": Case(LinearOrders(), weights_of_linear_orders),
    "buckets": Case(BucketOrders(2), lambda model: weights_of_bucket_orders(model, 2)),
    "unequal buckets": Case(BucketOrders(3), lambda model: weights_of_bucket_orders(model, 3)),
    "partial orders": Case(
        ordered(ONE_BUCKET_AFTER_ANOTHER),
        lambda model: weights_of_partial_orders(model, ONE_BUCKET_AFTER_ANOTHER),
    ),
    "parallel chains": Case(
        ordered(TWO_CHAINS), lambda model: weights_of_partial_orders(model, TWO_CHAINS)
    ),
}

MODELS: dict[str, Callable[[], Model]] = {
    "free": lambda: random_model(4, spread=6.0, seed=1),
    "required edges": lambda: random_model(
        4, spread=3.0, seed=3, required_edges=[("x2", "x0"), ("x0", "x1")]
    ),
}

LADDERS = {"mcmc": [1.0], "mc3": [0.0, 0.3, 0.6, 1.0]}


def sampled(
    model: Model,
    space: Space,
    inverse_temperatures: list[float],
    *,
    draws: int,
    thinning: int,
    seed: int,
) -> ChainRecord:
    """Return what one chain keeps of its coldest level, DAGs included."""
    sums = ScoreSums(model)
    job = ChainJob(
        sums,
        space,
        space.build(sums),
        filled(
            _core.ChainOptions(),
            path=inverse_temperatures,
            record=Recording(modularity="order-modular").record_options(edge_batches=64),
        ),
        seed=seed,
        count=1,
    )
    settings = MCMC(
        space=space,
        modularity=space.modularity,
        steps=(draws + 10) * thinning,
        burn_in=10 / (draws + 10),
        thinning=thinning,
        chains=1,
    )
    stage = Stage(Processors(1))
    driver = ChainDriver(job.in_core(), settings, len(model.variables), stage, NEVER)
    for kind, part in driver.parts():
        driver.perform(kind, part)
    (record,) = driven_chains(driver).records
    return record


def states_of(kept: ChainRecord) -> list[State]:
    return [tuple(code) for code in kept.codes.tolist()]


def dags_of(kept: ChainRecord) -> list[tuple[int, ...]]:
    return [tuple(masks) for masks in np.asarray(kept.parents)[:, :, 0].tolist()]
