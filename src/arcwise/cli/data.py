"""`arcwise describe` and `arcwise simulate`: describing a table, and drawing one from a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import Result
from arcwise.cli.options import Seed, TableOptions
from arcwise.data.reader import Reading, examine, examined_dict
from arcwise.data.table import write_text


def describe(data: TableOptions) -> Result:
    """Describe a table: rows, kinds of columns, levels, ranges, what is missing and remarkable.

    Any table that can be read at all is described, with what has to be mended before it can be
    used, and the option that does it.

    [bold]Example:[/bold] arcwise describe data.csv
    """
    source: Any = data.source
    reading = dict(data.reading)
    if data.series is not None:
        source, reading = data.read(), {}
    print(arcwise.describe(source, **reading).in_shell)
    return lambda: examined_dict(examine(source, Reading(**reading)))


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
