"""What a graphics processor brings: one device against all cores of the machine."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from cases import case
from measuring import timed
from tables import binary_model, binary_model_with_candidates, gaussian_columns, leveled_columns

import arcwise
from arcwise import Model, Posterior, _core
from arcwise.gpu import modular, opened
from arcwise.gpu.device_chains import settle
from arcwise.gpu.order_chains import (
    ORDER_POSTERIOR,
    POSTERIOR,
    DeviceTables,
    OrderChains,
    OrderTables,
    SampledOrders,
)
from arcwise.gpu.order_modular import OrderModularComputation, needed_bytes
from arcwise.gpu.scoring import GpuScoring, engine_on_device
from arcwise.gpu.tempering import TemperedOrders
from arcwise.model.question import Definition, Question
from arcwise.records.settings import bridge, uniform_bridge
from arcwise.scores import FamilyScores
from arcwise.support.devices import Choice, Gpu
from arcwise.support.names import byte_size

LONGEST = 420.0  # seconds, after which no further part begins
MANY = 132 * 512  # chains that keep an H200 busy
CANONICAL = SampledOrders()
LINEAR = SampledOrders(canonical=False)

ROWS: list[str] = []
BEGAN = time.perf_counter()


class On(NamedTuple):
    """The device, what it can do at most, and whether sizes are small."""

    device: Any
    limits: Limits
    quick: bool


Part = Callable[[On], None]
PARTS: dict[str, tuple[str, Part]] = {}


def part(name: str, title: str) -> Callable[[Part], Part]:
    """Make a function a part, which `--only` can name."""

    def enter(function: Part) -> Part:
        PARTS[name] = title, function
        return function

    return enter


@case
def gpu(
    quick: Annotated[bool, "small sizes"] = False,
    only: Annotated[Sequence[str], "names of parts"] = (),
) -> None:
    """How fast one graphics processor is against all cores of the machine, with the same answers.

    Needs CuPy and a device, and ends within ten minutes. Each part prints its rows at once, and a
    failure of one does not end the others; a table of all rows comes last. Limits are measured
    here: the bandwidth of a copy in the device's memory, and products and sums of doubles.
    """
    if unknown := sorted({*only} - {*PARTS}):
        raise SystemExit(f"unknown parts: {', '.join(unknown)}; known: {', '.join(PARTS)}")
    warnings.simplefilter("ignore")
    compiling, device = timed(lambda: opened(Gpu()))
    on = On(device, Limits(), quick)
    say(
        f"{device.name}, {device.multiprocessors} multiprocessors, "
        f"{byte_size(device.free_bytes())} free, {byte_size(device.shared_bytes)} shared by a "
        f"block; opened in {compiling:.1f} s; {os.cpu_count()} cores; arcwise {arcwise.__version__}"
    )
    say(
        f"measured limits: copy {on.limits.bandwidth / 1e12:.2f} TB/s, "
        f"{on.limits.products / 1e12:.2f}e12 double products and sums a second"
    )
    failed = run_parts(on, only)
    say("\nAll rows: what, device, processors, agreement, rate")
    for each in ROWS:
        say(each)
    say(f"{failed} parts failed; {time.perf_counter() - BEGAN:.0f} s in all")
    if failed:
        raise SystemExit(1)


def run_parts(on: On, only: Sequence[str]) -> int:
    """Run the parts in their order, and return how many failed."""
    failed = 0
    for name in [name for name in PARTS if not only or name in only]:
        if time.perf_counter() - BEGAN > LONGEST:
            say(f"\n{name}: left out, as the time is up")
            continue
        title, function = PARTS[name]
        say(f"\n{title}")
        start = time.perf_counter()
        try:
            function(on)
        except Exception:  # whatever it is, the other parts are worth having
            failed += 1
            traceback.print_exc(file=sys.stdout)
        gc.collect()
        say(f"  [{name}: {time.perf_counter() - start:.1f} s]")
    return failed


def say(text: str = "") -> None:
    print(text, flush=True)


def row(
    what: str, seconds: float, agreement: str, rate: str, processors: float | None = None
) -> None:
    device, others = f"{seconds:.3f} s", "" if processors is None else f"{processors:.2f} s"
    ROWS.append(f"  {what:<52}{device:>11}{others:>12}  {agreement:<38}{rate}")
    say(ROWS[-1])


def same_or_not(what: str, same: bool) -> None:
    say(f"  {what}: {'the same' if same else 'DIFFERENT'}")


def largest_difference(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max())


def cpu_exact(model: Model, order_modular: bool) -> Any:
    """Return evidence, families and edges by all cores of the machine."""
    computation = _core.ExactComputation(model.weights.table, order_modular, 1e-8)
    return computation.posterior(_core.Processors(os.cpu_count() or 1), None)


class Limits:
    """What the device can do at most, as measured here."""

    def __init__(self) -> None:
        import cupy

        source = cupy.random.random(1 << 29, dtype=cupy.float64)  # 4 GiB
        target = cupy.empty_like(source)
        for _ in range(2):
            cupy.copyto(target, source)
        self.bandwidth = 0.0
        for _ in range(5):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            cupy.copyto(target, source)
            end.record()
            end.synchronize()
            taken = cupy.cuda.get_elapsed_time(begin, end) / 1e3
            self.bandwidth = max(self.bandwidth, 2 * source.nbytes / taken)
        del source, target
        cupy.get_default_memory_pool().free_all_blocks()
        code = """extern "C" __global__ void busy(double* out, int count) {
            double a = threadIdx.x, b = 1.0 + blockIdx.x, c = 2.0, d = 3.0;
            for (int i = 0; i < count; ++i) {
                a = a * 0.999 + 1e-9; b = b * 0.998 + 1e-9; c = c * 0.997 + 1e-9;
                d = d * 0.996 + 1e-9;
            }
            out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
        }"""
        kernel = cupy.RawKernel(code, "busy")
        blocks = 132 * 8
        out = cupy.empty(blocks * 256)
        self.products = 0.0
        for _ in range(3):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((blocks,), (256,), (out, np.int32(20_000)))
            end.record()
            end.synchronize()
            taken = cupy.cuda.get_elapsed_time(begin, end) / 1e3
            self.products = max(self.products, blocks * 256 * 20_000 * 4 / taken)


# --- Chains over orders and annealing -------------------------------------------------------------


def tables_of(device: Any, model: Model) -> DeviceTables:
    return DeviceTables(device, OrderTables.of(model.weights.table))


def with_candidates(on: On, count: int) -> DeviceTables:
    return tables_of(on.device, binary_model_with_candidates(37, 1000, count))


def timed_walk(device: Any, chains: Any, steps: int, what: str) -> None:
    """Add a row with the steps a second of chains that have warmed up."""
    chains.walk(200)
    device.synchronize()
    before = chains.counts()
    taken, _ = timed(lambda: chains.walk(steps))
    tried, made = (now - then for now, then in zip(chains.counts(), before, strict=True))
    accepted = f"accepted {made.sum() / chains.chains / tried.sum():.1%}"
    rate = f"{chains.chains * steps / taken:.2e} steps/s"
    row(f"{what}: {chains.chains:,} chains, {steps:,} steps", taken, accepted, rate)


@part("linear", "Chains over linear orders (n = 37, 10 candidates)")
def linear_part(on: On) -> None:
    count, steps = (500, 500) if on.quick else (MANY, 100_000)
    tables, big = with_candidates(on, 10), with_candidates(on, 13)
    for name, neighbours in (("usual", None), ("neighbours only", 1.0), ("any two", 0.0)):
        kind = SampledOrders(canonical=False, neighbours=neighbours)
        chains = OrderChains(tables, kind, count, seed=1, point=ORDER_POSTERIOR)
        timed_walk(on.device, chains, steps, f"linear, {name}")
    chains = OrderChains(big, LINEAR, count, seed=1, point=ORDER_POSTERIOR)
    timed_walk(on.device, chains, steps // 4, "linear, 13 candidates")


@part("canonical", "Chains over canonical orders and the bridge (n = 37)")
def canonical_part(on: On) -> None:
    count, steps = (300, 200) if on.quick else (MANY, 20_000)
    points: list[tuple[str, float | None, tuple[float, float]]] = [
        ("canonical", None, POSTERIOR),
        ("canonical, neighbours", 1.0, POSTERIOR),
        ("canonical, any two", 0.0, POSTERIOR),
        ("bridge, half way", None, (1.0, 0.5)),
        ("bridge, its beginning", None, ORDER_POSTERIOR),
    ]
    for candidates in (6,) if on.quick else (10, 13, 16):
        tables = with_candidates(on, candidates)
        for name, neighbours, point in points if candidates <= 10 else points[:1]:
            kind = SampledOrders(neighbours=neighbours)
            chains = OrderChains(tables, kind, count, seed=1, point=(0.0, 0.0))
            settle(chains, steps // 4)
            chains.go_to(point)
            timed_walk(on.device, chains, steps, f"{name}, K = {candidates}")
        if candidates <= 10:
            targets = chains.targets([chains.point])
            for what, work in (
                ("a relocation in each of {} chains", partial(chains.relocate, targets)),
                ("edges and a DAG of each of {} states", partial(chains.observe, draw_dags=True)),
                ("new numberings of all {}", partial(chains.take_canonical_orders, renumber=True)),
            ):
                say(f"  {what.format(f'{count:,}')}: {timed(work)[0] * 1e3:.1f} ms")


@part("coupled", "Coupled chains over canonical orders (n = 37, 10 candidates, 16 levels)")
def coupled_part(on: On) -> None:
    tables = with_candidates(on, 5 if on.quick else 10)
    groups, sweeps = (20, 5) if on.quick else (MANY // 16, 400)
    ladders = {
        "temperatures": [(i / 15, 0.0) for i in range(16)],
        "the bridge": [(1.0, place) for place in bridge(15, 37)],
    }
    for name, points in ladders.items():
        chains = TemperedOrders(tables, CANONICAL, points, groups, seed=1)
        chains.start(1000)
        sweep(chains, 5, 9)
        chains.forget_counts()
        taken, _ = timed(partial(sweep, chains, sweeps, 9))
        rates = 1.0 - chains.refusal_rates()
        row(
            f"{name}: {groups:,} x 16 chains, {sweeps} sweeps of 9",
            taken,
            f"exchanged {rates.min():.0%} to {rates.max():.0%}",
            f"{groups * 16 * 9 * sweeps / taken:.2e} steps/s, "
            f"{int(chains.round_trips().sum()):,} round trips",
        )


def sweep(chains: TemperedOrders, count: int, steps: int) -> None:
    for _ in range(count):
        chains.walk(steps)
        chains.ratios.add()
        chains.exchange()


@part("annealing", "The evidence by annealing")
def annealing_part(on: On) -> None:
    cases = [(10, 500, 500)] if on.quick else [(20, 10_000, 100_000), (37, 37_000, 100_000)]
    for nodes, steps, count in cases:
        model = binary_model_with_candidates(nodes, 1000, min(10, nodes - 1))
        tables = tables_of(on.device, model)
        inverses = np.linspace(0.0, 1.0, steps + 1).tolist()
        for name, kind, path in (
            ("order-modular", LINEAR, [(inverse, 0.0) for inverse in inverses]),
            ("modular", CANONICAL, uniform_bridge(steps, nodes, hold=nodes)),
        ):
            taken, logs = timed(partial(annealed_weights, tables, kind, count, path))
            top = float(logs.max())
            weights = np.exp(logs - top)
            mean = float(weights.mean())
            estimate = top + math.log(mean) + math.lgamma(nodes + 1)
            error = float(weights.std() / mean / math.sqrt(count))
            effective = float(weights.sum() ** 2 / (weights**2).sum())
            agreement = f"{estimate:.4f} +- {error:.4f}"
            if nodes <= 20:
                exact = cpu_exact(model, kind is LINEAR)[0]
                agreement += f", off {estimate - exact:+.4f}"
            rate = f"{count * steps / taken:.2e} steps/s, {effective:,.0f} effective runs"
            row(f"{name}, n = {nodes}: {count:,} x {steps:,}", taken, agreement, rate)


def annealed_weights(tables: DeviceTables, kind: SampledOrders, count: int, path: Any) -> Any:
    chains = OrderChains(tables, kind, count, seed=5, point=path[0])
    chains.anneal(path[1:])
    return chains.annealed()


@part("edges", "Samplers as users call them, device='gpu', against exact probabilities")
def sampled_edges_part(on: On) -> None:
    model = binary_model_with_candidates(10 if on.quick else 20, 500, 6 if on.quick else 10)
    count, steps = (64, 400) if on.quick else (4096, 20_000)
    exact: dict[str, Posterior] = {
        "linear": arcwise.exact(model, "order-modular"),
        "canonical": arcwise.exact(model, "modular"),
    }
    budget = {"chains": count, "steps": steps, "thinning": max(1, steps // 100)}
    chains = {**budget, "start": "random"}
    coupled = {**budget, "chains": max(8, count // 16), "ladder": "uniform bridge"}
    annealed = {"particles": 4 * count, "steps": steps // 2}
    populations = {"particles": 256, "runs": 4 if on.quick else 64}
    calls: list[tuple[str, str, Callable[..., Any], dict[str, Any]]] = [
        ("mcmc", "linear", arcwise.mcmc, chains),
        ("mcmc", "canonical", arcwise.mcmc, chains),
        ("mc3, uniform bridge", "canonical", arcwise.mc3, coupled),
        ("ais", "linear", arcwise.ais, annealed),
        ("ais, bridge", "canonical", arcwise.ais, {**annealed, "schedule": "bridge"}),
        ("smc", "linear", arcwise.smc, populations),
        ("smc", "canonical", arcwise.smc, populations),
    ]
    for name, space, call, options in calls:
        known = exact[space]
        options |= {"modularity": known.modularity, "seed": 1, "device": "gpu"}
        taken, found = timed(partial(call, model, space, **options))
        agreement = f"edges off {largest_difference(found.edges, known.edges):.1e}"
        agreement += f" (s.e. {found.edge_errors.max():.1e})"
        rate = ""
        if found.evidence is not None:
            off = found.log_evidence - known.log_evidence
            rate = f"ln evidence off {off:+.4f} +- {found.evidence.standard_error or np.nan:.4f}"
        row(f"{name}, {space}, n = {len(model.variables)}", taken, agreement, rate)


@part("rival", "The same calls on the processors and on the device (n = 37, 10 candidates)")
def rival_part(on: On) -> None:
    model = binary_model_with_candidates(37, 1000, 4 if on.quick else 10)
    steps, many = (400, 32) if on.quick else (100_000, 8192)
    sampler: Callable[..., Any] = arcwise.mcmc
    for space, modularity in (("linear", "order-modular"), ("canonical", "modular")):
        call = partial(
            sampler, model, space, modularity=modularity, start=1000, seed=1, dags_per_state=0,
            steps=steps,
        )  # fmt: skip
        cpu, few = timed(partial(call, chains=16))
        gpu, lots = timed(partial(call, chains=many, thinning=steps // 50, device="gpu"))
        errors = np.hypot(few.edge_errors, lots.edge_errors)
        apart = np.abs(few.edges - lots.edges) / np.maximum(errors, 1e-6)
        row(
            f"mcmc, {space}: 16 chains, {many:,} on the device",
            gpu,
            f"edges apart {apart.max():.1f} s.e. at most",
            f"{many * steps / gpu:.2e} and {16 * steps / cpu:.2e} steps/s with all that is kept",
            cpu,
        )


# --- Scores of families ---------------------------------------------------------------------------


def compared_scores(
    columns: dict[str, Any], score: str, parents: int
) -> tuple[float, float, FamilyScores, str, str]:
    """Return seconds of the warm device and of all cores; scores; agreement; device='auto'."""
    data = arcwise.read(columns)
    few = data.take_rows(np.arange(min(100, data.rows)))
    arcwise.score(few, score, device="gpu", max_indegree=1)
    compute = partial(arcwise.score, data, score, max_indegree=parents)
    (taken, found), (cpu, known) = timed(partial(compute, device="gpu")), timed(compute)
    most = 0.0  # difference, relative where scores exceed 1
    for node in range(len(found.variables)):
        first, second = found.table.values(node), known.table.values(node)
        most = max(
            most, largest_difference(first / (s := np.maximum(1.0, np.abs(second))), second / s)
        )
    rule = arcwise.Constraints(max_indegree=parents)
    engine = engine_on_device(
        Question.of(data, Definition(score, constraints=rule)), Choice.AUTO, None
    )
    auto = f"auto: {'yes' if isinstance(engine, GpuScoring) else 'no'}"
    return taken, cpu, found, f"scores {most:.1e}", auto


@part("bdeu", "BDeu of all families, and whether device='auto' would use the device")
def discrete_scores_part(on: On) -> None:
    cases = [(50, 1_000_000, 2, 3), (50, 1_000_000, 3, 2), (37, 100_000, 4, 4), (50, 10_000, 3, 3)]
    for nodes, rows, levels, parents in [(10, 2000, 3, 2)] if on.quick else cases:
        columns = leveled_columns(nodes, rows, levels)
        taken, cpu, found, agreement, auto = compared_scores(columns, "bdeu", parents)
        sizes = range(parents + 2)
        counted = sum(math.comb(nodes, size) for size in sizes) * rows
        # A byte of each member of a set: most of them from the second-level cache.
        read = sum(size * math.comb(nodes, size) for size in sizes) * rows
        row(
            f"{rows:,} rows, {nodes} columns, {levels} levels, {parents} parents",
            taken,
            agreement,
            f"{counted / taken:.2e} rows of sets/s, codes at "
            f"{read / taken / on.limits.bandwidth:.1%} of the bandwidth; {len(found):,} families; "
            f"{auto}",
            cpu,
        )


@part("bge", "BGe of all families, and whether device='auto' would use the device")
def gaussian_scores_part(on: On) -> None:
    cases = [(1000, 10_000, 1), (1000, 1000, 2), (300, 10_000, 2), (100, 100_000, 3)]
    for nodes, rows, parents in [(40, 500, 2)] if on.quick else cases:
        columns = gaussian_columns(nodes, rows)
        taken, cpu, found, agreement, auto = compared_scores(columns, "bge", parents)
        products = rows * nodes * (nodes + 1) / 2
        values = 8 * len(found)  # written once
        row(
            f"{rows:,} rows, {nodes} columns, {parents} parents",
            taken,
            agreement,
            f"{len(found) / taken:.2e} families/s, {values / taken / on.limits.bandwidth:.1%} of "
            f"the bandwidth; {products / taken / on.limits.products:.1%} of the products; {auto}",
            cpu,
        )


# --- The same bits --------------------------------------------------------------------------------


@part("bits", "The device and plain C++, to the last bit")
def bits_part(on: On) -> None:
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from support.emulated_gpu import EmulatedGpu

    both = on.device, EmulatedGpu()
    table = binary_model(11 if on.quick else 15, 100, 3).weights.table
    kinds: dict[str, Any] = {
        "order-modular": OrderModularComputation,
        "modular": modular.ModularComputation,
    }
    for name, kind in kinds.items():
        one, other = (kind(each, table, low=6).posterior() for each in both)
        same = one.log_weight == other.log_weight and bool((one.edges == other.edges).all())
        same_or_not(f"exact, {name}", same)
    for score, columns in (
        ("bdeu", leveled_columns(8, 1003, 3)),
        ("bge", gaussian_columns(40, 503)),
    ):
        data = arcwise.read(columns)
        first, second = (
            arcwise.score(data, score, engine=GpuScoring(each), max_indegree=2).table
            for each in both
        )
        nodes = range(len(first))
        same = all((first.values(node) == second.values(node)).all() for node in nodes)
        same_or_not(f"scores, {score}", same)
    model = binary_model_with_candidates(20, 200, 8)
    parts = ("orders", "annealing weights", "edges", "DAGs")
    names: dict[str, tuple[str, ...]] = {
        "linear orders": parts,
        "canonical orders": parts,
        "coupled chains": ("orders", "exchanges", "ratios", "rates"),
    }
    states = [chains_on(each, model, on.quick) for each in both]
    for (what, parts), *found in zip(names.items(), *states, strict=True):
        for name, ours, plain in zip(parts, *found, strict=True):
            same_or_not(f"{what}, {name}", bool((ours == plain).all()))


def chains_on(device: Any, model: Model, quick: bool) -> list[tuple[Any, ...]]:
    """Return what chains over linear and canonical orders, and coupled chains, arrive at."""
    tables = tables_of(device, model)
    found: list[tuple[Any, ...]] = []
    heating = [(inverse, 0.0) for inverse in np.linspace(0, 1, 501).tolist()]
    for kind, path, steps in (
        (LINEAR, heating, 500 if quick else 3000),
        (CANONICAL, uniform_bridge(1000, 20, hold=20), 500),
    ):
        chains = OrderChains(tables, kind, 300, seed=7, point=path[0])
        chains.anneal(path[1:])
        if kind is CANONICAL:
            chains.take_canonical_orders(renumber=True)
        chains.walk(steps)
        chains.observe(draw_dags=True)
        found.append((chains.orders(), chains.annealed(), chains.edges(), chains.dags()))
    groups = TemperedOrders(
        tables, CANONICAL, [(1.0, place) for place in bridge(7, 20)], 20, seed=7
    )
    groups.start(200)
    sweep(groups, 20, 5)
    ratios = np.array([groups.ratios.of(group)[3][0] for group in range(20)])
    coldest = groups.take_coldest().orders()
    found.append((coldest, groups.exchanged(), ratios, groups.refusal_rates()))
    return found


# --- Exact posteriors -----------------------------------------------------------------------------


class Exact:
    """An exact computation on the device, or the reason why there is none."""

    def __init__(
        self, on: On, nodes: int, rows: int = 500, parents: int = 3, *, order_modular: bool = True
    ) -> None:
        """Set it up, if the device has the memory."""
        self.order_modular = order_modular
        self.model = binary_model(nodes, rows, parents)
        needed = (needed_bytes if order_modular else modular.needed_bytes)(
            nodes, len(self.model.weights)
        )
        free = on.device.free_bytes()
        self.about = f"n = {nodes}, {len(self.model.weights):,} families, {byte_size(needed)}"
        self.too_large = needed > free
        if self.too_large:
            say(f"  {nodes} variables need {byte_size(needed)}, {byte_size(free)} are free")
            return
        kind: Any = OrderModularComputation if order_modular else modular.ModularComputation
        self.set_up, self.computation = timed(partial(kind, on.device, self.model.weights.table))
        self.seconds, self.found = timed(self.computation.posterior)
        self.error = f"error {self.found.error:.1e}"
        self.sums = f"{2 * nodes * 2.0 ** (nodes - 1) / self.seconds:.2e} sums/s"

    def row(self, rate: str, on_processors: bool) -> None:
        """Add a row, with what the processors compute if they take part."""
        cpu, agreement = None, self.error
        if on_processors:
            cpu, (total, _, edges, _) = timed(partial(cpu_exact, self.model, self.order_modular))
            apart = largest_difference(self.found.edges, edges)
            agreement = f"edges {apart:.1e}, ln {abs(self.found.log_weight - total):.1e}"
        row(self.about, self.seconds, agreement, f"{rate}, set-up {self.set_up:.2f} s", cpu)


@part("draws", "DAGs drawn from the exact order-modular posterior")
def draws_part(on: On) -> None:
    exact = Exact(on, 12 if on.quick else 26)
    nodes, count = len(exact.model.variables), 500 if on.quick else 10_000
    exact.computation.draw(10, seed=1)
    taken, (_, parents) = timed(lambda: exact.computation.draw(count, seed=2))
    bits = np.arange(nodes, dtype=np.uint64)
    drawn = np.array([(parents >> bit & np.uint64(1)).mean(axis=0) for bit in bits])
    edges = exact.found.edges
    allowed = 5 * np.sqrt(edges * (1 - edges) / count) + 3 / count
    outside = int((np.abs(drawn - edges) > allowed).sum())
    rate = f"{count / taken:.2e} DAGs/s, {outside} edges outside five standard errors"
    off = f"off by {largest_difference(drawn, edges):.1e}"
    row(f"n = {nodes}: {count:,} DAGs", taken, off, rate)


@part("modular", "Exact, modular: evidence, families and edges (at most 3 parents)")
def modular_part(on: On) -> None:
    seconds = 0.0
    for nodes in [10, 12] if on.quick else [16, 18, 20, 22, 24, 26]:
        # Two more variables take nine times as long.
        if time.perf_counter() - BEGAN + 9 * seconds > LONGEST:
            say("  no time left")
            return
        exact = Exact(on, nodes, order_modular=False)
        if not exact.too_large:
            seconds = exact.seconds
            # B, H and the shares have a term for each pair of disjoint sets.
            terms = 3.0 * 3.0**nodes / seconds
            share = f"{terms / on.limits.products:.1%} of the products"
            exact.row(f"{terms:.2e} terms/s, {share}", nodes <= 20)
        del exact
        gc.collect()


@part("public", "arcwise.exact(model, 'order-modular', device=...), the whole posterior")
def public_part(on: On) -> None:
    exact: Callable[..., Any] = arcwise.exact
    call = partial(exact, binary_model(14 if on.quick else 25, 500, 3), "order-modular")
    (gpu, one), (cpu, other) = timed(partial(call, device="gpu")), timed(call)
    row(
        f"n = {len(one.variables)}",
        gpu,
        f"edges {largest_difference(one.edges, other.edges):.1e}",
        f"the same best DAG: {one.map_dag == other.map_dag}; ln evidence {one.log_evidence:.6f}, "
        f"off {one.log_evidence - other.log_evidence:.1e}",
        cpu,
    )


@part("exact", "Exact, order-modular: evidence, families and edges (at most 3 parents)")
def exact_part(on: On) -> None:
    for nodes in [12, 14] if on.quick else [20, 24, 26, 28, 30, 32, 33]:
        if time.perf_counter() - BEGAN > LONGEST:
            say("  no time left")
            return
        exact = Exact(on, nodes)
        if not exact.too_large:
            seconds, best = timed(exact.computation.best_dag)
            # Tiles are read for each high node, and read and written, in both recursions.
            low = min(nodes, 10)
            moved = 2.0**nodes * 8 * (nodes - low + 3)
            share = f"{moved / exact.seconds / on.limits.bandwidth:.1%} of the bandwidth"
            rate = f"{exact.sums}, {share}; best DAG {seconds:.2f} s ({best[0]:.3f})"
            exact.row(rate, nodes <= (18 if on.quick else 26))
        del exact
        gc.collect()


@part("flat", "Exact, where everything is possible (20 rows), and with more parents")
def flat_part(on: On) -> None:
    cases = [(14, 20, 3)] if on.quick else [(28, 20, 3), (26, 500, 4), (26, 500, 5)]
    for nodes, rows, parents in cases:
        exact = Exact(on, nodes, rows, parents)
        what = f"n = {nodes}, {rows} rows, {parents} parents"
        row(what, exact.seconds, exact.error, exact.sums)
        del exact
        gc.collect()


@part("tiles", "Tiles and threads (n = 26, 3 parents), seconds of the posterior")
def tiles_part(on: On) -> None:
    table = binary_model(16 if on.quick else 26, 500, 3).weights.table
    for low in (8, 9, 10, 11):
        found = []
        for threads in (128, 256, 512, 1024):
            computation = OrderModularComputation(on.device, table, low=low, threads=threads)
            found.append(f"{threads} threads {timed(computation.posterior)[0]:.3f}")
            del computation
            gc.collect()
        say(f"  2^{low} sets: {', '.join(found)}")


@part("largest", "As many variables as the device holds (at most 2 parents)")
def largest_part(on: On) -> None:
    exact = Exact(on, 17 if on.quick else 34, parents=2)
    if not exact.too_large:
        rate = f"{exact.sums}, ln {exact.found.log_weight:.6f}"
        row(exact.about, exact.seconds, exact.error, rate)
