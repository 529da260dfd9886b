"""`evidence`: the marginal likelihood of the data under a model, exactly or by sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arcwise.algorithms.ais import AIS
from arcwise.algorithms.bennett_evidence import Bennett
from arcwise.algorithms.bridge_evidence import Bridge
from arcwise.algorithms.combined_evidence import combined
from arcwise.algorithms.evidence_methods import EvidenceMethod, as_evidence_method, by_method
from arcwise.algorithms.exact import Exact
from arcwise.algorithms.mc3 import MC3
from arcwise.algorithms.smc import SMC
from arcwise.errors import ArgumentError, option
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior.evidence import Evidence
from arcwise.records.settings import OfModel
from arcwise.spaces import space_words
from arcwise.support.running import Run
from arcwise.support.settings import keywords_of, setting
from arcwise.support.words import quoted

Method = Literal["combined", "exact", "ais", "smc", "mc3", "bridge", "bennett"]


@dataclass(frozen=True, kw_only=True)
class EvidenceOptions(MC3, AIS, SMC, Bridge, Bennett, Exact):
    """The options of all methods; each takes its own."""

    space: Any = setting(
        None,
        "The space that chains or particles move in; None for canonical orders with smc and mc3, "
        "partitions with ais, and linear orders if the prior is order-modular.",
        help="The space that chains or particles move in (default: canonical, partitions with ais, "
        "and linear with --modularity order-modular).",
        metavar="|".join(space_words()),
        kind=str | None,
    )
    modularity: Modularity = setting(
        "modular",
        'The structure prior: ``"modular"``, or ``"order-modular"``, under which the evidence is '
        "easier to estimate.",
    )
    particles: int | None = setting(
        None,
        "The number of particles of ais, or of each population of smc, bridge and bennett.",
        help="Number of particles of ais (default: 100), or of each population of smc (256).",
        metavar="N",
    )
    runs: int | None = setting(
        None,
        "The number of populations of smc, bridge and bennett.",
        help="Number of populations of smc (default: 8).",
        metavar="N",
    )
    steps: int | None = setting(
        None,
        "The number of steps of a chain of mc3, or of bennett over DAGs; the annealing steps of a "
        "particle of ais; the steps of a particle of smc at each temperature, or over the bridge.",
        help="Number of steps of each chain, burn-in included; for ais, number of annealing steps "
        "of each particle; for smc, of its steps at each temperature.",
        metavar="N",
    )


@dataclass(frozen=True)
class _OfMethod(OfModel):
    method: Method = "combined"


@dataclass(frozen=True, kw_only=True)
class EvidenceArguments(Run, EvidenceOptions, _OfMethod):
    """The arguments of `evidence`."""


@keywords_of(EvidenceArguments)
def evidence(
    model: Model,
    run: Run,
    method: Method,
    modularity: Modularity,
    **given: Any,
) -> Evidence:
    """Compute or estimate the log evidence, with a normalised structure prior.

    Parameters
    ----------
    model
        The model.
    method
        ``"combined"``: exact where that is cheap. Otherwise two of the following, which are
        averaged, weighted by the inverse of their variances, if both are reliable and they
        agree; if they do not, the result says so. ``"exact"``: for few variables. ``"bridge"``:
        the exact evidence under the order-modular prior, for up to about 28 variables, carried
        over to the modular prior by populations of exactly drawn orders that are annealed along
        the bridge between the two; unbiased, with lower bounds. ``"bennett"``: populations of
        linear orders estimate the order-modular evidence, and Bennett's acceptance ratio, from the
        numbers of topological orders of DAGs of both posteriors, leads to the modular one; the
        most precise beyond 28 variables. Orders that are too many to count are estimated.
        ``"smc"``: populations of particles that are resampled as they cool, an unbiased
        estimate with lower bounds that hold with high probability. ``"ais"``: the same from
        single particles, which takes many more steps where there are many variables.
        ``"mc3"``: an estimate from coupled chains.

    Returns
    -------
    Evidence
        With a verdict and, where there are enough effective runs, a standard error and a
        95 % interval.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> exact = arcwise.evidence(model)
    >>> exact.verdict
    'exact'
    >>> found = arcwise.evidence(model, "smc", particles=50, seed=1)
    >>> found.verdict, found.interval.low < exact.log_evidence < found.interval.high
    ('reliable', True)
    """
    checked_model(model)
    wanted = as_modularity(modularity)
    chosen = as_evidence_method(method)
    if chosen is EvidenceMethod.COMBINED:
        if given:
            raise ArgumentError(
                f"{quoted(sorted(given))} can only be given for a single method; give ",
                option("method"),
                " as well, or leave it out",
            )
        return combined(model, wanted, run)
    with run.telling():
        return by_method(model, chosen, wanted, given, run)
