"""What inference about parameters requires: data, and a score with a prior on parameters."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from arcwise.data import Data
from arcwise.errors import ArgumentError, Wording
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.model.provenance import Provenance
from arcwise.parameters.sampled import Dags, not_dags
from arcwise.posterior import DagSample, Posterior
from arcwise.scores import BDe, BDeu, BGe, LocalScore
from arcwise.scores.base import NAMED_SCORES
from arcwise.support.descriptions import Description

ParameterScore: TypeAlias = BDeu | BDe | BGe
"""The scores that are marginal likelihoods, with a prior on the parameters."""

AnyModel: TypeAlias = Model | Data | None
"""A model; its data, if the posterior knows the score; or None for the posterior's own model."""


class ScoredData(NamedTuple):
    """The data and the score, which determine the posterior of the parameters of every DAG."""

    data: Data
    score: ParameterScore


def scored_data(posterior: Dags, model: AnyModel, purpose: str) -> ScoredData:
    """Return the data and the score of a posterior's model, or refuse what has no parameters.

    Parameters
    ----------
    posterior
        The posterior, which may have its model; DAGs have none.
    model
        The model, or its data, if given: data, score and prior must be those of the posterior.
    purpose
        What needs the parameters, for the messages.
    """
    data, score = _data_and_score(posterior, model)
    if score is None or data is None:
        raise ArgumentError(
            f"{purpose} needs data, but the model was built from precomputed scores or a score "
            "function; give a model of data with BDeu, BDe or BGe"
        )
    if not isinstance(score, ParameterScore):
        raise ArgumentError(
            f"{purpose} needs a prior on the parameters, which the score "
            f"{type(score).__name__} does not have; use BDeu, BDe or BGe"
        )
    return ScoredData(data, score)


def gaussian_data(posterior: Dags, model: AnyModel, purpose: str) -> tuple[Data, BGe]:
    """Return the data and the score of a model of continuous data."""
    data, score = scored_data(posterior, model, purpose)
    if not isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} of all pairs is for continuous data scored by BGe, but the score is "
            f"{type(score).__name__}; use arcwise.effects(posterior, source, target) for discrete "
            "data"
        )
    return data, score


def discrete_data(posterior: Dags, model: AnyModel, purpose: str) -> tuple[Data, BDeu | BDe]:
    """Return the data and the score of a model of discrete data."""
    data, score = scored_data(posterior, model, purpose)
    if isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} is for discrete data scored by BDeu or BDe, but the score is BGe; use "
            "arcwise.effects for continuous data"
        )
    return data, score


def _data_and_score(posterior: Dags, model: AnyModel) -> tuple[Data | None, LocalScore | None]:
    if not isinstance(posterior, Posterior | DagSample | Dag):
        raise not_dags(posterior)
    own = posterior.model if isinstance(posterior, Posterior) else None
    if model is None:
        if own is None:
            what = "a posterior read from a file" if isinstance(posterior, Posterior) else "a DAG"
            raise ArgumentError(
                f"the model of {what} is not known; give model=, the one it was computed from"
            )
        return own.data, own.score
    if isinstance(model, Data):
        return model, _known_score(posterior, model)
    if not isinstance(model, Model):
        raise ArgumentError(
            f"model is of type {type(model).__name__}; give an arcwise.Model, or the arcwise.Data "
            "of the posterior's model"
        )
    if isinstance(posterior, Posterior) and own is not model:
        _refuse_other_model(posterior.provenance, model.provenance())
    return model.data, model.score


def _known_score(posterior: Dags, data: Data) -> LocalScore:
    """Return the score a posterior was computed with, if it was from these data."""
    there = posterior.provenance if isinstance(posterior, Posterior) else Provenance()
    _refuse_other_model(there, Provenance(data_fingerprint=data.fingerprint))
    score = None if there.score is None else _restored(there.score)
    if score is None:
        known = "is not known" if there.score is None else f"{there.score.text} cannot be restored"
        raise ArgumentError(
            f"the score of the posterior {known}",
            Wording("; give its model instead of its data", "; learn it with bdeu or bge"),
        )
    return score


def _restored(description: Description) -> LocalScore | None:
    kinds = {kind.__name__: kind for kind in NAMED_SCORES.values()}
    if description.name not in kinds or not description.complete:
        return None
    return kinds[description.name](**description.settings)


def _refuse_other_model(there: Provenance, here: Provenance) -> None:
    known = there.data_fingerprint and here.data_fingerprint
    if known and there.data_fingerprint != here.data_fingerprint:
        raise ArgumentError(
            "the posterior was computed from data other than the model's; give the model it was "
            "computed from"
        )
    for name in ("score", "prior"):
        one, other = getattr(there, name), getattr(here, name)
        if one is None or other is None or one == other:
            continue
        # The text of a function has its place in memory, which says nothing.
        if one.complete or other.complete:
            raise ArgumentError(
                f"the posterior has the {name} {one.text} and the model {other.text}; give the "
                "model it was computed from, or leave out model"
            )
