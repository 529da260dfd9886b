"""pathmc reads our equations and graphs, and estimates the effect that we estimate.

It needs a newer Python than arcwise does, and PyMC, so that it has an environment of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise.exchange import from_equations, to_dot, to_equations
from arcwise.graphs import cpdag
from arcwise.networks import gaussian_network

DAG = arcwise.Dag(["x", "m", "z", "y"], {"x": ["z"], "m": ["x"], "y": ["m", "z"]})
# The same class as DAG: z <- x.
EQUIVALENT = arcwise.Dag(["x", "m", "z", "y"], {"z": ["x"], "m": ["x"], "y": ["m", "z"]})
OTHER = arcwise.Dag(["x", "m", "z", "y"], {"x": ["z", "m"], "y": ["m", "z"]})


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("pathmc")
    data = gaussian_network(DAG, seed=1).sample(500, seed=1)
    data.to_pandas().to_csv(folder / "table.csv", index=False)
    (folder / "equations.txt").write_text(to_equations(DAG))
    (folder / "dag.dot").write_text(to_dot(DAG))
    (folder / "class.dot").write_text(to_dot(cpdag(DAG)))
    (folder / "equivalent.dot").write_text(to_dot(EQUIVALENT))
    (folder / "other.dot").write_text(to_dot(OTHER))
    script = Path(__file__).with_name("pathmc_fit.py")
    done = subprocess.run(
        [os.environ["ARCWISE_PATHMC_PYTHON"], str(script), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    ours: Any = arcwise.effects(DAG, "x", "y", model=arcwise.Model(data, "bge"))
    return result | {"ours": ours.estimate.mean}


def test_equations_there_and_back(found: dict[str, Any]) -> None:
    assert from_equations(found["equations"], DAG.variables) == DAG
    assert {tuple(edge) for edge in found["edges"]} == set(DAG.edges)


def test_classes_agree(found: dict[str, Any]) -> None:
    assert cpdag(DAG) == cpdag(EQUIVALENT) != cpdag(OTHER)
    assert found["classes"] == {"class": True, "equivalent": True, "other": False}


def test_the_effect_is_ours(found: dict[str, Any]) -> None:
    assert found["adjustment"] == [["z"]]
    # Posterior standard deviations are about 0.055; both means have their Monte Carlo errors, and
    # the priors differ.
    assert found["effect"] == pytest.approx(found["ours"], abs=0.05)
