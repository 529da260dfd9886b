"""Where the first of several chains begins: at the best DAG that is known, or that a search finds.

The others begin where chains of linear orders have settled, which is where many orders are, not
where the best DAGs are. A mode that all of them miss shows only if one chain begins in it: then it
differs from the rest, and R-hat tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.algorithms.map import best_dag_of_order
from arcwise.algorithms.sampling_session import SamplingSession
from arcwise.engines import ChainJob, Chains, total_moves
from arcwise.errors import ArgumentError, InterruptedWarning, RunDirectoryError, option
from arcwise.families.edges import as_dag
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.records.budget import Convergence
from arcwise.records.chain_record import ChainRecord
from arcwise.records.settings import ChainSettings, filled
from arcwise.runs.driver import ChainDriver
from arcwise.statistics.chains import settled
from arcwise.support.clock import warn

# A search takes a second then; `learn` has made one while it grew candidates.
_MOST_VARIABLES = 128
_RESTARTS = 2
_PATIENCE = 2  # perturbations per variable
_BITS = 64


def first_dag(session: SamplingSession[ChainSettings]) -> tuple[int, ...]:
    """Return the DAG as bits of the parents of each node, 64 to a number; empty for none.

    The same for the same model and seed, so that a run that is resumed has it again.
    """
    settings, model = session.settings, session.model
    if not settings.order_steps or settings.space.modularity != "modular":
        return ()
    variables = session.sums.variables
    if settings.known_dag is not None:
        dag = Dag.from_edges(model.variables, settings.known_dag)
    elif len(variables) <= _MOST_VARIABLES:
        found = _searched(session)
        if found is None:
            return ()
        dag = found
    else:
        return ()
    places = {name: place for place, name in enumerate(variables)}
    ordinary = model.folded.restricted(dag)
    parents = [[places[parent] for parent in ordinary.parents(name)] for name in variables]
    return tuple(
        sum(1 << (parent - first) for parent in own if first <= parent < first + _BITS)
        for own in parents
        for first in range(0, len(variables), _BITS)
    )


def _searched(session: SamplingSession[ChainSettings]) -> Dag | None:
    """Return the best DAG of a short search."""
    with session.run.quiet.stage(timed=False) as stage:
        sums = ScoreSums(session.model, tabulate="maxima", threads=stage.threads)
        patience = _PATIENCE * len(sums.variables)
        search = _core.OrderSearch(sums.core, patience, session.run.seed, [])
        try:
            search.run(0, _RESTARTS, stage.threads, stage.progress)
        except ArgumentError:  # no order of positive weight was found, as the chains will say
            return None
    order = search.order(int(np.argmax(search.log_weights())))
    return best_dag_of_order(session.model, sums, order)


def known_edges(model: Model, dag: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the edges of a DAG that was given, or refuse one that the model excludes."""
    if dag is None:
        return None
    found = as_dag(dag, model.variables, option("known_dag"))
    if model.log_weight_of(found) == -math.inf:
        raise ArgumentError(
            option("known_dag"),
            " has a probability of zero under the model; give another, or leave it out",
        )
    return tuple(found.edges)


# --- Chains ---------------------------------------------------------------------------------------

# Runs chains within a budget, for every sampler that has chains.


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
