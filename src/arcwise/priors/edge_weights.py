"""Priors with a weight for each possible edge: stated, or by the distance from a DAG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.edges import as_dag
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.priors.base import Prior, PriorTerms
from arcwise.support.checks import real_number
from arcwise.support.edges import is_frame, labelled_matrix, square_matrix
from arcwise.support.names import index_of, positions, refuse_other_names
from arcwise.support.words import shown


class EdgeWeights(Prior):
    """The weight of a DAG is the product of the weights of its edges.

    Parameters
    ----------
    weights
        The weights, all positive, in one of three forms: an n x n array indexed
        [parent, node] in the order of the variables; a frame with the parents as rows and
        the nodes as columns; or a mapping from pairs (parent, node). An edge that is not in
        the frame or the mapping has weight 1; a weight above 1 favours the edge, one below
        1 disfavours it. Diagonals are ignored. To exclude an edge, name it in
        forbidden_edges. A weight is a factor on odds and not a probability: 0.9 makes an edge
        less probable; to state probabilities, use `EdgeProbabilities`.

    Examples
    --------
    >>> prior = EdgeWeights({("smoke", "lung"): 4.0})
    >>> round(prior.log_weight(["smoke", "lung"], "lung", ["smoke"]), 6)  # log 4
    1.386294
    """

    def __init__(self, weights: Any) -> None:
        self._names, matrix = _read(weights, default=1.0)
        _refuse(~(np.isfinite(matrix) & (matrix > 0.0)), matrix, self._names)
        self._log_weights = np.log(matrix)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weight of each edge."""
        n = len(variables)
        if self._names is None:
            if len(self._log_weights) != n:
                raise ArgumentError(
                    f"the edge weights are for {len(self._log_weights)} variables and the model "
                    f"has {n}; give an array with one row and one column for each variable"
                )
            edge = self._log_weights
        else:
            index = positions(self._names, variables, "the edge weights")
            edge = np.zeros((n, n))
            edge[np.ix_(index, index)] = self._log_weights
        return PriorTerms(np.zeros(n), np.zeros((n, n)), edge)

    def __eq__(self, other: object) -> bool:
        """Compare the names and the weights."""
        if not isinstance(other, EdgeWeights):
            return NotImplemented
        return self._names == other._names and np.array_equal(self._log_weights, other._log_weights)

    def __hash__(self) -> int:
        """Hash what equality compares."""
        return hash((self._names, self._log_weights.tobytes()))

    def __repr__(self) -> str:
        """Show how many weights differ from 1."""
        return f"EdgeWeights({np.count_nonzero(self._log_weights)} weights other than 1)"


def _read(values: Any, default: float) -> tuple[tuple[str, ...] | None, NDArray[np.float64]]:
    """Return the names, if there are any, and the values [parent, node], diagonal at default."""
    names: tuple[str, ...] | None = None
    if isinstance(values, Mapping):
        names, matrix = _read_mapping(values, default)
    elif is_frame(values):
        names, matrix = labelled_matrix(values, "the frame of edge weights")
    else:
        matrix = square_matrix(values, "the array of edge weights")
    np.fill_diagonal(matrix, default)
    return names, matrix


def _read_mapping(
    values: Mapping[Any, Any], default: float
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    for pair in values:
        if not (
            isinstance(pair, tuple)
            and len(pair) == 2
            and all(isinstance(name, str) for name in pair)
            and pair[0] != pair[1]
        ):
            raise ArgumentError(
                f"the edge weights have the key {shown(pair)}; give pairs (parent, node) "
                "of two different names"
            )
    names = tuple(sorted({name for pair in values for name in pair}))
    matrix = np.full((len(names),) * 2, default)
    index = index_of(names)
    for pair, value in values.items():
        try:
            matrix[index[pair[0]], index[pair[1]]] = value
        except (TypeError, ValueError):
            raise ArgumentError(
                f"the edge {pair[0]!r} -> {pair[1]!r} has the weight {value!r}; give a number"
            ) from None
    return names, matrix


def _refuse(
    wrong: NDArray[np.bool_], matrix: NDArray[np.float64], names: tuple[str, ...] | None
) -> None:
    for parent, node in np.argwhere(wrong):
        where = f"{names[parent]!r} -> {names[node]!r}" if names else f"[{parent}, {node}]"
        raise ArgumentError(
            f"weights is {matrix[parent, node]:g} at {where}; give finite numbers above 0, and use "
            "forbidden_edges to exclude an edge, or edge_probabilities to state probabilities"
        )


@dataclass(frozen=True, init=False)
class DistanceToDag(Prior):
    """The weight of a DAG is delta to the power of its distance from a reference DAG.

    The distance is the number of directed edges in exactly one of the two (Heckerman,
    Geiger and Chickering 1995), so a reversed edge counts twice.

    Parameters
    ----------
    dag
        The reference, over the variables of the data in any order; a `Dag`, a networkx
        DiGraph or a frame of its adjacency matrix.
    delta
        In (0, 1]; 1 is the uniform prior.

    Examples
    --------
    >>> prior = DistanceToDag(Dag(["a", "b", "c"], {"c": ["a"]}), delta=0.5)
    >>> round(prior.log_weight(["a", "b", "c"], "c", ["b"]), 6)  # 2 log 0.5
    -1.386294
    """

    dag: Dag
    delta: float

    def __init__(self, dag: Any, delta: float) -> None:
        wanted = (
            "a number above 0 and at most 1, where smaller values favour DAGs closer to the "
            "reference"
        )
        share = real_number(delta, "delta", lambda x: 0.0 < x <= 1.0, wanted)
        reference = as_dag(dag, None, "dag")
        object.__setattr__(self, "dag", reference)
        object.__setattr__(self, "delta", share)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights.

        With the reference parents R of a node, |P xor R| is |R| plus, for each
        u in P, -1 if u is in R and +1 if not.
        """
        n = len(variables)
        refuse_other_names(self.dag.variables, variables, "the reference DAG")
        index = positions(self.dag.variables, variables, "the reference DAG")
        reference = np.zeros((n, n), dtype=np.bool_)
        reference[np.ix_(index, index)] = self.dag.matrix()
        log_delta = math.log(self.delta)
        return PriorTerms(
            log_delta * reference.sum(axis=0),
            np.zeros((n, n)),
            np.where(reference, -log_delta, log_delta),
        )
