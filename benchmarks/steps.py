"""How many steps a second one chain makes, move by move, and how many DAGs a state gives.

Gaussian data of 20 and of 80 variables, a few candidate parents of each, alone and with one more
parent. All chains take turns in processor time, and the best of several pieces counts. With
`--before FOLDER`, the folder of another build of the package, both builds take turns in processes
of their own, and every figure is told for both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from measuring import side_by_side

import arcwise
from arcwise import Model, _core
from arcwise.data import Data
from arcwise.model.score_sums import ScoreSums
from arcwise.records.settings import filled
from arcwise.spaces import Dags, LinearOrders, Partitions, Space

SPACES: dict[str, Space] = {
    "linear orders, usual moves": LinearOrders(),
    "swaps of any two": LinearOrders({"swap": 1}),
    "relocation": LinearOrders({"relocate": 1}),
    "partitions, usual moves": Partitions(),
    "split and join": Partitions({"split or join": 1}),
    "swaps": Partitions({"swap adjacent": 4, "swap": 1}),
    "relocation in partitions": Partitions({"relocate": 1}),
    "edge reversal": Partitions({"reverse edge": 1}),
    "DAGs, usual moves": Dags(),
}
DRAWN = {
    "DAGs drawn from an order": LinearOrders(),
    "DAGs drawn from a partition": Partitions(),
}
MOST_CANDIDATES = {20: 6, 80: 8}
FEWEST_CANDIDATES = 4
PIECE, REPETITIONS = 0.05, 9  # seconds of steps that are timed together, and how often
DAGS = 500  # of one state


def simulated(variables: int) -> Data:
    """Return ten rows a variable of a random Gaussian network."""
    dag = arcwise.networks.random_dag(variables, expected_degree=4, seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(10 * variables, seed=1)


def columns() -> dict[str, ScoreSums]:
    """Return the score sums of the four models."""
    found = {}
    for variables, most in MOST_CANDIDATES.items():
        data = simulated(variables)
        sizes = range(FEWEST_CANDIDATES, most + 1)
        size = {name: sizes[i % len(sizes)] for i, name in enumerate(data.variables)}
        chosen = arcwise.candidates(data, "greedy", size=size, threads=1)
        for plus_one in (False, True):
            model = Model(data, candidates=chosen, plus_one=plus_one, threads=1)
            name = f"n = {variables}" + (", plus one" if plus_one else "")
            found[name] = ScoreSums(model, threads=1)
    return found


class Chain:
    """One chain, to be stepped on, or to draw DAGs from where it is."""

    def __init__(self, space: Space, sums: ScoreSums, dags: int) -> None:
        record = filled(_core.RecordOptions(), dags_per_state=dags)
        options = filled(_core.ChainOptions(), record=record, order_steps=10_000)
        built = space.build(sums)
        # A random start by way of orders, near the bulk of the posterior.
        self._chains = _core.Chains(built, options, 1, 0, 1)
        self._chains.start(0, 1, None)
        self._chains.burn_in(20_000, 1, None)
        self.go: Callable[[], None] = self.draw if dags else self.step
        self.pieces = 1
        while True:
            start = time.process_time()
            self.go()
            if time.process_time() - start > PIECE:
                break
            self.pieces *= 2

    def step(self) -> None:
        self._chains.burn_in(self.pieces, 1, None)

    def draw(self) -> None:
        self._chains.sample(self.pieces, 1, None)


def rates(sums: ScoreSums) -> dict[str, float]:
    """Return steps, or DAGs, a second."""
    chains = {name: Chain(space, sums, 0) for name, space in SPACES.items()}
    chains |= {name: Chain(space, sums, DAGS) for name, space in DRAWN.items()}
    work = {name: chain.go for name, chain in chains.items()}
    seconds = side_by_side(work, REPETITIONS, time.process_time)
    each = {name: DAGS if name in DRAWN else 1 for name in chains}
    return {name: each[name] * chains[name].pieces / seconds[name] for name in chains}


def in_turns(before: Path, rounds: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return the best rates of both builds, each in processes of its own."""
    paths = {"before": str(before), "now": str(Path(arcwise.__file__).parents[1])}
    best: dict[str, dict[str, dict[str, float]]] = {}
    for _ in range(rounds):
        for build, path in paths.items():
            finished = subprocess.run(
                [sys.executable, __file__, "--json"], check=True, capture_output=True, text=True,
                env=os.environ | {"PYTHONPATH": path},
            )  # fmt: skip
            for column, found in json.loads(finished.stdout).items():
                known = best.setdefault(build, {}).setdefault(column, {})
                for name, rate in found.items():
                    known[name] = max(rate, known.get(name, 0.0))
    return best


def shown(rate: float) -> str:
    return f"{rate / 1e6:.2f} million" if rate >= 1e6 else f"{rate:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="the folder another build is imported from")
    parser.add_argument("--rounds", type=int, default=3, help="of both builds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.before is not None:
        builds = in_turns(options.before, options.rounds)
    else:
        builds = {"now": {name: rates(sums) for name, sums in columns().items()}}
    if options.json:
        print(json.dumps(builds["now"]))
        return
    names = list(builds["now"])
    print("| | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for row in [*SPACES, *DRAWN]:
        cells = [", ".join(shown(builds[b][name][row]) for b in builds) for name in names]
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
