"""Pieces of the script on annealed importance sampling, on a table made here."""

from __future__ import annotations

from pathlib import Path

import annealed_importance_sampling as annealing
import counting
import pytest
from common import options
from repeated_runs import Study

import arcwise

SMALL = annealing.Problem("asia", "MUSHROOM", "other data", 2, 60, 0.1, True, 10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arcwise.simulate("asia", 100, seed=1).write_csv(tmp_path / "asia.csv")
    return tmp_path


def test_samplers_have_the_settings_of_the_paper(folder: Path) -> None:
    study = annealing.study_of(folder, SMALL, seed=1)
    assert study.model.data.rows == 60
    chosen = annealing.samplers(study, dags_per_state=10)
    assert [(each.name, each.levels) for each in chosen] == [
        ("MC³, r = 4", 4), ("MC³, r = 16", 16), ("MC³, r = 64", 64),
        ("AIS, r = nm", 480), ("AIS, r = 4 nm", 1920), ("AIS, r = 16 nm", 7680),
    ]  # fmt: skip
    assert [each.dags_per_state for each in chosen] == [1, 1, 1, 10, 10, 10]


@pytest.mark.parametrize("modularity", ["order-modular", "modular"])
def test_the_bound_of_nine_bins_holds_and_is_within_a_factor_of_eight(
    folder: Path, modularity: str
) -> None:
    study = annealing.study_of(folder, SMALL, seed=1)
    medium = annealing.samplers(study, dags_per_state=10)[4]
    exact = study.exact(modularity).log_evidence  # type: ignore[arg-type]
    found = study.repeated_by_size(medium, 20, modularity)  # type: ignore[arg-type]
    bound = found.lower_bound(0.95)
    assert exact - 2.0 < bound < exact


def test_all_of_it_gives_tables_and_figures_and_bounds_below_the_exact_value(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annealing, "PROBLEMS", [SMALL])
    monkeypatch.setattr(annealing, "RUNS", 3)
    monkeypatch.setattr(annealing, "counting_times", lambda: counting.counting_times((8,), 2))
    # Otherwise the speed of the machine decides how long the runs are.
    rates = {"ais": 2e3, "mcmc": 8e4, "mc3": 8e4}
    monkeypatch.setattr(Study, "rate", lambda _, sampler, *__: rates[sampler.algorithm])
    out = folder / "out"
    arguments = ["--data", str(folder), "--seconds", "6", "--out", str(out)]
    annealing.run(options("", "script", 1.0, arguments))
    assert sorted(path.stem for path in out.glob("*.png")) == [
        "figure-1-counting", "figure-2-evidence", "figure-3-arcs", "figure-3-corrected-evidence",
    ]  # fmt: skip
    rows = [line.split(" | ") for line in (out / "tables.md").read_text("utf-8").splitlines()]
    bounds = [float(row[-2]) for row in rows if len(row) == 10 and "AIS, r = 4 nm" in row[1]]
    assert len(bounds) == 2
    assert max(bounds) < 0.0
