"""`arcwise report`, and the page `arcwise learn` leaves: report.html in a folder of results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_posterior
from arcwise.errors import MissingDependencyError
from arcwise.posterior import Posterior


def report(
    folder: ResultFolder,
    title: Annotated[
        str | None, typer.Option("--title", help="The heading of the report page.")
    ] = None,
) -> None:
    """Write the report page of a folder of results anew, from its posterior.npz.

    [bold]Example:[/bold] arcwise report results
    """
    page = arcwise.report(saved_posterior(folder), folder / "report.html", title=title)
    print(f"Report written to {page}")


def write_page(posterior: Posterior, folder: Path, title: str | None) -> None:
    """Write the page to a folder, or say in a sentence what it lacks."""
    try:
        print(f"Report written to {arcwise.report(posterior, folder / 'report.html', title=title)}")
    except MissingDependencyError as missing:
        print(f"arcwise: no report.html: {missing}", file=sys.stderr)
