"""`ImputationRun`: chains over DAGs, parameters and the missing cells of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arcwise.records.algorithm import Algorithm
from arcwise.records.run_record import RunRecord


@dataclass(frozen=True, kw_only=True)
class ImputationRun(RunRecord):
    """Completed tables drawn by chains over DAGs, parameters and missing cells.

    Parameters
    ----------
    missing
        The number of missing values of each column that has any.
    completions
        The number of completed tables that the posterior is averaged over.
    chains
        The number of chains they are from.
    burn_in, thinning
        The sweeps of each chain before the first table, and between the last two tables.
    steps, steps_on_a_table
        The steps over DAGs in a sweep, and on a table that is kept; None where DAGs are drawn
        from the exact posterior.
    seed
        The seed.

    Examples
    --------
    >>> import arcwise
    >>> data = {"a": [0, 0, 1, 1, None] * 5, "b": [0, 0, 1, None, 1] * 5}
    >>> run = arcwise.learn(data, completions=8, progress=None).run
    >>> run.missing, run.completions, run.chains
    ({'a': 5, 'b': 5}, 8, 4)
    """

    missing: Mapping[str, int]
    completions: int
    chains: int
    burn_in: int
    thinning: int
    steps: int | None
    steps_on_a_table: int | None
    seed: int

    algorithm: ClassVar[Algorithm] = Algorithm.IMPUTATION

    @property
    def draws(self) -> int:
        """The number of completed tables."""
        return self.completions
