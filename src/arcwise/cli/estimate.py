"""`arcwise estimate`: the posterior probability of a feature, from a folder of results."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import SavedPosterior
from arcwise.cli.output import Result, with_verdicts


def estimate(
    posterior: SavedPosterior,
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
    found = arcwise.estimate(posterior, feature, given=given)
    print(found)
    return with_verdicts(posterior, found.as_dict)
