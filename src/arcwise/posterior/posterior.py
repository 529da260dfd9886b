"""`Posterior`: the result of any algorithm, exact or sampled."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, FileFormatError
from arcwise.features import AnyFeature
from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.model.model import Modularity, Provenance
from arcwise.posterior import concatenation, consensus, estimation, files
from arcwise.posterior.completions import Completions
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.estimate import Estimate
from arcwise.posterior.evidence import Evidence
from arcwise.posterior.matrices import (
    Adjacency,
    FeatureMatrix,
    Relation,
    ThresholdOn,
    adjacencies,
    direction_columns,
    pair_columns,
)
from arcwise.posterior.summary import posterior_html, summary_of
from arcwise.posterior.summary_graphs import SummaryGraph, summary_graph
from arcwise.records.account import Account
from arcwise.records.chain_record import Traces
from arcwise.records.runs import AnyRun
from arcwise.scores import FamilyScores
from arcwise.support.checks import file_path, real_numbers
from arcwise.support.files import write_json, write_table
from arcwise.support.names import as_list, checked_variables, positions
from arcwise.support.plain import plain_dict

if TYPE_CHECKING:
    from arcwise.comparison import PosteriorComparison
    from arcwise.diagnostics.diagnosis import Diagnosis
    from arcwise.model import Model

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """A posterior over DAGs: probabilities of edges and parent sets, evidence, and DAGs.

    Attributes that an algorithm does not compute are None: exact results have no standard
    errors, and sampled results have no probabilities of parent sets and no bound on rounding
    errors.

    Parameters
    ----------
    variables
        The names of the nodes.
    modularity
        The posterior that was computed: under the modular or the order-modular prior.
    run
        The settings, cost and diagnostics of the computation: an `ExactRun`, `ChainRun`,
        `AnnealingRun`, `MergedRun`, `UniqueDagsRun` or `ImputationRun`.
    edges
        The probability of each edge, as [source, target].
    evidence
        The log evidence (marginal likelihood), with its standard error and bounds.
    map_dag
        The DAG with the highest posterior probability (modular prior) that was found.
    map_log_weight
        Its unnormalised log posterior: log prior plus log marginal likelihood.
    map_probability
        Its probability.
    error
        A bound on, or estimate of, the absolute rounding error of a probability.
    family_probabilities
        The probability of each parent set of each node.
    edge_errors
        The Monte Carlo standard error of each edge probability, as [source, target].
    adjacency_errors
        That of the probability of an edge in either direction, as [one, other].
    chain_edges
        The edge probabilities of each chain, as [chain, source, target], if chains average
        them.
    paths
        The exact probability of a directed path for each pair of variables, as
        [source, target], if it was requested; otherwise paths are estimated from the
        sampled DAGs.
    dags
        The sampled DAGs.
    traces
        The unnormalised log posterior along each chain.
    account
        What `learn` chose and why, and the reliability of the result; None if the user chose.
    provenance
        The model and the data.
    model
        The model from which it was computed; None if it is not available: the posterior was
        loaded from a file, unpickled, or resumed from a run directory, none of which contain
        the data; or it is averaged over completed tables.
    completions
        The completed tables over which it is averaged, if values were missing.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> posterior = arcwise.exact(model)
    >>> posterior.edge_table()[0][2] > 0.49
    True
    """

    variables: tuple[str, ...]
    modularity: Modularity
    run: AnyRun
    edges: NDArray[np.float64]
    evidence: Evidence | None = None
    map_dag: Dag | None = None
    map_log_weight: float | None = None
    map_probability: float | None = None
    error: float | None = None
    family_probabilities: FamilyScores | None = None
    edge_errors: NDArray[np.float64] | None = None
    adjacency_errors: NDArray[np.float64] | None = None
    chain_edges: NDArray[np.float64] | None = None
    paths: NDArray[np.float64] | None = None
    dags: DagSample | None = None
    traces: Traces | None = None
    account: Account | None = None
    provenance: Provenance = field(default_factory=Provenance)
    model: Model | None = None
    completions: Completions | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", checked_variables(self.variables))
        n = len(self.variables)
        for name in ("edges", "edge_errors", "adjacency_errors", "chain_edges", "paths"):
            if getattr(self, name) is None and name != "edges":
                continue
            matrix = real_numbers(getattr(self, name), name)
            chains = (max(1, *matrix.shape[:1], 0),) if name == "chain_edges" else ()
            shape = (*chains, n, n)
            if matrix.shape != shape:
                raise ArgumentError(f"{name} has the shape {matrix.shape}; give {shape}")
            object.__setattr__(self, name, matrix)
        for name in ("map_dag", "family_probabilities", "dags"):
            part = getattr(self, name)
            if part is not None and tuple(part.variables) != tuple(self.variables):
                raise ArgumentError(
                    f"{name} has different variables from the posterior; give the same variables "
                    "in the same order"
                )
        if self.map_dag is None and (self.map_log_weight, self.map_probability) != (None, None):
            raise ArgumentError(
                "map_log_weight or map_probability was given without the DAG; give map_dag too"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the model, which contains the data and functions that cannot be pickled."""
        return self.__dict__ | {"model": None}

    def __repr__(self) -> str:
        """Show the algorithm, the modularity and the size."""
        parts = [self.algorithm, self.modularity, f"{len(self.variables)} variables"]
        if self.dags is not None:
            parts.append(f"{len(self.dags)} DAGs")
        if self.evidence is not None:
            parts.append(f"log evidence {self.evidence.log_evidence:.6f}")
        if self.account is not None:
            parts.append(self.account.verdicts)
        return f"<Posterior: {', '.join(parts)}>"

    _repr_html_ = posterior_html

    @property
    def algorithm(self) -> str:
        """The algorithm: "exact", "mcmc", "mc3", "ais", "smc", "unique-dags" or "imputation"."""
        return self.run.algorithm.value

    @property
    def log_evidence(self) -> float | None:
        """The log evidence (marginal likelihood) of the data under the normalised prior."""
        return None if self.evidence is None else self.evidence.log_evidence

    @property
    def log_prior_constant(self) -> float | None:
        """The log normalising constant of the prior."""
        return None if self.evidence is None else self.evidence.log_prior_constant

    @property
    def parent_only(self) -> tuple[str, ...]:
        """The variables that have children only, and on which everything is conditional."""
        return tuple(self.provenance.constraints.get("parent_only", ()))

    def edge_probability(self, source: str, target: str) -> float:
        """Return the probability of the edge from source to target."""
        u, v = positions([source, target], self.variables, "the edge")
        return float(self.edges[u, v])

    def edge_table(self) -> list[tuple[str, str, float]]:
        """Return every directed edge (source, target, probability), the most probable first."""
        columns = direction_columns(self)
        probabilities = columns["probability"].tolist()
        return list(zip(columns["source"], columns["target"], probabilities, strict=True))

    def adjacencies(self, threshold: float = 0.0, most: int | None = None) -> list[Adjacency]:
        """Return the pairs of variables by decreasing probability of an edge between them.

        Each has the probability of an edge in either direction and of each direction, and
        their standard errors, if they are known.

        Parameters
        ----------
        threshold, most
            The smallest probability of the pairs to list, and their maximum number; None for all.
        """
        return adjacencies(self, threshold, most)

    def probability(self, feature: AnyFeature, given: AnyFeature | None = None) -> float:
        """Return the probability of a feature.

        Parameters
        ----------
        feature, given
            As for `estimate`.
        """
        return self.estimate(feature, given).value

    def estimate(self, feature: AnyFeature, given: AnyFeature | None = None) -> Estimate:
        """Return the probability of a feature, its standard error, and whether it is exact.

        Exact probabilities, and means of them, are used where possible: for edges, edges
        in either direction and the number of edges, and in exact posteriors for every event
        determined by the parents of one node. Other features are estimated from the
        sampled DAGs.

        Parameters
        ----------
        feature
            Text such as ``"a ~> b and not a -> b"`` (see `arcwise.features.parse`),
            an edge as a pair (source, target), a feature of `arcwise.features`, or a
            function of a `Dag` that returns a Boolean (or a number, whose mean is then
            estimated).
        given
            An event to condition on, in any of the same forms.

        Examples
        --------
        >>> import arcwise
        >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
        >>> posterior = arcwise.mcmc(model, "partitions", steps=4000, seed=1)
        >>> found = posterior.estimate("smoke ~> dysp", given="bronc -> dysp")
        >>> found.interval.low < found.value < found.interval.high
        True
        """
        return estimation.estimate(self, feature, given)

    def matrix(self, relation: Relation, *, max_length: int | None = None) -> FeatureMatrix:
        """Return the probability of a relation for each pair of nodes, with standard errors.

        Edges, and edges in either direction, are computed from `edges`, and ancestors from
        `paths` if known; other relations are estimated from the sampled DAGs.

        Parameters
        ----------
        relation, max_length
            As for `DagSample.matrix`.

        Examples
        --------
        >>> import arcwise
        >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
        >>> bool(arcwise.exact(model).matrix("skeleton").probabilities[0, 1] > 0.99)
        True
        """
        return estimation.matrix_of_posterior(self, relation, max_length)

    def parent_set_probability(self, node: str, parents: Iterable[str]) -> float:
        """Return the probability that a node has exactly these parents."""
        if self.family_probabilities is None:
            return self.sampled_dags("a parent set").parent_set_probability(node, parents)
        return max(0.0, self.family_probabilities.log_score(node, parents))

    def parent_sets(self, node: str, count: int = 5) -> list[tuple[tuple[str, ...], float]]:
        """Return the most probable parent sets of a node and their probabilities."""
        if self.family_probabilities is None:
            return self.sampled_dags("a parent set").parent_sets(node, count)
        return self.family_probabilities.best(node, count)

    def sampled_dags(self, feature: str) -> DagSample:
        """Return the sampled DAGs, or refuse a feature that needs them."""
        if self.dags is None:
            raise ArgumentError(
                f"the probability of {feature} is estimated from sampled DAGs, but this posterior "
                "has none; use ExactSampler, or a sampler that keeps DAGs"
            )
        return self.dags

    @classmethod
    def concatenate(cls, posteriors: Iterable[Posterior]) -> Posterior:
        """Merge several runs of the same model and modularity into one posterior.

        Chains are weighted by the number of states kept, annealing runs by their
        importance weights; DAGs keep their weights, and chains are numbered
        consecutively. The evidence is the mean of the estimates, and its bounds are the
        best of their bounds, with a correspondingly lower confidence. Traces with different
        thinning are left out. The runs are the parts of a `MergedRun`.

        Parameters
        ----------
        posteriors
            Posteriors of `mcmc` and `mc3`, or of `ais` on one space, with different seeds.

        Examples
        --------
        >>> import arcwise
        >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
        >>> runs = [arcwise.mcmc(model, "partitions", steps=4000, seed=seed) for seed in (1, 2)]
        >>> Posterior.concatenate(runs)
        <Posterior: mcmc, modular, 8 variables, 8528 DAGs>
        """
        parts = as_list(posteriors, "posteriors", "a list of posteriors")
        for part in parts:
            checked_posterior(part)
        return parts[0] if len(parts) == 1 else cls(**concatenation.merged_fields(parts))

    def __add__(self, other: Posterior) -> Posterior:
        """Merge two runs; see `concatenate`."""
        return Posterior.concatenate([self, other])

    def threshold_graph(self, threshold: float = 0.5) -> consensus.ThresholdGraph:
        """Return the pairs that are adjacent with a probability above a threshold.

        A pair is directed if the probability of one direction also exceeds the threshold. Directed
        edges may contain a cycle, which for thresholds of one half or more has at least three
        nodes; the result reports it.
        """
        return consensus.threshold_graph(self.variables, self.edges, threshold)

    def median_dag(self) -> Dag:
        """Return the DAG of the pairs that are more probably adjacent than not.

        Each has its more probable direction, unless that would close a cycle with more
        probable ones. No graph has a smaller expected number of wrong adjacencies.

        Examples
        --------
        >>> import arcwise
        >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
        >>> arcwise.exact(model).median_dag().edges
        (('a', 'b'),)
        """
        return consensus.median_dag(self.variables, self.edges)

    def summary_graph(
        self, name: SummaryGraph = "median", *, threshold: float = 0.5
    ) -> Dag | Cpdag:
        """Return one graph that summarises the posterior; see `arcwise.summary_graph`."""
        return summary_graph(self, name, threshold=threshold)

    def credible_set(self, level: float = 0.95, *, classes: bool = False) -> consensus.CredibleSet:
        """Return the smallest set of sampled DAGs with at least a given total probability.

        Parameters
        ----------
        level, classes
            As for `DagSample.credible_set`.
        """
        return self.sampled_dags("a whole DAG").credible_set(level, classes=classes)

    def evidence_dict(self) -> dict[str, Any]:
        """Return the evidence, its error and its bounds as plain values."""
        if self.evidence is None:
            raise ArgumentError(
                f"{self.algorithm} does not estimate the evidence; use exact, ais or mc3"
            )
        return plain_dict(
            **self.evidence.as_dict(),
            modularity=self.modularity,
            algorithm=self.algorithm,
            error=self.error,
        )

    def summary_dict(self) -> dict[str, Any]:
        """Return the settings and results of the run as plain values.

        Numbers that are not finite are None, as JSON cannot represent them.
        """
        return summary_of(self)

    def write_edges(self, path: AnyPath) -> None:
        """Write a .csv file with a row for each pair of variables, as in `to_pandas`."""
        columns = pair_columns(self)
        write_table(list(columns), zip(*columns.values(), strict=True), file_path(path, "path"))

    def write_evidence(self, path: AnyPath) -> None:
        """Write `evidence_dict` and the provenance to a .json file."""
        write_json(
            self.evidence_dict() | {"provenance": self.provenance.as_dict()},
            file_path(path, "path"),
        )

    def write_summary(self, path: AnyPath) -> None:
        """Write `summary_dict` to a .json file."""
        write_json(self.summary_dict(), file_path(path, "path"))

    def save(self, path: AnyPath) -> None:
        """Write the posterior to one compressed file, an .npz archive with a JSON header."""
        files.save(self, file_path(path, "path"))

    @classmethod
    def load(cls, path: AnyPath) -> Posterior:
        """Read a posterior from a file written by `save`.

        Raises
        ------
        FileFormatError
            If the file is damaged, or of a newer format.
        """
        file = file_path(path, "path")
        try:
            return cls(**files.load(file))
        except ArgumentError:
            raise FileFormatError(files.lacks_parts(file)) from None

    def diagnose(self) -> Diagnosis:
        """Assess the reliability, with advice if it is poor; see `arcwise.diagnose`."""
        from arcwise.diagnostics.diagnose import diagnose

        return diagnose(self)

    def report(
        self, path: AnyPath, *, title: str | None = None, data_description: str | None = None
    ) -> Path:
        """Write an HTML report; see `arcwise.report`."""
        from arcwise.report.page import report

        return report(self, path, title=title, data_description=data_description)

    def draw(self, path: AnyPath, **options: Any) -> Path:
        """Write a picture of the network to an .svg, .pdf or .png file; see `arcwise.draw`."""
        from arcwise.plots.draw import draw

        return draw(self, path, **options)

    def to_networkx(self, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> Any:
        """Return a networkx DiGraph of the probable edges; see `arcwise.exchange.to_networkx`."""
        from arcwise.exchange.graphs import to_networkx

        return to_networkx(self, threshold, on=on)

    def to_pandas(self, threshold: float = 0.0, *, on: ThresholdOn = "adjacency") -> Any:
        """Return a pandas DataFrame of the edges; see `arcwise.exchange.to_pandas`."""
        from arcwise.exchange.graphs import to_pandas

        return to_pandas(self, threshold, on=on)

    def to_polars(self, threshold: float = 0.0, *, on: ThresholdOn = "adjacency") -> Any:
        """Return a polars DataFrame of the edges; see `arcwise.exchange.to_pandas`."""
        from arcwise.exchange.graphs import to_polars

        return to_polars(self, threshold, on=on)

    def to_arviz(self, *, edges: Literal["all", "uncertain"] = "all") -> Any:
        """Return the sampled DAGs as an xarray DataTree; see `arcwise.exchange.to_arviz`."""
        from arcwise.exchange.arviz import to_arviz

        return to_arviz(self, edges=edges)

    def to_dot(self, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> str:
        """Return the probable edges as Graphviz DOT text; see `arcwise.exchange.to_dot`."""
        from arcwise.exchange.graphs import to_dot

        return to_dot(self, threshold, on=on)

    def to_gml(self, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> str:
        """Return the probable edges as GML text; see `arcwise.exchange.to_gml`."""
        from arcwise.exchange.graphs import to_gml

        return to_gml(self, threshold, on=on)

    def compare(self, truth: Any) -> PosteriorComparison:
        """Compare with a known DAG, in any form of a graph; see `arcwise.compare`."""
        from arcwise.comparison.known_graph import compare_with_graph

        return compare_with_graph(self, truth)


def checked_posterior(value: Any) -> Posterior:
    """Return a posterior, or refuse anything else."""
    if not isinstance(value, Posterior):
        raise ArgumentError(f"posterior is of type {type(value).__name__}; give a Posterior")
    return value
