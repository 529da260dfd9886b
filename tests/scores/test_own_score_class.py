"""A score of one's own, by the recipe of CONTRIBUTING.md alone: a class with one method and a name.

Nothing else is touched, and then it goes by its name wherever a score is asked for:
in Python, with every space, and on the command line.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.errors import ArgumentError
from arcwise.scores import LocalScore, read_scores
from reference.exact import enumerate_posterior
from support.command_line import Captured, refusal, run
from support.registers import names_taken_back
from support.sampling_errors import assert_edges_within_errors

ROWS = 150


@pytest.fixture(autouse=True, scope="module")
def akaike() -> Iterator[type[LocalScore]]:
    """Write the class, which is all that the recipe asks for."""
    with names_taken_back():

        class Akaike(LocalScore, name="akaike"):
            """The largest log likelihood, less the number of free probabilities."""

            def fill(self, data: Any, table: Any, run: Any) -> None:
                codes, levels = data.discrete_codes("Akaike"), data.level_counts()
                for node in range(len(data.variables)):
                    members, offsets = table.parent_sets(node)
                    for place, (first, last) in enumerate(pairwise(offsets.tolist())):
                        parents = members[first:last].tolist()
                        families = np.unique(codes[:, [*parents, node]], axis=0, return_counts=True)
                        above = np.unique(codes[:, parents], axis=0, return_counts=True)
                        table.values(node)[place] = (
                            (families[1] * np.log(families[1])).sum()
                            - (above[1] * np.log(above[1])).sum()
                            - (levels[node] - 1) * np.prod(levels[parents])
                        )

        yield Akaike


@pytest.fixture(scope="module")
def data() -> arcwise.Data:
    return arcwise.simulate("asia", ROWS, seed=4).select(["smoke", "lung", "bronc", "dysp"])


def by_definition(data: arcwise.Data, node: str, parents: tuple[str, ...]) -> float:
    """Return the score of a family, row by row."""
    table = data.to_dict()
    rows = [tuple(table[name][i] for name in parents) for i in range(ROWS)]
    above = Counter(rows)
    families = Counter(zip(rows, table[node], strict=True))
    likelihood = math.fsum(
        count * math.log(count / above[row]) for (row, _), count in families.items()
    )
    return likelihood - math.prod(len(set(table[name])) for name in parents) * (
        len(set(table[node])) - 1
    )


def test_every_family_has_the_score_of_the_definition(
    data: arcwise.Data, akaike: type[LocalScore]
) -> None:
    for scores in (arcwise.score(data, "akaike"), arcwise.score(data, akaike(), max_indegree=2)):
        for node in data.variables:
            for parents, value in scores.families(node):
                assert math.isclose(value, by_definition(data, node, parents), rel_tol=1e-10)


def test_exact_posteriors_and_the_best_dag_are_those_of_all_dags(data: arcwise.Data) -> None:
    rule: dict[str, Any] = {"required_edges": [("smoke", "lung")], "max_indegree": 2}
    for options in ({}, rule):
        model = Model(data, "akaike", prior="fair", **options)
        expected = enumerate_posterior(model, "modular")
        assert np.abs(arcwise.exact(model).edges - expected.edges).max() < 1e-10
        best = arcwise.map(model)
        assert math.isclose(model.log_weight_of(best.dag), best.log_weight, rel_tol=1e-12)
        assert math.isclose(best.log_weight, arcwise.exact(model).map_log_weight, rel_tol=1e-12)


@pytest.mark.parametrize("space", ["linear", "buckets:2", "partitions", "layerings:2", "dags"])
def test_every_space_samples_its_posterior(space: str, data: arcwise.Data) -> None:
    model = Model(data, "akaike")
    found = arcwise.mcmc(model, space, steps=20_000, chains=2, seed=1, threads=1)
    assert_edges_within_errors(found, arcwise.exact(model).edges)


def test_the_command_line_knows_the_name(
    data: arcwise.Data, tmp_path: Path, capsys: Captured
) -> None:
    table, out = tmp_path / "data.csv", tmp_path / "out"
    data.write_csv(table)
    run(capsys, "score", table, "--score", "akaike", "--out", tmp_path / "scores.jkl")
    written = read_scores(tmp_path / "scores.jkl")
    expected = by_definition(data, "dysp", ("bronc",))
    assert math.isclose(written.log_score("dysp", ["bronc"]), expected, rel_tol=1e-10)
    run(capsys, "learn", table, "--score", "akaike", "--prior", "fair", "--out", out)
    saved = Posterior.load(out / "posterior.npz")
    assert np.array_equal(saved.edges, arcwise.exact(Model(table, "akaike", prior="fair")).edges)
    assert "akaike" in refusal(capsys, "score", table, "--score", "akaik")


def test_a_method_with_other_arguments_is_refused_at_once() -> None:
    with pytest.raises(ArgumentError, match=r"fill of Short takes \(self, data\); give it the"):

        class Short(LocalScore):
            def fill(self, data: Any) -> None:  # type: ignore[override]
                """Score nothing."""
