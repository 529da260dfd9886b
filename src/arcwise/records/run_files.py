"""Conversion of runs, settings, accounts and provenance to plain values for JSON, and back."""

from __future__ import annotations

from typing import Any

from arcwise.errors import ArcwiseError, FileFormatError
from arcwise.model.provenance import Provenance
from arcwise.records.account import Account
from arcwise.records.algorithm import Algorithm
from arcwise.records.plain_space import plain_space, read_space
from arcwise.records.runs import (
    AnnealingRun,
    AnyRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import AnnealingSettings, ChainSettings, SamplingSettings
from arcwise.spaces.space import Space
from arcwise.support.files import UNREADABLE
from arcwise.support.plain_dataclasses import PlainDataclasses

_KINDS: dict[str, type] = {
    "exact": ExactRun,
    "chains": ChainRun,
    "annealing": AnnealingRun,
    "merged": MergedRun,
    "unique DAGs": UniqueDagsRun,
    "imputation": ImputationRun,
}


def _form(variables: tuple[str, ...]) -> PlainDataclasses:
    """Return the converter for files; orders of variables are written by name."""
    return PlainDataclasses(
        {Space: (lambda space: plain_space(space, variables), read_space)}, _KINDS
    )


def write_run(run: AnyRun, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return a run as plain values."""
    values: dict[str, Any] = _form(variables).write(run)
    return values


def read_run(values: Any) -> AnyRun:
    """Return a run from plain values."""
    run: AnyRun = _form(()).read(AnyRun, values)
    return run


def write_settings(settings: SamplingSettings, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of a run as plain values, with the name of its algorithm."""
    values: dict[str, Any] = _form(variables).write(settings)
    return {"algorithm": settings.algorithm.value} | values


def read_settings(values: dict[str, Any]) -> SamplingSettings:
    """Return the settings of a run from plain values.

    Raises
    ------
    FileFormatError
        If they are not the settings of a run.
    """
    try:
        annealing = Algorithm(values["algorithm"]) in (Algorithm.AIS, Algorithm.SMC)
        kind = AnnealingSettings if annealing else ChainSettings
        settings: SamplingSettings = _form(()).read(kind, values)
    except FileFormatError:
        raise
    except (*UNREADABLE, ArcwiseError):
        raise FileFormatError(
            "the settings of the run are damaged, or were changed by something other than arcwise; "
            "restore them from a backup, or start the run again"
        ) from None
    return settings


def write_account(account: Account | None) -> dict[str, Any] | None:
    """Return an account as plain values."""
    values: dict[str, Any] | None = PlainDataclasses().write(account)
    return values


def read_account(values: Any) -> Account | None:
    """Return an account from plain values."""
    account: Account | None = PlainDataclasses().read(Account | None, values)
    return account


def write_provenance(provenance: Provenance) -> dict[str, Any]:
    """Return a provenance as plain values."""
    values: dict[str, Any] = PlainDataclasses().write(provenance)
    return values


def read_provenance(values: Any) -> Provenance:
    """Return a provenance from plain values."""
    provenance: Provenance = PlainDataclasses().read(Provenance, values)
    return provenance
