"""`arcwise evidence`: the marginal likelihood of the data, with its error and lower bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.algorithms.evidence import Method
from arcwise.algorithms.evidence_methods import EvidenceMethod, as_evidence_method
from arcwise.algorithms.sample import SAMPLERS
from arcwise.cli.options import (
    Chains,
    CheckpointSeconds,
    ClusterOptions,
    DataOptions,
    FamilyOptions,
    ModularityName,
    Particles,
    PriorName,
    RunFolder,
    Runs,
    ScoreOptions,
    Seconds,
    Seed,
    Steps,
    Threads,
    refuse_options,
)
from arcwise.cli.output import Result, note_data
from arcwise.cli.results import evidence_lines
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.learning.choose_parents import scored
from arcwise.learning.request import Request
from arcwise.posterior.evidence import Evidence
from arcwise.runs.directory import CHECKPOINT_SECONDS
from arcwise.spaces import as_space, space_words
from arcwise.support.clock import Deadline
from arcwise.support.files import write_json

# Options whose arguments have another name.
_OTHER_FLAGS = {"directory": "--run", "checkpoint_seconds": "--checkpoint"}
# Methods that are no samplers of their own.
_WITH_OWN_OPTIONS = (EvidenceMethod.BRIDGE, EvidenceMethod.BENNETT)


def evidence(
    data: DataOptions,
    score: ScoreOptions,
    families: FamilyOptions,
    cluster: ClusterOptions,
    prior: PriorName = None,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="How to compute it; combined is exact where that is cheap, otherwise two methods "
            "that are averaged if they agree.",
        ),
    ] = "combined",
    space: Annotated[
        str | None,
        typer.Option(
            "--space",
            help="The space that chains or particles move in (default: canonical, partitions with "
            "ais, and linear with --modularity order-modular).",
            metavar="|".join(space_words()),
            show_default=False,
        ),
    ] = None,
    modularity: ModularityName = "modular",
    steps: Steps = None,
    seconds: Seconds = None,
    chains: Chains = None,
    particles: Particles = None,
    runs: Runs = None,
    bins: Annotated[
        int | None,
        typer.Option(
            "--bins",
            help="For ais and smc: compute a further lower bound, from the runs in this number of "
            "groups.",
            metavar="N",
        ),
    ] = None,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", help="The confidence of the bound that --bins adds.", metavar="NUMBER"
        ),
    ] = 0.95,
    seed: Seed = 0,
    run: RunFolder = None,
    checkpoint: CheckpointSeconds = CHECKPOINT_SECONDS,
    threads: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The .json file to write.", metavar="FILE")
    ] = None,
) -> Result:
    """Compute the log evidence: the log marginal likelihood of the data, summed over structures.

    Its difference between two models, such as two scores, two priors or two values of
    --max-indegree, is their log Bayes factor: see arcwise compare-models. Where too few runs count
    for a standard error, none is stated; ais and smc have lower bounds that hold with the stated
    probability all the same.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    given = {"chains": chains, "particles": particles, "runs": runs, "bins": bins}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if run is not None:
        options |= {"directory": run, "checkpoint_seconds": checkpoint}
    if steps is not None:
        options["steps"] = steps
    if space is not None:
        options["space"] = as_space(space)
    chosen = as_evidence_method(method)
    _refuse_options(options, chosen)
    if bins is not None:
        options["confidence"] = confidence
    if chosen is not EvidenceMethod.EXACT:
        options["seed"] = seed
    note_data(data)
    with opened_engine(cluster) as engine:
        deadline = Deadline.of(seconds)
        request = Request(
            modularity=modularity, deadline=deadline, seed=seed, engine=engine, threads=threads
        )
        model = scored(families.parents(data, score, prior, request), deadline).model
        if chosen not in (EvidenceMethod.EXACT, *_WITH_OWN_OPTIONS):
            options["engine"] = engine
        found = arcwise.evidence(
            model,
            method,
            modularity=modularity,
            seconds=deadline if deadline.limited else None,
            threads=threads,
            progress=True,
            **options,
        )
    if found.parts:
        Console().print(_table(found.parts))
    print(*evidence_lines(found), sep="\n")
    result = found.as_dict() | {
        "modularity": modularity,
        "provenance": model.provenance().as_dict(),
    }
    if out is not None:
        write_json(result, out)
        print(f"Evidence written to {out}")
    return lambda: result


def _refuse_options(given: Iterable[str], method: EvidenceMethod) -> None:
    """Refuse options that the method does not have."""
    if method.value in SAMPLERS:
        refuse_options((name for name in given if name != "space"), method.value, "--method")
        return
    for name in given:
        if method in _WITH_OWN_OPTIONS and name in ("steps", "particles", "runs"):
            continue
        flag = _OTHER_FLAGS.get(name, f"--{name.replace('_', '-')}")
        raise ArgumentError(
            f"{flag} is not an option of --method {method.value}; leave it "
            "out, or choose another method"
        )


def _table(parts: Sequence[Evidence]) -> Table:
    """Return the estimates of all methods as a table."""
    table = Table(title="The methods", title_justify="left")
    table.add_column("method")
    for name in ("log evidence", "standard error", "effective runs", "lower bound"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for part in parts:
        bound = part.lower_bound
        table.add_row(
            Text(part.method),
            f"{part.log_evidence:.4f}",
            "-" if part.standard_error is None else f"{part.standard_error:.2g}",
            "-" if part.effective_runs is None else f"{part.effective_runs:.1f}",
            "-" if bound is None else f"{bound.value:.4f}",
            part.verdict,
        )
    return table
