"""Whether two posteriors are the same to the last bit, but for how long they took."""

from __future__ import annotations

import numpy as np

from arcwise import Posterior

_TIMES = ("seconds", "seconds_sampling")


def assert_same_posterior(first: Posterior, second: Posterior) -> None:
    assert first.edges.tobytes() == second.edges.tobytes()
    assert np.array_equal(first.edge_errors, second.edge_errors, equal_nan=True)
    assert first.evidence == second.evidence
    assert first.map_dag == second.map_dag
    assert first.dags is not None
    assert second.dags is not None
    assert first.dags.parents.tobytes() == second.dags.parents.tobytes()
    assert first.dags.weights.tobytes() == second.dags.weights.tobytes()
    assert first.traces is not None
    assert second.traces is not None
    for one, other in zip(first.traces.log_weights, second.traces.log_weights, strict=True):
        assert one.tobytes() == other.tobytes()
    left, right = (
        {name: value for name, value in posterior.summary.items() if name not in _TIMES}
        for posterior in (first, second)
    )
    assert repr(left) == repr(right)  # with nan, which is not equal to itself
