"""From a model and a space to the posterior of chains, at one temperature or several."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.assembly import assemble
from arcwise.algorithms.budgets import Budget
from arcwise.algorithms.chains import ChainRun, run_chains
from arcwise.algorithms.prior_constant import prior_constant
from arcwise.algorithms.telescoping_product import telescoped
from arcwise.diagnostics.findings import FEWEST_EXCHANGES, HOPELESS_RHAT, LARGEST_RHAT, advice
from arcwise.engines import opened_engine
from arcwise.errors import ConvergenceWarning, ExchangeWarning
from arcwise.model import Model
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.recording import Kept, Recording
from arcwise.records.traces import Traces
from arcwise.runs.directory import CHECKPOINT_SECONDS, RunDirectory
from arcwise.runs.plain_settings import plain_space, plain_sums
from arcwise.spaces import Space, as_space
from arcwise.statistics.chains import edge_diagnostics, trace_diagnostics
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.sums import ScoreSums
from arcwise.support.running import Progress
from arcwise.support.warnings import warn

_SUM_TOLERANCE = 1e-9  # far below what sampling could tell; sums by table have none


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a chain, and how their states are exchanged."""

    inverse_temperatures: list[float]
    adapt: bool = False
    exchanges_per_step: int = 0


def sample_chains(
    algorithm: str,
    model: Model,
    space: Any,
    tempering: Tempering,
    budget: Budget,
    recording: Recording,
    *,
    chains: int,
    seed: int,
    sums: ScoreSums | None,
    engine: Any = None,
    threads: int | None,
    progress: Progress,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Run the chains and return what they say; see `mcmc` and `mc3`."""
    start = time.perf_counter()
    chosen = as_space(space)
    recording = recording.on(chosen)
    score_sums = sums_for(model, sums, threads)
    chosen = chosen.on(score_sums)
    core_space = chosen.build(score_sums)
    budget = budget.resolved(len(model.variables))
    with ExitStack() as stack:
        active = stack.enter_context(opened_engine(engine))
        logged = None
        if directory is not None:
            settings = {
                "algorithm": algorithm,
                "space": plain_space(chosen, model.variables),
                "tempering": asdict(tempering),
                "budget": asdict(replace(budget, until=budget.until and str(budget.until))),
                "recording": asdict(recording),
                "chains": chains,
                "seed": seed,
                "sums": plain_sums(score_sums),
            }
            place = stack.enter_context(
                RunDirectory(Path(directory), settings, model, checkpoint_seconds)
            )
            logged = partial(
                place.chain_log,
                bytes_per_state=recording.bytes_per_state(len(model.variables)),
                # Where a stage begins is known by the number of states before it.
                thin=budget.rule is None,
            )
        run = run_chains(
            core_space,
            recording,
            budget,
            inverse_temperatures=tempering.inverse_temperatures,
            adapt=tempering.adapt,
            exchanges_per_step=tempering.exchanges_per_step,
            chains=chains,
            seed=seed,
            threads=threads,
            progress=progress,
            what=algorithm,
            make=active.chains(score_sums, chosen),
            logged=logged,
        )
    found = assemble(model, recording, run.kept, None)
    every = run.kept[0].every
    traces = Traces(tuple(record.log_weights for record in run.kept), run.thinning * every)
    diagnostics = trace_diagnostics(traces) | edge_diagnostics(run.kept, len(model.variables))
    _warn_of_convergence(diagnostics, advice(algorithm, recording.target, repr(chosen)))
    exchanges = _exchanges(run, tempering)
    _warn_of_gaps(exchanges.get("exchange_acceptance", []))
    evidence = None
    if len(tempering.inverse_temperatures) > 1 and tempering.inverse_temperatures[0] == 0.0:
        evidence = _evidence(model, chosen, run, tempering, recording, core_space, seed, threads)
    summary = {
        "space": repr(chosen),
        "score_sums": repr(score_sums),
        "chains": chains,
        "seed": seed,
        "burn_in_steps": run.burn_in_steps,
        "steps_after_burn_in": [record.states_summed * run.thinning for record in run.kept],
        "thinning": run.thinning,
        "states": [record.states_summed for record in run.kept],
        **({} if every == 1 else {"states_passed_over": f"all but one of {every}"}),
        "dags": 0 if found.dags is None else len(found.dags),
        "interrupted": run.interrupted,
        **({} if run.until is None else {"until": run.until, "until_met": run.until_met}),
        "acceptance": acceptance([run.chains.moves(i) for i in range(len(run.chains))]),
        **exchanges,
        **diagnostics,
        **weight_summary(found.dags, recording, run.kept),
        "seconds_sampling": run.seconds,
        "seconds": time.perf_counter() - start,
    }
    return Posterior(
        variables=model.variables,
        target=recording.target,
        algorithm=algorithm,
        edges=found.edges,
        edge_errors=found.edge_errors,
        evidence=evidence,
        map_dag=found.best,
        map_log_weight=found.best_log_weight,
        dags=found.dags,
        traces=traces,
        summary=summary,
        provenance=model.provenance(),
        model=None if model.stored else model,
    )


def sums_for(model: Model, sums: ScoreSums | None, threads: int | None) -> ScoreSums:
    """Return the score sums given, if they are of these variables, or new ones."""
    if sums is None:
        return ScoreSums(model, tolerance=_SUM_TOLERANCE, tabulate="sums", threads=threads)
    sums.refuse_other_variables(model.variables)
    return sums


def weight_summary(
    dags: DagSample | None, recording: Recording, kept: Sequence[Kept]
) -> dict[str, Any]:
    """Return what the weights of DAGs are worth and how they were had, where they are needed."""
    if dags is None or not recording.weighted:
        return {}
    errors = np.concatenate([record.extension_errors for record in kept])
    return {
        "effective_dags": dags.effective_sample_size(),
        "dags_with_estimated_orders": int((errors > 0).sum()),
        "largest_error_of_estimated_orders": float(errors.max(initial=0.0)),
    }


def acceptance(counts: list[dict[str, tuple[int, int]]]) -> dict[str, float | None]:
    """Return the share of accepted proposals of each kind of move, over all chains."""
    result: dict[str, float | None] = {}
    for name in counts[0]:
        proposed = sum(count[name][0] for count in counts)
        accepted = sum(count[name][1] for count in counts)
        result[name] = accepted / proposed if proposed else None
    return result


def _exchanges(run: ChainRun, tempering: Tempering) -> dict[str, Any]:
    if len(tempering.inverse_temperatures) == 1:
        return {}
    proposed, accepted = (
        np.sum([run.chains.exchanges(i)[kind] for i in range(len(run.chains))], axis=0)
        for kind in (0, 1)
    )
    return {
        "inverse_temperatures": [
            run.chains.inverse_temperatures(i) for i in range(len(run.chains))
        ],
        "exchange_acceptance": [
            float(a / p) if p else None for p, a in zip(proposed, accepted, strict=True)
        ],
    }


def _evidence(
    model: Model,
    space: Space,
    run: ChainRun,
    tempering: Tempering,
    recording: Recording,
    core_space: _core.Space,
    seed: int,
    threads: int | None,
) -> Evidence:
    total, variance = telescoped(
        [run.chains.ratios(i) for i in range(len(run.chains))],
        same_temperatures=not tempering.adapt,
    )
    log_total = core_space.log_size + total
    if recording.weighted:
        # The mean of 1 / (number of orders) carries the sum over to the modular prior.
        inverse_orders, error = _log_mean_along_chains(
            [record.log_state_means() for record in run.kept]
        )
        log_total += inverse_orders
        variance += error**2
    constant, constant_error = prior_constant(
        model, recording.target, space, seed=seed, threads=threads
    )
    return Evidence(
        log_evidence=log_total - constant,
        standard_error=float(np.hypot(np.sqrt(variance), constant_error)),
        log_prior_constant=constant,
        log_prior_constant_error=constant_error,
        method="telescoping product",
    )


def _log_mean_along_chains(chains: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the log of a mean and its standard error, the chains' memory accounted for.

    The error is infinite where too few states were kept to tell it.
    """
    together = np.concatenate(chains)
    top = float(together.max())
    values = np.exp(together - top)
    mean = float(values.mean())
    numbers = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    error = float(weighted_standard_error(values, np.ones(len(values)), numbers))
    return top + float(np.log(mean)), float("inf") if np.isnan(error) else error / mean


def _warn_of_gaps(rates: list[float | None]) -> None:
    """Warn of temperatures too far apart: states do not pass, and the evidence is too low."""
    fewest = min((rate for rate in rates if rate is not None), default=1.0)
    if fewest < FEWEST_EXCHANGES:
        warn(
            f"neighbouring temperatures exchange states in only {fewest:.1%} of the proposals, so "
            "their evidence and its error are not to be trusted; give more temperatures, or "
            "ladder='adapted'",
            ExchangeWarning,
        )


def _warn_of_convergence(diagnostics: dict[str, Any], change: str) -> None:
    rhat = diagnostics["rhat_log_weight"] or 1.0
    edge_rhat = diagnostics["largest_rhat_edge"] or 1.0
    # Modes may weigh the same, so that edges alone tell them apart.
    if rhat > LARGEST_RHAT or edge_rhat > HOPELESS_RHAT:
        difference = diagnostics["largest_edge_difference_between_chains"]
        apart = "" if difference is None else f", edges up to {difference:.2f} apart between chains"
        warn(
            f"the chains have not come together (R-hat of the log weight {rhat:.2f}, of an edge up "
            f"to {edge_rhat:.2f}{apart}); {change}",
            ConvergenceWarning,
        )
