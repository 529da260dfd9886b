"""Pieces of the script on layerings, on tables made here."""

from __future__ import annotations

from pathlib import Path

import layering
import numpy as np
import pytest
from common import options

import arcwise
from arcwise.model.score_sums import ScoreSums
from arcwise.networks import asia


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arcwise.simulate("asia", 500, seed=1).write_csv(tmp_path / "asia.csv")
    return tmp_path


CASE = layering.Case("asia", None, False, 3, None, 1.0)


def test_the_network_of_example_1_has_four_parts_and_two_layers_of_at_most_five() -> None:
    sizes = layering.part_sizes(asia().dag.matrix())
    assert len(sizes) == 4
    assert sum(sizes) == 8
    assert layering.layering_length(sizes, 5) == 2
    assert layering.layering_length(sizes, 8) == 1


@pytest.mark.parametrize(
    ("sizes", "largest", "layers"),
    [([9, 1, 1], 8, 2), ([1, 9, 1], 8, 3), ([3, 3, 3], 4, 3), ([2, 2, 2], 4, 2), ([1] * 5, 1, 5)],
)
def test_layers_are_filled_from_the_first_part_on(
    sizes: list[int], largest: int, layers: int
) -> None:
    assert layering.layering_length(sizes, largest) == layers


def test_parts_of_many_dags_are_those_of_each() -> None:
    dags = [arcwise.networks.random_dag(9, expected_degree=3, seed=seed) for seed in range(30)]
    found = layering.part_numbers(np.array([dag.matrix() for dag in dags]))
    for dag, numbers in zip(dags, found, strict=True):
        part = dict(zip(dag.variables, numbers.tolist(), strict=True))
        for name in dag.variables:
            assert part[name] == max((part[parent] + 1 for parent in dag.parents(name)), default=0)


def test_partitions_and_layerings_agree_with_the_exact_edges(folder: Path) -> None:
    # Of 4,000 DAGs an edge is off by 0.032 with probability 5e-5 at most if they were
    # independent; correlated ones are given three times that.
    model = layering.model_of(CASE, folder, threads=1)
    truth = arcwise.exact(model).edges
    sums = ScoreSums(model, tabulate="sums")
    for name in ("partitions", "layerings, M = 8"):
        thinning = 1 if name == "layerings, M = 8" else 20
        chain = layering.run_chain(
            model, sums, layering.ALGORITHMS[name], 4_000 * thinning, thinning, seed=1
        )
        assert len(chain.dags) == 4_000
        assert chain.errors(truth, np.array([4_000]))[0] < 0.1
        assert np.isclose(chain.scores[-1], model.log_weight_of(chain.dags[-1]))


def test_one_state_of_all_variables_errs_less_than_steps_between_partitions(folder: Path) -> None:
    model = layering.model_of(CASE, folder, threads=1)
    truth = arcwise.exact(model).edges
    sums = ScoreSums(model, tabulate="sums")
    errors = [
        np.median(
            [
                layering.run_chain(model, sums, layering.ALGORITHMS[name], 1_000, 1, seed).errors(
                    truth, np.array([1_000])
                )[0]
                for seed in range(5)
            ]
        )
        for name in ("partitions", "layerings, M = 8")
    ]
    assert errors[1] < errors[0]


def test_all_of_it_writes_tables_and_the_figure(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dag = asia().dag
    lines = [",".join(dag.variables)]
    lines += [",".join(str(int(cell)) for cell in row) for row in dag.matrix()]
    (folder / "asia.adj.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(layering, "CASES", (CASE,))
    monkeypatch.setattr(layering, "NETWORKS", {"ASIA": ("asia", (8, 8, 2, 2, 4, 1))})
    monkeypatch.setattr(layering, "PAPER_CHAINS", 2)
    monkeypatch.setattr(layering, "PAPER_STEPS", 300)
    out = folder / "out"
    given = ["--data", str(folder), "--full", "--out", str(out)]
    layering.run(options("", "layering", 1.0, given))
    tables = (out / "tables.md").read_text()
    assert "| ASIA | 8 (8) | 8 (8) | 2 (2) | 2 (2) | 4 (4) | 1 (1) |" in tables
    assert "2 chains of 300 steps" in tables
    assert (out / "layering-scores.png").stat().st_size > 1_000
    assert tables.splitlines()[0] in capsys.readouterr().out
