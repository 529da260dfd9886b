"""`tables_of`: the tables that a posterior is of, each with the DAGs drawn given it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcwise.data import IncompleteData
from arcwise.errors import ArgumentError
from arcwise.parameters.inference import Inference
from arcwise.parameters.requirements import (
    AnyModel,
    inference,
    inference_of,
    on_known_scales,
    restored_score,
)
from arcwise.parameters.sampled import Dags, SampledFamilies, sampled_families
from arcwise.posterior import Posterior
from arcwise.scores import LocalScore


def tables_of(
    posterior: Dags, model: AnyModel, purpose: str, dags: int | None = None
) -> Iterator[tuple[Inference, SampledFamilies]]:
    """Yield the inference from the table of a posterior, and the families of its DAGs.

    Of a posterior over completed tables each table has its own, with the DAGs drawn given it.

    Parameters
    ----------
    posterior
        The posterior, or DAGs.
    model
        The model, or the table with its missing values; None for the posterior's own.
    purpose
        What needs the parameters, for messages.
    dags
        The largest number of DAGs of all completed tables together; None for all there are.
    """
    if not isinstance(posterior, Posterior) or posterior.completions is None:
        found = inference(posterior, model, purpose)
        yield found, sampled_families(posterior, found.data.variables)
        return
    tables = posterior.completions
    source = tables.source if model is None else model
    if not isinstance(source, IncompleteData):
        raise ArgumentError(
            "the posterior is averaged over completions of a table with missing values; give "
            "model=, that table as arcwise.read(..., missing='impute') returns it"
        )
    if source.fingerprint != posterior.provenance.data_fingerprint:
        raise ArgumentError(
            "the posterior was computed from data other than the model's; give the table it was "
            "computed from"
        )
    score: LocalScore | None = tables.score
    if score is None:
        score = restored_score(posterior).fixed_by(source.table)
    sampled = posterior.sampled_dags(purpose)
    numbers = np.zeros(len(sampled), dtype=np.int64) if sampled.chains is None else sampled.chains
    for number in range(len(tables)):
        own = np.flatnonzero(numbers == number)
        if dags is not None:
            most = max(1, -(-dags // len(tables)))
            own = own[np.linspace(0, len(own) - 1, min(most, len(own))).astype(np.int64)]
        completed = on_known_scales(posterior, tables.table(number, source))
        found = inference_of(completed, score, purpose)
        yield found, sampled_families(sampled.at(own), found.data.variables)
