"""Tables and steps of Kuipers, Suter and Moffa (2022): the examples of the text, and the costs."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from common import Table
from simulated_networks import PRIOR, SCORE, SIZES, simulated

import arcwise
from arcwise import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import BDeu

TABLE_SIZES = (6, 8, 10, 12, 14)  # candidates of a node, where tables are timed
STEP_LENGTHS = {"linear": (50_000, 1_050_000), "partitions": (5_000, 105_000)}  # steps are timed


@dataclass(frozen=True)
class Example:
    """A number that the text states, and what arcwise says it is."""

    what: str
    published: str
    ours: str


def examples() -> Iterator[Example]:
    """Give the examples of the text: counts of DAGs, and the sums of Tables 1 and 2."""
    count = number_of_dags(21)
    yield Example("DAGs with 21 nodes (Section 1)", "about 10^80", f"10^{math.log10(count):.2f}")
    names = ["1", "2", "3", "4", "5"]
    data = {name: [0, 1, 1] for name in names}
    sums = ScoreSums(Model(data, lambda node, parents: 0.0, prior=PRIOR, threads=1), threads=1)

    def ways(node: str, allowed: list[str], required: list[str]) -> int:
        return round(math.exp(sums.log_sum(node, allowed, required)))

    node_2 = ways("2", ["1", "3", "4", "5"], ["3", "4"])
    node_3, node_4 = (ways(node, ["1", "5"], ["1", "5"]) for node in ("3", "4"))
    yield Example("parents of node 2 in the partition of Figure 5", "12", str(node_2))
    yield Example("parents of nodes 3 and 4", "3 each", f"{node_3} and {node_4}")
    yield Example("DAGs of that partition", "108", str(node_2 * node_3 * node_4))
    plain, needed = sum_tables()
    yield Example("sums of Table 1 (8), largest difference of logs", "–", f"{plain:.0e}")
    yield Example("sums of Table 2 (19), largest difference of logs", "–", f"{needed:.0e}")


def number_of_dags(nodes: int) -> int:
    """Return the number of DAGs by Robinson's recurrence."""
    counts = [1]
    for n in range(1, nodes + 1):
        counts.append(
            sum(
                (-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k]
                for k in range(1, n + 1)
            )
        )
    return counts[nodes]


def sum_tables() -> tuple[float, float]:
    """Return how far the sums of Tables 1 and 2 are from adding up the scores of their rows."""
    _, data = simulated(4, 50, 1)
    node, *others = data.variables
    model = Model(data, SCORE, prior=PRIOR, threads=1)
    sums = ScoreSums(model, threads=1)
    subsets = [
        {name for name, inside in zip(others, bits, strict=True) if inside}
        for bits in product((False, True), repeat=3)
    ]
    scores = [model.weights.log_score(node, sorted(parents)) for parents in subsets]
    errors: tuple[list[float], list[float]] = ([], [])
    for banned, needed in product(subsets, repeat=2):
        if banned & needed:
            continue
        rows = [
            score
            for parents, score in zip(subsets, scores, strict=True)
            if not parents & banned and (not needed or parents & needed)
        ]
        allowed = [name for name in others if name not in banned]
        plain = float(np.logaddexp.reduce(rows))
        told = sums.log_sum(node, allowed, sorted(needed) if needed else None)
        errors[bool(needed)].append(abs(told - plain))
    assert (len(errors[0]), len(errors[1])) == (8, 19)
    return max(errors[0]), max(errors[1])


# What tables and steps cost.


def table_costs() -> Table:
    """Return the processor time of scores and sums by the number of candidates K."""
    table = Table(
        "Processor time of one node's tables by the number K of candidates, 40 nodes, BGe and "
        "BDeu (binary), 400 rows: scores of all 2^K families, and of the table of their sums; "
        "microseconds, and nanoseconds for each family",
        ["K", "BGe scores", "BDeu scores", "sums", "BGe / 2^K", "BDeu / 2^K", "sums / 2^K"],
    )
    dag, gaussian = simulated(40, 400, 0)
    binary = arcwise.networks.discrete_network(dag, levels=2, seed=1).sample(400, seed=1)
    for size in TABLE_SIZES:
        candidates = {
            name: [other for other in dag.variables if other != name][:size]
            for name in dag.variables
        }
        spent = []
        models = []
        for data, score in ((gaussian, SCORE), (binary, BDeu())):
            start = time.process_time()
            models.append(Model(data, score, prior=PRIOR, candidates=candidates, threads=1))
            spent.append(time.process_time() - start)
        start = time.process_time()
        ScoreSums(models[0], threads=1)
        spent.append(time.process_time() - start)
        each = [1e6 * seconds / 40 for seconds in spent]
        table.add(size, *each, *(1e3 * value / 2**size for value in each))
    return table


def step_costs() -> Table:
    """Return steps a second of chains by the number of variables, with and without plus one."""
    table = Table(
        "Steps a second of one chain on the PC skeleton, alone and with one more parent (two runs "
        "of different length, so that what does not depend on the steps is left out)",
        ["n", "orders", "orders, plus one", "partitions", "partitions, plus one"],
    )
    for variables in SIZES:
        _, data = simulated(variables, 10 * variables, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
            skeleton = arcwise.candidates(data, "pc", threads=1)
        cells = []
        for space, plus_one in product(("linear", "partitions"), (False, True)):
            model = Model(
                data, SCORE, prior=PRIOR, candidates=skeleton, plus_one=plus_one, threads=1
            )
            cells.append(_rate(model, space))
        table.add(variables, *cells)
    return table


def _rate(model: Model, space: str) -> float:
    sums = ScoreSums(model, threads=1)
    seconds = []
    lengths = STEP_LENGTHS[space]
    for steps in lengths:
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
            arcwise.mcmc(
                model, space, steps=steps, thinning=max(1, lengths[0] // 2), chains=1,
                dags_per_state=0,
                modularity="order-modular" if space == "linear" else "modular",
                start="random", sums=sums, threads=1, seed=1,
            )  # fmt: skip
        seconds.append(time.process_time() - start)
    return (lengths[1] - lengths[0]) / max(1e-9, seconds[1] - seconds[0])
