"""What the functions of parameters ask of a model: data, and a score that has parameters."""

from __future__ import annotations

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.scores import BDe, BDeu, BGe


def scored_data(model: Model, purpose: str) -> tuple[Data, BDeu | BDe | BGe]:
    """Return the data of a model and its score, or refuse a model that has no parameters.

    Parameters
    ----------
    model
        The model.
    purpose
        What needs the parameters, for the messages.
    """
    if model.score is None or model.data is None:
        raise ArgumentError(
            f"{purpose} needs data, and this model is made of precomputed scores or a function of "
            "names; make it from data with BDeu, BDe or BGe"
        )
    if not isinstance(model.score, BDeu | BDe | BGe):
        raise ArgumentError(
            f"{purpose} needs a prior of the parameters, which the score "
            f"{type(model.score).__name__} does not have; use BDeu, BDe or BGe"
        )
    return model.data, model.score


def gaussian_data(model: Model, purpose: str) -> tuple[Data, BGe]:
    """Return data and score of a model of measurements."""
    data, score = scored_data(model, purpose)
    if not isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} is for measurements scored by BGe, and the score is "
            f"{type(score).__name__}; use arcwise.interventional for discrete data"
        )
    return data, score


def discrete_data(model: Model, purpose: str) -> tuple[Data, BDeu | BDe]:
    """Return data and score of a model of discrete data."""
    data, score = scored_data(model, purpose)
    if isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} is for discrete data scored by BDeu or BDe, and the score is BGe; use "
            "arcwise.effects for measurements"
        )
    return data, score
