"""Spaces: what a sampler moves through, one file each."""

from arcwise.spaces.bucket_orders import BucketOrders
from arcwise.spaces.dags import Dags
from arcwise.spaces.layerings import Layerings
from arcwise.spaces.linear_orders import LinearOrders
from arcwise.spaces.partial_orders import PartialOrders
from arcwise.spaces.partitions import Partitions
from arcwise.spaces.space import Space
from arcwise.spaces.words import as_space

__all__ = [
    "BucketOrders",
    "Dags",
    "Layerings",
    "LinearOrders",
    "PartialOrders",
    "Partitions",
    "Space",
    "as_space",
]
