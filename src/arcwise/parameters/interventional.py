"""`interventional`: distributions of discrete variables under intervention, P(y | do(x))."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from arcwise.data import Column, Data
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError
from arcwise.parameters.intervened import Setting, intervened
from arcwise.parameters.level_estimates import Interventional
from arcwise.parameters.requirements import AnyModel, inference
from arcwise.parameters.sampled import Dags, sampled_families
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import quoted

# Draws in all from which means are computed that have no closed form.
_DRAWS = 4_000


def interventional(
    posterior: Dags,
    outcome: str,
    setting: Mapping[str, Hashable],
    *,
    model: AnyModel = None,
    draws: int = 0,
    seed: int = 0,
) -> Interventional:
    """Return the distribution of a variable under interventions on others, P(y | do(x)).

    For each DAG, the parameters are integrated out exactly; DAGs are averaged by their
    weights. The computation uses variable elimination; a DAG for which it needs a table
    of more than 4 million cells is refused.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    outcome
        The variable whose distribution is computed.
    setting
        The level of each variable intervened on; if empty, the result is the marginal
        distribution of the outcome.
    model
        The model of the posterior, with the score `BDeu` or `BDe`; None for the one it has.
        DAGs, and posteriors read from a file, have none.
    draws
        The number of parameter draws for each DAG, for quantiles.
    seed
        The same arguments and seed give the same draws; two settings of the same
        variables share them, so that they can be subtracted.

    Raises
    ------
    CapacityError
        If a table would have too many cells.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> model = arcwise.Model(data, tiers=[["smoke"], ["bronc"], ["dysp"]])
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(100, seed=1)
    >>> smoking = interventional(dags, "dysp", {"smoke": "yes"}, model=model)
    >>> not_smoking = interventional(dags, "dysp", {"smoke": "no"}, model=model)
    >>> round((smoking - not_smoking)["yes"], 1)
    0.2
    """
    found = inference(posterior, model, "interventional")
    data = found.data
    if not any(found.posteriors.levels):
        raise ArgumentError(
            "interventional is for discrete variables, but the score is "
            f"{found.score}; use arcwise.effects for continuous data"
        )
    each = whole_number(draws, "draws", at_least=0)
    place, codes = _codes(outcome, setting, data)
    families = sampled_families(posterior, data.variables)
    if not found.law.has_means:
        each = max(each, -(-_DRAWS // len(families)))
    asked = Setting(place, None, codes)
    given_dags = intervened(families, found.posteriors, asked, each, seed)
    column = _discrete(place, data)
    done = ", ".join(f"{name}={level}" for name, level in setting.items())
    what = f"P({outcome} | do({done}))" if setting else f"P({outcome})"
    levels, means, drawn = column.kind.levels, given_dags.means[:, 0], given_dags.draws[:, 0]
    return Interventional(outcome, levels, what, families, means, drawn, dict(setting), seed)


def _codes(outcome: str, setting: Any, data: Data) -> tuple[int, dict[int, int]]:
    """Return the position of the outcome and the code of each variable intervened on."""
    if not isinstance(setting, Mapping):
        raise ArgumentError(
            f"setting is of type {type(setting).__name__}; give a mapping from variables to levels"
        )
    (place,) = positions([outcome], data.variables, "outcome")
    _discrete(place, data)
    codes = {}
    for node, level in zip(
        positions(setting, data.variables, "setting"), setting.values(), strict=True
    ):
        column = _discrete(node, data)
        known = [(level_type(each), each) for each in column.kind.levels]
        wanted = as_level(level)
        if (level_type(wanted), wanted) not in known:
            raise ArgumentError(
                f"setting gives {column.name!r} the level {level!r}; its levels are "
                f"{quoted(column.kind.levels)}"
            )
        codes[node] = known.index((level_type(wanted), wanted))
    if place in codes:
        raise ArgumentError(
            f"the outcome {outcome!r} is intervened on by setting; give another outcome"
        )
    return place, codes


def _discrete(node: int, data: Data) -> Column:
    column = data.columns[node]
    if not column.size:
        raise ArgumentError(
            f"{column.name!r} is continuous, but interventional is for discrete variables; use "
            "arcwise.effects"
        )
    return column
