"""How far sampled edge probabilities are from exact ones as the chains grow longer.

Seven runs of one chain for each length, a state kept every 2 n steps; the figures
are the largest error of any edge, as the median and the largest over the runs, and
how many of all errors of edges that are neither rare nor sure exceed four standard
errors. If a sampler is right and mixes, four times the steps halve the error.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from measuring import heading, line
from tables import simulated

import arcwise
from arcwise import Model, Posterior
from arcwise.data import Data
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums

RUNS = 7


def errors(
    model: Model, exact: Posterior, algorithm: str, space: str, steps: int, sums: ScoreSums
) -> tuple[list[float], list[float], float]:
    """Return the largest error of each run, errors in standard errors, and the time of one."""
    largest: list[float] = []
    in_errors: list[float] = []
    common = (exact.edges > 0.02) & (exact.edges < 0.98)
    start = time.perf_counter()
    for seed in range(RUNS):
        run = arcwise.mc3 if algorithm == "mc3" else arcwise.mcmc
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(
                model, space, modularity=exact.modularity, steps=steps, chains=1, seed=seed,
                sums=sums,
                dags_per_state=4 if exact.modularity == "modular" and space != "partitions" else 0,
                threads=1, thinning=2 * len(model.variables),
            )  # fmt: skip
        assert found.edge_errors is not None
        off = np.abs(found.edges - exact.edges)
        largest.append(float(off.max()))
        in_errors.extend((off[common] / found.edge_errors[common]).tolist())
    return largest, in_errors, (time.perf_counter() - start) / RUNS


def table(
    data: Data, max_indegree: int, modularity: Modularity, cases: list[str], most: int
) -> None:
    model = Model(data, max_indegree=max_indegree)
    exact = arcwise.exact(model, modularity)
    sums = ScoreSums(model)
    heading(f"{len(model.variables)} variables, {data.rows} rows, {modularity}")
    for case in cases:
        algorithm, space = case.split(" ")
        for steps in (most // 64, most // 16, most // 4, most):
            per_chain = steps // 8 if algorithm == "mc3" else steps
            found, in_errors, seconds = errors(model, exact, algorithm, space, per_chain, sums)
            line(
                f"{case}, {per_chain:,} steps, {seconds:.2f} s",
                f"{np.median(found):.4f} {max(found):.4f} {np.mean(np.array(in_errors) > 4):.2%}",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", help="tables of 13 to 20 discrete variables")
    parser.add_argument("--max-indegree", type=int, default=3)
    parser.add_argument("--most", type=int, default=1_280_000, help="steps of the longest chains")
    arguments = parser.parse_args()
    paths = arguments.data or []
    tables = [arcwise.read(path, kinds="discrete", constant="drop") for path in paths]
    for data in tables or [simulated()]:
        cases = ["mcmc linear", "mcmc buckets:5", "mc3 linear"]
        table(data, arguments.max_indegree, "order-modular", cases, arguments.most)
        cases = ["mcmc partitions", "mcmc buckets:5", "mc3 linear"]
        table(data, arguments.max_indegree, "modular", cases, arguments.most)


if __name__ == "__main__":
    main()
