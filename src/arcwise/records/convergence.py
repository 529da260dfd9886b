"""`Convergence`: the convergence figures of a run of any kind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Convergence:
    """The agreement of chains and their effective sample sizes.

    Figures that do not apply are None: an exact run has none, annealing has only an
    effective sample size, and a single chain has no difference.

    Parameters
    ----------
    rhat
        R-hat of the log posterior; infinite if every chain is constant at a different value.
    ess
        The effective sample size of the log posterior; for annealing, of the particles.
    edge_rhat
        The largest R-hat of an edge.
    edge_ess
        The smallest known effective sample size of an edge.
    difference
        The largest difference of an edge probability between two chains, as each has
        averaged it, or as their DAGs have it where chains average none.

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
