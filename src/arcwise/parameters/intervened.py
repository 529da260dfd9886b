"""P(y | do(x)) in each DAG of a sample: the mean over its parameters, and draws of these.

Given a DAG, P(y | do(x)) is the sum over all other variables of the product of the
conditional probabilities of the variables not intervened on. Each such product has one
entry of each table, tables of different nodes are independent a posteriori, and so its
posterior mean is the product of the entries' means: with mean tables, the sum is exact.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, CapacityError, option
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.dirichlet import MAX_CELLS, Tables, drawn_tables
from arcwise.parameters.elimination import Scope, eliminate, elimination_order
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]
Family = tuple[int, tuple[int, ...]]

# Numbers in one elimination, in the drawn tables held at one time, and in the draws of a result.
_PIECE = 1 << 21
_MOST_DRAWN = 1 << 24
_MAX_KEPT = 1 << 26


@dataclass(frozen=True, eq=False)
class Intervened:
    """The distribution of an outcome under interventions, in each DAG.

    Parameters
    ----------
    means
        Its means over the parameters, as [DAG, level of the source, level of the outcome];
        without a source, the second axis has the length 1.
    draws
        Parameter draws, as [DAG and draw, ...], all of the first DAG first.
    path
        Whether the DAG has a directed path from the source to the outcome.
    """

    means: Array
    draws: NDArray[np.float32]
    path: NDArray[np.bool_]


def intervened(
    families: SampledFamilies,
    tables: Tables,
    outcome: int,
    setting: Mapping[int, int],
    source: int | None,
    draws: int,
    seed: int,
) -> Intervened:
    """Return the distribution of the outcome in each DAG.

    Parameters
    ----------
    families, tables
        The DAGs, and the posterior of their parameters.
    outcome
        The variable whose distribution is computed.
    setting
        The variables intervened on, and the level of each.
    source
        One more variable intervened on, at each of its levels in turn; or None.
    draws, seed
        The number of parameter draws for each DAG, and their seed. Draws do not depend on
        the levels of the setting.
    """
    levels = tables.levels
    cells = levels[outcome] * (1 if source is None else levels[source])
    if len(families) * draws * cells > _MAX_KEPT:
        raise ArgumentError(
            option("draws"),
            f" is {draws} for each of {len(families)} DAGs; give at most "
            f"{_MAX_KEPT // (len(families) * cells)}",
        )
    kept = (outcome,) if source is None else (source, outcome)
    shape = (1,) * (source is None) + tuple(levels[node] for node in kept)
    means = np.empty((len(families), *shape))
    drawn = np.empty((len(families) * draws, *shape), dtype=np.float32)
    path = np.zeros(len(families), dtype=np.bool_)
    random = [generator(seed, Purpose.DRAWN_TABLES, node) for node in range(len(levels))]
    groups = sub_dags(families, outcome, {*setting, *kept[:-1]})

    def cells_of(family: Family) -> int:
        return math.prod(levels[member] for member in (*family[1], family[0]))

    for batch in batches(groups, cells_of, draws):
        drawn_of = _drawn_by_family(batch, tables, random)
        for sub_dag, dags, rows in batch:
            scopes = [_scope(family, setting) for family in sub_dag]
            path[dags] = source is not None and any(source in scope for scope in scopes)
            order, largest = elimination_order(scopes, levels, kept)
            if largest > MAX_CELLS:
                raise CapacityError(
                    f"P({tables.variables[outcome]} | do(...)) needs a table of {largest} cells in "
                    f"one of the DAGs, but at most {MAX_CELLS} are allowed; merge levels or lower ",
                    option("max_indegree"),
                )
            factors = [
                (scope, _at(drawn_of[family].take(len(rows)), family, setting))
                for scope, family in zip(scopes, sub_dag, strict=True)
            ]
            found = np.empty((1 + len(rows), *shape))
            step = max(1, _PIECE // largest)
            for first in range(0, len(found), step):
                piece = slice(first, first + step)
                each = eliminate([(scope, table[piece]) for scope, table in factors], order, kept)
                # Without a path from the source, its axis has the length 1.
                found[piece] = each[:, np.newaxis] if source is None else each
            means[dags] = found[0]
            drawn[rows] = found[1:]
    return Intervened(means, drawn, path)


class SubDag(NamedTuple):
    """Families relevant to an outcome, DAGs that have exactly these, and draws to make of them."""

    families: tuple[Family, ...]
    dags: NDArray[np.int64]
    rows: NDArray[np.int64]


def batches(
    groups: list[tuple[tuple[Family, ...], NDArray[np.int64]]],
    cells_of: Callable[[Family], int],
    draws: int,
) -> Iterator[list[SubDag]]:
    """Divide groups of DAGs, and their draws, so that the parameters of a batch fit into memory.

    Parameters
    ----------
    groups
        Families relevant to an outcome, and the DAGs that have exactly these.
    cells_of
        The number of parameters of a family.
    draws
        The number of parameter draws for each DAG.
    """
    batch: list[SubDag] = []
    numbers = 0
    for sub_dag, dags in groups:
        rows = (dags[:, np.newaxis] * draws + np.arange(draws)).reshape(-1)
        cells = sum(map(cells_of, sub_dag))
        step = max(1, _MOST_DRAWN // cells)
        for first in range(0, max(1, len(rows)), step):
            piece = rows[first : first + step]
            if batch and numbers + cells * len(piece) > _MOST_DRAWN:
                yield batch
                batch, numbers = [], 0
            batch.append(SubDag(sub_dag, dags, piece))
            numbers += cells * (1 + len(piece))
    if batch:
        yield batch


class DrawnTables:
    """The tables of one family, drawn together and handed out to the DAGs in turn."""

    def __init__(self, parameters: Array, count: int, random: np.random.Generator) -> None:
        self._mean = (parameters / parameters.sum(axis=-1, keepdims=True))[np.newaxis]
        self._drawn = drawn_tables(parameters, count, random)
        self._used = 0

    def take(self, count: int) -> Array:
        """Return the mean table, and the next draws after it."""
        first, self._used = self._used, self._used + count
        return np.concatenate([self._mean, self._drawn[first : self._used]])


def _drawn_by_family(
    batch: list[SubDag], tables: Tables, random: list[np.random.Generator]
) -> dict[Family, DrawnTables]:
    """Draw the tables of each family for all DAGs at once: many DAGs share families."""
    counts: Counter[Family] = Counter()
    for sub_dag, _, rows in batch:
        for family in sub_dag:
            counts[family] += len(rows)
    return {
        family: DrawnTables(tables.dirichlet(*family), count, random[family[0]])
        for family, count in counts.items()
    }


def sub_dags(
    families: SampledFamilies, outcome: int, removed: set[int]
) -> list[tuple[tuple[Family, ...], NDArray[np.int64]]]:
    """Return the families relevant to the outcome, and the DAGs that have exactly these.

    They are those of the outcome and its ancestors after removal of the edges into
    variables intervened on. Their order depends only on the DAGs and on which variables
    are intervened on.
    """
    distinct, which = families.distinct()
    number: dict[tuple[Family, ...], int] = {}
    of_distinct = np.empty(len(distinct), dtype=np.int64)
    for row, places in enumerate(distinct.tolist()):
        found: dict[int, tuple[int, ...]] = {}
        waiting = [outcome]
        while waiting:
            node = waiting.pop()
            if node not in found and node not in removed:
                found[node] = families.parents[node][places[node]]
                waiting.extend(found[node])
        of_distinct[row] = number.setdefault(tuple(sorted(found.items())), len(number))
    of_dag = of_distinct[which]
    grouped = np.argsort(of_dag, kind="stable")
    ends = np.cumsum(np.bincount(of_dag, minlength=len(number)))
    return list(zip(number, np.split(grouped, ends[:-1]), strict=True))


def _scope(family: Family, setting: Mapping[int, int]) -> Scope:
    node, parents = family
    return tuple(member for member in (*parents, node) if member not in setting)


def _at(table: Array, family: Family, setting: Mapping[int, int]) -> Array:
    """Return the slice of a table [draw, parents..., node] at the levels intervened on."""
    node, parents = family
    return table[(slice(None), *(setting.get(member, slice(None)) for member in (*parents, node)))]
