"""The results of annealed particles: log weights, records, and the total they estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines.sampling_jobs import AnnealedRuns
from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.records.chain_record import ChainRecord
from arcwise.records.ladders import linear
from arcwise.records.settings import Recording, filled
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.statistics.log_weights import log_mean
from arcwise.sums import ScoreSums
from arcwise.support.running import Run

# Far from the numbers of all other particles and chains, so that random numbers do not overlap.
_FIRST_RUN_OF_TOTALS = 1 << 62


@dataclass(frozen=True, eq=False)
class AnnealedResults:
    """The log weight of every particle, and the records of those whose weight is not zero."""

    log_weights: NDArray[np.float64]
    records: list[ChainRecord]

    @classmethod
    def of(cls, annealed: AnnealedRuns) -> AnnealedResults:
        """Return the results of the particles, or refuse them if all have weight zero."""
        log_weights = annealed.log_weights()
        alive = np.flatnonzero(np.isfinite(log_weights))
        if len(alive) == 0:
            raise ArgumentError(
                f"all {len(log_weights)} particles ended in structures that the constraints "
                "exclude; give more ",
                option("steps"),
                " or ",
                option("particles"),
            )
        return cls(log_weights, [ChainRecord(**annealed.record(int(run))) for run in alive])

    @property
    def finite_log_weights(self) -> NDArray[np.float64]:
        """The log weights of the particles of nonzero weight."""
        return self.log_weights[np.isfinite(self.log_weights)]

    def log_totals(self, weighted: bool) -> NDArray[np.float64]:
        """Return each particle's log estimate of (sum of all weights) / (number of states)."""
        totals = self.log_weights.copy()
        if weighted:
            means = [log_mean(record.log_state_means()) for record in self.records]
            totals[np.isfinite(totals)] += means
        return totals


def annealed_runs(
    core_space: _core.Space, recording: Recording, runs: range, run: Run, **options: Any
) -> _core.AnnealedRuns:
    """Return runs that were annealed, by these options of the core."""
    record = recording.record_options(edge_batches=2)
    made = filled(_core.AnnealingOptions(), **{"record": record} | options)
    annealed = _core.AnnealedRuns(core_space, made, run.seed)
    with run.stage("Annealing") as stage:
        annealed.run(runs.start, len(runs), stage.threads, stage.progress)
    return annealed


def annealed_log_total(
    model: Model, recording: Recording, runs: int, steps: int, run: Run
) -> LogEstimate:
    """Return the log of the total weight of all DAGs by annealing."""
    sums = ScoreSums(model, tabulate="sums", threads=run.threads)
    core_space = recording.space.build(sums)
    record = recording.record_options(edge_batches=2)
    record.edges = False
    numbers = range(_FIRST_RUN_OF_TOTALS, _FIRST_RUN_OF_TOTALS + runs)
    annealed = annealed_runs(
        core_space, recording, numbers, run.quiet, path=linear(steps), record=record
    )
    totals = AnnealedResults.of(annealed).log_totals(recording.weighted)
    return LogEstimate.of_weights(totals).shifted(core_space.log_size)
