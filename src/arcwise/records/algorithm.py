"""`Algorithm`: the algorithms, with the names users know them by."""

from __future__ import annotations

from enum import StrEnum


class Algorithm(StrEnum):
    """The algorithm that computed a posterior.

    Examples
    --------
    >>> Algorithm("mcmc") is Algorithm.MCMC
    True
    """

    EXACT = "exact"
    MCMC = "mcmc"
    MC3 = "mc3"
    AIS = "ais"
    SMC = "smc"
    UNIQUE_DAGS = "unique-dags"
    IMPUTATION = "imputation"
