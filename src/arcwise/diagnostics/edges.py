"""`EdgeDiagnostics`: what the DAGs of several chains say about how each edge has mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.convergence import effective_sample_size, largest_chain_difference

FEWEST_CHANGES = 10
_FEWEST_DRAWS = 4


@dataclass(frozen=True, eq=False)
class EdgeDiagnostics:
    """Numbers of each edge as matrices [source, target], every draw counted the same.

    Parameters
    ----------
    rhat
        Rank-normalised split R-hat; infinite where the edge is always there in some
        chains and never in others, NaN where it never changed at all, which may be
        certain or may be stuck.
    effective_samples
        The bulk effective sample size; NaN where the edge changed fewer than 10
        times, as autocorrelation is not to be seen from that.
    changes
        How often the edge came or went from one draw to the next, over all chains.
    chain_edges
        The share of draws with the edge in each chain, as [chain, source, target].
    differences
        The largest difference of these between two chains; NaN with one chain.
    """

    rhat: NDArray[np.float64]
    effective_samples: NDArray[np.float64]
    changes: NDArray[np.int64]
    chain_edges: NDArray[np.float64]
    differences: NDArray[np.float64]

    @classmethod
    def of(cls, chains: Sequence[NDArray[np.uint64]], nodes: int) -> EdgeDiagnostics:
        """Return them for the packed parents of each chain, (draws, nodes, words).

        R-hat and effective sample sizes are of as many draws as the shortest chain has.
        """
        rhat, effective = np.full((2, nodes, nodes), np.nan)
        changes = np.zeros((nodes, nodes), dtype=np.int64)
        means = np.zeros((len(chains), nodes, nodes))
        draws = min(len(parents) for parents in chains)
        # A column of the edge matrix at a time: all edges at once would take too much memory.
        for node in range(nodes):
            bits = [parent_bits(parents[:, node], nodes) for parents in chains]
            for number, own in enumerate(bits):
                means[number, :, node] = own.mean(axis=0)
                changes[:, node] += (own[1:] != own[:-1]).sum(axis=0)
            share = means[:, :, node]
            some = np.flatnonzero((share.max(axis=0) > 0.0) & (share.min(axis=0) < 1.0))
            if draws < _FEWEST_DRAWS or len(some) == 0:
                continue
            edges = np.stack([own[:draws, some] for own in bits])
            rhat[some, node] = _rhat(edges)
            often = changes[some, node] >= FEWEST_CHANGES
            if often.any():
                effective[some[often], node] = effective_sample_size(edges[:, :, often])
        return cls(rhat, effective, changes, means, largest_chain_difference(means))


def parent_bits(words: NDArray[np.uint64], nodes: int) -> NDArray[np.bool_]:
    """Return parents packed as bits, 64 to a word in the last dimension, as truth values."""
    little = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(little, axis=-1, bitorder="little")[..., :nodes].view(np.bool_)


def _rhat(edges: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return R-hat of quantities with two values, (chains, draws, quantities).

    Ranks are then a linear function of the values, so that shares are all it takes.
    """
    half = edges.shape[1] // 2
    shares = np.concatenate([edges[:, :half].mean(axis=1), edges[:, -half:].mean(axis=1)])
    within = (shares * (1.0 - shares)).mean(axis=0) * half / (half - 1)
    between = shares.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0 / 0 where the one draw that differs is the middle one, which is in neither half.
        return np.asarray(np.sqrt((half - 1) / half + between / within))
