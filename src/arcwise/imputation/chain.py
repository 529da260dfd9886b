"""`ImputationChain`: a Markov chain over DAGs, parameters and the missing cells of a table.

Each sweep draws

    a DAG given the completed table, with the parameters integrated out,
    the parameters given the DAG and the table, from their posterior,
    some edges anew, each together with the cells of its ends (`pair_moves`),
    every missing cell given DAG and parameters,

or, of discrete tables, the last three with the parameters integrated out (`annealed_moves`),
so that DAG, parameters and cells follow their joint posterior given the values that are there, as
if these were missing at random (Tanner and Wong 1987, "The calculation of posterior distributions
by data augmentation").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data, IncompleteData
from arcwise.engines import ScoringJob, Threads
from arcwise.graphs.dag import Dag
from arcwise.imputation.cells import (
    CellBlocks,
    CellSampler,
    associated_start,
    conditioned_laws,
    observed_start,
)
from arcwise.imputation.moves import AnnealedMoves, LogDensityRatio, PairMoves
from arcwise.imputation.proposals import (
    KnownEdges,
    KnownFamilies,
    OtherEdge,
    OtherEdges,
    OtherEnd,
    OtherParents,
    Parents,
    Proposal,
    TurnedFamily,
)
from arcwise.imputation.structure import Halted, Packed, StructureStep, TableStructure, packed
from arcwise.model import Model, Question
from arcwise.parameters.conditionals import Conditionals, draw_conditionals
from arcwise.posterior import DagSample
from arcwise.scores import LocalScore
from arcwise.scores.family_scores import FamilyScoring
from arcwise.support.random import Purpose, generator
from arcwise.support.running import NEVER, Deadline, Stage


class Rescoring(Threads):
    """Threads of this process that score the same families again and again, of one table.

    Between two completions of a table, complete columns stay the same, and so do the families of
    nodes that neither are incomplete nor may have an incomplete parent.
    """

    def __init__(self, incomplete: NDArray[np.bool_]) -> None:
        self._incomplete = incomplete
        self._table: _core.FamilyTable | None = None

    def __repr__(self) -> str:
        """Show how many columns may change."""
        return f"<Rescoring: {int(self._incomplete.sum())} columns may change>"

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of all families, of which those of complete columns are known."""
        assert isinstance(job, FamilyScoring)
        if self._table is None:
            self._table = job.score_all(run)
            return self._table.copy()
        affected = [node for node in range(len(self._incomplete)) if self._affects(job, node)]
        if len(affected) == len(self._incomplete):
            job.fill(self._table, run)
        elif affected:
            part = replace(job, families=job.families.only(affected)).score_all(run)
            for node in affected:
                self._table.values(node)[:] = part.values(node)
        return self._table.copy()

    def _affects(self, job: FamilyScoring, node: int) -> bool:
        """Return whether some family of a node holds a column that may change."""
        families = job.families
        parents = (*families.candidates[node], *families.required[node], *families.outside[node])
        return bool(self._incomplete[[node, *parents]].any())


# Moves of edges in a sweep: some for each variable of small tables, at most so many of large ones.
_MOST_MOVES_BY_PAIRS = 12
_MOVES_BY_STEPS = 1
_MOST_MOVES = 24
# Moves to parents that were met before, for each move of an edge: most changes are by these.
_MOVES_OF_FAMILIES = 3
# Cells of a row depend on each other, and draws of them are cheap beside scores.
_DRAWS_OF_CELLS = 2
_SEEDS = 1 << 63


@dataclass(frozen=True, eq=False)
class CompletedTable:
    """A completion of a table, and what is learned from it."""

    values: NDArray[np.float64]  # the value of each cell: the code of a level, or a number
    structure: TableStructure  # the probabilities of edges and the DAGs given the completed table


class Known(NamedTuple):
    """What was met by chains, and is proposed to all of them; None if there is nothing to."""

    families: KnownFamilies | None
    edges: KnownEdges | None


class Redraw(Protocol):
    """Draws score and prior given the DAG and the cells of a chain."""

    def __call__(self, chain: ImputationChain, random: np.random.Generator) -> int:
        """Return the number of what is drawn."""

    def question(self, question: Question, number: int) -> Question:
        """Return the question with what has this number."""

    def log_density_ratio(self, number: int, new: Parents, old: Parents) -> float:
        """Return the log ratio of priors, density integrated out, less that with this number."""


@dataclass(frozen=True, eq=False)
class Imputation:
    """What chains over DAGs, parameters and cells are about, and how they run."""

    data: IncompleteData  # the table
    # Score, prior, constraints and candidates. Its data count for nothing, and its score must not
    # depend on them, see `LocalScore.fixed_by`.
    question: Question
    structure: StructureStep  # how DAGs are drawn given a completed table
    # Draws score and prior given DAG and cells, after each sweep; None if they are known.
    redraw: Redraw | None = None
    seed: int = 0
    threads: int | None = None
    deadline: Deadline = NEVER  # by when to end, by a `TimeIsUpError`

    def on(self, threads: int) -> Imputation:
        """Return the same on so many threads."""
        return replace(self, structure=self.structure.on(threads), threads=threads)


class ImputationChain:
    """A Markov chain over DAGs, parameters and cells."""

    def __init__(
        self, about: Imputation, number: int = 0, *, anneal: bool = True, associated: bool = False
    ) -> None:
        data, question = about.data, about.question
        assert question.score is not None
        self.data = data
        self._structure = about.structure
        self.random = generator(about.seed, Purpose.IMPUTATION, number)
        self._threads = about.threads
        self._deadline = about.deadline
        # Parent-only variables are conditioned on, and so have no law in the model.
        names = question.variables
        given = sorted(names.index(name) for name in question.parent_only)
        self._conditioned = conditioned_laws(data, given)
        self._blocks = CellBlocks.of(data)
        self._anneal, self._redraw = anneal, about.redraw
        self._engine: Rescoring | None = None
        self._score: LocalScore = question.score
        self._asked_for: int | None = None
        self.ask(question)
        self._pairs: tuple[list[tuple[int, int]], NDArray[np.float64]] | None = None
        self.choose_pairs(np.ones((len(data.variables), len(data.variables))))
        self._known = Known(None, None)
        self.last_model: Model | None = None
        self._columns = [column.computable().copy() for column in data.table.columns]
        observed_start(self._columns, self._blocks, data, self.random)
        if associated:
            associated_start(self._columns, self._blocks, data, self.random)
        self._dag: Packed | None = None

    def ask(self, question: Question) -> None:
        """Go on with another score or prior, as for a sweep over these."""
        assert question.score is not None
        if self._engine is None or question.score is not self._score:
            # Scores of families that do not change with the cells are those of one score.
            self._engine = Rescoring(np.asarray(self.data.missing.any(axis=0)))
        self.question, self._score = question, question.score
        self._moves = PairMoves(self.data, question, self._threads)
        self._annealed: AnnealedMoves | None = None
        if self._anneal and AnnealedMoves.can_move(self.data, question):
            self._annealed = AnnealedMoves(self.data, question, self._conditioned)

    @property
    def leads_over(self) -> bool:
        """Whether edges are moved in small steps: moves learn from what was met."""
        return self._annealed is not None

    @property
    def asked_for(self) -> int | None:
        """The number of the score and the prior of now, if they are drawn and were."""
        return self._asked_for

    def ask_again(self, number: int | None) -> None:
        """Go on with the score and the prior that have a number among those that are drawn."""
        self._asked_for = number
        if self._redraw is not None and number is not None:
            self.ask(self._redraw.question(self.question, number))

    def choose_pairs(self, weights: NDArray[np.float64]) -> None:
        """Set how often the edge between two variables is moved, relative to others.

        Pairs without a missing cell are left to the draws of DAGs.
        """
        annealed = self._annealed is not None
        missing = np.asarray(self.data.missing.any(axis=0))
        ends = missing if annealed else self._moves.incomplete
        u, v = np.triu_indices(len(ends), 1)
        worth = np.where(ends[u] | ends[v], (weights + weights.T)[u, v], 0.0)
        self._pairs = None
        if worth.sum() > 0.0:
            pairs = list(zip(u.tolist(), v.tolist(), strict=True))
            self._pairs = pairs, worth / worth.sum()
            self._weights = np.zeros((len(ends), len(ends)))
            self._weights[u, v] = self._weights[v, u] = worth / (2.0 * worth.sum())

    def known(self, seen: NDArray[np.float64]) -> Known:
        """Return the parent sets and edges to propose, from the DAGs visited so far."""
        if self._annealed is None or self._pairs is None:
            return Known(None, None)
        return Known(
            KnownFamilies(seen, self._weights) or None, KnownEdges(seen, self._weights) or None
        )

    def propose(self, known: Known) -> None:
        """Propose these parent sets and edges from now on."""
        self._known = known

    @property
    def table(self) -> Data:
        """The table as it is completed now."""
        return self.data.with_columns(self._columns)

    @property
    def values(self) -> NDArray[np.float64]:
        """The values of the cells now."""
        result = np.empty(self.data.count)
        rows, variables = np.nonzero(self.data.missing)
        cells = self.data.cells[rows, variables]
        for variable in np.unique(variables).tolist():
            own = variables == variable
            result[cells[own]] = self._columns[variable][rows[own]]
        return result

    @property
    def dag(self) -> Packed | None:
        """The DAG now, drawn given the table of the sweep before; None before the first sweep."""
        return self._dag

    def go_to(self, values: NDArray[np.float64], dag: Packed | None) -> None:
        """Go on from these values of the cells and this DAG."""
        self._columns = self.data.columns_with(values)
        self._dag = dag

    def sweep(self, halted: Halted | None = None) -> None:
        """Draw a DAG, its parameters and all cells; a sweep that has begun is not cut short."""
        alone = self._dag is None or self._annealed is None
        if alone or self.random.random() < self._structure.share:
            model = self.model()
            if self._dag is None:
                self._dag = self._structure.first(model, self._seed())
            self._dag = self._structure.next(model, self._dag, self._seed())
        self._draw_cells()

    def keep(self, dags: int) -> CompletedTable:
        """Return the table of now with what is learned from it, and then go on as in a sweep."""
        model = self.model()
        if self._dag is None:
            self._dag = self._structure.first(model, self._seed())
        found = self._structure.look(model, self._dag, dags, self._seed())
        kept = CompletedTable(self.values, found)
        self._dag = found.dags.parents[-1]
        self._draw_cells()
        return kept

    def model(self) -> Model:
        """Return the model of the table as it is completed now."""
        asked = replace(self.question, data=self.table)
        self.last_model = Model(
            asked, engine=self._engine, threads=self._threads, seconds=self._deadline
        )
        return self.last_model

    def _seed(self) -> int:
        return int(self.random.integers(_SEEDS))

    def _draw_cells(self) -> None:
        """Draw the cells given the DAG, which moves with them, and what is redrawn given both."""
        assert self._dag is not None
        table = self.table
        dag = DagSample(table.variables, self._dag[np.newaxis])[0]
        if self._annealed is not None:
            moves = self._chosen_moves(_MOVES_BY_STEPS * len(dag.variables))
            parents = self._annealed.sweep(
                dag.parent_indices, self._columns, moves, self.random, self._log_density_ratio()
            )
            self._dag = packed(parents)
        else:
            self._draw_by_parameters(dag, table)
        if self._redraw is not None:
            self.ask_again(self._redraw(self, self.random))

    def _draw_by_parameters(self, dag: Dag, table: Data) -> None:
        """Draw the parameters of a DAG, move edges, and draw the cells given both."""
        drawn = draw_conditionals(dag.parent_indices, table, self._score, self.random)
        conditionals = self._moved(drawn.with_families(self._conditioned))
        self._dag = packed(conditionals.parents)
        given = frozenset(self._conditioned.parameters)
        sampler = CellSampler(self._blocks, conditionals, table.intervened, given)
        for _ in range(_DRAWS_OF_CELLS):
            sampler.draw(self._columns, self.random)

    def _chosen_pairs(self, most: int) -> list[tuple[int, int]]:
        """Return pairs of variables to move the edge between, at most so many."""
        if self._pairs is None:
            return []
        pairs, shares = self._pairs
        places = self.random.choice(len(pairs), size=min(_MOST_MOVES, most), p=shares)
        return [pairs[place] for place in places.tolist()]

    def _log_density_ratio(self) -> LogDensityRatio | None:
        """Return how moves of edges see the prior with its density integrated out.

        The density is drawn given the DAG right after them, and nothing between depends on it.
        """
        redraw, number = self._redraw, self._asked_for
        if redraw is None or number is None:
            return None
        return lambda new, old: redraw.log_density_ratio(number, new, old)

    def _chosen_moves(self, most: int) -> list[Proposal]:
        """Return what is proposed in a sweep: changes of single edges, and those that are known."""
        moves: list[Proposal] = []
        families, edges = self._known
        for number, pair in enumerate(self._chosen_pairs(most)):
            moves.append(OtherEdge(*pair))
            if families is not None:
                for _ in range(_MOVES_OF_FAMILIES):
                    moves.append(OtherParents(families, families.chosen(self.random)))
            if number % 2:
                moves.append(TurnedFamily())
            elif edges is not None:
                moves.append(OtherEdges(edges, edges.chosen(self.random)))
            if number % 4:
                continue
            # Chosen by weights that do not depend on the state, so that the way back is as
            # probable: the node by the sum of its row, the two others by their weights in it.
            node = int(self.random.choice(len(self._weights), p=self._weights.sum(axis=1)))
            row = self._weights[node] / self._weights[node].sum()
            one, other = sorted(self.random.choice(len(row), size=2, p=row).tolist())
            if one != other:
                moves.append(OtherEnd(node, (one, other)))
        return moves

    def _moved(self, conditionals: Conditionals) -> Conditionals:
        """Change edges together with the cells of their ends, a few times."""
        for u, v in self._chosen_pairs(min(_MOST_MOVES_BY_PAIRS, len(conditionals.parents))):
            after = self._moves.move(u, v, self._columns, conditionals, self.random)
            conditionals = conditionals if after is None else after
        return conditionals
