"""`Traces`: the unnormalised log posterior along each chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import real_numbers, whole_number


@dataclass(frozen=True, eq=False)
class Traces:
    """The unnormalised log posterior of each draw of each chain.

    For annealing it holds instead the log importance weights of the particles.

    Parameters
    ----------
    log_weights
        A vector for each chain; chains may differ in length.
    steps
        The thinning interval: the number of steps between draws.

    Examples
    --------
    >>> traces = Traces((np.array([-3.0, -2.0, -2.5]), np.array([-4.0, -2.5])), steps=10)
    >>> traces.log_weights_matrix()
    array([[-3. , -2. ],
           [-4. , -2.5]])
    """

    log_weights: tuple[NDArray[np.float64], ...]
    steps: int = 1

    def __post_init__(self) -> None:
        rows = tuple(real_numbers(row, "log_weights") for row in self.log_weights)
        if not rows or any(row.ndim != 1 for row in rows):
            raise ArgumentError(
                "log_weights must hold a vector of numbers for each of one or more chains"
            )
        object.__setattr__(self, "log_weights", rows)
        object.__setattr__(self, "steps", whole_number(self.steps, "steps", at_least=1))

    def log_weights_matrix(self) -> NDArray[np.float64]:
        """Return the values as (chains, draws), cut to the length of the shortest chain."""
        shortest = min(len(row) for row in self.log_weights)
        return np.stack([row[:shortest] for row in self.log_weights])
