"""Empirical-Bayes choice of the equivalent sample size and of the edge density of the prior.

How many edges a table supports depends on two numbers that users rarely know: the equivalent
sample size of a discrete score, and the expected number of parents of a variable. With fixed
values, networks are found in noise, or weak edges of dense networks are missed. Both are therefore
chosen by their posterior distribution given the data.

Orders are drawn from a preliminary model, with a few candidate parents for each variable, under
fixed values of the two numbers. Given an order, the evidence is a product over nodes v with the
predecessors U ::

    p(data | order, score, odds)
        = prod_v  sum_{P in U} odds^|P| score_v(P)  /  sum_{P in U} odds^|P|

so the posterior over a grid of values is known exactly. Its average over the orders estimates the
posterior of the values, if the orders were drawn under values that fit the data. The most probable
score is chosen, and the posterior mean of the expected number of parents. The latter gives the odds
of edges given an order. DAGs without an order have two possible directions for each adjacency, and
up to twice as many adjacencies under the same odds, so the modular prior gets the odds under which
its expected number of edges is the same (`odds_of_dags`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.mcmc import mcmc
from arcwise.data import Data
from arcwise.data.description import summary as in_short
from arcwise.data.profile import DataProfile
from arcwise.errors import ConvergenceWarning, InterruptedWarning, TimeIsUpError
from arcwise.graphs.dag import Dag
from arcwise.learning.study import Study
from arcwise.model import Model, Modularity, Question
from arcwise.model.candidates import candidates
from arcwise.priors import Sparse
from arcwise.priors.base import odds_of_dags
from arcwise.records.settings import usual_order_steps
from arcwise.scores import LocalScore
from arcwise.scores.base import NAMED_SCORES
from arcwise.spaces import LinearOrders
from arcwise.support.arrays import weighted_sum
from arcwise.support.names import listing, plural, words_of
from arcwise.support.running import NEVER, LocalRun

EXPECTED_PARENTS = tuple(0.03125 * 2.0**step for step in range(9))
"""The grid of expected numbers of parents: 1/32 to 8, each twice the one before."""

LOG_PRIOR = -np.log(EXPECTED_PARENTS)
"""The log prior weights of these numbers, which are inversely proportional to the numbers.

Each octave then contributes the same to the prior expectation of the number of edges, so that no
density is favoured, and a table that is uninformative about the density is nearly uninformative
about edges, too. (With equal weights, the densest octave would contribute half of all edges
expected.)
"""

_ALONE = LocalRun(seconds=NEVER)
_SHARE = 0.25  # of a limited time, for all this work
_SECONDS_FOR_ALL = 30.0  # with a lower limit, less of this work is done

_NOT_CHOSEN = (
    "The parameters of the prior and of the score are the usual ones: choosing them by the "
    "evidence of the data takes too long here. In small tables they can find edges in noise."
)


@dataclass(frozen=True)
class Hyperparameters:
    """Score and prior as chosen by the evidence."""

    # The most probable score, and the prior whose expected number of edges is the posterior mean.
    score: LocalScore
    prior: Sparse
    # The scores compared, and the posterior probabilities [score, index in `EXPECTED_PARENTS`].
    scores: tuple[LocalScore, ...]
    probabilities: NDArray[np.float64]

    def sentence(self) -> str:
        """Return a sentence on the choice and how to fix it."""
        also = " and of the score" if len(self.scores) > 1 else ""
        return (
            f"The parameters of the prior{also} were chosen by the evidence of the data; to fix "
            f"them, give {listing(self._fixed())}."
        )

    def _fixed(self) -> list[str]:
        """Return the specifications of prior and score, as for Python and for the shell."""
        fixed = [f"the prior sparse:{self.prior.expected_parents:g}"]
        size = getattr(self.score, "equivalent_sample_size", None)
        if len(self.scores) > 1 and size is not None:
            names = [name for name, kind in NAMED_SCORES.items() if kind is type(self.score)]
            fixed.append(f"the score {names[0]} with the equivalent sample size {size:g}")
        return fixed


def by_evidence(study: Study) -> Study:
    """Choose score and prior by the evidence, unless a prior was given."""
    request, asked = study.request, study.asked
    how: tuple[str, ...] = ()
    if not request.prior_given and isinstance(asked, Question):
        asked, how = question_by_evidence(
            asked, request.modularity, score=request.score is None, run=study.run
        )
    sentences = data_sentences(asked, score_by_user=request.score is not None)
    return replace(study, asked=asked).saying(*sentences, *how)


def data_sentences(asked: Model | Question, *, score_by_user: bool) -> tuple[str, ...]:
    """Return in words how the data were read and scored."""
    variables = plural(len(asked.variables), "variable")
    if isinstance(asked, Model):
        return (f"The model has {variables} and {len(asked.scores):,} parent sets.",)
    if asked.precomputed is not None:
        families = asked.number_of_families
        return (f"The scores of {families:,} parent sets of {variables} were precomputed.",)
    if asked.table is None:
        return (f"There are {variables}, scored by a function.",)
    assert asked.score is not None
    reason = "as requested" if score_by_user else _reason_for_score(asked.table)
    several = len(asked.score.alternatives()) > 1
    score = words_of(asked.score) if several else type(asked.score).__name__
    return (
        f"The table has {in_short(asked.table)}.",
        *DataProfile.of(asked.table, None).preparation_sentences(asked.table.rows),
        f"The score is {score}, {reason}; the structure prior is {words_of(asked.prior)}.",
        *asked.score.remarks(asked.table),
    )


def _reason_for_score(table: Data) -> str:
    kinds = set(table.kinds.values())
    if kinds == {"continuous"}:
        return "because all columns are continuous"
    if "continuous" in kinds:
        return "because some columns are discrete and some continuous"
    return "because all columns are discrete"


def question_by_evidence(
    asked: Question, modularity: Modularity = "modular", *, score: bool, run: LocalRun = _ALONE
) -> tuple[Question, tuple[str, ...]]:
    """Return the question with the prior, and on request the score, chosen by the evidence."""
    if asked.score is None:
        return asked, ()
    found = choose_hyperparameters(
        asked,
        asked.score.alternatives() if score else (asked.score,),
        modularity,
        effort=_effort(run.deadline.seconds),
        # The seed of the run is not used, so that runs on the same table have the same model.
        run=LocalRun(seconds=run.deadline.part(_SHARE), threads=run.threads),
    )
    if found is None:
        return asked, (_NOT_CHOSEN,)
    return replace(asked, score=found.score, prior=asked.prior.on(found.prior)), (found.sentence(),)


def _effort(seconds: float | None) -> float:
    """Return the fraction of the usual work to do, by the time given and not by the clock."""
    return 1.0 if seconds is None else min(1.0, max(seconds, 0.0) / _SECONDS_FOR_ALL)


_ROUNDS = 3  # each draws orders under the values of the one before, the first under defaults


def choose_hyperparameters(
    question: Question,
    scores: Sequence[LocalScore],
    modularity: Modularity = "modular",
    *,
    effort: float = 1.0,
    run: LocalRun = _ALONE,
) -> Hyperparameters | None:
    """Return score and prior by the evidence, or None if that takes too long."""
    size = _candidates_of_a_node(question, effort)
    if size == 0:
        return None
    found: NDArray[np.float64] | None = None
    try:
        run.deadline.check()
        how: dict[str, Any] = {"seconds": run.deadline, "threads": run.threads}
        begin = replace(question, score=scores[0], prior=Sparse(), candidates=None, plus_one=False)
        few = candidates(begin, "greedy", size=size, **how)
        models = [Model(replace(begin, score=score, candidates=few), **how) for score in scores]
        evidence = EvidenceGivenOrder(models)
        place, prior = 0, Sparse()
        for number in range(_ROUNDS):
            run.deadline.check()
            orders = _orders(models[place], prior, effort, run.seed + number, run.threads)
            found = np.mean([evidence.posterior(order) for order in orders], axis=0)
            place = int(np.argmax(found.sum(axis=1)))
            share = found[place] / found[place].sum()
            prior = Sparse(math.exp(weighted_sum(share, np.log(EXPECTED_PARENTS))))
    except TimeIsUpError:
        if found is None:
            return None
    assert found is not None
    return chosen_of(question, scores, found, modularity)


def chosen_of(
    question: Question,
    scores: Sequence[LocalScore],
    probabilities: NDArray[np.float64],
    modularity: Modularity,
) -> Hyperparameters:
    """Return the score and the prior chosen by their joint posterior."""
    place = int(np.argmax(probabilities.sum(axis=1)))
    share = probabilities[place] / probabilities[place].sum()
    expected = prior_odds(question, float(weighted_sum(share, EXPECTED_PARENTS)), modularity)
    # Two digits are easy to read, and more precise than the posterior.
    prior = Sparse(float(f"{expected:.2g}"))
    return Hyperparameters(scores[place], prior, tuple(scores), probabilities)


def prior_odds(question: Question, expected: float, modularity: Modularity) -> float:
    """Return the prior's expected parents for which DAGs have the expected edges of an order."""
    return expected * (_ratio_without_order(question, expected) if modularity == "modular" else 1.0)


def _ratio_without_order(question: Question, expected: float) -> float:
    """Return the factor from the odds of edges given an order to those without an order."""
    n = len(question.variables)
    allowed = question.constraints.resolve(question.variables).allowed
    joined = int((allowed | allowed.T).sum())
    if n < 2 or joined == 0:
        return 1.0
    odds = expected / (n - 1)
    # A pair that constraints leave only one direction has the same odds without an order.
    both = int((allowed & allowed.T).sum()) / joined
    return math.exp(both * math.log(odds_of_dags(odds, n) / odds))


# Limits on the families that are scored to choose candidates, and on visits to rows: a second or
# two.
_MOST_FAMILIES = 2_000_000
_MOST_VISITS = 4e9


def _candidates_of_a_node(question: Question, effort: float) -> int:
    """Return the number of candidates that can be chosen in a second or two; 0 if none can."""
    table = question.table
    n = len(question.variables)
    # Chains over orders of more variables converge too slowly.
    if table is None or question.score is None or n > effort * 1_000:
        return 0
    visits = table.rows if question.score.visits_rows(table) else 64  # moments are computed once
    for size in (8, 6, 4, 3, 2, 1):
        size = min(size, n - 1)
        # A greedy choice scores the subsets of earlier candidates with each of the other nodes.
        families = n * (n - 1) + n * min(n - 1, 300) * (2**size - 2)
        if families <= effort * _MOST_FAMILIES and families * visits <= effort * _MOST_VISITS:
            return size
    return 0


_ORDERS = 12
_MOST_STEPS = 400_000


def _orders(
    model: Model, prior: Sparse, effort: float, seed: int, threads: int | None
) -> list[list[int]]:
    """Return orders drawn from the posterior of the model under this prior."""
    n = len(model.ordinary)
    steps = min(math.ceil(effort * _MOST_STEPS), usual_order_steps(n, None))
    with warnings.catch_warnings():
        # A few orders from before convergence matter little here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", InterruptedWarning)  # an interruption ends `learn`
        drawn = mcmc(
            Model(model.scores, prior=prior, constraints=model.constraints),
            LinearOrders(),
            modularity="order-modular",
            steps=steps,
            burn_in=0.5,
            thinning=max(1, steps // 2 // _ORDERS),
            chains=1,
            seed=seed,
            threads=threads,
            progress=None,
        )
    assert drawn.dags is not None
    if drawn.run.interrupted:
        raise KeyboardInterrupt
    generator = np.random.default_rng(seed)
    # Parent-only variables are not part of an order, and may be parents of all others.
    first = [v for v, name in enumerate(model.variables) if name in model.parent_only]
    drawn_orders = [_random_order(dag, generator) for dag in drawn.dags][-_ORDERS:]
    return [[*first, *(v for v in order if v not in first)] for order in drawn_orders]


def _random_order(dag: Dag, generator: np.random.Generator) -> list[int]:
    """Return a random topological order of a DAG."""
    missing = [len(parents) for parents in dag.parent_indices]
    children: list[list[int]] = [[] for _ in missing]
    for node, parents in enumerate(dag.parent_indices):
        for parent in parents:
            children[parent].append(node)
    ready = [node for node, count in enumerate(missing) if count == 0]
    order = []
    while ready:
        node = ready.pop(int(generator.integers(len(ready))))
        order.append(node)
        for child in children[node]:
            missing[child] -= 1
            if missing[child] == 0:
                ready.append(child)
    return order


class EvidenceGivenOrder:
    """The evidence of an order under each score with each expected number of parents."""

    def __init__(self, models: Sequence[Model]) -> None:
        table = models[0].scores.table
        self.n = len(models[0].variables)
        self.candidates = [np.array(table.candidates(v), dtype=np.intp) for v in range(self.n)]
        self.log_odds = np.array([Sparse(m).log_odds(self.n) for m in EXPECTED_PARENTS])
        resolved = models[0].constraints.resolve(models[0].variables)
        self.optional = resolved.allowed & ~resolved.required
        self.room = resolved.max_indegree - resolved.required.sum(axis=0)
        self.sets, self.weights = [], []
        for v in range(self.n):
            every = np.arange(2 ** len(self.candidates[v]))
            sizes = np.array([int(members).bit_count() for members in every])
            # Families are sorted by their sets as bit masks, without sets that are too large.
            allowed = sizes <= table.max_free(v)
            scores = np.stack([model.scores.table.values(v) for model in models])
            self.sets.append(every[allowed])
            self.weights.append(
                scores[:, np.newaxis] + np.multiply.outer(self.log_odds, sizes[allowed])
            )
        self._prior_sums: dict[tuple[int, int], NDArray[np.float64]] = {}

    def posterior(self, order: Sequence[int]) -> NDArray[np.float64]:
        """Return the posterior of the values given an order, as [score, expected parents]."""
        before = np.zeros(self.n, dtype=np.bool_)
        total = np.tile(LOG_PRIOR, (len(self.weights[0]), 1))
        for v in order:
            bits = before[self.candidates[v]] @ (1 << np.arange(len(self.candidates[v])))
            possible = (self.sets[v] & ~bits) == 0
            total = total + np.logaddexp.reduce(self.weights[v][:, :, possible], axis=2)
            free = int((before & self.optional[:, v]).sum())
            total = total - self._prior_sum(free, int(min(self.room[v], self.n)))
            before[v] = True
        share: NDArray[np.float64] = np.exp(total - np.max(total))
        share /= share.sum()
        return share

    def _prior_sum(self, free: int, room: int) -> NDArray[np.float64]:
        """Return the log prior weight of all subsets of the optional parents before a node."""
        if (free, room) not in self._prior_sums:
            terms = [
                math.lgamma(free + 1)
                - math.lgamma(size + 1)
                - math.lgamma(free - size + 1)
                + size * self.log_odds
                for size in range(min(free, room) + 1)
            ]
            self._prior_sums[free, room] = np.logaddexp.reduce(terms, axis=0)
        return self._prior_sums[free, room]
