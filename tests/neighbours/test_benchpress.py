"""The module for Benchpress: its settings fit its schema, and its script writes what it should.

Snakemake is not needed: a stand-in has the parts of its object that scripts are given.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator, ValidationError

import arcwise
from arcwise.networks import gaussian_network

FOLDER = Path(__file__).parents[2] / "integrations" / "benchpress"
MODULE = FOLDER / "arcwise_learn"
SCHEMA = json.loads((MODULE / "schema.json").read_text())
SETTING: dict[str, Any] = SCHEMA["items"]["examples"][0]


def run_script(folder: Path, table: str, seed_name: str = "replicate", **fields: Any) -> Any:
    """Run the script as Snakemake does: fields are text, and null is None."""
    (folder / "data.csv").write_text(table)
    setting = SETTING | fields
    Draft202012Validator(SCHEMA).validate([setting])
    output = {name: str(folder / f"{name}.txt") for name in ("adjmat", "time", "ntests")}
    snakemake = SimpleNamespace(
        wildcards={name: str(value) for name, value in setting.items()} | {seed_name: "1"},
        input={"data": str(folder / "data.csv")},
        output=output,
        threads=1,
    )
    runpy.run_path(str(MODULE / "script.py"), init_globals={"snakemake": snakemake})
    assert Path(output["ntests"]).read_text() == "None"
    assert float(Path(output["time"]).read_text()) > 0
    return output["adjmat"]


def discrete_table(data: arcwise.Data) -> str:
    """Return a table as Benchpress writes it: names, numbers of levels, codes."""
    columns: Any = data.columns
    rows = np.stack([each.codes for each in columns], axis=1)
    sizes = [len(each.levels) for each in columns]
    return "\n".join(",".join(map(str, row)) for row in [data.variables, sizes, *rows.tolist()])


def test_the_files_are_those_that_benchpress_asks_for() -> None:
    found = {file.name for file in MODULE.iterdir() if file.is_file()}
    assert found == {
        *("rule.smk", "script.py", "schema.json", "info.json", "docs.rst", "bibtex.bib"),
        "Dockerfile",
    }
    rule = (MODULE / "rule.smk").read_text()
    assert set(re.findall(r"(\w+) = alg_output", rule)) == {"adjmat", "time", "ntests"}
    assert '"script.py"' in rule
    assert json.loads((MODULE / "info.json").read_text())["version"] == arcwise.__version__
    keys = set(re.findall(r"footcite:t:`(\w+)`", (MODULE / "docs.rst").read_text()))
    assert keys == set(re.findall(r"@article\{(\w+),", (MODULE / "bibtex.bib").read_text()))


def test_settings_fit_the_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    validator.validate(SCHEMA["items"]["examples"])
    config = json.loads((FOLDER / "config.json").read_text())
    settings = config["resources"]["structure_learning_algorithms"]["arcwise_learn"]
    validator.validate(settings)
    (setup,) = config["benchmark_setup"]
    assert {each["id"] for each in settings} == set(setup["evaluation"]["benchmarks"]["ids"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"estimate": "best"},
        {"threshold": 1.5},
        {"timeout": -1},
        {"data_type": "mixed"},
        {"max_parents": 2},
        {"score": "aic"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_other_settings_do_not_fit(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate([SETTING | wrong])


@pytest.mark.parametrize("seed_name", ["replicate", "seed"])
def test_a_discrete_table(tmp_path: Path, seed_name: str) -> None:
    data = arcwise.simulate("asia", 500, seed=1)
    path = run_script(tmp_path, discrete_table(data), seed_name, estimate="map", max_indegree=2)
    found = pd.read_csv(path)
    assert list(found.columns) == list(data.variables)
    expected = arcwise.learn(data, max_indegree=2, seed=1, progress=None).map_dag
    np.testing.assert_array_equal(found, expected.matrix())


def test_a_threshold_and_a_size(tmp_path: Path) -> None:
    data = arcwise.simulate("asia", 500, seed=1)
    score = arcwise.scores.BDeu(4.0)
    posterior = arcwise.learn(data, score=score, prior="fair", seed=1, progress=None)
    for threshold in (0.2, 0.9):
        path = run_script(
            tmp_path,
            discrete_table(data),
            equivalent_sample_size=4,
            prior="fair",
            estimate="threshold",
            threshold=threshold,
        )
        expected = posterior.summary_graph("threshold", threshold=threshold)
        np.testing.assert_array_equal(pd.read_csv(path), expected.matrix())


def test_a_continuous_table_with_interventions(tmp_path: Path) -> None:
    """Data alone leave the direction of x and y open; interventions on x settle it."""
    network = gaussian_network(arcwise.Dag(["x", "y"], {"y": ["x"]}), seed=1)
    free = network.sample(100, seed=1).to_pandas()
    settings = np.random.default_rng(1).normal(size=100) * 3
    noise = network.sample(100, seed=2, interventions={"x": 0.0}).to_pandas()["y"]
    forced = pd.DataFrame({"x": settings, "y": noise + network.weights[0, 1] * settings})
    both = pd.concat([free, forced])
    observed = run_script(
        tmp_path, both.to_csv(index=False), data_type="continuous", estimate="cpdag"
    )
    np.testing.assert_array_equal(pd.read_csv(observed), [[0, 1], [1, 0]])
    marks = ["0"] * 100 + ["1"] * 100
    lines = both.to_csv(index=False).splitlines()
    table = "\n".join(f"{a},{b}" for a, b in zip(lines, ["x", *marks], strict=True))
    intervened = run_script(tmp_path, table, data_type="continuous", estimate="median")
    np.testing.assert_array_equal(pd.read_csv(intervened), [[0, 1], [0, 0]])


def test_levels_that_no_row_has(tmp_path: Path) -> None:
    """Such as the third of b, and the first of c, which is constant in this table."""
    table = "a,b,c\n2,3,2\n" + "\n".join(["0,0,1", "1,1,1", "0,0,1", "1,1,1", "1,0,1"] * 10)
    path = run_script(tmp_path, table, equivalent_sample_size=1, prior="uniform", estimate="map")
    found = pd.read_csv(path)
    assert list(found.columns) == ["a", "b", "c"]
    columns = {name: [str(code) for code in column] for name, column in read_codes(table).items()}
    levels = {"a": ["0", "1"], "b": ["0", "1", "2"], "c": ["0", "1"]}
    model = arcwise.Model(arcwise.read(columns, levels=levels), prior="uniform")
    best = arcwise.Dag.from_matrix(["a", "b", "c"], found.to_numpy())
    assert model.log_weight_of(best) == pytest.approx(arcwise.map(model).log_weight, abs=1e-9)


def read_codes(table: str) -> dict[str, list[int]]:
    names, _, *rows = [line.split(",") for line in table.splitlines()]
    return {name: [int(row[place]) for row in rows] for place, name in enumerate(names)}
