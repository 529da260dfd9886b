"""`arcwise learn`: from a table to edge probabilities and a report, with automatic choices."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import options_of
from arcwise.cli.edges_in_time import print_steps
from arcwise.cli.folders import save_data
from arcwise.cli.options import (
    ClusterOptions,
    FamilyOptions,
    LearnedDataOptions,
    PriorName,
    RunOptions,
    ScoreOptions,
)
from arcwise.cli.output import Result, note_nothing_kept, posterior_result
from arcwise.cli.results import make_folder, print_learned, write_results
from arcwise.errors import ArgumentError
from arcwise.learning.request import Request
from arcwise.series import IncompleteTimeSeries, TimeSeries


def learn(
    *,
    data: LearnedDataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder for edges.csv, summary.json, posterior.npz, data.npz (the table, for "
            "effects and predictions) and report.html.",
            metavar="FOLDER",
        ),
    ] = None,
    run: RunOptions,
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the report page.", metavar="TEXT")
    ] = None,
    prior: PriorName = None,
    options: Annotated[dict[str, Any], options_of(Request)],
    each_step: Annotated[
        bool,
        typer.Option(
            "--each-step",
            help="Learn a network for each step of a panel, instead of one for all of them; "
            "results go to a folder for each in --out.",
            rich_help_panel="Time series",
        ),
    ] = False,
) -> Result:
    """Learn the structure: the posterior probability of each edge. Start here with a new table.

    Chooses the score, exact computation or a sampler, and when to stop, and reports what was done
    and how reliable the result is. Every choice can be overridden by an option. Ctrl-C keeps the
    draws made so far.

    [bold]Example:[/bold] arcwise learn data.csv --seconds 60 --out results
    """
    folder = run.get("directory") if out is None else out
    if folder is not None:
        make_folder(folder)  # before anything takes time
        save_data(data, folder)
    for name, word in {"until": "none", "algorithm": "auto"}.items():
        if options.get(name) == word:
            options[name] = None
    # `learn` allows one more parent by default when it chooses the candidates itself.
    plus_one = None if families.candidates is None or families.grow else families.plus_one
    arguments: dict[str, Any] = {
        "score": score,
        "prior": prior,
        "edge_probabilities": families.edge_probabilities,
        "candidates": families.method,
        "max_candidates": families.max_candidates,
        "plus_one": plus_one,
        "engine": cluster,
        "progress": True,
        **families.constraints,
        **run,
        **options,
    }
    if each_step:
        return _learn_each_step(data, arguments, folder)
    posterior = arcwise.learn(data, **arguments)
    print_learned(posterior, folder, title)
    if folder is None:
        note_nothing_kept()
    return partial(posterior_result, posterior)


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
    for place, (time, posterior) in enumerate(found.items()):
        if folder is None:
            note_nothing_kept()
            break
        own = folder / f"step-{place + 1}"
        print(f"to {time}: {write_results(posterior, own)} written to {own}")
    return lambda: {
        "log_evidence": found.log_evidence,
        "steps": [
            {"time": time, **posterior_result(posterior)} for time, posterior in found.items()
        ],
    }
