"""How fast families are scored, and how much memory their scores take.

(a) Every family of up to four parents under BDeu; (b) every subset of 14
candidate parents of each node under BGe; (c) bytes held for each score; (d) every
family of up to four parents of a mixed table. What is slower by far is measured on
a sample of families and extrapolated.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from measuring import heading, held_bytes, in_own_process, line, most_held_bytes, side_by_side
from other_programs import pgmpy_bdeu, pygobnilp_bdeu_of_set
from plain_scores import PlainBDeu, PlainBGe
from tables import continuous_table, discrete_table, mixed_table, nearest

import arcwise
from arcwise.data import Data

MAX_INDEGREE = 4
CANDIDATES = 14
REPETITIONS_OF_SAMPLES = 5


def sample_of_families(
    scores: arcwise.scores.FamilyScores, count: int, seed: int
) -> list[tuple[int, list[int], float]]:
    """Draw families uniformly from all: node, parents, score."""
    random = np.random.default_rng(seed)
    sizes = np.array([scores.table.count(node) for node in range(len(scores.variables))])
    drawn = []
    for node, own in enumerate(random.multinomial(count, sizes / sizes.sum())):
        flat, offsets = scores.table.parent_sets(node)
        values = scores.table.values(node)
        for family in random.integers(sizes[node], size=own):
            parents = flat[offsets[family] : offsets[family + 1]].tolist()
            drawn.append((node, parents, float(values[family])))
    return drawn


def seconds_each(
    function: Callable[[int, Sequence[int]], float], families: list[tuple[int, list[int], float]]
) -> float:
    """Return the time for one family, after checking that the scores agree."""
    found: list[float] = []

    def run() -> None:
        found[:] = [function(node, parents) for node, parents, _ in families]

    seconds = side_by_side({"sample": run}, REPETITIONS_OF_SAMPLES)["sample"] / len(families)
    np.testing.assert_allclose(found, [value for _, _, value in families], rtol=0, atol=1e-6)
    return seconds


def discrete(data: Data, repetitions: int) -> None:
    heading(
        f"(a) BDeu, {len(data.variables)} variables, {data.rows} rows, max_indegree {MAX_INDEGREE}"
    )
    kept: list[arcwise.scores.FamilyScores] = []

    def run(threads: int) -> None:
        kept[:] = [arcwise.score(data, "bdeu", max_indegree=MAX_INDEGREE, threads=threads)]

    best = side_by_side({"one": lambda: run(1), "two": lambda: run(2)}, repetitions)
    scores = kept[0]
    seconds = best["one"]
    line("families", f"{len(scores):,}")
    line("one thread", f"{seconds:.2f} s")
    line("families per second", f"{len(scores) / seconds:,.0f}")
    line("two threads against one", f"{seconds / best['two']:.2f} times")
    plain = seconds_each(PlainBDeu(data), sample_of_families(scores, 4000, seed=1))
    line("NumPy, family by family (extrapolated)", f"{plain * len(scores):,.0f} s")
    line("  arcwise is faster by", f"{plain * len(scores) / seconds:,.0f} times")
    other = pgmpy_bdeu(data)
    if other is not None:
        each = seconds_each(other, sample_of_families(scores, 300, seed=2))
        line("pgmpy (extrapolated)", f"{each * len(scores):,.0f} s")
        line("  arcwise is faster by", f"{each * len(scores) / seconds:,.0f} times")
    of_set = pygobnilp_bdeu_of_set(data)
    if of_set is not None:
        each = _seconds_per_set(of_set, scores)
        sets = sum(math.comb(len(data.variables), size) for size in range(MAX_INDEGREE + 2))
        line("pygobnilp, each set once (extrapolated)", f"{each * sets:,.0f} s")
        line("  arcwise is faster by", f"{each * sets / seconds:,.0f} times")


def _seconds_per_set(
    of_set: Callable[[Sequence[int]], float], scores: arcwise.scores.FamilyScores
) -> float:
    families = sample_of_families(scores, 2000, seed=3)
    sets = [sorted([node, *parents]) for node, parents, _ in families]

    def run() -> None:
        for members in sets:
            of_set(members)

    seconds = side_by_side({"sample": run}, REPETITIONS_OF_SAMPLES)["sample"] / len(sets)
    for node, parents, value in families[:100]:
        assert abs(of_set(parents) - of_set(sorted([node, *parents])) - value) < 1e-6
    return seconds


def gaussian(data: Data, repetitions: int) -> None:
    heading(
        f"(b) BGe, {len(data.variables)} variables, {data.rows} rows, "
        f"all subsets of {CANDIDATES} candidates"
    )
    candidates = nearest(data, CANDIDATES)
    kept: list[arcwise.scores.FamilyScores] = []

    def run() -> None:
        kept[:] = [arcwise.score(data, "bge", candidates=candidates, threads=1)]

    seconds = side_by_side({"one": run}, repetitions)["one"]
    scores = kept[0]
    line("families", f"{len(scores):,}")
    line("one thread", f"{seconds:.2f} s")
    line("families per second", f"{len(scores) / seconds:,.0f}")
    plain = seconds_each(PlainBGe(data), sample_of_families(scores, 4000, seed=4))
    line("NumPy slogdet, family by family (extrapolated)", f"{plain * len(scores):,.0f} s")
    line("  arcwise is faster by", f"{plain * len(scores) / seconds:,.0f} times")


def memory(path: str | None) -> None:
    heading("(c) memory for the scores of (a)")
    arguments = ["--measure-memory"] + ([] if path is None else ["--data", path])
    answer = in_own_process(__file__, arguments)
    line("bytes held for each score", f"{answer['held']:.1f}")
    line("  against 8", f"{answer['held'] / 8:.2f} times")
    line("most bytes held for each score while scoring", f"{answer['most']:.1f}")


def mixed(repetitions: int) -> None:
    for levels in (2, 3, 4):
        data = mixed_table(levels)
        heading(
            f"(d) {len(data.variables)} variables, half of them with {levels} levels, {data.rows} "
            f"rows, max_indegree {MAX_INDEGREE}"
        )
        for score in ("conditional-gaussian", "degenerate-gaussian"):
            kept: list[arcwise.scores.FamilyScores] = []

            def run(data: Data = data, score: str = score, kept: list[Any] = kept) -> None:
                kept[:] = [arcwise.score(data, score, max_indegree=MAX_INDEGREE, threads=1)]

            seconds = side_by_side({"one": run}, repetitions)["one"]
            line(f"{score}: families", f"{len(kept[0]):,}")
            line(f"{score}: families per second", f"{len(kept[0]) / seconds:,.0f}")


def measure_memory(data: Data) -> None:
    """Print the bytes for each score: held afterwards, and the most while scoring."""
    arcwise.score(data, "bdeu", max_indegree=1, threads=1)
    before = held_bytes()
    scores = arcwise.score(data, "bdeu", max_indegree=MAX_INDEGREE, threads=1)
    held, most = held_bytes() - before, most_held_bytes() - before
    print(json.dumps({"held": held / len(scores), "most": most / len(scores)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", help="a discrete table for (a) and (c) in place of a simulated one"
    )
    parser.add_argument("--continuous-data", help="a table of measurements for (b), likewise")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--measure-memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure_memory:
        measure_memory(discrete_table(options.data))
        return
    discrete(discrete_table(options.data), options.repetitions)
    gaussian(continuous_table(options.continuous_data), options.repetitions)
    memory(options.data)
    mixed(options.repetitions)


if __name__ == "__main__":
    main()
