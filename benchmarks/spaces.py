"""How far edge probabilities are from exact ones after equal time, space by space.

One chain on one core for each space, length and seed, or one coupled chain over canonical orders
(`coupled`, by adapted temperatures, and `bridge`), or one population of `smc` on them; the figure
is the largest error of any edge against the exact modular posterior, as the median and the largest
over the seeds. Time is processor time, so that what else the machine does takes nothing away: a
short run tells how many steps, or particles, there is time for. Where states follow the modular
posterior, exact edge probabilities given each kept state are averaged; from orders, one DAG is
drawn from each kept state and weighted by 1 / (number of orders).

`--cost` measures how long a step of canonical orders takes against one of linear orders, at the
modular posterior and on the bridge.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import side_by_side
from numpy.typing import NDArray
from tables import add_model_arguments, models

import arcwise
from arcwise import Model, Posterior, _core
from arcwise.model.score_sums import ScoreSums
from arcwise.records.ladders import usual_steps_between_exchanges
from arcwise.records.settings import filled
from arcwise.spaces import as_space

SPACES = ["dags", "partitions", "layerings:4", "layerings:8", "linear", "buckets:5", "canonical"]
# Of canonical orders: ladders of coupled chains, and populations.
LADDERS = {"coupled": "adapted", "bridge": "bridge"}
METHODS = [*SPACES, *LADDERS, "smc"]
BURN_IN = 0.1
FEWEST = 16  # particles
TRIAL = 0.3  # seconds of a run that tells the speed
CLOCK = time.process_time
PIECE, REPETITIONS = 0.05, 9  # seconds of steps that are timed together, and how often


class Runs:
    """Runs of one model, and how far each was from the exact edges."""

    def __init__(self, model: Model, thinning: int | None) -> None:
        self.model = model
        self.sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
        self.thinning = 2 * len(model.variables) if thinning is None else thinning
        self.exact = arcwise.exact(model).edges

    def least(self, method: str) -> int:
        """Return the fewest steps, or particles, that tell anything."""
        return FEWEST if method == "smc" else 20 * self.thinning

    def run(self, method: str, size: int, seed: int) -> tuple[NDArray[np.float64], float]:
        """Return the edges and the processor time that so many steps, or particles, took."""
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some are too short, which is what is shown
            found = self._sampled(method, size, {"seed": seed, "sums": self.sums, "threads": 1})
        return found.edges, time.process_time() - start

    def _sampled(self, method: str, size: int, common: dict[str, Any]) -> Posterior:
        if method == "smc":
            return arcwise.smc(
                self.model, "canonical", particles=size, runs=1, stretch=100 * self.thinning,
                thinning=self.thinning, **common,
            )  # fmt: skip
        common |= {"steps": size, "thinning": self.thinning, "chains": 1}
        if method in LADDERS:  # with the usual burn-in, in which ladders adapt
            return arcwise.mc3(
                self.model, "canonical", ladder=LADDERS[method], dags_per_state=0, **common
            )
        space = as_space(method)
        return arcwise.mcmc(
            self.model, space, burn_in=BURN_IN, estimate_extensions=True,
            dags_per_state=0 if space.modularity == "modular" else 1, **common,
        )  # fmt: skip

    def rate(self, method: str) -> float:
        """Return the steps or particles a second, what is done with kept states included."""
        size = self.least(method)
        while True:
            _, seconds = self.run(method, size, seed=1_000_000)
            if seconds > TRIAL:
                return size / seconds
            size *= 4

    def errors(self, method: str, size: int, seeds: int) -> tuple[list[float], float]:
        """Return the largest error for each seed, and the mean time."""
        largest, seconds = [], []
        for seed in range(seeds):
            edges, spent = self.run(method, size, seed)
            largest.append(float(np.abs(edges - self.exact).max()))
            seconds.append(spent)
        return largest, float(np.mean(seconds))


def measure(
    name: str, model: Model, thinning: int | None, methods: list[str], times: list[float],
    seeds: int,
) -> dict[str, list[tuple[float, list[float]]]]:  # fmt: skip
    """Print a row of the table for each method as it is known, and return all errors by time."""
    runs = Runs(model, thinning)
    about = f"{len(model.variables)} variables, {len(model.scores):,} families"
    print(f"\n{name}: {about}, {seeds} seeds\n")
    heads = [f"{seconds:g} s" for seconds in times]
    print("| largest edge error: median, largest | steps/s | " + " | ".join(heads) + " |")
    print("|---|---:|" + "---:|" * len(times))
    found: dict[str, list[tuple[float, list[float]]]] = {}
    for method in methods:
        rate = runs.rate(method)
        cells = []
        found[method] = []
        for seconds in times:
            size = max(runs.least(method), int(rate * seconds))
            errors, spent = runs.errors(method, size, seeds)
            found[method].append((spent, errors))
            cells.append(f"{np.median(errors):.4f}, {max(errors):.4f} ({spent:.1f} s)")
        print(f"| {method} | {rate:,.0f} | " + " | ".join(cells) + " |", flush=True)
    return found


def costs(name: str, model: Model) -> None:
    """Print how long a step of canonical orders takes, against linear orders."""
    sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
    linear, canonical = as_space("linear").build(sums), as_space("canonical").build(sums)
    # How many steps apart states are exchanged, as coupled chains do it.
    exchanged = usual_steps_between_exchanges(len(model.variables))
    chains = {
        "linear": OneChain(linear, [1.0], exchanged),
        "canonical": OneChain(canonical, [1.0], exchanged),
        # Two temperatures each: what the one that is not the posterior adds.
        "two linear": OneChain(linear, [0.999, 1.0], exchanged),
        "two canonical": OneChain(canonical, [(1.0, 0.5), (1.0, 1.0)], exchanged),
    }
    seconds = side_by_side({key: chain.go for key, chain in chains.items()}, REPETITIONS, CLOCK)
    each = {key: seconds[key] / chain.steps for key, chain in chains.items()}
    at_end = each["canonical"] / each["linear"]
    between = (each["two canonical"] - each["canonical"]) / (each["two linear"] - each["linear"])
    print(
        f"{name}: linear orders {each['linear'] * 1e6:.2f} us a step; canonical {at_end:.2f} times "
        f"as long, half-way on the bridge {between:.2f} times",
        flush=True,
    )


class OneChain:
    """A chain that is stepped on for a while, again and again."""

    def __init__(self, space: _core.Space, path: Any, exchanged: int) -> None:
        record = filled(_core.RecordOptions(), dags_per_state=0)
        options = filled(
            _core.ChainOptions(), path=path, steps_between_exchanges=exchanged, record=record
        )
        self._chains = _core.Chains(space, options, 1, 0, 1)
        self._chains.start(0, 1, None)
        self.steps = 256
        while True:
            start = CLOCK()
            self.go()
            if CLOCK() - start > PIECE:
                break
            self.steps *= 2
        for _ in range(4):
            self.go()  # until it is near the posterior

    def go(self) -> None:
        self._chains.burn_in(self.steps, 1, None)


def plot(tables: dict[str, dict[str, list[tuple[float, list[float]]]]], path: Path) -> None:
    """Draw the median error against time and a band up to the largest, a panel for each table."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator, NullFormatter
    except ImportError:
        print("matplotlib is not installed, so there is no plot")
        return
    columns = min(4, len(tables))
    rows = -(-len(tables) // columns)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "arcwise", "font.size": 8}):
        figure = Figure(figsize=(2.6 * columns, 2.4 * rows), layout="constrained")
        panels: Any = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for axes in panels.flat[len(tables) :]:
            axes.set_axis_off()
        for axes, (name, found) in zip(panels.flat, tables.items(), strict=False):
            for space, points in found.items():
                times = [spent for spent, _ in points]
                middle = [float(np.median(errors)) for _, errors in points]
                (drawn,) = axes.loglog(times, middle, marker="o", markersize=3, label=space)
                largest = [max(errors) for _, errors in points]
                axes.fill_between(times, middle, largest, color=drawn.get_color(), alpha=0.12)
            axes.set(title=name, xlabel="seconds of one core")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        figure.supylabel("largest edge error")
        figure.legend(
            *panels.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=6
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
    print(f"plot written to {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_model_arguments(parser)
    parser.add_argument("--spaces", nargs="+", default=METHODS, help="words such as buckets:5")
    parser.add_argument("--seconds", nargs="+", type=float, default=[1.25, 5.0, 20.0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--thinning", type=int, help="steps between kept states (2 n)")
    parser.add_argument("--plot", type=Path, help="a file for the plot")
    parser.add_argument("--cost", action="store_true", help="of canonical orders alone")
    arguments = parser.parse_args()
    for method in arguments.spaces:
        if method not in METHODS:
            as_space(method)  # refuses unknown words before anything takes time
    if arguments.cost:
        for name, model in models(arguments):
            costs(name, model)
        return
    tables = {
        name: measure(
            name, model, arguments.thinning, arguments.spaces, arguments.seconds, arguments.seeds
        )
        for name, model in models(arguments)
    }
    if arguments.plot is not None:
        plot(tables, arguments.plot)


if __name__ == "__main__":
    main()
