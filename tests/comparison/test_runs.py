"""`compare`: agreement that chance allows for, and differences that it does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior, compare
from arcwise.errors import ArgumentError
from support.exact_models import random_model


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(6, spread=6.0, seed=1)


@pytest.fixture(scope="module")
def exact(model: Model) -> Posterior:
    return arcwise.exact(model)


def chains(model: Model, seed: int, steps: int = 20_000) -> Posterior:
    return arcwise.mcmc(model, "partitions", steps=steps, seed=seed)


def test_runs_that_differ_by_chance_agree(model: Model, exact: Posterior) -> None:
    # Of 20 comparisons each alarms falsely at 1 % or so: more than two do in a thousandth of cases.
    runs = [chains(model, seed) for seed in range(1, 11)]
    wrong = sum(not compare(exact, run).agree for run in runs)
    wrong += sum(
        not compare(one, other).agree for one, other in zip(runs, runs[1:] + runs[:1], strict=True)
    )
    assert wrong <= 2


def test_other_posteriors_differ(model: Model, exact: Posterior) -> None:
    other = arcwise.exact(model, "order-modular")
    found = compare(exact, other)
    assert not found.agree
    assert "The posteriors differ: edge probabilities differ by up to" in found.sentences[0]
    assert found.sentences[1].endswith("than that of the first, both exact.")
    assert "and by more than 1,000 standard errors, where" in found.sentences[0]
    assert str(found).splitlines() == list(found.sentences)
    assert repr(found).startswith("<RunComparison of 6 variables: The posteriors differ")
    assert found.notes == (
        "The first is the modular posterior and the second the order-modular one, so their priors "
        "differ.",
    )
    assert other.log_evidence is not None
    assert exact.log_evidence is not None
    assert found.evidence_difference == other.log_evidence - exact.log_evidence
    sampled = chains(model, 1)
    moved = sampled.edges.copy()
    place = np.unravel_index(np.argmin(np.abs(moved - 0.5)), moved.shape)
    moved[place] += 0.3
    changed = replace(sampled, edges=moved)
    found = compare(exact, changed)
    assert not found.agree
    first = found.largest(1)[0]
    assert (first.source, first.target) == tuple(model.variables[i] for i in place)
    assert first.in_errors == found.in_errors.max()


def test_an_edge_no_chain_saw_has_no_error_of_zero(model: Model, exact: Posterior) -> None:
    rare = exact.edges.copy()
    rare[0, 1] = 1e-4
    sampled = chains(model, 1)
    assert sampled.edge_errors is not None
    edges, errors = sampled.edges.copy(), sampled.edge_errors.copy()
    edges[0, 1] = errors[0, 1] = 0.0
    seen = replace(sampled, edges=edges, edge_errors=errors)
    assert compare(replace(exact, edges=rare), seen).in_errors[0, 1] < 1.0


def test_the_same_posterior_agrees_with_itself_in_any_order(exact: Posterior) -> None:
    found = compare(exact, exact)
    assert found.agree
    assert found.in_errors.max() == 0.0
    assert found.evidence_difference == 0.0
    order = [3, 0, 5, 1, 2, 4]
    turned = Posterior(
        tuple(exact.variables[i] for i in order),
        exact.modularity,
        exact.run,
        exact.edges[np.ix_(order, order)],
    )
    assert compare(exact, turned).in_errors.max() == 0.0
    assert compare(turned, exact).in_errors.max() == 0.0


def test_different_data_are_told(model: Model, exact: Posterior) -> None:
    other = replace(exact, provenance=replace(exact.provenance, data_fingerprint="other"))
    assert "They have different data." in compare(exact, other).sentences


def test_one_variable_agrees() -> None:
    alone = arcwise.exact(Model(["a"], lambda node, parents: 0.0))
    assert compare(alone, alone).agree
    assert compare(alone, alone).largest(5) == []


def test_different_variables_are_refused(exact: Posterior) -> None:
    other = arcwise.exact(Model(["a", "b"], lambda node, parents: 0.0))
    with pytest.raises(ArgumentError, match="different variables"):
        compare(exact, other)
