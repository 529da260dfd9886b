"""Reasons to doubt an estimate of the evidence that its standard error does not show."""

from __future__ import annotations

from arcwise.diagnostics.limits import FEWEST_EXCHANGES, FEWEST_ROUND_TRIPS
from arcwise.model import Model
from arcwise.records.runs import Exchanges
from arcwise.statistics.exchanges import temperatures_needed
from arcwise.support.words import plural


def doubts_of_ladder(exchanges: Exchanges) -> list[str]:
    """Return why the product of ratios along a ladder may be wrong, each with what to do.

    A ratio between temperatures that hardly exchange states rests on states that neither has
    visited. A round trip brings a state from the hottest temperature to the coldest
    independently of where it was there before: without some of them, what the cold
    temperatures have seen is where they began.
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
    """Return why all populations of a model may be wrong alike, which their spread does not show.

    While they are hot, particles without the required edges are penalised equally, and those that
    have them first have the same few DAGs around them.
    """
    families = model.families
    if families is None or not any(families.required):
        return []
    return [
        "Edges are required, and particles that had none of them while hot may have found only a "
        "part of the DAGs that do; compare with another method."
    ]
