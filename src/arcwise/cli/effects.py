"""`arcwise effects`: the causal effect of one variable on another, from a folder of results."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.answers import EffectOptions
from arcwise.cli.folders import SavedResults
from arcwise.cli.output import Result


def effects(
    saved: SavedResults,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is intervened on.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose change is asked for.")
    ],
    answer: EffectOptions,
) -> Result:
    """Estimate the causal effect of one variable on another, with its uncertainty.

    For a continuous SOURCE: the change in the mean of TARGET if an intervention raises SOURCE by
    one unit. For a discrete one: the distribution of TARGET, or its mean if it is continuous, if
    an intervention sets SOURCE to each of its levels, and the differences. Averaged over DAGs and
    parameters; the probability of no effect at all is stated.

    [bold]Example:[/bold] arcwise effects results smoke dysp
    """
    posterior, data = saved
    reference = answer.reference_level(source, data)
    found = arcwise.effects(
        posterior, source, target, reference=reference, model=data, **answer.averaging
    )
    return answer.tell(posterior, "effects", found, answer.level)
