"""`exact`: the posterior itself, by dynamic programming over all subsets of the variables."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.exact_computation import Computing, ExactComputation, bytes_per_draw
from arcwise.errors import TimeIsUpError, option
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.posterior import DagSample, Posterior
from arcwise.records.runs import ExactRun
from arcwise.records.settings import OfModel
from arcwise.support.checks import refuse_beyond_memory, true_or_false, whole_number
from arcwise.support.running import Deadline, LocalRun, Progress
from arcwise.support.settings import keywords_of, setting


@dataclass(frozen=True)
class Exact(Computing):
    """The options of `exact`."""

    _: KW_ONLY
    paths: bool = setting(
        False,
        "Whether the probability of a directed path between each two variables is computed as "
        "well, see `ancestor_probabilities`.",
        check=true_or_false,
        in_shell=False,
    )
    dags: int = setting(
        0,
        "The number of DAGs to draw from the posterior, independently, for features that edges and "
        "parent sets do not determine, such as blankets; see `ExactComputation`.",
        check=partial(whole_number, at_least=0),
        in_shell=False,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(LocalRun, Exact, OfModel):
    """The arguments of `exact`."""

    seconds: float | Deadline | None = setting(
        None,
        "If given, paths are left out and fewer DAGs drawn where there is no time for them, with a "
        "`CutShortWarning`. Or a `Deadline` that this call shares with others.",
    )
    device: object = setting(
        None,
        'None for the processors. ``"gpu"``: the posterior and its best DAG are computed on a '
        "graphics processor, for as many variables as its memory holds: 33 in 64 GiB "
        "(order-modular), or 26 in 18 GiB (modular). The result is the same but for rounding, "
        "which its `error` reports. Order-modular DAGs are drawn there as well, others than those "
        'of processors; modular ones and paths still come from these. ``"auto"``: where there is '
        "one, of the order-modular posterior of 20 variables or more.",
    )


@keywords_of(_Arguments)
def exact(model: Model, settings: Exact, run: LocalRun) -> Posterior:
    """Compute the posterior exactly.

    Under the order-modular prior the time is O(n^2 2^n), which is seconds for 25 variables; under
    the modular prior it is O(3^n), which is seconds for 19 variables.

    Parameters
    ----------
    model
        The model.

    Returns
    -------
    Posterior
        With exact probabilities of edges and parent sets, the log evidence and the best DAG, and
        sampled DAGs if requested.

    Raises
    ------
    CapacityError
        If there are too many variables or too little memory.
    NumericalError
        If rounding may cost more than the tolerance.
    TimeIsUpError
        If the time is up before the probabilities of edges are known.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)
    >>> posterior = arcwise.exact(model)
    >>> posterior.edge_probability("smoke", "bronc") > 0.1
    True
    """
    with run.telling():
        return exactly(model, settings, run)


def exactly(model: Model, settings: Exact, run: LocalRun) -> Posterior:
    """Compute the posterior; see `exact`."""
    start = time.perf_counter()
    computation = ExactComputation(model, settings, run)
    refuse_beyond_memory(settings.dags, option("dags"), bytes_per_draw(len(model.variables)))
    found = computation.posterior()
    reached = _paths(computation, run) if settings.paths else None
    drawn = _draws(computation, settings.dags, run) if settings.dags else None
    record = ExactRun(
        dags=0 if drawn is None else len(drawn),
        paths=reached is not None,
        seed=None if drawn is None else run.seed,
        tolerance=settings.tolerance,
        seconds=time.perf_counter() - start,
    )
    return replace(found, run=record, paths=reached, dags=drawn)


def _paths(computation: ExactComputation, run: LocalRun) -> NDArray[np.float64] | None:
    """Return the probabilities of paths, or None if there is no time for them."""
    try:
        reached = computation.paths()
    except TimeIsUpError:
        run.deadline.cut("The probabilities of paths were left out, as the time was up.")
        return None
    np.fill_diagonal(reached, 0.0)  # no variable has a path to itself
    return reached


_FIRST_DRAWS = 256  # of a run in limited time; each batch is twice the one before


def _draws(computation: ExactComputation, count: int, run: LocalRun) -> DagSample | None:
    """Return this number of DAGs, or as many as fit into the time."""
    seed, deadline, progress = run.seed, run.deadline, run.progress
    if not deadline.limited:
        return computation.dags(count, seed=seed, progress=progress)
    # A draw depends on its number only, so several calls give the same DAGs as one.
    drawn: list[DagSample] = []
    done, batch = 0, _FIRST_DRAWS
    try:
        while done < count:
            batch = min(batch, count - done)
            deadline.check()
            drawn.append(computation.dags(batch, seed=seed, first=done, progress=progress))
            done, batch = done + batch, 2 * batch
    except TimeIsUpError:
        deadline.cut(f"{done:,} of {count:,} DAGs were drawn, as the time was up.")
    if not drawn:
        return None
    return DagSample(drawn[0].variables, np.concatenate([part.parents for part in drawn]))


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
        As for `exact`. Paths of the modular posterior are a by-product of its other results; those
        of the order-modular one take O(n^2 3^n) steps, fewer if the posterior is concentrated, for
        up to 20 variables.

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
    settings = Computing(modularity, memory_limit=memory_limit, tolerance=tolerance)
    run = LocalRun(threads=threads, progress=progress)
    return ExactComputation(model, settings, run).paths()
