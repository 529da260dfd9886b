"""How well random Gaussian networks are found again, and how soon chains agree about them.

As in the appendix of Kuipers, Suter and Moffa (2022), "Efficient sampling and structure
learning of Bayesian networks": random DAGs of expected degree 4, weights between 0.4 and
2, with 2 n and 10 n rows. Candidate parents grow from the skeleton of the PC algorithm,
which gives the best DAG; then two chains in each space sample the posterior.

Each data set is measured once and kept as a file under --out, so that a run that was
stopped goes on where it was. Then `large_networks_report.py` makes the tables and figures.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from pathlib import Path
from typing import Any

import large_networks_report
import numpy as np
from numpy.typing import NDArray
from plain_pc import pc_cpdag

import arcwise
from arcwise import Dag, Model, Posterior
from arcwise.data import Data
from arcwise.graphs import Cpdag, GraphComparison
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
ALPHAS = (0.01, 0.05, 0.1, 0.2)
PC_ALPHA = 0.05  # for its directions
SPACES: dict[str, Modularity] = {"partitions": "modular", "linear": "order-modular"}
BURN_IN = 0.2
LEAST_PROBABLE = 0.05  # edges below it in both chains would make any two chains agree
MOST_DAGS = 1000  # of each chain, made into their equivalence classes


def simulated(variables: int, rows: int, repetition: int) -> tuple[Dag, Data]:
    """Return a random DAG with 2 n edges on average, and rows of a network on it."""
    dag = arcwise.networks.random_dag(variables, expected_degree=4, seed=repetition)
    return dag, arcwise.networks.gaussian_network(dag, seed=repetition).sample(
        rows, seed=repetition
    )


def found(comparison: GraphComparison) -> dict[str, float]:
    """Return what is told of a graph: rates of the skeleton, distance of the class."""
    counts = comparison.skeleton
    return {
        "true_positive_rate": counts.true_positive_rate,
        "false_positive_rate": counts.false_positive_rate,
        "false_positives_per_edge": counts.false_positives_per_edge,
        "structural_hamming_distance": comparison.structural_hamming_distance,
    }


def agreement(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return R², the squared correlation of edge probabilities, without edges rare in both."""
    common = np.maximum(first, second) > LEAST_PROBABLE
    return float(np.corrcoef(first[common], second[common])[0, 1] ** 2)


def majority_class(posteriors: list[Posterior]) -> Cpdag:
    """Return the edges more than half of the DAGs have, of the kind most of their classes have.

    The kinds are directed one way, the other, or not at all. The graph need not be the class
    of any DAG.
    """
    n, count = len(posteriors[0].variables), 0
    one_way, both_ways = np.zeros((n, n)), np.zeros((n, n))
    for posterior in posteriors:
        dags = posterior.dags
        assert dags is not None
        for place in np.linspace(0, len(dags) - 1, min(MOST_DAGS, len(dags))).astype(int):
            matrix = arcwise.graphs.cpdag(dags[int(place)]).matrix()
            one_way += matrix & ~matrix.T
            both_ways += matrix & matrix.T
            count += 1
    joined = one_way + one_way.T + both_ways > count / 2
    directed = joined & (one_way > one_way.T) & (one_way > both_ways)
    return Cpdag.from_matrix(posteriors[0].variables, joined & ~directed.T)


def sampled(
    model: Model, sums: ScoreSums, space: str, multiple: float, last: bool
) -> tuple[list[Posterior], float]:
    """Return two chains from different starts, and the processor time of one of them."""
    n = len(model.variables)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        chains = [
            arcwise.mcmc(
                model, space, modularity=SPACES[space],
                steps=math.ceil(multiple * n**2 * math.log(n)),
                burn_in=BURN_IN, chains=1, dags_per_state=int(last), seed=seed, sums=sums,
                threads=1,
            )
            for seed in (1, 2)
        ]  # fmt: skip
    return chains, (time.process_time() - start) / 2


def posterior(
    model: Model, sums: ScoreSums, truth: Cpdag, space: str, multiples: list[float]
) -> dict[str, Any]:
    """Return how two chains of each length agree, and what the longest say about the truth."""
    agree, seconds = {}, 0.0
    chains: list[Posterior] = []
    for multiple in multiples:
        chains, seconds = sampled(model, sums, space, multiple, multiple == multiples[-1])
        agree[multiple] = agreement(chains[0].edges, chains[1].edges)
    edges = (chains[0].edges + chains[1].edges) / 2
    joined = edges + edges.T  # an edge is never there in both directions
    above = {
        threshold: found(
            arcwise.compare(Cpdag.from_matrix(model.variables, joined > threshold), truth)
        )
        for threshold in THRESHOLDS
    }
    for rates in above.values():
        del rates["structural_hamming_distance"]  # of a skeleton
    ends = [float(np.mean(chain.traces.log_weights[0])) for chain in chains if chain.traces]
    return {
        "agreement": agree,
        "thresholds": above,
        "majority": found(arcwise.compare(majority_class(chains), truth)),
        "seconds_of_a_chain": seconds,
        "mean_log_weights": ends,
    }


def measure(
    variables: int, rows: int, repetition: int, multiples: dict[str, list[float]]
) -> dict[str, Any]:
    """Return all there is to tell about one data set."""
    dag, data = simulated(variables, rows, repetition)
    truth = arcwise.graphs.cpdag(dag)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        growth = arcwise.grow(data, "pc", seed=repetition, threads=1)
    growth_seconds = time.process_time() - start
    assert growth.best is not None
    sums = ScoreSums(growth.model, threads=1)
    own = Model(data, candidates={name: dag.parents(name) for name in dag.variables}, threads=1)
    return {
        "variables": variables,
        "rows": rows,
        "repetition": repetition,
        "edges": dag.number_of_edges,
        "growth_seconds": growth_seconds,
        "families": len(growth.model.scores),
        "log_weight_above_truth": growth.best.log_weight - own.log_weight_of(dag),
        "restarts_agree": growth.best.agree,
        "map": found(arcwise.compare(growth.best.cpdag, truth)),
        "pc": {
            alpha: found(
                arcwise.compare(
                    pc_cpdag(data, alpha)
                    if alpha == PC_ALPHA
                    else Cpdag.from_matrix(
                        data.variables,
                        arcwise.candidates(data, "pc", alpha=alpha, threads=1).matrix(),
                    ),
                    truth,
                )
            )
            for alpha in ALPHAS
        },
        "posteriors": {
            space: posterior(growth.model, sums, truth, space, multiples[space])
            for space in multiples
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a folder for what is found")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 40, 60, 80])
    parser.add_argument("--rows", type=int, nargs="+", default=[2, 10], help="for each variable")
    parser.add_argument("--repetitions", type=int, default=20)
    for space, usual in (("partitions", [1, 4, 16]), ("linear", [1, 4, 16, 64])):
        parser.add_argument(
            f"--{space}", type=float, nargs="*", default=usual, help="steps / (n² ln n), rising"
        )
    options = parser.parse_args()
    multiples = {space: getattr(options, space) for space in SPACES if getattr(options, space)}
    options.out.mkdir(parents=True, exist_ok=True)
    for repetition in range(options.repetitions):
        for variables in options.sizes:
            for rows in (each * variables for each in options.rows):
                path = options.out / f"n{variables}-N{rows}-{repetition}.json"
                if not path.exists():
                    answer = measure(variables, rows, repetition, multiples)
                    path.write_text(json.dumps(answer, indent=1) + "\n")
    large_networks_report.write(options.out)


if __name__ == "__main__":
    main()
