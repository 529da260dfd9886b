"""`arcwise resume`: continues a run that was stopped."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.cli.composition import options_of
from arcwise.cli.options import ClusterOptions
from arcwise.cli.output import Result, posterior_result
from arcwise.cli.results import print_learned, print_sampled
from arcwise.support.running import Run


def resume(
    directory: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The run directory given by --run.")
    ],
    cluster: ClusterOptions,
    run: Annotated[dict[str, Any], options_of(Run, "threads", "checkpoint_seconds")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for the results (default: the run directory).", metavar="FOLDER"
        ),
    ] = None,
) -> Result:
    """Resume a run from its last checkpoint; the result is as if it had never been stopped.

    Only the run directory is needed. If the run is already complete, its results are written again.

    [bold]Example:[/bold] arcwise resume runs/first
    """
    posterior = arcwise.resume(directory, engine=cluster, progress=True, **run)
    folder = directory if out is None else out
    if posterior.account is not None:
        print_learned(posterior, folder)
    else:
        print_sampled(posterior, folder)
    return partial(posterior_result, posterior)
