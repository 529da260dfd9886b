"""`DagSample`: weighted DAGs, packed, and what they say about features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise._names import checked_variables, positions
from arcwise.dag import Dag
from arcwise.errors import ArgumentError

Feature = tuple[str, str] | Callable[[Dag], float | bool]
"""An edge (source, target), or any function of a DAG."""


class DagSample:
    """DAGs with weights, kept as packed parent sets.

    Parameters
    ----------
    variables
        The names of the nodes.
    parents
        For each DAG and node its parents as bits, 64 nodes to a word: an array
        of the shape (DAGs, nodes, words). With up to 32 nodes also (DAGs, nodes).
    weights
        One for each DAG, not negative; None if all count the same.

    Examples
    --------
    >>> sample = DagSample(["a", "b"], np.array([[0, 1], [0, 0]], dtype=np.uint32))
    >>> sample.probability(("a", "b"))
    0.5
    >>> sample[0]
    Dag(2 variables, 1 edge: a -> b)
    """

    def __init__(
        self,
        variables: Sequence[str],
        parents: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self.variables = checked_variables(variables)
        packed = np.asarray(parents, dtype=np.uint64)
        if packed.ndim == 2:
            packed = packed[:, :, np.newaxis]
        n = len(self.variables)
        if packed.ndim != 3 or packed.shape[1] != n or packed.shape[2] != (n + 63) // 64:
            raise ArgumentError(
                f"parents has the shape {packed.shape}; for {n} variables give "
                f"(DAGs, {n}, {(n + 63) // 64})"
            )
        self.parents = packed
        self.parents.flags.writeable = False
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            if weights.shape != (len(packed),) or not (weights >= 0).all() or weights.sum() <= 0:
                raise ArgumentError(
                    "weights must be one number for each DAG, not negative, and not all zero"
                )
        self.weights = weights

    def __len__(self) -> int:
        """Return the number of DAGs."""
        return len(self.parents)

    def __repr__(self) -> str:
        """Say how many there are."""
        kind = "DAGs" if self.weights is None else "weighted DAGs"
        return f"<DagSample: {len(self)} {kind} on {len(self.variables)} variables>"

    def __getitem__(self, index: int) -> Dag:
        """Return one DAG."""
        return Dag.from_matrix(self.variables, self._matrix(int(index)))

    def __iter__(self) -> Iterator[Dag]:
        """Go through the DAGs."""
        return (self[index] for index in range(len(self)))

    def _matrix(self, index: int) -> NDArray[np.bool_]:
        return self._bits(self.parents[index]).T

    def _bits(self, packed: NDArray[np.uint64]) -> NDArray[np.bool_]:
        little = packed.astype("<u8").view(np.uint8)
        bits = np.unpackbits(little, axis=-1, bitorder="little")
        return bits[..., : len(self.variables)].astype(np.bool_)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weights, scaled to sum to 1."""
        if self.weights is None:
            return np.full(len(self), 1.0 / len(self))
        shares: NDArray[np.float64] = self.weights / self.weights.sum()
        return shares

    def edge_probabilities(self) -> NDArray[np.float64]:
        """Return the weighted share of DAGs with each edge, as [source, target]."""
        result = np.zeros((len(self.variables),) * 2)
        piece = 4096
        for start in range(0, len(self), piece):
            bits = self._bits(self.parents[start : start + piece])
            result += np.einsum("i,ivu->uv", self.shares[start : start + piece], bits)
        return result

    def probability(self, feature: Feature) -> float:
        """Return the weighted share of DAGs that have a feature.

        Parameters
        ----------
        feature
            An edge as a pair (source, target), or a function of a `Dag` that
            gives a truth value (or a number, whose mean is then returned).
        """
        if callable(feature):
            distinct, place = np.unique(
                self.parents.reshape(len(self), -1), axis=0, return_inverse=True
            )
            shares = np.bincount(place.reshape(-1), weights=self.shares, minlength=len(distinct))
            packed = DagSample(self.variables, distinct.reshape((-1, *self.parents.shape[1:])))
            return float(
                sum(share * float(feature(dag)) for share, dag in zip(shares, packed, strict=True))
            )
        source, target = positions(feature, self.variables, "feature")
        bit = self.parents[:, target, source // 64] >> np.uint64(source % 64) & np.uint64(1)
        return float(self.shares[bit != 0].sum())

    def unique(self) -> DagSample:
        """Return each different DAG once, without weights."""
        rows = np.unique(self.parents.reshape(len(self), -1), axis=0)
        return DagSample(self.variables, rows.reshape((-1, *self.parents.shape[1:])))
