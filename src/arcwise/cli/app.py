"""The `arcwise` command with all its sub-commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import arcwise
from arcwise.cli.answers import (
    cross_validate,
    effects,
    estimate,
    forecast,
    impulse_response,
    predict,
)
from arcwise.cli.comparison import compare, compare_models, summary_graph
from arcwise.cli.composition import command
from arcwise.cli.computing import evidence, exact, map, score
from arcwise.cli.data import describe, simulate
from arcwise.cli.help_texts import Command, Group, paragraphs, without_type
from arcwise.cli.learn import learn
from arcwise.cli.report import draw, report
from arcwise.cli.sample import resume, sample, status

EXIT_STATUSES = {
    0: "done",
    1: "the reader of a pipe closed it",
    2: "an error, told in one sentence on standard error",
    130: "interrupted by Ctrl-C or SIGTERM before there was a result",
}

_PANELS: Mapping[str, tuple[Callable[..., Any], ...]] = {
    "From a table to results": (learn, describe, simulate),
    "Results": (report, draw, estimate, summary_graph, effects, predict, compare),
    "Time series": (impulse_response, forecast),
    "Models": (compare_models, cross_validate),
    "Step by step": (score, exact, sample, map, evidence),
    "Long runs": (status, resume),
}
"""The sub-commands by their groups in the help."""


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arcwise {arcwise.__version__}")
        raise typer.Exit


def _global_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def _name(function: Callable[..., Any]) -> str:
    return function.__name__.replace("_", "-")


_COMMANDS = {_name(function): function for panel in _PANELS.values() for function in panel}


def application(words: Sequence[str] = ()) -> TyperGroup:
    """Return the command line for these words.

    Only the requested sub-command is built, as reading the types of the options of all of them
    takes a third of the start-up time.
    """
    return _application(words[0] if words and words[0] in _COMMANDS else None)


@cache
def _application(only: str | None) -> TyperGroup:
    app = typer.Typer(
        name="arcwise",
        cls=Group,
        help="Bayesian structure discovery: the posterior probability of each edge between the "
        "variables of a data table. Begin with [bold]arcwise learn data.csv --out results[/bold].",
        epilog="Results go to standard output, progress and notes to standard error. Exit status: "
        + "; ".join(f"{status} - {meaning}" for status, meaning in EXIT_STATUSES.items())
        + ".",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(_global_options)
    for panel, functions in _PANELS.items():
        for function in functions:
            if only in (None, _name(function)):
                made = app.command(cls=Command, help=paragraphs(function), rich_help_panel=panel)
                made(command(function))
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for each in (group, *group.commands.values()):
        for parameter in each.params:
            without_type(parameter)
    return group
