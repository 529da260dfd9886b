"""Layerings against partitions: the experiments of Viinikka and Koivisto (UAI 2020).

How small the parts of partitions are in networks and along chains (Tables 1 and 2), and how
nine chains over partitions and over layerings mix, step by step and second by second (Figure 4).
The moves are those of the paper: chains over partitions do without edge reversal.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from common import COLOURS, Options, Results, Table, load, main, options, table_path
from dag_matrices import edge_matrices
from numpy.typing import NDArray

import arcwise
from arcwise import Model
from arcwise.algorithms.estimates import modular_log_weights
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample
from arcwise.spaces import Dags, Layerings, Partitions, Space

PAPER_STEPS = 60_000
PAPER_CHAINS = 9
LAYER = 8  # the M of Tables 1 and 2
STUCK = 8.0  # nats below the best chain: next to no posterior probability is there
SHOWN = 40  # points of a chain in the figure
PIECES = 40  # points of the error curves

# Kuipers and Moffa's moves without edge reversal, and those of the layerings paper; neither
# text states their shares, so that they are equal here.
PARTITION_MOVES = {"split or join": 1.0, "swap adjacent": 1.0, "swap": 1.0, "relocate": 1.0}
LAYERING_MOVES = {"relocate": 1.0, "swap adjacent": 1.0, "swap": 1.0, "re-partition": 1.0}

ALGORITHMS: dict[str, Space] = {
    "partitions": Partitions(PARTITION_MOVES),
    "layerings, M = 4": Layerings(4, LAYERING_MOVES, partition_moves=1),
    "layerings, M = 8": Layerings(8, LAYERING_MOVES, partition_moves=1),
    "partitions, usual moves": Partitions(),
    "DAGs, usual moves": Dags(),
}
PAPER_ALGORITHMS = tuple(ALGORITHMS)[:3]
SLOWEST = PAPER_ALGORITHMS[-1]
# What a step costs is left out of the paper's comparison, so these run once more, each for as
# long as the slowest takes.
EQUAL_TIME = ("partitions", "DAGs, usual moves")
EQUAL_TIME_CHAINS = 5
MOST_DAGS = 6_000  # of a chain in equal time


@dataclass(frozen=True)
class Case:
    """A data set: what it is called here and in the paper, and what Table 2 prints of it.

    Parameters
    ----------
    file
        The name of the file without its ending.
    name
        What it is called in the paper; None if the paper does not have it.
    continuous
        Whether the score is BGe; otherwise it is BDeu.
    max_indegree
        The largest number of parents; None for no limit.
    printed
        m, k and the length of the 8-layering of Table 2; None if it is not there.
    share
        Its share of the time, more where a step takes longer.
    """

    file: str
    name: str | None
    continuous: bool
    max_indegree: int | None
    printed: tuple[float, float, float] | None
    share: float


CASES = (
    Case("asia-1000", "ASIA-1000", False, None, (1, 6, 1), 0.15),
    Case("boston-continuous", "BOSTON", True, 5, (1, 10, 2), 0.25),
    Case("zoo", "ZOO", False, 5, (1, 11, 3), 0.5),
    Case("vehicle12", None, False, 5, None, 0.1),
)

# Table 1 of the paper: nodes, arcs, largest indegree, m, k, length of the 8-layering.
NETWORKS: dict[str, tuple[str, tuple[float, ...]]] = {
    "ASIA": ("asia-1000", (8, 8, 2, 2, 4, 1)),
    "CHILD": ("child-1000", (20, 25, 2, 5, 5, 3)),
    "INSURANCE": ("insurance-1000", (27, 52, 3, 2.5, 10, 5)),
    "ALARM": ("alarm-1000", (37, 46, 4, 2, 11, 5)),
    "HAILFINDER": ("hailfinder-1000", (56, 66, 4, 1.5, 14, 6)),
}


def part_sizes(edges: NDArray[np.bool_]) -> list[int]:
    """Return the sizes of the parts of a DAG's root-partition, from [source, target].

    A node is in the part after the last of its parents, so that the number of its part is the
    length of the longest path that ends in it.
    """
    parts = part_numbers(edges[np.newaxis])[0]
    return [int(size) for size in np.bincount(parts)]


def part_numbers(edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of each node's part in each of many DAGs, from [DAG, source, target]."""
    parts = np.zeros(edges.shape[:2], dtype=np.int64)
    for _ in range(edges.shape[1]):
        after = np.where(edges, parts[:, :, np.newaxis] + 1, 0).max(axis=1)
        if (after == parts).all():
            break
        parts = after
    return parts


def layering_length(sizes: Sequence[int], largest: int) -> int:
    """Return how many layers the M-layering of a partition has (Definition 2 of the paper)."""
    layers, held = 0, 0
    for size in sizes:
        if layers and held + size <= largest:
            held += size
        else:
            layers, held = layers + 1, size
    return layers


def model_of(case: Case, folder: Path, threads: int) -> Model:
    """Return the model of a data set: the paper's scores, and a uniform prior over DAGs."""
    kinds = "continuous" if case.continuous else "discrete"
    return Model(
        load(folder, case.file, kinds=kinds),
        "bge" if case.continuous else "bdeu",
        prior="uniform",
        max_indegree=case.max_indegree,
        threads=threads,
    )


@dataclass(frozen=True, eq=False)
class Chain:
    """One chain from a random start: its DAGs in order, their scores, and its processor time."""

    dags: DagSample
    scores: NDArray[np.float64]
    thinning: int
    seconds: float

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.dags) * self.thinning

    def errors(self, truth: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the largest error of an edge's share of the first so many DAGs."""
        had = np.cumsum(edge_matrices(self.dags), axis=0, dtype=np.int32)[at - 1]
        shares = had / at[:, np.newaxis, np.newaxis]
        found: NDArray[np.float64] = np.abs(shares - truth).max(axis=(1, 2))
        return found


def run_chain(
    model: Model, sums: ScoreSums, space: Space, steps: int, thinning: int, seed: int
) -> Chain:
    """Run one chain from a random state, all of it kept, every so many steps a DAG."""
    start = time.process_time()
    with warnings.catch_warnings():
        # That one short chain does not prove its convergence is what is being measured.
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        found = arcwise.mcmc(
            model, space, steps=steps, thinning=thinning, burn_in=0.0, start="random",
            chains=1, seed=seed, sums=sums, threads=1,
        )  # fmt: skip
    seconds = time.process_time() - start
    assert found.dags is not None
    return Chain(found.dags, modular_log_weights(model, found.dags), thinning, seconds)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What was measured on one data set.

    Parameters
    ----------
    case, model
        The data set and its model.
    truth, exact_seconds
        The exact probabilities of edges, and the processor time they took.
    chains
        The chains of each algorithm, all with the same number of steps.
    equal_time
        Chains that took as long as those of the slowest algorithm, whatever their steps.
    """

    case: Case
    model: Model
    truth: NDArray[np.float64]
    exact_seconds: float
    chains: dict[str, list[Chain]]
    equal_time: dict[str, list[Chain]]


def compared(case: Case, given: Options, steps: int | None, chains: int) -> Comparison:
    """Run all algorithms on a data set, with as many steps as the time allows if None."""
    model = model_of(case, given.data, given.threads)
    start = time.process_time()
    truth = arcwise.exact(model, threads=1).edges
    exact_seconds = time.process_time() - start
    sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
    thinning = 1 if len(model.variables) < 10 else 10
    if steps is None:
        steps = _affordable(model, sums, thinning, given.seconds * case.share, chains)
    found = {
        name: [
            run_chain(model, sums, space, steps, thinning, given.seed + number)
            for number in range(chains)
        ]
        for name, space in ALGORITHMS.items()
    }
    seconds = float(np.median([chain.seconds for chain in found[SLOWEST]]))
    equal = {SLOWEST: found[SLOWEST][:EQUAL_TIME_CHAINS]}
    for name in EQUAL_TIME:
        rate = float(np.median([chain.steps / chain.seconds for chain in found[name]]))
        # Rates are those of chains that keep more DAGs, so that these take a little less.
        kept = max(thinning, int(rate * seconds) // MOST_DAGS)
        many = max(1, int(rate * seconds) // kept) * kept
        equal[name] = [
            run_chain(model, sums, ALGORITHMS[name], many, kept, given.seed + number)
            for number in range(min(chains, EQUAL_TIME_CHAINS))
        ]
    return Comparison(case, model, truth, exact_seconds, found, equal)


def _affordable(model: Model, sums: ScoreSums, thinning: int, seconds: float, chains: int) -> int:
    """Return how many steps each chain may have, in thousands, at most those of the paper."""
    costs = {
        name: run_chain(model, sums, space, 300, thinning, 0).seconds / 300
        for name, space in ALGORITHMS.items()
    }
    extra = len(EQUAL_TIME) * min(chains, EQUAL_TIME_CHAINS) * costs[SLOWEST]
    allowed = seconds / (chains * sum(costs.values()) + extra)
    return int(min(PAPER_STEPS, max(2_000, allowed // 1_000 * 1_000)))


def networks_table(folder: Path) -> Table:
    """Return Table 1: the root-partitions of the networks whose DAG is there."""
    table = Table(
        "Root-partitions of networks: median part size m, number of parts k, layers of the "
        "8-layering; published in brackets",
        ["network", "nodes", "arcs", "max indegree", "m", "k", "layers"],
    )
    for name, (file, printed) in NETWORKS.items():
        edges = np.loadtxt(
            table_path(folder, f"{file}.adj"), delimiter=",", skiprows=1, dtype=str, ndmin=2
        )
        matrix = edges[:, -len(edges) :].astype(float).astype(np.bool_)
        sizes = part_sizes(matrix)
        ours = (
            len(matrix),
            int(matrix.sum()),
            int(matrix.sum(axis=0).max()),
            float(np.median(sizes)),
            len(sizes),
            layering_length(sizes, LAYER),
        )
        table.add(name, *(f"{a:g} ({b:g})" for a, b in zip(ours, printed, strict=True)))
    return table


def visited_table(comparisons: Sequence[Comparison]) -> Table:
    """Return Table 2: the partitions that chains over partitions visit."""
    table = Table(
        "Root-partitions along one chain over partitions, medians; published in brackets",
        ["data", "nodes", "rows", "max indegree", "m", "k", "layers"],
    )
    for found in comparisons:
        chain = found.chains["partitions"][0]
        sizes: list[int] = []
        lengths: list[int] = []
        layers: list[int] = []
        for parts in part_numbers(edge_matrices(chain.dags)):
            own = np.bincount(parts).tolist()
            sizes += own
            lengths.append(len(own))
            layers.append(layering_length(own, LAYER))
        ours = [float(np.median(values)) for values in (sizes, lengths, layers)]
        printed = found.case.printed
        cells = (
            [f"{a:g} ({b:g})" for a, b in zip(ours, printed, strict=True)]
            if printed
            else [f"{a:g}" for a in ours]
        )
        n = len(found.model.variables)
        table.add(label(found.case), n, load_rows(found), found.case.max_indegree or n - 1, *cells)
    return table


def load_rows(found: Comparison) -> int:
    """Return the number of rows of a data set."""
    assert found.model.data is not None
    return int(found.model.data.rows)


def label(case: Case) -> str:
    """Return what a data set is called in tables: as in the paper if that has it."""
    return case.name or f"{case.file} (not in the paper)"


def mixing_table(found: Comparison) -> Table:
    """Return how chains agree and err after equal steps, and after equal time."""
    steps = found.chains["partitions"][0].steps
    chains = len(found.chains["partitions"])
    equal = float(np.median([chain.seconds for chain in found.equal_time[SLOWEST]]))
    table = Table(
        f"{label(found.case)}, {chains} chains of {steps:,} steps; exact edges in "
        f"{found.exact_seconds:.2f} s. *Spread*: largest minus smallest mean score of the DAGs of "
        f"a chain's second half, in nats. *Stuck*: chains {STUCK:g} nats or more below the best. "
        "*Error*: largest of any edge, median and worst chain, after these steps and (first "
        f"{len(found.equal_time[SLOWEST])} chains) after the {equal:.1f} s of processor time that "
        f"{SLOWEST} takes for them",
        ["space", "steps a second", "spread", "stuck", "error, equal steps", "error, equal time"],
    )
    for name, own in found.chains.items():
        means = np.array([chain.scores[len(chain.scores) // 2 :].mean() for chain in own])
        timed = found.equal_time.get(name)
        table.add(
            name,
            float(np.median([chain.steps / chain.seconds for chain in own])),
            float(np.ptp(means)),
            int((means < means.max() - STUCK).sum()),
            both(own, found.truth),
            None if timed is None else both(timed, found.truth),
        )
    return table


def both(chains: Sequence[Chain], truth: NDArray[np.float64]) -> str:
    """Return the largest errors of the median and of the worst chain."""
    values = [chain.errors(truth, np.array([len(chain.dags)]))[0] for chain in chains]
    return f"{np.median(values):.3f}, {max(values):.3f}"


def draw(comparisons: Sequence[Comparison]) -> Any:
    """Return Figure 4: scores of nine chains in each space, and the median error, by steps."""
    figure, panels = plt.subplots(
        len(comparisons), 4, figsize=(9.5, 2.1 * len(comparisons)), squeeze=False
    )
    for row, found in zip(panels, comparisons, strict=True):
        scores = np.concatenate([c.scores for n in PAPER_ALGORITHMS for c in found.chains[n]])
        top = scores.max()
        # Random starts are hundreds of nats below, where nothing is to be seen.
        low = min(float(np.quantile(scores, 0.03)), top - 5.0)
        for panel, name, colour in zip(row, PAPER_ALGORITHMS, COLOURS, strict=False):
            for chain in found.chains[name]:
                places = np.linspace(0, len(chain.scores) - 1, SHOWN).astype(int)
                panel.plot(
                    (places + 1) * chain.thinning / 1000,
                    chain.scores[places],
                    lw=0.5,
                    color=colour,
                )
            panel.set_ylim(low - 0.05 * (top - low), top + 0.05 * (top - low))
            panel.set_title(f"{found.case.name or found.case.file}: {name}", fontsize=7)
            panel.tick_params(labelsize=6)
        row[0].set_ylabel("log posterior of DAG", fontsize=7)
        for name, colour in zip(PAPER_ALGORITHMS, COLOURS, strict=False):
            own = found.chains[name]
            at = np.unique(np.geomspace(5, len(own[0].dags), PIECES).astype(np.int64))
            curves = np.array([chain.errors(found.truth, at) for chain in own])
            row[3].loglog(
                at * own[0].thinning, np.median(curves, axis=0), color=colour, lw=1, label=name
            )
        row[3].set_title("largest error of an edge, median", fontsize=7)
        row[3].tick_params(labelsize=6)
        row[3].minorticks_off()
    panels[0, 3].legend(fontsize=6, frameon=False)
    for panel in panels[-1, :3]:
        panel.set_xlabel("thousand steps", fontsize=7)
    panels[-1, 3].set_xlabel("steps", fontsize=7)
    return figure


def spread_table(comparisons: Sequence[Comparison]) -> Table:
    """Return how far apart the scores of the chains are in each tenth of their way."""
    windows = (0, 1, 2, 5, 9)
    table = Table(
        "Spread of scores over time: largest minus smallest mean score of the chains within a "
        "tenth of all steps, in nats",
        ["data", "space", *(f"tenth {window + 1}" for window in windows)],
        text_columns=2,
    )
    for found in comparisons:
        for name, own in found.chains.items():
            size = len(own[0].scores) // 10
            table.add(
                label(found.case),
                name,
                *(
                    float(np.ptp([c.scores[size * w : size * (w + 1)].mean() for c in own]))
                    for w in windows
                ),
            )
    return table


def run(given: Options) -> None:
    """Run all experiments of the paper that the data allow."""
    results: Results = given.results
    results.table(networks_table(given.data))
    steps = PAPER_STEPS if given.full else None
    comparisons = [compared(case, given, steps, PAPER_CHAINS) for case in CASES]
    results.table(visited_table(comparisons))
    for found in comparisons:
        results.table(mixing_table(found))
    results.table(spread_table(comparisons))
    results.figure("layering-scores", draw(comparisons))


if __name__ == "__main__":
    main(run, options(__doc__ or "", "layering", 420.0))
