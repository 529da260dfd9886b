"""Effective changes of the slowest uncertain edge, by shares of the moves over DAGs.

Chains over DAGs of the candidates that `grow` finds (or of all parent sets up to a size, where one
is named) begin from orders, burn in, and are then timed by processor. An edge's effective changes
are p (1 - p) over the squared standard error of its probability, by batch means over all chains;
the slowest uncertain edge has the fewest. Ways to choose shares are run in turn on each table.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from convergence import Settings, model_of
from convergence_report import Case

from arcwise import _core
from arcwise.model.score_sums import ScoreSums
from arcwise.records.settings import filled, usual_order_steps
from arcwise.spaces import Dags

CHAINS = 2
BATCHES = 64
UNCERTAIN = 0.05  # from 0 and from 1
SLOWEST = 10  # edges whose geometric mean is printed besides

TABLES: dict[str, tuple[int | None, int]] = {  # max_indegree, steps of each chain
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


@dataclass(frozen=True)
class Way:
    """A way to choose shares."""

    name: str
    moves: Mapping[str, float] | None = None
    adapt: bool = False


def measured(sums: ScoreSums, nodes: int, way: Way, steps: int, seed: int) -> dict[str, Any]:
    """Return what chains bring by these shares, in a second of processor."""
    record = filled(_core.RecordOptions(), dags_per_state=0, edges=True, edge_batches=BATCHES)
    space = Dags(way.moves).build(sums)
    order_steps = usual_order_steps(nodes, None)
    options = filled(
        _core.ChainOptions(), record=record, order_steps=order_steps, adapt_moves=way.adapt
    )
    chains = _core.Chains(space, options, seed, 0, CHAINS)
    chains.start(steps // 4, 1, None)
    chains.set_thinning(2 * nodes)
    start = time.process_time()
    chains.sample(steps // (2 * nodes), 1, None)
    seconds = time.process_time() - start
    batches = []
    for chain in range(CHAINS):
        found = chains.record(chain)
        batches.append(found["edge_batches"] / found["edge_batch_size"])
    means = np.concatenate(batches)
    share = means.mean(axis=0)
    error = means.var(axis=0, ddof=1) / len(means)
    uncertain = (share > UNCERTAIN) & (share < 1.0 - UNCERTAIN) & (error > 0.0)
    effective = np.sort((share * (1.0 - share))[uncertain] / error[uncertain])
    return {
        "seconds": seconds,
        "slowest": float(effective[0] / seconds),
        "slow": float(np.exp(np.log(effective[:SLOWEST]).mean()) / seconds),
        "uncertain": int(uncertain.sum()),
        "shares": chains.shares(0) if way.adapt else None,
    }


def main() -> None:
    """Run ways in turn on each table, and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("build/convergence"))
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of steps")
    parser.add_argument("--ways", type=json.loads, help='such as {"name": {"window": 1}}')
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    ways = [Way("usual"), Way("adapted", adapt=True)]
    if arguments.ways:
        ways += [Way(name, moves) for name, moves in arguments.ways.items()]
    settings = Settings(arguments.folder, arguments.cache, 1.0, 1)
    for name in arguments.tables:
        max_indegree, steps = TABLES[name]
        model, _ = model_of(Case(name, 0.0, max_indegree=max_indegree), settings)
        sums = ScoreSums(model, threads=1)
        for seed in range(1, arguments.seeds + 1):
            for way in ways:
                number = int(steps * arguments.scale)
                found = measured(sums, len(model.variables), way, number, seed)
                line = {"table": name, "seed": seed, "way": way.name, **found}
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
