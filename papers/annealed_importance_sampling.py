"""Annealed importance sampling over node orderings (Niinimäki, Koivisto 2013), repeated.

The marginal likelihood by annealing (AIS) and by coupled chains (MC³) over linear orders, with and
without bias correction, lower bounds of 95 % from nine bins, arc probabilities, and the time that
counting linear extensions takes. Figures have the numbers of the paper's.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from common import COLOURS, Options, Published, Table, label_few_seconds, load, main, options
from counting import counting_figure, counting_table, counting_times
from numpy.typing import NDArray
from repeated_runs import TRIAL, RepeatedRuns, Sampler, Study

import arcwise
from arcwise import Model
from arcwise.model.model import Modularity

NAME = "annealed_importance_sampling"
RUNS = 9
DEFAULT_SECONDS = 120.0
COUPLED = (4, 16, 64)
ANNEALED = (1, 4, 16)
MEDIUM = 4  # the factor whose lower bound is told
CONFIDENCE = 0.95
FRACTIONS = (1 / 16, 1 / 4, 1.0)  # of a run's time, at which estimates are told
FULL_SECONDS = 3600.0  # of each run; our steps are hundreds of times faster than the paper's

PUBLISHED = [
    Published("Section 3.5", "MUSHROOM, bound below the exact, a factor", 2.0, True),
    Published("Section 3.5", "the least distance of a bound, nats", 0.33, True),
    Published("Section 3.5", "MUSHROOM, corrected bound below the median, a factor", 2.0, True),
    Published("Section 3.5", "ALARM, corrected bound below the median, a factor", 3.0, True),
    Published("Section 3.5", "hours of each sampler", 200.0, True),
]


@dataclass(frozen=True)
class Problem:
    """A data set of ours, and the one of the paper it is or stands for."""

    name: str
    of_paper: str
    same: str
    max_indegree: int
    rows: int | None
    seconds: float
    corrected: bool
    dags_per_state: int = 1


PROBLEMS = [
    Problem("vehicle12", "MUSHROOM", "other data, hard too", 4, None, 0.15, True, 10),
    Problem("child-1000", "MUSHROOM", "other data of that size", 4, None, 0.15, False),
    Problem("alarm-100", "ALARM", "the same network, other rows", 3, None, 0.4, True),
    Problem("hailfinder-1000", "PROMOTERS", "other data of that size", 3, 106, 0.5, False),
]


def study_of(folder: Path, problem: Problem, seed: int) -> Study:
    """Return the paper's model of a data set: BDeu, uniform over DAGs; perhaps the first rows."""
    data = load(folder, problem.name, kinds="discrete", constant="keep")
    if problem.rows is not None:
        # Levels that these rows do not have remain levels.
        data = data.take_rows(np.arange(problem.rows))
    score = arcwise.scores.BDeu(1.0)
    model = Model(data, score, prior="uniform", max_indegree=problem.max_indegree, threads=1)
    return Study(model, RUNS, seed, kept=200)


def samplers(study: Study, dags_per_state: int) -> list[Sampler]:
    """Return the paper's six: MC³ with r = 4, 16, 64 and AIS with r = nm, 4 nm, 16 nm."""
    data = study.model.data
    assert data is not None
    cells = data.rows * len(study.model.variables)
    common = Sampler("", "mc3", 1, stretch=0.0, dag_time_share=None)
    return [
        *(replace(common, name=f"MC³, r = {r}", levels=r) for r in COUPLED),
        *(
            replace(
                common,
                name=f"AIS, r = {'' if factor == 1 else f'{factor} '}nm",
                algorithm="ais",
                levels=factor * cells,
                dags_per_state=dags_per_state,
            )
            for factor in ANNEALED
        ),
    ]


@dataclass(frozen=True)
class Estimates:
    """The runs of each sampler, of each length, and what they are compared with."""

    problem: Problem
    modularity: Modularity
    runs: dict[str, list[RepeatedRuns]]
    centre: float
    exact: bool


class Reproduction:
    """All experiments, with the time of each run by the seconds there are."""

    def __init__(self, given: Options) -> None:
        self.given = given
        self.results = given.results
        self.scale = given.seconds / DEFAULT_SECONDS
        self.studies = {
            problem.name: study_of(given.data, problem, given.seed) for problem in PROBLEMS
        }
        for study in self.studies.values():
            study.trial = TRIAL * min(1.0, self.scale)

    def estimates(self, problem: Problem, modularity: Modularity) -> Estimates:
        """Run all six samplers; the corrected figure of the paper has only AIS and the best MC³."""
        study = self.studies[problem.name]
        seconds = FULL_SECONDS if self.given.full else problem.seconds * self.scale
        chosen = samplers(study, problem.dags_per_state)
        if modularity == "modular":
            chosen = [each for each in chosen if each.algorithm == "ais" or each.levels == 16]
        runs = {
            sampler.name: [
                study.repeated(sampler, fraction * seconds, modularity) for fraction in FRACTIONS
            ]
            for sampler in chosen
        }
        exact = study.exact(modularity)
        if exact is not None and exact.log_evidence is not None:
            return Estimates(problem, modularity, runs, exact.log_evidence, True)
        # As good as any: the median of the longest annealing.
        best = float(np.median(runs[chosen[-1].name][-1].log_evidences))
        return Estimates(problem, modularity, runs, best, False)

    def evidence_table(self, title: str, each: Estimates) -> None:
        table = Table(
            title,
            ["data", "method", "seconds of a run", "median, 1/16", "1/4", "all", "lowest",
             "highest", "bound", "as a factor"],
            text_columns=2,
        )  # fmt: skip
        name = each.problem.name + ("" if each.exact else " *")
        for method, runs in each.runs.items():
            off = [run.log_evidences - each.centre for run in runs]
            bound = runs[-1].lower_bound(CONFIDENCE) if method.startswith("AIS") else None
            table.add(
                name, method, runs[-1].seconds, *(float(np.median(o)) for o in off),
                float(off[-1].min()), float(off[-1].max()),
                None if bound is None else bound - each.centre,
                None if bound is None else math.exp(each.centre - bound),
            )  # fmt: skip
        self.results.table(table)

    def evidence_figure(self, name: str, found: list[Estimates]) -> None:
        figure, grid = plt.subplots(1, len(found), figsize=(2.9 * len(found), 3.0), squeeze=False)
        for axes, each in zip(grid[0], found, strict=True):
            for place, (method, runs) in enumerate(each.runs.items()):
                axes.plot(
                    [run.seconds for run in runs],
                    [float(np.median(run.log_evidences)) - each.centre for run in runs],
                    "-" if method.startswith("AIS") else "--",
                    marker=".",
                    color=COLOURS[place % len(COLOURS)],
                    label=method,
                )
                if method == f"AIS, r = {MEDIUM} nm":
                    axes.plot(
                        [run.seconds for run in runs],
                        [run.lower_bound(CONFIDENCE) - each.centre for run in runs],
                        ":",
                        color="0.3",
                        label="95 % lower bound",
                    )
            axes.axhline(0.0, color="0.6", lw=0.8)
            axes.set(xscale="log", ylim=(-6.0, 3.0), xlabel="processor time (s)")
            label_few_seconds(axes)
            axes.set_title(f"{each.problem.name}{'' if each.exact else ' (no exact value)'}",
                           fontsize=8)  # fmt: skip
            axes.legend(fontsize=5, frameon=False)
        grid[0][0].set_ylabel("log evidence − exact")
        self.results.figure(name, figure)

    def arcs(self, biased: Estimates, corrected: Estimates) -> None:
        """Tell how far arc probabilities are off, of the best r of each method."""
        study = self.studies[biased.problem.name]
        table = Table(
            f"Figure 3, right: {biased.problem.name}, the median over {RUNS} runs of the largest "
            "error of an arc after a sixteenth, a quarter and all of the time, best r of each "
            "method",
            ["prior", "method", "seconds", "1/16", "1/4", "all"],
            text_columns=2,
        )
        figure, axes = plt.subplots(figsize=(4.2, 3.0))
        for number, found in enumerate((biased, corrected)):
            exact = study.exact(found.modularity)
            assert exact is not None
            for place, kind in enumerate(("MC³", "AIS")):
                name, runs = self._best(found, kind, exact.edges)
                errors = [each.median_largest_error(exact.edges) for each in runs]
                table.add(found.modularity, name, runs[-1].seconds, *errors)
                axes.plot(
                    [each.seconds for each in runs],
                    errors,
                    "--" if kind == "MC³" else "-",
                    marker=".",
                    color=COLOURS[2 * number + place],
                    label=f"{name}, {found.modularity}",
                )
        axes.set(xscale="log", yscale="log", xlabel="processor time (s)", ylabel="error")
        label_few_seconds(axes)
        axes.legend(fontsize=6, frameon=False)
        self.results.table(table)
        self.results.figure("figure-3-arcs", figure)

    def _best(
        self, found: Estimates, kind: str, exact: NDArray[np.float64]
    ) -> tuple[str, list[RepeatedRuns]]:
        of_kind = {name: runs for name, runs in found.runs.items() if name.startswith(kind)}
        name = min(of_kind, key=lambda each: of_kind[each][-1].median_largest_error(exact))
        return name, of_kind[name]

    def run(self) -> None:
        times = counting_times()
        self.results.table(
            counting_table("Figure 1: counting the linear extensions of nine random DAGs", times)
        )
        self.results.figure("figure-1-counting", counting_figure(times))
        note = (
            f"{RUNS} runs: log evidence less the exact value (* or, without one, the median of AIS "
            "with r = 16 nm), median after a sixteenth, a quarter and all of the time, then the "
            "lowest and highest; the bound of 95 % from all runs, each of which is a bin"
        )
        # Each table is written when it is there: the large data sets take most of the time.
        biased, corrected = [], []
        for problem in PROBLEMS:
            biased.append(self.estimates(problem, "order-modular"))
            self.evidence_table(f"Figure 2, without bias correction. {note}", biased[-1])
            if problem.corrected:
                corrected.append(self.estimates(problem, "modular"))
                self.evidence_table(f"Figure 3, left, with bias correction. {note}", corrected[-1])
                if corrected[-1].exact:
                    self.arcs(biased[-1], corrected[-1])
        self.evidence_figure("figure-2-evidence", biased)
        self.evidence_figure("figure-3-corrected-evidence", corrected)


def run(given: Options) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=arcwise.errors.DataWarning)
        Reproduction(given).run()


if __name__ == "__main__":
    main(run, options(__doc__.splitlines()[0], NAME, DEFAULT_SECONDS))
