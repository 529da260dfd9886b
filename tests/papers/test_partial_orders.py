"""Pieces of the script on sampling partial orders, on a table made here."""

from __future__ import annotations

from pathlib import Path

import counting
import distinct_dags
import partial_orders
import pytest
from common import options
from partial_order_problems import Problem
from repeated_runs import Study

import arcwise

SMALL = Problem("asia", "German", "other data", 20, 2, 7, 3, 4.0, distinct=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arcwise.simulate("asia", 60, seed=1).write_csv(tmp_path / "asia.csv")
    return tmp_path


@pytest.fixture
def study(folder: Path) -> Study:
    return partial_orders.study_of(folder, SMALL, seed=1)


def test_samplers_have_the_settings_of_the_paper(study: Study) -> None:
    chains = partial_orders.chains(7, (3, 15))
    assert [(each.algorithm, each.bucket_size, each.levels) for each in chains] == [
        ("mcmc", 1, 0), ("mc3", 1, 3), ("mc3", 1, 15),
        ("mcmc", 7, 0), ("mc3", 7, 3), ("mc3", 7, 15),
    ]  # fmt: skip
    annealers = partial_orders.annealers(study, (1,), (0.25, 1.0, 4.0))
    assert [each.levels for each in annealers] == [120, 480, 1920]
    assert all(each.stretch == 0.25 for each in annealers)


def test_distinct_dags_of_more_orders_come_nearer_to_the_modular_posterior(folder: Path) -> None:
    four = ["smoke", "bronc", "either", "dysp"]  # 24 orders, of which a few have all the weight
    arcwise.simulate("asia", 500, seed=1).select(four).write_csv(folder / "asia.csv")
    study = partial_orders.study_of(folder, SMALL, seed=1)
    exact = study.exact("modular").edges
    few, many = (
        partial_orders.largest_median_error(
            distinct_dags.distinct_of_orders(study, orders).edges, exact
        )
        for orders in (1, 60)
    )
    assert many < 0.02
    assert many < few


def test_the_full_size_is_that_of_the_paper(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_orders, "PROBLEMS", [SMALL])
    given = options("", "script", 1.0, ["--data", str(folder), "--full", "--out", str(folder)])
    whole = partial_orders.Reproduction(given)
    linear, coupled = partial_orders.chains(7, (15,))[:2]
    assert whole.sizes(SMALL, linear, "order-modular")[-1] == 240_000_000
    assert whole.sizes(SMALL, coupled, "order-modular")[-1] == 15_000_000


def test_counting_says_which_dags_are_beyond_the_budget() -> None:
    counted = counting.counting_times(sizes=(12,), dags=2)
    assert [(each.max_indegree, len(each.counted)) for each in counted] == [(3, 2), (6, 2)]
    assert all(not each.counted for each in counting.counting_times(sizes=(40,), dags=2, budget=10))


def test_all_of_it_gives_tables_and_figures_and_bounds_below_the_exact_value(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_orders, "PROBLEMS", [SMALL])
    monkeypatch.setattr(partial_orders, "RUNS", 2)
    monkeypatch.setattr(partial_orders, "counting_times", lambda: counting.counting_times((8,), 2))
    # Otherwise the speed of the machine decides how long the runs are.
    rates = {"ais": 2e3, "mcmc": 8e4, "mc3": 8e4}
    monkeypatch.setattr(Study, "rate", lambda _, sampler, *__: rates[sampler.algorithm])
    out = folder / "out"
    arguments = ["--data", str(folder), "--seconds", "6", "--out", str(out)]
    partial_orders.run(options("", "script", 1.0, arguments))
    assert sorted(path.stem for path in out.glob("*.png")) == [
        "figure-10-mixing", "figure-12-edges", "figure-13a-counting",
        "figure-13b-bias-correction", "figure-14-evidence", "figures-7-9-traces",
    ]  # fmt: skip
    evidences = (out / "tables.md").read_text("utf-8").split("Figure 14")[1].splitlines()
    bounds = [float(line.split(" | ")[-1].rstrip(" |")) for line in evidences if "K' = 4" in line]
    assert len(bounds) == 2
    assert max(bounds) < 0.0
