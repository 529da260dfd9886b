"""Structure discovery by sampling partial orders (Niinimäki, Parviainen, Koivisto 2016), repeated.

Linear against bucket orders, by MCMC, coupled chains (MC³) and annealing (AIS); bias correction
by numbers of linear extensions, and by distinct DAGs (Ellis and Wong); the marginal likelihood
and its lower bounds. Figures and tables have the numbers of the paper's.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from common import (
    COLOURS,
    Options,
    Table,
    label_few_seconds,
    load,
    main,
    options,
    published,
)
from counting import counting_figure, counting_table, counting_times
from distinct_dags import distinct
from matplotlib.axes import Axes
from numpy.typing import NDArray
from partial_order_problems import PROBLEMS, PUBLISHED, Problem
from repeated_runs import TRIAL, RepeatedRuns, Sampler, Study

import arcwise
from arcwise import Model
from arcwise.model.model import Modularity

NAME = "partial_orders"
RUNS = 7
DEFAULT_SECONDS = 240.0
COUPLED = (3, 15, 63)
ANNEALED = (0.25, 1.0, 4.0)
USUAL_COUPLED, USUAL_ANNEALED = 15, 1.0
FRACTIONS = (1 / 16, 1 / 4, 1.0)  # of a run's time, at which errors are told
DAY = 86_400.0
CONFIDENCE = 1 - 2.0**-5  # of lower bounds


def study_of(folder: Path, problem: Problem, seed: int) -> Study:
    """Return the paper's model of a data set: BDeu with sample size 1, uniform over DAGs."""
    data = load(folder, problem.name, kinds="discrete", constant="keep")
    score = arcwise.scores.BDeu(1.0)
    model = Model(data, score, prior="uniform", max_indegree=problem.max_indegree, threads=1)
    return Study(model, RUNS, seed, kept=100 if problem.large else 1000)


def chains(bucket: int, levels: Iterable[int]) -> list[Sampler]:
    """Return MCMC and MC³ on linear and on bucket orders."""
    return [
        Sampler(f"{'MC³, K = ' + str(k) if k else 'MCMC'}, {space_name(size)}", kind, size, k)
        for size in (1, bucket)
        for k in (0, *levels)
        for kind in (("mc3" if k else "mcmc"),)
    ]


def annealers(study: Study, sizes: Iterable[int], factors: Iterable[float]) -> list[Sampler]:
    """Return AIS with K = K' m n steps."""
    data = study.model.data
    assert data is not None
    cells = data.rows * len(study.model.variables)
    return [
        Sampler(f"AIS, K' = {factor:g}, {space_name(size)}", "ais", size, int(factor * cells))
        for size in sizes
        for factor in factors
    ]


def space_name(size: int) -> str:
    return "linear" if size == 1 else f"buckets of {size}"


class Reproduction:
    """All experiments, with the time of each run by the seconds there are."""

    def __init__(self, given: Options) -> None:
        self.given = given
        self.results = given.results
        scale = given.seconds / DEFAULT_SECONDS
        self.seconds = {False: 0.2 * scale, True: 1.0 * scale}
        self.studies = {
            problem.name: study_of(given.data, problem, given.seed) for problem in PROBLEMS
        }
        for study in self.studies.values():
            study.trial = TRIAL * min(1.0, scale)
        self.mixing_problems = [problem for problem in PROBLEMS if problem.mixing]
        self.small = [problem for problem in self.mixing_problems if not problem.large]

    def sizes(self, problem: Problem, sampler: Sampler, modularity: Modularity) -> list[int]:
        """Return how many steps or particles the runs of each length have.

        The paper's size is its number of iterations, those of all temperatures together.
        """
        study = self.studies[problem.name]
        if self.given.full:
            kind = "linear" if sampler.bucket_size == 1 else "bucket"
            iterations = published(
                PUBLISHED, f"{problem.of_paper}, {kind} orders, iterations"
            ).value
            whole = iterations / (
                sampler.levels * (1 + sampler.stretch)
                if sampler.algorithm == "ais"
                else sampler.levels + 1
            )
            return [max(2, int(fraction * whole)) for fraction in FRACTIONS]
        seconds = self.seconds[problem.large]
        return [study.size(sampler, fraction * seconds, modularity) for fraction in FRACTIONS]

    def all_lengths(
        self, problem: Problem, sampler: Sampler, modularity: Modularity
    ) -> list[RepeatedRuns]:
        """Run a sampler for each of the lengths."""
        study = self.studies[problem.name]
        return [
            study.repeated_by_size(sampler, size, modularity)
            for size in self.sizes(problem, sampler, modularity)
        ]

    def coupled(self, problem: Problem) -> tuple[int, ...]:
        """Return the paper's K; of large tables, where they take hours, only the smallest."""
        return COUPLED if self.given.full or not problem.large else COUPLED[:1]

    # Table 1

    def rates(self) -> None:
        table = Table(
            "Table 1: steps a second of one chain of swaps (published: its iterations over its "
            "days of processor time)",
            ["published data", "n", "k", "b", "linear", "buckets",
             "ours", "n", "linear", "buckets of b", "costs of buckets: published", "ours"],
        )  # fmt: skip
        for problem in PROBLEMS:
            study = self.studies[problem.name]
            theirs = [
                published(PUBLISHED, f"{problem.of_paper}, {kind} orders, iterations").value
                / (problem.days * DAY)
                if kind == "linear" or problem.paper_bucket
                else None
                for kind in ("linear", "bucket")
            ]
            b = problem.paper_bucket
            ours = [
                study.steps_per_second(Sampler("rate", "mcmc", size)) if size else None
                for size in (1, b)
            ]
            table.add(
                problem.of_paper, problem.paper_nodes, problem.max_indegree, b, *theirs,
                problem.name, len(study.model.variables), *ours, _ratio(theirs), _ratio(ours),
            )  # fmt: skip
        self.results.table(table)

    # Figures 7 to 10, and what bucket sizes are worth

    def mixing(self) -> None:
        table = Table(
            f"Figures 7 to 10: {RUNS} runs each, order-modular. Spread: how far the mean log "
            "posterior of the lowest run is below that of the highest, second halves. Then the "
            "largest median error and the largest standard deviation of an edge, after a "
            "sixteenth, a quarter and all of the time",
            ["data", "method", "seconds", "spread", "error, 1/16", "1/4", "all", "deviation, 1/16",
             "1/4", "all"],
            text_columns=2,
        )  # fmt: skip
        curves: dict[str, dict[str, list[RepeatedRuns]]] = {}
        for problem in self.mixing_problems:
            study = self.studies[problem.name]
            exact = study.exact("order-modular")
            curves[problem.name] = {}
            for sampler in chains(problem.bucket, self.coupled(problem)):
                found = self.all_lengths(problem, sampler, "order-modular")
                curves[problem.name][sampler.name] = found
                levels = found[-1].levels
                table.add(
                    problem.name, sampler.name, found[-1].seconds, float(np.ptp(levels)),
                    *(exact and each.largest_median_error(exact.edges) for each in found),
                    *(each.largest_deviation for each in found),
                )  # fmt: skip
        self.results.table(table)
        self.error_figure("figure-10-mixing", curves)
        self.traces()

    def traces(self) -> None:
        shown = [problem for problem in self.mixing_problems if problem.traced]
        height = 0.5 + 2.1 * len(shown)
        figure, grid = plt.subplots(len(shown), 4, figsize=(9.5, height), squeeze=False)
        for row, problem in zip(grid, shown, strict=True):
            study = self.studies[problem.name]
            samplers = [
                each
                for each in chains(problem.bucket, self.coupled(problem))
                if each.levels in (0, self.coupled(problem)[:2][-1])
            ]
            for axes, sampler in zip(row, samplers, strict=True):
                seconds = self.seconds[problem.large] / 4
                found = study.repeated(sampler, seconds, burn_in=0.0)
                self._trace_panel(axes, found)
                axes.set_title(f"{problem.name}: {sampler.name}", fontsize=7)
        for axes in grid[-1]:
            axes.set_xlabel("processor time (s)")
        self.results.figure("figures-7-9-traces", figure)

    def _trace_panel(self, axes: Axes, found: RepeatedRuns) -> None:
        tops = []
        for number, posterior in enumerate(found.posteriors):
            assert posterior.traces is not None
            trace = posterior.traces.log_weights[0]
            times = np.linspace(0.0, found.seconds, len(trace))
            few = np.unique(np.linspace(0, len(trace) - 1, 150).astype(int))
            axes.plot(times[few], trace[few], color=COLOURS[number % len(COLOURS)], lw=0.5)
            tops.append(float(np.median(trace[len(trace) // 2 :])))
        axes.set_ylim(max(tops) - 40.0, max(tops) + 15.0)
        axes.tick_params(labelsize=6)

    def error_figure(self, name: str, curves: dict[str, dict[str, list[RepeatedRuns]]]) -> None:
        figure, grid = plt.subplots(1, len(curves), figsize=(2.6 * len(curves), 2.9), squeeze=False)
        for axes, (data, methods) in zip(grid[0], curves.items(), strict=True):
            exact = self.studies[data].exact("order-modular")
            for method, found in methods.items():
                kinds = list(dict.fromkeys(each.rpartition(", ")[0] for each in methods))
                colour = COLOURS[kinds.index(method.rpartition(", ")[0])]
                axes.plot(
                    [each.seconds for each in found],
                    [
                        each.largest_deviation
                        if exact is None
                        else each.largest_median_error(exact.edges)
                        for each in found
                    ],
                    "-" if "buckets" in method else "--",
                    marker=".",
                    color=colour,
                    label=method,
                )
            axes.set(xscale="log", yscale="log", xlabel="processor time (s)")
            label_few_seconds(axes)
            axes.set_title(f"{data}: {'deviation' if exact is None else 'error'}", fontsize=8)
            axes.legend(fontsize=4.5, frameon=False)
        self.results.figure(name, figure)

    def bucket_sizes(self) -> None:
        table = Table(
            f"Bucket sizes: MCMC, order-modular, {RUNS} runs for equal time: steps a second, and "
            "the largest median error of an edge",
            ["data", "b", "steps a second", "seconds", "error", "spread"],
        )
        for name in [problem.name for problem in self.small]:
            study = self.studies[name]
            exact = study.exact("order-modular")
            assert exact is not None
            for size in (1, 2, 3, 4, 5, 7):
                sampler = Sampler(space_name(size), "mcmc", size)
                found = study.repeated(sampler, self.seconds[False])
                table.add(
                    name, size, study.rate(sampler), found.seconds,
                    found.largest_median_error(exact.edges), float(np.ptp(found.levels)),
                )  # fmt: skip
        self.results.table(table)

    # Figures 11, 12 and 14

    def annealing(self) -> None:
        table = Table(
            f"Figure 11: AIS beside MC³ with K = {USUAL_COUPLED}, {RUNS} runs: the largest median "
            "error of an edge (where there is no exact value, the largest standard deviation) "
            "after a sixteenth, a quarter and all of the time",
            ["data", "prior", "method", "seconds", "1/16", "1/4", "all"],
            text_columns=3,
        )
        evidence = Table(
            f"Figure 14: the log marginal likelihood of {RUNS} runs less the exact value (or the "
            "median of AIS): median, lowest, highest; the lower bound from all runs, each a bin",
            ["data", "prior", "method", "median", "lowest", "highest", "bound"],
            text_columns=3,
        )
        last: dict[tuple[str, Modularity], dict[str, RepeatedRuns]] = {}
        for problem in self.mixing_problems:
            for modularity in _BOTH:
                found = last[problem.name, modularity] = {}
                study = self.studies[problem.name]
                exact = study.exact(modularity)
                for sampler in self._compared(problem, modularity):
                    runs = self.all_lengths(problem, sampler, modularity)
                    found[sampler.name] = runs[-1]
                    errors = [
                        each.largest_median_error(exact.edges)
                        if exact is not None
                        else each.largest_deviation
                        for each in runs
                    ]
                    table.add(problem.name, modularity, sampler.name, runs[-1].seconds, *errors)
                self._evidences(evidence, problem, modularity, found)
        self.results.table(table)
        self.results.table(evidence)
        self._scatter(last)
        self._evidence_figure(last)

    def _compared(self, problem: Problem, modularity: Modularity) -> list[Sampler]:
        study = self.studies[problem.name]
        sizes = (1, problem.bucket)
        if problem.large and not self.given.full:
            # A particle of buckets takes seconds there, and 16 temperatures more.
            if modularity == "modular":
                return chains(problem.bucket, COUPLED[:1])[1:2]
            return annealers(study, (1,), ANNEALED[:1])
        factors = ANNEALED if modularity == "order-modular" else (USUAL_ANNEALED,)
        coupled = [
            each for each in chains(problem.bucket, (USUAL_COUPLED,)) if each.algorithm == "mc3"
        ]
        return [*coupled, *annealers(study, sizes, factors)]

    def _evidences(
        self,
        table: Table,
        problem: Problem,
        modularity: Modularity,
        found: dict[str, RepeatedRuns],
    ) -> None:
        exact = self.studies[problem.name].exact(modularity)
        annealed = [runs for name, runs in found.items() if name.startswith("AIS")]
        if exact is not None:
            centre = exact.log_evidence
        elif annealed:
            centre = float(np.median(annealed[-1].log_evidences))
        else:
            return
        assert centre is not None
        for name, runs in found.items():
            off = runs.log_evidences - centre
            bound = runs.lower_bound(CONFIDENCE) - centre if name.startswith("AIS") else None
            table.add(
                problem.name, modularity, name, float(np.median(off)), float(off.min()),
                float(off.max()), bound,
            )  # fmt: skip

    def _scatter(self, last: dict[tuple[str, Modularity], dict[str, RepeatedRuns]]) -> None:
        shown = [problem.name for problem in self.small]
        figure, grid = plt.subplots(2, len(shown), figsize=(8.0, 5.2), squeeze=False)
        for row, modularity in zip(grid, _BOTH, strict=True):
            for axes, name in zip(row, shown, strict=True):
                study = self.studies[name]
                exact, biased = study.exact(modularity), study.exact("order-modular")
                assert exact is not None
                assert biased is not None
                others = ~np.eye(len(exact.edges), dtype=bool)
                if modularity == "modular":
                    axes.plot(
                        exact.edges[others], biased.edges[others], "x", color="0.7", ms=3,
                        label="order-modular, exact",
                    )  # fmt: skip
                runs = [
                    (method, each)
                    for method, each in last[name, modularity].items()
                    if "buckets" in method and ("MC³" in method or "K' = 1," in method)
                ]
                for colour, (method, each) in zip(COLOURS, runs, strict=False):
                    axes.plot(
                        np.tile(exact.edges[others], RUNS), each.edges[:, others].ravel(), ".",
                        color=colour, ms=1.5, label=method,
                    )  # fmt: skip
                axes.set_title(f"{name}, {modularity}", fontsize=8)
                axes.legend(fontsize=5, frameon=False)
        for axes in grid[-1]:
            axes.set_xlabel("exact")
        for row in grid:
            row[0].set_ylabel("estimated")
        # Thousands of points: as a picture within the drawing they take a tenth of the space.
        for axes in grid.ravel():
            axes.set_rasterization_zorder(3)
        self.results.figure("figure-12-edges", figure)

    def _evidence_figure(self, last: dict[tuple[str, Modularity], dict[str, RepeatedRuns]]) -> None:
        shown = [problem.name for problem in self.small]
        figure, grid = plt.subplots(2, len(shown), figsize=(8.5, 5.0), squeeze=False)
        for row, modularity in zip(grid, _BOTH, strict=True):
            for axes, name in zip(row, shown, strict=True):
                exact = self.studies[name].exact(modularity)
                assert exact is not None
                assert exact.log_evidence is not None
                methods = last[name, modularity]
                for place, (method, runs) in enumerate(methods.items()):
                    off = runs.log_evidences - exact.log_evidence
                    colour = COLOURS[0] if method.startswith("MC³") else COLOURS[1]
                    axes.plot([place] * len(off), off, ".", color=colour, ms=4)
                    if method.startswith("AIS"):
                        height = runs.lower_bound(CONFIDENCE) - exact.log_evidence
                        axes.plot([place], [height], "_", color=COLOURS[2])
                axes.axhline(0.0, color="0.6", lw=0.8)
                axes.set_xticks(range(len(methods)), list(methods), rotation=90, fontsize=5)
                axes.set_title(f"{name}, {modularity}", fontsize=8)
        for row in grid:
            row[0].set_ylabel("log evidence − exact")
        self.results.figure("figure-14-evidence", figure)

    # Figure 13

    def counting(self) -> None:
        times = counting_times()
        self.results.table(
            counting_table("Figure 13a: counting the linear extensions of nine random DAGs", times)
        )
        self.results.figure("figure-13a-counting", counting_figure(times))

    def distinct_dags(self) -> None:
        table = Table(
            f"Figure 13b: bias correction by linear extensions (MC³, K = {USUAL_COUPLED}, linear "
            f"orders) and by distinct DAGs (EW, 95 % of each order): {RUNS} runs, modular",
            ["data", "method", "seconds", "largest median error", "orders short of 95 %", "DAGs"],
            text_columns=2,
        )
        names = [problem.name for problem in PROBLEMS if problem.distinct]
        figure, grid = plt.subplots(1, len(names), figsize=(3.0 * len(names), 2.8), squeeze=False)
        for axes, name in zip(grid[0], names, strict=True):
            study = self.studies[name]
            exact = study.exact("modular")
            assert exact is not None
            unit = self.seconds[False]
            lengths = [unit / 2, 2 * unit]
            sampler = next(s for s in chains(5, (USUAL_COUPLED,)) if s.algorithm == "mc3")
            ours = [study.repeated(sampler, each, "modular") for each in lengths]
            theirs = [distinct(study, each) for each in lengths]
            for each in ours:
                sample = each.posteriors[0].dags
                assert sample is not None
                table.add(
                    name, "MC³, linear extensions", each.seconds,
                    each.largest_median_error(exact.edges), None, len(sample),
                )  # fmt: skip
            for found in theirs:
                error = largest_median_error(found.edges, exact.edges)
                table.add(
                    name, "EW, distinct DAGs", found.seconds, error,
                    f"{found.orders_short} of {found.orders}", found.dags,
                )  # fmt: skip
            axes.plot(
                [each.seconds for each in ours],
                [each.largest_median_error(exact.edges) for each in ours],
                ".-", color=COLOURS[0], label="MC³, linear extensions",
            )  # fmt: skip
            axes.plot(
                [each.seconds for each in theirs],
                [largest_median_error(each.edges, exact.edges) for each in theirs],
                ".--", color=COLOURS[1], label="EW, distinct DAGs",
            )  # fmt: skip
            axes.set(xscale="log", yscale="log", xlabel="processor time (s)", title=name)
            label_few_seconds(axes)
            axes.legend(fontsize=6, frameon=False)
        self.results.table(table)
        self.results.figure("figure-13b-bias-correction", figure)

    def run(self) -> None:
        self.rates()
        self.counting()
        self.distinct_dags()
        self.bucket_sizes()
        self.annealing()
        self.mixing()


def largest_median_error(edges: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    return float(np.median(np.abs(edges - exact), axis=0).max())


def _ratio(pair: Sequence[float | None]) -> float | None:
    linear, buckets = pair
    return None if linear is None or buckets is None else linear / buckets


_BOTH: tuple[Modularity, Modularity] = ("order-modular", "modular")


def run(given: Options) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=arcwise.errors.DataWarning)
        Reproduction(given).run()


if __name__ == "__main__":
    main(run, options(__doc__.splitlines()[0], NAME, DEFAULT_SECONDS))
