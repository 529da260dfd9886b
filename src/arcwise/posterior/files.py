"""Saving and loading of posteriors.

A saved posterior is a zip archive of NumPy arrays (.npz), which most languages can
read. ``header`` is JSON text in UTF-8: the version of the format, all plain values,
and in ``members`` the names of the arrays that must be present. In it, a number that
is not finite is the string "nan", "inf" or "-inf", and an absent part is null. ``run``
states in ``kind`` which sort of run it was, and holds all its settings.

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
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArcwiseError, FileFormatError
from arcwise.graphs.dag import Dag
from arcwise.model.modularity import as_modularity
from arcwise.posterior.completions import Completions
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.evidence import Evidence
from arcwise.records.run_files import (
    read_account,
    read_provenance,
    read_run,
    write_account,
    write_provenance,
    write_run,
)
from arcwise.records.traces import Traces
from arcwise.scores import FamilyScores
from arcwise.support.archives import read_archive, write_archive
from arcwise.support.files import UNREADABLE
from arcwise.support.names import checked_variables
from arcwise.support.plain import number_in, number_out, strict_json
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.words import shown

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

FORMAT = "arcwise posterior"
FORMAT_VERSION = 1

_MOST_PROBABLE = 1.0 + 1e-6  # rounding
_LARGEST_LOG = 1e100  # of a weight; the square of any real one is a number

_NUMBERS = ("map_log_weight", "map_probability", "error")
_EVIDENCE_FORM = PlainDataclasses()
_COMPLETIONS = "completion_"


def lacks_parts(path: Path) -> str:
    """Return the error message for an incomplete file."""
    return f"'{path}' is incomplete or damaged; save the posterior again"


def save(posterior: Posterior, path: Path) -> None:
    """Write a posterior to one file."""
    arrays = _arrays(posterior)
    best, traces = posterior.map_dag, posterior.traces
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "members": list(arrays),
        "variables": list(posterior.variables),
        "target": posterior.modularity,
        "algorithm": posterior.algorithm,
        "evidence": _evidence_out(posterior.evidence),
        "map_edges": None if best is None else [list(edge) for edge in best.edges],
        "trace_steps": None if traces is None else traces.steps,
        "run": write_run(posterior.run, tuple(posterior.variables)),
        "account": write_account(posterior.account),
        "provenance": write_provenance(posterior.provenance),
        **{name: number_out(getattr(posterior, name)) for name in _NUMBERS},
    }
    text = np.frombuffer(strict_json(header).encode(), dtype=np.uint8)
    write_archive(path, {"header": text, **arrays}, compressed=True)


def _arrays(posterior: Posterior) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"edges": posterior.edges}
    for name in ("edge_errors", "adjacency_errors", "chain_edges", "paths"):
        if getattr(posterior, name) is not None:
            arrays[name] = getattr(posterior, name)
    if posterior.family_probabilities is not None:
        table = posterior.family_probabilities.table
        for node in range(len(posterior.variables)):
            parents, offsets = table.parent_sets(node)
            arrays[f"parents_{node}"] = parents.astype(np.uint16)
            arrays[f"offsets_{node}"] = offsets
            arrays[f"probabilities_{node}"] = table.values(node)
    if posterior.dags is not None:
        arrays["dags"] = posterior.dags.parents
        if posterior.dags.log_weights is not None:
            arrays["dag_log_weights"] = posterior.dags.log_weights
        if posterior.dags.chains is not None:
            arrays["dag_chains"] = posterior.dags.chains
    tables = posterior.completions
    if tables is not None:
        arrays |= {
            f"{_COMPLETIONS}{name}": getattr(tables, name)
            for name in ("edges", "paths", "chains", "values")
            if getattr(tables, name) is not None
        }
    if posterior.traces is not None:
        rows = posterior.traces.log_weights
        arrays["trace_log_weights"] = np.concatenate(rows)
        lengths = [0, *(len(row) for row in rows)]
        arrays["trace_offsets"] = np.cumsum(lengths, dtype=np.int64)
    return arrays


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
        return _fields(header, arrays)
    except (*UNREADABLE, ArcwiseError):
        raise FileFormatError(lacks_parts(path)) from None


def _fields(header: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    variables = checked_variables(header["variables"])
    # Only arrays named in the header are read, and all of them must be present.
    parts = {name: arrays[name] for name in header["members"]}
    fields: dict[str, Any] = {name: number_in(header[name]) for name in _NUMBERS}
    fields["run"] = read_run(header["run"])
    fields["account"] = read_account(header["account"])
    fields["provenance"] = read_provenance(header["provenance"])
    fields["modularity"] = as_modularity(header["target"])
    fields["variables"] = variables
    for name in ("edges", "edge_errors", "adjacency_errors", "chain_edges", "paths"):
        if name == "edges" or name in parts:
            fields[name] = _matrix(parts[name], errors=name.endswith("errors"))
    fields["evidence"] = _evidence_in(header["evidence"])
    if header["map_edges"] is not None:
        edges = [tuple(edge) for edge in header["map_edges"]]
        fields["map_dag"] = Dag.from_edges(variables, edges)
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
    if header["trace_steps"] is not None:
        fields["traces"] = _traces(header["trace_steps"], parts)
    return fields


def _matrix(values: NDArray[Any], *, errors: bool) -> NDArray[np.float64]:
    """Return probabilities, or errors, which may be unknown (NaN)."""
    if values.dtype != np.float64:
        raise ValueError
    # No standard error of a probability exceeds 1 either.
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


def _evidence_out(evidence: Evidence | None) -> dict[str, Any] | None:
    return None if evidence is None else _EVIDENCE_FORM.write(evidence)


def _evidence_in(values: dict[str, Any] | None) -> Evidence | None:
    evidence: Evidence | None = _EVIDENCE_FORM.read(Evidence | None, values)
    return evidence


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
