"""R-hat, effective sample sizes and Monte Carlo standard errors of many quantities at once.

Follows Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization,
folding, and localization: an improved R-hat for assessing convergence of MCMC": chains
are split into halves, and autocorrelations are summed over Geyer's initial monotone
sequence of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.arrays import weighted_sum

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
