"""Folders of results: the posterior `learn`, `sample` and `exact` leave in them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior

ResultFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder that learn, sample or exact wrote.")
]


def saved_posterior(folder: Path) -> Posterior:
    """Return the posterior a folder holds."""
    if not folder.is_dir():
        what = "a file" if folder.exists() else "not there"
        raise ArgumentError(
            f"'{folder}' is {what}; give the folder that `arcwise learn --out` wrote"
        )
    file = folder / "posterior.npz"
    if not file.is_file():
        raise ArgumentError(
            f"'{folder}' has no posterior.npz; give the folder that `arcwise learn --out` wrote"
        )
    return Posterior.load(file)
