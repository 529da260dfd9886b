"""Running chains within a budget, for every sampler that has chains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from arcwise import _core
from arcwise.algorithms.budgets import Budget
from arcwise.algorithms.stages import Stages, equal_parts
from arcwise.errors import ArgumentError, InterruptedWarning
from arcwise.records.recording import Kept, Recording
from arcwise.runs.pieces import Log, Pieces
from arcwise.support.checks import whole_number
from arcwise.support.running import Progress, Run, running
from arcwise.support.warnings import warn

_ANY_NUMBER = 1 << 62
_PIECES = 32  # of a burn-in and of the rest, for a budget in steps


@dataclass
class ChainRun:
    """Chains that were run, and how.

    Parameters
    ----------
    chains
        The chains.
    kept
        What counts of each of them.
    burn_in_steps, thinning
        Steps of each chain before that, and between two kept states.
    interrupted
        Whether Ctrl-C ended the run.
    until, until_met
        The rule that was to end it, and whether it did.
    seconds
        The time it took.
    """

    chains: Any  # the core's, or an engine's like them
    kept: list[Kept] = field(default_factory=list)
    burn_in_steps: int = 0
    thinning: int = 1
    interrupted: bool = False
    until: str | None = None
    until_met: bool | None = None
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
    logged: Callable[[Any], Log] | None = None,
) -> ChainRun:
    """Run the chains until the budget is spent or Ctrl-C comes; then there is what there is.

    They are made by `make`, which is an engine's. With `logged`, the run is written down
    by what it returns, and goes on from there.
    """
    count = whole_number(chains, "chains", at_least=1)
    if budget.rule is not None:
        budget.rule.refuse_unknowable(count, recording.dags_per_state)
    made = make(
        space,
        inverse_temperatures,
        exchanges_per_step,
        adapt,
        1,
        recording.options(edge_batches=64),
        whole_number(seed, "seed", at_least=0),
        0,
        count,
    )
    result = ChainRun(made)
    log = None if logged is None else logged(made)
    budget = budget.resolved(space.nodes)
    with running(threads, progress, what) as run:
        if budget.rule is not None:
            _by_rule(result, budget, run, space.nodes, adapt, log)
        elif budget.seconds is not None:
            _by_seconds(result, budget, run, space.nodes, log)
        else:
            _by_steps(result, budget, run, space.nodes, adapt, log)
    if result.interrupted:
        if not any(record.states for record in result.kept):
            raise KeyboardInterrupt
        warn(
            "the run was interrupted; the result rests on the "
            f"{sum(record.states for record in result.kept)} states sampled so far",
            InterruptedWarning,
        )
    result.kept = [record for record in result.kept if record.states]
    return result


def _by_steps(
    result: ChainRun, budget: Budget, run: Run, nodes: int, adapt: bool, log: Log | None
) -> None:
    total = budget.steps
    assert total is not None
    result.burn_in_steps = int(total * budget.burn_in)
    left = total - result.burn_in_steps
    result.thinning = budget.thinned(left, nodes)
    if left < result.thinning:
        raise ArgumentError(
            f"{left} steps are left after the burn-in and thinning is {result.thinning}, so no "
            "state would be kept; give more steps or less thinning"
        )
    pieces = Pieces(result.chains, run, lambda now: now.steps / total, log)
    try:
        pieces.start()
        # Temperatures are adapted over the whole of a call.
        for piece in equal_parts(result.burn_in_steps, 1 if adapt else _PIECES):
            pieces.burn_in(piece)
        pieces.thin(result.thinning)
        for piece in equal_parts(left // result.thinning, _PIECES):
            pieces.sample(piece)
        pieces.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    result.kept, result.seconds = pieces.kept(), pieces.seconds_now


def _by_seconds(result: ChainRun, budget: Budget, run: Run, nodes: int, log: Log | None) -> None:
    seconds = budget.seconds
    assert seconds is not None
    pieces = Pieces(result.chains, run, lambda now: now.seconds / seconds, log)
    try:
        pieces.start()
        # Pieces of about a twentieth of the time, found by doubling.
        piece = 16
        while pieces.seconds < seconds * budget.burn_in or pieces.steps == 0:
            before = pieces.seconds
            pieces.burn_in(piece)
            if pieces.seconds - before < seconds / 40:
                piece *= 2
        result.burn_in_steps = pieces.steps
        rate = pieces.steps / pieces.seconds
        result.thinning = budget.thinned(int(rate * (seconds - pieces.seconds)), nodes)
        pieces.thin(result.thinning)
        pieces.sample_within(_ANY_NUMBER, seconds, piece=seconds / 40)
        pieces.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    result.kept, result.seconds = pieces.kept(), pieces.seconds_now


def _by_rule(
    result: ChainRun, budget: Budget, run: Run, nodes: int, adapt: bool, log: Log | None
) -> None:
    pieces = Pieces(result.chains, run, lambda now: stages.share(now), log)
    stages = Stages(pieces, budget, nodes, adapt)
    try:
        stages.run()
        pieces.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    (result.kept, began), result.seconds = stages.kept(), pieces.seconds_now
    result.burn_in_steps, result.thinning = began.steps, began.thinning
    result.until, result.until_met = str(stages.rule), stages.met
