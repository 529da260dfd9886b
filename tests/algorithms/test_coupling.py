"""Coupled chains as a whole: temperatures the burn-in adds, round trips, threads and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.errors import ExchangeWarning
from arcwise.records.runs import Exchanges
from arcwise.records.settings import FIRST_TEMPERATURES, MOST_TEMPERATURES
from arcwise.results import ChainRun
from support.exact_models import random_model
from support.run_records import chains_of, temperatures_of


@pytest.fixture(scope="module")
def steep() -> Model:
    """Return a model whose posterior is far from the uniform distribution."""
    return random_model(8, spread=60.0, seed=4)


def exchanges_of(posterior: Posterior) -> Exchanges:
    exchanges = chains_of(posterior).exchanges
    assert exchanges is not None
    return exchanges


def test_the_burn_in_adds_temperatures_until_half_of_the_exchanges_are_accepted(
    steep: Model,
) -> None:
    found = arcwise.mc3(steep, "dags", ladder="adapted", steps=12_000, chains=2, seed=1, threads=1)
    fewest, most = exchanges_of(found).temperatures
    assert FIRST_TEMPERATURES < fewest <= most <= MOST_TEMPERATURES
    assert isinstance(found.run, ChainRun)
    rates = [rate for rate in found.run.exchange_acceptance if rate is not None]
    assert 0.3 < np.mean(rates) < 0.8
    assert min(rates) > 0.2
    trips = found.run.round_trips
    assert trips is not None
    assert len(trips) == 2
    assert min(trips) > 0
    exact = arcwise.exact(steep).log_evidence
    assert found.evidence is not None
    assert exact is not None
    # Within four of the standard errors it states, plus 0.05 for their own error.
    assert abs(found.evidence.log_evidence - exact) < 4 * found.evidence.standard_error + 0.05


def test_a_number_that_is_given_is_kept_and_a_finding_says_how_many_are_needed(
    steep: Model,
) -> None:
    with pytest.warns(ExchangeWarning, match="at least [0-9]+ temperatures"):
        found = arcwise.mc3(steep, "dags", temperatures=3, steps=4_000, chains=2, seed=1, threads=1)
    assert {len(inverses) for inverses in temperatures_of(found)} == {3}
    sentences = " ".join(arcwise.diagnose(found).sentences)
    assert "use an adapted ladder of at least" in sentences


def test_ladders_that_do_not_adapt_keep_their_temperatures(steep: Model) -> None:
    found = arcwise.mc3(steep, ladder="linear", steps=1_000, chains=1, seed=1, threads=1)
    (inverses,) = temperatures_of(found)
    assert np.allclose(np.diff(inverses), 1 / 15)


@pytest.mark.parametrize(("space", "ladder"), [("dags", "adapted"), ("canonical", "bridge")])
def test_one_chain_is_the_same_on_any_number_of_threads(
    steep: Model, space: str, ladder: str
) -> None:
    one, four = (
        arcwise.mc3(steep, space, ladder=ladder, steps=3_000, chains=1, seed=1, threads=threads)
        for threads in (1, 4)
    )
    assert np.array_equal(one.edges, four.edges)
    assert exchanges_of(one) == exchanges_of(four)


def test_a_run_with_added_temperatures_is_resumed_and_saved(steep: Model, tmp_path: Path) -> None:
    whole = arcwise.mc3(steep, "dags", ladder="adapted", steps=4_000, chains=2, seed=1)
    kept = arcwise.mc3(
        steep, "dags", ladder="adapted", steps=4_000, chains=2, seed=1, directory=tmp_path / "run"
    )
    again = arcwise.resume(tmp_path / "run")
    again.save(tmp_path / "again.npz")
    loaded = Posterior.load(tmp_path / "again.npz")
    for other in (kept, again, loaded):
        assert np.array_equal(other.edges, whole.edges)
        assert exchanges_of(other) == exchanges_of(whole)
    assert chains_of(loaded).settings == chains_of(again).settings
