"""`MapResult`: the best DAG of a model, and how sure it is to be the best."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.model.provenance import Provenance
from arcwise.records.settings import SumSettings
from arcwise.support.files import write_json, write_table
from arcwise.support.plain import plain

# Weights of equivalent DAGs differ by rounding.
_SAME_WEIGHT = 1e-9


@dataclass(frozen=True)
class SearchSettings:
    """What a search for the best DAG was asked for.

    Parameters
    ----------
    restarts, patience, seconds, seed
        As for `map`.
    sums
        How score sums were found.
    """

    restarts: int
    patience: int
    seconds: float | None
    seed: int
    sums: SumSettings

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "restarts": self.restarts,
            "patience": self.patience,
            "seconds": self.seconds,
            "seed": self.seed,
            "score_sums": str(self.sums),
        }


@dataclass(frozen=True, eq=False, repr=False)
class MapResult:
    """The DAG of the largest weight that was found.

    Parameters
    ----------
    dag
        The DAG.
    cpdag
        Its equivalence class. With constraints, interventions, or a prior or score
        that tells equivalent DAGs apart, not all DAGs of the class weigh the same.
    log_score
        The natural logarithm of its score, without the prior.
    log_weight
        The natural logarithm of its weight, score times prior, not normalised.
    restart_log_weights
        The log weight of the best DAG of each restart that was finished; of none if
        it is exact.
    classes
        How many equivalence classes there are among the DAGs of the restarts that
        reached the best weight.
    interrupted
        Whether Ctrl-C ended the search.
    seconds
        How long it took.
    search
        What the search was asked for; None if the result is exact.
    growth
        How the candidates grew meanwhile, as plain values; None if they did not.
    provenance
        The model and the data it came from.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> best = arcwise.map(model)
    >>> best.method
    'exact'
    >>> bool(best.log_weight == best.log_score)  # the prior is uniform
    True
    """

    dag: Dag
    cpdag: Cpdag
    log_score: float
    log_weight: float
    restart_log_weights: NDArray[np.float64]
    classes: int
    interrupted: bool
    seconds: float
    search: SearchSettings | None = None
    growth: Mapping[str, Any] | None = None
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def method(self) -> str:
        """The word "exact", if no DAG weighs more; "search", if none was found that does."""
        return "exact" if self.search is None else "search"

    @property
    def restarts(self) -> int:
        """How many restarts were finished."""
        return len(self.restart_log_weights)

    @property
    def restarts_at_best(self) -> int:
        """How many of them reached the best weight, to a relative 1e-9."""
        return int(reach(self.restart_log_weights, self.log_weight).sum())

    @property
    def agree(self) -> bool | None:
        """Whether all restarts found DAGs of the same weight and the same equivalence class.

        True if the result is exact, None if fewer than two restarts were finished.
        """
        if self.search is None:
            return True
        if self.restarts < 2:
            return None
        return self.restarts_at_best == self.restarts and self.classes == 1

    def summary(self) -> dict[str, Any]:
        """Return all but the edges as plain values, as JSON holds them."""
        values: dict[str, Any] = plain(
            {
                "log_score": self.log_score,
                "log_weight": self.log_weight,
                "method": self.method,
                "variables": len(self.dag.variables),
                "edges": self.dag.number_of_edges,
                "directed_edges_of_class": len(self.cpdag.directed),
                "undirected_edges_of_class": len(self.cpdag.undirected),
                "restarts": self.restarts,
                "restarts_at_best": self.restarts_at_best,
                "classes": self.classes,
                "agree": self.agree,
                "restart_log_weights": self.restart_log_weights,
                "interrupted": self.interrupted,
                "settings": ({} if self.search is None else self.search.as_dict())
                | ({} if self.growth is None else {"growth": self.growth}),
                "seconds": self.seconds,
                "provenance": self.provenance.as_dict(),
            }
        )
        return values

    def write_edges(self, path: str | os.PathLike[str]) -> None:
        """Write the edges of the DAG to a .csv file with the columns source and target."""
        write_table(["source", "target"], self.dag.edges, Path(path))

    def write_cpdag(self, path: str | os.PathLike[str]) -> None:
        """Write the edges of the class to a .csv file with the columns source, target, kind.

        The kind is directed or undirected.
        """
        kinds = {"directed": self.cpdag.directed, "undirected": self.cpdag.undirected}
        rows = [(*edge, kind) for kind, edges in kinds.items() for edge in edges]
        write_table(["source", "target", "kind"], rows, Path(path))

    def write_summary(self, path: str | os.PathLike[str]) -> None:
        """Write `summary` to a .json file."""
        write_json(self.summary(), Path(path))

    def __repr__(self) -> str:
        """Show the weight, the DAG and how it was found."""
        found = self.method
        if self.search is not None:
            found += f", reached by {self.restarts_at_best} of {self.restarts} restarts"
        return f"<MapResult: log weight {self.log_weight:.6f}, {self.dag!r}, {found}>"


def reach(log_weights: NDArray[np.float64], best: float) -> NDArray[np.bool_]:
    """Say which log weights are the best one, but for rounding."""
    reached: NDArray[np.bool_] = log_weights >= best - _SAME_WEIGHT * max(1.0, abs(best))
    return reached


def is_more(weight: float, other: float) -> bool:
    """Say whether a log weight is larger than another by more than rounding."""
    return weight > other + _SAME_WEIGHT * max(1.0, abs(weight))
