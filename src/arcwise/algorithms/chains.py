"""Runs chains within a budget, for every sampler that has chains.

The first of several chains begins at the best DAG that is known or that a search finds. The others
begin where chains of linear orders have converged, which is where many orders are, and not where
the best DAGs are. A mode that all of these miss is detected only if one chain begins in it: that
chain then differs from the rest, and R-hat is large.
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


@dataclass(frozen=True, eq=False)
class SampledChains:
    """The chains of a run and their draws after burn-in."""

    chains: Chains
    records: list[ChainRecord]
    burn_in_steps: int
    thinning: int
    left_out: int  # the number of chains that are not used, see `settled`
    interrupted: bool
    rule_met: bool | None  # None without a stopping rule
    seconds: float
    convergence: Convergence | None  # of the records, if the stopping rule has computed it

    def move_shares(self) -> dict[str, float]:
        """Return the share of each kind of move among all proposals of all chains."""
        counts = total_moves(self.chains)
        total = sum(proposed for proposed, _ in counts.values())
        return {name: proposed / total for name, (proposed, _) in counts.items()} if total else {}


def sampled_chains(session: SamplingSession[ChainSettings], label: str) -> SampledChains:
    """Run the chains of a session until its budget is spent or it is interrupted."""
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
    """Return the options of the core's chains, filled by name from the settings."""
    settings = session.settings
    tempering = settings.tempering(len(session.model.ordinary))
    record = settings.record_options(_batches(len(session.model.variables)))
    return filled(
        _core.ChainOptions(), tempering, settings, first_dag=first_dag(session), record=record
    )


def _batches(nodes: int) -> int:
    """Return the least number of batch means per chain, for standard errors of edges."""
    return max(8, min(64, 2**24 // nodes**2))  # fewer for many variables, to bound the memory


def driven_chains(driver: ChainDriver, *, interrupted: bool = False) -> SampledChains:
    """Return the chains that a driver has run to the end or to an interruption."""
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


# With this many variables, a search takes a second; `learn` has made one while growing candidates.
_MOST_VARIABLES = 128
_RESTARTS = 2
_PATIENCE = 2  # perturbations per variable
_BITS = 64


def first_dag(session: SamplingSession[ChainSettings]) -> tuple[int, ...]:
    """Return the DAG as bits of the parents of each node, 64 to a number; empty for none.

    It depends on model and seed alone, so that a resumed run has the same.
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
        except ArgumentError:  # no order of positive weight was found, which chains will report
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
