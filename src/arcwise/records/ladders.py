"""Temperature ladders, from the uniform distribution or over the bridge, to the posterior.

The bridge leads from the order-modular posterior, where chains mix well, to the modular one, and
positions on it run from 0 to 1. A point of a path is an inverse temperature at the end of the
bridge, or a pair of an inverse temperature and a position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from arcwise.errors import ArgumentError, option
from arcwise.spaces import NAMED_SPACES, Space
from arcwise.support.checks import MOST_INT, real_numbers, refuse_beyond_memory, whole_number
from arcwise.support.names import as_list
from arcwise.support.words import quoted, shown

PathPoint = float | tuple[float, float]
"""An inverse temperature, at the end of the bridge or with its position on the bridge."""

Path = Sequence[PathPoint]
"""The points on the way to the posterior, which is the last one."""


def path_of(inverse_temperatures: Sequence[float], bridge: Sequence[float] | None) -> Path:
    """Return inverse temperatures, with their positions if they are on the bridge."""
    if bridge is None:
        return list(inverse_temperatures)
    return list(zip(inverse_temperatures, bridge, strict=True))


@dataclass(frozen=True)
class Tempering:
    """The inverse temperatures of a coupled chain, and how states are exchanged."""

    inverse_temperatures: tuple[float, ...]  # increasing to 1, that of the posterior
    adapt: bool = False  # whether to adapt them during the burn-in
    bridge: tuple[float, ...] | None = None  # positions on the bridge; None if all are at its end
    steps_between_exchanges: int = 1  # steps at each temperature between exchanges of states
    # The maximum number of temperatures that the burn-in may choose; None to leave it unchanged.
    most_temperatures: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers from files that the core cannot represent."""
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
        """The temperatures, with their positions if they are on the bridge."""
        return path_of(self.inverse_temperatures, self.bridge)

    @property
    def reaches_uniform(self) -> bool:
        """Whether the hottest temperature is the uniform distribution, which evidence requires."""
        return self.inverse_temperatures[0] == 0.0

    @property
    def spans_bridge(self) -> bool:
        """Whether it goes from the order-modular posterior itself to the modular one."""
        return self.bridge is not None and self.path[0] == (1.0, 0.0)


LADDERS = ("linear", "harmonic", "adapted", "bridge", "uniform bridge")
"""The ladders that have a name."""

FIRST_TEMPERATURES = 8
"""The initial number of temperatures if the burn-in chooses their number."""

MOST_TEMPERATURES = 64
"""The maximum number of temperatures that a burn-in chooses."""

USUAL_TEMPERATURES = 16
"""The number of temperatures of a ladder that does not adapt."""

_OVER_BRIDGE = ("bridge", "uniform bridge")
_ADAPTING = ("adapted", *_OVER_BRIDGE)
_WORDS = ", ".join(f"'{name}'" for name in LADDERS)

# At the last position before the end, the expected number of variables that lack a required parent
# is one over this.
_LAST_PLACES = 4
# The size of a number in a list; the memory of a chain at a temperature is checked later.
_BYTES_PER_TEMPERATURE = 64


def linear(steps: int) -> list[float]:
    """Return 0, 1/K, 2/K, ..., 1 for K steps."""
    return [i / steps for i in range(steps)] + [1.0]


def harmonic(steps: int) -> list[float]:
    """Return 1/(K + 1), 1/K, ..., 1/2, 1 for K steps: many hot, few cold; never uniform (0)."""
    return [1 / (steps + 1 - i) for i in range(steps + 1)]


def bridge(steps: int, nodes: int) -> list[float]:
    """Return K + 1 positions on the bridge from 0 to 1, in equal steps of -log(1 - position).

    The last step, which is infinite on that scale, begins where the number of nodes that lack a
    required parent is a fraction of one.
    """
    if steps == 1:
        return [0.0, 1.0]
    last = 1 / (_LAST_PLACES * nodes)
    return [1 - last ** (i / (steps - 1)) for i in range(steps)] + [1.0]


def uniform_bridge(steps: int, nodes: int, hold: int = 1) -> list[tuple[float, float]]:
    """Return a path of K steps from the uniform distribution to the bridge, and over it."""
    before = max(1, steps // 2)
    over = max(1, steps - before)
    places = bridge(max(1, over // hold), nodes)
    held = [places[1 + i * (len(places) - 1) // over] for i in range(over)]
    path = [(inverse, 0.0) for inverse in linear(before)]
    return [*path, *((1.0, place) for place in held)] if steps > 1 else [(0.0, 0.0), (1.0, 1.0)]


def checked_ladder(value: object) -> str | tuple[PathPoint, ...]:
    """Return the name of a ladder, or its points, or refuse anything else."""
    if not isinstance(value, str):
        return tuple(as_path(value))
    if value not in LADDERS:
        raise ArgumentError(
            option("ladder"),
            f" is {shown(value)}; give one of {_WORDS}, or increasing numbers up to 1",
        )
    return value


def leads_over_bridge(ladder: str | Path) -> bool:
    """Return whether a checked ladder goes over the bridge."""
    if isinstance(ladder, str):
        return ladder in _OVER_BRIDGE
    return any(isinstance(point, tuple) for point in ladder)


def adapts(ladder: object) -> bool:
    """Return whether a ladder adapts during the burn-in."""
    return isinstance(ladder, str) and ladder in _ADAPTING


def tempering_along(ladder: str | Path, temperatures: int | None, nodes: int) -> Tempering:
    """Return the temperatures of coupled chains."""
    if not isinstance(ladder, str):
        return Tempering.of(ladder)
    adapting = adapts(ladder)
    if temperatures is not None:
        refuse_beyond_memory(temperatures, option("temperatures"), _BYTES_PER_TEMPERATURE)
    usual = FIRST_TEMPERATURES if adapting else USUAL_TEMPERATURES
    path = _named(ladder, (temperatures or usual) - 1, nodes)
    most = MOST_TEMPERATURES if adapting and temperatures is None else None
    return replace(Tempering.of(path, adapt=adapting), most_temperatures=most)


def _named(name: str, steps: int, nodes: int) -> Path:
    if name == "harmonic":
        return harmonic(steps)
    if name == "bridge":
        return [(1.0, place) for place in bridge(steps, nodes)]
    return uniform_bridge(steps, nodes) if name == "uniform bridge" else linear(steps)


def usual_steps_between_exchanges(nodes: int) -> int:
    """Return the number of steps at each temperature between exchanges: one for four nodes.

    A step changes little of a large state, and threads that move the temperatures of a chain wait
    for each other at every exchange.
    """
    return max(1, nodes // 4)


def refuse_without_bridge(space: Space, name: str) -> None:
    """Refuse a ladder or a schedule over the bridge in a space without a bridge."""
    if not space.has_bridge:
        having = quoted(word for word, kind in NAMED_SPACES.items() if kind.has_bridge)
        raise ArgumentError(
            option(name),
            " goes over the bridge from the order-modular posterior to the modular one, which "
            f"{type(space).__name__} does not have; use the space {having}",
        )


def as_path(value: object) -> Path:
    """Return inverse temperatures, or pairs of them and positions on the bridge, up to 1."""
    given = as_list(value, option("ladder"), "increasing numbers up to 1")
    if not any(isinstance(point, tuple | list) for point in given):
        return as_rising(given, "ladder")
    numbers = real_numbers(given, option("ladder"))
    pairs = [(row[0], row[1]) for row in numbers.tolist()] if numbers.shape[1:] == (2,) else []
    rising = all(
        low[0] <= high[0] and low[1] <= high[1] and low != high for low, high in pairwise(pairs)
    )
    if len(pairs) < 2 or not rising or min(pairs[0]) < 0 or pairs[-1] != (1.0, 1.0):
        raise ArgumentError(
            option("ladder"),
            f" is {shown(value)}; give pairs of which no number falls, from 0 or more up to (1, 1)",
        )
    return pairs


def as_rising(value: object, name: str) -> list[float]:
    """Return inverse temperatures as a list, or refuse unless they increase from >= 0 to 1."""
    given = real_numbers(value, option(name))
    numbers: list[float] = given.tolist() if given.ndim == 1 else []
    increasing = all(low < high for low, high in pairwise(numbers))
    if len(numbers) < 2 or not increasing or numbers[0] < 0 or numbers[-1] != 1:
        raise ArgumentError(
            option(name), f" is {shown(value)}; give increasing numbers from 0 or more up to 1"
        )
    return numbers
