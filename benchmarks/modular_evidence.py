"""The evidence under the modular prior by annealing, space by space, after equal time.

Partitions, layerings and DAGs anneal straight to the modular posterior, so the mean
weight is an unbiased estimate of its evidence. Orders anneal to the order-modular
one, and every DAG drawn at the end counts with 1 / (number of orders). The figures
are the estimate less the exact log evidence and its standard error, the best of
the lower bounds of confidence 95 % or more less the exact value, and the effective
number of runs. Time is processor time: a short trial tells how many annealing
steps there is time for with 100 runs.
"""

from __future__ import annotations

import argparse
import time
import warnings

from tables import add_model_arguments, models

import arcwise
from arcwise import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.results import Evidence
from arcwise.spaces import as_space

SPACES = ["partitions", "layerings:4", "layerings:8", "dags", "linear", "buckets:5"]
RUNS = 100


def annealed(
    model: Model, sums: ScoreSums, space: str, steps: int, runs: int, seed: int
) -> tuple[Evidence, float, float]:
    """Return the evidence, the effective number of runs and the processor time."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the weights of orders may collapse, which is shown
        found = arcwise.ais(
            model, space, steps=steps, particles=runs, stretch=0, dags_per_state=1,
            estimate_extensions=True, seed=seed, sums=sums, threads=1,
        )  # fmt: skip
    assert found.evidence is not None
    return found.evidence, found.run.convergence.ess or 0.0, time.process_time() - start


def steps_for(model: Model, sums: ScoreSums, space: str, seconds: float) -> int:
    """Return how many annealing steps of each of the runs there is time for."""
    steps = 1_000
    while True:
        _, _, spent = annealed(model, sums, space, steps, 10, seed=1_000_000)
        if spent > 0.3:
            return max(100, int(steps * 10 / RUNS * seconds / spent))
        steps *= 4


def table(name: str, model: Model, spaces: list[str], times: list[float], seeds: int) -> None:
    """Print a row for each space, length and seed."""
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
    print(f"\n{name}: {len(model.variables)} variables, exact log evidence {exact:.4f}\n")
    print("| | steps of a run | time | off | standard error | lower bound off | effective runs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for space in spaces:
        for seconds in times:
            steps = steps_for(model, sums, space, seconds)
            for seed in range(seeds):
                evidence, effective, spent = annealed(model, sums, space, steps, RUNS, seed)
                sure = [b.value for b in evidence.lower_bounds.values() if b.confidence >= 0.95]
                bound = f"{max(sure) - exact:+.2f}" if sure else "none"
                error = "none" if (e := evidence.standard_error) is None else f"{e:.3f}"
                print(
                    f"| {space} | {steps:,} | {spent:.1f} s | {evidence.log_evidence - exact:+.3f} "
                    f"| {error} | {bound} | {effective:.1f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_model_arguments(parser)
    parser.add_argument("--spaces", nargs="+", default=SPACES, help="words such as buckets:5")
    parser.add_argument("--seconds", nargs="+", type=float, default=[2.0, 20.0])
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    for space in arguments.spaces:
        as_space(space)  # refuses unknown words before anything takes time
    for name, model in models(arguments):
        table(name, model, arguments.spaces, arguments.seconds, arguments.seeds)


if __name__ == "__main__":
    main()
