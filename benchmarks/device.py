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
from typing import Annotated, Any

import numpy as np
from cases import case
from measuring import timed
from tables import (
    binary_model,
    binary_model_with_candidates,
    gaussian_columns,
    leveled_columns,
)

import arcwise
from arcwise import Model, _core
from arcwise.engines import Engine
from arcwise.gpu import modular, opened
from arcwise.gpu.device_chains import settle
from arcwise.gpu.order_chains import OrderChains
from arcwise.gpu.order_modular import OrderModularComputation, needed_bytes
from arcwise.gpu.order_tables import DeviceTables, OrderTables
from arcwise.gpu.sampled_orders import ORDER_POSTERIOR, POSTERIOR, SampledOrders
from arcwise.gpu.scoring import GpuScoring, engine_on_device
from arcwise.gpu.tempered_orders import TemperedOrders
from arcwise.model.question import Definition, Question
from arcwise.records.ladders import bridge, uniform_bridge
from arcwise.scores import FamilyScores
from arcwise.support.devices import Choice, Gpu
from arcwise.support.words import byte_size

LONGEST = 420.0  # seconds, after which no further part begins
MANY = 132 * 512  # chains that keep an H200 busy
CANONICAL = SampledOrders()
LINEAR = SampledOrders(canonical=False)

ROWS: list[str] = []
BEGAN = time.perf_counter()


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
    limits = Limits()
    say(
        f"{device.name}, {device.multiprocessors} multiprocessors, "
        f"{byte_size(device.free_bytes())} free, {byte_size(device.shared_bytes)} shared by a "
        f"block; opened in {compiling:.1f} s; {os.cpu_count()} cores; arcwise {arcwise.__version__}"
    )
    say(
        f"measured limits: copy {limits.bandwidth / 1e12:.2f} TB/s, "
        f"{limits.products / 1e12:.2f}e12 double products and sums a second"
    )
    failed = 0
    for name in [name for name in PARTS if not only or name in only]:
        if time.perf_counter() - BEGAN > LONGEST:
            say(f"\n{name}: left out, as the time is up")
            continue
        start = time.perf_counter()
        try:
            PARTS[name](device, limits, quick)
        except Exception:  # whatever it is, the other parts are worth having
            failed += 1
            traceback.print_exc(file=sys.stdout)
        say(f"  [{name}: {time.perf_counter() - start:.1f} s]")
    say("\nAll rows: what, device, processors, agreement, rate")
    for each in ROWS:
        say(each)
    say(f"{failed} parts failed; {time.perf_counter() - BEGAN:.0f} s in all")
    if failed:
        raise SystemExit(1)


def say(text: str = "") -> None:
    print(text, flush=True)


def row(what: str, device: str, processors: str, agreement: str, rate: str) -> None:
    ROWS.append(f"  {what:<52}{device:>11}{processors:>12}  {agreement:<38}{rate}")
    say(ROWS[-1])


def same_or_not(what: str, same: bool) -> None:
    say(f"  {what}: {'the same' if same else 'DIFFERENT'}")


def cpu_exact(model: Model, order_modular: bool = True) -> Any:
    """Return evidence, families and edges by all cores of the machine."""
    computation = _core.ExactComputation(model.weights.table, order_modular, 1e-8)
    return computation.posterior(_core.Processors(os.cpu_count() or 1), None)


class Limits:
    """What the device can do at most, as measured here."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
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


# --- Exact posteriors -----------------------------------------------------------------------------


def exact_bytes(nodes: int, low: int) -> float:
    """Return the bytes of the two recursions: tiles read for each high node, read and written."""
    high = nodes - low
    return 2.0**nodes * 8 * ((high / 2 + 1) + (high / 2 + 2))


def fitting_model(device: Any, nodes: int, needed: Callable[[int, int], int]) -> Model | None:
    """Return a model of the network, or None if there is neither time nor memory for it."""
    if time.perf_counter() - BEGAN > LONGEST:
        say("  no time left")
        return None
    model = binary_model(nodes, 500, 3)
    size = needed(nodes, len(model.weights))
    if size > device.free_bytes():
        say(f"  {nodes} variables need {byte_size(size)}: too much for this device")
        return None
    return model


def computed(
    device: Any, model: Model, needed: Callable[[int, int], int], *, order_modular: bool, most: int
) -> tuple[Any, float, tuple[str, str, str, str], str]:
    """Return the computation, its seconds, the first cells of its row, and its set-up in words.

    Up to a number of variables the processors compute the same.
    """
    nodes = len(model.variables)
    kind: Any = OrderModularComputation if order_modular else modular.ModularComputation
    made, computation = timed(partial(kind, device, model.weights.table))
    taken, found = timed(computation.posterior)
    processors, agreement = "", f"error {found.error:.1e}"
    if nodes <= most:
        cpu, (total, _, edges, _) = timed(partial(cpu_exact, model, order_modular))
        processors = f"{cpu:.2f} s"
        apart = float(np.abs(found.edges - edges).max())
        agreement = f"edges {apart:.1e}, ln {abs(found.log_weight - total):.1e}"
    size = byte_size(needed(nodes, len(model.weights)))
    what = f"n = {nodes}, {len(model.weights):,} families, {size}"
    cells = what, f"{taken:.3f} s", processors, agreement
    return computation, taken, cells, f"set-up {made:.2f} s"


def exact_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nExact, order-modular: evidence, families and edges (at most 3 parents)")
    for nodes in [12, 14] if quick else [20, 24, 26, 28, 30, 32, 33]:
        model = fitting_model(device, nodes, needed_bytes)
        if model is None:
            continue
        computation, taken, cells, set_up = computed(
            device, model, needed_bytes, order_modular=True, most=18 if quick else 26
        )
        best_taken, best = timed(computation.best_dag)
        pairs = 2 * nodes * 2.0 ** (nodes - 1) / taken
        share = exact_bytes(nodes, min(nodes, 10)) / taken / limits.bandwidth
        rate = f"{pairs:.2e} sums/s, {share:.1%} of the bandwidth; best DAG {best_taken:.2f} s "
        row(*cells, f"{rate}({best[0]:.3f}), {set_up}")
        del computation
        gc.collect()


def modular_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nExact, modular: evidence, families and edges (at most 3 parents)")
    taken = 0.0
    for nodes in [10, 12] if quick else [16, 18, 20, 22, 24, 26]:
        # Two more variables take nine times as long.
        if time.perf_counter() - BEGAN + 9 * taken > LONGEST:
            say("  no time left")
            return
        model = fitting_model(device, nodes, modular.needed_bytes)
        if model is None:
            continue
        computation, taken, cells, set_up = computed(
            device, model, modular.needed_bytes, order_modular=False, most=20
        )
        # B, H and the shares have a term for each pair of disjoint sets.
        terms = 3.0 * 3.0**nodes / taken
        rate = f"{terms:.2e} terms/s, {terms / limits.products:.1%} of the products"
        row(*cells, f"{rate}; {set_up}")
        del computation
        gc.collect()


def tiles_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nTiles and threads (n = 26, 3 parents), seconds of the posterior")
    model = binary_model(16 if quick else 26, 500, 3)
    for low in (8, 9, 10, 11):
        found = []
        for threads in (128, 256, 512, 1024):
            computation = OrderModularComputation(
                device, model.weights.table, low=low, threads=threads
            )
            taken, _ = timed(computation.posterior)
            found.append(f"{threads} threads {taken:.3f}")
            del computation
            gc.collect()
        say(f"  2^{low} sets: {', '.join(found)}")


def flat_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nExact, where everything is possible (20 rows), and with more parents")
    for nodes, rows, parents in (
        [(14, 20, 3)] if quick else [(28, 20, 3), (26, 500, 4), (26, 500, 5)]
    ):
        model = binary_model(nodes, rows, parents)
        computation = OrderModularComputation(device, model.weights.table)
        taken, found = timed(computation.posterior)
        row(
            f"n = {nodes}, {rows} rows, {parents} parents",
            f"{taken:.3f} s",
            "",
            f"error {found.error:.1e}",
            f"{2 * nodes * 2.0 ** (nodes - 1) / taken:.2e} sums/s",
        )
        del computation
        gc.collect()


def public_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\narcwise.exact(model, 'order-modular', device=...) with all that comes with a posterior")
    model = binary_model(14 if quick else 25, 500, 3)
    gpu, one = timed(lambda: arcwise.exact(model, "order-modular", device="gpu"))
    cpu, other = timed(lambda: arcwise.exact(model, "order-modular"))
    same = one.map_dag == other.map_dag
    evidence, known = one.log_evidence, other.log_evidence
    assert evidence is not None
    assert known is not None
    row(
        f"n = {len(model.variables)}",
        f"{gpu:.2f} s",
        f"{cpu:.2f} s",
        f"edges {np.abs(one.edges - other.edges).max():.1e}",
        f"the same best DAG: {same}; ln evidence {evidence:.6f}, off {evidence - known:.1e}",
    )


def draws_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nDAGs drawn from the exact order-modular posterior")
    model = binary_model(12 if quick else 26, 500, 3)
    nodes, count = len(model.variables), 500 if quick else 10_000
    computation = OrderModularComputation(device, model.weights.table)
    found = computation.posterior()
    computation.draw(10, seed=1)
    taken, (_, parents) = timed(lambda: computation.draw(count, seed=2))
    drawn = np.array(
        [
            [(parents[:, v] >> np.uint64(u) & np.uint64(1)).mean() for v in range(nodes)]
            for u in range(nodes)
        ]
    )
    allowed = 5 * np.sqrt(found.edges * (1 - found.edges) / count) + 3 / count
    outside = int((np.abs(drawn - found.edges) > allowed).sum())
    row(
        f"n = {nodes}: {count:,} DAGs",
        f"{taken:.3f} s",
        "",
        f"off by {np.abs(drawn - found.edges).max():.1e}",
        f"{count / taken:.2e} DAGs/s, {outside} edges outside five standard errors",
    )


def bits_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nThe device and plain C++, to the last bit")
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from support.emulated_gpu import EmulatedGpu

    table = binary_model(11 if quick else 15, 100, 3).weights.table
    for name, computation in (
        ("order-modular", OrderModularComputation),
        ("modular", modular.ModularComputation),
    ):
        one, other = (
            computation(each, table, low=6).posterior() for each in (device, EmulatedGpu())
        )
        same = one.log_weight == other.log_weight and bool((one.edges == other.edges).all())
        same_or_not(f"exact, {name}", same)
    score_bits(device, EmulatedGpu())
    order_bits(device, quick)


def largest_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nAs many variables as the device holds (at most 2 parents)")
    nodes = 17 if quick else 34
    model = binary_model(nodes, 500, 2)
    needed = needed_bytes(nodes, len(model.weights))
    if needed > device.free_bytes():
        say(f"  {nodes} variables need {byte_size(needed)}, {byte_size(device.free_bytes())} free")
        return
    computation = OrderModularComputation(device, model.weights.table)
    taken, found = timed(computation.posterior)
    row(
        f"n = {nodes}, {len(model.weights):,} families, {byte_size(needed)}",
        f"{taken:.3f} s",
        "",
        f"error {found.error:.1e}",
        f"{2 * nodes * 2.0 ** (nodes - 1) / taken:.2e} sums/s, ln {found.log_weight:.6f}",
    )


# --- Chains over orders and annealing -------------------------------------------------------------


def tables_of(device: Any, model: Model) -> DeviceTables:
    return DeviceTables(device, OrderTables.of(model.weights.table))


def timed_walk(device: Any, chains: Any, steps: int, what: str, more: str = "") -> None:
    """Add a row with the steps a second of chains that have warmed up."""
    chains.walk(200)
    device.synchronize()
    before = chains.counts()
    taken, _ = timed(lambda: chains.walk(steps))
    tried, made = (now - then for now, then in zip(chains.counts(), before, strict=True))
    row(
        f"{what}: {chains.chains:,} chains, {steps:,} steps",
        f"{taken:.3f} s",
        "",
        f"accepted {made.sum() / chains.chains / tried.sum():.1%}",
        f"{chains.chains * steps / taken:.2e} steps/s{more}",
    )


def linear_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nChains over linear orders (n = 37, 10 candidates)")
    tables = tables_of(device, binary_model_with_candidates(37, 1000, 10))
    count, steps = (500, 500) if quick else (MANY, 100_000)
    for name, neighbours in (("usual", None), ("neighbours only", 1.0), ("any two", 0.0)):
        kind = SampledOrders(canonical=False, neighbours=neighbours)
        chains = OrderChains(tables, kind, count, seed=1, point=ORDER_POSTERIOR)
        timed_walk(device, chains, steps, f"linear, {name}")
    big = tables_of(device, binary_model_with_candidates(37, 1000, 13))
    chains = OrderChains(big, LINEAR, count, seed=1, point=ORDER_POSTERIOR)
    timed_walk(device, chains, steps // 4, "linear, 13 candidates")


def canonical_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nChains over canonical orders and the bridge (n = 37)")
    count, steps = (300, 200) if quick else (MANY, 20_000)
    for candidates in (6,) if quick else (10, 13, 16):
        tables = tables_of(device, binary_model_with_candidates(37, 1000, candidates))
        cases: list[tuple[str, float | None, tuple[float, float]]] = [
            ("canonical", None, POSTERIOR),
            ("canonical, neighbours", 1.0, POSTERIOR),
            ("canonical, any two", 0.0, POSTERIOR),
            ("bridge, half way", None, (1.0, 0.5)),
            ("bridge, its beginning", None, ORDER_POSTERIOR),
        ]
        for name, neighbours, point in cases if candidates <= 10 else cases[:1]:
            kind = SampledOrders(neighbours=neighbours)
            chains = OrderChains(tables, kind, count, seed=1, point=(0.0, 0.0))
            settle(chains, steps // 4)
            chains.go_to(point)
            timed_walk(device, chains, steps, f"{name}, K = {candidates}")
        if candidates in (6, 10):
            targets = chains.targets([chains.point])
            taken, _ = timed(partial(chains.relocate, targets))
            say(f"  a relocation in each of {count:,} chains: {taken * 1e3:.1f} ms")
            taken, _ = timed(partial(chains.observe, draw_dags=True))
            say(f"  edges and a DAG of each of {count:,} states: {taken * 1e3:.1f} ms")
            taken, _ = timed(partial(chains.take_canonical_orders, renumber=True))
            say(f"  new numberings of all: {taken * 1e3:.1f} ms")


def coupled_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nCoupled chains over canonical orders (n = 37, 10 candidates, 16 levels), with exchanges")
    tables = tables_of(device, binary_model_with_candidates(37, 1000, 5 if quick else 10))
    groups, sweeps = (20, 5) if quick else (MANY // 16, 400)
    ladders = {
        "temperatures": [(i / 15, 0.0) for i in range(16)],
        "the bridge": [(1.0, place) for place in bridge(15, 37)],
    }
    for name, points in ladders.items():
        chains = TemperedOrders(tables, CANONICAL, points, groups, seed=1)
        chains.start(1000)

        def sweep(count: int, chains: TemperedOrders = chains) -> None:
            for _ in range(count):
                chains.walk(9)
                chains.ratios.add()
                chains.exchange()

        sweep(5)
        chains.forget_counts()
        taken, _ = timed(lambda: sweep(sweeps))
        rates = 1.0 - chains.refusal_rates()
        row(
            f"{name}: {groups:,} x 16 chains, {sweeps} sweeps of 9",
            f"{taken:.3f} s",
            "",
            f"exchanged {rates.min():.0%} to {rates.max():.0%}",
            f"{groups * 16 * 9 * sweeps / taken:.2e} steps/s, "
            f"{int(chains.round_trips().sum()):,} round trips",
        )


def annealing_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nThe evidence by annealing")
    cases = [(10, 500, 500)] if quick else [(20, 10_000, 100_000), (37, 37_000, 100_000)]
    for nodes, steps, count in cases:
        model = binary_model_with_candidates(nodes, 1000, min(10, nodes - 1))
        tables = tables_of(device, model)
        for canonical in (False, True):

            def annealed(
                tables: DeviceTables = tables,
                nodes: int = nodes,
                steps: int = steps,
                count: int = count,
                canonical: bool = canonical,
            ) -> Any:
                kind, path = CANONICAL, uniform_bridge(steps, nodes, hold=nodes)
                if not canonical:
                    kind = LINEAR
                    path = [(inverse, 0.0) for inverse in np.linspace(0.0, 1.0, steps + 1).tolist()]
                chains = OrderChains(tables, kind, count, seed=5, point=path[0])
                chains.anneal(path[1:])
                return chains.annealed()

            taken, logs = timed(annealed)
            top = float(logs.max())
            weights = np.exp(logs - top)
            mean = float(weights.mean())
            estimate = top + math.log(mean) + math.lgamma(nodes + 1)
            error = float(weights.std() / mean / math.sqrt(count))
            effective = float(weights.sum() ** 2 / (weights**2).sum())
            agreement = f"{estimate:.4f} +- {error:.4f}"
            if nodes <= 20:
                exact = cpu_exact(model, not canonical)[0]
                agreement += f", off {estimate - exact:+.4f}"
            row(
                f"{'' if canonical else 'order-'}modular, n = {nodes}: {count:,} x {steps:,}",
                f"{taken:.3f} s",
                "",
                agreement,
                f"{count * steps / taken:.2e} steps/s, {effective:,.0f} effective runs",
            )


def sampled_edges_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nSamplers as users call them, device='gpu', against exact probabilities")
    model = binary_model_with_candidates(10 if quick else 20, 500, 6 if quick else 10)
    count = 64 if quick else 4096
    steps = 400 if quick else 20_000
    exact = {
        modularity: arcwise.exact(model, modularity) for modularity in ("order-modular", "modular")
    }
    chains = {"chains": count, "steps": steps, "thinning": max(1, steps // 100)}
    coupled = {**chains, "chains": max(8, count // 16), "ladder": "uniform bridge"}
    annealed = {"particles": 4 * count, "steps": steps // 2}
    populations = {"particles": 256, "runs": 4 if quick else 64}
    calls: list[tuple[str, str, str, Callable[..., Any], dict[str, Any]]] = [
        ("mcmc", "linear", "order-modular", arcwise.mcmc, chains),
        ("mcmc", "canonical", "modular", arcwise.mcmc, chains),
        ("mc3, uniform bridge", "canonical", "modular", arcwise.mc3, coupled),
        ("ais", "linear", "order-modular", arcwise.ais, annealed),
        ("ais, bridge", "canonical", "modular", arcwise.ais, {**annealed, "schedule": "bridge"}),
        ("smc", "linear", "order-modular", arcwise.smc, populations),
        ("smc", "canonical", "modular", arcwise.smc, populations),
    ]
    for name, space, modularity, call, options in calls:
        if name == "mcmc":
            options = {**options, "start": "random"}
        taken, found = timed(
            partial(call, model, space, modularity=modularity, seed=1, device="gpu", **options)
        )
        known = exact[modularity]
        agreement = f"edges off {np.abs(found.edges - known.edges).max():.1e}"
        agreement += f" (s.e. {found.edge_errors.max():.1e})"
        rate = ""
        if found.evidence is not None:
            off = found.log_evidence - known.log_evidence
            rate = f"ln evidence off {off:+.4f} +- {found.evidence.standard_error or np.nan:.4f}"
        row(f"{name}, {space}, n = {len(model.variables)}", f"{taken:.2f} s", "", agreement, rate)


def rival_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nThe same calls on the processors and on the device (n = 37, 10 candidates)")
    model = binary_model_with_candidates(37, 1000, 4 if quick else 10)
    steps = 400 if quick else 100_000
    for space, modularity in (("linear", "order-modular"), ("canonical", "modular")):
        common: dict[str, Any] = {
            "modularity": modularity,
            "start": 1000,
            "seed": 1,
            "dags_per_state": 0,
        }
        cpu, few = timed(partial(arcwise.mcmc, model, space, chains=16, steps=steps, **common))
        many = 32 if quick else 8192
        common |= {"chains": many, "steps": steps, "thinning": steps // 50, "device": "gpu"}
        gpu, lots = timed(partial(arcwise.mcmc, model, space, **common))
        assert few.edge_errors is not None
        assert lots.edge_errors is not None
        errors = np.hypot(few.edge_errors, lots.edge_errors)
        apart = np.abs(few.edges - lots.edges) / np.maximum(errors, 1e-6)
        row(
            f"mcmc, {space}: 16 chains, {many:,} on the device",
            f"{gpu:.2f} s",
            f"{cpu:.2f} s",
            f"edges apart {apart.max():.1f} s.e. at most",
            f"{many * steps / gpu:.2e} and {16 * steps / cpu:.2e} steps/s with all that is kept",
        )


def order_bits(device: Any, quick: bool) -> None:
    """Whether chains are the same to the last bit on the device and as plain C++."""
    from support.emulated_gpu import EmulatedGpu

    model = binary_model_with_candidates(20, 200, 8)
    plain, canonical, coupled = [], [], []
    for each in (device, EmulatedGpu()):
        tables = tables_of(each, model)
        chains = OrderChains(tables, LINEAR, 300, seed=7, point=(0.0, 0.0))
        chains.anneal([(inverse, 0.0) for inverse in np.linspace(0, 1, 501)[1:].tolist()])
        chains.walk(500 if quick else 3000)
        chains.observe(draw_dags=True)
        plain.append((chains.orders(), chains.annealed(), chains.edges(), chains.dags()))
        path = uniform_bridge(1000, 20, hold=20)
        own = OrderChains(tables, CANONICAL, 300, seed=7, point=path[0])
        own.anneal(path[1:])
        own.take_canonical_orders(renumber=True)
        own.walk(500)
        own.observe(draw_dags=True)
        canonical.append((own.orders(), own.annealed(), own.edges(), own.dags()))
        points = [(1.0, place) for place in bridge(7, 20)]
        groups = TemperedOrders(tables, CANONICAL, points, 20, seed=7)
        groups.start(200)
        for _ in range(20):
            groups.walk(5)
            groups.ratios.add()
            groups.exchange()
        ratios = np.array([groups.ratios.of(group)[3][0] for group in range(20)])
        coupled.append(
            (groups.take_coldest().orders(), groups.exchanged(), ratios, groups.refusal_rates())
        )
    names: dict[str, tuple[list[Any], tuple[str, ...]]] = {
        "linear orders": (plain, ("orders", "annealing weights", "edges", "DAGs")),
        "canonical orders": (canonical, ("orders", "annealing weights", "edges", "DAGs")),
        "coupled chains": (coupled, ("orders", "exchanges", "ratios", "rates")),
    }
    for what, (found, parts) in names.items():
        for name, one, other in zip(parts, *found, strict=True):
            same_or_not(f"{what}, {name}", bool((one == other).all()))


# --- Scores of families ---------------------------------------------------------------------------


def apart(one: FamilyScores, other: FamilyScores) -> float:
    """Return the largest difference of two scores, of 1 or of themselves."""
    most = 0.0
    for node in range(len(one.variables)):
        first, second = one.table.values(node), other.table.values(node)
        most = max(most, float((np.abs(first - second) / np.maximum(1.0, np.abs(second))).max()))
    return most


def compared(
    device: Any, data: arcwise.Data, score: str, **families: Any
) -> tuple[float, float, FamilyScores, float]:
    """Return seconds of the device, once it is warm, and of all cores; scores; how far apart."""
    few = data.take_rows(np.arange(min(100, data.rows)))
    arcwise.score(few, score, device="gpu", max_indegree=1)
    taken, found = timed(partial(arcwise.score, data, score, device="gpu", **families))
    cpu, known = timed(partial(arcwise.score, data, score, **families))
    return taken, cpu, found, apart(found, known)


def discrete_scores_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nBDeu of all families, and whether device='auto' would use the device")
    cases = [(50, 1_000_000, 2, 3), (50, 1_000_000, 3, 2), (37, 100_000, 4, 4), (50, 10_000, 3, 3)]
    for nodes, rows, levels, parents in [(10, 2000, 3, 2)] if quick else cases:
        data = arcwise.read(leveled_columns(nodes, rows, levels))
        taken, cpu, found, off = compared(device, data, "bdeu", max_indegree=parents)
        sizes = range(parents + 2)
        counted = sum(math.comb(nodes, size) for size in sizes) * rows
        # A byte of each member of a set: most of them from the second-level cache.
        read = sum(size * math.comb(nodes, size) for size in sizes) * rows
        row(
            f"{rows:,} rows, {nodes} columns, {levels} levels, {parents} parents",
            f"{taken:.2f} s",
            f"{cpu:.2f} s",
            f"scores {off:.1e}",
            f"{counted / taken:.2e} rows of sets/s, codes at {read / taken / limits.bandwidth:.1%} "
            f"of the bandwidth; {len(found):,} families; auto: {_auto(data, 'bdeu', parents)}",
        )
        del data, found
        gc.collect()


def gaussian_scores_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nBGe of all families, and whether device='auto' would use the device")
    cases = [(1000, 10_000, 1), (1000, 1000, 2), (300, 10_000, 2), (100, 100_000, 3)]
    for nodes, rows, parents in [(40, 500, 2)] if quick else cases:
        data = arcwise.read(gaussian_columns(nodes, rows))
        taken, cpu, found, off = compared(device, data, "bge", max_indegree=parents)
        products = rows * nodes * (nodes + 1) / 2
        values = 8 * len(found)  # written once
        row(
            f"{rows:,} rows, {nodes} columns, {parents} parents",
            f"{taken:.2f} s",
            f"{cpu:.2f} s",
            f"scores {off:.1e}",
            f"{len(found) / taken:.2e} families/s, {values / taken / limits.bandwidth:.1%} of the "
            f"bandwidth; {products / taken / limits.products:.1%} of the products; "
            f"auto: {_auto(data, 'bge', parents)}",
        )
        del data, found
        gc.collect()


def _auto(data: arcwise.Data, score: str, parents: int) -> str:
    rule = arcwise.Constraints(max_indegree=parents)
    question = Question.of(data, Definition(score, constraints=rule))
    chosen = engine_on_device(question, Choice.AUTO, None)
    return "yes" if isinstance(chosen, GpuScoring) else "no"


def score_bits(device: Any, emulated: Any) -> None:
    """Say whether scores of the device and of plain C++ are the same."""
    for score, table in (
        ("bdeu", leveled_columns(8, 1003, 3)),
        ("bge", gaussian_columns(40, 503)),
    ):
        data = arcwise.read(table)
        engines: list[Engine] = [GpuScoring(device), GpuScoring(emulated)]
        one, other = (
            arcwise.score(data, score, engine=each, max_indegree=2).table for each in engines
        )
        same = all((one.values(node) == other.values(node)).all() for node in range(len(one)))
        same_or_not(f"scores, {score}", same)


PARTS: dict[str, Callable[[Any, Limits, bool], None]] = {
    "linear": linear_part,
    "canonical": canonical_part,
    "coupled": coupled_part,
    "annealing": annealing_part,
    "edges": sampled_edges_part,
    "rival": rival_part,
    "bdeu": discrete_scores_part,
    "bge": gaussian_scores_part,
    "bits": bits_part,
    "draws": draws_part,
    "modular": modular_part,
    "public": public_part,
    "exact": exact_part,
    "flat": flat_part,
    "tiles": tiles_part,
    "largest": largest_part,
}
