"""`Tempering`: the temperatures of coupled chains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a chain, and how their states are exchanged.

    Parameters
    ----------
    inverse_temperatures
        Rising to 1, the posterior's.
    adapt
        Whether the burn-in moves them.
    exchanges_per_step
        Exchanges proposed after each step.
    """

    inverse_temperatures: tuple[float, ...]
    adapt: bool = False
    exchanges_per_step: int = 0

    @property
    def reaches_uniform(self) -> bool:
        """Whether the hottest level is the uniform distribution, which gives the evidence."""
        return self.inverse_temperatures[0] == 0.0
