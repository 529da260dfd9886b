"""Whether two posteriors are the same to the last bit, but for how long they took."""

from __future__ import annotations

import numpy as np

from arcwise import Posterior
from support.presence import known
from support.run_records import untimed


def assert_same_posterior(first: Posterior, second: Posterior) -> None:
    assert first.edges.tobytes() == second.edges.tobytes()
    assert np.array_equal(known(first.edge_errors), known(second.edge_errors), equal_nan=True)
    edges = [None if p.chain_edges is None else p.chain_edges.tobytes() for p in (first, second)]
    assert edges[0] == edges[1]
    assert first.evidence == second.evidence
    assert first.map_dag == second.map_dag
    drawn, again = known(first.dags), known(second.dags)
    assert drawn.parents.tobytes() == again.parents.tobytes()
    assert known(drawn.weights).tobytes() == known(again.weights).tobytes()
    traces = known(first.traces).log_weights, known(second.traces).log_weights
    for one, other in zip(*traces, strict=True):
        assert one.tobytes() == other.tobytes()
    left, right = (untimed(posterior.run) for posterior in (first, second))
    assert repr(left) == repr(right)  # with nan, which is not equal to itself
