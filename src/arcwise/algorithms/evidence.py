"""`evidence`: the marginal likelihood of the data under a model, exactly or by sampling."""

from __future__ import annotations

from typing import Any, Literal

from arcwise.algorithms.combined_evidence import combined
from arcwise.algorithms.evidence_methods import EvidenceMethod, as_evidence_method, by_method
from arcwise.errors import ArgumentError, option
from arcwise.model import Model, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior.evidence import Evidence
from arcwise.support.clock import Deadline
from arcwise.support.words import quoted

Method = Literal["combined", "exact", "ais", "smc", "mc3", "bridge", "bennett"]

_OF_ALL_METHODS = ("seed", "engine", "threads", "progress")


def evidence(
    model: Model,
    method: Method = "combined",
    *,
    modularity: Modularity = "modular",
    seconds: float | Deadline | None = None,
    **options: Any,
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
    modularity
        The structure prior: ``"modular"``, or ``"order-modular"``, under which the evidence
        is easier to estimate.
    seconds
        The time for the whole call.
    **options
        For all methods `seed`, `engine`, `threads` and `progress`; for a single method, the
        arguments of `ais`, `smc`, `mc3` or `exact`, or for the bridge `particles` and `runs` of
        its populations and the `steps` of a particle; for bennett these of populations of orders,
        the `steps` of a chain over DAGs, and the `draws` that are counted. Without a
        `space`, smc and mc3 move over canonical orders and ais over partitions; over linear
        orders, if the prior is order-modular.

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
        others = sorted(set(options) - set(_OF_ALL_METHODS))
        if others:
            raise ArgumentError(
                f"{quoted(others)} can only be given for a single method; give ",
                option("method"),
                " as well, or leave it out",
            )
        return combined(model, wanted, Deadline.of(seconds), options)
    return by_method(
        model, chosen, wanted, options | ({} if seconds is None else {"seconds": seconds})
    )
