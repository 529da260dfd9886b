"""A pilot: short chains over DAGs tell whether longer ones mix, or have to be coupled.

Where modes are separate, plain chains stay in the one they begin in for as long as anybody waits,
and their share of the modes is that of their starts. Coupled to heated ones, chains over canonical
orders pass between them. They are many times slower, so they are chosen only where the pilot
has seen an edge that hardly ever changes, and where chains over DAGs, given a part of the time
(the trial), have an edge that some of them keep and others never have. An edge that seldom
changes is no reason by itself: on discrete tables of strongly dependent variables plain chains
agree in the time that coupled ones take for their first round trip.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.sampling_session import sums_for
from arcwise.errors import ArcwiseWarning
from arcwise.learning import costs
from arcwise.learning.choices import AlgorithmChoice, default_chains
from arcwise.learning.request import Request
from arcwise.model import Model
from arcwise.records.algorithm import Algorithm
from arcwise.records.start import usual_order_steps
from arcwise.spaces import CanonicalOrders, Dags
from arcwise.sums import ScoreSums

# The steps that the slowest edge takes to change, with windows of up to eight variables: beyond,
# there is a trial. Most tables take 5 to 100; at 350 to 580, plain chains do better than coupled
# ones; modes that differ in the parents of more variables than a window holds take more.
_SLOW = 1_000.0
# R-hat of the edge that chains of the trial agree on least. Chains that mix slowly have up to 2,
# and come down in the rest of the time; those that stay in different modes have 5 to infinity.
_APART = 3.0
# The trial's part of what is left of the time, or of the usual number of steps.
_TRIAL_SHARE = 0.2
_TRIAL_SEED = 0
# With more variables, coupled chains need so many temperatures that plain ones are better even
# where some edges are slow.
_MOST_VARIABLES = 32
# In less time than this, what is left after a pilot is too short for coupled chains.
_LEAST_SECONDS = 10.0


def after_pilot(
    request: Request, choice: AlgorithmChoice, model: Model
) -> tuple[AlgorithmChoice, ScoreSums | None]:
    """Return the choice after a pilot, and the score sums, if one was needed to make it.

    Pilot and trial have a fixed seed and a fixed number of steps; if seconds are given, as many
    as they allow, and none if these are few.

    Parameters
    ----------
    request
        What is asked about the run.
    choice
        The algorithm chosen by the size of the model alone.
    model
        The model.
    """
    n = len(model.ordinary)
    plain = choice.algorithm is Algorithm.MCMC and request.modularity == "modular"
    seconds = request.deadline.left if request.deadline.limited else None
    short = seconds is not None and seconds < _LEAST_SECONDS
    if not plain or request.settles_the_sampler or n > _MOST_VARIABLES or short:
        return choice, None
    sums = sums_for(model, None, request.threads)
    steps = Dags().build(sums).slowest_edge(usual_order_steps(n, seconds))
    if steps < _SLOW or not _stay_apart(request, model, sums):
        return replace(choice, reason=f"{choice.reason} and short chains did not stay apart"), sums
    return AlgorithmChoice(
        Algorithm.MC3,
        f"{choice.reason} and short chains over DAGs stayed apart",
        {"space": CanonicalOrders(), "ladder": "adapted"},
    ), sums


def _stay_apart(request: Request, model: Model, sums: ScoreSums) -> bool:
    """Return whether chains over DAGs, in a trial, keep to different edges."""
    n = len(model.ordinary)
    chains = default_chains(Algorithm.MCMC, n)
    limited = request.deadline.limited
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)  # of a trial, whose result nobody gets
        trial = mcmc(
            model,
            Dags(),
            chains=chains,
            steps=None if limited else round(_TRIAL_SHARE * costs.default_steps(n, chains)),
            seconds=request.deadline.part(_TRIAL_SHARE) if limited else None,
            seed=_TRIAL_SEED,
            sums=sums,
            threads=request.threads,
            progress=None,
        )
    if trial.run.interrupted:
        raise KeyboardInterrupt
    found = trial.run.convergence.edge_rhat
    return found is not None and found > _APART
