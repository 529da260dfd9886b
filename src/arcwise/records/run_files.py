"""Conversion of runs and their settings to plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

from arcwise.errors import ArcwiseError, FileFormatError
from arcwise.records.algorithm import Algorithm
from arcwise.records.plain_space import plain_space, read_space
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import SETTINGS_OF, SamplerSettings, SamplingSettings
from arcwise.spaces.space import Space
from arcwise.support.files import UNREADABLE
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.running import Run
from arcwise.support.settings import settings_of

_KINDS: dict[str, type] = {
    "exact": ExactRun,
    "chains": ChainRun,
    "annealing": AnnealingRun,
    "merged": MergedRun,
    "unique DAGs": UniqueDagsRun,
    "imputation": ImputationRun,
}


def form_of(variables: tuple[str, ...] = ()) -> PlainDataclasses:
    """Return the converter for files; orders of variables are written by name."""
    form: PlainDataclasses

    def write(settings: SamplerSettings) -> dict[str, Any]:
        values = {name: form.write(getattr(settings, name)) for name, _ in _stored(type(settings))}
        return {"algorithm": settings.sampler.value} | values

    def read(values: Mapping[str, Any]) -> SamplerSettings:
        kind = SETTINGS_OF[Algorithm(values["algorithm"])]
        return kind(**{name: form.read(of, values[name]) for name, of in _stored(kind)})

    custom = {
        Space: (lambda space: plain_space(space, variables), read_space),
        SamplerSettings: (write, read),
    }
    form = PlainDataclasses(custom, _KINDS)
    return form


def _stored(kind: type[SamplerSettings]) -> list[tuple[str, Any]]:
    """Return the name of each option and the type of its value in files."""
    hints = get_type_hints(kind)
    return [
        (name, hints[name] if found.stored is None else found.stored | None)
        for name, _, _, found in settings_of(kind)
    ]


def write_settings(
    settings: SamplerSettings, run: Run, variables: tuple[str, ...]
) -> dict[str, Any]:
    """Return what determines a run besides its model as plain values."""
    values: dict[str, Any] = form_of(variables).write(settings)
    return values | {"seed": run.seed, "seconds": run.deadline.seconds}


def read_settings(values: dict[str, Any]) -> tuple[SamplingSettings, Run]:
    """Return the settings of a run from plain values, and its seed and seconds.

    Raises
    ------
    FileFormatError
        If they are not the settings of a run.
    """
    try:
        form = form_of()
        settings: SamplingSettings = form.read(SamplerSettings, values)
        seconds = form.read(float | None, values["seconds"])
        return settings, Run(seed=form.read(int, values["seed"]), seconds=seconds)
    except FileFormatError:
        raise
    except (*UNREADABLE, ArcwiseError):
        raise FileFormatError(
            "the settings of the run are damaged, or were changed by something other than arcwise; "
            "restore them from a backup, or start the run again"
        ) from None
