"""A call of every public function and constructor that works, for the fuzzer to change."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any, NamedTuple

import networkx
import numpy as np

import arcwise
from arcwise import (
    algorithms,
    cluster,
    dynamics,
    engines,
    exchange,
    features,
    graphs,
    networks,
    plots,
    priors,
    scores,
    spaces,
)
from arcwise.algorithms.exact_computation import ExactComputation
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.evidence import lower_bound, lower_bounds
from arcwise.statistics.log_estimates import log_mean
from fuzz.subjects import Subjects


class Call(NamedTuple):
    """A function with arguments that it accepts."""

    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: dict[str, Any]


def used(constructor: Callable[..., Any], use: Callable[[Any], object]) -> Callable[..., Any]:
    """Return a function with the parameters of a constructor that also uses what is made."""

    @wraps(constructor, updated=())
    def make_and_use(*positional: Any, **named: Any) -> object:
        return use(constructor(*positional, **named))

    return make_and_use


def _without_edges() -> object:
    """Return what a graph of causal-learn looks like, where that package is not installed."""
    return SimpleNamespace(get_graph_edges=list, get_node_names=lambda: ["a", "b"])


def calls(subjects: Subjects) -> list[Call]:
    """Return a call of each public function, of some more than one."""
    rows = [
        *_posterior_calls(subjects),
        *_model_calls(subjects),
        *_table_calls(subjects),
        *_result_calls(subjects),
        *_part_calls(subjects),
        *_graph_calls(subjects),
    ]
    return [Call(*row) for row in rows]


_Row = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
_FEW: dict[str, Any] = {"threads": 1}
_SHORT = _FEW | {"steps": 60, "thinning": 5, "chains": 2}


def _posterior_calls(its: Subjects) -> list[_Row]:
    small = its.small
    quiet = _FEW | {"progress": None}
    return [
        (arcwise.mcmc, (small,), {"space": "linear", **_SHORT}),
        (arcwise.mcmc, (small,), {"space": "partitions", "effective_samples": 5.0, **_FEW}),
        (arcwise.mc3, (small,), {"space": "linear", "temperatures": 3, **_SHORT}),
        (arcwise.ais, (small,), {"space": "linear", "particles": 5, "steps": 10, **_FEW}),
        (arcwise.smc, (small,), {"space": "linear", "particles": 8, "runs": 2, **_FEW}),
        (arcwise.sample, (small,), _SHORT),
        (arcwise.exact, (small,), {"dags": 5, "device": None, **_FEW}),
        (arcwise.map, (small,), {"method": "search", "restarts": 2, "patience": 2, **_FEW}),
        (arcwise.evidence, (small, "ais"), {"particles": 5, "steps": 10, **_FEW}),
        (arcwise.evidence, (small, "bridge"), {"particles": 3, "runs": 2, "steps": 9, **_FEW}),
        (arcwise.evidence, (small, "bennett"), {"particles": 3, "runs": 2, "steps": 99, "draws": 9,
                                                **_FEW}),
        (arcwise.compare_models, ([small, small],), _FEW),
        (arcwise.learn, (its.data,), {"max_indegree": 1, **quiet}),
        (arcwise.learn, (its.data,), {"max_indegree": 1, "algorithm": "mcmc", "steps": 60,
                                      **quiet}),
        (arcwise.learn, (its.incomplete,), {"missing": "impute", "completions": 4, **quiet}),
        (arcwise.learn, (its.mixed,), {"kinds": {"c": "ordinal"}, **quiet}),
        (arcwise.learn, (its.series,), quiet),
        (arcwise.learn, (its.table,), {"parent_only": ["c"], "device": "auto", **quiet}),
        (arcwise.cross_validate, (its.table, "a"), {"folds": 2, "max_indegree": 1, **quiet}),
        (arcwise.resume, (its.run,), _FEW),
        (arcwise.status, (its.run,), {}),
        (algorithms.reverse_annealing, (small,), {"particles": 5, "steps": 9, **_FEW}),
        (algorithms.ExactSampler, (small,), {"tolerance": 1e-8, **_FEW}),
        (algorithms.GivenOrder, (small, ["a", "b", "c"]), _FEW),
        (algorithms.ancestor_probabilities, (small,), _FEW),
        (algorithms.exact_cost, (small,), _FEW),
        (algorithms.growth_memory, (20, 5), {}),
        (algorithms.importance_weighted_dags, (small, 10), {"seed": 1, **_FEW}),
        (algorithms.samples_for, (0.1, 0.1), {}),
        (algorithms.unique_dags, (small,), {"steps": 40, "thinning": 5, "chains": 1,
                                            "most_dags": 20, **_FEW}),
        (algorithms.Deadline, (5.0,), {}),
        (ExactComputation(small).dags, (5,), {"seed": 1}),
        (algorithms.GivenOrder(small, ["a", "b", "c"], threads=1).dags, (5,), {"seed": 1}),
        (ScoreSums, (small,), {"method": "table", "tolerance": 1e-9, **_FEW}),
        (its.sums.sample, ("a",), {"size": 3, "seed": 1}),
        (its.sums.log_sum, ("a",), {"allowed": ["b"]}),
        (its.sums.best, ("a",), {"allowed": ["b"]}),
        (engines.batch, (id, [[1], [1, 2]]), {}),
        (used(engines.opened_engine, _entered), (None,), {}),
        (used(cluster.SecureAddress, lambda made: made.security()),
         ("tls://127.0.0.1:1", its.score_file, its.score_file, its.score_file), {}),
    ]  # fmt: skip


def _model_calls(its: Subjects) -> list[_Row]:
    return [
        (arcwise.Model, (its.data,), {"max_indegree": 1, **_FEW}),
        (arcwise.Model, (its.mixed,), {"parent_only": ["c"], **_FEW}),
        (arcwise.score, (its.data,), {"max_indegree": 1, "device": "auto", **_FEW}),
        (arcwise.candidates, (its.data,), {"method": "greedy", "size": 2, **_FEW}),
        (arcwise.candidates, (its.data,), {"method": "pc", "alpha": 0.1, **_FEW}),
        (arcwise.candidates, (its.mixed,), {"method": "pc", **_FEW}),
        (arcwise.grow, (its.data,), {"max_size": 3, "restarts": 1, **_FEW}),
        (used(arcwise.Constraints, lambda made: made.resolve(["a", "b", "c"])),
         (), {"required_edges": [("a", "b")], "parent_only": ["a"]}),
    ]  # fmt: skip


def _table_calls(its: Subjects) -> list[_Row]:
    columns = its.table.columns
    return [
        (arcwise.read, ({"a": [0, 1, 1], "b": [1, 0, 1]},), {}),
        (arcwise.read, ({"a": [0, None, 1], "b": [1.5, 0, None]},), {"missing": "impute"}),
        (arcwise.read, (np.zeros((4, 2), int),), {"names": ["a", "b"], "constant": "keep"}),
        (arcwise.read, (its.mixed,), {"kinds": {"c": "ordinal"}}),
        (arcwise.describe, (its.data,), {}),
        (arcwise.discretize, (its.reals,), {"bins": 3}),
        (arcwise.simulate, ("asia",), {"rows": 10, "seed": 1}),
        (arcwise.Data, (columns,), {"weights": [1.0] * 12}),
        (arcwise.time_series, (its.panel,), {"time": "t", "subject": "who", "lags": 2}),
        (arcwise.time_series, (its.panel,),
         {"time": "t", "subject": "who", "common_lags": 3, "gaps": "split", "within": False}),
    ]  # fmt: skip


def _result_calls(its: Subjects) -> list[_Row]:
    exact, sampled = its.exact, its.sampled
    effect = arcwise.effects(exact, "X0", "X1")
    return [
        (arcwise.diagnose, (sampled,), {}),
        (arcwise.compare, (exact, exact), {}),
        (arcwise.compare, (exact, its.dag), {}),
        (arcwise.estimate, (exact, "X0 -> X1"), {}),
        (arcwise.summary_graph, (exact, "median"), {"threshold": 0.5}),
        (arcwise.effects, (exact,), {"draws": 2, "seed": 1}),
        (arcwise.effects, (exact, "X0", "X1"), {"draws": 2, "seed": 1}),
        (arcwise.effects, (its.discrete, "a", "b"), {"reference": 0, "draws": 2}),
        (arcwise.effects, (its.continuous_and_discrete, "c", "x"), {"reference": 0, "draws": 2}),
        (arcwise.predict, (exact, its.reals, "X0"), {"draws": 2, "level": 0.9}),
        (arcwise.predict, (its.continuous_and_discrete, {"x": [0.5, None]}, "c"), {"draws": 2}),
        (arcwise.interventional, (its.discrete, "a", {"b": 1}), {"draws": 1}),
        (arcwise.log_predictive, (exact, its.reals), {"joint": True}),
        (arcwise.log_predictive, (its.covariates, its.table), {}),
        (arcwise.impulse_response, (its.in_time, "x", "y"),
         {"steps": 2, "draws": 2, "hold": True, "reference": 0}),
        (arcwise.impulse_response, (its.moving, "u", "v"), {"steps": 2, "draws": 2}),
        (arcwise.forecast, (its.in_time, its.panel),
         {"time": "t", "subject": "who", "level": 0.9, "draws": 2}),
        (arcwise.forecast, (its.moving, its.waves), {"time": "t", "draws": 2}),
        (dynamics.learn_steps, (its.series,), {"dags": 5, "progress": None, **_FEW}),
        (dynamics.lagged_edges, (its.in_time,), {"threshold": 0.1}),
        (dynamics.process_graph, (its.in_time,), {"threshold": 0.1}),
        (arcwise.report, (exact, "page.html"), {"title": "a", "data_description": "b"}),
        (arcwise.draw, (its.in_time, "network.svg"), {"threshold": 0.5, "process": True}),
        (plots.agreement, (sampled,), {"chains": (0, 1)}),
        (plots.edge_matrix, (exact,), {}),
        (plots.effect, (effect,), {"level": 0.9, "label": "a"}),
        (plots.effect, ([0.1, 0.2, 0.3],), {"weights": [1.0, 2.0, 3.0]}),
        (plots.forest, (exact,), {"most": 3}),
        (plots.network, (exact,), {"threshold": 0.5}),
        (plots.ranks, (sampled,), {}),
        (plots.roc, (exact, its.dag), {}),
        (plots.round_trips, (its.tempered,), {}),
        (plots.traces, (sampled,), {}),
        (exchange.to_arviz, (sampled,), {"edges": "uncertain"}),
        (exchange.from_causal_learn, (_without_edges(),), {}),
        (exchange.from_equations, ("b ~ a; c ~ k*b",), {"variables": ["a", "b", "c"]}),
        (exchange.from_pgmpy, (networkx.DiGraph([("a", "b")]),), {}),
        (exchange.mean_network, (exact.map_dag, exact.model), {}),
        (exchange.to_causal_learn, (its.dag,), {}),
        (exchange.to_equations, (its.dag,), {}),
        (exchange.to_dot, (exact,), {"threshold": 0.5, "on": "direction"}),
        (exchange.to_gml, (exact,), {"threshold": 0.5}),
        (exchange.to_networkx, (exact,), {"threshold": 0.5}),
        (exchange.to_pandas, (exact,), {"threshold": 0.5}),
        (exchange.to_pgmpy, (its.dag,), {}),
        (exchange.to_polars, (exact,), {"threshold": 0.5}),
        (lower_bound, (np.log([1.0, 2.0, 3.0, 4.0]), 2, 0.9), {}),
        (lower_bounds, (np.log([1.0, 2.0, 3.0, 4.0]),), {}),
        (log_mean, (np.log([1.0, 2.0, 3.0, 4.0]),), {}),
    ]  # fmt: skip


def _part_calls(its: Subjects) -> list[_Row]:
    """Scores, priors, spaces and features, each also used."""

    def scored(data: Any) -> Callable[[Any], object]:
        return lambda made: arcwise.Model(data, made, max_indegree=1, threads=1)

    def weighed(made: Any) -> object:
        return arcwise.Model(its.table, prior=made, threads=1)

    def sampled(made: Any) -> object:
        return arcwise.mcmc(its.small, made, **_SHORT)

    def estimated(made: Any) -> object:
        return its.discrete.estimate(made)

    edge = features.Edge("a", "b")
    marginals = {name: {0: 0.5, 1: 0.5} for name in "abc"}
    terms = (np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)))
    square = np.eye(2)
    return [
        (used(scores.BDeu, scored(its.data)), (), {"equivalent_sample_size": 1.0}),
        (used(scores.BDe, scored(its.table)), (marginals,), {"equivalent_sample_size": 1.0}),
        (used(scores.BGe, scored(its.reals)), (),
         {"alpha_mu": 1.0, "alpha_w": 9.0, "prior_mean": 0.0, "prior_scale": 1.0}),
        (used(scores.BIC, scored(its.data)), (), {}),
        (used(scores.ConditionalGaussian, scored(its.mixed)), (),
         {"equivalent_sample_size": 1.0, "alpha_mu": 1.0, "alpha_w": 9.0,
          "prior_moments": (np.zeros(3), np.ones(3))}),
        (used(scores.DegenerateGaussian, scored(its.mixed)), (),
         {"alpha_mu": 1.0, "alpha_w": 9.0}),
        (used(scores.FunctionScore, scored(its.table)), (lambda node, parents: -1.0,), {}),
        (used(scores.as_score, scored(its.table)), ("bdeu",), {"data": its.table}),
        (scores.read_scores, (its.score_file,), {}),
        (scores.DirichletPrior, (1.0,), {"marginals": [[0.5, 0.5]]}),
        (scores.NormalWishart, (1.0, 4.0, np.zeros(2), square), {}),
        (scores.RegressionPrior, (1.0, 4.0, np.zeros(2), square), {}),
        (used(priors.DistanceToDag, weighed), (graphs.Dag(["a", "b", "c"], {"b": ["a"]}), 0.5), {}),
        (used(priors.EdgePenalty, weighed), (1.0,), {}),
        (used(priors.EdgeProbabilities, weighed), ({("a", "b"): 0.9},), {"base": "fair"}),
        (used(priors.EdgeWeights, weighed), ({("a", "b"): 2.0},), {}),
        (used(priors.Fair, weighed), (), {}),
        (used(priors.FunctionPrior, weighed), (lambda node, parents: -1.0,), {}),
        (used(priors.Product, weighed), ((priors.Fair(), priors.Sparse(1.0)),), {}),
        (used(priors.Sparse, weighed), (), {"expected_parents": 1.0}),
        (used(priors.Uniform, weighed), (), {}),
        (used(priors.as_prior, weighed), ("sparse:2",), {}),
        (priors.PriorTerms, terms, {}),
        (used(spaces.BucketOrders, sampled), (2,), {}),
        (used(spaces.CanonicalOrders, sampled), (), {"numbering": ["b", "a", "c"]}),
        (used(spaces.Layerings, sampled), (),
         {"max_size": 2, "partition_moves": 2, "moves": {"swap": 1.0, "relocate": 1}}),
        (used(spaces.LinearOrders, sampled), (), {"moves": {"swap": 1.0}}),
        (used(spaces.PartialOrders, sampled), ([("a", "b")],), {}),
        (used(spaces.Partitions, sampled), (), {"moves": None}),
        (used(spaces.Dags, sampled), (), {"moves": {"add or delete": 1.0}}),
        (used(spaces.as_space, sampled), ("buckets:2",), {}),
        (used(features.And, estimated), ((edge, edge),), {}),
        (used(features.Or, estimated), ((edge, edge),), {}),
        (used(features.Not, estimated), (edge,), {}),
        (used(features.Blanket, estimated), ("a", ["b"]), {}),
        (used(features.Comparison, estimated), (features.NumberOfEdges(), ">=", 2.0), {}),
        (used(features.Conditional, estimated), (edge, edge), {}),
        (used(features.CpdagEdge, estimated), ("a", "b"), {"directed": False}),
        (used(features.Edge, estimated), ("a", "b"), {}),
        (used(features.FunctionOfDag, estimated), (lambda dag: 1.0,), {"is_event": True}),
        (used(features.InBlanket, estimated), ("a", "b"), {}),
        (used(features.NumberOfEdges, estimated), (), {}),
        (used(features.ParentSet, estimated), ("a", ["b"]), {}),
        (used(features.Path, estimated), ("a", "b"), {"max_length": 2}),
        (used(features.SkeletonEdge, estimated), ("a", "b"), {}),
        (used(features.VStructure, estimated), ("a", "b", "c"), {}),
        (used(features.as_feature, estimated), ("a -> b", ["a", "b", "c"]), {"given": "a -- b"}),
        (used(features.parse, estimated), ("a -> b", ["a", "b", "c"]), {}),
        (used(features.path_through, estimated), ("a", "b", "c"), {}),
    ]  # fmt: skip


def _graph_calls(its: Subjects) -> list[_Row]:
    dag = its.dag
    other = graphs.Dag(["u", "v", "w"], {"v": ["u"], "w": ["v"]})
    regression = networks.Regression([0.0, 1.0], None, 1.0)
    return [
        (graphs.Dag, (["a", "b"],), {"parents": {"b": ["a"]}}),
        (graphs.Cpdag, (["a", "b"],), {"directed": [("a", "b")], "undirected": []}),
        (graphs.compare, (dag, dag), {}),
        (graphs.cpdag, (dag,), {}),
        (graphs.skeleton, (dag,), {}),
        (graphs.structural_hamming_distance, (dag, dag), {}),
        (graphs.v_structures, (dag,), {}),
        (graphs.linear_extensions, (dag,), {"budget": 1000}),
        (graphs.linear_extensions, (dag,), {"estimate": True, "sets": 5, "runs": 2, **_FEW}),
        (networks.random_dag, (5,), {"edge_probability": 0.3, "seed": 1}),
        (networks.random_dag, (5,), {"expected_degree": 1.0}),
        (networks.discrete_network, (dag,), {"levels": 2, "concentration": 1.0}),
        (networks.gaussian_network, (dag,), {"weights": (0.1, 1.0), "variance": 1.0}),
        (networks.conditional_gaussian_network, (other, {"u": 2}),
         {"concentration": 1.0, "shift": 1.0, "variance": 1.0}),
        (used(networks.DiscreteNetwork, _drawn), (graphs.Dag(["a"], {}), {"a": (0, 1)},
                                                  {"a": [0.5, 0.5]}), {}),
        (used(networks.GaussianNetwork, _drawn), (graphs.Dag(["a"], {}), [[0.0]]),
         {"intercepts": 0.0, "variances": 1.0}),
        (used(networks.ConditionalGaussianNetwork, _drawn),
         (graphs.Dag(["a", "x"], {"x": ["a"]}), {"a": (0, 1)}, {"a": [0.5, 0.5]},
          {"x": regression}), {}),
        (used(networks.Regression, lambda made: _drawn(networks.ConditionalGaussianNetwork(
            graphs.Dag(["a", "x"], {"x": ["a"]}), {"a": (0, 1)}, {"a": [0.5, 0.5]}, {"x": made}))),
         ([0.0, 1.0],), {"coefficients": None, "variances": 1.0}),
        (networks.asia, (), {}),
        (networks.asia().sample, (5,), {"seed": 1}),
        (its.gaussian.sample, (5,), {"interventions": {"X0": 1.0}}),
    ]  # fmt: skip


def _drawn(network: Any) -> object:
    return network.sample(5, seed=1)


def _entered(opened: Any) -> object:
    with opened as engine:
        return engine
