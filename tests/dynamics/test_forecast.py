"""Forecasts agree with enumeration, with Student's t of the regression, and are calibrated."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

import arcwise
from arcwise import Model, time_series
from arcwise.errors import ArgumentError, DataError
from arcwise.laws.regressions import LinearGaussianPosteriors
from arcwise.parameters.requirements import inference


def test_levels_are_those_of_all_slices() -> None:
    random = np.random.default_rng(1)
    table = {
        "who": np.repeat(np.arange(12), 6),
        "x": random.integers(0, 2, 72),
        "y": random.integers(0, 3, 72),
    }
    series = time_series(table, subject="who", lags=2)
    model = Model(series)
    posterior = arcwise.exact(model, dags=40, seed=1)
    found: Any = arcwise.forecast(posterior, table, subject="who")
    assert found.subjects == tuple(range(12))
    posteriors: Any = inference(posterior, None, "test").posteriors
    for who in (0, 7):
        last = {name: table[name][6 * who : 6 * who + 6] for name in ("x", "y")}
        known = {
            f"{name}(t-{lag})": int(last[name][6 - lag]) for name in ("x", "y") for lag in (1, 2)
        }
        expected = {"x": np.zeros(2), "y": np.zeros(3)}
        for dag, share in zip(posterior.dags, posterior.dags.shares, strict=True):
            for x, y in itertools.product(range(2), range(3)):
                row = known | {"x(t)": x, "y(t)": y}
                weight = share
                for name in ("x(t)", "y(t)"):
                    parents = dag.parents(name)
                    cells = posteriors.of(
                        series.index(name), tuple(sorted(series.index(u) for u in parents))
                    ).dirichlet
                    order = sorted(parents, key=series.index)
                    own = cells[tuple(row[u] for u in order)]
                    weight *= own[row[name]] / own.sum()
                expected["x"][x] += weight
                expected["y"][y] += weight
        for name, of in expected.items():
            assert np.allclose(found[name].probabilities[who], of, rtol=0, atol=1e-12)


def test_numbers_are_students_t_of_the_regression() -> None:
    """Quantiles of 40,000 draws are compared with those of the distribution, within 5 errors."""
    random = np.random.default_rng(2)
    x = [0.0]
    for _ in range(60):
        x.append(0.8 * x[-1] + random.standard_normal())
    series = time_series({"x": x})
    model = Model(series, required_edges=[("x(t-1)", "x")])
    posterior = arcwise.exact(model, dags=10, seed=1)
    found: Any = arcwise.forecast(posterior, {"x": x}, draws=4000)["x"]
    posteriors = inference(posterior, None, "test").posteriors
    assert isinstance(posteriors, LinearGaussianPosteriors)
    node = posteriors.nodes[0]
    regression = posteriors.family(0, (1,))
    away = x[-1] - node.mean[1]
    centre = node.mean[0] + regression.coefficients[0, 0] * away
    leverage = (regression.inverse_roots[0, 0, 0] * away) ** 2
    d = regression.degrees[0]
    scale = np.sqrt(regression.residuals[0] / d * (1 + 1 / node.strength + leverage))
    low, high = (float(stats.t.ppf(p, d, centre, scale)) for p in (0.025, 0.975))
    assert found.mean[0] == pytest.approx(centre, abs=0.02 * scale)
    assert found.low[0] == pytest.approx(low, abs=0.03 * scale)
    assert found.high[0] == pytest.approx(high, abs=0.03 * scale)


def test_intervals_hold_what_comes_next() -> None:
    """300 intervals of 90 %: fewer than 244 or more than 292 hold once in 10^5 times."""
    random = np.random.default_rng(3)
    x = np.zeros((300, 12))
    y = np.zeros((300, 12))
    for t in range(1, 12):
        x[:, t] = 0.7 * x[:, t - 1] + random.standard_normal(300)
        y[:, t] = 0.5 * x[:, t] - 0.4 * y[:, t - 1] + random.standard_normal(300)
    who = np.repeat(np.arange(300), 11)
    table = {"who": who, "x": x[:, :11].ravel(), "y": y[:, :11].ravel()}
    posterior = arcwise.exact(Model(time_series(table, subject="who")), dags=100, seed=1)
    found: Any = arcwise.forecast(posterior, table, subject="who", level=0.9)
    for name, truth in (("x", x[:, 11]), ("y", y[:, 11])):
        inside = (found[name].low <= truth) & (truth <= found[name].high)
        assert 244 <= inside.sum() <= 292
    assert found.table().shape == (600, 6)


def test_a_history_that_does_not_do_is_refused() -> None:
    table = {"t": [1, 2, 3, 4, 5, 6], "x": [0.1, 0.9, 0.4, 0.6, 0.2, 0.5]}
    posterior = arcwise.exact(Model(time_series(table, time="t", lags=2)), dags=5, seed=1)
    with pytest.raises(DataError, match="the history has no row 2 steps before the next slice"):
        arcwise.forecast(posterior, {"t": [9], "x": [0.4]}, time="t")
    with pytest.raises(DataError, match="the history lacks 'x'"):
        arcwise.forecast(posterior, {"y": [0.4, 0.2]})
    with pytest.raises(DataError, match="is missing at the end of the history"):
        arcwise.forecast(posterior, {"x": [0.4, None]})
    found: Any = arcwise.forecast(posterior, {"x": [0.4, 0.2]})
    with pytest.raises(ArgumentError, match="'y' is not forecast"):
        found["y"]
    assert "mean" in str(found)


def test_mixed_forecasts_are_those_of_their_parts() -> None:
    """A discrete and a continuous process that have nothing in common, each alone and together."""
    random = np.random.default_rng(4)
    x, g = [0.0], [0]
    for _ in range(300):
        x.append(0.7 * x[-1] + random.standard_normal())
        g.append(int(random.random() < (0.8 if g[-1] else 0.3)))
    both = arcwise.exact(Model(time_series({"x": x, "g": g})), dags=50, seed=1)
    found: Any = arcwise.forecast(both, {"x": x, "g": g}, draws=100)
    alone = arcwise.exact(Model(time_series({"x": x}), required_edges=[("x(t-1)", "x")]), dags=20)
    number: Any = arcwise.forecast(alone, {"x": x}, draws=200)["x"]
    # Priors differ a little, and 5,000 draws have an error of about 0.02.
    assert found["x"].mean[0] == pytest.approx(number.mean[0], abs=0.15)
    assert found["x"].high[0] == pytest.approx(number.high[0], abs=0.3)
    level: Any = arcwise.forecast(arcwise.exact(Model(time_series({"g": g})), dags=20), {"g": g})[
        "g"
    ]
    assert found["g"].probabilities[0, 1] == pytest.approx(level.probabilities[0, 1], abs=0.05)
