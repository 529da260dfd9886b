"""Texts that users write: features, spaces, stopping rules, methods, and constraints."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import arcwise
from arcwise.features import parse
from arcwise.posterior import DagSample
from arcwise.records.settings import StoppingRule
from arcwise.spaces import as_space
from fuzz import hostile
from fuzz.harness import Target

_NAMES = ("a", "b", "c d", "edges", "é", "1", "x(t)", "x(t-1)")
_ATOMS = [
    *("a -> b", "b <- a", 'a ~> "c d"', "a ~>{2} b", "a -- b", "a -> b <- é", "a -> b ~> é"),
    *("parents(a) = {b}", "parents(a) = {}", "blanket(a) has b", "blanket(b) = {a, é}", "edges"),
    *("cpdag: a -> b", "cpdag: a -- b", "edges >= 2", "edges = 1e300", '"edges" -> a', "1 -> a"),
    *("x(t-1) -> x(t)", "parents(x(t)) = {x(t-1), a}", "x (t − 1) ~> x( t )"),
]


class Features(Target, name="feature"):
    share = 2.0

    def set_up(self) -> None:
        parents = np.zeros((8, len(_NAMES), 1), dtype=np.uint64)
        parents[1:4, 1, 0] = 1
        parents[2:6, 2, 0] = 3
        parents[5:, 4, 0] = 2
        self.sample = DagSample(_NAMES, parents)

    def case(self, draw: random.Random) -> None:
        text = _feature(draw)
        if draw.random() < 0.4:
            place = draw.randrange(len(text) + 1)
            text = text[:place] + hostile.text(draw) + text[place + draw.choice([0, 0, 1, 3]) :]
        if draw.random() < 0.02:
            text = draw.choice(["(", "not ", "!", "a -> ", "a -> b and ", '"', "{"]) * draw.choice(
                [50, 1_000, 30_000]
            )
        feature = parse(text, _NAMES)
        assert str(parse(str(feature), _NAMES)) == str(feature)
        if draw.random() < 0.3:
            given = draw.choice([None, None, "a -> b", feature])
            estimate = self.sample.estimate(feature, given)
            assert np.isnan(estimate.value) or 0.0 <= estimate.value <= 30.0


def _feature(draw: random.Random, depth: int = 0) -> str:
    kind = draw.random()
    if depth > 4 or kind < 0.5:
        return draw.choice(_ATOMS)
    if kind < 0.6:
        return f"not {_feature(draw, depth + 1)}"
    if kind < 0.7:
        return f"({_feature(draw, depth + 1)})"
    word = draw.choice([" and ", " or ", " & ", "|", " given "])
    return _feature(draw, depth + 1) + word + _feature(draw, depth + 1)


class Words(Target, name="words"):
    """Spaces, stopping rules, methods of choosing candidates, scores and priors by name."""

    _GOOD = (
        *(
            "linear",
            "buckets:3",
            "partitions",
            "layerings:4",
            "dags",
            "partial:chains:2",
            "layerings",
        ),
        *("rhat<1.01, ess>400", "edge_rhat<1.1 and difference<0.05", "pc+greedy:6", "gains:3"),
        *("bdeu", "bge", "bic", "uniform", "fair", "modular", "order-modular", "exact", "mcmc"),
    )

    def set_up(self) -> None:
        self.data = arcwise.simulate("asia", 50, seed=1)

    def case(self, draw: random.Random) -> None:
        text: Any = draw.choice(self._GOOD)
        if draw.random() < 0.8:
            place = draw.randrange(len(text) + 1)
            text = text[:place] + hostile.text(draw) + text[place + draw.choice([0, 1, 4]) :]
        if draw.random() < 0.1:
            text = hostile.value(draw)
        readers: list[Callable[[Any], object]] = [
            as_space,
            StoppingRule.parse,
            arcwise.scores.as_score,
            arcwise.priors.as_prior,
            lambda given: arcwise.candidates(self.data, given, threads=1),
            lambda given: arcwise.discretize(self.data, method=given),
            lambda given: arcwise.simulate(given),
            lambda given: arcwise.read(self.data, kinds=given),
            lambda given: arcwise.read(self.data, missing=given),
            lambda given: arcwise.read(self.data, drop=given),
            lambda given: arcwise.read(self.data, discretize=given),
            lambda given: arcwise.read(self.data, identifiers=given),
            lambda given: arcwise.Constraints(tiers=given),
            lambda given: arcwise.priors.EdgeProbabilities(given).terms(self.data.variables),
            lambda given: arcwise.priors.EdgeProbabilities({("asia", "tub"): given}),
            lambda given: arcwise.read(self.data, weights=given),
            lambda given: arcwise.read(self.data, interventions=given),
            lambda given: arcwise.read({"a": [0, 1, 1], "b": given}),
        ]
        draw.choice(readers)(text)


class ConstraintArguments(Target, name="constraints"):
    def set_up(self) -> None:
        self.names = ("a", "b", "c", "d")

    def case(self, draw: random.Random) -> None:
        good: dict[str, list[Any]] = {
            "max_indegree": [1, 2, {"a": 1}, {None: 2, "b": 0}],
            "required_edges": [[("a", "b")], np.eye(4, k=1), {("c", "d")}],
            "forbidden_edges": [[("b", "a")], np.eye(4, k=2)],
            "tiers": [[["a"], ["b", "c"], ["d"]], [["a", "b"], ["c", "d"]], "a, b < c < d"],
        }
        given: dict[str, Any] = {}
        for name in draw.sample(list(good), draw.randint(1, 3)):
            kind = draw.random()
            if kind < 0.5:
                given[name] = draw.choice(good[name])
            elif kind < 0.75:
                given[name] = hostile.value(draw)
            else:
                ends = [*self.names, hostile.text(draw), hostile.value(draw, 2)]
                count = draw.randint(0, 4)
                given[name] = [(draw.choice(ends), draw.choice(ends)) for _ in range(count)]
        constraints = arcwise.Constraints(**given)
        repr(constraints)
        constraints.resolve(self.names)
        arcwise.Model(self.names, lambda node, parents: -float(len(parents)),
                      constraints=constraints, threads=1)  # fmt: skip
