"""`arcwise report`, which writes report.html like `arcwise learn`, and `arcwise draw`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import (
    Result,
    ResultFolder,
    SavedPosterior,
    options_of,
    saved_posterior,
)
from arcwise.errors import MissingDependencyError
from arcwise.plots.draw import PictureOptions
from arcwise.posterior import Posterior

PageTitle = Annotated[
    str | None, typer.Option("--title", help="Title of the report page.", metavar="TEXT")
]


def report(folder: ResultFolder, title: PageTitle = None) -> Result:
    """Write the report page of a folder of results, from its posterior.npz.

    [bold]Example:[/bold] arcwise report results
    """
    page = arcwise.report(saved_posterior(folder), folder / "report.html", title=title)
    print(f"Report written to {page}")
    return lambda: {"report": str(page)}


def write_page(posterior: Posterior, folder: Path, title: str | None) -> str | None:
    """Write the page to a folder and return a note on it, or print which package it needs."""
    try:
        page = arcwise.report(posterior, folder / "report.html", title=title)
    except MissingDependencyError as missing:
        print(f"arcwise: report.html was not written: {missing.in_shell()}", file=sys.stderr)
        return None
    return f"Report written to {page}"


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
