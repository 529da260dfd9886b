"""What prediction and effects cannot use is refused in one sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model
from arcwise.errors import ArcwiseError, ArgumentError, DataError
from arcwise.scores import BIC, BDe, BDeu, BGe

LABELS = {"a": ["x", "y", "x", "y"], "b": [0, 1, 1, 0]}
NUMBERS = {"a": [0.5, 1.0, 2.5, 0.0], "b": [1, 2, 5, 7]}
DISCRETE = Model(LABELS)
GAUSSIAN = Model(NUMBERS, BGe())
DAG = Dag(["a", "b"], {"b": ["a"]})


def refusal(call: Callable[..., Any], kind: type[ArcwiseError]) -> str:
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(r"[.!?]\s+[A-Z`]|\.$", message), message
    return message


NEW_ROWS: list[tuple[Model, Any, type[ArcwiseError], str]] = [
    (DISCRETE, {"a": ["x"]}, DataError, "new_data lacks column 'b'; give all variables"),
    (DISCRETE, {"a": ["x"], "b": [0], "c": [1]}, DataError, "has column 'c', which the model's"),
    (
        DISCRETE,
        {"a": ["z"], "b": [0]},
        DataError,
        "'a' of new_data holds 'z', but its levels in the model's",
    ),
    (
        DISCRETE,
        {"a": ["x"], "b": [True]},
        DataError,
        "holds True, but its levels in the model's data",
    ),
    (
        DISCRETE,
        {"a": ["x"], "b": [0.5]},
        DataError,
        "holds 0.5, but its levels in the model's data",
    ),
    (DISCRETE, {"a": ["x", None], "b": [0, 1]}, DataError, "missing in 'a' (1) of new_data"),
    (DISCRETE, {"a": [], "b": []}, DataError, "no rows; give at least one"),
    (
        DISCRETE,
        {"a": ["x"], "b": [0, 1]},
        DataError,
        "new_data cannot be used, because 'a' has 1 row",
    ),
    (DISCRETE, 5, ArgumentError, "new_data cannot be used, because the data are of type int; give"),
    (DISCRETE, arcwise.read(LABELS).select(["a"]), DataError, "lacks column 'b'"),
    (DISCRETE, "/nowhere/rows.csv", ArcwiseError, "new_data cannot be used, because"),
    (GAUSSIAN, {"a": [0.5], "b": [np.nan]}, DataError, "missing in 'b' (1) of new_data"),
    (GAUSSIAN, {"a": [np.inf], "b": [1]}, DataError, "'a' of new_data holds values that are no"),
    (GAUSSIAN, {"a": ["x"], "b": [1]}, DataError, "it is continuous in the model's data"),
    (GAUSSIAN, np.zeros((2, 3)), DataError, "new_data lacks columns 'a' and 'b'"),
]


@pytest.mark.parametrize(("model", "rows", "kind", "words"), NEW_ROWS)
def test_new_rows_of_another_kind(
    model: Model, rows: Any, kind: type[ArcwiseError], words: str
) -> None:
    assert words in refusal(lambda: arcwise.log_predictive(DAG, rows, model=model), kind)


def test_new_rows_in_many_forms_are_read_alike() -> None:
    expected = arcwise.log_predictive(DAG, {"a": ["y"], "b": [1]}, model=DISCRETE)
    assert np.array_equal(
        arcwise.log_predictive(DAG, {"b": [1.0], "a": ["y"]}, model=DISCRETE), expected
    )
    whole = arcwise.log_predictive(DAG, {"b": [3], "a": [1]}, model=GAUSSIAN)
    assert np.array_equal(
        arcwise.log_predictive(DAG, np.array([[1.0, 3.0]]), model=GAUSSIAN), whole
    )


def test_missing_values_are_a_level_where_they_were_one() -> None:
    data = arcwise.read({"a": ["x", None, "x", "y"], "b": [0, 1, 1, 0]}, missing="level")
    model = Model(data)
    found = arcwise.log_predictive(DAG, {"a": ["x", None], "b": [0, 0]}, model=model)
    assert found[0] == arcwise.log_predictive(DAG, data.take_rows([0]), model=model)[0]
    assert found[1] == arcwise.log_predictive(DAG, {"a": [None], "b": [0]}, model=model)[0]
    assert "missing" in refusal(
        lambda: arcwise.log_predictive(DAG, data, model=DISCRETE), DataError
    )


def test_impossible_rows_under_a_prior_network() -> None:
    network = arcwise.networks.DiscreteNetwork(
        DAG, {"a": ("x", "y"), "b": (0, 1)}, {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.5, 0.5]]}
    )
    model = Model({"a": ["x", "y", "y"], "b": [0, 1, 0]}, BDe(network))
    rows = {"a": ["x"], "b": [1]}
    for joint in (False, True):
        message = refusal(
            lambda joint=joint: arcwise.log_predictive(DAG, rows, joint=joint, model=model),
            DataError,
        )
        assert "probability zero to a configuration that occurs in new_data" in message
    forced = arcwise.read({"a": ["x", "y"], "b": [1, 0]}, interventions={"b": [True, False]})
    assert np.isclose(arcwise.log_predictive(DAG, forced, model=model)[0], np.log(1.5 / 4))


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "log_predictive": lambda dags, model: arcwise.log_predictive(dags, {}, model=model),
    "effects": lambda dags, model: arcwise.effects(dags, model=model),
    "interventional": lambda dags, model: arcwise.interventional(
        dags, "b", {"a": "x"}, model=model
    ),
}
OWN = {"log_predictive": DISCRETE, "effects": GAUSSIAN, "interventional": DISCRETE}


@pytest.mark.parametrize("name", CALLS)
def test_scores_without_parameters(name: str) -> None:
    call = CALLS[name]
    words = f"{name} needs a prior on the parameters, which the score BIC does not have"
    assert words in refusal(lambda: call(DAG, Model(LABELS, BIC())), ArgumentError)
    named = Model(["a", "b"], lambda node, parents: 0.0)
    ready = Model(DISCRETE.scores)
    for model in (named, ready):
        assert f"{name} needs data" in refusal(lambda model=model: call(DAG, model), ArgumentError)
    counted = Model(LABELS, lambda node, parents: 0.0)
    assert "FunctionScore" in refusal(lambda: call(DAG, counted), ArgumentError)
    assert "model is of type dict" in refusal(lambda: call(DAG, LABELS), ArgumentError)


@pytest.mark.parametrize("name", CALLS)
def test_posteriors_without_dags_or_of_another_model(name: str) -> None:
    call, model = CALLS[name], OWN[name]
    message = refusal(lambda: call(arcwise.exact(model), model), ArgumentError)
    assert (
        "the posterior has no sampled DAGs; compute it with arcwise.exact(model, dags=10_000)"
        in message
    )
    assert "posterior is of type int" in refusal(lambda: call(3, model), ArgumentError)
    other = Dag(["a", "c"], {})
    assert "the DAGs have the variables 'a' and 'c'" in refusal(
        lambda: call(other, model), ArgumentError
    )
    data = {"a": ["x", "y", "y", "y"], "b": [0, 1, 1, 0]}
    if model is GAUSSIAN:
        data = {"a": [0.5, 1.0, 2.5, 9.0], "b": [1, 2, 5, 7]}
    run = arcwise.mcmc(Model(data, model.score), "partitions", steps=4000, chains=2)
    assert "computed from data other than the model's" in refusal(
        lambda: call(run, model), ArgumentError
    )


def test_models_that_are_not_known_or_another(tmp_path: Path) -> None:
    def predict(dags: Any, model: Model | None = None) -> Any:
        return arcwise.log_predictive(dags, LABELS, model=model)

    run = arcwise.mcmc(DISCRETE, "partitions", steps=4000, chains=2)
    assert np.array_equal(predict(run), predict(run, DISCRETE))
    run.save(tmp_path / "run.npz")
    read = arcwise.Posterior.load(tmp_path / "run.npz")
    # Another object of the same model will do.
    assert np.allclose(predict(read, Model(LABELS)), predict(run))
    assert "the model of a posterior read from a file is not known; give model=" in refusal(
        lambda: predict(read), ArgumentError
    )
    assert "the model of a DAG is not known; give model=" in refusal(
        lambda: predict(DAG), ArgumentError
    )
    assert "posterior is of type int; give a Posterior, a DagSample or a Dag" in refusal(
        lambda: predict(3), ArgumentError
    )
    for model, words in (
        (Model(LABELS, BDeu(7.0)), r"the posterior has the score BDeu\(.*\) and the model BDeu"),
        (
            Model(LABELS, prior="fair"),
            r"the posterior has the prior Sparse\(.*\) and the model Fair",
        ),
    ):
        message = refusal(lambda model=model: predict(read, model), ArgumentError)
        assert re.search(words, message)
        assert message.endswith("give the model it was computed from, or leave out model")


def test_data_of_the_other_kind() -> None:
    message = refusal(lambda: arcwise.effects(DAG, model=DISCRETE), ArgumentError)
    assert "the score is BDeu; give source and target, as in arcwise.effects" in message
    message = refusal(
        lambda: arcwise.interventional(DAG, "b", {"a": 1}, model=GAUSSIAN), ArgumentError
    )
    assert "the score is BGe; use arcwise.effects" in message


EFFECTS: list[tuple[dict[str, Any], str]] = [
    ({"draws": 0}, "draws is 0; give a whole number, 1 or more"),
    ({"seed": -1}, "seed is -1"),
    ({"pairs": [("a", "z")]}, "pairs names 'z'"),
    ({"pairs": ["ab"]}, "pairs holds 'ab'; give pairs (source, target)"),
    ({"pairs": [("a", "a")]}, "of two different names"),
    ({"pairs": [3]}, "pairs holds 3"),
]


@pytest.mark.parametrize(("keywords", "words"), EFFECTS)
def test_arguments_of_effects(keywords: dict[str, Any], words: str) -> None:
    assert words in refusal(lambda: arcwise.effects(DAG, **keywords, model=GAUSSIAN), ArgumentError)


def test_what_effects_do_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    found = arcwise.effects(DAG, pairs=[("a", "b")], model=GAUSSIAN)
    message = refusal(lambda: found.between("b", "a"), ArgumentError)
    assert (
        "the draws of the effect of 'b' on 'a' were not kept; give effects the argument pairs"
        in message
    )
    assert "no effect on itself" in refusal(lambda: found.quantiles("a", "a"), ArgumentError)
    assert "'z'" in refusal(lambda: found.between("a", "z"), ArgumentError)
    message = refusal(lambda: found.quantiles("a", "b", [0.5, 1.5]), ArgumentError)
    assert "give one number from 0 to 1" in message
    monkeypatch.setattr("arcwise.parameters.effect_matrix.MAX_KEPT", 3)
    message = refusal(
        lambda: arcwise.effects(DAG, pairs=[("a", "b"), ("b", "a")], model=GAUSSIAN), ArgumentError
    )
    assert "2 pairs with 2 numbers each; give at most 1 pairs" in message


SETTINGS: list[tuple[Any, dict[str, Any], str]] = [
    ({"a": "z"}, {}, "setting gives 'a' the level 'z'; its levels are 'x' and 'y'"),
    ({"c": 1}, {}, "setting names 'c'"),
    ({"b": 1}, {}, "the outcome 'b' is intervened on by setting; give another"),
    (["a"], {}, "setting is of type list; give a mapping"),
    ({"a": "x"}, {"draws": -1}, "draws is -1"),
    ({"a": "x"}, {"draws": 10**9}, "draws is 1000000000 for each of 1 DAGs; give at most"),
]


@pytest.mark.parametrize(("setting", "keywords", "words"), SETTINGS)
def test_arguments_of_interventional(setting: Any, keywords: dict[str, Any], words: str) -> None:
    message = refusal(
        lambda: arcwise.interventional(DAG, "b", setting, **keywords, model=DISCRETE), ArgumentError
    )
    assert words in message


def test_differences_of_unlike_distributions() -> None:
    one = arcwise.interventional(DAG, "b", {"a": "x"}, model=DISCRETE)
    empty = Dag(["a", "b"], {})
    for other in (
        arcwise.interventional(DAG, "b", {}, model=DISCRETE),
        arcwise.interventional(DAG, "b", {"a": "y"}, draws=1, model=DISCRETE),
        arcwise.interventional(DAG, "b", {"a": "y"}, seed=1, model=DISCRETE),
        arcwise.interventional(empty, "b", {"a": "y"}, model=DISCRETE),
        arcwise.interventional(DAG, "a", {"b": 1}, model=DISCRETE),
    ):
        message = refusal(lambda other=other: one - other, ArgumentError)
        assert "cannot be subtracted; give two of one target" in message
    assert "there are none; give draws=1" in refusal(lambda: one.quantiles(0), ArgumentError)
    assert "'b' has no level 7; its levels are 0 and 1" in refusal(lambda: one[7], ArgumentError)
    with pytest.raises(TypeError):
        one - 1.0  # type: ignore[operator]
