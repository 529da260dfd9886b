"""`compare_models`: posterior probabilities of models of the same data, from their evidence."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.algorithms.evidence import Method, evidence
from arcwise.errors import ArgumentError, FileFormatError, option
from arcwise.model import Model
from arcwise.model.model import Modularity
from arcwise.posterior import Evidence, Interval, Posterior
from arcwise.statistics.log_estimates import t_quantile
from arcwise.support.arrays import relative_weights
from arcwise.support.checks import file_path, real_numbers
from arcwise.support.files import UNREADABLE
from arcwise.support.html import card, paragraphs, share, table
from arcwise.support.names import listing, shown
from arcwise.support.plain import PlainDataclasses, plain_dict
from arcwise.support.running import Deadline


def compare_models(
    models: Mapping[str, Any] | Sequence[Any],
    *,
    prior: Mapping[str, float] | Sequence[float] | None = None,
    method: Method = "combined",
    modularity: Modularity = "modular",
    seconds: float | Deadline | None = None,
    **options: Any,
) -> ModelComparison:
    """Compare models of the same data by their posterior probabilities.

    Models may differ in their score, equivalent sample size, structure prior, constraints or
    candidates: the evidence of each is under its own normalised prior.

    Parameters
    ----------
    models
        Models by their names, or a list of models, which are called model 1, model 2 and so on.
        Instead of a `Model`, a `Posterior` that has its evidence, or a `ModelEvidence`.
    prior
        The prior probability of each model, up to a factor; None if all are equal.
    method, modularity, **options
        How to compute the evidence; see `evidence`.
    seconds
        The time for all models together.

    Returns
    -------
    ModelComparison
        The models with their probabilities and intervals for their Monte Carlo errors.

    Raises
    ------
    ArgumentError
        If the models are of different data, so that their evidences are not comparable.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> free, fair = arcwise.Model(data), arcwise.Model(data, prior="fair")
    >>> found = arcwise.compare_models({"uniform": free, "fair": fair})
    >>> round(sum(found.probabilities.values()), 12)
    1.0
    """
    named = _named(models)
    weights = _prior(prior, tuple(named))
    deadline = Deadline.of(seconds)
    parts: dict[str, ModelEvidence] = {}
    _refuse_other_data({name: _data(given) for name, given in named.items()})
    left = sum(isinstance(given, Model) for given in named.values())
    for name, given in named.items():
        if isinstance(given, Model):
            limit = deadline.part(1 / left) if deadline.limited else None
            found = evidence(given, method, modularity=modularity, seconds=limit, **options)
            left -= 1
            parts[name] = ModelEvidence(found)
        elif isinstance(given, Posterior):
            assert given.evidence is not None
            parts[name] = ModelEvidence(given.evidence)
        else:
            parts[name] = given
    return _compared({name: part.evidence for name, part in parts.items()}, weights)


def _named(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(name): given for name, given in models.items()}
    elif isinstance(models, list | tuple):
        named = {f"model {number}": given for number, given in enumerate(models, 1)}
    else:
        named = {}
    if len(named) < 2:
        raise ArgumentError(
            f"models is {shown(models)}; give two or more models, as a list or by their names"
        )
    for name, given in named.items():
        if isinstance(given, Posterior) and given.evidence is None:
            raise ArgumentError(
                f"the posterior {name!r} has no evidence, as {given.algorithm} does not estimate "
                "it; give the model itself, or a posterior by exact, ais, smc or mc3"
            )
        if not isinstance(given, Model | Posterior | ModelEvidence):
            raise ArgumentError(
                f"{name!r} is of type {type(given).__name__}; give models, or posteriors with "
                "their evidence"
            )
    return named


def _prior(prior: Any, names: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    if prior is None:
        return np.zeros(len(names))
    if isinstance(prior, Mapping):
        if set(prior) != set(names):
            raise ArgumentError(
                option("prior"),
                f" is for {listing(map(repr, map(str, prior)))}; give one number for each of "
                f"{listing(map(repr, names))}",
            )
        prior = [prior[name] for name in names]
    numbers = real_numbers(prior, option("prior"))
    if numbers.shape != (len(names),) or not (numbers > 0).all() or not np.isfinite(numbers).all():
        raise ArgumentError(
            option("prior"),
            f" is {shown(prior)}; give one positive number for each of {len(names)} models",
        )
    return np.log(numbers)


def _data(given: Model | Posterior | ModelEvidence) -> tuple[str | None, int | None]:
    if isinstance(given, ModelEvidence):
        return given.data_fingerprint, given.rows
    provenance = given.provenance() if isinstance(given, Model) else given.provenance
    return provenance.modelled_fingerprint or provenance.data_fingerprint, provenance.rows


def _refuse_other_data(data: Mapping[str, tuple[str | None, int | None]]) -> None:
    """Refuse models of different tables; the data of precomputed scores are unknown."""
    known = [(name, *of) for name, of in data.items() if of[0] is not None]
    for name, fingerprint, rows in known[1:]:
        first, expected, expected_rows = known[0]
        if fingerprint != expected:
            difference = (
                f"{expected_rows} and {rows} rows"
                if rows != expected_rows
                else "different columns, levels or values"
            )
            raise ArgumentError(
                f"{first!r} and {name!r} are models of different data ({difference}), whose "
                "evidences cannot be compared; give models of the same table (for time series with "
                "other lags, the same common_lags)"
            )


_NORMAL = t_quantile(math.inf)


def _compared(
    parts: Mapping[str, Evidence], prior: np.ndarray[Any, np.dtype[np.float64]]
) -> ModelComparison:
    """Return the models with their probabilities."""
    # With p the probabilities and s^2 the variances of log evidences, the log odds of model k
    # against all others have to first order the variance
    # s_k^2 + sum over j of (p_j / (1 - p_k))^2 s_j^2.
    names = list(parts)
    values = np.array([part.log_evidence for part in parts.values()])
    logs = values + prior
    if logs.max() == -math.inf:
        raise ArgumentError(
            "the evidence of every model is 0, so none is more probable than another; give one "
            "whose constraints allow the data"
        )
    shares = relative_weights(logs)
    probabilities = shares / shares.sum()
    reliable = all(part.standard_error is not None for part in parts.values())
    errors = np.array([part.estimate.relative_margin / _NORMAL for part in parts.values()])
    order = np.argsort(-logs, kind="stable")
    found = []
    for k in order.tolist():
        others = np.delete(np.arange(len(logs)), k)
        rest = float(np.logaddexp.reduce(logs[others]))
        interval = Interval(0.0, 1.0)
        if reliable:
            within = relative_weights(logs[others], rest)
            margin = _NORMAL * math.sqrt(errors[k] ** 2 + float(within**2 @ errors[others] ** 2))
            odds = float(logs[k]) - rest
            interval = Interval(_logistic(odds - margin), _logistic(odds + margin))
        share, behind = float(probabilities[k]), values[k] - values[order[0]]
        found.append(ComparedModel(names[k], parts[names[k]], share, interval, float(behind)))
    first, second = order[:2]
    margin = _NORMAL * math.hypot(errors[first], errors[second])
    decided = reliable and bool(logs[first] - logs[second] > margin)
    return ModelComparison(tuple(found), decided)


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else 0.0


_FORM = PlainDataclasses()


@dataclass(frozen=True)
class ModelEvidence:
    """The evidence of a model, and the identity of its data.

    Parameters
    ----------
    evidence
        The evidence.
    data_fingerprint, rows
        Those of the variables that are modelled, without those conditioned on; None for
        precomputed scores.

    Examples
    --------
    >>> ModelEvidence(Evidence(-120.0)).rows is None
    True
    """

    evidence: Evidence
    data_fingerprint: str | None = None
    rows: int | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ModelEvidence:
        """Read a .json file of `arcwise evidence --out`, or of a folder of results."""
        file = file_path(path, "path")
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            provenance = values["provenance"]
            # Only the degrees of freedom can be infinite, which is null in the file.
            values["degrees_of_freedom"] = values["degrees_of_freedom"] or math.inf
            found: Evidence = _FORM.read(Evidence, values | {"parts": []})
            data = provenance.get("modelled_fingerprint") or provenance["data_fingerprint"]
            return cls(found, data, provenance["rows"])
        except (*UNREADABLE, AttributeError) as error:
            raise FileFormatError(
                f"'{file}' is not a file of evidence; give one that `arcwise evidence --out` wrote"
            ) from error


@dataclass(frozen=True)
class ComparedModel:
    """A model among others."""

    name: str
    evidence: Evidence
    probability: float  # its posterior probability among the models compared
    # A 95 % interval for its Monte Carlo error; 0 to 1 if some evidence is not reliable.
    interval: Interval
    log_bayes_factor: float  # its log evidence minus that of the most probable model


_CLEAR = 0.95  # the probability from which a model is called the most probable


@dataclass(frozen=True)
class ModelComparison:
    """Models of the same data, the most probable first.

    Parameters
    ----------
    models
        The models.
    decided
        Whether Monte Carlo errors leave no doubt which of them is the most probable.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> sizes = {f"{size}": arcwise.scores.BDeu(equivalent_sample_size=size) for size in (1, 100)}
    >>> models = {name: arcwise.Model(data, score) for name, score in sizes.items()}
    >>> found = arcwise.compare_models(models)
    >>> found.models[0].name, found.decided
    ('1', True)
    """

    models: tuple[ComparedModel, ...]
    decided: bool

    @property
    def probabilities(self) -> dict[str, float]:
        """The posterior probability of each model, by its name."""
        return {model.name: model.probability for model in self.models}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words."""
        best = self.models[0]
        doubtful = [m.name for m in self.models if m.evidence.standard_error is None]
        others = [m.name for m in self.models[1:] if m.probability > 1.0 - _CLEAR]
        if doubtful:
            found = (
                f"The evidence of {listing(map(repr, doubtful))} is not reliable, so the "
                "probabilities are a guess; run it for longer."
            )
        elif not self.decided:
            found = (
                "Which model is the most probable is not decided: their evidences differ by no "
                "more than their Monte Carlo errors; run for longer."
            )
        elif best.interval.low >= _CLEAR:
            found = f"{best.name!r} is the most probable model."
        else:
            rest = listing(map(repr, others)) if others else "others"
            found = (
                f"{best.name!r} is the most probable model, but the data do not rule out {rest}."
            )
        return (found,)

    def _repr_html_(self) -> str:
        """Return the models and their probabilities, for notebooks."""
        columns: dict[str, list[object]] = {
            "model": [model.name for model in self.models],
            "probability": [share(model.probability) for model in self.models],
            "95 % interval": [
                f"{model.interval.low:.3f} to {model.interval.high:.3f}" for model in self.models
            ],
            "log evidence": [f"{model.evidence.log_evidence:.2f}" for model in self.models],
            "log Bayes factor": [f"{model.log_bayes_factor:.2f}" for model in self.models],
            "evidence is": [model.evidence.verdict for model in self.models],
        }
        return card(
            "Models of the same data, the most probable first",
            paragraphs(self.sentences),
            table(columns),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return plain_dict(
            decided=self.decided,
            sentences=self.sentences,
            models={
                model.name: {
                    "probability": model.probability,
                    "interval": model.interval,
                    "log_bayes_factor": model.log_bayes_factor,
                    "evidence": model.evidence.as_dict(),
                }
                for model in self.models
            },
        )

    def __str__(self) -> str:
        """Return a line for each model, and the result in words."""
        width = max(len(model.name) for model in self.models)
        lines = [
            f"{model.name:<{width}}  {model.probability:.4f} ({model.interval.low:.4f} to "
            f"{model.interval.high:.4f})  log evidence {model.evidence.log_evidence:.2f}"
            for model in self.models
        ]
        return "\n".join([*lines, *self.sentences])
