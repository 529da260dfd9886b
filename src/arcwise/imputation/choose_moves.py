"""`choose_moves`: which moves chains make most, by the DAGs that they have met so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.imputation.chain import ImputationChain

# How often pairs that never changed in the burn-in are moved, beside those that changed most.
_LEAST_WORTH = 0.05
_WORTH_OF_DIRECTIONS = 0.1
_MOST_SLOWNESS = 25.0


def choose_moves(chains: Sequence[ImputationChain], seen: NDArray[np.float64]) -> None:
    """Let all chains move the edges most that have been there and have been not, but seldom change.

    In discrete tables, the parent sets that any chain has met are proposed, too, and edges that
    go together. The choice is made of the burn-in, so that chains keep their law.

    Parameters
    ----------
    chains
        The chains.
    seen
        DAGs of the burn-in, all of a sweep together, as [DAG, source, target].
    """
    n = seen.shape[1]
    joined = np.minimum(seen + seen.transpose(0, 2, 1), 1.0).reshape(-1, len(chains), n, n)
    variances, directed = joined.var(axis=(0, 1)), seen.var(axis=0)
    changes = np.abs(np.diff(joined, axis=0)).mean(axis=(0, 1)) if len(joined) > 1 else variances
    # Independent draws would change so often.
    expected = 2.0 * variances
    slowness = np.clip(expected / np.maximum(changes, 1.0 / len(seen)), 1.0, _MOST_SLOWNESS)
    worth = variances * np.sqrt(slowness) + _WORTH_OF_DIRECTIONS * (directed + directed.T)
    for chain in chains:
        chain.choose_pairs(worth + _LEAST_WORTH * max(float(worth.max()), _LEAST_WORTH))
    known = chains[0].known(seen)
    for chain in chains:
        chain.propose(known)
