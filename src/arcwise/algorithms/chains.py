"""`SamplingSession`: everything that chains and particles need before their first step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from arcwise import _core
from arcwise.algorithms.map import best_dag_of_order
from arcwise.engines import ChainJob, Chains, Engine, Threads, opened_engine, total_moves
from arcwise.errors import (
    ArgumentError,
    CapacityError,
    EngineError,
    InterruptedWarning,
    RunDirectoryError,
    option,
)
from arcwise.families.edges import as_dag
from arcwise.gpu.device import chosen_device
from arcwise.gpu.engine import GpuEngine
from arcwise.gpu.order_chains import MOST_NODES, MOST_PARENTS
from arcwise.graphs.dag import Dag
from arcwise.model import Model, checked_model
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import ChainRecord
from arcwise.records.run_files import is_known, write_settings
from arcwise.records.settings import (
    AnnealingSettings,
    ChainSettings,
    Convergence,
    SamplingSettings,
    SumSettings,
    filled,
)
from arcwise.runs.checkpoints import Checkpoints
from arcwise.runs.directory import opened_directory
from arcwise.runs.driver import ChainDriver
from arcwise.runs.ledger import resume_command
from arcwise.spaces import CanonicalOrders, LinearOrders, Space
from arcwise.statistics.convergence import settled
from arcwise.support.checks import available_memory
from arcwise.support.devices import Choice, as_device
from arcwise.support.names import byte_size, plural, shown
from arcwise.support.running import Run, warn

Settings = TypeVar("Settings", ChainSettings, AnnealingSettings)


@dataclass(frozen=True, eq=False)
class SamplingSession(Generic[Settings]):
    """A sampling run that is ready to start."""

    model: Model
    settings: Settings  # with the defaults that depend on the model
    sums: ScoreSums
    core_space: _core.Space
    run: Run
    engine: Engine
    checkpoints: Checkpoints | None  # those of the run directory, if there is one


@contextmanager
def opened_session(
    model: Model, settings: Settings, run: Run
) -> Iterator[SamplingSession[Settings]]:
    """Yield a session, whose engine and directory stay open within the context."""
    checked_model(model)
    settings.refuse_two_budgets(run.deadline.seconds)  # before sums are computed
    wanted = engine_on_device(model, settings, run)
    sums = sums_for(model, settings.sums, run.threads)
    chosen: Settings = settings.completed(model, sums, run.deadline)
    core_space = chosen.space.build(sums)
    refuse_beyond_memory(chosen, len(model.variables), kept_on_disk=run.directory is not None)
    with ExitStack() as stack:
        engine = stack.enter_context(opened_engine(wanted))
        checkpoints = None
        if run.folder is not None:
            _refuse_foreign(chosen.space)
            plain = write_settings(chosen, run, model.variables)
            checkpoints = stack.enter_context(
                opened_directory(run.folder, plain, model, run.checkpoint_seconds)
            )
        try:
            yield SamplingSession(model, chosen, sums, core_space, run, engine, checkpoints)
        except EngineError as error:
            if run.folder is None:
                raise
            raise EngineError(
                *error.args, ", then continue with ", resume_command(run.folder)
            ) from error


def sums_for(model: Model, sums: ScoreSums | SumSettings | None, threads: int | None) -> ScoreSums:
    """Return the given score sums, if they are those of this model, or compute them."""
    if sums is None:
        # The tolerance is far below Monte Carlo error; tabulated sums are exact.
        return ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=threads)
    if isinstance(sums, SumSettings):
        return sums.build(model, threads)
    sums.refuse_other_model(model)
    return sums


def _refuse_foreign(space: Space) -> None:
    if not is_known(space):
        raise ArgumentError(
            f"space is {shown(space)}, and a run directory supports only the spaces of arcwise; "
            "leave out directory"
        )


# For a chain or particle at one temperature: its state, its random numbers, its counts of moves.
_BYTES_PER_STATE = 3_000
_BYTES_PER_NODE = 100
_MOST_READ_BACK = 1 << 30  # bytes of draws that are read back from a run directory
# The least number of states of each chain that a run with a time limit or a rule keeps, about.
_DRAWS_OF_OPEN_END = 1_000
_BATCHES = {"chain": 64, "particle": 2}  # batches of edge sums


def refuse_beyond_memory(settings: SamplingSettings, nodes: int, *, kept_on_disk: bool) -> None:
    """Refuse a run whose chains, particles and draws need more memory than is free."""
    chains, temperatures, draws, unit = _counts(settings, nodes)
    batches = min(draws, _BATCHES[unit])
    of_draws = draws * settings.bytes_per_state(nodes)
    if kept_on_disk:
        of_draws = min(of_draws, _MOST_READ_BACK // chains)
    needed = chains * (
        temperatures * (_BYTES_PER_STATE + _BYTES_PER_NODE * nodes)
        + (0 if settings.weighted else 8 * nodes**2 * batches)
        + of_draws
    )
    free = available_memory()
    if needed <= free:
        return
    heated = f" at {plural(temperatures, 'temperature')}" if temperatures > 1 else ""
    raise CapacityError(
        f"the run would have {plural(chains, unit)}{heated} and keep {plural(draws, 'state')} of "
        f"each, with {plural(settings.dags_per_state, 'DAG')} of a state, which would take about "
        f"{byte_size(needed)} of memory, and {byte_size(free)} are free; lower ",
        option(f"{unit}s"),
        ", ",
        option("steps"),
        " or ",
        option("dags_per_state"),
        ", or raise ",
        option("thinning"),
    )


def _counts(settings: SamplingSettings, nodes: int) -> tuple[int, int, int, str]:
    """Return the numbers of chains or particles, temperatures and kept states, and the unit."""
    if isinstance(settings, AnnealingSettings):
        particles = (settings.limits(None).runs or 1) * settings.states_per_run
        draws = (settings.stretch or 0) // (settings.thinning or 1) + 1
        return particles, 1, draws, "particle"
    tempering, budget = settings.tempering(nodes), settings.budget(None)
    temperatures = tempering.most_temperatures or len(tempering.inverse_temperatures)
    if budget.steps is None:
        return settings.chains, temperatures, _DRAWS_OF_OPEN_END, "chain"
    left = budget.steps - int(budget.steps * budget.discarded)
    return settings.chains, temperatures, left // budget.thinned(left, nodes), "chain"


_FEWEST_CHAINS = 256  # if no device is named: fewer would not keep a graphics processor busy


def engine_on_device(model: Model, settings: SamplingSettings, run: Run) -> Any:
    """Return the engine of a sampler: the specified one, or that of a graphics processor."""
    if as_device(run.device) is Choice.PROCESSORS:
        return run.engine
    runs, states = _chains_and_states(model, settings, run)
    count = (runs or 0) * states
    tables = sum(1 << min(_possible_parents(model, node), 40) for node in range(_nodes(model)))
    found = chosen_device(
        run.device,
        refusal=_refusal(model, settings, runs, run),
        worthwhile=count >= _FEWEST_CHAINS,
        needed=16 * tables + count * 200 * _nodes(model),
    )
    return run.engine if found is None else GpuEngine(found, model.weights.table)


def _chains_and_states(
    model: Model, settings: SamplingSettings, run: Run
) -> tuple[int | None, int]:
    """Return the number of chains or runs, None if unknown, and the number of states of each."""
    if isinstance(settings, AnnealingSettings):
        budget = settings.limits(run.deadline.seconds).resolved(settings.sampler)
        return budget.runs, settings.states_per_run
    tempering = settings.tempering(len(model.ordinary))
    states = tempering.most_temperatures or len(tempering.inverse_temperatures)
    return settings.chains, states


def _refusal(model: Model, settings: SamplingSettings, chains: int | None, run: Run) -> str | None:
    space, engine = settings.space, run.engine
    if model.parent_only:
        return "a model with parent-only variables cannot be sampled there; leave it out"
    if not isinstance(space, (LinearOrders, CanonicalOrders)):
        return (
            f"{space!r} cannot be sampled there; use the space 'linear' or 'canonical', or leave "
            "it out"
        )
    if _nodes(model) > MOST_NODES:
        return (
            f"the model has {_nodes(model)} variables, and orders there have up to {MOST_NODES}; "
            "leave it out"
        )
    if engine is not None and type(engine) is not Threads:
        return "an engine was given as well; give one of them"
    if run.directory is not None:
        return "a run directory cannot keep such runs; leave out one of them"
    if chains is None:
        return "seconds and effective samples do not bound a run there; give particles or runs"
    if settings.dag_time_share is not None or settings.estimate_extensions:
        return "DAGs by time and estimated extensions are not available there; leave them out"
    most = max(_possible_parents(model, node) for node in range(_nodes(model)))
    if most > MOST_PARENTS:
        return (
            f"a node has {most} possible parents, and chains there take up to {MOST_PARENTS}; "
            "give fewer candidates, or leave it out"
        )
    return None


def _nodes(model: Model) -> int:
    return len(model.variables)


def _possible_parents(model: Model, node: int) -> int:
    table = model.weights.table
    return len(table.candidates(node)) + len(table.required(node))


# --- Chains ---------------------------------------------------------------------------------------

# Runs chains within a budget, for every sampler that has chains.
#
# The first of several chains begins at the best DAG that is known or that a search finds. The
# others begin where chains of linear orders have converged, which is where many orders are, and
# not where the best DAGs are. A mode that all of these miss is detected only if one chain begins
# in it: that chain then differs from the rest, and R-hat is large.


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
