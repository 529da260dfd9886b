"""The steps of `learn` with missing values: the choice of score and prior, and the average.

For a complete table, the equivalent sample size and the density of the prior are chosen by their
posterior given the data (`hyperparameters`). With missing values they are sampled as well: in a
table completed under too sparse a prior, edges look weaker than they are, and a point estimate
would understate the uncertainty. Chains therefore alternate between

    DAG and cells given score and prior, and
    score and prior given DAG and cells:  p(score | DAG, table)  ~  prod_v score_v(parents of v),
        and  p(odds | DAG)  ~  p(odds) odds^edges / (sum of odds^edges over all DAGs).

A short pilot gives a rough completion, which determines the candidate parents and the values to
report (as for complete tables, the most probable score and the mean of the expected number of
parents). With these candidates fixed, chains draw the completed tables that the posterior is
averaged over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import ContinuousColumn, Data, IncompleteData
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.graphs.dag import Dag
from arcwise.imputation.averaging import FILE, Checkpoint, ImputationSettings, averaged
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.proposals import Parents
from arcwise.imputation.structure import (
    ChainStructure,
    ExactStructure,
    Halted,
    StructureStep,
    side_by_side,
    split_threads,
)
from arcwise.learning import costs
from arcwise.learning.hyperparameters import (
    EXPECTED_PARENTS,
    LOG_PRIOR,
    chosen_of,
    data_sentences,
    prior_odds,
)
from arcwise.learning.request import Request
from arcwise.learning.study import RESULT, Study
from arcwise.model import Modularity, Question
from arcwise.model.candidates import candidates as choose_candidates
from arcwise.parameters.conditionals import can_draw
from arcwise.posterior import DagSample
from arcwise.priors import Sparse
from arcwise.priors.base import MOST_VARIABLES, log_sum_of_weights
from arcwise.records.settings import Algorithm
from arcwise.scores import BGe, LocalScore
from arcwise.spaces import Dags
from arcwise.support.arrays import relative_weights
from arcwise.support.plain import digest
from arcwise.support.running import Run, running


def refuse_with_missing_values(request: Request, run: Run, data: IncompleteData) -> None:
    """Refuse arguments that do not apply with missing values."""
    drop = (", or give ", option("missing", "drop"))
    if data.table.weights is not None:
        raise DataError(
            "values are missing in a table with row weights that are no whole numbers, or that add "
            "up to more than a million, but a row of weight w is imputed as w rows; give such "
            "weights",
            *drop,
        )
    if request.algorithm not in (None, Algorithm.EXACT, Algorithm.MCMC):
        fact = (
            f" is {str(request.algorithm)!r}, but values are missing, for which DAGs are drawn "
            "by 'exact' or 'mcmc'; choose one of these"
        )
        raise ArgumentError(option("algorithm"), fact, *drop)
    if request.space is not None and not isinstance(request.space, Dags):
        fact = (
            f" is {request.space!r}, but values are missing, and chains then go on from DAG to "
            "DAG; leave it out"
        )
        raise ArgumentError(option("space"), fact, *drop)
    fact = " is for chains over the DAGs of one table, but values are missing"
    if request.until not in ("auto", None) or request.options:
        which = "until" if request.until not in ("auto", None) else next(iter(request.options))
        instead = option("completions")
        raise ArgumentError(option(which), f"{fact}; give ", instead, " instead, or leave it out")
    if run.engine is not None:
        fact += ", and the chains that complete it run in this process; leave it out"
        raise ArgumentError(Wording("engine", "--cluster"), fact, *drop)


def as_imputed(asked: Question, data: IncompleteData) -> tuple[Question, IncompleteData]:
    """Return question and table for imputation, or refuse a score that cannot impute."""
    if not can_draw(asked.score, data.table):
        raise ArgumentError(
            f"imputing needs a prior on the parameters, which the score "
            f"{type(asked.score).__name__} does not have; use BDeu, BDe, BGe or "
            "ConditionalGaussian, or give ",
            option("missing", "drop"),
        )
    if not isinstance(asked.score, BGe):
        return asked, data
    numbers = data.table.continuous_values("BGe")
    table = data.table
    columns = [
        ContinuousColumn(name, numbers[:, place].copy())
        for place, name in enumerate(table.variables)
    ]
    data = IncompleteData(table.replaced(columns=columns, weights=None), data.cells)
    return replace(asked, data=data.table), data


def by_rough_completion(study: Study) -> Study:
    """Complete the table roughly, and choose score and prior during that, unless given."""
    request, run, asked, data = study.request, study.run, study.question, study.incomplete
    assert data is not None
    assert asked.score is not None
    choose_score = request.score is None and not request.prior_given
    scores = tuple(asked.score.alternatives()) if choose_score else (asked.score,)
    fixed = [score.fixed_by(data.table) for score in scores]
    redraw = None
    if not request.prior_given:
        redraw = HyperparameterDraws(asked, fixed, request.modularity)
    begin = replace(asked, score=fixed[0])
    exact = study.algorithm is Algorithm.EXACT
    if not exact or not costs.scoring_is_cheap_each_table(asked):
        given = choose_candidates(asked, "greedy:4", threads=run.threads)
        begin = replace(begin, candidates=given, plus_one=False)
    structure = _structure(study, None)
    about = Imputation(data, begin, structure, redraw, run.seed, run.threads)
    chain, found = _piloted(about, study)
    complete = replace(asked, data=chain.table)
    words: tuple[str, ...] = ()
    if redraw is not None:
        taken = chosen_of(asked, scores, np.mean(found, axis=0), request.modularity)
        complete = replace(complete, score=taken.score, prior=asked.prior.on(taken.prior))
        words = (
            taken.sentence(),
            "With values missing, these are uncertain themselves, and were drawn with the missing "
            "values; those named are the most probable score and the mean.",
        )
    observed = replace(complete, data=data.table)
    sentences = data_sentences(observed, score_by_user=request.score is not None)
    return replace(study, asked=complete, redraw=redraw).saying(*sentences, *words)


def average_over_completions(study: Study) -> Study:
    """Compute the posterior averaged over completed tables, if values are missing."""
    if study.incomplete is None:
        return study
    request, run, data, asked = study.request, study.run, study.incomplete, study.question
    assert asked.score is not None
    question = replace(asked, score=asked.score.fixed_by(data.table))
    settings = ImputationSettings(**study.settings)
    checkpoint = None
    if study.directory is not None:
        study.kept().write(study.directory)
        checkpoint = Checkpoint(study.directory / FILE, _fingerprint(study, question, settings))
    structure = _structure(study, request.steps)
    about = Imputation(data, question, structure, study.redraw, run.seed, run.threads, run.deadline)
    posterior = averaged(
        about,
        settings,
        modularity=request.modularity,
        described=asked.score,
        checkpoint=checkpoint,
        progress=run.progress,
    )
    if study.directory is not None and checkpoint is not None:
        posterior.save(study.directory / RESULT)
        checkpoint.remove()
    return replace(study, posterior=posterior)


# Sweeps of each chain of the pilot if score and prior are given; otherwise, with DAGs drawn exactly
# and by chains.
_FEWEST_SWEEPS = 8
_SWEEPS, _SWEEPS_OF_CHAINS = 30, 16
_CHAINS = 2
_SHARE = 0.15  # of a limited time
_FIRST = 1 << 20  # the number of the first chain, distinct from those of the run


def _piloted(about: Imputation, study: Study) -> tuple[ImputationChain, list[NDArray[np.float64]]]:
    """Return a chain after some sweeps, and the posteriors of score and prior in these."""
    redraw = about.redraw
    exact = isinstance(about.structure, ExactStructure)
    sweeps = _SWEEPS if exact else _SWEEPS_OF_CHAINS
    count = 1 if redraw is None else _CHAINS
    deadline = study.run.deadline.part(_SHARE)
    one_by_one = about.structure.one_by_one(about.question)
    together, each = split_threads(count, about.threads, one_by_one=one_by_one)

    def begun(number: int, halted: Halted) -> tuple[ImputationChain, list[NDArray[np.float64]]]:
        chain = ImputationChain(about.on(each), _FIRST + number, associated=number > 0)
        shares: list[NDArray[np.float64]] = []
        for sweep in range(_FEWEST_SWEEPS if redraw is None else sweeps):
            if halted() or (deadline.passed and sweep):
                break
            chain.sweep()
            if isinstance(redraw, HyperparameterDraws):
                shares.append(redraw.posterior(chain))
        return chain, shares[len(shares) // 2 :]

    chains = side_by_side(begun, range(count), together)
    return chains[-1][0], [share for _, shares in chains for share in shares]


def _structure(study: Study, steps: int | None) -> StructureStep:
    """Return how DAGs are drawn: exactly, or by chains with these steps on each kept table."""
    run, asked = study.run, study.question
    if study.algorithm is Algorithm.EXACT:
        paths = costs.paths_are_cheap_each_table(asked)
        return ExactStructure(study.request.modularity, run.threads, run.deadline, paths)
    fewest = 40 * len(asked.variables)
    longer = 10 * fewest if steps is None else steps
    return ChainStructure(min(fewest, longer), longer, run.threads, run.deadline)


def _fingerprint(study: Study, question: Question, settings: ImputationSettings) -> str:
    """Return a digest of all that completed tables depend on; with another, a run starts afresh."""
    assert study.incomplete is not None
    data, chosen = study.incomplete.fingerprint, (question.score, question.prior)
    return digest(data, *chosen, question.families, study.algorithm, settings, study.run.seed)


class HyperparameterDraws:
    """Draws score and prior given the DAG and the cells of a chain."""

    def __init__(
        self, asked: Question, scores: Sequence[LocalScore], modularity: Modularity
    ) -> None:
        self._asked, self._scores = asked, scores
        n = len(asked.variables)
        self._priors = [Sparse(prior_odds(asked, m, modularity)) for m in EXPECTED_PARENTS]
        self._log_odds = np.array([prior.log_odds(n) for prior in self._priors])
        resolved = asked.constraints.resolve(asked.variables)
        self._optional = resolved.allowed & ~resolved.required
        self._outside = frozenset(asked.variables.index(name) for name in asked.parent_only)
        pairs = int(np.triu(self._optional | self._optional.T, 1).sum())
        free = modularity == "modular" and 2 * pairs == self._optional.sum() == n * (n - 1)
        if free and n <= MOST_VARIABLES:
            sums = [log_sum_of_weights(math.exp(odds), n) for odds in self._log_odds]
        else:
            sums = _integrated(self._log_odds, n, pairs)
        self._log_weights = LOG_PRIOR - np.array(sums)

    def __call__(self, chain: ImputationChain, random: np.random.Generator) -> int:
        """Return the index of a score and a prior drawn from their posterior."""
        share = self.posterior(chain)
        return int(random.choice(share.size, p=share.reshape(-1)))

    def question(self, question: Question, number: int) -> Question:
        """Return the question with the score and the prior of this index."""
        place, expected = divmod(number, len(self._priors))
        prior = self._asked.prior.on(self._priors[expected])
        return replace(question, score=self._scores[place], prior=prior)

    def log_density_ratio(self, number: int, new: Parents, old: Parents) -> float:
        """Return the log prior ratio of two DAGs, marginal over the density less given its value.

        With the odds o of an edge integrated out, a DAG of m edges has the prior weight

            L(m) = sum over o of p(o) o^m / (sum of o^edges over all DAGs),

        and given the odds of this index o^m. The result is log L(m') - log L(m) - (m' - m) log o.
        """
        proposed, current = self._edges(new), self._edges(old)
        log_o = self._log_odds[number % len(self._priors)]
        marginal = [
            np.logaddexp.reduce(self._log_weights + edges * self._log_odds)
            for edges in (proposed, current)
        ]
        return float(marginal[0] - marginal[1] - (proposed - current) * log_o)

    def _edges(self, parents: Parents) -> int:
        """Return the number of edges of a DAG that are not required."""
        return sum(
            bool(self._optional[parent, node])
            for node, others in enumerate(parents)
            for parent in others
        )

    def posterior(self, chain: ImputationChain) -> NDArray[np.float64]:
        """Return the posterior of score and expected number of parents, as [score, number]."""
        assert chain.dag is not None
        dag = DagSample(self._asked.variables, chain.dag[np.newaxis])[0]
        edges = self._edges(dag.parent_indices)
        table = chain.table
        of_scores = np.array([0.0])
        if len(self._scores) > 1:
            of_scores = np.array([self._log_likelihood(s, dag, table) for s in self._scores])
        total = np.add.outer(of_scores, self._log_weights + edges * self._log_odds)
        share = relative_weights(total)
        return np.asarray(share / share.sum())

    def _log_likelihood(self, score: LocalScore, dag: Dag, table: Data) -> float:
        parents = [list(each) for each in dag.parent_indices]
        nothing: list[list[int]] = [[] for _ in parents]
        scored = _core.FamilyTable(nothing, parents, [0] * len(parents))
        with running(1, None, "") as run:  # a family for each variable
            score.fill(table, scored, run)
        nodes = [node for node in range(len(parents)) if node not in self._outside]
        return math.fsum(float(scored.values(node)[0]) for node in nodes)


def _integrated(log_odds: NDArray[np.float64], n: int, pairs: int) -> list[float]:
    """Return the log sums of the weights of DAGs, as integrals of the expected number of edges."""
    # The derivative of the log sum by the log odds is the expected number of edges. It is
    # approximated by its value given an order, and between two odds by a power of the odds.
    odds = np.array(EXPECTED_PARENTS) / max(1, n - 1)
    edges = pairs * odds / (1.0 + odds)
    sums = [float(edges[0])]
    for place in range(1, len(edges)):
        growth = math.log(edges[place] / edges[place - 1]) if pairs else 1.0
        mean = (edges[place] - edges[place - 1]) / growth
        sums.append(sums[-1] + float(mean * (log_odds[place] - log_odds[place - 1])))
    return sums
