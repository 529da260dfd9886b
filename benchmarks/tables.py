"""The tables and models the benchmarks run on: simulated ones, or files of the user's."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import arcwise
from arcwise import Model
from arcwise.data import ContinuousColumn, Data, DiscreteColumn


def discrete_table(path: str | None) -> Data:
    """Return the file's table, or 1,000 rows of a random network of 37 variables.

    Its tables are skewed as those of real networks are: most rows of a
    conditional distribution have one level that is far commoner than the rest.
    """
    if path is not None:
        return arcwise.read(path, kinds="discrete")
    # A seed with which every level is drawn: other programs do not count the rest alike.
    seed = 8
    dag = arcwise.networks.random_dag(37, expected_degree=2.5, max_indegree=4, seed=seed)
    network = arcwise.networks.discrete_network(dag, levels=(2, 4), concentration=0.4, seed=seed)
    return network.sample(1000, seed=seed)


def continuous_table(path: str | None) -> Data:
    """Return the file's table, or 800 rows of a random Gaussian network of 80 variables."""
    if path is not None:
        return arcwise.read(path, kinds="continuous")
    dag = arcwise.networks.random_dag(80, expected_degree=4, seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(800, seed=1)


def mixed_table(levels: int) -> Data:
    """Return 1,000 rows of 20 variables, every other of which has so many levels."""
    random = np.random.default_rng(1)
    values = random.standard_normal((1000, 20)).cumsum(axis=1) / np.sqrt(np.arange(1, 21))
    codes = np.clip(np.floor((values + 1.5) / 3 * levels), 0, levels - 1).astype(np.uint16)
    return Data(
        [
            DiscreteColumn(f"v{i}", codes[:, i], tuple(range(levels)))
            if i % 2 == 0
            else ContinuousColumn(f"v{i}", values[:, i])
            for i in range(20)
        ]
    )


def nearest(data: Data, count: int) -> dict[str, list[str]]:
    """Return for each variable those most correlated with it, as its candidate parents."""
    correlation = np.abs(np.corrcoef(data.continuous_values("BGe"), rowvar=False))
    np.fill_diagonal(correlation, -1.0)
    order = np.argsort(-correlation, axis=1, kind="stable")[:, :count]
    return {
        name: [data.variables[other] for other in order[node]]
        for node, name in enumerate(data.variables)
    }


def simulated() -> Data:
    """Return 500 rows of a random network of 20 variables."""
    dag = arcwise.networks.random_dag(20, expected_degree=2.5, max_indegree=3, seed=5)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.5, seed=5)
    return network.sample(500, seed=5)


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the user say which models `models` is to give."""
    parser.add_argument("--data", nargs="*", help="discrete tables, or .jkl files of scores")
    parser.add_argument("--max-indegree", type=int, default=4, help="of tables")


def models(arguments: argparse.Namespace) -> Iterator[tuple[str, Model]]:
    """Give the models asked for with their names; without any, that of a simulated table."""
    most = arguments.max_indegree
    if not arguments.data:
        yield "simulated", Model(simulated(), max_indegree=most, threads=1)
    for path in map(Path, arguments.data or ()):
        if path.suffix == ".jkl":
            yield path.stem, Model(path, threads=1)
        else:
            data = arcwise.read(path, kinds="discrete", constant="drop")
            yield path.stem, Model(data, max_indegree=most, threads=1)
