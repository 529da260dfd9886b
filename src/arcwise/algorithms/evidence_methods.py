"""The methods by which the evidence is computed or estimated."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from arcwise.algorithms.ais import ais
from arcwise.algorithms.bennett_evidence import bennett_evidence
from arcwise.algorithms.bridge_evidence import bridge_evidence
from arcwise.algorithms.exact import exact
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.smc import smc
from arcwise.errors import ArgumentError, TimeIsUpError, option
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.runs import ChainRun
from arcwise.spaces import CanonicalOrders, LinearOrders, Partitions, Space, as_space
from arcwise.support.arguments import refuse_unknown
from arcwise.support.words import quoted, shown


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
    BENNETT = "bennett"


def as_evidence_method(value: Any) -> EvidenceMethod:
    """Return the method of a name, or refuse it."""
    if isinstance(value, str) and value in set(EvidenceMethod):
        return EvidenceMethod(value)
    raise ArgumentError(
        option("method"), f" is {shown(value)}; give one of {quoted(map(str, EvidenceMethod))}"
    )


def space_of_method(method: EvidenceMethod, modularity: Modularity) -> Space:
    """Return the space in which a method samples unless another is given.

    Examples
    --------
    >>> space_of_method(EvidenceMethod.SMC, "modular")
    CanonicalOrders(moves=None, numbering=None)
    >>> space_of_method(EvidenceMethod.AIS, "order-modular")
    LinearOrders(moves=None)
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
        refuse_unknown(options, _OF_BRIDGE, "bridge")
        return bridge_evidence(model, modularity, **options)
    if method is EvidenceMethod.BENNETT:
        refuse_unknown(options, _OF_BENNETT, "bennett")
        return bennett_evidence(model, modularity, **options)
    given = {"space": space_of_method(method, modularity)} | options
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


_OF_BRIDGE = frozenset(inspect.signature(bridge_evidence).parameters) - {"model", "modularity"}
_OF_BENNETT = frozenset(inspect.signature(bennett_evidence).parameters) - {"model", "modularity"}


def _of(posterior: Posterior) -> Evidence:
    if posterior.evidence is not None:
        return posterior.evidence
    run = posterior.run
    tempering = run.settings.tempering if isinstance(run, ChainRun) else None
    if tempering is not None and not tempering.reaches_uniform:
        raise ArgumentError(
            "the ladder does not start at inverse temperature 0, so mc3 does not estimate the "
            "evidence; start it at 0"
        )
    raise TimeIsUpError(
        "the constant of the prior, which the evidence is divided by, takes too long for the "
        "seconds given; give more ",
        option("seconds"),
    )
