"""Results of every algorithm on every space with fixed seeds, as digests of their bits.

The digests in ``results.json`` were written before the packages were moved about; whatever is
moved must give them again. ``python tests/golden/results.py`` writes them anew, and with
``--check`` it compares them, or with ``--check GROUP`` those of one group.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import arcwise
from arcwise import Model, Posterior

FILE = Path(__file__).with_suffix(".json")

_SPACES: dict[str, Any] = {
    "linear": "linear",
    "buckets": "buckets:3",
    "canonical": "canonical",
    "partitions": "partitions",
    "layerings": "layerings:3",
    "dags": "dags",
}
_MODULAR = ("canonical", "partitions", "layerings", "dags")
_SETTINGS: dict[str, dict[str, Any]] = {
    "mcmc": {"steps": 3000, "chains": 2},
    "mc3": {"steps": 800, "chains": 2, "temperatures": 5},
    "mc3 adapted": {"steps": 800, "chains": 1, "temperatures": 5, "ladder": "adapted"},
    "ais": {"particles": 10, "steps": 600},
    "smc": {"particles": 10, "runs": 2},
}


def _coins(rows: int, columns: int, seed: int) -> dict[str, list[str]]:
    """Return a table in which each column copies an earlier one with some errors."""
    random = np.random.default_rng(seed)
    table = [random.integers(0, 2, rows)]
    for i in range(1, columns):
        of = table[int(random.integers(0, i))]
        table.append(np.where(random.random(rows) < 0.7, of, random.integers(0, 3, rows)))
    return {f"x{i}": [f"v{value}" for value in column] for i, column in enumerate(table)}


def _measurements(rows: int, columns: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    table = [random.standard_normal(rows)]
    for i in range(1, columns):
        of = table[int(random.integers(0, i))]
        table.append(0.8 * of + random.standard_normal(rows))
    return {f"x{i}": column for i, column in enumerate(table)}


def _with_candidates(table: dict[str, Any], method: str, score: Any = None, **rule: Any) -> Model:
    few = arcwise.candidates(table, method, score=score, **_FIXED)
    return Model(table, score, candidates=few, **_FIXED, **rule)


# Not the defaults of tables, which may become better.
_FIXED: dict[str, Any] = {"prior": "uniform"}
_GAUSSIAN = arcwise.scores.BGe(prior_mean=0.0, prior_scale=0.5)


_MODELS: dict[str, Callable[[], Model]] = {
    "discrete": lambda: Model(_coins(150, 7, 1), **_FIXED),
    "bounded": lambda: Model(_measurements(100, 8, 2), _GAUSSIAN, max_indegree=2, prior="fair"),
    "constrained": lambda: Model(
        _coins(80, 6, 3),
        required_edges=[("x0", "x3")],
        forbidden_edges=[("x1", "x2"), ("x2", "x1")],
        score=arcwise.scores.BIC(),
        **_FIXED,
    ),
    "candidates": lambda: _with_candidates(_measurements(120, 9, 4), "greedy:3", _GAUSSIAN),
    "plus one": lambda: _with_candidates(_coins(200, 10, 5), "gains:3", plus_one=True),
}
GROUPS = (*_MODELS, "others")


def results(group: str) -> dict[str, str]:
    """Return the digest of every result of a group, by the name of the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        build = _MODELS.get(group)
        return dict(_others() if build is None else _of_model(group, build()))


def group_of(result: str) -> str:
    """Return the group that a result, given by its name, belongs to."""
    return next((group for group in _MODELS if result.endswith(f" {group}")), "others")


def _of_model(name: str, model: Model) -> Iterator[tuple[str, str]]:
    yield f"scores of {name}", digest(*_tables(model.scores))
    for modularity in ("modular", "order-modular"):
        for case, posterior in _posteriors(model, modularity):
            yield f"{case}, {modularity}, {name}", digest(*_parts(posterior))
    best = arcwise.map(model, seed=1, threads=1)
    yield f"map, {name}", digest(best.log_weight, repr(best.dag.edges))


def _posteriors(model: Model, modularity: Any) -> Iterator[tuple[str, Posterior]]:
    yield "exact", arcwise.exact(model, modularity, paths=True, threads=1)
    for word, space in _SPACES.items():
        if modularity == "order-modular" and word in _MODULAR:
            continue
        for algorithm, settings in _SETTINGS.items():
            sampler = getattr(arcwise, algorithm.split()[0])
            found = sampler(model, space, modularity=modularity, seed=7, threads=1, **settings)
            yield f"{algorithm} over {word}", found


def _others() -> Iterator[tuple[str, str]]:
    names = [f"x{i}" for i in range(4)]
    partial = arcwise.spaces.PartialOrders([(names[0], names[1]), (names[2], names[3])])
    small = Model(_coins(60, 4, 6), **_FIXED)
    for algorithm, settings in _SETTINGS.items():
        sampler = getattr(arcwise, algorithm.split()[0])
        found = sampler(small, partial, seed=8, threads=1, **settings)
        yield f"{algorithm} over a partial order", digest(*_parts(found))
    table = _measurements(200, 24, 9)
    grown = arcwise.grow(table, score=_GAUSSIAN, seed=3, threads=1, **_FIXED)
    yield "growth", digest(*_tables(grown.model.scores))
    found = arcwise.mcmc(grown.model, "partitions", steps=2000, seed=3, threads=1)
    yield "mcmc over partitions, grown", digest(*_parts(found))
    walked = Model(_coins(150, 22, 10), max_indegree=3, **_FIXED)
    found = arcwise.mcmc(walked, "linear", steps=500, seed=3, threads=1, modularity="order-modular")
    yield "mcmc over linear, 22 variables by walk", digest(*_parts(found))
    stopped = arcwise.mcmc(small, "dags", until="rhat<1.05, ess>100", seed=2, threads=1)
    yield "mcmc until a rule is met", digest(*_parts(stopped))
    evidence = arcwise.evidence(
        small, "ais", space="linear", particles=6, steps=100, seed=1, threads=1
    )
    yield "evidence", digest(evidence.log_evidence, evidence.standard_error)


def _parts(posterior: Posterior) -> Iterator[Any]:
    yield posterior.edges
    yield posterior.edge_errors
    yield posterior.paths
    yield posterior.map_log_weight
    if posterior.evidence is not None:
        yield posterior.evidence.log_evidence
        yield posterior.evidence.standard_error
        for bound in posterior.evidence.lower_bounds.values():
            yield bound.value
    if posterior.dags is not None:
        yield posterior.dags.parents
        yield posterior.dags.log_weights
    if posterior.traces is not None:
        yield from posterior.traces.log_weights


def _tables(scores: Any) -> Iterator[Any]:
    for node in range(len(scores.variables)):
        yield np.asarray(scores.table.values(node))


def digest(*parts: Any) -> str:
    """Return a digest of numbers and arrays, to the last bit."""
    total = hashlib.sha256()
    for part in parts:
        if part is None:
            total.update(b"none")
        elif isinstance(part, np.ndarray | float | int):
            array = np.ascontiguousarray(part)
            total.update(f"{array.dtype.str}{array.shape}".encode())
            # A zero has one form; nothing here tells -0.0 from 0.0.
            total.update((array + 0).tobytes())
        else:
            total.update(repr(part).encode())
    return total.hexdigest()[:16]


if __name__ == "__main__":
    groups = sys.argv[2:] or GROUPS
    found = {name: value for group in groups for name, value in results(group).items()}
    if "--check" in sys.argv:
        known = json.loads(FILE.read_text())
        known = {name: value for name, value in known.items() if group_of(name) in groups}
        wrong = [name for name in known if found.get(name) != known[name]]
        print(f"{len(known)} known, {len(wrong)} differ", *wrong, sep="\n")
        sys.exit(bool(wrong))
    FILE.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{len(found)} results written to {FILE}")
