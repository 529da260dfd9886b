"""`SamplerOptions`: the further arguments of samplers, listed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from arcwise.sums import ScoreSums


class SamplerOptions(TypedDict, total=False):
    """Further arguments of `mcmc`, `mc3` and `ais`, where they are described.

    Parameters
    ----------
    effective_samples, thinning, dags_per_state, dag_time_share, extension_budget, \
estimate_extensions, sums
        Of all three.
    burn_in
        Of `mcmc` and `mc3`.
    temperatures, ladder, exchanges_per_step
        Of `mc3`.
    schedule, stretch, bins, confidence
        Of `ais`.
    """

    effective_samples: float | None
    thinning: int | None
    dags_per_state: int
    dag_time_share: float | None
    extension_budget: int | None
    estimate_extensions: bool
    sums: ScoreSums | None
    burn_in: float
    temperatures: int
    ladder: str | Sequence[float]
    exchanges_per_step: int | None
    schedule: str | Sequence[float]
    stretch: int | None
    bins: int | None
    confidence: float
