"""The methods by which the evidence is computed or estimated, one of them over the bridge."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from arcwise.algorithms.ais import ais
from arcwise.algorithms.exact import exact
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.prior_constant import prior_constant
from arcwise.algorithms.smc import smc
from arcwise.diagnostics.evidence import doubts_of_ladder
from arcwise.diagnostics.findings import advice
from arcwise.errors import ArgumentError, option
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.runs import ChainRun
from arcwise.spaces import CanonicalOrders, LinearOrders, Partitions, Space, as_space
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.support.clock import Deadline
from arcwise.support.words import quoted, shown

# Of the time there is, for the exact part of the bridge.
_SHARE_OF_EXACT_PART = 0.5


class EvidenceMethod(StrEnum):
    """How the evidence is found.

    Examples
    --------
    >>> as_evidence_method("smc") is EvidenceMethod.SMC
    True
    """

    COMBINED = "combined"
    EXACT = "exact"
    AIS = "ais"
    SMC = "smc"
    MC3 = "mc3"
    BRIDGE = "bridge"


def as_evidence_method(value: Any) -> EvidenceMethod:
    """Return the method of a name, or refuse it."""
    if isinstance(value, str) and value in set(EvidenceMethod):
        return EvidenceMethod(value)
    raise ArgumentError(
        option("method"), f" is {shown(value)}; give one of {quoted(map(str, EvidenceMethod))}"
    )


def usual_space(method: EvidenceMethod, modularity: Modularity) -> Space:
    """Return the space in which a method samples unless another is given.

    Examples
    --------
    >>> usual_space(EvidenceMethod.SMC, "modular"), usual_space(EvidenceMethod.AIS, "order-modular")
    (CanonicalOrders(moves=None), LinearOrders(moves=None))
    """
    if modularity == "order-modular":
        return LinearOrders()
    return Partitions() if method is EvidenceMethod.AIS else CanonicalOrders()


def by_method(
    model: Model, method: EvidenceMethod, modularity: Modularity, options: dict[str, Any]
) -> Evidence:
    """Return the evidence by one method.

    Parameters
    ----------
    model
        The model.
    method
        The method, but not the combined one.
    modularity
        The structure prior.
    options
        Arguments of the algorithm.
    """
    if method is EvidenceMethod.EXACT:
        return _of(exact(model, modularity, **options))
    if method is EvidenceMethod.BRIDGE:
        return _over_the_bridge(model, modularity, options)
    given = {"space": usual_space(method, modularity)} | options
    space = as_space(given["space"])
    if method is EvidenceMethod.MC3 and isinstance(space, CanonicalOrders):
        given = {"ladder": "uniform bridge"} | given
    elif method is EvidenceMethod.MC3:
        given = {"ladder": "adapted"} | given
    if space.modularity == modularity:
        given = {"dags_per_state": 0} | given  # which the evidence does not need
    sampler = _SAMPLERS[method]
    return _of(sampler(model, modularity=modularity, **given))


_SAMPLERS: dict[EvidenceMethod, Callable[..., Posterior]] = {
    EvidenceMethod.AIS: ais,
    EvidenceMethod.SMC: smc,
    EvidenceMethod.MC3: mc3,
}


def _of(posterior: Posterior) -> Evidence:
    if posterior.evidence is None:
        raise ArgumentError(
            "the ladder does not start at inverse temperature 0, so mc3 does not estimate the "
            "evidence; start it at 0"
        )
    return posterior.evidence


def _over_the_bridge(model: Model, modularity: Modularity, options: dict[str, Any]) -> Evidence:
    """Return the exact order-modular evidence, carried over to the modular prior.

    The ratio of the two comes from coupled chains along the bridge between them.
    """
    if modularity == "order-modular":
        raise ArgumentError(
            "the bridge leads from the order-modular evidence to the modular one; for the "
            "order-modular one use ",
            option("method", "exact"),
        )
    refused = {"space", "ladder"} & set(options)
    if refused:
        raise ArgumentError(
            f"the bridge has its own space and ladder; leave out {quoted(sorted(refused))}"
        )
    deadline = Deadline.of(options.get("seconds"))
    threads = options.get("threads")
    memory_limit = options.pop("memory_limit", None)
    orders = exact(
        model,
        "order-modular",
        memory_limit=memory_limit,
        seconds=deadline.part(_SHARE_OF_EXACT_PART) if deadline.limited else None,
        threads=threads,
    ).evidence
    assert orders is not None
    limit = {"seconds": deadline} if deadline.limited else {}
    space = CanonicalOrders()
    coupled = mc3(model, space, ladder="bridge", dags_per_state=0, **(options | limit))
    run = coupled.run
    assert isinstance(run, ChainRun)
    assert run.exchanges is not None
    ratio = run.exchanges.evidence_ratio
    assert ratio is not None
    constant, constant_error = prior_constant(
        model, "modular", space, seed=run.settings.seed, threads=threads
    )
    total = orders.log_evidence + orders.log_prior_constant + ratio.log_weights
    return Evidence.estimated(
        LogEstimate(total, ratio.standard_error**2),
        method="exact order-modular evidence over the bridge",
        advice=advice(run.settings),
        constant=constant,
        constant_error=constant_error,
        doubts=doubts_of_ladder(run.exchanges),
    )
