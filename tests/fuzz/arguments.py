"""Every argument of every public function, with values of any type and size."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import arcwise
from arcwise import algorithms, graphs, networks, scores, spaces
from arcwise.algorithms.exact_computation import ExactComputation
from arcwise.posterior.lower_bounds import lower_bound, lower_bounds
from arcwise.statistics.log_weights import log_mean
from arcwise.sums import ScoreSums
from fuzz import hostile
from fuzz.harness import Target

# Not options but what a call is about; targets of their own change these.
_SUBJECTS = {"model", "data", "posterior", "source", "progress", "engine", "function"}


class Arguments(Target, name="arguments"):
    share = 3.0
    most_seconds = 0.5  # a hundred million steps are a request like any other

    def set_up(self) -> None:
        data = arcwise.simulate("asia", 60, seed=1)
        gaussian = networks.gaussian_network(networks.random_dag(5, edge_probability=0.5, seed=1))
        reals = gaussian.sample(50, seed=1)
        mixed = arcwise.read({"c": [0, 1, 2, 1] * 5, "x": [0.5 * i * i for i in range(20)]})
        small = arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}, threads=1)
        wide = arcwise.Model(reals, threads=1)
        exact = arcwise.exact(wide, dags=30, threads=1)
        drawn = exact.dags
        assert drawn is not None
        sampled = arcwise.mcmc(small, "partitions", steps=300, chains=2, threads=1)
        sums = ScoreSums(small, threads=1)
        computation = ExactComputation(small, threads=1)
        given = algorithms.GivenOrder(small, ["a", "b", "c"], threads=1)
        dag = drawn[0]
        moving = {
            "t": [1, 2, 3, 4, 5, 6] * 2,
            "who": [1] * 6 + [2] * 6,
            "x": [0, 1, 1, 0, 1, 0] * 2,
        }
        lagged = arcwise.time_series(moving, time="t", subject="who")
        in_time = arcwise.exact(arcwise.Model(lagged, threads=1), dags=10, threads=1)
        few: dict[str, Any] = {"threads": 1}
        short = few | {"steps": 60, "thinning": 5, "chains": 2}
        weights = np.log([1.0, 2.0, 3.0, 4.0])
        self.calls: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
            (arcwise.mcmc, (small,), {"space": "linear", **short}),
            (arcwise.mcmc, (small,), {"space": "partitions", "effective_samples": 5.0, **few}),
            (arcwise.mc3, (small,), {"space": "linear", "temperatures": 3, **short}),
            (arcwise.ais, (small,), {"space": "linear", "particles": 5, "steps": 10, **few}),
            (arcwise.smc, (small,), {"space": "linear", "particles": 8, "runs": 2, **few}),
            (arcwise.sample, (small,), short),
            (arcwise.exact, (small,), {"dags": 5, **few}),
            (arcwise.map, (small,), {"method": "search", "restarts": 2, "patience": 2, **few}),
            (arcwise.evidence, (small, "ais"), {"particles": 5, "steps": 10, **few}),
            (arcwise.evidence, (small, "bridge"), {"particles": 3, "runs": 2, "steps": 9, **few}),
            (
                arcwise.evidence,
                (small, "bennett"),
                {"particles": 3, "runs": 2, "steps": 99, "draws": 9, **few},
            ),
            (arcwise.compare_models, ([small, small],), few),
            (algorithms.reverse_annealing, (small,), {"particles": 5, "steps": 9, **few}),
            (arcwise.grow, (data,), {"max_size": 3, "restarts": 1, **few}),
            (arcwise.learn, (data,), {"max_indegree": 1, "progress": None, **few}),
            (arcwise.learn, (data,), {"max_indegree": 1, "progress": None, "algorithm": "mcmc",
                                      "steps": 60, **few}),
            (arcwise.candidates, (data,), {"method": "greedy", "size": 2, **few}),
            (arcwise.candidates, (data,), {"method": "pc", "alpha": 0.1, **few}),
            (arcwise.score, (data,), {"max_indegree": 1, **few}),
            (arcwise.Model, (data,), {"max_indegree": 1, **few}),
            (arcwise.simulate, ("asia",), {"rows": 10, "seed": 1}),
            (arcwise.discretize, (reals,), {"bins": 3}),
            (arcwise.describe, (data,), {}),
            (arcwise.read, ({"a": [0, 1, 1], "b": [1, 0, 1]},), {}),
            (arcwise.read, ({"a": [0, None, 1], "b": [1.5, 0, None]},), {"missing": "impute"}),
            (arcwise.read, (np.zeros((4, 2), int),), {"names": ["a", "b"], "constant": "keep"}),
            (arcwise.diagnose, (sampled,), {}),
            (arcwise.compare, (exact, exact), {}),
            (arcwise.compare, (exact, dag), {}),
            (arcwise.estimate, (exact, "X0 -> X1"), {}),
            (arcwise.effects, (exact,), {"draws": 2, "seed": 1}),
            (arcwise.effects, (exact, "X0", "X1"), {"draws": 2, "seed": 1}),
            (arcwise.predict, (exact, reals, "X0"), {"draws": 2, "level": 0.9}),
            (arcwise.interventional, (exact, "X0", {"X1": 1.0}), {"draws": 1}),
            (arcwise.log_predictive, (exact, reals), {}),
            (arcwise.time_series, (moving,), {"time": "t", "subject": "who", "lags": 2}),
            (arcwise.time_series, (moving,), {"static": "who", "common_lags": 3, "gaps": "split"}),
            (arcwise.dynamics.learn_steps, (lagged,), {"dags": 5, "progress": None, **few}),
            (arcwise.dynamics.lagged_edges, (in_time,), {"threshold": 0.1}),
            (arcwise.dynamics.process_graph, (in_time,), {"threshold": 0.1}),
            (arcwise.impulse_response, (in_time, "x", "x"), {"steps": 2, "draws": 2, "hold": True}),
            (arcwise.forecast, (in_time, moving), {"time": "t", "subject": "who", "level": 0.9}),
            (exact.edge_table, (), {}),
            (exact.edge_probability, ("X0", "X1"), {}),
            (exact.matrix, ("edge",), {}),
            (exact.credible_set, (), {"level": 0.5}),
            (exact.threshold_graph, (), {}),
            (exact.parent_sets, ("X0",), {}),
            (exact.parent_set_probability, ("X0", ["X1"]), {}),
            (exact.probability, ("X0 -> X1",), {}),
            (exact.estimate, ("X0 ~> X1",), {}),
            (exact.sampled_dags, ("X0 -> X1",), {}),
            (exact.to_dot, (), {}),
            (exact.to_gml, (), {}),
            (drawn.matrix, ("ancestor",), {"max_length": 2}),
            (drawn.parent_sets, ("X0",), {"count": 2}),
            (drawn.estimate, ("edges",), {}),
            (drawn.credible_set, (), {"level": 0.9}),
            (sampled.credible_set, (), {"level": 0.9}),
            (sums.sample, ("a",), {"size": 3, "seed": 1}),
            (sums.log_sum, ("a",), {"allowed": ["b"]}),
            (sums.best, ("a",), {"allowed": ["b"]}),
            (ScoreSums, (small,), {"method": "table", "tolerance": 1e-9, **few}),
            (computation.dags, (5,), {"seed": 1}),
            (given.dags, (5,), {"seed": 1}),
            (ExactComputation, (small,), {"tolerance": 1e-8, **few}),
            (algorithms.GivenOrder, (small, ["a", "b", "c"]), few),
            (algorithms.ExactSampler, (small,), {"tolerance": 1e-8, **few}),
            (algorithms.importance_weighted_dags, (small, 10), {"seed": 1, **few}),
            (algorithms.samples_for, (0.1, 0.1), {}),
            (algorithms.unique_dags, (small,), {"steps": 40, "thinning": 5, "chains": 1,
                                                "most_dags": 20, **few}),
            (algorithms.ancestor_probabilities, (small,), few),
            (networks.random_dag, (5,), {"edge_probability": 0.3, "seed": 1}),
            (networks.random_dag, (5,), {"expected_degree": 1.0}),
            (networks.discrete_network, (dag,), {"levels": 2, "concentration": 1.0}),
            (networks.gaussian_network, (dag,), {"weights": (0.1, 1.0), "variance": 1.0}),
            (networks.asia().sample, (5,), {"seed": 1}),
            (gaussian.sample, (5,), {"interventions": {"X0": 1.0}}),
            (graphs.linear_extensions, (dag,), {"budget": 1000}),
            (graphs.linear_extensions, (dag,), {"estimate": True, "sets": 5, "runs": 2, **few}),
            (graphs.Dag, (["a", "b"],), {"parents": {"b": ["a"]}}),
            (lower_bound, (weights, 2, 0.9), {}),
            (lower_bounds, (weights,), {}),
            (log_mean, (weights,), {}),
            (scores.BDeu, (), {"equivalent_sample_size": 1.0}),
            (scores.BGe, (), {"alpha_mu": 1.0, "alpha_w": 8.0}),
            (scores.ConditionalGaussian, (), {"equivalent_sample_size": 1.0, "alpha_mu": 1.0,
                                              "alpha_w": 8.0}),
            (scores.DegenerateGaussian, (), {"alpha_mu": 1.0, "alpha_w": 8.0}),
            (lambda **given: arcwise.Model(data, scores.BDeu(**given), max_indegree=1, threads=1),
             (), {"equivalent_sample_size": 1.0}),
            (lambda **given: arcwise.Model(reals, scores.BGe(**given), max_indegree=1, threads=1),
             (), {"alpha_mu": 1.0, "alpha_w": 9.0}),
            (lambda **given: arcwise.Model(mixed, scores.ConditionalGaussian(**given), threads=1),
             (), {"equivalent_sample_size": 1.0, "alpha_mu": 1.0, "alpha_w": 9.0}),
            (lambda **given: arcwise.Model(mixed, scores.DegenerateGaussian(**given), threads=1),
             (), {"alpha_mu": 1.0, "alpha_w": 9.0}),
            (arcwise.read, (mixed,), {"kinds": {"c": "ordinal"}}),
            (lambda **given: arcwise.mcmc(small, spaces.BucketOrders(**given), **short),
             (), {"size": 2}),
            (lambda **given: arcwise.mcmc(small, spaces.Layerings(**given), **short),
             (), {"max_size": 2, "partition_moves": 2, "moves": {"swap": 1.0, "relocate": 1}}),
            (lambda **given: arcwise.mcmc(small, spaces.LinearOrders(**given), **short),
             (), {"moves": {"swap": 1.0}}),
            (lambda **given: arcwise.mcmc(small, spaces.PartialOrders(**given), **short),
             (), {"order": [("a", "b")]}),
            (lambda **given: arcwise.mcmc(small, spaces.Dags(**given), **short),
             (), {"moves": {"add": 1.0}}),
        ]  # fmt: skip

    def case(self, draw: random.Random) -> None:
        function, positional, named = draw.choice(self.calls)
        arguments = list(positional)
        options = dict(named)
        known = _options(function, named)
        for _ in range(draw.choice([1, 1, 1, 2])):
            if arguments and draw.random() < 0.15:
                arguments[draw.randrange(len(arguments))] = hostile.value(draw)
            elif known:
                name = draw.choice(known)
                options[name] = hostile.number(draw) if draw.random() < 0.6 else hostile.value(draw)
        function(*arguments, **options)


def _options(function: Callable[..., Any], named: dict[str, Any]) -> list[str]:
    """Return the options of a function that can be given by name."""
    parameters = inspect.signature(function).parameters.values()
    found = {
        each.name for each in parameters if each.kind is each.KEYWORD_ONLY or each.name in named
    }
    return sorted((found | set(named)) - _SUBJECTS - {"directory"})
