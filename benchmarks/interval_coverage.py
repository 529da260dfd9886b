"""How often intervals of 95 % hold the exact probability, by range of probability."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import arcwise

# Upper ends of the ranges; rare and nearly sure features are where intervals fail first.
ENDS = (0.001, 0.02, 0.1, 0.9, 0.98, 0.999, 1.0)
NAMES = ("< 0.001", "< 0.02", "< 0.1", "0.1 to 0.9", "> 0.9", "> 0.98", "> 0.999")
# All of twelve variables; a path is looked for in every DAG, for each pair anew.
_MOST_PAIRS = {"->": 132, "~>": 12}


@dataclass(frozen=True)
class Coverage:
    """For each range of probability, how many intervals there are and how many hold the truth."""

    counts: tuple[tuple[int, int], ...] = ((0, 0),) * len(ENDS)

    def __str__(self) -> str:
        """Return the counts as text, such as ``3/4 0/0``, those that hold first."""
        return " ".join(f"{held}/{cases}" for held, cases in self.counts)

    @classmethod
    def read(cls, text: str) -> Coverage:
        """Return what `str` wrote."""
        pairs = (part.split("/") for part in text.split())
        return cls(tuple((int(held), int(cases)) for held, cases in pairs))

    def __add__(self, other: Coverage) -> Coverage:
        """Return the counts of both."""
        both = zip(self.counts, other.counts, strict=True)
        return Coverage(tuple((a + c, b + d) for (a, b), (c, d) in both))


def total(parts: Iterable[Coverage]) -> Coverage:
    """Return the counts of all."""
    result = Coverage()
    for part in parts:
        result += part
    return result


def coverage(found: arcwise.Posterior, exact: arcwise.Posterior, sign: str, seed: int) -> Coverage:
    """Count the intervals of `found` for pairs of variables that hold the exact probability.

    Parameters
    ----------
    found, exact
        The sampled and the exact posterior.
    sign
        ``"->"`` for edges, ``"~>"`` for paths.
    seed
        Chooses the pairs where there are more than a run should be asked for.
    """
    pairs = list(permutations(exact.variables, 2))
    if len(pairs) > _MOST_PAIRS[sign]:
        pairs = random.Random(seed).sample(pairs, _MOST_PAIRS[sign])
    counts = [[0, 0] for _ in ENDS]
    for source, target in pairs:
        feature = f'"{source}" {sign} "{target}"'
        truth = exact.probability(feature)
        estimate = found.estimate(feature)
        low, high = estimate.interval
        draws = found.run.draws if sign == "->" else len(found.sampled_dags(feature))
        if estimate.effective_samples > draws:
            raise AssertionError(f"{feature}: worth more than the {draws} draws there are")
        place = next(i for i, end in enumerate(ENDS) if truth < end or end == ENDS[-1])
        counts[place][1] += 1
        # An exact 0 or 1 is known up to rounding only.
        counts[place][0] += low - 1e-12 <= truth <= high + 1e-12
    return Coverage(tuple((held, cases) for held, cases in counts))


def report(rows: Iterable[tuple[str, Coverage]]) -> None:
    """Print the share of intervals that hold the truth, and their number, by name and range."""
    by_name: dict[str, Coverage] = {}
    for name, counts in rows:
        by_name[name] = by_name.get(name, Coverage()) + counts
    print(f"{'':<24}" + "".join(f"{name:>17}" for name in NAMES))
    for name, counts in [*by_name.items(), ("all", total(by_name.values()))]:
        shares = (
            f"{held / cases:>8.1%} of {cases:<5}" if cases else " " * 17
            for held, cases in counts.counts
        )
        print(f"{name:<24}" + "".join(shares))
