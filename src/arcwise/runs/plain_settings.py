"""Settings of a run as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from arcwise.errors import ArgumentError, FileFormatError
from arcwise.graphs.partial_orders import as_partial_order
from arcwise.model import Model
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

_SPACES: dict[str, type[Space]] = {
    kind.__name__: kind
    for kind in (LinearOrders, BucketOrders, PartialOrders, Partitions, Layerings, Dags)
}


def plain_space(space: Space, variables: tuple[str, ...]) -> dict[str, Any]:
    """Return a space as plain values.

    Examples
    --------
    >>> plain_space(BucketOrders(3), ("a", "b"))
    {'kind': 'BucketOrders', 'size': 3}
    """
    kind = type(space).__name__
    if type(space) is not _SPACES.get(kind):
        raise ArgumentError(
            f"space is {space!r}, and a run directory keeps runs in the spaces of arcwise only; "
            "leave out directory"
        )
    if isinstance(space, PartialOrders):
        # Given in one of several forms, some of them objects of other libraries.
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
    kind = _SPACES.get(values["kind"])
    if kind is None:
        raise FileFormatError(
            f"the run is in the space {values['kind']!r}, which this arcwise does not know; use "
            "the version that began it"
        )
    if kind is PartialOrders:
        rest["order"] = [tuple(pair) for pair in rest["order"]]
    return kind(**rest)


def plain_sums(sums: ScoreSums) -> dict[str, Any]:
    """Return how score sums are had as plain values."""
    return {
        "methods": list(sums.methods),
        "tolerance": sums.tolerance,
        "tabulate": sums.tabulated,
    }


def read_sums(values: dict[str, Any], model: Model, threads: int | None) -> ScoreSums:
    """Return the score sums of a model by these methods."""
    methods = values["methods"]
    rest = {"tolerance": values["tolerance"], "tabulate": values["tabulate"], "threads": threads}
    sums = ScoreSums(model, **rest)
    if list(sums.methods) != methods:
        # They were asked for by name then, which is one for all.
        sums = ScoreSums(model, method=methods[0], **rest)
    return sums
