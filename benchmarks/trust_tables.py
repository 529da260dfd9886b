"""The tables on which verdicts are judged: of 8 to 20 variables, and difficult on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise import Model
from arcwise.data import Data

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
        """Return the model, made anew in the process that needs it."""
        source = self.source()
        if isinstance(source, tuple):
            return Model(*source, threads=1, **self.options)
        return Model(source, threads=1, **self.options)


@dataclass(frozen=True)
class Made:
    """A table made by a function of this module, by its name, so that processes can pass it."""

    maker: str
    arguments: tuple[Any, ...]

    def __call__(self) -> Any:
        """Make it."""
        return globals()[self.maker](*self.arguments)


def cases(folder: Path | None = None) -> Iterator[Case]:
    """Give all cases; with a folder, those of its tables too."""
    for n in (8, 10, 12, 14):
        for rows in (50, 200, 1_000):
            yield _made("discrete", n, 2.5, rows, n + rows)
            yield _made("gaussian", n, 2.5, rows, n + rows)
    for n, rows, bound in ((8, 60, None), (10, 300, None), (12, 60, 3), (12, 300, 2), (14, 300, 3)):
        yield _made("collinear", n, rows, n, max_indegree=bound)
        yield _made("collinear", n, rows, n + 100, max_indegree=bound)
    for n, rows in ((8, 100), (10, 500), (12, 100), (12, 500)):
        yield _made("nearly_deterministic", n, rows, n)
        yield _made("nearly_deterministic", n, rows, n + 100, max_indegree=2)
    for n in (9, 10, 12):
        for rows in (50, 200, 1_000):
            yield _made("parities", n, rows, n + rows)
    for n, rows in ((8, 200), (10, 200), (10, 1_000), (12, 1_000)):
        yield _made("sums_modulo_three", n, rows, n)
    for n, rows in ((8, 100), (10, 100), (12, 400)):
        yield _made("duplicated", n, rows, n)
        yield _made("duplicated", n, rows, n + 100, max_indegree=2)
    for n, rows in ((8, 20), (10, 50), (12, 100), (14, 200)):
        yield _made("noise", n, rows, n)
        yield _made("gaussian_noise", n, rows, n)
    for n, bound in ((12, 2), (12, 3), (14, 3), (16, 3), (18, 3), (20, 2)):
        # Fewer parents are allowed than there are.
        yield _made("gaussian", n, 5.0, 200, n, max_indegree=bound)
        yield _made("discrete", n, 4.0, 500, n, max_indegree=bound)
    for n in (10, 12):
        edges = [("X0", "X1"), ("X2", "X3")]
        yield _made("gaussian", n, 3.0, 300, 7, required_edges=edges, max_indegree=3)
        yield _made("discrete", n, 3.0, 300, 7, forbidden_edges=edges)
    for height, tilt in ((10.0, 0.0), (10.0, 0.3), (40.0, 0.0), (40.0, 0.3), (40.0, 1.0)):
        yield _made("two_ways", 8, height, tilt)
    if folder is not None:
        yield from _of_folder(folder)


def _made(maker: str, *arguments: Any, **options: Any) -> Case:
    wanted = {name: value for name, value in options.items() if value is not None}
    parts = [*map(str, arguments), *(f"{name}={value}" for name, value in wanted.items())]
    return Case(f"{maker}({', '.join(parts)})", Made(maker, arguments), wanted)


def _of_folder(folder: Path) -> Iterator[Case]:
    """Give the files with few columns, and some columns of the others."""
    for path in sorted(folder.glob("*.csv")):
        if path.name.endswith(".adj.csv"):
            continue
        data = read(str(path))
        n = len(data.variables)
        if n <= _MOST_VARIABLES:
            bound = {} if n <= _MOST_FREE else {"max_indegree": _BOUND}
            yield Case(path.stem, Made("read", (str(path),)), bound)
            if 10 <= n <= 12:
                short = {"max_indegree": _BOUND}
                yield Case(f"{path.stem}, max_indegree=3", Made("read", (str(path),)), short)
        for seed in range(2) if n > 12 else ():
            some = Made("some_columns", (str(path), 11, seed))
            yield Case(f"11 columns of {path.stem}, {seed}", some)


def read(path: str) -> Data:
    """Read a table without its constant columns."""
    continuous = Path(path).stem.endswith("continuous")
    return arcwise.read(path, constant="drop", kinds="continuous" if continuous else None)


def some_columns(path: str, count: int, seed: int) -> Data:
    """Return some columns of a table."""
    data = read(path)
    chosen = np.random.default_rng(seed).choice(len(data.variables), count, replace=False)
    names = [data.variables[i] for i in sorted(chosen)]
    return data.select(names)


def discrete(n: int, degree: float, rows: int, seed: int) -> Data:
    """Return rows of a random discrete network."""
    dag = arcwise.networks.random_dag(n, expected_degree=degree, seed=seed)
    return arcwise.networks.discrete_network(dag, levels=(2, 3), seed=seed).sample(rows, seed=seed)


def gaussian(n: int, degree: float, rows: int, seed: int) -> Data:
    """Return rows of a random Gaussian network."""
    dag = arcwise.networks.random_dag(n, expected_degree=degree, seed=seed)
    return arcwise.networks.gaussian_network(dag, seed=seed).sample(rows, seed=seed)


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
    return _spread(columns, draw)


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
    return _spread(columns, draw)


def sums_modulo_three(n: int, rows: int, seed: int) -> Data:
    """Return columns of three levels, every third the sum of the two before it."""
    draw = np.random.default_rng(seed)
    columns: list[NDArray[np.int64]] = []
    for number in range(n):
        value = draw.integers(0, 3, rows)
        if number % 3 == 2:
            noise = np.where(draw.random(rows) < 0.1, draw.integers(0, 3, rows), 0)
            value = (columns[-1] + columns[-2] + noise) % 3
        columns.append(value)
    return _spread(columns, draw)


def duplicated(n: int, rows: int, seed: int) -> Data:
    """Return binary columns, half of them copies of the others with a few rows changed."""
    draw = np.random.default_rng(seed)
    half = discrete(n // 2, 2.0, rows, seed)
    own = half.discrete_codes("BDeu").astype(np.int64) % 2
    copies = np.where(draw.random(own.shape) < 0.01, 1 - own, own)
    both = np.column_stack([own, copies])
    return _spread([column for column in both.T if len(set(column)) > 1], draw)


def _spread(columns: list[NDArray[np.int64]], draw: np.random.Generator) -> Data:
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

    What lies between weighs e^height less; the second direction e^(tilt (n - 1)) more.
    """

    def score(node: str, parents: tuple[str, ...]) -> float:
        place = int(node[1:])
        if parents == (f"X{place - 1}",):
            return height
        if parents == (f"X{place + 1}",):
            return height + tilt
        return 0.0 if not parents and place in (0, n - 1) else -height

    return [f"X{i}" for i in range(n)], score
