"""Jumps within equivalence classes against classes by enumeration.

That they leave every target as it is, is tabulated in `test_laws.py`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable

import numpy as np
import pytest

from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import Dags
from reference.dags import Parents, all_dags
from reference.graphs import edges_of, equivalence_class
from support.exact_laws import kernel_of
from support.exact_models import flat_model

N = 4


def code_of(dag: Parents) -> tuple[int, ...]:
    return tuple(sum(1 << parent for parent in parents) for parents in dag)


def classes() -> dict[Hashable, list[Parents]]:
    """Return the members of each class."""
    members: dict[Hashable, list[Parents]] = defaultdict(list)
    for dag in all_dags(N):
        members[equivalence_class(dag)].append(dag)
    return members


def few_parents(dag: Parents, most: int) -> bool:
    return max(map(len, dag)) <= most


@pytest.mark.parametrize("most", [N - 1, 2, 1])
def test_all_dags_of_a_class_are_equally_probable(most: int) -> None:
    # The weights of all DAGs are the same, so all that is refused is too many parents.
    members = classes()
    states = [code_of(dag) for dag in all_dags(N) if few_parents(dag, most)]
    places = {state: place for place, state in enumerate(states)}
    space = Dags({"class jump": 1.0}).build(ScoreSums(flat_model(N, max_indegree=most)))
    kernel = np.asarray(kernel_of(space, states, 1.0, np.ones(len(states), dtype=bool)))
    expected = np.zeros_like(kernel)
    for equivalent in members.values():
        kept = [places[code_of(dag)] for dag in equivalent if few_parents(dag, most)]
        for start in kept:
            expected[start, kept] = 1.0 / len(equivalent)
            expected[start, start] += 1.0 - len(kept) / len(equivalent)
    assert np.abs(kernel - expected).max() < 1e-12


def law_of_uniform_sources(members: list[Parents]) -> dict[Parents, float]:
    """Return a wrong law: a source that is as probable as any other, then any DAG that has it."""
    by_source: dict[frozenset[int], list[Parents]] = defaultdict(list)
    for dag in members:
        by_source[frozenset(node for node in range(N) if not dag[node])].append(dag)
    return {dag: 1.0 / len(by_source) / len(group) for group in by_source.values() for dag in group}


def test_sources_must_be_weighted() -> None:
    # Else jumps would not be uniform in the classes of two triangles with a common edge.
    uneven = set()
    for equivalent in classes().values():
        law = law_of_uniform_sources(equivalent)
        if max(abs(share * len(equivalent) - 1.0) for share in law.values()) > 0.1:
            uneven.add(len(edges_of(equivalent[0])))
    assert uneven == {5}


def test_a_class_of_all_orders() -> None:
    complete = [members for members in classes().values() if len(members) == math.factorial(N)]
    assert len(complete) == 1
