"""`arcwise learn`: from a table to edge probabilities and a report, every choice made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import arcwise
from arcwise.cli.options import (
    Chains,
    CheckpointSeconds,
    Cluster,
    DataOptions,
    FamilyOptions,
    Ladder,
    Particles,
    PriorName,
    RunFolder,
    ScoreOptions,
    Seconds,
    Seed,
    Steps,
    TargetName,
    Temperatures,
    Threads,
    refuse_options,
)
from arcwise.cli.results import make_folder, print_learned, write_learned
from arcwise.runs.directory import CHECKPOINT_SECONDS


def learn(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    prior: PriorName = "uniform",
    target: TargetName = "modular",
    algorithm: Annotated[
        Literal["auto", "exact", "mcmc", "mc3", "ais"],
        typer.Option("--algorithm", help="auto: exact where it costs little, else mcmc."),
    ] = "auto",
    space: Annotated[
        str | None,
        typer.Option(
            "--space",
            help="What is sampled (default: partitions; linear for the order-modular target).",
            metavar="linear|buckets:SIZE|partitions|layerings[:MAX_SIZE]|dags",
        ),
    ] = None,
    until: Annotated[
        str,
        typer.Option(
            "--until", help="The rule that ends a run, such as 'rhat<1.01, ess>400', or none."
        ),
    ] = "auto",
    steps: Steps = None,
    seconds: Seconds = None,
    chains: Chains = None,
    particles: Particles = None,
    temperatures: Temperatures = None,
    ladder: Ladder = None,
    dags: Annotated[
        int | None,
        typer.Option("--dags", help="DAGs drawn where the posterior is exact (default: 10,000)."),
    ] = None,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    cluster: Cluster = None,
    title: Annotated[
        str | None, typer.Option("--title", help="The heading of the report page.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for edges.csv, summary.json, posterior.npz and report.html."
        ),
    ] = None,
) -> None:
    """Learn which edges there are, and how sure that is: the one command for a new table.

    Chooses the score, exact computation or a sampler, and when to stop; says what was done and how
    far to trust it. Every choice has an option. Ctrl-C keeps what was sampled so far.

    [bold]Example:[/bold] arcwise learn data.csv --seconds 60 --out results
    """
    folder = run if out is None else out
    if folder is not None:
        make_folder(folder)  # refused before anything takes time
    told = {"temperatures": temperatures, "ladder": ladder}
    options: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    given = {"chains": chains, "particles": particles, **options}
    if algorithm != "auto":
        refuse_options(
            [name for name, value in given.items() if value is not None], algorithm, "--algorithm"
        )
    elif options or particles is not None:
        refuse_options([*options, *(["particles"] if particles else [])], "mcmc", "--algorithm")
    # Without candidates of one's own there is one more parent anyhow.
    plus_one = None if families.candidates is None or families.grow else families.plus_one
    posterior = arcwise.learn(
        data,
        score=score,
        prior=prior,
        candidates=families.method,
        max_candidates=families.max_candidates,
        plus_one=plus_one,
        target=target,
        algorithm=None if algorithm == "auto" else algorithm,
        space=space,
        until=None if until == "none" else until,
        steps=steps,
        seconds=seconds,
        chains=chains,
        particles=particles,
        dags=dags,
        seed=seed,
        engine=cluster,
        threads=threads,
        progress=True,
        directory=run,
        checkpoint_seconds=checkpoint,
        **families.constraints,
        **options,
    )
    print_learned(posterior)
    if folder is not None:
        write_learned(posterior, folder, title)
