"""`BucketOrders`: orders in which only the bucket of each variable is fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from arcwise import _core
from arcwise.model.modularity import Modularity
from arcwise.spaces.space import Space, is_size
from arcwise.sums import ScoreSums
from arcwise.support.checks import MOST_INT, whole_number


@dataclass(frozen=True)
class BucketOrders(Space, name="buckets"):
    """Balanced bucket orders: a row of buckets, any order within each.

    One state stands for all orders that agree with it, so there are fewer and
    their weights are smoother than those of linear orders; a step costs about
    ``size * 2**size`` sums more.

    Parameters
    ----------
    size
        The number of variables in a bucket, up to 20; the last bucket may have
        fewer. With all variables in one bucket every draw is independent.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> posterior = arcwise.mcmc(model, BucketOrders(4), steps=500, chains=2, seed=1)
    >>> posterior.run.settings.space
    BucketOrders(size=4)
    """

    size: int

    def __post_init__(self) -> None:
        """Refuse a size that is none."""
        whole_number(self.size, "size", at_least=1, at_most=MOST_INT)

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model."""
        return self.build_named(sums, numbers={"size": self.size})

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return its word, which needs a size."""
        return ("buckets:SIZE",)

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return the space for a size."""
        return cls(int(argument)) if is_size(argument) else None

    def advice(self, modularity: Modularity) -> list[str]:
        """Return what else to try: states that stand for more orders."""
        return [*super().advice(modularity), "larger buckets"]
