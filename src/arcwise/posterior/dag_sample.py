"""`DagSample`: a weighted sample of DAGs, and the estimates from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.features import AnyFeature, ParentSet, as_feature
from arcwise.graphs.dag import Dag
from arcwise.posterior.consensus import CredibleSet, credible_set
from arcwise.posterior.estimate import Estimate, estimate_from_dags, weighted_mean
from arcwise.posterior.matrices import (
    FeatureMatrix,
    Relation,
    checked_length,
    checked_relation,
    distinct_patterns,
    relation_errors,
    relation_probabilities,
    unpacked,
)
from arcwise.support.arrays import relative_weights
from arcwise.support.checks import as_array, instance, real_numbers, whole_number
from arcwise.support.devices import Processors
from arcwise.support.edges import cycle_in_words, find_cycle
from arcwise.support.names import as_list, checked_variables, positions, shown

# Edges with probabilities in [0.05, 0.95] show how quickly the DAGs mix.
_UNCERTAIN = 0.05


class DagSample:
    """A sample of DAGs, possibly weighted, stored as packed parent sets.

    Parameters
    ----------
    variables
        The names of the nodes.
    parents
        The parents of each node in each DAG as bits, 64 nodes to a word: an array
        of shape (DAGs, nodes, words), or (DAGs, nodes) for up to 64 nodes.
    weights
        The nonnegative weight of each DAG; None if all are equal.
    log_weights
        The logarithms of the weights instead, of any magnitude; minus infinity for
        a weight of zero. `weights` is then relative to the largest.
    chains
        The index of the chain of each DAG, with the DAGs of a chain in the order in which they
        were drawn; None if all are from one chain.

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
        *,
        log_weights: NDArray[np.float64] | None = None,
        chains: NDArray[np.int64] | None = None,
    ) -> None:
        self.variables = checked_variables(variables)
        packed = checked_parents(self.variables, parents)
        self.parents = packed
        self.parents.flags.writeable = False
        self.log_weights, self.weights = _checked_weights(len(packed), weights, log_weights)
        self.chains = None if chains is None else _checked_chains(len(packed), chains)

    @classmethod
    def concatenate(cls, samples: Iterable[DagSample]) -> DagSample:
        """Return the DAGs of all samples, with chains numbered consecutively.

        Weights are not rescaled, so the weights of all samples must have a common scale; DAGs
        without weights have weight 1.

        Parameters
        ----------
        samples
            One or more samples with the same variables.
        """
        parts = as_list(samples, "samples", "a list of samples")
        for part in parts:
            instance(part, DagSample, "a sample", "a DagSample")
        if not parts or any(part.variables != parts[0].variables for part in parts):
            raise ArgumentError(
                "the samples cannot be concatenated; give one or more, all with the same variables "
                "in the same order"
            )
        log_weights = None
        if any(part.log_weights is not None for part in parts):
            log_weights = np.concatenate(
                [np.zeros(len(p)) if p.log_weights is None else p.log_weights for p in parts]
            )
        chains, used = [], 0
        for part in parts:
            own = np.zeros(len(part), dtype=np.int64) if part.chains is None else part.chains
            chains.append(own + used)
            used += int(own.max(initial=0)) + 1
        return cls(
            parts[0].variables,
            np.concatenate([part.parents for part in parts]),
            log_weights=log_weights,
            chains=np.concatenate(chains),
        )

    def __add__(self, other: DagSample) -> DagSample:
        """Return the DAGs of both, as different chains; see `concatenate`."""
        return DagSample.concatenate([self, other])

    def __len__(self) -> int:
        """Return the number of DAGs."""
        return len(self.parents)

    def __repr__(self) -> str:
        """Show the number of DAGs and variables."""
        kind = "DAGs" if self.weights is None else "weighted DAGs"
        return f"<DagSample: {len(self)} {kind} on {len(self.variables)} variables>"

    def __getitem__(self, index: int) -> Dag:
        """Return one DAG."""
        return Dag.from_matrix(self.variables, self._matrix(int(index)))

    def __iter__(self) -> Iterator[Dag]:
        """Iterate over the DAGs."""
        return (self[index] for index in range(len(self)))

    def _matrix(self, index: int) -> NDArray[np.bool_]:
        return unpacked(self.parents[index], len(self.variables)).T

    def at(self, places: ArrayLike) -> DagSample:
        """Return the DAGs at these indices, with their weights and chains."""
        chosen = _checked_places(places, len(self))
        return DagSample(
            self.variables,
            self.parents[chosen],
            log_weights=None if self.log_weights is None else self.log_weights[chosen],
            chains=None if self.chains is None else self.chains[chosen],
        )

    def thinned(self, most: int) -> DagSample:
        """Return at most this many DAGs, evenly spaced; all of them if their weights differ."""
        most = whole_number(most, "most", at_least=1)
        even = self.weights is None or bool((self.weights == self.weights[0]).all())
        if len(self) <= most or not even:
            return self
        return self.at(np.linspace(0, len(self) - 1, most).astype(np.int64))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weights, normalised to sum to 1."""
        if self.weights is None:
            return np.full(len(self), 1.0 / len(self))
        return np.asarray(self.weights / self.weights.sum())

    def edge_probabilities(self) -> NDArray[np.float64]:
        """Return the weighted fraction of DAGs with each edge, as [source, target]."""
        return relation_probabilities(self, "edge")

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard error of each edge probability.

        The weights and the autocorrelation within chains are taken into account.
        """
        return relation_errors(self, "edge")

    def matrix(self, relation: Relation, *, max_length: int | None = None) -> FeatureMatrix:
        """Return the probability of a relation for each pair of nodes, with standard errors.

        Parameters
        ----------
        relation
            ``"edge"``; ``"ancestor"``, a directed path; ``"skeleton"``, an edge in
            either direction; ``"blanket"``, for Markov blankets; and in the
            equivalence class (CPDAG) ``"compelled"``, a directed edge, ``"reversible"``,
            an undirected edge, or ``"cpdag"``, either of these.
        max_length
            The maximum number of edges of a path; None for no limit.

        Examples
        --------
        >>> sample = DagSample(["a", "b"], np.array([[0, 1], [0, 0]] * 4))
        >>> sample.matrix("ancestor").probabilities
        array([[0. , 0.5],
               [0. , 0. ]])
        """
        wanted = checked_relation(relation)
        longest = checked_length(max_length, wanted)
        return FeatureMatrix(
            relation_probabilities(self, wanted, longest), relation_errors(self, wanted, longest)
        )

    def effective_sample_size(self) -> float:
        """Return Kish's effective sample size of the weights, ignoring autocorrelation."""
        return float(1.0 / np.square(self.shares).sum())

    @cached_property
    def effective_draws(self) -> float:
        """The effective sample size of the edges, weights and autocorrelation included.

        It is the median of p (1 - p) / (standard error)^2 over the edges with a probability p
        between 0.05 and 0.95, but at most `effective_sample_size`, to which it is equal if
        there is no such edge.
        """
        probabilities = self.edge_probabilities()
        uncertain = np.minimum(probabilities, 1.0 - probabilities) >= _UNCERTAIN
        by_weights = self.effective_sample_size()
        if not uncertain.any():
            return by_weights
        p, errors = probabilities[uncertain], self.standard_errors()[uncertain]
        with np.errstate(divide="ignore"):
            by_edges = p * (1.0 - p) / errors**2
        return float(np.fmin(np.nanmedian(by_edges), by_weights))

    def parent_sets(self, node: str, count: int = 5) -> list[tuple[tuple[str, ...], float]]:
        """Return the most probable parent sets of a node and their probabilities."""
        (index,) = positions([node], self.variables, "node")
        most = whole_number(count, "count", at_least=0)
        sets = np.ascontiguousarray(self.parents[:, index])
        first, shares = distinct_patterns(self, sets)
        bits = unpacked(sets[first], len(self.variables))
        return [
            (tuple(self.variables[u] for u in np.flatnonzero(bits[i])), float(shares[i]))
            for i in np.argsort(-shares, kind="stable")[:most]
        ]

    def parent_set_probability(self, node: str, parents: Iterable[str]) -> float:
        """Return the weighted fraction of DAGs in which a node has exactly these parents."""
        positions([node], self.variables, "node")
        wanted = set(positions(parents, self.variables, "parents"))
        others = [self.variables[parent] for parent in wanted]
        if node in others:
            return 0.0
        return float(self.shares[ParentSet(node, others).values(self)].sum())

    def probability(self, feature: AnyFeature, given: AnyFeature | None = None) -> float:
        """Return the weighted fraction of DAGs that have a feature.

        Parameters
        ----------
        feature
            Text such as ``"a ~> b"`` (see `arcwise.features.parse`), an edge as a
            pair (source, target), a feature, or a function of a `Dag` that returns a
            Boolean (or a number, whose mean is then returned).
        given
            An event to condition on, in any of the same forms.
        """
        return weighted_mean(self, as_feature(feature, self.variables, given)).value

    def estimate(self, feature: AnyFeature, given: AnyFeature | None = None) -> Estimate:
        """Return the probability of a feature with its standard error and 95 % interval.

        Parameters
        ----------
        feature, given
            As for `probability`.

        Examples
        --------
        >>> sample = DagSample(["a", "b"], np.array([[0, 1], [0, 0]] * 50))
        >>> sample.estimate("a -> b").value
        0.5
        """
        return estimate_from_dags(self, as_feature(feature, self.variables, given))

    def credible_set(self, level: float = 0.95, *, classes: bool = False) -> CredibleSet:
        """Return the smallest set of these DAGs with at least a given total probability.

        Parameters
        ----------
        level
            The total probability, such as 0.95.
        classes
            Whether to count equivalence classes, returned as `Cpdag`, rather than DAGs.

        Examples
        --------
        >>> sample = DagSample(["a", "b"], np.array([[0, 1], [2, 0], [0, 0], [0, 1]]))
        >>> list(sample.credible_set(0.5).graphs)
        [Dag(2 variables, 1 edge: a -> b)]
        >>> sample.credible_set(0.5, classes=True).probabilities
        array([0.75])
        """
        return credible_set(self, level, classes)

    def distinct(self) -> tuple[DagSample, NDArray[np.int64]]:
        """Return each distinct DAG once, in order of appearance, and the index of each DAG."""
        first, place = _core.distinct_patterns(self.parents.reshape(len(self), -1))
        different = DagSample(self.variables, self.parents[first])
        return different, place.astype(np.int64)

    def unique(self) -> DagSample:
        """Return each distinct DAG once, in order of appearance, without weights or chains."""
        return self.distinct()[0]


def checked_parents(variables: tuple[str, ...], parents: Any) -> NDArray[np.uint64]:
    """Return checked parent sets as words of 64 bits, of shape (DAGs, nodes, words)."""
    n = len(variables)
    words = (n + 63) // 64
    try:
        given = np.asarray(parents)
    except ValueError:  # rows of different lengths
        given = np.empty(0, dtype=object)
    if given.dtype.kind not in "ui" or (given.dtype.kind == "i" and (given < 0).any()):
        raise ArgumentError(
            f"parents holds values of the type {given.dtype}; give sets of bits as whole numbers, "
            "0 or more"
        )
    packed = np.ascontiguousarray(given, dtype=np.uint64)
    if packed.ndim == 2:
        packed = packed[:, :, np.newaxis]
    if packed.ndim != 3 or packed.shape[1:] != (n, words):
        raise ArgumentError(
            f"parents has the shape {packed.shape}; for {n} variables give (DAGs, {n}, {words})"
        )
    found = _core.find_faulty_dag(packed, Processors.available().threads)
    if found is not None:
        raise ArgumentError(_fault_in_words(variables, packed, *found))
    return packed


def _fault_in_words(
    variables: tuple[str, ...], packed: NDArray[np.uint64], index: int, node: int, fault: str
) -> str:
    n = len(variables)
    if fault == "beyond":
        bits = unpacked(packed[index, node], 64 * packed.shape[2])
        beyond = int(np.flatnonzero(bits[n:])[0]) + n
        return (
            f"parents[{index}] has bit {beyond} among the parents of {variables[node]!r}, and for "
            f"{n} variables bits 0 to {n - 1} can be set; clear the others"
        )
    if fault == "loop":
        return f"parents[{index}] has {variables[node]!r} as a parent of itself; give DAGs"
    sets = [np.flatnonzero(unpacked(row, n)).tolist() for row in packed[index]]
    cycle = find_cycle(sets)
    assert cycle is not None
    return f"parents[{index}] has the cycle {cycle_in_words(cycle, variables)}; give DAGs"


# Products of larger sums of weights with numbers of edges could overflow.
_LARGEST_SUM = 1e200


def _checked_weights(
    count: int, weights: NDArray[Any] | None, log_weights: NDArray[Any] | None
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return log weights and weights from either."""
    if log_weights is not None:
        if weights is not None:
            raise ArgumentError("both weights and log_weights were given; give only one of them")
        logs = real_numbers(log_weights, "log_weights")
        if logs.shape != (count,) or not (logs < np.inf).all() or (logs == -np.inf).all():
            raise ArgumentError(
                "log_weights must hold one number or -inf for each DAG, and not only -inf"
            )
        return logs, relative_weights(logs)
    if weights is None:
        return None, None
    given = real_numbers(weights, "weights")
    with np.errstate(over="ignore"):
        total = given.sum()
    if given.shape != (count,) or not (given >= 0).all() or not 0 < total < np.inf:
        raise ArgumentError(
            "weights must hold one nonnegative finite number for each DAG, not all of them zero"
        )
    if not 1.0 / _LARGEST_SUM < total < _LARGEST_SUM:
        raise ArgumentError(
            f"weights sum to {total:g}, which leaves no room for products; give log_weights instead"
        )
    with np.errstate(divide="ignore"):
        return np.log(given), given


def _checked_chains(count: int, chains: NDArray[Any]) -> NDArray[np.int64]:
    numbers = np.asarray(chains)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu" or (numbers < 0).any():
        raise ArgumentError("chains must hold one whole number, 0 or more, for each DAG")
    return numbers.astype(np.int64)


def _checked_places(places: Any, count: int) -> NDArray[Any]:
    """Return positions among `count` DAGs, as numbers or as a mask, or refuse them."""
    wanted = f"a list of numbers from 0 to {count - 1}, or a mask of {count} Booleans"
    chosen = as_array(places, "places", wanted)
    if chosen.size == 0 and chosen.ndim == 1:
        return np.empty(0, dtype=np.int64)
    mask = chosen.dtype == np.bool_ and chosen.shape == (count,)
    numbers = chosen.ndim == 1 and chosen.dtype.kind in "iu"
    if not mask and not (numbers and -count <= chosen.min() and chosen.max() < count):
        raise ArgumentError(f"places is {shown(places)}; give {wanted}")
    return chosen
