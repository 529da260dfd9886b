"""`exact`: the posterior itself, by programmes over all subsets of the variables."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.memory import exact_cost, refuse_too_large
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.graphs.linear_extensions import linear_extensions
from arcwise.model import Model
from arcwise.model.targets import Target, as_target
from arcwise.posterior import DagSample, Evidence, Posterior
from arcwise.priors.constant import log_constant_by_size, weights_by_size
from arcwise.records.runs import ExactRun
from arcwise.scores import FamilyScores
from arcwise.support.checks import whole_number
from arcwise.support.running import Progress, Run, running

MOST_VARIABLES = {"modular": 25, "order-modular": 30}


def exact(
    model: Model,
    target: Target = "modular",
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
    seconds; under the modular prior it is O(3^n), seconds for 17 variables.

    Parameters
    ----------
    model
        The model.
    target
        ``"modular"``: the prior is the one the model states. ``"order-modular"``:
        each DAG counts once more for each of its topological orders.
    memory_limit
        The bytes the run may take; None for what the machine has free. A run
        that needs more is refused before it starts.
    tolerance
        The largest error rounding may leave in the modular programme, whose
        sums alternate in sign; it takes more digits where it must.
    paths
        Whether the probability of a directed path between each two variables is
        computed as well, see `ancestor_probabilities`.
    dags
        The number of DAGs to draw from the posterior, independently, for what
        edges and parent sets do not tell, such as blankets; see `ExactSampler`. It takes
        about as long again.
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
    wanted = as_target(target)
    refuse_many_variables(model, wanted)
    if not 0 < tolerance < 1:
        raise ArgumentError(f"tolerance is {tolerance!r}; give a number between 0 and 1")
    start = time.perf_counter()
    count = whole_number(dags, "dags", at_least=0)
    key = whole_number(seed, "seed", at_least=0)
    with running(threads, progress, "Exact posterior") as run:
        refuse_too_large(exact_cost(model, wanted, threads=run.threads).memory, memory_limit)
        quiet = Run(run.threads)
        weights = model.weights.table
        map_dag, map_log_weight = best_dag(model, quiet)
        if wanted == "modular":
            total, families, error = _core.modular_posterior(
                weights, tolerance, run.threads, run.progress
            )
        else:
            total, families, error = _core.order_modular_posterior(
                weights, run.threads, run.progress
            )
        constant = log_prior_constant(model, wanted, tolerance, quiet)
    reached = None
    if paths:
        reached = ancestor_probabilities(
            model, wanted, memory_limit=memory_limit, tolerance=tolerance, threads=threads,
            progress=progress,
        )  # fmt: skip
        np.fill_diagonal(reached, 0.0)  # no variable has a path to itself
    drawn = _drawn(model, wanted, tolerance, count, key, threads, progress) if count else None
    orders = 0.0
    if wanted == "order-modular":
        orders = linear_extensions(map_dag, log=True)
    return Posterior(
        variables=model.variables,
        target=wanted,
        run=ExactRun(
            dags=count,
            paths=paths,
            seed=key if count else None,
            tolerance=tolerance,
            seconds=time.perf_counter() - start,
        ),
        edges=_edge_probabilities(families),
        evidence=Evidence(total - constant, log_prior_constant=constant),
        map_dag=map_dag,
        map_log_weight=map_log_weight,
        map_probability=math.exp(min(0.0, map_log_weight + orders - total)),
        error=error,
        family_probabilities=FamilyScores(model.variables, families),
        paths=reached,
        dags=drawn,
        provenance=model.provenance(),
        model=model,
    )


def _drawn(
    model: Model,
    target: Target,
    tolerance: float,
    count: int,
    seed: int,
    threads: int | None,
    progress: Progress,
) -> DagSample:
    # Drawing stands on this file.
    from arcwise.algorithms.exact_sampling import ExactSampler

    sampler = ExactSampler(model, target, tolerance=tolerance, threads=threads, progress=progress)
    return sampler.dags(count, seed=seed, progress=progress)


def best_dag(model: Model, run: Run) -> tuple[Dag, float]:
    """Return the DAG of the largest weight and its log weight, by a programme of O(n^2 2^n)."""
    log_weight, parents = _core.best_dag(model.weights.table, run.threads, run.progress)
    names = model.variables
    of_each = {
        node: [names[u] for u in range(len(names)) if parents[v] >> u & 1]
        for v, node in enumerate(names)
    }
    return Dag(names, of_each), log_weight


def ancestor_probabilities(
    model: Model,
    target: Target = "modular",
    *,
    memory_limit: int | None = None,
    tolerance: float = 1e-8,
    threads: int | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """Compute the exact probability of a directed path between each two variables.

    Parameters
    ----------
    model, target, memory_limit, tolerance, threads, progress
        As for `exact`. The modular target takes about half as long again as
        `exact`; the order-modular one O(n^2 3^n) steps, less if the posterior is
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
    order_modular = as_target(target) == "order-modular"
    with running(threads, progress, "Ancestors") as run:
        n = len(model.variables)
        memory = _core.ancestor_probabilities_bytes(n, order_modular, run.threads)
        refuse_too_large(memory, memory_limit)
        matrix, _ = _core.ancestor_probabilities(
            model.weights.table, order_modular, run.threads, run.progress, tolerance
        )
    return matrix


def log_prior_constant(model: Model, target: Target, tolerance: float, run: Run) -> float:
    """Return the log of the summed prior weights of all DAGs."""
    order_modular = target == "order-modular"
    by_size = weights_by_size(model.prior_terms, model.families)
    if by_size is not None:
        constants = float(model.prior_terms.constant.sum())
        return constants + log_constant_by_size(by_size, len(model.variables), order_modular)
    table = model.prior_weights().table
    if order_modular:
        return _core.order_modular_log_weight(table, run.threads, run.progress)
    return _core.modular_log_weight(table, tolerance, run.threads, run.progress)


def refuse_many_variables(model: Model, target: Target) -> None:
    """Refuse a model with more variables than the programmes for the target take."""
    n, most = len(model.variables), MOST_VARIABLES[target]
    if n > most:
        raise CapacityError(
            f"the model has {n} variables, and the exact {target} posterior takes up to {most}; "
            "use a sampler"
        )


def _edge_probabilities(families: _core.FamilyTable) -> NDArray[np.float64]:
    n = len(families)
    edges = np.zeros((n, n))
    for node in range(n):
        flat, offsets = families.parent_sets(node)
        sizes = np.diff(offsets).astype(np.int64)
        each: NDArray[Any] = np.repeat(families.values(node), sizes)
        edges[:, node] = np.bincount(flat, weights=each, minlength=n)
    return np.clip(edges, 0.0, 1.0)
