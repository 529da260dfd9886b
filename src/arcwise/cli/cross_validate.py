"""`arcwise cross-validate`: how well a variable is predicted in rows that were not learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.options import (
    DataOptions,
    FamilyOptions,
    ScoreOptions,
    Seed,
    Steps,
    Threads,
)
from arcwise.cli.output import Result
from arcwise.cli.parameter_options import IntervalLevel
from arcwise.cli.predict import TargetName


def cross_validate(
    data: DataOptions,
    target: TargetName,
    score: ScoreOptions,
    families: FamilyOptions,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", help="The structure prior (default: that of learn).", metavar="uniform|fair"
        ),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", help="Number of folds.", metavar="N")] = 10,
    level: IntervalLevel = 0.95,
    steps: Steps = None,
    seed: Seed = 0,
    threads: Threads = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The .csv file for the scores of each fold.", metavar="FILE"),
    ] = None,
) -> Result:
    """Cross-validate the prediction of a variable: learn from all folds but one, predict that one.

    Prints log loss, Brier score and accuracy for discrete data, or RMSE, log density and coverage
    of intervals for continuous data. The options are those of learn.

    [bold]Example:[/bold] arcwise cross-validate data.csv --target dysp --folds 5
    """
    plus_one = None if families.candidates is None or families.grow else families.plus_one
    found = arcwise.cross_validate(
        data,
        target,
        folds=folds,
        seed=seed,
        level=level,
        progress=True,
        score=score,
        prior=prior,
        candidates=families.method,
        max_candidates=families.max_candidates,
        plus_one=plus_one,
        steps=steps,
        threads=threads,
        **families.constraints,
    )
    print(found.preview())
    print(found.describe())
    if out is not None:
        found.write(out)
        print(f"The scores of each fold were written to {out}")
    return lambda: {"target": target, "folds": found.table().to_dicts()}
