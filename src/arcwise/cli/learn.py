"""`arcwise learn`: from a table to edge probabilities and a report, with automatic choices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import (
    OptionGroup,
    Result,
    note_nothing_kept,
    options_of,
    out_option,
    posterior_result,
    save_data,
)
from arcwise.cli.options import LearnedDataOptions, PriorName, RunOptions, ScoringOptions
from arcwise.cli.report import PageTitle
from arcwise.cli.results import print_steps, show_posterior, write_results
from arcwise.errors import ArgumentError
from arcwise.learning.request import Request
from arcwise.series import IncompleteTimeSeries, TimeSeries


@dataclass(frozen=True, kw_only=True)
class Results:
    """The run, its results, and where they are written."""

    out: Annotated[
        Path | None,
        out_option(
            "Folder for edges.csv, summary.json, posterior.npz, data.npz (the table, for "
            "effects and predictions) and report.html.",
            "FOLDER",
        ),
    ] = None
    run: RunOptions
    title: PageTitle = None
    each_step: Annotated[
        bool,
        typer.Option(
            "--each-step",
            help="Learn a network for each step of a panel, instead of one for all of them; "
            "results go to a folder for each in --out.",
            rich_help_panel="Time series",
        ),
    ] = False

    @property
    def folder(self) -> Path | None:
        """The folder for results."""
        return self.run.get("directory") if self.out is None else self.out


def learn(
    *,
    data: LearnedDataOptions,
    scoring: ScoringOptions,
    results: Annotated[Results, OptionGroup(Results)],
    prior: PriorName = None,
    options: Annotated[dict[str, Any], options_of(Request, first="algorithm")],
) -> Result:
    """Learn the structure: the posterior probability of each edge. Start here with a new table.

    Chooses the score, exact computation or a sampler, and when to stop, and reports what was done
    and how reliable the result is. Every choice can be overridden by an option. Ctrl-C keeps the
    draws made so far.

    [bold]Example:[/bold] arcwise learn data.csv --seconds 60 --out results
    """
    if results.folder is not None:
        save_data(data, results.folder)  # before anything takes time
    for name, word in {"until": "none", "algorithm": "auto"}.items():
        if options.get(name) == word:
            options[name] = None
    asked = {"prior": prior, **scoring.asked, **options}
    constraints = scoring.families.constraints
    carried = {"engine": scoring.cluster, "progress": True, **results.run}
    if results.each_step:
        return _learn_each_step(data, asked | constraints | carried, results.folder)
    posterior = arcwise.learn(data, **asked, **constraints, **carried)
    return show_posterior(posterior, results.folder, results.title)


def _learn_each_step(data: object, arguments: dict[str, Any], folder: Path | None) -> Result:
    if not isinstance(data, TimeSeries | IncompleteTimeSeries):
        raise ArgumentError(
            "--each-step is for the transitions of a time series; add --time or --lags, and "
            "--subject"
        )
    if "directory" in arguments:
        raise ArgumentError("--run is for one network; give --out with --each-step")
    found = arcwise.dynamics.learn_steps(data, **arguments)
    print_steps(found)
    if folder is None:
        note_nothing_kept()
    else:
        for number, (time, posterior) in enumerate(found.items(), 1):
            print(f"to {time}: {write_results(posterior, folder / f'step-{number}')}")
    return lambda: {
        "log_evidence": found.log_evidence,
        "steps": [
            {"time": time, **posterior_result(posterior)} for time, posterior in found.items()
        ],
    }
