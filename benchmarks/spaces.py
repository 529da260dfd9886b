"""How far edge probabilities are from exact ones after equal time, space by space.

One chain on one core for each space, length and seed; the figure is the largest error
of any edge against the exact modular posterior, as the median and the largest over
the seeds. Time is processor time, so that what else the machine does takes nothing
away: a short run tells how many steps there is time for. Where states follow the
modular posterior, exact edge probabilities given each kept state are averaged; from
orders, one DAG is drawn from each kept state and weighted by 1 / (number of orders).
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tables import add_model_arguments, models

import arcwise
from arcwise import Model
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums

SPACES = ["dags", "partitions", "layerings:4", "layerings:8", "linear", "buckets:5", "canonical"]
BURN_IN = 0.1
TRIAL = 0.3  # seconds of a run that tells the speed


class Runs:
    """Runs of one model, and how far each was from the exact edges."""

    def __init__(self, model: Model, thinning: int | None) -> None:
        self.model = model
        self.sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
        self.thinning = 2 * len(model.variables) if thinning is None else thinning
        self.exact = arcwise.exact(model).edges

    def run(self, space: str, steps: int, seed: int) -> tuple[NDArray[np.float64], float]:
        """Return the edges and the processor time a chain of so many steps took."""
        chosen = as_space(space)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some are too short, which is what is shown
            found = arcwise.mcmc(
                self.model, chosen, steps=steps, burn_in=BURN_IN, thinning=self.thinning, chains=1,
                dags_per_state=0 if chosen.modularity == "modular" else 1, estimate_extensions=True,
                seed=seed, sums=self.sums, threads=1,
            )  # fmt: skip
        return found.edges, time.process_time() - start

    def rate(self, space: str) -> float:
        """Return the steps a second, what is done with kept states included."""
        steps = 100 * self.thinning
        while True:
            _, seconds = self.run(space, steps, seed=1_000_000)
            if seconds > TRIAL:
                return steps / seconds
            steps *= 4

    def errors(self, space: str, steps: int, seeds: int) -> tuple[list[float], float]:
        """Return the largest error for each seed, and the mean time."""
        largest, seconds = [], []
        for seed in range(seeds):
            edges, spent = self.run(space, steps, seed)
            largest.append(float(np.abs(edges - self.exact).max()))
            seconds.append(spent)
        return largest, float(np.mean(seconds))


def measure(
    name: str, model: Model, thinning: int | None, spaces: list[str], times: list[float],
    seeds: int,
) -> dict[str, list[tuple[float, list[float]]]]:  # fmt: skip
    """Print a row of the table for each space as it is known, and return all errors by time."""
    runs = Runs(model, thinning)
    size = f"{len(model.variables)} variables, {len(model.scores):,} families"
    print(f"\n{name}: {size}, {seeds} seeds\n")
    heads = [f"{seconds:g} s" for seconds in times]
    print("| largest edge error: median, largest | steps/s | " + " | ".join(heads) + " |")
    print("|---|---:|" + "---:|" * len(times))
    found: dict[str, list[tuple[float, list[float]]]] = {}
    for space in spaces:
        rate = runs.rate(space)
        cells = []
        found[space] = []
        for seconds in times:
            steps = max(20 * runs.thinning, int(rate * seconds))
            errors, spent = runs.errors(space, steps, seeds)
            found[space].append((spent, errors))
            cells.append(f"{np.median(errors):.4f}, {max(errors):.4f} ({spent:.1f} s)")
        print(f"| {space} | {rate:,.0f} | " + " | ".join(cells) + " |", flush=True)
    return found


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
    parser.add_argument("--spaces", nargs="+", default=SPACES, help="words such as buckets:5")
    parser.add_argument("--seconds", nargs="+", type=float, default=[1.25, 5.0, 20.0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--thinning", type=int, help="steps between kept states (2 n)")
    parser.add_argument("--plot", type=Path, help="a file for the plot")
    arguments = parser.parse_args()
    for space in arguments.spaces:
        as_space(space)  # refuses unknown words before anything takes time
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
