"""How probable it is that a node is in another's Markov blanket, from sampled DAGs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.posterior import DagSample

_PIECE = 4096


def blanket_probabilities(sample: DagSample) -> NDArray[np.float64]:
    """Return as [node, other] the weighted share of DAGs with other in the node's blanket.

    The blanket of a node is its parents, its children and their other parents.

    Examples
    --------
    >>> sample = DagSample(["a", "b", "c"], np.array([[0, 0, 3]], dtype=np.uint32))
    >>> blanket_probabilities(sample)[0]  # a and b have c as a child
    array([0., 1., 1.])
    """
    n = len(sample.variables)
    result = np.zeros((n, n))
    for start in range(0, len(sample), _PIECE):
        packed = sample.parents[start : start + _PIECE]
        bits = _unpacked(_blankets(packed, n), n)
        result += np.einsum("i,ivu->vu", sample.shares[start : start + _PIECE], bits)
    np.fill_diagonal(result, 0.0)
    return np.clip(result, 0.0, 1.0)


def _blankets(packed: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return blankets as bits; a node counts in its own, as the parent of its children."""
    blankets = packed.copy()
    dag, child, parent = np.nonzero(_unpacked(packed, n))
    with_child = packed[dag, child]
    rows = np.arange(len(dag))
    with_child[rows, child // 64] |= np.uint64(1) << (child % 64).astype(np.uint64)
    np.bitwise_or.at(blankets, (dag, parent), with_child)
    return blankets


def _unpacked(packed: NDArray[np.uint64], n: int) -> NDArray[np.uint8]:
    little = np.ascontiguousarray(packed).astype("<u8").view(np.uint8)
    return np.unpackbits(little, axis=-1, bitorder="little")[..., :n]
