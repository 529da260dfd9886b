"""From a table as it comes, with ids, dates, gaps and columns of all kinds, to the page at once."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise.cli import main
from support.command_line import Captured


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    random = np.random.default_rng(2)
    path = tmp_path / "messy.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient_id", "visit", "ward", "smoker", "age", "pressure"])
        for i in range(120):
            smoker = random.random() < 0.4
            age = random.normal(50.0, 12.0)
            pressure = 110.0 + 0.5 * age + 12.0 * smoker + random.normal(0.0, 6.0)
            row = [f"{age:.1f}", f"{pressure:.1f}"]
            known = ["yes" if smoker else "no", *row]
            gappy = ["" if random.random() < 0.15 else value for value in known]
            rows.writerow([f"P{i:04d}", f"2024-03-{1 + i % 28:02d}", "A", *gappy])
    return path


def test_one_command_makes_the_page(messy: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    asked = ["learn", str(messy), "--completions", "6", "--seed", "1", "--out", str(out)]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "Left out: 'patient_id'" in said
    assert "'visit' (it has 28 dates)" in said
    assert "'ward' (it has a single value)" in said
    assert "were imputed, as if they were missing at random" in said
    assert "The score is conditional Gaussian (" in said
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "imputed" in page
    found = arcwise.Posterior.load(out / "posterior.npz")
    assert set(found.variables) == {"smoker", "age", "pressure"}
    for edge in ("age -- pressure", "smoker -> pressure"):
        assert found.estimate(edge).value > 0.9
