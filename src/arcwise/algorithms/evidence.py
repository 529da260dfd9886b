"""`evidence`: the marginal likelihood of the data under a model, exactly or by sampling."""

from __future__ import annotations

from typing import Any, Literal

from arcwise.algorithms.ais import ais
from arcwise.algorithms.exact import exact
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.smc import smc
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.posterior.evidence import Evidence
from arcwise.spaces import as_space

Method = Literal["ais", "smc", "mc3", "exact"]


def evidence(
    model: Model,
    method: Method = "ais",
    *,
    modularity: Modularity = "modular",
    **options: Any,
) -> Evidence:
    """Compute or estimate the log evidence, with a normalised structure prior.

    Parameters
    ----------
    model
        The model.
    method
        ``"ais"``: an unbiased estimate, with lower bounds that hold with high probability.
        ``"smc"``: the same from populations that are resampled, for less time where many
        variables leave few particles any weight. ``"mc3"``: an estimate from coupled
        chains. ``"exact"``: for few variables.
    modularity
        The structure prior: ``"modular"``, or ``"order-modular"``, under which the evidence
        is easier to estimate.
    **options
        Arguments of `ais`, `smc`, `mc3` or `exact`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> found = arcwise.evidence(model, particles=40, steps=500, seed=1, modularity="order-modular")
    >>> exact = arcwise.evidence(model, "exact", modularity="order-modular")
    >>> abs(found.log_evidence - exact.log_evidence) < 1
    True
    """
    wanted = as_modularity(modularity)
    if method == "exact":
        found = exact(model, wanted, **options).evidence
    elif method == "mc3":
        found = mc3(model, modularity=wanted, **_without_dags(wanted, options)).evidence
        if found is None:
            raise ArgumentError(
                "the ladder does not start at inverse temperature 0, so mc3 does not estimate the "
                "evidence; start it at 0"
            )
    elif method in ("ais", "smc"):
        sampler = ais if method == "ais" else smc
        found = sampler(model, modularity=wanted, **_without_dags(wanted, options)).evidence
    else:
        raise ArgumentError(f"method is {method!r}; give 'ais', 'smc', 'mc3' or 'exact'")
    assert found is not None
    return found


def _without_dags(modularity: Modularity, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options, drawing no DAGs where the posterior does not need them."""
    space = as_space(options.get("space", "linear"))
    return {"dags_per_state": 0} | options if space.modularity == modularity else options
