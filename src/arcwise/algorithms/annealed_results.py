"""What annealing runs give: log weights, what was kept of them, and the total they estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines.sampling_jobs import AnnealedRuns
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.model.targets import Target
from arcwise.posterior.evidence import log_mean
from arcwise.records.chain_record import ChainRecord
from arcwise.records.ladders import linear
from arcwise.records.recording import Recording
from arcwise.spaces import as_space
from arcwise.sums import ScoreSums
from arcwise.support.running import running

# Far from all other runs and chains of the same seed, so that what they say is independent.
_FIRST_RUN_OF_TOTALS = 1 << 62


@dataclass(frozen=True, eq=False)
class AnnealedResults:
    """The log weight of every run, and what was kept of those whose weight is not zero."""

    log_weights: NDArray[np.float64]
    records: list[ChainRecord]

    @classmethod
    def of(cls, annealed: AnnealedRuns) -> AnnealedResults:
        """Return the results of runs, or refuse them if all have the weight zero."""
        log_weights = annealed.log_weights()
        alive = np.flatnonzero(np.isfinite(log_weights))
        if len(alive) == 0:
            raise ArgumentError(
                f"all {len(log_weights)} runs ended in structures that the constraints exclude; "
                "give more steps or runs"
            )
        return cls(log_weights, [ChainRecord.of(annealed.record(int(run))) for run in alive])

    @property
    def finite_log_weights(self) -> NDArray[np.float64]:
        """The log weights of the runs that were kept."""
        return self.log_weights[np.isfinite(self.log_weights)]

    def log_totals(self, weighted: bool) -> NDArray[np.float64]:
        """Return the log of each run's estimate of (sum of all weights) / (number of states)."""
        totals = self.log_weights.copy()
        if weighted:
            means = [log_mean(record.log_state_means())[0] for record in self.records]
            totals[np.isfinite(totals)] += means
        return totals


def annealed_log_total(
    model: Model,
    space: Any,
    target: Target,
    *,
    runs: int,
    steps: int,
    seed: int,
    threads: int | None,
) -> tuple[float, float]:
    """Return the log of the summed weights of all DAGs by annealing, and its standard error."""
    chosen = as_space(space)
    recording = Recording(target, dags_per_state=1).on(chosen)
    core_space = chosen.build(ScoreSums(model, tabulate="sums", threads=threads))
    options = recording.options(edge_batches=2)
    options.edges = False
    annealed = _core.AnnealedRuns(core_space, linear(steps), 0, 1, options, seed)
    with running(threads, None, "") as run:
        annealed.run(_FIRST_RUN_OF_TOTALS, runs, run.threads, None)
    log_total, error = log_mean(AnnealedResults.of(annealed).log_totals(recording.weighted))
    return core_space.log_size + log_total, error
