"""Predictions are calibrated: over networks and data drawn from the prior, what is said is so.

A DAG is drawn from the prior, its parameters from theirs, and from these the data and one more
row. Averaged over such draws, the outcome of the row follows the predictive distribution exactly:
its rank is uniform, and an event of probability p happens in a share p of the cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm, wishart

import arcwise
from arcwise import Model
from arcwise.parameters.summaries import highest_density
from arcwise.results import LevelPredictions, NumberPredictions
from arcwise.scores import BDeu, BGe, NormalWishart
from reference.dags import Parents, all_dags
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.weighted_dags import weighted_dags

CASES = 240
BINS = 8
STRENGTH = 12.0  # so that probabilities are not all near 0 and 1
DAGS = list(all_dags(3))
NAMES = ("X0", "X1", "X2")


def ordered(dag: Parents) -> list[int]:
    order: list[int] = []
    while len(order) < len(dag):
        order += [v for v in range(len(dag)) if v not in order and set(dag[v]) <= set(order)]
    return order


def ranks_of_levels() -> tuple[list[int], list[int]]:
    """Return randomised ranks of the outcomes of binary variables, in bins.

    The second ones are by probabilities that are more certain than they should be.
    """
    random = np.random.default_rng(11)
    ranks: list[int] = []
    certain: list[int] = []
    for _ in range(CASES):
        dag = DAGS[random.integers(len(DAGS))]
        rows = np.zeros((9, 3), dtype=np.int64)
        for node in ordered(dag):
            parents = list(dag[node])
            cells = 2 ** len(parents)
            table = random.beta(STRENGTH / (2 * cells), STRENGTH / (2 * cells), cells)
            place = rows[:, parents] @ 2 ** np.arange(len(parents))
            rows[:, node] = random.random(9) < table[place]
        data = arcwise.read(
            dict(zip(NAMES, rows[:8].T, strict=True)),
            kinds="discrete",
            levels={name: [0, 1] for name in NAMES},
        )
        model = Model(data, BDeu(STRENGTH), prior="uniform")
        _, _, sample = weighted_dags(model)
        # A third of the rows lacks one of the other values.
        known: dict[str, Any] = {"X0": [rows[8, 0]], "X1": [rows[8, 1]]}
        if random.random() < 0.33:
            known.pop("X1")
        found = arcwise.predict(sample, known, "X2", model=model)
        assert isinstance(found, LevelPredictions)
        # The more probable level comes first, so that too much certainty is not evened out.
        first = int(found.probabilities[0].argmax())
        said = float(found.probabilities[0, first])
        within = random.random()
        for bins, share in ((ranks, said), (certain, 1 - (1 - said) ** 4)):
            low, high = (0.0, share) if rows[8, 2] == first else (share, 1.0)
            bins.append(min(BINS - 1, int(BINS * (low + within * (high - low)))))
    return ranks, certain


UNIFORM = dict.fromkeys(range(BINS), 1 / BINS)


def test_probabilities_of_levels_are_calibrated() -> None:
    """False alarms: one in a million. Overconfident probabilities are caught."""
    ranks, certain = ranks_of_levels()
    assert_follows(ranks, UNIFORM)
    assert p_value(certain, UNIFORM) < FALSE_ALARM_RATE


def ranks_of_numbers() -> tuple[list[int], list[int]]:
    """Return the ranks of the outcomes of continuous variables, and those by a plug-in normal.

    The plug-in normal of the second has the mean right, and 0.6 of the deviation.
    """
    random = np.random.default_rng(12)
    score = BGe(1.0, 5.0, 0.0, 0.5)
    prior = NormalWishart(1.0, 5.0, np.zeros(3), 0.5 * np.eye(3))
    ranks, narrow = [], []
    for _ in range(CASES):
        dag = DAGS[random.integers(len(DAGS))]
        rows = np.zeros((11, 3))
        for node in ordered(dag):
            parents = list(dag[node])
            # Parameters of different nodes are independent, each as of a whole matrix.
            precision = wishart(5.0, np.linalg.inv(prior.scale)).rvs(random_state=random)
            sigma = np.linalg.inv(precision)
            mean = random.multivariate_normal(prior.mean, sigma / prior.alpha_mu)
            among = sigma[np.ix_(parents, parents)]
            slope = np.linalg.solve(among, sigma[parents, node]) if parents else np.zeros(0)
            noise = sigma[node, node] - slope @ sigma[parents, node]
            rows[:, node] = mean[node] + (rows[:, parents] - mean[parents]) @ slope
            rows[:, node] += random.normal(size=11) * np.sqrt(noise)
        model = Model(rows[:10], score, prior="uniform")
        _, _, sample = weighted_dags(model)
        known = {"X0": [rows[10, 0]], "X1": [rows[10, 1]], "X2": [rows[10, 2]]}
        if random.random() < 0.33:
            known.pop("X1")
        found = arcwise.predict(sample, known, "X2", model=model, draws=100)
        assert isinstance(found, NumberPredictions)
        ranks.append(min(BINS - 1, int(BINS * found.ranks[0])))
        away = (rows[10, 2] - found.mean[0]) / (0.6 * found.standard_deviations[0])
        narrow.append(min(BINS - 1, int(BINS * norm.cdf(away))))
    return ranks, narrow


def test_predictive_densities_are_calibrated() -> None:
    """False alarms: one in a million. A normal that is too narrow is caught."""
    ranks, narrow = ranks_of_numbers()
    assert_follows(ranks, UNIFORM)
    assert p_value(narrow, UNIFORM) < FALSE_ALARM_RATE


def test_highest_density_regions_cover_as_often_as_they_say() -> None:
    """Of 400 mixtures, each with 1,000 draws, a further draw is inside 380 times, +- 22 or so.

    Five standard deviations of a binomial: a false alarm in two million.
    """
    random = np.random.default_rng(13)
    inside = 0
    for _ in range(400):
        centres, widths = random.normal(0, 8, 2), np.exp(random.normal(0, 1, 2))
        which = random.integers(0, 2, 1001)
        draws = random.normal(centres[which], widths[which])
        regions = highest_density(draws[:1000], np.full(1000, 1e-3), 0.95)
        inside += any(low <= draws[1000] <= high for low, high in regions)
    assert abs(inside - 380) < 22
