"""Engines: where independent parts of a computation run; `arcwise.cluster` has the Dask one."""

from arcwise.engines.batch import batch
from arcwise.engines.coerce import opened_engine
from arcwise.engines.engine import Engine, Threads

__all__ = ["Engine", "Threads", "batch", "opened_engine"]
