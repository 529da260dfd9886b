"""Conversion to plain values for strict JSON."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value in JSON's types, with NaN and infinity, which it lacks, as None."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def plain_dict(**values: Any) -> dict[str, Any]:
    """Return values by their names in JSON's types, as `plain` returns them."""
    return {name: plain(value) for name, value in values.items()}


def attributes(record: object, names: str) -> dict[str, Any]:
    """Return values of a record by their names, which are separated by spaces."""
    return {name: getattr(record, name) for name in names.split()}


def strict_json(value: Any, indent: int | None = None) -> str:
    """Return standard JSON text, without NaN or infinity."""
    return json.dumps(plain(value), indent=indent, allow_nan=False)


def number_out(value: float | None) -> float | str | None:
    """Return a number, finite or not, in a form for JSON that `number_in` reads back."""
    if value is None or math.isfinite(value):
        return None if value is None else float(value)
    return str(float(value))


def number_in(value: Any) -> float | None:
    """Return the number `number_out` was given."""
    return None if value is None else float(value)


def digest(*values: object) -> str:
    """Return a short text that differs for other values, of which the representation counts."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]
