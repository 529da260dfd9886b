"""`effects`: causal effects by the kind of data, averaged over DAGs and parameters."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import overload

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.parameters.completed import pooled_effect, tables_of
from arcwise.parameters.effect import LevelEffects, LinearEffect, MeanEffects
from arcwise.parameters.effect_matrix import Effects
from arcwise.parameters.intervened import AnyEffect
from arcwise.parameters.requirements import AnyModel, inference, refuse_transformed
from arcwise.parameters.sampled import Dags, dags_of, draws_for_each, sampled_families
from arcwise.posterior import Posterior
from arcwise.support.checks import further_seed
from arcwise.support.names import positions

# The total number of draws: highest-density intervals need thousands.
_DRAWS = 4_000


@overload
def effects(
    posterior: Dags,
    source: str,
    target: str,
    *,
    reference: Hashable = None,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
) -> LinearEffect | LevelEffects | MeanEffects: ...


@overload
def effects(
    posterior: Dags,
    *,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> Effects: ...


def effects(
    posterior: Dags,
    source: str | None = None,
    target: str | None = None,
    *,
    reference: Hashable = None,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> LinearEffect | LevelEffects | MeanEffects | Effects:
    """Return the posterior of the causal effect of one variable on another.

    For continuous data (score `BGe`) it is the total effect per unit: the change in the mean of
    the target if an intervention raises the source by one. For discrete data (`BDeu`, `BDe`) it
    is the distribution of the target if an intervention sets the source to each of its levels,
    P(target | do(source = level)), and how it differs between levels. For mixed data
    (`ConditionalGaussian`) it is the latter between discrete variables; the mean of the target at
    each level of the source, and how it differs, if only the source is discrete; and between
    continuous ones the total effect per unit, averaged over the configurations of the discrete
    variables. A continuous variable has no effect on a discrete one there. DAGs are averaged by
    their weights, and for each the parameters are drawn from their posterior; means are exact
    given the DAGs. In DAGs without a directed path from source to target the effect is 0: their
    probability is stated, and highest-density intervals are given for the others.

    Effects are causal if the variables have no common causes that the data lack.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    source, target
        The two variables. Without them, for continuous data, the effects of all pairs.
    reference
        The level of a discrete source that its other levels are compared with; None for the
        first.
    model
        The model of the posterior; None for its own. DAGs, and posteriors read from a file, have
        none; for the latter, the `Data` are enough.
    draws
        The number of parameter draws for each DAG; None for 4,000 draws in total, and for
        1 draw without source and target.
    seed
        The same arguments and seed give the same draws.
    pairs
        Without source and target: the pairs whose draws to keep, for intervals and standard
        errors. None for all, if that is at most 2^26 numbers; otherwise none are kept.

    Returns
    -------
    LinearEffect, LevelEffects, MeanEffects or Effects
        For continuous data, for discrete data, of a discrete variable on a continuous one, and
        for all pairs.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> model = arcwise.Model(data, tiers=[["smoke"], ["bronc"], ["dysp"]])
    >>> found = effects(arcwise.exact(model, dags=200, seed=1), "smoke", "dysp")
    >>> round(found.difference("yes", "yes").mean, 1)
    0.2
    """
    if source is None and target is None:
        if reference is not None:
            raise ArgumentError("reference is for one source; give source and target, too")
        found = inference(posterior, model, "effects")
        refuse_transformed(posterior, found.data, "effects")
        each = draws_for_each(draws, 1, 1)
        families = sampled_families(posterior, found.data.variables)
        matrix = found.effect_matrix(families, each, seed, pairs)
        return replace(matrix, labels=_labels(found.data))
    if pairs is not None:
        raise ArgumentError("pairs is for all effects at once; leave it out, or source and target")
    dags = dags_of(posterior)
    u, v = _pair(source, target, dags.variables)
    each = draws_for_each(draws, len(dags), _DRAWS)
    effects = []
    for number, (found, families) in enumerate(tables_of(posterior, model, "effects")):
        refuse_transformed(posterior, found.data, "effects", [dags.variables[w] for w in (u, v)])
        further = further_seed(seed, number) if number else seed
        effects.append(found.effect(families, (u, v), reference, each, further))
    tables = posterior.completions if isinstance(posterior, Posterior) else None
    return _on_scales(pooled_effect(tables, effects), found.data)


def _labels(data: Data) -> dict[str, str]:
    """Return the names of transformed columns on the scale of the model."""
    return {name: scale.label(name) for name, scale in data.preparation.scales.items()}


def _on_scales(found: AnyEffect, data: Data) -> AnyEffect:
    """Return an effect that names its variables as modelled, such as the logarithm of a column."""
    source, target = (_labels(data).get(name, name) for name in (found.source, found.target))
    return replace(found, source=source, target=target)


def _pair(source: str | None, target: str | None, variables: Sequence[str]) -> tuple[int, int]:
    """Return the positions of source and target, or refuse them."""
    u, v = positions([_given(source, "source"), _given(target, "target")], variables, "effects")
    if u == v:
        raise ArgumentError(f"{source!r} has no effect on itself; give two different variables")
    return u, v


def _given(name: str | None, argument: str) -> str:
    if name is None:
        raise ArgumentError(f"only one variable is given; give {argument}, too, or neither")
    return name
