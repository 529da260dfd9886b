"""`Algorithm`: the algorithms by the words users have for them."""

from __future__ import annotations

from enum import StrEnum


class Algorithm(StrEnum):
    """How a posterior was found.

    Examples
    --------
    >>> Algorithm("mcmc") is Algorithm.MCMC
    True
    """

    EXACT = "exact"
    MCMC = "mcmc"
    MC3 = "mc3"
    AIS = "ais"
    UNIQUE_DAGS = "unique-dags"
