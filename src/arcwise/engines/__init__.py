"""Engines: where the independent pieces of a computation run."""

from arcwise.engines.dask_engine import DaskEngine
from arcwise.engines.engine import Engine, Threads
from arcwise.engines.words import opened_engine

__all__ = ["DaskEngine", "Engine", "Threads", "opened_engine"]
