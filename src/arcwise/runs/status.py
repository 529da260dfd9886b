"""`status`: the progress of a run, read from its directory while it is running."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines import acceptance
from arcwise.records.chain_record import Traces
from arcwise.records.run_files import read_settings
from arcwise.records.settings import AnnealingSettings, ChainSettings, Convergence, SamplingSettings
from arcwise.runs.directory import LEDGER, is_locked, read_directory
from arcwise.runs.ledger import read_all, reading, unpack
from arcwise.statistics.convergence import trace_convergence
from arcwise.statistics.log_estimates import effective_runs
from arcwise.support.checks import folder_path
from arcwise.support.names import duration
from arcwise.support.plain import plain_dict


@dataclass(frozen=True)
class RunStatus:
    """The status of a run at its last checkpoint.

    Parameters
    ----------
    directory
        The run directory.
    algorithm
        ``"mcmc"``, ``"mc3"``, ``"ais"`` or ``"smc"``.
    state
        ``"running"``, ``"stopped"`` or ``"finished"``.
    unit
        What is counted: ``"steps"`` of each chain, or annealing ``"runs"`` (particles).
    done
        The number done.
    wanted
        The number requested, if known.
    share
        The fraction of the budget that is spent, if known.
    states
        The number of draws of each chain.
    seconds
        The running time, without interruptions.
    rate
        Steps or runs per second, over all chains.
    seconds_left
        The remaining time at this rate, if known.
    acceptance
        The acceptance rate of each kind of move, None before any was proposed.
    rhat, effective
        R-hat and the effective sample size of the log posterior; for annealing the
        effective sample size of the particles. None while they are undefined.
    checkpoints
        The number of checkpoints.
    checkpoint_time
        The time of the last one, as ISO text in UTC; None if there is none.

    Examples
    --------
    >>> import tempfile
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior = arcwise.mcmc(model, "partitions", steps=4000, directory=folder)
    ...     found = arcwise.status(folder)
    >>> found.done, found.unit, found.share
    (3998, 'steps', 1.0)
    """

    directory: str
    algorithm: str
    state: str
    unit: str
    done: int
    wanted: int | None
    share: float | None
    states: int
    seconds: float
    rate: float | None
    seconds_left: float | None
    acceptance: dict[str, float | None]
    rhat: float | None
    effective: float | None
    checkpoints: int
    checkpoint_time: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return the status as plain values."""
        return plain_dict(**asdict(self))

    def __str__(self) -> str:
        """Return the status as lines of text."""
        of_all = "" if self.wanted is None else f" of {self.wanted:,}"
        share = "" if self.share is None else f" ({self.share:.0%})"
        lines = [
            f"{self.algorithm} in {self.directory}: {self.state}",
            f"{self.done:,}{of_all} {self.unit}{share} in {duration(self.seconds)}",
        ]
        if self.rate is not None:
            left = self.seconds_left
            to_go = (
                "" if left is None or self.state == "finished" else f", about {duration(left)} left"
            )
            lines.append(f"{self.rate:,.3g} {self.unit} per second{to_go}")
        rates = [f"{name} {rate:.0%}" for name, rate in self.acceptance.items() if rate is not None]
        if rates:
            lines.append(f"accepted: {', '.join(rates)}")
        if self.rhat is not None:
            lines.append(f"R-hat of the log posterior: {self.rhat:.4g}")
        if self.effective is not None:
            what = "particles" if self.unit == "runs" else "the log posterior"
            lines.append(f"effective sample size of {what}: {self.effective:.4g}")
        if self.checkpoint_time is None:
            lines.append("no checkpoint yet")
        else:
            then = datetime.fromisoformat(self.checkpoint_time)
            ago = max(0.0, (datetime.now(UTC) - then).total_seconds())
            lines.append(
                f"checkpoint {self.checkpoints} at {self.checkpoint_time}, {duration(ago)} ago"
            )
        return "\n".join(lines)


def status(directory: str | os.PathLike[str]) -> RunStatus:
    """Return the status of the run in a directory, without disturbing it.

    Parameters
    ----------
    directory
        The run directory; see `resume`.

    Examples
    --------
    >>> import tempfile
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior = arcwise.mcmc(model, "partitions", steps=4000, directory=folder)
    ...     arcwise.status(folder).state
    'finished'
    """
    path = folder_path(directory, "directory")
    settings, run = read_settings(read_directory(path))
    with reading(path / LEDGER):
        return _status(path, settings, run.deadline.seconds)


def _status(path: Path, settings: SamplingSettings, limit: float | None) -> RunStatus:
    ledger = path / LEDGER
    annealing = isinstance(settings, AnnealingSettings)
    of_draws = _skipped if annealing else _log_weights
    facts, draws = read_all(ledger, of_draws) if ledger.exists() else ([], [])
    none_yet: dict[str, Any] = {"seconds": 0.0, "finished": False, "time": None, "moves": {}}
    none_yet["controller"] = {"runs": 0, "steps": 0}
    last = facts[-1] if facts else none_yet
    done = int(last["controller"]["runs" if annealing else "steps"])
    seconds = float(last["seconds"])
    wanted, share = _wanted(settings, limit, done, seconds, last["finished"])
    chains = settings.chains if isinstance(settings, ChainSettings) else 1
    rate = chains * done / seconds if done and seconds > 0 else None
    figures = _annealing_figures(facts) if annealing else _chain_figures(draws)
    state = "stopped"
    if last["finished"]:
        state = "finished"
    elif is_locked(path):
        state = "running"
    return RunStatus(
        directory=str(path),
        algorithm=settings.sampler.value,
        state=state,
        unit="runs" if annealing else "steps",
        done=done,
        wanted=wanted,
        share=share,
        states=int(last["controller"].get("draws", 0)),
        seconds=seconds,
        rate=rate,
        seconds_left=seconds * (1 / share - 1) if share else None,
        acceptance=acceptance(last["moves"]),
        rhat=figures.rhat,
        effective=figures.ess,
        checkpoints=len(facts),
        checkpoint_time=_checked_time(last["time"]),
    )


def _wanted(
    settings: SamplingSettings, limit: float | None, done: int, seconds: float, finished: bool
) -> tuple[int | None, float | None]:
    """Return the requested number and the fraction done, where they are known."""
    count = settings.steps if isinstance(settings, ChainSettings) else settings.limits(limit).runs
    if finished:
        return count, 1.0
    if count is not None:
        return count, min(1.0, done / count)
    if limit is not None:
        return None, min(1.0, seconds / limit)
    return None, None


def _checked_time(time: Any) -> str | None:
    """Return the time of a checkpoint, or raise `ValueError` unless its time zone is known."""
    if time is not None and datetime.fromisoformat(time).tzinfo is None:
        raise ValueError(time)
    return None if time is None else str(time)


def _skipped(draws: bytes) -> None:
    """Skip the draws of annealing runs, whose log weights are among the facts."""


def _log_weights(draws: bytes) -> list[NDArray[np.float64]]:
    """Return only the log weights of each chain, as the draws may not all fit in memory."""
    return [record["log_weights"] for record in unpack(draws)]


def _chain_figures(parts: list[list[NDArray[np.float64]]]) -> Convergence:
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return Convergence()
    rows = tuple(np.concatenate([part[chain] for part in parts]) for chain in range(len(parts[0])))
    return trace_convergence(Traces(rows))


def _annealing_figures(facts: list[dict[str, Any]]) -> Convergence:
    log_weights = np.array([weight for row in facts for weight in row["log_weights"]])
    return Convergence(ess=effective_runs(log_weights) if len(log_weights) else None)
