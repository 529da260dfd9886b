"""`GrowthState`: the current candidate parents during growth, and the model on them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.algorithms.growth_log import GrowthLog
from arcwise.algorithms.timely_models import model_within
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.errors import CapacityError, TimeIsUpError, Wording
from arcwise.graphs.dag import Dag
from arcwise.model import Model, Question, model_of
from arcwise.model.scoring_time import scoring_seconds
from arcwise.posterior.map_result import SearchSettings
from arcwise.support.checks import MOST_INT, file_path, one_of, open_fraction, whole_number
from arcwise.support.clock import Deadline
from arcwise.support.memory import available_memory
from arcwise.support.plain import digest
from arcwise.support.running import Run, Stage
from arcwise.support.settings import Settings, setting
from arcwise.support.words import byte_size, plural

Matrix = NDArray[np.bool_]

DEFAULT_MAX_SIZE = 14

# Up to this many variables every round searches parent sets with one further parent. Beyond, where
# that would take minutes, it searches among the candidates alone, and then looks for one further
# parent of each node of the DAG found.
MOST_FOR_PLUS_ONE = 300

# In the final search nodes are filled up with candidates to at most this many families.
_FAMILIES_IN_FINAL_SEARCH = 2**21
# Fewer if there are more rows than this, as scoring them would take hours.
_ROWS_OF_FINAL_SEARCH = 20_000

# A family takes its score, its weight and its place in the rows.
_BYTES_PER_FAMILY = 24


# Scorings that there must be time for, if all parents besides the candidates are to be searched.
_ROUNDS_IN_TIME = 4


@dataclass(frozen=True, kw_only=True)
class Growing(Settings):
    """How candidates grow; `grow` describes it."""

    by: Literal["map", "posterior"] = setting("map", "", check=one_of(Literal["map", "posterior"]))
    threshold: float = setting(0.1, "", check=open_fraction)
    max_size: int = setting(
        DEFAULT_MAX_SIZE, "", check=partial(whole_number, at_least=1, at_most=MOST_INT)
    )
    restarts: int = setting(4, "", check=partial(whole_number, at_least=1))
    steps: int | None = setting(None, "", check=partial(whole_number, at_least=2))
    memory_limit: int | None = setting(None, "", check=partial(whole_number, at_least=0))
    file: str | os.PathLike[str] | None = setting(
        None, "", check=lambda value, name: file_path(value, "file")
    )

    @property
    def kept_in(self) -> Path | None:
        """The file that keeps the rounds, if any."""
        return None if self.file is None or self.by == "posterior" else Path(self.file)

    @property
    def scores_file(self) -> Path | None:
        """The file that keeps the scores of a round as they are made, if any."""
        return None if self.kept_in is None else self.kept_in.with_suffix(".scores")


@dataclass(frozen=True)
class GrowthRound:
    """The record of one round of growth.

    Parameters
    ----------
    candidates, largest
        The number of candidates of all nodes together, and of the node with the most.
    families
        The number of families searched.
    log_weight
        The unnormalised log posterior of the best DAG found; None if growth follows the
        posterior.
    wanted
        The number of parents found that were not candidates.
    """

    candidates: int
    largest: int
    families: int
    log_weight: float | None
    wanted: int


# More than any machine has in any case, and a number that can be written out.
_MOST_DOUBLINGS = 1000


def growth_memory(variables: int, max_size: int) -> int:
    """Return the bytes that a node with the maximum number of candidates takes.

    Examples
    --------
    >>> growth_memory(100, 14) // 2**20
    32
    """
    nodes = whole_number(variables, "variables", at_least=1)
    inside = min(whole_number(max_size, "max_size", at_least=0), nodes - 1, _MOST_DOUBLINGS)
    return (nodes - inside) * (1 << inside) * _BYTES_PER_FAMILY


def final_size(question: Question) -> int:
    """Return the number of candidates of every node in the final search of growth."""
    n, size = len(question.variables), 1
    rows = 0 if question.table is None else question.table.rows
    most = _FAMILIES_IN_FINAL_SEARCH / max(1.0, rows / _ROWS_OF_FINAL_SEARCH)
    while size < n - 1 and n * (n - size - 1) * 2 ** (size + 1) <= most:
        size += 1
    return size


class GrowthState:
    """The current candidates, the model on them, and the rounds so far."""

    model: Model
    """The model on the candidates when it was last built."""

    def __init__(
        self, question: Question, first: Matrix, settings: Growing, run: Run, stage: Stage
    ) -> None:
        self.question, self.settings, self.run, self.stage = question, settings, run, stage
        self.variables = question.variables
        self.plus_one = settings.by == "posterior" or len(self.variables) <= MOST_FOR_PLUS_ONE
        resolved = question.constraints.resolve(self.variables)
        self.required: Matrix = resolved.required
        self.allowed: Matrix = resolved.allowed & ~resolved.required
        self.first = first
        self.matrix: Matrix = first
        self.rounds: list[GrowthRound] = []
        self.weights: dict[Dag, float] = {}  # log weights of the DAGs found
        self.search: SearchSettings | None = None  # of the last round
        self.full: set[str] = set()
        self.unfinished = False  # for lack of time
        self.weigher = FamilyWeigher.of(replace(question, candidates=None, plus_one=False))
        self.single = self._single_weights()
        self.keep(np.zeros_like(self.matrix))
        if self.plus_one and run.deadline.limited:
            # A round takes several times as long as its scores.
            needed = _ROUNDS_IN_TIME * scoring_seconds(self._on_candidates(), run.threads)
            self.plus_one = needed <= run.deadline.left
        self.log = GrowthLog(settings.kept_in, self.variables, self._key())

    def _key(self) -> str:
        """Return a text that is the same for the same growth only."""
        question, settings = self.question, self.settings
        return digest(
            None if question.table is None else question.table.fingerprint,
            repr(question.score),
            repr(question.prior),
            question.constraints.resolve(self.variables).as_dict(self.variables),
            np.packbits(self.first).tobytes(),
            (self.plus_one, settings.max_size, settings.restarts, self.run.seed),
        )

    def _single_weights(self) -> NDArray[np.float64]:
        try:
            return self.weigher.single_parents(self.stage.quiet)
        except TimeIsUpError:
            return np.zeros_like(self.first, dtype=np.float64)

    def keep(self, *wanted: Matrix) -> None:
        """Set the candidates to the wanted and the initial ones, as far as allowed.

        Where there is not room for all, earlier matrices of wanted parents take precedence,
        and among the initial candidates those of the largest weight as the only parent.
        """
        matrix = np.logical_or.reduce([self.first, *wanted]) & self.allowed
        for node in np.flatnonzero(matrix.sum(axis=0) > self.settings.max_size):
            if (wanted[0] & self.allowed)[:, node].sum() > self.settings.max_size:
                self.full.add(self.variables[node])
            parents = np.flatnonzero(matrix[:, node])
            turns = [~each[parents, node] for each in reversed(wanted)]
            ranked = parents[np.lexsort((-self.single[parents, node], *turns))]
            matrix[ranked[self.settings.max_size :], node] = False
        self.matrix = matrix

    @property
    def final_size(self) -> int:
        """The number of candidates of every node in the final search."""
        return final_size(self.question)

    def fill(self, size: int) -> None:
        """Fill up each node to this number of candidates, by their weight as the only parent."""
        for node in np.flatnonzero(self.matrix.sum(axis=0) < min(size, self.settings.max_size)):
            others = np.flatnonzero(self.allowed[:, node] & ~self.matrix[:, node])
            room = min(size, self.settings.max_size) - int(self.matrix[:, node].sum())
            ranked = others[np.argsort(-self.single[others, node], kind="stable")]
            self.matrix[ranked[:room], node] = True

    def build(self) -> Model:
        """Return the model on the candidates and, unless there are too many variables, one more."""
        self._refuse_too_large()
        self.model = model_of(self._on_candidates(), self.run, self.settings.scores_file)
        return self.model

    def build_within(self, deadline: Deadline) -> None:
        """Make a model as `build` does, or a smaller one if the time is too short for it."""
        run = replace(self.run, seconds=deadline)
        self.model = model_within(self._on_candidates(), self.single, run)

    def cut_short(self, deadline: Deadline) -> None:
        """Note that growth ends before its time."""
        self.unfinished = True
        deadline.cut(f"Growth was cut short after {plural(len(self.rounds), 'round')}.")

    def _on_candidates(self) -> Question:
        return replace(
            self.question, candidates=self.matrix.astype(np.int64), plus_one=self.plus_one
        )

    def _refuse_too_large(self) -> None:
        inside = self.matrix.sum(axis=0)
        outside = self.allowed.sum(axis=0) - inside if self.plus_one else 0
        families = int(((1 + outside) * 2.0**inside).sum())
        given = self.settings.memory_limit
        limit = available_memory() if given is None else given
        if families * _BYTES_PER_FAMILY > limit:
            raise CapacityError(
                f"up to {inside.max()} candidates per node make {families:.3g} families, which "
                f"need {byte_size(families * _BYTES_PER_FAMILY)}, and the limit is "
                f"{byte_size(limit)}; lower ",
                Wording("max_size", "--max-candidates"),
                " or start from fewer candidates",
            )

    def record(self, wanted: Matrix, log_weight: float | None, families: int) -> int:
        """Record a round; return how many wanted parents are not candidates."""
        new = int((wanted & self.allowed & ~self.matrix).sum())
        self.rounds.append(
            GrowthRound(
                int(self.matrix.sum()),
                int(self.matrix.sum(axis=0).max()),
                families,
                log_weight,
                new,
            )
        )
        return new
