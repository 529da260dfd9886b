"""Features against their definitions, over all DAGs of a few variables; and their algebra."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest

import arcwise
from arcwise import Dag
from arcwise.errors import ArgumentError
from arcwise.features import (
    And,
    Blanket,
    Comparison,
    Conditional,
    CpdagEdge,
    Edge,
    Feature,
    FunctionOfDag,
    InBlanket,
    Not,
    NumberOfEdges,
    Or,
    ParentSet,
    Path,
    SkeletonEdge,
    VStructure,
    as_feature,
    path_through,
)
from arcwise.results import DagSample
from reference.features import (
    blanket,
    is_v_structure,
    joined,
    number_of_edges,
    path_lengths,
)
from reference.graphs import cpdags
from support.enumerated import every_dag, sample_of
from support.exact_models import names
from support.sampled_posteriors import random_sample

SIZES = (2, 3, 4)


def assert_feature(n: int, feature: Feature, definition: Callable[..., object]) -> None:
    dags, sample = every_dag(n)
    assert feature.values(sample).tolist() == [definition(dag) for dag in dags], str(feature)


@pytest.mark.parametrize("n", SIZES)
def test_edges(n: int) -> None:
    for u, v in permutations(range(n), 2):
        a, b = f"x{u}", f"x{v}"
        assert_feature(n, Edge(a, b), lambda dag, u=u, v=v: u in dag[v])
        assert_feature(n, SkeletonEdge(a, b), lambda dag, u=u, v=v: joined(dag, u, v))
    assert_feature(n, NumberOfEdges(), number_of_edges)
    for node in range(n):
        others = [u for u in range(n) if u != node]
        for size in range(n):
            for chosen in combinations(others, size):
                feature = ParentSet(f"x{node}", [f"x{u}" for u in reversed(chosen)])
                assert_feature(n, feature, lambda dag, v=node, s=chosen: dag[v] == s)


@pytest.mark.parametrize("n", SIZES)
def test_paths(n: int) -> None:
    for u, v in permutations(range(n), 2):
        for longest in (None, 1, 2, 3, 50):
            most = n if longest is None else longest
            feature = Path(f"x{u}", f"x{v}", max_length=longest)
            assert_feature(
                n,
                feature,
                lambda dag, u=u, v=v, most=most: any(k <= most for k in path_lengths(dag, u, v)),
            )


@pytest.mark.parametrize("n", SIZES)
def test_blankets(n: int) -> None:
    for node in range(n):
        for member in set(range(n)) - {node}:
            feature = InBlanket(f"x{node}", f"x{member}")
            assert_feature(n, feature, lambda dag, v=node, u=member: u in blanket(dag, v))
        for size in range(n):
            for members in combinations(sorted(set(range(n)) - {node}), size):
                exact = Blanket(f"x{node}", [f"x{u}" for u in members])
                assert_feature(n, exact, lambda dag, v=node, s=members: blanket(dag, v) == set(s))


@pytest.mark.parametrize("n", [3, 4])
def test_v_structures(n: int) -> None:
    for u, v, w in permutations(range(n), 3):
        feature = VStructure(f"x{u}", f"x{v}", f"x{w}")
        assert_feature(n, feature, lambda dag, u=u, v=v, w=w: is_v_structure(dag, u, v, w))


@pytest.mark.parametrize("n", SIZES)
def test_edges_of_classes(n: int) -> None:
    dags, sample = every_dag(n)
    classes = cpdags(dags)
    for u, v in permutations(range(n), 2):
        a, b = f"x{u}", f"x{v}"
        assert_feature(n, CpdagEdge(a, b), lambda dag, e=(u, v): e in classes[dag][0])
        undirected = CpdagEdge(a, b, directed=False)
        assert_feature(n, undirected, lambda dag, e=frozenset((u, v)): e in classes[dag][1])
    for number, dag in list(enumerate(sample))[::7]:
        one = DagSample(dag.variables, sample.parents[[number]])
        assert np.array_equal(
            one.matrix("cpdag").probabilities.astype(bool), arcwise.graphs.cpdag(dag).matrix()
        )


def test_classes_of_many_nodes_are_those_of_single_dags() -> None:
    sample = random_sample(70, 15, seed=5)
    for number, dag in enumerate(sample):
        one = DagSample(sample.variables, sample.parents[[number]])
        matrix = one.matrix("cpdag").probabilities.astype(bool)
        assert np.array_equal(matrix, arcwise.graphs.cpdag(dag).matrix())


def test_matrices_hold_what_features_say() -> None:
    n = 4
    _, sample = every_dag(n)
    weighted = DagSample(
        sample.variables, sample.parents, np.random.default_rng(1).random(len(sample))
    )
    kinds: dict[str, Callable[[str, str], Feature]] = {
        "edge": Edge,
        "ancestor": Path,
        "skeleton": SkeletonEdge,
        "blanket": InBlanket,
        "compelled": CpdagEdge,
        "reversible": lambda a, b: CpdagEdge(a, b, directed=False),
        "cpdag": lambda a, b: CpdagEdge(a, b) | CpdagEdge(a, b, directed=False),
    }
    for relation, kind in kinds.items():
        matrix, errors = weighted.matrix(relation)  # type: ignore[arg-type]
        assert (matrix.diagonal() == 0.0).all()
        for u, v in permutations(range(n), 2):
            estimate = weighted.estimate(kind(f"x{u}", f"x{v}"))
            assert matrix[u, v] == pytest.approx(estimate.value, abs=1e-12)
            assert errors[u, v] == pytest.approx(estimate.standard_error, rel=1e-9)
    short = weighted.matrix("ancestor", max_length=2).probabilities
    assert short[0, 1] == pytest.approx(weighted.probability("x0 ~>{2} x1"), abs=1e-12)
    with pytest.raises(ArgumentError, match=r"^max_length applies to paths only, but relation"):
        weighted.matrix("edge", max_length=2)
    with pytest.raises(ArgumentError, match=r"^relation is 'child'; give one of 'edge', "):
        weighted.matrix("child")  # type: ignore[arg-type]


def test_the_algebra() -> None:
    _, sample = every_dag(3)
    a, b, c = Edge("x0", "x1"), Path("x1", "x2"), NumberOfEdges()
    first, second = a.values(sample), b.values(sample)
    assert ((a & b).values(sample) == (first & second)).all()
    assert ((a | b).values(sample) == (first | second)).all()
    assert ((~a).values(sample) == ~first).all()
    assert ~~a == a
    assert (a & b) & ~a == And((a, b, Not(a)))
    assert a | (b | a) == Or((a, b, a))
    numbers = c.values(sample)
    assert ((c >= 2).values(sample) == (numbers >= 2)).all()
    assert ((c < 2).values(sample) == (numbers < 2)).all()
    assert ((c > 1).values(sample) == (c >= 2).values(sample)).all()
    assert ((c <= 1).values(sample) == (c < 2).values(sample)).all()
    assert (Comparison(c, "!=", 2).values(sample) == (numbers != 2)).all()
    assert path_through("x0", "x1", "x2") == Path("x0", "x1") & Path("x1", "x2")
    assert {a, Edge("x0", "x1")} == {a}


def test_what_parents_decide() -> None:
    assert (Edge("a", "c") & ~ParentSet("c", ["a", "b"])).decided_by == "c"
    assert (Edge("a", "c") | Edge("c", "a")).decided_by is None
    assert Path("a", "c").decided_by is None


def test_conditions_are_ratios() -> None:
    dags, sample = every_dag(4)
    weights = np.random.default_rng(3).random(len(dags))
    weighted = DagSample(sample.variables, sample.parents, weights)
    f, g = Edge("x0", "x1"), Path("x1", "x3")
    both = weighted.probability(f & g) / weighted.probability(g)
    assert weighted.probability(f, given=g) == pytest.approx(both, abs=1e-12)
    assert weighted.probability(Conditional(f, g)) == pytest.approx(both, abs=1e-12)
    assert weighted.probability("x0 -> x1 given x1 ~> x3") == pytest.approx(both, abs=1e-12)
    more = weighted.probability(f & g & Edge("x0", "x2")) / weighted.probability(
        g & Edge("x0", "x2")
    )
    found = weighted.probability("x0 -> x1 given x1 ~> x3", given=("x0", "x2"))
    assert found == pytest.approx(more, abs=1e-12)
    with pytest.raises(
        ArgumentError, match=r"^the given event, 'x0 -> x1 and x1 -> x0', holds in no"
    ):
        weighted.probability(("x0", "x2"), given="x0 -> x1 and x1 -> x0")


def test_functions_are_called_once_for_each_different_dag() -> None:
    few = sample_of([((), (0,)), ((), ()), ((), (0,)), ((), (0,))])
    seen: list[Dag] = []

    def count(dag: Dag) -> int:
        seen.append(dag)
        return dag.number_of_edges

    assert few.probability(count) == 0.75
    assert len(seen) == 2
    assert not few.estimate(count).is_event
    assert few.estimate(lambda dag: dag.number_of_edges == 1).is_event
    event = FunctionOfDag(count, is_event=True) & Edge("x0", "x1")
    assert event.values(few).tolist() == [True, False, True, True]


def test_refusals() -> None:
    for make, said in (
        (lambda: Edge("a", "a"), r"^an edge names 'a' twice; give different variables"),
        (lambda: ParentSet("a", ["b", "a"]), r"^a parent set names 'a' twice"),
        (lambda: ParentSet("a", "b"), r"^parents is the single string 'b'; give a list"),
        (lambda: Path("a", "b", max_length=0), r"^max_length is 0; give a whole number, 1"),
        (lambda: VStructure("a", "b", "a"), r"^a v-structure names 'a' twice"),
        (lambda: NumberOfEdges() & Edge("a", "b"), r"^'edges' is a number, not an event; compare"),
        (lambda: Edge("a", "b") >= 2, r"^'a -> b' is an event, not a number; leave"),
        (lambda: Comparison(NumberOfEdges(), "~", 2), r"^operator is '~'; give one of <, <="),
        (lambda: NumberOfEdges() > "2", r"^number is '2'; give a number"),  # type: ignore[operator]
        (lambda: Edge("a", "b") & "c", r"^'c' is not a feature; give one"),  # type: ignore[operator]
        (lambda: And((Edge("a", "b"),)), r"^parts has length 1; give two or more events"),
        (lambda: path_through("a"), r"^a path has the nodes \('a',\); give two or more"),
        (lambda: Conditional(Edge("a", "b"), NumberOfEdges()), r"^'edges' is a number"),
        (lambda: as_feature(3, ["a"]), r"^feature is 3; give text such as"),  # type: ignore[arg-type]
        (lambda: as_feature(Edge("a", "z"), ["a", "b"]), r"^feature names 'z'; the variables are"),
        (lambda: as_feature("a -> b", "ab", given="a -> b given b -> a"), r"^variables is"),
        (
            lambda: as_feature("a -> b", ["a", "b"], given="a -> b given b -> a"),
            r"^given is 'a -> b given b -> a', which is itself conditional; give an event",
        ),
    ):
        with pytest.raises(ArgumentError, match=said):
            make()
    assert names(2) == ("x0", "x1")
