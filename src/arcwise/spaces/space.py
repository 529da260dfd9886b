"""`Space`: what every space tells the algorithms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from arcwise import _core
from arcwise.model.targets import Target
from arcwise.sums import ScoreSums


class Space(ABC):
    """A set of states to sample from, such as all orders of the variables.

    A space is a description; `build` makes it for the score sums of a model.

    Examples
    --------
    >>> import math
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "c"], lambda node, parents: 0.0)
    >>> space: Space = arcwise.spaces.LinearOrders()
    >>> round(math.exp(space.build(arcwise.sums.ScoreSums(model)).log_size))
    6
    """

    target: ClassVar[Target] = "order-modular"
    """The posterior whose law the states follow; 1 / (number of orders) leads to the other."""

    def on(self, sums: ScoreSums) -> Space:
        """Return the space with all that it leaves to the model chosen, such as a layer's size."""
        return self

    @abstractmethod
    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
