"""Edges of mixed tables that are said to be probable by so much are there as often as that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import arcwise
from arcwise.data import ContinuousColumn, Data, DiscreteColumn
from arcwise.scores import ConditionalGaussian
from arcwise.scores.conditional_gaussian import RegressionPrior
from reference.dags import all_dags

LEVELS = (2, 0, 3, 0)
ROWS, TABLES = 15, 500
ESS, ALPHA_MU, DEGREES, SCALE = 4.0, 2.0, 14.0, 3.0
BINS = (0.0, 0.1, 0.3, 0.6, 1.0)
POSSIBLE = np.array(
    [[u != v and (LEVELS[v] == 0 or LEVELS[u] > 0) for v in range(4)] for u in range(4)]
)


@dataclass(frozen=True)
class OfKnownScale(ConditionalGaussian):
    """The score with a prior that is not taken from the columns."""

    degrees: float = DEGREES

    def regression_prior(self, data: Data) -> RegressionPrior:
        return RegressionPrior(self.alpha_mu, self.degrees, np.zeros(4), np.full(4, SCALE))


def drawn_table(dag: tuple[tuple[int, ...], ...], random: np.random.Generator) -> Data:
    """Return rows of a DAG whose parameters are drawn from the prior."""
    values = np.zeros((ROWS, 4))
    ready: list[int] = []
    while len(ready) < 4:
        node = next(v for v in range(4) if v not in ready and set(dag[v]) <= set(ready))
        ready.append(node)
        discrete = [u for u in dag[node] if LEVELS[u]]
        continuous = [u for u in dag[node] if not LEVELS[u]]
        configurations = int(np.prod([LEVELS[u] for u in discrete], dtype=int))
        cell = np.zeros(ROWS, dtype=int)
        for u in discrete:
            cell = cell * LEVELS[u] + values[:, u].astype(int)
        for configuration in range(configurations):
            here = np.flatnonzero(cell == configuration)
            if LEVELS[node]:
                counts = np.full(LEVELS[node], ESS / configurations / LEVELS[node])
                shares = random.dirichlet(counts)
                values[here, node] = random.choice(LEVELS[node], size=len(here), p=shares)
                continue
            # The regression that the normal-Wishart prior of a configuration implies.
            k = len(continuous)
            scale = SCALE / configurations
            variance = 0.5 * scale / random.gamma(0.5 * (DEGREES / configurations + k))
            intercept = random.normal(0.0, np.sqrt(variance * configurations / ALPHA_MU))
            slopes = random.normal(0.0, np.sqrt(variance / scale), k)
            noise = random.normal(0.0, np.sqrt(variance), len(here))
            values[here, node] = intercept + values[np.ix_(here, continuous)] @ slopes + noise
    return Data(
        [
            DiscreteColumn("abcd"[v], values[:, v].astype(np.uint16), tuple(range(levels)))
            if levels
            else ContinuousColumn("abcd"[v], values[:, v])
            for v, levels in enumerate(LEVELS)
        ]
    )


def deviations(score: ConditionalGaussian) -> np.ndarray:
    """Return for all edges, and those within each bin, by how much more are there than said.

    In standard deviations; tables are independent, and given a table the sum over edges of what is
    there less what is said has mean 0.
    """
    random = np.random.default_rng(7)
    possible = [
        dag
        for dag in all_dags(4)
        if all(POSSIBLE[u, v] for v, parents in enumerate(dag) for u in parents)
    ]
    sums = []
    for _ in range(TABLES):
        dag = possible[random.integers(len(possible))]
        truth = np.zeros((4, 4))
        for v, parents in enumerate(dag):
            truth[list(parents), v] = 1.0
        model = arcwise.Model(drawn_table(dag, random), score, prior="uniform", threads=1)
        said = arcwise.exact(model, dags=0, threads=1, progress=None).edges
        assert (said[~POSSIBLE] == 0.0).all()
        excess = (truth - said)[POSSIBLE]
        place = np.digitize(said[POSSIBLE], BINS[1:-1])
        sums.append([excess.sum(), *(excess[place == i].sum() for i in range(len(BINS) - 1))])
    table = np.array(sums)
    result: np.ndarray = table.sum(axis=0) / np.sqrt((table**2).sum(axis=0))
    return result


def test_edges_said_to_be_probable_are_there_as_often() -> None:
    # Five nearly normal numbers: false alarms in about 5 of 100,000 runs.
    found = deviations(OfKnownScale(ESS, ALPHA_MU))
    assert np.abs(found).max() < 4.4, found


@pytest.mark.parametrize(
    "broken", [OfKnownScale(ESS, ALPHA_MU / 30), OfKnownScale(ESS, ALPHA_MU, degrees=DEGREES / 8)]
)
def test_another_prior_is_caught(broken: ConditionalGaussian) -> None:
    assert np.abs(deviations(broken)).max() > 4.4
