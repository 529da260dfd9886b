"""The tables that the benchmarks use: drawn from random networks, or difficult on purpose."""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise import Dag, Model
from arcwise.data import ContinuousColumn, Data, DiscreteColumn
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
Values = NDArray[np.generic]
Matrix = NDArray[np.bool_]
Random = np.random.Generator

# --- Random networks ------------------------------------------------------------------------------


def discrete(
    n: int,
    degree: float,
    rows: int,
    seed: int,
    *,
    levels: int | tuple[int, int] = (2, 3),
    concentration: float = 1.0,
    max_indegree: int | None = None,
) -> Data:
    """Return rows of a random discrete network."""
    dag = random_dag(n, expected_degree=degree, max_indegree=max_indegree, seed=seed)
    network = discrete_network(dag, levels=levels, concentration=concentration, seed=seed)
    return network.sample(rows, seed=seed)


def gaussian(n: int, degree: float, rows: int, seed: int) -> Data:
    """Return rows of a random Gaussian network."""
    dag = random_dag(n, expected_degree=degree, seed=seed)
    return gaussian_network(dag, seed=seed).sample(rows, seed=seed)


def discrete_table(path: Path | None) -> Data:
    """Return the file's table, or 1,000 rows of a random network of 37 variables.

    Conditional distributions are skewed, as those of real networks are: in most of them one level
    is far more frequent than the others. With this seed every level is observed; other programs
    count unobserved levels differently.
    """
    if path is not None:
        return arcwise.read(path, kinds="discrete")
    return discrete(37, 2.5, 1000, 8, levels=(2, 4), concentration=0.4, max_indegree=4)


def small_table(path: Path | None) -> Data:
    """Return the file's table, or 1,000 rows of a random network of 20 variables."""
    if path is not None:
        return arcwise.read(path, kinds="discrete")
    return discrete(20, 2.5, 1000, 3, levels=(2, 4), concentration=0.4, max_indegree=4)


def simulated() -> Data:
    """Return 500 rows of a random network of 20 variables."""
    return discrete(20, 2.5, 500, 5, concentration=0.5, max_indegree=3)


def continuous_table(path: Path | None) -> Data:
    """Return the file's table, or 800 rows of a random Gaussian network of 80 variables."""
    if path is not None:
        return arcwise.read(path, kinds="continuous")
    return gaussian(80, 4, 800, 1)


def mixed_table(levels: int) -> Data:
    """Return 1,000 rows of 20 variables, every other of which is discrete."""
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


def named_table(name: str, folder: Path | None) -> Data:
    """Return the table of a file, or 1,000 rows of a network named `kind:variables:degree`."""
    if ":" not in name:
        if folder is None:
            raise SystemExit(f"give the --folder that holds {name}.csv")
        return arcwise.read(folder / f"{name}.csv")
    kind, variables, degree = name.split(":")
    if kind == "gaussian":
        return gaussian(int(variables), float(degree), 1_000, 1)
    return discrete(int(variables), float(degree), 1_000, 1, levels=2)


@lru_cache(maxsize=1)
def named_model(path: Path | None, max_indegree: int) -> tuple[str, Model]:
    """Return the model of a table, of a .jkl file of scores, or of `simulated`, with its name."""
    if path is None:
        return "simulated", Model(simulated(), max_indegree=max_indegree, threads=1)
    if path.suffix == ".jkl":
        return path.stem, Model(path, threads=1)
    data = arcwise.read(path, kinds="discrete", constant="drop")
    return path.stem, Model(data, max_indegree=max_indegree, threads=1)


# --- Candidate parents ----------------------------------------------------------------------------


def nearest(data: Data, count: int) -> dict[str, list[str]]:
    """Return for each variable those most correlated with it, as its candidate parents."""
    correlation = np.abs(np.corrcoef(data.continuous_values("BGe"), rowvar=False))
    return _nearest(list(data.variables), correlation, count)


def _nearest(names: list[str], correlation: Array, count: int) -> dict[str, list[str]]:
    np.fill_diagonal(correlation, -1.0)
    order = np.argsort(-correlation, axis=1, kind="stable")[:, :count]
    return {name: [names[other] for other in order[node]] for node, name in enumerate(names)}


def best_candidates(model: Model, count: int) -> dict[str, list[str]]:
    """Return for each variable the parents that increase its score most, each alone."""
    return {
        node: sorted(
            (other for other in model.variables if other != node),
            key=lambda other: -model.log_weight(node, [other]),
        )[:count]
        for node in model.variables
    }


# --- Large binary and Gaussian tables, for graphics processors ------------------------------------


def binary_columns(nodes: int, rows: int, seed: int = 1) -> dict[str, NDArray[np.int64]]:
    """Return rows of a random network of binary variables with up to three parents each."""
    random = np.random.default_rng(seed)
    columns: list[NDArray[np.int64]] = []
    for node in range(nodes):
        parents = random.choice(node, size=min(node, int(random.integers(0, 4))), replace=False)
        score = random.normal(0, 0.5) + np.zeros(rows)
        for parent in parents:
            score += random.normal(0, 1.5) * (2 * columns[parent] - 1)
        columns.append((random.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int64))
    order = random.permutation(nodes)
    return {f"x{place:02d}": columns[node] for place, node in enumerate(order)}


def leveled_columns(nodes: int, rows: int, levels: int) -> dict[str, NDArray[np.int64]]:
    """Return the columns of `binary_columns`, each with a random number of levels added."""
    random = np.random.default_rng(1)
    return {
        name: (values + random.integers(0, levels - 1, rows)) % levels if levels > 2 else values
        for name, values in binary_columns(nodes, rows).items()
    }


def gaussian_columns(nodes: int, rows: int) -> dict[str, Array]:
    """Return columns that depend on up to three of those before them."""
    random = np.random.default_rng(1)
    values = random.standard_normal((nodes, rows))
    for node in range(1, nodes):
        for parent in random.choice(node, size=min(node, 3), replace=False):
            values[node] += random.normal(0, 0.4) * values[parent]
    values /= values.std(axis=1)[:, np.newaxis]  # otherwise they would grow along the nodes
    return {f"x{node:03d}": values[node] for node in range(nodes)}


def binary_model(nodes: int, rows: int, max_indegree: int) -> Model:
    return Model(binary_columns(nodes, rows), "bdeu", max_indegree=max_indegree)


def binary_model_with_candidates(nodes: int, rows: int, count: int) -> Model:
    """Return the model in which each node's candidates are those most correlated with it."""
    data = binary_columns(nodes, rows)
    correlation = np.abs(np.corrcoef(np.array(list(data.values()))))
    return Model(data, "bdeu", candidates=_nearest(list(data), correlation, count))


# --- Difficult tables of 8 to 20 variables, on which verdicts are judged --------------------------

_MOST_VARIABLES = 20
_MOST_FREE = 14  # variables of a table whose parent sets are not bounded
_BOUND = 3


@dataclass(frozen=True)
class Case:
    """A table, or a function that scores, with the constraints of its model."""

    name: str
    source: Callable[[], Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def size(self) -> int:
        """Return the number of variables, without scoring anything."""
        source = self.source()
        return len(source[0] if isinstance(source, tuple) else source.variables)

    def model(self) -> Model:
        source = self.source()
        parts = source if isinstance(source, tuple) else (source,)
        return Model(*parts, threads=1, **self.options)


@lru_cache(maxsize=1)
def difficult_cases(folder: Path | None) -> tuple[Case, ...]:
    """Return all cases; with a folder, those of its tables too."""
    return (*_made_cases(), *(() if folder is None else _cases_of(folder)))


def _made_cases() -> Iterator[Case]:
    for n in (8, 10, 12, 14):
        for rows in (50, 200, 1_000):
            yield _made(discrete, n, 2.5, rows, n + rows)
            yield _made(gaussian, n, 2.5, rows, n + rows)
    for n, rows, bound in ((8, 60, None), (10, 300, None), (12, 60, 3), (12, 300, 2), (14, 300, 3)):
        yield _made(collinear, n, rows, n, max_indegree=bound)
        yield _made(collinear, n, rows, n + 100, max_indegree=bound)
    for n, rows in ((8, 100), (10, 500), (12, 100), (12, 500)):
        yield _made(nearly_deterministic, n, rows, n)
        yield _made(nearly_deterministic, n, rows, n + 100, max_indegree=2)
    for n in (9, 10, 12):
        for rows in (50, 200, 1_000):
            yield _made(parities, n, rows, n + rows)
    for n, rows in ((8, 200), (10, 200), (10, 1_000), (12, 1_000)):
        yield _made(sums_modulo_three, n, rows, n)
    for n, rows in ((8, 100), (10, 100), (12, 400)):
        yield _made(duplicated, n, rows, n)
        yield _made(duplicated, n, rows, n + 100, max_indegree=2)
    for n, rows in ((8, 20), (10, 50), (12, 100), (14, 200)):
        yield _made(noise, n, rows, n)
        yield _made(gaussian_noise, n, rows, n)
    for n, bound in ((12, 2), (12, 3), (14, 3), (16, 3), (18, 3), (20, 2)):
        # Fewer parents are allowed than there are.
        yield _made(gaussian, n, 5.0, 200, n, max_indegree=bound)
        yield _made(discrete, n, 4.0, 500, n, max_indegree=bound)
    for n in (10, 12):
        edges = [("X0", "X1"), ("X2", "X3")]
        yield _made(gaussian, n, 3.0, 300, 7, required_edges=edges, max_indegree=3)
        yield _made(discrete, n, 3.0, 300, 7, forbidden_edges=edges)
    for height, tilt in ((10.0, 0.0), (10.0, 0.3), (40.0, 0.0), (40.0, 0.3), (40.0, 1.0)):
        yield _made(two_ways, 8, height, tilt)


def _made(maker: Callable[..., Any], *arguments: Any, **options: Any) -> Case:
    wanted = {name: value for name, value in options.items() if value is not None}
    parts = [*map(str, arguments), *(f"{name}={value}" for name, value in wanted.items())]
    return Case(f"{maker.__name__}({', '.join(parts)})", partial(maker, *arguments), wanted)


def _cases_of(folder: Path) -> Iterator[Case]:
    """Give the files with few columns, and some columns of the others."""
    for path in sorted(folder.glob("*.csv")):
        if path.name.endswith(".adj.csv"):
            continue
        n = len(_read(path).variables)
        if n <= _MOST_VARIABLES:
            bound = {} if n <= _MOST_FREE else {"max_indegree": _BOUND}
            yield Case(path.stem, partial(_read, path), bound)
            if 10 <= n <= 12:
                short = {"max_indegree": _BOUND}
                yield Case(f"{path.stem}, max_indegree=3", partial(_read, path), short)
        for seed in range(2) if n > 12 else ():
            some = partial(_some_columns, path, 11, seed)
            yield Case(f"11 columns of {path.stem}, {seed}", some)


def _read(path: Path) -> Data:
    """Read a table without its constant columns."""
    continuous = path.stem.endswith("continuous")
    return arcwise.read(path, constant="drop", kinds="continuous" if continuous else None)


def _some_columns(path: Path, count: int, seed: int) -> Data:
    data = _read(path)
    chosen = np.random.default_rng(seed).choice(len(data.variables), count, replace=False)
    return data.select([data.variables[i] for i in sorted(chosen)])


def _table(columns: NDArray[Any], kind: str) -> Data:
    return arcwise.read({f"X{i}": column for i, column in enumerate(columns.T)}, kinds=kind)


def collinear(n: int, rows: int, seed: int) -> Data:
    """Return columns that are nearly sums of three common factors."""
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(rows, 3)) @ draw.normal(size=(3, n))
    return _table(values + 0.1 * draw.normal(size=(rows, n)), "continuous")


def nearly_deterministic(n: int, rows: int, seed: int) -> Data:
    """Return binary columns, each a function of two before it, wrong in 2 rows of 100."""
    draw = np.random.default_rng(seed)
    columns = [draw.integers(0, 2, rows) for _ in range(3)]
    while len(columns) < n:
        first, second = draw.choice(len(columns), 2, replace=False)
        function = draw.permutation([0, 0, 1, 1] if draw.random() < 0.5 else [0, 1, 1, 1])
        value = function[2 * columns[first] + columns[second]]
        columns.append(np.where(draw.random(rows) < 0.02, 1 - value, value))
    return _permuted(columns, draw)


def parities(n: int, rows: int, seed: int) -> Data:
    """Return binary columns, every third the parity of the two before it, with noise."""
    draw = np.random.default_rng(seed)
    columns: list[NDArray[np.int64]] = []
    for number in range(n):
        value = draw.integers(0, 2, rows)
        if number % 3 == 2:
            value = (columns[-1] + columns[-2]) % 2
            value = np.where(draw.random(rows) < 0.05, 1 - value, value)
        columns.append(value)
    return _permuted(columns, draw)


def sums_modulo_three(n: int, rows: int, seed: int) -> Data:
    """Return columns of three levels, every third the sum of the two before it."""
    draw = np.random.default_rng(seed)
    columns: list[NDArray[np.int64]] = []
    for number in range(n):
        value = draw.integers(0, 3, rows)
        if number % 3 == 2:
            added = np.where(draw.random(rows) < 0.1, draw.integers(0, 3, rows), 0)
            value = (columns[-1] + columns[-2] + added) % 3
        columns.append(value)
    return _permuted(columns, draw)


def duplicated(n: int, rows: int, seed: int) -> Data:
    """Return binary columns, half of them copies of the others with a few rows changed."""
    draw = np.random.default_rng(seed)
    half = discrete(n // 2, 2.0, rows, seed)
    own = half.discrete_codes("BDeu").astype(np.int64) % 2
    copies = np.where(draw.random(own.shape) < 0.01, 1 - own, own)
    both = np.column_stack([own, copies])
    return _permuted([column for column in both.T if len(set(column)) > 1], draw)


def _permuted(columns: list[NDArray[np.int64]], draw: Random) -> Data:
    order = draw.permutation(len(columns))
    return _table(np.column_stack([columns[i] for i in order]), "discrete")


def noise(n: int, rows: int, seed: int) -> Data:
    """Return independent fair coins."""
    return _table(np.random.default_rng(seed).integers(0, 2, (rows, n)), "discrete")


def gaussian_noise(n: int, rows: int, seed: int) -> Data:
    """Return independent normal numbers."""
    return _table(np.random.default_rng(seed).normal(size=(rows, n)), "continuous")


def two_ways(n: int, height: float, tilt: float) -> tuple[list[str], Callable[..., float]]:
    """Return a score under which the variables form a chain, in one direction or the other.

    Other DAGs weigh e^height less; the second direction weighs e^(tilt (n - 1)) more.
    """

    def score(node: str, parents: tuple[str, ...]) -> float:
        place = int(node[1:])
        if parents == (f"X{place - 1}",):
            return height
        if parents == (f"X{place + 1}",):
            return height + tilt
        return 0.0 if not parents and place in (0, n - 1) else -height

    return [f"X{i}" for i in range(n)], score


# --- Tables that are not drawn from any prior of arcwise ------------------------------------------

# Published networks are read from the .bif.gz files in a wheel of pgmpy (0.1.26 has them), which is
# not installed for it: ``pip download --no-deps pgmpy==0.1.26``. Parameters are uniform in a range,
# or an expert's.
ROWS = (50, 200, 1000, 5000, 10_000)
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder")
NOISE = ("coins", "skewed", "three", "gaussian", "lognormal", "mixed", "mixed lognormal")


class Foreign(NamedTuple):
    """A table: what it is drawn from, how large, and by which seed."""

    kind: str  # noise, random, benchpress or network
    name: str
    variables: int
    degree: float  # expected, of random networks
    rows: int
    seed: int


def foreign_tables(kinds: Sequence[str], seeds: int) -> Iterator[Foreign]:
    """Give the tables of these kinds."""
    sizes = (10, 20, 50, 100), (20, 80, 300, 1000)
    degrees = (0.5, 1.0, 2.0, 4.0), (20, 50, *ROWS[1:4])
    for seed in range(seeds):
        if "noise" in kinds:
            for name, n, rows in product(NOISE, *sizes):
                yield Foreign("noise", name, n, 0.0, rows, seed)
        if "random" in kinds:
            for name, degree, rows in product(("binary", "gaussian", "mixed"), *degrees):
                yield Foreign("random", name, 12, degree, rows, seed)
        if "benchpress" in kinds:
            for name in ("gaussian", "binary"):
                yield Foreign("benchpress", name, 80, 4.0, 320, seed)
        if "network" in kinds:
            for name, rows in product(NETWORKS, ROWS):
                yield Foreign("network", name, 0, 0.0, rows, seed)


def foreign_table(table: Foreign, networks: Path | None) -> tuple[dict[str, Values], Matrix]:
    """Return the columns of a table and the DAG that it is drawn from, as [parent, node]."""
    n, name = table.variables, table.name
    key = [table.seed, table.rows, n, round(10 * table.degree), *name.encode()]
    random = np.random.default_rng(key)
    if table.kind == "noise":
        columns = _independent(name, table.rows, n, random)
        return _numbered(columns), np.zeros((n, n), dtype=np.bool_)
    if table.kind == "network":
        if networks is None:
            raise SystemExit("give the wheel with the published networks by --networks")
        values, dag = _published(networks, name, table.rows, random)
    else:
        order, dag = _bounded_dag(n, table.degree, random)
        values = _values_given(name, dag, order, table.rows, random)
    permuted = random.permutation(len(dag))  # so that the order of columns carries no information
    values, dag = values[:, permuted], dag[np.ix_(permuted, permuted)]
    varying = np.array([len(np.unique(column)) > 1 for column in values.T])
    columns = [
        column.astype(np.int64) if np.isin(column, (0, 1)).all() else column
        for column in values[:, varying].T
    ]
    return _numbered(columns), dag[np.ix_(varying, varying)]


def _numbered(columns: list[Values]) -> dict[str, Values]:
    return {f"v{number}": column for number, column in enumerate(columns)}


def _independent(name: str, rows: int, n: int, random: Random) -> list[Values]:
    if name.startswith("mixed"):
        binary = _independent("skewed", rows, n, random)
        continuous = _independent("lognormal" if "log" in name else "gaussian", rows, n, random)
        return [(binary if i % 2 else continuous)[i] for i in range(n)]
    if name == "three":
        return list(random.integers(0, 3, (rows, n)).T)
    if name in ("coins", "skewed"):
        probabilities = random.uniform(0.1, 0.9, n) if name == "skewed" else np.full(n, 0.5)
        values = random.random((rows, n)) < probabilities
        values[0], values[1] = False, True  # no column is constant
        return list(values.astype(np.int64).T)
    normal = random.normal(size=(rows, n))
    return list((normal if name == "gaussian" else np.exp(normal)).T)


def _bounded_dag(n: int, degree: float, random: Random) -> tuple[NDArray[np.intp], Matrix]:
    """Return a random DAG with at most five parents of a node, and its order."""
    order = random.permutation(n)
    dag = np.zeros((n, n), dtype=np.bool_)
    for place in range(n):
        drawn = order[:place][random.random(place) < degree / (n - 1)]
        dag[random.permutation(drawn)[:5], order[place]] = True
    return order, dag


def _values_given(
    name: str, dag: Matrix, order: NDArray[np.intp], rows: int, random: Random
) -> Values:
    values = np.zeros((rows, len(dag)))
    # In mixed tables the first half of the order is binary, so that no binary node has a continuous
    # parent; effects of binary parents are as large as those of others.
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
    standardised: Values = (values - values.mean(axis=0)) / values.std(axis=0)
    return standardised


def _published(wheel: Path, name: str, rows: int, random: Random) -> tuple[Values, Matrix]:
    """Return rows drawn from a published network, and its DAG."""
    with zipfile.ZipFile(wheel) as files:
        text = gzip.decompress(files.read(f"pgmpy/utils/example_models/{name}.bif.gz")).decode()
    levels = {
        found[1]: [level.strip() for level in found[2].split(",")]
        for found in re.finditer(r"variable\s+(\S+)\s*\{[^}]*?\{([^}]*)\}", text)
    }
    names = list(levels)
    dag = np.zeros((len(names), len(names)), dtype=np.bool_)
    tables: dict[str, tuple[list[str], Array]] = {}
    for found in re.finditer(r"probability\s*\(([^)]*)\)\s*\{(.*?)\}", text, re.DOTALL):
        node, *parents = (part.strip() for part in re.split(r"[|,]", found[1]))
        dag[[names.index(parent) for parent in parents], names.index(node)] = True
        table = np.zeros((*(len(levels[parent]) for parent in parents), len(levels[node])))
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


# --- Tables with missing values -------------------------------------------------------------------

STRENGTH, PARENTS = 10.0, 1.0  # prior of the tables of the kind "prior"


class Drawn(NamedTuple):
    """A random network's DAG, a table drawn from it, and what `learn` is given about both."""

    dag: Dag
    data: Data
    options: dict[str, Any]


def table_for_missing(kind: str, n: int, rows: int, seed: int) -> Drawn:
    """Return a table of the kind "discrete", "gaussian", "mixed" or "prior"."""
    if kind == "prior":
        return _of_the_prior(n, rows, seed)
    names = [f"v{place}" for place in range(n)]
    network: Any
    if kind == "mixed":
        binary = names[: n // 2]
        dag = random_dag(names, expected_degree=2.4, first=binary, seed=seed)
        network = conditional_gaussian_network(dag, dict.fromkeys(binary, 2), seed=seed)
    else:
        dag = random_dag(n, expected_degree=2.4, seed=seed)
        if kind == "gaussian":
            network = gaussian_network(dag, weights=(0.2, 0.8), signs="random", seed=seed)
        else:
            network = discrete_network(dag, levels=(2, 3), seed=seed)
    return Drawn(dag, network.sample(rows, seed=seed), {})


def _of_the_prior(n: int, rows: int, seed: int) -> Drawn:
    """Return a binary table whose DAG and parameters are drawn from the prior that is assumed."""
    random = np.random.default_rng(seed)
    names = [f"v{place}" for place in range(n)]
    prior = Sparse(PARENTS)
    no_data = Model(names, lambda node, parents: 0.0, prior=prior)
    dags = arcwise.exact(no_data, dags=1, seed=seed).dags
    assert dags is not None
    tables = {}
    for name in names:
        parents = len(dags[0].parents(name))
        pseudo = np.full((*(2,) * parents, 2), STRENGTH / 2 ** (parents + 1))
        draws = random.standard_gamma(pseudo) + 1e-300
        tables[name] = draws / draws.sum(axis=-1, keepdims=True)
    network = DiscreteNetwork(dags[0], dict.fromkeys(names, (0, 1)), tables)
    options = {"score": BDeu(STRENGTH), "prior": prior}
    return Drawn(dags[0], network.sample(rows, seed=seed), options)


def with_gaps(data: Data, share: float, seed: int) -> dict[str, list[object]]:
    """Return the table without a share of its values, chosen completely at random."""
    random = np.random.default_rng(seed)
    return {
        name: [None if random.random() < share else value for value in column]
        for name, column in data.to_dict().items()
    }


# --- Time series ----------------------------------------------------------------------------------

_BEFORE = 50  # times that are simulated but not kept


class Process(NamedTuple):
    """The coefficients of a process, as [source, target], at lag 1 and within the slice."""

    lagged: Array
    within: Array


def random_process(n: int, random: Random) -> Process:
    """Return a stable process with a sparse network."""
    lagged = np.where(random.random((n, n)) < 1 / n, random.uniform(0.3, 0.6, (n, n)), 0.0)
    lagged *= random.choice([-1.0, 1.0], (n, n))
    np.fill_diagonal(lagged, 0.5)
    # One edge within the slice into every second variable, from an earlier one in an order.
    within = np.zeros((n, n))
    order = random.permutation(n)
    for place in range(1, n):
        if random.random() < 0.5:
            source = order[random.integers(place)]
            within[source, order[place]] = random.choice([-0.6, 0.6])
    through = np.linalg.inv(np.eye(n) - within)
    radius = np.abs(np.linalg.eigvals(lagged @ through)).max()
    return Process(lagged * min(1.0, 0.9 / radius), within)


def rows_of_process(process: Process, kind: str, length: int, random: Random) -> Array:
    """Return rows in time, Gaussian, or of -1 and 1 by a logistic response to the parents."""
    n = len(process.lagged)
    order = _topological_order(process.within)
    state, rows = np.zeros(n), np.empty((length, n))
    for t in range(-_BEFORE, length):
        drive = state @ process.lagged
        following = np.zeros(n)
        for node in order:
            pull = drive[node] + following @ process.within[:, node]
            if kind == "gaussian":
                following[node] = pull + random.standard_normal()
            else:
                following[node] = 1.0 if random.random() < 1 / (1 + np.exp(-4 * pull)) else -1.0
        state = following
        if t >= 0:
            rows[t] = state
    return rows


def _topological_order(within: Array) -> list[int]:
    left, order = set(range(len(within))), []
    while left:
        free = next(v for v in sorted(left) if not any(within[u, v] for u in left))
        order.append(free)
        left.remove(free)
    return order


def asia_in_time(length: int, random: Random) -> NDArray[np.int64]:
    """Return the chest-clinic network in time: each variable follows its parents one step before.

    A variable without parents keeps its value with probability one half, and is drawn anew
    otherwise.
    """
    network = arcwise.networks.asia()
    names = network.dag.variables
    parents = [[names.index(name) for name in network.dag.parents(each)] for each in names]
    state = np.zeros(len(names), dtype=np.int64)
    rows = np.empty((length, len(names)), dtype=np.int64)
    for t in range(-_BEFORE, length):
        following = state.copy()
        for node, own in enumerate(parents):
            if own or random.random() < 0.5:
                shares = network.tables[names[node]][tuple(state[own])]
                following[node] = random.random() < shares[1]
        state = following
        if t >= 0:
            rows[t] = state
    return rows
