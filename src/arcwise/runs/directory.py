"""The directory of a run, open for its single writer.

It holds ``settings.json`` (the resolved settings, versions and digests), ``model.npz``
(the scores of all families, with the prior), ``ledger.sqlite`` (see `ledger`) and a
``lock``.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from arcwise import _core
from arcwise.errors import (
    ArgumentError,
    DamageWarning,
    FileFormatError,
    RunDirectoryError,
)
from arcwise.model import Model
from arcwise.runs.checkpoints import Checkpoints
from arcwise.runs.ledger import Ledger, is_blank, reading, repair, resume_command
from arcwise.runs.lock import locked
from arcwise.runs.stored_model import StoredModel, arrays_of, digest_of, write_model
from arcwise.support.files import UNREADABLE, write_json
from arcwise.support.running import CHECKPOINT_SECONDS as CHECKPOINT_SECONDS
from arcwise.support.warnings import warn

FORMAT = "arcwise run"
FORMAT_VERSION = 1

SETTINGS, MODEL, LEDGER = "settings.json", "model.npz", "ledger.sqlite"


@contextmanager
def opened_directory(
    path: Path, settings: dict[str, Any], model: Model, checkpoint_seconds: float
) -> Iterator[Checkpoints]:
    """Start a run in a directory, or continue it there if it is the same; yield its checkpoints.

    Parameters
    ----------
    path
        The directory; created if it does not exist.
    settings
        The settings of the run, as plain values.
    model
        The model.
    checkpoint_seconds
        The time between two checkpoints.
    """
    if path.exists() and not path.is_dir():
        raise ArgumentError(f"'{path}' is a file; give a directory for the run")
    with ExitStack() as stack:
        with _one_sentence(path):
            path.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(path))
            _begin_or_compare(path, json.loads(json.dumps(settings)), model)
        damage = repair(path / LEDGER)
        if damage is not None:
            warn(damage, DamageWarning)
        ledger = stack.enter_context(closing(Ledger(path / LEDGER)))
        with reading(ledger.path):
            checkpoints = Checkpoints(ledger, checkpoint_seconds)
        yield checkpoints


def _begin_or_compare(path: Path, settings: dict[str, Any], model: Model) -> None:
    arrays = None
    if isinstance(model, StoredModel):
        digest = model.digest
    else:
        arrays = arrays_of(model)
        digest = digest_of(arrays)
    whole = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "arcwise": _core.version,
        "data_fingerprint": model.provenance().data_fingerprint,
        "model": digest,
        **settings,
    }
    file = path / SETTINGS
    if file.exists():
        _refuse_difference(read_directory(path), whole, path)
    elif (path / LEDGER).exists() and not is_blank(path / LEDGER):
        raise RunDirectoryError(
            f"'{path}' has a ledger but no {SETTINGS}; restore that from a backup, or "
            "use another directory"
        )
    else:
        assert arrays is not None
        write_model(arrays, path / MODEL)
        Ledger(path / LEDGER).close()
        # Written last, so that a directory with settings was once complete.
        write_json(whole | {"digest": _digest(whole)}, file)


def read_directory(path: Path) -> dict[str, Any]:
    """Return the settings of the run in a directory.

    Raises
    ------
    ArgumentError
        If there is no run.
    FileFormatError
        If the settings are damaged, or of another format.
    """
    file = path / SETTINGS
    try:
        settings: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        version = int(settings["format_version"])
        digest = settings.pop("digest")
        known = settings["format"] == FORMAT and digest == _digest(settings)
    except (FileNotFoundError, NotADirectoryError):
        raise ArgumentError(
            f"there is no run in '{path}'; give the directory in which a run was started"
        ) from None
    except UNREADABLE:
        known, version = False, FORMAT_VERSION
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"'{file}' has format {version}, written by a newer version of arcwise, but this "
            f"version reads formats up to {FORMAT_VERSION}; update arcwise"
        )
    if not known:
        raise FileFormatError(
            f"'{file}' is damaged; restore it from a backup, or start the run again"
        )
    return settings


def _digest(settings: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


_NAMES = {
    "arcwise": "arcwise version",
    "data_fingerprint": "data fingerprint",
    "model": "digest of model and data",
}


def _refuse_difference(there: dict[str, Any], here: dict[str, Any], path: Path) -> None:
    """Refuse to continue a run with different settings, naming the first difference."""
    for name in {**here, **there}:
        old, new = there.get(name), here.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict) and set(old) == set(new):
            name, old, new = next(
                (f"{name}.{key}", old[key], new[key]) for key in old if old[key] != new[key]
            )
        # Resume would run this version too.
        way = "that version" if name == "arcwise" else resume_command(path)
        raise RunDirectoryError(
            f"the run in '{path}' was started with {_NAMES.get(name, name)} = {_short(old)}, not "
            f"{_short(new)}; continue it with ",
            way,
            ", or use another directory",
        )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Report in one sentence that a directory cannot be written to."""
    try:
        yield
    except RunDirectoryError:
        raise
    except OSError as error:
        what = "its disk is full" if error.errno == errno.ENOSPC else os.strerror(error.errno or 0)
        raise RunDirectoryError(
            f"the run directory '{path}' cannot be written to ({what}); correct that, or use "
            "another directory"
        ) from None
