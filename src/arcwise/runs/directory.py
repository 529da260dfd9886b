"""The directory of a run, opened by its single writer.

It contains ``settings.json`` (the resolved settings, versions and digests), ``model.npz`` (the
scores of all families, with the prior), ``ledger.sqlite`` (see `Ledger`) and a ``lock``, which the
operating system releases when the process that holds it ends.

``model.npz`` contains the log weight (score plus prior) of every family, and the terms of the
prior's normalising constant, so that a run resumes without its data. It is identified by a digest
of its contents, which does not depend on when or where it was written.
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

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, DamageWarning, FileFormatError, RunDirectoryError
from arcwise.families.families import Constraints
from arcwise.model import Model, Question
from arcwise.model.model import Provenance
from arcwise.priors import PriorTerms, Uniform
from arcwise.runs.checkpoints import Checkpoints
from arcwise.runs.ledger import Ledger, is_blank, reading, repair, resume_command
from arcwise.scores import FamilyScores
from arcwise.scores.family_scores import rule_of, scores_by_rule
from arcwise.support.files import (
    UNREADABLE,
    UnsupportedLock,
    acquired,
    acquired_within,
    read_archive,
    write_archive,
    write_json,
)
from arcwise.support.names import checked_variables
from arcwise.support.plain import PlainDataclasses
from arcwise.support.running import CHECKPOINT_SECONDS as CHECKPOINT_SECONDS
from arcwise.support.running import warn

FORMAT = "arcwise run"
FORMAT_VERSION = 1

SETTINGS, MODEL, LEDGER = "settings.json", "model.npz", "ledger.sqlite"


@contextmanager
def opened_directory(
    path: Path, settings: dict[str, Any], model: Model, checkpoint_seconds: float
) -> Iterator[Checkpoints]:
    """Start a run in a directory, or resume it there if it is the same; yield its checkpoints."""
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
        # The settings are written last, so that a directory that has them was once complete.
        write_json(whole | {"digest": _digest(whole)}, file)


def read_directory(path: Path) -> dict[str, Any]:
    """Return the settings of the run in a directory."""
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
        # Resuming would also run the installed version.
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


Arrays = dict[str, NDArray[Any]]


class StoredModel(Model):
    """A model read from a file, sufficient for all algorithms."""

    stored = True

    def __init__(self, arrays: Arrays) -> None:
        header = json.loads(arrays["header"].tobytes().decode())
        self.digest = digest_of(arrays)
        self.variables = checked_variables(header["variables"])
        self.data = None
        self.score = None
        self.prior = Uniform()
        self._provenance: Provenance = PlainDataclasses().read(Provenance, header["provenance"])
        self.weights = _scores(header, arrays, "values")
        self.scores = self.weights
        given = Constraints(parent_only=header.get("parent_only", ()))
        self.question = Question(self.weights, None, constraints=given)
        self.constraints = self.question.constraints
        n = len(self.variables)
        shapes = {"prior_constant": (n,), "prior_size": (n, n), "prior_edge": (n, n)}
        for name, shape in shapes.items():
            if arrays[name].shape != shape or arrays[name].dtype != np.float64:
                raise ValueError(name)
        self.prior_terms = PriorTerms(
            arrays["prior_constant"],
            arrays["prior_size"],
            arrays["prior_edge"],
            (_lost_function,) if header["prior_table"] else (),
        )
        self._prior_weights = (
            _scores(header, arrays, "prior_values") if header["prior_table"] else None
        )

    def prior_weights(self) -> FamilyScores:
        """Return the log prior weight of every family."""
        return super().prior_weights() if self._prior_weights is None else self._prior_weights

    def provenance(self) -> Provenance:
        """Return the provenance of the original model."""
        return self._provenance


def _lost_function(node: str, parents: tuple[str, ...]) -> float:
    raise AssertionError("the prior's function is stored as its values")


def arrays_of(model: Model) -> Arrays:
    """Return a model as arrays."""
    table = model.weights.table
    terms = model.prior_terms
    rule = rule_of(table)
    header = {
        "variables": list(model.variables),
        "provenance": PlainDataclasses().write(model.provenance()),
        **rule,
        "prior_table": bool(terms.functions),
    }
    if model.parent_only:
        header["parent_only"] = list(model.parent_only)
    arrays: Arrays = {
        "header": np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8),
        "prior_constant": terms.constant,
        "prior_size": terms.size,
        "prior_edge": terms.edge,
    }
    prior = model.prior_weights().table if terms.functions else None
    for node in range(len(model.variables)):
        arrays[f"values_{node}"] = table.values(node)
        if prior is not None:
            arrays[f"prior_values_{node}"] = prior.values(node).copy()
        if rule["listed"]:
            parents, offsets = table.parent_sets(node)
            arrays[f"parents_{node}"], arrays[f"offsets_{node}"] = parents, offsets
    return arrays


def digest_of(arrays: Arrays) -> str:
    """Return the SHA-256 of the arrays, with their names, types and shapes."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(json.dumps([name, little.dtype.str, list(array.shape)]).encode())
        digest.update(little.data)
    return digest.hexdigest()


def write_model(arrays: Arrays, path: Path) -> None:
    """Write a model to a file atomically."""
    write_archive(path, arrays)


def read_model(path: Path, digest: str) -> StoredModel:
    """Read a model with a known digest."""
    try:
        arrays = read_archive(path)
        if digest_of(arrays) != digest:
            raise ValueError
        return StoredModel(arrays)
    except UNREADABLE:
        raise FileFormatError(
            f"'{path}' is missing, damaged, or belongs to another run; restore it from a backup, "
            "or start the run again from its data"
        ) from None


def _scores(header: dict[str, Any], arrays: Arrays, name: str) -> FamilyScores:
    nodes = range(len(header["variables"]))
    values = [arrays[f"{name}_{node}"] for node in nodes]
    lists = []
    if header["listed"]:
        lists = [(arrays[f"parents_{node}"], arrays[f"offsets_{node}"]) for node in nodes]
    return scores_by_rule(tuple(header["variables"]), header, values, lists)


_NAME = "lock"
_PATIENCE = 0.5  # seconds; a process that only checks for a writer holds the lock briefly


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the lock of a run directory, or refuse if another process has it.

    The operating system releases it however the process ends, so that a killed process leaves
    nothing to clean up.
    """
    file = os.open(directory / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _acquire(file, directory)
        yield
    finally:
        os.close(file)


def _acquire(file: int, directory: Path) -> None:
    try:
        ours = acquired_within(file, _PATIENCE)
    except UnsupportedLock as error:
        raise RunDirectoryError(
            f"the file system of the run directory '{directory}' does not support locks "
            f"({error}), which prevent two processes from writing to it; use a directory on a "
            "local disk, or move this one there to continue its run"
        ) from None
    if not ours:
        raise RunDirectoryError(
            f"another process is writing to the run directory '{directory}'; wait for "
            "it to finish, check its status, or use another directory"
        )


def is_locked(directory: Path) -> bool:
    """Return whether a process is writing to a run directory."""
    try:
        # Checking must not require write permission.
        file = os.open(directory / _NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not acquired(file)
    except UnsupportedLock:
        return False  # nor can a process write to it
    finally:
        os.close(file)
