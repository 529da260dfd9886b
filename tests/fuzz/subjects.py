"""Small tables, models and posteriors of every kind, which calls with any arguments are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import arcwise
from arcwise import networks
from arcwise.model.score_sums import ScoreSums


class Subjects:
    """What calls are about, made once.

    Parameters
    ----------
    folder
        Where a run may keep its files.
    """

    def __init__(self, folder: Path) -> None:
        few: dict[str, Any] = {"threads": 1}
        self.data = arcwise.simulate("asia", 60, seed=1)
        self.gaussian = networks.gaussian_network(
            networks.random_dag(5, edge_probability=0.5, seed=1)
        )
        self.reals = self.gaussian.sample(50, seed=1)
        numbers = np.random.default_rng(1)
        self.mixed = arcwise.read(
            {"c": [0, 1, 2, 1] * 5, "x": numbers.normal(size=20), "y": numbers.normal(size=20)}
        )
        self.table = arcwise.read(
            {"a": [0, 1, 1, 0] * 3, "b": [0, 1, 0, 1] * 3, "c": [1, 1, 0, 0] * 3}
        )
        self.incomplete = {
            "a": [0, None, 1, 0, 1, 1, 0, 1] * 2,
            "b": [1, 0, None, 1, 0, 1, 0, 1] * 2,
        }
        self.small = arcwise.Model(self.table, **few)
        self.score_file = folder / "scores.jkl"
        self.small.scores.write_jkl(self.score_file)
        self.wide = arcwise.Model(self.reals, **few)
        self.exact = arcwise.exact(self.wide, dags=30, **few)
        self.discrete = arcwise.exact(self.small, dags=20, paths=True, **few)
        self.continuous_and_discrete = arcwise.exact(
            arcwise.Model(self.mixed, **few), dags=20, **few
        )
        self.covariates = arcwise.exact(
            arcwise.Model(self.table, parent_only=["c"], **few), dags=20, **few
        )
        self.imputed = arcwise.learn(self.incomplete, completions=4, progress=None, **few)
        self.run = folder / "run"
        self.sampled = arcwise.mcmc(
            self.small, "partitions", steps=300, chains=2, directory=self.run, **few
        )
        self.tempered = arcwise.mc3(self.small, steps=60, chains=2, temperatures=3, **few)
        self.learned = arcwise.learn(self.data, max_indegree=1, progress=None, **few)
        drawn = self.exact.dags
        assert drawn is not None
        self.drawn = drawn
        self.dag = drawn[0]
        self.sums = ScoreSums(self.small, **few)
        self.panel = {
            "t": [1, 2, 3, 4, 5, 6] * 2,
            "who": [1] * 6 + [2] * 6,
            "x": [0, 1, 1, 0, 1, 0] * 2,
            "y": [1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1],
        }
        self.waves = {
            "t": list(range(20)),
            "u": numbers.normal(size=20),
            "v": numbers.normal(size=20),
        }
        self.series = arcwise.time_series(self.panel, time="t", subject="who")
        self.incomplete_series = arcwise.time_series({"x": [0, 1, None, 0], "y": [1, 1, 0, 1]})
        self.in_time = arcwise.exact(arcwise.Model(self.series, **few), dags=10, **few)
        self.moving = arcwise.exact(
            arcwise.Model(arcwise.time_series(self.waves, time="t"), **few), dags=10, **few
        )

    def every(self) -> list[Any]:
        """Return each of them, to be given in the place of another."""
        return list(vars(self).values())
