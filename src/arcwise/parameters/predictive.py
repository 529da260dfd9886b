"""`log_predictive`: posterior predictive densities, averaged over DAGs and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.new_rows import read_new_rows, with_new_rows
from arcwise.parameters.normal_wishart import node_posteriors
from arcwise.parameters.requirements import AnyModel, scored_data
from arcwise.parameters.sampled import Dags, SampledFamilies, sampled_families
from arcwise.scores import BDe, BDeu, BGe
from arcwise.support.checks import true_or_false

Array = NDArray[np.float64]

# Numbers held at one time: log densities of all families, and of some of the DAGs.
_PIECE = 1 << 22


@overload
def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: Literal[False] = False
) -> Array: ...


@overload
def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: Literal[True]
) -> float: ...


def log_predictive(
    posterior: Dags, new_data: Any, *, model: AnyModel = None, joint: bool = False
) -> Array | float:
    """Return the posterior predictive log density of new rows.

    The parameters of a DAG are integrated out under the prior of the score (`BDeu`,
    `BDe` or `BGe`), and DAGs are averaged by their weights: for each row, the log of
    the sum over DAGs G of weight(G) p(row | G, data).

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    new_data
        Anything `arcwise.read` accepts, with the variables of the model's data in any
        order; a single row is enough. In rows of a `Data` in which a variable was
        intervened on, the variable's own term is left out.
    model
        The model of the posterior; None for the one it has. DAGs, and posteriors read from a
        file, have none.
    joint
        True for the joint density of all new rows, which is not the product over rows,
        since they share the parameters. Row weights of a `Data` are used only here.

    Returns
    -------
    numpy.ndarray or float
        Natural logarithms, one for each row; with `joint`, a single number.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(100, seed=1)
    >>> np.exp(log_predictive(dags, {"a": [0, 0], "b": [0, 1]}, model=model)).round(3)
    array([0.488, 0.012])
    """
    true_or_false(joint, "joint")
    data, score = scored_data(posterior, model, "log_predictive")
    families = sampled_families(posterior, data.variables)
    new = read_new_rows(new_data, data, continuous_only=isinstance(score, BGe))
    places, which = families.distinct()
    shares = np.bincount(which, weights=families.shares, minlength=len(places))
    with np.errstate(divide="ignore"):
        log_shares = np.log(shares)
    if joint:
        terms = _joint_terms(families, data, new, score)
        return float(_averaged([term[:, np.newaxis] for term in terms], places, log_shares)[0])
    result = np.empty(new.rows)
    width = max(1, _PIECE // sum(map(len, families.parents)))
    row_terms = _row_terms(data, score)
    for first in range(0, new.rows, width):
        piece = new.take_rows(np.arange(first, min(first + width, new.rows)))
        densities = row_terms(families, piece)
        result[first : first + width] = _averaged(densities, places, log_shares)
    return result


def _averaged(terms: Sequence[Array], places: NDArray[np.int32], log_shares: Array) -> Array:
    """Return the log of the weighted average over DAGs of exp(sum of their terms).

    `terms` holds an array [parent set, row] for each node, `places` the parent set of
    each DAG and node.
    """
    rows = terms[0].shape[1]
    top, total = np.full(rows, -np.inf), np.zeros(rows)
    width = max(1, _PIECE // rows)
    for first in range(0, len(places), width):
        piece = places[first : first + width]
        log_densities = np.repeat(log_shares[first : first + width, np.newaxis], rows, axis=1)
        for node, of_node in enumerate(terms):
            log_densities += of_node[piece[:, node]]
        higher = np.maximum(top, log_densities.max(axis=0))
        reference = np.where(np.isfinite(higher), higher, 0.0)
        total = total * np.exp(top - reference) + np.exp(log_densities - reference).sum(axis=0)
        top = higher
    with np.errstate(divide="ignore"):
        averaged: Array = np.where(np.isfinite(top), top, 0.0) + np.log(total)
    return averaged


def _row_terms(
    data: Data, score: BDeu | BDe | BGe
) -> Callable[[SampledFamilies, Data], list[Array]]:
    """Return the function that computes the log density of each family in given rows."""
    if isinstance(score, BGe):
        nodes = node_posteriors(data, score)

        def gaussian(families: SampledFamilies, new: Data) -> list[Array]:
            values = new.continuous_values("BGe")
            found = []
            for node, parents in enumerate(families.parents):
                counted = _observational(node, new)
                densities = np.zeros((len(parents), new.rows))
                densities[:, counted] = _by_size(
                    parents, partial(nodes[node].log_predictive, rows=values[counted])
                )
                found.append(densities)
            return found

        return gaussian
    tables = Tables(data, score)

    def discrete(families: SampledFamilies, new: Data) -> list[Array]:
        codes = new.discrete_codes(type(score).__name__)
        found = []
        for node, parents in enumerate(families.parents):
            counted = _observational(node, new)
            densities = np.zeros((len(parents), new.rows))
            for place, members in enumerate(parents):
                densities[place, counted] = tables.log_predictive(node, members, codes[counted])
            found.append(densities)
        return found

    return discrete


def _observational(node: int, new: Data) -> NDArray[np.int64]:
    """Return the rows in which a node was not intervened on."""
    if new.intervened is None:
        return np.arange(new.rows)
    return np.flatnonzero(~new.intervened[:, node])


def _joint_terms(
    families: SampledFamilies, data: Data, new: Data, score: BDeu | BDe | BGe
) -> list[Array]:
    """Return the joint log density of all new rows in each family."""
    if isinstance(score, BGe):
        before = node_posteriors(data, score)
        after = node_posteriors(with_new_rows(data, new), score)
        return [
            _by_size(parents, after[node].log_constants)
            - _by_size(parents, before[node].log_constants)
            for node, parents in enumerate(families.parents)
        ]
    tables = Tables(data, score)
    return [
        np.array([tables.log_joint_predictive(node, members, new) for members in parents])
        for node, parents in enumerate(families.parents)
    ]


def _by_size(
    parents: Sequence[tuple[int, ...]], function: Callable[[list[tuple[int, ...]]], Array]
) -> Array:
    """Apply a function of parent sets of one size to all of them, size by size."""
    by_size: dict[int, list[int]] = {}
    for place, members in enumerate(parents):
        by_size.setdefault(len(members), []).append(place)
    found = {size: function([parents[i] for i in chosen]) for size, chosen in by_size.items()}
    result = np.empty((len(parents), *next(iter(found.values())).shape[1:]))
    for size, chosen in by_size.items():
        result[chosen] = found[size]
    return result
