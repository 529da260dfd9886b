"""`Tempering`: the temperatures of coupled chains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a coupled chain, and how states are exchanged.

    Parameters
    ----------
    inverse_temperatures
        The inverse temperatures, increasing to 1, that of the posterior.
    adapt
        Whether to adapt them during the burn-in.
    exchanges_per_step
        The number of exchanges proposed after each step.
    """

    inverse_temperatures: tuple[float, ...]
    adapt: bool = False
    exchanges_per_step: int = 0

    @property
    def reaches_uniform(self) -> bool:
        """Whether the hottest temperature is the uniform distribution, as the evidence needs."""
        return self.inverse_temperatures[0] == 0.0
