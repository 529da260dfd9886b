"""The data sets of Niinimäki, Parviainen and Koivisto (2016), and those that stand for them."""

from __future__ import annotations

from dataclasses import dataclass

from common import Published

PUBLISHED = [
    Published("Table 1", "Flare, linear orders, iterations", 6.1e8),
    Published("Table 1", "German, linear orders, iterations", 2.4e8),
    Published("Table 1", "German, bucket orders, iterations", 1.0e8),
    Published("Table 1", "Mushroom, linear orders, iterations", 1.9e8),
    Published("Table 1", "Mushroom, bucket orders, iterations", 9.6e7),
    Published("Table 1", "Spambase, linear orders, iterations", 1.5e7),
    Published("Table 1", "Spambase, bucket orders, iterations", 9.6e6),
    Published("Table 1", "Alarm, linear orders, iterations", 1.0e7),
    Published("Table 1", "Alarm, bucket orders, iterations", 6.3e6),
    Published("Section 6.5", "Mushroom, modular, largest median error at the end", 0.10, True),
    Published("Section 6.6", "German and Mushroom, square-root bound below the exact", 0.4, True),
    Published("Section 6.5", "49 nodes, at most 6 parents, seconds to count", 2.0, True),
]


@dataclass(frozen=True)
class Problem:
    """A data set of ours, and the one of the paper it is or stands for."""

    name: str
    of_paper: str
    same: str
    paper_nodes: int
    max_indegree: int
    paper_bucket: int | None
    bucket: int
    days: float
    large: bool = False
    mixing: bool = True  # takes part in all but the comparison with distinct DAGs
    traced: bool = True
    distinct: bool = False  # takes part in that comparison


PROBLEMS = [
    Problem("flare", "Flare", "the same data", 13, 4, None, 5, 1.0, mixing=False, distinct=True),
    Problem("credit", "German", "another credit table", 20, 4, 7, 5, 4.0, distinct=True),
    Problem("boston", "Mushroom", "other data, hard too", 22, 4, 7, 5, 4.0, traced=False),
    Problem("vehicle12", "Mushroom", "other data, hard too", 22, 4, 7, 4, 4.0),
    Problem("alarm-1000", "Alarm", "the same network, other rows", 37, 4, 10, 10, 4.0, True),
    Problem("hailfinder-1000", "Spambase", "other data of that size", 58, 3, 9, 9, 4.0, True),
]
