"""Exchange with pgmpy: DAGs, networks with their parameters, and structural equations.

Equations such as ``y ~ x + z`` are the language of lavaan, pathmc and pgmpy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs import foreign
from arcwise.graphs.dag import Dag, with_edges_of
from arcwise.networks import DiscreteNetwork, GaussianNetwork
from arcwise.support.checks import instance
from arcwise.support.edges import is_graph
from arcwise.support.names import as_list, quoted, shown
from arcwise.support.optional import optional

# The names that all of these programs accept.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TERM = re.compile(rf"(?:{_NAME.pattern}\s*\*\s*)?({_NAME.pattern})")


def to_equations(dag: Dag) -> str:
    """Return a DAG as structural equations, one line for each variable that has parents.

    ``lavaan::sem`` (R), ``pathmc.model`` and ``pgmpy.base.DAG.from_lavaan`` read them.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag``. Variables without edges are not in any equation.

    Raises
    ------
    ArgumentError
        If a variable's name has other characters than letters, digits and ``_``.

    Examples
    --------
    >>> print(to_equations(Dag(["x", "m", "y"], {"m": ["x"], "y": ["x", "m"]})))
    m ~ x
    y ~ x + m
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    wrong = [name for name in dag.variables if not _NAME.fullmatch(name)]
    if wrong:
        raise ArgumentError(
            f"dag has variables that equations cannot name, {quoted(wrong)}; rename them with "
            "letters, digits and '_'"
        )
    parents = {name: dag.parents(name) for name in dag.variables}
    return "\n".join(f"{name} ~ {' + '.join(each)}" for name, each in parents.items() if each)


def from_equations(equations: str, variables: Iterable[str] | None = None) -> Dag:
    """Return the DAG of structural equations.

    Parameters
    ----------
    equations
        Lines (or parts separated by ``;``) such as ``y ~ x + b*z``. Labels of coefficients,
        intercepts, comments and definitions (``:=``) are left out.
    variables
        The names of the nodes in their order; None for those in the equations, in the order of
        their first occurrence.

    Raises
    ------
    ArgumentError
        If there are other parts, such as latent variables and covariances, or a cycle.

    Examples
    --------
    >>> from_equations("m ~ a*x; y ~ b*m + c*x; indirect := a*b")
    Dag(3 variables, 3 edges: x -> m, x -> y, m -> y)
    """
    if not isinstance(equations, str):
        raise ArgumentError(f"equations is {shown(equations)}; give a text such as 'y ~ x + z'")
    edges: list[tuple[str, str]] = []
    # A line that begins with + continues the one before.
    text = re.sub(r"\n\s*\+", " +", re.sub(r"#[^\n]*", "", equations))
    for part in filter(None, map(str.strip, re.split(r"[;\n]", text))):
        if ":=" in part:
            continue
        target, sign, rest = (each.strip() for each in part.partition("~"))
        terms = [term.strip() for term in rest.split("+")]
        matches = [_TERM.fullmatch(term) for term in terms if term not in ("0", "1")]
        if not sign or not _NAME.fullmatch(target) or not all(matches):
            raise ArgumentError(
                f"equations holds {shown(part)}; give equations such as 'y ~ x + z', without "
                "latent variables, covariances and functions"
            )
        edges += [(match[1], target) for match in matches if match]
    names = (
        dict.fromkeys(name for edge in edges for name in edge)
        if variables is None
        else as_list(variables, "variables", "a list of names")
    )
    return Dag.from_edges(names, edges)


def to_pgmpy(graph: Dag | DiscreteNetwork | GaussianNetwork) -> Any:
    """Return a DAG, or a network with its parameters, as an object of pgmpy.

    Parameters
    ----------
    graph
        A `Dag`, such as ``posterior.map_dag``, which becomes a ``pgmpy.base.DAG``; a
        `DiscreteNetwork` or `GaussianNetwork`, such as `mean_network` returns, which becomes a
        ``DiscreteBayesianNetwork`` or a ``LinearGaussianBayesianNetwork``.

    Examples
    --------
    >>> import arcwise
    >>> posterior = arcwise.learn(arcwise.simulate("asia", 500, seed=1), seed=1)
    >>> network = arcwise.exchange.mean_network(posterior.map_dag, posterior.model)
    >>> to_pgmpy(network).check_model()  # doctest: +SKIP
    True
    """
    if isinstance(graph, DiscreteNetwork):
        return _discrete(graph)
    if isinstance(graph, GaussianNetwork):
        return _gaussian(graph)
    return foreign.to_pgmpy(graph)


def _empty(kind: str, dag: Dag) -> Any:
    return with_edges_of(dag, getattr(optional("pgmpy.models", "to_pgmpy"), kind)())


def _discrete(network: DiscreteNetwork) -> Any:
    table_of = optional("pgmpy.factors.discrete", "to_pgmpy").TabularCPD
    result = _empty("DiscreteBayesianNetwork", network.dag)
    for name in network.dag.variables:
        parents = network.dag.parents(name)
        levels = {each: list(network.levels[each]) for each in (name, *parents)}
        own = len(levels[name])
        result.add_cpds(
            table_of(
                name,
                own,
                # One column for each configuration of the parents, the last of which varies first.
                network.tables[name].reshape(-1, own).T,
                evidence=list(parents) or None,
                evidence_card=[len(levels[parent]) for parent in parents] or None,
                state_names=levels,
            )
        )
    return result


def _gaussian(network: GaussianNetwork) -> Any:
    law_of = optional("pgmpy.factors.continuous", "to_pgmpy").LinearGaussianCPD
    dag = network.dag
    result = _empty("LinearGaussianBayesianNetwork", dag)
    for node, name in enumerate(dag.variables):
        weights = network.weights[list(dag.parent_indices[node]), node]
        result.add_cpds(
            law_of(
                name,
                [network.intercepts[node], *weights],
                float(np.sqrt(network.variances[node])),
                evidence=list(dag.parents(name)),
            )
        )
    return result


def from_pgmpy(graph: Any) -> Dag | DiscreteNetwork | GaussianNetwork:
    """Return a DAG of pgmpy as a `Dag`, or a network with all its parameters as a network.

    Parameters
    ----------
    graph
        A ``pgmpy.base.DAG``, a ``DiscreteBayesianNetwork`` or a
        ``LinearGaussianBayesianNetwork``. Networks without parameters become a `Dag`.

    Examples
    --------
    >>> import networkx
    >>> from_pgmpy(networkx.DiGraph([("a", "b")]))  # or a network of pgmpy
    Dag(2 variables, 1 edge: a -> b)
    """
    if not is_graph(graph):
        raise ArgumentError(
            f"graph is of type {type(graph).__name__}; give a DAG or a Bayesian network of pgmpy"
        )
    dag = Dag.from_networkx(graph)
    laws = {law.variable: law for law in graph.get_cpds()} if hasattr(graph, "get_cpds") else {}
    if not laws:
        return dag
    missing = [name for name in dag.variables if name not in laws]
    if missing:
        raise ArgumentError(
            f"graph has no parameters for {quoted(missing)}; add the distributions of these nodes, "
            "or remove all others"
        )
    if all(hasattr(law, "beta") for law in laws.values()):
        return _read_gaussian(dag, laws)
    if all(hasattr(law, "state_names") for law in laws.values()):
        return _read_discrete(dag, laws)
    raise ArgumentError(
        "graph has distributions other than tables and linear Gaussian ones; give "
        "pgmpy.base.DAG(graph.edges()) for the DAG alone"
    )


def _read_discrete(dag: Dag, laws: dict[str, Any]) -> DiscreteNetwork:
    tables = {}
    for name in dag.variables:
        law = laws[name]
        axes = [law.variables.index(each) for each in (*dag.parents(name), name)]
        tables[name] = np.asarray(law.values, dtype=np.float64).transpose(axes)
    levels = {name: tuple(laws[name].state_names[name]) for name in dag.variables}
    return DiscreteNetwork(dag, levels, tables)


def _read_gaussian(dag: Dag, laws: dict[str, Any]) -> GaussianNetwork:
    n = len(dag.variables)
    place = {name: number for number, name in enumerate(dag.variables)}
    weights = np.zeros((n, n))
    for name in dag.variables:
        for source, weight in zip(laws[name].evidence, laws[name].beta[1:], strict=True):
            weights[place[source], place[name]] = weight
    return GaussianNetwork(
        dag,
        weights,
        [float(laws[name].beta[0]) for name in dag.variables],
        [float(laws[name].std) ** 2 for name in dag.variables],
    )
