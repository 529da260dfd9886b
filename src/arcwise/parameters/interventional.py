"""`interventional`: what setting discrete variables does to another, P(y | do(x)).

Given a DAG, P(y | do(x)) is the sum over all other variables of the product of the
conditional probabilities of the variables not set. Each such product has one entry of
each table, tables of different nodes are independent a posteriori, and so its posterior
mean is the product of the entries' means: with mean tables, the sum is exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, DiscreteColumn
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, CapacityError
from arcwise.model import Model
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.dirichlet import LARGEST_TABLE, Tables, drawn_tables
from arcwise.parameters.elimination import Scope, eliminate, elimination_order
from arcwise.parameters.level_estimates import Interventional
from arcwise.parameters.requirements import discrete_data
from arcwise.parameters.sampled import Dags, SampledFamilies, model_of, sampled_families
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import quoted

Array = NDArray[np.float64]
Family = tuple[int, tuple[int, ...]]

# Numbers in the drawn tables held at one time, and in the tables remembered for later DAGs.
_PIECE = 1 << 21
_REMEMBERED = 1 << 24
_MOST_KEPT = 1 << 26


def interventional(
    posterior: Dags,
    outcome: str,
    setting: Mapping[str, Hashable],
    *,
    model: Model | None = None,
    draws: int = 0,
    seed: int = 0,
) -> Interventional:
    """Return the distribution of a variable when others are set from outside.

    For each DAG, the parameters are averaged over exactly; DAGs are averaged by their
    weights. Variables are eliminated one by one; a DAG that needs a table of more than
    4 million cells on the way is refused.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    outcome
        The variable whose distribution is asked for.
    setting
        For each variable that is set, its level; with none, it is the distribution of
        the outcome as it is.
    model
        The model the posterior is of, with the score `BDeu` or `BDe`; None for that of the
        posterior. DAGs, and posteriors read from a file, have none.
    draws
        How often the parameters of each DAG are drawn, for quantiles.
    seed
        The same arguments and seed give the same draws; two settings of the same
        variables share them, so that they can be subtracted.

    Raises
    ------
    CapacityError
        If a table would have too many cells.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> model = arcwise.Model(data, temporal_order=[["smoke"], ["bronc"], ["dysp"]])
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(100, seed=1)
    >>> smoking = interventional(dags, "dysp", {"smoke": "yes"}, model=model)
    >>> not_smoking = interventional(dags, "dysp", {"smoke": "no"}, model=model)
    >>> round((smoking - not_smoking)["yes"], 1)
    0.2
    """
    model = model_of(posterior, model)
    data, score = discrete_data(model, "interventional")
    each = whole_number(draws, "draws", at_least=0)
    place, codes = _codes(outcome, setting, data)
    families = sampled_families(posterior, model)
    tables = _RememberedTables(Tables(data, score))
    levels = tables.levels
    if len(families) * each * levels[place] > _MOST_KEPT:
        raise ArgumentError(
            f"draws is {draws} for each of {len(families)} DAGs; give at most "
            f"{_MOST_KEPT // (len(families) * levels[place])}"
        )
    given_dag = np.empty((len(families), levels[place]))
    drawn = np.empty((len(families) * each, levels[place]), dtype=np.float32)
    random = [generator(seed, Purpose.DRAWN_TABLES, node) for node in range(len(levels))]
    for sub_dag, dags in _sub_dags(families, place, codes):
        scopes = [_scope(family, codes) for family in sub_dag]
        order, largest = elimination_order(scopes, levels, place)
        if largest > LARGEST_TABLE:
            raise CapacityError(
                f"P({outcome} | do(...)) needs a table of {largest} cells in one of the DAGs; up "
                f"to {LARGEST_TABLE} are allowed, so merge levels or lower max_indegree"
            )
        parameters = [tables.dirichlet(*family) for family in sub_dag]
        means = [table / table.sum(axis=-1, keepdims=True) for table in parameters]
        factors = [
            (scope, _at(mean[np.newaxis], family, codes))
            for scope, mean, family in zip(scopes, means, sub_dag, strict=True)
        ]
        given_dag[dags] = eliminate(factors, order)
        rows = (dags[:, np.newaxis] * each + np.arange(each)).reshape(-1)
        step = max(1, _PIECE // max(largest, *(table.size for table in parameters)))
        for first in range(0, len(rows), step):
            piece = rows[first : first + step]
            factors = [
                (scope, _at(drawn_tables(table, len(piece), random[family[0]]), family, codes))
                for scope, table, family in zip(scopes, parameters, sub_dag, strict=True)
            ]
            drawn[piece] = eliminate(factors, order)
    column = data.columns[place]
    assert isinstance(column, DiscreteColumn)
    return Interventional(outcome, column.levels, setting, seed, families, given_dag, drawn)


class _RememberedTables:
    """The Dirichlet parameters of families, which many DAGs share."""

    def __init__(self, tables: Tables) -> None:
        self.levels = tables.levels
        self._tables = tables
        self._known: dict[Family, Array] = {}
        self._cells = 0

    def dirichlet(self, node: int, parents: tuple[int, ...]) -> Array:
        if (node, parents) in self._known:
            return self._known[node, parents]
        table = self._tables.dirichlet(node, parents)
        if self._cells + table.size <= _REMEMBERED:
            self._known[node, parents] = table
            self._cells += table.size
        return table


def _codes(outcome: str, setting: Any, data: Data) -> tuple[int, dict[int, int]]:
    """Return the position of the outcome and, for each variable set, the code of its level."""
    if not isinstance(setting, Mapping):
        raise ArgumentError(
            f"setting is of type {type(setting).__name__}; give a mapping from variables to levels"
        )
    (place,) = positions([outcome], data.variables, "outcome")
    codes = {}
    for node, level in zip(
        positions(setting, data.variables, "setting"), setting.values(), strict=True
    ):
        column = data.columns[node]
        assert isinstance(column, DiscreteColumn)
        known = [(level_type(each), each) for each in column.levels]
        wanted = as_level(level)
        if (level_type(wanted), wanted) not in known:
            raise ArgumentError(
                f"setting gives {column.name!r} the level {level!r}; its levels are "
                f"{quoted(column.levels)}"
            )
        codes[node] = known.index((level_type(wanted), wanted))
    if place in codes:
        raise ArgumentError(f"the outcome {outcome!r} is itself set; ask for another variable")
    return place, codes


def _sub_dags(
    families: SampledFamilies, outcome: int, codes: Mapping[int, int]
) -> list[tuple[tuple[Family, ...], NDArray[np.int64]]]:
    """Return the families that matter to the outcome, and the DAGs that have exactly these.

    They are those of the outcome and of its ancestors once no edge enters a variable that
    is set. The order depends on the DAGs and on which variables are set alone.
    """
    distinct, which = families.distinct()
    number: dict[tuple[Family, ...], int] = {}
    of_distinct = np.empty(len(distinct), dtype=np.int64)
    for row, places in enumerate(distinct.tolist()):
        found: dict[int, tuple[int, ...]] = {}
        waiting = [outcome]
        while waiting:
            node = waiting.pop()
            if node not in found and node not in codes:
                found[node] = families.parents[node][places[node]]
                waiting.extend(found[node])
        of_distinct[row] = number.setdefault(tuple(sorted(found.items())), len(number))
    of_dag = of_distinct[which]
    grouped = np.argsort(of_dag, kind="stable")
    ends = np.cumsum(np.bincount(of_dag, minlength=len(number)))
    return list(zip(number, np.split(grouped, ends[:-1]), strict=True))


def _scope(family: Family, codes: Mapping[int, int]) -> Scope:
    node, parents = family
    return tuple(member for member in (*parents, node) if member not in codes)


def _at(table: Array, family: Family, codes: Mapping[int, int]) -> Array:
    """Return the part of a table, as [draw, parents..., node], where parents are as set."""
    node, parents = family
    return table[(slice(None), *(codes.get(member, slice(None)) for member in (*parents, node)))]
