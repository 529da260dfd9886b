"""`arcwise resume`: continues a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import arcwise
from arcwise.cli.composition import options_of, out_option
from arcwise.cli.options import ClusterOptions
from arcwise.cli.output import Result
from arcwise.cli.results import show_posterior
from arcwise.cli.status import RunDirectory
from arcwise.support.running import Run


def resume(
    directory: RunDirectory,
    cluster: ClusterOptions,
    run: Annotated[dict[str, Any], options_of(Run, "threads", "checkpoint_seconds")],
    out: Annotated[
        Path | None, out_option("Folder for the results (default: the run directory).", "FOLDER")
    ] = None,
) -> Result:
    """Resume a run from its last checkpoint; the result is as if it had never been stopped.

    Only the run directory is needed. If the run is already complete, its results are written again.

    [bold]Example:[/bold] arcwise resume runs/first
    """
    posterior = arcwise.resume(directory, engine=cluster, progress=True, **run)
    return show_posterior(posterior, directory if out is None else out)
