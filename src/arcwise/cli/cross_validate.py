"""`arcwise cross-validate`: how well a variable is predicted in rows that were not learned from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.answers import IntervalLevel
from arcwise.cli.composition import OptionGroup, options_of, out_option
from arcwise.cli.options import DataOptions
from arcwise.cli.output import Result
from arcwise.cli.predict import TargetName
from arcwise.cli.questions import ScoreAndFamilies
from arcwise.learning.request import Request
from arcwise.support.running import Run


@dataclass(frozen=True, kw_only=True)
class Learning(ScoreAndFamilies):
    """What is learned from each part of the table."""

    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", help="The structure prior (default: that of learn).", metavar="uniform|fair"
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What is predicted, in which parts of the table."""

    target: TargetName
    folds: Annotated[int, typer.Option("--folds", help="Number of folds.", metavar="N")] = 10
    level: IntervalLevel = 0.95


def cross_validate(
    *,
    data: DataOptions,
    learning: Annotated[Learning, OptionGroup(Learning)],
    prediction: Annotated[Prediction, OptionGroup(Prediction)],
    budget: Annotated[dict[str, Any], options_of(Request, "steps")],
    run: Annotated[dict[str, Any], options_of(Run, "seed", "threads")],
    out: Annotated[Path | None, out_option("The .csv file for the scores of each fold.")] = None,
) -> Result:
    """Cross-validate the prediction of a variable: learn from all folds but one, predict that one.

    Prints log loss, Brier score and accuracy for discrete data, or RMSE, log density and coverage
    of intervals for continuous data. The options are those of learn.

    [bold]Example:[/bold] arcwise cross-validate data.csv --target dysp --folds 5
    """
    found = arcwise.cross_validate(
        data,
        **asdict(prediction),
        progress=True,
        prior=learning.prior,
        **learning.arguments,
        **budget,
        **run,
    )
    print(found.preview())
    print(found.describe())
    if out is not None:
        found.write(out)
        print(f"The scores of each fold were written to {out}")
    return lambda: {"target": prediction.target, "folds": found.table().to_dicts()}
