"""Which chains count: not those that have settled where next to no posterior probability is.

Of many chains from independent starts, a few may stay for the whole run in a local optimum
whose probability is negligible. As a fraction of the chains they would count far more than
that, and however long the others run, all of them would not agree. Where most chains end so,
though, nothing says that the others have found the best there is: then all of them count, and
the run is seen not to have converged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.records.chain_record import ChainRecord
from arcwise.support.log_space import logarithms
from arcwise.support.weighted_sums import weighted_sum

NEGLIGIBLE = 8.0
"""By how many nats a chain is below the best one if what it found hardly matters."""

FEWEST_SETTLED = 4
"""Chains that must have found the best level, each from its own start, for others not to count;
and no fewer than half of all."""

# Closer than this, the entropy of parents is not computed, as it could not make up for more.
_CLOSE = 2.0


def settled(records: Sequence[ChainRecord], *, states_are_dags: bool) -> list[ChainRecord]:
    """Return the records of the chains that count.

    Parameters
    ----------
    records
        The draws of each chain.
    states_are_dags
        Whether a state is one DAG, rather than a set of them whose weights are summed.

    Returns
    -------
    list of ChainRecord
        All of them, if fewer than four chains, or than half of them, are near the best level.
    """
    if len(records) <= FEWEST_SETTLED:
        return list(records)
    found = levels(records, states_are_dags=states_are_dags)
    near = found >= found.max() - NEGLIGIBLE
    if near.all() or near.sum() < max(FEWEST_SETTLED, len(records) / 2):
        return list(records)
    return [record for record, counts in zip(records, near, strict=True) if counts]


def levels(records: Sequence[ChainRecord], *, states_are_dags: bool) -> NDArray[np.float64]:
    """Return about the log of the probability of what each chain has found, up to a constant.

    The log of the sum of weights over a region is the mean of the log weights under the
    posterior within it plus the entropy there. The entropy of DAGs is approximated by that
    of the parents of each node, as if these were independent; where states are sets of
    DAGs, most of it is in their weights, and it is left out.
    """
    means = np.array([_mean(record.log_weights) for record in records])
    if not states_are_dags or not (means < means.max() - _CLOSE).any():
        return means
    return means + [_entropy(record.parents) for record in records]


def _mean(log_weights: NDArray[np.float64]) -> float:
    # The second half: a chain may have settled within the first.
    return float(log_weights[len(log_weights) // 2 :].mean()) if len(log_weights) else -np.inf


def _entropy(parents: NDArray[np.uint64]) -> float:
    """Return the sum over nodes of the entropy of their parent sets among the DAGs."""
    later = parents[len(parents) // 2 :]
    total = 0.0
    for node in range(later.shape[1]):
        _, counts = np.unique(later[:, node], axis=0, return_counts=True)
        shares = counts / counts.sum()
        total -= float(weighted_sum(shares, logarithms(shares)))
    return total
