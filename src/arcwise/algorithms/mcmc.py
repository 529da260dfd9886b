"""`mcmc`: the posterior by Markov chains over a space."""

from __future__ import annotations

import os
from typing import Any

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.sampling_session import Environment
from arcwise.model import Model
from arcwise.model.targets import Target, as_target
from arcwise.posterior import Posterior
from arcwise.records.budget import Budget
from arcwise.records.recording import Recording
from arcwise.records.settings import ChainSettings
from arcwise.records.stopping_rule import as_stopping_rule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.running import Progress


def mcmc(
    model: Model,
    space: Any = "linear",
    *,
    target: Target = "modular",
    steps: int | None = None,
    seconds: float | None = None,
    effective_samples: float | None = None,
    until: str | None = None,
    burn_in: float = 0.5,
    thinning: int | None = None,
    chains: int = 4,
    dags_per_state: int = 1,
    dag_time_share: float | None = None,
    extension_budget: int | None = None,
    estimate_extensions: bool = False,
    seed: int = 0,
    sums: ScoreSums | None = None,
    engine: Any = None,
    threads: int | None = None,
    progress: Progress = None,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Sample the posterior by the Metropolis–Hastings algorithm.

    Where the states of the space follow the target, the exact edge probabilities
    given each kept state are averaged: orders follow the order-modular posterior,
    `Partitions`, `Layerings` and `Dags` the modular one. For the modular target on orders,
    DAGs are drawn and weighted by the inverse of their number of orders.

    Parameters
    ----------
    model
        The model.
    space
        Where the chains move: `LinearOrders`, `BucketOrders`, `PartialOrders`,
        `Partitions`, `Layerings`, `Dags`, or a word such as ``"buckets:5"``.
    target
        Which posterior is wanted, see `exact`.
    steps, seconds, effective_samples
        The budget: steps of each chain, or wall-clock time, burn-in included, or
        the effective number of samples of the log weight. By default
        ``200 n**2`` steps, at least 20,000.
    until
        A rule that ends the run before the steps or seconds are spent, such as
        ``"rhat<1.01, ess>400"``: conditions on ``rhat`` and ``ess`` (R-hat and the
        effective sample size of the log weight), ``edge_rhat`` and ``edge_ess`` (those
        of the worst edge), and ``difference`` (of an edge probability between
        chains), all of which must hold. It is looked at whenever the run has grown
        to twice its length, and only the last half counts; `effective_samples` is
        the rule ``ess``. Without steps or seconds besides, the run goes on until the
        rule is met.
    burn_in
        The share of steps or seconds at the start that is not kept; with a rule it
        is about half.
    thinning
        Steps between two kept states; None for ``2 n``, but at least 1,000 states of
        each chain and at most 10,000.
    chains
        The number of chains, each from a random start.
    dags_per_state
        DAGs drawn from each kept state; 0 for none, where they need no weights.
    dag_time_share
        If given, as many DAGs from each kept state as this share of the time
        spent on reaching it allows. The number is fixed before the DAGs are drawn
        that count, so that DAGs that take long are not too rare.
    extension_budget
        The most sets a count of a DAG's orders may keep; None for the counter's own.
    estimate_extensions
        Whether counts beyond the budget are estimated, else they are refused. The
        estimates are unbiased; their inverses, which are the weights, are so but
        for about the square of their relative error, which the summary states.
    seed
        The seed; results do not depend on the number of threads.
    sums
        The score sums, if they are at hand already; else they are made, with a
        tolerance of 1e-9 for nodes with too many candidate parents for a table.
    engine
        Where the chains run: None for threads of this process; a Dask cluster, given as
        `DaskEngine`, as a `distributed.Client` or by the address of its scheduler,
        such as ``"dask://10.0.0.1:8786"``. It changes no result.
    threads, progress
        As for `exact`.
    directory
        A folder the run is kept in, made if it is not there: the draws go to disk
        as they come, and after a stop of whatever kind `resume` goes on from the last
        checkpoint. Given the folder of a run with the same settings, it goes on with
        that. The result has all DAGs if they take up to 1 GiB, else those of every
        second state, or every fourth and so on; sums over all states are kept besides.
    checkpoint_seconds
        The time between two checkpoints; it makes no difference to the result.

    Returns
    -------
    Posterior
        With edge probabilities and their standard errors, the DAGs, the traces
        and a summary of the run. Ctrl-C or SIGTERM ends the run early and returns what
        there is, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, steps=4000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.15)
    True
    """
    settings = ChainSettings(
        space=as_space(space),
        budget=Budget(
            steps, seconds, effective_samples, burn_in, thinning, as_stopping_rule(until)
        ),
        recording=Recording(
            as_target(target),
            dags_per_state,
            dag_time_share,
            extension_budget,
            estimate_extensions,
        ),
        chains=chains,
        seed=seed,
    )
    environment = Environment(engine, threads, progress, directory, checkpoint_seconds)
    return sample_chains(model, settings, sums, environment)
