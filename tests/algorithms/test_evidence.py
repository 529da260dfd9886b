"""The evidence by every method against exact values, combined, and when it must not be stated."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import arcwise
from arcwise import Model
from arcwise.algorithms import evidence, normalizing_constants
from arcwise.algorithms.evidence import (
    EvidenceMethod,
    as_evidence_method,
    chosen_methods,
    combination,
)
from arcwise.cli import main
from arcwise.errors import ArgumentError
from arcwise.posterior.evidence import LowerBound
from arcwise.results import Evidence
from support.chi_squared import FALSE_ALARM_RATE
from support.exact_models import random_model

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

METHODS: dict[str, dict[str, Any]] = {
    "ais": {"particles": 60, "steps": 300},
    "smc": {"particles": 32, "runs": 8},
    "mc3": {"steps": 3_000},
    "bridge": {"particles": 8, "runs": 8, "steps": 100},
    "bennett": {"particles": 16, "runs": 8, "steps": 1_000, "draws": 400},
}


@pytest.mark.parametrize("method", METHODS)
def test_intervals_cover_and_short_runs_say_so(method: Any) -> None:
    """Thirty models and seeds: 95 % intervals that miss more than 6 of 30 happen once in 3,000."""
    missed = stated = 0
    for number in range(30):
        model = random_model(5, spread=6.0, seed=number % 6)
        exact = arcwise.exact(model, threads=1).log_evidence
        assert exact is not None
        found = arcwise.evidence(model, method, seed=number, threads=1, **METHODS[method])
        assert (found.standard_error is None) == (found.verdict not in ("reliable", "exact"))
        if found.interval is not None:
            stated += 1
            missed += not found.interval.low <= exact <= found.interval.high
        else:
            assert found.doubts
    assert stated >= 20
    assert missed <= 6


def test_the_case_of_one_run_that_carries_everything() -> None:
    # Annealing that is far too short: one weight of 18 counts, and its error would be 1 whatever
    # it is off by.
    model = random_model(8, spread=60.0, seed=3)
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    off = []
    for seed in range(12):
        found = arcwise.evidence(model, "ais", particles=18, steps=10, seed=seed, threads=1)
        assert found.standard_error is None
        assert found.interval is None
        assert found.verdict in ("not converged", "doubtful")
        assert found.effective_runs is not None
        assert found.effective_runs < 10
        [doubt] = found.doubts
        assert "effective number of independent runs" in doubt
        assert "at least" in doubt
        bound = found.lower_bound
        assert bound is not None
        assert bound.value < exact
        off.append(found.log_evidence - exact)
    assert min(off) < -3.0


def two_order_modes() -> Model:
    """Return a model of two modes between which chains of orders do not pass."""

    def score(node: str, parents: tuple[str, ...]) -> float:
        place = int(node[1:])
        if parents == (f"X{place - 1}",):
            return 40.0
        if parents == (f"X{place + 1}",):
            return 40.3
        return 0.0 if not parents and place in (0, 6) else -40.0

    return Model([f"X{i}" for i in range(7)], score, max_indegree=2)


def test_the_bridge_does_not_care_for_modes() -> None:
    model = two_order_modes()
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    missed = 0
    for seed in range(10):
        found = arcwise.evidence(model, "bridge", steps=300, seed=seed, threads=1)
        assert found.interval is not None
        missed += not found.interval.low <= exact <= found.interval.high
    # Of 10 intervals of 95 %, more than 4 miss once in 15,000 times.
    assert missed <= 4


def test_weights_over_the_bridge_are_unbiased() -> None:
    """Few steps, many populations: the mean is the exact ratio within 4.9 standard errors."""
    model = random_model(5, spread=4.0, seed=4, required_edges=[("x3", "x0")])
    exact = arcwise.exact(model).log_evidence
    found = arcwise.evidence(model, "bridge", particles=1, runs=4_000, steps=5, seed=1, threads=1)
    assert found.standard_error is not None
    assert exact is not None
    assert abs(math.expm1(found.log_evidence - exact)) < 4.9 * found.standard_error
    bound = found.lower_bound
    assert bound is not None
    assert bound.value < exact


def against_the_constraint() -> Model:
    """Return a model that requires an edge which its score is much against."""

    def score(node: str, parents: tuple[str, ...]) -> float:
        return -300.0 if (node, "x0") == ("x1", *parents[:1]) else -2.0 * len(parents)

    return Model([f"x{i}" for i in range(6)], score, required_edges=[("x0", "x1")])


def test_populations_do_not_leap_over_constraints() -> None:
    # While all states lack the edge, their weights are equal however far the next temperature is.
    # Populations that went there at once all agreed, and were off by thousands of nats.
    model = against_the_constraint()
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    for space in ("canonical", "partitions"):
        found = arcwise.evidence(model, "smc", space=space, particles=32, seed=1, threads=1)
        assert abs(found.log_evidence - exact) < 30.0
        # All populations may be wrong alike, so none is relied upon alone.
        assert (found.standard_error, found.verdict) == (None, "doubtful")
        assert any("Edges are required" in doubt for doubt in found.doubts)
    bridge = arcwise.evidence(model, "bridge", particles=32, seed=1, threads=1)
    assert not any("Edges are required" in doubt for doubt in bridge.doubts)


def test_choices() -> None:
    small, threads = random_model(5, spread=4.0, seed=1), 1
    assert chosen_methods(small, "modular", None, threads) == (EvidenceMethod.EXACT,)
    assert arcwise.evidence(small).verdict == "exact"
    assert arcwise.evidence(small, modularity="order-modular").verdict == "exact"
    assert as_evidence_method("bridge") is EvidenceMethod.BRIDGE
    middle = Model(_table(22), max_indegree=1, threads=1)
    assert chosen_methods(middle, "modular", None, threads) == (
        EvidenceMethod.BRIDGE,
        EvidenceMethod.SMC,
    )
    large = Model(_table(40), max_indegree=1, threads=1)
    assert chosen_methods(large, "modular", None, threads) == (
        EvidenceMethod.BENNETT,
        EvidenceMethod.SMC,
    )
    assert chosen_methods(large, "order-modular", None, threads) == (
        EvidenceMethod.SMC,
        EvidenceMethod.MC3,
    )


def _table(columns: int) -> dict[str, list[int]]:
    draw = np.random.default_rng(columns).integers(0, 2, (20, columns))
    draw[:2] = [[0], [1]]
    return {f"x{i}": column.tolist() for i, column in enumerate(draw.T)}


def test_methods_together(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(6, spread=6.0, seed=2)
    exact = arcwise.exact(model).log_evidence
    assert exact is not None
    monkeypatch.setattr(evidence, "exact_is_cheap", lambda *_: _[2] == "order-modular")
    found = arcwise.evidence(model, seed=1, threads=1)
    assert [part.method for part in found.parts] == [
        "exact order-modular evidence over the bridge",
        "sequential Monte Carlo",
    ]
    assert found.verdict == "reliable"
    assert found.standard_error is not None
    assert all(found.standard_error < (part.standard_error or 9.0) * 1.3 for part in found.parts)
    assert abs(found.log_evidence - exact) < 5 * found.standard_error
    assert "weighted by inverse variances" in found.method
    again = arcwise.evidence(model, seed=1, threads=2)
    assert again == found


def test_methods_where_topological_orders_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(6, spread=6.0, seed=2)
    monkeypatch.setattr(evidence, "exact_is_cheap", lambda *_: False)
    found = arcwise.evidence(model, seed=1, threads=1)
    assert [part.method for part in found.parts] == [
        "Bennett's acceptance ratio",
        "sequential Monte Carlo",
    ]
    monkeypatch.setattr(normalizing_constants, "_EXTENSION_BUDGETS", (1,))
    estimated = arcwise.evidence(model, seed=1, threads=1)
    assert [part.method for part in estimated.parts] == [part.method for part in found.parts]
    exact = arcwise.exact(model, threads=1).log_evidence
    assert estimated.standard_error is not None
    assert abs(estimated.log_evidence - exact) < 4.9 * estimated.standard_error


def test_an_error_that_methods_share_is_not_averaged_away() -> None:
    constant = {"log_prior_constant": 30.0, "log_prior_constant_error": 0.08}
    both = combination([part(-100.0, 0.1, **constant), part(-100.1, 0.1, **constant)])
    assert both.standard_error == pytest.approx(math.sqrt(0.06**2 / 2 + 0.08**2))
    # What differs is judged by what each has of its own.
    apart = combination([part(-100.0, 0.1, **constant), part(-100.3, 0.1, **constant)])
    assert apart.verdict == "doubtful"
    other = constant | {"log_prior_constant": 31.0}
    independent = combination([part(-100.0, 0.1, **constant), part(-100.3, 0.1, **other)])
    assert independent.standard_error == pytest.approx(0.1 / math.sqrt(2))


def part(value: float, error: float | None, **others: Any) -> Evidence:
    """Return an estimate; without an error, one too short to state it."""
    doubts = () if error is not None else ("Too few runs; run more.",)
    effective = 3.0 if error is None else 1 / error**2
    return Evidence(value, error, method="some", effective_runs=effective, doubts=doubts, **others)


def test_methods_that_disagree() -> None:
    found = combination([part(-100.0, 0.1), part(-103.0, 0.1)])
    assert found.verdict == "doubtful"
    assert found.log_evidence == -100.0
    assert found.doubts[0].startswith("The methods disagree: some says -100.00, some -103.00")
    # The one that is not reliable does not count, unless its bound is above all others allow.
    found = combination([part(-100.0, None), part(-103.0, 0.1)])
    assert (found.verdict, found.log_evidence) == ("reliable", -103.0)
    bound = {"slack-2": LowerBound(-101.0, 0.97, 5)}
    found = combination([part(-100.0, None, lower_bounds=bound), part(-103.0, 0.1)])
    assert found.verdict == "doubtful"
    assert "lower bound" in found.doubts[0]
    assert list(found.lower_bounds) == ["slack-2, some"]
    neither = combination([part(-100.0, None), part(-103.0, None)])
    assert neither.verdict == "doubtful"
    assert neither.doubts[0] == "Too few runs; run more."


def test_how_often_right_methods_disagree() -> None:
    draw = np.random.default_rng(1).normal(scale=0.1, size=(4_000, 3))
    alarms = cover = 0
    for row in draw:
        found = combination([part(float(value), 0.1) for value in row])
        alarms += found.standard_error is None
        cover += found.interval is not None and found.interval.low <= 0 <= found.interval.high
    assert alarms <= binom.ppf(1 - FALSE_ALARM_RATE, len(draw), 0.012)
    assert 0.93 < cover / (len(draw) - alarms) < 0.97


def test_refusals() -> None:
    model = random_model(4, spread=4.0, seed=1)
    for wrong in ("laplace", None, 3):
        with pytest.raises(ArgumentError, match=r"^method is .*; give one of 'combined', 'exact'"):
            arcwise.evidence(model, wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^'particles' can only be given for a single method"):
        arcwise.evidence(model, particles=3)
    with pytest.raises(ArgumentError, match=r"^the bridge leads from the order-modular evidence"):
        arcwise.evidence(model, "bridge", modularity="order-modular")
    with pytest.raises(ArgumentError, match="'ladder'"):
        arcwise.evidence(model, "bridge", ladder="linear")


def test_reverse_annealing_bounds_from_above() -> None:
    model = random_model(5, spread=6.0, seed=2)
    above = 0
    cases = itertools.product(("partitions", "dags", "linear"), range(10))
    for space, seed in cases:
        modularity: Any = "order-modular" if space == "linear" else "modular"
        exact = arcwise.exact(model, modularity).log_evidence
        assert exact is not None
        found = arcwise.algorithms.reverse_annealing(
            model, space, modularity=modularity, steps=200, particles=45, seed=seed, threads=1
        )
        above += found.upper_bounds["slack-2"].value >= exact
        if found.standard_error is not None:
            assert abs(found.log_evidence - exact) < 6 * found.standard_error
    # Each holds with probability 31/32 or more: fewer than 24 of 30 do once in 10,000 times.
    assert above >= 24


def test_schedules_are_checked() -> None:
    model = random_model(7, spread=30.0, seed=2)
    reverse = arcwise.algorithms.reverse_annealing
    short = reverse(model, steps=5, particles=40, seed=1, threads=1)
    assert short.gap > 1.0
    assert not short.long_enough
    easy = random_model(4, spread=2.0, seed=1)
    assert reverse(easy, steps=300, particles=40, seed=1, threads=1).long_enough
    with pytest.raises(ArgumentError, match=r"^annealing backwards on CanonicalOrders under the"):
        reverse(model, "canonical", steps=5)


def test_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 300, seed=1).write_csv(table)
    asked = ["evidence", str(table), "--max-indegree", "2"]
    assert main(asked) == 0
    assert "(exact)" in capsys.readouterr().out
    assert main([*asked, "--method", "ais", "--steps", "5", "--particles", "6"]) == 0
    said = capsys.readouterr().out
    assert "effective runs" in said
    assert "standard error can be stated" in said
    assert main([*asked, "--method", "bridge", "--steps", "400", "--particles", "8"]) == 0
    assert "(reliable, standard error" in capsys.readouterr().out
    assert main([*asked, "--particles", "8"]) == 2
    assert "--particles is not an option of --method combined" in capsys.readouterr().err
