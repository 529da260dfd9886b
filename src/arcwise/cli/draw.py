"""`arcwise draw`: a picture of the network of a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import options_of
from arcwise.cli.folders import SavedPosterior
from arcwise.cli.output import Result
from arcwise.plots.draw import PictureOptions


def draw(
    posterior: SavedPosterior,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The picture, ending in .svg, .pdf or .png.")
    ],
    options: Annotated[dict[str, Any], options_of(PictureOptions)],
) -> Result:
    """Draw the network of a folder of results, for a paper.

    [bold]Example:[/bold] arcwise draw results network.pdf --threshold 0.7
    """
    drawn = arcwise.draw(posterior, file, **options)
    print(f"Picture written to {drawn}")
    return lambda: {"picture": str(drawn)}
