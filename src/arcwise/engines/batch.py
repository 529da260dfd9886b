"""`batch`: one computation applied to many data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from arcwise.engines.coerce import opened_engine
from arcwise.errors import ArgumentError
from arcwise.support.names import as_list
from arcwise.support.running import Progress, running
from arcwise.support.words import shown

Result = TypeVar("Result")


def batch(
    function: Callable[[Any], Result],
    datasets: Iterable[Any],
    *,
    engine: Any = None,
    progress: Progress = None,
) -> list[Result]:
    """Apply a function to each of many data sets, and return the results in order.

    Parameters
    ----------
    function
        A function of one data set. On a cluster, it should run samplers with
        ``threads=1``, as workers have one thread for each task.
    datasets
        The data sets, in any form the function accepts; on a cluster, each is sent with
        its task, so large ones are better given as a path that the workers can read.
    engine
        None to process them one after another in this process; or a cluster, see `mcmc`.
    progress
        True for a progress bar, or a function of the fraction done.

    Examples
    --------
    >>> import arcwise
    >>> network = arcwise.networks.asia()
    >>> def tub_to_either(data):
    ...     return float(arcwise.exact(arcwise.Model(data, max_indegree=2)).edges[1, 5])
    >>> found = batch(tub_to_either, [network.sample(200, seed=seed) for seed in (1, 2, 3)])
    >>> len(found)
    3
    """
    if not callable(function):
        raise ArgumentError(f"function is {shown(function)}; give a function of one data set")
    things = as_list(datasets, "datasets", "a list of data sets")
    with opened_engine(engine) as active, running(None, progress, "batch") as run:
        return active.map(function, things, run)
