"""R learns by reticulate what Python learns: the script of the how-to page, run by Rscript."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.exchange import mean_network, to_equations
from arcwise.networks import GaussianNetwork, gaussian_network

SCRIPT = Path(__file__).parents[2] / "docs" / "how-to" / "from-r.R"


def run_in_r(script: Path, folder: Path) -> str:
    done = subprocess.run(
        [os.environ["ARCWISE_RSCRIPT"], "--vanilla", str(script)],
        cwd=folder,
        env=os.environ | {"RETICULATE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_of_the_page_learns_what_python_learns(tmp_path: Path) -> None:
    frame = arcwise.simulate("asia", 800, seed=1).to_pandas()
    frame.to_csv(tmp_path / "clinic.csv", index=False)
    printed = run_in_r(SCRIPT, tmp_path)
    posterior = arcwise.learn(frame.astype("category"), max_indegree=3, seed=1, progress=None)
    expected = posterior.to_pandas()
    found = pd.read_csv(tmp_path / "edges.csv")
    assert list(found.columns) == list(expected.columns)
    assert found["source"].to_list() == expected["source"].to_list()
    assert found["target"].to_list() == expected["target"].to_list()
    numbers = ["adjacency", "forward", "backward"]
    np.testing.assert_allclose(found[numbers], expected[numbers], atol=1e-12)
    # R writes 15 digits.
    matrix = pd.read_csv(tmp_path / "probabilities.csv")
    np.testing.assert_allclose(matrix, posterior.edges, atol=1e-12)
    assert list(matrix.columns) == list(posterior.variables)
    assert printed.splitlines()[0].strip() == "exact"
    share = posterior.edge_probability("smoke", "lung")
    assert f"{share:.3f}".rstrip("0") in printed
    assert "Effect of bronc on dysp" in printed
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_numbers_factors_and_constraints(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    group = random.choice(["a", "b", "c"], 200)
    x = random.normal(size=200) + (group == "b")
    frame = pd.DataFrame({"group": group, "x": x, "y": 2 * x + random.normal(size=200)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    script = tmp_path / "learn.R"
    script.write_text(
        'arcwise <- reticulate::import("arcwise")\n'
        'table <- read.csv("table.csv", stringsAsFactors = TRUE)\n'
        'found <- arcwise$learn(table, tiers = list(c("group"), c("x"), c("y")),\n'
        "                       seed = 1L, progress = NULL)\n"
        "edges <- do.call(rbind, lapply(found$edges$tolist(), unlist))\n"
        'write.csv(edges, "edges.csv", row.names = FALSE)\n'
    )
    # A tier of one name comes as a text, which a tier may be.
    run_in_r(script, tmp_path)
    frame["group"] = frame["group"].astype("category")
    expected = arcwise.learn(frame, tiers=[["group"], ["x"], ["y"]], seed=1, progress=None)
    np.testing.assert_allclose(pd.read_csv(tmp_path / "edges.csv"), expected.edges, atol=1e-12)
    assert expected.edges[1, 2] == pytest.approx(1.0)


def test_lavaan_fits_our_equations(tmp_path: Path) -> None:
    dag = arcwise.Dag(["x", "m", "z", "y"], {"x": ["z"], "m": ["x"], "y": ["m", "z"]})
    data = gaussian_network(dag, seed=1).sample(2000, seed=1)
    data.to_pandas().to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "equations.txt").write_text(to_equations(dag))
    script = tmp_path / "fit.R"
    script.write_text(
        "library(lavaan)\n"
        'equations <- paste(readLines("equations.txt", warn = FALSE), collapse = "\\n")\n'
        'fitted <- sem(equations, data = read.csv("table.csv"))\n'
        'write.csv(parameterEstimates(fitted), "estimates.csv", row.names = FALSE)\n'
    )
    run_in_r(script, tmp_path)
    found = pd.read_csv(tmp_path / "estimates.csv")
    found = found[found["op"] == "~"]
    assert set(zip(found["rhs"], found["lhs"], strict=True)) == set(dag.edges)
    network = mean_network(dag, arcwise.Model(data, "bge"))
    assert isinstance(network, GaussianNetwork)
    rows = zip(*(found[name].to_list() for name in ("rhs", "lhs", "est", "se")), strict=True)
    for source, target, estimate, error in rows:
        ours = network.weights[dag.variables.index(source), dag.variables.index(target)]
        # Maximum likelihood and a posterior mean of 2,000 rows differ by less than their errors.
        assert estimate == pytest.approx(ours, abs=error / 2)
