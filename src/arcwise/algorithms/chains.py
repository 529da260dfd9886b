"""Running chains within a budget, for every sampler that has chains."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from arcwise import _core
from arcwise._checks import whole_number
from arcwise._running import Progress, Run, running
from arcwise.algorithms.recording import Kept, Recording
from arcwise.diagnostics.convergence import effective_sample_size
from arcwise.errors import ArgumentError, InterruptedWarning

# States kept of each chain unless told otherwise: one in 2 n steps within these bounds. More would
# say little more, and DAGs drawn from them would fill the memory.
_FEWEST_DRAWS = 1_000
_MOST_DRAWS = 10_000


@dataclass(frozen=True)
class Budget:
    """How long chains run: steps, seconds, or until enough effective samples.

    Parameters
    ----------
    steps
        Steps of each chain, burn-in included.
    seconds
        Wall-clock time, burn-in included.
    effective_samples
        The effective number of samples wanted of the log weight, all chains
        together; with seconds besides, whichever comes first.
    burn_in
        The share of steps or seconds at the start that is not kept.
    thinning
        Steps between two kept states; None for 2 n, but at least 1,000 states of
        each chain and at most 10,000.
    """

    steps: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None
    burn_in: float = 0.5
    thinning: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.steps is not None:
            whole_number(self.steps, "steps", at_least=2)
            if self.seconds is not None or self.effective_samples is not None:
                raise ArgumentError("give steps, or seconds and effective_samples, not both")
        for name in ("seconds", "effective_samples"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} is {value!r}; give a positive number")
        if not 0 <= self.burn_in < 1:
            raise ArgumentError(f"burn_in is {self.burn_in!r}; give a share from 0 to below 1")
        if self.thinning is not None:
            whole_number(self.thinning, "thinning", at_least=1)


@dataclass
class ChainRun:
    """Chains that were run, and how."""

    chains: Any  # the core's, or an engine's like them
    kept: list[Kept] = field(default_factory=list)
    burn_in_steps: int = 0
    thinning: int = 1
    interrupted: bool = False
    seconds: float = 0.0


def run_chains(
    space: _core.Space,
    recording: Recording,
    budget: Budget,
    *,
    inverse_temperatures: list[float],
    adapt: bool,
    exchanges_per_step: int,
    chains: int,
    seed: int,
    threads: int | None,
    progress: Progress,
    what: str,
    make: Callable[..., Any] = _core.Chains,
) -> ChainRun:
    """Run the chains until the budget is spent or Ctrl-C comes; then there is what there is.

    They are made by `make`, which is an engine's.
    """
    made = make(
        space,
        inverse_temperatures,
        exchanges_per_step,
        adapt,
        1,
        recording.options(edge_batches=64),
        whole_number(seed, "seed", at_least=0),
        0,
        whole_number(chains, "chains", at_least=1),
    )
    result = ChainRun(made)
    start = time.perf_counter()
    with running(threads, progress, what) as run:
        try:
            if budget.steps is not None:
                _by_steps(result, budget, run, space.nodes)
            elif budget.effective_samples is not None:
                _by_effective_samples(result, budget, run, space.nodes, start)
            elif budget.seconds is not None:
                _by_seconds(result, budget, run, space.nodes, start)
            else:
                usual = max(20_000, 200 * space.nodes**2)
                _by_steps(result, replace(budget, steps=usual), run, space.nodes)
        except KeyboardInterrupt:
            result.interrupted = True
    result.seconds = time.perf_counter() - start
    result.kept = [Kept.of(made.record(chain)) for chain in range(len(made))]
    if result.interrupted:
        if not any(record.states for record in result.kept):
            raise KeyboardInterrupt
        warnings.warn(
            "the run was interrupted; the result rests on the "
            f"{sum(record.states for record in result.kept)} states sampled so far",
            InterruptedWarning,
            stacklevel=4,
        )
    result.kept = [record for record in result.kept if record.states]
    return result


def _by_steps(result: ChainRun, budget: Budget, run: Run, nodes: int) -> None:
    assert budget.steps is not None
    result.burn_in_steps = int(budget.steps * budget.burn_in)
    left = budget.steps - result.burn_in_steps
    result.thinning = budget.thinning or _thinning(left, nodes)
    if left < result.thinning:
        raise ArgumentError(
            f"{left} steps are left after the burn-in and thinning is {result.thinning}, so no "
            "state would be kept; give more steps or less thinning"
        )
    share = result.burn_in_steps / budget.steps
    result.chains.start(result.burn_in_steps, run.threads, _part(run, 0.0, share))
    result.chains.set_thinning(result.thinning)
    result.chains.sample(left // result.thinning, run.threads, _part(run, share, 1.0))


def _by_seconds(result: ChainRun, budget: Budget, run: Run, nodes: int, start: float) -> None:
    assert budget.seconds is not None
    end_of_burn_in = start + budget.seconds * budget.burn_in
    end = start + budget.seconds
    chains, threads = result.chains, run.threads

    seconds = budget.seconds

    def show() -> None:
        if run.progress is not None:
            run.progress(min(1.0, (time.perf_counter() - start) / seconds))

    chains.start(0, threads, None)
    began = time.perf_counter()
    piece = 16
    steps = 0
    # Pieces of about a twentieth of the time, found by doubling.
    while time.perf_counter() < end_of_burn_in or steps == 0:
        before = time.perf_counter()
        chains.burn_in(piece, threads, None)
        steps += piece
        show()
        if time.perf_counter() - before < budget.seconds / 40:
            piece *= 2
    result.burn_in_steps = steps
    rate = steps / (time.perf_counter() - began)
    left = end - time.perf_counter()
    result.thinning = budget.thinning or _thinning(int(rate * left), nodes)
    chains.set_thinning(result.thinning)
    # What is done with a kept state may take longer than getting there: pieces by doubling again.
    draws = 1
    while True:
        before = time.perf_counter()
        chains.sample(draws, threads, None)
        show()
        if time.perf_counter() >= end:
            return
        if time.perf_counter() - before < seconds / 40:
            draws *= 2


def _thinning(steps: int, nodes: int) -> int:
    """Return the steps between kept states for a chain of so many steps."""
    draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, steps // (2 * nodes)))
    return max(1, steps // draws)


def _by_effective_samples(
    result: ChainRun, budget: Budget, run: Run, nodes: int, start: float
) -> None:
    assert budget.effective_samples is not None
    chains = result.chains
    result.burn_in_steps = max(1000, 10 * nodes**2)
    result.thinning = budget.thinning or nodes
    chains.start(result.burn_in_steps, run.threads, None)
    chains.set_thinning(result.thinning)
    while True:
        chains.sample(250, run.threads, None)
        traces = np.stack([chains.record(i)["log_weights"] for i in range(len(chains))])
        effective = float(effective_sample_size(traces))
        # A trace that never changes may be a posterior of one state: nothing more to wait for.
        if np.isnan(effective) and traces.shape[1] >= _FEWEST_DRAWS:
            return
        if run.progress is not None and not np.isnan(effective):
            run.progress(min(1.0, effective / budget.effective_samples))
        if effective >= budget.effective_samples:
            return
        if budget.seconds is not None and time.perf_counter() >= start + budget.seconds:
            return


def _part(run: Run, first: float, last: float) -> Callable[[float], None] | None:
    """Return a progress function for a part of the run."""
    if run.progress is None:
        return None
    show = run.progress
    return lambda share: show(first + (last - first) * share)
