"""Spaces by the words the command line uses for them."""

from __future__ import annotations

from typing import Any

from arcwise.errors import ArgumentError
from arcwise.spaces.bucket_orders import BucketOrders
from arcwise.spaces.dags import Dags
from arcwise.spaces.layerings import Layerings
from arcwise.spaces.linear_orders import LinearOrders
from arcwise.spaces.partitions import Partitions
from arcwise.spaces.space import Space


def as_space(value: Any) -> Space:
    """Return a space, given as one or by its word, such as ``"linear"`` or ``"buckets:5"``.

    Examples
    --------
    >>> as_space("buckets:5")
    BucketOrders(size=5)
    """
    if isinstance(value, Space):
        return value
    if isinstance(value, str):
        word, _, size = value.partition(":")
        if word == "linear" and not size:
            return LinearOrders()
        if word == "partitions" and not size:
            return Partitions()
        if word == "dags" and not size:
            return Dags()
        if value == "layerings":
            return Layerings()
        if word == "layerings" and size.isdecimal() and len(size) < 10:
            return Layerings(int(size))
        if word == "buckets" and size.isdecimal() and len(size) < 10:
            return BucketOrders(int(size))
    raise ArgumentError(
        f"space is {value!r}; give LinearOrders(), BucketOrders(size), PartialOrders(order), "
        "Partitions(), Layerings(max_size) or Dags(), or the words 'linear', 'buckets:SIZE', "
        "'partitions', 'layerings', 'layerings:MAX_SIZE' or 'dags'"
    )
