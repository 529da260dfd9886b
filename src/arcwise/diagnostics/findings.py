"""The rules by which numbers become a verdict, sentences and warnings.

The limits are those of Vehtari and others (2021) where they have one. With hundreds of
edges one is always far off by chance, so that more is asked for before an edge counts
against a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise._names import listing
from arcwise.diagnostics.edges import FEWEST_CHANGES
from arcwise.errors import (
    ArcwiseWarning,
    ChainsApartWarning,
    ConvergenceWarning,
    ExchangeWarning,
    RareChangeWarning,
    WeightCollapseWarning,
)

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
    """Something that speaks against a posterior: how gravely, as which warning, in words."""

    grave: bool
    kind: type[ArcwiseWarning]
    sentence: str


def fewest_effective_dags(count: int) -> float:
    """Return how many equally weighted DAGs so many weighted ones should be worth."""
    return max(_FEW_EFFECTIVE_DAGS, _SMALL_EFFECTIVE_SHARE * count)


def advice(algorithm: str) -> str:
    """Return what to change where chains do not come together."""
    if algorithm == "mc3":
        return "run more steps, or give more levels or ladder='adapted'"
    if algorithm == "ais":
        return "give more steps to each run, or more runs"
    return "run more steps, or use mc3, space='partitions' or larger buckets"


def of_chains(algorithm: str, numbers: dict[str, Any]) -> list[Finding]:
    """Return what R-hat, effective sample sizes and differences of chains speak against.

    Parameters
    ----------
    algorithm
        For the advice.
    numbers
        The fields of a `Diagnosis`, and ``largest_difference`` with ``apart``, the edge
        it is of in words.
    """
    found = []
    change = advice(algorithm)
    difference = numbers["largest_difference"]
    beside = (
        ""
        if difference is None
        else f"; the largest difference between chains is {difference:.2f}{numbers['apart']}"
    )
    if difference is not None and difference > LARGE_DIFFERENCE:
        found.append(
            Finding(
                True,
                ChainsApartWarning,
                f"The chains contradict each other: the probability of an edge{numbers['apart']} "
                f"differs by {difference:.2f} between them; {change}.",
            )
        )
    elif difference is not None and difference > NOTABLE_DIFFERENCE:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                f"The probability of an edge{numbers['apart']} differs by {difference:.2f} between "
                "chains; run more steps.",
            )
        )
    for value, limit, what in (
        (numbers["rhat_log_weight"], LARGEST_RHAT, "the log weight"),
        (numbers["largest_rhat_edge"], LARGEST_EDGE_RHAT, "an edge"),
    ):
        if value is not None and value > limit:
            size = "infinite" if np.isinf(value) else f"{value:.2f}"
            found.append(
                Finding(
                    value > HOPELESS_RHAT,
                    ConvergenceWarning,
                    f"R-hat of {what} is {size}, above {limit}, so that the chains have not come "
                    f"together{beside}; {change}.",
                )
            )
    for value, limit, what in (
        (numbers["effective_samples_log_weight"], FEWEST_EFFECTIVE, "of the log weight"),
        (numbers["smallest_effective_samples_edge"], FEWEST_EFFECTIVE_OF_EDGE, "of an edge"),
    ):
        if value is not None and value < limit:
            found.append(
                Finding(
                    False,
                    ConvergenceWarning,
                    f"The draws are worth only {value:.0f} independent ones {what}, fewer than "
                    f"{limit:.0f}; {change}.",
                )
            )
    if numbers["chains"] == 1:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                "One chain alone cannot show that it has missed something; run several chains.",
            )
        )
    return found


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
    named = listing((f"{variables[u]} -> {variables[v]}" for u, v in pairs), _EDGES_NAMED)
    verb = "edge comes or goes" if len(pairs) == 1 else "edges come or go"
    return [
        Finding(
            False,
            RareChangeWarning,
            f"{len(pairs)} {verb} fewer than {FEWEST_CHANGES} times in all draws ({named}), which "
            "is too rare to tell an error; run more steps.",
        )
    ]


def of_sampler(algorithm: str, numbers: dict[str, Any]) -> list[Finding]:
    """Return what exchanges, acceptance and weights speak against."""
    found = []
    rates = [rate for rate in numbers["exchange_acceptance"] or () if rate is not None]
    if rates and min(rates) < FEWEST_EXCHANGES:
        found.append(
            Finding(
                False,
                ExchangeWarning,
                f"Neighbouring temperatures exchange states in only {min(rates):.1%} of the "
                "proposals; give more levels, or ladder='adapted'.",
            )
        )
    accepted = [rate for rate in (numbers["acceptance"] or {}).values() if rate is not None]
    if accepted and max(accepted) < FEWEST_ACCEPTED:
        found.append(
            Finding(
                False,
                ConvergenceWarning,
                f"At most {max(accepted):.1%} of the moves of any kind are accepted; use mc3, or "
                "a space with other moves.",
            )
        )
    runs = numbers["effective_runs"]
    if runs is not None and runs < FEW_RUNS:
        found.append(
            Finding(
                runs < FEWEST_RUNS,
                WeightCollapseWarning,
                f"The weights of the annealing runs are worth only {runs:.1f} equally weighted "
                f"ones; {advice(algorithm)}.",
            )
        )
    dags, count = numbers["effective_dags"], numbers["dags"]
    if dags is not None and dags < fewest_effective_dags(count):
        found.append(
            Finding(
                False,
                WeightCollapseWarning,
                f"The weights of the {count} DAGs are worth only {dags:.1f} equally weighted ones; "
                "draw more DAGs, or use space='partitions', which needs no weights.",
            )
        )
    return found
