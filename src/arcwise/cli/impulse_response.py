"""`arcwise impulse-response`: what setting a variable does to another in steps to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

import arcwise
from arcwise.cli.answers import EffectOptions
from arcwise.cli.composition import group_of
from arcwise.cli.folders import SavedResults
from arcwise.cli.output import Result
from arcwise.support.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class Intervention(Settings):
    """How the source is set, and for how long its target is watched."""

    steps: int = setting(10, "Number of steps into the future.", metavar="N")
    hold: bool = setting(False, "Hold the source as it was set, instead of at time t alone.")


def impulse_response(
    saved: SavedResults,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is set at time t.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose response is asked for.")
    ],
    intervention: Annotated[Intervention, group_of(Intervention)],
    answer: EffectOptions,
) -> Result:
    """Estimate the response of one variable of a time series to another, step by step.

    For continuous data: the change in the mean of TARGET at t, t+1, ... if SOURCE is raised by one
    unit at t. For discrete data: its distribution if SOURCE is set to each of its levels. Averaged
    over DAGs and parameters; the probability that there is a response at all is stated.

    [bold]Example:[/bold] arcwise impulse-response results rate inflation --steps 8
    """
    posterior, data = saved
    found = arcwise.impulse_response(
        posterior,
        source,
        target,
        intervention.steps,
        hold=intervention.hold,
        reference=answer.reference_level(f"{source}(t)", data),
        model=data,
        **answer.averaging,
    )
    return answer.tell(posterior, "responses", found, answer.level)
