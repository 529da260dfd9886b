"""The two targets: the posterior under the modular or the order-modular prior."""

from __future__ import annotations

from typing import Any, Literal, get_args

from arcwise.errors import ArgumentError

Target = Literal["modular", "order-modular"]
"""The prior of a DAG: the product of its family weights, or that times its number of orders."""


def as_target(value: Any) -> Target:
    """Return the target, or refuse any other value."""
    for target in get_args(Target):
        if value == target:
            return target  # type: ignore[no-any-return]
    raise ArgumentError(f"target is {value!r}; give 'modular' or 'order-modular'")
