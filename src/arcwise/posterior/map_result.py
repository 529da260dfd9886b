"""`MapResult`: the maximum a posteriori DAG of a model, exact or found by search."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.model.model import Provenance
from arcwise.records.settings import SumSettings
from arcwise.support.checks import file_path
from arcwise.support.files import write_json, write_table
from arcwise.support.plain import attributes, plain_dict

_SAME_WEIGHT = 1e-9  # the posteriors of equivalent DAGs differ by rounding


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search for the MAP DAG."""

    restarts: int
    patience: int
    seconds: float | None
    seed: int
    sums: SumSettings

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        values: dict[str, Any] = dict(vars(self))
        sums = values.pop("sums")
        return values | {"score_sums": str(sums)}


@dataclass(frozen=True, eq=False, repr=False)
class MapResult:
    """The DAG with the highest posterior probability found.

    Parameters
    ----------
    dag
        The DAG.
    cpdag
        Its equivalence class (CPDAG). Edges that constraints or the score allow in one direction
        only are directed, with the directions that this implies. With constraints,
        interventions, or a prior or score that is not score-equivalent, its DAGs need not be
        equally probable.
    log_score
        Its log score: the log marginal likelihood, without the prior.
    log_weight
        Its unnormalised log posterior: log score plus log prior.
    restart_log_weights
        The unnormalised log posterior of the best DAG of each completed restart; empty if
        the result is exact.
    classes
        The number of equivalence classes among the restarts that reached the best
        posterior.
    interrupted
        Whether Ctrl-C ended the search.
    seconds
        The running time.
    search
        The settings of the search; None if the result is exact.
    growth
        How the candidates grew during the search, as plain values; None if they did not.
    provenance
        The model and the data.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> model = arcwise.Model(data, prior="uniform", max_indegree=2)
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
        """Either "exact", if it is certainly the MAP DAG, or "search"."""
        return "exact" if self.search is None else "search"

    @property
    def restarts(self) -> int:
        """The number of completed restarts."""
        return len(self.restart_log_weights)

    @property
    def restarts_at_best(self) -> int:
        """The number of restarts that reached the best log posterior, to a relative 1e-9."""
        return int(reach(self.restart_log_weights, self.log_weight).sum())

    @property
    def agree(self) -> bool | None:
        """Whether all restarts found equally probable DAGs of the same equivalence class.

        True if the result is exact, None if fewer than two restarts were completed.
        """
        if self.search is None:
            return True
        if self.restarts < 2:
            return None
        return self.restarts_at_best == self.restarts and self.classes == 1

    def summary(self) -> dict[str, Any]:
        """Return all results except the edges as plain values for JSON."""
        return plain_dict(
            **attributes(self, "log_score log_weight method"),
            variables=len(self.dag.variables),
            edges=self.dag.number_of_edges,
            directed_edges_of_class=len(self.cpdag.directed),
            undirected_edges_of_class=len(self.cpdag.undirected),
            **attributes(self, "restarts restarts_at_best classes agree"),
            **attributes(self, "restart_log_weights interrupted"),
            settings=({} if self.search is None else self.search.as_dict())
            | ({} if self.growth is None else {"growth": self.growth}),
            seconds=self.seconds,
            provenance=self.provenance.as_dict(),
        )

    def write_edges(self, path: str | os.PathLike[str]) -> None:
        """Write the edges of the DAG to a .csv file with the columns source and target."""
        write_table(["source", "target"], self.dag.edges, file_path(path, "path"))

    def write_cpdag(self, path: str | os.PathLike[str]) -> None:
        """Write the edges of the CPDAG to a .csv file with the columns source, target, kind.

        The kind is directed or undirected.
        """
        kinds = {"directed": self.cpdag.directed, "undirected": self.cpdag.undirected}
        rows = [(*edge, kind) for kind, edges in kinds.items() for edge in edges]
        write_table(["source", "target", "kind"], rows, file_path(path, "path"))

    def write_summary(self, path: str | os.PathLike[str]) -> None:
        """Write `summary` to a .json file."""
        write_json(self.summary(), file_path(path, "path"))

    def __repr__(self) -> str:
        """Show the log posterior, the DAG and how it was found."""
        found = self.method
        if self.search is not None:
            found += f", reached by {self.restarts_at_best} of {self.restarts} restarts"
        weight = f"unnormalised log posterior {self.log_weight:.6f}"
        return f"<MapResult: {weight}, {self.dag!r}, {found}>"


def reach(log_weights: NDArray[np.float64], best: float) -> NDArray[np.bool_]:
    """Return which log weights equal the best one up to rounding."""
    return np.asarray(log_weights >= best - _SAME_WEIGHT * max(1.0, abs(best)))


def is_more(weight: float, other: float) -> bool:
    """Return whether a log weight exceeds another by more than rounding."""
    return weight > other + _SAME_WEIGHT * max(1.0, abs(weight))
