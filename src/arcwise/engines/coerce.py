"""`opened_engine`: the engine that an argument stands for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcwise.engines.engine import Engine, Threads


@contextmanager
def opened_engine(value: Any) -> Iterator[Engine]:
    """Yield the engine that an argument stands for, closing it afterwards if opened here.

    Parameters
    ----------
    value
        None for the threads of this process, an `Engine`, a `distributed.Client`, or
        the address of a scheduler, as for `DaskEngine`.

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
        # It closes only what it opened: the connection to an address, not a given client.
        from arcwise.cluster.dask_engine import open_cluster

        with open_cluster(value) as engine:
            yield engine
