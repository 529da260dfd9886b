"""What the shell says about reliability: two parts, before the table, and what was done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.cli.results import print_edges
from arcwise.records.runs import ExactRun
from support.command_line import Captured, status
from support.edge_chains import chain_posterior


def test_the_table_of_chains_that_disagree_has_their_range(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    always = np.ones((4, 1000), dtype=np.bool_)
    apart = always.copy()
    apart[:2] = False
    posterior = chain_posterior({(0, 1): always, (0, 3): apart})
    print_edges(posterior, posterior.diagnose())
    said = " ".join(capsys.readouterr().out.split())
    assert "2 are adjacent with a probability of at least 0.5, not converged" in said
    assert "adjacent, by chain" in said
    assert "standard error" not in said
    assert "0.00 to 1.00" in said


def test_the_shell_tells_what_was_done_to_the_table_and_what_follows(
    tmp_path: Path, capsys: Captured
) -> None:
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 300))
    table = tmp_path / "table.csv"
    with table.open("w") as file:
        file.write("x,y,z,set\n")
        for i in range(300):
            first = "" if i < 30 else f"{x[i]:.6f}"
            file.write(f"{first},{x[i] + y[i]:.6f},{y[i]:.6f},{'z' if i % 3 == 0 else 'none'}\n")
    options = ["--missing", "drop", "--discretize", "quantile:3", "--interventions", "set"]
    assert status("learn", table, *options) == 0
    said = capsys.readouterr().out
    done = said[said.index("What was done") :]
    assert "30 of 300 rows were dropped" in done
    assert "Cut into intervals: 'x' (3 intervals)" in done
    assert "In 90 of 270 rows 'z' was intervened on" in done
    told = said[: said.index("pairs of variables, of which")]
    assert "  computation: exact\n" in told
    assert "  data and model: questionable\n" in told
    assert "! 30 of 300 rows (10%) were dropped for missing values" in told
    assert "· 3 columns were cut into intervals" in told
    assert "· In 90 of 270 rows variables were intervened on (z in 90)" in told
    assert "· Hidden common causes are not part of the model" in told


def test_exact_tells_its_reliability(tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "asia.csv"
    arcwise.simulate("asia", 40, seed=1).select(["smoke", "bronc", "dysp"]).write_csv(table)
    assert status("exact", table) == 0
    said = capsys.readouterr().out
    assert "  computation: exact\n" in said
    assert "! With only 40 rows" in said
    assert said.index("Reliability") < said.index("pairs of variables, of which")


def test_likely_pairs_beyond_the_table_are_counted(capsys: Captured) -> None:
    names = tuple("abcdefg")
    edges = np.triu(np.full((7, 7), 0.6), 1)
    posterior = Posterior(names, "modular", ExactRun(), edges)
    print_edges(posterior, posterior.diagnose())
    said = capsys.readouterr().out
    first, *_, last = said.splitlines()
    assert first == (
        "The 15 most probable of 21 pairs of variables, of which 21 are adjacent with a "
        "probability of at least 0.5"
    )
    assert last == "6 more of at least 0.5 are in the edges.csv of --out."
