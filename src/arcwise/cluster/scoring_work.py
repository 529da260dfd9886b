"""The work of scoring a part of a scoring job on a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster.host_files import HostFile, opened
from arcwise.cluster.work import Work
from arcwise.scores.job import FamilyScoring
from arcwise.scores.scoring_units import ScoringPart
from arcwise.support.devices import Processors
from arcwise.support.running import Stage


@dataclass(frozen=True)
class ScoringWork(Work):
    """The scores of some sets or nodes."""

    payload: HostFile
    part: ScoringPart

    def do(self) -> NDArray[np.float64]:
        """Return the scores."""
        job: FamilyScoring = opened(self.payload)
        return self.part.score(job, Stage(Processors(1)))
