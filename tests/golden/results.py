"""Results of the whole package with fixed seeds: the safety net of every restructuring.

Two things are kept in ``results.json``, by group and name: digests of what comes from the core, to
the last bit, and numbers themselves where the sums are numpy's and BLAS's, whose order depends on
the machine's vector instructions; these must agree to ten digits. The groups:

    discrete, bounded, constrained, candidates, plus one, others
                        scores, every sampler on every space, the best DAG, growth, evidence
    learn               posteriors of `arcwise.learn`: exact, sampled, grown, in time
    learn, missing      the same where values are missing
    accounts            what the posteriors of these two say was chosen, and their sentences
    exact responses     what has a closed form given the DAGs: log_predictive, interventional,
                        predictions and forecasts of levels, means and probabilities of effects
    drawn responses     what is drawn: intervals of effects, predictions and forecasts of numbers,
                        impulse responses
    by this arithmetic  continuous data with missing values and no order in time: equivalent DAGs
                        have equal scores but for the last bits, so that chains part where other
                        vector instructions leave others; compared where these are the same
    shell               edges.csv and summary.json, without times and versions, of commands
    shell sentences     what summary.json says in sentences

``python tests/golden/results.py`` writes them anew, or with groups given those of these groups;
``--check`` compares, with groups given those of these groups.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import arcwise
import arcwise.cli
from arcwise import Model, Posterior

FILE = Path(__file__).with_suffix(".json")
Result = str | list[float]

# Numbers that depend on the order of sums agree to this share of the largest among them.
_TOLERANCE = 1e-10
# Longer arrays of numbers are folded to this length.
_MOST_NUMBERS = 40


# --- Tables ---------------------------------------------------------------------------------------


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


def _mixed(rows: int, columns: int, seed: int) -> dict[str, Any]:
    """Return a table of pairs of a discrete column and a continuous one that depends on it."""
    levels, numbers = _coins(rows, columns, seed), _measurements(rows, columns, seed + 1)
    table: dict[str, Any] = {}
    for i in range(columns // 2):
        table[f"d{i}"] = levels[f"x{i}"]
        table[f"c{i}"] = numbers[f"x{i}"] + [int(level[1:]) for level in levels[f"x{i}"]]
    return table


def _in_time(kind: str, rows: int, columns: int, seed: int) -> dict[str, Any]:
    """Return rows in time in which each column follows itself and the column before it."""
    random = np.random.default_rng(seed)
    numbers, codes = np.zeros((rows, columns)), np.zeros((rows, columns), dtype=int)
    for t in range(1, rows):
        numbers[t] = 0.5 * numbers[t - 1] + random.standard_normal(columns)
        numbers[t, 1:] += 0.5 * numbers[t - 1, :-1]
        before = np.where(random.random(columns) < 0.5, codes[t - 1], np.roll(codes[t - 1], 1))
        codes[t] = np.where(random.random(columns) < 0.8, before, random.integers(0, 2, columns))
    discrete = {"discrete": columns, "gaussian": 0, "mixed": columns // 2}[kind]
    levels = {f"d{i}": [f"v{code}" for code in codes[:, i]] for i in range(discrete)}
    return levels | {f"c{i}": numbers[:, i] for i in range(discrete, columns)}


def _with_holes(table: dict[str, Any], seed: int, share: float = 0.08) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    return {
        name: [
            None if hole else value if isinstance(value, str) else float(value)
            for value, hole in zip(column, random.random(len(column)) < share, strict=True)
        ]
        for name, column in table.items()
    }


def _rows(table: dict[str, Any], number: int) -> dict[str, Any]:
    return {name: list(column[:number]) for name, column in table.items()}


# --- Scores and algorithms ------------------------------------------------------------------------

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

# Not the defaults of tables, which may become better.
_FIXED: dict[str, Any] = {"prior": "uniform"}
_GAUSSIAN = arcwise.scores.BGe(prior_mean=0.0, prior_scale=0.5)


def _with_candidates(table: dict[str, Any], method: str, score: Any = None, **rule: Any) -> Model:
    few = arcwise.candidates(table, method, score=score, **_FIXED)
    return Model(table, score, candidates=few, **_FIXED, **rule)


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


def _of_model(name: str) -> Iterator[tuple[str, Result]]:
    model = _MODELS[name]()
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


def _others() -> Iterator[tuple[str, Result]]:
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


# --- Learning -------------------------------------------------------------------------------------

_SHORT: dict[str, Any] = {"steps": 2000, "chains": 2}


def _series(table: dict[str, Any], **arguments: Any) -> Any:
    return arcwise.time_series(table, **arguments)


# Each with the arguments of `learn`; all choices that are not given are its own.
_LEARNED: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "discrete": (lambda: _coins(150, 6, 11), {"dags": 300}),
    "gaussian": (lambda: _measurements(100, 6, 12), {"dags": 300}),
    "mixed": (lambda: _mixed(120, 6, 13), {"dags": 300}),
    "constrained": (
        lambda: _coins(150, 6, 11),
        {
            "dags": 300,
            "max_indegree": 2,
            "required_edges": [("x0", "x1")],
            "parent_only": ["x5"],
            "edge_probabilities": {("x0", "x2"): 0.9},
        },
    ),
    "order-modular": (lambda: _coins(150, 6, 11), {"dags": 300, "modularity": "order-modular"}),
    "score and prior given": (
        lambda: _coins(150, 6, 11),
        {"dags": 300, "score": arcwise.scores.BDeu(2.0), "prior": "fair"},
    ),
    "mcmc": (lambda: _coins(150, 6, 11), {"algorithm": "mcmc", **_SHORT}),
    "mcmc until it agrees": (
        lambda: _measurements(100, 6, 12),
        {"algorithm": "mcmc", "until": "rhat<1.05, ess>100", "space": "partitions"},
    ),
    "mc3": (lambda: _coins(150, 6, 11), {"algorithm": "mc3", "steps": 500, "chains": 2}),
    "ais": (lambda: _coins(150, 6, 11), {"algorithm": "ais", "steps": 100, "particles": 10}),
    "smc": (lambda: _coins(150, 6, 11), {"algorithm": "smc", "particles": 10}),
    "discrete, 22 variables": (lambda: _coins(120, 22, 14), {"steps": 1000}),
    "discrete, bounded, 22 variables": (lambda: _coins(120, 22, 14), {"max_indegree": 3, **_SHORT}),
    "gaussian, grown, 40 variables": (
        lambda: _measurements(120, 40, 15),
        {"candidates": "grow", "max_candidates": 6, **_SHORT},
    ),
    "mixed, grown, 24 variables": (
        lambda: _mixed(120, 24, 16),
        {"candidates": "grow", "max_candidates": 6, **_SHORT},
    ),
    "gaussian, greedy, 22 variables": (
        lambda: _measurements(120, 22, 15),
        {"candidates": "greedy:4", "plus_one": False, **_SHORT},
    ),
    "discrete, in time": (lambda: _series(_in_time("discrete", 120, 3, 17)), {"dags": 300}),
    "gaussian, in time": (lambda: _series(_in_time("gaussian", 120, 3, 18)), {"dags": 300}),
    "mixed, in time": (lambda: _series(_in_time("mixed", 120, 4, 19)), {"dags": 300}),
    "gaussian, two lags": (lambda: _series(_in_time("gaussian", 90, 3, 20), lags=2), {"dags": 300}),
    "gaussian, in time, mcmc": (
        lambda: _series(_in_time("gaussian", 90, 4, 21)),
        {"algorithm": "mcmc", **_SHORT},
    ),
    "gaussian, in time, grown": (
        lambda: _series(_in_time("gaussian", 100, 12, 22), within=False),
        {"algorithm": "mcmc", "candidates": "grow", "max_candidates": 4, **_SHORT},
    ),
}

_COMPLETED: dict[str, Any] = {"completions": 4, "steps": 500, "chains": 2}
_INCOMPLETE: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "discrete, missing": (lambda: _with_holes(_coins(80, 4, 23), 1), _COMPLETED),
    "gaussian, missing": (lambda: _with_holes(_measurements(60, 4, 23), 2), _COMPLETED),
    "mixed, missing": (lambda: _with_holes(_mixed(60, 4, 24), 3), _COMPLETED),
    "discrete, missing, by rows": (
        lambda: _with_holes(_coins(80, 4, 23), 1),
        {"missing": "drop", "dags": 300},
    ),
    "discrete, missing, exact, constrained": (
        lambda: _with_holes(_coins(80, 4, 23), 1),
        {"completions": 4, "chains": 2, "dags": 100, "forbidden_edges": [("x0", "x1")]},
    ),
    "discrete, missing, 22 variables": (
        lambda: _with_holes(_coins(60, 22, 25), 4, 0.01),
        {"completions": 2, "steps": 200, "chains": 1, "max_indegree": 2},
    ),
    "gaussian, missing, grown, 24 variables": (
        lambda: _with_holes(_measurements(60, 24, 26), 5, 0.01),
        {"completions": 2, "steps": 200, "chains": 1, "candidates": "grow", "max_candidates": 4},
    ),
    "gaussian, missing, in time": (
        lambda: _series(_with_holes(_in_time("gaussian", 60, 3, 27), 6, 0.05)),
        _COMPLETED,
    ),
    "mixed, missing, in time": (
        lambda: _series(_with_holes(_in_time("mixed", 60, 2, 28), 7, 0.05)),
        _COMPLETED,
    ),
}


@cache
def _learned(case: str) -> Posterior:
    make, arguments = (_LEARNED | _INCOMPLETE)[case]
    return arcwise.learn(make(), seed=5, threads=1, progress=None, **arguments)


def _of_learning() -> Iterator[tuple[str, Result]]:
    for case in _LEARNED:
        yield f"learn {case}", digest(*_parts(_learned(case)))


_BY_ARITHMETIC = ("gaussian, missing", "gaussian, missing, grown, 24 variables")


def _of_learning_incomplete(cases: Iterable[str]) -> Iterator[tuple[str, Result]]:
    """Digest the DAGs, which are drawn from many tables, and keep the averages as numbers."""
    for case in cases:
        posterior = _learned(case)
        yield f"learn {case}: DAGs", digest(posterior.sampled_dags("golden values").parents)
        yield f"learn {case}: edges", numbers(posterior.edges, posterior.edge_errors)
        completions = posterior.completions
        if completions is not None:
            levels = [completions.table(k) for k in range(len(completions))]
            yield (
                f"learn {case}: completed tables",
                numbers(*(column for table in levels for column in _columns(table))),
            )


def _columns(data: Any) -> Iterator[Any]:
    for values in data.to_dict().values():
        words = isinstance(values[0], str)
        yield np.array([float(value[1:]) if words else float(value) for value in values])


_CHOSEN = (
    *("score", "prior", "modularity", "parents", "families", "algorithm"),
    *("exact_operations", "exact_limit", "seed", "parents_left_out"),
)


def _of_accounts(cases: Iterable[str]) -> Iterator[tuple[str, Result]]:
    for case in cases:
        account = _learned(case).account
        assert account is not None
        chosen = {name: getattr(account.chosen, name) for name in _CHOSEN}
        arguments = sorted(account.chosen.arguments.items())
        yield f"chosen, {case}", digest(_lasting(chosen), _lasting(arguments))
        topics = [(each.part, each.severity, each.topic) for each in account.findings]
        yield f"verdicts, {case}", digest(account.verdict, account.data_verdict, topics)
        findings = [(each.fact, each.advice) for each in account.findings]
        yield (
            f"sentences, {case}",
            digest(account.choices, account.trust, findings, account.sensitivity),
        )


# --- Responses ------------------------------------------------------------------------------------

# Columns of tables of effects that depend on draws of parameters; others have a closed form given
# the DAGs.
_DRAWN = frozenset({"standard_deviation", "low", "high"})
_KINDS = ("discrete", "gaussian", "mixed")


def _table_of(case: str) -> Any:
    return (_LEARNED | _INCOMPLETE)[case][0]()


_RESPONDING = (*_KINDS, "discrete, missing", "mixed, missing")


def _effects(cases: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for case in cases:
        posterior = _learned(case)
        first, second, *_ = posterior.variables
        third = posterior.variables[2]
        for source, target in ((first, second), (second, first), (first, third)):
            yield (
                f"effects {source} {target}, {case}",
                arcwise.effects(posterior, source, target, draws=3, seed=2).table(),
            )
        if case == "gaussian":
            yield "effects of all pairs", arcwise.effects(posterior, seed=2).table()


def _predictions(cases: Iterable[str]) -> Iterator[tuple[str, bool, Any]]:
    """Yield predictions, and whether they have a closed form."""
    for case in cases:
        posterior = _learned(case)
        rows = _rows(_table_of(case), 8)
        for target in posterior.variables[:2]:
            closed = isinstance(rows[target][0] or "", str) and "mixed" not in case
            found = arcwise.predict(posterior, rows, target, draws=2, seed=3)
            yield f"predict {target}, {case}", closed, found.table()
            fewer = {name: rows[name] for name in rows if name not in (target, "x3", "d1")}
            found = arcwise.predict(posterior, fewer, target, draws=2, seed=3)
            yield f"predict {target} by few columns, {case}", closed, found.table()


def _forecasts() -> Iterator[tuple[str, bool, Any]]:
    for kind in _KINDS:
        history = _rows(_in_time(kind, 120, 4 if kind == "mixed" else 3, 29), 12)
        found = arcwise.forecast(_learned(f"{kind}, in time"), history, draws=3, seed=4)
        yield f"forecast, {kind}", kind == "discrete", found.table()


def _of_exact_responses() -> Iterator[tuple[str, Result]]:
    for name, table in _effects((*_RESPONDING, "mcmc")):
        yield name, numbers(*_numeric(table, without=_DRAWN))
    for name, closed, table in (*_predictions(_RESPONDING), *_forecasts()):
        if closed:
            yield name, numbers(*_numeric(table))
    for case in _KINDS:
        posterior, rows = _learned(case), _rows(_table_of(case), 8)
        yield f"log_predictive, {case}", numbers(arcwise.log_predictive(posterior, rows))
        joint = arcwise.log_predictive(posterior, rows, joint=True)
        yield f"joint log_predictive, {case}", numbers(joint)
    for outcome, setting in (
        ("x1", {"x0": "v1"}),
        ("x0", {"x2": "v0"}),
        ("x3", {"x0": "v1", "x1": "v0"}),
        ("x4", {}),
    ):
        found = arcwise.interventional(_learned("discrete"), outcome, setting)
        yield f"interventional {outcome} given {setting}", numbers(*_numeric(found.table()))
    found = arcwise.interventional(_learned("mixed"), "d1", {"d0": "v1"})
    yield "interventional, mixed", numbers(*_numeric(found.table()))
    scores = arcwise.cross_validate(_coins(90, 4, 30), "x1", folds=3, seed=6, threads=1).scores
    yield "cross_validate, discrete", numbers(*scores.values())


def _of_drawn_responses() -> Iterator[tuple[str, Result]]:
    for name, table in _effects((*_RESPONDING, "mcmc")):
        yield name, numbers(*_numeric(table, only=_DRAWN))
    for name, closed, table in (*_predictions(_RESPONDING), *_forecasts()):
        if not closed:
            yield name, numbers(*_numeric(table))
    drawn = arcwise.interventional(_learned("discrete"), "x1", {"x0": "v1"}, draws=3, seed=1)
    yield "interventional, draws", numbers(drawn.draws)
    for kind, pairs in {
        "discrete": (("d0", "d1"), ("d2", "d1")),
        "gaussian": (("c0", "c1"), ("c2", "c0")),
        "mixed": (("d0", "d1"), ("c2", "c3"), ("d1", "c2")),
    }.items():
        for source, target in pairs:
            for hold in (False, True):
                response = arcwise.impulse_response(
                    _learned(f"{kind}, in time"), source, target, 3, hold=hold, draws=1, seed=7
                )
                how = ", held" if hold else ""
                yield (
                    f"impulse_response {source} {target}{how}, {kind}",
                    numbers(*_numeric(response.table())),
                )
    for name, table in {
        "gaussian": _measurements(60, 4, 31),
        "mixed": _mixed(60, 4, 32),
        "incomplete": _with_holes(_coins(60, 3, 33), 8, 0.03),
    }.items():
        target = "c1" if name == "mixed" else "x1"
        rule: dict[str, Any] = {"missing": "drop"} if name == "incomplete" else {}
        scores = arcwise.cross_validate(table, target, folds=2, seed=6, threads=1, **rule).scores
        yield f"cross_validate, {name}", numbers(*scores.values())


def _of_this_arithmetic() -> Iterator[tuple[str, Result]]:
    yield "arithmetic", arithmetic()
    yield from _of_learning_incomplete(_BY_ARITHMETIC)
    yield from _of_accounts(_BY_ARITHMETIC)
    for name, table in _effects(_BY_ARITHMETIC[:1]):
        yield name, numbers(*_numeric(table))
    for name, _, table in _predictions(_BY_ARITHMETIC[:1]):
        yield name, numbers(*_numeric(table))


def arithmetic() -> str:
    """Return a digest of what this machine's numpy and BLAS leave in last bits."""
    values = np.random.default_rng(0).random((9, 40)) + 0.5
    product = values @ values.T
    root = np.linalg.cholesky(product)
    solved = np.linalg.solve(root, values)
    return digest(np.exp(values), np.log(values), values.sum(), product, root, solved)


def _numeric(
    table: Any, *, only: frozenset[str] | None = None, without: frozenset[str] = frozenset()
) -> Iterator[Any]:
    """Return the columns of a data frame that are numbers."""
    for name in table.columns:
        values = table[name].to_numpy()
        if values.dtype.kind in "fiu" and name not in without and (only is None or name in only):
            yield values


# --- The shell ------------------------------------------------------------------------------------

_COMMANDS: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "learn": (lambda: _coins(150, 6, 34), "learn table.csv --dags 300 --seed 3"),
    "learn, sampled": (
        lambda: _measurements(90, 6, 35),
        "learn table.csv --algorithm mcmc --steps 2000 --chains 2 --run run --seed 3",
    ),
    "learn, grown": (
        lambda: _mixed(100, 12, 36),
        "learn table.csv --algorithm mcmc --grow --max-candidates 4 --steps 1000 --seed 3",
    ),
    "learn, in time": (
        lambda: _in_time("gaussian", 90, 3, 37) | {"when": np.arange(90)},
        "learn table.csv --time when --dags 300 --seed 3",
    ),
    "learn, missing": (
        lambda: _with_holes(_coins(60, 4, 38), 9),
        "learn table.csv --completions 4 --steps 500 --seed 3",
    ),
    "exact": (lambda: _coins(150, 6, 34), "exact table.csv --score bic"),
    "sample": (
        lambda: _coins(150, 6, 34),
        "sample table.csv --algorithm ais --particles 10 --steps 200 --seed 3",
    ),
}
# Times, and the version, which becomes another one.
_PASSING = ("seconds", "seconds_sampling", "seconds_in_all", "arcwise")
_SENTENCES = ("choices", "trust", "findings", "sensitivity")


@cache
def _written(case: str) -> tuple[str, dict[str, Any]]:
    """Run a command in a folder of its own, and return its edges.csv and summary.json."""
    make, line = _COMMANDS[case]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _write_csv(make(), Path("table.csv"))
            words = [*line.split(), "--out", "out", "--threads", "1", "--quiet"]
            silent = io.StringIO()
            with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
                assert arcwise.cli.main(words) == 0, line
            summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
            return Path("out/edges.csv").read_text(encoding="utf-8"), summary
        finally:
            os.chdir(before)


def _write_csv(table: dict[str, Any], path: Path) -> None:
    def word(value: Any) -> str:
        return "" if value is None else value if isinstance(value, str) else repr(float(value))

    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(map(word, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lasting(value: Any) -> Any:
    """Return what a summary says without times, the version and sentences."""
    if isinstance(value, dict):
        left_out = (*_PASSING, *_SENTENCES)
        return {key: _lasting(part) for key, part in value.items() if key not in left_out}
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _of_shell() -> Iterator[tuple[str, Result]]:
    for case in _COMMANDS:
        edges, summary = _written(case)
        header, *lines = edges.splitlines()
        rows = [line.split(",") for line in lines]
        probabilities = [float(cell or "nan") for row in rows for cell in row[2:]]
        if "missing" in case:
            yield f"edges.csv of {case}", numbers(np.array(probabilities))
            yield f"pairs in edges.csv of {case}", digest(header, [row[:2] for row in rows])
        else:
            yield f"edges.csv of {case}", digest(edges)
        for key, value in _lasting(summary).items():
            yield f"{key} in summary.json of {case}", digest(value)


def _of_shell_sentences() -> Iterator[tuple[str, Result]]:
    for case in _COMMANDS:
        summary = _written(case)[1]
        for key in _SENTENCES:
            if key in summary:
                yield f"{key} in summary.json of {case}", digest(summary[key])


# --- Keeping and comparing ------------------------------------------------------------------------

BY_ARITHMETIC = "by this arithmetic"
_ANYWHERE = [case for case in _INCOMPLETE if case not in _BY_ARITHMETIC]
_GROUPS: dict[str, Callable[[], Iterator[tuple[str, Result]]]] = {
    **{name: partial(_of_model, name) for name in _MODELS},
    "others": _others,
    "learn": _of_learning,
    "learn, missing": partial(_of_learning_incomplete, _ANYWHERE),
    "accounts": partial(_of_accounts, (*_LEARNED, *_ANYWHERE)),
    "exact responses": _of_exact_responses,
    "drawn responses": _of_drawn_responses,
    BY_ARITHMETIC: _of_this_arithmetic,
    "shell": _of_shell,
    "shell sentences": _of_shell_sentences,
}
GROUPS = tuple(_GROUPS)


def results(group: str) -> dict[str, Result]:
    """Return the digest or the numbers of every result of a group, by the name of the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)
        found = list(_GROUPS[group]())
    names = [name for name, _ in found]
    assert len(set(names)) == len(names), "two results have one name"
    return dict(found)


def written_down() -> dict[str, dict[str, Result]]:
    """Return the results that were written down, by their groups."""
    kept: dict[str, dict[str, Result]] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def differences(expected: Mapping[str, Result], found: Mapping[str, Result]) -> list[str]:
    """Return the names of results that differ, or that only one of the two has."""
    return [
        name
        for name in {**expected, **found}
        if name not in expected or name not in found or not _agree(expected[name], found[name])
    ]


def _agree(a: Result, b: Result) -> bool:
    if isinstance(a, str) or isinstance(b, str) or len(a) != len(b):
        return a == b
    limit = _TOLERANCE * max(map(abs, (*a, *b)), default=0.0)
    return all(abs(x - y) <= limit for x, y in zip(a, b, strict=True))


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


def numbers(*arrays: Any) -> list[float]:
    """Return numbers to be compared to ten digits, with how many of them are no numbers.

    Many are folded into few, each with a weight of its own.
    """
    parts = [np.ravel(np.asarray(array, dtype=np.float64)) for array in arrays if array is not None]
    flat = np.concatenate([*parts, np.zeros(0)])
    without = np.isnan(flat)
    flat = np.where(without, 0.0, flat)
    if len(flat) > _MOST_NUMBERS:
        weighted = flat * np.cos(np.arange(len(flat)))
        flat = np.append(weighted, np.zeros(-len(weighted) % _MOST_NUMBERS))
        flat = flat.reshape(-1, _MOST_NUMBERS).sum(axis=0)
    return [float(f"{number:.13g}") for number in flat] + [float(without.sum())]


def _write(groups: dict[str, dict[str, Result]]) -> None:
    """Write a line for each result, so that a change shows what it alters."""
    blocks = []
    for group, kept in groups.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(kept[name])}" for name in kept)
        blocks.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


_MOST_PRINTED = 8


def _check(groups: list[str]) -> int:
    """Print which results differ from those written down, and return how many."""
    kept = written_down()
    known = wrong = 0
    for group in groups:
        if group == BY_ARITHMETIC and kept[group]["arithmetic"] != arithmetic():
            print(f"{group!r} was written with other vector instructions and is left out")
            continue
        differ = differences(kept.get(group, {}), results(group))
        known, wrong = known + len(kept.get(group, {})), wrong + len(differ)
        for name in differ[:_MOST_PRINTED]:
            print(f"differs in {group!r}: {name}")
        if len(differ) > _MOST_PRINTED:
            print(f"differ in {group!r}: {len(differ) - _MOST_PRINTED} more")
    print(f"{known} known, {wrong} differ")
    return wrong


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word != "--check"] or list(GROUPS)
    if "--check" in sys.argv:
        sys.exit(bool(_check(chosen)))
    before = written_down()
    anew = {group: results(group) for group in chosen}
    _write({group: anew.get(group, before.get(group, {})) for group in GROUPS})
    print(f"{sum(map(len, anew.values()))} results written to {FILE}")
