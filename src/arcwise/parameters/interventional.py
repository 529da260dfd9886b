"""`interventional`: distributions of discrete variables under intervention, P(y | do(x)).

Given a DAG, P(y | do(x)) is the sum over all other variables of the product of the
conditional probabilities of the variables not intervened on. Each such product has one
entry of each table, tables of different nodes are independent a posteriori, and so its
posterior mean is the product of the entries' means: with mean tables, the sum is exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, DiscreteColumn
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, CapacityError, option
from arcwise.model import Model
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.dirichlet import MAX_CELLS, Tables, drawn_tables
from arcwise.parameters.elimination import Scope, eliminate, elimination_order
from arcwise.parameters.level_estimates import Interventional
from arcwise.parameters.requirements import discrete_data
from arcwise.parameters.sampled import Dags, SampledFamilies, model_of, sampled_families
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import quoted, shown

Array = NDArray[np.float64]
Family = tuple[int, tuple[int, ...]]

# Numbers in the drawn tables held at one time, in the tables cached for later DAGs, and in the
# draws of a result.
_PIECE = 1 << 21
_MAX_CACHED = 1 << 24
_MAX_KEPT = 1 << 26


def interventional(
    posterior: Dags,
    outcome: str,
    setting: Mapping[str, Hashable],
    *,
    model: Model | None = None,
    draws: int = 0,
    seed: int = 0,
) -> Interventional:
    """Return the distribution of a variable under interventions on others, P(y | do(x)).

    For each DAG, the parameters are integrated out exactly; DAGs are averaged by their
    weights. The computation uses variable elimination; a DAG for which it needs a table
    of more than 4 million cells is refused.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    outcome
        The variable whose distribution is computed.
    setting
        The level of each variable intervened on; if empty, the result is the marginal
        distribution of the outcome.
    model
        The model of the posterior, with the score `BDeu` or `BDe`; None for the one it has.
        DAGs, and posteriors read from a file, have none.
    draws
        The number of parameter draws for each DAG, for quantiles.
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
    >>> model = arcwise.Model(data, tiers=[["smoke"], ["bronc"], ["dysp"]])
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
    tables = _CachedTables(Tables(data, score))
    levels = tables.levels
    if len(families) * each * levels[place] > _MAX_KEPT:
        raise ArgumentError(
            f"draws is {shown(draws)} for each of {len(families)} DAGs; give at most "
            f"{_MAX_KEPT // (len(families) * levels[place])}"
        )
    given_dag = np.empty((len(families), levels[place]))
    drawn = np.empty((len(families) * each, levels[place]), dtype=np.float32)
    random = [generator(seed, Purpose.DRAWN_TABLES, node) for node in range(len(levels))]
    for sub_dag, dags in _sub_dags(families, place, codes):
        scopes = [_scope(family, codes) for family in sub_dag]
        order, largest = elimination_order(scopes, levels, place)
        if largest > MAX_CELLS:
            raise CapacityError(
                f"P({outcome} | do(...)) needs a table of {largest} cells in one of the DAGs, but "
                f"at most {MAX_CELLS} are allowed; merge levels or lower ",
                option("max_indegree"),
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


class _CachedTables:
    """The Dirichlet parameters of families, cached since many DAGs share them."""

    def __init__(self, tables: Tables) -> None:
        self.levels = tables.levels
        self._tables = tables
        self._known: dict[Family, Array] = {}
        self._cells = 0

    def dirichlet(self, node: int, parents: tuple[int, ...]) -> Array:
        if (node, parents) in self._known:
            return self._known[node, parents]
        table = self._tables.dirichlet(node, parents)
        if self._cells + table.size <= _MAX_CACHED:
            self._known[node, parents] = table
            self._cells += table.size
        return table


def _codes(outcome: str, setting: Any, data: Data) -> tuple[int, dict[int, int]]:
    """Return the position of the outcome and the code of each variable intervened on."""
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
        raise ArgumentError(
            f"the outcome {outcome!r} is intervened on by setting; give another outcome"
        )
    return place, codes


def _sub_dags(
    families: SampledFamilies, outcome: int, codes: Mapping[int, int]
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
    """Return the slice of a table [draw, parents..., node] at the levels intervened on."""
    node, parents = family
    return table[(slice(None), *(codes.get(member, slice(None)) for member in (*parents, node)))]
