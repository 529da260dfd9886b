"""Where the first of several chains begins: at the best DAG that is known, or that a search finds.

The others begin where chains of linear orders have settled, which is where many orders are, not
where the best DAGs are. A mode that all of them miss shows only if one chain begins in it: then it
differs from the rest, and R-hat tells.
"""

from __future__ import annotations

import math
from typing import Any

from arcwise import _core
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.constraints.dags import as_dag
from arcwise.errors import ArgumentError, option
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.records.settings import ChainSettings
from arcwise.sums import ScoreSums
from arcwise.support.running import running

_MOST_VARIABLES = (
    128  # a search takes a second then, and `learn` has made one while it grew parents
)
_RESTARTS = 2
_PATIENCE = 2  # perturbations per variable
_BITS = 64


def first_dag(session: SamplingSession[ChainSettings]) -> tuple[int, ...]:
    """Return the DAG as bits of the parents of each node, 64 to a number; empty for none.

    The same for the same model and seed, so that a run that is resumed has it again.

    Parameters
    ----------
    session
        The session. Chains that begin at random states, and those of orders, have none.
    """
    settings, model = session.settings, session.model
    if not settings.order_steps or settings.space.modularity != "modular":
        return ()
    variables = session.sums.variables
    if settings.known_dag is not None:
        dag = model.folded.restricted(Dag.from_edges(model.variables, settings.known_dag))
        places = {name: place for place, name in enumerate(variables)}
        parents = [[places[parent] for parent in dag.parents(name)] for name in variables]
    elif len(variables) <= _MOST_VARIABLES:
        parents = _searched(session)
    else:
        return ()
    return tuple(
        sum(1 << (parent - first) for parent in own if first <= parent < first + _BITS)
        for own in parents
        for first in range(0, len(variables), _BITS)
    )


def _searched(session: SamplingSession[ChainSettings]) -> list[list[int]]:
    """Return the parents of each node in the best DAG of a short search; none if it finds none."""
    with running(session.environment.threads, None, "") as run:
        sums = ScoreSums(session.model, tabulate="maxima", threads=run.threads)
        n = len(sums.variables)
        search = _core.OrderSearch(sums.core, _PATIENCE * n, session.settings.seed, [])
        try:
            search.run(0, _RESTARTS, run.threads, run.progress)
        except ArgumentError:  # no order of positive weight was found, as the chains will say
            return []
    log_weights = list(search.log_weights())
    order = search.order(log_weights.index(max(log_weights)))
    parents: list[list[int]] = [[] for _ in range(n)]
    for place, node in enumerate(order):
        _, chosen = sums.core.best(node, order[:place], None)
        parents[node] = list(chosen or ())
    return parents


def known_edges(model: Model, dag: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the edges of a DAG that was given, or refuse one that the model excludes.

    Parameters
    ----------
    model
        The model.
    dag
        A DAG in any form that `Model.log_weight_of` takes, or None.
    """
    if dag is None:
        return None
    found = as_dag(dag, model.variables, option("known_dag"))
    if model.log_weight_of(found) == -math.inf:
        raise ArgumentError(
            option("known_dag"),
            " has a probability of zero under the model; give another, or leave it out",
        )
    return tuple(found.edges)
