"""Chooses the parent sets: all, those of candidates, or those of grown candidates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE, Growth, grow
from arcwise.algorithms.timely_models import model_within
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.errors import InterruptedWarning
from arcwise.model import Model, Question
from arcwise.model.question import refuse_more
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.devices import where_worthwhile
from arcwise.support.running import Progress
from arcwise.support.words import quoted, rounded

_SHARE = 0.6  # of the time left, for the choice of candidates
_LONG_NUMBER = 10**15


@dataclass(frozen=True)
class Parents:
    """The parent sets that were chosen.

    Parameters
    ----------
    asked
        The question, with its candidates; or the model, if there already is one.
    how
        ``"all"``, ``"candidates"``, ``"grown"`` or ``"given"``.
    sentences
        How they were chosen, in words.
    growth
        The result of growing the candidates, if they were grown.
    """

    asked: Model | Question
    how: str
    sentences: tuple[str, ...] = ()
    growth: Growth | None = None

    def model(
        self,
        *,
        engine: Any = None,
        device: object = None,
        deadline: Deadline = NEVER,
        threads: int | None = None,
        progress: Progress = None,
        file: Path | None = None,
    ) -> Model:
        """Return the model on these parent sets, or on fewer if the time is too short.

        If the device is a graphics processor, it scores them where that is worth it.
        """
        if isinstance(self.asked, Model):
            return self.asked
        return model_within(
            self.asked,
            None,
            deadline,
            engine=engine,
            device=where_worthwhile(device),
            threads=threads,
            progress=progress,
            file=file,
        )


def choose_parents(
    asked: Model | Question,
    method: Any = "all",
    *,
    plus_one: bool | None = None,
    max_candidates: int = DEFAULT_MAX_SIZE,
    seed: int = 0,
    deadline: Deadline = NEVER,
    threads: int | None = None,
    progress: Progress = None,
    keep_interrupted: bool = False,
    file: Path | None = None,
) -> Parents:
    """Return the parent sets chosen by a method.

    Parameters
    ----------
    asked
        The model, which has its parent sets, or the question.
    method
        ``"all"``; ``"grow"`` or ``"grow:METHOD"``, to start from the candidates of a method; a
        method of `arcwise.candidates`; or the candidates themselves. None to leave those of
        the question.
    plus_one
        Whether a parent set may have one parent that is not a candidate; None for no. With
        grown candidates it always may.
    max_candidates
        The maximum number of candidates of a node when they are grown.
    seed, threads, progress
        As for `grow`.
    deadline
        The clock of the whole computation, of which half is left to what comes after.
    keep_interrupted
        Whether to accept candidates whose growth was interrupted; otherwise
        KeyboardInterrupt is raised.
    file
        As for `grow`.
    """
    if isinstance(asked, Model):
        refuse_more("a model", None, None, None, method, bool(plus_one))
        return Parents(asked, "given")
    if method is None:
        return Parents(asked, "given")
    if isinstance(method, str) and method == "all":
        every = replace(asked, plus_one=bool(plus_one))
        words = f"All {every.number_of_families:,} allowed parent sets are considered."
        return Parents(every, "all", (words,))
    if isinstance(method, str) and method.partition(":")[0] == "grow":
        start = method.partition(":")[2] or start_of_growth(asked)
        with warnings.catch_warnings():
            if not keep_interrupted:
                warnings.simplefilter("ignore", InterruptedWarning)
            growth = grow(
                asked,
                start,
                max_size=max_candidates,
                seed=seed,
                seconds=deadline.part(_SHARE),
                threads=threads,
                progress=progress,
                file=file,
            )
        if growth.best is not None and growth.best.interrupted and not keep_interrupted:
            raise KeyboardInterrupt  # nothing is known of the posterior yet
        return _grown(asked, start, growth)
    chosen, how = method, "Candidate parents were given"
    if isinstance(method, str):
        chosen = choose_candidates(asked, method, seconds=deadline.part(_SHARE), threads=threads)
        how = f"Candidate parents were chosen by {method!r}"
    among = replace(asked, candidates=chosen, plus_one=bool(plus_one))
    if asked.precomputed is not None:
        return Parents(among, "given")
    sizes = f", {_sizes(chosen)}" if isinstance(chosen, Candidates) else ""
    words = f"{how}{sizes}{_one_more(among)}: {_count(among.number_of_families)} parent sets."
    return Parents(among, "candidates", (words,))


def start_of_growth(question: Question) -> str:
    """Return the default method whose candidates growth starts from."""
    # The tests of the PC algorithm assume that every row is observational.
    return "greedy:4" if question.has_interventions or question.table is None else "pc"


def _grown(question: Question, start: str, growth: Growth) -> Parents:
    words = [
        f"Candidate parents were grown from {start!r} in {len(growth.rounds)} rounds, to "
        f"{_sizes(growth.candidates)}{_one_more(growth.model.question)}: "
        f"{len(growth.model.scores):,} of {rounded(question.number_of_families)} possible parent "
        "sets."
    ]
    if growth.full:
        words.append(
            f"{quoted(growth.full)} needed more candidates than the maximum; some true parents may "
            "be missing there."
        )
    return Parents(growth.model, "grown", tuple(words), growth)


def _count(number: int) -> str:
    return f"{number:,}" if number < _LONG_NUMBER else rounded(number)


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} for each variable"


def _one_more(question: Question) -> str:
    return ", and at most one other parent" if any(question.families.outside) else ""
