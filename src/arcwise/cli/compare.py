"""`arcwise compare`: whether the posteriors in two folders agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.cli.folders import saved_posterior
from arcwise.comparison.runs import RunComparison

_EDGES_SHOWN = 10


def compare(
    first: Annotated[Path, typer.Argument(metavar="FOLDER1", help="The first folder of results.")],
    second: Annotated[
        Path, typer.Argument(metavar="FOLDER2", help="The second folder of results.")
    ],
) -> None:
    """Compare two posteriors over the same variables: whether they agree, and where they differ.

    Differences are given in units of their standard errors, so that Monte Carlo error is not
    mistaken for disagreement.

    [bold]Example:[/bold] arcwise compare results results-of-another-seed
    """
    found = arcwise.compare(saved_posterior(first), saved_posterior(second))
    Console().print(_table(found))
    print(*found.sentences, sep="\n")


def _table(found: RunComparison) -> Table:
    table = Table(title="The edges that differ most", title_justify="left")
    for name in ("source", "target"):
        table.add_column(name)
    for name in ("first", "second", "difference", "in standard errors"):
        table.add_column(name, justify="right")
    for row in found.largest(_EDGES_SHOWN):
        table.add_row(
            Text(row.source),
            Text(row.target),
            f"{row.first:.4f}",
            f"{row.second:.4f}",
            f"{row.second - row.first:+.4f}",
            f"{row.in_errors:.1f}",
        )
    return table
