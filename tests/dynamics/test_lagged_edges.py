"""Edges by lag and over all lags are those of the posterior, in words of time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import Model, time_series
from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior


def posterior(rows: int = 80) -> Posterior:
    random = np.random.default_rng(1)
    x = random.standard_normal(rows)
    y = np.concatenate([[0.0], 0.6 * x[:-1]]) + random.standard_normal(rows)
    who = np.repeat(np.arange(4), rows // 4)
    table = {"who": who, "x": x, "y": y, "s": who % 2 + 0.5}
    series = time_series(table, subject="who", lags=2)
    return arcwise.exact(Model(series), dags=200, seed=1)


def test_edges_by_lag_are_those_of_the_matrix() -> None:
    found = posterior()
    edges = arcwise.dynamics.lagged_edges(found)
    assert len(edges) == 2 * 6  # of two targets, all other columns
    for edge in edges:
        source = edge.source if edge.lag is None else f"{edge.source}(t-{edge.lag})"
        source = f"{edge.source}(t)" if edge.lag == 0 else source
        assert edge.probability == found.edge_probability(source, f"{edge.target}(t)")
    assert str(edges[0]).startswith("x(t-1) -> y(t): ")
    assert [e.probability for e in edges] == sorted((e.probability for e in edges), reverse=True)
    assert arcwise.dynamics.lagged_edges(found, 0.9) == [e for e in edges if e.probability >= 0.9]


def test_the_process_graph_has_the_probability_of_any_lag() -> None:
    found = posterior()
    for edge in arcwise.dynamics.process_graph(found):
        sources = [
            edge.source
            if lag is None
            else f"{edge.source}(t-{lag})"
            if lag
            else f"{edge.source}(t)"
            for lag in edge.by_lag
        ]
        total = 0.0
        for parents, share in found.parent_sets(f"{edge.target}(t)", 10_000):
            total += share * bool(set(parents) & set(sources))
        assert edge.probability == pytest.approx(total, abs=1e-10)
        assert edge.standard_error is None
    first = arcwise.dynamics.process_graph(found)[0]
    assert (first.source, first.target, first.lag) == ("x", "y", 1)
    assert "lag 1" in str(first)


def test_results_from_a_file_still_speak_in_time(tmp_path: Path) -> None:
    found = posterior()
    found.save(tmp_path / "posterior.npz")
    loaded = Posterior.load(tmp_path / "posterior.npz")
    assert arcwise.dynamics.lagged_edges(loaded) == arcwise.dynamics.lagged_edges(found)
    assert loaded.probability("x(t-1) -> y(t) and not x (t − 2) -> y(t)") > 0.5


def test_posteriors_of_other_tables_are_refused() -> None:
    plain = arcwise.exact(Model({"a": [0, 1, 1, 0], "b": [1, 0, 1, 0]}))
    for function in (arcwise.dynamics.lagged_edges, arcwise.dynamics.process_graph):
        with pytest.raises(ArgumentError, match="is for time series"):
            function(plain)
    random = np.random.default_rng(2)
    table = {"who": np.repeat(np.arange(20), 3), "x": random.standard_normal(60)}
    first = arcwise.exact(Model(time_series(table, subject="who").first_slice))
    with pytest.raises(ArgumentError, match="the posterior is of the first slice"):
        arcwise.dynamics.lagged_edges(first)
