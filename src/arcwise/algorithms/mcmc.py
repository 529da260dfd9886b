"""`mcmc`: Markov chains over a space of structures.

A state s of the space has the weight w(s), the sum of the posterior weights of its DAGs, or of the
fractions of them that the state represents. A move proposes s' with the probability q(s' | s), and
the chain accepts it with the probability

    min(1, w(s') q(s | s') / (w(s) q(s' | s))),

so that the posterior is stationary (Metropolis et al. 1953; Hastings 1970). The chains are
implemented in the core (`core/arcwise/chains`), and have a single temperature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.records.settings import Algorithm, ChainSettings, OfModel
from arcwise.support.checks import true_or_false
from arcwise.support.running import Run
from arcwise.support.settings import keywords_of, setting


@dataclass(frozen=True, kw_only=True)
class MCMC(ChainSettings):
    """The options of `mcmc`."""

    sampler: ClassVar[Algorithm] = Algorithm.MCMC

    adapt_moves: bool = setting(
        False,
        "Whether each chain over `Dags` adapts the shares of the kinds of moves during the "
        "burn-in, by how often they change edges for the work they take, and then keeps them; a "
        "quarter of the moves stays as usual. ``run.move_shares`` says how often each kind was "
        "proposed. On some tables this doubled what a second brings, on others it cost a third, so "
        "that it is not the default.",
        check=true_or_false,
        help="Let each chain of mcmc over dags adapt during the burn-in how often it tries each "
        "kind of move.",
    )

    def __post_init__(self) -> None:
        """Refuse to adapt moves in a space that does not support it."""
        super().__post_init__()
        if self.adapt_moves and not self.space.adapts_moves:
            raise ArgumentError(
                option("adapt_moves"),
                f" was given with the space {self.space!r}; the shares of moves are adapted in the "
                "space 'dags' alone, and where they are not given",
            )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, MCMC, OfModel):
    """The arguments of `mcmc`."""


@keywords_of(_Arguments)
def mcmc(model: Model, settings: MCMC, run: Run) -> Posterior:
    """Sample the posterior by the Metropolis–Hastings algorithm.

    If the states of the space follow the posterior of interest, the exact edge probabilities given
    each kept state are averaged: orders follow the order-modular posterior; `CanonicalOrders`,
    `Partitions`, `Layerings` and `Dags` follow the modular one. For the modular posterior on
    orders, DAGs are drawn and weighted by the inverse of their number of topological orders.

    Parameters
    ----------
    model
        The model.

    Returns
    -------
    Posterior
        With edge probabilities and their standard errors, the DAGs, the traces and the
        record of the run. Ctrl-C or SIGTERM ends the run early and returns the draws made
        so far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, steps=4000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.15)
    True
    """
    return sample_chains(model, settings, run)
