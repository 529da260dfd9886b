"""How soon chains on large networks reach the posterior's bulk, and what large networks cost.

(a) Partition chains from random starts on a network of 80 variables: the steps and the
processor time until the log weight is within 20 nats of its mean in the long run. (b) From
data to the posterior for 200 variables, and for 1,000 with fewer edges: processor time
and the most memory held after each stage, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import heading, in_own_process, line, most_held_bytes

import arcwise
from arcwise import Model, Posterior
from arcwise.data import Data
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums

NEAR = 20.0  # nats
SPACES: dict[str, Modularity] = {"linear": "order-modular", "partitions": "modular"}
THINNING = 100
MOST_SEARCHED = 500  # variables

Stages = dict[str, float]


def simulated(variables: int, degree: float, rows: int) -> Data:
    """Return rows of a random Gaussian network."""
    dag = arcwise.networks.random_dag(variables, expected_degree=degree, seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(rows, seed=1)


def sampled(
    model: Model, sums: ScoreSums, space: str, steps: int, seed: int, **options: Any
) -> tuple[Posterior, float]:
    """Return what a run of chains found, and its processor time."""
    start = time.process_time()
    posterior = arcwise.mcmc(
        model,
        space,
        modularity=SPACES[space],
        steps=steps,
        seed=seed,
        sums=sums,
        threads=1,
        **options,
    )
    return posterior, time.process_time() - start


def traces(data: Data, space: str, starts: int, steps: int) -> None:
    growth = arcwise.grow(data, "pc", seed=1, threads=1)
    assert growth.best is not None
    sums = ScoreSums(growth.model, threads=1)
    rows, rates = [], []
    for seed in range(starts):
        posterior, seconds = sampled(
            growth.model, sums, space, steps, seed,
            burn_in=0.0, chains=1, dags_per_state=0, thinning=THINNING,
        )  # fmt: skip
        assert posterior.traces is not None
        rows.append(posterior.traces.log_weights[0])
        rates.append(steps / seconds)
    ends = [float(row[len(row) // 2 :].mean()) for row in rows]
    bulk = float(np.mean(ends))
    heading(
        f"(a) {len(data.variables)} variables, {data.rows} rows, {space}: {starts} random starts "
        f"of {steps:,} steps, {np.mean(rates):,.0f} a second"
    )
    line("log weight in the second half, mean of all", f"{bulk:.1f}")
    line("log weight of the best DAG", f"{growth.best.log_weight:.1f}")
    for seed, (row, end) in enumerate(zip(rows, ends, strict=True)):
        near = np.flatnonzero(row > bulk - NEAR)
        if not near.size:
            line(f"start {seed}: from {row[0]:.0f}, stays away, at", f"{end:.1f}")
            continue
        reached = THINNING * (int(near[0]) + 1)
        # Early steps need not take as long as late ones, so they are timed on their own.
        _, seconds = sampled(
            growth.model, sums, space, reached, seed,
            burn_in=0.0, chains=1, dags_per_state=0, thinning=THINNING,
        )  # fmt: skip
        line(
            f"start {seed}: from {row[0]:.0f}, then at {end:.1f}",
            f"{reached:,} steps, {seconds:.2f} s",
        )


def stages(variables: int, degree: float, rows: int, steps: dict[str, int]) -> Stages:
    """Return the processor time of each stage, and the memory held by its end.

    Of many variables the candidates grow by the posterior, which short chains give sooner than
    searches give the best DAG; and fewer to begin with will do where edges are few.
    """
    answer: Stages = {}
    last = time.process_time()

    def note(stage: str) -> None:
        nonlocal last
        now = time.process_time()
        answer[f"{stage}, seconds"] = now - last
        answer[f"{stage}, bytes"] = most_held_bytes()
        last = now

    data = simulated(variables, degree, rows)
    note("simulated")
    many = variables > MOST_SEARCHED
    chosen = arcwise.candidates(data, "pc", alpha=0.01 if many else 0.05, threads=1)
    note("PC skeleton")
    if many:
        growth = arcwise.grow(data, chosen, by="posterior", steps=200_000, seed=1, threads=1)
        note("growth by the posterior")
    else:
        growth = arcwise.grow(data, chosen, seed=1, threads=1)
        note("growth and MAP")
    sums = ScoreSums(growth.model, threads=1)
    note("score sums")
    for space, count in steps.items():
        posterior, _ = sampled(growth.model, sums, space, count, 1, chains=2)
        note(f"two chains of {space}")
        answer[f"two chains of {space}, steps of each"] = count
        answer[f"two chains of {space}, largest difference of an edge"] = float(
            posterior.run.convergence.difference or 0.0
        )
        log_weights = posterior.traces.log_weights if posterior.traces else ()
        for chain, row in enumerate(log_weights):
            answer[f"two chains of {space}, mean log weight of {chain}"] = float(row.mean())
    answer["rounds of growth"] = len(growth.rounds)
    answer["families"] = len(growth.model.scores)
    if growth.best is not None:
        answer["log weight of the best DAG"] = growth.best.log_weight
        answer["restarts at the best, of all"] = growth.best.restarts_at_best / growth.best.restarts
    return answer


def report(variables: int, degree: float, rows: int, linear: int, partitions: int) -> None:
    heading(f"(b) {variables} variables, expected degree {degree:g}, {rows:,} rows")
    arguments = [str(each) for each in (variables, degree, rows, linear, partitions)]
    for name, value in in_own_process(__file__, ["--measure", *arguments]).items():
        stage, _, what = name.rpartition(", ")
        if what == "bytes":
            line(f"{stage}, most held", f"{value / 2**30:.2f} GiB")
        else:
            line(name, f"{value:,.2f}" + (" s" if what == "seconds" else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a table for (a), instead of a simulated one")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--multiple", type=float, default=4.0, help="of n² ln n: steps in (a)")
    parser.add_argument("--only", choices=["traces", "200", "1000"], help="one part alone")
    parser.add_argument("--measure", nargs=5, type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
    if options.measure:
        variables, degree, rows, linear, partitions = options.measure
        steps = {"linear": int(linear), "partitions": int(partitions)}
        print(json.dumps(stages(int(variables), degree, int(rows), steps)))
        return
    if options.only in (None, "traces"):
        data = (
            arcwise.read(options.data, kinds="continuous")
            if options.data
            else simulated(80, 4, 800)
        )
        n = len(data.variables)
        for space in ("partitions", "linear"):
            steps = math.ceil(options.multiple * n**2 * math.log(n) / THINNING) * THINNING
            traces(data, space, options.starts, steps)
    if options.only in (None, "200"):
        report(200, 4, 1000, 848_000, 212_000)
    if options.only in (None, "1000"):
        report(1000, 2, 1000, 400_000, 20_000)


if __name__ == "__main__":
    main()
