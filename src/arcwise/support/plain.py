"""Conversion to plain values for strict JSON."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

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


# --- Plain dataclasses ----------------------------------------------------------------------------

# Conversion of dataclasses to plain values for JSON, and back, by the types of their fields.


Write = Callable[[Any], Any]
Read = Callable[[Any], Any]


class PlainDataclasses:
    """A converter between dataclasses and plain values for JSON.

    Examples
    --------
    >>> from arcwise.records.settings import Convergence
    >>> form = PlainDataclasses()
    >>> values = form.write(Convergence(rhat=float("inf")))
    >>> values["rhat"], form.read(Convergence, values).rhat
    ('inf', inf)
    """

    def __init__(
        self,
        custom: Mapping[type, tuple[Write, Read]] | None = None,
        kinds: Mapping[str, type] | None = None,
    ) -> None:
        self._custom = dict(custom or {})
        self._kinds = dict(kinds or {})
        self._names = {kind: name for name, kind in self._kinds.items()}

    def write(self, value: Any) -> Any:
        """Return the plain values of a dataclass, or of any value its fields may hold."""
        for kind, (write, _) in self._custom.items():
            if isinstance(value, kind):
                return write(value)
        if is_dataclass(value) and not isinstance(value, type):
            values = {each.name: self.write(getattr(value, each.name)) for each in fields(value)}
            name = self._names.get(type(value))
            return values if name is None else {"kind": name} | values
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, float):
            return number_out(value)
        if isinstance(value, Mapping):
            return {str(key): self.write(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.write(item) for item in value]
        return plain(value)

    def read(self, kind: Any, value: Any) -> Any:
        """Return the value of this type that `write` was given."""
        origin = get_origin(kind)
        if origin in (Union, UnionType):
            return self._read_union(get_args(kind), value)
        if origin is Literal:
            if value not in get_args(kind):
                raise ValueError(value)
            return value
        if origin is tuple:
            return tuple(self.read(get_args(kind)[0], item) for item in _as(list, value))
        if origin is not None and issubclass(origin, Mapping):
            of = get_args(kind)[1]
            return {key: self.read(of, item) for key, item in _as(dict, value).items()}
        return self._read_class(kind, value)

    def _read_union(self, members: tuple[Any, ...], value: Any) -> Any:
        if value is None and NoneType in members:
            return None
        others = [member for member in members if member is not NoneType]
        if len(others) == 1:
            return self.read(others[0], value)
        kind = self._kinds[_as(dict, value)["kind"]]
        if kind not in others:
            raise ValueError(value["kind"])
        return self.read(kind, value)

    def _read_class(self, kind: Any, value: Any) -> Any:
        if kind is Any:
            return value
        for known, (_, read) in self._custom.items():
            if issubclass(kind, known):
                return read(value)
        if isinstance(kind, type) and is_dataclass(kind):
            hints = _hints(kind)
            values = _as(dict, value)
            parts = {
                each.name: self.read(hints[each.name], values[each.name]) for each in fields(kind)
            }
            return kind(**parts)
        if issubclass(kind, Enum):
            return kind(value)
        if kind is float:
            return _number(value)
        return _as(kind, value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _as(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value


def _number(value: Any) -> float:
    if value not in ("nan", "inf", "-inf") and not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
