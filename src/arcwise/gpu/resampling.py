"""The weights of populations of a device, and stratified resampling of their states.

The rules are those of core/arcwise/chains/population.hpp: where fewer than half of the states of a
population count, or one has weight zero, they are drawn anew in proportion to their weights, the
one in place i from the i-th of equal parts of the sum of weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.support.log_space import logarithms, relative_weights

_LEAST_EFFECTIVE_SHARE = 0.5
_RESAMPLING_STREAM = 0x5A3B << 32


class Populations:
    """Several populations of the same size, each with random numbers of its own.

    Parameters
    ----------
    count, size
        The number of populations, and of states of each.
    seed, first
        The seed, and the number of the first population.
    """

    def __init__(self, count: int, size: int, seed: int, first: int = 0) -> None:
        self.log_weights = np.zeros(count * size)  # since the last resampling
        self.log_totals = np.zeros(count)  # log means of weights at all resamplings, added up
        self._size = size
        self._seed = seed
        self._first = first

    def weigh(
        self, log_weights: NDArray[np.float64], level: int, *, resample: bool = False
    ) -> NDArray[np.uint32] | None:
        """Take the log weights of all states; return the places they go on from, None for all.

        Parameters
        ----------
        log_weights
            Those of all populations, one after another.
        level
            The number of the temperature, for random numbers.
        resample
            Whether to draw all anew, as at the end.
        """
        self.log_weights = log_weights.copy()
        places = np.arange(len(log_weights))
        for number in range(len(self.log_totals)):
            part = slice(number * self._size, (number + 1) * self._size)
            own = self.log_weights[part]
            if not np.isfinite(own).any():
                self.log_totals[number] = -np.inf  # and nothing brings it back
            elif resample or _needs_resampling(own):
                sources, log_mean = self._resampled(own, number, level)
                places[part] = part.start + sources
                self.log_totals[number] += log_mean
                self.log_weights[part] = 0.0
        if (places == np.arange(len(places))).all():
            return None
        return places.astype(np.uint32)

    def _resampled(
        self, own: NDArray[np.float64], number: int, level: int
    ) -> tuple[NDArray[np.int64], float]:
        weights = relative_weights(own)
        log_mean = float(own.max() + logarithms(np.array([weights.mean()]))[0])
        if len(own) == 1:
            return np.zeros(1, dtype=np.int64), log_mean
        generator = np.random.Generator(
            np.random.Philox(
                key=[self._seed, _RESAMPLING_STREAM + self._first + number],
                counter=[0, 0, 0, level],
            )
        )
        return kept_in_place(ancestors(weights, generator.random(len(own)))), log_mean


def ancestors(weights: NDArray[np.float64], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place each state is drawn from: one from each of equal parts of the sum.

    Parameters
    ----------
    weights
        The weights of all states.
    uniform
        A random number from 0 to 1 for each part.

    Examples
    --------
    >>> ancestors(np.array([1.0, 0.0, 3.0, 0.0]), np.full(4, 0.5)).tolist()
    [0, 2, 2, 2]
    """
    ends = np.cumsum(weights)
    wanted = (np.arange(len(weights)) + uniform) / len(weights) * ends[-1]
    # What rounding leaves over is the last one's that has any weight.
    last = int(np.flatnonzero(weights)[-1])
    return np.asarray(np.minimum(np.searchsorted(ends, wanted, side="right"), last))


def kept_in_place(drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the same draws where those that are drawn stay, and copies go where one was not.

    Examples
    --------
    >>> kept_in_place(np.array([1, 1, 3, 3])).tolist()
    [1, 1, 3, 3]
    >>> kept_in_place(np.array([0, 2, 2, 2])).tolist()
    [0, 2, 2, 2]
    """
    times = np.bincount(drawn, minlength=len(drawn))
    sources = np.arange(len(drawn))
    copies = np.repeat(sources, np.maximum(times - 1, 0))
    sources[times == 0] = copies
    return sources


def _needs_resampling(log_weights: NDArray[np.float64]) -> bool:
    if not np.isfinite(log_weights).all():
        return True
    weights = relative_weights(log_weights)
    effective = weights.sum() ** 2 / (weights**2).sum()
    return bool(effective < _LEAST_EFFECTIVE_SHARE * len(weights))
