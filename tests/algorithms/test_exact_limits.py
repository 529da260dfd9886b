"""Exact runs: memory stated and kept to, refusals, Ctrl-C, progress, and the same bits always."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.algorithms import ExactSampler
from arcwise.algorithms.exact_computation import exact_cost
from arcwise.errors import ArgumentError, CapacityError
from arcwise.support.checks import available_memory
from arcwise.support.names import byte_size
from support.exact_models import MODULARITIES, flat_model, random_model
from support.interrupting import assert_stops_within_two_seconds


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("limit", [0, 1_000, 200_000])
def test_a_run_beyond_the_limit_is_refused_with_the_figure(limit: int, modularity: Any) -> None:
    model = flat_model(12, max_indegree=2)
    needed = exact_cost(model, modularity, threads=1).memory
    with pytest.raises(CapacityError) as refusal:
        arcwise.exact(model, modularity, memory_limit=limit, threads=1)
    assert str(refusal.value) == (
        f"the exact run needs {byte_size(needed)} and the limit is {byte_size(limit)}; "
        "raise memory_limit, or use a sampler"
    )
    with pytest.raises(CapacityError):
        arcwise.exact(model, modularity, memory_limit=needed - 1, threads=1)
    arcwise.exact(model, modularity, memory_limit=needed, threads=1)


def test_the_limit_is_what_is_free_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2**20 < available_memory() < 2**50
    monkeypatch.setattr("arcwise.algorithms.exact_computation.available_memory", lambda: 4_321)
    with pytest.raises(CapacityError, match="and the limit is 4 KiB; raise memory_limit"):
        arcwise.exact(flat_model(10))
    arcwise.exact(flat_model(10), memory_limit=2**30)


def test_byte_size() -> None:
    said = [byte_size(count) for count in (0, 1_023, 2_048, 3 * 2**20, 5 * 2**30, 2**45)]
    assert said == ["0 bytes", "1,023 bytes", "2 KiB", "3.0 MiB", "5.0 GiB", "32.0 TiB"]


def test_the_memory_of_25_variables_is_far_below_one_table_for_each() -> None:
    # Two tables of 2^25 numbers, not 25.
    cost = exact_cost(flat_model(25, max_indegree=1), "order-modular", threads=2)
    assert 2 * 8 * 2**25 < cost.memory < 3 * 8 * 2**25
    assert re.fullmatch(r"[\d.]+ MiB of memory, \d+ billion operations", str(cost))


MEASURE = """
import re, sys
import arcwise
from arcwise.algorithms.exact_computation import exact_cost
def model(n):
    return arcwise.Model([f"x{i}" for i in range(n)], lambda v, p: -0.1 * len(p), max_indegree=2)
def peak():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read()).group(1)) * 1024
n, target = int(sys.argv[1]), sys.argv[2]
arcwise.exact(model(8), target, threads=2)
large = model(n)
before = peak()
arcwise.exact(large, target, threads=2)
print(peak() - before, exact_cost(large, target, threads=2).memory)
"""


@pytest.mark.parametrize(("n", "modularity"), [(20, "order-modular"), (16, "modular")])
def test_a_run_takes_the_memory_it_states(n: int, modularity: str) -> None:
    command = [sys.executable, "-c", MEASURE, str(n), modularity]
    taken, stated = map(int, subprocess.check_output(command, text=True).split())
    # Threads and the allocator take a few MiB besides.
    assert 0.5 * stated < taken < stated + 6 * 2**20


def test_too_many_variables() -> None:
    rule = {"max_indegree": 1}
    for modularity, n in (("modular", 26), ("order-modular", 31)):
        sentence = (
            rf"^the model has {n} variables, and the exact {modularity} posterior takes up to "
            rf"{n - 1}; [^.;]+$"
        )
        with pytest.raises(CapacityError, match=sentence):
            arcwise.exact(flat_model(n, **rule), modularity)  # type: ignore[arg-type]
        with pytest.raises(CapacityError, match=sentence):
            ExactSampler(flat_model(n, **rule), modularity)  # type: ignore[arg-type]


@pytest.mark.parametrize("modularity", ["Modular", "order_modular", "", None, 1])
def test_a_modularity_that_is_none(modularity: Any) -> None:
    sentence = f"^modularity is {modularity!r}; give one of 'modular' and 'order-modular'$"
    for run in (arcwise.exact, ExactSampler):
        with pytest.raises(ArgumentError, match=sentence):
            run(flat_model(3), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_progress_rises_to_1(modularity: Any) -> None:
    for run in (arcwise.exact, ExactSampler):
        shares: list[float] = []
        run(random_model(12, 4.0), modularity, progress=shares.append)
        assert shares == sorted(shares)
        assert shares[0] >= 0.0
        assert shares[-1] == pytest.approx(1.0, abs=1e-12)
    shares = []
    ExactSampler(flat_model(3), modularity).dags(3_000, seed=1, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_what_the_progress_function_raises_comes_out(modularity: Any) -> None:
    def stop(share: float) -> None:
        raise LookupError("enough")

    for run in (arcwise.exact, ExactSampler):
        with pytest.raises(LookupError, match="enough"):
            run(flat_model(9), modularity, progress=stop)
    sampler = ExactSampler(flat_model(5), modularity)
    with pytest.raises(LookupError, match="enough"):
        sampler.dags(3_000, progress=stop)
    # And it can be used after that.
    assert len(sampler.dags(10)) == 10


def bits(posterior: Posterior) -> list[bytes]:
    table = posterior.family_probabilities.table
    numbers = [posterior.log_evidence, posterior.error, posterior.map_probability]
    return [
        np.array(numbers).tobytes(),
        posterior.edges.tobytes(),
        *(table.values(node).tobytes() for node in range(len(posterior.variables))),
    ]


@pytest.mark.parametrize(
    ("modularity", "rule"),
    [
        ("modular", {"n": 11, "spread": 8.0}),
        ("modular", {"n": 13, "spread": 900.0, "max_indegree": 3}),
        ("modular", {"n": 12, "spread": 4.0, "prior": lambda v, p: -5.0 * len(p) - (v in "x1x2")}),
        ("order-modular", {"n": 11, "spread": 8.0}),
        ("order-modular", {"n": 16, "spread": 900.0, "max_indegree": 3}),
    ],
)
def test_any_number_of_threads_gives_the_same_bits(modularity: Any, rule: dict[str, Any]) -> None:
    model = random_model(**rule)
    expected = bits(arcwise.exact(model, modularity, threads=1))
    for threads in (2, 3, 7):
        assert bits(arcwise.exact(model, modularity, threads=threads)) == expected


def test_more_digits_give_the_same_bits_too() -> None:
    model = random_model(11, 1.0, prior=lambda v, p: -6.0 * len(p))
    runs = [arcwise.exact(model, tolerance=4e-12, threads=threads) for threads in (1, 3)]
    assert bits(runs[0]) == bits(runs[1])
    assert math.isfinite(runs[0].log_evidence)
    assert runs[0].error < arcwise.exact(model).error


LONG_JOB = """
import sys
import arcwise
def model(n):
    return arcwise.Model([f"x{i}" for i in range(n)], lambda v, p: -0.1 * len(p), max_indegree=2)
job = {
    "modular": lambda: arcwise.exact(model(20)),
    "order-modular": lambda: arcwise.exact(model(24), "order-modular"),
    "modular sampler": lambda: arcwise.algorithms.ExactSampler(model(20)),
    "order sampler": lambda: arcwise.algorithms.ExactSampler(model(24), "order-modular"),
}[sys.argv[1]]
"""


@pytest.mark.parametrize("job", ["modular", "order-modular", "modular sampler", "order sampler"])
def test_ctrl_c_stops_a_run(job: str) -> None:
    assert_stops_within_two_seconds(LONG_JOB, job)
