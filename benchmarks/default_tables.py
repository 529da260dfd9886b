"""The tables that `defaults.py` learns from: noise, random networks, and published ones.

Published networks are read from the .bif.gz files in a wheel of pgmpy (0.1.26 has them), which is
not installed for it: ``pip download --no-deps pgmpy==0.1.26``. No table is drawn from a prior of
arcwise: parameters are uniform in a range, or an expert's.
"""

from __future__ import annotations

import gzip
import itertools
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.bool_]
Table = dict[str, NDArray[np.generic]]

ROWS = (50, 200, 1000, 5000, 10_000)
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder")
NOISE = ("coins", "skewed", "three", "gaussian", "lognormal", "mixed", "mixed lognormal")


@dataclass(frozen=True)
class Case:
    """A table: what it is drawn from, how large, and by which seed."""

    kind: str  # noise, random, benchpress or network
    name: str
    variables: int
    degree: float  # expected, of random networks
    rows: int
    seed: int


def cases(kinds: list[str], seeds: int) -> list[Case]:
    """Return the tables of these kinds."""
    found: list[Case] = []
    for seed in range(seeds):
        if "noise" in kinds:
            found += [
                Case("noise", name, n, 0.0, rows, seed)
                for name, n, rows in itertools.product(
                    NOISE, (10, 20, 50, 100), (20, 80, 300, 1000)
                )
            ]
        if "random" in kinds:
            found += [
                Case("random", name, 12, degree, rows, seed)
                for name, degree, rows in itertools.product(
                    ("binary", "gaussian", "mixed"), (0.5, 1.0, 2.0, 4.0), (20, 50, *ROWS[1:4])
                )
            ]
        if "benchpress" in kinds:
            found += [
                Case("benchpress", name, 80, 4.0, 320, seed) for name in ("gaussian", "binary")
            ]
        if "network" in kinds:
            found += [
                Case("network", name, 0, 0.0, rows, seed)
                for name, rows in itertools.product(NETWORKS, ROWS)
            ]
    return found


def draw(case: Case, networks: Path | None) -> tuple[Table, Matrix]:
    """Return a table of a case and the DAG it is drawn from, as [parent, node]."""
    key = [case.seed, case.rows, case.variables, round(10 * case.degree), *case.name.encode()]
    random = np.random.default_rng(key)
    if case.kind == "noise":
        n = case.variables
        return _named(_noise(case.name, case.rows, n, random)), np.zeros((n, n), dtype=np.bool_)
    if case.kind == "network":
        if networks is None:
            raise SystemExit("give the wheel with the published networks by --networks")
        values, dag = _published(networks, case.name, case.rows, random)
    else:
        order, dag = _random_dag(case, random)
        values = _random_values(case.name, dag, order, case.rows, random)
    shuffled = random.permutation(len(dag))  # so that the order of columns tells nothing
    values, dag = values[:, shuffled], dag[np.ix_(shuffled, shuffled)]
    told = np.array([len(np.unique(column)) > 1 for column in values.T])
    columns = [_whole_if_binary(column) for column in values[:, told].T]
    return _named(columns), dag[np.ix_(told, told)]


def _whole_if_binary(column: NDArray[np.generic]) -> NDArray[np.generic]:
    return column.astype(np.int64) if np.isin(column, (0, 1)).all() else column


def _named(values: NDArray[np.generic] | list[NDArray[np.generic]]) -> Table:
    columns = values if isinstance(values, list) else list(values.T)
    return {f"v{number}": column for number, column in enumerate(columns)}


def _noise(
    name: str, rows: int, n: int, random: np.random.Generator
) -> NDArray[np.generic] | list[NDArray[np.generic]]:
    if name.startswith("mixed"):
        discrete = _noise("skewed", rows, n, random)
        continuous = _noise("lognormal" if "log" in name else "gaussian", rows, n, random)
        return [(discrete if i % 2 else continuous)[:, i] for i in range(n)]  # type: ignore[call-overload]
    if name == "three":
        return random.integers(0, 3, (rows, n))
    if name in ("coins", "skewed"):
        probabilities = random.uniform(0.1, 0.9, n) if name == "skewed" else np.full(n, 0.5)
        values = random.random((rows, n)) < probabilities
        values[0], values[1] = False, True  # no column is constant
        return values.astype(np.int64)
    normal = random.normal(size=(rows, n))
    return normal if name == "gaussian" else np.exp(normal)


def _random_dag(case: Case, random: np.random.Generator) -> tuple[NDArray[np.intp], Matrix]:
    """Return a random DAG with at most five parents of a node, and its order."""
    n = case.variables
    order = random.permutation(n)
    dag = np.zeros((n, n), dtype=np.bool_)
    for place in range(n):
        drawn = order[:place][random.random(place) < case.degree / (n - 1)]
        dag[random.permutation(drawn)[:5], order[place]] = True
    return order, dag


def _random_values(
    name: str, dag: Matrix, order: NDArray[np.intp], rows: int, random: np.random.Generator
) -> NDArray[np.generic]:
    values = np.zeros((rows, len(dag)))
    # In mixed tables the first half of the order is binary, so no binary node has a parent that
    # is not; effects of binary parents are as large as those of others.
    binary = {"binary": len(dag), "mixed": len(dag) // 2}.get(name, 0)
    for place, node in enumerate(order):
        parents = np.flatnonzero(dag[:, node])
        if place < binary:
            table = random.uniform(0.1, 0.9, 2 ** len(parents))
            row = (values[:, parents] @ (1 << np.arange(len(parents)))).astype(np.int64)
            values[:, node] = random.random(rows) < table[row]
        else:
            weights = random.uniform(0.25, 1.0, len(parents)) * random.choice([-1, 1], len(parents))
            values[:, node] = values[:, parents] @ weights + random.normal(size=rows)
    if name != "gaussian":
        return values.astype(np.int64) if name == "binary" else values
    standardised: NDArray[np.generic] = (values - values.mean(axis=0)) / values.std(axis=0)
    return standardised


def _published(
    wheel: Path, name: str, rows: int, random: np.random.Generator
) -> tuple[NDArray[np.generic], Matrix]:
    """Return rows drawn from a published network, and its DAG."""
    with zipfile.ZipFile(wheel) as files:
        packed = files.read(f"pgmpy/utils/example_models/{name}.bif.gz")
    text = gzip.decompress(packed).decode()
    levels = {
        found[1]: [level.strip() for level in found[2].split(",")]
        for found in re.finditer(r"variable\s+(\S+)\s*\{[^}]*?\{([^}]*)\}", text)
    }
    names = list(levels)
    dag = np.zeros((len(names), len(names)), dtype=np.bool_)
    tables: dict[str, tuple[list[str], NDArray[np.float64]]] = {}
    for found in re.finditer(r"probability\s*\(([^)]*)\)\s*\{(.*?)\}", text, re.DOTALL):
        node, *parents = (part.strip() for part in re.split(r"[|,]", found[1]))
        dag[[names.index(parent) for parent in parents], names.index(node)] = True
        shape = [len(levels[parent]) for parent in parents]
        table = np.zeros((*shape, len(levels[node])))
        for entry in re.finditer(r"(table|\(([^)]*)\))([^;]*);", found[2]):
            states = [] if entry[2] is None else [state.strip() for state in entry[2].split(",")]
            at = tuple(levels[p].index(state) for p, state in zip(parents, states, strict=True))
            table[at] = [float(number) for number in entry[3].split(",")]
        tables[node] = (parents, table)
    drawn: dict[str, NDArray[np.int64]] = {}
    while len(drawn) < len(names):
        for node, (parents, table) in tables.items():
            if node not in drawn and all(parent in drawn for parent in parents):
                chances = table[tuple(drawn[parent] for parent in parents)]
                cumulative = np.cumsum(np.broadcast_to(chances, (rows, len(levels[node]))), axis=1)
                cumulative /= cumulative[:, -1:]
                drawn[node] = (random.random((rows, 1)) > cumulative).sum(axis=1)
    return np.stack([drawn[name] for name in names], axis=1), dag
