"""`arcwise effects`: the causal effect of one variable on another, from a folder of results."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.folders import ResultFolder, saved_data, saved_posterior
from arcwise.cli.options import Seed
from arcwise.cli.output import Result
from arcwise.cli.parameter_options import EffectDraws, IntervalLevel, ReferenceLevel, TableOut
from arcwise.cli.reliability import print_verdicts, reliability_result
from arcwise.data import Data, IncompleteData
from arcwise.parameters.highest_density import checked_level


def effects(
    folder: ResultFolder,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The variable that is intervened on.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The variable whose change is asked for.")
    ],
    reference: ReferenceLevel = None,
    level: IntervalLevel = 0.95,
    draws: EffectDraws = None,
    seed: Seed = 0,
    out: TableOut = None,
) -> Result:
    """Estimate the causal effect of one variable on another, with its uncertainty.

    For a continuous SOURCE: the change in the mean of TARGET if an intervention raises SOURCE by
    one unit. For a discrete one: the distribution of TARGET, or its mean if it is continuous, if
    an intervention sets SOURCE to each of its levels, and the differences. Averaged over DAGs and
    parameters; the probability of no effect at all is stated.

    [bold]Example:[/bold] arcwise effects results smoke dysp
    """
    checked_level(level)
    posterior, data = saved_posterior(folder), saved_data(folder)
    found = arcwise.effects(
        posterior,
        source,
        target,
        reference=None if reference is None else named_level(reference, source, data),
        model=data,
        draws=draws,
        seed=seed,
    )
    print(found.describe(level))
    print_verdicts(posterior)
    if out is not None:
        found.write(out, level)
        print(f"The table was written to {out}")
    return lambda: {
        "reliability": reliability_result(posterior),
        "level": level,
        "effects": found.table(level).to_dicts(),
    }


def named_level(text: str, variable: str, given: Data | IncompleteData) -> object:
    """Return the level that is written so; the text itself if there is none."""
    data = given.table if isinstance(given, IncompleteData) else given
    for column in data.columns:
        if column.name == variable:
            return next((level for level in column.kind.levels if str(level) == text), text)
    return text
