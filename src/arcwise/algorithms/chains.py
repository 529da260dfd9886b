"""Runs chains within a budget, for every sampler that has chains."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.algorithms.first_dag import first_dag
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.engines.sampling_jobs import ChainJob, Chains, total_moves
from arcwise.errors import InterruptedWarning, RunDirectoryError
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.settings import ChainSettings, filled
from arcwise.runs.driver import ChainDriver
from arcwise.statistics.settled import settled
from arcwise.support.warnings import warn

# Batches of the edge probabilities of a chain, for the errors of these; fewer of many
# variables, of which all batches together have about so many entries.
_FEWEST_BATCHES = 8
_MOST_BATCHES = 64
_MOST_IN_BATCHES = 2**24


@dataclass(frozen=True, eq=False)
class SampledChains:
    """The chains of a run and their draws after burn-in.

    Left out are chains that do not count, see `settled`. The convergence is that of the records
    if the stopping rule has asked for it last; whether the rule was met is None without one.
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

    def move_shares(self) -> dict[str, float]:
        """Return how often each kind of move was proposed, as a share of all, over all chains."""
        counts = total_moves(self.chains)
        total = sum(proposed for proposed, _ in counts.values())
        return {name: proposed / total for name, (proposed, _) in counts.items()} if total else {}


def sampled_chains(session: SamplingSession[ChainSettings], label: str) -> SampledChains:
    """Run the chains of a session until its budget is spent or Ctrl-C comes."""
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
    interrupted = False
    with run.stage(label, timed=False) as stage:
        driver = ChainDriver(chains, settings, nodes, stage, run.deadline, session.checkpoints)
        try:
            for kind, part in driver.parts():
                driver.perform(kind, part)
        except KeyboardInterrupt:
            interrupted = True
    return driven_chains(driver, interrupted=interrupted)


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


def driven_chains(driver: ChainDriver, *, interrupted: bool = False) -> SampledChains:
    """Return the chains that a driver has run to the end, or until they were interrupted."""
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
