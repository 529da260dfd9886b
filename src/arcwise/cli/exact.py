"""`arcwise exact`: the exact posterior, written to a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.algorithms.exact_computation import MOST_VARIABLES
from arcwise.algorithms.memory import exact_cost
from arcwise.cli.folders import save_data
from arcwise.cli.options import (
    ClusterOptions,
    DataOptions,
    DeviceName,
    FamilyOptions,
    ModularityName,
    PriorName,
    ScoreOptions,
    Threads,
)
from arcwise.cli.output import Result, note_data, note_nothing_kept, posterior_result
from arcwise.cli.reliability import print_reliability
from arcwise.cli.results import print_edges, write_results
from arcwise.errors import ArgumentError
from arcwise.learning.choose_parents import scored
from arcwise.support.clock import NEVER
from arcwise.support.descriptions import words_of
from arcwise.support.progress import tell
from arcwise.support.running import Run


def exact(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = None,
    modularity: ModularityName = "modular",
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit",
            help="Memory that may be used, in GiB (default: what is free).",
            metavar="GIB",
        ),
    ] = None,
    threads: Threads = None,
    device: DeviceName = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder for edges.csv, evidence.json, summary.json and posterior.npz.",
            metavar="FOLDER",
        ),
    ] = None,
) -> Result:
    """Compute the exact posterior: edge probabilities, evidence and the best DAG.

    By dynamic programming, for up to {modular} variables (3^n operations), or {order_modular} with
    --modularity order-modular (n^2 2^n operations). The memory needed is printed beforehand.

    [bold]Example:[/bold] arcwise exact data.csv --max-indegree 3 --out results
    """
    if memory_limit is not None and not 0 < memory_limit * 2**30 < float("inf"):
        raise ArgumentError(f"--memory-limit is {memory_limit:g}; give a positive number of GiB")
    run = Run(engine=cluster, device=device, threads=threads)
    note_data(data)
    model = scored(families.parents(data, score, prior, run, modularity), NEVER).model
    tell(f"Exact {modularity} posterior: {exact_cost(model, modularity, threads=threads)}.")
    posterior = arcwise.exact(
        model,
        modularity,
        memory_limit=None if memory_limit is None else int(memory_limit * 2**30),
        threads=threads,
        device=device,
        progress=True,
    )
    diagnosis = posterior.diagnose()
    print_reliability(diagnosis)
    print_edges(posterior, diagnosis)
    of = f"{words_of(model.score)}, {words_of(model.prior)}"
    print(f"log evidence {posterior.log_evidence:.6f} ({of})")
    print(f"best DAG, probability {posterior.map_probability:.4g}: {posterior.map_dag}")
    if out is not None:
        save_data(data, out)
        print(f"{write_results(posterior, out)} written to {out}")
    else:
        note_nothing_kept()
    return partial(posterior_result, posterior)


assert exact.__doc__ is not None
exact.__doc__ = exact.__doc__.format(
    modular=MOST_VARIABLES["modular"], order_modular=MOST_VARIABLES["order-modular"]
)
