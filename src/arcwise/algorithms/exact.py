"""`exact`: the posterior itself, by dynamic programming over all subsets of the variables."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.exact_computation import ExactComputation, bytes_per_draw
from arcwise.errors import option
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior import Posterior
from arcwise.records.runs import ExactRun
from arcwise.support.checks import checked_seed, refuse_beyond_memory, true_or_false, whole_number
from arcwise.support.running import Progress


def exact(
    model: Model,
    modularity: Modularity = "modular",
    *,
    memory_limit: int | None = None,
    tolerance: float = 1e-8,
    paths: bool = False,
    dags: int = 0,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> Posterior:
    """Compute the posterior exactly.

    Under the order-modular prior the time is O(n^2 2^n) and 25 variables take
    seconds; under the modular prior it is O(3^n), seconds for 19 variables.

    Parameters
    ----------
    model
        The model.
    modularity
        ``"modular"``: the prior is the one the model states. ``"order-modular"``:
        each DAG counts once more for each of its topological orders.
    memory_limit
        The bytes the run may take; None for what the machine has free. A run
        that needs more is refused before it starts.
    tolerance
        The largest error rounding may leave in the modular computation, whose
        sums alternate in sign; it takes more digits where it must.
    paths
        Whether the probability of a directed path between each two variables is
        computed as well, see `ancestor_probabilities`.
    dags
        The number of DAGs to draw from the posterior, independently, for what
        edges and parent sets do not tell, such as blankets; see `ExactComputation`.
    seed
        The seed of these draws.
    threads
        The number of threads; None for all cores.
    progress
        True for a progress bar, or a function of the share done.

    Returns
    -------
    Posterior
        With exact probabilities of edges and parent sets, the log evidence and
        the best DAG, and the DAGs if any were asked for.

    Raises
    ------
    CapacityError
        If there are too many variables or too little memory.
    NumericalError
        If rounding may cost more than the tolerance.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)
    >>> posterior = arcwise.exact(model)
    >>> posterior.edge_probability("smoke", "bronc") > 0.1
    True
    """
    start = time.perf_counter()
    true_or_false(paths, option("paths"))
    computation = ExactComputation(
        model, modularity, memory_limit=memory_limit, tolerance=tolerance, threads=threads
    )
    count = whole_number(dags, option("dags"), at_least=0)
    refuse_beyond_memory(count, option("dags"), bytes_per_draw(len(model.variables)))
    key = checked_seed(seed)
    found = computation.posterior(progress=progress)
    reached = None
    if paths:
        reached = computation.paths(progress=progress)
        np.fill_diagonal(reached, 0.0)  # no variable has a path to itself
    drawn = computation.dags(count, seed=key, progress=progress) if count else None
    run = ExactRun(
        dags=count,
        paths=paths,
        seed=key if count else None,
        tolerance=tolerance,
        seconds=time.perf_counter() - start,
    )
    return replace(found, run=run, paths=reached, dags=drawn)


def ancestor_probabilities(
    model: Model,
    modularity: Modularity = "modular",
    *,
    memory_limit: int | None = None,
    tolerance: float = 1e-8,
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """Compute the exact probability of a directed path between each two variables.

    Parameters
    ----------
    model, modularity, memory_limit, tolerance, threads, progress
        As for `exact`. Paths of the modular posterior come with all else there is to compute;
        those of the order-modular one take O(n^2 3^n) steps, fewer if the posterior is
        concentrated, for up to 20 variables.

    Returns
    -------
    numpy.ndarray
        The probability that the first variable is an ancestor of the second, as
        [ancestor, descendant]; 1 on the diagonal.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> paths = arcwise.algorithms.ancestor_probabilities(model)
    >>> bool(paths[2, 4] >= arcwise.exact(model).edges[2, 4])
    True
    """
    computation = ExactComputation(
        model, modularity, memory_limit=memory_limit, tolerance=tolerance, threads=threads
    )
    return computation.paths(progress=progress)
