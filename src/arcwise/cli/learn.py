"""`arcwise learn`: from a table to edge probabilities and a report, every choice made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arcwise.cli.options import (
    DataOptions,
    FamilyOptions,
    PriorName,
    Runs,
    ScoreOptions,
    Seconds,
    Seed,
    Steps,
    TargetName,
    Threads,
)
from arcwise.cli.pages import write_page
from arcwise.cli.results import evidence_lines, make_folder, print_edges, print_told, write_results
from arcwise.errors import ArgumentError
from arcwise.learning import sample
from arcwise.spaces import space_words


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
            metavar="|".join(space_words()),
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
    chains: Runs = None,
    levels: Annotated[
        int | None, typer.Option("--levels", help="Temperatures of mc3 besides the hottest.")
    ] = None,
    ladder: Annotated[
        Literal["linear", "harmonic", "adapted"] | None,
        typer.Option("--ladder", help="How the temperatures of mc3 are spread."),
    ] = None,
    dags: Annotated[
        int | None,
        typer.Option("--dags", help="DAGs drawn where the posterior is exact (default: 10,000)."),
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
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
    if out is not None:
        make_folder(out)  # refused before anything takes time
    options: dict[str, Any] = {
        name: value for name, value in (("levels", levels), ("ladder", ladder)) if value is not None
    }
    if options and algorithm != "mc3":
        raise ArgumentError("--levels and --ladder belong to --algorithm mc3; leave them out")
    posterior = sample(
        data,
        score=score,
        prior=prior,
        target=target,
        algorithm=None if algorithm == "auto" else algorithm,
        space=space,
        until=None if until == "none" else until,
        steps=steps,
        seconds=seconds,
        chains=chains,
        dags=dags,
        seed=seed,
        threads=threads,
        progress=True,
        **_families(families),
        **options,
    )
    print_edges(posterior)
    if posterior.evidence is not None:
        print(*evidence_lines(posterior.evidence), sep="\n")
    print_told(posterior)
    if out is not None:
        print(f"{write_results(posterior, out)} written to {out}")
        write_page(posterior, out, title)


def _families(families: dict[str, Any]) -> dict[str, Any]:
    """Return the options of families as arguments of `sample`."""
    named = {k: families[k] for k in ("max_indegree", "required_edges", "forbidden_edges")}
    candidates = families["candidates"]
    if families["grow"] is not None:
        if not isinstance(candidates, str | None):
            raise ArgumentError("--grow begins with a method, not a file; give --candidates pc")
        candidates = "grow" if candidates is None else f"grow:{candidates}"
        named["max_candidates"] = families["grow"]
    # Without candidates of one's own there is one more parent anyhow.
    plus_one = families["plus_one"] if candidates is not None and families["grow"] is None else None
    return named | {"candidates": candidates, "plus_one": plus_one}
