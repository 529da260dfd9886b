"""`arcwise evidence`: the marginal likelihood of the data, with its error and lower bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import arcwise
from arcwise.algorithms.evidence import EvidenceArguments, EvidenceOptions, Method
from arcwise.algorithms.evidence_methods import EvidenceMethod, as_evidence_method
from arcwise.algorithms.sample import SAMPLERS
from arcwise.cli.composition import options_of
from arcwise.cli.options import (
    ClusterOptions,
    DataOptions,
    FamilyOptions,
    PriorName,
    RunOptions,
    ScoreOptions,
    refuse_options,
)
from arcwise.cli.output import Result, note_data
from arcwise.cli.results import evidence_lines
from arcwise.engines import opened_engine
from arcwise.errors import ArgumentError
from arcwise.learning.choose_parents import scored
from arcwise.posterior.evidence import Evidence
from arcwise.spaces import as_space
from arcwise.support.files import write_json
from arcwise.support.running import Run
from arcwise.support.settings import settings_of

# Methods that are no samplers of their own.
_WITH_OWN_OPTIONS = (EvidenceMethod.BRIDGE, EvidenceMethod.BENNETT)


def evidence(
    *,
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
    options: Annotated[dict[str, Any], options_of(EvidenceOptions)],
    run: RunOptions,
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
    chosen = as_evidence_method(method)
    _refuse_options([*options, *(set(run) - {"seconds", "threads", "seed"})], chosen)
    modularity = options.get("modularity", "modular")
    if "space" in options:
        as_space(options["space"])  # before anything takes time
    note_data(data)
    with opened_engine(cluster) as engine:
        run |= {"engine": engine, "progress": True}
        own = Run(**run)
        study = families.parents(data, score, prior, own, modularity)
        model = scored(study, own.deadline).model
        found = arcwise.evidence(model, method, **run, **options)
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
        own = {each.name for each in fields(Run)}
        refuse_options((name for name in given if name not in own), method.value, "--method")
        return
    flags = {name: found.flag_of(name) for name, _, _, found in settings_of(EvidenceArguments)}
    for name in given:
        if name == "modularity":
            continue
        if method in _WITH_OWN_OPTIONS and name in ("steps", "particles", "runs"):
            continue
        raise ArgumentError(
            f"{flags[name]} is not an option of --method {method.value}; leave it "
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
