"""Scoring of families on a cluster: workers score parts, which are collected in one table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.cluster.connection import Cluster
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.spread import Spread
from arcwise.cluster.work import Done, FileWork, Work
from arcwise.scores.job import FamilyScoring
from arcwise.scores.kept_scores import KeptScores
from arcwise.support.devices import Processors
from arcwise.support.running import Stage


def score_on_cluster(
    cluster: Cluster, job: FamilyScoring, file: HostFile, run: Stage, path: Path | None
) -> _core.FamilyTable:
    """Return the scores of all families of a scoring job.

    Parameters
    ----------
    cluster
        The cluster.
    job
        The families, their score and the data.
    file
        The job as a file that the workers have.
    run
        How it runs.
    path
        A file that keeps the scores as they come, from which the same call goes on; None for
        none.
    """
    kept = KeptScores(job, path)
    for first, count in kept.missing():
        _score_stretch(cluster, kept, file, run, first, count)
    return kept.finish(run.threads)


def _score_stretch(
    cluster: Cluster, kept: KeptScores, file: HostFile, run: Stage, start: int, length: int
) -> None:
    def work(first: int, count: int) -> Work:
        return FileWork(_scored, file, (start + first, count))

    def collect(first: int, count: int, done: Done) -> None:
        kept.take(start + first, count, done.value)

    def show(_: float) -> None:
        if run.progress is not None:
            run.progress(kept.share)

    Spread(cluster, length, work, collect, share=show).run()


def _scored(job: FamilyScoring, first: int, count: int) -> NDArray[np.float64]:
    """Return the values of some units of a scoring job, as a worker with one thread finds them."""
    here = Stage(Processors(1))
    values: NDArray[np.float64] = job.plan.score(first, count, here.threads, here.progress)
    return values
