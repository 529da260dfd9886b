"""Exact path probabilities: against enumeration, against edges, and on any number of threads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, NumericalError
from reference.ancestors import ancestor_probabilities, ancestors, linear_extension_counts
from reference.dags import all_dags, linear_extensions
from support.exact_models import random_model

NAMES = [f"x{i}" for i in range(26)]
MODULARITIES = pytest.mark.parametrize(
    "order_modular", [False, True], ids=["modular", "order-modular"]
)

Constraint = dict[str, Any]


def paths(
    table: _core.FamilyTable,
    order_modular: bool,
    threads: int = 1,
    progress: Any = None,
    tolerance: float = 1e-8,
) -> tuple[np.ndarray, float]:
    computation = _core.ExactComputation(table, order_modular, tolerance)
    return computation.paths(_core.Processors(threads), progress)


def random_weight(seed: int, spread: float) -> Callable[[int, tuple[int, ...]], float]:
    """Return log weights of families, up to `spread` apart, a function of the family alone."""

    def log_weight(node: int, parents: tuple[int, ...]) -> float:
        random = np.random.default_rng([seed, node, sum(1 << parent for parent in parents)])
        return spread * random.random()

    return log_weight


def table_of(
    n: int, log_weight: Callable[[int, tuple[int, ...]], float], constraint: Constraint
) -> _core.FamilyTable:
    def score(name: str, parents: tuple[str, ...]) -> float:
        return log_weight(NAMES.index(name), tuple(sorted(NAMES.index(p) for p in parents)))

    named: dict[str, Any] = {
        key: [(NAMES[u], NAMES[v]) for u, v in value] if key.endswith("edges") else value
        for key, value in constraint.items()
    }
    return arcwise.Model(NAMES[:n], score, **named).weights.table


def satisfies(node: int, parents: tuple[int, ...], constraint: Constraint) -> bool:
    return (
        len(parents) <= constraint.get("max_indegree", len(NAMES))
        and all(u in parents for u, v in constraint.get("required_edges", ()) if v == node)
        and not any(u in parents for u, v in constraint.get("forbidden_edges", ()) if v == node)
    )


@st.composite
def cases(draw: Any) -> tuple[int, int, float, Constraint]:
    n = draw(st.integers(1, 5))
    constraint: Constraint = {}
    if n > 1 and draw(st.booleans()):
        constraint["max_indegree"] = draw(st.integers(1, n - 1))
    # Required edges agree with an order and leave room for one parent each; others are forbidden.
    order = draw(st.permutations(range(n)))
    if n > 1 and draw(st.booleans()):
        steps = draw(st.sets(st.integers(1, n - 1), max_size=2))
        constraint["required_edges"] = [(order[i - 1], order[i]) for i in sorted(steps)]
    if n > 1 and draw(st.booleans()):
        pairs = list(itertools.permutations(range(n), 2))
        chosen = draw(st.sets(st.sampled_from(pairs), max_size=6))
        constraint["forbidden_edges"] = sorted(chosen - set(constraint.get("required_edges", ())))
    spread = draw(st.sampled_from([0.0, 1.0, 30.0, 400.0, 3000.0]))
    return n, draw(st.integers(0, 2**32 - 1)), spread, constraint


@MODULARITIES
@given(case=cases())
def test_agrees_with_enumeration(
    order_modular: bool, case: tuple[int, int, float, Constraint]
) -> None:
    n, seed, spread, constraint = case
    log_weight = random_weight(seed, spread)
    matrix, error = paths(table_of(n, log_weight, constraint), order_modular)
    expected = ancestor_probabilities(
        n,
        lambda node, parents: (
            log_weight(node, parents) if satisfies(node, parents, constraint) else -math.inf
        ),
        order_modular=order_modular,
    )
    np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10)
    assert error < 1e-10


@MODULARITIES
def test_two_separate_halves_agree_with_enumeration_of_each(order_modular: bool) -> None:
    """Ten nodes, odd and even ones without an edge between them: the halves are independent.

    So they are under the order-modular target, too: the linear extensions of a DAG of two parts
    are a constant times those of the parts.
    """
    for spread in (3.0, 600.0):
        log_weight = random_weight(5, spread)
        forbidden = [(u, v) for u in range(10) for v in range(10) if (u + v) % 2 == 1]
        table = table_of(10, log_weight, {"forbidden_edges": forbidden})
        expected = np.zeros((10, 10))
        for first in (0, 1):

            def of_part(
                node: int,
                parents: tuple[int, ...],
                first: int = first,
                log_weight: Callable[[int, tuple[int, ...]], float] = log_weight,
            ) -> float:
                return log_weight(2 * node + first, tuple(2 * parent + first for parent in parents))

            expected[first::2, first::2] = ancestor_probabilities(
                5, of_part, order_modular=order_modular
            )
        matrix, _ = paths(table, order_modular)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10)


def simulated(n: int, rows: int) -> arcwise.Model:
    """Return a model of noisy copies: each column is made from one or two before it."""
    random = np.random.default_rng(n)
    columns: dict[str, np.ndarray] = {}
    for name in NAMES[:n]:
        column = random.integers(0, 2, rows)
        for parent in random.permutation(list(columns))[:2]:
            column = np.where(random.random(rows) < 0.6, columns[str(parent)], column)
        columns[name] = column.astype(str)
    return arcwise.Model(columns, "bdeu", max_indegree=3)


@MODULARITIES
@pytest.mark.parametrize("n", [8, 10, 12])
def test_paths_are_consistent_with_edges_and_each_other(order_modular: bool, n: int) -> None:
    if n == 8:
        data = arcwise.simulate("asia", 500, seed=1)
        table = arcwise.Model(data, "bdeu", max_indegree=3).weights.table
    else:
        table = simulated(n, 200).weights.table
    matrix, error = paths(table, order_modular)
    computation = _core.ExactComputation(table, order_modular, 1e-8)
    edges = computation.posterior(_core.Processors(1), None)[2]
    assert error < 1e-9
    assert (matrix.diagonal() == 1.0).all()
    assert (matrix >= edges - 1e-9).all()
    outside = ~np.eye(n, dtype=bool)
    assert ((matrix + matrix.T)[outside] <= 1.0 + 1e-9).all()
    # A path from u to v starts with an edge from u to some w, and leads on from there.
    first_steps = np.minimum(edges[:, :, None], matrix[None, :, :]).sum(axis=1)
    assert (matrix[outside] <= first_steps[outside] + 1e-9).all()
    # Two paths that meet make one; both are there with at least the sum less one.
    for u, v, w in itertools.permutations(range(n), 3):
        assert matrix[u, v] >= matrix[u, w] + matrix[w, v] - 1.0 - 1e-9


@MODULARITIES
@pytest.mark.parametrize("n", [3, 11])
def test_threads_change_nothing(order_modular: bool, n: int) -> None:
    table = simulated(n, 100).weights.table
    one, error_of_one = paths(table, order_modular, threads=1)
    two, error_of_two = paths(table, order_modular, threads=2)
    assert (one == two).all()
    assert error_of_one == error_of_two


def test_complete_uniform_order_modular_target_has_a_known_answer() -> None:
    """With one family per node and order, all predecessors, each earlier node is an ancestor."""

    def log_weight(node: int, parents: tuple[int, ...]) -> float:
        return 0.0 if len(parents) == 0 else 2000.0 * len(parents)

    matrix, _ = paths(table_of(9, log_weight, {}), order_modular=True)
    expected = np.full((9, 9), 0.5)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-10)


@MODULARITIES
def test_a_required_chain_has_sure_paths(order_modular: bool) -> None:
    chain = [(i, i + 1) for i in range(8)]
    table = table_of(9, random_weight(2, 2.0), {"required_edges": chain})
    matrix, _ = paths(table, order_modular)
    np.testing.assert_allclose(matrix, np.triu(np.ones((9, 9))), rtol=0, atol=1e-12)


@MODULARITIES
def test_progress_rises_to_one(order_modular: bool) -> None:
    shares: list[float] = []
    paths(simulated(10, 100).weights.table, order_modular, 2, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


@MODULARITIES
def test_interruption_takes_effect_at_once(order_modular: bool) -> None:
    table = simulated(12, 100).weights.table
    whole: list[float] = []
    paths(table, order_modular, 2, whole.append)
    assert sum(share > 0.5 for share in whole) > 1
    refused: list[float] = []

    def refuse(share: float) -> None:
        if share > 0.5:
            refused.append(share)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        paths(table, order_modular, 2, refuse)
    assert len(refused) == 1  # nothing was computed after it
    assert refused[0] < 1.0


@pytest.mark.parametrize(("order_modular", "n"), [(False, 26), (True, 21)])
def test_refuses_too_many_variables(order_modular: bool, n: int) -> None:
    table = _core.FamilyTable([[]] * n, [[]] * n, [0] * n)
    with pytest.raises(CapacityError, match="at most"):
        paths(table, order_modular)


@MODULARITIES
def test_refuses_weights_without_a_dag(order_modular: bool) -> None:
    table = _core.FamilyTable.from_lists([[1], [0]], [[[0]], [[0]]], [[0.0], [0.0]])
    with pytest.raises(ArgumentError, match="No DAG"):
        paths(table, order_modular)


def test_refuses_what_the_digits_do_not_suffice_for() -> None:
    table = simulated(8, 100).weights.table
    with pytest.raises(NumericalError, match="tolerance"):
        paths(table, order_modular=False, tolerance=1e-30)


def test_states_its_memory() -> None:
    # The two largest levels of 3^19 states and little more.
    assert 3e9 < _core.exact_cost(20, 0, True, 1)[1] < 5e9
    assert 2e8 < _core.exact_cost(20, 0, False, 1)[1] < 1e9


def test_reference_counts_linear_extensions_and_finds_ancestors() -> None:
    assert linear_extension_counts(4) == {
        dag: len(list(linear_extensions(dag))) for dag in all_dags(4)
    }
    assert ancestors(((), (0,), (1,), ())) == tuple(map(frozenset, ({0}, {0, 1}, {0, 1, 2}, {3})))


def test_a_posterior_with_paths_knows_them_exactly(tmp_path: Path) -> None:
    model = random_model(5, seed=3)
    found = arcwise.exact(model, paths=True, dags=50)
    expected = arcwise.algorithms.ancestor_probabilities(model)
    np.fill_diagonal(expected, 0.0)
    found.save(tmp_path / "posterior.npz")
    source, target = model.variables[0], model.variables[3]
    for posterior in (found, arcwise.Posterior.load(tmp_path / "posterior.npz")):
        estimate = posterior.estimate(f"{source} ~> {target}")
        assert estimate.exact
        assert estimate.value == expected[0, 3]
        assert posterior.probability(f"not {source} ~> {target}") == 1.0 - expected[0, 3]
        matrix = posterior.matrix("ancestor")
        assert np.array_equal(matrix.probabilities, expected)
        assert not matrix.standard_errors.any()
        # A path of bounded length is still found from the DAGs.
        assert not posterior.estimate(f"{source} ~>{{2}} {target}").exact
    assert not arcwise.exact(model, dags=50).estimate(f"{source} ~> {target}").exact
