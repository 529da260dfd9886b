"""`Convergence`: the figures by which runs of every kind are judged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Convergence:
    """How far chains agree, and how many independent draws theirs are worth.

    A figure that a run does not have is None: an exact one has none at all, annealing
    runs have an effective number alone, one chain has no difference to another.

    Parameters
    ----------
    rhat
        R-hat of the log weight; infinite where every chain stays at a place of its own.
    ess
        The effective sample size of the log weight; the effective number of annealing runs.
    edge_rhat
        The largest R-hat of an edge.
    edge_ess
        The smallest effective sample size of an edge, of those that are known.
    difference
        The largest difference of an edge probability between two chains.

    Examples
    --------
    >>> Convergence(rhat=1.01).ess is None
    True
    """

    rhat: float | None = None
    ess: float | None = None
    edge_rhat: float | None = None
    edge_ess: float | None = None
    difference: float | None = None
