"""Saved results of samplers: everything comes back, and no damage passes."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.posterior import Evidence, LowerBound, Traces
from arcwise.records.account import Account, Choices
from arcwise.records.runs import ExactRun, MergedRun
from arcwise.records.settings import Algorithm, Convergence
from arcwise.results import DagSample
from arcwise.spaces import LinearOrders, PartialOrders
from support.exact_models import flat_model, names
from support.run_records import annealing_run, chain_run, chains_of
from support.sampled_posteriors import random_sample, sampled_posterior
from support.saved_archives import bytes_of, members_of, with_header, write_members

ARRAYS = ("edges", "edge_errors", "paths")
ONE_SENTENCE = r"^'[^']*' [^.;]*; save the posterior again$"


def same_arrays(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=True)


def assert_same(first: Posterior, second: Posterior) -> None:
    for field in fields(Posterior):
        one, other = getattr(first, field.name), getattr(second, field.name)
        if field.name == "model":  # which no file holds
            continue
        if field.name in ARRAYS:
            assert same_arrays(one, other), field.name
        elif one is None or other is None:
            assert one is other, field.name
        elif isinstance(one, DagSample):
            assert one.variables == other.variables
            for part in ("parents", "log_weights", "chains"):
                assert same_arrays(getattr(one, part), getattr(other, part)), part
        elif isinstance(one, Traces):
            assert one.steps == other.steps
            assert len(one.log_weights) == len(other.log_weights)
            assert all(map(same_arrays, one.log_weights, other.log_weights))
        elif field.name == "evidence":
            assert repr(one) == repr(other)  # NaN is not equal to itself
        elif field.name != "family_probabilities":
            assert one == other, field.name


def with_unusual_numbers() -> dict[str, Any]:
    errors = np.full((5, 5), 0.1)
    errors[0, 1] = np.nan
    return {
        "edge_errors": errors,
        "evidence": Evidence(
            -math.inf, math.nan, {"slack-2": LowerBound(-math.inf, 0.9, 5)}, 1.0, math.nan, "ais"
        ),
        "traces": Traces((np.array([-np.inf, -3.0]), np.array([np.nan]))),
    }


ACCOUNT = Account(
    choices=("Exact was too dear.",),
    chosen=Choices(
        score="BDeu()",
        prior="Uniform()",
        modularity="modular",
        parents="all",
        families=8,
        algorithm=Algorithm.MCMC,
        exact_operations=None,
        exact_limit=1e10,
        arguments={"steps": 100, "until": None},
        seed=7,
    ),
    verdict="doubtful",
    trust=("One chain alone.",),
    seconds=1.5,
)

CHANGES: dict[str, dict[str, Any]] = {
    "everything": {},
    "only edges": dict.fromkeys(("edge_errors", "dags", "traces", "evidence")),
    "plain DAGs": {"dags": random_sample(5, 9), "modularity": "order-modular"},
    "no DAGs": {"dags": None},
    "weights": {"dags": random_sample(5, 3, weights=np.array([1.0, 0.0, 3.0]))},
    "chains": {"dags": random_sample(5, 3, chains=np.array([1, 0, 7]))},
    "no traces": {"traces": None},
    "no evidence": {"evidence": None},
    "not finite": with_unusual_numbers(),
    "exact": {"run": ExactRun(dags=60, paths=True, seed=2, tolerance=1e-8, seconds=0.5)},
    "coupled chains": {"run": chain_run(tempered=True, every=2, rule_met=True, interrupted=True)},
    "infinite figures": {"run": chain_run(convergence=Convergence(math.inf, 3.0, math.inf))},
    "a rule": {"run": chain_run(steps=None, until="rhat<1.0123456789")},
    "annealing": {"run": annealing_run(space=PartialOrders([("x0", "x1")]), bins=3)},
    "a schedule": {"run": annealing_run(steps=2, schedule=(0.0, 0.1, 1.0))},
    "merged": {"run": MergedRun(parts=(chain_run(), chain_run(seed=4)), seconds=3.0)},
    "an account": {"account": ACCOUNT},
    "best DAG": {"map_dag": random_sample(5, 1)[0], "map_log_weight": -3.0},
}


@pytest.mark.parametrize("kind", CHANGES)
def test_everything_comes_back(kind: str, tmp_path: Path) -> None:
    posterior = sampled_posterior(**CHANGES[kind])
    posterior.save(tmp_path / "p.npz")
    assert_same(Posterior.load(tmp_path / "p.npz"), posterior)


def test_more_variables_than_a_word_has_bits(tmp_path: Path) -> None:
    posterior = sampled_posterior(70, 6)
    posterior.save(tmp_path / "p.npz")
    loaded = Posterior.load(tmp_path / "p.npz")
    assert_same(loaded, posterior)
    assert loaded.dags is not None
    np.testing.assert_allclose(loaded.dags.edge_probabilities(), posterior.edges, rtol=1e-12)


class OwnSpace(LinearOrders):
    """A space that arcwise does not know."""


def test_of_a_space_that_is_not_known_the_text_comes_back(tmp_path: Path) -> None:
    sampled_posterior(run=chain_run(space=OwnSpace())).save(tmp_path / "p.npz")
    space = chains_of(Posterior.load(tmp_path / "p.npz")).settings.space
    assert repr(space) == "OwnSpace(moves=None)"
    with pytest.raises(ArgumentError, match=r"cannot be restored from a file; give the space"):
        space.build(arcwise.model.ScoreSums(flat_model(2)))


def test_the_archive_is_what_its_description_says(tmp_path: Path) -> None:
    posterior = sampled_posterior(70, 6)
    posterior.save(tmp_path / "p.npz")

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    with np.load(tmp_path / "p.npz", allow_pickle=False) as archive:
        text = archive["header"].tobytes().decode()
        header = json.loads(text, parse_constant=refuse)
        assert header["format_version"] == 1
        assert sorted([*header["members"], "header"]) == sorted(archive.files)
        assert header["evidence"]["lower_bounds"]["slack-2"]["bins"] == 5
        assert header["trace_steps"] == 10
        dags = archive["dags"]
        assert dags.dtype == np.uint64
        assert posterior.dags is not None
        for number, dag in enumerate(posterior.dags):
            edges = {
                (f"x{u}", f"x{v}")
                for v in range(70)
                for u in range(70)
                if int(dags[number, v, u // 64]) >> (u % 64) & 1
            }
            assert edges == set(dag.edges)
        weights = np.exp(archive["dag_log_weights"] - archive["dag_log_weights"].max())
        np.testing.assert_array_equal(weights, posterior.dags.weights)
        assert archive["dag_chains"].tolist() == [0, 0, 1, 1, 2, 2]
        assert archive["trace_offsets"].tolist() == [0, 20, 37, 37]
        assert posterior.traces is not None
        second = archive["trace_log_weights"][20:37]
        assert second.tolist() == posterior.traces.log_weights[1].tolist()
        assert (archive["edge_errors"] == posterior.edge_errors).all()


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("sampled") / "p.npz"
    sampled_posterior().save(path)
    return members_of(path)


def refused(path: Path) -> None:
    with pytest.raises(FileFormatError, match=ONE_SENTENCE):
        Posterior.load(path)


def test_a_member_that_is_missing(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    assert len(members) >= 8
    for missing in set(members) - {"allow_pickle.npy"}:
        write_members(path, {name: of for name, of in members.items() if name != missing})
        refused(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("edges", np.zeros((5, 4))),
        ("edge_errors", np.zeros(5)),
        ("dags", np.zeros((60, 4, 1), dtype=np.uint64)),
        ("dags", np.zeros((60, 5, 2), dtype=np.uint64)),
        ("dags", np.zeros((59, 5, 1), dtype=np.uint64)),
        ("dags", np.zeros((60, 5, 1))),
        ("dag_log_weights", np.full(60, -np.inf)),
        ("dag_log_weights", np.full(60, np.nan)),
        ("dag_log_weights", np.array(["text"] * 60)),
        ("dag_chains", np.full(60, -1)),
        ("dag_chains", np.full(60, 0.5)),
        ("trace_offsets", np.array([0, 20, 36])),
        ("trace_offsets", np.array([1, 20, 37])),
        ("trace_offsets", np.array([0, 20, 10, 37])),
        ("trace_offsets", np.array([], dtype=np.int64)),
        ("trace_log_weights", np.zeros((37, 2))),
    ],
)
def test_a_member_that_is_wrong(
    name: str, array: Any, members: dict[str, bytes], tmp_path: Path
) -> None:
    write_members(tmp_path / "p.npz", members | {f"{name}.npy": bytes_of(array)})
    refused(tmp_path / "p.npz")


@pytest.mark.parametrize(
    "changes",
    [
        {"variables": ["a", "a", "b", "c", "d"]},
        {"variables": [*names(4)]},
        {"variables": "abcde"},
        {"target": "another"},
        {"members": None},
        {"members": []},
        {"members": ["edges"]},
        {"members": ["edges", "nothing"]},
        {"evidence": {}},
        {"evidence": [1.0]},
        {"evidence": Evidence(1.0).as_dict() | {"log_evidence": None}},
        {"evidence": Evidence(1.0).as_dict() | {"lower_bounds": {"a": 1.0}}},
        {"trace_steps": 0},
        {"run": 3},
        {"run": {"kind": "another"}},
        {"run": {"kind": "exact"}},
        {"account": {}},
        {"provenance": None},
        {"error": "small"},
        {"map_edges": [["x0", "x1"], ["x1", "x0"]]},
        {"map_log_weight": 1.0},
    ],
)
def test_a_header_that_makes_no_sense(
    changes: dict[str, Any], members: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "p.npz"
    write_members(path, with_header(members))
    assert Posterior.load(path).algorithm == "mcmc"
    write_members(path, with_header(members, **changes))
    refused(path)
