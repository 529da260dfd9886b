"""Conversion of runs, their settings and spaces to plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from arcwise import _core
from arcwise.errors import ArcwiseError, ArgumentError, FileFormatError
from arcwise.model.score_sums import ScoreSums
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import SETTINGS_OF, Algorithm, SamplerSettings, SamplingSettings
from arcwise.spaces import NAMED_SPACES, Space
from arcwise.support.files import UNREADABLE
from arcwise.support.plain import PlainDataclasses
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
    """Return everything that determines a run besides its model as plain values."""
    values: dict[str, Any] = form_of(variables).write(settings)
    return values | {"seed": run.seed, "seconds": run.deadline.seconds}


def read_settings(values: dict[str, Any]) -> tuple[SamplingSettings, Run]:
    """Return the settings of a run from plain values, and its seed and seconds."""
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


_FOREIGN = "other"


def is_known(space: Space) -> bool:
    """Return whether a space has a name, so that it can be restored from a file."""
    return type(space) in NAMED_SPACES.values()


def plain_space(space: Space, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return a space as plain values, or as its repr if it has no name.

    Examples
    --------
    >>> from arcwise.spaces import BucketOrders
    >>> plain_space(BucketOrders(3), ("a", "b"))
    {'kind': 'BucketOrders', 'size': 3}
    """
    if not is_known(space):
        return {"kind": _FOREIGN, "text": repr(space)}
    return {"kind": type(space).__name__, **space.plain(variables)}


def read_space(values: dict[str, Any]) -> Space:
    """Return the space of plain values."""
    rest = {name: value for name, value in values.items() if name != "kind"}
    if values["kind"] == _FOREIGN:
        return ForeignSpace(str(values["text"]))
    kinds = {kind.__name__: kind for kind in NAMED_SPACES.values()}
    if values["kind"] not in kinds:
        raise FileFormatError(
            f"the run uses the space {values['kind']!r}, which this version of arcwise does not "
            "have; use the version that started the run"
        )
    return kinds[values["kind"]].of_plain(rest)


@dataclass(frozen=True, repr=False)
class ForeignSpace(Space):
    """A space unknown to arcwise, of which only the repr was saved."""

    text: str  # its repr

    def __repr__(self) -> str:
        """Return the text."""
        return self.text

    def build(self, sums: ScoreSums) -> _core.Space:
        """Refuse, because only the repr was saved."""
        raise ArgumentError(
            f"the space {self.text} cannot be restored from a file; give the space itself"
        )
