"""The work of scoring a part of a scoring job on a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster.host_files import HostFile, opened
from arcwise.cluster.work import Work
from arcwise.scores.job import FamilyScoring
from arcwise.support.devices import Processors
from arcwise.support.running import Stage


@dataclass(frozen=True)
class ScoringWork(Work):
    """The values of some units of a scoring job."""

    payload: HostFile
    first: int
    count: int

    def do(self) -> NDArray[np.float64]:
        """Return the values."""
        job: FamilyScoring = opened(self.payload)
        here = Stage(Processors(1))
        return job.plan.score(self.first, self.count, here.threads, here.progress)
