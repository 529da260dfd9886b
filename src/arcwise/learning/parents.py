"""Which parent sets are considered: all, those of candidates, or of candidates that grow."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE, Growth, grow
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.errors import InterruptedWarning
from arcwise.model import Model, Question
from arcwise.model.question import refuse_more
from arcwise.support.running import Progress
from arcwise.support.words import quoted


@dataclass(frozen=True)
class Parents:
    """The parent sets that were chosen.

    Parameters
    ----------
    asked
        What is asked, with the candidates; or the model, if there is one already.
    how
        ``"all"``, ``"candidates"``, ``"grown"`` or ``"given"``.
    sentences
        How they were chosen, in words.
    growth
        What growth found, if candidates grew.
    """

    asked: Model | Question
    how: str
    sentences: tuple[str, ...] = ()
    growth: Growth | None = None

    def model(
        self, *, engine: Any = None, threads: int | None = None, progress: Progress = None
    ) -> Model:
        """Return the model on these parent sets; see `Model`."""
        if isinstance(self.asked, Model):
            return self.asked
        return Model(self.asked, engine=engine, threads=threads, progress=progress)


def choose_parents(
    asked: Model | Question,
    method: Any = "all",
    *,
    plus_one: bool | None = None,
    max_candidates: int = DEFAULT_MAX_SIZE,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    keep_interrupted: bool = False,
) -> Parents:
    """Return the parent sets that a method asks for.

    Parameters
    ----------
    asked
        The model, which has its parent sets, or the question.
    method
        ``"all"``; ``"grow"`` or ``"grow:METHOD"``, to begin with the candidates of a method; a
        method of `arcwise.candidates`; or candidates themselves. None for those there are.
    plus_one
        Whether a parent set may have one more parent besides the candidates, None for no;
        with candidates that grow it may.
    max_candidates
        The most candidates of a node that grow.
    seed, threads, progress
        As for `grow`.
    keep_interrupted
        Whether candidates whose growth was interrupted will do, else Ctrl-C goes on.
    """
    if isinstance(asked, Model):
        refuse_more("a model", None, None, None, method, bool(plus_one))
        return Parents(asked, "given")
    if method is None:
        return Parents(asked, "given")
    if isinstance(method, str) and method == "all":
        every = replace(asked, plus_one=bool(plus_one))
        count = f"{every.number_of_families:,}"
        words = f"All parent sets that the constraints leave are considered: {count}."
        return Parents(every, "all", (words,))
    if isinstance(method, str) and method.partition(":")[0] == "grow":
        start = method.partition(":")[2] or start_of_growth(asked)
        with warnings.catch_warnings():
            if not keep_interrupted:
                warnings.simplefilter("ignore", InterruptedWarning)
            growth = grow(
                asked, start, max_size=max_candidates, seed=seed, threads=threads, progress=progress
            )
        if growth.best is not None and growth.best.interrupted and not keep_interrupted:
            raise KeyboardInterrupt  # there is nothing of the posterior yet
        return _grown(asked, start, growth)
    chosen, how = method, "Candidate parents are those given"
    if isinstance(method, str):
        chosen = choose_candidates(asked, method, threads=threads)
        how = f"Candidate parents were chosen by {method!r}"
    among = replace(asked, candidates=chosen, plus_one=bool(plus_one))
    if asked.precomputed is not None:
        return Parents(among, "given")
    sizes = f", {_sizes(chosen)}" if isinstance(chosen, Candidates) else ""
    words = f"{how}{sizes}{_one_more(among)}: {among.number_of_families:,} parent sets."
    return Parents(among, "candidates", (words,))


def start_of_growth(question: Question) -> str:
    """Return the method whose candidates growth begins with, where none is asked for."""
    # The tests of the PC algorithm take every row as observed.
    return "greedy:4" if question.has_interventions or question.table is None else "pc"


def _grown(question: Question, start: str, growth: Growth) -> Parents:
    words = [
        f"Candidate parents were grown from {start!r} in {len(growth.rounds)} rounds, to "
        f"{_sizes(growth.candidates)}{_one_more(growth.model.question)}: "
        f"{len(growth.model.scores):,} parent sets of the {question.number_of_families:.1e} there "
        "are."
    ]
    if growth.full:
        words.append(
            f"{quoted(growth.full)} would have had more candidates than fit; parents may be "
            "missing there."
        )
    return Parents(growth.model, "grown", tuple(words), growth)


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} of each variable"


def _one_more(question: Question) -> str:
    return " and one more from outside" if any(question.families.outside) else ""
