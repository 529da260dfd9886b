"""How far answers are from exact ones, and whether intervals and verdicts are calibrated."""

from __future__ import annotations

import hashlib
import math
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from cases import case
from measuring import Table, figure, heading, line, timed
from numpy.typing import NDArray
from sweeps import Job, Row, Sweep, grouped
from tables import Case, difficult_cases, discrete, gaussian, named_model, simulated

import arcwise
from arcwise import Model, Posterior, _core
from arcwise.algorithms.evidence import combination
from arcwise.model import ScoreSums
from arcwise.model.model import Modularity
from arcwise.networks import discrete_network, gaussian_network, random_dag
from arcwise.results import Candidates, Evidence
from arcwise.spaces import as_space

SomeTables = Annotated[Sequence[Path], "discrete tables, or .jkl files of scores"]
TOLERANCE = 1e-9  # relative error of sums that are too many for tables

# --- Errors by the number of steps ----------------------------------------------------------------

ACCURACY_RUNS = 7
SAMPLERS: dict[Modularity, tuple[str, ...]] = {
    "order-modular": ("mcmc linear", "mcmc buckets:5", "mc3 linear"),
    "modular": ("mcmc partitions", "mcmc buckets:5", "mc3 linear"),
}


@case
def accuracy(
    sweep: Sweep,
    data: Annotated[Sequence[Path], "tables of 13 to 20 discrete variables"] = (),
    max_indegree: int = 3,
    most: Annotated[int, "steps of the longest chains"] = 1_280_000,
) -> None:
    """How far sampled edge probabilities are from exact ones as the chains grow longer.

    Seven runs of one chain for each length, a state kept every 2 n steps. The figures are the
    largest error of any edge, as the median and the largest over the runs, and the share of errors
    of edges between 0.02 and 0.98 that exceed four standard errors. If a sampler is correct and
    mixes, four times the steps halve the error.
    """
    jobs = [
        (path, max_indegree, modularity, sampler, steps)
        for path in data or (None,)
        for modularity, samplers in SAMPLERS.items()
        for sampler in samplers
        for steps in (most // 64, most // 16, most // 4, most)
    ]
    rows = sweep.rows(_accuracy, jobs)
    for (variables, size, modularity, _), own in grouped(
        rows, "variables", "rows", "modularity", "table"
    ).items():
        heading(f"{variables} variables, {size} rows, {modularity}")
        for row in own:
            line(
                f"{row['sampler']}, {row['steps']:,} steps, {row['seconds']:.2f} s",
                f"{row['median']:.4f} {row['largest']:.4f} {row['beyond']:.2%}",
            )


@lru_cache(maxsize=2)
def _exact_and_sums(
    path: str | None, max_indegree: int, modularity: Modularity
) -> tuple[int, Model, Posterior, ScoreSums]:
    data = arcwise.read(path, kinds="discrete", constant="drop") if path else simulated()
    model = Model(data, max_indegree=max_indegree)
    return data.rows, model, arcwise.exact(model, modularity), ScoreSums(model)


def _accuracy(
    path: str | None, max_indegree: int, modularity: Modularity, sampler: str, steps: int
) -> Row:
    size, model, exact, sums = _exact_and_sums(path, max_indegree, modularity)
    algorithm, space = sampler.split(" ")
    steps = steps // 8 if algorithm == "mc3" else steps
    draws = modularity == "modular" and space != "partitions"
    common = (exact.edges > 0.02) & (exact.edges < 0.98)
    largest: list[float] = []
    in_errors: list[float] = []
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    for seed in range(ACCURACY_RUNS):
        found: Posterior = getattr(arcwise, algorithm)(
            model, space, modularity=modularity, steps=steps, chains=1, seed=seed, sums=sums,
            dags_per_state=4 if draws else 0, threads=1, thinning=2 * len(exact.variables),
        )  # fmt: skip
        assert found.edge_errors is not None
        off = np.abs(found.edges - exact.edges)
        largest.append(float(off.max()))
        in_errors.extend((off[common] / found.edge_errors[common]).tolist())
    return {
        "table": path, "variables": len(exact.variables), "rows": size, "modularity": modularity,
        "sampler": sampler, "steps": steps,
        "seconds": (time.perf_counter() - start) / ACCURACY_RUNS,
        "median": np.median(largest), "largest": max(largest),
        "beyond": np.mean(np.array(in_errors) > 4),
    }  # fmt: skip


# --- Errors by time, space by space ---------------------------------------------------------------

SPACES = ["dags", "partitions", "layerings:4", "layerings:8", "linear", "buckets:5", "canonical"]
LADDERS = {"coupled": "adapted", "bridge": "bridge"}  # coupled chains over canonical orders
BURN_IN = 0.1
FEWEST = 16  # particles
TRIAL = 0.3  # seconds of a run that measures the speed


@case
def spaces(
    sweep: Sweep,
    data: SomeTables = (),
    max_indegree: int = 4,
    spaces: Annotated[Sequence[str], "words such as buckets:5"] = (*SPACES, *LADDERS, "smc"),
    seconds: Annotated[Sequence[float], "processor seconds of each run"] = (1.25, 5.0, 20.0),
    seeds: int = 5,
    thinning: Annotated[int | None, "steps between kept states, 2 n by default"] = None,
    figure: Annotated[Path | None, "an .svg file for the figure"] = None,
) -> None:
    """How far edge probabilities are from exact ones after equal time, space by space.

    One chain on one core for each space, length and seed, or one coupled chain over canonical
    orders (`coupled`, by adapted temperatures, and `bridge`), or one population of `smc` on them.
    The figure is the largest error of any edge against the exact modular posterior, as the median
    and the largest over the seeds. Time is processor time, so that other work of the machine does
    not count: a short run measures how many steps, or particles, there is time for. Where states
    follow the modular posterior, exact edge probabilities given each kept state are averaged; from
    orders, one DAG is drawn from each kept state and weighted by 1 / (number of orders).
    """
    _refuse_unknown_words(spaces)
    jobs = [
        (path, max_indegree, method, tuple(seconds), seeds, thinning)
        for path in data or (None,)
        for method in spaces
    ]
    tables = grouped(sweep.rows(_errors_by_time, jobs), "table")
    for name, rows in tables.items():
        about = f"{rows[0]['variables']} variables, {rows[0]['families']:,} families"
        print(f"\n{name}: {about}, {rows[0]['seeds']} seeds\n")
        heads = [f"{each:g} s" for each in rows[0]["asked"]]
        table = Table("largest edge error: median, largest", "steps/s", *heads)
        for row in rows:
            cells = [
                f"{np.median(errors):.4f}, {max(errors):.4f} ({spent:.1f} s)"
                for spent, errors in row["points"]
            ]
            table.row(row["method"], f"{row['rate']:,.0f}", *cells)
    if figure is not None:
        _plot_errors(tables, figure)


def _refuse_unknown_words(words: Iterable[str]) -> None:
    """Refuse them before anything takes time."""
    for word in words:
        if word not in (*LADDERS, "smc"):
            as_space(word)


class _Runs:
    """Runs of one model by methods, each with the time it took."""

    def __init__(self, path: str | None, max_indegree: int, thinning: int | None) -> None:
        self.name, self.model = named_model(None if path is None else Path(path), max_indegree)
        self.sums = ScoreSums(self.model, tolerance=TOLERANCE, tabulate="sums", threads=1)
        self.thinning = 2 * len(self.model.variables) if thinning is None else thinning
        self.exact = arcwise.exact(self.model).edges

    def least(self, method: str) -> int:
        """Return the fewest steps, or particles, that are informative."""
        return FEWEST if method == "smc" else 20 * self.thinning

    def run(self, method: str, size: int, seed: int) -> tuple[NDArray[np.float64], float]:
        """Return the edges, and the processor time that these steps, or particles, took."""
        seconds, found = timed(partial(self._sampled, method, size, seed), time.process_time)
        return found.edges, seconds

    def _sampled(self, method: str, size: int, seed: int) -> Posterior:
        common: dict[str, Any] = {"seed": seed, "sums": self.sums, "threads": 1}
        common["thinning"] = self.thinning
        if method == "smc":
            stretch = 100 * self.thinning
            return arcwise.smc(
                self.model, "canonical", particles=size, runs=1, stretch=stretch, **common
            )
        common |= {"steps": size, "chains": 1}
        if method in LADDERS:  # with the usual burn-in, in which ladders adapt
            return arcwise.mc3(
                self.model, "canonical", ladder=LADDERS[method], dags_per_state=0, **common
            )
        space = as_space(method)
        draws = 0 if space.modularity == "modular" else 1
        return arcwise.mcmc(
            self.model, space, burn_in=BURN_IN, estimate_extensions=True, dags_per_state=draws,
            **common,
        )  # fmt: skip

    def rate(self, method: str) -> float:
        """Return the steps or particles a second, work with kept states included."""
        size = self.least(method)
        while True:
            _, seconds = self.run(method, size, seed=1_000_000)
            if seconds > TRIAL:
                return size / seconds
            size *= 4


_runs_of = lru_cache(maxsize=1)(_Runs)


def _errors_by_time(
    path: str | None, max_indegree: int, method: str, asked: tuple[float, ...], seeds: int,
    thinning: int | None,
) -> Row:  # fmt: skip
    warnings.simplefilter("ignore")  # some runs are too short, which is what is shown
    runs = _runs_of(path, max_indegree, thinning)
    rate = runs.rate(method)
    points = []
    for seconds in asked:
        size = max(runs.least(method), int(rate * seconds))
        found = [runs.run(method, size, seed) for seed in range(seeds)]
        errors = [float(np.abs(edges - runs.exact).max()) for edges, _ in found]
        points.append((np.mean([spent for _, spent in found]), errors))
    return {
        "table": runs.name, "variables": len(runs.model.variables), "asked": asked,
        "families": len(runs.model.scores), "method": method, "seeds": seeds, "rate": rate,
        "points": points,
    }  # fmt: skip


def _plot_errors(tables: dict[str, list[Row]], path: Path) -> None:
    """Draw the median error against time and a band up to the largest, a panel for each table."""
    from matplotlib.ticker import LogLocator, NullFormatter

    columns = min(4, len(tables))
    rows = -(-len(tables) // columns)
    with figure(path, 2.6 * columns, 2.4 * rows) as drawn:
        panels: Any = drawn.subplots(rows, columns, squeeze=False, sharey=True)
        for axes in panels.flat[len(tables) :]:
            axes.set_axis_off()
        for axes, (name, own) in zip(panels.flat, tables.items(), strict=False):
            for row in own:
                times = [spent for spent, _ in row["points"]]
                middle = [float(np.median(errors)) for _, errors in row["points"]]
                (curve,) = axes.loglog(times, middle, marker="o", markersize=3, label=row["method"])
                largest = [max(errors) for _, errors in row["points"]]
                axes.fill_between(times, middle, largest, color=curve.get_color(), alpha=0.12)
            axes.set(title=name, xlabel="seconds of one core")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        drawn.supylabel("largest edge error")
        handles = panels.flat[0].get_legend_handles_labels()
        drawn.legend(*handles, loc="outside lower center", ncols=6)


# --- Evidence -------------------------------------------------------------------------------------

ANNEALED_SPACES = ("partitions", "layerings:4", "layerings:8", "dags", "linear", "buckets:5")
ANNEALED_RUNS = 100


@case
def modular_evidence(
    sweep: Sweep,
    data: SomeTables = (),
    max_indegree: int = 4,
    spaces: Annotated[Sequence[str], "words such as buckets:5"] = ANNEALED_SPACES,
    seconds: Annotated[Sequence[float], "processor seconds of each estimate"] = (2.0, 20.0),
    seeds: int = 3,
) -> None:
    """How well annealing estimates the modular evidence, space by space, after equal time.

    Partitions, layerings and DAGs anneal straight to the modular posterior, so that the mean weight
    is an unbiased estimate of its evidence. Orders anneal to the order-modular one, and every DAG
    drawn at the end counts with 1 / (number of orders). The figures are the estimate less the exact
    log evidence and its standard error, the best of the lower bounds of confidence 95 % or more
    less the exact value, and the effective number of runs. Time is processor time: a short trial
    measures how many annealing steps there is time for with 100 runs.
    """
    _refuse_unknown_words(spaces)
    jobs = [
        (path, max_indegree, space, each, seeds)
        for path in data or (None,)
        for space in spaces
        for each in seconds
    ]
    for name, rows in grouped(sweep.rows(_annealed_evidence, jobs), "table").items():
        exact = rows[0]["exact"]
        print(f"\n{name}: {rows[0]['variables']} variables, exact log evidence {exact:.4f}\n")
        heads = ("off", "standard error", "lower bound off", "effective runs")
        table = Table("", "steps of a run", "time", *heads)
        for row in rows:
            error, bound = row["standard_error"], row["bound"]
            table.row(
                row["space"], f"{row['steps']:,}", f"{row['seconds']:.1f} s",
                f"{row['estimate'] - exact:+.3f}", "none" if error is None else f"{error:.3f}",
                "none" if bound is None else f"{bound - exact:+.2f}", f"{row['effective']:.1f}",
            )  # fmt: skip


@lru_cache(maxsize=1)
def _evidence_and_sums(path: str | None, max_indegree: int) -> tuple[str, Model, float, ScoreSums]:
    name, model = named_model(None if path is None else Path(path), max_indegree)
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    return name, model, exact, ScoreSums(model, tolerance=TOLERANCE, tabulate="sums", threads=1)


def _annealed_evidence(
    path: str | None, max_indegree: int, space: str, seconds: float, seeds: int
) -> list[Row]:
    warnings.simplefilter("ignore")  # the weights of orders may collapse, which is shown
    name, model, exact, sums = _evidence_and_sums(path, max_indegree)

    def annealed(steps: int, runs: int, seed: int) -> tuple[float, Posterior]:
        work = partial(
            arcwise.ais, model, space, steps=steps, particles=runs, stretch=0,
            dags_per_state=1, estimate_extensions=True, seed=seed, sums=sums, threads=1,
        )  # fmt: skip
        return timed(work, time.process_time)

    trial = 1_000
    while (spent := annealed(trial, 10, 1_000_000)[0]) <= TRIAL:
        trial *= 4
    steps = max(100, int(trial * 10 / ANNEALED_RUNS * seconds / spent))
    rows = []
    for seed in range(seeds):
        spent, found = annealed(steps, ANNEALED_RUNS, seed)
        assert found.evidence is not None
        bounds = found.evidence.lower_bounds.values()
        rows.append({
            "table": name, "variables": len(model.variables), "exact": exact, "space": space,
            "steps": steps, "seconds": spent, "estimate": found.evidence.log_evidence,
            "standard_error": found.evidence.standard_error,
            "bound": max((each.value for each in bounds if each.confidence >= 0.95), default=None),
            "effective": found.run.convergence.ess or 0.0,
        })  # fmt: skip
    return rows


SIZES = (8, 9, 10, 12, 8, 11, 10, 14, 9, 12, 16, 8, 10, 13, 18, 9, 11, 12, 15, 20)
BUDGETS = ("far too short", "short", "ample")
Budget = Literal["far too short", "short", "ample"]
Method = Literal["ais partitions", "ais linear", "smc", "mc3", "bridge", "bennett"]
COMBINED = {
    "combined bridge + smc": ("bridge", "smc"),
    "combined smc + mc3": ("smc", "mc3"),
    "combined bennett + smc": ("bennett", "smc"),
}


@case
def evidence(
    sweep: Sweep,
    models: Annotated[int, "number of models"] = 200,
    first: Annotated[int, "number of the first model"] = 0,
    most_variables: int = 20,
    methods: Annotated[Sequence[Method], "only some of them"] = (),
    budgets: Sequence[Budget] = ("far too short", "short", "ample"),
) -> None:
    """Whether the evidence is right: estimates and their intervals against exact values.

    Models of 8 to 20 variables, discrete and Gaussian, free and constrained, are drawn at random,
    and their evidence is estimated by every method with budgets from far too short to ample. The
    tables give for each method and budget how many estimates state an error at all, and how many of
    the intervals contain the exact value, which should be 95 %, whatever the budget.
    """
    numbers = [
        number
        for number in range(first, first + models)
        if SIZES[number % len(SIZES)] <= most_variables
    ]
    # The largest first, which take longest; a time limit then leaves out small ones.
    if sweep.within is None:
        numbers.sort(key=lambda number: -SIZES[number % len(SIZES)])
    rows = sweep.rows(_estimates, [(number, tuple(methods), tuple(budgets)) for number in numbers])
    for row in rows:
        row["stated"] = row["low"] is not None
        row["covered"] = row["stated"] and row["low"] <= row["exact"] <= row["high"]
    print(f"\n{len({row['model'] for row in rows})} models, {len(rows)} estimates\n")
    table = Table(
        "method", "budget", "estimates", "state an error", "cover", "too low", "too high",
        "median standard error", "off, no error stated", "bounds that hold", align="ll",
    )  # fmt: skip
    for method, of_method in grouped(rows, "method").items():
        for budget in (*BUDGETS, None):
            own = [row for row in of_method if budget in (None, row["budget"])]
            if own:
                table.row(method, budget or "all", *_coverage_of_estimates(own))
    print("\nThe ten worst, in nats:")
    wrong = [row for row in rows if row["stated"] and not row["covered"]]
    for row in sorted(wrong, key=lambda row: -abs(row["estimate"] - row["exact"]))[:10]:
        print(
            f"  {row['estimate'] - row['exact']:+.3f} ± {row['standard_error'] or 0.0:.3f}  model "
            f"{row['model']}, {row['variables']} variables, {row['score']}, {row['rule']}; "
            f"{row['method']}, {row['budget']}"
        )


def _coverage_of_estimates(rows: list[Row]) -> tuple[str, ...]:
    stated = [row for row in rows if row["stated"]]
    unstated = [abs(row["estimate"] - row["exact"]) for row in rows if not row["stated"]]
    bounds = [row["lower_bound"] <= row["exact"] for row in rows if row["lower_bound"] is not None]
    errors = [row["standard_error"] for row in stated if row["standard_error"] is not None]
    count = max(1, len(stated))
    return (
        f"{len(rows)}",
        f"{len(stated) / len(rows):.0%}",
        f"{sum(row['covered'] for row in stated) / count:.1%}",
        f"{sum(row['high'] < row['exact'] for row in stated) / count:.1%}",
        f"{sum(row['low'] > row['exact'] for row in stated) / count:.1%}",
        f"{np.median(errors) if errors else math.nan:.3f}",
        f"{np.median(unstated) if unstated else math.nan:.2f}",
        f"{sum(bounds)} of {len(bounds)}",
    )


def _random_model(number: int) -> tuple[Model, str, str]:
    """Return the model of a number, with its score and its constraints in words."""
    n = SIZES[number % len(SIZES)]
    draw = np.random.default_rng(number)
    rows = int(draw.choice([40, 100, 300, 1000]))
    degree = float(draw.choice([1.0, 2.0, 3.0]))
    is_discrete = bool(draw.random() < 0.5)
    data = (discrete if is_discrete else gaussian)(n, degree, rows, number)
    options: dict[str, Any] = {"max_indegree": int(draw.choice([2, 3]))}
    rule = f"max_indegree={options['max_indegree']}"
    kind, names = draw.random(), data.variables
    if kind < 0.2:
        options["prior"] = "fair"
        rule += ", fair"
    elif kind < 0.4:
        options["required_edges"] = [(names[0], names[1])]
        options["forbidden_edges"] = [(names[2], names[3]), (names[4], names[0])]
        rule += ", constrained"
    score = "bdeu" if is_discrete else "bge"
    return Model(data, score, threads=1, **options), "BDeu" if is_discrete else "BGe", rule


def _estimate(method: Any, model: Model, budget: int, seed: int) -> Evidence:
    """Estimate the evidence by a method with a budget, the first of which is the shortest."""
    n = len(model.variables)
    options: dict[str, Any] = {"particles": (8, 32, 128)[budget], "runs": 8}
    if method.startswith("ais"):
        method, space = method.split()
        options = {"space": space, "particles": 100, "estimate_extensions": True}
        options["steps"] = (10, 50, 400)[budget] * n
    elif method == "mc3":
        options = {"steps": (400, 3_000, 30_000)[budget]}
    elif method == "bridge":
        options = {"steps": (5, 40, 200)[budget] * n}
    elif method == "bennett":
        options["steps"] = (500, 4_000, 30_000)[budget]
        options["draws"] = (200, 1_000, 4_000)[budget]
    return arcwise.evidence(model, method, seed=seed, threads=1, **options)


def _estimates(number: int, methods: Sequence[str], budgets: Sequence[str]) -> list[Row]:
    """Return the estimates for a model."""
    warnings.simplefilter("ignore")  # the verdict has what they say
    model, score, rule = _random_model(number)
    exact = arcwise.exact(model, threads=1).log_evidence
    rows: list[Row] = []

    def add(method: str, budget: str, seconds: float, found: Evidence) -> None:
        interval, bound = found.interval, found.lower_bound
        rows.append({
            "model": number, "variables": len(model.variables), "score": score, "rule": rule,
            "method": method, "budget": budget, "seconds": round(seconds, 3), "exact": exact,
            "estimate": found.log_evidence, "standard_error": found.standard_error,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "effective_runs": found.effective_runs, "verdict": found.verdict,
            "lower_bound": None if bound is None else bound.value,
        })  # fmt: skip

    for place, budget in enumerate(BUDGETS):
        if budget not in budgets:
            continue
        found: dict[str, tuple[float, Evidence]] = {}
        for method in methods or Method.__args__:  # type: ignore[attr-defined]
            work = partial(_estimate, method, model, place, 1000 * number + place)
            try:
                found[method] = timed(work, time.process_time)
            except arcwise.errors.ArcwiseError as error:
                print(f"model {number}, {method}, {budget}: {error}", file=sys.stderr)
                continue
            add(method, budget, *found[method])
        for method, parts in COMBINED.items():
            if all(part in found for part in parts):
                together = combination([found[part][1] for part in parts])
                add(method, budget, sum(found[part][0] for part in parts), together)
    return rows


@case
def evidence_runs(
    sweep: Sweep,
    data: Annotated[Sequence[Path], "tables that are too large for exact values"] = (),
    first: Annotated[int, "the first seed"] = 0,
    runs: Annotated[int, "number of runs of each table"] = 4,
    seconds: Annotated[float | None, "time limit of each run"] = None,
    threads: int | None = None,
) -> None:
    """How far independent estimates of the evidence of large tables are from each other.

    With `--seconds`, runs use the default method; without it they use Bennett's acceptance ratio
    with its default budget, on which the default spends most of its time, and which other work of
    the machine does not change.
    """
    seeds = range(first, first + runs)
    rows = sweep.rows(
        _evidence_run, [(path, seed, seconds, threads) for path in data for seed in seeds]
    )
    heads = ("log evidence", "standard error", "verdict", "processor seconds")
    table = Table("table", "seed", *heads, align="lrrrlr")
    for name, own in grouped(rows, "table").items():
        for row in own:
            error = row["standard_error"]
            table.row(
                name, row["seed"], f"{row['estimate']:.3f}",
                "-" if error is None else f"{error:.3f}", row["verdict"], f"{row['seconds']:.0f}",
            )  # fmt: skip
        apart = np.ptp([row["estimate"] for row in own])
        print(f"{name}: {own[0]['variables']} variables, apart by {apart:.3f}")


@lru_cache(maxsize=1)
def _grown(path: str, threads: int | None) -> Model:
    return arcwise.grow(arcwise.read(path, constant="drop"), seed=1, threads=threads).model


def _evidence_run(path: str, seed: int, seconds: float | None, threads: int | None) -> Row:
    warnings.simplefilter("ignore")
    model = _grown(path, threads)
    method: Any = "bennett" if seconds is None else "combined"
    estimate = partial(arcwise.evidence, model, method, seconds=seconds, seed=seed, threads=threads)
    spent, found = timed(estimate, time.process_time)
    return {
        "table": Path(path).stem, "variables": len(model.variables), "seed": seed,
        "seconds": spent, "estimate": found.log_evidence, "standard_error": found.standard_error,
        "verdict": found.verdict,
        "parts": [
            {
                "method": part.method, "estimate": part.log_evidence,
                "standard_error": part.standard_error, "effective_runs": part.effective_runs,
                "prior": part.log_prior_constant, "prior_error": part.log_prior_constant_error,
                "doubts": part.doubts,
            }
            for part in found.parts or (found,)
        ],
    }  # fmt: skip


# --- Candidate parents ----------------------------------------------------------------------------

CANDIDATE_SIZES = (4, 6, 8)
CANDIDATE_METHODS: dict[str, dict[str, Any]] = {
    "greedy": {"method": "greedy"},
    "greedy, by the best family": {"method": "greedy", "by": "best"},
    "gains": {"method": "gains"},
    "pc, alpha 0.05": {"method": "pc", "alpha": 0.05},
    "pc, alpha 0.2": {"method": "pc", "alpha": 0.2},
    "pc + greedy": {"method": "pc+greedy", "alpha": 0.05},
    "most probable parents": {},
}


@case
def candidates(
    sweep: Sweep,
    sets: Annotated[int, "number of data sets of each kind"] = 18,
    max_indegree: int = 5,
    modularity: Literal["modular", "order-modular"] = "order-modular",
) -> None:
    """How much of the exact posterior candidate parents cover, by method and size.

    The share covered is the summed weight of all DAGs within the candidates over that of all DAGs:
    exact sums over the same families, with and without the restriction. The other figure is the
    share of the expected number of edges whose parent is a candidate. No choice of equally many
    candidates is likely to cover much more than the most probable parents of each node do, which
    only the exact posterior reveals.
    """
    kinds = ("discrete", "Gaussian")
    jobs = [(kind, seed, modularity, max_indegree) for seed in range(sets) for kind in kinds]
    by_kind = grouped(sweep.rows(_covered, jobs), "kind")
    for kind in kinds:
        own = grouped(by_kind.get(kind, []), "method", "size")
        count = max(map(len, own.values()), default=0)
        heading(f"{kind}, {count} sets, {modularity}: mass (median, mean), expected edges (mean)")
        for (method, size), rows in own.items():
            mass, covered, sizes = (
                np.array([row[name] for row in rows]) for name in ("mass", "covered", "sizes")
            )
            line(
                f"{method}, K = {size} ({sizes.mean():.1f} candidates)",
                f"{np.median(mass):.3f} {mass.mean():.3f} {covered.mean():.4f}",
            )


def _log_mass(model: Model, modularity: Modularity) -> float:
    """Return the log of the summed weights of all DAGs."""
    computation = _core.ExactComputation(model.weights.table, modularity == "order-modular", 1e-8)
    return computation.log_weight(_core.Processors(1), None)


def _covered(kind: str, seed: int, modularity: Modularity, max_indegree: int) -> list[Row]:
    """Return the shares of mass and of edges, and the mean size, for each method and size."""
    n = 12 + 2 * (seed % 3)
    size_of_table = (100, 500, 2000)[(seed // 3) % 3]
    dag = random_dag(n, expected_degree=(2.0, 4.0)[seed % 2], seed=seed)
    if kind == "discrete":
        network = discrete_network(dag, levels=(2, 3), concentration=0.7, seed=seed)
        data = arcwise.read(network.sample(size_of_table, seed=seed), constant="keep")
    else:
        data = gaussian_network(dag, seed=seed).sample(size_of_table, seed=seed)
    full = Model(data, max_indegree=max_indegree)
    whole = _log_mass(full, modularity)
    edges = arcwise.exact(full, modularity, threads=1).edges
    rows = []
    for method, keywords in CANDIDATE_METHODS.items():
        for size in CANDIDATE_SIZES:
            if keywords:
                chosen = arcwise.candidates(full, size=size, threads=1, **keywords)
            else:
                chosen = _most_probable(edges, full.variables, size)
            part = Model(full.scores, candidates=chosen)
            rows.append({
                "kind": kind, "seed": seed, "method": method, "size": size,
                "mass": math.exp(min(0.0, _log_mass(part, modularity) - whole)),
                "covered": edges[chosen.matrix()].sum() / edges.sum(),
                "sizes": np.mean(list(chosen.sizes().values())),
            })  # fmt: skip
    return rows


def _most_probable(edges: NDArray[np.float64], variables: tuple[str, ...], size: int) -> Candidates:
    matrix = np.zeros(edges.shape, dtype=bool)
    for node in range(len(edges)):
        matrix[np.argsort(-edges[:, node])[:size], node] = True
    np.fill_diagonal(matrix, False)
    return Candidates.from_matrix(variables, matrix)


# --- Intervals ------------------------------------------------------------------------------------


@case
def calibration(sweep: Sweep, runs: int = 1000) -> None:
    """How often intervals of 95 % contain the truth, over many runs of every kind of draws.

    The model has four variables, and the truth is by enumeration of all its DAGs;
    tests/algorithms/test_calibration.py checks the same with fewer runs.
    """
    kinds = ("independent", "partitions", "orders, weighted", "annealed, weighted")
    for kind, rows in grouped(
        sweep.rows(_calibrated, [(kind, runs) for kind in kinds]), "kind"
    ).items():
        error = (0.95 * 0.05 / rows[0]["runs"]) ** 0.5
        heading(f"{kind}, {rows[0]['runs']} runs (one standard error is {error:.1%})")
        for row in rows:
            line(f"{row['feature']} ({row['truth']:.3g})", f"{row['share']:.1%}")


def _calibrated(kind: str, runs: int) -> list[Row]:
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    import algorithms.test_calibration as test

    test.RUNS = runs
    warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
    shares = test.coverage(test.KINDS[kind](), (*test.COMMON, *test.RARE))
    return [
        {"kind": kind, "runs": runs, "feature": text, "truth": test.truths()[text], "share": share}
        for text, share in shares.items()
    ]


# Upper ends of ranges of probability; for rare and nearly certain features intervals fail first.
RANGES = {
    "< 0.001": 0.001, "< 0.02": 0.02, "< 0.1": 0.1, "0.1 to 0.9": 0.9, "> 0.9": 0.98,
    "> 0.98": 0.999, "> 0.999": 1.0,
}  # fmt: skip
# All of twelve variables; a path is looked for in every DAG, for each pair anew.
MOST_PAIRS = {"->": 132, "~>": 12}

Coverage = list[list[int]]  # by range: intervals that contain the truth, and all


def _coverage(found: Posterior, exact: Posterior, sign: str, seed: int) -> Coverage:
    """Count the intervals of edges ("->") or paths ("~>") that contain the exact probability.

    Where there are more pairs of variables than a run should be queried for, the seed chooses them.
    """
    pairs = list(permutations(exact.variables, 2))
    if len(pairs) > MOST_PAIRS[sign]:
        pairs = random.Random(seed).sample(pairs, MOST_PAIRS[sign])
    counts = [[0, 0] for _ in RANGES]
    for source, target in pairs:
        feature = f'"{source}" {sign} "{target}"'
        truth = exact.probability(feature)
        estimate = found.estimate(feature)
        low, high = estimate.interval
        draws = found.run.draws if sign == "->" else len(found.sampled_dags(feature))
        if estimate.effective_samples > draws:
            raise AssertionError(f"{feature}: effective sample size above the {draws} draws")
        place = next(i for i, end in enumerate(RANGES.values()) if truth < end or end == 1.0)
        counts[place][1] += 1
        # An exact 0 or 1 is known up to rounding only.
        counts[place][0] += bool(low - 1e-12 <= truth <= high + 1e-12)
    return counts


# --- Verdicts -------------------------------------------------------------------------------------

RELIABLE = ("reliable", "exact")
WRONG, RIGHT = 0.1, 0.03
MOST_FOR_PATHS = 14  # variables for which exact paths take no longer than the run


class Sampler(NamedTuple):
    """What is sampled by what, how often, and on tables of how many variables at most.

    Tables that are run again with other seeds have at most `again` variables.
    """

    algorithm: str
    space: str
    runs: int
    variables: int = 20
    again: int = 11

    @property
    def name(self) -> str:
        return f"{self.algorithm} {self.space}"


# The first is what `learn` does where it cannot compute exactly.
VERDICT_METHODS = (
    Sampler("mcmc", "dags", 300),
    *(Sampler("mcmc", space, 42) for space in ("linear", "buckets:3")),
    *(Sampler("mcmc", space, 42, 12) for space in ("partitions", "canonical")),
    Sampler("mcmc", "layerings:3", 8, 8),
    *(Sampler("mc3", space, 12, 10) for space in ("linear", "dags", "canonical")),
    Sampler("mc3", "partitions", 8, 10),
    Sampler("mc3", "layerings:3", 4, 8),
    *(Sampler("ais", space, 42, 12) for space in ("linear", "partitions", "dags", "canonical")),
    Sampler("smc", "linear", 42),
    *(Sampler("smc", space, 12, 10) for space in ("partitions", "canonical")),
    Sampler("smc", "dags", 8, 10),
)
# Tables on which earlier versions were falsely called reliable, or nearly so; fast ones first.
HARD = ("mod3", "xor50", "two_ways(8, 40.0, 0.0)", "boston10", "vehicle12, max_indegree=3")
FAST = 40  # runs from which on a method counts as fast
AHEAD = 0.6  # share of the turns by whose end fast methods are done


@case
def verdict(
    sweep: Sweep,
    folder: Annotated[Path | None, "folder with further tables as CSV files"] = None,
    tables: Annotated[Sequence[str], "parts of the names of tables"] = (),
    methods: Annotated[Sequence[str], "such as 'mcmc dags'"] = (),
    scale: Annotated[float, "factor for the number of runs"] = 1.0,
    first_seed: int = 0,
    smallest_first: Annotated[bool, "rather than in turns"] = False,
    hard: Annotated[int | None, "seeds of the default on the hard tables alone"] = None,
    answers: Annotated[Path | None, "folder that keeps exact posteriors for later calls"] = None,
) -> None:
    """How often the verdict on a run is wrong, and whether 95 % intervals contain the truth.

    Tables of 8 to 20 variables of many kinds (`--folder` adds files), each sampled by every
    algorithm and space that a user can choose, with the defaults of `arcwise learn` once the
    algorithm is named. A run is *falsely reliable* if it is called reliable and the probability of
    some edge is off by more than 0.1; a run whose edges are all within 0.03 should be called
    reliable. Of runs called reliable, 95 % of the intervals of edges and paths should contain the
    exact probability.

    The default of `learn` is run most often; methods that take long are run less often and on
    smaller tables. Runs of all methods take turns, fast ones ahead, so that a time limit leaves a
    balanced choice. No run depends on the clock.
    """
    jobs = _verdict_jobs(folder, tables, methods, scale, first_seed, smallest_first, hard)
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(temporary) if answers is None else answers
        kept.mkdir(parents=True, exist_ok=True)
        rows = sweep.rows(partial(_judged, folder, kept), jobs)
    print(f"\n{len(rows)} runs of {len({row['table'] for row in rows})} tables")
    print(
        f"{'method':<20}{'runs':>6}{'reliable':>10}{'falsely':>9}{'good':>7}"
        f"{'of these reliable':>19}"
    )
    for method in [*dict.fromkeys(row["method"] for row in rows), None]:
        own = [row for row in rows if method is None or row["method"] == method]
        reliable = [row for row in own if row["verdict"] in RELIABLE]
        good = [row for row in own if row["error"] < RIGHT]
        useful = sum(row["verdict"] in RELIABLE for row in good)
        print(
            f"{method or 'all':<20}{len(own):>6}{len(reliable):>10}"
            f"{sum(row['error'] > WRONG for row in reliable):>9}{len(good):>7}"
            f"{useful / max(1, len(good)):>19.1%}"
        )
    print("\nThe worst called reliable:")
    for row in sorted(rows, key=lambda row: -row["error"] * (row["verdict"] in RELIABLE))[:10]:
        print(
            f"  {row['error']:.3f}  {row['table']}, {row['method']}, seed {row['seed']}: "
            f"{row['edge']} {row['estimate']:.3f}, exact {row['exact']:.3f} ({row['verdict']})"
        )
    reliable = [row for row in rows if row["verdict"] in RELIABLE]
    for feature in ("edges", "paths"):
        print(f"\nIntervals of {feature} that contain the exact probability, runs called reliable")
        print(f"{'':<24}" + "".join(f"{name:>17}" for name in RANGES))
        for method in [*grouped(reliable, "method"), "all"]:
            counts = [row[feature] for row in reliable if method in ("all", row["method"])]
            totals = np.sum(counts, axis=0) if counts else np.zeros((len(RANGES), 2))
            shares = (
                f"{held / cases:>8.1%} of {int(cases):<5}" if cases else " " * 17
                for held, cases in totals
            )
            print(f"{method:<24}" + "".join(shares))


def _verdict_jobs(
    folder: Path | None, parts: Sequence[str], names: Sequence[str], scale: float,
    first_seed: int, smallest_first: bool, hard: int | None,
) -> list[Job]:  # fmt: skip
    """Return the runs by table, method and seed, in their turns."""
    cases = [
        each
        for each in difficult_cases(folder)
        if not parts or any(part in each.name for part in parts)
    ]
    if hard is not None:
        found = {each.name for each in cases}
        if missing := sorted({*HARD} - found):
            raise SystemExit(f"--hard needs a --folder with the tables {', '.join(missing)}")
        seeds = range(first_seed, first_seed + hard)
        return [(name, VERDICT_METHODS[0].name, seed) for name in HARD for seed in seeds]
    sizes = {each.name: each.size() for each in cases}
    turns: list[tuple[float, int, Job]] = []
    for place, method in enumerate(VERDICT_METHODS):
        if names and method.name not in names:
            continue
        own = [each for each in cases if sizes[each.name] <= method.variables]
        count = round(method.runs * scale)
        draw = random.Random(f"{method.name} {first_seed}")
        chosen: list[Job] = []
        seed = first_seed
        while len(chosen) < count and own:
            chosen += ((each.name, method.name, seed) for each in draw.sample(own, len(own)))
            own = [each for each in own if sizes[each.name] <= method.again]
            seed += 1
        share = AHEAD if method.runs >= FAST else 1.0
        turns += (
            (share * (number + 0.5) / count, place, job)
            for number, job in enumerate(chosen[:count])
        )
    if smallest_first:
        turns = [(float(sizes[job[0]]), place, job) for _, place, job in turns]
    return [job for _, _, job in sorted(turns, key=lambda turn: turn[:2])]


def _answer(case: Case, model: Model, folder: Path) -> Posterior:
    """Return the exact posterior, computed once for all processes of this case."""
    path = folder / f"{hashlib.sha256(case.name.encode()).hexdigest()}.npz"
    if path.exists():
        return Posterior.load(path)
    exact = arcwise.exact(model, threads=1, paths=len(model.variables) <= MOST_FOR_PATHS)
    exact.save(path)  # at once or not at all, so that no other process reads half of it
    return exact


def _judged(folder: Path | None, answers: Path, name: str, method: str, seed: int) -> Row:
    """Run a method on a table and compare it with the exact posterior."""
    warnings.simplefilter("ignore")
    case = next(each for each in difficult_cases(folder) if each.name == name)
    model = case.model()
    exact = _answer(case, model, answers)
    algorithm, space = method.split(" ")
    learn: Callable[..., Posterior] = arcwise.learn
    options = {"algorithm": algorithm, "space": space, "seed": seed, "threads": 1}
    seconds, found = timed(partial(learn, model, progress=None, **options), time.process_time)
    off = np.abs(found.edges - exact.edges)
    source, target = np.unravel_index(np.argmax(off), off.shape)
    figures = found.run.convergence
    assert found.account is not None
    best, best_known = found.map_log_weight, exact.map_log_weight
    paths = None if exact.paths is None else _coverage(found, exact, "~>", seed)
    return {
        "table": name, "variables": len(model.variables), "method": method, "seed": seed,
        "seconds": round(seconds, 2), "verdict": found.account.verdict, "error": off.max(),
        "edge": f"{model.variables[source]} -> {model.variables[target]}",
        "estimate": found.edges[source, target], "exact": exact.edges[source, target],
        "rule_met": getattr(found.run, "rule_met", None), "rhat": figures.rhat,
        "edge_rhat": figures.edge_rhat, "ess": figures.ess, "difference": figures.difference,
        # In nats, from the best DAG sampled to the best DAG that exists.
        "shortfall": None if best is None or best_known is None else best_known - best,
        "edges": _coverage(found, exact, "->", seed),
        "paths": [[0, 0] for _ in RANGES] if paths is None else paths,
    }  # fmt: skip
