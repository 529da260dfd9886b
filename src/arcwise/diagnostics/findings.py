"""The rules by which numbers become a verdict, sentences and warnings.

The limits are those of Vehtari and others (2021) where they have one. With hundreds of
edges one is always far off by chance, so that more is asked for before an edge counts
against a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Figures
from arcwise.errors import (
    ArcwiseWarning,
    ChainsApartWarning,
    ConvergenceWarning,
    ExchangeWarning,
    RareChangeWarning,
    WeightCollapseWarning,
)
from arcwise.records.settings import AnnealingSettings, SamplingSettings
from arcwise.statistics.edges import FEWEST_CHANGES
from arcwise.support.words import listing

LARGEST_RHAT = 1.05
LARGEST_EDGE_RHAT = 1.1
HOPELESS_RHAT = 1.2
FEWEST_EFFECTIVE = 100.0
FEWEST_EFFECTIVE_OF_EDGE = 50.0
LARGE_DIFFERENCE = 0.5
NOTABLE_DIFFERENCE = 0.2
FEWEST_EXCHANGES = 0.05
FEWEST_RUNS, FEW_RUNS = 10.0, 50.0
_FEW_EFFECTIVE_DAGS, _SMALL_EFFECTIVE_SHARE = 20.0, 0.01
FEWEST_ACCEPTED = 0.01
_MIDDLING = 0.05
_EDGES_NAMED = 3


@dataclass(frozen=True)
class Finding:
    """Something that speaks against a posterior.

    Parameters
    ----------
    grave
        Whether there is no trusting it, or only some doubt.
    kind
        The class of the warning.
    fact, change
        What was found, and what to do about it.
    """

    grave: bool
    kind: type[ArcwiseWarning]
    fact: str
    change: str

    def warning(self) -> ArcwiseWarning:
        """Return it as a warning, which may be read without the others."""
        return self.kind(f"{self.fact}; {self.change}.")


def in_words(findings: Sequence[Finding]) -> list[str]:
    """Return a sentence for each, without the advice that was given before."""
    sentences: list[str] = []
    given: list[str] = []
    for finding in findings:
        said = any(finding.change in change for change in given)
        sentences.append(f"{finding.fact}." if said else f"{finding.fact}; {finding.change}.")
        given.append(finding.change)
    return sentences


def fewest_effective_dags(count: int) -> float:
    """Return how many equally weighted DAGs so many weighted ones should be worth.

    A few DAGs of nearly equal weights are too few, but not because of their weights.
    """
    return min(max(_FEW_EFFECTIVE_DAGS, _SMALL_EFFECTIVE_SHARE * count), count / 2)


def advice(settings: SamplingSettings) -> str:
    """Return what to change where runs with such settings do not come together."""
    if isinstance(settings, AnnealingSettings):
        return "give more steps to each run, or more runs"
    if settings.tempering is not None:
        return "run more steps, or give more temperatures or ladder='adapted'"
    others = ["use mc3", *settings.space.advice(settings.recording.target)]
    return f"run more steps, or {' or '.join(others)}"


def of_chains(change: str, figures: Figures) -> list[Finding]:
    """Return what R-hat, effective sample sizes and differences of chains speak against.

    Parameters
    ----------
    change
        The advice.
    figures
        What is known of them.
    """
    found = []
    convergence, edge = figures.convergence, figures.most_different_edge
    difference = convergence.difference
    apart = "" if edge is None else f" ({edge[0]} → {edge[1]})"
    is_large = difference is not None and difference > LARGE_DIFFERENCE
    if is_large:
        found.append(
            Finding(
                True,
                ChainsApartWarning,
                f"The chains contradict each other: the probability of an edge{apart} differs by "
                f"{difference:.2f} between them",
                change,
            )
        )
    elif difference is not None and difference > NOTABLE_DIFFERENCE:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                f"The probability of an edge{apart} differs by {difference:.2f} between chains",
                "run more steps",
            )
        )
    above = [
        (value, f"{_size(value)} of {what} (above {limit})")
        for value, limit, what in (
            (convergence.rhat, LARGEST_RHAT, "the log weight"),
            (convergence.edge_rhat, LARGEST_EDGE_RHAT, "an edge"),
        )
        if value is not None and value > limit
    ]
    if above:
        # R-hat alone does not say how much it matters.
        where = "" if is_large else apart
        beside = "" if difference is None else f", edges differ by up to {difference:.2f}{where}"
        found.append(
            Finding(
                max(value for value, _ in above) > HOPELESS_RHAT,
                ConvergenceWarning,
                f"The chains have not come together: R-hat is "
                f"{' and '.join(words for _, words in above)}{beside}",
                change,
            )
        )
    few = [
        f"{value:.0f} of {what} (fewer than {limit:.0f})"
        for value, limit, what in (
            (convergence.ess, FEWEST_EFFECTIVE, "the log weight"),
            (convergence.edge_ess, FEWEST_EFFECTIVE_OF_EDGE, "an edge"),
        )
        if value is not None and value < limit
    ]
    if few:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                f"The draws are worth too few independent ones: {' and '.join(few)}",
                change,
            )
        )
    if figures.chains == 1:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                "One chain alone cannot show that it has missed something",
                "run several chains",
            )
        )
    return found


def _size(value: float) -> str:
    return "infinite" if np.isinf(value) else f"{value:.2f}"


def of_rare_changes(
    edges: NDArray[np.float64], changes: NDArray[np.int64], variables: tuple[str, ...]
) -> list[Finding]:
    """Return a finding if edges of middling probability changed only a few times.

    Such an edge looks certain of its probability and is known from a few visits only.
    """
    # Those that never changed within a chain differ between chains, which is said elsewhere.
    few = (changes > 0) & (changes < FEWEST_CHANGES) & (np.minimum(edges, 1 - edges) > _MIDDLING)
    if not few.any():
        return []
    pairs = np.argwhere(few)
    named = listing((f"{variables[u]} → {variables[v]}" for u, v in pairs), _EDGES_NAMED)
    verb = "edge comes or goes" if len(pairs) == 1 else "edges come or go"
    return [
        Finding(
            False,
            RareChangeWarning,
            f"{len(pairs)} {verb} fewer than {FEWEST_CHANGES} times in all draws ({named}), which "
            "is too rare to tell an error",
            "run more steps",
        )
    ]


def of_sampler(change: str, figures: Figures) -> list[Finding]:
    """Return what exchanges, acceptance and weights speak against."""
    found = []
    exchanges = figures.worst_acceptance
    if exchanges is not None and exchanges < FEWEST_EXCHANGES:
        found.append(
            Finding(
                False,
                ExchangeWarning,
                f"Neighbouring temperatures exchange states in only {exchanges:.1%} of the "
                "proposals",
                "give more temperatures, or ladder='adapted'",
            )
        )
    accepted = [rate for rate in figures.acceptance.values() if rate is not None]
    if accepted and max(accepted) < FEWEST_ACCEPTED:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                f"At most {max(accepted):.1%} of the moves of any kind are accepted",
                "use mc3, or a space with other moves",
            )
        )
    runs = figures.effective_runs
    if runs is not None and runs < FEW_RUNS:
        found.append(
            Finding(
                runs < FEWEST_RUNS,
                WeightCollapseWarning,
                f"The weights of the annealing runs are worth only {runs:.1f} equally weighted "
                "ones",
                change,
            )
        )
    dags, count = figures.effective_dags, figures.dags
    if dags is not None and dags < fewest_effective_dags(count):
        found.append(
            Finding(
                False,
                WeightCollapseWarning,
                f"The weights of the {count} DAGs are worth only {dags:.1f} equally weighted ones",
                "draw more DAGs, or use space='partitions', which needs no weights",
            )
        )
    return found
