"""`arcwise feature`: the probability of anything one may ask of a saved posterior."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli.folders import ResultFolder, saved_posterior


def feature(
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
    """Say how probable a feature of the graph is, with its error.

    [bold]Example:[/bold] arcwise feature results "smoke ~> dysp"
    """
    print(saved_posterior(folder).estimate(feature, given=given))
