"""Conversion of spaces to plain values for files, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise import _core
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.spaces import Space
from arcwise.spaces.space import NAMED_SPACES
from arcwise.sums import ScoreSums

_FOREIGN = "other"


def is_known(space: Space) -> bool:
    """Say whether a space has a name, so that it can be made again from a file."""
    return type(space) in NAMED_SPACES.values()


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
    kinds = {kind.__name__: kind for kind in NAMED_SPACES.values()}
    if values["kind"] not in kinds:
        raise FileFormatError(
            f"the run uses the space {values['kind']!r}, which this version of arcwise does not "
            "have; use the version that started the run"
        )
    return kinds[values["kind"]].of_plain(rest)


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
