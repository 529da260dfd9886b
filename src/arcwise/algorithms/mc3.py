"""`mc3`: Metropolis-coupled chains at several temperatures, and the evidence they estimate.

Temperature i has the target w(s)^b_i with inverse temperatures b_1 < ... < b_T = 1. States s and s'
of neighbouring temperatures i and j are exchanged with the probability

    min(1, (w(s) / w(s'))^(b_j - b_i)),

and the ratios of neighbouring constants, Z_j / Z_i = E_i[w(s)^(b_j - b_i)], multiply to the
evidence where b_1 is 0 (Geyer 1991; paper 000, section 4.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.model import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import Posterior
from arcwise.records.settings import (
    Algorithm,
    ChainSettings,
    OfModel,
    Tempering,
    adapts,
    checked_ladder,
    leads_over_bridge,
    refuse_without_bridge,
    tempering_along,
    usual_steps_between_exchanges,
)
from arcwise.support.checks import MOST_INT, whole_number
from arcwise.support.running import Deadline, Run
from arcwise.support.settings import keywords_of, setting


@dataclass(frozen=True, kw_only=True)
class MC3(ChainSettings):
    """The options of `mc3`; a step moves the states of all temperatures once."""

    sampler: ClassVar[Algorithm] = Algorithm.MC3
    coupled: ClassVar[bool] = True

    temperatures: int | None = setting(
        None,
        "The number of temperatures, the posterior's included. None: where the ladder adapts, 8 at "
        "first, to which the burn-in adds as many as it takes to accept about half of the "
        "exchanges, up to 64, for each chain by itself; otherwise 16.",
        check=partial(whole_number, at_least=2),
        help="Number of temperatures of mc3 (default: 16; with a ladder that adapts, as many as "
        "the burn-in finds necessary, at most 64).",
        metavar="N",
    )
    ladder: str | Sequence[float] | Sequence[tuple[float, float]] = setting(
        "linear",
        '``"linear"``: inverse temperatures from 0 to 1 in equal steps. ``"harmonic"``: 1 / T, '
        "1 / (T - 1), ..., 1 / 2, 1 for T temperatures; as none is 0, the evidence is not "
        'estimated. ``"adapted"``: linear at first, then adapted during burn-in so that all '
        "exchanges have the same acceptance rate: better where modes are separate or the evidence "
        'is wanted, at the price of fewer cold temperatures. ``"bridge"``, for `CanonicalOrders`: '
        "not temperatures but places on the way from the order-modular posterior to the modular "
        "one, adapted likewise; the ratio of the two evidences is estimated. "
        '``"uniform bridge"``: the same after temperatures that lead from the uniform distribution '
        "to the order-modular posterior, so that the evidence is estimated. Or the inverse "
        "temperatures themselves, increasing to 1, and starting at 0 if the evidence is to be "
        "estimated; or pairs of these and of places on the bridge, from 0 to 1.",
        check=lambda value, name: checked_ladder(value),
        help="How the temperatures of mc3 are spaced (default: linear); 'bridge' leads from the "
        "order-modular posterior to the modular one, in the space canonical.",
        kind=Literal["linear", "harmonic", "adapted", "bridge", "uniform bridge"] | None,
        stored=Any,
    )
    steps_between_exchanges: int | None = setting(
        None,
        "The number of steps of each temperature before exchanges are proposed. None for a quarter "
        "of the number of variables. Where there are more threads than chains, the temperatures of "
        "a chain share them during these steps.",
        check=partial(whole_number, at_least=1, at_most=MOST_INT),
        in_shell=False,
    )

    def __post_init__(self) -> None:
        """Refuse a ladder over the bridge in a space without one."""
        super().__post_init__()
        if leads_over_bridge(self.ladder):
            refuse_without_bridge(self.space, "ladder")

    @property
    def remedy(self) -> str:
        """What to change if such runs do not converge."""
        if adapts(self.ladder):
            return "run more steps, or use smc"
        return "run more steps, or use more temperatures or an adapted ladder"

    def tempering(self, nodes: int) -> Tempering:
        """Return the temperatures of each chain, in a model of this many variables."""
        between = self.steps_between_exchanges or usual_steps_between_exchanges(nodes)
        ladder = tempering_along(self.ladder, self.temperatures, nodes)
        return replace(ladder, steps_between_exchanges=between)

    def completed(self, model: Model, sums: ScoreSums, deadline: Deadline) -> Self:
        """Return the settings with the defaults that depend on the model."""
        between = self.tempering(len(model.ordinary)).steps_between_exchanges
        settings = super().completed(model, sums, deadline)
        return replace(settings, steps_between_exchanges=between)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Run, MC3, OfModel):
    """The arguments of `mc3`."""


@keywords_of(_Arguments)
def mc3(model: Model, settings: MC3, run: Run) -> Posterior:
    """Sample the posterior by Metropolis-coupled Markov chains.

    Each chain holds one state for each temperature, from a (nearly) uniform distribution to the
    posterior. Adjacent temperatures exchange their states, which lets the coldest one move between
    separate modes, and all temperatures together give an estimate of the evidence. Exchanges
    alternate between even and odd pairs of temperatures, so that states keep moving in one
    direction (Syed et al. 2022); the run records the number of round trips from the hottest
    temperature to the coldest and back.

    Parameters
    ----------
    model
        The model.

    Returns
    -------
    Posterior
        As for `mcmc`, with the evidence.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mc3(model, temperatures=8, steps=4000, seed=1)
    >>> abs(posterior.log_evidence - arcwise.exact(model).log_evidence) < 0.5
    True
    """
    return sample_chains(model, settings, run)
