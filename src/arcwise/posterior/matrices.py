"""`FeatureMatrix`, the probability of a relation for all pairs of nodes; and tables of edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import MOST_INT, checked_probability, whole_number
from arcwise.support.names import shown
from arcwise.support.running import running

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample
    from arcwise.posterior.posterior import Posterior

Relation = Literal["edge", "ancestor", "skeleton", "blanket", "cpdag", "compelled", "reversible"]
"""A relation of u to v: edge, directed path, adjacency, member of the Markov blanket; edge of the
CPDAG that is directed or undirected, directed, or undirected."""


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
    """Return the weight of each DAG, 1 if they have no weights."""
    return np.ones(len(sample)) if sample.weights is None else sample.weights


def error_of_mean(sample: DagSample, values: NDArray[Any]) -> float:
    """Return the standard error of the weighted mean of a value of each DAG."""
    return float(weighted_standard_error(values, weights_of(sample), sample.chains))


def distinct_patterns(
    sample: DagSample, patterns: NDArray[np.uint64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the first place of each distinct pattern of DAGs, and its total weight."""
    first, place = _core.distinct_patterns(patterns.reshape(len(sample), -1))
    # NumPy before 2.3 counts only signed integers.
    shares = np.bincount(place.astype(np.intp), sample.shares, len(first))
    return first.astype(np.intp), np.asarray(shares, dtype=np.float64)


# For up to this number of DAGs, errors are estimated from single draws; beyond, from batch means.
_DRAW_BY_DRAW = 4_000
_MOST_BATCHES = 2_000
_FEWEST_BATCHES_OF_A_CHAIN = 20
_MOST_NUMBERS = 1 << 22
_PIECES = 64


def relation_probabilities(
    sample: DagSample, relation: Relation, longest: int = 0
) -> NDArray[np.float64]:
    """Return the weighted fraction of DAGs that relate u to v, as [u, v]."""
    n = len(sample.variables)
    # The pieces depend only on the sample, so the sums are the same on every machine.
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


ThresholdOn = Literal["adjacency", "direction"]
"""What a threshold applies to: the probability of an adjacency, or of each direction."""

OPEN_SHARE = 0.1
"""A direction is open if each of the two has at least this share of the adjacency."""


@dataclass(frozen=True)
class Adjacency:
    """The probability of an edge between two nodes, and of its directions.

    Parameters
    ----------
    source, target
        The nodes, in the order of the more probable direction.
    probability
        The probability of an edge in either direction; it is the sum of the probabilities of the
        two directions, which exclude each other in a DAG.
    forward, backward
        The probabilities of source → target, and of target → source.
    errors
        The Monte Carlo standard errors of the three, in that order; None for exact results.

    Examples
    --------
    >>> Adjacency("a", "b", 0.9, 0.5, 0.4).is_open, Adjacency("a", "b", 0.9, 0.85, 0.05).is_open
    (True, False)
    """

    source: str
    target: str
    probability: float
    forward: float
    backward: float
    errors: tuple[float, float, float] | None = None

    @property
    def is_open(self) -> bool:
        """Whether each direction has at least a tenth of the probability."""
        return 0.0 < self.probability * OPEN_SHARE <= self.backward


def adjacencies(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> list[Adjacency]:
    """Return the pairs of nodes by decreasing probability of an edge between them.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> (pair,) = adjacencies(arcwise.exact(model))
    >>> pair.is_open, round(pair.probability, 3), round(pair.forward, 3)
    (True, 1.0, 0.5)
    """
    columns = pair_columns(posterior, threshold, most)
    names = ("source", "target", "adjacency", "forward", "backward")
    parts = [np.asarray(columns[name]).tolist() for name in names]
    if "adjacency_error" in columns:
        errors = [columns[f"{name}_error"].tolist() for name in names[2:]]
        parts.append(list(zip(*errors, strict=True)))
    return [Adjacency(*row) for row in zip(*parts, strict=True)]


def pair_columns(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> dict[str, Any]:
    """Return the columns of the table of adjacencies; see `Posterior.pair_columns`."""
    edges = posterior.edges
    found = posterior.matrix("skeleton")
    u, v = np.triu_indices(len(edges), 1)
    # If both directions are equally probable, the source is the first in the variable order.
    turned = edges[v, u] > edges[u, v]
    u, v = np.where(turned, v, u), np.where(turned, u, v)
    order = _most_probable(found.probabilities[u, v], threshold, most)
    u, v = u[order], v[order]
    columns = _end_columns(posterior, u, v) | {
        "adjacency": found.probabilities[u, v],
        "forward": edges[u, v],
        "backward": edges[v, u],
    }
    errors = posterior.edge_errors
    if errors is not None:
        columns |= {
            "adjacency_error": found.standard_errors[u, v],
            "forward_error": errors[u, v],
            "backward_error": errors[v, u],
        }
    return columns


def direction_columns(
    posterior: Posterior, threshold: float = 0.0, most: int | None = None
) -> dict[str, Any]:
    """Return every directed edge as columns: source, target, probability and standard_error."""
    u, v = np.nonzero(~np.eye(len(posterior.edges), dtype=np.bool_))
    order = _most_probable(posterior.edges[u, v], threshold, most)
    u, v = u[order], v[order]
    columns = _end_columns(posterior, u, v) | {"probability": posterior.edges[u, v]}
    if posterior.edge_errors is not None:
        columns["standard_error"] = posterior.edge_errors[u, v]
    return columns


def edge_columns(posterior: Posterior, threshold: float, on: ThresholdOn) -> dict[str, Any]:
    """Return the table of adjacencies, or that of directed edges."""
    by_pair = checked_threshold_on(on) == "adjacency"
    return (pair_columns if by_pair else direction_columns)(posterior, threshold)


def checked_threshold_on(on: Any) -> ThresholdOn:
    """Return the quantity that a threshold applies to, or refuse an unknown one."""
    if isinstance(on, str) and on in get_args(ThresholdOn):
        return on  # type: ignore[return-value]
    raise ArgumentError(f"on is {shown(on)}; give 'adjacency' or 'direction'")


def _most_probable(
    probabilities: NDArray[np.float64], threshold: float, most: int | None
) -> NDArray[np.int64]:
    """Return the positions of the largest probabilities, in decreasing order."""
    if most is not None:
        most = whole_number(most, "most", at_least=0)
    order = np.argsort(-probabilities, kind="stable")
    enough = probabilities[order] >= checked_probability(threshold, "threshold")
    return order[enough][:most]


def _end_columns(
    posterior: Posterior, u: NDArray[np.int64], v: NDArray[np.int64]
) -> dict[str, Any]:
    names = posterior.variables
    return {"source": [names[i] for i in u], "target": [names[i] for i in v]}
