"""What scoring, sums, exact posteriors, sampling, features and whole calls of `learn` cost."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from cases import case
from measuring import (
    Chain,
    Table,
    heading,
    held_bytes,
    in_own_process,
    line,
    most_held_bytes,
    side_by_side,
    timed,
)
from references import (
    PlainBDeu,
    PlainBGe,
    PlainOrders,
    dense,
    pgmpy_bdeu,
    plain_linear_extensions,
    plain_modular_log_weight,
    plain_order_modular_log_weight,
    pygobnilp_bdeu_of_set,
)
from sweeps import Row, Sweep
from tables import (
    best_candidates,
    continuous_table,
    discrete,
    discrete_table,
    gaussian,
    mixed_table,
    named_model,
    nearest,
    small_table,
)

import arcwise
from arcwise import Dag, Model, _core, _core_testing
from arcwise.data import Data
from arcwise.errors import CapacityError
from arcwise.graphs.linear_extensions import packed_parents
from arcwise.model import ScoreSums
from arcwise.model.score_sums import Method
from arcwise.networks import discrete_network, random_dag
from arcwise.records.settings import usual_steps_between_exchanges
from arcwise.results import DagSample
from arcwise.scores import BGe, FamilyScores
from arcwise.spaces import BucketOrders, Dags, Layerings, LinearOrders, Partitions, Space, as_space

MAX_INDEGREE = 4

OneTable = Annotated[Path | None, "a discrete table in place of a simulated one"]
OneContinuousTable = Annotated[Path | None, "a continuous table in place of a simulated one"]
SomeTables = Annotated[Sequence[Path], "discrete tables, or .jkl files of scores"]

# --- Scores of families ---------------------------------------------------------------------------

SCORED_CANDIDATES = 14
REPETITIONS_OF_SAMPLES = 5

Family = tuple[int, list[int], float]  # node, parents, score


@case
def scoring(
    data: OneTable = None, continuous_data: OneContinuousTable = None, repetitions: int = 5
) -> None:
    """How fast families are scored, and how much memory their scores take.

    (a) Every family of up to four parents under BDeu; (b) every subset of 14 candidate parents of
    each node under BGe; (c) bytes held for each score; (d) every family of up to four parents of
    mixed tables. What is far slower than arcwise is timed on a sample of families, checked to give
    the same scores, and extrapolated.
    """
    _score_discrete(discrete_table(data), repetitions)
    _score_gaussian(continuous_table(continuous_data), repetitions)
    heading("(c) memory for the scores of (a)")
    held, most = in_own_process(_bytes_of_scores, data)
    line("bytes held for each score", f"{held:.1f}")
    line("  against 8", f"{held / 8:.2f} times")
    line("most bytes held for each score while scoring", f"{most:.1f}")
    for levels in (2, 3, 4):
        _score_mixed(levels, repetitions)


def _sample_of_families(scores: FamilyScores, count: int, seed: int) -> list[Family]:
    """Draw families uniformly from all."""
    random = np.random.default_rng(seed)
    sizes = np.array([scores.table.count(node) for node in range(len(scores.variables))])
    drawn = []
    for node, own in enumerate(random.multinomial(count, sizes / sizes.sum())):
        flat, offsets = scores.table.parent_sets(node)
        values = scores.table.values(node)
        for family in random.integers(sizes[node], size=own):
            parents = flat[offsets[family] : offsets[family + 1]].tolist()
            drawn.append((node, parents, float(values[family])))
    return drawn


def _seconds_of_each(
    function: Callable[[int, Sequence[int]], float], families: list[Family]
) -> float:
    """Return the time for one family, after checking that the scores agree."""
    found: list[float] = []

    def run() -> None:
        found[:] = [function(node, parents) for node, parents, _ in families]

    seconds = side_by_side({"sample": run}, REPETITIONS_OF_SAMPLES)["sample"] / len(families)
    np.testing.assert_allclose(found, [value for _, _, value in families], rtol=0, atol=1e-6)
    return seconds


def _seconds_of_each_set(of_set: Callable[[Sequence[int]], float], scores: FamilyScores) -> float:
    families = _sample_of_families(scores, 2000, seed=3)
    sets = [sorted([node, *parents]) for node, parents, _ in families]

    def run() -> None:
        for members in sets:
            of_set(members)

    seconds = side_by_side({"sample": run}, REPETITIONS_OF_SAMPLES)["sample"] / len(sets)
    for node, parents, value in families[:100]:
        assert abs(of_set(parents) - of_set(sorted([node, *parents])) - value) < 1e-6
    return seconds


def _compared(what: str, extrapolated: float, seconds: float) -> None:
    line(what, f"{extrapolated:,.0f} s")
    line("  arcwise is faster by", f"{extrapolated / seconds:,.0f} times")


def _score_discrete(data: Data, repetitions: int) -> None:
    n = len(data.variables)
    heading(f"(a) BDeu, {n} variables, {data.rows} rows, max_indegree {MAX_INDEGREE}")
    kept: list[FamilyScores] = []

    def run(threads: int) -> None:
        kept[:] = [arcwise.score(data, "bdeu", max_indegree=MAX_INDEGREE, threads=threads)]

    best = side_by_side({"one": partial(run, 1), "two": partial(run, 2)}, repetitions)
    (scores,), seconds = kept, best["one"]
    line("families", f"{len(scores):,}")
    line("one thread", f"{seconds:.2f} s")
    line("families per second", f"{len(scores) / seconds:,.0f}")
    line("two threads against one", f"{seconds / best['two']:.2f} times")
    plain = _seconds_of_each(PlainBDeu(data), _sample_of_families(scores, 4000, seed=1))
    _compared("NumPy, family by family (extrapolated)", plain * len(scores), seconds)
    other = pgmpy_bdeu(data)
    if other is not None:
        each = _seconds_of_each(other, _sample_of_families(scores, 300, seed=2))
        _compared("pgmpy (extrapolated)", each * len(scores), seconds)
    of_set = pygobnilp_bdeu_of_set(data)
    if of_set is not None:
        sets = sum(math.comb(n, size) for size in range(MAX_INDEGREE + 2))
        each = _seconds_of_each_set(of_set, scores)
        _compared("pygobnilp, each set once (extrapolated)", each * sets, seconds)


def _score_gaussian(data: Data, repetitions: int) -> None:
    heading(
        f"(b) BGe, {len(data.variables)} variables, {data.rows} rows, "
        f"all subsets of {SCORED_CANDIDATES} candidates"
    )
    candidates = nearest(data, SCORED_CANDIDATES)
    score = BGe(prior_mean=0.0, prior_scale=0.5)  # the prior of the plain score
    kept: list[FamilyScores] = []

    def run() -> None:
        kept[:] = [arcwise.score(data, score, candidates=candidates, threads=1)]

    seconds = side_by_side({"one": run}, repetitions)["one"]
    (scores,) = kept
    line("families", f"{len(scores):,}")
    line("one thread", f"{seconds:.2f} s")
    line("families per second", f"{len(scores) / seconds:,.0f}")
    plain = _seconds_of_each(PlainBGe(data), _sample_of_families(scores, 4000, seed=4))
    _compared("NumPy slogdet, family by family (extrapolated)", plain * len(scores), seconds)


def _bytes_of_scores(path: Path | None) -> tuple[float, float]:
    """Return the bytes for each score: held afterwards, and the most while scoring."""
    data = discrete_table(path)
    arcwise.score(data, "bdeu", max_indegree=1, threads=1)
    before = held_bytes()
    scores = arcwise.score(data, "bdeu", max_indegree=MAX_INDEGREE, threads=1)
    held, most = held_bytes() - before, most_held_bytes() - before
    return held / len(scores), most / len(scores)


def _score_mixed(levels: int, repetitions: int) -> None:
    data = mixed_table(levels)
    heading(
        f"(d) {len(data.variables)} variables, half of them with {levels} levels, {data.rows} "
        f"rows, max_indegree {MAX_INDEGREE}"
    )
    for score in ("conditional-gaussian", "degenerate-gaussian"):
        run = partial(arcwise.score, data, score, max_indegree=MAX_INDEGREE, threads=1)
        families = len(run())
        seconds = side_by_side({"one": run}, repetitions)["one"]
        line(f"{score}: families", f"{families:,}")
        line(f"{score}: families per second", f"{families / seconds:,.0f}")


# --- Score sums -----------------------------------------------------------------------------------

ELEMENTS = 16
SPREADS = (100.0, 1000.0, 3000.0)
BUCKETS = (5, 7, 10)


@case
def sums(
    data: OneTable = None, continuous_data: OneContinuousTable = None, repetitions: int = 5
) -> None:
    """How fast tables of score sums are filled, and how fast sums are looked up or computed.

    (a) The transform that turns the weights of all subsets of K candidates into sums, against
    passes over the same memory; (b) score sums of whole models, filled and queried from Python,
    one call for each query; (c) sums for all sets of the nodes in a bucket, one call for each
    node; (d) memory.
    """
    _transforms(40 * repetitions)
    many = Model(discrete_table(data), "bdeu", max_indegree=MAX_INDEGREE)
    methods: tuple[Method, ...] = ("scan", "walk")
    for method in methods:
        heading(
            f"(b) {method}, {len(many.variables)} nodes, max_indegree {MAX_INDEGREE}, "
            f"{len(many.weights):,} families"
        )
        _query(many, method, repetitions)
    _query_over_places(many, "walk", repetitions)
    # A look-up takes the same time whatever it finds.
    few = Model([f"x{i}" for i in range(20)], lambda node, parents: -1.0, max_indegree=MAX_INDEGREE)
    _query_over_places(few, "table", repetitions)
    continuous = continuous_table(continuous_data)
    by_table = Model(continuous, "bge", candidates=nearest(continuous, ELEMENTS))
    heading(f"(b) tables, {len(by_table.variables)} nodes with {ELEMENTS} candidates each")
    _query(by_table, "table", repetitions)
    heading(f"(d) memory for tables of {ELEMENTS} candidates")
    each = in_own_process(_bytes_of_sums, continuous_data)
    line("bytes for each number: weight, sum and maximum", f"{each / 3:.1f}")
    line("  against 8", f"{each / 3 / 8:.2f} times")


def _transforms(repetitions: int) -> None:
    size = 2**ELEMENTS
    heading(f"(a) sums over all subsets of {ELEMENTS} candidates, {size:,} numbers")
    table = np.empty(size)
    weights = {spread: -spread * np.random.default_rng(1).random(size) for spread in SPREADS}

    def add(passes: int) -> None:
        for _ in range(passes):
            np.add(table, 1.0, out=table)

    # Only the transform is timed, not the copy of the weights before it.
    seconds: dict[float | str, list[float]] = {each: [] for each in (*SPREADS, "one", "all")}
    for _ in range(repetitions):
        for spread in SPREADS:
            np.copyto(table, weights[spread])
            transform = partial(_core_testing.log_sum_over_subsets, table, ELEMENTS)
            seconds[spread].append(timed(transform)[0])
        for name, passes in (("one", 1), ("all", ELEMENTS)):
            seconds[name].append(timed(partial(add, passes))[0])
    best = {name: min(each) for name, each in seconds.items()}
    line("one pass of np.add over the table", f"{1e6 * best['one']:.0f} us")
    line(f"{ELEMENTS} passes", f"{1e6 * best['all']:.0f} us")
    for spread in SPREADS:
        line(f"sums, weights up to {spread:g} nats apart", f"{1e6 * best[spread]:.0f} us")
        line(f"  against {ELEMENTS} passes", f"{best[spread] / best['all']:.2f} times")
        line("  against one pass", f"{best[spread] / best['one']:.1f} times")


def _query(model: Model, method: Method, repetitions: int) -> None:
    """Build the sums; then query those of every node in random orders."""
    build = partial(ScoreSums, model, method=method, threads=1)
    nodes, core = len(model.variables), build().core
    seconds = side_by_side({"build": build}, min(repetitions, 3))["build"]
    line("built, one thread", f"{seconds:.2f} s")
    line("  for each node", f"{1e3 * seconds / nodes:.1f} ms")
    random = np.random.default_rng(2)
    queries = []
    for _ in range(20):
        order = random.permutation(nodes).tolist()
        queries += [(node, order[:place]) for place, node in enumerate(order)]

    def log_sums() -> None:
        for node, before in queries:
            core.log_sum(node, before, None)

    def log_sums_with_required() -> None:
        for node, before in queries:
            core.log_sum(node, before, before[-2:])

    def draws() -> None:
        for node, before in queries:
            core.draw(node, before, None, 1, 0, 0)

    work = {"sums": log_sums, "required": log_sums_with_required, "draws": draws}
    best = side_by_side(work, repetitions)
    line("sums(allowed) per second, calls included", f"{len(queries) / best['sums']:,.0f}")
    line("sums(allowed, required) per second", f"{len(queries) / best['required']:,.0f}")
    line("draws per second", f"{len(queries) / best['draws']:,.0f}")


def _query_over_places(model: Model, method: Method, repetitions: int) -> None:
    """Query the sums of every node of a bucket, for all sets of the others in it."""
    n = len(model.variables)
    heading(f"(c) sums for all sets of places, by {method}, {n} nodes; a bucket at a random place")
    core = ScoreSums(model, method=method, threads=1).core
    if method == "walk":
        kept = sum(_core_testing.families_kept(core, node) for node in range(n)) / len(
            model.weights
        )
        line("families kept", f"{100 * kept:.0f} %")

    def query_all(queries: list[Any], size: int) -> None:
        out = np.empty(2 ** (size - 1))
        for node, base, places in queries:
            _core_testing.log_sums_over(core, node, base, places, out)

    random = np.random.default_rng(3)
    for size in BUCKETS:
        for last in (False, True):
            queries = []
            for _ in range(20):
                order = random.permutation(n).tolist()
                first = n - size if last else int(random.integers(n - size + 1))
                bucket = order[first : first + size]
                queries += [
                    (node, order[:first], [other for other in bucket if other != node])
                    for node in bucket
                ]
            best = side_by_side({"query": partial(query_all, queries, size)}, repetitions)["query"]
            where = "the last bucket" if last else "a bucket"
            line(f"{where} of {size}, calls included", f"{1e6 * best / 20:.0f} us")
            line("  for each sum", f"{1e9 * best / len(queries) / 2 ** (size - 1):.1f} ns")


def _bytes_of_sums(path: Path | None) -> float:
    """Return the bytes held for each entry of the tables, weights and their parents included."""
    data = continuous_table(path)
    model = Model(data, "bge", candidates=nearest(data, ELEMENTS), threads=1)
    small = Model(["a", "b"], lambda node, parents: 0.0)
    ScoreSums(small, threads=1)
    before = held_bytes()
    kept = ScoreSums(model, method="table", threads=1)
    each = (held_bytes() - before) / len(model.weights)
    assert {*kept.methods} == {"table"}
    return each


# --- Exact posteriors -----------------------------------------------------------------------------


@case
def exact(
    data: Annotated[Path | None, "a table of up to 25 discrete variables, used instead"] = None,
    large: Annotated[bool, "also order-modular n = 28 and modular n = 20"] = False,
) -> None:
    """How long exact posteriors and independent draws from them take, and how much memory.

    Each size runs in its own process, so that its memory can be read. Ratios are to a plain NumPy
    recursion of the same recurrences, at the sizes that it can do.
    """
    sizes = {
        "order-modular": [(20, 1), (24, 1), *([(28, 2)] if large else [])],
        "modular": [(14, 1), (17, 1), *([(20, 2)] if large else [])],
    }
    for modularity, own in sizes.items():
        heading(f"{modularity}: edge and parent-set probabilities, max_indegree {MAX_INDEGREE}")
        for variables, threads in own if data is None else [(0, 1), (0, 2)]:
            n, error, seconds, memory = in_own_process(
                _exact_posterior, modularity, variables, threads, data
            )
            line(
                f"n = {n}, {threads} thread(s), error {error:.0e}",
                f"{seconds:.2f} s, {memory / 2**30:.2f} GiB",
            )
    _exact_draws(_exact_model(20, data))
    if data is None:
        heading("Ratio to a plain NumPy recursion (log of the summed weights)")
        _exact_ratio("order-modular", 14, plain_order_modular_log_weight)
        _exact_ratio("modular", 10, plain_modular_log_weight)


def _exact_model(variables: int, path: Path | None = None) -> Model:
    """Return a model of the file, or of 1,000 rows of a random discrete network."""
    if path is not None:
        return Model(arcwise.read(path, constant="drop"), max_indegree=MAX_INDEGREE)
    dag = random_dag(variables, expected_degree=3, max_indegree=3, seed=variables)
    network = discrete_network(dag, levels=(2, 3), concentration=0.5, seed=1)
    data = arcwise.read(network.sample(1000, seed=1), constant="keep")
    return Model(data, max_indegree=MAX_INDEGREE)


def _exact_posterior(
    modularity: str, variables: int, threads: int, path: Path | None
) -> tuple[int, float, float, int]:
    """Return variables, error, seconds and bytes; the model counts in neither time nor memory."""
    model = _exact_model(variables, path)
    before = held_bytes()
    start = time.perf_counter()
    computation = _core.ExactComputation(model.weights.table, modularity == "order-modular", 1e-8)
    error = computation.posterior(_core.Processors(threads), None)[-1]
    seconds = time.perf_counter() - start
    return len(model.variables), error, seconds, most_held_bytes() - before


def _exact_draws(model: Model) -> None:
    heading(f"100,000 independent DAGs, n = {len(model.variables)}, one thread")
    set_up = partial(arcwise.algorithms.ExactSampler, model, "order-modular", threads=1)
    setting_up, sampler = timed(set_up)
    seconds = side_by_side({"draw": lambda: sampler.dags(100_000, seed=1)}, 3)["draw"]
    line("setting up (order-modular)", f"{setting_up:.2f} s")
    line("drawing (order-modular)", f"{seconds:.2f} s, {seconds * 10:.1f} us each")


def _exact_ratio(modularity: str, variables: int, plain: Callable[..., float]) -> None:
    table = _exact_model(variables).weights.table
    weights = dense(table)

    def ours() -> float:
        computation = _core.ExactComputation(table, modularity == "order-modular", 1e-8)
        return computation.log_weight(_core.Processors(1), None)

    np.testing.assert_allclose(plain(weights), ours(), rtol=1e-9)
    times = side_by_side({"plain": partial(plain, weights), "ours": ours}, 3)
    ratio = times["plain"] / times["ours"]
    line(f"{modularity}, n = {variables}", f"{ratio:,.0f} times faster")


# --- Steps of chains ------------------------------------------------------------------------------

CANDIDATES = 10
TOLERANCE = 1e-9  # relative error of sums that are too many for tables
SWAPS = LinearOrders({"swap": 1})


@case
def sampling(
    data: Annotated[Path | None, "a table of about 37 discrete variables"] = None,
    small_data: Annotated[Path | None, "a table of about 20 discrete variables"] = None,
    seconds: Annotated[float, "seconds for each rate"] = 2.0,
    runs: Annotated[int, "annealing runs"] = 16,
) -> None:
    """How many steps a second the samplers make, and how many annealing runs.

    (a) Steps of one chain in each space, with all parent sets up to a size and with candidate
    parents, against a sampler in plain NumPy; (b) annealing runs, and the numbers of orders that
    weight their DAGs; (c) coupled chains; (d) two threads against one.
    """
    np.seterr(divide="ignore")
    large, small = discrete_table(data), small_table(small_data)
    few, many = (Model(each, max_indegree=MAX_INDEGREE) for each in (small, large))
    restricted = Model(large, candidates=best_candidates(many, CANDIDATES))
    _rates_of_spaces(few, many, restricted, seconds)
    _annealing_runs(many, restricted, large.rows, runs)
    heading("(c) coupled chains, 16 temperatures, 20 variables: steps of all of them")
    kept = ScoreSums(few)
    for name, space in (("linear orders", LinearOrders()), ("buckets of 5", BucketOrders(5))):
        alone = _rate(Chain(space, kept), seconds)
        together = _rate(Chain(space, kept, path=[i / 15 for i in range(15)] + [1.0]), seconds)
        line(f"{name}, steps per second", f"{together:,.0f}")
        line("  sixteen single chains against it", f"{alone / 16 / together:.2f} times")
    heading("(d) two threads against one")
    common: dict[str, Any] = {"dags_per_state": 0, "modularity": "order-modular", "seed": 1}
    common |= {"sums": kept}
    for name, work in (
        ("mcmc, four chains", partial(arcwise.mcmc, few, steps=400_000, chains=4, **common)),
        ("ais, a hundred runs", partial(arcwise.ais, few, steps=5_000, particles=100, **common)),
    ):
        both = {"one": partial(work, threads=1), "two": partial(work, threads=2)}
        best = side_by_side(both, 3)
        line(name, f"{best['one'] / best['two']:.2f} times")


def _rate(chain: Chain, seconds: float) -> float:
    """Return steps per second: the best of several pieces, after a burn-in as long."""
    chain.warm_up(piece=seconds / 8, clock=time.perf_counter)
    return chain.steps / side_by_side({"chain": chain.go}, 5)["chain"]


def _rates_of_spaces(few: Model, many: Model, restricted: Model, seconds: float) -> None:
    spaces: dict[str, Space] = {"linear orders, swaps": SWAPS, "linear orders": LinearOrders()}
    buckets = {size: {f"buckets of {size}": BucketOrders(size)} for size in (5, 7, 10)}
    heading(f"(a) {len(few.variables)} variables, up to {MAX_INDEGREE} parents, sums by table")
    own: dict[str, Space] = {**spaces, **buckets[5], **buckets[7], **buckets[10]}
    _rates(few, ScoreSums(few), own, seconds)
    for tolerance in (TOLERANCE, 1e-12):
        kept = ScoreSums(many, tolerance=tolerance)
        heading(f"(a) {len(many.variables)} variables, up to {MAX_INDEGREE} parents, {kept!r}")
        _rates(many, kept, {**spaces, **buckets[7], **buckets[10]}, seconds)
    heading(f"(a) {len(many.variables)} variables, {CANDIDATES} candidate parents each")
    _rates(restricted, ScoreSums(restricted), spaces, seconds)


def _rates(model: Model, kept: ScoreSums, spaces: dict[str, Space], seconds: float) -> None:
    plain = PlainOrders(model, 1)
    plain_rate = 20 / side_by_side({"plain": lambda: plain.steps(20)}, 3)["plain"]
    line("linear orders in plain NumPy, swaps", f"{plain_rate:,.0f} /s")
    for name, space in spaces.items():
        found = _rate(Chain(space, kept), seconds)
        line(name, f"{found:,.0f} /s")
        line("  against plain linear orders", f"{found / plain_rate:,.0f} times")


def _annealing_runs(many: Model, restricted: Model, rows: int, runs: int) -> None:
    count = len(many.variables) * rows // 4
    heading(f"(b) annealing runs, {count:,} steps each (n m / 4), {runs} of them, one thread")
    for name, model in (("all parents", many), (f"{CANDIDATES} candidates", restricted)):
        kept = ScoreSums(model, tolerance=TOLERANCE)
        for modularity in ("order-modular", "modular"):
            elapsed, posterior = timed(
                partial(
                    arcwise.ais, model, steps=count, particles=runs, seed=1, threads=1,
                    sums=kept, modularity=modularity, estimate_extensions=True,
                )
            )  # fmt: skip
            assert posterior.evidence is not None
            error = posterior.evidence.standard_error
            line(f"{name}, {modularity}: runs per second", f"{runs / elapsed:.2f}")
            line("  effective runs", f"{posterior.run.convergence.ess:.1f}")
            line("  log evidence", f"{posterior.evidence.log_evidence:.2f}")
            line("  standard error", "none" if error is None else f"{error:.2f}")


STEP_SPACES: dict[str, Space] = {
    "linear orders, usual moves": LinearOrders(),
    "swaps of any two": LinearOrders({"swap": 1}),
    "relocation": LinearOrders({"relocate": 1}),
    "partitions, usual moves": Partitions(),
    "split and join": Partitions({"split or join": 1}),
    "swaps": Partitions({"swap adjacent": 4, "swap": 1}),
    "relocation in partitions": Partitions({"relocate": 1}),
    "edge reversal": Partitions({"reverse edge": 1}),
    "DAGs, usual moves": Dags(),
}
DRAWN = {"DAGs drawn from an order": LinearOrders(), "DAGs drawn from a partition": Partitions()}
DAGS_OF_A_STATE = 500
PIECE, PIECES = 0.05, 9  # seconds of steps that are timed together, and how often

Rates = dict[str, dict[str, float]]  # by model, then by space or move


@case
def steps(
    before: Annotated[Path | None, "the folder that another build is imported from"] = None,
    rounds: Annotated[int, "number of turns of each build"] = 3,
) -> None:
    """How many steps a second one chain makes, move by move, and how many DAGs a state gives.

    Gaussian data of 20 and of 80 variables, a few candidate parents of each, alone and with one
    more parent. All chains take turns in processor time, and the best of several pieces counts.
    With `--before`, that build and this one take turns in their own processes, and each figure is
    given for both.
    """
    builds = {"now": step_rates()} if before is None else _in_turns(before, rounds)
    names = list(builds["now"])
    table = Table("", *names)
    for row in [*STEP_SPACES, *DRAWN]:
        rates = ([found[name][row] for found in builds.values()] for name in names)
        table.row(row, *(", ".join(map(_short, each)) for each in rates))


def _short(rate: float) -> str:
    return f"{rate / 1e6:.2f} million" if rate >= 1e6 else f"{rate:,.0f}"


def step_rates() -> Rates:
    """Return steps, or DAGs, a second, for four models."""
    found = {}
    for variables, most in {20: 6, 80: 8}.items():
        data = gaussian(variables, 4, 10 * variables, 1)
        sizes = range(4, most + 1)
        size = {name: sizes[i % len(sizes)] for i, name in enumerate(data.variables)}
        chosen = arcwise.candidates(data, "greedy", size=size, threads=1)
        for plus_one in (False, True):
            model = Model(data, candidates=chosen, plus_one=plus_one, threads=1)
            name = f"n = {variables}" + (", plus one" if plus_one else "")
            found[name] = _rates_of_moves(ScoreSums(model, threads=1))
    return found


def _rates_of_moves(kept: ScoreSums) -> dict[str, float]:
    chains = {
        # The random start is by way of orders, near the bulk of the posterior.
        name: Chain(space, kept, DAGS_OF_A_STATE if name in DRAWN else 0, order_steps=10_000)
        for name, space in {**STEP_SPACES, **DRAWN}.items()
    }
    for chain in chains.values():
        chain.steps = 1
        chain.warm_up(20_000, piece=PIECE, clock=time.process_time, pieces=0)
    seconds = side_by_side(
        {name: each.go for name, each in chains.items()}, PIECES, time.process_time
    )
    of_each = {name: DAGS_OF_A_STATE if name in DRAWN else 1 for name in chains}
    return {name: of_each[name] * chains[name].steps / seconds[name] for name in chains}


def _in_turns(before: Path, rounds: int) -> dict[str, Rates]:
    """Return the best rates of both builds, each in its own processes."""
    paths = {"before": before, "now": Path(arcwise.__file__).parents[1]}
    best: dict[str, Rates] = {}
    for _ in range(rounds):
        for build, path in paths.items():
            finished = subprocess.run(
                [sys.executable, "-c", "import json, speed; print(json.dumps(speed.step_rates()))"],
                check=True, stdout=subprocess.PIPE, text=True,
                env=os.environ | {"PYTHONPATH": f"{path}{os.pathsep}{Path(__file__).parent}"},
            )  # fmt: skip
            for model, found in json.loads(finished.stdout).items():
                known = best.setdefault(build, {}).setdefault(model, {})
                for name, rate in found.items():
                    known[name] = max(rate, known.get(name, 0.0))
    return best


@case
def canonical_cost(data: SomeTables = (), max_indegree: int = 4) -> None:
    """How long a step of canonical orders takes against one of linear orders.

    At the modular posterior, and half-way on the bridge.
    """
    for path in data or (None,):
        name, model = named_model(path, max_indegree)
        kept = ScoreSums(model, tolerance=TOLERANCE, tabulate="sums", threads=1)
        every = usual_steps_between_exchanges(len(model.variables))
        linear, canonical = as_space("linear"), as_space("canonical")
        chains = {
            "linear": Chain(linear, kept, path=[1.0], steps_between_exchanges=every),
            "canonical": Chain(canonical, kept, path=[1.0], steps_between_exchanges=every),
            # Two temperatures each: what the one that is not the posterior adds.
            "two linear": Chain(linear, kept, path=[0.999, 1.0], steps_between_exchanges=every),
            "two canonical": Chain(
                canonical, kept, path=[(1.0, 0.5), (1.0, 1.0)], steps_between_exchanges=every
            ),
        }
        for chain in chains.values():
            chain.steps = 256
            chain.warm_up(piece=PIECE, clock=time.process_time)
        work = {key: chain.go for key, chain in chains.items()}
        seconds = side_by_side(work, PIECES, time.process_time)
        each = {key: seconds[key] / chain.steps for key, chain in chains.items()}
        added = each["two canonical"] - each["canonical"], each["two linear"] - each["linear"]
        print(
            f"{name}: linear orders {each['linear'] * 1e6:.2f} us a step; canonical "
            f"{each['canonical'] / each['linear']:.2f} times as long, half-way on the bridge "
            f"{added[0] / added[1]:.2f} times",
            flush=True,
        )


PAPER_MOVES = {"relocate": 1.0, "swap adjacent": 1.0, "swap": 1.0, "re-partition": 1.0}


@case
def layerings(
    data: SomeTables = (),
    max_indegree: int = 4,
    sizes: Annotated[Sequence[int], "largest sizes of two neighbouring layers"] = (4, 6, 8, 10),
) -> None:
    """How many steps a second chains over layerings make, by the largest size of two layers.

    The moves of the paper (relocations, swaps, and one partition move in a re-partition) and the
    usual ones (several partition moves, edge reversals) in turn: one chain, one thread, processor
    time, the best of three.
    """
    heads = [f"M = {size}" for size in sizes]
    table = Table("steps a second: the paper's moves, the usual ones", *heads)
    for path in data or (None,):
        name, model = named_model(path, max_indegree)
        kept = ScoreSums(model, tolerance=TOLERANCE, tabulate="sums", threads=1)
        cells = []
        for size in sizes:
            paper = Layerings(size, PAPER_MOVES, partition_moves=1)
            both = (_layering_rate(model, kept, space) for space in (paper, Layerings(size)))
            cells.append(", ".join(f"{rate:,.0f}" for rate in both))
        table.row(f"{name}, n = {len(model.variables)}", *cells)


def _layering_rate(model: Model, kept: ScoreSums, space: Layerings) -> float:
    """Return the steps a second, the best of three runs of half a second or more."""
    count, best = 500, 0.0
    warnings.simplefilter("ignore")
    for seed in range(3):
        while True:
            spent, _ = timed(
                partial(
                    arcwise.mcmc, model, space, steps=count, thinning=max(1, count // 4),
                    chains=1, dags_per_state=0, seed=seed, sums=kept, threads=1,
                ),
                time.process_time,
            )  # fmt: skip
            if spent > 0.5:
                break
            count *= 2
        best = max(best, count / spent)
    return best


# --- Candidate parents ----------------------------------------------------------------------------


@case
def candidate_times() -> None:
    """How long candidate parents take to choose, by method, for 50 and 200 variables."""
    for n in (50, 200):
        heading(f"Time, n = {n}, expected degree 4, 1,000 rows, K = 8, one thread")
        data = {
            "discrete": arcwise.read(discrete(n, 4.0, 1000, 1, concentration=0.7), constant="keep"),
            "Gaussian": gaussian(n, 4.0, 1000, 1),
        }
        for kind, table in data.items():
            choose = partial(arcwise.candidates, table, size=8, threads=1)
            for method in ("pc", "gains", "greedy"):
                line(f"{kind}, {method}", f"{timed(partial(choose, method=method))[0]:.2f} s")
            bounded = partial(choose, method="greedy", max_indegree=4)
            line(f"{kind}, greedy, max_indegree 4", f"{timed(bounded)[0]:.2f} s")


# --- Linear extensions ----------------------------------------------------------------------------

DAG_KINDS: dict[str, dict[str, Any]] = {
    "max_indegree 3": {"max_indegree": 3},
    "expected degree 3": {"expected_degree": 3.0},
}
DAGS = 20
BUDGET = 2_000_000  # sets


@case
def linear_extensions(
    sizes: Annotated[Sequence[int], "numbers of variables"] = (20, 30, 37, 40, 50, 60),
    repetitions: int = 5,
) -> None:
    """How long linear extensions take to count, and how well they are estimated.

    (a) Random DAGs one by one; (b) many small DAGs in one call; (c) a plain Python recursion over
    sets closed under parents, side by side; (d) estimates for DAGs that are too large for a count.
    """
    _extensions_against_plain(repetitions)
    heading("(b) 500 DAGs in one call, one thread: time for each, on average")
    for kind in DAG_KINDS:
        for n in (20, 30, 37):
            packed = np.concatenate([packed_parents(_random_dag(n, kind, s)) for s in range(500)])
            seconds = side_by_side({"count": _counting(packed)}, min(repetitions, 2))["count"]
            line(f"{kind}, n = {n}", f"{1e6 * seconds / len(packed):.0f} us")
    _estimated_extensions()
    for kind in DAG_KINDS:
        heading(f"(a) {DAGS} random DAGs of {kind}, one thread: median and longest time")
        for n in sizes:
            times = [_seconds_of_count(n, kind, seed, repetitions) for seed in range(DAGS)]
            line(f"n = {n}", f"{_in_words(float(np.median(times)))}, {_in_words(max(times))}")
            if not np.isfinite(times).all():
                line("  beyond the budget", f"{int(np.isinf(times).sum())} of {DAGS}")


def _random_dag(n: int, kind: str, seed: int) -> Dag:
    return random_dag(n, seed=seed, **DAG_KINDS[kind])


def _counting(packed: Any) -> Callable[[], object]:
    return partial(_core.log_linear_extensions, packed, BUDGET, 1, None)


def _seconds_of_count(n: int, kind: str, seed: int, repetitions: int) -> float:
    """Return the shortest time, or infinity beyond the budget; what takes long is timed once."""
    count = {"count": _counting(packed_parents(_random_dag(n, kind, seed)))}
    try:
        first = side_by_side(count, 1)["count"]
        again = repetitions if first < 0.1 else 0
        return min(first, side_by_side(count, again)["count"])
    except CapacityError:
        return math.inf


def _in_words(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def _extensions_against_plain(repetitions: int) -> None:
    heading("(c) a plain Python recursion against arcwise, ten DAGs of max_indegree 3, n = 20")
    dags = [_random_dag(20, "max_indegree 3", seed) for seed in range(10)]
    packed = np.concatenate([packed_parents(dag) for dag in dags])
    whole = arcwise.graphs.linear_extensions
    assert [plain_linear_extensions(dag) for dag in dags] == [whole(dag) for dag in dags]
    work: dict[str, Callable[[], object]] = {
        "plain": lambda: [plain_linear_extensions(dag) for dag in dags],
        "whole numbers": lambda: [whole(dag) for dag in dags],
        "logarithms": _counting(packed),
    }
    best = side_by_side(work, min(repetitions, 3))
    line("plain, for each DAG", _in_words(best["plain"] / len(dags)))
    line("  against logarithms", f"{best['plain'] / best['logarithms']:,.0f} times")
    line("  against whole numbers", f"{best['plain'] / best['whole numbers']:,.0f} times")


def _estimated_extensions() -> None:
    heading("(d) estimates for n = 100, 100 sets of a size, 16 runs, one thread: medians")
    for kind in DAG_KINDS:
        seconds, errors = [], []
        for seed in range(DAGS):
            dag = _random_dag(100, kind, seed)
            start = time.perf_counter()
            estimate = arcwise.graphs.linear_extensions(dag, estimate=True, seed=seed, threads=1)
            seconds.append(time.perf_counter() - start)
            errors.append(estimate.standard_error)
        line(f"{kind}: time", _in_words(float(np.median(seconds))))
        line("  relative standard error", f"{100 * np.median(errors):.0f} %")
        to_ten = np.array(seconds) * (np.array(errors) / 0.1) ** 2
        line("  time for a standard error of 10 %", _in_words(float(np.median(to_ten))))


# --- Features of many DAGs ------------------------------------------------------------------------


def _relation(name: Any, *longest: int) -> Callable[[DagSample], object]:
    return lambda dags: arcwise.posterior.matrices.relation_probabilities(dags, name, *longest)


FEATURES: dict[str, tuple[str, Callable[[DagSample], object]]] = {
    "edges": ("all edge probabilities", lambda dags: dags.edge_probabilities()),
    "ancestors": ("all path probabilities", _relation("ancestor")),
    "short paths": ("all paths of up to three edges", _relation("ancestor", 3)),
    "blankets": ("all Markov blankets", _relation("blanket")),
    "classes": ("all edges of equivalence classes", _relation("cpdag")),
    "errors": ("standard errors of all paths", lambda dags: dags.matrix("ancestor")),
    "edge": ("one edge, with its interval", lambda dags: dags.estimate("x0 -> x1")),
    "path": ("one path, with its interval", lambda dags: dags.estimate("x0 ~> x9")),
    "given": (
        "a path given an edge",
        lambda dags: dags.estimate("x0 ~> x9 and not x0 -> x9 given x1 -- x2"),
    ),
    "distinct": ("distinct DAGs", lambda dags: dags.unique()),
    "credible": ("credible set of classes", lambda dags: dags.credible_set(0.5, classes=True)),
}


@case
def features(variables: int = 20, dags: int = 1_000_000, repetitions: int = 3) -> None:
    """How long probabilities of edges, paths, blankets and classes take from a million DAGs.

    Each line is the best of several repetitions, in its own process that holds the packed DAGs;
    memory is the most that the process held beyond them.
    """
    heading(f"{dags:,} weighted DAGs of {variables} variables, four chains")
    for name, (what, _) in FEATURES.items():
        seconds, share = in_own_process(_feature, name, variables, dags, repetitions)
        line(what, f"{seconds:.2f} s, {share:+.2f} x packed")


def _drifting_dags(n: int, count: int) -> DagSample:
    """Return DAGs with up to two parents of each node, which drift as those of chains do."""
    random = np.random.default_rng(1)
    parents = np.zeros((count, n, (n + 63) // 64), dtype=np.uint64)
    for node in range(1, n):
        for _ in range(2):
            # A parent stays for ten draws on average.
            changes = np.flatnonzero(random.random(count) < 0.1)
            lengths = np.diff(np.concatenate([[0], changes, [count]]))
            chosen = random.integers(0, node, len(lengths)).repeat(lengths).astype(np.uint64)
            for word in range(parents.shape[2]):
                here = chosen // np.uint64(64) == word
                parents[here, node, word] |= np.uint64(1) << chosen[here] % np.uint64(64)
    weights = random.random(count)
    names = [f"x{node}" for node in range(n)]
    return DagSample(names, parents, weights, chains=np.arange(count) // (count // 4))


def _feature(name: str, n: int, count: int, repetitions: int) -> tuple[float, float]:
    """Return seconds, and the most memory held, as a share of the packed DAGs."""
    dags = _drifting_dags(n, count)
    _ = dags.shares
    before, peak = held_bytes(), most_held_bytes()

    def work() -> None:
        dags.__dict__.pop("effective_draws", None)
        FEATURES[name][1](dags)

    seconds = side_by_side({"feature": work}, repetitions)["feature"]
    # The peak of the drawing hides what the work held below it.
    extra = max(0, most_held_bytes() - max(before, peak))
    return seconds, extra / dags.parents.nbytes


# --- Threads, processes and clusters --------------------------------------------------------------


@case
def cluster(
    data: OneTable = None,
    repetitions: int = 3,
    workers: Annotated[int, "simulated workers"] = 1000,
    rounds: Annotated[int, "tasks of each simulated worker"] = 3,
) -> None:
    """How sampling scales over threads and worker processes, and how much a driver can distribute.

    (a) Annealing runs and chains on one and two threads, and on one and two worker processes of a
    Dask cluster on this machine. Besides the time, the processor time for the same work: if it does
    not grow with the threads, they do not hinder each other, whatever else the machine does. (b) A
    thousand simulated workers, which sleep instead of sampling, behind a real scheduler: the share
    of their time that they were at work; what scheduler and driver can do at most, with tasks that
    take no time; and how long a message a task and its result are.
    """
    table = small_table(data)
    single = Model(table, "bdeu", max_indegree=1)
    model = Model(table, "bdeu", candidates=best_candidates(single, CANDIDATES))
    kept = ScoreSums(model, tabulate="sums")
    _message_sizes(model, kept)
    _simulated_workers(workers, rounds)
    if repetitions > 0:
        _scaling(model, kept, repetitions)


def _local_cluster(workers: int, **options: Any) -> Any:
    from distributed import LocalCluster

    return LocalCluster(n_workers=workers, dashboard_address=":0", **options)


def _scaling(model: Model, kept: ScoreSums, repetitions: int) -> None:
    from distributed import Client

    from arcwise.cluster import DaskEngine

    common: dict[str, Any] = {"seed": 1, "sums": kept}
    jobs: dict[str, Callable[..., object]] = {
        "annealing runs": partial(
            arcwise.ais, model, "partitions", particles=64, steps=6_000, **common
        ),
        "chains": partial(arcwise.mcmc, model, "partitions", steps=60_000, chains=4, **common),
    }
    for name, job in jobs.items():
        heading(f"(a) {name} of {len(model.variables)} variables")
        alone: dict[str, Any] = {"threads_per_worker": 1, "processes": True}
        with (
            _local_cluster(1, **alone) as one,
            _local_cluster(2, **alone) as two,
            Client(one, set_as_default=False) as with_one,
            Client(two, set_as_default=False) as with_two,
        ):
            ways: dict[str, dict[str, Any]] = {
                "1 thread": {"threads": 1},
                "2 threads": {"threads": 2},
                "1 worker process": {"threads": 1, "engine": DaskEngine(with_one)},
                "2 worker processes": {"threads": 1, "engine": DaskEngine(with_two)},
            }
            best = dict.fromkeys(ways, (math.inf, math.inf))
            for _ in range(repetitions):
                for way, where in ways.items():
                    used = _processor_time(where)
                    seconds, _ = timed(partial(job, **where))
                    used = _processor_time(where) - used
                    best[way] = min(best[way][0], seconds), min(best[way][1], used)
        single = best["1 thread"]
        for way, (seconds, used) in best.items():
            figures = f"{seconds:.2f} s, {single[0] / seconds:.2f} x"
            line(way, f"{figures}, processor {used / single[1]:.2f} x")


def _processor_time(where: dict[str, Any]) -> float:
    """Return the processor time of this process and of its workers."""
    engine = where.get("engine")
    elsewhere = {} if engine is None else engine.cluster.client.run(time.process_time)
    return time.process_time() + float(sum(elsewhere.values()))


def _simulated_workers(workers: int, rounds: int) -> None:
    from distributed import Client

    from arcwise.cluster.connection import Cluster, Spread
    from arcwise.cluster.work import Done, Work

    @dataclass(frozen=True)
    class Sleep(Work):
        """Units that take a while and do nothing else."""

        seconds: float
        count: int

        def do(self) -> list[int]:
            time.sleep(self.seconds * self.count)
            return [0] * self.count

    heading(f"(b) {workers} simulated workers")
    per_process = 50
    with (
        _local_cluster(
            workers // per_process, threads_per_worker=per_process, processes=False
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        connection = Cluster(client)
        busy: list[float] = []

        def collect(first: int, count: int, done: Done) -> None:
            busy.append(done.seconds)

        def spread(units: int, seconds: float, where: Any = None) -> tuple[float, float]:
            busy.clear()
            start, used = time.perf_counter(), time.process_time()

            def work(first: int, count: int) -> Work:
                return Sleep(seconds, count)

            Spread(connection, units, work, collect, where).run()
            return time.perf_counter() - start, time.process_time() - used

        seconds, used = spread(3_000, 0.0, lambda unit: None)  # one by one
        line("tasks that take no time", f"{len(busy) / seconds:.0f} a second")
        line("processor time for one", f"{1e3 * used / len(busy):.2f} ms")
        unit = 0.5
        units = int(workers * rounds * workers / 50 / unit)
        seconds, used = spread(units, unit)
        line(f"units of {unit} s each", f"{units:,} in {seconds:.0f} s")
        line("tasks they were sent as", f"{len(busy):,}, {sum(busy) / len(busy):.1f} s each")
        line("workers at work", f"{sum(busy) / (seconds * workers):.0%} of the time")
        line("driver and scheduler at work", f"{used / seconds:.0%} of one core")


def _message_sizes(model: Model, kept: ScoreSums) -> None:
    import cloudpickle

    from arcwise.cluster.host_files import HostFile
    from arcwise.cluster.work import (
        AnnealingWork,
        SamplingJob,
        Versions,
        as_short_ladder,
        perform,
        values_of,
    )
    from arcwise.records.settings import Recording, filled, linear

    heading(f"(b) messages, annealing runs of {len(model.variables)} variables")
    record = Recording("partitions").record_options(edge_batches=2)
    options = filled(_core.AnnealingOptions(), stretch=5_000, thinning=500, record=record)
    file = HostFile("arcwise scores", "0" * 64, 1 << 30, "/scratch/" + "0" * 64)
    job = SamplingJob(
        file, arcwise.spaces.Partitions(), as_short_ladder(linear(20_000)), values_of(options), 1
    )
    task = cloudpickle.dumps((perform, AnnealingWork(job, 0, 10), Versions.own()))
    line("a task, whatever its length", f"{len(task):,} bytes")
    space = arcwise.spaces.Partitions().build(kept)
    options = filled(options, path=linear(200), stretch=50, thinning=5)
    runs = _core.AnnealedRuns(space, options, 1)
    runs.run(0, 1, 1, None)
    result = cloudpickle.dumps((float(runs.log_weights()[0]), runs.record(0), runs.moves()))
    line("the result of a run", f"{len(result):,} bytes")


# --- Time limits and forecasts of the shell -------------------------------------------------------

SHARE, SLACK = 1.1, 2.0
REFUSED = 2
SHELL = "import sys; from arcwise.cli import main; sys.exit(main())"
UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
NOT_ANNOUNCED = 5.0  # seconds that the shell does not mention


@case
def seconds(
    sweep: Sweep,
    data: Annotated[Sequence[Path], "tables to learn besides"] = (),
    seconds: Annotated[Sequence[float], "limits"] = (5.0, 20.0),
    sizes: Annotated[Sequence[int], "numbers of variables of simulated tables"] = (
        20,
        50,
        100,
        200,
        400,
        1000,
    ),
    large: Annotated[bool, "a million rows and 5,000 columns too"] = False,
) -> None:
    """Whether `arcwise learn --seconds S` keeps to its limit, on many tables.

    Each table is learnt by its own process with the defaults of the shell, from the start of the
    process to its end. The promise is at most 1.1 S + 2 seconds. Tables are those of files, and
    simulated ones: Gaussian and discrete of 20 to 1,000 variables, and with `--large` one in which
    all variables depend on each other, a million rows, and 5,000 columns, which must be refused
    quickly.
    """
    names = _tables_of_the_shell(data, sizes, large)
    jobs = [(name, limit) for name in names for limit in seconds]
    rows = sweep.rows(_within_seconds, jobs)
    heading("Seconds asked and used by arcwise learn, from the start of the process to its end")
    print(f"promised: {SHARE} S + {SLACK:g}\n")
    table = Table("table", "asked", "used", "processors", "allowed", "load", "", align="lrrrrrl")
    for row in rows:
        allowed = SHARE * row["asked"] + SLACK
        row["ratio"] = row["used"] / allowed
        late = " **late**" if row["ratio"] > 1.0 else ""
        status = "" if row["status"] in (0, REFUSED) else f" **status {row['status']}**"
        table.row(
            row["table"], f"{row['asked']:g}", f"{row['used']:.1f}", f"{row['processor']:.1f}",
            f"{allowed:.1f}", f"{row['load']:.1f}", f"{row['words']}{late}{status}",
        )  # fmt: skip
    worst = max(rows, key=lambda row: float(row["ratio"]))
    print(
        f"\n{sum(row['ratio'] > 1.0 for row in rows)} of {len(rows)} late; the worst used "
        f"{worst['ratio']:.0%} of what is allowed: {worst['table']}, {worst['used']:.1f} s of "
        f"{worst['asked']:g} asked"
    )


@case
def forecast(
    sweep: Sweep,
    data: Annotated[Sequence[Path], "tables to learn besides"] = (),
    sizes: Annotated[Sequence[int], "numbers of variables of simulated tables"] = (20, 50, 100),
    longest: Annotated[float, "seconds for each"] = 600.0,
    steps: Annotated[int | None, "steps of each chain, in place of the stopping rule"] = None,
) -> None:
    """How well `arcwise learn` forecasts how long it will take, on many tables.

    Each table is learnt without `--seconds` by its own process with the defaults of the shell. The
    time that it announces is compared with the time of the processors over the cores it used, as
    the clock depends on what else the machine does. Stages that take less than a moment are not
    announced; for them the factor is 1.
    """
    names = _tables_of_the_shell(data, sizes, False)
    rows = sweep.rows(_announced, [(name, longest, steps) for name in names])
    heading("Seconds announced by arcwise learn beforehand, and taken, on one thread")
    table = Table("table", "announced", "processor", "clock", "factor", "", align="lrrrrl")
    for row in rows:
        if row["taken"] is None:
            table.row(row["table"], "", "", f"more than {longest:g}", "", "")
            continue
        announced, processor = row["announced"], row["processor"]
        expected = NOT_ANNOUNCED if announced is None else announced
        soon = announced is None and processor <= NOT_ANNOUNCED
        factor = 1.0 if soon else max(expected / processor, processor / expected)
        table.row(
            row["table"], "" if announced is None else f"{announced:.0f}", f"{processor:.1f}",
            f"{row['taken']:.1f}", f"{factor:.1f}", row["words"],
        )  # fmt: skip


def _tables_of_the_shell(files: Sequence[Path], sizes: Sequence[int], large: bool) -> list[str]:
    simulated = [f"{kind}-{n}" for n in sizes for kind in ("gaussian", "discrete")]
    others = ["dense-441", "columns-5000", "million-20"] if large else []
    return [*map(str, files), *simulated, *others]


@lru_cache(maxsize=1)
def _simulated(name: str) -> Data:
    kind, _, size = name.partition("-")
    n = int(size)
    if kind == "gaussian":
        return gaussian(n, 3.0, 1000, n)
    if kind == "discrete":
        return discrete(n, 3.0, 1000, n, levels=3)
    if kind == "million":
        return discrete(n, 3.0, 1_000_000, 1, levels=3)
    random = np.random.default_rng(1)
    common = random.normal(size=(1000, 3)) @ random.normal(size=(3, 441))
    if kind == "dense":
        values = np.digitize(common + random.normal(size=common.shape), [-1.0, 1.0])
        return arcwise.read(values, kinds="discrete")
    random.normal(size=common.shape)  # one generator draws both tables, the dense one first
    return arcwise.read(random.normal(size=(200, 5000)))


class _Ended(NamedTuple):
    """A process of the shell: its seconds, those of its processors, and what it printed."""

    seconds: float
    processor: float
    status: int
    printed: str
    errors: str


def _learnt(name: str, options: Sequence[str], longest: float | None = None) -> _Ended | None:
    """Learn a table in a new process; None if it takes longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(name)
        if path.suffix:
            options = [*options, "--constant", "keep"]
        else:
            path = Path(folder) / f"{name}.csv"
            _simulated(name).write_csv(path)
        # Installed packages have compiled files; otherwise half of the start would be compiling.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        before = _children()
        start = time.perf_counter()
        try:
            ended = subprocess.run(
                [sys.executable, "-c", SHELL, "learn", str(path), *options],
                capture_output=True, text=True, check=False, env=environment, timeout=longest,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        used = time.perf_counter() - start
        return _Ended(used, _children() - before, ended.returncode, ended.stdout, ended.stderr)


def _children() -> float:
    """Return the processor time of processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _within_seconds(name: str, limit: float) -> Row:
    ended = _learnt(name, ["--seconds", f"{limit:g}"])
    assert ended is not None
    reasons = ("The modular", "arcwise: the table", "Growth was", "To save")
    words = [
        each for each in (ended.printed + ended.errors).splitlines() if each.startswith(reasons)
    ]
    return {
        "table": Path(name).stem, "asked": limit, "used": ended.seconds,
        "processor": ended.processor, "status": ended.status, "load": os.getloadavg()[0],
        "words": " ".join(words)[:110],
    }  # fmt: skip


def _announced(name: str, longest: float, steps: int | None) -> Row:
    options = [] if steps is None else ["--steps", str(steps)]
    ended = _learnt(name, ["--threads", "1", *options, "--until", "none"], longest)
    if ended is None:
        return {"table": Path(name).stem, "taken": None}
    words = " ".join(ended.errors.split())
    return {
        "table": Path(name).stem, "announced": _seconds_in(words), "taken": ended.seconds,
        "processor": ended.processor, "words": words[:160],
    }  # fmt: skip


def _seconds_in(words: str) -> float | None:
    """Return the sum of the times in sentences such as "about 2 min 5 s"; None without any."""
    found = re.findall(r"about ((?:[\d.,]+ (?:ms|s|min|h|d)\b ?)+)", words)
    parts = [part for each in found for part in re.findall(r"([\d.,]+) (ms|s|min|h|d)\b", each)]
    total = sum(float(number.replace(",", "")) * UNITS[unit] for number, unit in parts)
    return total if found else None
