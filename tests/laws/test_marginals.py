"""The log marginal likelihoods of a law are the scores, with weights and interventions."""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise.scores import BDe, BDeu, BGe, ConditionalGaussian, LocalScore
from support.mixed_tables import mixed_case

SCORES: list[tuple[LocalScore, tuple[int, ...]]] = [
    (BDeu(3.0), (2, 3, 2, 2)),
    (BDe({"a": {0: 0.7, 1: 0.3}}, 2.0), (2, 3, 2)),
    (BGe(), (0, 0, 0, 0)),
    (ConditionalGaussian(2.0, 0.7), (2, 0, 3, 0)),
]


@pytest.mark.parametrize(("score", "levels"), SCORES)
@pytest.mark.parametrize(("weighted", "intervened"), [(False, False), (True, True)])
def test_they_are_the_scores_of_all_families(
    score: LocalScore, levels: tuple[int, ...], weighted: bool, intervened: bool
) -> None:
    data = mixed_case(levels, 40, 3, weighted=weighted, intervened=intervened).data
    law = score.law(data)
    assert law is not None
    posteriors, scores = law.given(data), arcwise.score(data, score)
    for parents in [(), (0,), (1, 2), (0, 1)]:
        found = posteriors.log_marginals(parents)
        for node, name in enumerate(data.variables):
            if not np.isfinite(found[node]):
                kinds = [data.columns[v].kind for v in (node, *parents)]
                assert node in parents or not all(law.allows(kinds[0], k) for k in kinds[1:])
                continue
            expected = scores.log_score(name, [data.variables[u] for u in parents])
            assert found[node] == pytest.approx(expected, abs=1e-9)
