"""The first chain begins at the best DAG known or found, which shows modes that others miss."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model
from arcwise.algorithms.chains import first_dag, opened_session
from arcwise.algorithms.mcmc import MCMC
from arcwise.errors import ArgumentError
from arcwise.support.running import Run
from support.exact_models import names, random_model
from support.separate_modes import two_directions

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ConvergenceWarning")

_NODES = 10  # more than a window holds


def both_directions() -> tuple[Dag, Dag]:
    """Return the two best DAGs of `two_directions`."""
    everything = names(_NODES)
    before = {name: everything[max(0, place - 2) : place] for place, name in enumerate(everything)}
    after = {name: everything[place + 1 : place + 3] for place, name in enumerate(everything)}
    return Dag(everything, before), Dag(everything, after)


@pytest.mark.parametrize("space", ["dags", "partitions", "canonical", "layerings:3"])
def test_a_mode_that_is_known_shows(space: str) -> None:
    model, (there, back) = two_directions(_NODES, 30.0), both_directions()
    assert model.log_weight_of(there) == model.log_weight_of(back) == arcwise.map(model).log_weight
    for seed in range(40):
        one, other = (
            arcwise.mcmc(model, space, steps=4_000, seed=seed, known_dag=dag)
            for dag in (there, back)
        )
        assert one.chain_edges is not None
        assert other.chain_edges is not None
        assert one.chain_edges[0, 3, 4] > 0.99
        assert other.chain_edges[0, 3, 4] < 0.01
        assert np.array_equal(one.chain_edges[1:], other.chain_edges[1:])
        if one.edges[3, 4] > 0.99:
            # By chance all others are in the same mode, and no chain differs from them but this.
            assert other.diagnose().verdict == "not converged"
            assert one.diagnose().verdict != "not converged"
            return
    pytest.fail("in no run were three chains in the same mode")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("more", [{}, {"parent_only": ["x3"]}, {"required_edges": [("x4", "x1")]}])
def test_the_search_finds_the_best_dag(more: dict[str, Any], seed: int) -> None:
    model = random_model(8, spread=6.0, seed=seed, max_indegree=3, **more)
    found = started(model)
    best = arcwise.map(model).log_weight
    assert model.log_weight_of(found) == pytest.approx(best)
    assert started(model) == found


def started(model: Model, start: int | None = None, space: str = "dags", **more: Any) -> Dag:
    """Return the DAG at which the first chain begins, with the best parent-only parents."""
    settings = MCMC(space, steps=100, start="orders" if start is None else start, **more)
    with opened_session(model, settings, Run(seed=1)) as session:
        numbers, variables = first_dag(session), session.sums.variables
    assert len(numbers) == len(variables)
    parents = {
        name: [other for place, other in enumerate(variables) if number >> place & 1]
        for name, number in zip(variables, numbers, strict=True)
    }
    return model.folded.best(Dag(variables, parents))


def test_none_at_random_starts_nor_for_orders() -> None:
    model = random_model(5, seed=1)
    for space, start in (("dags", 0), ("linear", None)):
        with pytest.raises(AssertionError):
            started(model, start, space)


def test_in_any_form_but_possible() -> None:
    model = random_model(5, seed=1, forbidden_edges=[("x0", "x1")])
    graph = networkx.DiGraph([("x1", "x0")])
    one = arcwise.mcmc(model, "dags", steps=500, seed=1, known_dag=graph)
    other = arcwise.mcmc(model, "dags", steps=500, seed=1, known_dag=[("x1", "x0")])
    assert np.array_equal(one.edges, other.edges)
    with pytest.raises(ArgumentError, match=r"^known_dag has a probability of zero"):
        arcwise.mcmc(model, "dags", known_dag=[("x0", "x1")])
