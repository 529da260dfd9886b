"""Runs chains within a budget, for every sampler that has chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arcwise.algorithms.first_dag import first_dag
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.algorithms.stages import SHORTEST, Stages, equal_parts, time_to_stop
from arcwise.engines.sampling_jobs import ChainJob, Chains
from arcwise.errors import ArgumentError, InterruptedWarning, RunDirectoryError, option
from arcwise.records.budget import Budget
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.settings import ChainSettings
from arcwise.records.tempering import Tempering
from arcwise.runs.chain_loop import ChainLoop, Log
from arcwise.spaces.space import Space
from arcwise.statistics.settled import settled
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.running import Stage, running
from arcwise.support.warnings import warn

_ANY_NUMBER = 1 << 62
# Batches of the edge probabilities of a chain, for the errors of these; fewer of many
# variables, of which all batches together have about so many entries.
_FEWEST_BATCHES = 8
_MOST_BATCHES = 64
_MOST_IN_BATCHES = 2**24
_PIECES = 32  # of a burn-in and of the rest, for a budget in steps


@dataclass
class SampledChains:
    """The result of running chains.

    Parameters
    ----------
    chains
        The chains.
    records
        The record of each chain after burn-in.
    burn_in_steps, thinning
        The number of burn-in steps of each chain, and of steps between kept states.
    left_out
        The number of chains that do not count, see `settled`.
    interrupted
        Whether Ctrl-C ended the run.
    rule_met
        Whether the stopping rule ended the run; None if there is none.
    seconds
        The time the run took.
    convergence
        That of the records, if the stopping rule has asked for it last.
    """

    chains: Chains
    records: list[ChainRecord] = field(default_factory=list)
    burn_in_steps: int = 0
    thinning: int = 1
    left_out: int = 0
    interrupted: bool = False
    rule_met: bool | None = None
    seconds: float = 0.0
    convergence: Convergence | None = None

    def acceptance(self) -> dict[str, float | None]:
        """Return the acceptance rate of each kind of move, over all chains."""
        return acceptance(self._moves())

    def move_shares(self) -> dict[str, float]:
        """Return how often each kind of move was proposed, as a share of all, over all chains."""
        counts = self._moves()
        proposed = {name: sum(count[name][0] for count in counts) for name in counts[0]}
        total = sum(proposed.values())
        return {name: number / total for name, number in proposed.items()} if total else {}

    def _moves(self) -> list[dict[str, tuple[int, int]]]:
        return [self.chains.moves(chain) for chain in range(len(self.chains))]


def sampled_chains(session: SamplingSession[ChainSettings], label: str) -> SampledChains:
    """Run the chains of a session until its budget is spent or Ctrl-C comes.

    Parameters
    ----------
    session
        The session.
    label
        The label of the progress bar.
    """
    settings = session.settings
    tempering = settings.tempering or Tempering((1.0,))
    chains = session.engine.chains(
        ChainJob(
            session.sums,
            settings.space,
            session.core_space,
            tempering,
            settings.recording.options(edge_batches=_batches(len(session.model.variables))),
            settings.seed,
            settings.chains,
            settings.order_steps or 0,
            settings.adapt_moves,
            first_dag(session),
        )
    )
    log = None
    if session.directory is not None:
        log = session.directory.chain_log(
            chains,
            bytes_per_state=settings.recording.bytes_per_state(len(session.model.variables)),
            # A stage is located by the number of states before it, so none may be dropped.
            thin=settings.budget.rule is None,
        )
    with running(session.environment.threads, session.environment.progress, label) as run:
        nodes = len(session.model.variables)
        return run_chains(
            chains,
            settings.budget,
            run,
            nodes=nodes,
            states_are_dags=settings.space.states_are_dags,
            # Coupled chains make as many steps at each temperature, and come round sooner.
            first_steps=Space.first_steps if settings.tempering else settings.space.first_steps,
            log=log,
            deadline=session.environment.deadline,
        )


def _batches(nodes: int) -> int:
    """Return the number of batches of edge probabilities that a chain keeps at least."""
    return max(_FEWEST_BATCHES, min(_MOST_BATCHES, _MOST_IN_BATCHES // nodes**2))


def run_chains(
    chains: Chains,
    budget: Budget,
    run: Stage,
    *,
    nodes: int,
    states_are_dags: bool = False,
    first_steps: int = Space.first_steps,
    log: Log | None = None,
    deadline: Deadline = NEVER,
) -> SampledChains:
    """Run chains until the budget is spent or Ctrl-C ends the run early.

    Parameters
    ----------
    chains
        Chains that have not been started.
    budget
        How long they run.
    run
        The number of threads, and the progress function.
    nodes
        The number of variables.
    states_are_dags
        Whether a state is one DAG.
    first_steps
        The steps of a chain before a stopping rule is first asked, see `Space.first_steps`.
    log
        The log of the run, if it has one, from which it is resumed.
    deadline
        The clock from whose beginning a budget in seconds is counted.
    """
    result = SampledChains(chains)
    if budget.rule is not None:
        loop = ChainLoop(chains, run, lambda now: stages.share(now), log, deadline)
        stages = Stages(
            loop, budget, nodes, states_are_dags=states_are_dags, first_steps=first_steps
        )
        _by_rule(result, loop, stages)
        if log is None and not result.interrupted and stages.rule.needs_edges:
            result.convergence = loop.convergence
    elif budget.seconds is not None:
        _by_seconds(result, budget, run, nodes, log, deadline)
    else:
        _by_steps(result, budget, run, nodes, log)
    if result.interrupted:
        if not any(record.states for record in result.records):
            raise KeyboardInterrupt
        warn(
            "the run was interrupted; the result is based on the "
            f"{sum(record.states for record in result.records)} draws made so far",
            InterruptedWarning,
        )
    records = [record for record in result.records if record.states]
    result.records = settled(records, states_are_dags=states_are_dags)
    result.left_out = len(records) - len(result.records)
    if not result.records and log is not None:
        raise RunDirectoryError(
            "the ledger of the run holds no draws where it should; start the run again in another "
            "directory"
        )
    return result


def acceptance(counts: Sequence[dict[str, tuple[int, int]]]) -> dict[str, float | None]:
    """Return the acceptance rate of each kind of move, over all counts."""
    result: dict[str, float | None] = {}
    for name in counts[0]:
        proposed = sum(count[name][0] for count in counts)
        accepted = sum(count[name][1] for count in counts)
        result[name] = accepted / proposed if proposed else None
    return result


def _by_steps(
    result: SampledChains, budget: Budget, run: Stage, nodes: int, log: Log | None
) -> None:
    total = budget.steps
    assert total is not None
    result.burn_in_steps = int(total * budget.discarded)
    left = total - result.burn_in_steps
    result.thinning = budget.thinned(left, nodes)
    if left < result.thinning:
        raise ArgumentError(
            f"{left} steps remain after burn-in and thinning is {result.thinning}, so no state "
            "would be kept; give more ",
            option("steps"),
            " or less thinning",
        )
    loop = ChainLoop(result.chains, run, lambda now: now.steps / total, log)
    try:
        loop.start()
        for piece in equal_parts(result.burn_in_steps, _PIECES):
            loop.burn_in(piece)
        loop.thin(result.thinning)
        for piece in equal_parts(left // result.thinning, _PIECES):
            loop.sample(piece)
        loop.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    result.records, result.seconds = loop.records(), loop.seconds_now


def _by_seconds(
    result: SampledChains,
    budget: Budget,
    run: Stage,
    nodes: int,
    log: Log | None,
    deadline: Deadline,
) -> None:
    seconds = budget.seconds
    assert seconds is not None
    loop = ChainLoop(result.chains, run, lambda now: now.seconds / seconds, log, deadline)
    try:
        loop.start()
        end = time_to_stop(loop, seconds, nodes)
        time_of_chains = max(0.0, end - loop.started)
        # Pieces grow by doubling to between a fortieth and a twentieth of the time.
        piece = 16
        while loop.seconds_of_chains < time_of_chains * budget.discarded or loop.steps == 0:
            before = loop.seconds
            loop.burn_in(piece)
            if loop.seconds - before < time_of_chains / 40:
                piece *= 2
        result.burn_in_steps = loop.steps
        rate = loop.steps / max(loop.seconds_of_chains, SHORTEST)
        left = max(0.0, end - loop.seconds)
        result.thinning = budget.thinned(int(rate * left), nodes)
        loop.thin(result.thinning)
        loop.sample_within(_ANY_NUMBER, end, piece=time_of_chains / 40)
        loop.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    result.records, result.seconds = loop.records(), loop.seconds_now


def _by_rule(result: SampledChains, loop: ChainLoop, stages: Stages) -> None:
    try:
        stages.run()
        loop.finish()
    except KeyboardInterrupt:
        result.interrupted = True
    (result.records, began), result.seconds = stages.records(), loop.seconds_now
    result.burn_in_steps, result.thinning = began.steps, began.thinning
    result.rule_met = stages.met
