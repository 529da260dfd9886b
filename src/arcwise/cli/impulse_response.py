"""`arcwise impulse-response`: what setting a variable does to another in steps to come."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.effects import named_level
from arcwise.cli.folders import ResultFolder, saved_data, saved_posterior
from arcwise.cli.options import Seed
from arcwise.cli.output import Result
from arcwise.cli.parameter_options import EffectDraws, IntervalLevel, ReferenceLevel, TableOut
from arcwise.cli.reliability import print_verdicts, reliability_result
from arcwise.parameters.highest_density import checked_level


def impulse_response(
    folder: ResultFolder,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is set at time t.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose response is asked for.")
    ],
    steps: Annotated[
        int, typer.Option("--steps", help="Number of steps into the future.", metavar="N")
    ] = 10,
    hold: Annotated[
        bool,
        typer.Option("--hold", help="Hold the source as it was set, instead of at time t alone."),
    ] = False,
    reference: ReferenceLevel = None,
    level: IntervalLevel = 0.95,
    draws: EffectDraws = None,
    seed: Seed = 0,
    out: TableOut = None,
) -> Result:
    """Estimate the response of one variable of a time series to another, step by step.

    For continuous data: the change in the mean of TARGET at t, t+1, ... if SOURCE is raised by one
    unit at t. For discrete data: its distribution if SOURCE is set to each of its levels. Averaged
    over DAGs and parameters; the probability that there is a response at all is stated.

    [bold]Example:[/bold] arcwise impulse-response results rate inflation --steps 8
    """
    checked_level(level)
    posterior, data = saved_posterior(folder), saved_data(folder)
    found = arcwise.impulse_response(
        posterior,
        source,
        target,
        steps,
        hold=hold,
        reference=None if reference is None else named_level(reference, f"{source}(t)", data),
        model=data,
        draws=draws,
        seed=seed,
    )
    print(found.describe(level))
    print_verdicts(posterior)
    if out is not None:
        found.write(out, level)
        print(f"The table was written to {out}")
    return lambda: {
        "reliability": reliability_result(posterior),
        "level": level,
        "responses": found.table(level).to_dicts(),
    }
