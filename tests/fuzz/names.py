"""Variables and levels with names of anything, through every file and back."""

from __future__ import annotations

import random

import arcwise
from arcwise.cli.options import read_edge_file
from arcwise.errors import ArcwiseError
from arcwise.scores.family_scores import read_scores
from fuzz import hostile
from fuzz.harness import Target


class Names(Target, name="names"):
    def case(self, draw: random.Random) -> None:
        names = list(dict.fromkeys([hostile.text(draw) or "x", hostile.text(draw) or "y", "plain"]))
        levels = [hostile.text(draw), hostile.text(draw) + "1"]
        columns = [[0, 1, 1, 0], [0, 1, 0, 1], [draw.choice(levels), *levels, levels[0]]]
        data = arcwise.read(dict(zip(names, columns, strict=False)), constant="keep")
        variables = data.variables
        assert list(variables) == names
        model = arcwise.Model(data, max_indegree=1, threads=1)
        posterior = arcwise.exact(model, dags=5, threads=1)
        posterior.save(self.folder / "p.npz")
        assert arcwise.Posterior.load(self.folder / "p.npz").variables == variables
        posterior.write_edges(self.folder / "edges.csv")
        written = {(pair.source, pair.target) for pair in posterior.adjacencies()}
        assert set(read_edge_file(self.folder / "edges.csv")) == written
        posterior.write_summary(self.folder / "summary.json")
        # What a format cannot hold it refuses, in a sentence.
        for write in (self._jkl, self._feature, self._csv, self._graphs, self._report):
            try:
                write(draw, model, posterior)
            except ArcwiseError:
                continue

    def _jkl(self, draw: random.Random, model: arcwise.Model, posterior: arcwise.Posterior) -> None:
        model.scores.write_jkl(self.folder / "s.jkl")
        assert read_scores(self.folder / "s.jkl").variables == model.variables

    def _feature(
        self, draw: random.Random, model: arcwise.Model, posterior: arcwise.Posterior
    ) -> None:
        feature = arcwise.features.Edge(model.variables[0], model.variables[1])
        again = arcwise.features.parse(str(feature), model.variables)
        assert again == feature

    def _csv(self, draw: random.Random, model: arcwise.Model, posterior: arcwise.Posterior) -> None:
        assert model.data is not None
        model.data.write_csv(self.folder / "d.csv")

    def _graphs(
        self, draw: random.Random, model: arcwise.Model, posterior: arcwise.Posterior
    ) -> None:
        posterior.to_dot().encode(), posterior.to_gml().encode()
        posterior.to_pandas(), posterior.to_polars()

    def _report(
        self, draw: random.Random, model: arcwise.Model, posterior: arcwise.Posterior
    ) -> None:
        if draw.random() < 0.1:
            arcwise.report(posterior, self.folder / "r.html", title=hostile.text(draw))
