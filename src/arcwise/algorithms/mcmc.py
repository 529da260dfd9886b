"""`mcmc`: Markov chains over a space of structures."""

from __future__ import annotations

import os
from typing import Any

from arcwise.algorithms.chain_posterior import sample_chains
from arcwise.algorithms.device_engine import engine_on_device
from arcwise.algorithms.first_dag import known_edges
from arcwise.algorithms.sampling_session import Environment
from arcwise.errors import option
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior import Posterior
from arcwise.records.budget import Budget
from arcwise.records.recording import Recording
from arcwise.records.settings import ChainSettings
from arcwise.records.start import as_order_steps
from arcwise.records.stopping_rule import as_stopping_rule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.checks import true_or_false
from arcwise.support.clock import Deadline
from arcwise.support.running import Progress


def mcmc(
    model: Model,
    space: Any = "linear",
    *,
    modularity: Modularity = "modular",
    steps: int | None = None,
    seconds: float | Deadline | None = None,
    effective_samples: float | None = None,
    until: str | None = None,
    burn_in: float | None = None,
    thinning: int | None = None,
    chains: int = 4,
    start: str | int = "orders",
    known_dag: Any = None,
    adapt_moves: bool = False,
    dags_per_state: int = 1,
    dag_time_share: float | None = None,
    extension_budget: int | None = None,
    estimate_extensions: bool = False,
    seed: int = 0,
    sums: ScoreSums | None = None,
    engine: Any = None,
    threads: int | None = None,
    device: object = None,
    progress: Progress = None,
    directory: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Posterior:
    """Sample the posterior by the Metropolis–Hastings algorithm.

    Where the states of the space follow the posterior wanted, the exact edge probabilities given
    each kept state are averaged: orders follow the order-modular posterior, `CanonicalOrders`,
    `Partitions`, `Layerings` and `Dags` the modular one. For the modular posterior on orders,
    DAGs are drawn and weighted by the inverse of their number of topological orders.

    Parameters
    ----------
    model
        The model.
    space
        The space that the chains move in: `LinearOrders`, `BucketOrders`, `PartialOrders`,
        `CanonicalOrders`, `Partitions`, `Layerings`, `Dags`, or a name such as ``"buckets:5"``.
    modularity
        Which posterior to sample, see `exact`.
    steps, seconds, effective_samples
        The budget: steps of each chain or wall-clock time, burn-in included, or the
        effective sample size of the log posterior. By default ``200 n**2`` steps, at least
        20,000.
    until
        A stopping rule, which ends the run before the steps or seconds are spent, such as
        ``"rhat<1.01, ess>400"``: conditions, all of which must hold, on ``rhat`` and
        ``ess`` (R-hat and effective sample size of the log posterior), ``edge_rhat`` and
        ``edge_ess`` (those of the worst edge), and ``difference`` (the largest difference
        between chains in an edge probability, as each has averaged it). The rule is checked
        whenever the run has doubled in length, on its second half; `effective_samples` is
        the rule on ``ess``. Without a limit in steps or seconds, the run continues until the
        rule is met.
    burn_in
        The fraction of steps or seconds discarded at the start. None for a fifth where chains
        begin from orders that had their usual number of steps to settle, otherwise for a half,
        as always about with a stopping rule.
    thinning
        The number of steps between kept states; None for ``2 n``, but with at least 1,000
        and at most 10,000 kept states per chain. Where edge probabilities are averaged,
        so are those of states in between, as often as about a third of the time allows.
    chains
        The number of chains, each with random numbers of its own. Of more than four, those that
        end where next to no posterior probability is, 8 nats or more below four others, are
        left out of the result (`run.left_out`).
    start
        Where chains begin. ``"orders"``: at a DAG drawn given the last state of a chain of
        linear orders, which settles easily where others do not; `LinearOrders`, `BucketOrders`
        and `PartialOrders`, and all temperatures of `mc3` but the posterior's, begin at a
        random state. ``"random"``: so do all. A number: the steps of the chains of linear
        orders, by default ``4 n**2 log(n)``, but not more than take a tenth of the seconds.
    known_dag
        A DAG that is known to be good, in any form that `Model.log_weight_of` takes: the first
        chain begins there, so that a mode that all others miss is seen by the disagreement. None
        to search for one, with up to 128 variables. Only where the others begin from orders.
    adapt_moves
        Whether each chain over `Dags` adapts the shares of the kinds of moves during the burn-in,
        by how often they change edges for the work they take, and then keeps them; a quarter of
        the moves stays as usual. ``run.move_shares`` says how often each kind was proposed. On
        some tables this doubled what a second brings, on others it cost a third, so that it is
        not the default.
    dags_per_state
        The number of DAGs drawn from each kept state; 0 for none, where the estimates do
        not need them.
    dag_time_share
        If given, as many DAGs are drawn from each kept state as this fraction of the time
        spent on reaching it allows. The number is fixed in advance, so that DAGs that are
        slow to weight are not under-represented.
    extension_budget
        The maximum number of sets stored while counting the topological orders of a DAG;
        None for the default of the counter.
    estimate_extensions
        Whether to estimate counts beyond that budget; otherwise they are an error. The
        estimates are unbiased; their inverses, the weights, have a relative bias of about
        the square of the relative error, which the run reports.
    seed
        The seed; results do not depend on the number of threads.
    sums
        The score sums, if already computed; otherwise they are computed, with a
        tolerance of 1e-9 for nodes with too many candidate parents for a table.
    engine
        Where the chains run: None for threads of this process, or a Dask cluster, given as
        a `DaskEngine`, a `distributed.Client` or the address of its scheduler, such as
        ``"dask://10.0.0.1:8786"``. It does not affect the result.
    threads, progress
        As for `exact`.
    device
        None for the processors. ``"gpu"``: chains over linear or canonical orders run on a
        graphics processor, each in a thread of its own, so that it takes thousands of chains to
        keep it busy; all nodes may have up to 16 possible parents, and moves of linear orders are
        swaps. Log weights are rounded to some millionths of a nat, and draws are others than those
        of processors. ``"auto"``: where there is one, and at least 256 chains that it can run.
    directory
        The run directory, created if necessary: draws are saved as the run proceeds, and
        after any interruption `resume` continues from the last checkpoint. If it holds a
        run with the same settings, that run is continued. The result has all DAGs if they
        take up to 1 GiB, otherwise those of every second state, every fourth and so on;
        sums over all states are kept in any case.
    checkpoint_seconds
        The time between checkpoints; it does not affect the result.

    Returns
    -------
    Posterior
        With edge probabilities and their standard errors, the DAGs, the traces and the
        record of the run. Ctrl-C or SIGTERM ends the run early and returns the draws made
        so far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, steps=4000, seed=1)
    >>> exact = arcwise.exact(model)
    >>> bool(abs(posterior.edges - exact.edges).max() < 0.15)
    True
    """
    checked_model(model)
    deadline = Deadline.of(seconds)
    settings = ChainSettings(
        space=as_space(space),
        budget=Budget(
            steps, deadline.seconds, effective_samples, burn_in, thinning, as_stopping_rule(until)
        ),
        recording=Recording(
            as_modularity(modularity),
            dags_per_state,
            dag_time_share,
            extension_budget,
            estimate_extensions,
        ),
        chains=chains,
        seed=seed,
        order_steps=as_order_steps(start),
        known_dag=known_edges(model, known_dag),
        adapt_moves=true_or_false(adapt_moves, option("adapt_moves")),
    )
    engine = engine_on_device(
        model,
        settings.space,
        settings.recording,
        settings.chains,
        device=device,
        engine=engine,
        directory=directory,
    )
    environment = Environment(engine, threads, progress, directory, checkpoint_seconds, deadline)
    return sample_chains(model, settings, sums, environment)
