"""Estimates of a posterior from the records of chains or particles: edges, DAGs, the best DAG.

Where the states of a space follow the posterior of interest, the exact edge probabilities given
each state are averaged. Orders follow the order-modular distribution; for the modular one, every
DAG drawn from them is weighted by the inverse of its number of topological orders (equations 5 to 8
of Niinimäki, Parviainen and Koivisto 2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.diagnostics.findings import fewest_effective_dags
from arcwise.engines import AnnealedRuns
from arcwise.errors import ArgumentError, WeightCollapseWarning, option
from arcwise.graphs.dag import Dag
from arcwise.model import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.matrices import relation_errors
from arcwise.records.chain_record import ChainRecord
from arcwise.records.runs import AnnealingRun, ChainRun, OrderWeights
from arcwise.records.settings import Recording, filled, linear
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.statistics.log_estimates import LogEstimate, log_mean
from arcwise.support.arrays import relative_weights, weighted_sum
from arcwise.support.running import Run, warn


@dataclass(frozen=True, eq=False)
class Assembled:
    """Edge probabilities with their standard errors, the DAGs, and the best of them."""

    edges: NDArray[np.float64]
    edge_errors: NDArray[np.float64]
    adjacency_errors: NDArray[np.float64]
    dags: DagSample | None
    best: Dag | None
    best_log_weight: float | None

    def posterior(self, model: Model, run: ChainRun | AnnealingRun, **more: Any) -> Posterior:
        """Return the posterior of a run with these estimates and further attributes."""
        return Posterior(
            variables=model.variables,
            modularity=run.settings.modularity,
            run=run,
            edges=self.edges,
            edge_errors=self.edge_errors,
            adjacency_errors=self.adjacency_errors,
            map_dag=self.best,
            map_log_weight=self.best_log_weight,
            dags=self.dags,
            provenance=model.provenance(),
            model=None if model.stored else model,
            **more,
        )


def assemble(
    model: Model,
    recording: Recording,
    records: Sequence[ChainRecord],
    log_weights: NDArray[np.float64] | None,
) -> Assembled:
    """Return the estimates of the posterior that the recording specifies."""
    dags = weighted_dags(model.variables, records, log_weights)
    if recording.weighted:
        if dags is None:
            raise ArgumentError(
                "no DAG was drawn; give ", option("dags_per_state"), " of 1 or more"
            )
        warn_of_collapse(dags)
        edges, errors = dags.edge_probabilities(), dags.standard_errors()
        adjacency_errors = relation_errors(dags, "skeleton")
    elif log_weights is None:
        edges, errors, adjacency_errors = _edges_of_chains(records)
    else:
        edges, errors, adjacency_errors = _edges_of_particles(records, log_weights)
    best, best_log_weight = (None, None) if dags is None else best_dag(model, dags)
    # If one particle has nearly all the weight, estimated errors of probabilities may exceed 1.
    return Assembled(
        np.clip(edges, 0.0, 1.0),
        np.minimum(errors, 1.0),
        np.minimum(adjacency_errors, 1.0),
        dags,
        best,
        best_log_weight,
    )


def weighted_dags(
    variables: tuple[str, ...],
    records: Sequence[ChainRecord],
    log_weights: NDArray[np.float64] | None,
) -> DagSample | None:
    """Return all drawn DAGs with their weights, or None if there are none."""
    if sum(len(record.parents) for record in records) == 0:
        return None
    chains = np.repeat(np.arange(len(records)), [len(record.parents) for record in records])
    logs = [record.log_dag_weights() for record in records]
    if log_weights is not None:
        # The weight of a particle is divided among its kept states.
        shares = [float(w) - math.log(r.states) for w, r in zip(log_weights, records, strict=True)]
        logs = [own + share for own, share in zip(logs, shares, strict=True)]
    return DagSample(
        variables,
        np.concatenate([record.parents for record in records]),
        log_weights=np.concatenate(logs),
        chains=chains,
    )


def order_weights(
    dags: DagSample | None, recording: Recording, records: Sequence[ChainRecord]
) -> OrderWeights | None:
    """Return the effective number of weighted DAGs and the errors of their weights, if any."""
    if dags is None or not recording.weighted:
        return None
    errors = np.concatenate([record.extension_errors for record in records])
    return OrderWeights(
        effective_dags=dags.effective_sample_size(),
        estimated=int((errors > 0).sum()),
        largest_error=float(errors.max(initial=0.0)),
    )


def warn_of_collapse(dags: DagSample) -> None:
    """Warn if a few DAGs have nearly all of the weight."""
    effective = dags.effective_sample_size()
    if effective < fewest_effective_dags(len(dags)):
        warn(
            WeightCollapseWarning(
                f"a few DAGs carry most of the importance weight: {len(dags)} weighted DAGs have "
                f"an effective sample size of {effective:.1f}; draw more DAGs, or use ",
                option("space", "partitions"),
                ", which needs no weights",
            )
        )


_MOST_AT_ONCE = 2**23  # means of batches, 64 MiB


def _edges_of_chains(
    records: Sequence[ChainRecord],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mean edge probabilities, with standard errors of edges and of adjacencies."""
    # The errors are computed by batch means, and account for the remaining correlation between
    # neighbouring batches. The two directions of an adjacency are often anticorrelated, so its
    # error is computed from the sum of both in each batch.
    total = np.sum([_sums(r) for r in records], axis=0) / sum(r.states_summed for r in records)
    counts = [0 if record.edge_batches is None else len(record.edge_batches) for record in records]
    sizes = np.repeat([record.edge_batch_size for record in records], counts)
    chains = np.repeat(np.arange(len(records)), counts)
    if total.size * len(chains) <= _MOST_AT_ONCE:
        means = np.concatenate([_batch_means(record, ...) for record in records])
        errors = weighted_standard_error(means, sizes, chains)
        upper = np.triu_indices(len(total), 1)
        either = means[:, *upper] + means.transpose(0, 2, 1)[:, *upper]
        return (
            total,
            errors,
            _symmetric(weighted_standard_error(either, sizes, chains), upper, len(total)),
        )
    # Most edges between many variables never occur, and their errors are all equal.
    seen = total > 0.0
    never = weighted_standard_error(np.zeros(len(chains)), sizes, chains)
    errors = np.full_like(total, float(never))
    means = np.concatenate([_batch_means(record, seen) for record in records])
    errors[seen] = weighted_standard_error(means, sizes, chains)
    pairs = np.nonzero(np.triu(seen | seen.T, 1))
    either = np.concatenate(
        [_batch_means(r, pairs) + _batch_means(r, pairs[::-1]) for r in records]
    )
    of_pairs = _symmetric(weighted_standard_error(either, sizes, chains), pairs, len(total))
    return total, errors, np.where(seen | seen.T, of_pairs, float(never))


def _batch_means(record: ChainRecord, edges: Any) -> NDArray[np.float64]:
    """Return the batch means of these edges; an ellipsis selects all edges."""
    batches = record.edge_batches
    assert batches is not None
    places = edges if isinstance(edges, tuple) else (edges,)
    chosen = batches if edges is ... else batches[:, *places]
    means: NDArray[np.float64] = chosen / record.edge_batch_size
    return means


def _edges_of_particles(
    records: Sequence[ChainRecord], log_weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return weighted means over independent particles, with errors of edges and of adjacencies."""
    # By the delta method, the variance is the sum of squares of (share * deviation). But the
    # heaviest particles dominate the mean, so that their deviations from it are too small. Each
    # deviation is therefore taken from the mean of the other particles, and the variance is at
    # least that for weights independent of the values: weighted mean square / effective number of
    # particles.
    shares = relative_weights(log_weights)
    shares /= shares.sum()
    edges = sum(share * _sums(r) / r.states for share, r in zip(shares, records, strict=True))
    of_edges, of_pairs = _SquaredDeviations.none(edges), _SquaredDeviations.none(edges)
    for share, record in zip(shares, records, strict=True):
        apart = _sums(record) / record.states - edges
        of_edges.add(apart, float(share))
        of_pairs.add(apart + apart.T, float(share))
    count = len(records)
    scale = count / (count - 1) if count > 1 else np.nan
    effective = 1.0 / float(weighted_sum(shares, shares))
    return (
        np.asarray(edges),
        np.sqrt(of_edges.variance(effective) * scale),
        np.sqrt(of_pairs.variance(effective) * scale),
    )


_LEAST_REST = 1e-9  # of the weight, without the heaviest particle


@dataclass(eq=False)
class _SquaredDeviations:
    """Sums of squared deviations of particles from their weighted mean."""

    influences: NDArray[np.float64]  # of the changes of the mean if a particle is left out
    weighted: NDArray[np.float64]

    @classmethod
    def none(cls, like: NDArray[np.float64]) -> _SquaredDeviations:
        return cls(np.zeros_like(like), np.zeros_like(like))

    def add(self, apart: NDArray[np.float64], share: float) -> None:
        squares = apart**2
        rest = max(1.0 - share, _LEAST_REST)
        self.influences += squares * (share / rest) ** 2
        self.weighted += squares * share

    def variance(self, effective: float) -> NDArray[np.float64]:
        return np.maximum(self.influences, self.weighted / effective)


def _symmetric(
    values: NDArray[np.float64], pairs: tuple[NDArray[np.int64], ...], n: int
) -> NDArray[np.float64]:
    """Return the symmetric matrix with these values at the pairs."""
    matrix = np.zeros((n, n))
    matrix[pairs] = matrix[pairs[::-1]] = values
    return matrix


def _sums(record: ChainRecord) -> NDArray[Any]:
    assert record.edge_sums is not None
    return record.edge_sums


def best_dag(model: Model, dags: DagSample) -> tuple[Dag, float]:
    """Return the DAG of largest modular weight among those drawn, and its log weight."""
    log_weights = modular_log_weights(model, dags)
    place = int(log_weights.argmax())
    return dags[place], float(log_weights[place])


def modular_log_weights(model: Model, dags: DagSample) -> NDArray[np.float64]:
    """Return the modular log weight of each DAG, looking up each distinct family once."""
    table = model.weights.table
    n = len(model.variables)
    total = np.zeros(len(dags))
    for node in range(n):
        # Rows are compared as bytes, which is faster than number by number.
        words = np.ascontiguousarray(dags.parents[:, node], dtype="<u8")
        rows = words.view(f"V{words.shape[1] * words.itemsize}").reshape(-1)
        distinct, place = np.unique(rows, return_inverse=True)
        values = table.values(node)
        packed = np.frombuffer(distinct.tobytes(), dtype=np.uint8).reshape(len(distinct), -1)
        bits = np.unpackbits(packed, axis=1, bitorder="little")
        weights = [values[table.find(node, np.flatnonzero(row).tolist())] for row in bits]
        total += np.asarray(weights)[place.reshape(-1)]
    return total


@dataclass(frozen=True, eq=False)
class AnnealedResults:
    """The log weight of every particle, and the records of those whose weight is not zero."""

    log_weights: NDArray[np.float64]
    records: list[ChainRecord]

    @classmethod
    def of(cls, annealed: AnnealedRuns) -> AnnealedResults:
        """Return the results of the particles, or refuse them if all have weight zero."""
        log_weights = annealed.log_weights()
        alive = np.flatnonzero(np.isfinite(log_weights))
        if len(alive) == 0:
            raise ArgumentError(
                f"all {len(log_weights)} particles ended in structures that the constraints "
                "exclude; give more ",
                option("steps"),
                " or ",
                option("particles"),
            )
        return cls(log_weights, [ChainRecord(**annealed.record(int(run))) for run in alive])

    @property
    def finite_log_weights(self) -> NDArray[np.float64]:
        """The log weights of the particles of nonzero weight."""
        return self.log_weights[np.isfinite(self.log_weights)]

    def log_totals(self, weighted: bool) -> NDArray[np.float64]:
        """Return each particle's log estimate of (sum of all weights) / (number of states)."""
        totals = self.log_weights.copy()
        if weighted:
            means = [log_mean(record.log_state_means()) for record in self.records]
            totals[np.isfinite(totals)] += means
        return totals


def annealed_runs(
    core_space: _core.Space, recording: Recording, runs: range, run: Run, **options: Any
) -> _core.AnnealedRuns:
    """Anneal runs with these options of the core, and return them."""
    record = recording.record_options(edge_batches=2)
    made = filled(_core.AnnealingOptions(), **{"record": record} | options)
    annealed = _core.AnnealedRuns(core_space, made, run.seed)
    with run.stage("Annealing") as stage:
        annealed.run(runs.start, len(runs), stage.threads, stage.progress)
    return annealed


# Far from the numbers of all other particles and chains, so that random numbers do not overlap.
_FIRST_RUN_OF_TOTALS = 1 << 62


def annealed_log_total(
    model: Model, recording: Recording, runs: int, steps: int, run: Run
) -> LogEstimate:
    """Estimate the log of the total weight of all DAGs by annealing."""
    sums = ScoreSums(model, tabulate="sums", threads=run.threads)
    core_space = recording.space.build(sums)
    record = recording.record_options(edge_batches=2)
    record.edges = False
    numbers = range(_FIRST_RUN_OF_TOTALS, _FIRST_RUN_OF_TOTALS + runs)
    annealed = annealed_runs(
        core_space, recording, numbers, run.quiet, path=linear(steps), record=record
    )
    totals = AnnealedResults.of(annealed).log_totals(recording.weighted)
    return LogEstimate.of_weights(totals).shifted(core_space.log_size)
