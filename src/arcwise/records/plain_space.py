"""Spaces as plain values for files, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise import _core
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.spaces import Space
from arcwise.spaces.space import NAMED_SPACES
from arcwise.sums import ScoreSums
from arcwise.support.descriptions import Description

_FOREIGN = "other"


def is_known(space: Space) -> bool:
    """Say whether a space has a name, so that it can be made again from a file."""
    return type(space) in NAMED_SPACES.values()


def _kind(name: str | None) -> type[Space] | None:
    """Return the class of a named space, by the name of the class."""
    return next((kind for kind in NAMED_SPACES.values() if kind.__name__ == name), None)


def plain_space(space: Space, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return a space as plain values; of one without a name, the text it shows.

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
    kind = _kind(values["kind"])
    if kind is None:
        raise FileFormatError(
            f"the run is in the space {values['kind']!r}, which this arcwise does not know; use "
            "the version that began it"
        )
    return kind.of_plain(rest)


@dataclass(frozen=True, repr=False)
class ForeignSpace(Space):
    """A space that arcwise does not know, by the text it showed itself with.

    Parameters
    ----------
    text
        Its repr.
    """

    text: str

    def __repr__(self) -> str:
        """Return its text."""
        return self.text

    def build(self, sums: ScoreSums) -> _core.Space:
        """Refuse, since only its text is left of it."""
        raise ArgumentError(
            f"the space {self.text} is known by its text alone; give the space itself"
        )


def parse_space(text: str) -> Space:
    """Return the space that shows itself by a text, as files of earlier formats have it.

    Examples
    --------
    >>> parse_space("BucketOrders(size=3)")
    BucketOrders(size=3)
    """
    described = Description.parse(text)
    if _kind(described.name) is None or not described.complete:
        return ForeignSpace(text)
    try:
        return read_space({"kind": described.name, **described.settings})
    except (TypeError, ArgumentError):
        return ForeignSpace(text)
