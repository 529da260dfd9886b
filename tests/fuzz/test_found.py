"""Inputs that fuzzing found to end in something other than the library's own errors."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.algorithms.ais import AIS
from arcwise.algorithms.chain_posterior import telescoped
from arcwise.comparison import ModelEvidence
from arcwise.data.archive import load_table, save_table
from arcwise.errors import (
    ArcwiseError,
    ArgumentError,
    DataError,
    FileFormatError,
    NumericalError,
)
from arcwise.learning.request import Request
from arcwise.model.model import Provenance
from arcwise.parameters.summaries import checked_level
from arcwise.posterior.evidence import Evidence
from arcwise.priors import EdgeProbabilities, EdgeWeights
from arcwise.records.settings import Tempering, usual_order_steps
from arcwise.statistics.log_estimates import summed_degrees, t_quantile
from arcwise.support.files import UNREADABLE, read_archive, write_json
from arcwise.support.names import byte_size, positions
from arcwise.support.plain import PlainDataclasses
from support.exact_models import flat_model


@pytest.mark.parametrize("steps", [-7, 0, 10**30])
def test_schedules_without_steps(steps: int) -> None:
    with pytest.raises(ArgumentError, match=r"^steps is"):
        AIS(steps=steps)


def test_a_population_without_temperatures_is_refused_by_the_core_too() -> None:
    space = arcwise.spaces.LinearOrders().build(arcwise.model.ScoreSums(flat_model(3)))
    with pytest.raises(ArcwiseError, match="no temperature"):
        _core.plan_population(space, [], 8, 0.9, 0.1, 1, 1, 1, 1, None)


@pytest.mark.parametrize("name", ["steps_between_exchanges", "most_temperatures"])
@pytest.mark.parametrize("value", [-(10**30), 0, 2**40])
def test_ladders_that_the_core_cannot_hold(name: str, value: int) -> None:
    with pytest.raises(ArgumentError, match=f"^{name} is"):
        Tempering((0.0, 1.0), **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a\0b.json", "\ud800.json"])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot be the name of a file"):
        write_json({}, tmp_path / name)


def test_seconds_beyond_all_steps() -> None:
    assert usual_order_steps(20, 1e308) == usual_order_steps(20, None)


def test_counts_are_plain_numbers() -> None:
    assert type(Request(chains=np.int64(2**62)).chains) is int  # type: ignore[arg-type]


def test_a_pair_without_dimensions_and_a_name_of_too_many_digits() -> None:
    model = arcwise.Model(np.random.default_rng(1).normal(size=(50, 3)), max_indegree=1)
    found = arcwise.exact(model, dags=10)
    with pytest.raises(ArgumentError, match=r"^pairs holds"):
        arcwise.effects(found, pairs=[np.array(3)], model=model)  # type: ignore[list-item]
    with pytest.raises(DataError, match="more than 4,300 digits"):
        arcwise.read({10**5000: [0, 1]})


def test_a_header_that_is_no_python(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.zeros(3))
    content = path.read_bytes()
    assert content.count(b"'shape'") == 1
    path.write_bytes(content.replace(b"'shape'", b"\x11sha(e'"))
    with pytest.raises(UNREADABLE):
        read_archive(path)


@pytest.mark.parametrize("level", [{}, object(), "b", 1j, 0, 1, math.nan, None])
def test_levels_that_are_no_probability(level: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^level is "):
        checked_level(level)


def test_probabilities_of_edges_that_are_complex() -> None:
    with pytest.raises(ArgumentError, match=r"^edge_probabilities is "):
        EdgeProbabilities(np.array([[0, 0.5j], [0.5, 0]]))


def test_tiers_numbered_in_sixteen_bits() -> None:
    given = {"a": np.float16(2.0), "b": 10**300, "c": 1}
    assert arcwise.Constraints(tiers=given).tiers == (("c",), ("a",), ("b",))


def test_chains_without_dimensions() -> None:
    with pytest.raises(ArgumentError, match="chain_edges has the shape"):
        replace(arcwise.exact(arcwise.Model({"a": [0, 1], "b": [1, 0]})), chain_edges=np.array(1.0))


@pytest.mark.parametrize("largest", [1e200, 1e-200])
def test_variances_whose_squares_are_no_numbers(largest: float) -> None:
    assert summed_degrees([largest, largest], [3.0, 3.0]) == pytest.approx(6.0)
    assert summed_degrees([math.inf, 1.0], [3.0, 5.0]) == 3.0


def test_variances_beyond_all_numbers() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2))
    for scale in (1e200, 1e-200):
        with pytest.raises(NumericalError, match=r"the variance of column 'X0' times 0\.5 is too"):
            arcwise.score(scale * values, "bge")


def test_a_parent_with_a_nul_byte(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    path.write_bytes(b"2\na 1\n-1.0 1 b\0c\nb 1\n-1.0 0\n")
    with pytest.raises(FileFormatError, match="not a variable of the file; correct the file"):
        arcwise.scores.read_scores(path)


def test_errors_of_the_evidence_below_zero() -> None:
    for wrong in ({"standard_error": -1.0}, {"degrees_of_freedom": 0.0}):
        with pytest.raises(ArgumentError, match=f"^{next(iter(wrong))} is"):
            Evidence(-3.0, **wrong)  # type: ignore[arg-type]


def test_breaks_that_are_complex() -> None:
    with pytest.raises(ArgumentError, match=r"^breaks\['a'\] is"):
        arcwise.read({"a": [0.1, 0.7, 0.9], "b": [1, 0, 1]}, discretize={"a": [0.5j]})


def test_seconds_too_few_for_thousands_of_columns() -> None:
    values = np.random.default_rng(1).normal(size=(5, 2000))
    with pytest.raises(ArgumentError, match=r"^seconds is 5, and the probabilities of 2,000"):
        arcwise.learn(values, seconds=5)


@pytest.mark.parametrize("rows", [-3, 0])
def test_a_posterior_from_fewer_than_one_row(rows: int) -> None:
    form = PlainDataclasses()
    written = form.write(Provenance(rows=7))
    assert form.read(Provenance, written).rows == 7
    with pytest.raises(ValueError, match="rows"):
        form.read(Provenance, written | {"rows": rows})


def test_bytes_beyond_all_numbers() -> None:
    assert byte_size(10**400) == "more than 10^24 bytes"


def test_a_share_of_particles_below_all_others() -> None:
    model = flat_model(3)
    least = np.float64(5e-324)
    found = arcwise.smc(model, "partitions", particles=4, runs=4, effective_share=least, seed=1)
    assert found.log_evidence is not None


_EDGE = arcwise.features.Edge("a", "b")


@pytest.mark.parametrize(
    ("wrong", "about"),
    [
        (lambda: arcwise.features.And(3), r"^parts is 3"),  # type: ignore[arg-type]
        (lambda: arcwise.features.ParentSet("a", 5), r"^parents is 5"),  # type: ignore[arg-type]
        (lambda: arcwise.features.Blanket("a", [1]), r"^\w+ holds 1"),  # type: ignore[list-item]
        (lambda: arcwise.features.Comparison(2, "<", 1), r"^2 is not a feature"),  # type: ignore[arg-type]
        (
            lambda: arcwise.features.Comparison(arcwise.features.NumberOfEdges(), [], 1),  # type: ignore[arg-type]
            r"^operator is \[\]",
        ),
        (
            lambda: arcwise.features.Comparison(arcwise.features.NumberOfEdges(), "<", 1j),  # type: ignore[arg-type]
            r"^number is 1j",
        ),
        (lambda: arcwise.features.Conditional(0.5, _EDGE), r"^0\.5 is not a feature"),  # type: ignore[arg-type]
        (lambda: arcwise.features.FunctionOfDag(7), r"^function is 7"),  # type: ignore[arg-type]
        (lambda: arcwise.features.Not(10**5000), r"^a number of more"),  # type: ignore[arg-type]
        (
            lambda: arcwise.features.CpdagEdge("a", "b", np.zeros(2)),  # type: ignore[arg-type]
            r"^directed is",
        ),
        (lambda: arcwise.priors.Product(("fair",)), r"^a factor is 'fair'"),  # type: ignore[arg-type]
        (lambda: arcwise.priors.EdgePenalty("1"), r"^log_penalty is '1'"),  # type: ignore[arg-type]
        (
            lambda: arcwise.priors.DistanceToDag(arcwise.Dag(["a"], {}), [1]),  # type: ignore[arg-type]
            r"^delta is \[1\]",
        ),
        (lambda: arcwise.priors.PriorTerms(3, {}, "a"), r"^size holds"),  # type: ignore[arg-type]
        (
            lambda: arcwise.scores.ConditionalGaussian(prior_moments=3),  # type: ignore[arg-type]
            r"^prior_moments is 3",
        ),
        (
            lambda: arcwise.spaces.CanonicalOrders(numbering=[1, "a"]),  # type: ignore[list-item]
            r"^numbering is",
        ),
        (lambda: arcwise.graphs.Cpdag(["a", "b"], [3]), r"^an edge in directed is 3"),  # type: ignore[list-item]
        (lambda: arcwise.engines.batch(3, [1]), r"^function is 3"),  # type: ignore[arg-type]
        (lambda: arcwise.status(7), r"^directory is 7"),  # type: ignore[arg-type]
        (lambda: arcwise.resume("a\0b"), r"^directory is"),
        (lambda: arcwise.scores.read_scores(None), r"^path is None"),  # type: ignore[arg-type]
        (lambda: arcwise.algorithms.growth_memory("a", 3), r"^variables is 'a'"),  # type: ignore[arg-type]
        (lambda: arcwise.algorithms.exact_cost(3), r"^model is of type int"),  # type: ignore[arg-type]
        (lambda: arcwise.summary_graph(3), r"^posterior is 3"),  # type: ignore[arg-type]
        (lambda: arcwise.estimate(arcwise.Dag(["a"], {}), "a"), r"^posterior is"),  # type: ignore[arg-type]
        (lambda: arcwise.Posterior.concatenate(3), r"^posteriors is 3"),  # type: ignore[arg-type]
        (lambda: ModelEvidence.read((10**5000,)), r"^path is"),  # type: ignore[arg-type]
        (lambda: arcwise.Data(3), r"^columns is 3"),  # type: ignore[arg-type]
        (lambda: arcwise.Constraints().combined_with(3), r"^other is 3"),  # type: ignore[arg-type]
    ],
)
def test_things_of_another_type(wrong: Callable[[], object], about: str) -> None:
    with pytest.raises(ArgumentError, match=about):
        wrong()


@pytest.mark.parametrize("progress", [3, "yes", 0.5, np.zeros(2)])
def test_progress_that_is_no_function(progress: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^progress is"):
        arcwise.exact(flat_model(3), progress=progress)


def test_arguments_of_methods_of_another_type() -> None:
    found = arcwise.exact(flat_model(3), dags=10)
    assert found.dags is not None
    wrong: list[tuple[Callable[..., object], Any, str]] = [
        (found.threshold_graph, "a", "threshold is 'a'"),
        (found.adjacencies, "a", "threshold is 'a'"),
        (lambda most: found.adjacencies(most=most), 0.5, "most is 0.5"),
        (found.save, 3, "path is 3"),
        (found.write_edges, None, "path is None"),
        (found.dags.at, [[0], [1, 2]], "places is"),
        (found.dags.at, [10], "places is"),
        (found.dags.thinned, 0.5, "most is 0.5"),
        (found.dags.concatenate, [3], "a sample is 3"),
        (arcwise.compare(found, found).largest, "a", "count is 'a'"),
    ]
    for method, value, sentence in wrong:
        with pytest.raises(ArgumentError, match=f"^{re.escape(sentence)}"):
            method(value)
    assert len(found.dags.at([9, -1])) == 2


def test_axes_that_are_none_of_matplotlib() -> None:
    found = arcwise.exact(flat_model(3))
    with pytest.raises(ArgumentError, match=r"^axes is 3"):
        arcwise.plots.edge_matrix(found, axes=3)
    with pytest.raises(ArgumentError, match=r"^axes is 3"):
        arcwise.plots.network(found, axes=3)
    with pytest.raises(ArgumentError, match=r"^label is a number of"):
        arcwise.plots.effect([0.1, 0.2], label=10**5000)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^posterior is of type int"):
        arcwise.plots.edge_matrix(3)  # type: ignore[arg-type]


def test_results_by_name_are_mappings() -> None:
    found = arcwise.candidates(arcwise.simulate("asia", 50, seed=1), "greedy:2")
    assert "smoke" in found
    assert "nobody" not in found
    assert found.get("nobody") is None
    with pytest.raises(ArgumentError, match=r"^'nobody' has no candidates") as raised:
        found["nobody"]
    assert isinstance(raised.value, KeyError)


def test_weights_whose_name_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    save_table(arcwise.read({"a": [0, 1, 1]}, weights=[1.0, 2.0, 1.0]), path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"weights.npy", b"weightz.npy"))
    with pytest.raises(FileFormatError, match="is not a saved table, or is damaged"):
        load_table(path)


def test_rounds_of_growth_up_to_one_that_is_damaged(tmp_path: Path) -> None:
    data = arcwise.simulate("asia", 100, seed=1)
    path = tmp_path / "growth.json"
    growth = arcwise.grow(data, max_size=2, restarts=1, file=path)
    key, *rounds = map(json.loads, path.read_text().splitlines())
    for wrong in ({}, 3, rounds[0] | {"wanted": [[0, 99]]}, {"parents": [["a"]]}):
        path.write_text("".join(json.dumps(line) + "\n" for line in (key, rounds[0], wrong)))
        again = arcwise.grow(data, max_size=2, restarts=1, file=path)
        assert (again.candidates, again.rounds) == (growth.candidates, growth.rounds)
    path.write_text("[" * 100_000)
    again = arcwise.grow(data, max_size=2, restarts=1, file=path)
    assert (again.candidates, again.rounds) == (growth.candidates, growth.rounds)


def test_evidence_that_is_no_number() -> None:
    for wrong in ({"log_evidence": math.nan}, {"effective_runs": -2.0}):
        with pytest.raises(ArgumentError, match=f"^{next(iter(wrong))} is"):
            Evidence(**{"log_evidence": -3.0} | wrong)  # type: ignore[arg-type]
    assert Evidence(-3.0, 1e300).estimate.variance == math.inf
    nothing = {name: ModelEvidence(Evidence(-math.inf)) for name in "ab"}
    with pytest.raises(ArgumentError, match="the evidence of every model is 0"):
        arcwise.compare_models(nothing)


def test_degrees_of_freedom_beyond_all_squares() -> None:
    assert t_quantile(1e300) == t_quantile(math.inf) == pytest.approx(t_quantile(1e15), rel=1e-9)


def test_levels_that_cannot_be_looked_up() -> None:
    model = arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]})
    found = arcwise.exact(model, dags=10)
    effect = arcwise.effects(found, "a", "b")
    distribution = arcwise.interventional(found, "a", {"b": 1}, draws=2)
    unusable: list[Any] = [np.zeros(2), [1], {}]
    for wrong in unusable:
        with pytest.raises(ArgumentError, match="has no level"):
            effect.given(wrong, 1)  # type: ignore[union-attr, call-arg]
        with pytest.raises(ArgumentError, match="has no level"):
            distribution.quantiles(wrong)


def test_numbers_with_more_digits_than_are_written_out() -> None:
    huge = 10**4400
    found = arcwise.exact(arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]}), dags=5)
    with pytest.raises(DataError, match=r"^a level is an object of the type Fraction|a number of"):
        arcwise.effects(found, "a", "b", reference=Fraction(huge, 3))
    with pytest.raises(ArcwiseError, match="a number of more than"):
        arcwise.Constraints(max_indegree={huge: 1, "a": 2}).resolve(["a", "b"])
    with pytest.raises(ArgumentError, match="a number of more than"):
        EdgeWeights({huge: 1.0})
    with pytest.raises(ArgumentError, match="names a number of more than"):
        arcwise.read({"a": [0, 1, 1]}, kinds={huge: "discrete"})  # type: ignore[dict-item]


def test_a_length_of_time_is_no_count() -> None:
    with pytest.raises(ArgumentError, match=r"^dags is"):
        arcwise.exact(flat_model(3), dags=np.timedelta64(3))  # type: ignore[arg-type]


def test_the_rows_of_a_preview_are_a_count() -> None:
    model = arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]})
    found = arcwise.predict(arcwise.exact(model, dags=5), {"b": [0, 1]}, "a")
    with pytest.raises(ArgumentError, match=r"^most is 0\.5"):
        found.preview(0.5)  # type: ignore[arg-type]


def test_a_name_where_there_are_none() -> None:
    with pytest.raises(ArgumentError, match=r"^tables names 'a'; there are no such variables$"):
        positions(["a"], [], "tables")


def test_seeds_of_series_are_seeds() -> None:
    series = arcwise.time_series({"x": [0.1, 0.5, -0.3, 0.2, 0.9, -0.1, 0.4, 0.3]})
    posterior = arcwise.exact(arcwise.Model(series), dags=5)
    with pytest.raises(ArgumentError, match="seed is 'a'"):
        arcwise.impulse_response(posterior, "x", "x", seed="a")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="seed is 'a'"):
        arcwise.forecast(posterior, {"x": [0.1, 0.2]}, seed="a")  # type: ignore[arg-type]
    assert len(arcwise.forecast(posterior, {"x": [0.1, 0.2]}, seed=2**64 - 1)) == 1


@pytest.mark.parametrize("values", [[2], [0.5], [np.nan], [[1, 2], [3]], [1j], [object()]])
def test_missing_cells_are_filled_with_what_a_column_can_have(values: list[object]) -> None:
    series = arcwise.time_series({"x": [0, 1, None, 0], "y": [1, 1, 0, 1]})
    with pytest.raises(ArgumentError, match=r"^values"):
        series.completed(values)
    assert series.completed([1]).rows == series.rows


def test_ratios_of_a_damaged_ledger_tell_nothing() -> None:
    sums = np.array([-1.0, -2.0])
    assert telescoped([[(sums, 2, 1), (sums, -3, 1)]]).variance == np.inf
