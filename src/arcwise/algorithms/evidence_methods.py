"""The methods by which the evidence is computed or estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any

from arcwise.algorithms.bennett_evidence import Bennett, bennett_evidence
from arcwise.algorithms.bridge_evidence import Bridge, bridge_evidence
from arcwise.algorithms.exact import Exact, exactly
from arcwise.algorithms.mc3 import MC3
from arcwise.algorithms.sample import SAMPLED_BY, SAMPLERS
from arcwise.errors import ArgumentError, TimeIsUpError, Wording, option
from arcwise.model import Model
from arcwise.model.modularity import Modularity
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.settings import SamplerSettings
from arcwise.spaces import CanonicalOrders, LinearOrders, Partitions, Space, as_space
from arcwise.support.arguments import refuse_unknown
from arcwise.support.running import Run
from arcwise.support.settings import Settings
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
    model: Model,
    method: EvidenceMethod,
    modularity: Modularity,
    given: Mapping[str, Any],
    run: Run,
) -> Evidence:
    """Return the evidence by one method, but not the combined one, with the options given."""
    known = {each.name for each in fields(_OPTIONS[method])} - {"modularity"}
    refuse_unknown(given, known, method.value)
    for name in () if issubclass(_OPTIONS[method], SamplerSettings) else ("directory", "device"):
        if name in run.specified and (name, method) != ("device", EvidenceMethod.EXACT):
            raise ArgumentError(
                Wording("directory", "--run") if name == "directory" else option(name),
                " is not an option of ",
                option("method", method.value),
                "; leave it out, or choose another method",
            )
    if method is EvidenceMethod.EXACT:
        return _of(exactly(model, Exact(modularity, **given), run))
    if method is EvidenceMethod.BRIDGE:
        return bridge_evidence(model, modularity, Bridge(**given), run)
    if method is EvidenceMethod.BENNETT:
        return bennett_evidence(model, modularity, Bennett(**given), run)
    options = {"space": space_of_method(method, modularity), "modularity": modularity, **given}
    space = as_space(options["space"])
    if space.modularity == modularity:
        options = {"dags_per_state": 0} | options  # which the evidence does not need
    if method is EvidenceMethod.MC3:
        bridged = isinstance(space, CanonicalOrders)
        options = {"ladder": "uniform bridge" if bridged else "adapted"} | options
    settings = SAMPLERS[method](**options)
    if isinstance(settings, MC3) and not settings.tempering(len(model.ordinary)).reaches_uniform:
        raise ArgumentError(
            "the ladder does not start at inverse temperature 0, so mc3 does not estimate the "
            "evidence; start it at 0"
        )
    return _of(SAMPLED_BY[settings.sampler](model, settings, run))


_OPTIONS: dict[EvidenceMethod, type[Settings]] = {
    EvidenceMethod.EXACT: Exact,
    EvidenceMethod.BRIDGE: Bridge,
    EvidenceMethod.BENNETT: Bennett,
    **{EvidenceMethod(name): kind for name, kind in SAMPLERS.items() if name != "mcmc"},
}


def _of(posterior: Posterior) -> Evidence:
    if posterior.evidence is not None:
        return posterior.evidence
    raise TimeIsUpError(
        "the constant of the prior, which the evidence is divided by, takes too long for the "
        "seconds given; give more ",
        option("seconds"),
    )
