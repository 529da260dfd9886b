"""R-hat, effective sample sizes and Monte Carlo standard errors of many quantities at once.

Follows Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization,
folding, and localization: an improved R-hat for assessing convergence of MCMC": chains
are split into halves, and autocorrelations are summed over Geyer's initial monotone
sequence of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.records.chain_record import ChainRecord, Traces
from arcwise.records.settings import Convergence
from arcwise.support.arrays import logarithms, relative_weights, weighted_sum

Array = NDArray[np.float64]

_FEWEST_DRAWS = 4
_MANY_CHAINS = 30
_FEWEST_CHAINS = 4  # the minimum for an error of the mean from the variance between chains
_PIECE = 1 << 16  # numbers processed at a time, so that intermediate results stay in the cache
_ROUNDING = 1e-13  # a smaller range relative to the values is rounding, not variation


def rhat(draws: ArrayLike) -> Array:
    """Return the rank-normalised split R-hat of each quantity.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal(size=(4, 1000, 3))
    >>> draws[0, :, 2] += 5.0
    >>> rhat(draws).round(1)
    array([1. , 1. , 1.5])
    """
    return _by_quantity(draws, _rhat)


def effective_sample_size(draws: ArrayLike) -> Array:
    """Return the bulk effective sample size of each quantity.

    Examples
    --------
    >>> independent = np.random.default_rng(1).normal(size=(2, 1000))
    >>> bool(effective_sample_size(independent) > 1500)
    True
    >>> bool(effective_sample_size(independent.cumsum(axis=1)) < 50)
    True
    """
    return _by_quantity(draws, _bulk_effective)


def standard_error(draws: ArrayLike) -> Array:
    """Return the Monte Carlo standard error of the mean of each quantity.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal(size=(4, 2500))
    >>> float(standard_error(draws).round(2))
    0.01
    """
    array = _checked(draws)
    chains, length = array.shape[:2]
    effective = _by_quantity(array, _effective, never_changed=float(chains * (length // 2 * 2)))
    if length < _FEWEST_DRAWS:
        return effective
    # Relative to the first draw, a quantity that never changed has a deviation of exactly 0.
    moved = array.astype(np.float64) - array[:1, :1]
    with np.errstate(invalid="ignore"):
        return np.asarray(moved.std(axis=(0, 1), ddof=1) / np.sqrt(effective))


PARTS = 4
"""The number of groups of chains that are compared, if there are more chains."""


def largest_chain_difference(means_by_chain: ArrayLike) -> Array:
    """Return the largest difference between the estimates of any two chains.

    More than four chains are compared as four groups, with chain i in group i mod 4. The
    difference is then a measure of the precision of a quarter of the run, whatever the number of
    chains; the difference between the extremes of many short chains would be large by chance.

    Examples
    --------
    >>> largest_chain_difference([[0.5, 0.25], [0.75, 0.25], [1.0, 0.0]])
    array([0.5 , 0.25])
    """
    means = np.asarray(means_by_chain, dtype=np.float64)
    if means.ndim < 1 or len(means) < 1:
        raise ArgumentError(
            f"means_by_chain has the shape {means.shape}; give (chains, ...) with at least one "
            "chain"
        )
    if len(means) == 1:
        return np.full(means.shape[1:], np.nan)
    if len(means) > PARTS:
        means = np.stack([means[part::PARTS].mean(axis=0) for part in range(PARTS)])
    return np.asarray(means.max(axis=0) - means.min(axis=0))


def weighted_standard_error(
    values: ArrayLike, weights: ArrayLike, chains: ArrayLike | None = None
) -> Array:
    """Return the standard error of self-normalised weighted means of draws.

    By the delta method, the mean f of values f_i with weights w_i has the standard error
    of the plain mean of the influence values w_i (f_i - f) / mean(w), whose
    autocorrelation within chains is taken into account.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> values, weights = random.normal(size=10_000), random.uniform(size=10_000)
    >>> float(weighted_standard_error(values, weights).round(2))
    0.01
    """
    array = np.asarray(values)
    shares = np.asarray(weights, dtype=np.float64)
    count = array.shape[0] if array.ndim else 0
    groups = np.zeros(count, dtype=np.int64) if chains is None else np.asarray(chains)
    if count == 0 or shares.shape != (count,) or groups.shape != (count,):
        raise ArgumentError(
            f"values, weights and chains have the shapes {array.shape}, {shares.shape} and "
            f"{groups.shape}; give one weight and one chain for each of one or more draws"
        )
    if not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ArgumentError("weights must be finite and nonnegative, and not all zero")
    shares = shares / shares.sum()
    order = np.argsort(groups, kind="stable")
    _, lengths = np.unique(groups, return_counts=True)
    flat = array.reshape(count, -1)
    result = np.empty(flat.shape[1])
    width = max(1, _PIECE // count)
    for first in range(0, flat.shape[1], width):
        piece = flat[:, first : first + width].astype(np.float64)
        # The variance of probabilities around 1e-200, for example, would underflow to 0.
        _, exponent = np.frexp(np.abs(piece).max(axis=0))
        piece = np.ldexp(piece, -exponent)
        deviation = piece - weighted_sum(shares, piece)
        deviation[np.abs(deviation) <= _ROUNDING * np.abs(piece).max(axis=0)] = 0.0
        influence = count * shares[:, np.newaxis] * deviation
        errors = _error_of_mean(influence[order], shares[order], lengths)
        result[first : first + width] = np.ldexp(errors, exponent)
    return result.reshape(array.shape[1:])


def _error_of_mean(values: Array, shares: Array, lengths: NDArray[np.int64]) -> Array:
    """Return the standard errors of the means of influence values, sorted by chain."""
    count = len(values)
    ends = np.cumsum(lengths)
    # Truncating all chains to one that ended early would leave too few draws for autocorrelation.
    long = lengths >= lengths.max() / 2
    shortest = int(lengths[long].min())
    if len(lengths) == 1 and shortest < _FEWEST_DRAWS:
        return np.full(values.shape[1], np.nan)
    # Chains are independent whatever their autocorrelation. If there are many chains, or more
    # chains than draws in each, the variance between them suffices.
    if shortest < _FEWEST_DRAWS or len(lengths) >= min(shortest, _MANY_CHAINS):
        return _error_between(values, shares, lengths)
    starts = (ends - lengths)[long]
    cut = np.stack([values[start : start + shortest] for start in starts])
    effective = _by_quantity(cut, _effective) / (cut.shape[0] * cut.shape[1])
    spread = values.std(axis=0, ddof=1)
    with np.errstate(invalid="ignore"):
        error = spread / np.sqrt(count * effective)
    if len(lengths) >= _FEWEST_CHAINS and long.all():
        # Very long autocorrelation is visible only between chains. With the larger of the two
        # estimates, 95 % intervals have a coverage of 96 % if both are correct.
        error = np.maximum(error, _error_between(values, shares, lengths))
    return np.asarray(np.where(spread == 0.0, 0.0, error))


def _error_between(values: Array, shares: Array, lengths: NDArray[np.int64]) -> Array:
    """Return the standard errors by the jackknife, which leaves out one chain at a time."""
    firsts = np.cumsum(lengths) - lengths
    own = np.add.reduceat(shares, firsts)
    # Without a chain of share s the mean changes by its total over 1 - s. The heaviest draws
    # attract the mean, so their deviations from it are too small.
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = np.add.reduceat(values, firsts, axis=0) / (1.0 - own)[:, np.newaxis]
    correction = (len(lengths) - 1) / len(lengths)
    return np.asarray(np.sqrt(correction * (changes**2).sum(axis=0)) / len(values))


def _checked(draws: ArrayLike) -> NDArray[np.float64 | np.bool_]:
    array = np.asarray(draws)
    if array.ndim < 2 or array.shape[0] < 1:
        raise ArgumentError(
            f"draws has the shape {array.shape}; give (chains, draws, ...) with at least one chain"
        )
    return array if array.dtype == np.bool_ else array.astype(np.float64, copy=False)


def _by_quantity(
    draws: ArrayLike, function: Callable[[Array], Array], never_changed: float = np.nan
) -> Array:
    """Apply a function of (quantities, half chains, draws) to the finite quantities that vary."""
    array = _checked(draws)
    chains, length = array.shape[:2]
    result = np.full(math.prod(array.shape[2:]), np.nan)
    flat = array.reshape(chains, length, len(result))
    half = length // 2
    if length < _FEWEST_DRAWS:
        return result.reshape(array.shape[2:])
    width = max(1, _PIECE // (chains * length))
    for first in range(0, len(result), width):
        halves = np.empty((min(width, len(result) - first), 2 * chains, half))
        piece = flat[:, :, first : first + width].transpose(2, 0, 1)
        # The middle draw of an odd number belongs to neither half.
        halves[:, :chains] = piece[:, :, :half]
        halves[:, chains:] = piece[:, :, length - half :]
        low, high = halves.min(axis=(1, 2)), halves.max(axis=(1, 2))
        finite = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(finite, low, 0.0), np.where(finite, high, 0.0)
        still = high - low <= _ROUNDING * np.maximum(np.abs(low), np.abs(high))
        found = np.where(finite, never_changed, np.nan)
        usable = finite & ~still
        # Numbers from a damaged file may overflow; the result is then not finite either.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if usable.all():
                found = function(halves)
            elif usable.any():
                found[usable] = function(halves[usable])
        result[first : first + width] = found
    return result.reshape(array.shape[2:])


def _rhat(halves: Array) -> Array:
    result = _potential_scale_reduction(halves)
    several = _more_than_two_values(halves)
    if several.any():
        rows = halves[several].reshape(int(several.sum()), -1)
        ordered = np.sort(rows, axis=1)
        count = rows.shape[1]
        median = (ordered[:, (count - 1) // 2] + ordered[:, count // 2]) / 2
        shape = (-1, *halves.shape[1:])
        bulk = _normal_scores(rows).reshape(shape)
        folded = _normal_scores(np.abs(rows - median[:, np.newaxis])).reshape(shape)
        # The folded draws may be constant; then only the bulk is used.
        result[several] = np.fmax(
            _potential_scale_reduction(bulk), _potential_scale_reduction(folded)
        )
    return result


def _bulk_effective(halves: Array) -> Array:
    several = _more_than_two_values(halves)
    if several.any():
        rows = halves[several].reshape(int(several.sum()), -1)
        halves[several] = _normal_scores(rows).reshape((-1, *halves.shape[1:]))
    return _effective(halves)


def _more_than_two_values(halves: Array) -> NDArray[np.bool_]:
    """Return which quantities need rank normalisation.

    The ranks of a binary quantity, such as an edge, are a linear function of it, also when
    folded, and linear functions have the same R-hat and effective sample size.
    """
    rows = halves.reshape(len(halves), -1)
    low, high = rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
    return np.asarray(~((rows == low) | (rows == high)).all(axis=1))


def _potential_scale_reduction(halves: Array) -> Array:
    length = halves.shape[2]
    # Relative to the first draw, a constant chain has a variance of exactly 0.
    moved = halves - halves[:, :, :1]
    means = moved.mean(axis=2)
    squares = np.einsum("qct,qct->qc", moved, moved)
    within = np.maximum(squares - length * means**2, 0.0).mean(axis=1) / (length - 1)
    between = (means + halves[:, :, 0]).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((length - 1) / length + between / within))


def _normal_scores(rows: Array) -> Array:
    """Replace the values of each row by normal quantiles of their ranks."""
    count = rows.shape[1]
    quantiles = _blom_quantiles(count)
    scores = np.empty(rows.shape)
    is_start = np.ones(count, dtype=np.bool_)
    # Rows are processed one by one, so that each stays in the cache.
    for row, out in zip(rows, scores, strict=True):
        order = row.argsort()
        ordered = row[order]
        np.not_equal(ordered[1:], ordered[:-1], out=is_start[1:])
        if is_start.all():
            out[order] = quantiles[::2]
            continue
        # Ties receive the mean of their first and last rank.
        start = np.flatnonzero(is_start)
        end = np.append(start[1:], count)
        out[order] = np.repeat(quantiles[start + end - 1], end - start)
    return scores


@lru_cache(maxsize=4)
def _blom_quantiles(count: int) -> Array:
    """Return the normal quantile for twice each rank from 1 to count, in halves, less 2."""
    quantile = NormalDist().inv_cdf
    upper = [
        quantile((twice / 2 + 1 - 3 / 8) / (count + 1 / 4))
        for twice in range(count - 1, 2 * count - 1)
    ]
    return np.array([-value for value in upper[:0:-1]] + upper)


def _effective(halves: Array) -> Array:
    """Return the effective sample size of the means of quantities that vary."""
    chains, length = halves.shape[1:]
    means = halves.mean(axis=2, keepdims=True)
    size = _even_with_small_factors(2 * length)
    spectrum = np.fft.rfft(halves - means, n=size, axis=2)
    power = (
        sum(np.einsum("qcf,qcf->qf", part, part) for part in (spectrum.real, spectrum.imag))
        / chains
    )
    covariance = np.fft.irfft(power, n=size, axis=1)[:, :length] / length
    within = covariance[:, :1] * length / (length - 1)
    total = covariance[:, :1] + means[:, :, 0].var(axis=1, ddof=1)[:, np.newaxis]
    correlation = 1.0 - (within - covariance) / total
    correlation[:, 0] = 1.0
    time = _autocorrelation_time(correlation)
    # Antithetic draws may have an ESS above their number; the bound is that of Stan.
    return np.asarray(chains * length / np.maximum(time, 1.0 / np.log10(chains * length)))


def _autocorrelation_time(correlation: Array) -> Array:
    """Sum autocorrelations over Geyer's initial monotone sequence."""
    length = correlation.shape[1]
    pairs = correlation[:, : length // 2 * 2].reshape(len(correlation), -1, 2).sum(axis=2)
    last_pair = max(0, (length - 3) // 2)
    # The sequence ends at the first pair that is not positive, or at the last pair.
    ended = pairs[:, : last_pair + 1] <= 0.0
    ended[:, last_pair] = True
    end = ended.argmax(axis=1)
    before = np.arange(last_pair + 1) < end[:, np.newaxis]
    monotone = np.minimum.accumulate(pairs[:, : last_pair + 1], axis=1)
    summed = np.where(before, monotone, 0.0).sum(axis=1)
    row = np.arange(len(correlation))
    even = correlation[row, 2 * end]
    # The first element of that pair improves the estimate, unless it is negative noise.
    even = np.where(pairs[row, end] < 0.0, np.maximum(even, 0.0), even)
    return np.asarray(2.0 * summed + even - 1.0)


def _even_with_small_factors(least: int) -> int:
    """Return a length of at least this for which Fourier transforms are fast."""
    candidates = [
        base << max(0, (-(-least // base) - 1).bit_length()) for base in (2, 6, 10, 18, 30, 50)
    ]
    return min(candidates)


_MOST_BINS = 20
_DRAWS_PER_BIN = 5


def rank_shares(chains: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return the relative frequency of each range of ranks in each chain, compared with all chains.

    The draws of all chains are ranked together and their ranks divided into ranges of equal
    size (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021). If the chains have the same
    distribution, all numbers are near 1. Tied draws of all chains have their mean rank.

    Examples
    --------
    >>> rank_shares([np.arange(20.0), np.arange(20.0)]).tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    """
    finite = [row[np.isfinite(row)] for row in chains]
    bins = min(_MOST_BINS, min((len(row) for row in finite), default=0) // _DRAWS_PER_BIN)
    if len(finite) < 2 or bins < 2:
        return None
    pooled = np.concatenate(finite)
    _, inverse, counts = np.unique(pooled, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = (last - (counts + 1) / 2)[inverse]  # from 0
    chosen = np.minimum((mean_ranks * bins / len(pooled)).astype(np.int64), bins - 1)
    everywhere = np.bincount(chosen, minlength=bins) / len(pooled)
    shares = np.empty((len(finite), bins))
    start = 0
    for number, row in enumerate(finite):
        own = np.bincount(chosen[start : start + len(row)], minlength=bins) / len(row)
        # A range that is empty because of ties has the neutral value 1.
        shares[number] = np.divide(own, everywhere, out=np.ones(bins), where=everywhere > 0)
        start += len(row)
    return shares


# --- Chains ---------------------------------------------------------------------------------------

# Convergence of several chains: exchanges of temperatures, edges, traces, and excluded chains.


# For a given amount of work, round trips are fastest if half of the exchanges are rejected (Syed,
# Bouchard-Côté, Deligiannidis and Doucet 2022).
_PAIRS_PER_REJECTION = 2.0

Rates = tuple[float | None, ...]
"""The acceptance rate of each pair of adjacent temperatures; None if nothing was proposed."""


def exchange_rates(chains: Sequence[Sequence[tuple[int, int]]]) -> Rates:
    """Return the acceptance rate of exchanges of each pair of adjacent temperatures."""
    if len({len(pairs) for pairs in chains}) > 1:
        each = [exchange_rates([pairs]) for pairs in chains]
        return min(each, key=lambda rates: min((r for r in rates if r is not None), default=1.0))
    totals = [
        (sum(proposed for proposed, _ in pair), sum(accepted for _, accepted in pair))
        for pair in zip(*chains, strict=True)
    ]
    return tuple(accepted / proposed if proposed else None for proposed, accepted in totals)


def temperatures_needed(rates: Sequence[float | None]) -> int:
    """Return the number of temperatures at which half of all exchanges would be accepted.

    The sum of the rejection rates hardly depends on the number of temperatures, unless nearly all
    exchanges are rejected; then more temperatures may be needed.

    Examples
    --------
    >>> temperatures_needed([0.2, 0.3, 0.1])
    6
    """
    rejected = sum(1.0 - rate for rate in rates if rate is not None)
    return 1 + ceil(_PAIRS_PER_REJECTION * rejected - 1e-9)


FEWEST_CHANGES = 10
# Summing lag by lag is fast for edges with short autocorrelation and slow for the others.
_MOST_LAGS, _FEWEST_LAGS, _MOST_PRODUCTS = 1000, 64, 2**26
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False)
class EdgeDiagnostics:
    """Diagnostics of each edge as matrices [source, target], from unweighted draws."""

    # Rank-normalised split R-hat; infinite if the edge is always present in some chains and never
    # in others, NaN if it never changed at all, and so may be certain or stuck.
    rhat: NDArray[np.float64]
    # The bulk effective sample size; NaN if the edge changed fewer than 10 times, which is too few
    # to estimate its autocorrelation.
    effective_samples: NDArray[np.float64]
    changes: NDArray[np.int64]  # number of changes between consecutive draws, over all chains
    chain_edges: NDArray[np.float64]  # the fraction of draws with the edge in each chain
    differences: NDArray[np.float64]  # the largest one between two chains; NaN with one chain

    @classmethod
    def of(cls, chains: Sequence[NDArray[np.uint64]], nodes: int) -> EdgeDiagnostics:
        """Return the diagnostics for the packed parents of each chain, (draws, nodes, words).

        R-hat and effective sample sizes use the number of draws of the shortest chain. For an
        edge with long autocorrelation, in chains of more than 10,000 draws, the effective sample
        size is estimated from at most 10,000 batch means, allowing for their autocorrelation.
        """
        parts = [np.ascontiguousarray(parents) for parents in chains]
        draws = min(len(parents) for parents in parts)
        lags = _MOST_PRODUCTS // max(1, len(parts) * draws)
        lags = min(_MOST_LAGS, max(_FEWEST_LAGS, lags))
        # One thread suffices, and the number of threads must not exceed the user's.
        rhat, effective, changes, shares = _core.edge_mixing(parts, FEWEST_CHANGES, lags, threads=1)
        for target in np.flatnonzero((effective < 0.0).any(axis=0)):
            words = [np.ascontiguousarray(part[:draws, target]) for part in parts]
            for source in np.flatnonzero(effective[:, target] < 0.0):
                effective[source, target] = _effective_with_long_memory(
                    np.stack([_bit(own, int(source)) for own in words])
                )
        return cls(rhat, effective, changes, shares, largest_chain_difference(shares))


def _effective_with_long_memory(edge: NDArray[np.bool_]) -> float:
    """Return the effective sample size of an edge, (chains, draws), by Fourier transform."""
    chains, draws = edge.shape
    size = -(-draws // _MOST_POINTS)
    if size == 1:
        return float(effective_sample_size(edge))
    batches = edge[:, draws % size :].reshape(chains, -1, size)
    # The mean of all draws is the mean of the batch means, and the effective sample size is the
    # number of independent draws with the same standard error.
    error = float(standard_error(batches.mean(axis=2)))
    share = np.count_nonzero(edge) / edge.size
    return share * (1.0 - share) / error**2


def _bit(words: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return one bit of each row of packed parents."""
    return np.asarray(words[:, place // 64] & np.uint64(1 << place % 64) != 0)


def chain_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return all convergence figures of chains from their recorded states."""
    found = trace_convergence(Traces(tuple(record.log_weights for record in records)))
    return replace(edge_convergence(records, nodes), rhat=found.rhat, ess=found.ess)


def trace_convergence(traces: Traces) -> Convergence:
    """Return R-hat and the effective sample size of the log posterior; None if undefined."""
    matrix = _to_nine_digits(traces.log_weights_matrix())
    effective = number_or_none(effective_sample_size(matrix))
    return Convergence(rhat=number_or_none(rhat(matrix)), ess=effective)


def _to_nine_digits(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rounded log weights, which are equal for equal states.

    Moves accumulate changes of the log weight, so rounding drifts slowly along a chain; with few
    states, ranks would amplify this.
    """
    finite = log_weights[np.isfinite(log_weights)]
    unit = 1e-9 * max(1.0, float(np.abs(finite).max(initial=0.0)))
    return np.asarray(np.round(log_weights / unit) * unit)


def edge_convergence(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    """Return the worst R-hat and ESS of any edge, and the largest difference between chains.

    R-hat and ESS are computed from the unweighted states, with one DAG for each state. The
    difference is computed from the edge probabilities averaged along the chains, or from their
    weighted DAGs if they are not averaged. An edge that never changes has neither R-hat nor ESS;
    with a single chain, the difference is None.
    """
    averages = chain_edges(records)
    if averages is None and any(record.log_extensions.any() for record in records):
        averages = weighted_parts(records)
    found = Convergence()
    if not any((record.dag_counts == 0).any() for record in records):
        found = _edge_figures(records, nodes)
    if averages is None:
        return found
    difference = largest(largest_chain_difference(averages))
    return replace(found, difference=number_or_none(difference))


def chain_edges(records: Sequence[ChainRecord]) -> NDArray[np.float64] | None:
    """Return the edge probabilities averaged along each chain; None if they are not recorded."""
    means = [
        np.clip(record.edge_sums / record.states_summed, 0.0, 1.0)
        for record in records
        if record.edge_sums is not None
    ]
    return np.stack(means) if len(means) == len(records) else None


def weighted_parts(records: Sequence[ChainRecord]) -> NDArray[np.float64]:
    """Return the edge probabilities from the weighted DAGs of each chain, or of four groups.

    A few weights dominate a small number of DAGs, so more than four chains are pooled in the
    groups of `largest_chain_difference`.
    """
    result = []
    for part in range(min(PARTS, len(records))):
        own = records[part::PARTS]
        parents = np.concatenate([record.parents for record in own])
        logs = np.concatenate([record.log_dag_weights() for record in own])
        weights = relative_weights(logs)
        weights /= weights.sum()
        ends = np.array([0, len(parents)], dtype=np.uint64)
        sums = _core.relation_sums(np.ascontiguousarray(parents), "edge", 0, weights, ends, 1)
        result.append(np.clip(np.asarray(sums)[0], 0.0, 1.0))
    return np.stack(result)


def _edge_figures(records: Sequence[ChainRecord], nodes: int) -> Convergence:
    firsts = [np.cumsum(record.dag_counts) - record.dag_counts for record in records]
    draws = min(record.states for record in records)
    found = EdgeDiagnostics.of(
        [record.parents[first[:draws]] for record, first in zip(records, firsts, strict=True)],
        nodes,
    )
    return Convergence(
        edge_rhat=number_or_none(largest(found.rhat)),
        edge_ess=number_or_none(smallest(found.effective_samples)),
        difference=number_or_none(largest(found.differences)),
    )


def number_or_none(value: Any) -> float | None:
    """Return a number, or None for NaN."""
    number = float(value)
    return None if np.isnan(number) else number


def largest(values: NDArray[np.float64]) -> float:
    """Return the largest value, possibly infinite, ignoring NaN; NaN if there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else float("nan")


def smallest(values: NDArray[np.float64]) -> float:
    """Return the smallest finite value; NaN if there is none."""
    finite = values[np.isfinite(values)]
    return float(finite.min()) if finite.size else float("nan")


NEGLIGIBLE = 8.0
"""A chain this number of nats below the best one has negligible posterior probability."""

FEWEST_SETTLED = 4
"""The minimum number of chains at the best level for others to be excluded; half of all chains
must be there as well."""

# If all chains are closer than this, the entropy of parents hardly matters and is not computed.
_CLOSE = 2.0


def settled(records: Sequence[ChainRecord], *, states_are_dags: bool) -> list[ChainRecord]:
    """Return the records of chains without those in regions of negligible probability.

    Among many chains from independent starts, a few may remain for the whole run in a local
    optimum of negligible probability. Their share among the chains is far larger than that
    probability, and the chains would never agree. If most chains end there, however, nothing shows
    that the others have found the best region: then all are included, and the run is seen not to
    have converged.
    """
    if len(records) <= FEWEST_SETTLED:
        return list(records)
    found = levels(records, states_are_dags=states_are_dags)
    near = found >= found.max() - NEGLIGIBLE
    if near.all() or near.sum() < max(FEWEST_SETTLED, len(records) / 2):
        return list(records)
    return [record for record, counts in zip(records, near, strict=True) if counts]


def levels(records: Sequence[ChainRecord], *, states_are_dags: bool) -> NDArray[np.float64]:
    """Return the approximate log probability of the region of each chain, up to a constant.

    The log of the sum of weights over a region is the mean of the log weights under the
    posterior within it plus the entropy there. The entropy of DAGs is approximated by that
    of the parents of each node, as if these were independent; if states are sets of DAGs, most
    of it is included in their weights, and the rest is ignored.
    """
    means = np.array([_mean(record.log_weights) for record in records])
    if not states_are_dags or not (means < means.max() - _CLOSE).any():
        return means
    return means + [_entropy(record.parents) for record in records]


def _mean(log_weights: NDArray[np.float64]) -> float:
    # Only the second half, because a chain may have reached its region during the first.
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
