"""What inference about parameters requires of a model: data, and a score with a prior."""

from __future__ import annotations

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.scores import BDe, BDeu, BGe


def scored_data(model: Model, purpose: str) -> tuple[Data, BDeu | BDe | BGe]:
    """Return the data and the score of a model, or refuse a model without parameters.

    Parameters
    ----------
    model
        The model.
    purpose
        What needs the parameters, for the messages.
    """
    if model.score is None or model.data is None:
        raise ArgumentError(
            f"{purpose} needs data, but the model was built from precomputed scores or a score "
            "function; give a model of data with BDeu, BDe or BGe"
        )
    if not isinstance(model.score, BDeu | BDe | BGe):
        raise ArgumentError(
            f"{purpose} needs a prior on the parameters, which the score "
            f"{type(model.score).__name__} does not have; use BDeu, BDe or BGe"
        )
    return model.data, model.score


def gaussian_data(model: Model, purpose: str) -> tuple[Data, BGe]:
    """Return the data and the score of a model of continuous data."""
    data, score = scored_data(model, purpose)
    if not isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} is for continuous data scored by BGe, but the score is "
            f"{type(score).__name__}; use arcwise.interventional for discrete data"
        )
    return data, score


def discrete_data(model: Model, purpose: str) -> tuple[Data, BDeu | BDe]:
    """Return the data and the score of a model of discrete data."""
    data, score = scored_data(model, purpose)
    if isinstance(score, BGe):
        raise ArgumentError(
            f"{purpose} is for discrete data scored by BDeu or BDe, but the score is BGe; use "
            "arcwise.effects for continuous data"
        )
    return data, score
