"""The posterior estimated by chains at one or several temperatures, and its evidence.

For adjacent temperatures of a ladder, the mean over the hotter chain of (colder density / hotter
density) is the ratio of their normalising constants. The product of all these ratios is that of the
posterior and the uniform distribution (section 4.5 of Niinimäki, Parviainen and Koivisto 2016).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.chains import (
    SampledChains,
    SamplingSession,
    known_edges,
    opened_session,
    sampled_chains,
)
from arcwise.algorithms.estimates import assemble, order_weights
from arcwise.algorithms.normalizing_constants import constant_in_time, is_exact, prior_constant
from arcwise.diagnostics.findings import (
    FEWEST_EXCHANGES,
    HOPELESS_RHAT,
    RHAT_OF_WARNING,
    doubts_of_ladder,
)
from arcwise.engines import acceptance, total_moves
from arcwise.errors import ConvergenceWarning, ExchangeWarning, Wording, option
from arcwise.model import Model, checked_model
from arcwise.model.model import Modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.chain_record import Traces
from arcwise.records.runs import ChainRun, EvidenceRatio, Exchanges
from arcwise.records.settings import ChainSettings, Convergence, Tempering
from arcwise.statistics.convergence import (
    chain_convergence,
    chain_edges,
    exchange_rates,
    temperatures_needed,
    weighted_standard_error,
)
from arcwise.statistics.log_estimates import LogEstimate, cautious_effective_runs
from arcwise.support.arrays import relative_weights
from arcwise.support.running import Run, warn

# Share of the time budget for the prior's normalising constant, as the evidence is a by-product.
_SHARE_OF_CONSTANT = 0.1


def sample_chains(model: Model, settings: ChainSettings, run: Run) -> Posterior:
    """Run the chains and return the posterior; see `mcmc` and `mc3`."""
    start = time.perf_counter()
    checked_model(model)
    settings = replace(settings, known_dag=known_edges(model, settings.known_dag))
    with opened_session(model, settings, run) as session:
        settings = session.settings
        tempering = settings.tempering(len(model.ordinary)) if settings.coupled else None
        constant = None
        if tempering is not None and tempering.reaches_uniform:
            constant = constant_in_time(
                model, settings.modularity, settings.space, run.within(_SHARE_OF_CONSTANT)
            )
        sampled = sampled_chains(session, settings.sampler)
    found = assemble(model, settings, sampled.records, None)
    every = sampled.records[0].every
    convergence = sampled.convergence
    if convergence is None:
        convergence = chain_convergence(sampled.records, len(model.variables))
    _warn_of_convergence(convergence, settings.remedy)
    exchanges = None if tempering is None else _exchanges(session, sampled, tempering)
    _warn_of_gaps(exchanges)
    evidence = None
    if tempering is not None and exchanges is not None and constant is not None:
        evidence = _evidence(session, sampled, tempering, exchanges, constant)
    record = ChainRun(
        settings=settings,
        seed=run.seed,
        burn_in_steps=sampled.burn_in_steps,
        thinning=sampled.thinning,
        states=tuple(record.states_summed for record in sampled.records),
        every=every,
        rule_met=sampled.rule_met,
        left_out=sampled.left_out,
        moves=acceptance(total_moves(sampled.chains)),
        move_shares=sampled.move_shares(),
        exchanges=exchanges,
        seconds_sampling=sampled.seconds,
        dags=0 if found.dags is None else len(found.dags),
        interrupted=sampled.interrupted,
        convergence=convergence,
        order_weights=order_weights(found.dags, settings, sampled.records),
        seconds=time.perf_counter() - start,
    )
    log_weights = tuple(record.log_weights for record in sampled.records)
    return found.posterior(
        model,
        record,
        chain_edges=chain_edges(sampled.records),
        evidence=evidence,
        traces=Traces(log_weights, sampled.thinning * every),
    )


def _warn_of_convergence(found: Convergence, change: str | Wording) -> None:
    rhat, edge_rhat = found.rhat or 1.0, found.edge_rhat or 1.0
    # Modes may have the same posterior probability, so that only edges reveal them.
    if rhat > RHAT_OF_WARNING or edge_rhat > HOPELESS_RHAT:
        apart = ""
        if found.difference is not None:
            apart = f"; edge probabilities differ by up to {found.difference:.2f} between chains"
        warn(
            ConvergenceWarning(
                f"the chains have not converged (R-hat is {rhat:.2f} for the log posterior and up "
                f"to {edge_rhat:.2f} for an edge{apart}); ",
                change,
            )
        )


def _warn_of_gaps(exchanges: Exchanges | None) -> None:
    """Warn if temperatures are too far apart to exchange states, which biases the evidence."""
    rates = () if exchanges is None else exchanges.acceptance
    fewest = min((rate for rate in rates if rate is not None), default=1.0)
    if fewest < FEWEST_EXCHANGES:
        warn(
            ExchangeWarning(
                f"adjacent temperatures exchange states in only {fewest:.1%} of the proposals, so "
                "the evidence and its standard error are unreliable; use ",
                option("ladder", "adapted"),
                f" and at least {temperatures_needed(rates)} ",
                option("temperatures"),
            )
        )


def _exchanges(
    session: SamplingSession[ChainSettings], sampled: SampledChains, tempering: Tempering
) -> Exchanges:
    chains = sampled.chains
    numbers = range(len(chains))
    paths = [chains.path(chain) for chain in numbers]
    return Exchanges(
        tuple(tuple(inverse for inverse, _ in path) for path in paths),
        exchange_rates([chains.exchanges(chain) for chain in numbers]),
        tuple(chains.round_trips(chain) for chain in numbers),
        None
        if tempering.bridge is None
        else tuple(tuple(place for _, place in path) for path in paths),
        _evidence_ratio(session, sampled, tempering) if tempering.spans_bridge else None,
    )


def _evidence_ratio(
    session: SamplingSession[ChainSettings], sampled: SampledChains, tempering: Tempering
) -> EvidenceRatio:
    found = _log_ratio(sampled, tempering)
    both: tuple[Modularity, ...] = ("modular", "order-modular")
    log_ratio = None
    if all(is_exact(session.model, each) for each in both):
        run = replace(session.run, seconds=None)
        modular, orders = (
            prior_constant(session.model, each, session.settings.space, run)[0] for each in both
        )
        log_ratio = found.value - (modular - orders)
    return EvidenceRatio(found.value, log_ratio, found.standard_error)


def _evidence(
    session: SamplingSession[ChainSettings],
    sampled: SampledChains,
    tempering: Tempering,
    exchanges: Exchanges,
    constant: tuple[float, float],
) -> Evidence:
    settings = session.settings
    total = _log_ratio(sampled, tempering).shifted(session.core_space.log_size)
    if settings.weighted:
        # The mean of 1 / (number of orders) converts the sum to the modular prior.
        total = total.plus(
            _log_mean_along_chains([record.log_state_means() for record in sampled.records])
        )
    return Evidence.estimated(
        total,
        method="telescoping product",
        advice=settings.remedy,
        constant=constant[0],
        constant_error=constant[1],
        doubts=doubts_of_ladder(exchanges),
    )


def _log_ratio(sampled: SampledChains, tempering: Tempering) -> LogEstimate:
    """Return the log ratio of the constants of the coldest and the hottest distribution."""
    return telescoped(
        [sampled.chains.ratios(chain) for chain in range(len(sampled.chains))],
        same_temperatures=not tempering.adapt,
    )


def _log_mean_along_chains(chains: list[NDArray[np.float64]]) -> LogEstimate:
    """Return the log of a mean, with a variance for autocorrelation or for rare large values."""
    together = np.concatenate(chains)
    top = float(together.max())
    values = relative_weights(together, top)
    mean = float(values.mean())
    numbers = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    error = float(weighted_standard_error(values, np.ones(len(values)), numbers))
    along = float("inf") if np.isnan(error) else (error / mean) ** 2  # with too few states
    independent = 1.0 / cautious_effective_runs(together) - 1.0 / len(together)
    return LogEstimate(top + math.log(mean), max(along, independent), float(len(together)))


Ratio = tuple[NDArray[np.float64], int, int]
"""The log sums of the batches of one ratio along one chain, the count, and the batch size."""


def telescoped(chains: Sequence[Sequence[Ratio]], *, same_temperatures: bool = True) -> LogEstimate:
    """Return the log of the product of all ratios.

    Notes
    -----
    All ratios of a chain have batches over the same steps. The relative deviation of a batch,
    summed over the ladder, is to first order its contribution to the log of the product. This
    accounts for the correlation between temperatures; the correlation of batches along a chain is
    estimated from the batches. Parts of the space that a chain never visited affect the products
    of the individual chains instead: if these vary more, their variance is used.
    """
    each = [_product([chain]) for chain in chains if chain[0][1] > 0]
    if not each:
        return LogEstimate(-np.inf, np.inf)  # nothing is known yet
    values, variances = np.array(each).T
    with np.errstate(invalid="ignore"):  # a chain may have visited only weights of zero
        between = float(values.var(ddof=1)) / len(each) if len(each) > 1 else 0.0
    if same_temperatures:
        value, within = _product(chains)
    else:
        value, within = float(values.mean()), float(variances.sum()) / len(each) ** 2
    return LogEstimate(value, max(within, between if np.isfinite(between) else np.inf))


def _product(chains: Sequence[Sequence[Ratio]]) -> tuple[float, float]:
    """Return the log of the product of ratios over all chains, and its variance along them."""
    pairs = len(chains[0])
    total = 0.0
    deviations: list[NDArray[np.float64]] = [np.zeros(0) for _ in chains]
    for pair in range(pairs):
        sums = [chain[pair] for chain in chains]
        top = max(float(log_sums.max(initial=-np.inf)) for log_sums, _, _ in sums)
        if top == -np.inf:
            return -np.inf, np.inf
        plain = sum(float(relative_weights(log_sums, top).sum()) for log_sums, _, _ in sums)
        mean = plain / sum(count for _, count, _ in sums)
        if not mean > 0.0:  # in a damaged file
            return -np.inf, np.inf
        total += top + math.log(mean)
        for chain, (log_sums, count, size) in enumerate(sums):
            whole = relative_weights(log_sums[: count // size], top) / size
            relative = whole / mean - 1.0
            deviations[chain] = relative if pair == 0 else deviations[chain] + relative
    sizes = [np.full(len(own), chain[0][2]) for own, chain in zip(deviations, chains, strict=True)]
    numbers = np.repeat(np.arange(len(chains)), [len(own) for own in deviations])
    error = float(
        weighted_standard_error(np.concatenate(deviations), np.concatenate(sizes), numbers)
    )
    return total, float("inf") if np.isnan(error) else error**2
