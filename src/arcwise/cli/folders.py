"""Reads the posterior that `learn`, `sample` or `exact` wrote to a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior

ResultFolder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="A folder written by learn, sample or exact.")
]


def saved_posterior(folder: Path) -> Posterior:
    """Return the posterior in a folder of results."""
    if not folder.is_dir():
        problem = f"'{folder}' is a file" if folder.exists() else f"there is no folder '{folder}'"
        raise ArgumentError(f"{problem}; give a folder that `arcwise learn --out` wrote")
    file = folder / "posterior.npz"
    if not file.is_file():
        raise ArgumentError(
            f"'{folder}' has no posterior.npz; give a folder that `arcwise learn --out` wrote"
        )
    return Posterior.load(file)
