"""The reference enumerations count what they must."""

from math import comb, factorial

import pytest

from reference.dags import all_dags, all_parent_sets, is_acyclic, linear_extensions

NUMBER_OF_DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281}
"""The number of labelled DAGs (OEIS A003024)."""


@pytest.mark.parametrize(("n", "count"), NUMBER_OF_DAGS.items())
def test_each_dag_comes_once(n: int, count: int) -> None:
    dags = list(all_dags(n))
    assert len(dags) == len(set(dags)) == count


def test_a_cycle_is_no_dag() -> None:
    assert not is_acyclic(((1,), (2,), (0,)))
    assert is_acyclic(((1,), (2,), ()))


@pytest.mark.parametrize("max_indegree", [None, 0, 2, 7])
def test_parent_sets_are_the_small_subsets_of_the_others(max_indegree: int | None) -> None:
    sets = list(all_parent_sets(5, 2, max_indegree))
    most = 4 if max_indegree is None else min(4, max_indegree)
    assert len(sets) == len(set(sets)) == sum(comb(4, size) for size in range(most + 1))
    assert all(2 not in parents and list(parents) == sorted(parents) for parents in sets)


def test_linear_extensions_by_hand() -> None:
    assert len(list(linear_extensions(((),) * 4))) == factorial(4)
    assert list(linear_extensions(((1,), (2,), ()))) == [(2, 1, 0)]
    assert sorted(linear_extensions(((), (0,), (0,), (1, 2)))) == [(0, 1, 2, 3), (0, 2, 1, 3)]


def test_orders_and_dags_pair_up() -> None:
    # Each of the n! orders is an extension of the 2^C(n,2) DAGs whose edges all go forward.
    pairs = sum(1 for dag in all_dags(4) for _ in linear_extensions(dag))
    assert pairs == factorial(4) * 2 ** comb(4, 2)
