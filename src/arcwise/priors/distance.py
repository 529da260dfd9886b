"""`DistanceToDag`: the prior that decreases with the distance from a reference DAG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.constraints.dags import as_dag
from arcwise.graphs.dag import Dag
from arcwise.priors.base import Prior
from arcwise.priors.terms import PriorTerms
from arcwise.support.checks import real_number
from arcwise.support.names import positions, refuse_other_names


@dataclass(frozen=True, init=False)
class DistanceToDag(Prior):
    """The weight of a DAG is delta to the power of its distance from a reference DAG.

    The distance is the number of directed edges in exactly one of the two (Heckerman,
    Geiger and Chickering 1995), so a reversed edge counts twice.

    Parameters
    ----------
    dag
        The reference, over the variables of the data in any order; a `Dag`, a networkx
        DiGraph or a frame of its adjacency matrix.
    delta
        In (0, 1]; 1 is the uniform prior.

    Examples
    --------
    >>> prior = DistanceToDag(Dag(["a", "b", "c"], {"c": ["a"]}), delta=0.5)
    >>> round(prior.log_weight(["a", "b", "c"], "c", ["b"]), 6)  # 2 log 0.5
    -1.386294
    """

    dag: Dag
    delta: float

    def __init__(self, dag: Any, delta: float) -> None:
        wanted = (
            "a number above 0 and at most 1, where smaller values favour DAGs closer to the "
            "reference"
        )
        share = real_number(delta, "delta", lambda x: 0.0 < x <= 1.0, wanted)
        reference = as_dag(dag, None, "dag")
        object.__setattr__(self, "dag", reference)
        object.__setattr__(self, "delta", share)

    def terms(self, variables: Sequence[str]) -> PriorTerms:
        """Return the log weights.

        With the reference parents R of a node, |P xor R| is |R| plus, for each
        u in P, -1 if u is in R and +1 if not.
        """
        n = len(variables)
        refuse_other_names(self.dag.variables, variables, "the reference DAG")
        index = positions(self.dag.variables, variables, "the reference DAG")
        reference = np.zeros((n, n), dtype=np.bool_)
        reference[np.ix_(index, index)] = self.dag.matrix()
        log_delta = math.log(self.delta)
        return PriorTerms(
            log_delta * reference.sum(axis=0),
            np.zeros((n, n)),
            np.where(reference, -log_delta, log_delta),
        )
