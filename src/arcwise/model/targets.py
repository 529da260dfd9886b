"""The two posteriors a model has, by its name for the structure prior."""

from __future__ import annotations

from typing import Any, Literal, get_args

from arcwise.errors import ArgumentError

Target = Literal["modular", "order-modular"]
"""The prior: the product of the family weights, or that times the number of orders."""


def as_target(value: Any) -> Target:
    """Return the target, or refuse what is none."""
    for target in get_args(Target):
        if value == target:
            return target  # type: ignore[no-any-return]
    raise ArgumentError(f"target is {value!r}; give 'modular' or 'order-modular'")
