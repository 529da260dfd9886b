"""Are the probabilities of edges that `learn` states by default true as often as it says?

Tables whose parameters were not drawn from any prior of arcwise (`default_tables.py`): noise, in
which there are no edges; random networks of 12 variables; those of the Benchpress studies, 80
variables and 320 rows; and published networks. For each, what `learn` does by default and with
the fair and the uniform prior (and an equivalent sample size of 1): expected adjacencies and true
ones, log loss, true and false positives of the median graph and of the best DAG, and how often
adjacencies are there that are said to be probable by so much. `--rivals` runs BOSS and GRaSP of
causal-learn, if that is installed, on the same tables of the Benchpress kind.

    python benchmarks/defaults.py --kinds noise random --processes 16 --out defaults.csv
    python benchmarks/defaults.py --kinds network --networks pgmpy-0.1.26-py3-none-any.whl
    python benchmarks/defaults.py --report defaults.csv --figure reliability.svg --curves curves.svg
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import random as python_random
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from default_tables import Case, Matrix, Table, cases, draw
from defaults_report import Row, positives, reliability, report
from numpy.typing import NDArray
from rows import read_rows

DEFAULT = "default"
LAW = "law"  # the posterior under the law that tables are drawn from
PRIORS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "fair": {"prior": "fair"},
    "uniform": {"prior": "uniform"},
}


def by_learn(setting: str, table: Table, dag: Matrix, case: Case, seconds: float | None) -> Row:
    """Return how `learn` does with one of the priors, or under the law of the tables."""
    import arcwise

    warnings.simplefilter("ignore")
    options = law_of_tables(table, case) if setting == LAW else PRIORS[setting]
    start = time.perf_counter()
    found = arcwise.learn(
        table, seconds=seconds, seed=case.seed, threads=1, progress=None, **options
    )
    taken = time.perf_counter() - start
    above = np.triu_indices(len(dag), 1)
    truth = (dag | dag.T)[above]
    said = np.clip((found.edges + found.edges.T)[above], 0.0, 1.0)
    inside = np.clip(said, 1e-6, 1 - 1e-6)
    best = found.map_dag
    assert found.account is not None
    return Row(
        **asdict(case),
        method=setting,
        seconds=round(taken, 2),
        verdict=found.account.verdict,
        score=found.account.chosen.score,
        prior=found.account.chosen.prior,
        expected=float(said.sum()),
        true=int(truth.sum()),
        log_loss=float(-np.where(truth, np.log(inside), np.log(1 - inside)).sum()),
        positives=positives(said, truth),
        best=None if best is None else positives((best.matrix() | best.matrix().T)[above], truth),
        reliability=reliability(said, truth),
    )


def law_of_tables(table: Table, case: Case) -> dict[str, Any]:
    """Return the score and prior by which binary tables of a random network are drawn.

    Every probability is uniform between 0.1 and 0.9, whatever the others; edges of an order are
    there with the same probability each, up to five of a node. The posterior under this law is
    what no method can beat on average. (The prior here keeps to five by leaving larger sets out,
    where tables are drawn by taking edges away: of 200 nodes about three.)
    """
    from arcwise.priors import Sparse

    values = np.stack(list(table.values()), axis=1).astype(np.int64)
    place = {name: number for number, name in enumerate(table)}
    counts = np.arange(case.rows + 1)
    log_integrals = log_integral(*np.meshgrid(counts, counts, indexing="ij"))

    def log_score(node: str, parents: Sequence[str]) -> float:
        codes = values[:, place[node]].copy()
        for number, parent in enumerate(parents, 1):
            codes += values[:, place[parent]] << number
        cells = np.bincount(codes, minlength=2 << len(parents))
        return float(log_integrals[cells[0::2], cells[1::2]].sum())

    share = case.degree / (case.variables - 1)
    prior = Sparse(share / (1.0 - share) * (len(place) - 1))
    return {
        "score": log_score,
        "prior": prior,
        "modularity": "order-modular",
        "max_indegree": 5,
    }


def log_integral(zeros: NDArray[np.int64], ones: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log probability of so many zeros and ones if theirs is uniform in 0.1 to 0.9."""
    from scipy.special import betainc, betaincc, betaln

    a, b = ones + 1.0, zeros + 1.0
    # From the end where the distribution is, so that no digits cancel.
    share = np.where(
        a < b, betaincc(a, b, 0.1) - betaincc(a, b, 0.9), betainc(a, b, 0.9) - betainc(a, b, 0.1)
    )
    log: NDArray[np.float64] = betaln(a, b) + np.log(share) - np.log(0.8)
    return log


def by_rival(setting: str, table: Table, dag: Matrix, case: Case, _: float | None) -> Row:
    """Return how a search of causal-learn does, with its score for such data."""
    from causallearn.search.PermutationBased.BOSS import boss
    from causallearn.search.PermutationBased.GRaSP import grasp

    values = np.stack(list(table.values()), axis=1).astype(np.float64)
    score = "local_score_BDeu" if case.name == "binary" else "local_score_BIC_from_cov"
    start = time.perf_counter()
    search = {"boss": boss, "grasp": grasp}[setting]
    graph = search(values, score_func=score, verbose=False).graph
    taken = time.perf_counter() - start
    above = np.triu_indices(len(dag), 1)
    said, truth = ((graph != 0) | (graph.T != 0))[above], (dag | dag.T)[above]
    return Row(
        **asdict(case),
        method=setting,
        seconds=round(taken, 2),
        verdict="",
        score=score,
        prior="",
        expected=float(said.sum()),
        true=int(truth.sum()),
        log_loss=None,
        positives=None,
        best=positives(said, truth),
        reliability=None,
    )


@dataclass(frozen=True)
class Job:
    """A method on a table."""

    case: Case
    method: str
    seconds: float | None
    networks: Path | None

    def run(self) -> Row | None:
        """Return the row, or None if the table is none that the method takes."""
        table, dag = draw(self.case, self.networks)
        work: Callable[..., Row] = partial(
            by_learn if self.method in (*PRIORS, LAW) else by_rival, self.method
        )
        try:
            return work(table, dag, self.case, self.seconds)
        except Exception as error:
            print(f"{self.case}, {self.method}: {type(error).__name__}: {error}", flush=True)
            return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", default=["noise", "random", "benchpress"])
    parser.add_argument("--methods", nargs="+", default=list(PRIORS))
    parser.add_argument("--rivals", action="store_true", help="BOSS and GRaSP as well")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, help="for each run of learn")
    parser.add_argument("--networks", type=Path, help="a wheel of pgmpy with .bif.gz files")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--most", type=float, default=1e6, help="seconds for all runs")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path, nargs="+", help="only report rows kept before")
    parser.add_argument("--figure", type=Path, help="an .svg file for the reliability diagrams")
    parser.add_argument("--curves", type=Path, help="an .svg file for true and false positives")
    options = parser.parse_args()
    if options.report:
        rows = [row for path in options.report for row in read_rows(path, Row)]
        report(rows, options.figure, options.curves)
        return
    methods = [*options.methods, *(("boss", "grasp") if options.rivals else ())]
    jobs = [
        Job(case, method, options.seconds, options.networks)
        for case in cases(options.kinds, options.seeds)
        for method in methods
        if method in PRIORS
        or (case.kind == "benchpress" and (method != LAW or case.name == "binary"))
    ]
    python_random.Random(0).shuffle(jobs)
    end = time.monotonic() + options.most
    found: list[Row] = []
    with multiprocessing.get_context("forkserver").Pool(options.processes) as pool:
        results = [pool.apply_async(job.run) for job in jobs]
        for result in results:
            try:
                row = result.get(timeout=max(0.1, end - time.monotonic()))
            except multiprocessing.TimeoutError:
                break
            if row is not None:
                found.append(row)
                if options.out is not None:
                    _append(options.out, row)
        pool.terminate()
    print(f"{len(found)} of {len(jobs)} runs")
    report(found, options.figure, options.curves)


def _append(path: Path, row: Row) -> None:
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Row)])
        if new:
            writer.writeheader()
        writer.writerow(asdict(row))


if __name__ == "__main__":
    main()
