"""`arcwise exact`: the exact posterior, written to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise.algorithms.exact import exact as exact_posterior
from arcwise.algorithms.memory import exact_cost
from arcwise.cli.options import DataOptions, FamilyOptions, PriorName, ScoreOptions, Threads
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.posterior import Posterior


def exact(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    prior: PriorName = "uniform",
    target: Annotated[
        Literal["modular", "order-modular"],
        typer.Option("--target", help="The prior: as stated, or times the number of orders."),
    ] = "modular",
    memory_limit: Annotated[
        float | None,
        typer.Option("--memory-limit", help="GiB the run may take (default: what is free)."),
    ] = None,
    threads: Threads = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for edges.csv, evidence.json and posterior.npz."),
    ] = None,
) -> None:
    """Compute the exact posterior: edge probabilities, evidence and the best DAG.

    For up to about 25 variables with --target order-modular (n^2 2^n steps), or about 20 with the
    default target modular (3^n steps). Says beforehand how much memory it needs.

    [bold]Example:[/bold] arcwise exact data.csv --max-indegree 3 --out results
    """
    if memory_limit is not None and not memory_limit > 0:
        raise ArgumentError(f"--memory-limit is {memory_limit:g}; give a positive number of GiB")
    print(data.describe())
    model = Model(data, score, prior=prior, threads=threads, progress=True, **families)
    print(f"Exact {target} posterior: {exact_cost(model, target, threads=threads)}", flush=True)
    posterior = exact_posterior(
        model,
        target,
        memory_limit=None if memory_limit is None else int(memory_limit * 2**30),
        threads=threads,
        progress=True,
    )
    Console().print(_edge_table(posterior))
    print(f"log evidence {posterior.log_evidence:.6f} ({model.score!r}, {model.prior!r})")
    print(f"best DAG, probability {posterior.map_probability:.4g}: {posterior.map_dag}")
    if out is not None:
        _write(posterior, out)
        print(f"edges.csv, evidence.json and posterior.npz written to {out}")


def _edge_table(posterior: Posterior) -> Table:
    most = 15
    table = Table(title=f"The {most} most probable edges", title_justify="left")
    table.add_column("source")
    table.add_column("target")
    table.add_column("probability", justify="right")
    for source, target, probability in posterior.edge_table()[:most]:
        table.add_row(Text(source), Text(target), f"{probability:.4f}")
    return table


def _write(posterior: Posterior, folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"'{folder}' is a file; give a folder for --out")
    folder.mkdir(parents=True, exist_ok=True)
    posterior.write_edges(folder / "edges.csv")
    posterior.write_evidence(folder / "evidence.json")
    posterior.save(folder / "posterior.npz")
