"""`arcwise describe` and `arcwise simulate`: describing a table, and drawing one from a network."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.options import DataOptions, Seed
from arcwise.cli.output import Result
from arcwise.data.export import write_text
from arcwise.data.plain_description import data_dict


def describe(data: DataOptions) -> Result:
    """Describe a table as arcwise reads it: rows, kinds of columns, levels and ranges.

    [bold]Example:[/bold] arcwise describe data.csv
    """
    print(arcwise.describe(data))
    return partial(data_dict, data)


def simulate(
    network: Annotated[str, typer.Argument(metavar="NETWORK", help="A bundled network: asia.")],
    rows: Annotated[int, typer.Option("--rows", help="Number of rows.", metavar="N")] = 1000,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The .csv file to write (default: print to the terminal).", metavar="FILE"
        ),
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
