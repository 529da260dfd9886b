"""`arcwise predict`: one variable given the rest of each row of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.answers import Answer
from arcwise.cli.composition import group_of
from arcwise.cli.folders import SavedResults
from arcwise.cli.output import Result, with_verdicts
from arcwise.support.settings import setting

TargetName = Annotated[
    str, typer.Option("--target", help="The variable to predict.", metavar="COLUMN")
]


@dataclass(frozen=True, kw_only=True)
class Predictions(Answer):
    """How predictions are averaged over parameters, and where they are written."""

    out: Path | None = setting(None, "The .csv file for the predictions.", metavar="FILE")


def predict(
    saved: SavedResults,
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="The rows to predict: .csv, .tsv or .parquet, with a header; any columns and "
            "values may be missing.",
        ),
    ],
    target: TargetName,
    answer: Annotated[Predictions, group_of(Predictions)],
) -> Result:
    """Predict one variable given the rest of each row, averaged over DAGs and parameters.

    If the table has the target, predictions do not use it but are compared with it: log loss,
    Brier score and accuracy for discrete data, RMSE, log density and coverage for continuous data.

    [bold]Example:[/bold] arcwise predict results new.csv --target dysp --out predicted.csv
    """
    (posterior, data), out = saved, answer.out
    found = arcwise.predict(
        posterior, table, target, level=answer.level, model=data, **answer.averaging
    )
    print(f"Predictions of {target}: {found.describe()}")
    if out is not None:
        found.write(out)
    print(found.preview(rest="add --out FILE for all" if out is None else f"all are in {out}"))
    result = with_verdicts(
        posterior,
        lambda: {
            "target": target,
            "scores": found.scores,
            "predictions": found.table().to_dicts(),
        },
    )
    if out is not None:
        print(f"The predictions were written to {out}")
    return result
