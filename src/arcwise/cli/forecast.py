"""`arcwise forecast`: the next slice of a time series."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.answers import AnswerOptions
from arcwise.cli.composition import group_of
from arcwise.cli.folders import SavedResults
from arcwise.cli.output import Result
from arcwise.support.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class HistoryColumns(Settings):
    """The columns that order the rows."""

    time: str | None = setting(
        None, "The column of times (default: rows in order).", metavar="COLUMN"
    )
    subject: str | None = setting(None, "The column of subjects (default: one).", metavar="COLUMN")


def forecast(
    saved: SavedResults,
    history: Annotated[
        Path,
        typer.Argument(
            metavar="HISTORY",
            help="The rows up to now: .csv, .tsv or .parquet, with the columns that were learned "
            "from, and at least as many rows for each subject as there are lags.",
        ),
    ],
    columns: Annotated[HistoryColumns, group_of(HistoryColumns)],
    answer: AnswerOptions,
) -> Result:
    """Forecast the next slice of each series, one step after its last row, with intervals.

    Averaged over DAGs and parameters.

    [bold]Example:[/bold] arcwise forecast results panel.csv --time week --subject id
    """
    posterior, data = saved
    found = arcwise.forecast(
        posterior,
        history,
        **vars(columns),
        level=answer.level,
        model=data,
        **answer.averaging,
    )
    return answer.tell(posterior, "forecast", found)
