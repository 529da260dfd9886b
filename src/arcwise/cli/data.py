"""`arcwise describe` and `arcwise simulate`: looking at data, and making some."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.options import DataOptions
from arcwise.data.export import write_text


def describe(data: DataOptions) -> None:
    """Say how a table is understood: rows, kinds of columns, levels and ranges."""
    print(arcwise.describe(data))


def simulate(
    network: Annotated[str, typer.Argument(help="A bundled network: asia.")],
    rows: Annotated[int, typer.Option("--rows", help="Number of rows.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random numbers.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="The .csv file to write; without, print it.")
    ] = None,
) -> None:
    """Draw data from a bundled network.

    [bold]Example:[/bold] arcwise simulate asia --rows 2000 --out asia.csv
    """
    data = arcwise.simulate(network, rows, seed=seed)
    if out is None:
        write_text(data, sys.stdout)
    else:
        data.write_csv(out)
        print(f"{rows} rows written to {out}")
