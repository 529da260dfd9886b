"""Engines by what users give for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcwise.engines.engine import Engine, Threads
from arcwise.support.slots import Slot

cluster_engine: Slot[[Any], Engine] = Slot()  # cluster.dask_engine


@contextmanager
def opened_engine(value: Any) -> Iterator[Engine]:
    """Give the engine that is meant, and close it afterwards unless it was there before.

    Parameters
    ----------
    value
        None for the threads of this process, an `Engine`, a `distributed.Client`, or
        the address of a scheduler as `DaskEngine` takes it.

    Examples
    --------
    >>> with opened_engine(None) as engine:
    ...     type(engine).__name__
    'Threads'
    """
    if value is None:
        yield Threads()
    elif isinstance(value, Engine):
        yield value
    else:
        # It closes what it opened itself: the connection to an address, not a client.
        with cluster_engine(value) as engine:
            yield engine
