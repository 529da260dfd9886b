"""A pilot: short chains over DAGs tell whether longer ones come around, or have to be coupled.

Where modes are separate, plain chains stay in the one they begin in for as long as anybody waits,
and their share of the modes is that of their starts. Coupled to heated ones, chains over canonical
orders pass between them. They are several times slower, so they are chosen only where the pilot
has seen an edge that hardly ever changes.
"""

from __future__ import annotations

from dataclasses import replace

from arcwise.algorithms.sampling_session import sums_for
from arcwise.learning.choices import AlgorithmChoice
from arcwise.learning.request import Request
from arcwise.model import Model
from arcwise.records.algorithm import Algorithm
from arcwise.records.start import usual_order_steps
from arcwise.spaces import CanonicalOrders, Dags
from arcwise.sums import ScoreSums

# The steps that the slowest edge takes to change, with windows of up to eight variables: beyond,
# chains are coupled. Most tables take 5 to 100; at 350 to 580, plain chains still do better than
# coupled ones; modes that differ in the parents of more variables than a window holds take more.
_SLOW = 1_000.0
# With more variables, coupled chains need so many temperatures that plain ones are better even
# where some edges are slow.
_MOST_VARIABLES = 32
# In less time than this, what is left after a pilot is too short for coupled chains.
_LEAST_SECONDS = 10.0


def after_pilot(
    request: Request, choice: AlgorithmChoice, model: Model
) -> tuple[AlgorithmChoice, ScoreSums | None]:
    """Return the choice after a pilot, and the score sums, if one was needed to make it.

    The pilot has a fixed seed and a fixed number of steps; if seconds are given, as many as they
    allow, and none if these are few.

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
    if steps < _SLOW:
        return replace(choice, reason=f"{choice.reason} and short chains did not stay apart"), sums
    return AlgorithmChoice(
        Algorithm.MC3,
        f"{choice.reason} and short chains over DAGs stayed apart",
        {"space": CanonicalOrders(), "ladder": "adapted"},
    ), sums
