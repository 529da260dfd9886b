"""`Request`: the arguments of `learn`, checked before anything takes time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.sample import SAMPLERS, arguments_of
from arcwise.algorithms.sample import SamplerOptions as AnySampler
from arcwise.algorithms.sampler_options import SamplerOptions
from arcwise.constraints import Constraints
from arcwise.constraints.arguments import NAMES, SYNONYMS, ConstraintArguments
from arcwise.data.arguments import ReadingArguments
from arcwise.errors import ArgumentError, option
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.model.question import BY_EVIDENCE
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.settings import Recording
from arcwise.records.stopping_rule import StoppingRule, as_stopping_rule
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import Space
from arcwise.support.arguments import refuse_unknown
from arcwise.support.checks import checked_seed, folder_path, whole_number
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.devices import as_device
from arcwise.support.running import Progress
from arcwise.support.settings import setting
from arcwise.support.words import quoted, shown

_ALGORITHMS = (Algorithm.EXACT, *(Algorithm(name) for name in SAMPLERS))


def as_algorithm(name: str | None) -> Algorithm | None:
    """Return the algorithm of a name, None for None, or refuse the name."""
    if name is None:
        return None
    if not isinstance(name, str) or name not in _ALGORITHMS:
        raise ArgumentError(
            option("algorithm"),
            f" is {shown(name)}; give one of {quoted(_ALGORITHMS)}, or leave it out to have it "
            "chosen",
        )
    return Algorithm(name)


class FurtherArguments(ConstraintArguments, ReadingArguments, SamplerOptions, total=False):
    """Further arguments of `learn`: constraints, and options of `read` and of samplers."""


@dataclass(frozen=True, kw_only=True)
class LearnOptions(AnySampler):
    """The options of samplers, of which `learn` chooses what is not specified."""

    until: str | StoppingRule | None = setting(
        "auto",
        'The stopping rule of mcmc and mc3, see `mcmc`. ``"auto"``: ``"rhat<1.01, ess>400, '
        'edge_rhat<1.05, edge_ess>400, difference<0.05"``. None for no rule: the budget is spent '
        "in full.",
        help="The stopping rule of mcmc and mc3, such as 'rhat<1.01, ess>400'; none to spend the "
        "whole budget (default: auto).",
        metavar="auto|none|RULE",
        kind=str | None,
    )


@dataclass(frozen=True)
class Request:
    """What `learn` computes and how; what is None is chosen by arcwise.

    The fields are the arguments of `learn`. In place of its seconds there is the clock of the whole
    call; `constraints` and `options` are further arguments, of families and of the algorithm.
    """

    score: Any = None
    prior: Any = None
    edge_probabilities: Any = None
    constraints: Constraints = field(default_factory=Constraints)
    candidates: Any = None
    max_candidates: int = DEFAULT_MAX_SIZE
    plus_one: bool | None = None
    modularity: Modularity = "modular"
    algorithm: Algorithm | None = None
    space: Space | None = None
    chains: int | None = None
    particles: int | None = None
    until: str | None = "auto"
    steps: int | None = None
    deadline: Deadline = NEVER
    dags: int | None = None
    completions: int | None = None
    seed: int = 0
    engine: Any = None
    threads: int | None = None
    device: object = None
    progress: Progress = True
    directory: str | os.PathLike[str] | None = None
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse at once what the algorithm would refuse only after minutes of scoring."""
        as_modularity(self.modularity)
        checked_seed(self.seed)
        as_device(self.device)
        if self.directory is not None:
            folder_path(self.directory, "directory")
        for name in ("max_candidates", "dags", "completions", "chains", "particles"):
            value = getattr(self, name)
            if value is not None:
                least = {"dags": 0, "completions": 2}.get(name, 1)
                number = whole_number(value, option(name), at_least=least)
                object.__setattr__(self, name, number)
        if self.particles is not None and not self.annealed:
            raise ArgumentError(
                option("particles"),
                " applies to ais and smc only; leave it out, or add ",
                option("algorithm", "ais"),
            )
        if self.algorithm is Algorithm.EXACT and (self.wants_a_sampler or self.options):
            raise ArgumentError(
                option("algorithm"),
                " is 'exact', which has no space, chains, steps or stopping rule; leave these out, "
                "or choose a sampler",
            )
        if self.space is not None:
            Recording(self.space, modularity=self.modularity)
        rule = None if isinstance(self.until, str) and self.until == "auto" else self.until
        if self.annealed and (rule is not None or self.chains is not None):
            raise ArgumentError(
                option("until" if rule is not None else "chains"),
                f" applies to mcmc and mc3 only; limit {self.algorithm} by ",
                option("particles"),
                " or ",
                option("seconds"),
            )
        Budget(
            None if self.annealed else self.steps,
            self.seconds,
            until=as_stopping_rule(rule),
        )

    @property
    def annealed(self) -> bool:
        """Whether the algorithm requested anneals particles instead of running chains."""
        return self.algorithm in (Algorithm.AIS, Algorithm.SMC)

    @property
    def seconds(self) -> float | None:
        """The seconds for the whole call."""
        return self.deadline.seconds

    @property
    def prior_given(self) -> bool:
        """Whether the prior is not to be chosen by the evidence of the data."""
        by_evidence = isinstance(self.prior, str) and self.prior == BY_EVIDENCE
        return self.prior is not None and not by_evidence

    @property
    def wants_a_sampler(self) -> bool:
        """Whether an argument was given that only samplers have."""
        asked = (self.space, self.chains, self.steps)
        return any(value is not None for value in asked) or self.until not in ("auto", None)

    @property
    def settles_the_sampler(self) -> bool:
        """Whether algorithm, space or anything that depends on them was given."""
        asked = (self.algorithm, self.space, self.chains, self.steps)
        return any(value is not None for value in asked) or bool(self.options)


@dataclass(frozen=True)
class ArgumentGroups:
    """The further arguments of `learn`, grouped by what they are for."""

    constraints: ConstraintArguments
    reading: ReadingArguments
    sampler: dict[str, Any]

    @classmethod
    def split(
        cls, arguments: FurtherArguments, algorithm: Algorithm | None, own: frozenset[str]
    ) -> ArgumentGroups:
        """Group the arguments, and refuse unknown names; `own` are those of `learn` itself."""
        reading = frozenset(ReadingArguments.__annotations__)
        sampler = (
            frozenset()
            if algorithm is Algorithm.EXACT
            else arguments_of(algorithm or Algorithm.MCMC)
        ) & frozenset(SamplerOptions.__annotations__)
        refuse_unknown(arguments, {*own, *NAMES, *reading, *sampler}, "learn", SYNONYMS)
        given: dict[str, Any] = dict(arguments)
        constraints: Any = {name: given[name] for name in NAMES if name in given}
        of_table: Any = {name: value for name, value in given.items() if name in reading}
        return cls(
            constraints,
            of_table,
            {name: value for name, value in given.items() if name in sampler},
        )
