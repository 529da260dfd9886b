"""`Request`: what `learn` computes, checked before any computation starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

from arcwise.algorithms.growth_state import DEFAULT_MAX_SIZE
from arcwise.algorithms.sample import SAMPLERS, SamplerOptions, refuse_options_of_others
from arcwise.errors import ArgumentError, Wording, option
from arcwise.model.question import BY_EVIDENCE
from arcwise.records.settings import Algorithm, Budget, Recording, StoppingRule, as_stopping_rule
from arcwise.support.checks import true_or_false, whole_number
from arcwise.support.names import quoted, shown
from arcwise.support.settings import Settings, setting, setting_like

_ALGORITHMS = (Algorithm.EXACT, *(Algorithm(name) for name in SAMPLERS))
_CHOSEN_HERE = frozenset({"modularity", "space", "chains", "particles", "until", "steps"})
"""Options of samplers that have their own defaults in `learn`."""


def as_algorithm(value: Any, name: Wording) -> Algorithm:
    """Return the algorithm of a name, or refuse the name."""
    if not isinstance(value, str) or value not in _ALGORITHMS:
        raise ArgumentError(
            name,
            f" is {shown(value)}; give one of {quoted(_ALGORITHMS)}, or leave it out to have it "
            "chosen",
        )
    return Algorithm(value)


def _at_least(least: int) -> Callable[[Any, Wording], int]:
    return partial(whole_number, at_least=least)


@dataclass(frozen=True, kw_only=True)
class Request(SamplerOptions):
    """What `learn` computes; what is not specified is chosen by arcwise."""

    score: Any = setting(
        None,
        "As for `Model`. By default `BDeu` for discrete data, `BGe` for continuous and "
        "`ConditionalGaussian` for mixed ones, with the equivalent sample size by the evidence of "
        "the data; with a prior, the scores' own parameters.",
        in_shell=False,
    )
    prior: Any = setting(
        None,
        "As for `Model`. By default `Sparse`, with the expected number of parents by the evidence "
        "of the data.",
        in_shell=False,
    )
    edge_probabilities: Any = setting(
        None,
        'Prior probabilities of edges, as in ``{("smoke", "lung"): 0.9}``, beside the prior; see '
        "`arcwise.priors.EdgeProbabilities`.",
        help="A .csv file with the header from,to,probability: the prior probabilities of edges.",
        metavar="FILE",
        kind=Path | None,
        in_shell=False,
    )
    candidates: Any = setting(
        None,
        '``"all"``: every parent set; ``"grow"``: candidates by `arcwise.grow`, starting from '
        'those of ``"pc"``, or from another method as in ``"grow:greedy:6"``; a method of '
        '`arcwise.candidates` such as ``"greedy:8"``; or the candidates themselves. None: all '
        "parent sets if there are at most two million and they can be scored in a minute (or in "
        "half of the `seconds`), otherwise grown candidates.",
        help="The candidate parents: chosen by a method, K for each node (default: 8; join "
        "methods by + to unite their candidates, as in pc+greedy:6), or read from a file "
        "(a .csv of source,target pairs, an adjacency matrix with a header, or a .json).",
        metavar="pc|greedy[:K]|gains[:K]|FILE",
        kind=str | None,
        in_shell=False,
    )
    max_candidates: int = setting(
        DEFAULT_MAX_SIZE,
        "The maximum number of candidates of a node when they are grown.",
        check=_at_least(1),
        help="Maximum number of candidates of a node with --grow.",
        metavar="N",
        in_shell=False,
        shell_default=DEFAULT_MAX_SIZE,
    )
    plus_one: bool | None = setting(
        None,
        "With candidates that are chosen or given, whether a parent set may have one parent that "
        "is not a candidate; None for yes.",
        check=true_or_false,
        help="Allow each parent set one parent that is not a candidate.",
        kind=bool,
        in_shell=False,
    )
    algorithm: Algorithm | Literal["exact", "mcmc", "mc3", "ais", "smc"] | None = setting(
        None,
        '``"exact"``, ``"mcmc"``, ``"mc3"``, ``"ais"`` or ``"smc"``; None for exact where it is '
        "cheap and no argument calls for a sampler, otherwise mcmc, or mc3 after a trial.",
        check=as_algorithm,
        help="auto: exact where that is cheap, otherwise mcmc, or mc3 where chains stay apart "
        "(default: auto).",
        kind=Literal["auto", "exact", "mcmc", "mc3", "ais", "smc"],
    )
    space: Any = setting_like(
        SamplerOptions,
        "space",
        None,
        "The space that chains or particles move in; None for the usual one, see `sample`.",
    )
    chains: int | None = setting_like(  # type: ignore[assignment]
        SamplerOptions,
        "chains",
        None,
        'The number of chains of ``"mcmc"`` and ``"mc3"``; by default 16 up to 32 variables, 8 up '
        "to 128 and otherwise 4, and 4 coupled ones.",
    )
    particles: int | None = setting_like(
        SamplerOptions,
        "particles",
        None,
        'The number of particles of ``"ais"``, 1,000 by default, or of each population of '
        '``"smc"``, 256 by default.',
    )
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
    steps: int | None = setting_like(
        SamplerOptions,
        "steps",
        None,
        "The maximum number of steps of each chain; by default the steps that take about a minute "
        "on one core, more for many variables. With a budget in steps, the same seed gives the "
        "same result everywhere.",
    )
    dags: int | None = setting(
        None,
        'With ``"exact"``: the number of DAGs drawn from the posterior, from which causal effects '
        "and features other than edges and paths are estimated. None for 10,000.",
        check=_at_least(0),
        help="Number of DAGs drawn from an exact posterior (default: 10,000).",
        metavar="N",
    )
    completions: int | None = setting(
        None,
        "Where values are missing: the number of completed tables that the posterior is averaged "
        "over. They are drawn by chains over DAGs, parameters and missing values, `chains` of them "
        "(4 by default), as if these were missing at random. None for as many as bring the "
        "standard error of every edge probability to 0.02, from 40 to 160. `steps` are then those "
        "over the DAGs of each table, where these are too many for exact computation.",
        check=_at_least(2),
        help="Where values are missing: the number of completed tables to average over (default: "
        "as many as the precision of the result needs, 40 to 160).",
        metavar="N",
    )

    def __post_init__(self) -> None:
        """Refuse at once what the algorithm would refuse only after minutes of scoring."""
        Settings.__post_init__(self)  # without the checks of combinations, which samplers make
        if self.algorithm is not Algorithm.EXACT:
            refuse_options_of_others(self.options, self.algorithm or Algorithm.MCMC)
        if self.particles is not None and not self.annealed:
            raise ArgumentError(
                option("particles"),
                " applies to ais and smc only; leave it out, or add ",
                option("algorithm", "ais"),
            )
        if self.algorithm is Algorithm.EXACT and self.wants_a_sampler:
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

    def refuse_two_budgets(self, seconds: float | None) -> None:
        """Refuse seconds beside steps."""
        rule = None if isinstance(self.until, str) and self.until == "auto" else self.until
        Budget(None if self.annealed else self.steps, seconds, until=as_stopping_rule(rule))

    @property
    def options(self) -> dict[str, Any]:
        """The options of the sampler that were specified, besides those chosen here."""
        return {
            name: value
            for name, value in self.specified.items()
            if name in _OF_SAMPLERS and name not in _CHOSEN_HERE
        }

    @property
    def annealed(self) -> bool:
        """Whether the algorithm requested anneals particles instead of running chains."""
        return self.algorithm in (Algorithm.AIS, Algorithm.SMC)

    @property
    def prior_given(self) -> bool:
        """Whether the prior is not to be chosen by the evidence of the data."""
        by_evidence = isinstance(self.prior, str) and self.prior == BY_EVIDENCE
        return self.prior is not None and not by_evidence

    @property
    def wants_a_sampler(self) -> bool:
        """Whether an argument was given that only samplers have."""
        asked = (self.space, self.chains, self.steps)
        given = any(value is not None for value in asked) or self.until not in ("auto", None)
        return given or bool(self.options)

    @property
    def settles_the_sampler(self) -> bool:
        """Whether algorithm, space or anything that depends on them was given."""
        asked = (self.algorithm, self.space, self.chains, self.steps)
        return any(value is not None for value in asked) or bool(self.options)


_OF_SAMPLERS = frozenset(each.name for each in fields(SamplerOptions))
