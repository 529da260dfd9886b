"""`arcwise draw`: a picture of the network of a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import SavedPosterior
from arcwise.cli.output import Result


def draw(
    posterior: SavedPosterior,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The picture, ending in .svg, .pdf or .png.")
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="The smallest probability of an edge, in either direction, at which two "
            "variables are joined; 0.5 by default, and more for large networks with many edges.",
            metavar="PROBABILITY",
        ),
    ] = None,
    module: Annotated[
        int | None,
        typer.Option(
            "--module",
            help="The module of a large network to draw alone, from 1 for the largest.",
            metavar="NUMBER",
        ),
    ] = None,
    process: Annotated[
        bool,
        typer.Option(
            "--process",
            help="Of a time series, draw the process graph: edges at any lag.",
        ),
    ] = False,
    width: Annotated[
        float | None,
        typer.Option(
            "--width",
            help="The width of the picture, such as 3.5 for a column of a journal; by default "
            "what the network needs.",
            metavar="INCHES",
        ),
    ] = None,
    dpi: Annotated[
        int | None,
        typer.Option(
            "--dpi",
            help="Dots per inch of a .png file; 300 by default, and less for a very large picture.",
            metavar="NUMBER",
        ),
    ] = None,
) -> Result:
    """Draw the network of a folder of results, for a paper.

    [bold]Example:[/bold] arcwise draw results network.pdf --threshold 0.7
    """
    drawn = arcwise.draw(
        posterior, file, threshold, module=module, process=process, width=width, dpi=dpi
    )
    print(f"Picture written to {drawn}")
    return lambda: {"picture": str(drawn)}
