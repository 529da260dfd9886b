"""`Posterior`: what a run has found out, whichever algorithm it was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise._names import positions
from arcwise.algorithms.targets import Target
from arcwise.dag import Dag
from arcwise.posterior import files
from arcwise.scores import FamilyScores


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Probabilities of edges and parent sets, the evidence and the best DAG.

    Parameters
    ----------
    variables
        The names of the nodes.
    target
        Which posterior it is: under the modular or the order-modular prior.
    algorithm
        How it was computed, such as ``"exact"``.
    edges
        The probability of each edge, as [source, target].
    log_evidence
        The log probability of the data given the model, the prior normalised.
    log_prior_constant
        The log of the summed prior weights of all DAGs.
    map_dag
        The DAG of the largest modular weight.
    map_log_weight
        Its log weight, prior times likelihood, not normalised.
    map_probability
        Its probability under the target.
    error
        A bound or estimate of the absolute error that rounding left in a probability.
    family_probabilities
        The probability of each parent set of each node.
    provenance
        Settings, version, data fingerprint and timings, as plain values.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> posterior = arcwise.exact(model)
    >>> posterior.edge_table()[0][2] > 0.49
    True
    """

    variables: tuple[str, ...]
    target: Target
    algorithm: str
    edges: NDArray[np.float64]
    log_evidence: float
    log_prior_constant: float
    map_dag: Dag
    map_log_weight: float
    map_probability: float
    error: float
    family_probabilities: FamilyScores
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Say what it is."""
        return (
            f"<Posterior: {self.algorithm}, {self.target}, {len(self.variables)} variables, "
            f"log evidence {self.log_evidence:.6f}>"
        )

    def edge_probability(self, source: str, target: str) -> float:
        """Return the probability of the edge from source to target."""
        u, v = positions([source, target], self.variables, "the edge")
        return float(self.edges[u, v])

    def edge_table(self) -> list[tuple[str, str, float]]:
        """Return every edge (source, target, probability), the most probable first."""
        n = len(self.variables)
        rows = [
            (self.variables[u], self.variables[v], float(self.edges[u, v]))
            for u in range(n)
            for v in range(n)
            if u != v
        ]
        return sorted(rows, key=lambda row: -row[2])

    def parent_set_probability(self, node: str, parents: Iterable[str]) -> float:
        """Return the probability that a node has exactly these parents."""
        return max(0.0, self.family_probabilities.log_score(node, parents))

    def parent_sets(self, node: str, count: int = 5) -> list[tuple[tuple[str, ...], float]]:
        """Return the most probable parent sets of a node and their probabilities."""
        return self.family_probabilities.best(node, count)

    def evidence(self) -> dict[str, Any]:
        """Return the evidence and what belongs to it as plain values."""
        return {
            "log_evidence": self.log_evidence,
            "log_prior_constant": self.log_prior_constant,
            "target": self.target,
            "algorithm": self.algorithm,
            "error": self.error,
        }

    def write_edges(self, path: str | os.PathLike[str]) -> None:
        """Write the edges to a .csv file with the columns source, target and probability."""
        files.write_edges(self.edge_table(), Path(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one compressed file, an .npz archive with a JSON header."""
        files.save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Posterior:
        """Read what `save` wrote.

        Raises
        ------
        FileFormatError
            If the file is damaged, or of a newer format.
        """
        return cls(**files.load(Path(path)))
