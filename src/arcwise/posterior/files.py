"""Saving and loading of posteriors.

A saved posterior is a zip archive of NumPy arrays (.npz), which most languages can
read. ``header`` is JSON text in UTF-8: the version of the format, all plain values,
and in ``members`` the names of the arrays that must be present. In it, a number that
is not finite is the string "nan", "inf" or "-inf", and an absent part is null. ``run``
contains the kind of the run in ``kind``, and all its settings.

================================================  =====================================
``edges``, ``edge_errors``                        probabilities and standard errors of
                                                  edges, as [source, target]
``adjacency_errors``                              standard errors of adjacencies, as
                                                  [one, other], if any
``chain_edges``                                   those of each chain, as
                                                  [chain, source, target], if any
``paths``                                         probabilities of directed paths, as
                                                  [source, target], if any
``parents_i``, ``offsets_i``,                     the parent sets of node i: set j is
``probabilities_i``                               ``parents_i[offsets_i[j]:
                                                  offsets_i[j + 1]]``, as positions
                                                  among the variables
``dags``                                          sampled DAGs, as [DAG, node, word]:
                                                  bit u % 64 of word u // 64 is set if
                                                  variable u is a parent of the node
``dag_log_weights``, ``dag_chains``               their weights and chains, if any
``completion_edges``, ``completion_paths``,       of each completed table: probabilities of
``completion_chains``, ``completion_values``      edges and paths, its chain, and the values
                                                  of the missing cells, if any
``trace_log_weights``, ``trace_offsets``          the traces: chain j is
                                                  ``trace_log_weights[
                                                  trace_offsets[j]:trace_offsets[j + 1]]``
================================================  =====================================

Only ``edges`` is always present.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArcwiseError, FileFormatError
from arcwise.graphs.dag import Dag
from arcwise.model.model import Modularity, Provenance
from arcwise.posterior.completions import Completions
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.evidence import Evidence
from arcwise.records.account import Account
from arcwise.records.chain_record import Traces
from arcwise.records.run_files import form_of
from arcwise.records.runs import AnyRun
from arcwise.scores import FamilyScores
from arcwise.support.files import UNREADABLE, read_archive, write_archive
from arcwise.support.names import checked_variables, shown
from arcwise.support.plain import strict_json

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

FORMAT = "arcwise posterior"
FORMAT_VERSION = 1

_MOST_PROBABLE = 1.0 + 1e-6  # allows for rounding
_LARGEST_LOG = 1e100  # the largest log weight, so that squares do not overflow

_MATRICES = ("edges", "edge_errors", "adjacency_errors", "chain_edges", "paths")
_COMPLETIONS = "completion_"


@dataclass(frozen=True)
class _Header:
    format: str
    format_version: int
    members: tuple[str, ...]
    variables: tuple[str, ...]
    target: Modularity
    algorithm: str
    evidence: Evidence | None
    map_edges: tuple[tuple[str, str], ...] | None
    trace_steps: int | None
    run: AnyRun
    account: Account | None
    provenance: Provenance
    map_log_weight: float | None
    map_probability: float | None
    error: float | None


_NUMBERS = ("map_log_weight", "map_probability", "error")
_UNCHANGED = ("evidence", "run", "account", "provenance", *_NUMBERS)


def lacks_parts(path: Path) -> str:
    """Return the error message for an incomplete file."""
    return f"'{path}' is incomplete or damaged; save the posterior again"


def save(posterior: Posterior, path: Path) -> None:
    """Write a posterior to one file."""
    arrays = _arrays(posterior)
    best, traces = posterior.map_dag, posterior.traces
    header = _Header(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        members=tuple(arrays),
        variables=tuple(posterior.variables),
        target=posterior.modularity,
        algorithm=posterior.algorithm,
        map_edges=None if best is None else best.edges,
        trace_steps=None if traces is None else traces.steps,
        **{name: getattr(posterior, name) for name in _UNCHANGED},
    )
    text = strict_json(form_of(header.variables).write(header))
    content = np.frombuffer(text.encode(), dtype=np.uint8)
    write_archive(path, {"header": content, **arrays}, compressed=True)


def _arrays(posterior: Posterior) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any] | None] = {name: getattr(posterior, name) for name in _MATRICES}
    if posterior.family_probabilities is not None:
        table = posterior.family_probabilities.table
        for node in range(len(posterior.variables)):
            parents, offsets = table.parent_sets(node)
            arrays[f"parents_{node}"] = parents.astype(np.uint16)
            arrays[f"offsets_{node}"] = offsets
            arrays[f"probabilities_{node}"] = table.values(node)
    dags, tables, traces = posterior.dags, posterior.completions, posterior.traces
    if dags is not None:
        arrays |= {
            "dags": dags.parents,
            "dag_log_weights": dags.log_weights,
            "dag_chains": dags.chains,
        }
    if tables is not None:
        for name in ("edges", "paths", "chains", "values"):
            arrays[f"{_COMPLETIONS}{name}"] = getattr(tables, name)
    if traces is not None:
        arrays["trace_log_weights"] = np.concatenate(traces.log_weights)
        lengths = [0, *map(len, traces.log_weights)]
        arrays["trace_offsets"] = np.cumsum(lengths, dtype=np.int64)
    return {name: array for name, array in arrays.items() if array is not None}


def load(path: Path) -> dict[str, Any]:
    """Return the fields of a saved posterior."""
    try:
        arrays = read_archive(path)
        header = json.loads(arrays["header"].tobytes().decode())
        if header["format"] != FORMAT:
            raise ValueError
        version = header["format_version"]
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise ValueError
    except FileNotFoundError:
        raise FileFormatError(f"there is no file '{path}'; check the path") from None
    except UNREADABLE:
        raise FileFormatError(
            f"'{path}' is not a saved posterior, or is damaged; save the posterior again"
        ) from None
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"'{path}' has format {shown(version)}, written by a newer version of arcwise, but "
            f"this version reads formats up to {FORMAT_VERSION}; update arcwise"
        )
    try:
        return _fields(form_of().read(_Header, header), arrays)
    except (*UNREADABLE, ArcwiseError):
        raise FileFormatError(lacks_parts(path)) from None


def _fields(header: _Header, arrays: dict[str, Any]) -> dict[str, Any]:
    variables = checked_variables(header.variables)
    # Only arrays named in the header are read, and all of them must be present.
    parts = {name: arrays[name] for name in header.members}
    fields: dict[str, Any] = {name: getattr(header, name) for name in _UNCHANGED}
    fields |= {"variables": variables, "modularity": header.target}
    for name in _MATRICES:
        if name == "edges" or name in parts:
            fields[name] = _matrix(parts[name], errors=name.endswith("errors"))
    if header.map_edges is not None:
        fields["map_dag"] = Dag.from_edges(variables, header.map_edges)
    if "parents_0" in parts:
        fields["family_probabilities"] = _families(variables, parts)
    if "dags" in parts:
        if parts["dags"].dtype != np.uint64:
            raise ValueError
        fields["dags"] = DagSample(
            variables,
            parts["dags"],
            log_weights=parts.get("dag_log_weights"),
            chains=parts.get("dag_chains"),
        )
    if f"{_COMPLETIONS}edges" in parts:
        fields["completions"] = _completions(parts)
    if header.trace_steps is not None:
        fields["traces"] = _traces(header.trace_steps, parts)
    return fields


def _matrix(values: NDArray[Any], *, errors: bool) -> NDArray[np.float64]:
    """Return probabilities, or errors, which may be unknown (NaN)."""
    if values.dtype != np.float64:
        raise ValueError
    # Standard errors of probabilities do not exceed 1 either.
    sound = (values >= 0.0) & (values <= _MOST_PROBABLE)
    if not (sound | (np.isnan(values) if errors else False)).all():
        raise ValueError
    return values


def _completions(arrays: dict[str, Any]) -> Completions:
    edges, chains, values = (
        arrays[f"{_COMPLETIONS}{name}"] for name in ("edges", "chains", "values")
    )
    paths = arrays.get(f"{_COMPLETIONS}paths")
    for matrices in (edges, paths):
        if matrices is not None:
            _matrix(matrices, errors=False)
    if chains.dtype != np.int64 or values.dtype != np.float64:
        raise ValueError
    return Completions(edges, chains, values, paths)


def _traces(steps: int, arrays: dict[str, Any]) -> Traces:
    offsets, values = arrays["trace_offsets"].tolist(), arrays["trace_log_weights"]
    if values.dtype != np.float64 or values.ndim != 1:
        raise ValueError
    if (np.abs(values[np.isfinite(values)]) > _LARGEST_LOG).any():
        raise ValueError
    if [0, len(values)] != [offsets[0], offsets[-1]] or sorted(offsets) != offsets:
        raise ValueError
    return Traces(tuple(values[first:last] for first, last in pairwise(offsets)), steps)


def _families(variables: tuple[str, ...], arrays: dict[str, Any]) -> FamilyScores:
    candidates, members, values = [], [], []
    for node in range(len(variables)):
        parents = arrays[f"parents_{node}"].tolist()
        offsets = arrays[f"offsets_{node}"].tolist()
        probabilities = arrays[f"probabilities_{node}"].tolist()
        if [0, len(parents), len(probabilities)] != [offsets[0], offsets[-1], len(offsets) - 1]:
            raise ValueError
        if sorted(offsets) != offsets or not all(0.0 <= p <= _MOST_PROBABLE for p in probabilities):
            raise ValueError
        possible = sorted(set(parents))
        place = {parent: position for position, parent in enumerate(possible)}
        candidates.append(possible)
        members.append(
            [[place[parent] for parent in parents[first:last]] for first, last in pairwise(offsets)]
        )
        values.append(probabilities)
    return FamilyScores(variables, _core.FamilyTable.from_lists(candidates, members, values))
