"""Spaces: what a sampler moves through, one file each."""

from importlib import import_module
from pkgutil import iter_modules

from arcwise.spaces.bucket_orders import BucketOrders
from arcwise.spaces.canonical_orders import CanonicalOrders
from arcwise.spaces.dags import Dags
from arcwise.spaces.layerings import Layerings
from arcwise.spaces.linear_orders import LinearOrders
from arcwise.spaces.partial_orders import PartialOrders
from arcwise.spaces.partitions import Partitions
from arcwise.spaces.space import Space
from arcwise.spaces.words import as_space, space_words

__all__ = [
    "BucketOrders",
    "CanonicalOrders",
    "Dags",
    "Layerings",
    "LinearOrders",
    "PartialOrders",
    "Partitions",
    "Space",
    "as_space",
    "space_words",
]

# A space is known by its name as soon as its file is here.
for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
