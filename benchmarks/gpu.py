"""One graphics processor against all cores of the machine: the same answers, and how fast.

    python benchmarks/gpu.py [--quick] [--only NAME ...]

Needs CuPy and a device, and ends within ten minutes. Each part prints as it goes and a failure of
one does not end the others; a table of all rows comes last. Limits are measured here, not taken
from a data sheet: the bandwidth of a copy in the device's memory, and products and sums of doubles.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gpu_cases import Limits, network_model
from gpu_orders import (
    annealing_part,
    canonical_part,
    coupled_part,
    linear_part,
    order_bits,
    rival_part,
    sampled_edges_part,
)
from gpu_scores import discrete_scores_part, gaussian_scores_part, score_bits
from gpu_table import cpu_exact, row, say, say_all, seconds_of

import arcwise
from arcwise.gpu import modular, opened
from arcwise.gpu.order_modular import OrderModularComputation, needed_bytes
from arcwise.support.devices import Gpu
from arcwise.support.words import byte_size

warnings.simplefilter("ignore")
BEGAN = time.perf_counter()
LONGEST = 420.0  # seconds, after which no further part begins


def exact_bytes(nodes: int, low: int) -> float:
    """Bytes that the two recursions must move: tiles read for each high node, read and written."""
    high = nodes - low
    return 2.0**nodes * 8 * ((high / 2 + 1) + (high / 2 + 2))


def exact_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nExact, order-modular: evidence, families and edges (at most 3 parents)")
    sizes = [12, 14] if quick else [20, 24, 26, 28, 30, 32, 33]
    for nodes in sizes:
        if time.perf_counter() - BEGAN > LONGEST:
            say("  no time left")
            return
        model = network_model(nodes, 500, 3)
        needed = needed_bytes(nodes, len(model.weights))
        if needed > device.free_bytes():
            say(f"  {nodes} variables need {byte_size(needed)}: too much for this device")
            continue
        made, computation = seconds_of(
            partial(OrderModularComputation, device, model.weights.table)
        )
        taken, found = seconds_of(computation.posterior)
        best_taken, best = seconds_of(computation.best_dag)
        processors, agreement = "", f"error {found.error:.1e}"
        if nodes <= (18 if quick else 26):
            cpu, (total, _, edges, _) = seconds_of(partial(cpu_exact, model))
            processors = f"{cpu:.2f} s"
            apart = float(np.abs(found.edges - edges).max())
            agreement = f"edges {apart:.1e}, ln {abs(found.log_weight - total):.1e}"
        pairs = 2 * nodes * 2.0 ** (nodes - 1) / taken
        share = exact_bytes(nodes, min(nodes, 10)) / taken / limits.bandwidth
        row(
            f"n = {nodes}, {len(model.weights):,} families, {byte_size(needed)}",
            f"{taken:.3f} s",
            processors,
            agreement,
            f"{pairs:.2e} sums/s, {share:.1%} of the bandwidth; best DAG {best_taken:.2f} s "
            f"({best[0]:.3f}), set-up {made:.2f} s",
        )
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
        model = network_model(nodes, 500, 3)
        needed = modular.needed_bytes(nodes, len(model.weights))
        if needed > device.free_bytes():
            say(f"  {nodes} variables need {byte_size(needed)}: too much for this device")
            continue
        made, computation = seconds_of(
            partial(modular.ModularComputation, device, model.weights.table)
        )
        taken, found = seconds_of(computation.posterior)
        processors, agreement = "", f"error {found.error:.1e}"
        if nodes <= 20:
            cpu, (total, _, edges, _) = seconds_of(partial(cpu_exact, model, False))
            processors = f"{cpu:.2f} s"
            apart = float(np.abs(found.edges - edges).max())
            agreement = f"edges {apart:.1e}, ln {abs(found.log_weight - total):.1e}"
        # B, H and the shares have a term for each pair of disjoint sets.
        terms = 3.0 * 3.0**nodes / taken
        row(
            f"n = {nodes}, {len(model.weights):,} families, {byte_size(needed)}",
            f"{taken:.3f} s",
            processors,
            agreement,
            f"{terms:.2e} terms/s, {terms / limits.products:.1%} of the products; "
            f"set-up {made:.2f} s",
        )
        del computation
        gc.collect()


def tiles_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nTiles and threads (n = 26, 3 parents), seconds of the posterior")
    model = network_model(16 if quick else 26, 500, 3)
    for low in (8, 9, 10, 11):
        found = []
        for threads in (128, 256, 512, 1024):
            computation = OrderModularComputation(
                device, model.weights.table, low=low, threads=threads
            )
            taken, _ = seconds_of(computation.posterior)
            found.append(f"{threads} threads {taken:.3f}")
            del computation
            gc.collect()
        say(f"  2^{low} sets: {', '.join(found)}")


def flat_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nExact, where everything is possible (20 rows), and with more parents")
    for nodes, rows, parents in (
        [(14, 20, 3)] if quick else [(28, 20, 3), (26, 500, 4), (26, 500, 5)]
    ):
        model = network_model(nodes, rows, parents)
        computation = OrderModularComputation(device, model.weights.table)
        taken, found = seconds_of(computation.posterior)
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
    model = network_model(14 if quick else 25, 500, 3)
    gpu, one = seconds_of(lambda: arcwise.exact(model, "order-modular", device="gpu"))
    cpu, other = seconds_of(lambda: arcwise.exact(model, "order-modular"))
    same = one.map_dag == other.map_dag
    row(
        f"n = {len(model.variables)}",
        f"{gpu:.2f} s",
        f"{cpu:.2f} s",
        f"edges {np.abs(one.edges - other.edges).max():.1e}",
        f"the same best DAG: {same}; ln evidence {one.log_evidence:.6f}, "
        f"off {one.log_evidence - other.log_evidence:.1e}",
    )


def draws_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nDAGs drawn from the exact order-modular posterior")
    model = network_model(12 if quick else 26, 500, 3)
    nodes, count = len(model.variables), 500 if quick else 10_000
    computation = OrderModularComputation(device, model.weights.table)
    found = computation.posterior()
    computation.draw(10, seed=1)
    taken, (_, parents) = seconds_of(lambda: computation.draw(count, seed=2))
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

    table = network_model(11 if quick else 15, 100, 3).weights.table
    for name, computation in (
        ("order-modular", OrderModularComputation),
        ("modular", modular.ModularComputation),
    ):
        one, other = (
            computation(each, table, low=6).posterior() for each in (device, EmulatedGpu())
        )
        same = one.log_weight == other.log_weight and bool((one.edges == other.edges).all())
        say(f"  exact, {name}: {'the same' if same else 'DIFFERENT'}")
    score_bits(device, EmulatedGpu())
    order_bits(device, quick)


def largest_part(device: Any, limits: Limits, quick: bool) -> None:
    say("\nAs many variables as the device holds (at most 2 parents)")
    nodes = 17 if quick else 34
    model = network_model(nodes, 500, 2)
    needed = needed_bytes(nodes, len(model.weights))
    if needed > device.free_bytes():
        say(f"  {nodes} variables need {byte_size(needed)}, {byte_size(device.free_bytes())} free")
        return
    computation = OrderModularComputation(device, model.weights.table)
    taken, found = seconds_of(computation.posterior)
    row(
        f"n = {nodes}, {len(model.weights):,} families, {byte_size(needed)}",
        f"{taken:.3f} s",
        "",
        f"error {found.error:.1e}",
        f"{2 * nodes * 2.0 ** (nodes - 1) / taken:.2e} sums/s, ln {found.log_weight:.6f}",
    )


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small cases alone")
    parser.add_argument("--only", nargs="*", default=None, choices=sorted(PARTS))
    arguments = parser.parse_args()
    compiling, device = seconds_of(lambda: opened(Gpu()))
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
    for name, part in PARTS.items():
        if arguments.only is not None and name not in arguments.only:
            continue
        if time.perf_counter() - BEGAN > LONGEST:
            say(f"\n{name}: left out, as the time is up")
            continue
        start = time.perf_counter()
        try:
            part(device, limits, arguments.quick)
        except Exception:  # whatever it is, the other parts are worth having
            failed += 1
            traceback.print_exc(file=sys.stdout)
        say(f"  [{name}: {time.perf_counter() - start:.1f} s]")
    say_all()
    say(f"{failed} parts failed; {time.perf_counter() - BEGAN:.0f} s in all")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
