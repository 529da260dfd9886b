"""The distinct families of sampled DAGs, and which DAG has which."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.model.provenance import Provenance
from arcwise.parameters.numbering import row_numbers
from arcwise.posterior import DagSample, Posterior
from arcwise.support.words import quoted

Dags = Posterior | DagSample | Dag
"""A source of DAGs: a posterior with sampled DAGs, a sample, or a single DAG."""


@dataclass(frozen=True, eq=False)
class SampledFamilies:
    """The families of weighted DAGs.

    Parameters
    ----------
    parents
        The distinct parent sets of each node, as ascending positions.
    places
        For each DAG and node, the index of its parent set among these.
    shares
        The weight of each DAG; they sum to 1.
    chains
        The chain each DAG is from, or None.
    """

    parents: tuple[tuple[tuple[int, ...], ...], ...]
    places: NDArray[np.int32]
    shares: NDArray[np.float64]
    chains: NDArray[np.int64] | None

    def __len__(self) -> int:
        """Return the number of DAGs."""
        return len(self.places)

    def distinct(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the places of each distinct DAG, and the index of each DAG among these."""
        number, _ = row_numbers(self.places, list(map(len, self.parents)), 1 << 40)
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        return self.places[first], which.reshape(-1)

    def most_parents(self) -> int:
        """Return the size of the largest parent set."""
        return max(len(members) for of_node in self.parents for members in of_node)


def model_of(posterior: Dags, model: Model | None) -> Model:
    """Return the model of a posterior.

    Parameters
    ----------
    posterior
        The posterior, which may have its model; DAGs have none.
    model
        The model, if it is given; it must agree with that of the posterior.
    """
    own = posterior.model if isinstance(posterior, Posterior) else None
    if model is None:
        if own is not None:
            return own
        if not isinstance(posterior, Posterior | DagSample | Dag):
            raise _no_source(posterior)
        what = "a posterior read from a file" if isinstance(posterior, Posterior) else "a DAG"
        raise ArgumentError(
            f"the model of {what} is not known; give model=, the one it was computed from"
        )
    if not isinstance(model, Model):
        raise ArgumentError(f"model is of type {type(model).__name__}; give an arcwise.Model")
    if isinstance(posterior, Posterior) and own is not model:
        _refuse_other_model(posterior.provenance, model.provenance())
    return model


def _no_source(posterior: object) -> ArgumentError:
    return ArgumentError(
        f"posterior is of type {type(posterior).__name__}; give a Posterior, a DagSample or a Dag"
    )


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


def sampled_families(posterior: Dags, model: Model) -> SampledFamilies:
    """Return the families of the DAGs of a posterior, which must be of the model's data."""
    dags = _dags(posterior)
    if tuple(dags.variables) != tuple(model.variables):
        raise ArgumentError(
            f"the DAGs have the variables {quoted(dags.variables)}, but the model has "
            f"{quoted(model.variables)}; give the model the posterior was computed from"
        )
    n = len(model.variables)
    parents, places = [], np.empty((len(dags), n), dtype=np.int32)
    for node in range(n):
        distinct, place = np.unique(_whole_words(dags.parents[:, node]), return_inverse=True)
        places[:, node] = place.reshape(-1)
        bytes_of = np.ascontiguousarray(distinct).view(np.uint8).reshape(len(distinct), -1)
        bits = np.unpackbits(bytes_of, axis=1, count=n, bitorder="little")
        ends = np.cumsum(bits.sum(axis=1, dtype=np.int64)).tolist()
        members = np.nonzero(bits)[1].tolist()
        parents.append(tuple(tuple(members[a:b]) for a, b in pairwise([0, *ends])))
    return SampledFamilies(tuple(parents), places, dags.shares, dags.chains)


def _whole_words(packed: NDArray[np.uint64]) -> NDArray[np.generic]:
    """Return each row of words as one sortable value, which is fast for a single word."""
    packed = packed.astype("<u8", copy=False)
    if packed.shape[1] == 1:
        return packed[:, 0]
    row = np.dtype((np.void, packed.shape[1] * packed.itemsize))
    return np.ascontiguousarray(packed).view(row)[:, 0]


def _dags(posterior: Dags) -> DagSample:
    if isinstance(posterior, DagSample):
        return posterior
    if isinstance(posterior, Dag):
        words = (len(posterior.variables) + 63) // 64
        packed = np.zeros((1, len(posterior.variables), words), dtype=np.uint64)
        for node, members in enumerate(posterior.parent_indices):
            for u in members:
                packed[0, node, u // 64] |= np.uint64(1) << np.uint64(u % 64)
        return DagSample(posterior.variables, packed)
    if not isinstance(posterior, Posterior):
        raise _no_source(posterior)
    if posterior.dags is None or len(posterior.dags) == 0:
        raise ArgumentError(
            "the posterior has no sampled DAGs; give arcwise.algorithms.ExactSampler(model).dags"
            "(1000), or the posterior of a sampler that keeps DAGs"
        )
    return posterior.dags
