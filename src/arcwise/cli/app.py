"""The `arcwise` command with all its sub-commands."""

from __future__ import annotations

from typing import Annotated

import typer

import arcwise
from arcwise.cli.compare import compare
from arcwise.cli.composition import command
from arcwise.cli.data import describe, simulate
from arcwise.cli.estimate import estimate
from arcwise.cli.evidence import evidence
from arcwise.cli.exact import exact
from arcwise.cli.learn import learn
from arcwise.cli.map import map
from arcwise.cli.report import report
from arcwise.cli.resume import resume
from arcwise.cli.sample import sample
from arcwise.cli.score import score
from arcwise.cli.status import status

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


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arcwise {arcwise.__version__}")
        raise typer.Exit


@app.callback()
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


_COMMANDS = (
    *(learn, report, estimate, compare),
    *(exact, sample, resume, status, map, evidence, score, describe, simulate),
)

for function in _COMMANDS:
    app.command()(command(function))
