"""Linear extensions: exact counts against the definition and known numbers; estimates."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, _core
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs import linear_extensions
from arcwise.graphs.linear_extensions import packed_parents
from reference.dags import Parents, all_dags
from reference.dags import linear_extensions as all_linear_extensions
from reference.linear_extensions import (
    boolean_lattice,
    count_linear_extensions,
    crown,
    grid,
    parallel,
    parallel_count,
    series,
)


def as_dag(parents: Parents) -> Dag:
    names = [f"X{node}" for node in range(len(parents))]
    return Dag(names, {names[v]: [names[u] for u in of] for v, of in enumerate(parents)})


def relabelled(parents: Parents, order: Any) -> Parents:
    """Return the DAG with node v renamed to order[v]."""
    result: list[tuple[int, ...]] = [()] * len(parents)
    for node, of_node in enumerate(parents):
        result[order[node]] = tuple(sorted(int(order[parent]) for parent in of_node))
    return tuple(result)


def random_parents(n: int, seed: int, most: int = 3) -> Parents:
    return arcwise.networks.random_dag(n, max_indegree=most, seed=seed).parent_indices


def chain_above_first(parents: Parents, length: int) -> int:
    """Count where a chain of so many nodes is put above node 0: by how it mixes with the rest."""
    n = len(parents)
    later = [n - 1 - order.index(0) for order in all_linear_extensions(parents)]
    return sum(math.comb(after + length, length) for after in later)


def assert_counts(parents: Parents, expected: int) -> None:
    """Check number and logarithm, also with the nodes and the edges the other way round."""
    n = len(parents)
    backwards = tuple(
        tuple(child for child in range(n) if node in parents[child]) for node in range(n)
    )
    for same in (parents, relabelled(parents, range(n)[::-1]), backwards):
        dag = as_dag(same)
        assert linear_extensions(dag) == expected
        assert linear_extensions(dag, log=True) == pytest.approx(math.log(expected), abs=1e-10)


def test_all_dags_of_four_nodes_against_the_definition() -> None:
    for parents in all_dags(4):
        expected = len(list(all_linear_extensions(parents)))
        assert count_linear_extensions(parents) == expected
        dag = as_dag(parents)
        assert linear_extensions(dag) == expected
        assert linear_extensions(dag, log=True) == pytest.approx(math.log(expected), abs=1e-13)


@st.composite
def small_dags(draw: Any, most: int = 9) -> Parents:
    n = draw(st.integers(1, most))
    density = draw(st.sampled_from([0.1, 0.25, 0.5, 0.9]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = random.permutation(n)
    parents = tuple(
        tuple(parent for parent in range(node) if random.random() < density) for node in range(n)
    )
    return relabelled(parents, order)


@given(small_dags())
def test_small_posets_against_the_reference(parents: Parents) -> None:
    assert_counts(parents, count_linear_extensions(parents))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 64, 65, 100, 130, 300])
def test_chains_and_antichains(n: int) -> None:
    assert_counts(tuple((v - 1,) if v else () for v in range(n)), 1)
    assert_counts(((),) * n, math.factorial(n))


def test_known_numbers() -> None:
    assert [count_linear_extensions(boolean_lattice(d)) for d in (1, 2, 3)] == [1, 2, 48]
    for dimension, expected in ((1, 1), (2, 2), (3, 48), (4, 1680384)):
        assert_counts(boolean_lattice(dimension), expected)
    for columns in (1, 2, 5, 32, 33, 65, 100):
        catalan = math.comb(2 * columns, columns) // (columns + 1)
        assert_counts(grid(2, columns), catalan)
    # Standard Young tableaux of a square, by hooks.
    hooks = math.prod(5 - row + 5 - column - 1 for row in range(5) for column in range(5))
    assert_counts(grid(5, 5), math.factorial(25) // hooks)
    for size in (2, 3, 4, 5):
        assert_counts(crown(size), count_linear_extensions(crown(size)))


@pytest.mark.parametrize("n", [5, 64, 65, 100, 130])
def test_random_trees_by_hooks(n: int) -> None:
    random = np.random.default_rng(n)
    parents: Parents = tuple((int(random.integers(v)),) if v else () for v in range(n))
    hooks = [1] * n
    for node in range(n - 1, 0, -1):
        hooks[parents[node][0]] += hooks[node]
    assert_counts(parents, math.factorial(n) // math.prod(hooks))


def with_hanging_trees(parents: Parents, more: int, random: np.random.Generator) -> Parents:
    """Return the DAG with nodes added, each just above or just below one that was there before."""
    result = list(parents)
    for node in range(len(parents), len(parents) + more):
        neighbour = int(random.integers(node))
        above = random.random() < 0.5
        result.append((neighbour,) if above else ())
        if not above:
            result[neighbour] = (*result[neighbour], node)
    return relabelled(tuple(result), random.permutation(len(result)))


@given(small_dags(most=6), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_hanging_trees_against_the_reference(parents: Parents, more: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    hung = with_hanging_trees(parents, min(more, 10 - len(parents)), random)
    assert_counts(hung, count_linear_extensions(hung))


@pytest.mark.parametrize("seed", range(6))
def test_hanging_trees_on_larger_cores_seen_from_both_ends(seed: int) -> None:
    random = np.random.default_rng(seed)
    for core, more in ((14, 8), (22, 12), (25, 15)):
        parents = with_hanging_trees(random_parents(core, seed), more, random)
        count = linear_extensions(as_dag(parents))
        assert count == count_linear_extensions(parents) if core == 14 else count > 0
        assert_counts(parents, count)


@pytest.mark.parametrize("n", [1, 2, 5, 64, 65, 171, 300])
def test_fences_are_zigzag_numbers(n: int) -> None:
    # Each row of Seidel's triangle sums up the one before, from alternating ends.
    row = [1]
    for _ in range(n):
        row = [0, *itertools.accumulate(reversed(row))]
    fence = tuple(() if v % 2 == 0 else tuple(u for u in (v - 1, v + 1) if u < n) for v in range(n))
    assert_counts(fence, row[-1])


def test_a_long_chain_that_hangs_from_a_crown() -> None:
    # Beyond the range of doubles, though the core is small; the count by where the chain starts.
    core, chain = crown(3), 200
    parents = (*core, *((len(core) + v - 1,) if v else (0,) for v in range(chain)))
    assert_counts(parents, chain_above_first(core, chain))


@pytest.mark.parametrize("n", [10, 64, 65, 100, 130])
def test_random_series_and_parallel_compositions(n: int) -> None:
    random = np.random.default_rng(n)
    pieces: list[tuple[Parents, int]] = [(((),), 1) for _ in range(n)]
    while len(pieces) > 1:
        second, second_count = pieces.pop(int(random.integers(len(pieces))))
        first, first_count = pieces.pop(int(random.integers(len(pieces))))
        if random.random() < 0.6:
            pieces.append((series(first, second), first_count * second_count))
        else:
            count = parallel_count(first_count, len(first), second_count, len(second))
            pieces.append((parallel(first, second), count))
    parents, expected = pieces[0]
    assert_counts(parents, expected)


@pytest.mark.parametrize("n", [20, 30])
def test_labels_and_direction_do_not_matter(n: int) -> None:
    for seed in range(5):
        parents = random_parents(n, seed)
        order = np.random.default_rng(seed).permutation(n)
        expected = linear_extensions(as_dag(parents))
        assert expected == count_linear_extensions(parents) if n == 20 else expected > 0
        assert_counts(relabelled(parents, order), expected)


def test_disjoint_unions_of_many_nodes() -> None:
    parents: Parents = ()
    count = 1
    for seed in range(9):
        piece = random_parents(15, seed)
        count = parallel_count(count, len(parents), count_linear_extensions(piece), 15)
        parents = parallel(parents, piece)
    assert len(parents) == 135
    order = np.random.default_rng(1).permutation(len(parents))
    assert_counts(relabelled(parents, order), count)


def test_many_dags_at_once_on_any_number_of_threads() -> None:
    dags = [as_dag(random_parents(70, seed, most=1)) for seed in range(50)]
    packed = np.concatenate([packed_parents(dag) for dag in dags])
    expected = [math.log(linear_extensions(dag)) for dag in dags]
    one, three = (_core.log_linear_extensions(packed, 10**6, k, None) for k in (1, 3))
    assert one.tolist() == three.tolist()
    assert one == pytest.approx(expected, abs=1e-10)


def test_budget() -> None:
    dag = as_dag(crown(8))
    assert linear_extensions(dag) == linear_extensions(dag, budget=10**4)
    for log in (False, True):
        with pytest.raises(CapacityError, match="16 nodes takes more than the budget of 5 sets"):
            linear_extensions(dag, log=log, budget=5)
    large = as_dag(tuple((v - 1,) if v else () for v in range(1025)))
    with pytest.raises(CapacityError, match="1025 nodes"):
        linear_extensions(large)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"budget": 0}, "budget"),
        ({"estimate": True, "runs": 1}, "runs"),
        ({"estimate": True, "sets": 0}, "sets"),
        ({"estimate": True, "seed": -1}, "seed"),
        ({"estimate": True, "threads": 0}, "threads"),
    ],
)
def test_refusals(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ArgumentError, match=name):
        linear_extensions(Dag(["a"], {}), **wrong)


@cache
def packed_dag(parents: Parents) -> np.ndarray:
    return packed_parents(as_dag(parents))


def estimate(
    parents: Parents, sets: int, runs: int, seed: int = 1, *, exact_nodes: int = 1, threads: int = 2
) -> tuple[float, float]:
    """Estimate even where counting would be quick."""
    packed = packed_dag(parents)
    return _core.estimate_linear_extensions(packed, sets, runs, 0, exact_nodes, seed, threads, None)


_MANY = 10_000  # runs, of which no error is larger than a few per cent here


@pytest.mark.parametrize("sets", [1, 2, 3, 7])
@pytest.mark.parametrize("exact_nodes", [1, 4])
@pytest.mark.parametrize(
    "parents",
    [
        crown(4),
        grid(3, 4),
        boolean_lattice(3),
        random_parents(15, 3),
        parallel(grid(2, 4), crown(3)),
    ],
    ids=["crown", "grid", "lattice", "random", "two components"],
)
def test_estimates_are_unbiased_and_know_their_error(
    parents: Parents, sets: int, exact_nodes: int
) -> None:
    expected = count_linear_extensions(parents)
    log_count, error = estimate(parents, sets, _MANY, exact_nodes=exact_nodes)
    # Five standard errors: a false alarm once in two million for each of the cases.
    assert abs(math.exp(log_count) / expected - 1.0) <= 5.0 * error + 1e-9
    # Few runs tell the same error of a run as many do, on average: 100 sets of 16 runs, whose
    # variances spread by at most their mean here, so that six standard errors are 60 %.
    variance = _MANY * error**2
    few = [estimate(parents, sets, 16, seed, exact_nodes=exact_nodes) for seed in range(2, 102)]
    found = sum(16 * (math.exp(log) / expected) ** 2 * se**2 for log, se in few) / len(few)
    assert abs(found - variance) <= 0.6 * variance + 1e-12


def test_estimates_of_many_dags_are_independent_of_each_other() -> None:
    parents = [random_parents(15, 3), random_parents(15, 4)]
    packed = np.repeat(np.concatenate([packed_dag(each) for each in parents]), 2_000, axis=0)

    def estimates(threads: int) -> np.ndarray:
        return _core.log_estimates_of_linear_extensions(packed, 2, 2, 0, 1, 1, threads, None)

    found = estimates(1)
    np.testing.assert_array_equal(found, estimates(2))
    for place, each in enumerate(parents):
        own = np.exp(found[2_000 * place : 2_000 * (place + 1)]) / count_linear_extensions(each)
        error = own.std() / math.sqrt(own.size)
        # Five standard errors: a false alarm once in two million.
        assert 0.0 < abs(own.mean() - 1.0) <= 5.0 * error
        # Of 2,000 independent pairs, the correlation is below 5 / sqrt(2,000).
        assert abs(np.corrcoef(own.T)[0, 1]) < 0.11
        assert abs(np.corrcoef(own[:-1, 0], own[1:, 0])[0, 1]) < 0.11


def test_estimates_that_keep_all_sets_are_exact() -> None:
    for seed in range(5):
        parents = random_parents(14, seed)
        log_count, error = estimate(parents, 10**6, 2)
        assert log_count == pytest.approx(math.log(count_linear_extensions(parents)), abs=1e-10)
        assert error < 1e-12


def test_estimates_of_large_dags_agree_with_the_count() -> None:
    for seed in range(3):
        parents = random_parents(45, seed)
        dag = as_dag(parents)
        log_count, error = estimate(parents, 50, 32, exact_nodes=12)
        assert 0.0 < error < 0.3
        # Six standard errors: the estimates are skewed.
        assert abs(log_count - linear_extensions(dag, log=True)) < 6.0 * error


def test_estimates_repeat_on_any_number_of_threads() -> None:
    parents = random_parents(70, 1)
    first = estimate(parents, 5, 8, seed=4, threads=1)
    assert first == estimate(parents, 5, 8, seed=4, threads=3)
    assert first != estimate(parents, 5, 8, seed=5, threads=1)


def test_public_estimates() -> None:
    small = linear_extensions(as_dag(crown(4)), estimate=True)
    assert small.standard_error == 0.0
    assert small.log_count == pytest.approx(math.log(count_linear_extensions(crown(4))))
    large = as_dag(random_parents(90, 2))
    coarse = linear_extensions(large, estimate=True, sets=10, runs=32, seed=3)
    fine = linear_extensions(large, estimate=True, sets=100, runs=16, threads=1)
    assert 0.0 < fine.standard_error < coarse.standard_error
    apart = math.hypot(fine.standard_error, coarse.standard_error)
    assert abs(fine.log_count - coarse.log_count) < 6.0 * apart
