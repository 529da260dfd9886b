"""`arcwise estimate`: the probability of anything one may ask of a saved posterior."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_posterior


def estimate(
    folder: ResultFolder,
    feature: Annotated[
        str,
        typer.Argument(
            metavar="FEATURE",
            help="Such as 'smoke -> dysp', 'smoke ~> dysp' (a path) or 'blanket(x) has y'.",
        ),
    ],
    given: Annotated[
        str | None, typer.Option("--given", help="A feature to condition on.", metavar="FEATURE")
    ] = None,
) -> None:
    """Estimate the probability of a feature of the graph, with its error.

    [bold]Example:[/bold] arcwise estimate results "smoke ~> dysp"
    """
    print(arcwise.estimate(saved_posterior(folder), feature, given=given))
