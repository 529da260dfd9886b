"""Saved results of samplers: everything comes back, old files too, and no damage passes."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.posterior import Evidence, LowerBound, Traces
from arcwise.records.account import Account, Choices
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.convergence import Convergence
from arcwise.records.runs import ExactRun, MergedRun
from arcwise.records.settings import Schedule
from arcwise.records.stopping_rule import StoppingRule
from arcwise.results import DagSample
from arcwise.spaces import BucketOrders, Layerings, LinearOrders, PartialOrders, Partitions
from arcwise.support.descriptions import Description
from support.exact_models import flat_model, names, random_model
from support.run_records import annealing_run, chain_run, chains_of, merged_of
from support.sampled_posteriors import random_sample, sampled_posterior
from support.saved_archives import array_in, bytes_of, members_of, with_header, write_members

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
    "a rule": {"run": chain_run(budget=Budget(until=StoppingRule.parse("rhat<1.0123456789")))},
    "annealing": {"run": annealing_run(space=PartialOrders([("x0", "x1")]), bins=3)},
    "a schedule": {"run": annealing_run(schedule=Schedule(2, (0.0, 0.1, 1.0)))},
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
        space.build(arcwise.sums.ScoreSums(flat_model(2)))


def test_the_archive_is_what_its_description_says(tmp_path: Path) -> None:
    posterior = sampled_posterior(70, 6)
    posterior.save(tmp_path / "p.npz")

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    with np.load(tmp_path / "p.npz", allow_pickle=False) as archive:
        text = archive["header"].tobytes().decode()
        header = json.loads(text, parse_constant=refuse)
        assert header["format_version"] == 3
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


def test_files_whose_verdict_had_another_word(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    sampled_posterior(account=replace(ACCOUNT, verdict="reliable")).save(path)
    members = members_of(path)
    header = json.loads(array_in(members["header.npy"]).tobytes().decode())
    former = header["account"] | {"verdict": "trustworthy"}
    write_members(path, with_header(members, account=former))
    loaded = Posterior.load(path)
    assert loaded.account is not None
    assert loaded.account.verdict == "reliable"


@pytest.mark.parametrize("model", [flat_model(1), random_model(4, 100.0, impossible=0.5)])
def test_files_of_version_1(model: arcwise.Model, tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    posterior = arcwise.exact(model)
    posterior.save(path)
    members = members_of(path)
    header = json.loads(array_in(members["header.npy"]).tobytes().decode())
    for name in ("members", "evidence", "trace_steps", "run", "account"):
        del header[name]
    header |= {
        "format_version": 1,
        "provenance": posterior.provenance.as_dict() | {"seconds": posterior.run.seconds},
        "log_evidence": posterior.log_evidence,
        "log_prior_constant": posterior.log_prior_constant,
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    old = members | {"header.npy": bytes_of(text)}
    write_members(path, old)
    loaded = Posterior.load(path)
    # It had no more than a text of the score, and the time among what it said of the model.
    run = ExactRun(seconds=posterior.run.seconds)
    assert_same(loaded, replace(posterior, run=run, provenance=loaded.provenance))
    assert loaded.provenance.as_dict() == posterior.provenance.as_dict()
    assert loaded.family_probabilities is not None
    for node in posterior.variables:
        assert loaded.parent_sets(node, 100) == posterior.parent_sets(node, 100)
    for missing in set(old) - {"allow_pickle.npy"}:
        write_members(path, {name: of for name, of in old.items() if name != missing})
        with pytest.raises(FileFormatError, match=ONE_SENTENCE):
            Posterior.load(path)


FORMAT_2 = Path(__file__).parent / "format_2"
SPACES_OF_FORMAT_2 = {
    "mcmc": BucketOrders(2),
    "until": Partitions(),
    "mc3": Layerings(2),
    "partial_orders": PartialOrders([("a", "b")]),
    "learned_mcmc": Partitions(),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in FORMAT_2.iterdir()))
def test_files_of_version_2(name: str, tmp_path: Path) -> None:
    path = FORMAT_2 / f"{name}.npz"
    header = json.loads(array_in(members_of(path)["header.npy"]).tobytes().decode())
    loaded = Posterior.load(path)
    assert loaded.algorithm == header["algorithm"]
    told, said = loaded.summary_dict(), header["summary"]
    if "chosen" in said:
        said["chosen"]["modularity"] = said["chosen"].pop("target")
        said["chosen"]["parents_left_out"] = False  # which nobody asked then
    for key in set(said) - {"score_sums", "parts"}:
        assert told[key] == said[key], key
    seconds = header["provenance"].pop("seconds", None)
    assert loaded.provenance.as_dict() == header["provenance"] | {"data_name": None}
    assert seconds is None or loaded.run.seconds == seconds
    if name in SPACES_OF_FORMAT_2:
        assert chains_of(loaded).settings.space == SPACES_OF_FORMAT_2[name]
    assert loaded.provenance.score == Description.of(arcwise.scores.BDeu())
    assert arcwise.diagnose(loaded).verdict
    # Saved again, it is of today's format, and the same.
    loaded.save(tmp_path / "p.npz")
    assert_same(Posterior.load(tmp_path / "p.npz"), loaded)


def test_runs_of_version_2_are_merged_with_each_other() -> None:
    merged = Posterior.load(FORMAT_2 / "merged.npz")
    parts = merged_of(merged).parts
    assert [part.settings.space for part in parts] == [BucketOrders(2), LinearOrders()]
    again = replace(Posterior.load(FORMAT_2 / "mcmc.npz"), traces=None)
    with pytest.raises(ArgumentError, match="two posteriors come from the same run, with seed 3"):
        again + again


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
