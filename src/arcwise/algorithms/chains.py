"""Runs chains within a budget, for every sampler that has chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcwise import _core
from arcwise.algorithms.first_dag import first_dag
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.engines.sampling_jobs import ChainJob, Chains
from arcwise.errors import InterruptedWarning, RunDirectoryError
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.settings import ChainSettings, filled
from arcwise.runs.control import ChainController
from arcwise.runs.driver import ChainDriver
from arcwise.spaces.space import Space
from arcwise.statistics.settled import settled
from arcwise.support.warnings import warn

# Batches of the edge probabilities of a chain, for the errors of these; fewer of many
# variables, of which all batches together have about so many entries.
_FEWEST_BATCHES = 8
_MOST_BATCHES = 64
_MOST_IN_BATCHES = 2**24


@dataclass(frozen=True, eq=False)
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
    records: list[ChainRecord]
    burn_in_steps: int
    thinning: int
    left_out: int
    interrupted: bool
    rule_met: bool | None
    seconds: float
    convergence: Convergence | None

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
    settings, run = session.settings, session.run
    nodes = len(session.model.variables)
    chains = session.engine.chains(
        ChainJob(
            session.sums,
            settings.space,
            session.core_space,
            _options(session),
            run.seed,
            settings.chains,
        )
    )
    checkpoints = None
    if session.directory is not None:
        checkpoints = session.directory.chain_checkpoints(
            chains,
            bytes_per_state=settings.bytes_per_state(nodes),
            # A stage is located by the number of states before it, so none may be dropped.
            thin=settings.rule is None,
        )
    # Coupled chains make as many steps at each temperature, and come round sooner.
    first_steps = Space.first_steps if settings.coupled else settings.space.first_steps
    budget = settings.budget(run.deadline.seconds)
    controller = ChainController.of(budget, nodes, first_steps)
    with run.stage(label, timed=False) as stage:
        return run_chains(
            ChainDriver(
                chains,
                controller,
                stage,
                checkpoints,
                run.deadline,
                states_are_dags=settings.space.states_are_dags,
            )
        )


def _options(session: SamplingSession[ChainSettings]) -> _core.ChainOptions:
    """Return the options of the core's chains: those of the settings that it has by their names."""
    settings = session.settings
    tempering = settings.tempering(len(session.model.ordinary))
    record = settings.record_options(_batches(len(session.model.variables)))
    return filled(
        _core.ChainOptions(), tempering, settings, first_dag=first_dag(session), record=record
    )


def _batches(nodes: int) -> int:
    """Return the number of batches of edge probabilities that a chain keeps at least."""
    return max(_FEWEST_BATCHES, min(_MOST_BATCHES, _MOST_IN_BATCHES // nodes**2))


def run_chains(driver: ChainDriver) -> SampledChains:
    """Run chains until the budget is spent or Ctrl-C ends the run early."""
    interrupted = False
    try:
        driver.drive()
    except KeyboardInterrupt:
        interrupted = True
    (records, began), rule = driver.counted(), driver.controller.budget.rule
    if interrupted:
        states = sum(record.states for record in records)
        if states == 0:
            raise KeyboardInterrupt
        warn(
            f"the run was interrupted; the result is based on the {states} draws made so far",
            InterruptedWarning,
        )
    drawn = [record for record in records if record.states]
    if not drawn:
        raise RunDirectoryError(
            "the ledger of the run holds no draws where it should; start the run again in another "
            "directory"
        )
    counting = settled(drawn, states_are_dags=driver.states_are_dags)
    measured = rule is not None and rule.needs_edges and not interrupted
    return SampledChains(
        driver.chains,
        counting,
        burn_in_steps=began.steps,
        thinning=began.thinning,
        left_out=len(drawn) - len(counting),
        interrupted=interrupted,
        rule_met=None if rule is None else driver.controller.met,
        seconds=driver.seconds,
        convergence=driver.controller.figures if measured else None,
    )


def acceptance(counts: Sequence[dict[str, tuple[int, int]]]) -> dict[str, float | None]:
    """Return the acceptance rate of each kind of move, over all counts."""
    result: dict[str, float | None] = {}
    for name in counts[0]:
        proposed = sum(count[name][0] for count in counts)
        accepted = sum(count[name][1] for count in counts)
        result[name] = accepted / proposed if proposed else None
    return result
