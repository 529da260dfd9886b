"""`Budget`: how long chains run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcwise.errors import ArgumentError
from arcwise.records.stopping_rule import Condition, StoppingRule
from arcwise.support.checks import whole_number

# States kept of each chain unless told otherwise: one in 2 n steps within these bounds. More would
# say little more, and DAGs drawn from them would fill the memory.
_FEWEST_DRAWS = 1_000
_MOST_DRAWS = 10_000


@dataclass(frozen=True)
class Budget:
    """How long chains run: steps, seconds, or until they are good enough.

    Parameters
    ----------
    steps
        Steps of each chain, burn-in included.
    seconds
        Wall-clock time, burn-in included.
    effective_samples
        The effective number of samples wanted of the log weight, all chains
        together: another way to write a rule.
    burn_in
        The share of steps or seconds at the start that is not kept.
    thinning
        Steps between two kept states; None for 2 n, but at least 1,000 states of
        each chain and at most 10,000.
    until
        A rule; with steps or seconds besides, whichever comes first.
    """

    steps: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None
    burn_in: float = 0.5
    thinning: int | None = None
    until: StoppingRule | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.steps is not None:
            whole_number(self.steps, "steps", at_least=2)
            if self.seconds is not None:
                raise ArgumentError("give steps, or seconds, not both")
        for name in ("seconds", "effective_samples"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ArgumentError(f"{name} is {value!r}; give a positive number")
        if not 0 <= self.burn_in < 1:
            raise ArgumentError(f"burn_in is {self.burn_in!r}; give a share from 0 to below 1")
        if self.thinning is not None:
            whole_number(self.thinning, "thinning", at_least=1)
        if self.rule is not None and self.burn_in != 0.5:
            raise ArgumentError(
                f"burn_in is {self.burn_in!r}, and where a rule ends the run about half of it is "
                "burn-in; leave burn_in out, or give steps or seconds alone"
            )

    @property
    def rule(self) -> StoppingRule | None:
        """What ends the run before steps or seconds do, if anything."""
        rule = self.until
        if self.effective_samples is None:
            return rule
        wanted = StoppingRule((Condition("ess", float(self.effective_samples)),))
        return wanted if rule is None else rule & wanted

    def resolved(self, nodes: int) -> Budget:
        """Return it with the usual number of steps, if it sets no end."""
        if (self.steps, self.seconds, self.rule) != (None, None, None):
            return self
        return replace(self, steps=max(20_000, 200 * nodes**2))

    def thinned(self, steps: int, nodes: int) -> int:
        """Return the steps between kept states for a chain of so many steps."""
        if self.thinning is not None:
            return self.thinning
        draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, steps // (2 * nodes)))
        return max(1, steps // draws)
