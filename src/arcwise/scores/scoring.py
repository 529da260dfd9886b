"""`score`: from data to the scores of all families."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.data import Data, read
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.families import Families
from arcwise.scores.coerce import as_score
from arcwise.scores.family_scores import FamilyScores
from arcwise.scores.function import FunctionScore
from arcwise.scores.job import FamilyScoring
from arcwise.support.running import Progress, running


def score(
    data: Any,
    score: Any = None,
    *,
    max_indegree: Any = None,
    candidates: Any = None,
    plus_one: bool = False,
    required_edges: Any = (),
    forbidden_edges: Any = (),
    temporal_order: Any = None,
    constraints: Any = None,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
) -> FamilyScores:
    """Score every family the constraints and candidates leave.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes; with a function as the score, a list of
        variable names will do.
    score
        A score such as ``BDeu(equivalent_sample_size=10)``, a name such as
        ``"bge"``, or a function of a node and its parents. None chooses `BDeu`
        for discrete data and `BGe` otherwise.
    max_indegree, candidates, plus_one, required_edges, forbidden_edges, temporal_order, constraints
        Which families there are; see `Families.of`.
    engine
        Where it is done: None for threads of this process, or a cluster, see `mcmc`.
    threads
        The number of threads; None for all cores.
    progress
        True for a progress bar, or a function of the share done.

    Returns
    -------
    FamilyScores
        Natural logarithms of the likelihoods, without any prior on structures.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate.asia().sample(500, seed=1)
    >>> scores = arcwise.score(data, "bdeu", max_indegree=2)
    >>> scores.best("either", 1)[0][0]
    ('tub', 'lung')
    """
    table_of = {
        "max_indegree": max_indegree,
        "candidates": candidates,
        "plus_one": plus_one,
        "required_edges": required_edges,
        "forbidden_edges": forbidden_edges,
        "temporal_order": temporal_order,
        "constraints": constraints,
    }
    named = _names_only(data)
    with opened_engine(engine) as active, running(threads, progress, "Scoring families") as run:
        if named is not None:
            chosen = as_score(score)
            if not isinstance(chosen, FunctionScore):
                raise ArgumentError(
                    f"data is a list of names, from which {type(chosen).__name__} cannot be "
                    "computed; give the data, or a function as the score"
                )
            table = active.score(FamilyScoring(chosen, named, Families.of(named, **table_of)), run)
            return FamilyScores(named, table)
        known = data if isinstance(data, Data) else read(data)
        families = Families.of(known.variables, **table_of)
        chosen = as_score(score, known)
        table = active.score(FamilyScoring(chosen, known, families), run)
    for node, name in enumerate(known.variables):
        largest = table.values(node).max()
        if not largest < np.inf:  # nan if any value is
            raise ArgumentError(
                f"the score {type(chosen).__name__} gave {largest} for a family of {name!r}; let "
                "it give log likelihoods, numbers or -inf"
            )
    return FamilyScores(known.variables, table)


def _names_only(data: Any) -> tuple[str, ...] | None:
    if isinstance(data, list | tuple) and data and all(isinstance(name, str) for name in data):
        return tuple(data)
    return None
