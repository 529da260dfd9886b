"""The two modularities: the posterior under the modular or the order-modular prior."""

from __future__ import annotations

from typing import Any, Literal, get_args

from arcwise.errors import ArgumentError
from arcwise.support.words import shown

Modularity = Literal["modular", "order-modular"]
"""The prior of a DAG: the product of its family weights, or that times its number of orders."""


def as_modularity(value: Any) -> Modularity:
    """Return the modularity, or refuse any other value."""
    for modularity in get_args(Modularity):
        if isinstance(value, str) and value == modularity:
            return modularity  # type: ignore[no-any-return]
    raise ArgumentError(f"modularity is {shown(value)}; give 'modular' or 'order-modular'")
