"""Score and prior that are drawn with missing cells follow their joint posterior with them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from arcwise.data import Data, DiscreteColumn, IncompleteData
from arcwise.imputation import chain as chain_module
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ChainStructure, ExactStructure, StructureStep
from arcwise.learning import incomplete
from arcwise.learning.hyperparameters import EXPECTED_PARENTS, LOG_PRIOR, prior_odds
from arcwise.learning.incomplete import HyperparameterDraws
from arcwise.model import Definition, Question
from arcwise.priors import Sparse
from arcwise.priors.base import log_sum_of_weights
from arcwise.scores import BDeu
from reference.dags import Parents, all_dags
from reference.imputation import Law, completed
from reference.scores import Rows, bdeu
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value

VALUES = [[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
CELLS = np.full((7, 3), -1)
CELLS[1, 0], CELLS[1, 1], CELLS[4, 2] = 0, 1, 2
SIZES = (1.0, 30.0)
DRAWS = 2_000


def _data() -> IncompleteData:
    columns = [
        DiscreteColumn(f"v{place}", np.array([row[place] for row in VALUES]), (0, 1))
        for place in range(3)
    ]
    return IncompleteData(Data(columns), CELLS)


def _question(data: IncompleteData) -> Question:
    return Question.of(data.table, Definition(BDeu(SIZES[0]), prior=Sparse(1.0)))


def _law(question: Question) -> Law:
    """Return the law of DAGs and cells, by adding up weights over all scores and priors."""
    dags = list(all_dags(3))
    total: Law = {}
    for cells in product((0, 1), repeat=3):
        rows = Rows(completed(VALUES, CELLS.tolist(), cells), None, None, [2, 2, 2])
        for dag in dags:
            likelihoods = [
                math.exp(sum(bdeu(rows, v, dag[v], size) for v in range(3))) for size in SIZES
            ]
            total[dag, cells] = sum(likelihoods) * _prior(question, dag, dags)
    everything = sum(total.values())
    return {state: weight / everything for state, weight in total.items()}


def _prior(question: Question, dag: Parents, dags: list[Parents]) -> float:
    """Return the prior of a DAG, averaged over the expected numbers of parents."""
    result = 0.0
    for log, expected in zip(LOG_PRIOR, EXPECTED_PARENTS, strict=True):
        odds = prior_odds(question, expected, "modular") / 2.0
        normal = sum(odds ** sum(map(len, each)) for each in dags)
        result += math.exp(log) * odds ** sum(map(len, dag)) / normal
    return result


class Staying(ChainStructure):
    """Leaves DAGs as they are, so that moves alone change them."""

    def __init__(self) -> None:
        super().__init__(steps=1, longer=1, threads=1)

    def next(self, model: Any, dag: np.ndarray, seed: int) -> np.ndarray:
        """Return the DAG as it is."""
        return dag


def _after_a_sweep(
    structure: StructureStep | None = None,
) -> tuple[list[tuple[Parents, tuple[int, ...]]], Law]:
    data = _data()
    question = _question(data)
    law = _law(question)
    redraw = HyperparameterDraws(question, [BDeu(size) for size in SIZES], "modular")
    step = ExactStructure(threads=1) if structure is None else structure
    chain = ImputationChain(Imputation(data, question, step, redraw, seed=3, threads=1))
    random = np.random.default_rng(5)
    states = list(law)
    found = []
    for place in random.choice(len(states), size=DRAWS, p=list(law.values())).tolist():
        dag, cells = states[place]
        bits = [[sum(1 << parent for parent in parents)] for parents in dag]
        chain.go_to(np.array(cells, dtype=np.float64), np.array(bits, dtype=np.uint64))
        chain.ask_again(redraw(chain, random))
        chain.sweep()
        after = tuple(tuple(u for u in range(3) if int(word[0]) >> u & 1) for word in chain.dag)
        found.append((after, tuple(int(value) for value in chain.values)))
    return found, law


def test_a_sweep_with_score_and_prior_leaves_the_posterior_of_dags_and_cells_as_it_is() -> None:
    assert_follows(*_after_a_sweep())


def test_moves_with_the_density_integrated_out_do() -> None:
    assert_follows(*_after_a_sweep(Staying()))


def test_a_density_that_moves_count_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = HyperparameterDraws.log_density_ratio

    def with_odds(self: HyperparameterDraws, number: int, new: Parents, old: Parents) -> float:
        edges = sum(map(len, new)) - sum(map(len, old))
        return whole(self, number, new, old) + edges * float(self._log_odds[number % 9])

    monkeypatch.setattr(HyperparameterDraws, "log_density_ratio", with_odds)
    monkeypatch.setattr(chain_module, "_MOVES_BY_STEPS", 4)
    assert p_value(*_after_a_sweep(Staying())) < FALSE_ALARM_RATE


def test_odds_without_the_sum_over_dags_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incomplete, "log_sum_of_weights", lambda odds, n: 0.0)
    assert p_value(*_after_a_sweep()) < FALSE_ALARM_RATE


def test_sums_over_dags_are_integrated_where_there_is_no_formula() -> None:
    # Up to seven expected parents of twenty variables, against the recurrence.
    n = 20
    question = Question.of({f"v{v}": [0, 1] for v in range(n)}, Definition(BDeu()))
    odds = [math.log(prior_odds(question, m, "modular") / (n - 1)) for m in EXPECTED_PARENTS]
    exact = [log_sum_of_weights(math.exp(each), n) for each in odds]
    found = incomplete._integrated(np.array(odds), n, n * (n - 1) // 2)
    assert np.abs(np.subtract(found, exact))[:6].max() < 0.5
    assert np.abs(np.subtract(found, exact) / exact).max() < 0.05
