"""`Diagnosis`: the reliability of a posterior, in figures and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import (
    ArcwiseWarning,
    ChainsApartWarning,
    ConvergenceWarning,
    ExchangeWarning,
    RareChangeWarning,
    WeightCollapseWarning,
)
from arcwise.records.account import DataVerdict, Finding, Verdict, reliability_html, sentences_of
from arcwise.records.settings import Convergence
from arcwise.statistics.convergence import largest, number_or_none
from arcwise.support.html import card, facts
from arcwise.support.plain import attributes, plain_dict
from arcwise.support.running import warn

Matrix = NDArray[np.float64]

_WARNINGS: dict[str, type[ArcwiseWarning]] = {
    "disagreement": ChainsApartWarning,
    "convergence": ConvergenceWarning,
    "rare changes": RareChangeWarning,
    "exchanges": ExchangeWarning,
    "importance weights": WeightCollapseWarning,
}
"""The class of warning of each topic of findings about the computation."""

_FIGURES_IN_WORDS = {
    "chains": "chains",
    "draws": "draws of each",
    "rhat_log_weight": "R-hat of the log posterior",
    "effective_samples_log_weight": "effective sample size of the log posterior",
    "largest_rhat_edge": "largest R-hat of an edge",
    "smallest_effective_samples_edge": "smallest effective sample size of an edge",
    "largest_difference": "largest difference of an edge between chains",
    "largest_standard_error": "largest standard error of an edge",
    "effective_dags": "effective number of DAGs",
    "effective_runs": "effective number of runs",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Figures:
    """The figures by which the reliability of a posterior is assessed.

    Matrices are [source, target], and NaN where a figure is undefined. Figures that do not
    apply to an algorithm are None.
    """

    variables: tuple[str, ...]
    chains: int = 0
    draws: int = 0  # the number of draws in the shortest chain
    # The figures of the log posterior, and the worst of all edges.
    convergence: Convergence = field(default_factory=Convergence)
    # Figures of each edge; see `EdgeDiagnostics`.
    rhat: Matrix | None = None
    effective_samples: Matrix | None = None
    changes: NDArray[np.int64] | None = None
    # The edge probabilities averaged along each chain, or estimated from its weighted DAGs, as
    # [chain, source, target]; those of the two halves of annealing particles, which are too few to
    # compare one by one.
    chain_edges: Matrix | None = None
    differences: Matrix | None = None  # the largest difference of these between two chains
    standard_errors: Matrix | None = None  # the Monte Carlo standard error of each edge probability
    dags: int = 0  # the number of DAGs
    effective_dags: float | None = None  # Kish's effective sample size of their weights
    effective_runs: float | None = None  # the effective sample size of annealing, in particles
    acceptance: Mapping[str, float | None] = field(default_factory=dict)  # by kind of move
    exchange_acceptance: Sequence[float | None] = ()  # between adjacent temperatures
    round_trips: Sequence[int] | None = None  # the number for each coupled chain

    @property
    def most_different_edge(self) -> tuple[str, str] | None:
        """The edge on which the chains disagree most; None if they agree on all."""
        if self.differences is None or not number_or_none(largest(self.differences)):
            return None
        u, v = np.unravel_index(np.nanargmax(self.differences), self.differences.shape)
        return self.variables[u], self.variables[v]

    @property
    def largest_standard_error(self) -> float | None:
        """The largest Monte Carlo standard error of an edge probability."""
        if self.standard_errors is None:
            return None
        return number_or_none(largest(self.standard_errors))

    @property
    def worst_acceptance(self) -> float | None:
        """The lowest acceptance rate of exchanges between two temperatures."""
        rates = [rate for rate in self.exchange_acceptance if rate is not None]
        return min(rates, default=None)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Diagnosis(Figures):
    """The reliability of a posterior, as assessed by `diagnose`.

    Parameters
    ----------
    verdict
        The verdict on the computation, one of

        - ``"exact"``: computed exactly, not sampled;
        - ``"reliable"``: no diagnostic gives reason to doubt the probabilities and
          their standard errors;
        - ``"doubtful"``: some diagnostic does, as `sentences` explain;
        - ``"not converged"``: the chains disagree, or a few samples have nearly all of the
          weight, and the probabilities should not be used;
        - ``"unknown"``: there is too little information.
    data_verdict
        The verdict on data and model, one of ``"no problem found"``, ``"questionable"``,
        ``"poor"``, and ``"unknown"`` if there is no table.
    findings
        All findings: first those about the computation, then those about data and model, the most
        serious of each first.
    others
        See `Figures`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> diagnosis = arcwise.diagnose(arcwise.exact(model))
    >>> print(diagnosis)
    Computation: exact. The probabilities were computed exactly, not sampled; the rounding error ...
    Data and model: ...
    """

    verdict: Verdict
    data_verdict: DataVerdict = "unknown"
    findings: tuple[Finding, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings about the computation and what to change, the most serious first."""
        return tuple(sentences_of(f for f in self.findings if f.part == "computation"))

    @property
    def data_sentences(self) -> tuple[str, ...]:
        """The findings about data and model and what to do, the most serious first."""
        return tuple(sentences_of(f for f in self.findings if f.part == "data and model"))

    @property
    def warnings(self) -> tuple[ArcwiseWarning, ...]:
        """The reasons to doubt the computation as warnings of specific classes; see `warn`."""
        found = (f for f in self.findings if f.part == "computation" and f.topic in _WARNINGS)
        return tuple(_WARNINGS[finding.topic](finding.sentence) for finding in found)

    def warn(self) -> None:
        """Issue the findings as warnings."""
        for warning in self.warnings:
            warn(warning)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with the largest or smallest entry of each matrix."""
        found = self.convergence
        return plain_dict(
            **attributes(self, "verdict sentences data_verdict data_sentences chains draws"),
            rhat_log_weight=found.rhat,
            effective_samples_log_weight=found.ess if self.effective_runs is None else None,
            largest_rhat_edge=found.edge_rhat,
            smallest_effective_samples_edge=found.edge_ess,
            largest_difference=found.difference,
            **attributes(self, "most_different_edge largest_standard_error"),
            **attributes(self, "effective_dags effective_runs"),
            acceptance=self.acceptance or None,
            exchange_acceptance=self.exchange_acceptance or None,
            round_trips=self.round_trips,
        )

    def __str__(self) -> str:
        """Return the two verdicts and their reasons, each on one line."""
        return (
            f"Computation: {self.verdict}. {' '.join(self.sentences)}\n"
            f"Data and model: {self.data_verdict}. {' '.join(self.data_sentences)}"
        )

    def __repr__(self) -> str:
        """Show the two verdicts."""
        return f"<Diagnosis: computation {self.verdict}; data and model {self.data_verdict}>"

    def _repr_html_(self) -> str:
        """Return the two verdicts, their reasons and the figures, for notebooks."""
        figures = self.as_dict()
        worst = self.most_different_edge
        rows = {words: figures[name] for name, words in _FIGURES_IN_WORDS.items()}
        rows["edge that differs most between chains"] = worst and " → ".join(worst)
        return card(
            "Reliability",
            reliability_html(self.verdict, self.data_verdict, self.findings),
            facts(rows) if self.chains else "",
        )
