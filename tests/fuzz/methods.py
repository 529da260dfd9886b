"""Every method of public classes that takes arguments, with values of any type and size."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import arcwise
from arcwise import algorithms, comparison, graphs, networks
from arcwise.errors import ArcwiseError
from fuzz import hostile
from fuzz.arguments import in_folder
from fuzz.harness import Target
from fuzz.subjects import Subjects

# Made by the library itself of what it has checked: the parts of a result, or of a file's text.
INTERNAL = {
    *("EdgeCurve.of", "Evidence.estimated", "Evidence.with_constant"),
    *("Data.continuous_values", "Data.discrete_codes"),
    *("TimeSeries.continuous_values", "TimeSeries.discrete_codes"),
    *("IncompleteTimeSeries.present", "IncompleteTimeSeries.columns_with"),
    "IncompleteTimeSeries.with_columns",
}

# What some methods call by a name that means something else elsewhere.
_OWN: dict[str, dict[str, Any]] = {
    "Posterior.draw": {"path": "drawn.svg"},
    "IncompleteTimeSeries.completed": {"values": [1]},
    "Posterior.matrix": {"relation": "ancestor"},
    "DagSample.matrix": {"relation": "ancestor"},
    "Posterior.summary_graph": {"name": "threshold"},
    "Model.with_candidates": {"candidates": [("a", "b")], "threads": 1},
    "Dag.from_edges": {"edges": [("X0", "X1")]},
    "LevelEffects.difference": {"target_level": 1, "source_level": 1},
    "LevelEffects.given": {"target_level": 1, "source_level": 1},
    "MeanEffects.difference": {"source_level": 1},
    "MeanEffects.given": {"source_level": 1},
    "Interventional.quantiles": {"level": 1},
    "Forecast.get": {"key": "u"},
    "StepPosteriors.get": {"key": 2},
    "DiscreteNetwork.sample": {"rows": 3},
    "DiscreteNetwork.log_probability": {"codes": [[0] * 8]},
    "FamilyScores.from_mapping": {"scores": {"a": {(): -1.0}}},
    "Constraints.combined_with": {"other": arcwise.Constraints(max_indegree=2)},
}


class Method(NamedTuple):
    """A bound method with arguments of its parameters' names."""

    call: Any
    arguments: dict[str, Any]


class Methods(Target, name="methods"):
    share = 2.0
    most_seconds = 0.5

    def set_up(self) -> None:
        subjects = Subjects(self.folder)
        self.things = subjects.every()
        self.methods = [
            method for thing in objects(subjects) for method in methods_of(thing, subjects)
        ]
        for call, arguments in self.methods:
            # Not every posterior has everything; what is asked for is imported in any case.
            with suppress(ArcwiseError):
                call(**arguments)

    def case(self, draw: random.Random) -> None:
        call, arguments = draw.choice(self.methods)
        changed = dict(arguments)
        for _ in range(draw.choice([1, 1, 1, 2])):
            kind = draw.random()
            value = hostile.number(draw) if kind < 0.4 else hostile.value(draw)
            if kind > 0.9:
                value = draw.choice(self.things)
            changed[draw.choice(list(changed))] = in_folder(value)
        call(**changed)


def objects(its: Subjects) -> list[Any]:
    """Return an object of each public class that has methods with arguments."""
    linear = arcwise.effects(its.exact, "X0", "X1")
    assert isinstance(linear, arcwise.results.LinearEffect)
    effects = [
        arcwise.effects(its.exact),
        linear,
        arcwise.effects(its.discrete, "a", "b"),
        arcwise.effects(its.continuous_and_discrete, "c", "x"),
    ]
    return [
        *(its.exact, its.sampled, its.in_time, its.imputed, its.covariates, its.drawn),
        *(its.data, its.series, its.incomplete_series, its.small, its.dag, *effects),
        linear.estimate,
        arcwise.Constraints(forbidden_edges=[("a", "b")]),
        arcwise.candidates(its.data, "greedy:2", threads=1),
        arcwise.cross_validate(its.table, "a", folds=2, max_indegree=1, threads=1),
        arcwise.forecast(its.moving, its.waves, time="t"),
        arcwise.impulse_response(its.moving, "u", "v", 2),
        arcwise.impulse_response(its.in_time, "x", "y", 2),
        arcwise.interventional(its.discrete, "a", {"b": 1}, draws=2),
        arcwise.predict(its.exact, its.reals, "X0"),
        arcwise.predict(its.discrete, its.table, "a"),
        arcwise.map(its.small, threads=1),
        arcwise.compare(its.exact, its.exact),
        arcwise.compare(its.exact, its.dag),
        arcwise.dynamics.learn_steps(its.series, progress=None, threads=1),
        algorithms.importance_weighted_dags(its.small, 10, threads=1),
        comparison.compare_with_graph(its.exact, its.dag).directed,
        comparison.ModelEvidence(arcwise.evidence(its.small, threads=1)),
        graphs.cpdag(its.dag),
        networks.asia(),
        its.small.scores,
    ]


def methods_of(thing: Any, its: Subjects) -> Iterator[Method]:
    """Return the public methods of an object that take arguments, with such as it may accept."""
    kind = type(thing).__name__
    names = getattr(thing, "variables", ("a", "b"))
    first, second = names[0], names[-1]
    usual = {
        **{"threshold": 0.5, "most": 3, "level": 0.9, "count": 2, "max_length": 2, "size": 2},
        **{"source": first, "target": second, "node": first, "name": first, "key": first},
        **{"parents": [second], "names": [first, second], "allowed": [second], "step": 1},
        **{"feature": (first, second), "given": (first, second), "path": "written.csv"},
        **{"relation": "edge", "truth": its.dag, "edges": "all", "on": "direction", "rows": [0, 1]},
        **{"places": [0, 1], "probabilities": [0.1, 0.9], "thresholds": [0.5], "classes": True},
        **{"variables": list(names), "matrix": its.dag.matrix(), "graph": its.dag, "seed": 1},
        **{"dag": its.dag, "candidates": "greedy:1", "title": "a", "posteriors": [its.exact]},
        **{"samples": [its.drawn], "value": {"max_indegree": 1}, "other": None, "score": "BGe"},
    }
    for name, _ in inspect.getmembers(type(thing), _is_method):
        if name.startswith("_") or f"{kind}.{name}" in INTERNAL:
            continue
        method = getattr(thing, name)
        own = _OWN.get(f"{kind}.{name}", {})
        arguments = {
            each.name: own.get(each.name, usual.get(each.name, each.default))
            for each in inspect.signature(method).parameters.values()
            if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        }
        if arguments:
            yield Method(method, arguments)


def _is_method(member: Any) -> bool:
    return inspect.isfunction(member) or inspect.ismethod(member)
