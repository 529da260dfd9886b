"""DegenerateGaussian agrees with its definition, and is BGe of continuous columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise.data import ContinuousColumn, Data, DiscreteColumn
from arcwise.errors import ArgumentError
from arcwise.model.question import Definition, Question
from arcwise.scores import BGe, DegenerateGaussian
from arcwise.support.devices import Processors
from arcwise.support.running import Stage
from reference import mixed_scores as reference
from support.comparison import (
    assert_equivalent_dags_score_the_same,
    assert_families_agree,
    assert_same_scores,
)
from support.strategies import mixed_cases, rules


@given(st.data())
def test_it_agrees_with_its_definition(data: Any) -> None:
    case = data.draw(mixed_cases())
    rule = data.draw(rules(case.variables))
    ordinal = [kind == "ordinal" for kind in case.data.kinds.values()]
    _, places = reference.blocks(case.rows, ordinal)
    columns = sum(map(len, places))
    alpha_mu = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    extra = data.draw(st.sampled_from([1.5, 2.0, 6.0]))
    score = DegenerateGaussian(alpha_mu, None if extra == 2.0 else columns + extra)
    scores = arcwise.score(case.data, score, threads=1, **rule.keywords)

    def definition(node: int, parents: tuple[int, ...]) -> float:
        return reference.degenerate_gaussian(case.rows, node, parents, ordinal, alpha_mu, extra)

    assert_families_agree(scores, case, rule, definition)


def table(rows: int = 60, ordinal: bool = False) -> Data:
    random = np.random.default_rng(3)
    x = random.standard_normal(rows)
    a = np.clip(np.round(x + random.standard_normal(rows)), -1, 1).astype(int) + 1
    b = (random.random(rows) < 0.3 + 0.2 * a).astype(int)
    y = 0.5 * a - x + random.standard_normal(rows)
    return Data(
        [
            DiscreteColumn("a", a, ("low", "middle", "high"), ordinal),
            ContinuousColumn("b", x),
            DiscreteColumn("c", b, ("no", "yes")),
            ContinuousColumn("d", y),
        ]
    )


def test_equivalent_dags_score_the_same() -> None:
    assert_equivalent_dags_score_the_same(arcwise.score(table(), DegenerateGaussian(), threads=1))


def test_it_is_bge_of_continuous_columns_and_of_ranks() -> None:
    data = table(ordinal=True)
    assert data.kinds["a"] == "ordinal"
    numbers = {
        "a": data.columns[0].stored.astype(float),
        "b": data.columns[1].numbers(),
        "c": 1.0 - data.columns[2].stored,
        "d": data.columns[3].numbers(),
    }
    frame = Data([ContinuousColumn(name, np.asarray(values)) for name, values in numbers.items()])
    ours = arcwise.score(data, DegenerateGaussian(2.0, 7.0), threads=1)
    assert_same_scores(ours, arcwise.score(frame, BGe(2.0, 7.0), threads=1), 1e-11)


def test_the_order_of_levels_matters_to_ordinal_columns_only() -> None:
    for ordinal in (False, True):
        data = table(ordinal=ordinal)
        column = data.columns[0]
        assert isinstance(column, DiscreteColumn)
        other = Data(
            [
                DiscreteColumn("a", (column.codes + 1) % 3, ("high", "low", "middle"), ordinal),
                *data.columns[1:],
            ]
        )
        first = arcwise.score(data, DegenerateGaussian(), threads=1).log_score("a", ["b", "c"])
        second = arcwise.score(other, DegenerateGaussian(), threads=1).log_score("a", ["b", "c"])
        assert (abs(first - second) < 1e-9) is not ordinal


def test_the_same_bits_with_any_number_of_threads_and_in_parts(tmp_path: Any) -> None:
    data = table()
    whole = arcwise.score(data, DegenerateGaussian(), threads=1)
    more = arcwise.score(data, DegenerateGaussian(), threads=2)
    job = Question.of(data, Definition(DegenerateGaussian())).scoring
    parts = job.score_all(Stage(Processors(1)), tmp_path / "scores")
    for node in range(4):
        assert (whole.table.values(node) == more.table.values(node)).all()
        assert (whole.table.values(node) == parts.values(node)).all()


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ArgumentError, match="alpha_mu"):
        DegenerateGaussian(0.0)
    with pytest.raises(ArgumentError, match="for these 5 columns"):
        arcwise.score(table(), DegenerateGaussian(alpha_w=6.0))
