"""Reads the posterior and the data that `learn`, `sample` or `exact` wrote to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.data import Data, IncompleteData
from arcwise.data.archive import load_table, save_table
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


DATA = "data.npz"


def save_data(data: Data | IncompleteData, folder: Path) -> None:
    """Write the table, as it was read, to a folder of results: effects and predictions need it."""
    if folder.is_file():
        raise ArgumentError(f"'{folder}' is a file; give a folder")
    folder.mkdir(parents=True, exist_ok=True)
    save_table(data, folder / DATA)


def saved_data(folder: Path) -> Data | IncompleteData:
    """Return the table in a folder of results."""
    if not (folder / DATA).is_file():
        raise ArgumentError(
            f"'{folder}' has no {DATA}, the table it was learned from; learn again with "
            f"`arcwise learn --out {folder}`"
        )
    return load_table(folder / DATA)
