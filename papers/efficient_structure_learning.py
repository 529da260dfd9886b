"""Search spaces and tables of sums: the experiments of Kuipers, Suter and Moffa (2022).

Random Gaussian networks by the recipe of their appendix: how well skeletons (Figures 4 and 8) and
equivalence classes (Figures 10 and 11) are found again by the PC algorithm, by chains on its
skeleton with one more parent, by the best DAG and by chains on the grown search space, how the
rounds of growth improve it (Figure 9), and how soon two chains agree (Figure 12). Then the
examples of the text, and what building tables and making steps costs.

Each data set is kept as a file in the folder of the results, so that a run that was stopped goes
on where it was.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import benchmark_modules  # noqa: F401
import matplotlib.pyplot as plt
import numpy as np
from common import COLOURS, Options, Table, main, options
from recovery import agreement, found, majority_class, sampled
from references import pc_cpdag
from search_space_costs import examples, step_costs, table_costs
from simulated_networks import PRIOR, SCORE, SIZES, simulated

import arcwise
from arcwise import Dag, Model, Posterior
from arcwise.data import Data
from arcwise.graphs import Cpdag
from arcwise.model.candidates import Candidates
from arcwise.model.score_sums import ScoreSums

Result = dict[str, Any]

ROWS = (2, 10)  # for each variable
REPETITIONS = 100
SHARES = {20: 0.1, 40: 0.2, 60: 0.3, 80: 0.4}  # of the time
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.35, 0.45)
PC_ALPHA = 0.05  # of the first search space, and where the directions of PC are compared
ORDER_STEPS = (1.0, 4.0, 16.0)  # over n² ln n
PARTITION_STEPS = 4.0
CLASS_DAGS = 100  # of each chain, made into their equivalence classes


def rates(graph: Cpdag | Dag, truth: Cpdag) -> tuple[float, float]:
    """Return TPR and FPRn of the skeleton: true and false positives over the true edges."""
    told = found(arcwise.compare(graph, truth))
    return told["true_positive_rate"], told["false_positives_per_edge"]


def by_threshold(chains: Sequence[Posterior], truth: Cpdag) -> list[tuple[float, float]]:
    """Return TPR and FPRn of the pairs above each threshold in the mean of the chains."""
    edges = np.mean([chain.edges for chain in chains], axis=0)
    joined = edges + edges.T
    return [
        rates(Cpdag.from_matrix(truth.variables, joined > threshold), truth)
        for threshold in THRESHOLDS
    ]


def distance(graph: Cpdag, truth: Cpdag) -> int:
    """Return the structural Hamming distance of two equivalence classes."""
    return arcwise.graphs.structural_hamming_distance(graph, truth)


def majority(chains: Sequence[Posterior], truth: Cpdag) -> int:
    """Return the distance of the edges that most DAGs have, of the kind most classes have."""
    few = [
        replace(chain, dags=None if chain.dags is None else chain.dags.thinned(CLASS_DAGS))
        for chain in chains
    ]
    return distance(majority_class(few), truth)


def iterated(data: Data, skeleton: Candidates, seed: int) -> list[tuple[float, Cpdag]]:
    """Return log weight and class of the best DAG of each round of the paper's iteration.

    Each round searches the union of the skeleton and the class of the round before, with one
    more parent for each node (Equation 22), until nothing better is found.
    """
    space = skeleton.matrix()
    found: list[tuple[float, Cpdag]] = []
    while True:
        model = Model(
            data,
            SCORE,
            prior=PRIOR,
            candidates=Candidates.from_matrix(data.variables, space),
            plus_one=True,
            threads=1,
        )
        best = arcwise.map(model, method="search", restarts=2, seed=seed, threads=1)
        if found and best.log_weight <= found[-1][0] + 1e-9:
            return found
        found.append((best.log_weight, best.cpdag))
        space = skeleton.matrix() | best.cpdag.matrix()


def measure(variables: int, rows: int, repetition: int) -> Result:
    """Return all there is to tell about one data set."""
    dag, data = simulated(variables, rows, repetition)
    truth = arcwise.graphs.cpdag(dag)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        skeletons = {
            alpha: arcwise.candidates(data, "pc", alpha=alpha, threads=1) for alpha in ALPHAS
        }
        first = Model(
            data, SCORE, prior=PRIOR, candidates=skeletons[PC_ALPHA], plus_one=True, threads=1
        )
        start = time.process_time()
        growth = arcwise.grow(
            data, skeletons[PC_ALPHA], score=SCORE, prior=PRIOR, seed=repetition, threads=1
        )
        growth_seconds = time.process_time() - start
        start = time.process_time()
        rounds = iterated(data, skeletons[PC_ALPHA], repetition)
        iteration_seconds = time.process_time() - start
    assert growth.best is not None
    at_first, _ = sampled(first, ScoreSums(first, threads=1), "linear", ORDER_STEPS[-1], True)
    sums = ScoreSums(growth.model, threads=1)
    agree: list[float] = []
    orders: list[Posterior] = []
    order_seconds = 0.0
    for multiple in ORDER_STEPS:
        last = multiple == ORDER_STEPS[-1]
        orders, order_seconds = sampled(growth.model, sums, "linear", multiple, last)
        agree.append(agreement(orders[0].edges, orders[1].edges))
    partitions, partition_seconds = sampled(growth.model, sums, "partitions", PARTITION_STEPS, True)
    own = Model(
        data, SCORE, prior=PRIOR, candidates={v: dag.parents(v) for v in dag.variables}, threads=1
    )
    return {
        "variables": variables,
        "rows": rows,
        "edges": dag.number_of_edges,
        "above_truth": growth.best.log_weight - own.log_weight_of(dag),
        "pc": [
            rates(Cpdag.from_matrix(data.variables, skeletons[alpha].matrix()), truth)
            for alpha in ALPHAS
        ],
        "first": by_threshold(at_first, truth),
        "orders": by_threshold(orders, truth),
        "partitions": by_threshold(partitions, truth),
        "map": rates(growth.best.cpdag, truth),
        "rounds": [(log_weight, *rates(each, truth)) for log_weight, each in rounds],
        "grown_above_rounds": growth.best.log_weight - rounds[-1][0],
        "distance": {
            "PC": distance(pc_cpdag(data, PC_ALPHA), truth),
            "first space": majority(at_first, truth),
            "MAP": distance(growth.best.cpdag, truth),
            "orders": majority(orders, truth),
            "partitions": majority(partitions, truth),
        },
        "agreement": agree,
        "partition_agreement": agreement(partitions[0].edges, partitions[1].edges),
        "growth_seconds": growth_seconds,
        "iteration_seconds": iteration_seconds,
        "order_seconds": order_seconds,
        "partition_seconds": partition_seconds,
    }


def study(given: Options, seconds: float) -> dict[tuple[int, int], list[Result]]:
    """Measure data sets of each size for its share of the processor time, at least one of each."""
    folder = given.results.folder / "data-sets"
    folder.mkdir(exist_ok=True)
    results: dict[tuple[int, int], list[Result]] = {}
    for variables in SIZES:
        start = time.process_time()
        for repetition in range(REPETITIONS):
            paths = {
                factor: folder / f"n{variables}-N{factor * variables}-{repetition}.json"
                for factor in ROWS
            }
            if not all(path.exists() for path in paths.values()):
                spent = time.process_time() - start
                enough = spent * (1 + 1 / max(1, repetition)) > seconds * SHARES[variables]
                if repetition and not given.full and enough:
                    break
            for factor, path in paths.items():
                if not path.exists():
                    answer = measure(variables, factor * variables, repetition)
                    path.write_text(json.dumps(answer) + "\n", encoding="utf-8")
                results.setdefault((variables, factor), []).append(
                    json.loads(path.read_text(encoding="utf-8"))
                )
    return results


def _setting(setting: tuple[int, int]) -> str:
    return f"n = {setting[0]}, N = {setting[0] * setting[1]}"


def _median(values: Sequence[float], digits: int = 2) -> str:
    return f"{np.median(values):.{digits}f}"


def _quartiles(values: Sequence[float], digits: int = 0) -> str:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def skeleton_table(results: dict[tuple[int, int], list[Result]]) -> Table:
    """Return the skeletons: median TPR at median FPRn of each method."""
    names = {
        "PC, α = 0.05": ("pc", ALPHAS.index(PC_ALPHA)),
        "first space, ρ > 0.5": ("first", THRESHOLDS.index(0.5)),
        "orders, ρ > 0.5": ("orders", THRESHOLDS.index(0.5)),
        "partitions, ρ > 0.5": ("partitions", THRESHOLDS.index(0.5)),
        "partitions, ρ > 0.9": ("partitions", THRESHOLDS.index(0.9)),
    }
    table = Table(
        "Skeletons: median TPR at median FPRn (true and false positives over the true edges)",
        ["", "data sets", "edges", *names, "best DAG"],
    )
    for setting, own in results.items():
        cells = []
        for key, place in names.values():
            pairs = [one[key][place] for one in own]
            cells.append(f"{_median([p[0] for p in pairs])} at {_median([p[1] for p in pairs])}")
        best = [one["map"] for one in own]
        cells.append(f"{_median([p[0] for p in best])} at {_median([p[1] for p in best])}")
        table.add(
            _setting(setting), len(own), float(np.mean([one["edges"] for one in own])), *cells
        )
    return table


def distance_table(results: dict[tuple[int, int], list[Result]]) -> Table:
    """Return the distances of equivalence classes from that of the true DAG."""
    names = ("PC", "first space", "MAP", "orders", "partitions")
    table = Table(
        "Structural Hamming distance of equivalence classes, median (quartiles)", ["", *names]
    )
    for setting, own in results.items():
        table.add(
            _setting(setting),
            *(_quartiles([one["distance"][name] for one in own]) for name in names),
        )
    return table


def rounds_table(results: dict[tuple[int, int], list[Result]]) -> Table:
    """Return how the best DAG improves with the rounds of the paper's iteration."""
    table = Table(
        "The paper's iteration from the PC skeleton: median number of rounds, TPR at FPRn of the "
        "best DAG of the first, the second and the last round (medians), and data sets in which it "
        "ends below `arcwise.grow`, by how many nats at most. Then how far the best DAG of `grow` "
        "is above the generating one (median, least), in nats",
        ["", "rounds", "first", "second", "last", "below grow", "by", "grow above truth"],
    )
    for setting, own in results.items():
        told = [one["rounds"] for one in own]
        at = [[each[min(place, len(each) - 1)] for each in told] for place in (0, 1, 10**6)]
        above = [one["grown_above_rounds"] for one in own]
        truth = [one["above_truth"] for one in own]
        table.add(
            _setting(setting),
            float(np.median([len(each) for each in told])),
            *(
                f"{_median([each[1] for each in places])} at "
                f"{_median([each[2] for each in places])}"
                for places in at
            ),
            f"{sum(value > 1e-6 for value in above)} of {len(above)}",
            max(0.0, max(above)),
            f"{np.median(truth):.1f}, {min(truth):.1f}",
        )
    return table


def agreement_table(results: dict[tuple[int, int], list[Result]]) -> Table:
    """Return how two chains agree by their steps, and the time all takes."""
    table = Table(
        "R² of the edge probabilities of two chains, edges below 0.05 in both left out, median "
        "and worst data set, by steps / (n² ln n); and processor seconds of the paper's iteration, "
        "of `grow`, and of one of the longest chains",
        [
            "",
            *(f"orders, {multiple:g}" for multiple in ORDER_STEPS),
            f"partitions, {PARTITION_STEPS:g}",
            "iteration, s",
            "grow, s",
            "orders, s",
            "partitions, s",
        ],
    )
    for setting, own in results.items():
        columns = [[one["agreement"][place] for one in own] for place in range(len(ORDER_STEPS))]
        columns.append([one["partition_agreement"] for one in own])
        table.add(
            _setting(setting),
            *(f"{np.median(values):.3f}, {min(values):.3f}" for values in columns),
            *(
                float(np.mean([one[key] for one in own]))
                for key in (
                    "iteration_seconds",
                    "growth_seconds",
                    "order_seconds",
                    "partition_seconds",
                )
            ),
        )
    return table


def draw_skeletons(results: dict[tuple[int, int], list[Result]]) -> Any:
    """Return Figures 4, 8 and 9: median TPR against median FPRn, with the rounds of growth."""
    figure, panels = plt.subplots(
        len(ROWS), len(SIZES), figsize=(9.5, 2.4 * len(ROWS)), squeeze=False
    )
    lines = {
        "pc": ("PC", "v", COLOURS[0]),
        "first": ("first space", "o", COLOURS[3]),
        "orders": ("grown space, orders", "s", COLOURS[2]),
        "partitions": ("grown space, partitions", "D", COLOURS[4]),
    }
    for (variables, factor), own in results.items():
        panel = panels[ROWS.index(factor), SIZES.index(variables)]
        for key, (name, marker, colour) in lines.items():
            middle = np.median([one[key] for one in own], axis=0)
            panel.plot(
                middle[:, 1], middle[:, 0], f"{marker}-", color=colour, ms=2.5, lw=0.8, label=name
            )
        steps = max(len(one["rounds"]) for one in own)
        rounds = np.median(
            [
                [one["rounds"][min(i, len(one["rounds"]) - 1)][1:] for i in range(steps)]
                for one in own
            ],
            axis=0,
        )
        panel.plot(
            rounds[:, 1], rounds[:, 0], "+", color=COLOURS[1], ms=4, label="best DAG, each round"
        )
        panel.set_title(_setting((variables, factor)), fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels[:, 0]:
        panel.set_ylabel("TPR", fontsize=8)
    for panel in panels[-1]:
        panel.set_xlabel("FPRn", fontsize=8)
    panels[-1, -1].legend(fontsize=6, frameon=False)
    return figure


def draw_distances(results: dict[tuple[int, int], list[Result]]) -> Any:
    """Return Figures 10, 11 and 12: distances of classes, and agreement by steps."""
    figure, panels = plt.subplots(1, 3, figsize=(9.5, 2.8))
    names = ("PC", "first space", "MAP", "orders", "partitions")
    for panel, factor in zip(panels, ROWS, strict=False):
        for place, name in enumerate(names):
            own = [
                np.quantile(
                    [one["distance"][name] for one in results[n, factor]], [0.25, 0.5, 0.75]
                )
                for n in SIZES
            ]
            low, middle, high = np.array(own).T
            panel.errorbar(
                np.array(SIZES) + 1.5 * (place - 2), middle, yerr=[middle - low, high - middle],
                fmt="o", ms=3, lw=0.8, color=COLOURS[place], label=name,
            )  # fmt: skip
        panel.set_title(f"distance of classes, N = {factor} n", fontsize=8)
        panel.set_xlabel("n", fontsize=8)
        panel.set_xticks(SIZES)
    panels[0].legend(fontsize=6, frameon=False)
    for (variables, factor), each in results.items():
        middle = 1 - np.median([one["agreement"] for one in each], axis=0)
        panels[2].loglog(
            ORDER_STEPS,
            middle,
            "o-" if factor == ROWS[-1] else "o:",
            ms=3,
            lw=0.8,
            color=COLOURS[SIZES.index(variables)],
            label=f"n = {variables}, N = {factor} n",
        )
    panels[2].set_title("1 - R² of two chains over orders", fontsize=8)
    panels[2].set_xlabel("steps / (n² ln n)", fontsize=8)
    panels[2].legend(fontsize=5, frameon=False)
    for panel in panels:
        panel.tick_params(labelsize=7)
    return figure


def run(given: Options) -> None:
    """Run all experiments of the paper; its data are simulated."""
    results = given.results
    table = Table("Examples of the text", ["what", "published", "arcwise"], text_columns=3)
    for example in examples():
        table.add(example.what, example.published, example.ours)
    results.table(table)
    results.table(table_costs())
    results.table(step_costs())
    studied = study(given, 0.85 * given.seconds)
    for make in (skeleton_table, distance_table, rounds_table, agreement_table):
        results.table(make(studied))
    results.figure("efficient-structure-learning-skeletons", draw_skeletons(studied))
    results.figure("efficient-structure-learning-distances", draw_distances(studied))


if __name__ == "__main__":
    main(run, options(__doc__ or "", "efficient_structure_learning", 240.0))
