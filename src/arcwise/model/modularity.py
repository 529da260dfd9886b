"""The two modularities: the posterior under the modular or the order-modular prior."""

from __future__ import annotations

from typing import Any, Literal

from arcwise.errors import option
from arcwise.support.checks import one_of

Modularity = Literal["modular", "order-modular"]
"""The prior of a DAG: the product of its family weights, or that times its number of orders."""


def as_modularity(value: Any) -> Modularity:
    """Return the modularity, or refuse any other value."""
    found: Modularity = one_of(Modularity)(value, option("modularity"))
    return found
