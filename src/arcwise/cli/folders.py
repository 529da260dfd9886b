"""Folders of results: their posterior and their data, written by `learn`, `sample` or `exact`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli.composition import OptionGroup, out_option
from arcwise.data import Data, IncompleteData
from arcwise.data.archive import load_table, save_table
from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior

ResultFolder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="A folder written by learn, sample or exact.")
]

PosteriorOut = Annotated[
    Path | None,
    out_option("Folder for edges.csv, evidence.json, summary.json and posterior.npz.", "FOLDER"),
]

DATA = "data.npz"


def make_folder(folder: Path) -> None:
    """Create the folder for results, or refuse a path that is a file."""
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"'{folder}' is a file; give a folder for --out")
    folder.mkdir(parents=True, exist_ok=True)


def save_data(data: Data | IncompleteData, folder: Path) -> None:
    """Write the table to a folder of results, where effects and predictions need it."""
    make_folder(folder)
    save_table(data, folder / DATA)


def saved_posterior(folder: ResultFolder) -> Posterior:
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


def _saved_with_data(folder: ResultFolder) -> tuple[Posterior, Data | IncompleteData]:
    posterior = saved_posterior(folder)
    if not (folder / DATA).is_file():
        raise ArgumentError(
            f"'{folder}' has no {DATA}, the table it was learned from; learn again with "
            f"`arcwise learn --out {folder}`"
        )
    return posterior, load_table(folder / DATA)


SavedPosterior = Annotated[Posterior, OptionGroup(saved_posterior)]
"""The posterior in a folder of results."""

SavedResults = Annotated[tuple[Posterior, Data | IncompleteData], OptionGroup(_saved_with_data)]
"""The posterior in a folder of results, and the table it was learned from."""
