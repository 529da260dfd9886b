"""The rules by which diagnostics become findings about the computation.

The stopping rule and the verdict use the same limits. Those of R-hat and of the effective sample
size are the ones of Vehtari et al. (2021). Among hundreds of edges one is always extreme by chance,
so the limits for edges are less strict. The benchmark `verdict` measures how often a run within the
limits is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise.diagnostics.diagnosis import Figures
from arcwise.model import Model
from arcwise.records.account import Choices, Finding
from arcwise.records.runs import Exchanges
from arcwise.statistics.convergence import FEWEST_CHANGES, temperatures_needed
from arcwise.support.names import listing, plural

LARGEST_RHAT = 1.01
FEWEST_EFFECTIVE = 400.0
LARGEST_EDGE_RHAT = 1.05
FEWEST_EFFECTIVE_OF_EDGE = 400.0
"""A run with a stopping rule tends to end before it visits a rare mode, and the more so the fewer
independent visits there are."""
LARGEST_DIFFERENCE = 0.05
"""The largest difference between the edge probabilities of four parts of a run."""

DEFAULT_RULE = (
    f"rhat<{LARGEST_RHAT:g}, ess>{FEWEST_EFFECTIVE:g}, edge_rhat<{LARGEST_EDGE_RHAT:g}, "
    f"edge_ess>{FEWEST_EFFECTIVE_OF_EDGE:g}, difference<{LARGEST_DIFFERENCE:g}"
)
"""The stopping rule of a run that ends once it is reliable."""

FEWEST_CHAINS = 4
LARGEST_STANDARD_ERROR = 0.025
"""For an edge probability: errors of 0.1 are then four standard errors."""

LARGEST_DIFFERENCE_OF_HALVES = 0.1
"""Between the two halves of annealing particles, which have half the precision of the whole."""

# Beyond these, a run is unusable rather than doubtful.
HOPELESS_RHAT = 1.2
HOPELESS_DIFFERENCE = 0.3

RHAT_OF_WARNING = 1.05  # a run whose R-hat exceeds this issues a warning at its end

FEWEST_EXCHANGES = 0.05
FEWEST_ROUND_TRIPS = 10
"""The minimum over all coupled chains together for an estimate of the evidence."""

HOPELESS_PARTICLES, FEWEST_PARTICLES = 10.0, 50.0
FEWEST_ACCEPTED = 0.01


def doubts_of_ladder(exchanges: Exchanges) -> list[str]:
    """Return why the product of ratios along a ladder may be wrong, each with what to do.

    A ratio between temperatures that hardly exchange states depends on states that neither has
    visited. After a round trip, the state at the coldest temperature is independent of the one
    before: without round trips, the cold temperatures have only explored where they started.
    """
    rates = [rate for rate in exchanges.acceptance if rate is not None]
    fewest = min(rates, default=0.0)
    if fewest < FEWEST_EXCHANGES:
        needed = temperatures_needed(exchanges.acceptance)
        return [
            f"Adjacent temperatures exchange states in only {fewest:.1%} of the proposals; use an "
            f"adapted ladder of at least {plural(needed, 'temperature')}."
        ]
    trips = sum(exchanges.round_trips)
    if trips < FEWEST_ROUND_TRIPS:
        return [
            f"States made only {plural(trips, 'round trip')} between the hottest temperature "
            f"and the coldest, fewer than {FEWEST_ROUND_TRIPS}; run more steps."
        ]
    return []


def doubts_of_populations(model: Model) -> list[str]:
    """Return why all populations of a model may have a common error, which their spread conceals.

    At high temperatures, all particles without the required edges are penalised equally, and the
    first ones that have these edges share the same few neighbouring DAGs.
    """
    families = model.families
    if families is None or not any(families.required):
        return []
    return [
        "Edges are required, and particles that had none of them while hot may have found only a "
        "part of the DAGs that do; compare with another method."
    ]


_FEW_EFFECTIVE_DAGS, _SMALL_EFFECTIVE_SHARE = 20.0, 0.01
_MIDDLING = 0.05
_EDGES_NAMED = 3
_FEWEST_CHAINS_OF_TABLES = 2

_found = partial(Finding, "computation")


def fewest_effective_dags(count: int) -> float:
    """Return the smallest acceptable effective sample size of `count` weighted DAGs."""
    # A small number of DAGs of nearly equal weight is not a fault of the weights.
    return min(max(_FEW_EFFECTIVE_DAGS, _SMALL_EFFECTIVE_SHARE * count), count / 2)


def of_chains(change: str, figures: Figures) -> Iterator[Finding]:
    """Return the findings from R-hat, effective sample sizes and differences between chains."""
    convergence, example = figures.convergence, _example(figures)
    difference = convergence.difference
    is_large = difference is not None and difference > HOPELESS_DIFFERENCE
    if is_large:
        fact = (
            f"The chains disagree: the probability of an edge{example} differs by "
            f"{difference:.2f} between them"
        )
        yield _found("serious", "disagreement", fact, change)
    elif difference is not None and difference > LARGEST_DIFFERENCE:
        fact = f"The probability of an edge{example} differs by {difference:.2f} between chains"
        yield _found("caution", "convergence", fact, "run more steps")
    above = [
        (value, f"{_size(value)} for {what} (above {limit})")
        for value, limit, what in (
            (convergence.rhat, LARGEST_RHAT, "the log posterior"),
            (convergence.edge_rhat, LARGEST_EDGE_RHAT, "an edge"),
        )
        if value is not None and value > limit
    ]
    if above:
        # R-hat alone does not show the size of the effect.
        where = "" if is_large else example
        effect = (
            ""
            if difference is None
            else f", with edge probabilities up to {difference:.2f} apart{where}"
        )
        yield _found(
            "serious" if max(value for value, _ in above) > HOPELESS_RHAT else "caution",
            "convergence",
            "The chains have not converged: R-hat is "
            f"{' and '.join(words for _, words in above)}{effect}",
            change,
        )
    few = [
        f"{value:.0f} for {what} (below {limit:.0f})"
        for value, limit, what in (
            (convergence.ess, FEWEST_EFFECTIVE, "the log posterior"),
            (convergence.edge_ess, FEWEST_EFFECTIVE_OF_EDGE, "an edge"),
        )
        if value is not None and value < limit
    ]
    if few:
        fact = f"The effective sample size is too small: {' and '.join(few)}"
        yield _found("caution", "convergence", fact, change)
    if figures.chains < FEWEST_CHAINS:
        subject = "A single chain" if figures.chains == 1 else f"{figures.chains} chains"
        they = "it has" if figures.chains == 1 else "they have all"
        fact = f"{subject} cannot show whether {they} missed a mode"
        yield _found("caution", "convergence", fact, f"run {FEWEST_CHAINS} chains or more")


def _example(figures: Figures) -> str:
    edge = figures.most_different_edge
    return "" if edge is None else f" ({edge[0]} → {edge[1]})"


def _size(value: float) -> str:
    return "infinite" if np.isinf(value) else f"{value:.2f}"


def of_rare_changes(
    edges: NDArray[np.float64], changes: NDArray[np.int64], variables: tuple[str, ...]
) -> Iterator[Finding]:
    """Return a finding if edges of intermediate probability changed only a few times.

    The standard error of such an edge may appear small although it is based on a few changes.
    """
    # Edges that never changed within a chain differ between chains; `of_chains` finds these.
    few = (changes > 0) & (changes < FEWEST_CHANGES) & (np.minimum(edges, 1 - edges) > _MIDDLING)
    if not few.any():
        return
    pairs = np.argwhere(few)
    named = listing((f"{variables[u]} → {variables[v]}" for u, v in pairs), _EDGES_NAMED)
    verb = "edge changes" if len(pairs) == 1 else "edges change"
    fact = (
        f"{len(pairs)} {verb} fewer than {FEWEST_CHANGES} times in all draws ({named}), too "
        "rarely to estimate a standard error"
    )
    yield _found("caution", "rare changes", fact, "run more steps")


def of_halves(change: str, figures: Figures, halves: str) -> Iterator[Finding]:
    """Return a finding if two halves, of annealing particles or of chains, differ."""
    difference = figures.convergence.difference
    if difference is None or difference <= LARGEST_DIFFERENCE_OF_HALVES:
        return
    yield _found(
        "serious" if difference > HOPELESS_DIFFERENCE else "caution",
        "convergence",
        f"The probability of an edge{_example(figures)} differs by {difference:.2f} between the "
        f"two halves of {halves}",
        change,
    )


def of_completions(figures: Figures) -> Iterator[Finding]:
    """Return the findings about completed tables: agreement of chains, and precision."""
    change = "average over more completed tables"
    if figures.chains < _FEWEST_CHAINS_OF_TABLES:
        fact = "A single chain of completed tables cannot show whether it has missed something"
        yield _found("caution", "convergence", fact, "run several chains")
        yield from of_precision(change, figures)
        return
    disagreement: list[Finding] = []
    if figures.differences is not None:
        disagreement += of_halves(change, figures, "the chains that complete the table")
    yield from disagreement or of_precision(change, figures)


def of_precision(change: str, figures: Figures) -> Iterator[Finding]:
    """Return a finding if the standard error of an edge probability is large."""
    error = figures.largest_standard_error
    if error is None or error <= LARGEST_STANDARD_ERROR:
        return
    fact = (
        f"The standard error of an edge probability is {error:.2g} (above {LARGEST_STANDARD_ERROR})"
    )
    yield _found("caution", "convergence", fact, change)


def of_parents(chosen: Choices) -> Iterator[Finding]:
    """Return a finding if likely parents may be missing, however well chains agree."""
    if not chosen.parents_left_out:
        return
    fact = (
        "The growth of candidate parents was cut short and no other parents are allowed, so "
        "that likely ones may be left out, however well chains agree"
    )
    yield _found("caution", "parents", fact, "give it more time, or fewer rows or columns")


def of_sampler(change: str, figures: Figures) -> Iterator[Finding]:
    """Return the findings from exchanges, acceptance rates and importance weights."""
    exchanges = figures.worst_acceptance
    if exchanges is not None and exchanges < FEWEST_EXCHANGES:
        yield _found(
            "note",
            "exchanges",
            f"Adjacent temperatures accept only {exchanges:.1%} of the proposed exchanges, so "
            "that coupling brings little",
            "use an adapted ladder of at least "
            f"{plural(temperatures_needed(figures.exchange_acceptance), 'temperature')}",
        )
    elif figures.round_trips is not None and not any(figures.round_trips):
        fact = (
            "No state went from the hottest temperature to the coldest and back, so that "
            "hotter ones have not yet helped the coldest to leave a mode"
        )
        yield _found("note", "exchanges", fact, "run more steps")
    accepted = [rate for rate in figures.acceptance.values() if rate is not None]
    if accepted and max(accepted) < FEWEST_ACCEPTED:
        fact = f"No kind of move is accepted in more than {max(accepted):.1%} of its proposals"
        yield _found("caution", "convergence", fact, "use mc3, or another space")
    runs = figures.effective_runs
    if runs is not None and runs < FEWEST_PARTICLES:
        yield _found(
            "serious" if runs < HOPELESS_PARTICLES else "caution",
            "importance weights",
            f"The effective sample size of annealing is only {runs:.1f} particles",
            change,
        )
    dags, count = figures.effective_dags, figures.dags
    if dags is not None and dags < fewest_effective_dags(count):
        yield _found(
            "caution",
            "importance weights",
            f"The effective sample size of the {count} weighted DAGs is only {dags:.1f}",
            "draw more DAGs, or use the space partitions, which needs no weights",
        )
