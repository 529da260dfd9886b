"""Mixed responses: simulated trajectories against the enumeration of the discrete ones.

Parameters are drawn once and given to both. The means of 20,000 trajectories have standard errors
of about 0.01 to 0.02 for numbers and at most 0.004 for probabilities; allowances are five of them,
and seeds are fixed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arcwise import Model, time_series
from arcwise.dynamics import responses
from arcwise.dynamics.responses import Impulse, Movement, Transition
from arcwise.laws import RegressionParameters, TableParameters
from arcwise.parameters.requirements import inference_of
from reference.dynamics import mixed_response

NAMES = ("g", "h", "x", "y")
TRAJECTORIES = 20_000
# Parents by column: g, h, x, y now are 0 to 3, and a step before 4 to 7.
PARENTS = {0: (4,), 1: (0, 5), 2: (1, 6), 3: (0, 2, 7)}


def _series() -> object:
    random = np.random.default_rng(3)
    g, h, x, y = [0], [0], [0.0], [0.0]
    for _ in range(150):
        g.append(int(random.random() < (0.8 if g[-1] else 0.3)))
        h.append(int(random.integers(0, 3)) if random.random() < 0.6 else h[-1])
        x.append(0.5 * x[-1] + h[-1] + random.normal())
        y.append(0.4 * y[-1] + (0.8 if g[-1] else -0.3) * x[-1] + random.normal())
    return time_series({"g": g, "h": h, "x": x, "y": y})


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize(
    ("source", "target"), [("g", "y"), ("h", "y"), ("x", "y"), ("g", "h"), ("y", "y")]
)
def test_trajectories_have_the_means_of_all_of_them(
    source: str, target: str, hold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "_TRAJECTORIES", TRAJECTORIES)
    series = _series()
    model = Model(series)
    assert model.score is not None
    posteriors = inference_of(model.data, model.score, "a test").posteriors
    levels, rows = posteriors.levels[:4], model.data.rows
    columns = posteriors.columns(model.data)
    moving = Movement(model.data.slices, posteriors.levels, columns, np.full(rows, 1 / rows))
    random = np.random.default_rng(1)
    drawn = {node: posteriors.of(node, own).drawn(1, random) for node, own in PARENTS.items()}
    steps, one, other = 2, NAMES.index(source), NAMES.index(target)
    tables, regressions, parents = {}, {}, {}
    for node, members in PARENTS.items():
        ordered = sorted(members, key=lambda u: levels[u % 4] == 0)
        parents[node] = [(u % 4, u // 4) for u in ordered]
        shape = [levels[u % 4] for u in members if levels[u % 4]]
        own = drawn[node]
        if isinstance(own, TableParameters):
            tables[node] = own.table[0].reshape(*shape, levels[node])
        else:
            assert isinstance(own, RegressionParameters)
            regressions[node] = (
                own.absolute_intercepts[0].reshape(shape),
                own.coefficients[0].reshape(*shape, -1),
            )
    # Means are linear in the numbers of a history, so that those of its levels are enough.
    numbers: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    for row in range(rows):
        numbers[int(columns[4][row]), int(columns[5][row])].append(
            np.array([columns[6][row], columns[7][row]])
        )
    history = [
        (
            len(values) / rows,
            {(0, 1): key[0], (1, 1): key[1]}
            | dict(zip([(2, 1), (3, 1)], np.mean(values, axis=0).tolist(), strict=True)),
        )
        for key, values in numbers.items()
    ]
    impulse = Impulse(source, target, steps, hold)
    found = moving.response(Transition(PARENTS, drawn), one, other, impulse, random)[0]
    for setting in range(levels[one] or 2):
        simulated = found[:, setting]
        expected = mixed_response(
            tables,
            regressions,
            parents,
            list(PARENTS),
            levels,
            history,
            one,
            setting,
            other,
            steps,
            hold=hold,
        )
        assert simulated == pytest.approx(expected, abs=0.02 if levels[other] else 0.1)


def test_a_response_that_forgets_to_hold_the_source_is_caught() -> None:
    """Holding g at 1 differs from setting it once by more than the allowance."""
    with pytest.MonkeyPatch.context() as patch:
        exact: Any = Movement._simulated

        def forgetful(*arguments: Any) -> Any:
            before, impulse, after = arguments[:4], arguments[4], arguments[5:]
            return exact(*before, replace(impulse, hold=False), *after)

        patch.setattr(Movement, "_simulated", forgetful)
        with pytest.raises(AssertionError):
            test_trajectories_have_the_means_of_all_of_them("g", "y", True, patch)
