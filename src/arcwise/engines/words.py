"""Engines by what users give for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcwise.engines.dask_engine import DaskEngine
from arcwise.engines.engine import Engine, Threads
from arcwise.errors import ArgumentError


@contextmanager
def opened_engine(value: Any) -> Iterator[Engine]:
    """Give the engine that is meant, and close it afterwards unless it was there before.

    Parameters
    ----------
    value
        None for the threads of this process, an `Engine`, a `distributed.Client`, or
        the address of a scheduler as `DaskEngine` takes it.
    """
    if value is None:
        yield Threads()
    elif isinstance(value, Engine):
        yield value
    elif isinstance(value, str | os.PathLike):
        if os.fspath(value) in ("", "dask://"):
            raise ArgumentError(
                f"engine is {value!r}; give the address of a scheduler, such as "
                "'dask://10.0.0.1:8786', a distributed.Client or an Engine"
            )
        with DaskEngine(value) as engine:
            yield engine
    else:
        yield DaskEngine(value)
