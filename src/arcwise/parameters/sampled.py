"""The different families of sampled DAGs, and which DAG has which: all that parameters need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.parameters.numbering import row_numbers
from arcwise.posterior import DagSample, Posterior
from arcwise.support.words import quoted

Dags = Posterior | DagSample | Dag
"""Where DAGs come from: a posterior that keeps some, the DAGs themselves, or a single one."""


@dataclass(frozen=True, eq=False)
class SampledFamilies:
    """The families of weighted DAGs.

    Parameters
    ----------
    parents
        For each node its different parent sets, as ascending positions.
    places
        For each DAG and node the place of its parent set among these.
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
        """Return the places of each different DAG once, and which of these every DAG is."""
        number, _ = row_numbers(self.places, list(map(len, self.parents)), 1 << 40)
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        return self.places[first], which.reshape(-1)

    def most_parents(self) -> int:
        """Return the size of the largest parent set."""
        return max(len(members) for of_node in self.parents for members in of_node)


def model_of(posterior: Dags, model: Model | None) -> Model:
    """Return the model a posterior was computed from.

    Parameters
    ----------
    posterior
        The posterior, which may have its model; DAGs have none.
    model
        The model, if it is given; it must not be another than that of the posterior.
    """
    own = posterior.model if isinstance(posterior, Posterior) else None
    if model is None:
        if own is None:
            what = "a posterior from a file" if isinstance(posterior, Posterior) else "a DAG"
            raise ArgumentError(
                f"{what} does not say which model it is of; give model=, the one it was computed "
                "from"
            )
        return own
    if not isinstance(model, Model):
        raise ArgumentError(f"model is of type {type(model).__name__}; give an arcwise.Model")
    if isinstance(posterior, Posterior) and own is not model:
        _refuse_other_model(posterior, model)
    return model


def _refuse_other_model(posterior: Posterior, model: Model) -> None:
    here = model.provenance()
    if (
        posterior.provenance.get("data_fingerprint", here["data_fingerprint"])
        != (here["data_fingerprint"])
    ):
        raise ArgumentError(
            "the posterior was computed from other data than the model's; give the model it was "
            "computed from"
        )
    for key in ("score", "prior", "constraints", "candidates", "plus_one"):
        there = posterior.provenance.get(key, here[key])
        # The text of a function has its place in memory, which says nothing.
        if there != here[key] and " at 0x" not in f"{there}{here[key]}":
            raise ArgumentError(
                f"the posterior is of a model with other {key} ({there}, not {here[key]}); give "
                "the model it was computed from, or leave out model"
            )


def sampled_families(posterior: Dags, model: Model) -> SampledFamilies:
    """Return the families of the DAGs of a posterior, which must be of the model's variables."""
    dags = _dags(posterior)
    if tuple(dags.variables) != tuple(model.variables):
        raise ArgumentError(
            f"the DAGs have the variables {quoted(dags.variables)} and the model "
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
    """Return each row of words as one thing to sort by, which is fast for a single word."""
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
        raise ArgumentError(
            f"posterior is of type {type(posterior).__name__}; give a Posterior, a DagSample or "
            "a Dag"
        )
    if posterior.dags is None or len(posterior.dags) == 0:
        raise ArgumentError(
            "parameters are averaged over DAGs, and this posterior has none; use "
            "arcwise.algorithms.ExactSampler(model).dags(1000) or a sampler that keeps DAGs"
        )
    return posterior.dags
