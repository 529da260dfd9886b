"""`arcwise estimate`: the posterior probability of a feature, from a folder of results."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_posterior
from arcwise.cli.output import Result
from arcwise.cli.reliability import print_verdicts, reliability_result


def estimate(
    folder: ResultFolder,
    feature: Annotated[
        str,
        typer.Argument(
            metavar="FEATURE",
            help="For example 'smoke -> dysp' (an edge), 'smoke ~> dysp' (a path) or "
            "'blanket(x) has y'.",
        ),
    ],
    given: Annotated[
        str | None, typer.Option("--given", help="An event to condition on.", metavar="FEATURE")
    ] = None,
) -> Result:
    """Estimate the posterior probability of a feature, with its standard error.

    [bold]Example:[/bold] arcwise estimate results "smoke ~> dysp"
    """
    posterior = saved_posterior(folder)
    found = arcwise.estimate(posterior, feature, given=given)
    print(found)
    print_verdicts(posterior)
    return lambda: {"reliability": reliability_result(posterior), **found.as_dict()}
