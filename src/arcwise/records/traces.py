"""`Traces`: the log weights chains went through, to see whether they have settled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import whole_number


@dataclass(frozen=True, eq=False)
class Traces:
    """The log weight of the state of each chain, every so many steps.

    Parameters
    ----------
    log_weights
        One row of numbers for each chain; chains may differ in length.
    steps
        The steps from each number to the next, the thinning interval.

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
        rows = tuple(np.asarray(row, dtype=np.float64) for row in self.log_weights)
        if not rows or any(row.ndim != 1 for row in rows):
            raise ArgumentError(
                "log_weights must be one row of numbers for each chain, with one chain or more"
            )
        object.__setattr__(self, "log_weights", rows)
        object.__setattr__(self, "steps", whole_number(self.steps, "steps", at_least=1))

    def log_weights_matrix(self) -> NDArray[np.float64]:
        """Return the log weights as (chains, draws), all cut to the shortest chain."""
        shortest = min(len(row) for row in self.log_weights)
        return np.stack([row[:shortest] for row in self.log_weights])
