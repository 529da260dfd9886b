"""`SamplingSession`: everything chains and particles need before their first step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from arcwise import _core
from arcwise.algorithms.sampling_memory import refuse_beyond_memory
from arcwise.engines import Engine, opened_engine
from arcwise.errors import ArgumentError, EngineError
from arcwise.model import Model, checked_model
from arcwise.records.plain_space import is_known
from arcwise.records.run_files import write_settings
from arcwise.records.settings import AnnealingSettings, ChainSettings
from arcwise.runs.directory import CHECKPOINT_SECONDS, RunDirectory
from arcwise.runs.ledger import resume_command
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums, checked_sums
from arcwise.support.checks import folder_path
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.running import Progress
from arcwise.support.words import shown

_SUM_TOLERANCE = 1e-9  # far below Monte Carlo error; tabulated sums are exact

Settings = TypeVar("Settings", ChainSettings, AnnealingSettings)


@dataclass(frozen=True)
class Environment:
    """Where a run takes place and how it is reported; none of this affects its result.

    Parameters
    ----------
    engine, threads, progress, directory, checkpoint_seconds
        As for `mcmc`.
    deadline
        The clock from whose beginning a budget in seconds is counted.
    """

    engine: Any = None
    threads: int | None = None
    progress: Progress = None
    directory: str | os.PathLike[str] | None = None
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    deadline: Deadline = NEVER

    def __post_init__(self) -> None:
        """Refuse a directory that is no path before anything is computed."""
        if self.directory is not None:
            folder_path(self.directory, "directory")


@dataclass(frozen=True, eq=False)
class SamplingSession(Generic[Settings]):
    """A sampling run that is ready to start.

    Parameters
    ----------
    model
        The model.
    settings
        The settings, with the defaults that depend on the model filled in.
    sums, core_space
        The score sums of the model, and the core's space on them.
    engine
        Where the run takes place.
    directory
        The run directory, if any.
    environment
        The arguments that engine and directory come from.
    """

    model: Model
    settings: Settings
    sums: ScoreSums
    core_space: _core.Space
    engine: Engine
    directory: RunDirectory | None
    environment: Environment


@contextmanager
def opened_session(
    model: Model, settings: Settings, sums: ScoreSums | None, environment: Environment
) -> Iterator[SamplingSession[Settings]]:
    """Yield a session, whose engine and directory stay open within the context.

    Parameters
    ----------
    model, settings, environment
        See `SamplingSession`.
    sums
        The score sums, if already computed.
    """
    checked_model(model)
    settings.recording.on(settings.space)  # refuses a wrong modularity before sums are computed
    score_sums = sums_for(model, sums, environment.threads)
    space = settings.space.on(score_sums)
    core_space = space.build(score_sums)
    chosen = settings.on(space, score_sums)
    refuse_beyond_memory(
        chosen, len(model.variables), kept_on_disk=environment.directory is not None
    )
    with ExitStack() as stack:
        engine = stack.enter_context(opened_engine(environment.engine))
        directory = None
        if environment.directory is not None:
            _refuse_foreign(space)
            directory = stack.enter_context(
                RunDirectory(
                    Path(environment.directory),
                    write_settings(chosen, model.variables),
                    model,
                    environment.checkpoint_seconds,
                )
            )
        session = SamplingSession(
            model, chosen, score_sums, core_space, engine, directory, environment
        )
        try:
            yield session
        except EngineError as error:
            if environment.directory is None:
                raise
            raise EngineError(
                *error.args, ", then continue with ", resume_command(Path(environment.directory))
            ) from error


def sums_for(model: Model, sums: ScoreSums | None, threads: int | None) -> ScoreSums:
    """Return the given score sums, if they are for these variables, or compute them."""
    if sums is None:
        return ScoreSums(model, tolerance=_SUM_TOLERANCE, tabulate="sums", threads=threads)
    checked_sums(sums).refuse_other_model(model)
    return sums


def _refuse_foreign(space: Space) -> None:
    if not is_known(space):
        raise ArgumentError(
            f"space is {shown(space)}, and a run directory supports only the spaces of arcwise; "
            "leave out directory"
        )
