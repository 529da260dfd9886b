"""Conversion of spaces to plain values for files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from arcwise import _core
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.graphs.partial_orders import as_partial_order
from arcwise.spaces import (
    BucketOrders,
    Dags,
    Layerings,
    LinearOrders,
    PartialOrders,
    Partitions,
    Space,
)
from arcwise.sums import ScoreSums
from arcwise.support.descriptions import Description

_SPACES: dict[str, type[Space]] = {
    kind.__name__: kind
    for kind in (LinearOrders, BucketOrders, PartialOrders, Partitions, Layerings, Dags)
}
_FOREIGN = "other"


def is_known(space: Space) -> bool:
    """Return whether a space is one of arcwise's, and so can be restored from a file."""
    return type(space) is _SPACES.get(type(space).__name__)


def plain_space(space: Space, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return a space as plain values; one that is not arcwise's is kept as its repr.

    Examples
    --------
    >>> plain_space(BucketOrders(3), ("a", "b"))
    {'kind': 'BucketOrders', 'size': 3}
    """
    kind = type(space).__name__
    if not is_known(space):
        return {"kind": _FOREIGN, "text": repr(space)}
    if isinstance(space, PartialOrders):
        # The order may be given in several forms, some of them objects of other libraries.
        before = as_partial_order(space.order, variables)
        names = [
            [variables[u], variables[v]]
            for v, mask in enumerate(before)
            for u in range(len(variables))
            if mask >> u & 1
        ]
        return {"kind": kind, "order": names}
    values: dict[str, Any] = {"kind": kind}
    for field in fields(space):  # type: ignore[arg-type]
        value = getattr(space, field.name)
        values[field.name] = dict(value) if isinstance(value, Mapping) else value
    return values


def read_space(values: dict[str, Any]) -> Space:
    """Return the space of plain values."""
    rest = {name: value for name, value in values.items() if name != "kind"}
    if values["kind"] == _FOREIGN:
        return ForeignSpace(str(values["text"]))
    kind = _SPACES.get(values["kind"])
    if kind is None:
        raise FileFormatError(
            f"the run uses the space {values['kind']!r}, which this version of arcwise does not "
            "have; use the version that started the run"
        )
    if kind is PartialOrders:
        rest["order"] = [tuple(pair) for pair in rest["order"]]
    return kind(**rest)


@dataclass(frozen=True, repr=False)
class ForeignSpace(Space):
    """A space that arcwise does not know, of which only the repr was kept.

    Parameters
    ----------
    text
        Its repr.
    """

    text: str

    def __repr__(self) -> str:
        """Return the text."""
        return self.text

    def build(self, sums: ScoreSums) -> _core.Space:
        """Refuse, since only its repr was kept."""
        raise ArgumentError(
            f"the space {self.text} cannot be restored from a file; give the space itself"
        )


def parse_space(text: str) -> Space:
    """Return the space with this repr, as stored in files of earlier formats.

    Examples
    --------
    >>> parse_space("BucketOrders(size=3)")
    BucketOrders(size=3)
    """
    described = Description.parse(text)
    kind = _SPACES.get(described.name or "")
    if kind is None or not described.complete:
        return ForeignSpace(text)
    try:
        return read_space({"kind": described.name, **described.settings})
    except (TypeError, ArgumentError):
        return ForeignSpace(text)
