"""How long chains take until they agree, and how fast they move."""

from __future__ import annotations

import fcntl
import json
import math
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from cases import case
from measuring import Table, figure, heading, line, most_held_bytes, timed
from numpy.typing import NDArray
from sweeps import Row, Sweep, grouped
from tables import gaussian, named_table, table_for_missing, with_gaps

import arcwise
from arcwise import Model, Posterior, _core
from arcwise.data import Data
from arcwise.imputation.averaging import choose_moves
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ChainStructure, ExactStructure
from arcwise.model import Definition, Question, ScoreSums
from arcwise.model.model import Modularity
from arcwise.posterior.matrices import unpacked
from arcwise.priors import Sparse
from arcwise.records.settings import filled, usual_order_steps
from arcwise.results import DagSample
from arcwise.spaces import Dags
from arcwise.statistics.convergence import effective_sample_size, largest_chain_difference

Array = NDArray[np.float64]

# --- Time until chains agree ----------------------------------------------------------------------


class Goal(NamedTuple):
    """A table and the goal for it: agreement, or a largest error, after some seconds of two cores.

    The name is that of a file, or kind:variables:expected degree of a random network.
    """

    table: str
    seconds: float
    max_indegree: int | None = None
    most_error: float | None = None
    threads: int = 2


GOALS = {
    goal.table: goal
    for goal in (
        Goal("gauss-n20-N200", 20, max_indegree=4, most_error=0.01),
        Goal("vehicle12", 20, max_indegree=3, most_error=0.01),
        Goal("child-1000", 20, max_indegree=4, most_error=0.002, threads=1),
        *(Goal(name, 20) for name in ("alarm-1000", "insurance-1000", "gauss-n40-N400")),
        *(Goal(name, 60) for name in ("hailfinder-1000", "gauss-n60-N600", "gauss-n80-N800")),
        *(
            Goal(f"{kind}:{n}:{degree}", 900 if n == 400 else 300)
            for n, kind, degree in product((100, 200, 400), ("gaussian", "discrete"), (2, 4))
        ),
    )
}
AGREE = "rhat<1.01, edge_rhat<1.05, difference<0.05"
RUNS = 4
APART = 0.1
GRACE = 1.05  # times the seconds given, which still count as kept
FIRST_PARTICLES = 128
LEAST_FOR_SAMPLING = 0.2  # share of the seconds, even where growth is long
LEAST_DRAWN = 1e-4  # smaller errors, those of exact results among them, are drawn here


class Task(NamedTuple):
    """What a method has to do: by when, and whether runs end once they agree."""

    model: Model
    seconds: float
    seed: int
    threads: int
    until_agreed: bool

    def chains(self, sampler: Callable[..., Posterior], space: str, **options: Any) -> Posterior:
        rule = {"until": AGREE} if self.until_agreed else {}
        return sampler(
            self.model, space, seconds=self.seconds, chains=RUNS, seed=self.seed,
            threads=self.threads, **rule, **options,
        )  # fmt: skip

    def populations(self) -> Posterior:
        """Run four populations of more and more particles until they agree."""
        n = len(self.model.variables)
        common: dict[str, Any] = {"seed": self.seed, "threads": self.threads}
        common |= {"stretch": 200 * n, "thinning": 2 * n}
        if not self.until_agreed:
            return arcwise.smc(self.model, "canonical", seconds=self.seconds, **common)
        end = time.perf_counter() + self.seconds
        particles = FIRST_PARTICLES
        run = partial(arcwise.smc, self.model, "canonical", runs=RUNS, **common)
        while True:
            with _interrupted_after(GRACE * (end - time.perf_counter())):
                taken, found = timed(partial(run, particles=particles))
            if _differences(found).max() < 0.05 or time.perf_counter() + 2 * taken > end:
                return found
            particles *= 2


METHODS: dict[str, Callable[[Task], Posterior]] = {
    "partitions": lambda task: task.chains(arcwise.mcmc, "partitions"),
    "dags": lambda task: task.chains(arcwise.mcmc, "dags"),
    "canonical": lambda task: task.chains(arcwise.mcmc, "canonical"),
    "bridge": lambda task: task.chains(arcwise.mc3, "canonical", ladder="bridge"),
    "coupled dags": lambda task: task.chains(arcwise.mc3, "dags", ladder="adapted"),
    "smc": Task.populations,
}
ALL_METHODS = (*METHODS, "learn")


@case
def convergence(
    sweep: Sweep,
    folder: Path | None = None,
    tables: Annotated[Sequence[str], "parts of the names of tables; all by default"] = (),
    methods: Sequence[str] = ALL_METHODS,
    seeds: int = 5,
    first_seed: int = 0,
    seconds_scale: Annotated[float, "factor for all times"] = 1.0,
    cores_per_run: int = 2,
    cache: Annotated[Path | None, "folder that keeps candidates and exact edges"] = None,
    figure: Annotated[Path | None, "an .svg file for the figure"] = None,
) -> None:
    """How long it takes until four independent runs of the modular posterior agree, by method.

    Four chains, or four populations, from independent and overdispersed starts agree when every
    edge probability of all four is within 0.05, R-hat of the log posterior is below 1.01, and that
    of every uncertain edge below 1.05. For tables whose exact posterior is known, the goal is a
    largest error after the same time. Every table has its time, including the choice of candidate
    parents, which all methods but `learn` share; `learn` makes its own choices, from reading the
    table on. Every process is bound to its own cores.
    """
    if unknown := sorted({*methods} - {*ALL_METHODS}):
        raise SystemExit(f"unknown methods: {', '.join(unknown)}; known: {', '.join(ALL_METHODS)}")
    goals = [
        goal for name, goal in GOALS.items() if not tables or any(part in name for part in tables)
    ]
    jobs = [
        (goal.table, method, seed, goal.seconds * seconds_scale)
        for goal in goals
        for method in methods
        for seed in range(first_seed, first_seed + seeds)
    ]
    random.Random(1).shuffle(jobs)  # so that a time limit leaves a balanced choice
    # Large ones first: otherwise the last run of all may be the longest. Tables stay together, so
    # that a process has the model it needs.
    places = list(GOALS)
    jobs.sort(key=lambda job: (-GOALS[job[0]].seconds, places.index(job[0])))
    hours = sum(job[-1] for job in jobs) / sweep.processes / 3600
    if not sweep.report:
        print(f"{len(jobs)} runs, at most {hours:.1f} hours", file=sys.stderr)
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(temporary) if cache is None else cache
        kept.mkdir(parents=True, exist_ok=True)
        work = partial(_until_agreed, folder, kept, cores_per_run)
        rows = sweep.rows(work, jobs, cores_each=cores_per_run)
    _report_convergence(rows, figure)


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt the run, as Ctrl-C does, when the time is up."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, max(1.0, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time make what others then read."""
    with path.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


_table = lru_cache(maxsize=1)(named_table)


@lru_cache(maxsize=1)
def _model(
    name: str, max_indegree: int | None, folder: Path | None, cache: Path, threads: int
) -> tuple[Model, float]:
    """Return the model that all methods but `learn` sample, and how long growth took."""
    data = _table(name, folder)
    if max_indegree is not None:
        seconds, model = timed(partial(Model, data, max_indegree=max_indegree, threads=threads))
        return model, seconds
    path = cache / f"{name.replace(':', '-')}.json"
    with _locked(path):
        if not path.exists():
            seconds, grown = timed(partial(arcwise.grow, data, seed=1, threads=threads))
            plus_one = grown.model.question.plus_one
            kept = {"seconds": seconds, "plus_one": plus_one, "candidates": dict(grown.candidates)}
            path.write_text(json.dumps(kept))
    found = json.loads(path.read_text())
    choice = {key: found[key] for key in ("candidates", "plus_one")}
    return Model(data, threads=threads, **choice), found["seconds"]


def _exact_edges(goal: Goal, model: Model, cache: Path, threads: int) -> Array:
    path = cache / f"{goal.table}.npy"
    with _locked(path):
        if not path.exists():
            np.save(path, arcwise.exact(model, dags=0, threads=threads).edges)
    edges: Array = np.load(path)
    return edges


def _differences(posterior: Posterior) -> Array:
    """Return by how much the runs differ in each edge: chains as averaged, others by their DAGs."""
    edges = posterior.chain_edges
    if edges is None:
        assert posterior.dags is not None
        assert posterior.dags.chains is not None
        parents, numbers = posterior.dags.parents, posterior.dags.chains
        each = [
            DagSample(posterior.variables, parents[numbers == run]).matrix("edge").probabilities
            for run in np.unique(numbers)
        ]
        edges = np.array(each)
    return np.nan_to_num(largest_chain_difference(edges))


def _until_agreed(
    folder: Path | None, cache: Path, cores: int, name: str, method: str, seed: int, seconds: float
) -> Row:
    """Run a method on a table with a seed; a run without a result says why."""
    warnings.simplefilter("ignore")
    goal = GOALS[name]
    threads = min(goal.threads, cores)
    data = _table(name, folder)
    known = goal.most_error is not None
    exact, growth = None, 0.0
    found, note = None, ""
    if method == "learn":
        bound: Any = {} if goal.max_indegree is None else {"max_indegree": goal.max_indegree}
        bound |= {"seconds": seconds, "seed": seed, "threads": threads, "progress": None}
        work = partial(arcwise.learn, data, **bound)
    else:
        model, growth = _model(name, goal.max_indegree, folder, cache, cores)
        exact = _exact_edges(goal, model, cache, cores) if known else None
        left = max(seconds - growth, LEAST_FOR_SAMPLING * seconds)
        work = partial(METHODS[method], Task(model, left, seed, threads, not known))
    start = time.perf_counter()
    try:
        found = work()
    except arcwise.errors.ArcwiseError as error:
        note = str(error)
    except KeyboardInterrupt:
        note = "nothing was finished in time"
    taken = round(growth + time.perf_counter() - start, 2)
    row = {
        "table": name, "variables": len(data.variables), "method": method, "seed": seed,
        "budget": seconds, "seconds": taken, "growth": round(growth, 2), "reached": False,
        "error": None, "difference": None, "worst": "", "note": note,
    }  # fmt: skip
    if found is None:
        return row
    if known and method == "learn":
        exact = found.edges  # under its own prior
        if found.algorithm != "exact":
            assert found.model is not None
            exact = arcwise.exact(found.model, dags=0, threads=threads).edges
    row |= _compared(found, goal, exact)
    row["reached"] = row["reached"] and taken <= GRACE * seconds + 0.5
    return row


def _compared(found: Posterior, goal: Goal, exact: Array | None) -> Row:
    """Return how far the runs are apart, or from the exact edges."""
    figures = found.run.convergence
    is_sampled = found.algorithm != "exact"
    apart = _differences(found) if is_sampled else np.zeros((1, 1))
    difference = float(apart.max())
    error = None if exact is None else float(np.abs(found.edges - exact).max())
    if error is not None and goal.most_error is not None:
        reached = error < goal.most_error
    else:
        reached = not is_sampled or (
            difference < 0.05
            and (figures.rhat is None or figures.rhat < 1.01)
            and (figures.edge_rhat is None or figures.edge_rhat < 1.05)
        )
    names = found.variables
    worst = [divmod(int(each), len(names)) for each in np.argsort(-apart, axis=None)[:3]]
    return {
        "reached": reached, "rhat": figures.rhat, "edge_rhat": figures.edge_rhat,
        "difference": difference, "apart": (apart > APART).sum(), "error": error,
        "worst": ", ".join(
            f"{names[a]} -> {names[b]} {apart[a, b]:.2f}" for a, b in worst if is_sampled
        ),
        "note": str(found.algorithm),
    }  # fmt: skip


def _report_convergence(rows: list[Row], plot: Path | None) -> None:
    places = list(GOALS)
    rows = sorted(rows, key=lambda row: (places.index(row["table"]), row["seed"]))
    methods = [method for method in ALL_METHODS if any(row["method"] == method for row in rows)]
    print()
    table = Table("table", "seconds given", *methods, align="lr" + "l" * len(methods))
    for name, own in grouped(rows, "table").items():
        by_method = grouped(own, "method")
        cells = (_reached(by_method.get(method, [])) for method in methods)
        table.row(name, f"{own[0]['budget']:g}", *cells)
    print("\nWhat prevented agreement:")
    for row in rows:
        if not row["reached"]:
            error = "" if row["error"] is None else f"off by {row['error']:.3f}; "
            reason = f"{error}{row['worst']}" or row["note"]
            print(f"  {row['table']}, {row['method']}, seed {row['seed']}: {reason}")
    if plot is not None:
        _draw_convergence(rows, methods, plot)


def _reached(rows: list[Row]) -> str:
    """Return how many runs reached the goal, their times, and how far the others are from it."""
    if not rows:
        return ""
    reached = [row["seconds"] for row in rows if row["reached"]]
    words = f"{len(reached)} of {len(rows)}"
    errors = [row["error"] for row in rows if row["error"] is not None]
    if errors:
        exact = " exact," if all(row["note"] == "exact" for row in rows) else ""
        return f"{words},{exact} error {_range(errors, '.2g')}"
    if reached:
        words += f", {_range(reached, '.0f')} s"
    others = [row["difference"] for row in rows if not row["reached"]]
    apart = [each for each in others if each is not None]
    if apart:
        words += f"; otherwise {_range(apart, '.2f')} apart"
    elif others:
        words += "; otherwise nothing in time"
    return words


def _range(values: list[float], form: str) -> str:
    low, middle, high = (format(each, form) for each in np.quantile(values, [0.0, 0.5, 1.0]))
    return low if low == high else f"{low} to {high} (median {middle})"


def _draw_convergence(rows: list[Row], methods: list[str], path: Path) -> None:
    """Draw the time each run took to agree, and errors after a given time; missed goals open."""
    by_goal = {
        errors: [row for row in rows if (GOALS[row["table"]].most_error is not None) == errors]
        for errors in (False, True)
    }
    parts = {errors: own for errors, own in by_goal.items() if own}
    heights = [len(grouped(own, "table")) for own in parts.values()]
    with figure(path, 7.5, 1.2 + 0.42 * sum(heights)) as drawn:
        panels: Any = drawn.subplots(len(parts), squeeze=False, height_ratios=heights)
        for axes, (errors, own) in zip(panels.flat, parts.items(), strict=True):
            _draw_panel(axes, own, methods, errors)
        panels.flat[0].legend(
            fontsize="small", ncols=len(methods), loc="lower center", bbox_to_anchor=(0.45, 1.0),
            frameon=False, handletextpad=0.1,
        )  # fmt: skip


def _draw_panel(axes: Any, rows: list[Row], methods: list[str], errors: bool) -> None:
    tables = list(grouped(rows, "table"))
    rows = [row for row in rows if not errors or row["error"] is not None]
    for number, method in enumerate(methods):
        above = 0.8 * ((number + 0.5) / len(methods) - 0.5)
        axes.scatter([], [], color=f"C{number}", s=14, label=method)
        for reached in (True, False):
            own = [row for row in rows if row["method"] == method and row["reached"] == reached]
            axes.scatter(
                [max(row["error"], LEAST_DRAWN) if errors else row["seconds"] for row in own],
                [tables.index(row["table"]) + above for row in own],
                facecolors=f"C{number}" if reached else "none", edgecolors=f"C{number}", s=14,
                linewidths=0.8,
            )  # fmt: skip
    for at, table in enumerate(tables):
        budget = next(row["budget"] for row in rows if row["table"] == table)
        goal = GOALS[table].most_error if errors else budget
        axes.plot([goal, goal], [at - 0.42, at + 0.42], color="0.4", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")  # within one decade they would overlap
    if not errors:
        axes.set_xticks([2, 5, 10, 20, 50, 100, 200, 500])
    axes.set_yticks(range(len(tables)), tables)
    axes.set_ylim(len(tables) - 0.5, -0.5)
    axes.set_xlabel(
        "largest error after the time given, 0.0001 or more (line: the goal)"
        if errors
        else "seconds until four runs agree (line: the time given; open: they did not)"
    )


# --- Shares of the moves over DAGs ----------------------------------------------------------------

SHARE_CHAINS = 2
BATCHES = 64
UNCERTAIN = 0.05  # least distance of a probability from 0 and 1
SLOWEST = 10  # edges whose geometric mean is given besides

SHARE_TABLES: dict[str, tuple[int | None, int]] = {  # max_indegree, steps of each chain
    "gauss-n20-N200": (4, 300_000),
    "vehicle12": (3, 600_000),
    "boston10": (4, 600_000),
    "child-1000": (4, 400_000),
    "alarm-1000": (None, 300_000),
    "insurance-1000": (None, 300_000),
    "hailfinder-1000": (None, 300_000),
    "gauss-n40-N400": (None, 300_000),
    "gauss-n60-N600": (None, 300_000),
    "gauss-n80-N800": (None, 200_000),
    "discrete:100:2": (None, 200_000),
    "gaussian:100:2": (None, 200_000),
}


@case
def shares(
    sweep: Sweep,
    folder: Path | None = None,
    cache: Annotated[Path, "folder that keeps candidates"] = Path("build/convergence"),
    tables: Annotated[Sequence[str], "names of tables"] = tuple(SHARE_TABLES),
    seeds: int = 2,
    scale: Annotated[float, "factor for the numbers of steps"] = 1.0,
    ways: Annotated[str, 'such as {"name": {"window": 1}}'] = "{}",
) -> None:
    """How many effective changes the slowest uncertain edge has, by shares of moves over DAGs.

    Chains over DAGs of the candidates that `grow` finds (or of all parent sets up to a size, where
    the table has one) begin from orders, burn in, and are then timed by processor. An edge's
    effective changes are p (1 - p) over the squared standard error of its probability, by batch
    means over all chains; the slowest uncertain edge has the fewest. Shares are the usual ones,
    those adapted in the burn-in, and those of `--ways`, in turn on each table.
    """
    cache.mkdir(parents=True, exist_ok=True)
    chosen = {"usual": None, "adapted": None, **json.loads(ways)}
    jobs = [
        (name, seed, way, moves, int(SHARE_TABLES[name][1] * scale))
        for name in tables
        for seed in range(1, seeds + 1)
        for way, moves in chosen.items()
    ]
    rows = sweep.rows(partial(_changes, folder, cache), jobs)
    heads = ("uncertain edges", "slowest, a second", f"{SLOWEST} slowest, a second", "seconds")
    table = Table("table", "seed", "shares", *heads, "adapted shares", align="lllrrrrl")
    for row in rows:
        figures = (f"{row['slowest']:.3g}", f"{row['slow']:.3g}", f"{row['seconds']:.1f}")
        adapted = ", ".join(f"{move} {share:.2g}" for move, share in (row["shares"] or {}).items())
        table.row(row["table"], row["seed"], row["way"], row["uncertain"], *figures, adapted)


def _changes(
    folder: Path | None, cache: Path, name: str, seed: int, way: str,
    moves: dict[str, float] | None, steps: int,
) -> Row:  # fmt: skip
    """Return the effective changes that chains have by these shares, in a second of processor."""
    model, _ = _model(name, SHARE_TABLES[name][0], folder, cache, 1)
    nodes = len(model.variables)
    record = filled(_core.RecordOptions(), dags_per_state=0, edges=True, edge_batches=BATCHES)
    options = filled(
        _core.ChainOptions(), record=record, order_steps=usual_order_steps(nodes, None),
        adapt_moves=way == "adapted",
    )  # fmt: skip
    space = Dags(moves).build(ScoreSums(model, threads=1))
    chains = _core.Chains(space, options, seed, 0, SHARE_CHAINS)
    chains.start(steps // 4, 1, None)
    chains.set_thinning(2 * nodes)
    sample = partial(chains.sample, steps // (2 * nodes), 1, None)
    seconds, _ = timed(sample, time.process_time)
    records = [chains.record(chain) for chain in range(SHARE_CHAINS)]
    means = np.concatenate([each["edge_batches"] / each["edge_batch_size"] for each in records])
    share = means.mean(axis=0)
    error = means.var(axis=0, ddof=1) / len(means)
    uncertain = (share > UNCERTAIN) & (share < 1.0 - UNCERTAIN) & (error > 0.0)
    effective = np.sort((share * (1.0 - share))[uncertain] / error[uncertain])
    return {
        "table": name, "seed": seed, "way": way, "seconds": seconds,
        "slowest": effective[0] / seconds,
        "slow": np.exp(np.log(effective[:SLOWEST]).mean()) / seconds,
        "uncertain": uncertain.sum(), "shares": chains.shares(0) if way == "adapted" else None,
    }  # fmt: skip


# --- Chains on large networks ---------------------------------------------------------------------

NEAR = 20.0  # nats
TRACED: dict[str, Modularity] = {"partitions": "modular", "linear": "order-modular"}
THINNING = 100
MOST_SEARCHED = 500  # variables
LARGE: dict[str, tuple[int, float, int, dict[str, int]]] = {  # variables, degree, rows, steps
    "200": (200, 4, 1000, {"linear": 848_000, "partitions": 212_000}),
    "1000": (1000, 2, 1000, {"linear": 400_000, "partitions": 20_000}),
}


@case
def large_chains(
    sweep: Sweep,
    data: Annotated[Path | None, "a table for (a) in place of a simulated one"] = None,
    starts: int = 5,
    multiple: Annotated[float, "steps in (a), in multiples of n² ln n"] = 4.0,
    only: Annotated[Literal["traces", "200", "1000"] | None, "one part alone"] = None,
) -> None:
    """How soon chains on large networks reach the posterior's bulk, and what large networks cost.

    (a) Chains from random starts on a network of 80 variables: the steps and the processor time
    until the log weight is within 20 nats of its mean in the long run. (b) From data to the
    posterior for 200 variables, and for 1,000 with fewer edges: processor time and the most memory
    held after each stage, in its own process.
    """
    parts = ("traces", *LARGE) if only is None else (only,)
    jobs: list[tuple[Any, ...]] = []
    if "traces" in parts:
        jobs += [("traces", space, data, starts, multiple) for space in TRACED]
    jobs += [(part, None, None, 0, 0.0) for part in parts if part in LARGE]
    for row in sweep.rows(_large_part, jobs, fresh=True):
        heading(row["heading"])
        for what, value in row["lines"]:
            line(what, value)


def _large_part(
    part: str, space: str | None, path: str | None, starts: int, multiple: float
) -> Row:
    warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
    if space is None:
        return _stages(*LARGE[part])
    data = gaussian(80, 4, 800, 1) if path is None else arcwise.read(path, kinds="continuous")
    return _traces(data, space, starts, multiple)


def _traces(data: Data, space: str, starts: int, multiple: float) -> Row:
    n = len(data.variables)
    steps = math.ceil(multiple * n**2 * math.log(n) / THINNING) * THINNING
    growth = arcwise.grow(data, "pc", seed=1, threads=1)
    assert growth.best is not None
    sums = ScoreSums(growth.model, threads=1)

    def run(seed: int, steps: int) -> tuple[float, Posterior]:
        work = partial(
            arcwise.mcmc, growth.model, space, modularity=TRACED[space], steps=steps, seed=seed,
            sums=sums, threads=1, burn_in=0.0, chains=1, dags_per_state=0, thinning=THINNING,
        )  # fmt: skip
        return timed(work, time.process_time)

    traces, rates = [], []
    for seed in range(starts):
        seconds, posterior = run(seed, steps)
        assert posterior.traces is not None
        traces.append(posterior.traces.log_weights[0])
        rates.append(steps / seconds)
    ends = [float(trace[len(trace) // 2 :].mean()) for trace in traces]
    bulk = float(np.mean(ends))
    lines = [
        ("log weight in the second half, mean of all", f"{bulk:.1f}"),
        ("log weight of the best DAG", f"{growth.best.log_weight:.1f}"),
    ]
    for seed, (trace, end) in enumerate(zip(traces, ends, strict=True)):
        near = np.flatnonzero(trace > bulk - NEAR)
        if not near.size:
            lines.append((f"start {seed}: from {trace[0]:.0f}, stays away, at", f"{end:.1f}"))
            continue
        reached = THINNING * (int(near[0]) + 1)
        # Early steps may take another time than late ones, so they are timed separately.
        seconds, _ = run(seed, reached)
        what = f"start {seed}: from {trace[0]:.0f}, then at {end:.1f}"
        lines.append((what, f"{reached:,} steps, {seconds:.2f} s"))
    title = (
        f"(a) {n} variables, {data.rows} rows, {space}: {starts} random starts of {steps:,} steps, "
        f"{np.mean(rates):,.0f} a second"
    )
    return {"heading": title, "lines": lines}


def _stages(variables: int, degree: float, rows: int, steps: dict[str, int]) -> Row:
    """Return the processor time of each stage, and the memory held by its end.

    For many variables the candidates grow by the posterior, which short chains give sooner than
    searches give the best DAG; and fewer candidates suffice to begin with where edges are few.
    """
    lines: list[tuple[str, str]] = []
    last = time.process_time()

    def note(stage: str) -> None:
        nonlocal last
        now = time.process_time()
        lines.append((f"{stage}, seconds", f"{now - last:,.2f} s"))
        lines.append((f"{stage}, most held", f"{most_held_bytes() / 2**30:.2f} GiB"))
        last = now

    data = gaussian(variables, degree, rows, 1)
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
        posterior = arcwise.mcmc(
            growth.model, space, modularity=TRACED[space], steps=count, seed=1, sums=sums,
            threads=1, chains=2,
        )  # fmt: skip
        name = f"two chains of {space}"
        note(name)
        difference = float(posterior.run.convergence.difference or 0.0)
        lines.append((f"{name}, steps of each", f"{count:,.2f}"))
        lines.append((f"{name}, largest difference of an edge", f"{difference:,.2f}"))
        log_weights = posterior.traces.log_weights if posterior.traces else ()
        for chain, each in enumerate(log_weights):
            lines.append((f"{name}, mean log weight of {chain}", f"{each.mean():,.2f}"))
    lines.append(("rounds of growth", f"{len(growth.rounds):,.2f}"))
    lines.append(("families", f"{len(growth.model.scores):,.2f}"))
    if growth.best is not None:
        lines.append(("log weight of the best DAG", f"{growth.best.log_weight:,.2f}"))
        share = growth.best.restarts_at_best / growth.best.restarts
        lines.append(("restarts at the best, of all", f"{share:,.2f}"))
    title = f"(b) {variables} variables, expected degree {degree:g}, {rows:,} rows"
    return {"heading": title, "lines": lines}


# --- Chains over DAGs and missing cells -----------------------------------------------------------

OPEN = (0.05, 0.95)  # probabilities of uncertain adjacencies
MISSING_BURN_IN = 0.25

Kind = Literal["discrete", "gaussian", "mixed", "prior"]


@case
def missing_mixing(
    sweep: Sweep,
    kinds: Sequence[Kind] = ("discrete",),
    sizes: Annotated[Sequence[int], "numbers of variables"] = (5, 10),
    rows: Annotated[Sequence[int], "numbers of rows"] = (200,),
    shares: Annotated[Sequence[float], "shares of missing values"] = (0.05, 0.2, 0.4),
    seeds: Annotated[Sequence[int], "seeds of the tables"] = (1, 2),
    seconds: Annotated[float, "processor seconds for each table"] = 12.0,
    chains: int = 4,
) -> None:
    """How fast chains over DAGs and missing cells move: effective draws of adjacencies a second.

    Values are removed at random from tables of random networks. Chains over DAG and cells start as
    in `learn`, and the DAG after each sweep is kept; moves are chosen after an eighth and a quarter
    of the time. For the adjacencies that are neither certain nor impossible, the least and the
    median number of effective draws a second of processor time are printed, and how far chains are
    apart: where modes are far apart, effective draws alone mislead.
    """
    jobs = product(kinds, sizes, rows, shares, seeds, (seconds,), (chains,))
    found = grouped(sweep.rows(_mixing_of_cells, jobs), "kind", "variables", "rows")
    for (kind, n, size), own in found.items():
        heading(f"{kind}, {n} variables, {size} rows")
        for row in own:
            words = f"nothing uncertain; {row['sweeps']} sweeps"
            if row["uncertain"]:
                words = (
                    f"least {row['least']:.2f}, median {row['median']:.1f} effective draws a "
                    f"second of {row['uncertain']} adjacencies; {row['sweeps']} sweeps of each "
                    f"chain, chains at most {row['apart']:.2f} apart"
                )
            line(f"{row['share']:.0%} missing, table {row['seed']}", words)


def _mixing_of_cells(
    kind: str, n: int, size: int, share: float, seed: int, seconds: float, chains: int
) -> Row:
    warnings.simplefilter("ignore")
    data = table_for_missing(kind, n, size, seed).data
    levels = None
    if kind in ("discrete", "prior"):
        levels = {each.name: list(each.kind.levels) for each in data.columns}
    given = arcwise.read(with_gaps(data, share, seed), missing="impute", levels=levels)
    assert isinstance(given, arcwise.data.IncompleteData)
    definition = Definition(prior=Sparse(1.0))
    structure: ChainStructure | ExactStructure = ExactStructure(threads=1)
    if n > 10:
        structure = ChainStructure(40 * n, 400 * n, 1)
        question = Question.of(given.table, definition)
        chosen = arcwise.candidates(question, "greedy:6", threads=1)
        definition = Definition(prior=Sparse(1.0), candidates=chosen)
    question = Question.of(given.table, definition)
    assert question.score is not None
    question = replace(question, score=question.score.fixed_by(given.table))
    start = time.process_time()
    running = [
        ImputationChain(
            Imputation(given, question, structure, seed=1, threads=1),
            number,
            associated=number >= (chains + 1) // 2,
        )
        for number in range(chains)
    ]
    drawn: list[Array] = []
    first, early, began = 0, False, 0.0
    while (spent := time.process_time() - start) < seconds:
        for chain in running:
            chain.sweep()
        found = np.stack([chain.dag for chain in running if chain.dag is not None])
        drawn.append(unpacked(found, n).transpose(0, 2, 1).astype(np.float64))
        if not early and spent > MISSING_BURN_IN * seconds / 2.0:
            early = True
            choose_moves(running, np.concatenate(drawn))
        if not first and spent > MISSING_BURN_IN * seconds:
            first, began = len(drawn), spent
            choose_moves(running, np.concatenate(drawn))
    edges = np.array(drawn[first:]).transpose(1, 0, 2, 3)
    upper = np.triu_indices(n, 1)
    joined = np.minimum(edges + edges.transpose(0, 1, 3, 2), 1.0)[:, :, upper[0], upper[1]]
    means = joined.mean(axis=(0, 1))
    uncertain = np.flatnonzero((means > OPEN[0]) & (means < OPEN[1]))
    row = {
        "kind": kind, "variables": n, "rows": size, "share": share, "seed": seed,
        "sweeps": len(drawn), "uncertain": len(uncertain),
    }  # fmt: skip
    if not len(uncertain):
        return row
    rates = np.array([effective_sample_size(joined[:, :, k]) for k in uncertain]) / (spent - began)
    return row | {
        "least": np.nanmin(rates), "median": np.nanmedian(rates),
        "apart": np.ptp(joined.mean(axis=1), axis=0).max(),
    }  # fmt: skip
