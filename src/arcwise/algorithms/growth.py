"""`grow`: adds candidate parents as long as the best DAG or the posterior calls for others."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from arcwise.algorithms.growth_by_map import grow_by_map
from arcwise.algorithms.growth_state import (
    Growing,
    GrowthRound,
    GrowthState,
    Matrix,
    growth_memory,
)
from arcwise.algorithms.mcmc import mcmc
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.constraints import ConstraintArguments
from arcwise.constraints.arguments import SYNONYMS
from arcwise.errors import (
    ArgumentError,
    ConvergenceWarning,
    GrowthWarning,
    TimeIsUpError,
    Wording,
)
from arcwise.families import Families
from arcwise.families.families import parent_matrix
from arcwise.model import Definition, Model, Question, ask
from arcwise.posterior.map_result import MapResult
from arcwise.support.clock import Deadline
from arcwise.support.running import Run, SeededRun
from arcwise.support.settings import keywords_of
from arcwise.support.warnings import warn
from arcwise.support.words import byte_size, quoted

# Of the seconds given: for the initial candidates, for all rounds, and for the chains of a round.
_SHARE_OF_START = 0.6
_SHARE_OF_ROUNDS = 0.6
_SHARE_OF_CHAINS = 0.3


@dataclass(frozen=True, repr=False)
class Growth:
    """Grown candidates, the model on them, and a record of the growth.

    Parameters
    ----------
    candidates
        The candidates.
    model
        The model on them. Each parent set may have one parent that is not a candidate,
        unless growth followed the best DAG of more than 300 variables.
    best
        The best DAG, if growth followed it.
    rounds
        The record of each round.
    full
        The nodes that needed more candidates than allowed.
    unfinished
        Whether growth was cut short for lack of time.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> grown = arcwise.grow(data, {"either": ["tub"]}, seed=1)
    >>> "lung" in grown.candidates["either"]
    True
    """

    candidates: Candidates
    model: Model
    best: MapResult | None
    rounds: tuple[GrowthRound, ...]
    full: tuple[str, ...] = ()
    unfinished: bool = False

    def __repr__(self) -> str:
        """Show the number of rounds and of candidates."""
        sizes = self.candidates.sizes().values()
        return (
            f"<Growth: {len(self.rounds)} rounds, {min(sizes)} to {max(sizes)} candidates for each "
            "node>"
        )


@dataclass(frozen=True, kw_only=True)
class _Arguments(SeededRun, Growing, ConstraintArguments):
    """The arguments of `grow`."""

    data: Any = field(kw_only=False)
    candidates: Any = field(default=None, kw_only=False)
    score: Any = None
    prior: Any = None


@keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
def grow(data: Any, definition: Definition, settings: Growing, run: Run) -> Growth:
    """Grow candidate parents until nothing better is found outside them.

    In each round every parent set may have one parent that is not a candidate. The best
    DAG is searched for, or the posterior sampled; the parents found become candidates,
    and the next round begins (Kuipers, Suter and Moffa 2022, "Efficient sampling and
    structure learning of Bayesian networks"). When the best DAG calls for no others, the
    search is restarted from random orders with more candidates, and pairs of parents that
    help only jointly are looked for; growth continues if that finds a better DAG. Beyond
    300 variables, a round that follows the best DAG searches among the candidates alone and
    then looks for one further parent of each node, so the resulting model has no parents
    but the candidates.

    Besides the arguments described here, it takes constraints, as `Model` does; see
    `ConstraintArguments`.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used and whose candidates are
        the initial ones; or anything `arcwise.read` takes.
    candidates
        The initial candidates if no model is given: a method of `arcwise.candidates`, or
        candidates in any form it takes. None for ``"pc"``, or for ``"greedy:4"`` if there
        are no data to test.
    by
        ``"map"``: growth follows the best DAG, and the edges of its equivalence class
        become candidates. ``"posterior"``: all edges with a probability above the
        threshold do.
    threshold
        The edge probability above which a parent becomes a candidate.
    max_size
        The maximum number of candidates of a node. A node with K of them takes
        ``24 * (n - K) * 2**K`` bytes: 32 MiB with 100 variables and 14 candidates,
        doubling with each further candidate (see `growth_memory`).
    score, prior
        As for `Model`.
    restarts
        The number of restarts of the final search, see `arcwise.map`.
    steps
        The steps of each of two chains in a round, if growth follows the posterior;
        None for ``40 n**2``, at least 20,000.
    memory_limit
        The bytes a round may take; None for the free memory of the machine. A round that
        needs more is refused before it starts.
    seed
        The seed; results do not depend on the number of threads.
    seconds
        If given, growth ends after this time with the candidates found so far, and a
        `CutShortWarning`. Or a `Deadline` that this call shares with others.
    threads, progress
        As for `exact`.
    file
        A file that keeps the rounds of ``by="map"``: after any interruption, the same call goes
        on from there, with the same result. Scores of a round that take long are kept beside
        it, with the ending ``.scores``, until growth ends.

    Returns
    -------
    Growth
        The candidates, the model on them, ready for `mcmc` and other samplers, and the
        best DAG. With ``by="map"``, Ctrl-C ends growth early and returns the best DAG so
        far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.networks.random_dag(12, expected_degree=3, seed=1)
    >>> data = arcwise.networks.gaussian_network(dag, seed=1).sample(200, seed=1)
    >>> grown = arcwise.grow(data, seed=1)
    >>> exact = arcwise.map(arcwise.Model(data))
    >>> bool(abs(grown.best.log_weight - exact.log_weight) < 1e-6)
    True
    """
    with run.telling():
        asked = ask(data, replace(definition, candidates=None))
        question, first = _start(asked, definition.candidates, run.within(_SHARE_OF_START))
        of_rounds = run.within(_SHARE_OF_ROUNDS)
        with of_rounds.stage("Growing candidates") as stage:
            state = GrowthState(question, first, settings, of_rounds.quiet, stage)
            best = None
            if settings.by == "map":
                best = grow_by_map(state, run.deadline)
                if settings.scores_file is not None and best is not None and not best.interrupted:
                    settings.scores_file.unlink(missing_ok=True)
            else:
                _by_posterior(state, run.deadline)
    if state.full:
        more = settings.max_size + 2
        warn(
            GrowthWarning(
                f"{quoted(sorted(state.full))} would need more than {settings.max_size} candidate "
                "parents; give ",
                Wording(f"max_size={more}", f"--max-candidates {more}"),
                ", with which such a node takes "
                f"{byte_size(growth_memory(len(question.variables), more))}",
            )
        )
    full = tuple(sorted(state.full))
    if best is not None:
        last = asdict(state.rounds[-1]) if state.rounds else {}
        growth = {**last, "rounds": len(state.rounds), "full": full}
        best = replace(best, growth=growth)
    chosen = Candidates.from_matrix(question.variables, state.matrix | state.required)
    return Growth(chosen, state.model, best, tuple(state.rounds), full, state.unfinished)


def _by_posterior(state: GrowthState, deadline: Deadline) -> None:
    try:
        _grow_by_posterior(state)
    except TimeIsUpError:
        state.cut_short(deadline)
        state.build_within(deadline)


def _grow_by_posterior(state: GrowthState) -> None:
    n, settings, run = len(state.variables), state.settings, state.run
    steps = max(20_000, 40 * n**2) if settings.steps is None else settings.steps
    budget: dict[str, Any] = {"steps": steps}
    wanted = np.zeros_like(state.matrix)
    while True:
        model = state.build()
        if run.deadline.limited:
            budget = {"seconds": run.deadline.part(_SHARE_OF_CHAINS)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            edges = mcmc(
                model,
                "linear",
                modularity="order-modular",
                chains=2,
                dags_per_state=0,
                seed=run.seed,
                threads=run.threads,
                **budget,
            ).edges
        run.deadline.check()
        wanted = wanted | (edges > settings.threshold)
        if state.record(wanted, None, len(model.scores)) == 0:
            return
        before = state.matrix
        state.keep(wanted)
        if (state.matrix == before).all():
            return


def _start(asked: Model | Question, candidates: Any, run: Run) -> tuple[Question, Matrix]:
    """Return the question, and the initial candidates as a matrix [candidate, node]."""
    if isinstance(asked, Model):
        if candidates is not None:
            raise ArgumentError(
                "a model already has its candidates; leave them out, or give the data instead"
            )
        return asked.question, _matrix(asked.families)
    chosen = candidates
    if candidates is None:
        chosen = "pc" if asked.table is not None else "greedy:4"
    if isinstance(chosen, str):
        found = choose_candidates(asked, chosen, seconds=run.deadline, threads=run.threads)
        chosen = found.matrix()
    question = replace(asked, candidates=chosen)
    if question.precomputed is not None:
        return question, _matrix(Model(question, threads=run.threads).families)
    return question, _matrix(question.families)


def _matrix(families: Families | None) -> Matrix:
    if families is None:
        raise ArgumentError(
            "the model has only a list of precomputed scores, so no other families can be scored; "
            "give the data"
        )
    return parent_matrix(families.candidates)
