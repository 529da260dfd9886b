"""`Diagnosis`: how far a posterior can be trusted, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseWarning
from arcwise.statistics.chains import largest, number_or_none, smallest
from arcwise.support.plain import plain
from arcwise.support.warnings import warn

Verdict = Literal["exact", "trustworthy", "doubtful", "not converged", "unknown"]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """How far a posterior can be trusted, as `diagnose` finds out.

    Matrices are [source, target], and NaN where a number cannot be known. What an
    algorithm does not have is None.

    Parameters
    ----------
    verdict
        One of

        - ``"exact"``: computed, not sampled;
        - ``"trustworthy"``: nothing speaks against the probabilities and their
          standard errors;
        - ``"doubtful"``: something does, and `sentences` say what;
        - ``"not converged"``: the chains contradict each other, or nearly all of the
          weight is on a few samples, and the probabilities are not to be used;
        - ``"unknown"``: there is too little to judge by.
    sentences
        What was found and what to change, in plain words, the gravest first.
    warnings
        The same findings as warnings of their own classes; see `warn`.
    variables
        The names of the nodes.
    chains, draws
        The number of chains, and of draws in the shortest of them.
    rhat_log_weight, effective_samples_log_weight
        Of the log weight of the states, across chains.
    rhat, effective_samples, changes
        Of each edge; see `EdgeDiagnostics`.
    chain_edges
        What each chain alone says of each edge, weights included, as [chain, source,
        target]. Annealing runs are too short to be compared one by one: their first
        and second half are.
    differences
        The largest difference of these between two chains, for each edge.
    standard_errors
        The Monte-Carlo standard error of each edge probability.
    effective_dags
        How many DAGs of equal weight would vary as little, as to weights alone.
    effective_runs
        The same of annealing runs.
    acceptance
        The share of accepted proposals for each kind of move.
    exchange_acceptance
        The share of accepted exchanges between neighbouring temperatures.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> diagnosis = arcwise.diagnose(arcwise.exact(model))
    >>> print(diagnosis)
    exact: The probabilities were computed, not sampled; rounding left an error of at most ...
    """

    verdict: Verdict
    sentences: tuple[str, ...]
    warnings: tuple[ArcwiseWarning, ...]
    variables: tuple[str, ...]
    chains: int
    draws: int
    rhat_log_weight: float | None = None
    effective_samples_log_weight: float | None = None
    rhat: Matrix | None = None
    effective_samples: Matrix | None = None
    changes: NDArray[np.int64] | None = None
    chain_edges: Matrix | None = None
    differences: Matrix | None = None
    standard_errors: Matrix | None = None
    effective_dags: float | None = None
    effective_runs: float | None = None
    acceptance: Mapping[str, float | None] | None = None
    exchange_acceptance: Sequence[float | None] | None = None

    @property
    def largest_rhat_edge(self) -> float | None:
        """The largest R-hat of an edge; infinite where chains are stuck apart."""
        return None if self.rhat is None else number_or_none(largest(self.rhat))

    @property
    def smallest_effective_samples_edge(self) -> float | None:
        """The smallest effective sample size of an edge, of those that are known."""
        if self.effective_samples is None:
            return None
        return number_or_none(smallest(self.effective_samples))

    @property
    def largest_difference(self) -> float | None:
        """The largest difference between what two chains say of an edge."""
        return None if self.differences is None else number_or_none(largest(self.differences))

    @property
    def most_different_edge(self) -> tuple[str, str] | None:
        """The edge chains disagree most about; None if they agree on all."""
        if not self.largest_difference or self.differences is None:
            return None
        u, v = np.unravel_index(np.nanargmax(self.differences), self.differences.shape)
        return self.variables[u], self.variables[v]

    @property
    def largest_standard_error(self) -> float | None:
        """The largest Monte-Carlo standard error of an edge probability."""
        if self.standard_errors is None:
            return None
        return number_or_none(largest(self.standard_errors))

    @property
    def worst_acceptance(self) -> float | None:
        """The smallest share of accepted exchanges between two temperatures."""
        rates = [rate for rate in self.exchange_acceptance or () if rate is not None]
        return min(rates, default=None)

    def warn(self) -> None:
        """Issue the findings as warnings."""
        for warning in self.warnings:
            warn(warning)

    def as_dict(self) -> dict[str, Any]:
        """Return what there is to say as plain values, the largest or smallest of each matrix."""
        names = (
            *("verdict", "sentences", "chains", "draws"),
            *("rhat_log_weight", "effective_samples_log_weight", "largest_rhat_edge"),
            *("smallest_effective_samples_edge", "largest_difference", "most_different_edge"),
            *("largest_standard_error", "effective_dags", "effective_runs", "acceptance"),
            "exchange_acceptance",
        )
        result: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        return result

    def __str__(self) -> str:
        """Say the verdict and why."""
        return f"{self.verdict}: {' '.join(self.sentences)}"

    def __repr__(self) -> str:
        """Say the verdict."""
        return f"<Diagnosis: {self.verdict}>"
