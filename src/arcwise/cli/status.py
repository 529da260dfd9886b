"""`arcwise status`: the progress of a run, also while it is running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.output import Result

RunDirectory = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The run directory given by --run.")
]


def status(directory: RunDirectory) -> Result:
    """Show the progress of a run: steps, rate, acceptance, R-hat, last checkpoint, time left.

    [bold]Example:[/bold] arcwise status runs/first
    """
    found = arcwise.status(directory)
    print(found)
    return found.as_dict
