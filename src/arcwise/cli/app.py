"""The `arcwise` command with all its sub-commands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

import arcwise
from arcwise.cli.compare import compare
from arcwise.cli.compare_models import compare_models
from arcwise.cli.composition import command
from arcwise.cli.cross_validate import cross_validate
from arcwise.cli.data import describe, simulate
from arcwise.cli.draw import draw
from arcwise.cli.effects import effects
from arcwise.cli.estimate import estimate
from arcwise.cli.evidence import evidence
from arcwise.cli.exact import exact
from arcwise.cli.learn import learn
from arcwise.cli.map import map
from arcwise.cli.predict import predict
from arcwise.cli.report import report
from arcwise.cli.resume import resume
from arcwise.cli.sample import sample
from arcwise.cli.score import score
from arcwise.cli.status import status
from arcwise.cli.summary_graph import summary_graph


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arcwise {arcwise.__version__}")
        raise typer.Exit


def _global_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            metavar="",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


_COMMANDS = {
    function.__name__.replace("_", "-"): function
    for function in (
        *(learn, report, draw, estimate, summary_graph, effects, predict, cross_validate),
        *(compare, compare_models),
        *(exact, sample, resume, status, map, evidence, score, describe, simulate),
    )
}


def application(words: Sequence[str] = ()) -> TyperGroup:
    """Return the command line for these words.

    Only the sub-command they ask for is made: to read the types of all options of all of them
    takes a third of the time it takes to start.

    Parameters
    ----------
    words
        The arguments of the program; without any, all sub-commands are there.
    """
    return _application(words[0] if words and words[0] in _COMMANDS else None)


@cache
def _application(only: str | None) -> TyperGroup:
    app = typer.Typer(
        name="arcwise",
        help="Bayesian structure discovery: the posterior probability of each edge between the "
        "variables of a data table.",
        epilog="Every sub-command calls the Python function of the same name. An error prints one "
        "sentence to standard error, and the exit status is 2.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(_global_options)
    for name, function in _COMMANDS.items():
        if only in (None, name):
            app.command()(command(function))
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    return group
