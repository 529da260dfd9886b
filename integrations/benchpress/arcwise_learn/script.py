"""Learns the posterior over DAGs from a table of Benchpress, and writes one graph of it.

Snakemake runs it with an object `snakemake`, whose wildcards are the fields of the module as text.
"""

from __future__ import annotations

import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise.errors import TimeIsUpError


def number(text: str) -> float | None:
    """Return the number of a field; None for null."""
    return None if text == "None" else float(text)


def name(text: str) -> str | None:
    """Return the text of a field; None for null."""
    return None if text == "None" else text


def read_table(path: str, data_type: str) -> arcwise.Data:
    """Read a table in the format of Benchpress.

    The first row has the names. For discrete data, the second row has the number of levels of each
    variable. A second column with the name of a variable marks the rows with interventions on it.
    """
    with open(path, newline="") as file:
        header, *rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    variables = list(dict.fromkeys(header))
    if header[: len(variables)] != variables:
        raise ValueError(f"{path} has columns of interventions among those of the data")
    levels = None
    if data_type == "discrete":
        sizes, *rows = rows
        levels = {
            each: [str(level) for level in range(int(float(size)))]
            for each, size in zip(variables, sizes, strict=False)
        }
    columns: dict[str, Any] = {}
    for place, each in enumerate(variables):
        cells = [row[place] for row in rows]
        columns[each] = cells if levels is not None else np.array(cells, dtype=np.float64)
    # A list, so that a variable that was never intervened on is in the matrix as well.
    intervened = np.zeros((len(rows), len(variables)), dtype=np.bool_)
    for place in range(len(variables), len(header)):
        flags = [float(row[place]) != 0.0 for row in rows]
        intervened[:, variables.index(header[place])] = flags
    return arcwise.read(
        columns,
        kinds="continuous" if levels is None else "discrete",
        levels=levels,
        constant="keep" if levels is not None else "error",
        identifiers="keep",
        interventions=intervened if intervened.any() else None,
    )


def local_score(fields: Any) -> Any:
    """Return the local score that the fields specify; None for the one that `learn` chooses."""
    asked, size = name(fields["score"]), number(fields["equivalent_sample_size"])
    if size is None:
        return asked
    if asked not in (None, "bdeu"):
        raise ValueError(f"equivalent_sample_size is for the score bdeu, not {asked}")
    return arcwise.scores.BDeu(size)


def adjacency(posterior: arcwise.Posterior, fields: Any) -> NDArray[np.int64]:
    """Return the graph that the fields specify, with ones in both places for an undirected edge."""
    summary: Any = fields["estimate"]
    threshold = number(fields["threshold"])
    graph = posterior.summary_graph(summary, threshold=0.5 if threshold is None else threshold)
    return graph.matrix().astype(np.int64)


def run(snakemake: Any) -> None:
    """Learn, and write the three files that Benchpress expects."""
    fields = snakemake.wildcards
    seed = fields["seed"] if "seed" in fields.keys() else fields["replicate"]  # noqa: SIM118
    limit = number(fields["max_indegree"])
    start = time.perf_counter()
    data = read_table(snakemake.input["data"], fields["data_type"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the account of the posterior is not kept here
            posterior = arcwise.learn(
                data,
                score=local_score(fields),
                prior=name(fields["prior"]),
                max_indegree=None if limit is None else int(limit),
                seconds=number(fields["timeout"]),
                seed=int(seed),
                threads=int(snakemake.threads),
                progress=None,
            )
            matrix = adjacency(posterior, fields)
    except TimeIsUpError:
        Path(snakemake.output["adjmat"]).write_text("")  # as other modules do
    else:
        with open(snakemake.output["adjmat"], "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(data.variables)
            writer.writerows(matrix.tolist())
    Path(snakemake.output["time"]).write_text(str(time.perf_counter() - start))
    Path(snakemake.output["ntests"]).write_text("None")  # there are no tests


if "snakemake" in globals():
    run(globals()["snakemake"])
