"""Mixed responses: simulated trajectories against the enumeration of the discrete ones.

Parameters are drawn once and given to both. The means of 20,000 trajectories have standard errors
of about 0.01 to 0.02 for numbers and at most 0.004 for probabilities; allowances are five of them,
and seeds are fixed.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from arcwise import Model, time_series
from arcwise.dynamics import mixed_responses as module
from arcwise.dynamics.linear_responses import Impulse
from arcwise.parameters.mixed_inference import MixedInference
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
    monkeypatch.setattr(module, "_TRAJECTORIES", TRAJECTORIES)
    series = _series()
    model = Model(series)
    assert model.score is not None
    found = inference_of(model.data, model.score, "a test")
    assert isinstance(found, MixedInference)
    slices, posterior = model.data.slices, found.posterior
    levels = [posterior.levels[node] for node in range(4)]
    moving = module._Trajectories(
        posterior, slices, PARENTS, 1, module._Rows(model.data, slices), np.random.default_rng(1)
    )
    steps, one, other = 2, NAMES.index(source), NAMES.index(target)
    tables, regressions, parents = {}, {}, {}
    for node, members in PARENTS.items():
        ordered = sorted(members, key=lambda u: levels[u % 4] == 0)
        parents[node] = [(u % 4, u // 4) for u in ordered]
        shape = [levels[u % 4] for u in members if levels[u % 4]]
        if levels[node]:
            tables[node] = moving.tables[node][0].reshape(*shape, levels[node])
        else:
            drawn = moving.regressions[node]
            regressions[node] = (
                drawn.intercepts[0].reshape(shape),
                drawn.coefficients[0].reshape(*shape, -1),
            )
    # Means are linear in the numbers of a history, so that those of its levels are enough.
    numbers: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    for row in range(TRAJECTORIES):
        key = int(moving.codes[4, row]), int(moving.codes[5, row])
        numbers[key].append(moving.values[[6, 7], row])
    history = [
        (
            len(own) / TRAJECTORIES,
            {(0, 1): key[0], (1, 1): key[1]}
            | dict(zip([(2, 1), (3, 1)], np.mean(own, axis=0).tolist(), strict=True)),
        )
        for key, own in numbers.items()
    ]
    for setting in range(levels[one] or 2):
        simulated = moving.followed(one, setting, other, Impulse(source, steps, hold))[0]
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
        exact = module._Trajectories.followed
        patch.setattr(
            module._Trajectories,
            "followed",
            lambda self, source, setting, outcome, impulse: exact(
                self, source, setting, outcome, Impulse(impulse.source, impulse.steps, False)
            ),
        )
        with pytest.raises(AssertionError):
            test_trajectories_have_the_means_of_all_of_them("g", "y", True, patch)
