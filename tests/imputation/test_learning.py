"""`learn` from tables with missing values: what is averaged, what is said, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.data import IncompleteData
from arcwise.errors import ArcwiseError
from arcwise.imputation import averaging
from arcwise.imputation.averaging import Checkpoint, ImputationSettings, choose_moves
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ExactStructure
from arcwise.model import Definition, Question
from arcwise.parameters.effect import MeanEffects
from arcwise.records.runs import ImputationRun
from support.clocks import WorkClock

ROWS = 90


def _gappy(kind: str = "discrete", share: float = 0.15, seed: int = 1) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    a = random.integers(0, 2, ROWS)
    b = np.where(random.random(ROWS) < 0.85, a, 1 - a)
    x, y = a + random.normal(size=ROWS), random.normal(size=ROWS)
    table = {
        "discrete": {"a": a, "b": b, "c": random.integers(0, 3, ROWS)},
        "continuous": {"x": x, "y": y + x, "z": y - 1.0},
        "mixed": {"a": a, "b": b, "x": x},
    }[kind]
    return {
        name: [None if random.random() < share else value for value in column.tolist()]
        for name, column in table.items()
    }


def _learned(table: Any, **options: Any) -> arcwise.Posterior:
    return arcwise.learn(table, **{"seed": 1, "progress": None, "completions": 6} | options)


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_the_posterior_is_the_mean_over_completed_tables(kind: str) -> None:
    posterior = _learned(_gappy(kind))
    tables = posterior.completions
    assert isinstance(posterior.run, ImputationRun)
    assert len(tables) == posterior.run.completions == 6
    assert np.allclose(posterior.edges, tables.edges.mean(axis=0))
    observed = tables.source.missing
    for number in (0, 5):
        for place, column in enumerate(tables.table(number).columns):
            kept = column.numbers()[~observed[:, place]]
            assert np.array_equal(
                kept, tables.source.table.columns[place].numbers()[~observed[:, place]]
            )


def test_the_account_says_that_values_were_imputed_and_what_that_assumes() -> None:
    posterior = _learned(_gappy())
    told = " ".join(posterior.account.choices)
    assert "were imputed, as if they were missing at random" in told
    (finding,) = [f for f in posterior.account.findings if f.topic == "missing values"]
    assert finding.part == "data and model"
    assert "% " not in finding.fact.split("(")[0]
    assert "missing at random" in finding.fact
    for name in posterior.variables:
        assert name in finding.fact


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads() -> None:
    table = _gappy()
    one, other = _learned(table, threads=1), _learned(table, threads=2)
    assert np.array_equal(one.edges, other.edges)
    assert np.array_equal(one.dags.parents, other.dags.parents)
    assert not np.array_equal(one.edges, _learned(table, seed=2).edges)


def test_intervals_hold_the_spread_between_tables() -> None:
    posterior = _learned(_gappy(share=0.4), completions=12)
    tables = posterior.completions
    for feature, values in (
        ("a -> b", tables.edges[:, 0, 1]),
        ("a -- b", tables.edges[:, 0, 1] + tables.edges[:, 1, 0]),
        ("a ~> b", tables.paths[:, 0, 1]),
    ):
        found = posterior.estimate(feature)
        assert np.isclose(found.value, values.mean())
        wide = found.interval.high - found.interval.low
        # At least what the standard deviation between tables alone would give, within [0, 1].
        assert wide > 1.9 * values.std()
        assert 0.0 <= found.interval.low <= found.value <= found.interval.high <= 1.0
    pooled = posterior.estimate("a -> b and b -> c")
    assert np.isclose(pooled.value, posterior.dags.probability("a -> b and b -> c"), atol=1e-9)


def test_a_saved_posterior_keeps_its_tables(tmp_path: Path) -> None:
    table = _gappy("mixed")
    posterior = _learned(table)
    posterior.save(tmp_path / "posterior.npz")
    loaded = arcwise.Posterior.load(tmp_path / "posterior.npz")
    assert loaded.run == posterior.run
    assert str(loaded.estimate("a ~> x")) == str(posterior.estimate("a ~> x"))
    data = arcwise.read(table, missing="impute")
    found, own = arcwise.effects(loaded, "a", "x", model=data), arcwise.effects(posterior, "a", "x")
    assert isinstance(found, MeanEffects)
    assert isinstance(own, MeanEffects)
    assert found.difference(1).mean == own.difference(1).mean
    posterior.report(tmp_path / "page.html")
    assert "imputed" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_result_in_a_directory_is_returned(tmp_path: Path) -> None:
    table = _gappy()
    first = _learned(table, directory=tmp_path / "run")
    assert np.array_equal(_learned(table, directory=tmp_path / "run").edges, first.edges)
    assert np.array_equal(arcwise.resume(tmp_path / "run").edges, first.edges)
    with pytest.raises(ArcwiseError, match="completions"):
        _learned(table, directory=tmp_path / "run", completions=7)


@pytest.mark.parametrize("kind", ["discrete", "mixed"])
def test_a_killed_run_goes_on_to_the_same_result(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _gappy(kind)
    options: dict[str, Any] = {"completions": 10}
    whole = _learned(table, directory=tmp_path / "whole", **options)
    monkeypatch.setattr(averaging, "_SECONDS", -1.0)
    monkeypatch.setattr(averaging, "_SHARE", 1e9)
    write, kept = Checkpoint.write, []

    def killed(self: Checkpoint, position: Any, chains: Any) -> None:
        write(self, position, chains)
        kept.append(len(position.kept))
        if len(kept) == 2:
            raise SystemExit

    monkeypatch.setattr(Checkpoint, "write", killed)
    with pytest.raises(SystemExit):
        _learned(table, directory=tmp_path / "run", **options)
    with pytest.raises(ArcwiseError, match="tables completed so far are kept"):
        arcwise.resume(tmp_path / "run")
    with pytest.raises(ArcwiseError, match="seed"):
        _learned(table, directory=tmp_path / "run", seed=2, **options)
    again = _learned(table, directory=tmp_path / "run", **options)
    assert kept[1] == 8
    assert kept[2:] == [10]
    assert np.array_equal(again.edges, whole.edges)
    assert np.array_equal(again.dags.parents, whole.dags.parents)
    assert np.array_equal(again.completions.values, whole.completions.values)
    assert isinstance(again.run, ImputationRun)
    assert isinstance(whole.run, ImputationRun)
    assert again.run.thinning == whole.run.thinning
    assert not (tmp_path / "run" / averaging.FILE).exists()


def _staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let moves be chosen anew after 8 tables, and there be 16 more."""
    monkeypatch.setattr(averaging, "FEWEST_COMPLETIONS", 8)
    monkeypatch.setattr(averaging, "_SMALL_ERROR", -1.0)
    monkeypatch.setattr(averaging, "_LARGE_ERROR", -1.0)
    monkeypatch.setattr(ImputationSettings, "__init__", _with(ImputationSettings.__init__, most=16))


def _with(function: Any, **fixed: Any) -> Any:
    return lambda *given, **named: function(*given, **named | fixed)


def test_tables_before_moves_were_chosen_anew_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _staged(monkeypatch)
    seen: list[int] = []

    def counted(chains: Any, met: np.ndarray) -> None:
        seen.append(len(met))
        choose_moves(chains, met)

    monkeypatch.setattr(averaging, "choose_moves", counted)
    posterior = _learned(_gappy(share=0.3), completions=None)
    assert isinstance(posterior.run, ImputationRun)
    assert posterior.run.completions == 16
    assert posterior.run.burn_in == 20 + 2 * 5
    # In the middle and at the end of the burn-in, and after two tables of each of four chains.
    assert seen == [40, 80, 2 * 5 * 4]


def test_a_run_killed_after_moves_were_chosen_anew_goes_on_to_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _staged(monkeypatch)
    table = _gappy(share=0.3)
    whole = _learned(table, completions=None)
    monkeypatch.setattr(averaging, "_SECONDS", -1.0)
    monkeypatch.setattr(averaging, "_SHARE", 1e9)
    write, stages = Checkpoint.write, []

    def killed(self: Checkpoint, position: Any, chains: Any) -> None:
        write(self, position, chains)
        stages.append(list(position.stages))
        if len(stages) in (1, 4):
            raise SystemExit

    monkeypatch.setattr(Checkpoint, "write", killed)
    for _ in range(2):
        with pytest.raises(SystemExit):
            _learned(table, directory=tmp_path / "run", completions=None)
    again = _learned(table, directory=tmp_path / "run", completions=None)
    assert stages[0] == [0]
    assert stages[3] == [0, 8]
    assert np.array_equal(again.edges, whole.edges)
    assert np.array_equal(again.dags.parents, whole.dags.parents)
    assert np.array_equal(again.completions.values, whole.completions.values)


def test_chains_start_from_cells_at_random_and_from_cells_that_go_with_their_rows() -> None:
    a = np.arange(200) % 2
    table = {"a": a.tolist(), "b": [None if row % 3 == 0 else int(a[row]) for row in range(200)]}
    data = arcwise.read(table, missing="impute")
    assert isinstance(data, IncompleteData)
    question = Question.of(data.table, Definition("bdeu"))
    agreeing = []
    for associated in (False, True):
        chain = ImputationChain(Imputation(data, question, ExactStructure()), associated=associated)
        columns = chain.table.columns
        agreeing.append(float((columns[0].numbers() == columns[1].numbers()).mean()))
    assert agreeing[0] < 0.9
    assert agreeing[1] > 0.98


def test_a_damaged_file_of_tables_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / averaging.FILE).write_bytes(b"nothing")
    found = _learned(_gappy(), directory=tmp_path / "run")
    assert np.array_equal(found.edges, _learned(_gappy()).edges)


def test_seconds_are_kept_with_fewer_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = WorkClock()
    monkeypatch.setattr(ImputationChain, "keep", clock.timed(ImputationChain.keep, 0.1))
    posterior = _learned(_gappy(), seconds=clock.deadline(2.0), completions=5000, threads=1)
    assert isinstance(posterior.run, ImputationRun)
    assert posterior.run.completions == 20
    assert any("The time was up" in sentence for sentence in posterior.account.choices)


def test_chains_over_dags_agree_with_exact_draws_of_them() -> None:
    # With a score and a prior that no pilot chooses.
    options: dict[str, Any] = {"score": "bdeu", "prior": "uniform", "completions": 60}
    exact = _learned(_gappy(), **options)
    chains = _learned(_gappy(), algorithm="mcmc", **options)
    errors = np.hypot(exact.edge_errors, chains.edge_errors)
    # Six edges at 5.5 standard errors, which are themselves estimated: once in many thousands.
    assert (np.abs(exact.edges - chains.edges) <= 5.5 * errors + 0.02).all()
    assert isinstance(chains.run, ImputationRun)
    assert chains.run.steps is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"algorithm": "mc3"}, "by 'exact' or 'mcmc'"),
        ({"score": "bic"}, "needs a prior on the parameters"),
        ({"weights": np.full(ROWS, 1.5)}, "row weights"),
        ({"until": "rhat<1.1"}, "give completions instead"),
        ({"space": "partitions"}, "leave it out"),
        ({"completions": 1}, "2 or more"),
        ({"engine": arcwise.engines.Threads()}, "leave it out"),
        ({"interventions": {"a": [True] * ROWS}}, "cannot be imputed"),
    ],
)
def test_what_does_not_go_with_missing_values_is_refused(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ArcwiseError, match=words):
        _learned(_gappy(), **options)


def test_a_row_of_whole_weight_is_as_many_rows() -> None:
    table = _gappy()
    weights = np.arange(ROWS) % 3
    rows = np.repeat(np.arange(ROWS), weights)
    written = {name: [column[row] for row in rows] for name, column in table.items()}
    weighted, out = _learned(table, weights=weights), _learned(written)
    assert np.array_equal(weighted.edges, out.edges)
    assert any("written out" in sentence for sentence in weighted.account.choices)


def test_what_needs_one_table_is_refused() -> None:
    posterior = _learned(_gappy())
    for call in (
        lambda: arcwise.effects(posterior),
        lambda: posterior + posterior,
    ):
        with pytest.raises(ArcwiseError):
            call()
    with pytest.raises(ArcwiseError, match="only learn imputes"):
        arcwise.Model(arcwise.read(_gappy(), missing="impute"))


def test_rows_can_still_be_dropped() -> None:
    with pytest.warns(arcwise.errors.DataWarning, match="dropped"):
        posterior = arcwise.learn(_gappy(), missing="drop", progress=None)
    assert posterior.algorithm == "exact"


def test_only_levels_that_are_there_are_imputed() -> None:
    posterior = _learned({"a": [0, 0, 0, None, 5] * 8, "b": [1, None, 1, 0, 0] * 8})
    tables = posterior.completions
    column = tables.source.table.columns[0]
    assert isinstance(column, arcwise.data.DiscreteColumn)
    assert set(column.levels) == {0, 5}
    assert set(np.unique(tables.values)) <= {0.0, 1.0}


def test_a_declared_level_can_be_imputed_and_rows_without_a_value_are_left_out() -> None:
    data = arcwise.read(
        {"a": ["x", "x", None, None] * 5, "b": [0, 1, 1, None] * 5},
        missing="impute",
        levels={"a": ["x", "y"]},
    )
    assert isinstance(data, IncompleteData)
    assert data.rows == 15
    assert _learned(data).variables == ("a", "b")
