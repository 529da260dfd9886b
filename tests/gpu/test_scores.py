"""Scores of families by the kernels of a device, against their definitions and the core."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Data
from arcwise.cli import main
from arcwise.errors import (
    ArgumentError,
    CapacityError,
    DeviceError,
    NumericalError,
    TimeIsUpError,
)
from arcwise.gpu import scoring
from arcwise.scores import BIC, BDeu, BGe, FamilyScores
from arcwise.support.devices import Gpu
from reference import scores as reference
from support.comparison import assert_families_agree, assert_same_scores, close
from support.emulated_gpu import ON_DEVICE, EmulatedGpu, Fault, compiled_kernels, kernel_device
from support.strategies import (
    continuous_case,
    continuous_cases,
    discrete_case,
    discrete_cases,
    rules,
)


def scored(device: Any, *arguments: Any, **keywords: Any) -> FamilyScores:
    """Return the scores by a device."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arcwise.gpu.device.opened", lambda wanted: device)
        found = arcwise.score(*arguments, device="gpu", **keywords)
    assert device.launched
    return found


def levels_table(rows: int = 803, weights: bool = False, intervened: bool = False) -> Data:
    """Return a table of two to six levels, whose columns depend on each other."""
    random = np.random.default_rng(rows)
    levels = [2, 3, 4, 5, 6, 2]
    codes = np.zeros((rows, len(levels)), dtype=np.uint16)
    for place, count in enumerate(levels):
        codes[:, place] = random.integers(0, count, rows)
        if place:
            same = random.random(rows) < 0.4
            codes[same, place] = codes[same, place - 1] % count
    return discrete_case(
        codes,
        levels,
        random.integers(0, 5, rows).astype(float) if weights else None,
        random.random(codes.shape) < [0.3, 0, 0.1, 0, 0, 1.0] if intervened else None,
    ).data


def chain_table(rows: int = 403, weights: bool = False, intervened: bool = False) -> Data:
    """Return columns that depend on those before them, some of them far from zero."""
    random = np.random.default_rng(rows)
    values = random.standard_normal((rows, 7))
    for place in range(1, 7):
        values[:, place] += 0.8 * values[:, place - 1]
    values += [0, 1e6, -3, 0, 250, 0, 1e-3]
    return continuous_case(
        values,
        random.uniform(0, 3, rows) if weights else None,
        random.random(values.shape) < [0.3, 0, 0.1, 0, 0, 1.0, 0] if intervened else None,
    ).data


@settings(max_examples=40)
@given(st.data(), st.sampled_from([0.01, 1.0, 7.5, 100.0]))
def test_bdeu_agrees_with_its_definition(data: Any, ess: float) -> None:
    case = data.draw(discrete_cases())
    rule = data.draw(rules(case.variables))
    weights = case.data.weights
    if weights is not None and (weights % 1 != 0).any():
        with pytest.raises(ArgumentError, match="weights that are not whole numbers"):
            scored(kernel_device(), case.data, BDeu(ess), **rule.keywords)
        return
    found = scored(kernel_device(), case.data, BDeu(ess), **rule.keywords)
    assert_families_agree(
        found, case, rule, lambda node, parents: reference.bdeu(case.rows, node, parents, ess)
    )


@settings(max_examples=40)
@given(st.data())
def test_bge_agrees_with_its_definition(data: Any) -> None:
    case = data.draw(continuous_cases())
    rule = data.draw(rules(case.variables))
    n = len(case.variables)
    alpha_mu = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    alpha_w = n + data.draw(st.sampled_from([-0.5, 0.0, 7.5]))
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    mean, scale = random.uniform(-3, 3, n), np.diag(random.uniform(0.1, 4.0, n))
    if data.draw(st.booleans()):
        factor = random.standard_normal((n, n))
        scale += factor @ factor.T
    score = BGe(alpha_mu, alpha_w, mean, scale)
    assert_families_agree(
        scored(kernel_device(), case.data, score, **rule.keywords),
        case,
        rule,
        lambda node, parents: reference.bge(
            case.rows, node, parents, alpha_mu, alpha_w, mean, scale
        ),
    )


FAMILIES: dict[str, dict[str, Any]] = {
    "all": {"max_indegree": 5},  # by a table of all sets
    "pairs": {"max_indegree": 2},
    "candidates": {"candidates": {"a": [*"bc"], "b": [*"acd"], "f": ["e"]}},
    "plus one": {
        "candidates": {"a": [*"bc"], "b": [*"acd"]},
        "plus_one": True,
        "max_indegree": 3,
    },
    "required": {"required_edges": [("a", "b"), ("c", "b")], "max_indegree": 3},
}


@pytest.mark.parametrize("families", FAMILIES)
@pytest.mark.parametrize("rows", ["plain", "weights", "interventions", "both"])
@pytest.mark.parametrize("kind", ["bdeu", "bge"])
def test_scores_are_those_of_the_core(kind: str, rows: str, families: str) -> None:
    table = levels_table if kind == "bdeu" else chain_table
    about = (rows in ("weights", "both"), rows in ("interventions", "both"))
    data, rule = table(weights=about[0], intervened=about[1]), FAMILIES[families]
    assert_same_scores(
        scored(kernel_device(), data, kind, **rule),
        arcwise.score(data, kind, threads=1, **rule),
        1e-12,
    )


def assert_same_bits(one: FamilyScores, other: FamilyScores) -> None:
    for node in range(len(one.variables)):
        assert (one.table.values(node) == other.table.values(node)).all()


@pytest.mark.parametrize("kind", ["bdeu", "bge"])
def test_neither_threads_nor_memory_nor_batches_change_a_bit(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = levels_table() if kind == "bdeu" else chain_table()
    rule = {"max_indegree": 5} if kind == "bdeu" else {"max_indegree": 3}
    found = scored(kernel_device(), data, kind, **rule)
    assert_same_bits(found, scored(kernel_device(3), data, kind, **rule))
    small = kernel_device()
    # Of up to 1,440 cells, tables in copies, as they are, and beyond what a block shares.
    small.shared_bytes = 4096 if kind == "bdeu" else 32 * 1024
    assert_same_bits(found, scored(small, data, kind, **rule))
    monkeypatch.setattr(scoring, "_FAMILIES_AT_ONCE", 37)
    monkeypatch.setattr("arcwise.gpu.scoring._MOST_SETS_AT_ONCE", 11)
    device = kernel_device()
    assert_same_bits(found, scored(device, data, kind, **rule))
    assert len(device.launched) > 5


def test_many_columns() -> None:
    """More columns than a tile of products has, and sets found among many."""
    random = np.random.default_rng(5)
    values = random.standard_normal((150, 70)) @ (np.eye(70) + 0.2 * random.random((70, 70)))
    data = {f"x{place}": values[:, place] for place in range(70)}
    found = scored(kernel_device(3), data, "bge", max_indegree=2)
    assert_same_scores(found, arcwise.score(data, "bge", max_indegree=2), 1e-12)


def test_walks_find_all_members() -> None:
    assert len(scoring.SetWalk(None, tuple(range(9)), 3)) == 1 + 9 + 36 + 84
    walk = scoring.SetWalk(4, (1, 2), 1, (3,), (5, 6))
    assert (len(walk), walk.largest, walk.most_cells([9, 2, 3, 2, 4, 2, 5])) == (
        6,
        4,
        4 * 2 * 5 * 3,
    )


def test_log_gamma_has_its_digits() -> None:
    function = compiled_kernels().log_gamma_of
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    numbers = [1e-300, 1e-12, 0.3, 1.0, 1.5, 2.0, 2.4616, 7.999999, 8.0, 33.3, 1e6, 4.2e9, 1e300]
    for x in [*numbers, *np.random.default_rng(1).uniform(0, 20, 500).tolist()]:
        assert abs(function(x) - math.lgamma(x)) <= 1e-14 * max(1.0, abs(math.lgamma(x))), x


FAULTS = {
    "a configuration forgotten": Fault(
        "discrete_scores.hpp",
        "parents < configurations; parents += partial_sums",
        "parents + 1 < configurations; parents += partial_sums",
    ),
    "a wrong pseudo-count": Fault(
        "discrete_scores.hpp",
        "scores.equivalent_sample_size / static_cast<double>(configurations)",
        "scores.equivalent_sample_size / static_cast<double>(set.cells)",
    ),
    "rows that are none": Fault("discrete_scores.hpp", "0 - static_cast<u32>(scores.padding)", "0"),
    "a border forgotten": Fault("gaussian_scores.hpp", "corner += y * y", "corner += 0.0 * y"),
    "a row forgotten": Fault(
        "gaussian_scores.hpp",
        "first_row + row < scatter.rows",
        "first_row + row + 1 < scatter.rows",
    ),
    "one outside parent alone": Fault("set_walks.hpp", "own % of_others", "0 * of_others"),
}


@pytest.mark.skipif(ON_DEVICE, reason="mistakes are made in plain C++")
@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_kernels_would_be_found(fault: str) -> None:
    """The comparisons above, on two of their tables, fail."""
    device = EmulatedGpu(fault=FAULTS[fault])
    rule = FAMILIES["plus one"]
    apart = 0.0
    for data, score in ((levels_table(), BDeu()), (chain_table(), BGe(prior_mean=0.0))):
        found = scored(device, data, score, **rule)
        known = arcwise.score(data, score, threads=1, **rule)
        for name in data.variables:
            for parents, value in known.families(name):
                if not close(found.log_score(name, parents), value, 1e-9):
                    apart = math.inf
    assert apart > 0.0


def test_columns_that_depend_on_each_other_are_refused() -> None:
    data = {"a": [0.0, 1.0, 2.0, 4.0], "b": [1.0, 0.0, 2.0, 1.0]}
    data["c"] = [1e8 * (x + y) for x, y in zip(data["a"], data["b"], strict=True)]
    data |= {name: [1e8 * x for x in data[name]] for name in "ab"}
    score = BGe(prior_scale=1e-3)
    with pytest.raises(NumericalError, match="linear combination of other columns"):
        arcwise.score(data, score)
    with pytest.raises(NumericalError, match="linear combination of other columns"):
        scored(kernel_device(), data, score)


def test_progress_and_deadlines() -> None:
    seen: list[float] = []
    scored(kernel_device(), levels_table(), "bdeu", max_indegree=2, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with pytest.raises(TimeIsUpError):
        scored(kernel_device(), levels_table(), "bdeu", seconds=1e-9)


def test_too_little_memory_is_said_beforehand() -> None:
    device = kernel_device(memory=1000)
    for data in (levels_table(), chain_table()):
        with pytest.raises(CapacityError, match=r"scoring needs .* fewer rows, or processors"):
            scored(device, data)
    assert device.launched == []


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    device = kernel_device()
    monkeypatch.setattr("arcwise.gpu.device.opened", lambda wanted: device)
    return device


def test_what_cannot_be_done_there_is_said(gpu: Any) -> None:
    data = levels_table()
    many_levels = discrete_case(np.arange(600, dtype=np.uint16).reshape(-1, 1) % 300, [300]).data
    for wrong, arguments, match in (
        (data, {"score": BIC()}, "BIC cannot be computed there; use BDeu or BGe"),
        (list("ab"), {"score": lambda node, parents: 0.0}, "FunctionScore cannot be computed"),
        (data, {"engine": scoring.GpuScoring(gpu)}, "an engine was given as well"),
        (arcwise.score(data, max_indegree=1), {}, "the scores are precomputed"),
        (many_levels, {"score": "bdeu"}, "300 levels, and up to 256"),
        (data, {"score": BDeu(1e-307)}, "equivalent sample size is too small"),
    ):
        with pytest.raises(ArgumentError, match=match):
            arcwise.score(wrong, device="gpu", **arguments)
    many = discrete_case(np.zeros((9, 6), dtype=np.uint16), [64] * 6).data
    with pytest.raises(ArgumentError, match=r"68,719,476,736 cells, .* smaller max_indegree"):
        arcwise.Model(many, "bdeu", device="gpu")
    wide = {f"x{place}": np.random.default_rng(place).normal(size=9) for place in range(60)}
    edges = [(f"x{place}", "x0") for place in range(1, 50)]
    with pytest.raises(ArgumentError, match="a family has 50 variables, and up to 40"):
        arcwise.score(wide, "bge", device="gpu", candidates={"x0": []}, required_edges=edges)
    assert gpu.launched == []


def test_auto_takes_a_device_where_it_is_worth_it(
    gpu: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = (levels_table(), chain_table())
    for data in (*tables, levels_table(weights=True)):
        arcwise.score(data, device="auto")
    arcwise.score(levels_table(), "bic", device="auto")
    arcwise.score(arcwise.score(levels_table(), max_indegree=1), device="auto")
    assert gpu.launched == []
    monkeypatch.setattr(scoring, "_FEWEST_ROWS_COUNTED", 803 * 64)
    monkeypatch.setattr(scoring, "_FEWEST_PRODUCTS", 403 * 49)
    for data in tables:
        assert_same_scores(arcwise.score(data, device="auto"), arcwise.score(data), 1e-12)
    assert set(gpu.launched) == {
        "score_discrete_sets",
        "add_column_products",
        "score_gaussian_families",
    }


def test_learn_scores_there_where_it_is_worth_it(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = levels_table()
    keywords: dict[str, Any] = {"algorithm": "exact", "max_indegree": 2, "seed": 1}
    expected = arcwise.learn(data, **keywords)
    arcwise.learn(data, device="gpu", **keywords)
    assert "score_discrete_sets" not in gpu.launched
    monkeypatch.setattr(scoring, "_FEWEST_ROWS_COUNTED", 1)
    asked: list[int] = []

    def opened(wanted: Gpu) -> Any:
        asked.append(wanted.number)
        return gpu

    monkeypatch.setattr("arcwise.gpu.device.opened", opened)
    found = arcwise.learn(data, device="gpu:1", **keywords)
    assert set(asked) == {1}
    assert "score_discrete_sets" in gpu.launched
    assert np.allclose(found.edges, expected.edges, rtol=0, atol=1e-9)
    assert arcwise.learn(data, score="bic", device="gpu", **keywords).edges.shape == (6, 6)


def test_the_shell_says_it_in_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_device(wanted: object) -> Any:
        raise DeviceError("there is none")

    monkeypatch.setattr("arcwise.gpu.device.opened", no_device)
    table = tmp_path / "table.csv"
    table.write_text("a,b\n0,1\n1,0\n1,1\n0,0\n")
    words = ["score", str(table), "--device"]
    assert main([*words, "gpu"]) == 2
    assert "there is none" in capsys.readouterr().err
    assert main([*words, "gpu", "--score", "bic"]) == 2
    assert "--device gpu was asked for, but BIC cannot" in capsys.readouterr().err
    assert main([*words, "gpu", "--grow"]) == 2
    assert "--grow finds them; leave out one" in capsys.readouterr().err
    assert main([*words, "auto"]) == 0
    assert main([*words, "cuda"]) == 2
