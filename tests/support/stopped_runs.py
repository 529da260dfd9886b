"""Runs that are stopped at moments fixed by a seed, again and again, and gone on with."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import arcwise
from arcwise import Posterior
from arcwise.errors import ArcwiseWarning
from support.run_records import untimed

_MOST_STOPS = 400


class Stop(BaseException):
    """What ends a run as a kill would: nobody catches it, and nothing more is written."""


def stopping_after(calls: int, stop: type[BaseException] = Stop) -> Callable[[float], None]:
    """Return a progress function that stops the run after so many calls."""
    told: list[float] = []

    def progress(share: float) -> None:
        told.append(float(share))
        if len(told) > calls:
            raise stop

    return progress


def stopping_at(share: float, stop: type[BaseException] = Stop) -> Callable[[float], None]:
    """Return a progress function that stops the run once this share of it is done."""

    def progress(done: float) -> None:
        if done >= share:
            raise stop

    return progress


@contextmanager
def checkpoints_whatever_they_cost() -> Iterator[None]:
    """Make checkpoints as often as asked for: after every part if `checkpoint_seconds` is 0."""
    with patch("arcwise.runs.checkpoints._MOST_SHARE_OF_COST", math.inf):
        yield


class _EveryPart:
    """In place of the clock of checkpoints: parts of one size, and a checkpoint after each."""

    def __init__(self, size: int) -> None:
        self._size = size

    def part(self, most: int, *, draws: bool = False) -> int:
        return min(most, self._size)

    def look(self) -> bool:
        return True

    def resume(self) -> None:
        pass

    def saved(self) -> None:
        pass


@contextmanager
def checkpoints_after(size: int) -> Iterator[None]:
    """Make a checkpoint after this number of steps, draws or runs, whatever the time."""
    with patch("arcwise.runs.checkpoints.CheckpointClock", lambda *_: _EveryPart(size)):
        yield


def run_with_stops(
    begin: Callable[..., Posterior], directory: Path, *, seed: int, part: int | None = None
) -> tuple[Posterior, int]:
    """Begin a run, stop it at random moments, resume it each time; count the stops.

    Checkpoints are made after parts of this many steps or draws, or as often as possible.
    """
    checkpoints: Callable[[], AbstractContextManager[None]] = checkpoints_whatever_they_cost
    if part is not None:
        checkpoints = partial(checkpoints_after, part)
    random = np.random.default_rng(seed)
    for stops in range(_MOST_STOPS):
        # Ever longer, so that it comes to an end.
        progress = stopping_after(int(random.integers(1, 12 + 8 * stops)))
        options: dict[str, Any] = {
            "progress": progress,
            "checkpoint_seconds": 0.0,
            "threads": 1,
        }
        try:
            with warnings.catch_warnings(), checkpoints():
                warnings.simplefilter("ignore", ArcwiseWarning)
                if not (directory / "settings.json").exists():
                    return begin(directory=directory, **options), stops
                return arcwise.resume(directory, **options), stops
        except Stop:
            pass
    raise AssertionError(f"the run has not ended after {_MOST_STOPS} stops")


def edges_file(posterior: Posterior, folder: Path) -> bytes:
    """Return edges.csv as it is written."""
    path = folder / "edges.csv"
    posterior.write_edges(path)
    return path.read_bytes()


def assert_same(found: Posterior, expected: Posterior, folder: Path) -> None:
    """Check that two posteriors are the same to the last bit."""
    assert edges_file(found, folder) == edges_file(expected, folder)
    assert found.log_evidence == expected.log_evidence
    assert found.map_log_weight == expected.map_log_weight
    for one, other in ((found.dags, expected.dags),):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_array_equal(one.parents, other.parents)
            np.testing.assert_array_equal(one.log_weights, other.log_weights)
            np.testing.assert_array_equal(one.chains, other.chains)
    assert found.traces is not None
    assert expected.traces is not None
    assert found.traces.steps == expected.traces.steps
    for row, wanted in zip(found.traces.log_weights, expected.traces.log_weights, strict=True):
        np.testing.assert_array_equal(row, wanted)
    assert untimed(found.run) == untimed(expected.run)
    assert found.provenance == expected.provenance
