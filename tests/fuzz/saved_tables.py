"""Saved tables, files of evidence and rounds of growth, with damage and with other contents."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

import arcwise
from arcwise.algorithms.growth_state import read_log
from arcwise.comparison import ModelEvidence
from arcwise.data import Data, IncompleteData
from arcwise.data.archive import load_table, save_table
from arcwise.errors import ArcwiseError
from fuzz import hostile
from fuzz.harness import Target
from fuzz.posterior_files import changed_archive


class SavedTables(Target, name="data-file"):
    """The tables that `learn --out` keeps for effects and predictions."""

    def set_up(self) -> None:
        gaps = {"a": [0, None, 1, 0, 1], "b": [1.5, 0.5, None, 2.5, 3.0]}
        panel = {"t": [1, 2, 3, 4, 5], "x": [0, 1, 1, 0, 1], "y": [0.1, 0.4, 0.2, 0.9, 0.3]}
        tables: list[Data | IncompleteData] = [
            arcwise.simulate("asia", 20, seed=1, interventions={"smoke": "yes"}),
            arcwise.read({"a": [0, 1, 2, 1], "b": [0.5, 1.5, 0.25, 2.0]}, weights=[1, 2, 1, 0.5],
                         kinds={"a": "ordinal"}),
            arcwise.read(gaps, missing="impute"),
            arcwise.time_series(panel, time="t"),
        ]  # fmt: skip
        self.files = []
        for table in tables:
            path = self.folder / "base.npz"
            save_table(table, path)
            with np.load(path) as archive:
                arrays = {name: archive[name] for name in archive.files}
            self.files.append((path.read_bytes(), arrays, table))

    def case(self, draw: random.Random) -> None:
        content, arrays, original = draw.choice(self.files)
        path = self.folder / "damaged.npz"
        damage = draw.random() < 0.3
        path.write_bytes(
            hostile.damaged(draw, content) if damage else changed_archive(draw, arrays)
        )
        found = load_table(path)
        if damage:
            assert _same(found, original)
        table = found.table if isinstance(found, IncompleteData) else found
        repr(found), table.to_dict()
        save_table(found, self.folder / "again.npz")
        assert _same(load_table(self.folder / "again.npz"), found)
        if draw.random() < 0.2:
            try:
                arcwise.Model(table, max_indegree=1, threads=1)
            except ArcwiseError:
                return


def _same(one: Data | IncompleteData, other: Data | IncompleteData) -> bool:
    if isinstance(one, IncompleteData) and isinstance(other, IncompleteData):
        return one.table == other.table and np.array_equal(one.cells, other.cells)
    return one == other


class EvidenceFiles(Target, name="evidence-file"):
    """Files of `evidence --out`, compared with one that is sound, and rounds of growth."""

    def set_up(self) -> None:
        data = arcwise.simulate("asia", 100, seed=1)
        model = arcwise.Model(data, max_indegree=1, threads=1)
        path = self.folder / "base.json"
        self.bases: list[tuple[bytes, Any]] = []
        for posterior in (
            arcwise.exact(model, threads=1),
            arcwise.ais(model, particles=5, steps=9, threads=1),
        ):
            posterior.write_evidence(path)
            self.bases.append((path.read_bytes(), json.loads(path.read_text())))
        self.sound = ModelEvidence.read(path)
        self.data = data
        self.growth = self.folder / "growth.json"
        arcwise.grow(data, max_size=2, restarts=1, file=self.growth, threads=1)
        self.rounds = self.growth.read_bytes()

    def case(self, draw: random.Random) -> None:
        if draw.random() < 0.02:
            key, *rounds = map(json.loads, self.rounds.splitlines())
            damage = draw.random() < 0.3
            changed = hostile.edited(draw, rounds)
            lines = [key, *(changed if isinstance(changed, list) else [changed])]
            self.growth.write_bytes(
                hostile.damaged(draw, self.rounds)
                if damage
                else "".join(json.dumps(line) + "\n" for line in lines).encode()
            )
            read_log(self.growth)
            arcwise.grow(self.data, max_size=2, restarts=1, file=self.growth, threads=1)
            return
        content, tree = draw.choice(self.bases)
        path = self.folder / "changed.json"
        path.write_bytes(
            hostile.damaged(draw, content)
            if draw.random() < 0.3
            else json.dumps(hostile.edited(draw, tree)).encode()
        )
        found = ModelEvidence.read(path)
        repr(arcwise.compare_models({"changed": found, "sound": self.sound}))
