"""What inference about parameters requires: data, and a score with a prior on parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from arcwise.data import Data, IncompleteData
from arcwise.errors import ArgumentError, Wording, option
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.model.model import Provenance
from arcwise.parameters.inference import Inference
from arcwise.parameters.sampled import Dags, not_dags
from arcwise.posterior import DagSample, Posterior
from arcwise.scores import LocalScore
from arcwise.scores.base import NAMED_SCORES
from arcwise.support.names import Description, listing, quoted

AnyModel: TypeAlias = Model | Data | IncompleteData | None
"""A model; its data, if the posterior records the score; or None for the posterior's own model."""

_WITH_PARAMETERS = "BDeu, BDe, BGe or ConditionalGaussian"


def inference(posterior: Dags, model: AnyModel, purpose: str) -> Inference:
    """Return parameter inference under a posterior's model, or refuse the model."""
    if isinstance(posterior, Posterior) and posterior.completions is not None:
        raise ArgumentError(
            f"{purpose} needs the parameters of one table, but the posterior is averaged over "
            f"{len(posterior.completions)} completed ones; learn with ",
            option("missing", "drop"),
            ", or ask for the effect of one variable on another",
        )
    data, score = _data_and_score(posterior, model)
    if score is None or data is None:
        raise ArgumentError(
            f"{purpose} needs data, but the model was built from precomputed scores or a score "
            f"function; give a model of data with {_WITH_PARAMETERS}"
        )
    if purpose not in ("effects", "interventional"):  # where it depends on the variables
        refuse_transformed(posterior, data, purpose)
    return inference_of(on_known_scales(posterior, data), score, purpose)


def on_known_scales(posterior: Dags, data: Data) -> Data:
    """Return data with the scales that the posterior records; files of tables do not have them."""
    known = posterior.provenance.data if isinstance(posterior, Posterior) else None
    if known is None or known.preparation.scales == data.preparation.scales:
        return data
    preparation = data.preparation.with_scales(known.preparation.scales)
    return data.replaced(preparation=preparation)


def refuse_transformed(
    posterior: Dags, data: Data | None, purpose: str, names: Sequence[str] | None = None
) -> None:
    """Refuse results on normal scores that would be read as results on the columns themselves."""
    known = posterior.provenance.data if isinstance(posterior, Posterior) else None
    preparation = known.preparation if known is not None else data and data.preparation
    found = [
        column
        for column in (preparation.transformed if preparation else ())
        # In a time series, the column x is x(t), x(t-1) and so on.
        if names is None or any(name == column or name.startswith(f"{column}(") for name in names)
    ]
    if found:
        were = "was" if len(found) == 1 else "were"
        raise ArgumentError(
            f"{purpose} needs values as they were measured, but {quoted(found)} {were} replaced by "
            "normal scores; learn with ",
            option("transform", "none"),
        )


_KNOW_SCALES = ("effects", "interventional", "predict", "log_predictive")


def _refuse_scales(data: Data, purpose: str) -> None:
    """Refuse results on a column's logarithm that would be read as results on the column."""
    handled = purpose in _KNOW_SCALES and data.slices is None
    if not handled and data.preparation.scales:
        labels = [scale.label(name) for name, scale in data.preparation.scales.items()]
        raise ArgumentError(
            f"{purpose} needs columns on the scale of their values, but {listing(labels)} "
            f"{'is' if len(labels) == 1 else 'are'} modelled; learn with ",
            option("transform", "none"),
        )


def conditioned_on(posterior: Dags, model: AnyModel) -> tuple[str, ...]:
    """Return the parent-only variables of a posterior's model, which have no law."""
    known = posterior if isinstance(posterior, Posterior) else model
    return known.parent_only if isinstance(known, Posterior | Model) else ()


def inference_of(data: Data, score: LocalScore, purpose: str) -> Inference:
    """Return parameter inference from data under a score, or refuse the score."""
    _refuse_scales(data, purpose)
    found = score.law(data)
    if found is None or not found.has_prior:
        name = type(score).__name__ + (", a surrogate," if score.surrogate else "")
        raise ArgumentError(
            f"{purpose} needs a prior on the parameters, which the score {name} does not have; "
            f"use {_WITH_PARAMETERS}"
        )
    return Inference(data, type(score).__name__, found)


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
    return restored_score(posterior)


def restored_score(posterior: Dags) -> LocalScore:
    """Return the score a posterior was computed with."""
    there = posterior.provenance if isinstance(posterior, Posterior) else Provenance()
    score = None if there.score is None else _restored(there.score)
    if score is None:
        known = "is not known" if there.score is None else f"{there.score.text} cannot be restored"
        raise ArgumentError(
            f"the score of the posterior {known}",
            Wording(
                "; give its model instead of its data",
                "; learn it with bdeu, bge or conditional-gaussian",
            ),
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
        # The text of a function contains its address, which does not identify it.
        if one.complete or other.complete:
            raise ArgumentError(
                f"the posterior has the {name} {one.text} and the model {other.text}; give the "
                "model it was computed from, or leave out model"
            )
