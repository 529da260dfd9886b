"""`Completions`: the completed tables over which a posterior is averaged.

If values are missing, the probability of a feature is the mean of its probabilities p_m given M
completed tables, drawn by several chains. Its *standard error* is that of the mean, and includes
the autocorrelation within chains and the differences between them. The variance B between tables
is uncertainty due to the missing values, which no computation can reduce. An *interval* for the
probability that the complete table would give has the variance of multiple imputation (Rubin 1987)

    W + (1 + 1/M) B,

where the squared standard error of the mean replaces B / M and the variance W of computing each
p_m.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, IncompleteData
from arcwise.errors import ArgumentError
from arcwise.features import Conditional, Feature, Not
from arcwise.posterior.estimate import (
    Estimate,
    Interval,
    counted,
    event_estimate,
    event_interval,
    mean_interval,
)
from arcwise.posterior.estimation import from_matrices
from arcwise.scores import LocalScore
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.arrays import weighted_sum
from arcwise.support.checks import real_numbers

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

Array = NDArray[np.float64]


class Spread(NamedTuple):
    """The mean over several tables, its standard error, and the spread of the tables."""

    mean: Any
    error: Any
    total: Any  # the standard deviation that includes the uncertainty due to missing values


@dataclass(frozen=True, eq=False)
class Completions:
    """The completed tables over which a posterior is averaged."""

    edges: Array  # the probabilities of edges given each table, as [table, source, target]
    chains: NDArray[np.int64]  # the chain of each table, with tables in the order drawn
    values: Array  # the values of the missing cells, as [table, cell]: codes of levels, or numbers
    paths: Array | None = None  # those of directed paths, as [table, source, target]
    # The incomplete table, and the score with its data-dependent prior fixed; None in a posterior
    # that was loaded from a file.
    source: IncompleteData | None = None
    score: LocalScore | None = None

    def __post_init__(self) -> None:
        """Refuse incompatible arrays."""
        for name in ("edges", "values", "paths"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, real_numbers(getattr(self, name), name))
        tables = len(self.edges)
        sound = (
            self.edges.ndim == 3
            and self.edges.shape[1] == self.edges.shape[2]
            and self.values.ndim == 2
            and len(self.values) == len(self.chains) == tables > 0
            and (self.paths is None or self.paths.shape == self.edges.shape)
        )
        if not sound:
            raise ArgumentError(
                f"edges, values and chains of completed tables have the shapes {self.edges.shape}, "
                f"{self.values.shape} and {np.shape(self.chains)}; give one of each for each table"
            )

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.edges)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the data, as `Posterior` does."""
        return self.__dict__ | {"source": None, "score": None}

    def table(self, number: int, source: IncompleteData | None = None) -> Data:
        """Return a completed table."""
        given = self.source if source is None else source
        if given is None:
            raise ArgumentError(
                "the table with its missing values is not available in a posterior that was "
                "loaded; give it as the model"
            )
        return given.completed(self.values[number])

    def spread(self, values: Array, weights: Array | None = None, noise: float = 0.0) -> Spread:
        """Return the mean over tables, its error, and the spread between tables."""
        given = np.ones(len(self)) if weights is None else weights
        mean = weighted_sum(given, values) / given.sum()
        error = weighted_standard_error(values, given, self.chains)
        count = len(self)
        between = weighted_sum(given, (values - mean) ** 2) / given.sum()
        between = np.maximum(between * count / max(1, count - 1) - noise, 0.0)
        return Spread(mean, error, np.sqrt(between + np.where(np.isnan(error), 0.0, error) ** 2))

    def by_chain(self) -> Array:
        """Return the edge probabilities of each chain, as [chain, source, target]."""
        return np.stack(
            [self.edges[self.chains == chain].mean(axis=0) for chain in np.unique(self.chains)]
        )

    def estimate(self, posterior: Posterior, asked: Feature | Conditional) -> Estimate:
        """Return the probability of a feature, with the uncertainty due to missing values."""
        values = self._by_matrices(posterior, asked)
        weights, noise = None, 0.0
        if values is None:
            values, weights, noise = self._by_dags(posterior, asked)
        found = self.spread(values, weights, noise)
        value, error, total = float(found.mean), float(found.error), float(found.total)
        feature = asked.feature if isinstance(asked, Conditional) else asked
        if not feature.is_event:
            return Estimate(str(asked), value, error, mean_interval(value, total), is_event=False)
        value = min(1.0, max(0.0, value))
        estimate = event_estimate(str(asked), value, error, float(len(self)), posterior.run.draws)
        if not total > 0.0:
            return estimate
        wide = event_interval(value, value * (1.0 - value) / total**2)
        near = estimate.interval
        return replace(
            estimate, interval=Interval(min(wide.low, near.low), max(wide.high, near.high))
        )

    def _by_matrices(self, posterior: Posterior, asked: Feature | Conditional) -> Array | None:
        """Return the value given each table, if its matrices determine it, or None."""
        if isinstance(asked, Conditional):
            return None
        if isinstance(asked, Not):
            inside = self._by_matrices(posterior, asked.feature)
            return None if inside is None else 1.0 - inside
        found: Array | None = from_matrices(self.edges, self.paths, posterior.variables, asked)
        return found

    def _by_dags(
        self, posterior: Posterior, asked: Feature | Conditional
    ) -> tuple[Array, Array | None, float]:
        """Return means over the DAGs of each table, their weights, and the variance of a mean."""
        dags = posterior.sampled_dags(f"'{asked}'")
        # The DAGs of a table are one chain of the sample.
        tables = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
        feature, given = counted(dags, asked)
        values = np.asarray(feature.values(dags), dtype=np.float64)
        counts: Array = np.bincount(tables, given, minlength=len(self)).astype(np.float64)
        held = np.maximum(counts, 1.0)
        means = np.bincount(tables, given * values, minlength=len(self)) / held
        squares = np.bincount(tables, given * values**2, minlength=len(self)) / held
        variances = np.maximum(squares - means**2, 0.0) / np.maximum(counts - 1.0, 1.0)
        noise = float(weighted_sum(counts, variances) / counts.sum())
        return means, counts, noise
