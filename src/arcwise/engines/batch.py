"""`batch`: the same computation on each of many data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from arcwise.engines.coerce import opened_engine
from arcwise.support.running import Progress, running

Result = TypeVar("Result")


def batch(
    function: Callable[[Any], Result],
    datasets: Iterable[Any],
    *,
    engine: Any = None,
    progress: Progress = None,
) -> list[Result]:
    """Return what a function makes of each of many data sets, in their order.

    Parameters
    ----------
    function
        The function, of one data set. On a cluster, let it give samplers
        ``threads=1``: workers have one thread for each task.
    datasets
        The data sets, in whatever form the function takes them; on a cluster, each
        travels with its task, so that large ones are better given by a path that the
        workers can read.
    engine
        None to take them one after the other in this process; or a cluster, see `mcmc`.
    progress
        True for a progress bar, or a function of the share done.

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
    things = list(datasets)
    with opened_engine(engine) as active, running(None, progress, "batch") as run:
        return active.map(function, things, run)
