"""`Tempering`: the temperatures of coupled chains, and their places on the bridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcwise.errors import option
from arcwise.support.checks import MOST_INT, whole_number

PathPoint = float | tuple[float, float]
"""An inverse temperature, at the end of the bridge or with its place on it."""

Path = Sequence[PathPoint]
"""The way to the posterior, its end included."""


def path_of(inverse_temperatures: Sequence[float], bridge: Sequence[float] | None) -> Path:
    """Return inverse temperatures, with their places if they are on the bridge."""
    if bridge is None:
        return list(inverse_temperatures)
    return list(zip(inverse_temperatures, bridge, strict=True))


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a coupled chain, and how states are exchanged.

    Parameters
    ----------
    inverse_temperatures
        The inverse temperatures, increasing to 1, that of the posterior.
    adapt
        Whether to adapt them during the burn-in.
    bridge
        The place of each on the bridge from the order-modular posterior, 0, to the modular
        one, 1; None if all are at its end.
    steps_between_exchanges
        The number of steps of each temperature before states are exchanged.
    most_temperatures
        The number of temperatures up to which the burn-in may add some; None to keep those
        there are.
    """

    inverse_temperatures: tuple[float, ...]
    adapt: bool = False
    bridge: tuple[float, ...] | None = None
    steps_between_exchanges: int = 1
    most_temperatures: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that the core cannot hold, which only files have."""
        for name in ("steps_between_exchanges", "most_temperatures"):
            value = getattr(self, name)
            if value is not None:
                number = whole_number(value, option(name), at_least=1, at_most=MOST_INT)
                object.__setattr__(self, name, number)

    @classmethod
    def of(cls, path: Sequence[PathPoint], *, adapt: bool = False) -> Tempering:
        """Return the temperatures along a path."""
        if not any(isinstance(point, tuple) for point in path):
            return cls(tuple(float(point) for point in path if not isinstance(point, tuple)), adapt)
        pairs = [point if isinstance(point, tuple) else (point, 1.0) for point in path]
        inverses, places = zip(*pairs, strict=True)
        return cls(inverses, adapt, bridge=places)

    @property
    def path(self) -> Path:
        """The temperatures, with their places if they are on the bridge."""
        return path_of(self.inverse_temperatures, self.bridge)

    @property
    def reaches_uniform(self) -> bool:
        """Whether the hottest temperature is the uniform distribution, as the evidence needs."""
        return self.inverse_temperatures[0] == 0.0

    @property
    def spans_bridge(self) -> bool:
        """Whether it leads from the order-modular posterior itself to the modular one."""
        return self.bridge is not None and self.path[0] == (1.0, 0.0)
