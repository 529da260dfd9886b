"""Values that a result may lack in general, but not in a test."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def known(value: Value | None) -> Value:
    """Return the value, which must be there."""
    assert value is not None
    return value
