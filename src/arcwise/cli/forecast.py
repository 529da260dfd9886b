"""`arcwise forecast`: the next slice of a time series."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_data, saved_posterior
from arcwise.cli.options import Seed
from arcwise.cli.output import Result
from arcwise.cli.parameter_options import IntervalLevel, PredictionDraws, TableOut
from arcwise.cli.reliability import print_verdicts, reliability_result


def forecast(
    folder: ResultFolder,
    history: Annotated[
        Path,
        typer.Argument(
            metavar="HISTORY",
            help="The rows up to now: .csv, .tsv or .parquet, with the columns that were learned "
            "from, and at least as many rows for each subject as there are lags.",
        ),
    ],
    time: Annotated[
        str | None,
        typer.Option(
            "--time", help="The column of times (default: rows in order).", metavar="COLUMN"
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option("--subject", help="The column of subjects (default: one).", metavar="COLUMN"),
    ] = None,
    level: IntervalLevel = 0.95,
    draws: PredictionDraws = None,
    seed: Seed = 0,
    out: TableOut = None,
) -> Result:
    """Forecast the next slice of each series, one step after its last row, with intervals.

    Averaged over DAGs and parameters.

    [bold]Example:[/bold] arcwise forecast results panel.csv --time week --subject id
    """
    posterior = saved_posterior(folder)
    found = arcwise.forecast(
        posterior,
        history,
        time=time,
        subject=subject,
        level=level,
        model=saved_data(folder),
        draws=draws,
        seed=seed,
    )
    print(found)
    print_verdicts(posterior)
    if out is not None:
        found.write(out)
        print(f"The table was written to {out}")
    return lambda: {
        "reliability": reliability_result(posterior),
        "level": level,
        "forecast": found.table().to_dicts(),
    }
