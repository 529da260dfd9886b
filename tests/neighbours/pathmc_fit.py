"""Reads equations and graphs with pathmc, fits them to a table, and prints what it found.

It is run by test_pathmc.py in a Python that has pathmc, and knows nothing of arcwise.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import pathmc


def main(folder: Path) -> None:
    texts = {file.stem: file.read_text() for file in folder.glob("*.dot")}
    equations = (folder / "equations.txt").read_text()
    model = pathmc.model(equations, data=pd.read_csv(folder / "table.csv"))
    model.fit(draws=1000, tune=1000, chains=2, random_seed=1, progressbar=False)
    drawn = model.graph().source
    found = {
        "equations": pathmc.dag_to_spec(texts["dag"]),
        "edges": [line.strip().split(" ")[0:3:2] for line in drawn.splitlines() if " -> " in line],
        "classes": {
            name: pathmc.same_markov_equivalence_class(texts["dag"], texts[name])
            for name in ("class", "equivalent", "other")
        },
        "adjustment": [sorted(each) for each in model.adjustment_sets("x", "y")],
        "effect": float(model.ate("y", "x", values=(0.0, 1.0)).mean()),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
