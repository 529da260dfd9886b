"""`arcwise predict`: one variable given the rest of each row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_data, saved_posterior
from arcwise.cli.options import Seed
from arcwise.cli.output import Result
from arcwise.cli.parameter_options import IntervalLevel, PredictionDraws
from arcwise.cli.reliability import print_verdicts, reliability_result

TargetName = Annotated[
    str, typer.Option("--target", help="The variable to predict.", metavar="COLUMN")
]


def predict(
    folder: ResultFolder,
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="The rows to predict: .csv, .tsv or .parquet, with a header; any columns and "
            "values may be missing.",
        ),
    ],
    target: TargetName,
    level: IntervalLevel = 0.95,
    draws: PredictionDraws = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The .csv file for the predictions.", metavar="FILE"),
    ] = None,
) -> Result:
    """Predict one variable given the rest of each row, averaged over DAGs and parameters.

    If the table has the target, predictions do not use it but are compared with it: log loss,
    Brier score and accuracy for discrete data, RMSE, log density and coverage for continuous data.

    [bold]Example:[/bold] arcwise predict results new.csv --target dysp --out predicted.csv
    """
    posterior = saved_posterior(folder)
    found = arcwise.predict(
        posterior,
        table,
        target,
        level=level,
        model=saved_data(folder),
        draws=draws,
        seed=seed,
    )
    print(f"Predictions of {target}: {found.describe()}")
    if out is not None:
        found.write(out)
    print(found.preview(rest="add --out FILE for all" if out is None else f"all are in {out}"))
    print_verdicts(posterior)
    if out is not None:
        print(f"The predictions were written to {out}")
    return lambda: {
        "reliability": reliability_result(posterior),
        "target": target,
        "scores": found.scores,
        "predictions": found.table().to_dicts(),
    }
