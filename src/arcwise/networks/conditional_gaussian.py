"""`ConditionalGaussianNetwork`: discrete and continuous variables in one network.

Discrete variables have discrete parents only, and tables of probabilities. A continuous one has,
for each configuration of its discrete parents, a linear regression on its continuous parents.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.laws import Parameters, RegressionParameters
from arcwise.networks.discrete import (
    checked_levels,
    checked_table,
    table_parameters,
)
from arcwise.networks.network import Network
from arcwise.support.checks import instance, real_numbers
from arcwise.support.names import positions, refuse_other_names
from arcwise.support.words import shown

Array = NDArray[np.float64]


class Regression(NamedTuple):
    """The regressions of a continuous node, one for each configuration of its discrete parents.

    Parameters
    ----------
    intercepts
        With one axis for each discrete parent, in the order of ``dag.parents(name)``; a number
        if there is none.
    coefficients
        The same, and a last axis for the continuous parents, in that order; it can be left out
        if there are none.
    variances
        The noise variances, positive, in the form of the intercepts; one number for all.

    Examples
    --------
    >>> Regression([0.0, 3.0]).variances
    1.0
    """

    intercepts: ArrayLike
    coefficients: ArrayLike | None = None
    variances: ArrayLike = 1.0


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ConditionalGaussianNetwork(Network):
    """A network of tables for discrete variables and of regressions for continuous ones.

    Parameters
    ----------
    dag
        The structure, without an edge from a continuous variable to a discrete one.
    levels
        For each discrete variable the labels of its values; all others are continuous.
    tables
        For each discrete variable an array as in `DiscreteNetwork`.
    regressions
        For each continuous variable its `Regression`.

    Examples
    --------
    >>> network = ConditionalGaussianNetwork(
    ...     Dag(["sex", "height", "weight"], {"height": ["sex"], "weight": ["height"]}),
    ...     {"sex": ("f", "m")},
    ...     {"sex": [0.5, 0.5]},
    ...     {
    ...         "height": Regression([165.0, 178.0], variances=[40.0, 50.0]),
    ...         "weight": Regression(-80.0, [0.9], 60.0),
    ...     },
    ... )
    >>> network.sample(100, seed=1)
    <Data: 100 rows, 1 discrete and 2 continuous variables>
    """

    dag: Dag
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, Array]
    regressions: Mapping[str, Regression]

    def __init__(
        self,
        dag: Dag,
        levels: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        regressions: Mapping[str, Regression],
    ) -> None:
        instance(dag, Dag, "dag", "an arcwise.Dag")
        for name, given in (("levels", levels), ("tables", tables), ("regressions", regressions)):
            if not isinstance(given, Mapping):
                raise ArgumentError(f"{name} is {shown(given)}; give a mapping from the variables")
        positions(levels, dag.variables, "levels")
        discrete = [name for name in dag.variables if name in levels]
        continuous = [name for name in dag.variables if name not in levels]
        refuse_other_names(tables, discrete, "tables")
        refuse_other_names(regressions, continuous, "regressions")
        refuse_continuous_parents(dag, discrete)
        labels = {name: checked_levels(levels[name], name) for name in discrete}
        arrays = {}
        for name in discrete:
            shape = tuple(len(labels[each]) for each in (*dag.parents(name), name))
            arrays[name] = checked_table(tables[name], name, shape)
        checked = {}
        for name in continuous:
            parents = dag.parents(name)
            shape = tuple(len(labels[each]) for each in parents if each in labels)
            numbers = sum(each not in labels for each in parents)
            checked[name] = _checked_regression(regressions[name], name, shape, numbers)
        fields = {"dag": dag, "levels": labels, "tables": arrays, "regressions": checked}
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def _parameters(self, node: int) -> Parameters:
        name, parents = self.dag.variables[node], self.dag.parent_indices[node]
        if name in self.levels:
            return table_parameters(node, parents, self.tables[name])
        discrete = tuple(u for u in parents if self.dag.variables[u] in self.levels)
        continuous = tuple(u for u in parents if u not in discrete)
        return RegressionParameters.single(node, discrete, continuous, self.regressions[name])


def refuse_continuous_parents(dag: Dag, discrete: Sequence[str]) -> None:
    """Refuse a DAG with an edge from a continuous variable to a discrete one."""
    for name in discrete:
        wrong = [parent for parent in dag.parents(name) if parent not in discrete]
        if wrong:
            raise ArgumentError(
                f"dag has the edge {wrong[0]!r} -> {name!r}, from a continuous variable to a "
                "discrete one; leave it out, or turn it round"
            )


def _checked_regression(
    given: Regression, name: str, shape: tuple[int, ...], parents: int
) -> Regression:
    instance(given, Regression, f"regressions[{name!r}]", "an arcwise.networks.Regression")
    coefficients = given.coefficients
    if coefficients is None and parents == 0:
        coefficients = np.zeros((*shape, 0))
    if coefficients is None:
        raise ArgumentError(
            f"regressions[{name!r}] has no coefficients, but {parents} continuous parents; give "
            "the coefficients"
        )
    found = Regression(
        _numbers(given.intercepts, f"the intercepts of regressions[{name!r}]", shape),
        _numbers(coefficients, f"the coefficients of regressions[{name!r}]", (*shape, parents)),
        _numbers(given.variances, f"the variances of regressions[{name!r}]", shape),
    )
    if not (np.asarray(found.variances) > 0.0).all():
        raise ArgumentError(
            f"the variances of regressions[{name!r}] are not all positive; give numbers above 0"
        )
    return found


def _numbers(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    array = real_numbers(value, name)
    if array.ndim == 0:
        array = np.full(shape, array)
    if array.shape != shape:
        raise ArgumentError(
            f"{name} have the shape {array.shape}; give the shape {shape}, the levels of each "
            "discrete parent first"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} hold inf or nan; give finite numbers")
    array = array.copy()
    array.flags.writeable = False
    return array
