"""Questions to a posterior: features, effects, responses, predictions and forecasts.

All answers except the probabilities of features are averaged over parameters as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import (
    OptionGroup,
    Result,
    SavedPosterior,
    SavedResults,
    group_of,
    out_option,
    with_verdicts,
)
from arcwise.cli.options import DataOptions, ScoreAndFamilies
from arcwise.data import Data, IncompleteData
from arcwise.learning.request import Request
from arcwise.posterior import Posterior
from arcwise.support.checks import open_fraction
from arcwise.support.running import Run
from arcwise.support.settings import Settings, setting, setting_like


@dataclass(frozen=True, kw_only=True)
class Answer(Settings):
    """The options of an answer that is averaged over parameters, and of its table."""

    level: float = setting(
        0.95, "Probability of the intervals.", check=open_fraction, metavar="PROBABILITY"
    )
    draws: int | None = setting(
        None,
        "Number of parameter draws for each DAG, for continuous data (default: 2,000 in all).",
        metavar="N",
    )
    seed: int = setting_like(Run, "seed", 0, "Seed of the random numbers.")
    out: Path | None = setting(None, "The .csv file to write.", metavar="FILE")

    @property
    def averaging(self) -> Mapping[str, Any]:
        """The arguments about draws of parameters."""
        return {"draws": self.draws, "seed": self.seed}

    def show(self, posterior: Posterior, name: str, found: Any, *level: float) -> Result:
        """Print an answer, by the level if one is given, with the verdicts, and write its table."""
        print(found.describe(*level) if level else found)
        result = with_verdicts(
            posterior, lambda: {"level": self.level, name: found.table(*level).to_dicts()}
        )
        if self.out is not None:
            found.write(self.out, *level)
            print(f"The table was written to {self.out}")
        return result


@dataclass(frozen=True, kw_only=True)
class _OfSource(Settings):
    """The option for the level that an effect is compared with."""

    reference: str | None = setting(
        None,
        "The level of a discrete source to compare the others with (default: the first).",
        metavar="LEVEL",
    )

    def reference_level(self, source: str, given: Data | IncompleteData) -> object:
        """Return the level of a source that the text of the option names, or the text itself."""
        data = given.table if isinstance(given, IncompleteData) else given
        for column in data.columns:
            if column.name == source:
                levels = (level for level in column.kind.levels if str(level) == self.reference)
                return next(levels, self.reference)
        return self.reference


@dataclass(frozen=True, kw_only=True)
class EffectAnswer(Answer, _OfSource):
    """The options of an effect, of its averaging over parameters, and of its table."""

    draws: int | None = setting(
        None, "Number of parameter draws for each DAG (default: 4,000 in all).", metavar="N"
    )


AnswerOptions = Annotated[Answer, group_of(Answer)]

EffectOptions = Annotated[EffectAnswer, group_of(EffectAnswer)]


def estimate(
    posterior: SavedPosterior,
    feature: Annotated[
        str,
        typer.Argument(
            metavar="FEATURE",
            help="For example 'smoke -> dysp' (an edge), 'smoke ~> dysp' (a path) or "
            "'blanket(x) has y'.",
        ),
    ],
    given: Annotated[
        str | None, typer.Option("--given", help="An event to condition on.", metavar="FEATURE")
    ] = None,
) -> Result:
    """Estimate the posterior probability of a feature, with its standard error.

    [bold]Example:[/bold] arcwise estimate results "smoke ~> dysp"
    """
    found = arcwise.estimate(posterior, feature, given=given)
    print(found)
    return with_verdicts(posterior, found.as_dict)


def effects(
    saved: SavedResults,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is intervened on.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose change is asked for.")
    ],
    answer: EffectOptions,
) -> Result:
    """Estimate the causal effect of one variable on another, with its uncertainty.

    For a continuous SOURCE: the change in the mean of TARGET if an intervention raises SOURCE by
    one unit. For a discrete one: the distribution of TARGET, or its mean if it is continuous, if
    an intervention sets SOURCE to each of its levels, and the differences. Averaged over DAGs and
    parameters; the probability of no effect at all is stated.

    [bold]Example:[/bold] arcwise effects results smoke dysp
    """
    posterior, data = saved
    reference = answer.reference_level(source, data)
    found = arcwise.effects(
        posterior, source, target, reference=reference, model=data, **answer.averaging
    )
    return answer.show(posterior, "effects", found, answer.level)


TargetName = Annotated[
    str, typer.Option("--target", help="The variable to predict.", metavar="COLUMN")
]


@dataclass(frozen=True, kw_only=True)
class Predictions(Answer):
    """The options of predictions, and of the file for them."""

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
        lambda: {"target": target, "scores": found.scores, "predictions": found.table().to_dicts()},
    )
    if out is not None:
        print(f"The predictions were written to {out}")
    return result


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
        posterior, history, **vars(columns), level=answer.level, model=data, **answer.averaging
    )
    return answer.show(posterior, "forecast", found)


@dataclass(frozen=True, kw_only=True)
class Intervention(Settings):
    """The options of an intervention, and the number of steps that its target is followed."""

    steps: int = setting(10, "Number of steps into the future.", metavar="N")
    hold: bool = setting(False, "Hold the source as it was set, instead of at time t alone.")


def impulse_response(
    saved: SavedResults,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is set at time t.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose response is asked for.")
    ],
    intervention: Annotated[Intervention, group_of(Intervention)],
    answer: EffectOptions,
) -> Result:
    """Estimate the response of one variable of a time series to another, step by step.

    For continuous data: the change in the mean of TARGET at t, t+1, ... if SOURCE is raised by one
    unit at t. For discrete data: its distribution if SOURCE is set to each of its levels. Averaged
    over DAGs and parameters; the probability that there is a response at all is stated.

    [bold]Example:[/bold] arcwise impulse-response results rate inflation --steps 8
    """
    posterior, data = saved
    found = arcwise.impulse_response(
        posterior,
        source,
        target,
        intervention.steps,
        hold=intervention.hold,
        reference=answer.reference_level(f"{source}(t)", data),
        model=data,
        **answer.averaging,
    )
    return answer.show(posterior, "responses", found, answer.level)


@dataclass(frozen=True, kw_only=True)
class Validation(Settings):
    """The options of cross-validation."""

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
