"""Parts of the benchmark of graphics processors that sample orders; see gpu.py."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gpu_cases import Limits, model_with_candidates
from gpu_table import cpu_exact, row, say, seconds_of

import arcwise
from arcwise.gpu.device_chains import settle
from arcwise.gpu.order_chains import (
    ORDER_POSTERIOR,
    POSTERIOR,
    DeviceTables,
    OrderChains,
    OrderTables,
    SampledOrders,
)
from arcwise.gpu.tempering import TemperedOrders
from arcwise.records.ladders import bridge, uniform_bridge

MANY = 132 * 512  # chains that keep an H200 busy
CANONICAL = SampledOrders()
LINEAR = SampledOrders(canonical=False)


def tables_of(device: Any, model: arcwise.Model) -> DeviceTables:
    return DeviceTables(device, OrderTables.of(model.weights.table))


def timed_walk(device: Any, chains: Any, steps: int, what: str, more: str = "") -> None:
    """Add a row with the steps a second of chains that have warmed up."""
    chains.walk(200)
    device.synchronize()
    before = chains.counts()
    taken, _ = seconds_of(lambda: chains.walk(steps))
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
    tables = tables_of(device, model_with_candidates(37, 1000, 10))
    count, steps = (500, 500) if quick else (MANY, 100_000)
    for name, neighbours in (("usual", None), ("neighbours only", 1.0), ("any two", 0.0)):
        kind = SampledOrders(canonical=False, neighbours=neighbours)
        chains = OrderChains(tables, kind, count, seed=1, point=ORDER_POSTERIOR)
        timed_walk(device, chains, steps, f"linear, {name}")
    big = tables_of(device, model_with_candidates(37, 1000, 13))
    chains = OrderChains(big, LINEAR, count, seed=1, point=ORDER_POSTERIOR)
    timed_walk(device, chains, steps // 4, "linear, 13 candidates")


def canonical_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nChains over canonical orders and the bridge (n = 37)")
    count, steps = (300, 200) if quick else (MANY, 20_000)
    for candidates in (6,) if quick else (10, 13, 16):
        tables = tables_of(device, model_with_candidates(37, 1000, candidates))
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
            taken, _ = seconds_of(partial(chains.relocate, targets))
            say(f"  a relocation in each of {count:,} chains: {taken * 1e3:.1f} ms")
            taken, _ = seconds_of(partial(chains.observe, draw_dags=True))
            say(f"  edges and a DAG of each of {count:,} states: {taken * 1e3:.1f} ms")
            taken, _ = seconds_of(partial(chains.take_canonical_orders, renumber=True))
            say(f"  new numberings of all: {taken * 1e3:.1f} ms")


def coupled_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nCoupled chains over canonical orders (n = 37, 10 candidates, 16 levels), with exchanges")
    tables = tables_of(device, model_with_candidates(37, 1000, 5 if quick else 10))
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
        taken, _ = seconds_of(lambda: sweep(sweeps))
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
        model = model_with_candidates(nodes, 1000, min(10, nodes - 1))
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

            taken, logs = seconds_of(annealed)
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
    model = model_with_candidates(10 if quick else 20, 500, 6 if quick else 10)
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
        taken, found = seconds_of(
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
    model = model_with_candidates(37, 1000, 4 if quick else 10)
    steps = 400 if quick else 100_000
    for space, modularity in (("linear", "order-modular"), ("canonical", "modular")):
        common: dict[str, Any] = {
            "modularity": modularity,
            "start": 1000,
            "seed": 1,
            "dags_per_state": 0,
        }
        cpu, few = seconds_of(partial(arcwise.mcmc, model, space, chains=16, steps=steps, **common))
        many = 32 if quick else 8192
        common |= {"chains": many, "steps": steps, "thinning": steps // 50, "device": "gpu"}
        gpu, lots = seconds_of(partial(arcwise.mcmc, model, space, **common))
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
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from support.emulated_gpu import EmulatedGpu

    model = model_with_candidates(20, 200, 8)
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
            say(f"  {what}, {name}: {'the same' if (one == other).all() else 'DIFFERENT'}")
