"""`FeatureMatrix`: the probability of a relation for all pairs of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import MOST_INT, whole_number
from arcwise.support.running import running
from arcwise.support.words import shown

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample

Relation = Literal["edge", "ancestor", "skeleton", "blanket", "cpdag", "compelled", "reversible"]
"""Edges, directed paths, adjacencies, Markov blankets; edges of the CPDAG that are directed this
way or undirected, directed this way, and undirected."""

# Up to this many DAGs, errors are estimated from single draws; beyond, from batch means.
_DRAW_BY_DRAW = 4_000
_MOST_BATCHES = 2_000
_FEWEST_BATCHES_OF_A_CHAIN = 20
_MOST_NUMBERS = 1 << 22
_PIECES = 64


class FeatureMatrix(NamedTuple):
    """Probabilities and their Monte Carlo standard errors, both as [u, v]."""

    probabilities: NDArray[np.float64]
    standard_errors: NDArray[np.float64]


def checked_relation(relation: Any) -> Relation:
    """Return the relation, or refuse an unknown one."""
    if isinstance(relation, str) and relation in get_args(Relation):
        return relation  # type: ignore[return-value]
    words = ", ".join(map(repr, get_args(Relation)))
    raise ArgumentError(f"relation is {shown(relation)}; give one of {words}")


def checked_length(max_length: int | None, relation: Relation) -> int:
    """Return the maximum number of edges of a path, 0 for no limit."""
    if max_length is None:
        return 0
    if relation != "ancestor":
        raise ArgumentError(
            f"max_length applies to paths only, but relation is {shown(relation)}; leave it out"
        )
    return whole_number(max_length, "max_length", at_least=1, at_most=MOST_INT)


def weights_of(sample: DagSample) -> NDArray[np.float64]:
    """Return the weight of each DAG, which is 1 where none are given."""
    return np.ones(len(sample)) if sample.weights is None else sample.weights


def error_of_mean(sample: DagSample, values: NDArray[Any]) -> float:
    """Return the standard error of the weighted mean of a value of each DAG."""
    return float(weighted_standard_error(values, weights_of(sample), sample.chains))


def distinct_patterns(
    sample: DagSample, patterns: NDArray[np.uint64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return where each distinct pattern of DAGs is first, and the share of all with it."""
    first, place = _core.distinct_patterns(patterns.reshape(len(sample), -1))
    # Numpy before 2.3 counts signed numbers alone.
    shares = np.bincount(place.astype(np.intp), sample.shares, len(first))
    return first.astype(np.intp), np.asarray(shares, dtype=np.float64)


def relation_probabilities(
    sample: DagSample, relation: Relation, longest: int = 0
) -> NDArray[np.float64]:
    """Return the weighted fraction of DAGs that relate u to v, as [u, v]."""
    n = len(sample.variables)
    # The pieces depend only on the sample, so that the sums are the same on any machine.
    pieces = max(1, min(_PIECES, len(sample) // 1024, _MOST_NUMBERS // n**2))
    offsets = np.linspace(0, len(sample), pieces + 1).astype(np.uint64)
    sums = _sums(sample, relation, longest, sample.weights, offsets).sum(axis=0)
    total = float(len(sample)) if sample.weights is None else sample.weights.sum()
    return np.asarray(np.minimum(sums / total, 1.0))


def relation_errors(sample: DagSample, relation: Relation, longest: int = 0) -> NDArray[np.float64]:
    """Return the standard errors of `relation_probabilities`, allowing for chains and weights."""
    if len(sample) <= _DRAW_BY_DRAW:
        return _errors_by_node(sample, relation, longest)
    n = len(sample.variables)
    ordered, chains = _chain_by_chain(sample)
    offsets, numbers = _batches(chains, n)
    if len(numbers) * n**2 > _MOST_NUMBERS:
        return _errors_by_node(ordered, relation, longest, (offsets, numbers))
    weights = weights_of(ordered)
    sums = _sums(ordered, relation, longest, weights, offsets)
    means, of_batch = _means(sums.reshape(len(numbers), -1), weights, offsets)
    return weighted_standard_error(means, of_batch, numbers).reshape(n, n)


def _errors_by_node(
    sample: DagSample,
    relation: Relation,
    longest: int,
    batches: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = None,
) -> NDArray[np.float64]:
    """Return the errors, computed column by column from single draws or batch means."""
    n = len(sample.variables)
    weights = weights_of(sample)
    rows = sample.parents if relation == "edge" else relation_rows(sample, relation, longest)
    result = np.empty((n, n))
    for node in range(n):
        bits = unpacked(rows[:, node], n)
        if batches is None:
            result[:, node] = weighted_standard_error(bits, weights, sample.chains)
            continue
        offsets, numbers = batches
        weighted = np.where(bits, weights[:, np.newaxis], 0.0)
        sums = np.add.reduceat(weighted, offsets[:-1].astype(np.int64), axis=0)
        means, of_batch = _means(sums, weights, offsets)
        result[:, node] = weighted_standard_error(means, of_batch, numbers)
    return result


def _means(
    sums: NDArray[np.float64], weights: NDArray[np.float64], offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weighted batch means, overwriting the sums, and the total weight of each batch."""
    of_batch = np.add.reduceat(weights, offsets[:-1].astype(np.int64))
    # If all weights of a batch are 0, its mean has no weight.
    sums /= np.where(of_batch > 0.0, of_batch, 1.0)[:, np.newaxis]
    return sums, of_batch


def relation_rows(sample: DagSample, relation: Relation, longest: int = 0) -> NDArray[np.uint64]:
    """Return the nodes related to each node of each DAG, packed as parents are."""
    with running(None, None, "") as run:
        return _core.relation_rows(sample.parents, relation, longest, run.threads)


def unpacked(packed: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """Return packed sets of n nodes as Booleans along the last dimension."""
    little = np.ascontiguousarray(packed).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(little, axis=-1, count=n, bitorder="little")
    return bits.view(np.bool_)


def _sums(
    sample: DagSample,
    relation: Relation,
    longest: int,
    weights: NDArray[np.float64] | None,
    offsets: NDArray[np.uint64],
) -> NDArray[np.float64]:
    with running(None, None, "") as run:
        return _core.relation_sums(sample.parents, relation, longest, weights, offsets, run.threads)


def _chain_by_chain(sample: DagSample) -> tuple[DagSample, NDArray[np.int64]]:
    """Return the DAGs sorted by chain, and the chain of each."""
    if sample.chains is None:
        return sample, np.zeros(len(sample), dtype=np.int64)
    if (np.diff(sample.chains) >= 0).all():
        return sample, sample.chains
    order = np.argsort(sample.chains, kind="stable")
    return sample.at(order), sample.chains[order]


def _batches(chains: NDArray[np.int64], n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the boundaries of batches of consecutive draws, and the chain of each batch."""
    names, firsts, lengths = np.unique(chains, return_index=True, return_counts=True)
    most = min(_MOST_BATCHES, max(_FEWEST_BATCHES_OF_A_CHAIN * len(names), _MOST_NUMBERS // n**2))
    size = -(-len(chains) // most)
    starts, numbers = [], []
    for name, first, length in zip(names, firsts, lengths, strict=True):
        count = max(1, int(length) // size)
        starts.append(int(first) + np.arange(count) * size)
        numbers.append(np.full(count, name))
    offsets = np.append(np.concatenate(starts), len(chains)).astype(np.uint64)
    return offsets, np.concatenate(numbers)
