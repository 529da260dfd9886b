"""Arrays given to public classes: DAGs as bits above all, and what goes with them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import arcwise
from arcwise.errors import ArcwiseError
from arcwise.graphs import Dag
from arcwise.networks import DiscreteNetwork, GaussianNetwork
from arcwise.posterior import DagSample
from arcwise.records.chain_record import Traces
from arcwise.scores import FamilyScores
from fuzz import hostile
from fuzz.harness import Target


class Arrays(Target, name="arrays"):
    share = 2.0

    def set_up(self) -> None:
        self.makers = [self._dags] * 6 + [
            self._posterior,
            self._traces,
            self._dag,
            self._networks,
            self._scores,
            self._data,
        ]
        model = arcwise.Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]}, threads=1)
        self.posterior = arcwise.exact(model, dags=10, threads=1)

    def case(self, draw: random.Random) -> None:
        draw.choice(self.makers)(draw)

    def _dags(self, draw: random.Random) -> None:
        nodes = draw.choice([1, 2, 3, 5, 8, 63, 64, 65, 70, 130])
        words = (nodes + 63) // 64
        count = draw.choice([0, 1, 2, 10])
        parents = np.zeros((count, nodes, words), dtype=np.uint64)
        order = draw.sample(range(nodes), nodes)
        for dag in range(count):
            for _ in range(draw.choice([0, nodes, 3 * nodes])):
                first, second = sorted(draw.sample(range(nodes), 2)) if nodes > 1 else (0, 0)
                if first != second:
                    source, target = order[first], order[second]
                    parents[dag, target, source // 64] |= np.uint64(1 << source % 64)
        sound = draw.random() < 0.4
        given: Any = parents
        if not sound:
            kind = draw.random()
            if kind < 0.6 and parents.size:
                place = draw.randrange(parents.size)
                parents.flat[place] ^= np.uint64(1 << draw.randrange(64))
            elif kind < 0.7 and parents.size:
                parents.flat[draw.randrange(parents.size)] = np.uint64(2**64 - 1)
            elif kind < 0.85:
                given = hostile.array(draw)
            else:
                given = parents.astype(draw.choice("bBiqfdD?O")) if count else hostile.value(draw)
        names = [f"x{place}" for place in range(nodes)]
        weights = None if draw.random() < 0.7 else hostile.value(draw)
        chains = None if draw.random() < 0.7 else hostile.array(draw)
        plain = weights is None and chains is None
        try:
            sample = DagSample(names, given, weights, chains=chains)
        except ArcwiseError:
            assert not (sound and plain), "DAGs were refused"
            raise
        if plain and not sound:
            for each in sample:
                assert len(each.topological_order()) == nodes
        for relation in draw.sample(["edge", "ancestor", "skeleton", "blanket", "cpdag"], 2):
            if len(sample):
                found = sample.matrix(relation).probabilities  # type: ignore[arg-type]
                assert ((found >= 0) & (found <= 1 + 1e-9)).all()
                assert not found.diagonal().any()
        if len(sample):
            sample.estimate("edges"), sample.unique(), sample.parent_sets("x0"), sample + sample

    def _posterior(self, draw: random.Random) -> None:
        fields = {
            name: getattr(self.posterior, name)
            for name in ("variables", "modularity", "run", "edges", "evidence", "dags", "paths")
        }
        fields[draw.choice(["edges", "edges", "paths", "edge_errors", "variables"])] = (
            hostile.array(draw) if draw.random() < 0.8 else hostile.value(draw)
        )
        found = arcwise.Posterior(**fields)
        found.edge_table(), repr(found)

    def _traces(self, draw: random.Random) -> None:
        rows = [hostile.array(draw) for _ in range(draw.randint(0, 3))]
        Traces(tuple(rows), hostile.number(draw) if draw.random() < 0.5 else 1).log_weights_matrix()

    def _dag(self, draw: random.Random) -> None:
        names: Any = ["a", "b", "c"] if draw.random() < 0.8 else hostile.value(draw)
        if draw.random() < 0.5:
            matrix = np.triu(np.ones((3, 3)), 1) if draw.random() < 0.3 else hostile.array(draw)
            Dag.from_matrix(names, matrix).topological_order()
        elif draw.random() < 0.5:
            Dag.from_edges(names, hostile.value(draw))
        else:
            Dag(names, hostile.value(draw))

    def _networks(self, draw: random.Random) -> None:
        dag = Dag(["a", "b"], {"b": ["a"]})
        if draw.random() < 0.5:
            given: list[Any] = [[[0, 2], [0, 0]], 0.0, 1.0]
            given[draw.randrange(3)] = hostile.value(draw)
            network = GaussianNetwork(dag, *given)
            network.sample(5), network.mean(), network.covariance()
        else:
            levels: Any = {"a": (0, 1), "b": ("u", "v")}
            tables: Any = {"a": [0.5, 0.5], "b": [[0.1, 0.9], [0.7, 0.3]]}
            if draw.random() < 0.5:
                levels = levels | {"a": hostile.value(draw)}
            else:
                tables = tables | {draw.choice("ab"): hostile.value(draw)}
            DiscreteNetwork(dag, levels, tables).sample(5)

    def _scores(self, draw: random.Random) -> None:
        table: Any = {"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.0}}
        kind = draw.random()
        if kind < 0.3:
            table["b"][("a",)] = hostile.value(draw)
        elif kind < 0.6:
            table["b"] = hostile.value(draw)
        else:
            table = {**table, hostile.text(draw): {(hostile.text(draw),): 0.0}}
        scores = FamilyScores.from_mapping(table)
        arcwise.Model(scores, threads=1)

    def _data(self, draw: random.Random) -> None:
        options: dict[str, Any] = {}
        for name in draw.sample(["levels", "weights", "interventions", "kinds", "names"], 1):
            options[name] = hostile.value(draw)
        source: Any = {"a": [0, 1, 1], "b": hostile.value(draw)}
        if draw.random() < 0.3:
            source = hostile.value(draw)
        arcwise.read(source, **options)
