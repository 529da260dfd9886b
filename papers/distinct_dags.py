"""The method of Ellis and Wong: DAGs of orders, until the distinct ones carry most weight."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from repeated_runs import Study

from arcwise import Posterior
from arcwise.algorithms import unique_dags
from arcwise.records.runs import UniqueDagsRun


@dataclass(frozen=True)
class DistinctDags:
    """Runs of the method of Ellis and Wong."""

    edges: NDArray[np.float64]
    seconds: float
    orders: int
    orders_short: int
    dags: int


def distinct(study: Study, seconds: float) -> DistinctDags:
    """Run the method of Ellis and Wong for about so many seconds, drawing DAGs included."""
    fewest = 2
    trial = _distinct_run(study, fewest, study.seed)[1]
    return distinct_of_orders(study, max(fewest, int(fewest * seconds / trial)))


def distinct_of_orders(study: Study, orders: int) -> DistinctDags:
    """Run the method of Ellis and Wong on so many orders of each run."""
    found = [_distinct_run(study, orders, study.seed + number) for number in range(study.runs)]
    runs = [each[0].run for each in found if isinstance(each[0].run, UniqueDagsRun)]
    return DistinctDags(
        np.stack([each[0].edges for each in found]),
        float(np.mean([each[1] for each in found])),
        orders,
        max(run.orders_short_of_coverage for run in runs),
        int(np.mean([run.dags for run in runs])),
    )


def _distinct_run(study: Study, orders: int, seed: int) -> tuple[Posterior, float]:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = unique_dags(
            study.model, coverage=0.95, steps=2000 * orders, thinning=1000, chains=1, seed=seed,
            sums=study.sums, threads=1,
        )  # fmt: skip
    return found, time.process_time() - start
