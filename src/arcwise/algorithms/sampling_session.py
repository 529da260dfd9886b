"""`SamplingSession`: everything chains and particles need before their first step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from arcwise import _core
from arcwise.algorithms.device_engine import engine_on_device
from arcwise.algorithms.sampling_memory import refuse_beyond_memory
from arcwise.engines import Engine, opened_engine
from arcwise.errors import ArgumentError, EngineError
from arcwise.model import Model, checked_model
from arcwise.records.plain_space import is_known
from arcwise.records.run_files import write_settings
from arcwise.records.settings import AnnealingSettings, ChainSettings, SumSettings
from arcwise.runs.checkpoints import Checkpoints
from arcwise.runs.directory import opened_directory
from arcwise.runs.ledger import resume_command
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.running import Run
from arcwise.support.words import shown

_SUM_TOLERANCE = 1e-9  # far below Monte Carlo error; tabulated sums are exact

Settings = TypeVar("Settings", ChainSettings, AnnealingSettings)


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
    run
        What carries it out.
    engine
        Where chains and particles run.
    checkpoints
        Those of the run directory, if there is one.
    """

    model: Model
    settings: Settings
    sums: ScoreSums
    core_space: _core.Space
    run: Run
    engine: Engine
    checkpoints: Checkpoints | None


@contextmanager
def opened_session(
    model: Model, settings: Settings, run: Run
) -> Iterator[SamplingSession[Settings]]:
    """Yield a session, whose engine and directory stay open within the context."""
    checked_model(model)
    settings.refuse_two_budgets(run.deadline.seconds)  # before sums are computed
    wanted = engine_on_device(model, settings, run)
    sums = sums_for(model, settings.sums, run.threads)
    chosen: Settings = settings.completed(model, sums, run.deadline)
    core_space = chosen.space.build(sums)
    refuse_beyond_memory(chosen, len(model.variables), kept_on_disk=run.directory is not None)
    with ExitStack() as stack:
        engine = stack.enter_context(opened_engine(wanted))
        checkpoints = None
        if run.folder is not None:
            _refuse_foreign(chosen.space)
            plain = write_settings(chosen, run, model.variables)
            checkpoints = stack.enter_context(
                opened_directory(run.folder, plain, model, run.checkpoint_seconds)
            )
        try:
            yield SamplingSession(model, chosen, sums, core_space, run, engine, checkpoints)
        except EngineError as error:
            if run.folder is None:
                raise
            raise EngineError(
                *error.args, ", then continue with ", resume_command(run.folder)
            ) from error


def sums_for(model: Model, sums: ScoreSums | SumSettings | None, threads: int | None) -> ScoreSums:
    """Return the score sums that were given, if they are for these variables, or compute them."""
    if sums is None:
        return ScoreSums(model, tolerance=_SUM_TOLERANCE, tabulate="sums", threads=threads)
    if isinstance(sums, SumSettings):
        return sums.build(model, threads)
    sums.refuse_other_model(model)
    return sums


def _refuse_foreign(space: Space) -> None:
    if not is_known(space):
        raise ArgumentError(
            f"space is {shown(space)}, and a run directory supports only the spaces of arcwise; "
            "leave out directory"
        )
