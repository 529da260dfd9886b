"""`complete_roughly`: a first completion of a table, with the score and the prior that it supports.

Of a complete table, the strength of the score and the density of the prior are taken from their
posterior given the data (`hyperparameters`). With missing values they are part of what is unknown:
in a table that was completed under too sparse a prior, edges look weaker than they are, and one
value of them is no longer near to all that are probable. So chains draw, in turn,

    DAG and cells given score and prior, and
    score and prior given DAG and cells:  p(score | DAG, table)  ~  prod_v score_v(parents of v),
        and  p(odds | DAG)  ~  p(odds) odds^edges / (sum of odds^edges over all DAGs),

here for a while, to find a first completion and the values to name (as for complete tables, the
most probable score and the mean of the expected number of parents), and then on (`redraw`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.candidates import candidates as choose_candidates
from arcwise.data import Data, IncompleteData
from arcwise.graphs.dag import Dag
from arcwise.imputation.chain import ImputationChain
from arcwise.imputation.edge_changes import Parents
from arcwise.imputation.side_by_side import Halted, side_by_side, split_threads
from arcwise.imputation.structure import ExactStructure, StructureStep
from arcwise.learning.hyperparameters import EXPECTED_PARENTS, LOG_PRIOR, chosen_of, prior_odds
from arcwise.learning.request import Request
from arcwise.model import Modularity, Question
from arcwise.posterior import DagSample
from arcwise.priors import Sparse
from arcwise.priors.acyclic_density import MOST_VARIABLES, log_sum_of_weights
from arcwise.scores import LocalScore
from arcwise.support.log_space import relative_weights
from arcwise.support.running import running

# Sweeps of each chain if nothing is to be chosen, and if something is, with DAGs drawn exactly and
# by chains over them.
_FEWEST_SWEEPS = 8
_SWEEPS, _SWEEPS_OF_CHAINS = 30, 16
_CHAINS = 2
_CANDIDATES = "greedy:4"
_SHARE = 0.15  # of a limited time
_FIRST = 1 << 20  # the number of the first chain, far from those of the run


@dataclass(frozen=True)
class RoughCompletion:
    """A completed table in a question, with score and prior chosen meanwhile.

    Parameters
    ----------
    question
        The question about it.
    sentences
        In words what was chosen.
    redraw
        Draws score and prior given DAG and cells; None if they are known.
    """

    question: Question
    sentences: tuple[str, ...]
    redraw: HyperparameterDraws | None


def complete_roughly(
    request: Request,
    data: IncompleteData,
    asked: Question,
    structure: StructureStep,
    *,
    few_families: bool,
    choose_score: bool,
    choose_prior: bool,
) -> RoughCompletion:
    """Return a completion of a table, with score and prior by the evidence where asked for.

    Parameters
    ----------
    request
        What is asked about the run.
    data
        The table.
    asked
        The question about it.
    structure
        How DAGs are drawn.
    few_families
        Whether all families can be scored in every sweep; if not, those of few candidates are.
    choose_score, choose_prior
        Whether the score and the prior are to be chosen.
    """
    assert asked.score is not None
    deadline = request.deadline.part(_SHARE)
    scores = tuple(asked.score.alternatives()) if choose_score else (asked.score,)
    begin = replace(asked, score=scores[0].fixed_by(data.table))
    if not few_families:
        given = choose_candidates(asked, _CANDIDATES, threads=request.threads)
        begin = replace(begin, candidates=given, plus_one=False)
    redraw = None
    if choose_prior:
        fixed = [score.fixed_by(data.table) for score in scores]
        redraw = HyperparameterDraws(asked, fixed, request.modularity)
    sweeps = _SWEEPS if isinstance(structure, ExactStructure) else _SWEEPS_OF_CHAINS
    count = 1 if redraw is None else _CHAINS
    together, each = split_threads(count, request.threads, one_by_one=structure.one_by_one(begin))

    def begun(number: int, halted: Halted) -> tuple[ImputationChain, list[NDArray[np.float64]]]:
        chain = ImputationChain(
            data,
            begin,
            structure.on(each),
            seed=request.seed,
            number=_FIRST + number,
            threads=each,
            redraw=redraw,
            associated=number > 0,
        )
        shares: list[NDArray[np.float64]] = []
        for sweep in range(_FEWEST_SWEEPS if redraw is None else sweeps):
            if halted() or (deadline.passed and sweep):
                break
            chain.sweep()
            if redraw is not None:
                shares.append(redraw.posterior(chain))
        return chain, shares[len(shares) // 2 :]

    chains = side_by_side(begun, range(count), together)
    found = [share for _, shares in chains for share in shares]
    chain = chains[-1][0]
    complete = replace(asked, data=chain.table)
    if redraw is None:
        return RoughCompletion(complete, (), None)
    taken = chosen_of(asked, scores, np.mean(found, axis=0), request.modularity)
    chosen = replace(complete, score=taken.score, prior=asked.prior.on(taken.prior))
    words = (
        taken.sentence(),
        "With values missing, these are uncertain themselves, and were drawn with the missing "
        "values; those named are the most probable score and the mean.",
    )
    return RoughCompletion(chosen, words, redraw)


class HyperparameterDraws:
    """Draws score and prior given the DAG and the cells of a chain.

    Parameters
    ----------
    asked
        The variables with their constraints.
    scores
        The scores to choose from.
    modularity
        Which posterior is computed.
    """

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
        """Return the number of a score and a prior, drawn from their posterior."""
        share = self.posterior(chain)
        return int(random.choice(share.size, p=share.reshape(-1)))

    def question(self, question: Question, number: int) -> Question:
        """Return the question with the score and the prior of this number."""
        place, expected = divmod(number, len(self._priors))
        prior = self._asked.prior.on(self._priors[expected])
        return replace(question, score=self._scores[place], prior=prior)

    def log_density_ratio(self, number: int, new: Parents, old: Parents) -> float:
        """Return the log ratio of the priors of two DAGs, density integrated out, less as given.

        With the odds o of an edge integrated out, a DAG of m edges has the prior weight

            L(m) = sum over o of p(o) o^m / (sum of o^edges over all DAGs),

        and with the odds of this number o^m: what is left is log L(m') - log L(m) - (m' - m) log o.

        Parameters
        ----------
        number
            The number of the score and the prior that the weights of families are from.
        new, old
            The parents of each node in both DAGs.
        """
        there, here = self._edges(new), self._edges(old)
        own = self._log_odds[number % len(self._priors)]
        of_both = [self._log_weights + edges * self._log_odds for edges in (there, here)]
        ratio = np.logaddexp.reduce(of_both[0]) - np.logaddexp.reduce(of_both[1])
        return float(ratio - (there - here) * own)

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
    """Return the log sums of weights of DAGs, by the edges that are expected between the odds.

    The expected number of edges is the derivative of the log sum by the log odds. It is taken as
    that given an order, and as a power of the odds between two of them.
    """
    odds = np.array(EXPECTED_PARENTS) / max(1, n - 1)
    edges = pairs * odds / (1.0 + odds)
    sums = [float(edges[0])]
    for place in range(1, len(edges)):
        growth = math.log(edges[place] / edges[place - 1]) if pairs else 1.0
        mean = (edges[place] - edges[place - 1]) / growth
        sums.append(sums[-1] + float(mean * (log_odds[place] - log_odds[place - 1])))
    return sums
