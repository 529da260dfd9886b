"""`SamplerOptions`: the further arguments of samplers, listed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from arcwise.sums import ScoreSums


class SamplerOptions(TypedDict, total=False):
    """Further arguments of `mcmc`, `mc3`, `ais` and `smc`, where they are described.

    Parameters
    ----------
    thinning, dags_per_state, dag_time_share, extension_budget, estimate_extensions, sums
        Of all.
    effective_samples
        Of all but `smc`.
    burn_in, start, known_dag
        Of `mcmc` and `mc3`.
    adapt_moves
        Of `mcmc`.
    temperatures, ladder, steps_between_exchanges
        Of `mc3`.
    schedule
        Of `ais`.
    stretch, bins, confidence
        Of `ais` and `smc`.
    runs, effective_share
        Of `smc`.
    """

    effective_samples: float | None
    thinning: int | None
    dags_per_state: int
    dag_time_share: float | None
    extension_budget: int | None
    estimate_extensions: bool
    sums: ScoreSums | None
    burn_in: float | None
    start: str | int
    known_dag: Any
    adapt_moves: bool
    temperatures: int | None
    ladder: str | Sequence[float]
    steps_between_exchanges: int | None
    schedule: str | Sequence[float]
    stretch: int | None
    bins: int | None
    confidence: float
    runs: int | None
    effective_share: float
