"""`Request`: what a user asks for, checked before anything takes time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arcwise.algorithms.ais import ais
from arcwise.algorithms.exact import exact
from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.mcmc import mcmc
from arcwise.constraints import Constraints
from arcwise.errors import ArgumentError
from arcwise.model.targets import Target, as_target
from arcwise.posterior import Posterior
from arcwise.priors import as_prior
from arcwise.records.budget import Budget
from arcwise.records.recording import Recording
from arcwise.records.stopping_rule import as_stopping_rule
from arcwise.spaces import Space, as_space
from arcwise.support.checks import whole_number
from arcwise.support.names import quoted
from arcwise.support.running import Progress

ALGORITHMS: dict[str, Callable[..., Posterior]] = {
    "exact": exact,
    "mcmc": mcmc,
    "mc3": mc3,
    "ais": ais,
}

READING = ("names", "kinds", "levels", "missing", "constant", "weights", "interventions")

# What `sample` has words of its own for, or sees to itself.
_OWN = {
    *("model", "space", "target", "seed", "threads", "progress", "sums", "dags"),
    *("steps", "seconds", "chains", "runs", "until"),
}


@dataclass(frozen=True)
class Request:
    """The arguments of `sample`; what is None is for arcwise to choose.

    Parameters
    ----------
    data, score, prior, constraints, candidates, max_candidates, plus_one, target, algorithm, \
space, chains, until, steps, seconds, dags, seed, threads, progress
        See `sample`.
    reading
        Further arguments of `arcwise.read`.
    options
        Further arguments of the algorithm.
    """

    data: Any
    score: Any = None
    prior: Any = None
    constraints: Constraints = field(default_factory=Constraints)
    candidates: Any = None
    max_candidates: int = DEFAULT_MAX_SIZE
    plus_one: bool | None = None
    target: Target = "modular"
    algorithm: str | None = None
    space: Space | None = None
    chains: int | None = None
    until: str | None = "auto"
    steps: int | None = None
    seconds: float | None = None
    dags: int | None = None
    seed: int = 0
    threads: int | None = None
    progress: Progress = True
    reading: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what the algorithm would refuse after minutes of scoring."""
        as_target(self.target)
        as_prior(self.prior)
        if self.algorithm is not None and self.algorithm not in ALGORITHMS:
            raise ArgumentError(
                f"algorithm is {self.algorithm!r}; give one of {quoted(ALGORITHMS)}, or leave it "
                "out to have it chosen"
            )
        whole_number(self.seed, "seed", at_least=0)
        whole_number(self.max_candidates, "max_candidates", at_least=1)
        if self.dags is not None:
            whole_number(self.dags, "dags", at_least=0)
        if self.chains is not None:
            whole_number(self.chains, "chains", at_least=1)
        if self.algorithm == "exact" and self.wants_a_sampler:
            raise ArgumentError(
                "algorithm is 'exact', which has no space, chains, steps or until; leave them out, "
                "or choose a sampler"
            )
        if self.space is not None:
            Recording(self.target).on(self.space)
        rule = self.until if self.until != "auto" else None
        if self.algorithm == "ais" and rule is not None:
            raise ArgumentError("until is for mcmc and mc3; give ais seconds, or chains for runs")
        Budget(
            self.steps if self.algorithm != "ais" else None,
            self.seconds,
            until=as_stopping_rule(rule),
        )
        self._refuse_unknown_options()

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        space: Any,
        constraints: Any,
        told: Constraints,
        options: Mapping[str, Any],
        **rest: Any,
    ) -> Request:
        """Return the request with its space and constraints in one form, and options told apart."""
        of_reader = {name: value for name, value in options.items() if _is_of_reader(name, value)}
        others = {name: value for name, value in options.items() if name not in of_reader}
        together = told & Constraints.coerce(constraints)
        chosen = None if space is None else as_space(space)
        return cls(
            data, constraints=together, space=chosen, reading=of_reader, options=others, **rest
        )

    @property
    def wants_a_sampler(self) -> bool:
        """Whether anything was asked for that only samplers have."""
        asked = (self.space, self.chains, self.steps)
        return any(value is not None for value in asked) or self.until not in ("auto", None)

    def _refuse_unknown_options(self) -> None:
        name = self.algorithm or "mcmc"
        known = sorted(set(inspect.signature(ALGORITHMS[name]).parameters) - _OWN)
        unknown = [option for option in self.options if option not in known]
        if unknown:
            raise ArgumentError(
                f"sample has no argument {quoted(unknown)}; besides its own and those of read, it "
                f"takes those of {name}, {quoted(known, None)}"
            )


def _is_of_reader(name: str, value: Any) -> bool:
    # Columns have levels, and so has mc3, where they are a number.
    return name in READING and (name != "levels" or isinstance(value, Mapping))
