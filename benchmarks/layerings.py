"""Steps a second on layerings, by the largest size of two neighbouring layers.

The moves of the paper (relocations, swaps and one partition move in a re-partition) and
the usual ones (several partition moves, edge reversals) in turn, one chain on one
thread, processor time, the best of three.
"""

from __future__ import annotations

import argparse
import time
import warnings

from tables import add_model_arguments, models

import arcwise
from arcwise import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import Layerings

PAPER_MOVES = {"relocate": 1.0, "swap adjacent": 1.0, "swap": 1.0, "re-partition": 1.0}


def rate(model: Model, sums: ScoreSums, space: Layerings) -> float:
    """Return the steps a second, the best of three runs of half a second or more."""
    steps, best = 500, 0.0
    for attempt in range(3):
        while True:
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arcwise.mcmc(
                    model, space, steps=steps, thinning=max(1, steps // 4), chains=1,
                    dags_per_state=0, seed=attempt, sums=sums, threads=1,
                )  # fmt: skip
            spent = time.process_time() - start
            if spent > 0.5:
                break
            steps *= 2
        best = max(best, steps / spent)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_model_arguments(parser)
    parser.add_argument("--sizes", nargs="+", type=int, default=[4, 6, 8, 10])
    arguments = parser.parse_args()
    print("| steps a second: the paper's moves, the usual ones | ", end="")
    print(" | ".join(f"M = {size}" for size in arguments.sizes) + " |")
    print("|---|" + "---:|" * len(arguments.sizes))
    for name, model in models(arguments):
        sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
        cells = []
        for size in arguments.sizes:
            paper = Layerings(size, PAPER_MOVES, partition_moves=1)
            usual = Layerings(size)
            cells.append(f"{rate(model, sums, paper):,.0f}, {rate(model, sums, usual):,.0f}")
        print(f"| {name}, n = {len(model.variables)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
