"""How many steps a second the samplers make, and how many annealing runs.

(a) Steps of one chain in each space, with all parent sets up to a size and with
candidate parents, against a sampler in plain NumPy; (b) annealing runs, and the
numbers of orders that weight their DAGs; (c) coupled chains; (d) two threads
against one.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
from measuring import heading, line, side_by_side
from plain_orders import PlainOrders
from tables import discrete_table

import arcwise
from arcwise import Model, _core
from arcwise.data import Data
from arcwise.model.score_sums import ScoreSums
from arcwise.records.settings import filled
from arcwise.spaces import BucketOrders, LinearOrders, Space

MAX_INDEGREE = 4
CANDIDATES = 10
TOLERANCE = 1e-9  # of the sums where there are too many parent sets for tables
SWAPS = LinearOrders({"swap": 1})


def small_table(path: str | None) -> Data:
    """Return the file's table, or 1,000 rows of a random network of 20 variables."""
    if path is not None:
        return arcwise.read(path, kinds="discrete")
    dag = arcwise.networks.random_dag(20, expected_degree=2.5, max_indegree=4, seed=3)
    network = arcwise.networks.discrete_network(dag, levels=(2, 4), concentration=0.4, seed=3)
    return network.sample(1000, seed=3)


def best_candidates(model: Model, count: int) -> dict[str, list[str]]:
    """Return for each variable the parents that raise its score most, each alone."""
    names = model.variables
    return {
        node: sorted(
            (other for other in names if other != node),
            key=lambda other: -model.log_weight(node, [other]),
        )[:count]
        for node in names
    }


class Chain:
    """One chain, to be stepped on and on."""

    def __init__(self, space: Space, sums: ScoreSums, levels: int = 0) -> None:
        ladder = [1.0] if levels == 0 else [i / levels for i in range(levels)] + [1.0]
        built = space.build(sums)
        record = filled(_core.RecordOptions(), dags_per_state=0)
        options = filled(_core.ChainOptions(), path=ladder, record=record)
        self.chains = _core.Chains(built, options, 1, 0, 1)
        self.chains.start(0, 1, None)

    def steps(self, count: int) -> None:
        self.chains.burn_in(count, 1, None)


def rate(chain: Chain, seconds: float) -> float:
    """Return steps per second: the best of several pieces, after as long a burn-in."""
    count = 16
    while True:
        start = time.perf_counter()
        chain.steps(count)
        elapsed = time.perf_counter() - start
        if elapsed > seconds / 8:
            break
        count *= 2
    chain.steps(4 * count)
    return count / side_by_side({"chain": lambda: chain.steps(count)}, 5)["chain"]


def steps(model: Model, sums: ScoreSums, spaces: dict[str, Space], seconds: float) -> None:
    plain = PlainOrders(model, 1)
    plain_rate = 20 / side_by_side({"plain": lambda: plain.steps(20)}, 3)["plain"]
    line("linear orders in plain NumPy, swaps", f"{plain_rate:,.0f} /s")
    for name, space in spaces.items():
        found = rate(Chain(space, sums), seconds)
        line(name, f"{found:,.0f} /s")
        line("  against plain linear orders", f"{found / plain_rate:,.0f} times")


def chains(large: Data, small: Data, seconds: float) -> None:
    few = Model(small, max_indegree=MAX_INDEGREE)
    spaces: dict[str, Space] = {"linear orders, swaps": SWAPS, "linear orders": LinearOrders()}
    buckets = {size: {f"buckets of {size}": BucketOrders(size)} for size in (5, 7, 10)}
    heading(f"(a) {len(few.variables)} variables, up to {MAX_INDEGREE} parents, sums by table")
    steps(few, ScoreSums(few), {**spaces, **buckets[5], **buckets[7], **buckets[10]}, seconds)
    many = Model(large, max_indegree=MAX_INDEGREE)
    for tolerance in (TOLERANCE, 1e-12):
        sums = ScoreSums(many, tolerance=tolerance)
        heading(f"(a) {len(many.variables)} variables, up to {MAX_INDEGREE} parents, {sums!r}")
        steps(many, sums, {**spaces, **buckets[7], **buckets[10]}, seconds)
    restricted = Model(large, candidates=best_candidates(many, CANDIDATES))
    heading(f"(a) {len(many.variables)} variables, {CANDIDATES} candidate parents each")
    steps(restricted, ScoreSums(restricted), spaces, seconds)


def annealing(large: Data, runs: int) -> None:
    many = Model(large, max_indegree=MAX_INDEGREE)
    restricted = Model(large, candidates=best_candidates(many, CANDIDATES))
    n, rows = len(many.variables), large.rows
    count = n * rows // 4
    heading(f"(b) annealing runs, {count:,} steps each (n m / 4), {runs} of them, one thread")
    for name, model in (("all parents", many), (f"{CANDIDATES} candidates", restricted)):
        sums = ScoreSums(model, tolerance=TOLERANCE)
        for modularity in ("order-modular", "modular"):
            start = time.perf_counter()
            posterior = arcwise.ais(
                model, steps=count, particles=runs, seed=1, threads=1, sums=sums,
                modularity=modularity, estimate_extensions=True,
            )  # fmt: skip
            elapsed = time.perf_counter() - start
            line(f"{name}, {modularity}: runs per second", f"{runs / elapsed:.2f}")
            line("  effective runs", f"{posterior.run.convergence.ess:.1f}")
            assert posterior.evidence is not None
            line("  log evidence", f"{posterior.evidence.log_evidence:.2f}")
            error = posterior.evidence.standard_error
            line("  standard error", "none" if error is None else f"{error:.2f}")


def coupled(small: Data, seconds: float) -> None:
    heading("(c) coupled chains, 16 temperatures, 20 variables: steps of all of them")
    model = Model(small, max_indegree=MAX_INDEGREE)
    sums = ScoreSums(model)
    for name, space in (("linear orders", LinearOrders()), ("buckets of 5", BucketOrders(5))):
        alone = rate(Chain(space, sums), seconds)
        together = rate(Chain(space, sums, levels=15), seconds)
        line(f"{name}, steps per second", f"{together:,.0f}")
        line("  sixteen single chains against it", f"{alone / 16 / together:.2f} times")


def threads(small: Data) -> None:
    heading("(d) two threads against one")
    model = Model(small, max_indegree=MAX_INDEGREE)
    sums = ScoreSums(model)

    def mcmc(count: int) -> object:
        return arcwise.mcmc(
            model, steps=400_000, chains=4, dags_per_state=0, modularity="order-modular", seed=1,
            threads=count, sums=sums,
        )  # fmt: skip

    def ais(count: int) -> object:
        return arcwise.ais(
            model, steps=5_000, particles=100, dags_per_state=0, modularity="order-modular", seed=1,
            threads=count, sums=sums,
        )  # fmt: skip

    for name, work in (("mcmc, four chains", mcmc), ("ais, a hundred runs", ais)):
        best = side_by_side({"one": partial(work, 1), "two": partial(work, 2)}, 3)
        line(name, f"{best['one'] / best['two']:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a table of about 37 discrete variables")
    parser.add_argument("--small-data", help="a table of about 20 discrete variables")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each rate")
    parser.add_argument("--runs", type=int, default=16, help="annealing runs")
    arguments = parser.parse_args()
    np.seterr(divide="ignore")
    large, small = discrete_table(arguments.data), small_table(arguments.small_data)
    chains(large, small, arguments.seconds)
    annealing(large, arguments.runs)
    coupled(small, arguments.seconds)
    threads(small)


if __name__ == "__main__":
    main()
