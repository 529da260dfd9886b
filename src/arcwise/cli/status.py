"""`arcwise status`: the progress of a run, also while it is running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.support.plain import strict_json


def status(
    directory: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The run directory given by --run.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the status as JSON.", metavar="")
    ] = False,
) -> None:
    """Show the progress of a run: steps, rate, acceptance, R-hat, last checkpoint, time left.

    [bold]Example:[/bold] arcwise status runs/first
    """
    found = arcwise.status(directory)
    print(strict_json(found.as_dict(), indent=2) if as_json else found)
