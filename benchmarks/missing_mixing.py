"""How fast chains over DAGs and missing cells move: effective draws of adjacencies a second.

Values are taken away at random from tables of random networks. Chains over DAG and cells start as
`learn` lets them, and the DAG after each sweep is kept; moves are chosen after an eighth and a
quarter of the time. Of the adjacencies that are neither certain nor impossible, the least and the
median number of effective draws of a second of processor time are printed, and how far chains are
apart: where modes are far apart, effective draws alone mislead.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace

import numpy as np
from measuring import heading, line
from missing import KINDS, table_of, with_gaps
from numpy.typing import NDArray

import arcwise
from arcwise.imputation.averaging import choose_moves
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ChainStructure, ExactStructure
from arcwise.model import Definition, Question
from arcwise.posterior.matrices import unpacked
from arcwise.priors import Sparse
from arcwise.statistics.convergence import effective_sample_size

_UNCERTAIN = (0.05, 0.95)
_BURN_IN = 0.25


def measure(
    kind: str, n: int, rows: int, share: float, seed: int, seconds: float, chains: int
) -> str:
    """Return in words how fast chains move on one table."""
    _, data = table_of(kind, n, rows, seed)
    levels = None
    if kind in ("discrete", "prior"):
        levels = {c.name: list(c.kind.levels) for c in data.columns}
    given = arcwise.read(with_gaps(data, share, seed), missing="impute", levels=levels)
    assert isinstance(given, arcwise.data.IncompleteData)
    few = n > 10
    question = Question.of(given.table, Definition(prior=Sparse(1.0)))
    if few:
        few_parents = arcwise.candidates(question, "greedy:6", threads=1)
        question = Question.of(given.table, Definition(prior=Sparse(1.0), candidates=few_parents))
    structure = ChainStructure(40 * n, 400 * n, 1) if few else ExactStructure(threads=1)
    assert question.score is not None
    question = replace(question, score=question.score.fixed_by(given.table))
    start = time.process_time()
    running = [
        ImputationChain(
            Imputation(given, question, structure, seed=1, threads=1),
            number,
            associated=number >= (chains + 1) // 2,
        )
        for number in range(chains)
    ]
    drawn: list[NDArray[np.float64]] = []
    first, early = 0, False
    while (spent := time.process_time() - start) < seconds:
        for chain in running:
            chain.sweep()
        found = np.stack([chain.dag for chain in running if chain.dag is not None])
        drawn.append(unpacked(found, n).transpose(0, 2, 1).astype(np.float64))
        if not early and spent > _BURN_IN * seconds / 2.0:
            early = True
            choose_moves(running, np.concatenate(drawn))
        if not first and spent > _BURN_IN * seconds:
            first, began = len(drawn), spent
            choose_moves(running, np.concatenate(drawn))
    sweeps = len(drawn)
    edges = np.array(drawn[first:]).transpose(1, 0, 2, 3)
    upper = np.triu_indices(n, 1)
    joined = np.minimum(edges + edges.transpose(0, 1, 3, 2), 1.0)[:, :, upper[0], upper[1]]
    means = joined.mean(axis=(0, 1))
    open_ = (means > _UNCERTAIN[0]) & (means < _UNCERTAIN[1])
    if not open_.any():
        return f"nothing uncertain; {sweeps} sweeps"
    sizes = np.array([effective_sample_size(joined[:, :, k]) for k in np.flatnonzero(open_)])
    rates = sizes / (spent - began)
    apart = np.ptp(joined.mean(axis=1), axis=0).max()
    return (
        f"least {np.nanmin(rates):.2f}, median {np.nanmedian(rates):.1f} effective draws a second "
        f"of {int(open_.sum())} adjacencies; {sweeps} sweeps of each chain, "
        f"chains at most {apart:.2f} apart"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=["discrete"])
    parser.add_argument("--sizes", type=int, nargs="*", default=[5, 10])
    parser.add_argument("--rows", type=int, nargs="*", default=[200])
    parser.add_argument("--shares", type=float, nargs="*", default=[0.05, 0.2, 0.4])
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=12.0, help="of processor time, a table")
    parser.add_argument("--chains", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for kind in options.kinds:
        for n in options.sizes:
            for rows in options.rows:
                heading(f"{kind}, {n} variables, {rows} rows")
                for share in options.shares:
                    for seed in options.seeds:
                        line(
                            f"{share:.0%} missing, table {seed}",
                            measure(kind, n, rows, share, seed, options.seconds, options.chains),
                        )


if __name__ == "__main__":
    main()
