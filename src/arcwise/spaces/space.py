"""`Space`: what every space tells the algorithms, and how it gets a word."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from arcwise import _core
from arcwise.model.modularity import Modularity
from arcwise.sums import ScoreSums
from arcwise.support.plain import plain

NAMED_SPACES: dict[str, type[Space]] = {}
"""The spaces that have a name, which is the core's name for them too."""


class Space(ABC):
    """A set of states to sample from, such as all orders of the variables.

    A space is a description, a frozen dataclass; `build` makes it for the score sums of a
    model. Written ``class Mine(Space, name="mine")``, it can also be asked for as ``"mine"``,
    and runs in it can be resumed.

    Examples
    --------
    >>> import math
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "c"], lambda node, parents: 0.0)
    >>> space: Space = arcwise.spaces.LinearOrders()
    >>> round(math.exp(space.build(arcwise.sums.ScoreSums(model)).log_size))
    6
    """

    name: ClassVar[str]
    """The name of the space, in the core as well."""

    modularity: ClassVar[Modularity] = "order-modular"
    """The posterior whose law the states follow; 1 / (number of orders) leads to the other."""

    states_are_dags: ClassVar[bool] = False
    """Whether a state is one DAG, rather than a set of them whose weights are summed."""

    first_steps: ClassVar[int] = 51_200
    """Steps of a chain before a stopping rule is first asked, which take a moment.

    Chains from independent starts may agree long before a rare passage to another mode."""

    has_bridge: ClassVar[bool] = False
    """Whether paths to its posterior can go over the bridge from the order-modular one."""

    def __init_subclass__(cls, name: str | None = None, **keywords: Any) -> None:
        """Enter the class among the named spaces if it gives a name."""
        super().__init_subclass__(**keywords)
        if name is not None:
            cls.name = name
            NAMED_SPACES[name] = cls

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return the words it is asked for by, with what may follow after a colon."""
        return (cls.name,)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for what follows its name after a colon; None if there is no such."""
        return None if argument else cls()

    @property
    def adapts_moves(self) -> bool:
        """Whether chains can adapt the shares of its kinds of moves."""
        return False

    def on(self, sums: ScoreSums) -> Space:
        """Return the space with all that it leaves to the model chosen, such as a layer's size."""
        return self

    @abstractmethod
    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""

    def build_named(
        self,
        sums: ScoreSums,
        moves: Mapping[str, float] | None = None,
        numbers: Mapping[str, int] | None = None,
        orders: Mapping[str, Sequence[int]] | None = None,
    ) -> _core.Space:
        """Return the space that the core has under this name, with settings by name."""
        given = {kind: list(masks) for kind, masks in (orders or {}).items()}
        shares = {kind: float(share) for kind, share in (moves or {}).items()}
        return _core.build_space(self.name, sums.core, shares, dict(numbers or {}), given)

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what else to try where chains in this space do not converge."""
        return ["the space partitions"] if modularity == "modular" else []

    def plain(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return its settings as plain values, for files."""
        return plain(vars(self))  # type: ignore[no-any-return]

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Self:
        """Return the space of plain values."""
        return cls(**values)


def is_size(text: str) -> bool:
    """Say whether a text is a number of variables."""
    return text.isdecimal() and len(text) < 10
