"""Where the first of several chains begins: at the best DAG that is known, or that a search finds.

The others begin where chains of linear orders have settled, which is where many orders are, not
where the best DAGs are. A mode that all of them miss shows only if one chain begins in it: then it
differs from the rest, and R-hat tells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.algorithms.map import best_dag_of_order
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.constraints.edges import as_dag
from arcwise.errors import ArgumentError, option
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.records.settings import ChainSettings
from arcwise.sums import ScoreSums

# A search takes a second then; `learn` has made one while it grew candidates.
_MOST_VARIABLES = 128
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
        dag = Dag.from_edges(model.variables, settings.known_dag)
    elif len(variables) <= _MOST_VARIABLES:
        found = _searched(session)
        if found is None:
            return ()
        dag = found
    else:
        return ()
    places = {name: place for place, name in enumerate(variables)}
    ordinary = model.folded.restricted(dag)
    parents = [[places[parent] for parent in ordinary.parents(name)] for name in variables]
    return tuple(
        sum(1 << (parent - first) for parent in own if first <= parent < first + _BITS)
        for own in parents
        for first in range(0, len(variables), _BITS)
    )


def _searched(session: SamplingSession[ChainSettings]) -> Dag | None:
    """Return the best DAG of a short search."""
    with session.run.quiet.stage(timed=False) as stage:
        sums = ScoreSums(session.model, tabulate="maxima", threads=stage.threads)
        patience = _PATIENCE * len(sums.variables)
        search = _core.OrderSearch(sums.core, patience, session.run.seed, [])
        try:
            search.run(0, _RESTARTS, stage.threads, stage.progress)
        except ArgumentError:  # no order of positive weight was found, as the chains will say
            return None
    order = search.order(int(np.argmax(search.log_weights())))
    return best_dag_of_order(session.model, sums, order)


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
