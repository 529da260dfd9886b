"""`GrowthState`: the current candidates during growth, the model on them, and the log of rounds.

The log is a file from which growth resumes after it was stopped. It has a line of JSON for its key
and one for each round, which is added when the round is found, so that each costs the same. A line
that was cut off ends the readable part.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseError, CapacityError, TimeIsUpError, Wording
from arcwise.families.families import parent_matrix
from arcwise.graphs.dag import Dag
from arcwise.model import Model, Question, model_of
from arcwise.model.candidates import FamilyWeigher
from arcwise.model.scoring import scoring_seconds
from arcwise.posterior.map_result import SearchSettings
from arcwise.support.checks import (
    MOST_INT,
    available_memory,
    file_path,
    one_of,
    open_fraction,
    real_number,
    whole_number,
)
from arcwise.support.files import UNREADABLE, replacing
from arcwise.support.names import byte_size, plural, rounded
from arcwise.support.plain import digest, strict_json
from arcwise.support.running import Deadline, Run, Stage
from arcwise.support.settings import Settings, setting

Matrix = NDArray[np.bool_]
DEFAULT_MAX_SIZE = 14
# Up to this many variables, every round searches parent sets with one further parent. Beyond, where
# that would take minutes, it searches among the candidates alone, and then tests one further parent
# of each node of the DAG found.
MOST_FOR_PLUS_ONE = 300
_ROUNDS_IN_TIME = 4  # scorings that a time limit must leave room for if there is a further parent


@dataclass(frozen=True, kw_only=True)
class Growing(Settings):
    """The options of growth, described in `grow`."""

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
        """The file that keeps the scores of a round while they are computed, if any."""
        return None if self.kept_in is None else self.kept_in.with_suffix(".scores")


@dataclass(frozen=True)
class GrowthRound:
    """The record of one round of growth."""

    # The number of candidates of all nodes together, and of the node with the most.
    candidates: int
    largest: int
    families: int  # the number of families searched
    # The unnormalised log posterior of the best DAG found; None if growth follows the posterior.
    log_weight: float | None
    wanted: int  # the number of parents found that were not candidates


class GrowthState:
    """The current candidates, the model on them, and the rounds so far."""

    model: Model  # the model that was last built

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
        self.unfinished = False  # whether the time was up
        self.weigher = FamilyWeigher.of(replace(question, candidates=None, plus_one=False))
        self.single = self._single_weights()
        self.keep(np.zeros_like(self.matrix))
        if self.plus_one and run.deadline.limited:
            # A round takes several times as long as its scores.
            needed = _ROUNDS_IN_TIME * scoring_seconds(self._on_candidates(), run.threads)
            self.plus_one = needed <= run.deadline.left
        self.log = GrowthLog(settings.kept_in, self.variables, self._key())

    def _key(self) -> str:
        """Return a digest that identifies the growth."""
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
        """Set the candidates to the wanted and the initial ones, up to the maximum number.

        If there are too many, earlier matrices of wanted parents take precedence, and among the
        initial candidates those of the largest weight as the only parent.
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
        """Build the model on the candidates, with one further parent unless n is too large."""
        self._refuse_too_large()
        self.model = model_of(self._on_candidates(), self.run, self.settings.scores_file)
        return self.model

    def build_within(self, deadline: Deadline) -> None:
        """Build the model like `build`, or a smaller one if the time is too short."""
        run = replace(self.run, seconds=deadline)
        self.model = model_within(self._on_candidates(), self.single, run)

    def cut_short(self, deadline: Deadline) -> None:
        """Note that growth was cut short."""
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
        """Record a round; return the number of wanted parents that are not candidates."""
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


_BYTES_PER_FAMILY = 24  # its score, its weight and its position in the rows


def growth_memory(variables: int, max_size: int) -> int:
    """Return the bytes that a node with the maximum number of candidates takes.

    Examples
    --------
    >>> growth_memory(100, 14) // 2**20
    32
    """
    nodes = whole_number(variables, "variables", at_least=1)
    # 2^1000 is more than any machine has, and can still be printed.
    inside = min(whole_number(max_size, "max_size", at_least=0), nodes - 1, 1000)
    return (nodes - inside) * (1 << inside) * _BYTES_PER_FAMILY


_FAMILIES_IN_FINAL_SEARCH = 2**21


def final_size(question: Question) -> int:
    """Return the number of candidates to which every node is filled up in the final search."""
    n, size = len(question.variables), 1
    rows = 0 if question.table is None else question.table.rows
    # There are fewer families for more than 20,000 rows, as scoring them would take hours.
    most = _FAMILIES_IN_FINAL_SEARCH / max(1.0, rows / 20_000)
    while size < n - 1 and n * (n - size - 1) * 2 ** (size + 1) <= most:
        size += 1
    return size


@dataclass(frozen=True, eq=False)
class FoundRound:
    """The result of a round of growth, which determines the following rounds."""

    dag: Dag  # the best one
    log_weight: float  # its unnormalised log posterior
    wanted: NDArray[np.bool_]  # the parents that it requires, as a matrix [parent, node]
    families: int  # the number of families searched


class GrowthLog:
    """The rounds found so far, and those of an earlier run of the same growth.

    Growth is deterministic given its arguments, so rounds in the file replace those that would be
    computed now, in order, and the result is as if growth had never been stopped.
    """

    def __init__(self, path: Path | None, variables: tuple[str, ...], key: str) -> None:
        self._path = path
        self._variables = variables
        self._key = key
        self._lines: list[str] = []
        self._found: list[FoundRound] = []
        self._next = 0
        self._begun = False  # whether the file has all rounds
        if self._path is not None:
            content = read_log(self._path)
            if content.get("key") == key:
                self._keep(content["rounds"])

    def _keep(self, rounds: list[Any]) -> None:
        """Keep the rounds of the earlier run, up to the first that is damaged."""
        for values in rounds:
            try:
                found, line = self._read(values), _line(values)
            except (*UNREADABLE, ArcwiseError):
                return
            self._found.append(found)
            self._lines.append(line)

    def _read(self, values: dict[str, Any]) -> FoundRound:
        names, n = self._variables, len(self._variables)

        def place(value: Any) -> int:
            return whole_number(value, "a node", at_least=0, at_most=n - 1)

        wanted = np.zeros((n, n), dtype=np.bool_)
        for parent, node in values["wanted"]:
            wanted[place(parent), place(node)] = True
        parents = {
            names[v]: [names[place(u)] for u in own] for v, own in enumerate(values["parents"])
        }
        return FoundRound(
            Dag(names, parents),
            real_number(values["log_weight"], "log_weight", math.isfinite, "a finite number"),
            wanted,
            whole_number(values["families"], "families", at_least=1),
        )

    def next(self) -> FoundRound | None:
        """Return the next round of the earlier run, or None if there are no more."""
        if self._next >= len(self._found):
            return None
        self._next += 1
        return self._found[self._next - 1]

    def add(self, found: FoundRound) -> None:
        """Keep a round."""
        if self._path is None:
            return
        values = {
            "parents": [sorted(own) for own in found.dag.parent_indices],
            "log_weight": float(found.log_weight),
            "wanted": np.argwhere(found.wanted).tolist(),
            "families": found.families,
        }
        self._lines.append(_line(values))
        self._next = len(self._lines)
        if not (self._begun and _append(self._lines[-1], self._path)):
            with replacing(self._path) as temporary:
                text = "".join([_line({"key": self._key}), *self._lines])
                temporary.write_text(text, encoding="utf-8")
            self._begun = True


def _line(values: dict[str, Any]) -> str:
    return strict_json(values) + "\n"


def _append(line: str, path: Path) -> bool:
    """Add a line to a file, without following links; return whether the file exists."""
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    try:
        opened = os.open(path, flags)
    except OSError:
        return False
    with os.fdopen(opened, "a", encoding="utf-8") as file:
        file.write(line)
    return True


def read_log(path: Path) -> dict[str, Any]:
    """Return the key of a file of rounds and its readable rounds."""
    rounds: list[Any] = []
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        key = json.loads(lines[0])["key"]
    except UNREADABLE:
        return {}
    if not isinstance(key, str):
        return {}
    for line in lines[1:]:
        try:
            if not line.endswith("\n"):
                break
            rounds.append(json.loads(line))
        except UNREADABLE:
            break
    return {"key": key, "rounds": rounds}


_SHARE = 0.5  # of the remaining time, for an attempt
_LEAST = 0.2  # of the remaining time of the whole computation


def model_within(
    question: Question, merits: NDArray[np.float64] | None, run: Run, file: Path | None = None
) -> Model:
    """Return the model of a question, or one on fewer parent sets if the time is too short.

    First the further parent besides the candidates is given up; then the maximum number of
    candidates is halved until none are left.
    """
    deadline = run.deadline
    if not deadline.limited:
        return model_of(question, run, file)
    for attempt in _smaller(question, merits, run):
        expected = scoring_seconds(attempt, run.threads)
        allowed = max(deadline.part(_SHARE), deadline.whole.part(_LEAST), key=lambda d: d.left)
        if expected <= allowed.left:
            # Scoring that takes only a moment is never given up.
            limit = allowed if expected > 0.0 else None
            try:
                model = model_of(attempt, replace(run, seconds=limit), file)
            except TimeIsUpError:
                continue
            if attempt is not question:
                deadline.cut(
                    f"To save time, {len(model.scores):,} parent sets were scored, of "
                    f"{rounded(question.number_of_families)}."
                )
            return model
    # Without candidates, only the families without parents are scored.
    n = len(question.variables)
    none = replace(question, candidates=np.zeros((n, n), dtype=np.int64), plus_one=False)
    deadline.cut("There was no time to score any parents, so there are no edges.")
    return model_of(none, replace(run.aside, seconds=None))


def _smaller(
    question: Question, merits: NDArray[np.float64] | None, run: Run
) -> Iterator[Question]:
    """Yield the question, then versions of it with fewer and fewer families."""
    yield question
    if question.plus_one:
        yield replace(question, plus_one=False)
    size = max(len(parents) for parents in question.families.candidates) // 2
    if size > 0 and merits is None:
        merits = _single_parents(question, run.quiet.within(_SHARE))
    while size > 0:
        fewer = _at_most(question, merits, size)
        yield replace(question, candidates=fewer, plus_one=False)
        size //= 2


def _single_parents(question: Question, run: Run) -> NDArray[np.float64] | None:
    weigher = FamilyWeigher.of(replace(question, candidates=None, plus_one=False))
    try:
        with run.stage() as stage:
            return weigher.single_parents(stage)
    except TimeIsUpError:
        return None


def _at_most(
    question: Question, merits: NDArray[np.float64] | None, size: int
) -> NDArray[np.bool_]:
    """Return at most this number of candidates of each node, the best, as a matrix."""
    kept = []
    for node, parents in enumerate(question.families.candidates):
        own = np.array(parents, dtype=np.int64)
        if merits is not None:
            own = own[np.argsort(-merits[own, node], kind="stable")]
        kept.append(own[:size])
    return parent_matrix(kept)
