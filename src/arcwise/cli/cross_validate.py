"""`arcwise cross-validate`: how well a variable is predicted in rows that were not learned from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import arcwise
from arcwise.cli.answers import Answer
from arcwise.cli.composition import OptionGroup, group_of, out_option
from arcwise.cli.options import DataOptions
from arcwise.cli.output import Result
from arcwise.cli.predict import TargetName
from arcwise.cli.questions import ScoreAndFamilies
from arcwise.learning.request import Request
from arcwise.support.running import Run
from arcwise.support.settings import Settings, setting, setting_like


@dataclass(frozen=True, kw_only=True)
class Validation(Settings):
    """What is learned from each part of the table, and how the others are predicted."""

    prior: str | None = setting(
        None, "The structure prior (default: that of learn).", metavar="uniform|fair"
    )
    folds: int = setting(10, "Number of folds.", metavar="N")
    level: float = setting_like(Answer, "level", 0.95, "Probability of the intervals.")
    steps: int | None = setting_like(Request, "steps", None, "The steps of each chain.")
    seed: int = setting_like(Run, "seed", 0, "Seed of the random numbers.")
    threads: int | None = setting_like(Run, "threads", None, "Number of threads.")


def cross_validate(
    data: DataOptions,
    target: TargetName,
    model: Annotated[ScoreAndFamilies, OptionGroup(ScoreAndFamilies)],
    validation: Annotated[Validation, group_of(Validation)],
    out: Annotated[Path | None, out_option("The .csv file for the scores of each fold.")] = None,
) -> Result:
    """Cross-validate the prediction of a variable: learn from all folds but one, predict that one.

    Prints log loss, Brier score and accuracy for discrete data, or RMSE, log density and coverage
    of intervals for continuous data. The options are those of learn.

    [bold]Example:[/bold] arcwise cross-validate data.csv --target dysp --folds 5
    """
    found = arcwise.cross_validate(
        data, target, progress=True, **model.asked, **model.families.constraints, **vars(validation)
    )
    print(found.preview())
    print(found.describe())
    if out is not None:
        found.write(out)
        print(f"The scores of each fold were written to {out}")
    return lambda: {"target": target, "folds": found.table().to_dicts()}
