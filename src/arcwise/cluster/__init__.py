"""Computations on the workers of a Dask cluster."""

from arcwise.cluster.connection import SecureAddress
from arcwise.cluster.dask_engine import DaskEngine

__all__ = ["DaskEngine", "SecureAddress"]
