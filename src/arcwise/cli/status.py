"""`arcwise status`: how a run stands, also while it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.support.plain import strict_json


def status(
    directory: Annotated[Path, typer.Argument(help="The folder that --run named.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Tell how a run stands: steps, rate, acceptance, R-hat, last checkpoint, time left.

    [bold]Example:[/bold] arcwise status runs/first
    """
    found = arcwise.status(directory)
    print(strict_json(found.as_dict(), indent=2) if as_json else found)
