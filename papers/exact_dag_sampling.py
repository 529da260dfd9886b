"""Independent draws from the exact posterior: the experiments of He, Tian and Wu (JMLR 2016).

Orders (DOS) and DAGs (DDS) from the order-modular posterior beside chains over bucket orders, the
different DAGs weighted to the modular posterior (IW-DDS) beside chains over DAGs, with the
probability they cover and the bounds that follow, paths and combined paths against the
enumeration of all DAGs, and Hoeffding's bound.

Errors are sums over all ordered pairs (or triples) of the absolute differences from the exact
probabilities, the paper's SAD.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import polars
from common import COLOURS, Options, Table, main, options, table_path
from dag_matrices import edge_matrices
from enumerated_dags import FEATURES, enumerated, feature_probabilities
from numpy.typing import NDArray

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms import ExactSampler, GivenOrder, importance_weighted_dags, samples_for
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample
from arcwise.spaces import BucketOrders, Dags

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

MAX_INDEGREE = 5  # of the authors' example runs, and the numbers of draws
DDS_DRAWS = 20_000
IW_DRAWS = 30_000
MOST_RUNS = 15
BUCKET = 10  # but less than all variables, which would make every draw independent
BUCKET_STEPS = 20_000
FIGURE_DRAWS = (1_000, 3_000, 10_000, 30_000, 100_000)
FIGURE_RUNS = 400  # of the figure of Hoeffding's bound


@dataclass(frozen=True)
class Case:
    """A data set: its file, and what the paper calls the one it stands for.

    Parameters
    ----------
    file
        The name of the file without its ending.
    name
        The name in the paper.
    rows
        How many of its first rows are used; None for all.
    """

    file: str
    name: str
    rows: int | None = None


CASES = (
    Case("tic-tac-toe", "Tic-Tac-Toe"),
    Case("glass", "Glass"),
    Case("wine", "Wine"),
    Case("boston", "Housing"),
    Case("credit", "Credit"),
    Case("vehicle12", "Vehicle, 12 columns"),
    Case("child-500", "Child, 100 rows", 100),
    Case("child-500", "Child, 500 rows"),
)
SMALL = (Case("coronary", "Coronary"), Case("iris", "Iris"))
IN_FIGURES = ("Tic-Tac-Toe", "Wine", "Housing", "Child, 500 rows")
HOEFFDING = (("Tic-Tac-Toe", 400), ("Child, 500 rows", 100))
REQUIREMENTS = ((0.05, 0.05), (0.02, 0.05))  # epsilon, delta


def model_of(case: Case, folder: Path) -> Model:
    """Return the model of a data set: BDeu with sample size 1, uniform prior."""
    table = polars.read_csv(table_path(folder, case.file), n_rows=case.rows)
    data = arcwise.read(table, kinds="discrete", constant="drop")
    return Model(data, "bdeu", prior="uniform", max_indegree=MAX_INDEGREE, threads=1)


def sad(found: Numbers, truth: Numbers) -> float:
    """Return the sum of absolute differences, over ordered pairs or triples."""
    return float(np.abs(found - truth).sum())


@dataclass(frozen=True, eq=False)
class Exact:
    """A model with its exact posteriors, order-modular and modular, and the time these took."""

    case: Case
    model: Model
    order_modular: Posterior
    modular: Posterior
    order_modular_seconds: float
    modular_seconds: float

    @property
    def log_total_weight(self) -> float:
        """The log of the summed modular weights of all DAGs."""
        evidence, constant = self.modular.log_evidence, self.modular.log_prior_constant
        assert evidence is not None
        assert constant is not None
        return evidence + constant


def exact_of(case: Case, folder: Path) -> Exact:
    """Return a data set's model and its exact posteriors."""
    model = model_of(case, folder)
    start = time.process_time()
    biased = arcwise.exact(model, "order-modular", threads=1)
    middle = time.process_time()
    unbiased = arcwise.exact(model, threads=1)
    end = time.process_time()
    return Exact(case, model, biased, unbiased, middle - start, end - middle)


@dataclass(frozen=True)
class Runs:
    """The errors of several runs of a method, and the mean seconds of a run."""

    errors: tuple[float, ...]
    seconds: float

    def __str__(self) -> str:
        """Return mean and standard deviation of the errors."""
        spread = float(np.std(self.errors, ddof=1)) if len(self.errors) > 1 else math.nan
        return f"{np.mean(self.errors):.3f} ± {spread:.3f}"


def repeated(method: Callable[[int], float], seconds: float, full: bool, seed: int) -> Runs:
    """Run a method with one seed after the other: 2 to 15 times, as the seconds allow."""
    errors: list[float] = []
    start = time.process_time()
    while len(errors) < MOST_RUNS:
        spent = time.process_time() - start
        if not full and len(errors) >= 2 and spent * (1 + 1 / len(errors)) > seconds:
            break
        errors.append(method(seed + len(errors)))
    return Runs(tuple(errors), (time.process_time() - start) / len(errors))


def bucket_chain(exact: Exact, sums: ScoreSums, seed: int) -> float:
    """Return the error of a chain over bucket orders, the paper's PO-MCMC."""
    size = min(BUCKET, len(exact.model.variables) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        found = arcwise.mcmc(
            exact.model, BucketOrders(size), modularity="order-modular", steps=BUCKET_STEPS,
            burn_in=0.5, thinning=50, start="random", chains=1, dags_per_state=0, seed=seed,
            sums=sums, threads=1,
        )  # fmt: skip
    return sad(found.edges, exact.order_modular.edges)


def direct_orders(exact: Exact, sums: ScoreSums, seed: int, draws: int) -> float:
    """Return the error of DOS: exact edges given orders drawn from the exact posterior."""
    orders = ExactSampler(exact.model, "order-modular", threads=1).orders(draws, seed=seed)
    total = np.zeros_like(exact.order_modular.edges)
    for order in orders:
        given = GivenOrder(exact.model, list(order), sums=sums, threads=1)
        total += given.edge_probabilities()
    return sad(total / draws, exact.order_modular.edges)


def direct_dags(exact: Exact, seed: int, draws: int) -> float:
    """Return the error of DDS: DAGs drawn from the exact order-modular posterior."""
    dags = ExactSampler(exact.model, "order-modular", threads=1).dags(draws, seed=seed)
    return sad(dags.edge_probabilities(), exact.order_modular.edges)


def order_modular_tables(given: Options, cases: Sequence[Exact], seconds: float) -> Iterator[Table]:
    """Give the tables of errors and times under the order-modular prior."""
    errors = Table(
        "Order-modular posterior, errors (SAD) of edges, mean ± standard deviation over runs "
        f"(in brackets); chains over bucket orders of {BUCKET_STEPS:,} steps, DOS and DDS with "
        f"{DDS_DRAWS:,} draws",
        ["data", "n", "rows", "bucket orders", "DOS", "DDS"],
    )
    times = Table(
        "Seconds of processor time of one run: everything from the scores on, and the steps of DDS",
        ["data", "bucket orders", "DOS", "DDS", "set-up", "orders", "DAGs"],
    )
    share = seconds / len(cases) / 3
    for exact in cases:
        sums = ScoreSums(exact.model, tabulate="sums", threads=1)
        own = [
            repeated(method, share, given.full, given.seed)
            for method in (
                partial(bucket_chain, exact, sums),
                partial(direct_orders, exact, sums, draws=DDS_DRAWS),
                partial(direct_dags, exact, draws=DDS_DRAWS),
            )
        ]
        data = exact.model.data
        assert data is not None
        errors.add(
            exact.case.name,
            len(exact.model.variables),
            int(data.rows),
            *(f"{runs} ({len(runs.errors)})" for runs in own),
        )
        parts = step_seconds(exact.model, given.seed)
        times.add(exact.case.name, *(runs.seconds for runs in own), *parts)
    yield errors
    yield times


def step_seconds(model: Model, seed: int) -> tuple[float, float, float]:
    """Return the seconds of the three steps of DDS; that of DAGs draws their orders as well."""
    start = time.process_time()
    sampler = ExactSampler(model, "order-modular", threads=1)
    ready = time.process_time()
    sampler.orders(DDS_DRAWS, seed=seed)
    ordered = time.process_time()
    sampler.dags(DDS_DRAWS, seed=seed)
    return ready - start, ordered - ready, time.process_time() - ordered


@dataclass(frozen=True)
class Weighted:
    """What IW-DDS found: its error, the probability covered, and whether its bounds hold."""

    error: float
    coverage: float
    dags: int
    outside: int


def weighted(exact: Exact, seed: int, draws: int) -> Weighted:
    """Return what IW-DDS found, and how many edges are outside its bounds."""
    found = importance_weighted_dags(
        exact.model, draws, seed=seed, log_total_weight=exact.log_total_weight, threads=1
    )
    assert found.coverage is not None
    edges, truth = found.dags.edge_probabilities(), exact.modular.edges
    low = found.coverage * edges
    high = low + 1.0 - found.coverage
    outside = int(((truth < low - 1e-9) | (truth > high + 1e-9)).sum())
    return Weighted(sad(edges, truth), found.coverage, len(found.dags), outside)


def dag_chain(exact: Exact, seed: int, seconds: float) -> float:
    """Return the error of a chain over DAGs that has about so much processor time."""
    pilot = 2_000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        spent = 0.0
        while True:
            start = time.process_time()
            found = arcwise.mcmc(
                exact.model, Dags(), steps=pilot, chains=1, dags_per_state=0, seed=seed, threads=1
            )
            spent = time.process_time() - start
            if spent > 0.5 * seconds:
                return sad(found.edges, exact.modular.edges)
            # What does not grow with the steps makes a short chain seem slower than it is.
            pilot = int(pilot * min(4.0, max(1.5, seconds / spent)))


def modular_table(given: Options, cases: Sequence[Exact], seconds: float) -> Table:
    """Return the table of errors and coverage under the modular prior."""
    table = Table(
        "Modular posterior, errors (SAD) of edges, mean ± standard deviation over runs (in "
        "brackets). *Bias*: of the exact order-modular posterior, a single number. Chains over "
        f"DAGs have at least half the processor time of IW-DDS ({IW_DRAWS:,} draws). *Δ*: the "
        "posterior probability of its distinct DAGs. *Outside*: edges outside the guaranteed "
        "bounds, over all runs",
        [
            "data", "n", "bias", "chain over DAGs", "IW-DDS", "Δ", "distinct DAGs", "outside",
            "IW-DDS, s", "exact, s",
        ],
    )  # fmt: skip
    share = seconds / len(cases) / 2
    for exact in cases:
        found: list[Weighted] = []

        def once(seed: int, exact: Exact = exact, found: list[Weighted] = found) -> float:
            found.append(weighted(exact, seed, IW_DRAWS))
            return found[-1].error

        ours = repeated(once, share, given.full, given.seed)
        chains = repeated(
            partial(dag_chain, exact, seconds=ours.seconds), share, given.full, given.seed
        )
        coverage = float(np.mean([one.coverage for one in found]))
        table.add(
            exact.case.name,
            len(exact.model.variables),
            sad(exact.order_modular.edges, exact.modular.edges),
            f"{chains} ({len(chains.errors)})",
            f"{ours} ({len(ours.errors)})",
            f"{coverage:.4f}" if coverage > 1e-4 else f"{coverage:.0e}",
            int(np.mean([one.dags for one in found])),
            sum(one.outside for one in found),
            ours.seconds,
            exact.modular_seconds,
        )
    return table


def draw_by_draws(cases: Sequence[Exact], most: int, seed: int) -> Any:
    """Return the figure of errors and coverage by the number of draws."""
    figure, panels = plt.subplots(1, 3, figsize=(9.5, 2.9))
    sizes = [size for size in FIGURE_DRAWS if size <= most]
    for exact, colour in zip(cases, COLOURS, strict=False):
        direct = [direct_dags(exact, seed, size) for size in sizes]
        seconds, own = [], []
        for size in sizes:
            start = time.process_time()
            own.append(weighted(exact, seed, size))
            seconds.append(time.process_time() - start)
        name = exact.case.name
        panels[0].loglog(sizes, direct, "o-", color=colour, lw=1, ms=3, label=name)
        panels[1].loglog(
            sizes, [one.error for one in own], "o-", color=colour, lw=1, ms=3, label=name
        )
        bias = sad(exact.order_modular.edges, exact.modular.edges)
        panels[1].axhline(bias, color=colour, lw=0.6, ls=":")
        panels[2].semilogx(seconds, [one.coverage for one in own], "o-", color=colour, lw=1, ms=3)
    for panel, title, axis in zip(
        panels,
        ("DDS: error (SAD)", "IW-DDS: error; dotted: bias of the prior", "IW-DDS: Δ"),
        ("draws", "draws", "seconds"),
        strict=True,
    ):
        panel.set_title(title, fontsize=8)
        panel.set_xlabel(axis, fontsize=8)
        panel.tick_params(labelsize=7)
        panel.minorticks_off()
    panels[0].legend(fontsize=6, frameon=False)
    return figure


# Paths and combined paths, against the enumeration of all DAGs.


def paths_table(given: Options, exact: Exact, runs: int) -> Table:
    """Return errors of edges, paths and combined paths on a data set small enough to enumerate."""
    model = exact.model
    start = time.process_time()
    truth, count = enumerated(model, MAX_INDEGREE)
    seconds = time.process_time() - start
    sampler = ExactSampler(model, threads=1)
    methods: dict[str, Callable[[int], tuple[DagSample, Numbers]]] = {
        "chain over DAGs, 30,000 draws": lambda seed: _even(_chain_dags(model, seed)),
        "IW-DDS, 30,000 draws": lambda seed: _weighted_dags(exact, seed),
        "exact modular draws, 30,000": lambda seed: _even(sampler.dags(IW_DRAWS, seed=seed)),
    }
    table = Table(
        f"{exact.case.name} (n = {len(model.variables)}; {count:,} DAGs enumerated in "
        f"{seconds:.1f} s): errors (SAD) over all pairs or triples, mean ± standard deviation of "
        f"{runs} runs",
        ["method", *FEATURES],
    )
    for name, method in methods.items():
        errors: dict[str, list[float]] = {feature: [] for feature in FEATURES}
        for run in range(runs):
            found = feature_probabilities(*method(given.seed + run))
            for feature in FEATURES:
                errors[feature].append(sad(found[feature], truth[feature]))
        table.add(name, *(str(Runs(tuple(errors[feature]), 0.0)) for feature in FEATURES))
    return table


def _even(dags: DagSample) -> tuple[DagSample, Numbers]:
    return dags, dags.shares


def _weighted_dags(exact: Exact, seed: int) -> tuple[DagSample, Numbers]:
    found = importance_weighted_dags(exact.model, IW_DRAWS, seed=seed, threads=1)
    return found.dags, found.dags.shares


def _chain_dags(model: Model, seed: int) -> DagSample:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        found = arcwise.mcmc(
            model, Dags(), steps=10 * 2 * IW_DRAWS, thinning=10, burn_in=0.5, chains=1, seed=seed,
            threads=1,
        )  # fmt: skip
    assert found.dags is not None
    return found.dags


# Hoeffding's bound.


def violations(exact: Exact, draws: Sequence[int], epsilon: float, runs: int, seed: int) -> Numbers:
    """Return in which share of runs each edge is off by epsilon or more, [draws, edges]."""
    sampler = ExactSampler(exact.model, "order-modular", threads=1)
    truth = exact.order_modular.edges
    off_diagonal = ~np.eye(len(truth), dtype=np.bool_)
    counts = np.zeros((len(draws), int(off_diagonal.sum())))
    for run in range(runs):
        edges = edge_matrices(sampler.dags(max(draws), seed=seed + run))
        for row, size in enumerate(draws):
            off = np.abs(edges[:size].mean(axis=0) - truth) >= epsilon
            counts[row] += off[off_diagonal]
    return counts / runs


def hoeffding_table(given: Options, cases: Sequence[Exact]) -> Table:
    """Return how often the error of an edge is beyond what Hoeffding's bound allows."""
    table = Table(
        "Hoeffding's bound: with so many DAGs an edge is off by ε or more with probability at most "
        "δ. Largest and mean share of runs in which an edge was",
        ["data", "edges", "ε", "δ", "DAGs", "runs", "largest", "mean"],
    )
    for name, runs in HOEFFDING:
        (exact,) = (one for one in cases if one.case.name == name)
        for epsilon, delta in REQUIREMENTS:
            draws = samples_for(epsilon, delta)
            found = violations(exact, [draws], epsilon, runs, given.seed)[0]
            table.add(
                name,
                len(found),
                epsilon,
                delta,
                draws,
                runs,
                float(found.max()),
                float(found.mean()),
            )
    return table


def draw_hoeffding(exact: Exact, runs: int, seed: int) -> Any:
    """Return the figure of the bound and of the largest share of violations, by draws."""
    epsilon = 0.02
    draws = list(range(1_000, 6_001, 500))
    found = violations(exact, draws, epsilon, runs, seed)
    figure, panel = plt.subplots(figsize=(4.5, 2.6))
    bound = np.minimum(1.0, 2.0 * np.exp(-2.0 * np.array(draws) * epsilon**2))
    panel.plot(draws, bound, color=COLOURS[1], lw=1, label="Hoeffding's bound")
    panel.plot(draws, found.max(axis=1), "o-", color=COLOURS[0], lw=1, ms=3, label="worst edge")
    panel.plot(draws, found.mean(axis=1), "o:", color=COLOURS[0], lw=1, ms=3, label="mean edge")
    panel.set_xlabel("DAGs drawn")
    panel.set_ylabel(f"P(error ≥ {epsilon:g})")
    panel.legend(frameon=False, fontsize=7)
    return figure


def run(given: Options) -> None:
    """Run all experiments of the paper that the data allow."""
    results = given.results
    cases = [exact_of(case, given.data) for case in CASES]
    for table in order_modular_tables(given, cases, 0.6 * given.seconds):
        results.table(table)
    results.table(modular_table(given, cases, 0.2 * given.seconds))
    shown = [exact for exact in cases if exact.case.name in IN_FIGURES]
    results.figure(
        "exact-dag-sampling-draws",
        draw_by_draws(shown, FIGURE_DRAWS[-1], given.seed),
    )
    for case in SMALL:
        results.table(
            paths_table(given, exact_of(case, given.data), MOST_RUNS if given.full else 5)
        )
    results.table(hoeffding_table(given, cases))
    results.figure(
        "exact-dag-sampling-hoeffding", draw_hoeffding(cases[0], FIGURE_RUNS, given.seed)
    )


if __name__ == "__main__":
    main(run, options(__doc__ or "", "exact_dag_sampling", 180.0))
