"""Missing values: imputed, dropped with their rows, or never missing; and what imputing costs.

Tables are drawn from random networks, and values taken away at random. The edge probabilities of
`learn` from what is left are compared with the network (log loss, and how often edges of a
probability are there) and with those from the complete table, beside those from complete rows. With
networks drawn from the prior that is then assumed, probabilities must be calibrated whatever is
missing: what is not so there is due to imputing, and what is not so elsewhere to the model.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import warnings
from collections import defaultdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import heading, line
from numpy.typing import NDArray

import arcwise
from arcwise.errors import ArcwiseError, ArcwiseWarning
from arcwise.networks import (
    DiscreteNetwork,
    conditional_gaussian_network,
    discrete_network,
    gaussian_network,
    random_dag,
)
from arcwise.priors import Sparse
from arcwise.scores import BDeu

Array = NDArray[np.float64]
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
KINDS = ("discrete", "gaussian", "mixed", "prior")
STRENGTH = 10.0  # of the prior that tables of the kind "prior" are drawn from
PARENTS = 1.0
METHODS = ("imputed", "dropped", "complete")


class Table(NamedTuple):
    """A random network's DAG, a table drawn from it, and what `learn` is told about both."""

    dag: arcwise.Dag
    data: arcwise.Data
    options: dict[str, Any]


def table_of(kind: str, n: int, rows: int, seed: int) -> tuple[arcwise.Dag, arcwise.Data]:
    """Return a random network's DAG, and a table drawn from it."""
    found = _drawn(kind, n, rows, seed)
    return found.dag, found.data


def _drawn(kind: str, n: int, rows: int, seed: int) -> Table:
    if kind == "prior":
        return _of_the_prior(n, rows, seed)
    names = [f"v{place}" for place in range(n)]
    network: Any
    if kind == "mixed":
        discrete = names[: n // 2]
        dag = random_dag(names, expected_degree=2.4, first=discrete, seed=seed)
        network = conditional_gaussian_network(dag, dict.fromkeys(discrete, 2), seed=seed)
    else:
        dag = random_dag(n, expected_degree=2.4, seed=seed)
        if kind == "gaussian":
            network = gaussian_network(dag, weights=(0.2, 0.8), signs="random", seed=seed)
        else:
            network = discrete_network(dag, levels=(2, 3), seed=seed)
    return Table(dag, network.sample(rows, seed=seed), {})


def _of_the_prior(n: int, rows: int, seed: int) -> Table:
    """Return a binary network of the very prior that is assumed: DAG and parameters."""
    random = np.random.default_rng(seed)
    names = [f"v{place}" for place in range(n)]
    prior = Sparse(PARENTS)
    nothing = arcwise.Model(names, lambda node, parents: 0.0, prior=prior)
    dags = arcwise.exact(nothing, dags=1, seed=seed).dags
    assert dags is not None
    dag = dags[0]
    tables = {}
    for name in names:
        parents = len(dag.parents(name))
        pseudo = np.full((*(2,) * parents, 2), STRENGTH / 2 ** (parents + 1))
        draws = random.standard_gamma(pseudo) + 1e-300
        tables[name] = draws / draws.sum(axis=-1, keepdims=True)
    network = DiscreteNetwork(dag, dict.fromkeys(names, (0, 1)), tables)
    return Table(dag, network.sample(rows, seed=seed), {"score": BDeu(STRENGTH), "prior": prior})


def with_gaps(data: arcwise.Data, share: float, seed: int) -> dict[str, list[object]]:
    """Return the table without a share of its values, chosen completely at random."""
    random = np.random.default_rng(seed)
    return {
        name: [None if random.random() < share else value for value in column]
        for name, column in data.to_dict().items()
    }


def adjacency(edges: Array) -> Array:
    """Return the probability of an edge in either direction, of each pair."""
    upper = np.triu_indices(len(edges), 1)
    return np.asarray(np.minimum(edges + edges.T, 1.0)[upper])


def log_loss(said: Array, truth: Array) -> float:
    """Return the mean negative log probability of what is true; no probability is quite 0 or 1."""
    clipped = np.clip(said, 1e-3, 1.0 - 1e-3)
    return float(-np.mean(truth * np.log(clipped) + (1 - truth) * np.log(1 - clipped)))


def _learned(given: Any, table: Table, seed: int, **options: Any) -> arcwise.Posterior:
    levels = None
    if all(kind == "discrete" for kind in table.data.kinds.values()):
        # Levels that happen not to be left are known all the same.
        levels = {column.name: list(column.kind.levels) for column in table.data.columns}
    common: dict[str, Any] = {"seed": seed, "progress": None, "constant": "keep"}
    common |= {"identifiers": "keep", "levels": levels} | table.options | options
    return arcwise.learn(given, **common)


def compare(number: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return the probabilities of adjacency of one table, for each share of missing values."""
    warnings.simplefilter("ignore", ArcwiseWarning)
    seed, place = divmod(number, len(options.kinds))
    kind, n = options.kinds[place], options.sizes[seed % len(options.sizes)]
    table = _drawn(kind, n, options.rows, seed)
    matrix = np.zeros((n, n))
    for source, target in table.dag.edges:
        matrix[table.dag.variables.index(source), table.dag.variables.index(target)] = 1.0
    learned = partial(_learned, table=table, seed=seed, threads=options.threads)
    complete = adjacency(learned(table.data).edges)
    result: dict[str, Any] = {
        "number": number,
        "kind": kind,
        "n": n,
        "truth": adjacency(matrix).tolist(),
        "complete": complete.tolist(),
        "shares": {},
    }
    for share in options.shares:
        gappy = with_gaps(table.data, share, seed)
        start = time.process_time()
        imputed = learned(gappy, completions=options.completions, seconds=options.seconds_each)
        seconds = time.process_time() - start
        try:
            dropped = adjacency(learned(gappy, missing="drop").edges)
        except ArcwiseError:  # hardly a row is left: about as much as nothing is known
            dropped = np.full(len(complete), float(np.mean(complete)))
        assert imputed.edge_errors is not None
        result["shares"][str(share)] = {
            "imputed": adjacency(imputed.edges).tolist(),
            "dropped": dropped.tolist(),
            "seconds": seconds,
            "error": float(np.nanmax(imputed.edge_errors)),
            "verdict": str(imputed.diagnose().verdict),
        }
    return result


def summarize(found: list[dict[str, Any]]) -> None:
    """Print how good the probabilities are, for each kind and share."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for each in found:
        for share in each["shares"]:
            groups[each["kind"], share].append(each)
    for (kind, share), tables in groups.items():
        truth = np.concatenate([each["truth"] for each in tables])
        said = {
            name: np.concatenate(
                [each["shares"][share].get(name, each["complete"]) for each in tables]
            )
            for name in METHODS
        }
        heading(f"{kind}, {float(share):.0%} missing, {len(tables)} tables, {len(truth)} pairs")
        for name in METHODS:
            line(
                name,
                f"log loss {log_loss(said[name], truth):.3f}, mean distance to the complete table "
                f"{np.abs(said[name] - said['complete']).mean():.3f}",
            )
        for low, high in pairwise(BINS):
            parts = []
            for name in ("imputed", "complete"):
                inside = (said[name] >= low) & ((said[name] < high) | (high == 1.0))
                if inside.any():
                    parts.append(
                        f"{name} {said[name][inside].mean():.2f}, true {truth[inside].mean():.2f} "
                        f"of {int(inside.sum())}"
                    )
            if parts:
                line(f"said {low:g} to {high:g}", "; ".join(parts))
        runs = [each["shares"][share] for each in tables]
        reliable = sum(run["verdict"] == "reliable" for run in runs)
        line(
            "imputing",
            f"median {np.median([run['seconds'] for run in runs]):.1f} s of processor time, "
            f"{reliable} of {len(runs)} called reliable, largest standard error "
            f"{max(run['error'] for run in runs):.3f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--completions", type=int, default=None, help="default: that of learn")
    parser.add_argument("--shares", type=float, nargs="*", default=[0.05, 0.2, 0.4])
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--sizes", type=int, nargs="*", default=[5, 7, 10])
    parser.add_argument("--file", type=Path, help="a line of JSON for each table; continued")
    parser.add_argument("--seconds", type=float, default=np.inf, help="when to end")
    parser.add_argument("--seconds-each", type=float, help="of imputing; default: no limit")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, help="of each process; default: all")
    parser.add_argument("--report", action="store_true", help="only what is in the file")
    options = parser.parse_args()
    found = []
    if options.file is not None and options.file.exists():
        found = [json.loads(each) for each in options.file.read_text().splitlines()]
    made = {each["number"] for each in found}
    todo = [n for n in range(options.tables * len(options.kinds)) if n not in made]
    start = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for each in pool.imap_unordered(
            partial(compare, options=options), [] if options.report else todo
        ):
            found.append(each)
            if options.file is not None:
                with options.file.open("a") as file:
                    file.write(json.dumps(each) + "\n")
            if time.perf_counter() - start > options.seconds:
                pool.terminate()
                break
    summarize(found)


if __name__ == "__main__":
    main()
