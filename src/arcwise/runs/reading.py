"""Errors of files in a run directory, told in one sentence: damaged, or made by something else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcwise.errors import ArcwiseError, RunDirectoryError
from arcwise.support.files import UNREADABLE


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Refuse a file whose contents turn out, while being read, not to be what they should."""
    try:
        yield
    except ArcwiseError:
        raise
    except (*UNREADABLE, AssertionError, sqlite3.Error):
        raise RunDirectoryError(
            f"'{path}' is damaged, or was changed by something other than arcwise; restore it from "
            "a backup, or start the run again in another directory"
        ) from None
